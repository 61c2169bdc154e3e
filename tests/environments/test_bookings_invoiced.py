"""Bookings, invoiced: its overlays still fit the reference solution, and its ledgers are drawn well."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trialbalance.grading import Draw, load_checks
from trialbalance.tasks import load_task
from trialbalance.tasks.canary import strip_canary

ROOT = Path(__file__).resolve().parents[2]
TASK = ROOT / "environments" / "bookings-invoiced"
PATCHED = sorted(path.parent for path in TASK.glob("*/*/change.patch"))


def test_every_required_check_has_a_mutant_of_its_own() -> None:
    required = {check.id for check in load_checks(TASK / "tests/checks.py").checks if check.required}
    assert {mutant.kills for mutant in load_task(TASK).mutants} == required


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The start tree with the reference's files over it, as solve.sh lays them."""
    tree = tmp_path_factory.mktemp("reference") / "app"
    ignored = shutil.ignore_patterns("node_modules", "var")
    shutil.copytree(TASK / "environment/app", tree, ignore=ignored)
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


@pytest.mark.parametrize("seed", range(25))
def test_drawn_ledgers_say_what_python_reads(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TASK / "tests"))
    import ledger_file  # type: ignore[import-not-found]
    import observatory  # type: ignore[import-not-found]

    draw = Draw(seed)
    year = observatory.draw_year(draw)
    assert len(json.loads(year.document())) == len({session.code for session in year.sessions}) == 6
    whole = ledger_file.whole_file(draw, year, "known@example.test")
    newer, paid, cancelled, new = ledger_file.newer_file(draw, year, whole)
    assert (len(paid), len(cancelled), len(new)) == (1, 1, 2)
    for file in (whole, newer, ledger_file.windows_file(draw, year), ledger_file.clean_file(draw, year, 20)):
        text = file.text.removeprefix("\ufeff")
        read = [row for row in csv.DictReader(io.StringIO(text, newline="")) if any(row.values())]
        assert [row["guest"] for row in read] == [row.cells["guest"] for row in file.rows]
        first_lines = [text.splitlines()[line - 1] for line in file.lines]
        assert all(line.strip() for line in first_lines)
        for row in file.rows:
            assert row.reason or row.expected["amount"] % row.expected["seats"] == 0
    priced = whole.of("priced")
    assert {row.expected["currency"] for row in priced} == {"eur", "gbp", "chf", "jpy"}
    assert len({row.each for row in priced if row.expected["currency"] == "eur"}) == 4
    assert whole.rejected()
    for name in ("observatory", "ledger_file"):
        sys.modules.pop(name, None)
