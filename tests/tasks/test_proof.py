"""The recorded proof, and when it does not count."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tasks.build import copy_task
from trialbalance.tasks import Proof, Row, Task, load_task, read_proof, stale
from trialbalance.tasks.proof import write_proof


@pytest.fixture
def task(tmp_path: Path) -> Task:
    """A copy of the miniature task, without a proof."""
    return load_task(copy_task(tmp_path))


def proof(task: Task, *rows: Row) -> Proof:
    return Proof(task.full_name, task.version, task.digest, False, rows)


def test_a_proof_of_the_present_files_counts(task: Task) -> None:
    wanted = proof(task, Row("nop", True), Row("reference/01", True, "fine – really"))
    path = write_proof(task, wanted)

    assert stale(task) is None
    assert read_proof(task) == wanted
    assert path.read_bytes() == wanted.encoded()
    assert sorted(p.name for p in task.directory.iterdir() if p.name.startswith(".")) == []


def test_no_proof_does_not_count(task: Task) -> None:
    assert stale(task) == (
        "member-desk/soundness.json: there is no proof that can be read; run: trialbalance tasks check member-desk"
    )
    (task.directory / "soundness.json").write_text('{"rows": 3}')
    assert "there is no proof that can be read" in (stale(task) or "")


def test_a_changed_task_must_be_proved_again(task: Task) -> None:
    write_proof(task, proof(task, Row("nop", True)))
    (task.directory / "README.md").write_text("Something else.\n")

    changed = load_task(task.directory)
    assert "the task's files have changed since it was proved" in (stale(changed) or "")


def test_a_recorded_failure_does_not_count(task: Task) -> None:
    write_proof(task, proof(task, Row("nop", True), Row("mutant/one", False, "not noticed")))
    assert "it records a failure (mutant/one)" in (stale(task) or "")

    write_proof(task, proof(task))
    assert "it records a failure (no row at all)" in (stale(task) or "")


def test_rows_may_be_demanded(task: Task) -> None:
    write_proof(task, proof(task, Row("nop", True)))

    assert stale(task, ["nop"]) is None
    assert "the row empty is missing" in (stale(task, ["nop", "empty"]) or "")
