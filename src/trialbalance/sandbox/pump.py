"""Reads what programs in a sandbox print, so that they never block and never die of a closed pipe."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
from pathlib import Path

PIECE = 1 << 16


class Drain:
    """One pipe being read: into a file up to a limit, or to nowhere."""

    def __init__(self, descriptor: int, log: Path | None = None, limit: int = 0) -> None:
        self.descriptor = descriptor
        self.left = limit
        self.ended = threading.Event()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        self._file = os.open(log, flags, 0o644) if log else -1

    def read(self) -> bool:
        """Move one piece; False at the end of the pipe."""
        try:
            piece = os.read(self.descriptor, PIECE)
        except OSError:
            piece = b""
        if not piece:
            return False
        if self._file >= 0 and self.left > 0:
            kept = piece[: self.left]
            self.left -= len(kept)
            os.write(self._file, kept)
            if self.left == 0:
                os.write(self._file, b"\n[the log ends here: its size limit is reached]\n")
        return True

    def close(self) -> None:
        os.close(self.descriptor)
        if self._file >= 0:
            os.close(self._file)
        self.ended.set()


class Pump:
    """One thread that drains all pipes of a sandbox; it starts with the first."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._lock = threading.Lock()
        self._incoming: list[Drain] = []
        self._wake, self._woken = os.pipe()
        self._selector.register(self._wake, selectors.EVENT_READ)
        self._thread: threading.Thread | None = None
        self._closed = False

    def add(self, drain: Drain) -> Drain:
        """Drain a pipe from now on; its descriptor belongs to the pump."""
        with self._lock:
            if self._closed:
                drain.close()
                return drain
            self._incoming.append(drain)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="sandbox output", daemon=True)
                self._thread.start()
            os.write(self._woken, b"x")
        return drain

    def close(self) -> None:
        """Read what is left, then stop. Call it when the sandbox's processes are dead."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            os.write(self._woken, b"x")
        if self._thread is not None:
            self._thread.join()
        for descriptor in (self._wake, self._woken):
            os.close(descriptor)
        self._selector.close()

    def _run(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.fd == self._wake:
                    os.read(self._wake, 4096)
                    with self._lock:
                        for drain in self._incoming:
                            self._selector.register(drain.descriptor, selectors.EVENT_READ, drain)
                        self._incoming.clear()
                elif not key.data.read():
                    self._end(key.data)
            if self._closed:
                break
        for drain in [key.data for key in self._selector.get_map().values() if key.data is not None]:
            os.set_blocking(drain.descriptor, False)
            while drain.read():
                pass
            self._end(drain)

    def _end(self, drain: Drain) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(drain.descriptor)
        drain.close()
