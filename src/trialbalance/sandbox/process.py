"""Commands that keep running in a sandbox."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import struct
import termios
import threading
import time
from collections.abc import Callable
from typing import Self

from trialbalance.sandbox.channel import Channel, readable
from trialbalance.sandbox.pump import Drain

KILLED = 128 + signal.SIGKILL
PATIENCE = 5.0


class Process:
    """A command that was spawned, and all that came of it."""

    def __init__(
        self, channel: Channel, pid: int, kill_everything: Callable[[], None], drain: Drain | None = None
    ) -> None:
        self.pid = pid
        """Its number inside the sandbox."""
        self._channel = channel
        self._kill_everything = kill_everything
        self._drain = drain
        self._code: int | None = None
        self._gone = False
        self._escaped = False
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.kill()

    @property
    def gone(self) -> bool:
        """Whether it and all that came of it have ended."""
        return self._gone

    def poll(self) -> int | None:
        """Its exit code, or None while it runs."""
        with self._lock:
            self._receive(0)
            return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end, and for what it printed; answers the exit code.

        :raises TimeoutError: it still runs.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while self._code is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError(
                    f"process {self.pid} of the sandbox is still running after {timeout:g} seconds"
                )
            if (descriptor := self._channel.fileno()) >= 0:
                readable(descriptor, 0.25 if left is None else min(left, 0.25))
            with self._lock:
                self._receive(0)
        if self._drain is not None:
            self._drain.ended.wait(0.2)
        return self._code

    def signal(self, number: int) -> None:
        """Send a signal to the whole tree."""
        with self._lock:
            if not self._gone:
                self._channel.send({"signal": int(number)})

    def terminate(self, grace: float = 5.0) -> int:
        """Ask the whole tree to stop, kill what is left after ``grace`` seconds; answers the exit code."""
        self.signal(signal.SIGTERM)
        deadline = time.monotonic() + grace
        with contextlib.suppress(TimeoutError):
            self.wait(grace)
            with self._lock:
                while not self._gone and (left := deadline - time.monotonic()) > 0:
                    self._receive(left)
        return self.kill()

    def kill(self) -> int:
        """Kill the whole tree at once, including what has detached itself; answers the exit code.

        A process inside may have stopped or killed the supervisor that knows the tree. Then everything in the sandbox is
        killed, so that nothing lives on after it was said to be dead.
        """
        with self._lock:
            if not self._gone:
                self._channel.send({"kill": True})
                deadline = time.monotonic() + PATIENCE
                while not self._gone and (left := deadline - time.monotonic()) > 0:
                    self._receive(left)
            if not self._gone or self._escaped:
                self._kill_everything()
                self._leave(escaped=False)
            assert self._code is not None
        if self._drain is not None:
            self._drain.ended.wait(1)
        return self._code

    def lost(self) -> None:
        """The sandbox is gone, and the process with it."""
        with self._lock:
            self._receive(0)
            self._leave(escaped=False)

    def _leave(self, escaped: bool) -> None:
        """Nothing more will be heard; ``escaped`` when something may yet live."""
        self._gone = True
        self._escaped = escaped
        self._channel.close()
        if self._code is None:
            self._code = KILLED

    def _receive(self, timeout: float) -> None:
        """Take in one frame, if it comes; the lock is held."""
        if self._gone:
            return
        try:
            frame = self._channel.receive(timeout)
        except TimeoutError:
            return
        if frame is None:
            self._leave(escaped=True)
            return
        if frame.message.get("exit") is not None:
            self._code = frame.message["exit"]
        if "killed" in frame.message or "done" in frame.message:
            self._leave(escaped=False)


class Terminal(Process):
    """A command on a terminal of its own, for a person or an agent to type into."""

    def __init__(self, channel: Channel, pid: int, kill_everything: Callable[[], None], master: int) -> None:
        super().__init__(channel, pid, kill_everything)
        self._master = master

    def fileno(self) -> int:
        return self._master

    def read(self, size: int = 1 << 16) -> bytes:
        """What was printed; waits for something, and answers nothing at the end."""
        try:
            return os.read(self._master, size)
        except OSError as error:
            if error.errno == errno.EIO:
                return b""
            raise

    def write(self, data: bytes) -> None:
        """Type."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._master, view) :]

    def resize(self, rows: int, columns: int) -> None:
        """Tell the command that its window has another size."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def kill(self) -> int:
        code = super().kill()
        self._hang_up()
        return code

    def lost(self) -> None:
        super().lost()
        self._hang_up()

    def _hang_up(self) -> None:
        with self._lock:
            if self._master >= 0:
                os.close(self._master)
                self._master = -1
