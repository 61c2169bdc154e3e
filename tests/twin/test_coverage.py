"""docs/coverage.md is made from the contract and the handlers, and kept fresh by this test."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from trialbalance.contract import load
from trialbalance.twin.commands import twin as commands
from trialbalance.twin.coverage import page, rows

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(load()), (
        "run `trialbalance twin coverage --write docs/coverage.md`"
    )


def test_check_says_when_a_page_is_stale(tmp_path: Path) -> None:
    stale = tmp_path / "coverage.md"
    stale.write_text("old")
    answer = CliRunner().invoke(commands, ["coverage", "--check", str(stale)])
    assert answer.exit_code == 2 and "is stale; run" in answer.output


def test_every_parameter_of_a_built_endpoint_is_honoured_or_refused() -> None:
    for row in rows(load()):
        names = set(row.endpoint.params.get("hash", {}))
        if row.built:
            assert {*row.honoured, *row.refused} == names
        else:
            assert row.honoured == row.refused == []
