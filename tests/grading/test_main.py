"""`python -m trialbalance.grading`: for Harbor's own runner, and for an author at a terminal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.grading.build import start_tree, task_with
from tests.tasks.build import copy_task
from trialbalance.grading import eventually
from trialbalance.grading.__main__ import BAD_USAGE, GRADED, INTERRUPTED, INVALID, main

CHECKS = """
@check(cites=CITE)
def readable(submission):
    submission.text("server.py")

@check(cites=CITE)
def answered(submission):
    submission.text("answer.txt")
"""


def run(tmp_path: Path, checks: str, *options: str) -> int:
    task = task_with(tmp_path / "task", checks)
    arguments = [str(task.directory), "--workspace", str(start_tree(task)), "--logs", str(tmp_path / "logs")]
    return main([*arguments, *options])


def test_a_grade_is_written_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "reward.json").write_text('{"reward": 1}')

    assert run(tmp_path, CHECKS) == GRADED
    assert (tmp_path / "logs" / "reward.json").read_text() == '{"reward": 0}\n'
    assert json.loads((tmp_path / "logs" / "metrics.json").read_text())["partial_score"] == 0.5
    assert (tmp_path / "logs" / "log.txt").is_file()
    assert capsys.readouterr().err.splitlines() == [
        "pass     readable",
        "fail     answered",
        "reward 0, 1 of 2 required checks",
    ]


def test_an_invalid_grade_leaves_no_reward(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "reward.json").write_text('{"reward": 1}')

    assert run(tmp_path, CHECKS, "--check", "readable", "--quiet") == INVALID
    assert not (tmp_path / "logs" / "reward.json").exists()
    assert capsys.readouterr().err == "invalid: not run: answered\n"


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none"), "--workspace", str(tmp_path)]) == BAD_USAGE
    assert main([str(copy_task(tmp_path)), "--workspace", str(tmp_path / "none")]) == BAD_USAGE
    assert run(tmp_path / "a", CHECKS, "--check", "other") == BAD_USAGE
    lines = capsys.readouterr().err.splitlines()

    assert len(lines) == 3
    assert "none: no such directory; give the path of a task" in lines[0]
    assert "none: no such directory; give the agent's files with --workspace" in lines[1]
    assert "there is no check 'other' in member-desk" in lines[2]


def test_the_trials_twin_may_be_given(tmp_path: Path) -> None:
    twin = tmp_path / "twin"
    twin.mkdir()
    entry = {"kind": "request", "method": "POST", "path": "/v1/refunds", "status": 200}
    (twin / "journal.jsonl").write_text(json.dumps(entry) + "\n")
    checks = (
        '@check(cites=CITE)\ndef worked(trial):\n    same(trial.writes(), ["POST /v1/refunds"], "writes")\n'
    )

    assert run(tmp_path, checks, "--twin", str(twin)) == GRADED
    assert (tmp_path / "logs" / "reward.json").read_text() == '{"reward": 1}\n'


def test_test_sh_is_told_by_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_with(tmp_path / "task", CHECKS)
    (tmp_path / "bin").mkdir()
    echo = tmp_path / "bin" / "python3"
    echo.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    echo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("TRIALBALANCE_WORKSPACE", "/work space")

    done = subprocess.run(
        ["bash", str(task.directory / "tests" / "test.sh")], capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines() == [
        "-m",
        "trialbalance.grading",
        f"{task.directory / 'tests'}/..",
        "--workspace",
        "/work space",
        "--logs",
        "/logs/verifier",
        "--seed",
        "1",
    ]


@pytest.mark.sandbox
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing_running(tmp_path: Path, number: signal.Signals) -> None:
    checks = "@check(cites=CITE)\ndef waits(app):\n    app.get('/')\n    eventually(lambda: None, 'never', seconds=120)\n"
    task = task_with(tmp_path / "task", checks)
    command = [sys.executable, "-m", "trialbalance.grading", str(task.directory)]
    command += ["--workspace", str(start_tree(task)), "--logs", str(tmp_path / "logs")]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )

    def log() -> str:
        return "".join(path.read_text() for path in tmp_path.glob("trialbalance-trial-*/grader/log.txt"))

    eventually(lambda: "GET / -> 200" in log(), "the app is being driven", seconds=60)
    os.kill(process.pid, number)
    _, told = process.communicate(timeout=60)

    assert process.returncode == INTERRUPTED
    assert told.splitlines()[-1] == "grading: interrupted; everything it started has been ended"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["task"]
    assert _members(process.pid) == []


def _members(session: int) -> list[str]:
    """The commands of the processes of a session."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)
        except OSError:
            continue
        if int(fields[1].split()[3]) == session:
            found.append(fields[0])
    return found
