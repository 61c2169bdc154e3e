"""The terminal: one console for results on stdout, one for progress on stderr; plain where it is no terminal."""

from __future__ import annotations

import os
import sys

import click
from rich.console import Console


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else int(os.environ.get("COLUMNS") or 140)
    return Console(stderr=stderr, highlight=False, soft_wrap=False, width=width, emoji=False)


def out() -> Console:
    """Where results go."""
    return _console(stderr=False)


def err() -> Console:
    """Where progress goes."""
    return _console(stderr=True)


def no_color(_: click.Context, __: click.Parameter, value: bool) -> None:
    """Switch colours off everywhere, for rich, for click and for child processes."""
    if value:
        os.environ["NO_COLOR"] = "1"


def debug(_: click.Context, __: click.Parameter, value: bool) -> None:
    """Let errors come with their traceback."""
    if value:
        os.environ["TRIALBALANCE_DEBUG"] = "1"
