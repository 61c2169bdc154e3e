"""`trialbalance doctor`: whether this machine has what trials need, and how to get what it lacks."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import click
from rich.table import Table
from rich.text import Text

from trialbalance.cli import console, exits
from trialbalance.sandbox import find_postgresql, preflight
from trialbalance.sandbox.browser import find_chromium

Status = Literal["ok", "warn", "bad"]

_ROOM = 3_000_000_000
_APT = "apt-get install --no-install-recommends"


class Finding(NamedTuple):
    """One thing looked at: `bad` keeps trials from running, `warn` may make some of them fail."""

    name: str
    status: Status
    detail: str
    hint: str = ""


def find_goose() -> Path | None:
    """The goose binary: on PATH, or the one that npm installed in this checkout."""
    for root in (Path.cwd(), Path(__file__).parents[3]):
        local = root / "node_modules" / ".bin" / "goose"
        if local.exists():
            return local
    found = shutil.which("goose")
    return Path(found) if found else None


def _version(*argv: str) -> str:
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=30, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip().partition("\n")[0] if done.returncode == 0 else ""


def check_python() -> Finding:
    """Python's own version, and whether it is a virtual environment's."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.prefix == sys.base_prefix:
        return Finding(
            "python", "warn", f"{version}, outside a virtual environment", "run scripts/bootstrap.sh"
        )
    return Finding("python", "ok", f"{version} in {sys.prefix}")


def _program(name: str, argv: tuple[str, ...], hint: str, missing: Status) -> Finding:
    if shutil.which(argv[0]) is None:
        return Finding(name, missing, "not found", hint)
    version = _version(*argv)
    return (
        Finding(name, "ok", version) if version else Finding(name, missing, f"`{' '.join(argv)}` fails", hint)
    )


def check_git() -> Finding:
    """Workspace diffs are made by git."""
    return _program("git", ("git", "--version"), f"{_APT} git", "bad")


def check_node() -> Finding:
    """JavaScript tasks run on it."""
    return _program("node", ("node", "--version"), f"{_APT} nodejs npm", "warn")


def check_postgresql(place: Path | None = None) -> Finding:
    """Tasks with a server of it cannot be prepared without."""
    programs = find_postgresql(place) if place is not None else find_postgresql()
    if programs is None:
        return Finding(
            "postgresql", "warn", "not found: tasks that need it cannot be prepared", f"{_APT} postgresql"
        )
    version = _version(str(programs / "postgres"), "--version")
    if not version:
        return Finding("postgresql", "warn", f"{programs}/postgres fails", f"{_APT} --reinstall postgresql")
    return Finding("postgresql", "ok", version)


def check_goose() -> Finding:
    """The default agent."""
    path = find_goose()
    if path is None:
        return Finding("goose", "warn", "not found", "npm ci (scripts/bootstrap.sh does it)")
    version = _version(str(path), "--version")
    return (
        Finding("goose", "ok", f"{version.strip()}")
        if version
        else Finding("goose", "warn", f"{path} fails", "npm ci")
    )


def check_disk(folder: Path | None = None) -> Finding:
    """Room for workspaces and job folders."""
    where = folder or Path.cwd()
    free = shutil.disk_usage(where).free
    detail = f"{free / 1e9:.1f} GB free in {where}"
    return (
        Finding("disk", "ok", detail)
        if free >= _ROOM
        else Finding("disk", "warn", detail, "free 3 GB or use --jobs-dir")
    )


def check_ports() -> Finding:
    """The loopback interface, which every listener needs."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            return Finding("ports", "ok", f"127.0.0.1 works (tried port {server.getsockname()[1]})")
    except OSError as error:
        return Finding(
            "ports", "bad", f"cannot listen on 127.0.0.1: {error.strerror}", "bring the lo interface up"
        )


def check_fonts() -> Finding:
    """Screenshots without empty boxes."""
    roots = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts")
    found = {
        kind
        for root in roots
        for kind in ("NotoSans-Regular", "NotoSansCJK")
        if next(root.rglob(f"{kind}*"), None)
    }
    if len(found) == 2:
        return Finding("fonts", "ok", "Noto Sans and Noto Sans CJK")
    return Finding(
        "fonts", "warn", "Noto Sans or Noto Sans CJK is missing", f"{_APT} fonts-noto-core fonts-noto-cjk"
    )


def check_sandbox() -> list[Finding]:
    """What the sandbox's own preflight says."""
    return [
        Finding(
            f"sandbox: {found.name}",
            "ok" if found.ok else "bad" if found.required else "warn",
            found.detail,
            found.hint,
        )
        for found in preflight()
    ]


CHECKS: tuple[Callable[[], Finding], ...] = (
    check_python,
    check_git,
    check_node,
    check_postgresql,
    check_goose,
    check_disk,
    check_ports,
    check_fonts,
)


def findings() -> Iterator[Finding]:
    """Everything, one after the other."""
    for check in CHECKS:
        yield check()
    yield from check_sandbox()


def blocking(backend: str = "auto") -> str | None:
    """The first thing that would keep every trial from running, quick to find out; None when there is none."""
    git = check_git()
    if git.status == "bad":
        return f"git: {git.detail}; {git.hint}"
    if find_chromium() is None:
        return f"chromium: not found; {_APT} chromium"
    if (
        backend in {"auto", "bubblewrap"}
        and shutil.which("bwrap") is None
        and shutil.which("unshare") is None
    ):
        return f"bubblewrap: not found; {_APT} bubblewrap"
    return None


@click.command()
@click.pass_context
def doctor(context: click.Context) -> None:
    """Check that this machine has what trials need; says how to get what it lacks.

    Exits with 0 when trials can run, with 1 when something keeps them from running.
    """
    marks: dict[Status, Text] = {
        "ok": Text("ok", style="green"),
        "warn": Text("warn", style="yellow"),
        "bad": Text("bad", style="bold red"),
    }
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    worst: Status = "ok"
    for found in findings():
        detail = Text(found.detail)
        if found.hint and found.status != "ok":
            detail.append(f"\n→ {found.hint}", style="bold")
        table.add_row(marks[found.status], found.name, detail)
        if found.status == "bad" or (found.status == "warn" and worst == "ok"):
            worst = found.status
    console.out().print(table)
    if worst == "bad":
        context.exit(exits.NO)
