"""A project's machine, and what a trial hands to its agent."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from trialbalance.agents import AgentContext, AgentOutcome, AgentUnavailable, get_agent
from trialbalance.agents.goose import find_goose
from trialbalance.sandbox import BackendUnavailable, Sandbox, SandboxSpec, open_sandbox


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder that is /app."""
    path = tmp_path / "project"
    path.mkdir()
    return path


@pytest.fixture
def trial_dir(tmp_path: Path) -> Path:
    path = tmp_path / "task.1"
    path.mkdir()
    return path


@pytest.fixture
def sandbox(project: Path) -> Iterator[Sandbox]:
    try:
        opened = open_sandbox(SandboxSpec(workspace=project))
    except BackendUnavailable as missing:
        pytest.skip(str(missing))
    with opened:
        yield opened


Try = Callable[..., AgentOutcome]


@pytest.fixture
def goose(sandbox: Sandbox, trial_dir: Path, tmp_path: Path) -> Try:
    """Let the real goose try an instruction, played by a script."""
    try:
        find_goose()
    except AgentUnavailable as missing:
        pytest.skip(str(missing))

    def run(script: str | None = None, instruction: str = "Make it work.", **options: Any) -> AgentOutcome:
        if script is not None:
            path = tmp_path / "script.yaml"
            path.write_text(script)
            options["replay"] = path
        return get_agent("goose").run(AgentContext(instruction, trial_dir, sandbox, **options))

    return run
