"""goose's binary is found, and what only has its name is not taken for it."""

from pathlib import Path

import pytest

from trialbalance.agents import AgentUnavailable
from trialbalance.agents.goose import program
from trialbalance.agents.goose.program import find_goose


def write(path: Path, says: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def test_a_named_binary_wins(tmp_path: Path) -> None:
    path = write(tmp_path / "my-goose", " 1.40.2")
    assert find_goose({"TRIALBALANCE_GOOSE": str(path)}) == (path, "1.40.2")


def test_a_named_binary_must_be_there_and_be_goose(tmp_path: Path) -> None:
    with pytest.raises(AgentUnavailable, match="there is no program there; name goose's binary"):
        find_goose({"TRIALBALANCE_GOOSE": str(tmp_path / "none")})
    other = write(tmp_path / "goose", "goose version: v3.24.1 (migrations)")
    with pytest.raises(AgentUnavailable, match="is not goose: `--version` says 'goose version: v3"):
        find_goose({"TRIALBALANCE_GOOSE": str(other)})


def test_the_npm_package_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "__file__", str(tmp_path / "checkout" / "src" / "program.py"))
    (tmp_path / "checkout" / "src").mkdir(parents=True)
    (tmp_path / "checkout" / "src" / "program.py").touch()
    monkeypatch.chdir(tmp_path)
    on_path = write(tmp_path / "bin" / "goose", "1.1.1")
    environment = {"PATH": str(tmp_path / "bin")}
    assert find_goose(environment) == (on_path, "1.1.1")
    package = f"node_modules/@aaif/{program._package()}/bin/goose"
    packaged = write(tmp_path / "checkout" / package, "1.37.0")
    assert find_goose(environment) == (packaged, "1.37.0")


def test_another_program_of_that_name_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "__file__", str(tmp_path / "program.py"))
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "bin" / "goose", "database migrations")
    with pytest.raises(AgentUnavailable, match="goose is not here: run `npm install @aaif/goose-binary-"):
        find_goose({"PATH": str(tmp_path / "bin")})
