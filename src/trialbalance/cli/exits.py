"""Exit codes and one-line errors: every command ends in one of these ways.

The table is part of the interface: `docs/cli.md` shows it, and a test compares the two.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import click

from trialbalance.gateway.errors import GatewayError
from trialbalance.grading.errors import GradingError
from trialbalance.sandbox.errors import SandboxError
from trialbalance.tasks.errors import PrepareError, TaskError
from trialbalance.trials.errors import Missing, StorageFailed, TrialsError

DONE, NO, USAGE, MISSING, NOT_RANKED, STORAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 4, 5, 70, 130

MEANINGS: dict[int, str] = {
    DONE: "done",
    NO: "done, and the answer is no: a check of `doctor` or of `tasks check` failed",
    USAGE: "the request cannot be carried out: unknown option, task, agent, model or file",
    MISSING: "this machine lacks something; `trialbalance doctor` says what and how to get it",
    NOT_RANKED: "the job ran, but over 10 % of its trials are invalid, so it is not ranked",
    STORAGE: "a job folder cannot be written (full disk, no permission); nothing half-written is left",
    INTERNAL: "a fault of ours; `--debug` shows where",
    INTERRUPTED: "interrupted by Ctrl-C; a job can be continued with `--resume`",
}


def code_of(error: BaseException) -> int:
    """The exit code that an error ends a command with."""
    match error:
        case KeyboardInterrupt() | click.Abort():
            return INTERRUPTED
        case click.exceptions.Exit():
            return error.exit_code
        case Missing() | SandboxError() | PrepareError():
            return MISSING
        case StorageFailed():
            return STORAGE
        case click.ClickException() | TrialsError() | TaskError() | GradingError() | GatewayError():
            return USAGE
        case OSError() if error.errno in {28, 30, 122}:
            return STORAGE
        case OSError():
            return USAGE
    return INTERNAL


def line_of(error: BaseException) -> str:
    """What an error says, on one line."""
    match error:
        case KeyboardInterrupt() | click.Abort():
            return "interrupted"
        case click.UsageError():
            where = f"; see `{error.ctx.command_path} --help`" if error.ctx is not None else ""
            return _one_line(error.format_message()).rstrip(".") + where
        case click.ClickException():
            return _one_line(error.format_message())
        case TrialsError() | TaskError() | GradingError() | GatewayError() | SandboxError():
            return _one_line(str(error))
        case OSError():
            name = f" {error.filename}" if error.filename else ""
            return _one_line(f"{error.strerror or error}{name}")
    frames = traceback.extract_tb(error.__traceback__)
    last = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return _one_line(
        f"internal error: {type(error).__name__}: {error}{last}; run it again with --debug and report it"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def run(command: Callable[[], object]) -> int:
    """Carry out a command; returns its exit code after saying on stderr, in one line, what went wrong.

    A command that leaves by `context.exit(code)` comes back from click as a returned number.
    """
    try:
        result = command()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except click.exceptions.Exit as end:
        return end.exit_code
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        if os.environ.get("TRIALBALANCE_DEBUG"):
            traceback.print_exc()
        click.echo(f"trialbalance: {line_of(error)}", err=True)
        return code_of(error)
    return result if isinstance(result, int) else DONE
