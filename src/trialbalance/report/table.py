"""The result table in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from trialbalance.report import words
from trialbalance.report.statistics import Summary, by_agent, is_ranked
from trialbalance.trials.result import TrialResult


def agents_table(results: Sequence[TrialResult]) -> Table:
    """A row per agent: share of reward 1 with its 95 % interval, partial score, all-k, medians, invalid trials."""
    rows = by_agent(results)
    table = Table(title=None, header_style="bold", expand=False)
    table.add_column("agent", overflow="fold")
    k = {row.k for row in rows if row.k}
    table.add_column("reward", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column("partial", justify="right")
    table.add_column(f"all-{k.pop()}" if len(k) == 1 else "all-k", justify="right")
    for name in ("trials", "turns", "time", "tokens", "cost"):
        table.add_column(name, justify="right")
    if any(row.invalid for row in rows):
        table.add_column("invalid", justify="right", style="yellow")
    for row in rows:
        table.add_row(*_cells(row, invalid=any(other.invalid for other in rows)))
    return table


def _cells(row: Summary, *, invalid: bool) -> list[Text | str]:
    style = (
        "" if row.reward is None else "green" if row.reward == 1 else "red" if row.reward == 0 else "yellow"
    )
    cells: list[Text | str] = [
        Text(row.agent, style="bold"),
        Text(words.percent(row.reward), style=style),
        words.interval(*row.interval) if row.counted else "–",
        words.percent(row.partial),
        words.percent(row.all_k),
        str(row.counted),
        words.count(row.turns),
        words.duration(row.seconds),
        words.count(row.tokens),
        words.money(row.cost),
    ]
    return [*cells, str(row.invalid)] if invalid else cells


def trials_table(results: Sequence[TrialResult]) -> Table:
    """A row per task and agent: what each trial came to."""
    table = Table(header_style="bold", expand=False)
    table.add_column("task", overflow="fold")
    table.add_column("agent", overflow="fold")
    table.add_column("reward", justify="right")
    table.add_column("checks", justify="right")
    table.add_column("ended", overflow="fold")
    last = None
    for result in results:
        valid = result.status == "completed"
        shown = Text("1" if result.reward else "0", style="bold green" if result.reward else "bold red")
        checks = f"{result.checks_passed}/{result.checks_required}" if valid else "–"
        ended = (
            result.outcome or "" if valid else f"invalid ({result.invalid_stage}): {result.invalid_reason}"
        )
        table.add_row(
            result.task if result.task != last else "",
            result.agent,
            shown if valid else Text("–", style="yellow"),
            checks,
            Text(ended, style="" if valid else "yellow"),
        )
        last = result.task
    return table


def remarks(results: Sequence[TrialResult]) -> list[str]:
    """What a reader of the table must know besides it."""
    found = []
    if results and not is_ranked(results):
        invalid = sum(result.status == "invalid" for result in results)
        found.append(f"{invalid} of {len(results)} trials are invalid (over 10 %): this job is not ranked.")
    return found
