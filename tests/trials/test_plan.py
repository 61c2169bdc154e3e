"""A plan names every trial once, and refuses what cannot be meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from trialbalance.trials import AgentChoice, BadJob, TaskChoice, executor_named, plan_trials, trial_seed
from trialbalance.trials.plan import replay_file, slug

SHOP = TaskChoice(name="shop", path="environments/shop", version="1-0", digest="d", replays=("goose",))
GYM = TaskChoice(name="gym", path="environments/gym", version="1-0", digest="d")
NOP = AgentChoice(label="nop", program="nop")
PLAYED = AgentChoice(label="goose-replay", program="goose", replay="task")


def plan(tasks: tuple[TaskChoice, ...], agents: tuple[AgentChoice, ...], samples: int = 1) -> list[str]:
    return [one.trial for one in plan_trials(job="j", tasks=tasks, agents=agents, samples=samples, seed=1)]


def test_task_by_task_and_sample_by_sample() -> None:
    assert plan((SHOP, GYM), (NOP, PLAYED), 2) == [
        "shop__nop__1",
        "shop__goose-replay__1",
        "shop__nop__2",
        "shop__goose-replay__2",
        "gym__nop__1",
        "gym__nop__2",
    ]


def test_seeds_depend_on_task_and_sample_only() -> None:
    assert trial_seed(0, "shop", 1) == 1808264648
    assert len({trial_seed(job, task, n) for job in (0, 1) for task in ("a", "b") for n in (1, 2)}) == 8


def test_where_a_recording_is() -> None:
    assert replay_file(SHOP, PLAYED) == Path("environments/shop/replay/goose.yaml")
    assert replay_file(SHOP, NOP) is None
    assert replay_file(SHOP, AgentChoice(label="x", program="goose", replay="/a/b.yaml")) == Path("/a/b.yaml")


@pytest.mark.parametrize(
    ("tasks", "agents", "samples", "says"),
    [
        ((SHOP,), (NOP,), 0, "at least one trial"),
        ((), (NOP,), 1, "no task"),
        ((SHOP,), (), 1, "no agent"),
        ((SHOP,), (NOP, NOP), 1, "named twice"),
        ((GYM,), (PLAYED,), 1, "has a recording"),
        (
            (SHOP,),
            (AgentChoice(label="a/b", program="a"), AgentChoice(label="a b", program="a")),
            1,
            "share the folder",
        ),
    ],
)
def test_what_cannot_be_meant(
    tasks: tuple[TaskChoice, ...], agents: tuple[AgentChoice, ...], samples: int, says: str
) -> None:
    with pytest.raises(BadJob, match=says):
        plan(tasks, agents, samples)


def test_labels_become_folder_names() -> None:
    assert slug("goose/gpt-5 (high)") == "goose-gpt-5-high"
    assert slug("../..") == "agent"


@pytest.mark.parametrize(("name", "says"), [("ray", "not built yet"), ("moon", "unknown")])
def test_executors_that_are_not_there_say_so(name: str, says: str) -> None:
    with pytest.raises(BadJob, match=says):
        executor_named(name)
