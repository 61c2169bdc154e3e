"""A TCP port of the host that leads to a port inside a sandbox."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from collections.abc import Callable
from typing import Self

PIECE = 1 << 16


class Forward:
    """Accepts connections on a loopback port of the host and carries them to one inside.

    For people and browsers of the host; a program of ours rather takes `Sandbox.connect`.
    """

    def __init__(self, connect: Callable[[], socket.socket], target: int) -> None:
        self.target = target
        self._connect = connect
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._accept, name=f"forward to port {target}", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where a client on the host finds it."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening and cut the connections that are open."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client:
            try:
                inside = self._connect()
            except (
                Exception
            ):  # nobody listens inside, or the sandbox is closed: the client sees a closed connection
                return
            with inside:
                with self._lock:
                    if self._closed:
                        return
                    self._open |= {client, inside}
                try:
                    carry(client, inside)
                finally:
                    with self._lock:
                        self._open -= {client, inside}


def carry(one: socket.socket, other: socket.socket) -> None:
    """Copy bytes both ways until both sides have finished."""
    with selectors.DefaultSelector() as selector:
        selector.register(one, selectors.EVENT_READ, other)
        selector.register(other, selectors.EVENT_READ, one)
        while selector.get_map():
            for key, _ in selector.select():
                source, target = key.fileobj, key.data
                assert isinstance(source, socket.socket)
                try:
                    piece = source.recv(PIECE)
                    if piece:
                        target.sendall(piece)
                except OSError:
                    return
                if not piece:
                    selector.unregister(source)
                    with contextlib.suppress(OSError):
                        target.shutdown(socket.SHUT_WR)
