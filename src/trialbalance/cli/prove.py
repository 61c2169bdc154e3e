"""`trialbalance tasks check` and `tasks canary`: prove a task, and mark its files."""

from __future__ import annotations

import click

from trialbalance.cli import console, exits
from trialbalance.grading import Prover
from trialbalance.tasks import (
    RowProgress,
    Task,
    find_task,
    find_tasks,
    kept_rows,
    missing_canaries,
    prepare,
    write_canaries,
)
from trialbalance.tasks import check as prove
from trialbalance.tasks.prepare import Progress

_STYLES = {"passed": "green", "kept": "dim", "failed": "bold red", "begin": "dim"}


@click.command()
@click.argument("names", nargs=-1)
@click.option("--quick", is_flag=True, help="Run the reference once, and record nothing.")
@click.option("--fresh", is_flag=True, help="Try rows again that passed in a run that was interrupted.")
@click.option(
    "--only", multiple=True, metavar="ROW", help="Only this row, or all below it: mutant, cheat/common."
)
@click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Rows tried at once."
)
@click.option("--backend", default="auto", show_default=True, metavar="NAME", help="Sandbox backend.")
@click.pass_context
def check(
    context: click.Context,
    names: tuple[str, ...],
    quick: bool,
    fresh: bool,
    only: tuple[str, ...],
    workers: int,
    backend: str,
) -> None:
    """Prove that tasks are sound, and record it in soundness.json beside each. Without NAMES every task.

    Tries the reference, an untouched and an empty tree, alternates, mutants, cheats, determinism, and the
    instruction against its checks. Rows that passed are kept, so that a proof that was interrupted goes on.
    Exits with 1 when a row failed.
    """
    sound = True
    for task in [find_task(name) for name in names] if names else find_tasks():
        sound = _prove(task, quick, fresh, only, workers, backend) and sound
    if not sound:
        context.exit(exits.NO)


def _prove(task: Task, quick: bool, fresh: bool, only: tuple[str, ...], workers: int, backend: str) -> bool:
    progress = console.err()

    def prepared(step: Progress) -> None:
        progress.print(f"{step.task}: {step.stage} {step.detail}", soft_wrap=True, markup=False)

    def watch(row: RowProgress) -> None:
        line = f"[{row.done}/{row.total}] {row.stage:7} {row.row} {row.detail}".rstrip()
        progress.print(line, style=_STYLES[row.stage], soft_wrap=True, markup=False)

    prepare(task, backend=backend, watch=prepared)
    proof = prove(
        task,
        Prover(backend),
        quick=quick,
        fresh=fresh,
        only=only,
        workers=workers,
        backend=backend,
        watch=watch,
    )
    results = console.out()
    if not proof.rows:
        raise click.BadParameter(f"{task.name} has no row {', '.join(only)}", param_hint="--only")
    for row in proof.failures:
        results.print(f"{task.name}: {row.id}: {row.detail}", soft_wrap=True, markup=False)
    verdict = "sound" if proof.sound else f"{len(proof.failures)} of {len(proof.rows)} rows failed"
    kind = " (quick: not recorded)" if quick else " (some rows: not recorded)" if only else ""
    results.print(f"{task.name} {task.version}: {verdict}{kind}", soft_wrap=True, markup=False)
    if proof.failures:
        progress.print(f"trial folders of failed rows: {kept_rows(task)}", soft_wrap=True, markup=False)
    return proof.sound


@click.command()
@click.argument("name")
@click.option("--write", is_flag=True, help="Write those that are missing.")
@click.pass_context
def canary(context: click.Context, name: str, write: bool) -> None:
    """Show which files of a task lack their canary. Exits with 1 when one does."""
    task = find_task(name)
    terminal = console.out()
    if write:
        for file in write_canaries(task.directory):
            terminal.print(f"written: {task.name}/{file}", soft_wrap=True, markup=False)
        return
    missing = missing_canaries(task.directory)
    for file in missing:
        terminal.print(f"missing: {task.name}/{file}", soft_wrap=True, markup=False)
    if missing:
        context.exit(exits.NO)
