"""What a sandbox for an app or an agent looks like from inside: its files and its variables."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import trialbalance
from trialbalance.sandbox import trust
from trialbalance.sandbox.etc import Etc
from trialbalance.sandbox.layout import MEGABYTE, Layout
from trialbalance.sandbox.spec import Mount, SandboxSpec
from trialbalance.sandbox.state import State

INIT = "/run/init"
PYTHON = "/usr/bin/python3"
STANDARD_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
EMPTY = ("home", "media", "mnt", "srv")


def places(state: State) -> None:
    """Make the private directories that a sandbox may write to."""
    for name, mode in (("home", 0o755), ("opt", 0o755), ("tmp", 0o1777), ("var", 0o755), ("var/tmp", 0o1777)):
        state.subdirectory(name, mode)
    for name in ("cache", "lib", "log", "spool", "www"):
        state.subdirectory(f"var/{name}")
    (state / "var/run").symlink_to("/run")


def layout(spec: SandboxSpec, state: State, etc: Etc, mounts: Sequence[Mount] = ()) -> Layout:
    """The files: the host's programs, a small ``/etc``, the workspace, and private places to write to."""
    (state / "empty").touch()
    plan = Layout(state / "empty")
    plan.system()
    trust.overlay(etc, plan, spec.authority)
    for path in own_places():
        plan.hide(path)
    etc.show(plan)
    plan.kernel(shared_memory=max(64, spec.memory_mb // 4) * MEGABYTE)
    plan.tmpfs("/run", 64 * MEGABYTE)
    shutil.copyfile(Path(__file__).with_name("init.py"), state / "init")
    plan.bind(state / "init", INIT)
    for name, target in (("tmp", "/tmp"), ("var", "/var"), ("opt", "/opt"), ("home", "/root")):
        plan.bind(state / name, target, writable=True)
    for name in EMPTY:
        plan.directory(f"/{name}")
    plan.bind(spec.workspace.resolve(), "/app", writable=spec.writable)
    for mount in (*spec.mounts, *mounts):
        if mount.target.startswith("/etc/"):
            place = etc.directory / mount.target.removeprefix("/etc/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.mkdir(exist_ok=True) if mount.source.is_dir() else place.touch()
        plan.bind(mount.source.resolve(), mount.target, writable=mount.writable)
    plan.seal("/")
    return plan


def own_places() -> list[Path]:
    """Where this package lies, if it lies where the sandbox can see it: no agent may read a grader."""
    package = Path(trialbalance.__file__).resolve().parent
    return [package] if package.is_relative_to("/usr") else []


def environment(spec: SandboxSpec, trusted: dict[str, str]) -> dict[str, str]:
    """The variables that every command starts with."""
    host = [place for place in os.environ.get("PATH", "").split(":") if place.startswith("/usr/")]
    path = dict.fromkeys(["/root/.local/bin", *host, *STANDARD_PATH])
    return {
        "HOME": "/root",
        "USER": "root",
        "LOGNAME": "root",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "PATH": ":".join(path),
        **trusted,
        **spec.env,
    }


def invisible(spec: SandboxSpec, state: State) -> list[str]:
    """Paths of the host that exist there and must not exist inside."""
    package = Path(trialbalance.__file__).resolve()
    candidates = [state.directory, package, Path("/etc/shadow"), Path("/etc/gshadow"), Path("/etc/sudoers")]
    workspace = spec.workspace.resolve()
    shown = ("/app", *(mount.target for mount in spec.mounts))
    if not any(workspace == Path(place) or workspace.is_relative_to(place) for place in shown):
        candidates.append(workspace)
    return [str(path) for path in candidates if path.exists()]
