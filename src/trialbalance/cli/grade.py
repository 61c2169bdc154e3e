"""`trialbalance grade`: grade a trial's files again."""

from __future__ import annotations

from pathlib import Path

import click

from trialbalance.cli import console, exits
from trialbalance.trials.grading import regrade


@click.command()
@click.argument("trial", type=click.Path(path_type=Path))
@click.pass_context
def grade(context: click.Context, trial: Path) -> None:
    """Grade a trial's files again and compare with what was recorded.

    TRIAL is a trial's folder. The agent is not run: its recorded workspace is put together again and graded in a
    fresh sandbox against a fresh twin, with the same seed, into TRIAL/regrade/. Exits with 1 when the reward differs.
    """
    outcome = regrade(trial)
    terminal = console.out()
    terminal.print(
        f"reward {outcome.reward}, {outcome.passed}/{outcome.required} required checks", soft_wrap=True
    )
    for check in outcome.failed:
        terminal.print(f"  failed: {check}", soft_wrap=True)
    if outcome.recorded is not None and outcome.recorded != outcome.reward:
        terminal.print(f"recorded was reward {outcome.recorded}", style="yellow")
        context.exit(exits.NO)
