"""What a job is going to do: which agents try which tasks how often, with which seeds.

A plan is plain data and goes whole into the job's `config.json`, so that a resumed job does what the first
one meant to do, and a trial's process needs nothing else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from trialbalance.trials.errors import BadJob

SCHEMA = "1"


class AgentChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One column of the result table: a program, and the model or the recording that drives it.

    `label` names the column. `replay` is a file of recorded model answers; the word `task` means the task's
    own
    `replay/<program>.yaml`.
    """

    label: str
    program: str
    model: str | None = None
    base_url: str | None = None
    replay: str | None = None


class TaskChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the result table: a task directory, with what is recorded about it."""

    name: str
    path: str
    version: str
    digest: str
    suite: str | None = None
    replays: tuple[str, ...] = ()


class TrialPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one trial needs to know; `config.json` of its folder."""

    schema_version: str = SCHEMA
    job: str
    trial: str
    task: TaskChoice
    agent: AgentChoice
    sample: int
    seed: int
    backend: str = "auto"
    seconds: int | None = None
    turns: int | None = None


def trial_seed(job_seed: int, task: str, sample: int) -> int:
    """The seed of a trial: the same for every agent, so that all face the same draw; 31 bits."""
    text = f"{job_seed}\n{task}\n{sample}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "big") >> 1


def slug(text: str) -> str:
    """A label as a part of a file name."""
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", text).strip("-.") or "agent"


def replay_file(task: TaskChoice, agent: AgentChoice) -> Path | None:
    """The recording that a trial plays, or None when a real model (or none) drives the agent."""
    if agent.replay is None:
        return None
    if agent.replay == "task":
        return Path(task.path) / "replay" / f"{agent.program}.yaml"
    return Path(agent.replay)


def plan_trials(
    *,
    job: str,
    tasks: Sequence[TaskChoice],
    agents: Sequence[AgentChoice],
    samples: int,
    seed: int,
    backend: str = "auto",
    seconds: int | None = None,
    turns: int | None = None,
) -> tuple[TrialPlan, ...]:
    """Every trial of a job: task by task, sample by sample, agent by agent.

    An agent that plays the task's own recording is left out for tasks that have none.
    """
    if samples < 1:
        raise BadJob(f"--trials {samples}: a job needs at least one trial of each agent")
    if not tasks:
        raise BadJob("no task to try; name one with --task or --suite")
    if not agents:
        raise BadJob("no agent to try; name one with --agent")
    labels = [agent.label for agent in agents]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise BadJob(f"agent {twice[0]!r} is named twice; use --trials for more than one trial")
    plans = [
        TrialPlan(
            job=job,
            trial=f"{slug(task.name)}__{slug(agent.label)}__{sample}",
            task=task,
            agent=agent,
            sample=sample,
            seed=trial_seed(seed, task.name, sample),
            backend=backend,
            seconds=seconds,
            turns=turns,
        )
        for task in tasks
        for sample in range(1, samples + 1)
        for agent in agents
        if agent.replay != "task" or agent.program in task.replays
    ]
    if not plans:
        raise BadJob(
            "none of the chosen tasks has a recording for the chosen agent; use --model or --replay FILE"
        )
    names = [plan.trial for plan in plans]
    clash = next((name for name in names if names.count(name) > 1), None)
    if clash:
        raise BadJob(f"two trials would share the folder {clash!r}; rename one of the agents")
    return tuple(plans)
