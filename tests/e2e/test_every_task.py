"""One pass through every task: the reference earns the reward, doing nothing does not, and a recorded goose does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.program import ROOT, run

from trialbalance.trials import read_results

TASKS = sorted(path.parent.name for path in (ROOT / "environments").glob("*/task.toml"))
REPLAYED = [name for name in TASKS if (ROOT / "environments" / name / "replay" / "goose.yaml").is_file()]

pytestmark = [pytest.mark.sandbox, pytest.mark.browser, pytest.mark.timeout(900)]


@pytest.mark.parametrize("name", TASKS)
def test_reference_nop_and_replay(name: str, tmp_path: Path) -> None:
    agents = ["reference", "nop", *(["goose-replay"] if name in REPLAYED else [])]
    options = [option for agent in agents for option in ("--agent", agent)]
    ran = run(
        "run",
        "--task",
        name,
        *options,
        "--jobs-dir",
        str(tmp_path),
        "--name",
        "job",
        "--parallel",
        "2",  # much of a browser trial is waiting
        timeout=840,
    )
    results = {result.agent: result for result in read_results(tmp_path / "job")}
    told = {agent: (r.status, r.reward, r.invalid_reason, r.outcome) for agent, r in results.items()}
    assert ran.code == 0, (ran, told)
    assert {agent: result.reward for agent, result in results.items()} == {
        agent: int(agent != "nop") for agent in agents
    }, told
    assert ran.out.splitlines()[-1] == f"report: {tmp_path / 'job' / 'index.html'}"
    assert (tmp_path / "job" / "index.html").is_file()


def test_grading_again_gives_the_same(tmp_path: Path) -> None:
    task = ROOT / "tests" / "tasks" / "data" / "member-desk"
    ran = run(
        "run",
        "--task",
        str(task),
        "--agent",
        "reference",
        "--jobs-dir",
        str(tmp_path),
        "--name",
        "job",
        timeout=400,
    )
    assert ran.code == 0, ran
    trial = tmp_path / "job" / "member-desk__reference__1"
    ran = run("grade", str(trial), timeout=400)
    assert ran.code == 0 and ran.out.startswith("reward 1"), ran
    for file in ("reward.json", "metrics.json"):
        assert (trial / "regrade" / "grader" / file).read_bytes() == (trial / "grader" / file).read_bytes()
