"""`trialbalance tasks check` and `tasks canary`, as a task's author runs them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.program import run
from tests.tasks.build import copy_task, edit

pytestmark = pytest.mark.sandbox

READ_ONLY = ("--only", "table", "--only", "canary")


def test_a_task_is_checked_row_by_row(tmp_path: Path) -> None:
    directory = copy_task(tmp_path)

    done = run(
        "tasks", "check", str(directory), *READ_ONLY, env={"TRIALBALANCE_CACHE": str(tmp_path / "cache")}
    )

    assert done.code == 0, done.err
    assert done.out == "member-desk 1-0: sound (some rows: not recorded)\n"
    assert "[6/6] passed  canary" in done.err
    assert not (directory / "soundness.json").exists()


def test_a_row_that_fails_is_told_and_the_exit_code_is_1(tmp_path: Path) -> None:
    directory = copy_task(tmp_path)
    edit(directory / "tests" / "checks.py", "answers 400 and creates nothing", "answers 422")

    done = run(
        "tasks", "check", str(directory), *READ_ONLY, env={"TRIALBALANCE_CACHE": str(tmp_path / "cache")}
    )

    assert done.code == 1
    assert "member-desk: table/citations: not in instruction.md: email-is-needed cites" in done.out
    assert "member-desk: table/requirements: no required check cites: A sign-up without" in done.out
    assert "member-desk 1-0: 2 of 6 rows failed (some rows: not recorded)" in done.out


def test_an_unknown_row_is_refused(tmp_path: Path) -> None:
    done = run(
        "tasks", "check", str(copy_task(tmp_path)), "--only", "gym", env={"TRIALBALANCE_CACHE": str(tmp_path)}
    )

    assert done.code == 2
    assert "member-desk has no row gym" in done.err


def test_canaries_are_shown_and_written(tmp_path: Path) -> None:
    directory = copy_task(tmp_path)
    (directory / "AUDIT.md").write_text("# Audit\n")

    assert run("tasks", "canary", str(directory)) == (1, "missing: member-desk/AUDIT.md\n", "")
    assert run("tasks", "canary", str(directory), "--write") == (0, "written: member-desk/AUDIT.md\n", "")
    assert run("tasks", "canary", str(directory)) == (0, "", "")
