"""An isolated place for one trial, and everything that can be done in it."""

from __future__ import annotations

import atexit
import contextlib
import errno
import logging
import os
import selectors
import signal
import socket
import subprocess
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from trialbalance.sandbox import clients, outside
from trialbalance.sandbox.browser import BrowserLauncher, kill_browsers, make_launcher
from trialbalance.sandbox.cgroup import ControlGroup
from trialbalance.sandbox.channel import Channel, readable
from trialbalance.sandbox.errors import RequestLost, RequestRefused, SandboxClosed, SandboxError
from trialbalance.sandbox.forward import Forward
from trialbalance.sandbox.process import PATIENCE, Process, Terminal
from trialbalance.sandbox.proxy import PORT, RegistryProxy
from trialbalance.sandbox.pump import Drain, Pump
from trialbalance.sandbox.registries import Registries
from trialbalance.sandbox.run import Run
from trialbalance.sandbox.spec import NOTHING, Completed, SandboxSpec, Usage
from trialbalance.sandbox.state import State

log = logging.getLogger(__name__)

OUTPUT_LIMIT = 8 << 20
LOG_LIMIT = 64 << 20
NOT_FOUND = 127
NOT_EXECUTABLE = 126
PRIVILEGED = 1024
"""Ports below need a capability, which an ordinary user inside does not have."""


class Closer(Protocol):
    """Something that ends with its sandbox."""

    def close(self) -> None: ...


C = TypeVar("C", bound=Closer)
_open: weakref.WeakSet[Sandbox] = weakref.WeakSet()


class Sandbox:
    """A place made by `open_sandbox`. Close it, or use it as a context manager; either leaves nothing behind.

    All methods may be called from several threads at once.
    """

    def __init__(
        self,
        spec: SandboxSpec,
        *,
        backend: str,
        isolated: bool,
        state: State,
        env: Mapping[str, str],
        control: socket.socket,
        monitor: subprocess.Popen[bytes],
        pid: int,
        network: int,
        user_namespace: bool,
        group: ControlGroup | None,
    ) -> None:
        self.spec = spec
        self.backend = backend
        self.isolated = isolated
        """False when nothing keeps what runs here from the rest of the machine; results must say so."""
        self.state = state
        self.env = dict(env)
        self.pid = pid
        """The host's number of the first process."""
        self.network = network
        """The inode of the network namespace."""
        self.user_namespace = user_namespace
        self._pidfd = os.pidfd_open(pid)
        self._control = control
        self._monitor = monitor
        self._group = group
        self._pump = Pump()
        self._lock = threading.RLock()
        self._processes: list[Process] = []
        self._closers: list[Closer] = []
        self._registries: RegistryProxy | None = None
        self._frozen = False
        self._closed = False
        _open.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        """Whether its first process runs."""
        return not self._closed and not readable(self._pidfd, 0)

    # Commands

    def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str = "/app",
        env: Mapping[str, str] = NOTHING,
        stdin: str | bytes | None = None,
        timeout: float | None = None,
        output_limit: int = OUTPUT_LIMIT,
    ) -> Completed:
        """Run a command to its end.

        When ``timeout`` seconds have passed everything that came of it is killed, even what has detached itself. What the
        command leaves running in the background when it ends by itself goes on. Of each stream the first ``output_limit``
        bytes are kept. A command that cannot be started ends with 127 or 126 and says why on standard error, as in a shell.
        """
        reading, writing = os.pipe(), os.pipe()
        pipes = [reading[0], writing[0]]
        feed = os.pipe() if stdin is not None else None
        theirs = [*([feed[0]] if feed else []), reading[1], writing[1]]
        try:
            request = self._request(argv, cwd, env) | {"stdin": feed is not None}
            channel, _ = self._start(request, theirs)
        except RequestRefused as refused:
            for descriptor in (*pipes, *([feed[1]] if feed else [])):
                os.close(descriptor)
            return _not_started(refused)
        except BaseException:
            for descriptor in (*pipes, *([feed[1]] if feed else [])):
                os.close(descriptor)
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        data = stdin.encode() if isinstance(stdin, str) else stdin or b""
        with channel:
            run = Run(channel, pipes, feed[1] if feed else -1, data, output_limit, self.kill_everything)
            try:
                run.until(None if timeout is None else time.monotonic() + timeout)
            finally:
                for descriptor in run.left():
                    self._pump.add(Drain(descriptor))
        return run.completed()

    def spawn(
        self,
        argv: Sequence[str],
        *,
        cwd: str = "/app",
        env: Mapping[str, str] = NOTHING,
        log: Path | None = None,
        log_limit: int = LOG_LIMIT,
    ) -> Process:
        """Start a command and leave it running; what it prints is appended to ``log`` on the host, up to a limit.

        :raises SandboxError: it cannot be started.
        """
        mine, theirs = os.pipe()
        try:
            drain = Drain(mine, log, log_limit)
        except OSError as error:
            os.close(mine)
            os.close(theirs)
            raise SandboxError(f"log {log} cannot be written: {error.strerror}") from error
        try:
            channel, answer = self._start(self._request(argv, cwd, env) | {"stdin": False}, [theirs, theirs])
        except RequestRefused as refused:
            drain.close()
            raise SandboxError(f"cannot start {argv[0]}: {refused}") from refused
        except BaseException:
            drain.close()
            raise
        finally:
            os.close(theirs)
        self._pump.add(drain)
        return self._keep(Process(channel, answer["pid"], self.kill_everything, drain))

    def pty(
        self,
        argv: Sequence[str] = ("/bin/bash", "-l"),
        *,
        cwd: str = "/app",
        env: Mapping[str, str] = NOTHING,
        rows: int = 40,
        columns: int = 120,
    ) -> Terminal:
        """Start a command on a terminal of its own."""
        request = self._request(argv, cwd, {"TERM": "xterm-256color", **env}) | {
            "tty": [rows, columns],
            "stdin": False,
        }
        channel = self._channel()
        try:
            frame = channel.ask(request)
        except BaseException as error:
            channel.close()
            if isinstance(error, RequestRefused):
                raise SandboxError(f"cannot start {argv[0]}: {error}") from error
            raise
        terminal = Terminal(channel, frame.message["pid"], self.kill_everything, frame.descriptors[0])
        self._keep(terminal)
        return terminal

    def _request(self, argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> dict[str, Any]:
        if not argv:
            raise SandboxError("no command was given")
        limits = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": self.spec.file_mb << 20}
        return {
            "op": "exec",
            "argv": [self.inside(part) if number == 0 else part for number, part in enumerate(argv)],
            "cwd": self.inside(cwd),
            "env": {**self.env, **env},
            "limits": limits,
        }

    def inside(self, path: str) -> str:
        """A path as the backend's processes see it; only the ``plain`` backend changes any."""
        return path

    def _start(
        self, request: Mapping[str, Any], descriptors: Sequence[int]
    ) -> tuple[Channel, dict[str, Any]]:
        channel = self._channel()
        try:
            return channel, channel.ask(request, descriptors).message
        except BaseException as error:
            if isinstance(error, (RequestLost, TimeoutError)) and self.alive:
                # It was quick enough to kill or to stop all that it could, even its supervisor before that had answered.
                return channel, {"pid": 0}
            channel.close()
            raise

    def _keep(self, process: Process) -> Process:
        with self._lock:
            self._processes = [known for known in self._processes if not known.gone]
            self._processes.append(process)
            if self._closed:
                process.lost()
        return process

    def _channel(self, order: bytes = b"r") -> Channel:
        if self._closed:
            raise SandboxClosed("the sandbox is closed")
        if self._frozen:
            raise SandboxClosed(
                "the sandbox is frozen: its processes were stopped, and only its files are left"
            )
        return Channel(self._control, order)

    # Network

    def listen(self, port: int, backlog: int = 128) -> socket.socket:
        """A socket that listens on 127.0.0.1:port inside and belongs to the host.

        The first process of the sandbox makes it and hands it over: nothing of the host enters the sandbox's namespaces,
        no process relays, and it works the same for root and for anybody else. Only where an ordinary user inside may not
        have a port below 1024, a process of the host enters the network, listens and ends.

        :raises OSError: the port is taken.
        """
        if port < PRIVILEGED and not self.spec.as_root:
            if not self.alive:
                raise SandboxClosed("the sandbox is closed")
            return outside.listen(self.pid, self.network, port, backlog)
        with self._channel() as channel:
            return channel.ask_socket({"op": "listen", "host": "127.0.0.1", "port": port, "backlog": backlog})

    def connect(self, port: int, timeout: float = 5.0) -> socket.socket:
        """A socket of the host that is connected to 127.0.0.1:port inside.

        :raises ConnectionRefusedError: nobody listens there.
        :raises TimeoutError: who listens there does not accept.
        """
        request = {"op": "connect", "host": "127.0.0.1", "port": port, "timeout": timeout}
        with self._channel() as channel:
            return channel.ask_socket(request, timeout + PATIENCE)

    def wait_for_port(self, port: int, timeout: float, process: Process | None = None) -> bool:
        """Wait until something listens on 127.0.0.1:port inside, without connecting to it.

        False when the time is over, or when ``process`` has ended and nothing listens.
        """
        deadline = time.monotonic() + timeout
        with self._channel() as channel:
            channel.send({"op": "await", "port": port, "timeout": timeout})
            while True:
                left = deadline + PATIENCE - time.monotonic()
                try:
                    frame = channel.receive(min(left, 0.2) if process else left)
                except TimeoutError:
                    if process is not None and process.poll() is not None:
                        return False
                    if left <= 0.2:
                        raise
                    continue
                if frame is None:
                    raise SandboxClosed("the sandbox was closed while waiting for a port")
                return bool(frame.message.get("listening"))

    def forward(self, port: int) -> Forward:
        """A loopback port of the host that leads to 127.0.0.1:port inside, until either is closed."""
        self._channel().close()
        return self._attach(Forward(lambda: self.connect(port), port))

    def open_registries(self, found: Registries) -> None:
        """Serve the proxy to the package registries, on a socket that listens inside."""
        self._registries = self._attach(
            RegistryProxy(self.listen(PORT), found.places(), clients.reverse(found))
        )

    @property
    def refused(self) -> tuple[str, ...]:
        """What was asked of the registry proxy and not let through."""
        return tuple(self._registries.refused) if self._registries else ()

    def _attach(self, closer: C) -> C:
        with self._lock:
            self._closers.append(closer)
        return closer

    # Browser

    def browser(self, chromium: Path | None = None) -> BrowserLauncher:
        """A browser for this sandbox's network that shares nothing else with it; it ends with the sandbox.

        :raises BackendUnavailable: there is no Chromium on this machine.
        """
        self._channel().close()
        return make_launcher(
            self.state,
            backend=self.backend,
            user_namespace=self.user_namespace,
            pid=self.pid,
            network=self.network,
            chromium=chromium,
        )

    # End

    def usage(self) -> Usage:
        """What has been used so far; unknown where no control group keeps count."""
        if self._group is None:
            return Usage(None, None)
        return Usage(self._group.peak_memory(), self._group.out_of_memory_kills())

    def kill_everything(self) -> None:
        """Kill all that runs inside, at once; the sandbox can be used again.

        The first process does it, which nothing inside can stop, kill or trace.

        :raises SandboxError: something hangs in the kernel.
        """
        if self._closed:
            return
        with Channel(self._control, b"k") as channel:
            try:
                answer = channel.receive(PATIENCE)
            except TimeoutError:
                answer = None
        if answer is None and not self._closed:
            raise SandboxError("the processes of the sandbox could not be killed; close it")

    def freeze(self) -> None:
        """Stop everything inside at once and for good. Files stay as they are, and can be copied without a race."""
        with self._lock:
            if self._closed:
                raise SandboxClosed("the sandbox is closed")
            if self._frozen:
                return
            self._frozen = (
                True  # from here on no request is sent, and those sent are answered before the killing
            )
            self.kill_everything()
        for process in list(self._processes):
            process.lost()

    def close(self) -> None:
        """Kill what runs inside and remove every trace of it from the host. May be called twice, and from another thread."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        _open.discard(self)
        kill_browsers(self.state)
        for closer in reversed(self._closers):
            with contextlib.suppress(OSError):
                closer.close()
        self._control.close()
        if self.isolated:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        try:
            self._monitor.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._monitor.kill()
            self._monitor.wait()
        _await_end(self._pidfd)
        os.close(self._pidfd)
        for process in list(self._processes):
            process.lost()
        self._pump.close()
        if self._group is not None:
            try:
                self._group.remove()
            except OSError as error:
                log.warning("control group of %s could not be removed: %s", self.state.name, error)
        self.state.remove()


def _not_started(refused: RequestRefused) -> Completed:
    code = NOT_FOUND if refused.number == errno.ENOENT else NOT_EXECUTABLE
    return Completed(code, "", f"{refused}\n")


def _await_end(pidfd: int) -> None:
    """Wait until a process is dead; the kernel has then killed its whole process namespace."""
    with selectors.DefaultSelector() as selector:
        selector.register(pidfd, selectors.EVENT_READ)
        selector.select(PATIENCE)


@atexit.register
def _close_all() -> None:
    for sandbox in list(_open):
        with contextlib.suppress(Exception):
            sandbox.close()
