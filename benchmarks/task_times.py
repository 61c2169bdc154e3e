"""How long a trial of each task takes to start, and how long its grading takes, in one run.

    python benchmarks/task_times.py [TASK ...] [--agent reference]

Each task is prepared first, which is not measured; then the agent tries it once. `start` is all that passes before
the agent works: checking the preparation, copying the files, the sandbox, the twin and the task's services. The
ratios are to the aims: a start within 3 s and a grade within 60 s, for full-stack tasks 5 s and 120 s. Quiet
machines only: another trial at the same time shows in every number.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from trialbalance.tasks import find_tasks

AIMS = {"full-stack": (5.0, 120.0)}
"""Seconds to start and to grade, by category; other tasks: `BACKEND`."""
BACKEND = (3.0, 60.0)


def command(*arguments: str) -> None:
    """Run a command of the program; its output is shown only when it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "trialbalance.cli", *arguments], capture_output=True, text=True
    )
    if done.returncode not in (0, 1):
        raise SystemExit(done.stdout + done.stderr)


def measure(task: str, agent: str, jobs: Path) -> tuple[dict[str, float], float, float]:
    """Seconds of each phase, seconds until the agent began, and the reward of one trial."""
    command("tasks", "prepare", task)
    command("run", "--task", task, "--agent", agent, "--jobs-dir", str(jobs), "--name", task, "--yes")
    (events,) = (jobs / task).rglob("events.jsonl")
    phases, began, reward = {}, 0.0, 0.0
    for line in events.read_bytes().splitlines():
        event = msgspec.json.decode(line)
        if event["event"] == "phase" and event["name"] == "agent":
            began = event["elapsed"]
        elif event["event"] == "phase_done":
            phases[event["name"]] = event["seconds"]
        elif event["event"] == "graded":
            reward = event["reward"]
    return phases, began, reward


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", nargs="*", metavar="TASK")
    parser.add_argument("--agent", default="reference")
    arguments = parser.parse_args()
    table = Table(title=f"One trial of each task by {arguments.agent}, in seconds")
    for name in ("task", "start", "of the aim", "agent", "grading", "of the aim", "reward"):
        table.add_column(name, justify="left" if name == "task" else "right")
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as directory:
        for task in find_tasks():
            if arguments.tasks and task.name not in arguments.tasks:
                continue
            start_aim, grade_aim = AIMS.get(task.config.metadata.category, BACKEND)
            phases, began, reward = measure(task.name, arguments.agent, Path(directory))
            table.add_row(
                task.name, f"{began:.1f}", f"{began / start_aim:.2f}", f"{phases['agent']:.1f}",
                f"{phases['grading']:.1f}", f"{phases['grading'] / grade_aim:.2f}", f"{reward:g}",
            )  # fmt: skip
    Console().print(table)


if __name__ == "__main__":
    main()
