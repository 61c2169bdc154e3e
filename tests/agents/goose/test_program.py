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


def test_the_npm_package_comes_before_the_path(tmp_path: Path) -> None:
    start = tmp_path / "checkout" / "src"
    on_path = write(tmp_path / "bin" / "goose", "1.1.1")
    environment = {"PATH": str(tmp_path / "bin")}
    assert find_goose(environment, [start]) == (on_path, "1.1.1")
    package = f"node_modules/@aaif/{program._package()}/bin/goose"
    packaged = write(tmp_path / "checkout" / package, "1.37.0")
    assert find_goose(environment, [start]) == (packaged, "1.37.0")


def test_another_program_of_that_name_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "bin" / "goose", "database migrations")
    with pytest.raises(AgentUnavailable, match="goose is not here: run `npm install @aaif/goose-binary-"):
        find_goose({"PATH": str(tmp_path / "bin")}, [tmp_path])


def test_a_file_that_does_not_run_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "goose"
    broken.write_bytes(b"\x7fELF nonsense")
    broken.chmod(0o755)
    with pytest.raises(AgentUnavailable, match="goose does not run: "):
        find_goose({"TRIALBALANCE_GOOSE": str(broken)})
