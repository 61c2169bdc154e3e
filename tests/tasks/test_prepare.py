"""Preparing a task once, whoever asks, and however many ask at once."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tasks.build import copy_task, edit
from trialbalance.sandbox import Completed
from trialbalance.tasks import SUITE_GUID, PrepareError, Task, load_task, prepare, prepared_tree
from trialbalance.tasks.prepare import Progress, forget


class Installer:
    """Writes down each call into a file, and installs one file."""

    def __init__(self, record: Path, result: Completed | None = None) -> None:
        self.record = record
        self.result = result or Completed(0, "installed\n", "")

    def __call__(self, task: Task, tree: Path, backend: str) -> Completed:
        with self.record.open("a") as file:
            file.write(f"{task.name}\n")
        (tree / "installed.txt").write_text("yes")
        return self.result


@pytest.fixture
def task(tmp_path: Path) -> Task:
    """A copy of the miniature task."""
    return load_task(copy_task(tmp_path))


def stages(seen: list[Progress]) -> list[str]:
    return [progress.stage for progress in seen]


def test_the_second_time_finds_it_prepared(task: Task, tmp_path: Path) -> None:
    installer = Installer(tmp_path / "record")
    cache = tmp_path / "cache"
    first: list[Progress] = []
    second: list[Progress] = []

    assert prepared_tree(task, cache) is None
    prepared = prepare(task, cache=cache, installer=installer, watch=first.append)
    again = prepare(task, cache=cache, installer=installer, watch=second.append)

    assert stages(first) == ["waiting", "copying", "installing", "ready"]
    assert stages(second) == ["cached"]
    assert (tmp_path / "record").read_text() == "member-desk\n"
    assert again.tree == prepared.tree == prepared_tree(task, cache)
    assert (prepared.tree / "installed.txt").read_text() == "yes"
    assert (prepared.tree / "server.py").is_file()


def test_another_environment_is_prepared_anew_and_another_grader_is_not(task: Task, tmp_path: Path) -> None:
    installer = Installer(tmp_path / "record")
    cache = tmp_path / "cache"
    first = prepare(task, cache=cache, installer=installer)

    edit(task.checks, "drivers" if "drivers" in task.checks.read_text() else "The grader", "Checks")
    assert prepare(load_task(task.directory), cache=cache, installer=installer).tree == first.tree
    edit(task.directory / "environment" / "app" / "server.py", "Reading room", "Library")
    assert prepare(load_task(task.directory), cache=cache, installer=installer).tree != first.tree


def test_a_copy_may_be_changed(task: Task, tmp_path: Path) -> None:
    prepared = prepare(task, cache=tmp_path / "cache", installer=Installer(tmp_path / "record"))

    copy = prepared.copy_to(tmp_path / "trial" / "app")
    (copy / "server.py").write_text("changed")

    assert (prepared.tree / "server.py").read_text() != "changed"


def test_no_canary_reaches_the_start_tree(task: Task, tmp_path: Path) -> None:
    server = task.directory / "environment" / "app" / "server.py"
    server.write_text(f"# {SUITE_GUID}-x\n" + server.read_text())

    prepared = prepare(
        load_task(task.directory), cache=tmp_path / "cache", installer=Installer(tmp_path / "record")
    )

    assert SUITE_GUID not in (prepared.tree / "server.py").read_text()


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (
            Completed(1, "one\n", "no such package\n"),
            "it ended with exit code 1; correct it. It said: one | no such package",
        ),
        (
            Completed(124, "", "", timed_out=True),
            "it did not end within 600 seconds; correct it. It said: nothing",
        ),
    ],
)
def test_a_failure_leaves_nothing_that_counts(
    task: Task, tmp_path: Path, result: Completed, message: str
) -> None:
    cache = tmp_path / "cache"

    with pytest.raises(PrepareError) as caught:
        prepare(task, cache=cache, installer=Installer(tmp_path / "record", result))

    assert str(caught.value) == f"member-desk/environment/prepare.sh: {message}"
    assert prepared_tree(task, cache) is None
    assert [path.suffix for path in (cache / "prepared").iterdir()] == [".lock"]
    prepare(task, cache=cache, installer=Installer(tmp_path / "record"))
    assert prepared_tree(task, cache) is not None


def test_forgetting_prepares_again(task: Task, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    prepare(task, cache=cache, installer=Installer(tmp_path / "record"))
    forget(task, cache)

    assert prepared_tree(task, cache) is None


def _prepare(directory: Path, cache: Path, record: Path, gate: Callable[[], int]) -> None:
    gate()
    prepare(load_task(directory), cache=cache, installer=Installer(record))


def test_two_processes_prepare_once(task: Task, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    arguments = (task.directory, tmp_path / "cache", tmp_path / "record", barrier.wait)
    both = [context.Process(target=_prepare, args=arguments) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()

    assert [process.exitcode for process in both] == [0, 0]
    assert (tmp_path / "record").read_text() == "member-desk\n"


@pytest.mark.sandbox
def test_prepare_sh_runs_in_a_sandbox(task: Task, tmp_path: Path) -> None:
    prepared = prepare(task, cache=tmp_path / "cache")

    assert (prepared.tree / "prepared.txt").read_text() == "1970\n"


@pytest.mark.sandbox
def test_a_broken_prepare_sh_is_told_with_its_last_words(task: Task, tmp_path: Path) -> None:
    (task.directory / "environment" / "prepare.sh").write_text("echo before\nls /no/such/place\necho after\n")

    with pytest.raises(PrepareError, match=r"exit code 2; correct it. It said: before \| ls: cannot access"):
        prepare(load_task(task.directory), cache=tmp_path / "cache")


def test_a_task_with_postgresql_is_refused_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = copy_task(tmp_path)
    edit(
        directory / "task.toml",
        "[agent]",
        '[metadata.database]\nkind = "postgresql"\npath = "pg"\nname = "desk"\n[agent]',
    )
    monkeypatch.setattr(sys.modules["trialbalance.tasks.prepare"], "find_postgresql", lambda: None)
    installer = Installer(tmp_path / "record")
    with pytest.raises(PrepareError, match=r"needs PostgreSQL.*apt-get install postgresql"):
        prepare(load_task(directory), cache=tmp_path / "cache", installer=installer)
    assert not (tmp_path / "record").exists()
