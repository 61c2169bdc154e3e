"""The way of webhooks into a sandbox: an HTTP proxy for the twin that only leads to the app's own network."""

from __future__ import annotations

import contextlib
import re
import selectors
import socket
import threading
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

_MAX_HEAD = 1 << 16
_PIECE = 1 << 16
_REFUSED = b"HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_LOCAL = ("127.0.0.1", "localhost", "::1", "[::1]")


class _Head(NamedTuple):
    """Where a proxied request wants to go, and how it reads at the server itself."""

    port: int
    head: bytes


class DeliveryProxy:
    """Takes `POST http://127.0.0.1:4242/webhook` and posts it to port 4242 inside the sandbox.

    Anything that is not plain HTTP to the loopback address is refused with 502: a webhook endpoint elsewhere
    does not exist in a trial.
    """

    def __init__(self, connect: Callable[[int], socket.socket]) -> None:
        self._connect = connect
        self._server = socket.create_server(("127.0.0.1", 0))
        self._closed = False
        self._thread = threading.Thread(target=self._accept, name="webhook deliveries", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The proxy's address on the host."""
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def close(self) -> None:
        """Stop taking deliveries."""
        if self._closed:
            return
        self._closed = True
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
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            client.settimeout(30)
            with contextlib.suppress(OSError):
                head, rest = _read_head(client)
                wanted = direct(head)
                if wanted is None:
                    client.sendall(_REFUSED)
                    return
                try:
                    inside = self._connect(wanted.port)
                except (
                    Exception
                ):  # nobody listens there, or the sandbox is gone: the delivery fails and is retried
                    client.sendall(_REFUSED)
                    return
                with inside:
                    inside.sendall(wanted.head + rest)
                    _carry(client, inside)


def direct(head: bytes) -> _Head | None:
    """A proxied request's head as its server wants to read it; None when it may not go through.

    The connection is closed after one request, because the next may want another port.
    """
    line, _, fields = head.partition(b"\r\n")
    match = re.fullmatch(rb"([A-Z]+) (http://\S+) (HTTP/1\.[01])", line)
    if match is None:
        return None
    try:
        url = urlsplit(match[2].decode("ascii"))
        port = url.port or 80
    except ValueError:
        return None
    if url.hostname not in _LOCAL:
        return None
    path = url.path or "/"
    if url.query:
        path += f"?{url.query}"
    kept = [
        field
        for field in fields.split(b"\r\n")
        if field and not field.lower().startswith((b"proxy-", b"connection:", b"keep-alive:"))
    ]
    kept.append(b"connection: close")
    request = b" ".join([match[1], path.encode("ascii"), match[3]])
    return _Head(port, b"\r\n".join([request, *kept]) + b"\r\n\r\n")


def _read_head(client: socket.socket) -> tuple[bytes, bytes]:
    received = b""
    while b"\r\n\r\n" not in received:
        piece = client.recv(_PIECE)
        if not piece or len(received) > _MAX_HEAD:
            raise OSError("no request")
        received += piece
    head, _, rest = received.partition(b"\r\n\r\n")
    return head, rest


def _carry(one: socket.socket, other: socket.socket) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(one, selectors.EVENT_READ, other)
        selector.register(other, selectors.EVENT_READ, one)
        while selector.get_map():
            ready = selector.select(timeout=60)
            if not ready:
                return
            for key, _ in ready:
                source, target = key.fileobj, key.data
                assert isinstance(source, socket.socket)
                piece = source.recv(_PIECE)
                if piece:
                    target.sendall(piece)
                    continue
                selector.unregister(source)
                with contextlib.suppress(OSError):
                    target.shutdown(socket.SHUT_WR)
