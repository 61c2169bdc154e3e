"""The result table in a terminal."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from tests.report.sample import make_job

from trialbalance.report.table import agents_table, remarks, trials_table


def shown(*parts: object) -> str:
    console = Console(width=150, no_color=True, force_terminal=False)
    with console.capture() as capture:
        for part in parts:
            console.print(part)
    return capture.get()


def test_agents(tmp_path: Path) -> None:
    results = make_job(tmp_path / "job").results()
    lines = shown(agents_table(results)).splitlines()
    (row,) = [line for line in lines if "goose/large-1" in line]
    assert [cell.strip() for cell in row.split("│")[1:-1]] == [
        "goose/large-1", "42.9 %", "16–75 %", "81 %", "0 %", "7", "6", "42 s", "19,780", "$0.0731", "1",
    ]  # fmt: skip


def test_trials_and_remarks(tmp_path: Path) -> None:
    results = make_job(tmp_path / "job", samples=1).results()
    text = shown(trials_table(results))
    assert "card-element-to-checkout" in text and "4/6" in text
    assert remarks(results) == []
    invalid = [r for r in make_job(tmp_path / "two").results() if r.status == "invalid"]
    assert "invalid (agent): the model provider answered 529" in shown(trials_table(invalid))
    assert remarks(invalid) == ["1 of 1 trials are invalid (over 10 %): this job is not ranked."]
