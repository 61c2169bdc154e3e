"""The generated part of `docs/cli.md`: exit codes and every command's help, as the program prints it.

`python -m trialbalance.cli.pages docs/cli.md` writes it; a test fails when the page is stale.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from trialbalance.cli.app import cli
from trialbalance.cli.exits import MEANINGS

BEGIN, END = "<!-- generated: make docs -->", "<!-- end of generated -->"


def exit_codes() -> str:
    """The table of exit codes."""
    rows = "\n".join(f"| {code} | {text} |" for code, text in MEANINGS.items())
    return f"## Exit codes\n\n| code | meaning |\n|---|---|\n{rows}\n"


def commands(command: click.Command, parent: click.Context | None, name: str) -> Iterator[tuple[str, str]]:
    """Every command's full name and help text, depth first."""
    context = click.Context(command, parent=parent, info_name=name, terminal_width=100, max_content_width=100)
    context.help_option_names = ["-h", "--help"]
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None:
                yield from commands(found, context, child)


def generated() -> str:
    """Everything between the markers."""
    parts = [BEGIN, exit_codes(), "## Commands"]
    for path, text in commands(cli, None, "trialbalance"):
        parts.append(f"\n### {path}\n\n```\n{text.rstrip()}\n```")
    return "\n".join([*parts, END])


def updated(page: str) -> str:
    """A page with its generated part renewed; ValueError when it has no markers."""
    if BEGIN not in page or END not in page:
        raise ValueError(f"the page lacks the lines {BEGIN} and {END}")
    return page.partition(BEGIN)[0] + generated() + page.partition(END)[2]


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(updated(path.read_text("utf-8")), "utf-8")
