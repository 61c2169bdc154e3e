"""The process of one trial: `python -m trialbalance.trials.worker TRIAL_DIR PARENT_PID`.

SIGTERM (from the job, or from the kernel when the job died) and Ctrl-C unwind it like any exception, so that the
sandbox, the twin, the browser and the agent are gone when it is.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import FrameType

from trialbalance.trials.processes import descendants, die_with_parent, kill_tree


def _interrupt(_: int, __: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def main(argv: list[str]) -> int:
    """Run the trial; 0 when `attempt.json` was written, 130 when it was interrupted."""
    signal.signal(signal.SIGTERM, _interrupt)
    die_with_parent(int(argv[1]))
    import os

    from trialbalance.trials.trial import run_trial

    try:
        run_trial(Path(argv[0]))
    except KeyboardInterrupt:
        return 130
    finally:
        for pid in descendants(os.getpid()):
            kill_tree(pid)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
