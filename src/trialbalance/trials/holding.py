"""One process at a time runs a job.

The lock is a file of the job that the running process holds, and its trials with it: after a kill it is free only
when the last trial has cleaned up, and whoever resumes the job waits for that.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from trialbalance.trials.errors import BadJob, StorageFailed

_PATIENCE = 60.0


@contextlib.contextmanager
def held(folder: Path, *, patience: float = _PATIENCE) -> Iterator[int]:
    """Hold a job; yields the descriptor that its trials' processes have to inherit.

    Raises:
        BadJob: another living process runs it, or trials of a killed one did not end in time.
    """
    path = folder / ".lock"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StorageFailed(
            f"cannot write in {folder}: {error.strerror}; choose another --jobs-dir"
        ) from error
    try:
        _lock(descriptor, folder, patience)
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, _identity(os.getpid()).encode(), 0)
        except OSError as error:
            raise StorageFailed(f"cannot write {path}: {error.strerror}; free some space") from error
        yield descriptor
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pass
        holder = os.pread(descriptor, 100, 0).decode("ascii", "replace")
        if holder and holder == _identity(int(holder.split()[0])):
            raise BadJob(f"{folder} is being run by process {holder.split()[0]}; wait for it or stop it")
        if time.monotonic() > deadline:
            raise BadJob(f"trials of a killed run of {folder} have not ended; end them and try again")
        time.sleep(0.1)


def _identity(pid: int) -> str:
    """A process by its number and the time it began; "" when there is none."""
    try:
        began = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""
    return f"{pid} {began}"
