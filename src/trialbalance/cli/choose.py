"""From what a person typed to the tasks and agents of a job."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trialbalance.agents import agent_names, get_agent
from trialbalance.gateway.model import ModelSpec
from trialbalance.tasks import Task, find_task, load_suite
from trialbalance.trials import AgentChoice, BadJob, Missing, TaskChoice

#: Programs that no model drives.
WITHOUT_MODEL = frozenset({"reference", "nop"})

DEFAULT_AGENTS = (
    AgentChoice(label="reference", program="reference"),
    AgentChoice(label="nop", program="nop"),
    AgentChoice(label="goose-replay", program="goose", replay="task"),
)


def choose_tasks(names: Sequence[str], suite: str | None) -> tuple[str | None, list[TaskChoice]]:
    """The tasks named, or those of a suite (by default the suite `default`), and the suite's name."""
    if names and suite is not None:
        raise BadJob("--task and --suite cannot go together; leave one of them out")
    if names:
        return None, [task_choice(find_task(name), None) for name in dict.fromkeys(names)]
    found = load_suite(suite or "default")
    return found.name, [task_choice(task, found.name) for task in found.tasks]


def task_choice(task: Task, suite: str | None) -> TaskChoice:
    """A task as a job's plan records it."""
    replays = sorted(path.stem for path in (task.directory / "replay").glob("*.yaml"))
    return TaskChoice(
        name=task.name,
        path=str(task.directory),
        version=task.version,
        digest=task.digest,
        suite=suite,
        replays=tuple(replays),
    )


def choose_agents(
    names: Sequence[str], *, model: str | None, base_url: str | None, replay: str | None
) -> list[AgentChoice]:
    """The agents named, with the model or recording that drives them; without names the three that need no model."""
    if model is not None and replay is not None:
        raise BadJob("--model and --replay cannot go together: a recording answers in place of a model")
    if base_url is not None and model is None:
        raise BadJob("--base-url needs --model: say which model to ask for there")
    if not names:
        if model is None and replay is None:
            return list(DEFAULT_AGENTS)
        names = ("goose",)
    spec = ModelSpec.parse(model, base_url=base_url) if model is not None else None
    if replay is not None and replay != "task" and not Path(replay).is_file():
        raise BadJob(
            f"--replay {replay}: no such file; give a recording, or the word `task` for the task's own"
        )
    return [_agent(name, model, base_url, replay, spec) for name in names]


def _agent(
    name: str, model: str | None, base_url: str | None, replay: str | None, spec: ModelSpec | None
) -> AgentChoice:
    if name == "goose-replay":
        return DEFAULT_AGENTS[2]
    known = agent_names()
    if name not in known:
        raise BadJob(f"--agent {name}: no such agent; there are: {', '.join([*known, 'goose-replay'])}")
    get_agent(name)
    if name in WITHOUT_MODEL:
        return AgentChoice(label=name, program=name)
    if replay is not None:
        where = replay if replay == "task" else str(Path(replay).absolute())
        return AgentChoice(label=f"{name}-replay", program=name, replay=where)
    if spec is None:
        raise Missing(f"--agent {name} needs a model: add --model PROVIDER/NAME, or --replay FILE")
    spec.key()
    return AgentChoice(label=f"{name}/{spec.name}", program=name, model=model, base_url=base_url)
