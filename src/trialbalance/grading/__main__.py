"""`python -m trialbalance.grading TASK`: grade a tree, as a task's tests/test.sh does under Harbor's own runner."""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from trialbalance.grading.grade import grade
from trialbalance.grading.result import Grade
from trialbalance.grading.runner import Progress
from trialbalance.tasks import TaskError, load_task

GRADED, BAD_USAGE, INVALID, INTERRUPTED = 0, 2, 3, 130


def main(arguments: list[str] | None = None) -> int:
    """Grade as told; 0 when there is a reward (of 0 or 1), 2 for bad input, 3 for an invalid grade."""
    parser = _parser()
    told = parser.parse_args(arguments)
    try:
        task = load_task(told.task)
    except TaskError as error:
        print(f"grading: {error}", file=sys.stderr)
        return BAD_USAGE
    if not told.workspace.is_dir():
        print(
            f"grading: {told.workspace}: no such directory; give the agent's files with --workspace",
            file=sys.stderr,
        )
        return BAD_USAGE
    folder = Path(tempfile.mkdtemp(prefix="trialbalance-trial-"))
    try:
        if told.twin is not None:
            (folder / "twin").symlink_to(told.twin.absolute(), target_is_directory=True)
        result = grade(
            task,
            told.workspace,
            folder,
            told.seed,
            only=told.check,
            backend=told.backend,
            timeout=told.timeout,
            watch=None if told.quiet else _print,
        )
        told.logs.mkdir(parents=True, exist_ok=True)
        for stale in ("reward.json", "reward.txt"):
            (told.logs / stale).unlink(missing_ok=True)
        shutil.copytree(folder / "grader", told.logs, dirs_exist_ok=True)
    except ValueError as error:
        print(f"grading: {error}", file=sys.stderr)
        return BAD_USAGE
    except KeyboardInterrupt:
        print("grading: interrupted; everything it started has been ended", file=sys.stderr)
        return INTERRUPTED
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(_summary(result), file=sys.stderr)
    return GRADED if result.valid else INVALID


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m trialbalance.grading",
        description="Grade the files that an agent left. Writes reward.json, metrics.json, log.txt and screenshots.",
        epilog="Exit code: 0 graded (reward 0 or 1), 2 bad input, 3 invalid: something of ours broke, there is no reward.",
    )
    parser.add_argument("task", type=Path, help="the task's directory")
    parser.add_argument(
        "--workspace", type=Path, required=True, help="the agent's files; copied, never changed"
    )
    parser.add_argument(
        "--logs", type=Path, default=Path("grader"), help="where results go (default: %(default)s)"
    )
    parser.add_argument("--twin", type=Path, help="directory with the trial's journal.jsonl and state.json")
    parser.add_argument("--seed", type=int, default=1, help="draws every random input (default: %(default)s)")
    parser.add_argument(
        "--check", action="append", default=[], metavar="ID", help="only this check; may be repeated"
    )
    parser.add_argument("--backend", default="auto", help="how to isolate (default: %(default)s)")
    parser.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="for everything (default: the task's)"
    )
    parser.add_argument("--quiet", action="store_true", help="no line per check")
    return parser


def _print(progress: Progress) -> None:
    if progress.stage == "result":
        print(f"{progress.detail:8} {progress.name}", file=sys.stderr, flush=True)


def _summary(result: Grade) -> str:
    if not result.valid:
        return f"invalid: {result.fault}"
    required = [check for check in result.checks if check.required]
    passed = sum(check.status == "pass" for check in required)
    return f"reward {result.reward}, {passed} of {len(required)} required checks"


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it gets the same cleaning up
    sys.exit(main())
