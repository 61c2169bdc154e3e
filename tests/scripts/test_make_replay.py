"""Recordings for goose follow their outline and their task's solution."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from scripts.make_replay import made, main

from trialbalance.gateway.script import load_script
from trialbalance.tasks import strip_canary

ROOT = Path(__file__).parents[2]
OUTLINED = sorted(path.parents[1] for path in (ROOT / "environments").glob("*/replay/outline.yaml"))


@pytest.mark.parametrize("task", OUTLINED, ids=lambda task: task.name)
def test_recordings_are_fresh(task: Path) -> None:
    fresh = made(task)
    command = f"python scripts/make_replay.py environments/{task.name}"
    assert (task / "replay" / "goose.yaml").read_text("utf-8") == fresh, f"stale; run {command}"


@pytest.mark.parametrize("task", OUTLINED, ids=lambda task: task.name)
def test_recordings_write_what_the_solution_has(task: Path, tmp_path: Path) -> None:
    """Running only the commands that write files leaves the solution's files, without canaries."""
    written = []
    for turn in load_script(task / "replay" / "goose.yaml").turns:
        for call in turn.calls:
            command = str(call.arguments.get("command", ""))
            if "<<'END_OF_FILE'" in command:
                subprocess.run(["bash", "-c", command.replace("@@{", "@{")], cwd=tmp_path, check=True)
                written.append(command)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == len(written) > 0
    for path in files:
        solved = (task / "solution" / "app" / path.relative_to(tmp_path)).read_text("utf-8")
        assert path.read_text("utf-8") == strip_canary(solved) and "canary" not in path.read_text("utf-8")


def test_what_is_missing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main([str(tmp_path)]) == 2
    assert "replay/outline.yaml: no such file" in capsys.readouterr().err
