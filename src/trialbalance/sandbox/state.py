"""The directory of the host that belongs to one open sandbox, and to nothing else."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Self

from trialbalance.sandbox.enter import started

PREFIX = "trialbalance-"
_numbers = itertools.count(1)


class State:
    """A private temporary directory, locked for as long as its sandbox is open.

    A run that was killed leaves its directories behind unlocked; the next run removes them.
    """

    def __init__(self, directory: Path, lock: int) -> None:
        self.directory = directory
        self._lock = lock

    @classmethod
    def create(cls) -> Self:
        """A fresh directory below the system's temporary one, which ``TMPDIR`` moves."""
        me = os.getpid()
        directory = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{me}-{started(me)}-{next(_numbers)}-")).resolve()
        lock = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        return cls(directory, lock)

    @property
    def name(self) -> str:
        return self.directory.name

    def __truediv__(self, name: str) -> Path:
        return self.directory / name

    def subdirectory(self, name: str, mode: int = 0o755) -> Path:
        """Make a directory in it."""
        path = self.directory / name
        path.mkdir(parents=True)
        path.chmod(mode)
        return path

    def remove(self) -> None:
        """Remove the directory and all that a sandbox wrote into it."""
        remove_tree(self.directory)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def remove_tree(directory: Path) -> None:
    """Remove a directory however deep it is and whatever the permissions in it; links are removed, not followed."""
    command = ["rm", "-rf", "--one-file-system", "--", str(directory)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        subprocess.run(["chmod", "-R", "u+rwX", "--", str(directory)], capture_output=True, check=False)
        subprocess.run(command, capture_output=True, check=False)


def sweep() -> None:
    """Remove what killed runs have left: directories of ours that nobody holds locked."""
    for directory in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            found = directory.lstat()
            if found.st_uid != os.geteuid() or not stat.S_ISDIR(found.st_mode) or is_alive(directory.name):
                continue
            lock = os.open(directory / "lock", os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(directory)
            finally:
                os.close(lock)


def is_alive(name: str) -> bool:
    """Whether the process that made a directory or control group of this name still runs; True for names of others."""
    pid, _, rest = name.removeprefix(PREFIX).partition("-")
    if not pid.isdigit():
        return True
    try:
        return started(int(pid)) == rest.partition("-")[0]
    except OSError:
        return False
