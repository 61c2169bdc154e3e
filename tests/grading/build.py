"""Small tasks with graders of their own, for tests of grading."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.tasks.build import copy_task, edit
from trialbalance.grading.place import Place
from trialbalance.tasks import Task, load_task

HEAD = "from trialbalance.grading import *\n"
PlaceOf = Callable[[Task], Place]
"""Opens a place for drivers on a task's start tree; closed when the test is over."""

CITE = "The front page at `/` still says `Reading room`."


def task_with(parent: Path, checks: str, *, settings: str = "", app: dict[str, str] | None = None) -> Task:
    """The miniature task with another grader, more settings in task.toml, and other files in its app."""
    directory = copy_task(parent)
    (directory / "tests" / "checks.py").write_text(HEAD + checks.replace("CITE", repr(CITE)))
    if settings:
        edit(directory / "task.toml", "[agent]", settings + "\n[agent]")
    for name, content in (app or {}).items():
        path = directory / "environment" / "app" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return load_task(directory)


def start_tree(task: Task) -> Path:
    """The tree an agent starts from, unprepared."""
    return task.directory / "environment" / "app"
