"""Grade a finished trial again from its files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from trialbalance.grading import grade
from trialbalance.tasks import load_task, prepare
from trialbalance.trials.errors import BadJob, Invalid
from trialbalance.trials.result import read_result
from trialbalance.trials.trial import read_plan, restore


class Regrade(NamedTuple):
    """What grading again came to; `recorded` is the reward in result.json."""

    reward: int
    passed: int
    required: int
    failed: tuple[str, ...]
    recorded: int | None
    same_bytes: bool


def regrade(trial_dir: Path) -> Regrade:
    """Grade a trial's recorded workspace again, into `regrade/grader/`.

    Raises:
        BadJob: the folder is no finished trial, or its task has changed since.
        Invalid: something of ours broke while grading.
    """
    if not (trial_dir / "config.json").is_file():
        raise BadJob(f"{trial_dir} is no trial folder; give one below a job's folder")
    plan = read_plan(trial_dir)
    if not (trial_dir / "agent" / "outcome.json").is_file():
        raise BadJob(
            f"{trial_dir} has no finished agent to grade; continue the job with --resume {trial_dir.parent}"
        )
    task = load_task(plan.task.path)
    if task.digest != plan.task.digest:
        raise BadJob(f"{task.name} has changed since {trial_dir.name} ran; check out the version it ran with")
    prepared = prepare(task, backend=plan.backend)
    again = trial_dir / "regrade"
    again.mkdir(exist_ok=True)
    twin = again / "twin"
    if not twin.exists():
        twin.symlink_to("../twin")
    with tempfile.TemporaryDirectory(prefix="trialbalance-regrade-") as scratch:
        tree = restore(trial_dir, prepared, Path(scratch) / "app")
        judged = grade(task, tree, again, plan.seed, start=prepared.tree, backend=plan.backend)
    if judged.reward is None:
        raise Invalid("grading", str(judged.fault))
    required = [check for check in judged.checks if check.required]
    result = read_result(trial_dir)
    old, new = (folder / "grader" / "metrics.json" for folder in (trial_dir, again))
    return Regrade(
        reward=judged.reward,
        passed=sum(check.status == "pass" for check in required),
        required=len(required),
        failed=judged.failed,
        recorded=result.reward if result is not None else None,
        same_bytes=old.is_file() and old.read_bytes() == new.read_bytes(),
    )
