"""Opens a sandbox: builds it, starts its first process, and refuses it when its walls do not hold."""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trialbalance.sandbox import bubblewrap, cgroup, clients, root, state, trust, unshare
from trialbalance.sandbox.channel import readable
from trialbalance.sandbox.errors import BackendUnavailable, SandboxError, UnsafeSandbox
from trialbalance.sandbox.etc import Etc
from trialbalance.sandbox.layout import MEGABYTE, Layout
from trialbalance.sandbox.plain import PlainSandbox
from trialbalance.sandbox.registries import discover
from trialbalance.sandbox.sandbox import Sandbox
from trialbalance.sandbox.seccomp import compile_filter
from trialbalance.sandbox.spec import Mount, SandboxSpec
from trialbalance.sandbox.state import State

log = logging.getLogger(__name__)

BACKENDS = ("auto", "bubblewrap", "unshare", "plain", "docker")
START_SECONDS = 30.0
CREDENTIALS = struct.Struct("3i")


def open_sandbox(spec: SandboxSpec, *, backend: str = "auto") -> Sandbox:
    """Open an isolated place for one trial.

    :param backend: ``bubblewrap``; ``unshare`` (util-linux alone, where bubblewrap is missing); ``plain`` (no isolation at
        all, must be asked for by name); ``auto`` takes the first of the isolating ones that works here.
    :raises BackendUnavailable: the machine cannot do what was asked for.
    :raises UnsafeSandbox: an attack on the walls of the new sandbox succeeded, so nothing was run in it.
    """
    _sweep()
    problems = []
    for name in _choices(backend):
        for attempt in _attempts(name):
            try:
                return _open(spec, attempt)
            except BackendUnavailable as error:
                problems.append(f"{name}: {error}")
                log.debug("backend %s", problems[-1])
    raise BackendUnavailable("no sandbox can be opened here. " + "; ".join(dict.fromkeys(problems)))


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to isolate."""

    backend: str
    user_namespace: bool = True


_working: list[Attempt] = []


def _choices(backend: str) -> Sequence[str]:
    if backend not in BACKENDS:
        raise SandboxError(f"no backend is called {backend!r}; choose from {', '.join(BACKENDS)}")
    if backend == "docker":
        raise BackendUnavailable(
            "the docker backend is not built yet; use bubblewrap (apt-get install bubblewrap)"
        )
    return ("bubblewrap", "unshare") if backend == "auto" else (backend,)


def _attempts(backend: str) -> list[Attempt]:
    """Ways of one backend, the one that worked before first."""
    if backend == "bubblewrap":
        attempts = [Attempt(backend, choice) for choice in bubblewrap.user_namespaces()]
    else:
        attempts = [Attempt(backend)]
    return [attempt for attempt in attempts if attempt in _working] or attempts


@functools.cache
def _sweep() -> None:
    """Once per process: remove what killed runs have left."""
    state.sweep()
    cgroup.sweep(state.PREFIX, state.is_alive)


def _open(spec: SandboxSpec, attempt: Attempt) -> Sandbox:
    if attempt.backend == "bubblewrap" and bubblewrap.executable() is None:
        raise BackendUnavailable("bubblewrap is not installed (apt-get install bubblewrap)")
    if attempt.backend == "unshare" and unshare.executable() is None:
        raise BackendUnavailable("unshare is not installed (apt-get install util-linux)")
    if not spec.as_root and not (attempt.backend == "bubblewrap" and attempt.user_namespace):
        raise BackendUnavailable(
            "an ordinary user inside needs bubblewrap and user namespaces (sysctl user.max_user_namespaces=10000)"
        )
    if not Path(root.PYTHON).exists():
        raise BackendUnavailable(f"{root.PYTHON} is missing (apt-get install python3)")
    with contextlib.ExitStack() as undo:
        place = State.create()
        undo.callback(place.remove)
        if attempt.backend == "plain":
            sandbox = _start_plain(spec, place, undo)
        else:
            sandbox = _start_isolated(spec, attempt, place, undo)
        undo.pop_all()
    if attempt not in _working:
        _working.append(attempt)
    return sandbox


def _start_isolated(spec: SandboxSpec, attempt: Attempt, place: State, undo: contextlib.ExitStack) -> Sandbox:
    root.places(place)
    etc = Etc(place / "etc")
    trusted = trust.install(etc, spec.authority, registries=spec.registries)
    etc.basics(spec.hostname, spec.hosts)
    found = discover() if spec.registries else None
    mounts = [Mount(path, str(path)) for path in clients.local_links(found)] if found else []
    trusted |= clients.online(found, etc, place / "home", place / "var") if found else clients.offline(etc)
    env = root.environment(spec, trusted)
    etc.environment({name: env[name] for name in ("LANG", "PATH", *trusted)})
    layout = root.layout(spec, place, etc, mounts)
    group = cgroup.ControlGroup.create(place.name, spec.memory_mb * MEGABYTE, spec.processes)
    if group is not None:
        undo.callback(group.remove)
    config = {
        "isolated": True,
        "invisible": root.invisible(spec, place),
        "readonly": ["/usr", "/etc", *([] if spec.writable else ["/app"])],
        "filter": compile_filter().hex(),
        "watch": None if group else {"memory": spec.memory_mb * MEGABYTE, "processes": spec.processes},
    }
    started = _start(
        lambda descriptor: _command(spec, attempt, layout, place, descriptor), config, place, undo
    )
    hello = started.hello
    _verify(hello)
    if group is not None:
        group.add(started.pid)
    sandbox = Sandbox(
        spec,
        backend=attempt.backend,
        isolated=True,
        state=place,
        env=env,
        control=started.control,
        monitor=started.monitor,
        pid=started.pid,
        network=hello["namespaces"]["net"],
        user_namespace=attempt.user_namespace,
        group=group,
    )
    if found is not None:
        undo.callback(sandbox.close)
        sandbox.open_registries(found)
    return sandbox


def _start_plain(spec: SandboxSpec, place: State, undo: contextlib.ExitStack) -> Sandbox:
    sandbox_env = PlainSandbox.prepare(spec, place)
    config = {
        "isolated": False,
        "filter": "",
        "watch": {"memory": spec.memory_mb * MEGABYTE, "processes": spec.processes},
    }
    init = str(Path(__file__).with_name("init.py"))
    command = [sys.executable, "-I", "-S", init]
    started = _start(lambda descriptor: [*command, str(descriptor)], config, place, undo)
    return PlainSandbox(
        spec,
        backend="plain",
        isolated=False,
        state=place,
        env=sandbox_env,
        control=started.control,
        monitor=started.monitor,
        pid=started.pid,
        network=started.hello["namespaces"]["net"],
        user_namespace=False,
        group=None,
    )


def _command(spec: SandboxSpec, attempt: Attempt, layout: Layout, place: State, descriptor: int) -> list[str]:
    init = [root.PYTHON, "-I", "-S", root.INIT, str(descriptor)]
    if attempt.backend == "bubblewrap":
        return bubblewrap.arguments(
            layout,
            init,
            hostname=spec.hostname,
            user_namespace=attempt.user_namespace,
            as_root=spec.as_root,
        )
    return unshare.arguments(layout, init, hostname=spec.hostname, place=place / "builder")


@dataclass(frozen=True, slots=True)
class _Started:
    control: socket.socket
    monitor: subprocess.Popen[bytes]
    pid: int
    hello: dict[str, Any]


def _start(command: Any, config: Mapping[str, Any], place: State, undo: contextlib.ExitStack) -> _Started:
    """Start the first process and hear what it has found.

    Its number comes as the credentials of its message: the kernel says it, and says it in the host's terms.
    """
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    undo.callback(control.close)
    control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    control.send(json.dumps(config).encode())
    complaints = place / "start.log"
    with theirs, complaints.open("wb") as errors:
        monitor = subprocess.Popen(
            command(theirs.fileno()),
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
            env={"PATH": os.environ.get("PATH", os.defpath)},
        )
    undo.callback(_reap, monitor)
    if not readable(control.fileno(), START_SECONDS):
        monitor.kill()
        raise SandboxError(
            f"the sandbox did not start within {START_SECONDS:g} seconds; is the machine overloaded?"
        )
    pid, message = 0, b""
    ancillary: list[tuple[int, int, bytes]] = []
    with contextlib.suppress(ConnectionResetError):  # it ended before it had read what it was told
        message, ancillary, _, _ = control.recvmsg(1 << 16, socket.CMSG_SPACE(CREDENTIALS.size))
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            pid = CREDENTIALS.unpack(data)[0]
    if not message or not pid:
        monitor.wait(START_SECONDS)
        said = complaints.read_text(errors="replace").strip().splitlines()
        raise BackendUnavailable(
            said[-1] if said else f"it ended with code {monitor.returncode} and said nothing"
        )
    undo.callback(_kill_namespace, pid, monitor)
    return _Started(control, monitor, pid, json.loads(message))


def _verify(hello: Mapping[str, Any]) -> None:
    """Refuse a sandbox whose walls did not hold."""
    faults = list(hello["faults"])
    for name, inode in hello["namespaces"].items():
        if inode == Path("/proc/self/ns", name).stat().st_ino:
            faults.append(f"the {name} namespace is the host's own")
    if faults:
        raise UnsafeSandbox(
            "the sandbox is not safe on this machine and was not opened: " + "; ".join(faults[:5])
        )


def _reap(monitor: subprocess.Popen[bytes]) -> None:
    try:
        monitor.wait(5)
    except subprocess.TimeoutExpired:
        monitor.kill()
        monitor.wait()


def _kill_namespace(pid: int, monitor: subprocess.Popen[bytes]) -> None:
    """Kill a first process that is not going to be used; while its monitor waits, its number cannot be another's."""
    if monitor.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)
