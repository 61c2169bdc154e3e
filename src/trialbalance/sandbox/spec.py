"""What a sandbox is asked to be, and what a command in it came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from trialbalance.sandbox.authority import Authority
from trialbalance.sandbox.errors import SandboxError

NOTHING: Mapping[str, str] = MappingProxyType({})
PRIVATE = ("/etc", "/proc", "/dev", "/sys", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/run", "/tmp", "/app")


@dataclass(frozen=True, slots=True)
class Mount:
    """A file or directory of the host that is visible inside, read-only unless ``writable``."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """An isolated place for one trial.

    The workspace is at ``/app``; ``HOME`` is ``/root``, fresh, and gone when the sandbox is closed.
    """

    workspace: Path
    writable: bool = True
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()
    """Names that resolve to 127.0.0.1 inside; no other name resolves."""
    authority: Authority | None = None
    """Whose certificates everything inside trusts, with no setting of its own."""
    registries: bool = False
    """Whether the package registries that this machine's own package clients use can be reached."""
    memory_mb: int = 4096
    processes: int = 2048
    file_mb: int = 4096
    """The largest file that may be written."""
    hostname: str = "trial"
    as_root: bool = True
    """Whether everything inside is user 0 of the sandbox; PostgreSQL, for one, refuses that. Else user 1000, `app`.
    Neither is a user of the host."""

    def __post_init__(self) -> None:
        if not self.workspace.is_dir():
            raise SandboxError(
                f"workspace {self.workspace} is not a directory; make it before opening a sandbox"
            )
        for mount in self.mounts:
            if not mount.source.exists():
                raise SandboxError(f"mount source {mount.source} does not exist")
            target = mount.target.rstrip("/")
            if not target.startswith("/") or ".." in target.split("/"):
                raise SandboxError(f"mount target {mount.target!r} is not an absolute path without '..'")
            if target in PRIVATE:
                raise SandboxError(
                    f"mount target {mount.target} belongs to the sandbox; mount below it or elsewhere"
                )
        for name in (*self.hosts, self.hostname):
            if not name or not all(character.isalnum() or character in ".-_" for character in name):
                raise SandboxError(f"{name!r} is not a host name")
        for label in ("memory_mb", "processes", "file_mb"):
            if getattr(self, label) <= 0:
                raise SandboxError(f"{label} must be positive, not {getattr(self, label)}")


@dataclass(frozen=True, slots=True)
class Completed:
    """A command that ended."""

    exit_code: int
    """As a shell reports it: 128 + n for a command ended by signal n, 124 when its time ran out."""
    stdout: str
    stderr: str
    timed_out: bool = False
    truncated: bool = False
    """Whether the output was longer than the limit; what is kept is its beginning."""

    @property
    def ok(self) -> bool:
        return self.exit_code == 0 and not self.timed_out


@dataclass(frozen=True, slots=True)
class Usage:
    """What a sandbox has used so far, where the machine can tell."""

    peak_memory_bytes: int | None
    out_of_memory_kills: int | None
