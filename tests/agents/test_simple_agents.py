"""The agents that need no model."""

from pathlib import Path

import pytest

from trialbalance.agents import AgentBroken, AgentContext, Limits, get_agent
from trialbalance.sandbox import Mount, Sandbox, SandboxSpec, open_sandbox

pytestmark = pytest.mark.sandbox


@pytest.fixture
def solution(tmp_path: Path) -> Path:
    """A solution that uses a file of its own."""
    path = tmp_path / "solution"
    path.mkdir()
    (path / "answer.txt").write_text("42\n")
    (path / "solve.sh").write_text("set -e\necho solving in $PWD\ncp /solution/answer.txt .\n")
    return path


def test_nop_leaves_everything_as_it_is(sandbox: Sandbox, project: Path, trial_dir: Path) -> None:
    outcome = get_agent("nop").run(AgentContext("Go.", trial_dir, sandbox))
    assert (outcome.status, outcome.turns, outcome.trajectory) == ("completed", 0, None)
    assert list(project.iterdir()) == [] and list(trial_dir.iterdir()) == []


def test_reference_runs_a_solution_that_is_mounted(project: Path, trial_dir: Path, solution: Path) -> None:
    with open_sandbox(SandboxSpec(workspace=project, mounts=(Mount(solution, "/solution"),))) as sandbox:
        outcome = get_agent("reference").run(AgentContext("Go.", trial_dir, sandbox, solution=solution))
    assert outcome.status == "completed"
    assert (project / "answer.txt").read_text() == "42\n"
    assert (trial_dir / "agent" / "stdout.log").read_text() == "solving in /app\n"


def test_reference_says_that_its_solution_must_be_mounted(
    sandbox: Sandbox, trial_dir: Path, solution: Path
) -> None:
    with pytest.raises(
        AgentBroken, match=r"/solution/solve\.sh is not in the sandbox; mount .*/solution at /solution"
    ):
        get_agent("reference").run(AgentContext("Go.", trial_dir, sandbox, solution=solution))


@pytest.mark.parametrize(
    ("script", "limits", "status", "said"),
    [
        (
            "echo first; echo cannot find it; echo; exit 3",
            Limits(),
            "agent_error",
            "exit code 3: cannot find it",
        ),
        ("exit 1", Limits(), "agent_error", "exit code 1: it printed nothing"),
        ("sleep 1000", Limits(seconds=0.5), "timeout", "still running after 0.5 s"),
    ],
)
def test_a_solution_that_fails_is_told(
    project: Path, trial_dir: Path, solution: Path, script: str, limits: Limits, status: str, said: str
) -> None:
    (solution / "solve.sh").write_text(script)
    with open_sandbox(SandboxSpec(workspace=project, mounts=(Mount(solution, "/solution"),))) as sandbox:
        outcome = get_agent("reference").run(
            AgentContext("Go.", trial_dir, sandbox, limits=limits, solution=solution)
        )
        assert outcome.status == status and said in outcome.message
        assert "sleep 1000" not in sandbox.exec(["ps", "-eo", "args"]).stdout


def test_a_task_without_a_solution_is_told(sandbox: Sandbox, trial_dir: Path, tmp_path: Path) -> None:
    for solution in (None, tmp_path / "none"):
        with pytest.raises(AgentBroken, match=r"the task has no solution/solve\.sh"):
            get_agent("reference").run(AgentContext("Go.", trial_dir, sandbox, solution=solution))
