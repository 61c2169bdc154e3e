"""Limits that the kernel keeps for a sandbox as a whole: memory and number of processes.

Control groups of version 2 are used where this process may make one, of version 1 where memory and pids are there; where
neither works, the first process of the sandbox watches instead (`init.Overuse`).
"""

from __future__ import annotations

import contextlib
import errno
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

MOUNT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
PATIENCE = 2.0
DEPTH = 5


class ControlGroup:
    """One or two fresh directories of the control group file system, for one sandbox."""

    def __init__(self, directories: list[Path], version: int) -> None:
        self.directories = directories
        self.version = version

    @classmethod
    def create(
        cls, name: str, memory: int, processes: int, mount: Path = MOUNT, own: Path = OWN
    ) -> Self | None:
        """Make a group with these limits, or None where this machine or user cannot."""
        places = _own_groups(own)
        for attempt in (_version_2, _version_1):
            directories: list[Path] = []
            try:
                attempt(name, memory, processes, mount, places, directories.append)
            except OSError:
                for directory in directories:
                    with contextlib.suppress(OSError):
                        directory.rmdir()
                continue
            return cls(directories, 2 if attempt is _version_2 else 1)
        return None

    def add(self, pid: int) -> None:
        """Put a process in; what it starts from now on is in as well."""
        for directory in self.directories:
            (directory / "cgroup.procs").write_text(str(pid))

    def peak_memory(self) -> int | None:
        """The most memory that was in use at one time, bytes."""
        name = "memory.peak" if self.version == 2 else "memory.max_usage_in_bytes"
        with contextlib.suppress(OSError, ValueError):
            return int((self.directories[0] / name).read_text())
        return None

    def out_of_memory_kills(self) -> int | None:
        """How many processes were killed for want of memory."""
        name = "memory.events" if self.version == 2 else "memory.oom_control"
        with contextlib.suppress(OSError, ValueError):
            for line in (self.directories[0] / name).read_text().splitlines():
                word, _, number = line.partition(" ")
                if word == "oom_kill":
                    return int(number)
        return None

    def remove(self) -> None:
        """Take the group away; its processes must have ended, though the kernel may still be busy with them for a moment."""
        deadline = time.monotonic() + PATIENCE
        failed: OSError | None = None
        for directory in self.directories:
            while True:
                try:
                    directory.rmdir()
                except FileNotFoundError:
                    break
                except OSError as error:
                    if error.errno == errno.EBUSY and time.monotonic() < deadline:
                        time.sleep(0.005)
                        continue
                    failed = error
                break
        if failed is not None:
            raise failed


def sweep(prefix: str, alive: Callable[[str], bool], mount: Path = MOUNT) -> None:
    """Remove groups that a killed run has left behind: empty ones whose maker is not alive."""
    for depth in range(DEPTH):
        for directory in mount.glob("*/" * depth + f"{prefix}*"):
            if not alive(directory.name):
                with contextlib.suppress(OSError):
                    directory.rmdir()


def _own_groups(own: Path) -> dict[str, str]:
    """This process's group for each controller of version 1; version 2's under the empty name."""
    places: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in own.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            for controller in controllers.split(","):
                places[controller] = path
    return places


def _version_2(
    name: str, memory: int, processes: int, mount: Path, places: dict[str, str], made: Callable[[Path], None]
) -> None:
    """A relative of our own group, below the nearest ancestor that hands out both controllers."""
    own = mount / places.get("", "/").lstrip("/")
    ancestors = [own.parent, *own.parent.parents] if own != mount else [mount]
    for ancestor in ancestors:
        if ancestor != mount and mount not in ancestor.parents:
            break
        if {"memory", "pids"} <= set((ancestor / "cgroup.subtree_control").read_text().split()):
            group = ancestor / name
            group.mkdir()
            made(group)
            (group / "memory.max").write_text(str(memory))
            (group / "pids.max").write_text(str(processes))
            with contextlib.suppress(OSError):
                (group / "memory.swap.max").write_text("0")
            return
    raise FileNotFoundError("no control group hands out memory and pids")


def _version_1(
    name: str, memory: int, processes: int, mount: Path, places: dict[str, str], made: Callable[[Path], None]
) -> None:
    """A child of our own group in the hierarchies of both controllers."""
    for controller, settings in (
        ("memory", {"memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes": memory}),
        ("pids", {"pids.max": processes}),
    ):
        root = mount / controller
        own = root / places.get(controller, "/").lstrip("/")
        group = (own if own.is_dir() else root) / name
        if not root.is_dir():
            raise FileNotFoundError(f"no {controller} controller")
        group.mkdir()
        made(group)
        for setting, value in settings.items():
            try:
                (group / setting).write_text(str(value))
            except OSError:
                if "memsw" not in setting:  # a kernel may be without accounting of swap
                    raise
