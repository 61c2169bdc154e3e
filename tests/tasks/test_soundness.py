"""Proving a task: what is written, what is kept between runs, and one whole proof of the miniature."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.tasks.build import MINIATURE, copy_task, edit
from trialbalance.grading import Prover
from trialbalance.sandbox import Completed
from trialbalance.tasks import (
    CheckOutline,
    Prepared,
    Row,
    RowProgress,
    Task,
    Verdict,
    check,
    kept_rows,
    load_task,
    prepare,
    read_proof,
    soundness,
    stale,
)
from trialbalance.tasks.grader import Grader
from trialbalance.tasks.trial_rows import Trial


class Tried:
    """Stands in for trying a row: writes down which, and lets the named ones fail or end the proof."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self.failing: set[str] = set()
        self.interrupting: set[str] = set()

    def __call__(
        self, trial: Trial, prepared: Prepared, grader: Grader, directory: Path, backend: str
    ) -> Row:
        self.rows.append(trial.id)
        if trial.id in self.interrupting:
            raise KeyboardInterrupt
        folder = directory / "grade-1" / "grader"
        folder.mkdir(parents=True)
        (folder / "log.txt").write_text(trial.id)
        return Row(trial.id, trial.id not in self.failing, "")


@pytest.fixture
def task(tmp_path: Path) -> Task:
    """A prepared copy of the miniature task."""
    task = load_task(copy_task(tmp_path))
    prepare(task, cache=tmp_path / "cache", installer=lambda *_: Completed(0, "", ""))
    return task


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Tried:
    """Rows that are written down rather than tried."""
    tried = Tried()
    monkeypatch.setattr(soundness, "try_row", tried)
    return tried


def test_a_whole_proof_is_recorded(task: Task, tried: Tried, tmp_path: Path) -> None:
    seen: list[RowProgress] = []

    proof = check(task, Prover(), cache=tmp_path / "cache", watch=seen.append)

    assert proof.sound
    assert len([name for name in tried.rows if name.startswith("reference/")]) == 20
    assert read_proof(task) == proof
    assert stale(task, ["nop", "table/requirements", "canary"]) is None
    assert [row.id for row in proof.rows] == sorted(row.id for row in proof.rows)
    assert seen[-1].done == seen[-1].total == len(proof.rows)
    assert not any(kept_rows(task, tmp_path / "cache").glob("*/grade-1"))


def test_a_quick_or_partial_proof_is_not_recorded(task: Task, tried: Tried, tmp_path: Path) -> None:
    quick = check(task, Prover(), quick=True, cache=tmp_path / "cache")
    assert [name for name in tried.rows if name.startswith("reference/")] == ["reference/01"]
    assert quick.sound

    tried.rows.clear()
    part = check(task, Prover(), only=["mutant", "table/mutants"], fresh=True, cache=tmp_path / "cache")
    assert {row.id.split("/")[0] for row in part.rows} == {"mutant", "table"}
    assert len(tried.rows) == 4
    assert read_proof(task) is None


def test_a_proof_goes_on_where_it_was_interrupted(task: Task, tried: Tried, tmp_path: Path) -> None:
    tried.interrupting = {"mutant/key-is-ignored"}
    with pytest.raises(KeyboardInterrupt):
        check(task, Prover(), cache=tmp_path / "cache")
    done = set(tried.rows) - tried.interrupting
    assert read_proof(task) is None

    tried.rows.clear()
    tried.interrupting = set()
    proof = check(task, Prover(), cache=tmp_path / "cache")

    assert proof.sound
    assert not done & set(tried.rows)
    assert "mutant/key-is-ignored" in tried.rows


def test_rows_that_failed_are_tried_again_and_their_folders_kept(
    task: Task, tried: Tried, tmp_path: Path
) -> None:
    tried.failing = {"cheat/own-stripe"}
    proof = check(task, Prover(), cache=tmp_path / "cache")

    assert [row.id for row in proof.failures] == ["cheat/own-stripe"]
    log = kept_rows(task, tmp_path / "cache") / "cheat/own-stripe" / "grade-1" / "grader" / "log.txt"
    assert log.read_text() == "cheat/own-stripe"
    assert "it records a failure (cheat/own-stripe)" in (stale(task) or "")

    tried.rows.clear()
    tried.failing = set()
    assert check(task, Prover(), cache=tmp_path / "cache", workers=2).sound
    assert tried.rows == ["cheat/own-stripe"]
    assert not log.exists()


def test_a_changed_grader_is_tried_from_the_beginning(task: Task, tried: Tried, tmp_path: Path) -> None:
    check(task, Prover(), quick=True, cache=tmp_path / "cache")
    count = len(tried.rows)
    (task.directory / "tests" / "beside.py").write_text("MORE = 1\n")

    check(load_task(task.directory), Prover(), quick=True, cache=tmp_path / "cache")

    assert len(tried.rows) == 2 * count


def test_what_other_rows_and_readers_have_changes_no_row(task: Task, tried: Tried, tmp_path: Path) -> None:
    check(task, Prover(), quick=True, cache=tmp_path / "cache")
    tried.rows.clear()
    edit(task.directory / "AUDIT.md", "Known limit", "A known limit")
    edit(task.directory / "mutants" / "key-is-ignored" / "solve.sh", "if key", "if  key")

    again = check(load_task(task.directory), Prover(), quick=True, cache=tmp_path / "cache")

    assert tried.rows == ["mutant/key-is-ignored"]
    assert again.digest != task.digest
    tried.rows.clear()
    check(load_task(task.directory), Prover(), quick=True, fresh=True, cache=tmp_path / "cache")
    assert "mutant/key-is-ignored" in tried.rows and len(tried.rows) > 1


class Blind:
    """A grader that gives every tree the reward."""

    def outline(self, task: Task) -> Sequence[CheckOutline]:
        """The task's own checks."""
        return Prover().outline(task)

    def grade(self, *arguments: Any, **named: Any) -> Verdict:
        """Never looks."""
        return Verdict(1, None, {}, {}, (), b"")


@pytest.mark.sandbox
def test_an_overlay_that_does_not_fit_is_a_failed_row(tmp_path: Path) -> None:
    directory = copy_task(tmp_path)
    edit(directory / "mutants" / "created-before-checked" / "change.patch", "if not email", "if no email")
    edit(directory / "mutants" / "key-is-ignored" / "solve.sh", "if key", "if the_key")
    (directory / "mutants" / "name-is-dropped" / "overlay.toml").write_text(
        'reason = "Removes what is not there."\nkills = "customer-is-created"\nremove = ["tax.py"]\n'
    )

    proof = check(load_task(directory), Blind(), only=["mutant"], cache=tmp_path / "cache")

    details = {row.id: row.detail for row in proof.failures}
    assert (
        "change.patch: it ended with exit code 1; correct it. It said: error: patch"
        in details["mutant/created-before-checked"]
    )
    assert "solve.sh: it ended with exit code 1" in details["mutant/key-is-ignored"]
    assert "remove: there is no tax.py in the tree" in details["mutant/name-is-dropped"]


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(1200)
def test_the_miniature_is_sound(tmp_path: Path) -> None:
    task = load_task(copy_task(tmp_path))

    proof = check(task, Prover(), quick=True, cache=tmp_path / "cache")

    assert proof.failures == ()
    assert {row.id for row in proof.rows} >= {"determinism/reference", "cheat/common/trojans/on-reference"}


def test_the_recorded_proof_of_the_miniature_counts() -> None:
    task = load_task(MINIATURE)

    assert stale(task, ["reference/20", "cheat/common/reads", "determinism/reference"]) is None, stale(task)
