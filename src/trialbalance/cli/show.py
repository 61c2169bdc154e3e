"""`trialbalance report`: the result table and the site of a job; also the end of `run`."""

from __future__ import annotations

from pathlib import Path

import click

from trialbalance.cli import console
from trialbalance.report.folder import JobFolder
from trialbalance.report.site import write_site
from trialbalance.report.table import agents_table, remarks, trials_table


def show_report(folder: Path) -> None:
    """Print the tables of a job and write its site."""
    job = JobFolder(folder)
    terminal = console.out()
    if job.results:
        terminal.print(trials_table(job.results))
        terminal.print(agents_table(job.results))
    else:
        terminal.print("no trial has finished yet")
    for remark in remarks(job.results):
        terminal.print(remark, style="yellow", soft_wrap=True)
    if job.pending:
        terminal.print(
            f"{job.pending} trials have not run yet: trialbalance run --resume {folder}", soft_wrap=True
        )
    terminal.print(f"report: {write_site(job)}", soft_wrap=True)


@click.command()
@click.argument("job", type=click.Path(path_type=Path))
def report(job: Path) -> None:
    """Print a job's result table and write its pages again.

    JOB is a job folder; its pages begin at index.html there.
    """
    show_report(job)
