"""Child processes that never outlive their parent.

A trial runs in a process of its own, in its own session, so that a terminal's Ctrl-C reaches only the job.
The kernel is told to end it when the job dies (even by kill -9), and ending it takes its whole tree along.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """In a child: be sent SIGTERM when the parent goes away, or at once when it is gone already."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


def descendants(pid: int) -> list[int]:
    """Every living process below `pid`, children before grandchildren."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(folder.name))
    found, waiting = [], [pid]
    while waiting:
        below = sorted(children.get(waiting.pop(0), []))
        found += below
        waiting += below
    return found


def start(argv: Sequence[str], *, log: Path, hold: int | None = None) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own with its output in `log`; it inherits the descriptor `hold`."""
    with log.open("ab") as output:
        return subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            pass_fds=() if hold is None else (hold,),
        )


def ask(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to clean up and go."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()


def end(process: subprocess.Popen[bytes], *, patience: float) -> None:
    """Ask a process to clean up and go; after `patience` seconds kill it with everything below it."""
    if process.poll() is None:
        ask(process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
    if process.poll() is None:
        kill_tree(process.pid)
        process.wait()


def kill_tree(pid: int) -> None:
    """SIGKILL a process and all below it, without giving them time to fork."""
    for member in (pid, *descendants(pid)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(member, signal.SIGSTOP)
    for member in (pid, *descendants(pid)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(member, signal.SIGKILL)
