"""Jobs whose trials are played by `fake_trial.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from trialbalance.trials import AgentChoice, Job, JobConfig, Processes, TaskChoice, plan_trials

FAKE = Path(__file__).parent / "fake_trial.py"

MakeJob = Callable[..., Job]


def fake(mode: str) -> Processes:
    """An executor whose trials all behave in one way."""
    return Processes((sys.executable, str(FAKE), mode))


@pytest.fixture
def make_job(tmp_path: Path) -> MakeJob:
    """Makes a job of one task with `samples` trials of the agents named."""

    def make(*agents: str, samples: int = 1, folder: Path | None = None) -> Job:
        choices = tuple(AgentChoice(label=name, program=name) for name in agents or ("nop",))
        task = TaskChoice(name="shop", path=str(tmp_path / "shop"), version="1-0", digest="d")
        trials = plan_trials(job="job", tasks=(task,), agents=choices, samples=samples, seed=7)
        config = JobConfig(name="job", created_at=0, suite=None, seed=7, samples=samples, trials=trials)
        return Job.create(folder or tmp_path / "job", config, {"python": "3"})

    return make
