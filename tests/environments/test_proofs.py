"""Every task's soundness was proved on the files that are here now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trialbalance.tasks import find_tasks, load_task
from trialbalance.tasks.digest import PROOF
from trialbalance.tasks.proof import stale

ROOT = Path(__file__).resolve().parents[2] / "environments"
NAMES = [task.name for task in find_tasks(ROOT)]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_proved(name: str) -> None:
    """The proof is of these files, whole, and quoted in the audit sheet."""
    task = load_task(ROOT / name)
    if not (task.directory / PROOF).is_file():
        pytest.skip(f"{name} is not proved yet: trialbalance tasks check {name}")
    assert stale(task) is None
    proof = json.loads((task.directory / PROOF).read_text("utf-8"))
    rows = [row["id"] for row in proof["rows"]]
    assert proof["sound"] and all(row["passed"] for row in proof["rows"])
    mutants = {path.parent.name for path in task.directory.glob("mutants/*/overlay.toml")}
    assert {f"mutant/{mutant}" for mutant in mutants} <= set(rows) and len(mutants) >= 10
    sheet = (task.directory / "AUDIT.md").read_text("utf-8")
    assert f"{len(rows)} rows" in sheet.split("## Proof")[1]
