"""Runs the program as a user does: a process, its output, its exit code."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
CLEAN = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "TRIALBALANCE_DEBUG",
    "TRIALBALANCE_TASKS",
    "NO_COLOR",
    "FORCE_COLOR",
)


class Ran(NamedTuple):
    """What a run came to."""

    code: int
    out: str
    err: str


def run(
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
    hide: Sequence[Path] = (),
) -> Ran:
    """Run `trialbalance` with these arguments; `hide` are programs that it must not find."""
    environment = {key: value for key, value in os.environ.items() if key not in CLEAN} | dict(env or {})
    done = subprocess.run(
        [*_without(hide), sys.executable, "-m", "trialbalance.cli", *arguments],
        cwd=cwd or ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def _without(hide: Sequence[Path]) -> list[str]:
    """A mount namespace in which these programs are no programs."""
    if not hide:
        return []
    mounts = " && ".join(f"mount --bind /dev/null {shlex.quote(str(path))}" for path in hide)
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f'{mounts} && exec "$@"', "sh"]


def one_line(ran: Ran) -> str:
    """The one line that an error is."""
    lines = ran.err.splitlines()
    assert len(lines) == 1 and lines[0].startswith("trialbalance: "), ran
    assert ran.out == ""
    return lines[0].removeprefix("trialbalance: ")
