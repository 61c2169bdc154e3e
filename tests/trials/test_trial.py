"""A trial's life with every part played by a stand-in: what is written, what is invalid, what is not repeated."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from trialbalance.agents import AgentOutcome
from trialbalance.gateway.errors import ReplayError
from trialbalance.grading.result import CheckResult, Grade
from trialbalance.sandbox.errors import BackendUnavailable
from trialbalance.tasks import Prepared
from trialbalance.trials.plan import AgentChoice, TaskChoice, TrialPlan
from trialbalance.trials.result import TrialResult, decode_result
from trialbalance.trials.trial import Parts, Trial


def graded(reward: int) -> Grade:
    status = "pass" if reward else "fail"
    check = CheckResult("pays", "The customer pays.", status, True, False, "", ())  # type: ignore[arg-type]
    return Grade(reward, float(reward), (check,))


@dataclass
class World:
    """The stand-ins and what they noticed."""

    root: Path
    log: list[str] = field(default_factory=list)
    agent: Callable[[Any], AgentOutcome] | None = None
    grades: list[Any] = field(default_factory=lambda: [graded(1)])
    opens: Exception | None = None
    twin_alive: bool = True
    storage_mb: int = 64

    def parts(self) -> Parts:
        tree = self.root / "tree"
        if not tree.exists():
            tree.mkdir()
            (tree / "app.py").write_text("start\n")
        task: Any = SimpleNamespace(
            name="shop",
            version="1-0",
            digest="d",
            directory=self.root,
            instruction="Build it.",
            config=SimpleNamespace(
                agent=SimpleNamespace(timeout_sec=60.0),
                environment=SimpleNamespace(storage_mb=self.storage_mb),
                metadata=SimpleNamespace(twin=SimpleNamespace(api_version=None)),
            ),
        )
        return Parts(
            load_task=lambda _: task,
            prepare=lambda _, backend: Prepared(task, tree, "e"),
            open_environment=self.open,
            get_agent=lambda _: SimpleNamespace(name="worker", run=self.work),  # type: ignore[arg-type,return-value]
            grade=self.grade,
        )

    def open(self, task: Any, workspace: Path, scratch: Path, **_: Any) -> Any:
        if self.opens is not None:
            raise self.opens
        self.log.append("open")
        return _Environment(self, workspace)

    def work(self, context: Any) -> AgentOutcome:
        self.log.append("agent")
        assert context.sandbox.env == {"STRIPE_SECRET_KEY": "sk_test_x"}
        if self.agent is not None:
            return self.agent(context)
        (context.sandbox.workspace / "app.py").write_text("done\n")
        return ended("completed")

    def grade(self, task: Any, workspace: Path, trial_dir: Path, seed: int, **_: Any) -> Grade:
        self.log.append(f"grade {(workspace / 'app.py').read_text().strip()}")
        answer = self.grades.pop(0) if len(self.grades) > 1 else self.grades[0]
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, Grade)
        return answer


class _Environment:
    def __init__(self, world: World, workspace: Path) -> None:
        self.world = world
        self.sandbox = SimpleNamespace(workspace=workspace, env={}, freeze=lambda: world.log.append("freeze"))
        self.twin = SimpleNamespace(alive=lambda: world.twin_alive)

    def dump(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder / "journal.jsonl").write_text(
            '{"seq": 1, "kind": "request"}\n{"seq": 2, "kind": "webhook"}\n'
        )

    def agent_env(self) -> dict[str, str]:
        return {"STRIPE_SECRET_KEY": "sk_test_x"}

    def __enter__(self) -> _Environment:
        return self

    def __exit__(self, *_: object) -> None:
        self.world.log.append("close")


def ended(status: str, message: str = "") -> AgentOutcome:
    return AgentOutcome(status=status, message=message, turns=3)  # type: ignore[arg-type]


PLAN = TrialPlan(
    job="job",
    trial="shop__worker__1",
    task=TaskChoice(name="shop", path="shop", version="1-0", digest="d"),
    agent=AgentChoice(label="worker", program="worker"),
    sample=1,
    seed=9,
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def attempt(world: World, plan: TrialPlan = PLAN) -> tuple[TrialResult, int]:
    folder = world.root / "trial"
    folder.mkdir(exist_ok=True)
    Trial(folder, plan, parts=world.parts()).run()
    verdict = json.loads((folder / "attempt.json").read_text())
    return decode_result(verdict["result"], where=folder), verdict["retries"]


def test_a_whole_life(world: World) -> None:
    result, _ = attempt(world)
    folder = world.root / "trial"
    assert world.log == ["open", "agent", "freeze", "close", "grade done"]
    assert (result.status, result.reward, result.outcome, result.turns) == ("completed", 1, "completed", 3)
    assert (result.checks_passed, result.checks_required, result.twin_requests) == (1, 1, 1)
    assert "-start\n+done\n" in (folder / "agent" / "workspace.diff").read_text()
    assert json.loads((folder / "lock.json").read_text())["task_digest"] == "d"
    assert not (folder / ".work").exists()
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    assert [e["name"] for e in events if e["event"] == "phase"] == [
        "prepare",
        "sandbox",
        "agent",
        "freeze",
        "grading",
    ]


def test_a_limit_is_graded_and_labelled(world: World) -> None:
    world.agent, world.grades = lambda _: ended("timeout"), [graded(0)]
    result, _ = attempt(world)
    assert (result.status, result.reward, result.outcome) == ("completed", 0, "timeout")


@pytest.mark.parametrize(
    ("fault", "stage", "retries"),
    [
        (BackendUnavailable("no bwrap here"), "sandbox", 2),
        (OSError(28, "No space left on device"), "sandbox", 2),
    ],
)
def test_a_sandbox_that_does_not_open_is_invalid(
    world: World, fault: Exception, stage: str, retries: int
) -> None:
    world.opens = fault
    result, allowed = attempt(world)
    assert (result.status, result.invalid_stage, allowed) == ("invalid", stage, retries)
    assert result.reward is None


def test_our_own_fault_in_the_agent_stage_is_invalid(world: World) -> None:
    def broken(_: Any) -> AgentOutcome:
        raise RuntimeError("oops")

    world.agent = broken
    result, retries = attempt(world)
    assert (result.invalid_stage, result.invalid_reason, retries) == ("agent", "RuntimeError: oops", 2)
    assert world.log == ["open", "agent", "close"]


def test_a_recording_that_cannot_be_used_is_not_tried_again(world: World) -> None:
    def broken(_: Any) -> AgentOutcome:
        raise ReplayError("goose.yaml: line 3")

    world.agent = broken
    result, retries = attempt(world)
    assert (result.status, retries) == ("invalid", 0)


def test_a_provider_error_is_invalid(world: World) -> None:
    world.agent = lambda _: ended("provider_error", "overloaded")
    result, retries = attempt(world)
    assert (result.status, result.invalid_reason, retries) == ("invalid", "overloaded", 2)


def test_a_twin_that_died_is_invalid(world: World) -> None:
    world.twin_alive = False
    result, _ = attempt(world)
    assert (result.status, result.invalid_stage) == ("invalid", "twin")


def test_a_fault_while_grading_repeats_only_the_grading(world: World) -> None:
    world.grades = [Grade(None, 0.0, (), (), "the browser died"), graded(1)]
    result, retries = attempt(world)
    assert (result.status, result.invalid_stage, retries) == ("invalid", "grading", 1)
    result, _ = attempt(world)
    assert (result.reward, result.turns) == (1, 3)
    assert world.log == ["open", "agent", "freeze", "close", "grade done", "grade done"]


def test_a_grader_that_raises_is_invalid(world: World) -> None:
    world.grades = [ValueError("no such check")]
    result, retries = attempt(world)
    assert (result.invalid_stage, result.invalid_reason, retries) == (
        "grading",
        "ValueError: no such check",
        1,
    )


def test_an_interrupted_agent_begins_again_from_the_start_tree(world: World) -> None:
    def interrupted(context: Any) -> AgentOutcome:
        (context.sandbox.workspace / "app.py").write_text("half\n")
        raise KeyboardInterrupt

    world.agent = interrupted
    with pytest.raises(KeyboardInterrupt):
        attempt(world)
    assert not (world.root / "trial" / "attempt.json").exists()
    assert not (world.root / "trial" / ".work").exists()
    world.agent = lambda context: ended((context.sandbox.workspace / "app.py").read_text().strip())
    result, _ = attempt(world)
    assert result.outcome == "start"


def test_a_task_that_changed_since_is_refused(world: World) -> None:
    changed = msgspec.structs.replace(PLAN, task=msgspec.structs.replace(PLAN.task, digest="other"))
    result, retries = attempt(world, changed)
    assert (result.status, retries) == ("invalid", 0) and "start a new job" in str(result.invalid_reason)


def test_a_workspace_that_is_too_large_is_graded_as_it_is(world: World) -> None:
    def greedy(context: Any) -> AgentOutcome:
        (context.sandbox.workspace / "app.py").write_text("x" * 3_000_000)
        return ended("completed")

    world.agent, world.storage_mb, world.grades = greedy, 1, [graded(0)]
    result, _ = attempt(world)
    assert (result.status, result.reward) == ("completed", 0)
    assert not (world.root / "trial" / "agent" / "workspace.tar.gz").exists()
