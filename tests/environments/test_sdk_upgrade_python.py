"""SDK upgrade, Python: its overlays fit the reference, and its examples are of every address."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from trialbalance.grading import load_checks
from trialbalance.tasks import load_task
from trialbalance.tasks.canary import strip_canary

ROOT = Path(__file__).resolve().parents[2]
TASK = ROOT / "environments" / "sdk-upgrade-python"
PATCHED = sorted(path.parent for path in TASK.glob("*/*/change.patch"))


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The start tree with the reference's files over it, as solve.sh lays them."""
    tree = tmp_path_factory.mktemp("reference") / "app"
    shutil.copytree(TASK / "environment/app", tree, ignore=shutil.ignore_patterns("__pycache__", "var"))
    solution = TASK / "solution/app"
    for source in sorted(path for path in solution.rglob("*") if path.is_file()):
        target = tree / source.relative_to(solution)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(strip_canary(source.read_text("utf-8")), "utf-8")
    return tree


def test_every_required_check_has_a_mutant_of_its_own() -> None:
    required = {check.id for check in load_checks(TASK / "tests/checks.py").checks if check.required}
    assert {mutant.kills for mutant in load_task(TASK).mutants} == required


@pytest.mark.parametrize("overlay", PATCHED, ids=lambda path: path.name)
def test_patches_fit_the_reference(overlay: Path, reference: Path) -> None:
    argv = ["git", "apply", "--check", "--whitespace=nowarn", str(overlay / "change.patch")]
    done = subprocess.run(argv, cwd=reference, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_examples_are_of_every_address() -> None:
    seen = set()
    for file in sorted((TASK / "environment/app/examples").glob("*.json")):
        for example in json.loads(file.read_text("utf-8")):
            method, path = example["sent"].split(" ", 1)
            parts = path.split("?")[0].strip("/").split("/")
            assert isinstance(example["status"], int) and isinstance(example["answer"], dict)
            seen.add(f"{method} {'/'.join(part if i % 2 == 0 else '*' for i, part in enumerate(parts))}")
    assert seen == {
        "DELETE hires/*/discount",
        "GET accounts/*/statement",
        "GET codes/*",
        "GET day-book",
        "GET hires",
        "GET hires/*",
        "GET hires/*/next",
        "GET invoices/*",
        "GET payments/*",
        "GET repairs/*",
        "POST hires",
        "POST hires/*/discount",
        "POST hires/*/end",
        "POST hires/*/quantity",
        "POST invoices/*/pay",
        "POST repairs/*/refunds",
    }
