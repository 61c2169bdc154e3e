"""One trial's life: prepare, agent, freeze, grade, record.

```
<trial>/ config.json (the plan)  lock.json  events.jsonl  result.json (written by the job)
         agent/{outcome.json, trajectory.json, stdout.log, workspace.diff, workspace.tar.gz, changes.json}
         gateway/calls.jsonl   twin/{journal.jsonl, state.json}   grader/…
```
The agent's part is finished when `agent/outcome.json` is there; whatever interrupts the trial afterwards, only the
grading is repeated. What is graded is always put together from the archive, so that grading again has the same input.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from trialbalance.agents import (
    Agent,
    AgentContext,
    AgentOutcome,
    AgentUnavailable,
    Limits,
    UnknownAgent,
    get_agent,
)
from trialbalance.gateway.errors import ModelSpecError, ReplayError
from trialbalance.gateway.model import ModelSpec
from trialbalance.grading import Grade, grade
from trialbalance.insight import read_behaviour
from trialbalance.sandbox import Mount, SandboxError
from trialbalance.tasks import (
    Environment,
    Prepared,
    PrepareError,
    Task,
    TaskError,
    WorkspaceTooLarge,
    load_task,
    open_environment,
    prepare,
    remove_tree,
)
from trialbalance.tasks.workspace import survey
from trialbalance.trials import workspace
from trialbalance.trials.clock import Clock, WallClock
from trialbalance.trials.errors import Invalid, StorageFailed
from trialbalance.trials.events import EventLog
from trialbalance.trials.files import read_json, write_json, write_whole
from trialbalance.trials.job import blank_result
from trialbalance.trials.plan import TrialPlan, replay_file
from trialbalance.trials.result import TrialResult
from trialbalance.trials.versions import program_versions
from trialbalance.twin.process import TwinProcessError

SCHEMA = "1"


@dataclass(frozen=True)
class Parts:
    """What a trial is made of; a test may put others in their place."""

    load_task: Callable[[str], Task] = load_task
    prepare: Callable[..., Prepared] = prepare
    open_environment: Callable[..., Environment] = open_environment
    get_agent: Callable[[str], Agent] = get_agent
    grade: Callable[..., Grade] = grade


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """`agent/outcome.json`: how the agent ended, and what it took."""

    schema_version: str = SCHEMA
    status: str
    message: str
    turns: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    twin_requests: int = 0
    started_at: int
    seconds_prepare: float
    seconds_agent: float
    too_large: str | None = None


class Trial:
    """One attempt at a planned trial, in its folder."""

    def __init__(
        self, folder: Path, plan: TrialPlan, *, parts: Parts | None = None, clock: Clock | None = None
    ) -> None:
        self.folder = folder
        self.plan = plan
        self.parts = parts or Parts()
        self.clock = clock or WallClock()
        self.work = folder / ".work"
        self.events = EventLog(folder / "events.jsonl", self.clock)

    def run(self) -> None:
        """Go through the whole life; writes `attempt.json` for the job, whatever happens but an interrupt."""
        began, started_at = self.clock.monotonic(), self.clock.now()
        retries = 0
        try:
            result = self._run(started_at, began)
        except Invalid as error:
            retries = error.retries
            self.events.write("invalid", stage=error.stage, reason=error.reason)
            result = blank_result(
                self.plan,
                status="invalid",
                invalid_stage=error.stage,
                invalid_reason=error.reason,
                started_at=started_at,
                finished_at=self.clock.now(),
                seconds_total=round(self.clock.monotonic() - began, 3),
            )
        finally:
            remove_tree(self.work)
        write_json(
            self.folder / "attempt.json",
            {"schema_version": SCHEMA, "retries": retries, "result": msgspec.to_builtins(result)},
        )

    def _run(self, started_at: int, began: float) -> TrialResult:
        outcome_path = self.folder / "agent" / "outcome.json"
        remove_tree(self.work)
        with self._blamed("prepare"):
            task = self.parts.load_task(self.plan.task.path)
            if task.digest != self.plan.task.digest:
                raise Invalid(
                    "prepare",
                    f"the task's files changed since the job began ({task.name}); start a new job",
                    retries=0,
                )
            with self._phase("prepare") as took:
                prepared = self.parts.prepare(task, backend=self.plan.backend)
        if outcome_path.exists():
            outcome = msgspec.convert(read_json(outcome_path, what="the outcome"), Outcome)
        else:
            self._clear()
            write_json(self.folder / "lock.json", self._lock(task, prepared))
            outcome = self._agent(task, prepared, started_at, took)
        with self._blamed("grading", retries=1), self._phase("grading") as graded:
            given = self.work / "app" if outcome.too_large else self._restore(prepared)
            judged = self.parts.grade(
                task, given, self.folder, self.plan.seed, start=prepared.tree, backend=self.plan.backend
            )
        if judged.fault is not None:
            raise Invalid("grading", judged.fault, retries=1)
        self.events.write("graded", reward=judged.reward, partial_score=judged.partial_score)
        return self._result(outcome, judged, graded.seconds, round(self.clock.monotonic() - began, 3))

    def _agent(self, task: Task, prepared: Prepared, started_at: int, prepare_took: _Took) -> Outcome:
        """Let the agent work, stop it, and keep what it left."""
        solution = task.directory / "solution" if self.plan.agent.program == "reference" else None
        with self._blamed("prepare"):
            prepared.copy_to(self.work / "app")
            agent = self.parts.get_agent(self.plan.agent.program)
            model = self._model()
        with contextlib.ExitStack() as stack:
            with self._blamed("sandbox"), self._phase("sandbox"):
                environment = stack.enter_context(
                    self.parts.open_environment(
                        task,
                        self.work / "app",
                        self.work / "host",
                        seed=self.plan.seed,
                        mounts=[Mount(solution, "/solution")] if solution else [],
                        backend=self.plan.backend,
                    )
                )
            environment.sandbox.env.update(environment.agent_env())
            if solution is not None:
                environment.sandbox.env.update(task.config.solution.env)
            with self._blamed("agent"), self._phase("agent") as took:
                ended = agent.run(self._context(task, environment, model, solution))
            if ended.status in PROVIDER_FAULTS:
                raise Invalid("agent", ended.message or ended.status)
            self.events.write("agent_done", status=ended.status, message=ended.message[:500])
            with self._blamed("freeze"), self._phase("freeze"):
                environment.sandbox.freeze()
                if not environment.twin.alive():
                    raise Invalid("twin", "the twin died while the agent worked; see harness.log")
                environment.dump(self.folder / "twin")
        with self._blamed("freeze"):
            return self._keep(task, prepared, ended, started_at, prepare_took.seconds, took.seconds)

    def _context(
        self, task: Task, environment: Environment, model: ModelSpec | None, solution: Path | None
    ) -> AgentContext:
        limits = Limits(
            seconds=min(task.config.agent.timeout_sec, self.plan.seconds or task.config.agent.timeout_sec),
            turns=self.plan.turns,
        )
        return AgentContext(
            instruction=task.instruction,
            trial_dir=self.folder,
            sandbox=environment.sandbox,
            limits=limits,
            seed=self.plan.seed,
            model=model,
            replay=replay_file(self.plan.task, self.plan.agent),
            solution=solution,
        )

    def _model(self) -> ModelSpec | None:
        choice = self.plan.agent
        return ModelSpec.parse(choice.model, base_url=choice.base_url) if choice.model else None

    def _keep(
        self,
        task: Task,
        prepared: Prepared,
        ended: AgentOutcome,
        started_at: int,
        seconds_prepare: float,
        seconds_agent: float,
    ) -> Outcome:
        """Archive the workspace and write the outcome, last of all."""
        app, target = self.work / "app", self.folder / "agent"
        too_large = None
        try:
            survey(app, task.config.environment.storage_mb << 20)
        except WorkspaceTooLarge as error:
            too_large = str(error)
        else:
            changes = workspace.pack(prepared.tree, app, target / "workspace.tar.gz")
            write_whole(target / "workspace.diff", workspace.diff(prepared.tree, app, changes))
            write_json(target / "changes.json", changes)
        outcome = Outcome(
            status=ended.status,
            message=ended.message,
            turns=ended.turns,
            prompt_tokens=ended.usage.prompt_tokens,
            completion_tokens=ended.usage.completion_tokens,
            cached_tokens=ended.usage.cached_tokens,
            cost_usd=ended.usage.cost_usd,
            twin_requests=_requests(self.folder / "twin" / "journal.jsonl"),
            started_at=started_at,
            seconds_prepare=seconds_prepare,
            seconds_agent=seconds_agent,
            too_large=too_large,
        )
        if too_large is None:
            write_json(target / "outcome.json", outcome)
        return outcome

    def _restore(self, prepared: Prepared) -> Path:
        """The agent's final workspace, put together from the start tree and the archive."""
        tree = self.work / "graded"
        return restore(self.folder, prepared, tree)

    def _result(
        self, outcome: Outcome, judged: Grade, seconds_grade: float, seconds_total: float
    ) -> TrialResult:
        required = [check for check in judged.checks if check.required]
        behaviour = read_behaviour(self.folder, judged.reward)
        seen = behaviour if behaviour is not None and behaviour.calls else None
        return blank_result(
            self.plan,
            status="completed",
            outcome=outcome.status,
            reward=judged.reward,
            partial_score=judged.partial_score,
            checks_required=len(required),
            checks_passed=sum(check.status == "pass" for check in required),
            checks_failed=sum(check.status == "fail" for check in required),
            checks_not_run=sum(check.status == "not_run" for check in required),
            flags=",".join(sorted({flag.kind for flag in judged.flags})),
            turns=outcome.turns,
            prompt_tokens=outcome.prompt_tokens,
            completion_tokens=outcome.completion_tokens,
            cached_tokens=outcome.cached_tokens,
            cost_usd=outcome.cost_usd,
            twin_requests=outcome.twin_requests,
            verified=None if seen is None else seen.verified is not None,
            recovered=None if seen is None else seen.recovered is not None,
            overclaimed=None if seen is None else seen.overclaimed is not None,
            started_at=outcome.started_at,
            finished_at=self.clock.now(),
            seconds_prepare=outcome.seconds_prepare,
            seconds_agent=outcome.seconds_agent,
            seconds_grade=seconds_grade,
            seconds_total=seconds_total,
        )

    def _clear(self) -> None:
        """Remove what an interrupted attempt left of the agent's part."""
        for name in ("agent", "gateway", "twin", "grader"):
            remove_tree(self.folder / name)
        (self.folder / "agent").mkdir()

    def _lock(self, task: Task, prepared: Prepared) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA,
            "task_version": task.version,
            "task_digest": task.digest,
            "environment_digest": prepared.digest,
            "seed": self.plan.seed,
            "api_version": task.config.metadata.twin.api_version,
            "programs": program_versions(),
        }

    @contextlib.contextmanager
    def _phase(self, name: str) -> Iterator[_Took]:
        took = _Took()
        began = self.clock.monotonic()
        self.events.write("phase", name=name)
        try:
            yield took
        finally:
            took.seconds = round(self.clock.monotonic() - began, 3)
        self.events.write("phase_done", name=name, seconds=took.seconds)

    @contextlib.contextmanager
    def _blamed(self, stage: str, *, retries: int = 2) -> Iterator[None]:
        """Whatever our code raises in this stage makes the trial invalid, with its traceback in harness.log."""
        try:
            yield
        except (Invalid, KeyboardInterrupt, SystemExit):
            raise
        except (ModelSpecError, ReplayError, PrepareError, AgentUnavailable, UnknownAgent) as error:
            raise Invalid(stage, _line(error), retries=0) from error
        except (SandboxError, TaskError, TwinProcessError, StorageFailed) as error:
            traceback.print_exc()
            raise Invalid(stage, _line(error), retries=retries) from error
        except OSError as error:
            traceback.print_exc()
            full = error.errno in {28, 122}
            reason = (
                "the disk of the job folder is full"
                if full
                else f"{error.strerror or error} {error.filename or ''}"
            )
            raise Invalid(stage, reason.strip(), retries=retries) from error
        except Exception as error:
            traceback.print_exc()
            raise Invalid(stage, f"{type(error).__name__}: {_line(error)}", retries=retries) from error


#: How an agent may end by no fault of its own.
PROVIDER_FAULTS = frozenset({"provider_error"})


class _Took:
    """How long a phase took, known when it is over."""

    seconds: float = 0.0


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _requests(journal: Path) -> int:
    try:
        with journal.open("rb") as file:
            return sum(b'"kind":"request"' in line.replace(b" ", b"")[:400] for line in file)
    except OSError:
        return 0


def restore(trial_dir: Path, prepared: Prepared, target: Path) -> Path:
    """Put a trial's final workspace together in `target`, which must not exist."""
    changes = msgspec.convert(
        read_json(trial_dir / "agent" / "changes.json", what="the changes"), workspace.Changes
    )
    workspace.unpack(prepared.tree, trial_dir / "agent" / "workspace.tar.gz", changes, target)
    return target


def read_plan(trial_dir: Path) -> TrialPlan:
    """The plan in a trial's folder."""
    return msgspec.convert(read_json(trial_dir / "config.json", what="the trial's config"), TrialPlan)


def run_trial(trial_dir: Path) -> None:
    """Run the trial whose plan is in the folder: what an executor starts."""
    os.umask(0o022)
    Trial(trial_dir, read_plan(trial_dir)).run()


def leftovers(trial_dir: Path) -> None:
    """Remove the scratch folder of a trial that was killed."""
    shutil.rmtree(trial_dir / ".work", ignore_errors=True)
