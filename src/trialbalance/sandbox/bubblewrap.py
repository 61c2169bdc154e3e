"""Isolation by bubblewrap: the backend of choice, as root and as anybody else."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from trialbalance.sandbox.layout import Layout

NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")


def executable() -> Path | None:
    """Where bubblewrap is, if it is."""
    found = shutil.which("bwrap")
    return Path(found) if found else None


def arguments(
    layout: Layout,
    argv: Sequence[str],
    *,
    hostname: str,
    user_namespace: bool,
    as_root: bool = True,
    own_network: bool = True,
    first_process: bool = True,
    seccomp: str | None = None,
) -> list[str]:
    """The command line that runs ``argv`` in a layout.

    bubblewrap run by root keeps every capability unless told otherwise, and with them a read-only bind can be remounted
    read-write. The only one left here is the one that lets an app listen on a port below 1024.

    As the ``first_process`` of a sandbox it is not bound to its parent: the kernel would watch the *thread* that opened the
    sandbox, which may end earlier than the process; it watches its control socket instead. ``seccomp`` is a descriptor.
    """
    command = [str(executable() or "bwrap"), *NAMESPACES]
    if user_namespace:
        user = "0" if as_root else "1000"
        command += ["--unshare-user", "--uid", user, "--gid", user]
    if own_network:
        command += ["--unshare-net"]
    command += ["--hostname", hostname, "--new-session", "--clearenv", "--cap-drop", "ALL"]
    if first_process:
        command += ["--as-pid-1", "--cap-add", "CAP_NET_BIND_SERVICE"]
    else:
        command += ["--die-with-parent"]
    if seccomp is not None:
        command += ["--seccomp", seccomp]
    for operation in layout:
        kind, target, source = operation.kind, operation.target, operation.source
        if kind == "bind":
            command += ["--bind" if operation.writable else "--ro-bind", source, target]
        elif kind == "symlink":
            command += ["--symlink", source, target]
        elif kind == "tmpfs":
            command += ["--perms", f"{operation.mode:04o}", "--size", str(operation.size), "--tmpfs", target]
        elif kind == "directory":
            command += ["--perms", f"{operation.mode:04o}", "--dir", target]
        elif kind == "seal":
            command += ["--remount-ro", target]
        else:
            command += [f"--{kind}", target]
    return [*command, "--chdir", "/", "--", *argv]


def user_namespaces() -> list[bool]:
    """Which ways to try, best first: root also does without a user namespace where there is none to be had."""
    return [True, False] if os.geteuid() == 0 else [True]


def version() -> str:
    """What bubblewrap calls itself."""
    done = subprocess.run(
        [str(executable() or "bwrap"), "--version"], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()
