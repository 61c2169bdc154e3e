"""A program that stands in for a trial's process: `fake_trial.py MODE TRIAL_DIR PARENT`.

`pass` and `fail` finish; `invalid-once` is invalid at the first attempt; `invalid` always; `die` kills
itself;
`hang` starts a child and waits for ever; `count` notes each run in a file beside the job.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec

from trialbalance.trials.job import blank_result
from trialbalance.trials.plan import TrialPlan
from trialbalance.trials.processes import die_with_parent


def finish(trial_dir: Path, *, reward: int | None, retries: int = 2, stage: str = "sandbox") -> None:
    plan = msgspec.json.decode((trial_dir / "config.json").read_bytes(), type=TrialPlan)
    result = blank_result(
        plan,
        status="completed" if reward is not None else "invalid",
        invalid_stage=None if reward is not None else stage,
        invalid_reason=None if reward is not None else "the sandbox did not start",
        reward=reward,
        partial_score=None if reward is None else float(reward),
        started_at=1_767_225_600,
        finished_at=1_767_225_660,
    )
    data = {"schema_version": "1", "retries": retries, "result": msgspec.to_builtins(result)}
    (trial_dir / "attempt.json").write_bytes(msgspec.json.encode(data))


def main(mode: str, trial_dir: Path, parent: int) -> None:
    die_with_parent(parent)
    with (trial_dir.parent / "runs.txt").open("a") as file:
        file.write(trial_dir.name + "\n")
    match mode:
        case "pass" | "fail":
            finish(trial_dir, reward=int(mode == "pass"))
        case "invalid-once":
            finish(trial_dir, reward=1 if list(trial_dir.glob("attempt-*")) else None)
        case "invalid":
            finish(trial_dir, reward=None)
        case "ungraded":
            (trial_dir / "agent").mkdir(exist_ok=True)
            finish(trial_dir, reward=None, retries=1, stage="grading")
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            child = subprocess.Popen(["sleep", "1000"])
            (trial_dir / "child.pid").write_text(str(child.pid))
            signal.signal(signal.SIGTERM, lambda *_: (child.kill(), child.wait(), sys.exit(1)))
            signal.pause()
        case "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            child = subprocess.Popen(["sleep", "1000"])
            (trial_dir / "child.pid").write_text(str(child.pid))
            while True:
                signal.pause()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
