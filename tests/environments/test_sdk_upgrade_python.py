"""SDK upgrade, Python: its overlays fit the reference, its examples its addresses, and only new ids are renamed."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

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


@pytest.fixture
def calls() -> Iterator[ModuleType]:
    """The module that knows what is asked."""
    beside = str(TASK / "tests")
    sys.path.insert(0, beside)
    try:
        yield importlib.import_module("lane_calls")
    finally:
        sys.path.remove(beside)
        for name in ("lane_calls", "lane_world"):
            sys.modules.pop(name, None)


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


def test_only_new_ids_get_other_names(calls: ModuleType) -> None:
    one, other = (calls.Aliases(frozenset({"pi_3knownknown"})) for _ in range(2))
    before = one.settle({"refund": "re_3abcdefgh1", "payment": "pi_3knownknown", "again": ["re_3abcdefgh1"]})
    after = other.settle({"refund": "re_3zyxwvuts9", "payment": "pi_3knownknown", "again": ["re_3zyxwvuts9"]})
    assert before == after == {"refund": "<re-1>", "payment": "pi_3knownknown", "again": ["<re-1>"]}
    assert one.settle("re_3otherother") == "<re-2>"
    assert one.settle("pi_3other0000") != other.settle("pi_3knownknown")
