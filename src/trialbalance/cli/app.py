"""The command line's root: global options, commands, and how errors become exit codes."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence

import click

from trialbalance.cli import console, exits

#: Command: module and attribute. Loaded when used, so that `--help` and completion stay quick.
COMMANDS: dict[str, tuple[str, str, str]] = {
    "run": ("trialbalance.cli.run", "run", "Try tasks with agents and report which integrations work."),
    "report": ("trialbalance.cli.show", "report", "Print a job's result table and write its pages again."),
    "grade": ("trialbalance.cli.grade", "grade", "Grade a trial's files again and compare."),
    "tasks": ("trialbalance.cli.tasks", "tasks", "List, show, prepare and prove tasks."),
    "twin": ("trialbalance.twin.commands", "twin", "Run and inspect the payments twin."),
    "doctor": ("trialbalance.cli.doctor", "doctor", "Check that this machine has what trials need."),
    "completion": ("trialbalance.cli.completion", "completion", "Print the completion script of a shell."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table, not of the alphabet."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None when there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their one-line purposes, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, purpose) for name, (_, _, purpose) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: " + "; ".join(f"{code} {text}" for code, text in exits.MEANINGS.items()) + ".",
)
@click.version_option(package_name="trialbalance", prog_name="trialbalance")
@click.option(
    "--no-color",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=console.no_color,
    help="No colours; NO_COLOR does the same.",
)
@click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=console.debug,
    help="Show where an error came from.",
)
def cli() -> None:
    """Prove whether an AI agent can build a complete, correct payment integration.

    An agent gets a real codebase, a payments API, a browser and the documentation, all offline; a grader then starts its
    app afresh and proves by evidence whether the integration works.
    """


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of the `trialbalance` program: one line on stderr for every error, and a documented exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    code = exits.run(lambda: cli.main(args=arguments, prog_name="trialbalance", standalone_mode=False))
    sys.exit(code)
