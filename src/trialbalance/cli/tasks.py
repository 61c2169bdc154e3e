"""`trialbalance tasks`: look at tasks, prepare them, prove that they are sound."""

from __future__ import annotations

import click
from rich.markdown import Markdown
from rich.table import Table

from trialbalance.cli import console
from trialbalance.cli.prove import canary, check
from trialbalance.tasks import find_task, find_tasks, prepare, prepared_tree
from trialbalance.tasks.prepare import Progress


@click.group(name="tasks", help="List, show, prepare and prove tasks.")
def tasks() -> None:
    """The group; see the commands."""


@tasks.command(name="list")
def list_() -> None:
    """List every task: category, languages, difficulty, and whether it is prepared."""
    table = Table(header_style="bold", expand=False)
    for name in ("task", "version", "category", "languages", "difficulty", "prepared", "description"):
        table.add_column(name, overflow="fold")
    for task in find_tasks():
        metadata = task.config.metadata
        table.add_row(
            task.name,
            task.version,
            metadata.category,
            ", ".join(metadata.languages),
            metadata.difficulty,
            "yes" if prepared_tree(task) else "no",
            task.config.task.description,
        )
    console.out().print(table)


@tasks.command()
@click.argument("name")
@click.option("--raw", is_flag=True, help="Print the instruction as it is, for another program to read.")
def show(name: str, raw: bool) -> None:
    """Show what an agent is told, and what the task probes."""
    task = find_task(name)
    if raw:
        click.echo(task.instruction, nl=False)
        return
    metadata = task.config.metadata
    terminal = console.out()
    terminal.print(f"{task.full_name}  version {task.version}", style="bold")
    terminal.print(
        f"{metadata.category}, {metadata.difficulty}, about {metadata.expert_minutes} minutes for an expert"
    )
    for label, values in (
        ("languages", metadata.languages),
        ("probes", metadata.failure_modes),
        ("mutants", [overlay.name for overlay in task.mutants]),
        ("alternates", [overlay.name for overlay in task.alternates]),
    ):
        terminal.print(f"{label}: {', '.join(values) or 'none'}", soft_wrap=True)
    terminal.print()
    terminal.print(Markdown(task.instruction))


@tasks.command(name="prepare")
@click.argument("names", nargs=-1)
@click.option("--backend", default="auto", show_default=True, metavar="NAME", help="Sandbox backend.")
def prepare_(names: tuple[str, ...], backend: str) -> None:
    """Install what tasks need, once, so that their trials run offline. Without NAMES every task."""
    terminal = console.err()

    def watch(progress: Progress) -> None:
        terminal.print(f"{progress.task}: {progress.stage} {progress.detail}", soft_wrap=True)

    for task in [find_task(name) for name in names] if names else find_tasks():
        prepare(task, backend=backend, watch=watch)


tasks.add_command(check)
tasks.add_command(canary)
