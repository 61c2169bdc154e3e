"""One command being followed to its end: its input fed, its output kept, its time limited."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable

from trialbalance.sandbox.channel import Channel
from trialbalance.sandbox.process import KILLED, PATIENCE
from trialbalance.sandbox.spec import Completed

SETTLING = 0.2
"""How long output is still read when a command has ended but something of it holds the pipe, seconds."""
TIMED_OUT = 124


class Run:
    """A command that was started. Call `until`, then `left`, then `completed`."""

    def __init__(
        self,
        channel: Channel,
        pipes: list[int],
        feed: int,
        data: bytes,
        limit: int,
        kill_everything: Callable[[], None],
    ) -> None:
        self.kill_everything = kill_everything
        self.channel = channel
        self.output: dict[int, bytearray] = {descriptor: bytearray() for descriptor in pipes}
        self.pipes = pipes
        self.feed = feed
        self.data = memoryview(data)
        self.limit = limit
        self.truncated = False
        self.timed_out = False
        self.code: int | None = None
        self.open = set(pipes)
        self.selector = selectors.DefaultSelector()
        for descriptor in pipes:
            self.selector.register(descriptor, selectors.EVENT_READ)
        self.selector.register(channel, selectors.EVENT_READ)
        if feed >= 0:
            os.set_blocking(feed, False)
            self.selector.register(feed, selectors.EVENT_WRITE)

    def until(self, deadline: float | None) -> None:
        """Move data until the command has ended and its output is read, or the deadline has passed."""
        settled: float | None = None
        while self.code is None or self.open:
            now = time.monotonic()
            limit = deadline if settled is None else settled
            if limit is not None and now >= limit:
                if settled is not None:
                    return
                self.kill()
                settled = time.monotonic() + SETTLING
                continue
            for key, _ in self.selector.select(None if limit is None else limit - now):
                self.move(key.fd)
            if self.code is not None and settled is None:
                settled = time.monotonic() + SETTLING

    def move(self, descriptor: int) -> None:
        """Act on one descriptor that is ready."""
        if descriptor == self.feed:
            self.write()
        elif descriptor in self.open:
            piece = os.read(descriptor, 1 << 16)
            if not piece:
                self.end(descriptor)
            room = self.limit - len(self.output[descriptor])
            self.output[descriptor] += piece[:room]
            self.truncated = self.truncated or len(piece) > room
        else:
            frame = self.channel.receive(PATIENCE)
            if frame is None or "exit" in frame.message:
                self.selector.unregister(self.channel)
                self.code = KILLED if frame is None else frame.message["exit"]

    def write(self) -> None:
        """Feed standard input."""
        try:
            written = os.write(self.feed, self.data[: 1 << 16])
        except BlockingIOError:
            return
        except BrokenPipeError:
            written = len(self.data)
        self.data = self.data[written:]
        if not self.data:
            self.selector.unregister(self.feed)
            os.close(self.feed)
            self.feed = -1

    def kill(self) -> None:
        """The time is over: kill the tree."""
        self.timed_out = True
        self.channel.send({"kill": True})
        deadline = time.monotonic() + PATIENCE
        self.selector.unregister(self.channel)
        try:
            while (frame := self.channel.receive(max(0.0, deadline - time.monotonic()))) is not None:
                if "killed" in frame.message or "done" in frame.message:
                    break
            else:
                self.kill_everything()  # something inside has killed the supervisor,
        except TimeoutError:
            self.kill_everything()  # or stopped it
        self.code = TIMED_OUT

    def end(self, descriptor: int) -> None:
        self.selector.unregister(descriptor)
        self.open.discard(descriptor)
        os.close(descriptor)

    def left(self) -> list[int]:
        """Stop following; the descriptors that something inside still writes to."""
        self.selector.close()
        if self.feed >= 0:
            os.close(self.feed)
        return sorted(self.open)

    def completed(self) -> Completed:
        stdout, stderr = (self.output[descriptor].decode(errors="replace") for descriptor in self.pipes)
        return Completed(self.code or 0, stdout, stderr, self.timed_out, self.truncated)
