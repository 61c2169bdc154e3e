"""The file system of a sandbox as a list of plain operations, built from nothing: what is not named is not there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

Kind = Literal["bind", "symlink", "tmpfs", "directory", "proc", "dev", "seal"]

MEGABYTE = 1 << 20
SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
KERNEL_SETTINGS = ("sys", "sysrq-trigger", "irq", "bus", "fs", "tty")
KERNEL_SECRETS = (
    "acpi",
    "asound",
    "cmdline",
    "config.gz",
    "driver",
    "dynamic_debug",
    "iomem",
    "ioports",
    "kallsyms",
    "kcore",
    "key-users",
    "keys",
    "kmsg",
    "kpagecgroup",
    "kpagecount",
    "kpageflags",
    "latency_stats",
    "mtrr",
    "pressure",
    "sched_debug",
    "scsi",
    "timer_list",
    "timer_stats",
    "vmallocinfo",
)


class Operation(NamedTuple):
    """One step: a mount, a link, a directory, or ``seal`` (make what is mounted at ``target`` read-only)."""

    kind: Kind
    target: str
    source: str = ""
    writable: bool = False
    size: int = 0
    mode: int = 0o755


class Layout:
    """An ordered list of operations; a later one lies over an earlier one."""

    def __init__(self, empty: Path) -> None:
        self.empty = empty
        """An empty file of the host, to lay over files that must not be seen."""
        self.operations: list[Operation] = []

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations)

    def bind(self, source: Path, target: str, *, writable: bool = False) -> None:
        """Show a file or directory of the host at ``target``."""
        self.operations.append(Operation("bind", target, str(source), writable))

    def symlink(self, source: str, target: str) -> None:
        self.operations.append(Operation("symlink", target, source))

    def tmpfs(self, target: str, size: int, mode: int = 0o755) -> None:
        """An empty file system in memory, of at most ``size`` bytes."""
        self.operations.append(Operation("tmpfs", target, size=size, mode=mode))

    def directory(self, target: str, mode: int = 0o755) -> None:
        self.operations.append(Operation("directory", target, mode=mode))

    def seal(self, target: str) -> None:
        """Make what is mounted at ``target`` read-only, without what is mounted below it."""
        self.operations.append(Operation("seal", target))

    def hide(self, path: Path) -> None:
        """Lay something empty over a file or directory that an earlier operation shows."""
        if path.is_dir():
            self.tmpfs(str(path), 4096)
            self.seal(str(path))
        else:
            self.bind(self.empty, str(path))

    def system(self) -> None:
        """The host's programs, read-only."""
        self.bind(Path("/usr"), "/usr")
        for name in SYSTEM_LINKS:
            path = Path("/", name)
            if path.is_symlink():
                self.symlink(str(path.readlink()), f"/{name}")
            elif path.is_dir():
                self.bind(path, f"/{name}")

    def kernel(self, shared_memory: int) -> None:
        """``/proc`` without doors into the kernel, and a ``/dev`` of the harmless devices only.

        A process whose user id is the host's root may write kernel settings even with no capability at all, and
        bubblewrap leaves ``/proc/sys`` writable: it must be bound read-only.
        """
        self.operations.append(Operation("proc", "/proc"))
        for name in KERNEL_SETTINGS:
            path = Path("/proc", name)
            if path.exists():
                self.bind(path, str(path))
        for name in KERNEL_SECRETS:
            path = Path("/proc", name)
            if path.exists():
                self.hide(path)
        self.operations.append(Operation("dev", "/dev"))
        self.tmpfs("/dev/shm", shared_memory, 0o1777)
        self.seal("/dev")
