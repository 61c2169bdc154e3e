"""What Kilnbook's second task keeps in two places is the same in both, and its overlays still fit the reference solution."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from trialbalance.grading import load_checks
from trialbalance.tasks import load_task
from trialbalance.tasks.canary import strip_canary

TASK = Path(__file__).resolve().parents[2] / "environments" / "saas-two-instalments"
PATCHED = sorted(path.parent for path in TASK.glob("*/*/change.patch"))


def test_the_grader_knows_the_tables_that_old_databases_have() -> None:
    migrations = sorted((TASK / "environment/app/server/database/migrations").glob("*.sql"))
    before = strip_canary((TASK / "tests/before.sql").read_text("utf-8"))
    assert before.startswith("".join(path.read_text("utf-8") for path in migrations))
    for path in migrations:
        assert f"('{path.name}')" in before


def test_the_purchase_is_of_a_plan_of_the_file() -> None:
    document = json.loads((TASK / "environment/app/data/plans.json").read_text("utf-8"))
    plan = next(plan for plan in document["plans"] if plan["code"] == "porcelain")
    assert (plan["name"], plan["unit_amount"], plan["instalments"]) == ("Porcelain", 79095, 2)
    assert "39_548, 39_547" in (TASK / "tests/checks.py").read_text("utf-8")


def test_every_check_has_a_mutant_of_its_own() -> None:
    checks = {check.id for check in load_checks(TASK / "tests/checks.py").checks}
    assert {mutant.kills for mutant in load_task(TASK).mutants} == checks


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The start tree with the reference's files over it, as solve.sh lays them."""
    tree = tmp_path_factory.mktemp("reference") / "app"
    shutil.copytree(
        TASK / "environment/app", tree, ignore=shutil.ignore_patterns("node_modules", "dist", "var")
    )
    solution = TASK / "solution/app"
    for source in sorted(path for path in solution.rglob("*") if path.is_file()):
        target = tree / source.relative_to(solution)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(strip_canary(source.read_text("utf-8")), "utf-8")
    return tree


@pytest.mark.parametrize("overlay", PATCHED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_patches_fit_the_reference(overlay: Path, reference: Path) -> None:
    patch = overlay / "change.patch"
    done = subprocess.run(
        ["git", "apply", "--check", str(patch)], cwd=reference, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "script", sorted(TASK.rglob("*.sh")), ids=lambda path: path.relative_to(TASK).as_posix()
)
def test_scripts_are_shell(script: Path) -> None:
    done = subprocess.run(["sh", "-n", str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
