"""Tells whether this machine can run trials in isolation, and what is missing where it cannot."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trialbalance.sandbox import bubblewrap, seccomp, unshare
from trialbalance.sandbox.browser import find_chromium
from trialbalance.sandbox.cgroup import ControlGroup
from trialbalance.sandbox.errors import SandboxError
from trialbalance.sandbox.opening import open_sandbox
from trialbalance.sandbox.sandbox import Sandbox
from trialbalance.sandbox.spec import SandboxSpec
from trialbalance.sandbox.state import PREFIX

ATTACKS = {
    "remount a read-only directory": "mount -o remount,rw,bind /usr",
    "write to the host's programs": "touch /usr/trial-was-here",
    "write kernel settings": "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern",
    "gain privileges in a new user namespace": "unshare --user --map-root-user true",
    "read the host's password file": "cat /etc/shadow",
    "read the host's files": 'ls "$1"',
    "reach the internet": "exec 3<>/dev/tcp/1.1.1.1/80",
    "read the kernel's log": "dmesg",
}
"""What must fail inside; each is a shell command, ``$1`` an existing directory of the host."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    hint: str = ""
    """What to do about it, when it is not well."""
    required: bool = True
    """Whether trials are impossible without it."""


def preflight() -> list[Finding]:
    """Look at all that a sandbox needs, and open one and attack it. Takes about a second."""
    findings = [_backend("bubblewrap", bubblewrap.version() if bubblewrap.executable() else "")]
    with tempfile.TemporaryDirectory(prefix="preflight-") as directory:
        workspace = Path(directory, "workspace")
        workspace.mkdir()
        started = time.perf_counter()
        try:
            sandbox = open_sandbox(SandboxSpec(workspace))
        except SandboxError as error:
            hint = (
                "apt-get install bubblewrap; in a container, allow user namespaces (docker run --privileged)"
            )
            return [*findings, Finding("isolation", False, str(error), hint), _limits(), _chromium()]
        with sandbox:
            took = time.perf_counter() - started
            user = "root" if os.geteuid() == 0 else "an ordinary user"
            said = f"{sandbox.backend} as {user}, opened in {took * 1000:.0f} ms"
            findings.append(Finding("isolation", True, said))
            findings.append(attack(sandbox, directory))
            findings.append(_ports(sandbox))
    return [*findings, _filter(), _limits(), _temporary(), _chromium()]


def attack(sandbox: Sandbox, host_directory: str, attacks: Mapping[str, str] = ATTACKS) -> Finding:
    """Try to break out of an open sandbox in well-known ways."""
    if not sandbox.exec(["bash", "-c", 'test "$1" = attack', "bash", "attack"]).ok:
        return Finding(
            "walls", False, "bash does not run inside, so no attack could be tried", "apt-get install bash"
        )
    broken = []
    for name, command in attacks.items():
        done = sandbox.exec(
            ["bash", "-c", f"timeout 5 bash -c '{command}' attack \"$1\"", "attack", host_directory]
        )
        if done.exit_code == 0:
            broken.append(name)
    if broken:
        return Finding(
            "walls", False, f"from inside one can {', '.join(broken)}", "do not run untrusted agents here"
        )
    return Finding("walls", True, f"{len(attacks)} attacks from inside failed, as they must")


def _backend(name: str, version: str) -> Finding:
    fallback = "unshare is used instead" if unshare.executable() else "and unshare is missing too"
    if version:
        return Finding(name, True, version)
    return Finding(name, False, f"not installed; {fallback}", "apt-get install bubblewrap", required=False)


def _ports(sandbox: Sandbox) -> Finding:
    """The twin must be able to listen on Stripe's port, and the grader to reach the app's."""
    try:
        with sandbox.listen(443) as listener, sandbox.connect(443, timeout=5) as client:
            listener.settimeout(5)
            accepted, _ = listener.accept()
            accepted.close()
            client.settimeout(5)
    except OSError as error:
        return Finding(
            "network", False, f"127.0.0.1:443 inside cannot be served: {error}", "report this as a bug"
        )
    return Finding(
        "network", True, "the host serves and reaches 127.0.0.1:443 inside; nothing else is reachable"
    )


def _filter() -> Finding:
    if seccomp.supported():
        return Finding("system call filter", True, "on")
    hint = "user namespaces can be made inside; prefer an x86-64 or arm64 machine"
    return Finding("system call filter", False, "unknown for this processor", hint, required=False)


def _limits() -> Finding:
    group = ControlGroup.create(f"{PREFIX}{os.getpid()}-preflight", 64 << 20, 64)
    if group is None:
        hint = "run as root, or with delegated control groups, for limits that the kernel keeps"
        return Finding(
            "limits", False, "no control group can be made; memory and processes are watched", hint, False
        )
    group.remove()
    return Finding("limits", True, f"control groups, version {group.version}")


def _temporary() -> Finding:
    """The browser's wrapper is a program in the temporary directory."""
    with tempfile.TemporaryDirectory(prefix="preflight-") as directory:
        script = Path(directory, "script")
        script.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
        script.chmod(0o755)
        try:
            subprocess.run([script], check=True)
        except (OSError, subprocess.CalledProcessError):
            hint = "set TMPDIR to a directory on a file system without noexec"
            return Finding("temporary files", False, f"{tempfile.gettempdir()} does not allow programs", hint)
    return Finding("temporary files", True, tempfile.gettempdir())


def _chromium() -> Finding:
    program = find_chromium()
    if program is None:
        return Finding("browser", False, "no Chromium on this machine", "apt-get install chromium")
    try:
        command = [str(program), "--version"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        version = done.stdout.strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(
            "browser", False, f"{program} does not run: {error}", "apt-get install --reinstall chromium"
        )
    return Finding(
        "browser", bool(version), version or f"{program} says nothing", "apt-get install --reinstall chromium"
    )
