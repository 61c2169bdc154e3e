"""Bookings, basic: its overlays still fit the reference solution, its recording follows it, and its files are drawn well."""

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
TASK = ROOT / "environments" / "bookings-basic"
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
def test_drawn_files_say_what_python_reads(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TASK / "tests"))
    import outfitter  # type: ignore[import-not-found]
    import phone_file  # type: ignore[import-not-found]

    draw = Draw(seed)
    season = outfitter.draw_season(draw)
    assert [t.code for t in sorted(season.on_sale, key=lambda t: t.code)] != [
        t.code for t in sorted(season.on_sale, key=lambda t: t.name)
    ]
    assert {trip.currency for trip in season.on_sale} == {"gbp", "eur", "nok", "jpy"}
    assert season.part.deposit(2) * 100 > season.part.total(2) * season.part.deposit_percent
    assert len(json.loads(season.document())) == 6
    for made in (phone_file.dirty_file, phone_file.windows_file, phone_file.repeated_file):
        file = made(draw, season)
        text = file.text.removeprefix("\ufeff")
        read = [row for row in csv.DictReader(io.StringIO(text, newline="")) if any(row.values())]
        assert [row["guest"] for row in read] == [row.cells["guest"] for row in file.rows]
        first_lines = [text.splitlines()[line - 1] for line in file.lines]
        assert all(line.strip() for line in first_lines)
    for name in ("outfitter", "phone_file"):
        sys.modules.pop(name, None)


def test_the_recording_follows_the_solution() -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import make_replay  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    assert make_replay.made(TASK) == (TASK / "replay/goose.yaml").read_text("utf-8")
