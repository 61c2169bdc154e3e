"""Suites: named, versioned lists of tasks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trialbalance.tasks.errors import SuiteError
from trialbalance.tasks.profile import SuiteTable
from trialbalance.tasks.table import read_table
from trialbalance.tasks.task import Task, default_root, find_tasks, load_task


@dataclass(frozen=True)
class Suite:
    """Tasks that are run and reported together."""

    name: str
    version: str
    description: str
    tasks: tuple[Task, ...]


def load_suite(name: str = "default", root: Path | str | None = None) -> Suite:
    """A suite by its name or the path of its file.

    `"default"` is every task under the root, unless `suites/default.toml` stands beside the root and says
    otherwise. A file lists tasks as
    `"name"`, or `"name@N-X"` to pin a version: another N is refused, because its scores are not comparable.
    """
    parent = Path(root) if root is not None else default_root()
    path = Path(name) if name.endswith(".toml") else parent.parent / "suites" / f"{name}.toml"
    if not path.is_file():
        if name == "default":
            return _everything(parent)
        known = sorted(found.stem for found in path.parent.glob("*.toml"))
        raise SuiteError(f"{name}: no such suite; there are: {', '.join(['default', *known])}")
    table = read_table(path, SuiteTable, path.name)
    tasks = [_pinned(path.name, entry, parent) for entry in table.tasks]
    names = [task.name for task in tasks]
    for task in names:
        if names.count(task) > 1:
            raise SuiteError(f'{path.name}: tasks: "{task}" is listed twice; remove one')
    return Suite(table.name, table.version, table.description, tuple(tasks))


def _everything(root: Path) -> Suite:
    tasks = find_tasks(root)
    if not tasks:
        raise SuiteError(f"{root}: there is no task in it; add one, or set TRIALBALANCE_TASKS")
    return Suite("default", "1-0", "Every task.", tasks)


def _pinned(file: str, entry: str, root: Path) -> Task:
    name, _, version = entry.partition("@")
    if not (root / name / "task.toml").is_file():
        raise SuiteError(f'{file}: tasks: there is no task "{name}" in {root}; correct the name')
    task = load_task(root / name)
    if version and int(version.split("-")[0]) != task.major:
        raise SuiteError(
            f'{file}: tasks: "{entry}" asks for another N than {task.version}; their scores never mix'
        )
    return task
