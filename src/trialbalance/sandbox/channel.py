"""The host's end of one request to the first process of a sandbox; ``init.py`` tells the protocol."""

from __future__ import annotations

import contextlib
import errno
import json
import select
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from trialbalance.sandbox.errors import RequestLost, RequestRefused, SandboxClosed

CLOSE_ON_EXEC = 0x40000000  # MSG_CMSG_CLOEXEC, which the socket module does not name


def readable(descriptor: int, timeout: float | None) -> bool:
    """Wait until a descriptor can be read, or is at its end."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(None if timeout is None else timeout * 1000))


class Frame(NamedTuple):
    """One message and the descriptors that came with it."""

    message: dict[str, Any]
    descriptors: list[int]


class Channel:
    """A stream socket that carries the frames of one request."""

    def __init__(self, control: socket.socket, order: bytes = b"r") -> None:
        self.socket, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(control, [order], [theirs.fileno()])
        except OSError as error:
            self.socket.close()
            raise SandboxClosed("the sandbox is closed, or its first process is gone") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def fileno(self) -> int:
        return self.socket.fileno()

    def close(self) -> None:
        self.socket.close()

    def send(self, message: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Send one frame; a channel that the other end has left takes it silently."""
        data = json.dumps(message).encode()
        data = struct.pack(">I", len(data)) + data
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            sent = socket.send_fds(self.socket, [data], list(descriptors)) if descriptors else 0
            self.socket.sendall(data[sent:])

    def receive(self, timeout: float | None = None) -> Frame | None:
        """The next frame, or None when the other end has left.

        :raises TimeoutError: nothing came in time.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        data = b""
        wanted = 4
        descriptors: list[int] = []
        while len(data) < wanted:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not readable(self.socket.fileno(), left):
                raise TimeoutError("the sandbox did not answer in time")
            try:
                piece, found, _, _ = socket.recv_fds(self.socket, wanted - len(data), 8, CLOSE_ON_EXEC)
            except ConnectionResetError:
                return None
            descriptors += found
            if not piece:
                return None
            data += piece
            if wanted == 4 and len(data) == 4:
                wanted = 4 + int(struct.unpack(">I", data)[0])
        return Frame(json.loads(data[4:]), descriptors)

    def ask(self, message: Mapping[str, Any], descriptors: Sequence[int] = (), timeout: float = 60) -> Frame:
        """Send a request and wait for its first answer.

        :raises RequestRefused: the answer is an error.
        """
        self.send(message, descriptors)
        frame = self.receive(timeout)
        if frame is None:
            raise RequestLost("the sandbox was closed, or what served a request inside it was killed")
        if "error" in frame.message:
            raise RequestRefused(frame.message["message"], frame.message["error"])
        return frame

    def ask_socket(self, message: Mapping[str, Any], timeout: float = 60) -> socket.socket:
        """Send a request that is answered by a socket.

        :raises OSError: as the operating system inside said.
        """
        try:
            frame = self.ask(message, timeout=timeout)
        except RequestRefused as refused:
            if refused.number == errno.ETIMEDOUT:
                raise TimeoutError(refused.number, str(refused)) from None
            raise OSError(refused.number, str(refused)) from None
        return socket.socket(fileno=frame.descriptors[0])
