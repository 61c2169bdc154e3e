"""Every error is one line and a documented exit code."""

from __future__ import annotations

import click
import pytest

from trialbalance.cli import exits
from trialbalance.gateway.errors import ModelSpecError
from trialbalance.sandbox.errors import BackendUnavailable
from trialbalance.tasks.errors import PrepareError, ProfileError
from trialbalance.trials.errors import BadJob, Invalid, Missing, StorageFailed


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (BadJob("no\n such task"), 2, "no such task"),
        (ProfileError("task.toml: wrong"), 2, "task.toml: wrong"),
        (ModelSpecError("model 'x': write provider/name"), 2, "model 'x': write provider/name"),
        (Invalid("grading", "the browser died"), 2, "the browser died"),
        (Missing("set OPENAI_API_KEY"), 3, "set OPENAI_API_KEY"),
        (BackendUnavailable("no bwrap"), 3, "no bwrap"),
        (PrepareError("npm failed"), 3, "npm failed"),
        (StorageFailed("disk full"), 5, "disk full"),
        (OSError(28, "No space left on device", "jobs"), 5, "No space left on device jobs"),
        (PermissionError(13, "Permission denied", "x.json"), 2, "Permission denied x.json"),
        (click.BadParameter("3 is too small"), 2, "Invalid value: 3 is too small"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.Abort(), 130, "interrupted"),
    ],
)
def test_errors(error: BaseException, code: int, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise error

    assert exits.run(fail) == code
    assert capsys.readouterr().err == f"trialbalance: {line}\n"
    assert code in exits.MEANINGS


def test_a_fault_of_ours_names_its_place(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise KeyError("x")

    monkeypatch.delenv("TRIALBALANCE_DEBUG", raising=False)
    assert exits.run(fail) == 70
    line = capsys.readouterr().err
    assert (
        line.startswith("trialbalance: internal error: KeyError: 'x' (test_exits.py:")
        and line.count("\n") == 1
    )
    monkeypatch.setenv("TRIALBALANCE_DEBUG", "1")
    assert exits.run(fail) == 70
    assert "Traceback" in capsys.readouterr().err


def test_success_and_an_exit_code_of_a_command() -> None:
    assert exits.run(lambda: None) == 0

    def leave() -> None:
        raise click.exceptions.Exit(4)

    assert exits.run(leave) == 4
    assert exits.run(lambda: 3) == 3
