"""The subscription gym: its overlays still fit the reference solution, and its sums say what is known."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from trialbalance.grading import load_checks
from trialbalance.tasks import load_task
from trialbalance.tasks.canary import strip_canary
from trialbalance.tasks.requirement import cited, covers

ROOT = Path(__file__).resolve().parents[2]
TASK = ROOT / "environments" / "subscription-gym"
PATCHED = sorted(path.parent for path in TASK.glob("*/*/change.patch"))
CHALLENGES = "orders join trial by-the-day induction kiln seasons upgrade downgrade leave quote pause team arrears switch"


def test_every_required_check_has_a_mutant_of_its_own() -> None:
    required = {check.id for check in load_checks(TASK / "tests/checks.py").checks if check.required}
    assert {mutant.kills for mutant in load_task(TASK).mutants} == required


def test_every_sentence_of_the_tasks_is_a_check() -> None:
    checks = [check for check in load_checks(TASK / "tests/checks.py").checks if check.required]
    sentences = [sentence for check in checks for sentence in check.cites]
    task = load_task(TASK)
    assert all(cited(sentence, task.instruction) for sentence in sentences)
    bare = [r.sentence for r in task.requirements if not any(covers(s, r) for s in sentences)]
    assert not bare


def test_every_business_model_is_a_challenge() -> None:
    checks = load_checks(TASK / "tests/checks.py").checks
    assert list(dict.fromkeys(check.challenge for check in checks)) == CHALLENGES.split()


def test_every_check_is_judged_by_a_flow() -> None:
    judged = set()
    for path in TASK.glob("tests/*_flows.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "holds":
                judged |= {c.value for c in ast.walk(node) if isinstance(c, ast.Constant)}
    checks = {check.id for check in load_checks(TASK / "tests/checks.py").checks}
    assert checks - judged == {"nothing-else-is-written"}
    assert judged <= checks


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The start tree with the reference's files over it, as solve.sh lays them."""
    tree = tmp_path_factory.mktemp("reference") / "app"
    shutil.copytree(TASK / "environment/app", tree, ignore=shutil.ignore_patterns(".venv", "var"))
    solution = TASK / "solution/app"
    for source in sorted(path for path in solution.rglob("*") if path.is_file()):
        target = tree / source.relative_to(solution)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(strip_canary(source.read_text("utf-8")), "utf-8")
    return tree


@pytest.mark.parametrize("overlay", PATCHED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_patches_fit_the_reference(overlay: Path, reference: Path) -> None:
    argv = ["git", "apply", "--check", str(overlay / "change.patch")]
    done = subprocess.run(argv, cwd=reference, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "script", sorted(TASK.rglob("*.sh")), ids=lambda path: path.relative_to(TASK).as_posix()
)
def test_scripts_are_shell(script: Path) -> None:
    done = subprocess.run(["sh", "-n", str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def sums(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TASK / "tests"))
    import sums as module  # type: ignore[import-not-found]

    sys.modules.pop("sums", None)
    return module


def test_periods_of_short_months_and_leap_days(sums: Any) -> None:
    noon = 43_200
    end = sums.moment(2028, 1, 31, noon)
    days = [sums.nth(end, number, "month") for number in range(4)]
    assert days == [
        sums.moment(2028, month, day, noon) for month, day in ((1, 31), (2, 29), (3, 31), (4, 30))
    ]
    leap = sums.moment(2028, 2, 29)
    years = [sums.moment(2028, 2, 29), sums.moment(2029, 2, 28), sums.moment(2032, 2, 29)]
    assert [sums.nth(leap, number, "year") for number in (0, 1, 4)] == years
    assert sums.nth(end, 1, "week", 2) == end + 14 * sums.DAY
    assert sums.months_on(sums.moment(2027, 11, 12), 2, 31) == sums.moment(2028, 1, 31)


def test_money_near_half_a_cent_is_not_judged(sums: Any) -> None:
    assert [sums.cents(Fraction(value, 100)) for value in (1047, 1053, -1047, -1053)] == [10, 11, -10, -11]
    for value in (Fraction(21, 2), Fraction(1049, 100), Fraction(-1051, 100)):
        with pytest.raises(sums.Unclear):
            sums.cents(value)


@pytest.mark.parametrize(
    ("mode", "total"), [("volume", 7 * 300), ("graduated", 2 * 500 + 55 + 3 * 400 + 2 * 300)]
)
def test_tiers(sums: Any, mode: str, total: int) -> None:
    tiers = [
        sums.Tier(2, Fraction(500), 55),
        sums.Tier(5, Fraction(400)),
        sums.Tier(None, Fraction(300)),
    ]
    assert sums.tiered(tiers, 7, mode) == total
