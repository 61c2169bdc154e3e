"""What Deckle Row's task keeps in two places is the same, its overlays fit, and draws and policies are judged well."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trialbalance.grading import Draw, load_checks
from trialbalance.tasks import load_task
from trialbalance.tasks.canary import strip_canary

TASK = Path(__file__).resolve().parents[2] / "environments" / "marketplace-payments"
PATCHED = sorted(path.parent for path in TASK.glob("*/*/change.patch"))
ALTERNATES = sorted(TASK.glob("alternates/*/app"))


@pytest.fixture
def deckle(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """What the grader knows of Deckle Row."""
    monkeypatch.syspath_prepend(str(TASK / "tests"))
    import deckle  # type: ignore[import-not-found]

    yield deckle
    sys.modules.pop("deckle", None)


def test_every_check_has_a_mutant_of_its_own() -> None:
    checks = {check.id for check in load_checks(TASK / "tests/checks.py").checks}
    assert {mutant.kills for mutant in load_task(TASK).mutants} == checks


def test_the_grader_knows_the_brand_and_the_policy_of_the_start(deckle: Any) -> None:
    app = TASK / "environment/app"
    brand = json.loads((app / "brand/brand.json").read_text("utf-8"))
    assert set(brand) == set(deckle.ROLES.values()) == set(deckle.draw_brand(Draw(1)))
    told = (app / "brand/README.md").read_text("utf-8")
    assert set(re.findall(r"^\| `([\w-]+)` \|", told, re.MULTILINE)) == set(brand)
    source = (app / "server/policy.js").read_text("utf-8")
    start = {
        name: re.findall(r'"([^"]+)"', sources)
        for name, sources in re.findall(r'"([\w-]+)": \[(.*)\]', source)
    }
    assert start == deckle.START


@pytest.mark.parametrize(
    ("changed", "loose"),
    [
        ("script-src 'self' https://connect-js.stripe.com https://js.stripe.com", []),
        ("script-src 'self' 'nonce-4AEemGb0xJptoIGFP3Nd'", []),
        ("img-src 'self' https://*.stripe.com", []),
        ("script-src 'self' 'unsafe-inline'", ["script-src 'unsafe-inline'"]),
        ("frame-src https:", ["frame-src https:"]),
        ("frame-src https://stripe.com.example.test", ["frame-src https://stripe.com.example.test"]),
        ("frame-src https://*.com", ["frame-src https://*.com"]),
        ("worker-src blob:", ["worker-src blob:"]),
    ],
)
def test_policies_are_compared(deckle: Any, changed: str, loose: list[str]) -> None:
    name = changed.split()[0]
    others = [f"{one} {' '.join(sources)}" for one, sources in deckle.START.items() if one != name]
    assert deckle.loosened("; ".join([*others, changed])) == loose
    assert "frame-ancestors is gone" in deckle.loosened(
        "default-src 'none'; form-action 'self'; base-uri 'none'"
    )


def test_a_value_is_the_same_however_it_is_written(deckle: Any) -> None:
    assert deckle.like("ink", "#1F2a2e") == deckle.like("ink", " rgb(31, 42, 46)")
    assert deckle.like("font", "'Courier New', monospace") == deckle.like("font", '"Courier New",monospace')
    assert deckle.like("corner", "3px") != deckle.like("corner", "4px")


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The start tree with the reference's files over it, as solve.sh lays them."""
    tree = tmp_path_factory.mktemp("reference") / "app"
    ignored = shutil.ignore_patterns("node_modules", "dist", "var")
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


@pytest.mark.parametrize("tree", ALTERNATES, ids=lambda path: path.parent.name)
def test_alternates_change_the_reference(tree: Path, reference: Path) -> None:
    for path in sorted(path for path in tree.rglob("*") if path.is_file()):
        present = reference / path.relative_to(tree)
        assert not present.is_file() or present.read_text("utf-8") != path.read_text("utf-8"), path


@pytest.mark.parametrize(
    "script", sorted(TASK.rglob("*.sh")), ids=lambda path: path.relative_to(TASK).as_posix()
)
def test_scripts_are_shell(script: Path) -> None:
    done = subprocess.run(["sh", "-n", str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
