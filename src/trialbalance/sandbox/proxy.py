"""The only way out of a sandbox: a proxy on the host that lets package clients reach their registries and nothing else."""

from __future__ import annotations

import contextlib
import http.client
import logging
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from email.message import Message
from typing import IO, NamedTuple
from urllib.parse import urlsplit

from trialbalance.sandbox.forward import carry
from trialbalance.sandbox.registries import PORTS, Place

log = logging.getLogger(__name__)

PORT = 3128
HEAD_LIMIT = 64 << 10
PATIENCE = 120.0
ASKED = ("accept", "if-modified-since", "if-none-match", "if-range", "range", "user-agent")
ANSWERED = (
    "content-type",
    "content-length",
    "content-range",
    "etag",
    "last-modified",
    "location",
    "accept-ranges",
)


class Head(NamedTuple):
    """The first lines of a request."""

    method: str
    target: str
    headers: dict[str, str]


class Redirected(urllib.request.HTTPRedirectHandler):
    """Hands a redirection to the client, who must ask again: the new place may be one that is not let through."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


class RegistryProxy:
    """Serves a listening socket from threads of its own.

    ``CONNECT`` is let through to the places allowed. A plain ``GET`` or ``HEAD`` is carried out here, one for each
    connection, so that a connection cannot change its mind. ``reverse`` maps path prefixes to addresses, for clients that
    know a mirror but no proxy; the first that fits counts.
    """

    def __init__(self, listener: socket.socket, places: Iterable[Place], reverse: Mapping[str, str]) -> None:
        self.places = frozenset(places)
        self.reverse = dict(reverse)
        self.refused: list[str] = []
        """What was asked for and not let through, in order."""
        self._listener = listener
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._opener = urllib.request.build_opener(Redirected())
        self._thread = threading.Thread(target=self._accept, name="registry proxy", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening and cut what is open."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, self._tracked(client):
            client.settimeout(PATIENCE)
            try:
                head = read_head(client)
                if head is not None:
                    self._answer(client, head)
            except (OSError, ValueError) as error:
                log.debug("registry proxy: %s", error)

    @contextlib.contextmanager
    def _tracked(self, connection: socket.socket) -> Iterator[None]:
        with self._lock:
            self._open.add(connection)
        try:
            yield
        finally:
            with self._lock:
                self._open.discard(connection)

    def _answer(self, client: socket.socket, head: Head) -> None:
        if head.method == "CONNECT":
            host, _, port = head.target.rpartition(":")
            place = Place(host.strip("[]").lower(), int(port))
            if place not in self.places:
                self._refuse(client, head)
                return
            self._tunnel(client, place)
            return
        url = self._address(head)
        if url is None or head.method not in ("GET", "HEAD"):
            self._refuse(client, head)
            return
        self._fetch(client, head, url)

    def _address(self, head: Head) -> str | None:
        """The address that a plain request means, if it is let through."""
        if head.target.startswith("/"):
            for prefix, base in self.reverse.items():
                if head.target.startswith(prefix + "/") and "/../" not in head.target:
                    return base + head.target.removeprefix(prefix)
            return None
        parts = urlsplit(head.target)
        if parts.scheme not in PORTS or "@" in parts.netloc:
            return None
        place = Place((parts.hostname or "").lower(), parts.port or PORTS[parts.scheme])
        return head.target if place in self.places else None

    def _refuse(self, client: socket.socket, head: Head) -> None:
        line = f"{head.method} {head.target}"
        self.refused.append(line)
        log.info("registry proxy refused %s", line)
        text = b"This sandbox reaches package registries only.\n"
        client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\n" + ending(len(text)) + text)

    def _tunnel(self, client: socket.socket, place: Place) -> None:
        try:
            upstream = dial(place)
        except OSError as error:
            text = f"{place.host}: {error}\n".encode()
            client.sendall(
                b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain\r\n" + ending(len(text)) + text
            )
            return
        with upstream, self._tracked(upstream):
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            carry(client, upstream)

    def _fetch(self, client: socket.socket, head: Head, url: str) -> None:
        headers = {name: value for name, value in head.headers.items() if name in ASKED}
        request = urllib.request.Request(url, headers=headers, method=head.method)
        try:
            answer: http.client.HTTPResponse | urllib.error.HTTPError = self._opener.open(
                request, timeout=PATIENCE
            )
        except urllib.error.HTTPError as error:
            answer = error
        except (OSError, http.client.HTTPException) as error:
            text = f"{url}: {error}\n".encode()
            client.sendall(
                b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain\r\n" + ending(len(text)) + text
            )
            return
        with answer:
            lines = [f"HTTP/1.1 {answer.status} {answer.reason}"]
            lines += [f"{name}: {answer.headers[name]}" for name in ANSWERED if answer.headers.get(name)]
            client.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1", "replace"))
            if head.method == "GET":
                while piece := answer.read(1 << 16):
                    client.sendall(piece)


def ending(length: int) -> bytes:
    """The headers that end a short answer of our own."""
    return f"Content-Length: {length}\r\nConnection: close\r\n\r\n".encode()


def read_head(client: socket.socket) -> Head | None:
    """Read a request's head and nothing of what follows it; None when the client leaves."""
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        if len(data) > HEAD_LIMIT:
            raise ValueError("the head of a request is too long")
        seen = client.recv(HEAD_LIMIT, socket.MSG_PEEK)
        if not seen:
            return None
        end = (data + seen).find(b"\r\n\r\n")
        taken = len(seen) if end < 0 else end + 4 - len(data)
        data += client.recv(taken)
    first, *rest = data.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)
    }
    return Head(method, target, headers)


def dial(place: Place) -> socket.socket:
    """Connect to a place, through the host's own proxy where the host has one."""
    own = urllib.request.getproxies().get("https")
    if not own or urllib.request.proxy_bypass(place.host):
        return socket.create_connection(place, timeout=PATIENCE)
    parts = urlsplit(own if "://" in own else f"http://{own}")
    upstream = socket.create_connection(
        (parts.hostname or "", parts.port or PORTS.get(parts.scheme, 80)), timeout=PATIENCE
    )
    try:
        upstream.sendall(
            f"CONNECT {place.host}:{place.port} HTTP/1.1\r\nHost: {place.host}:{place.port}\r\n\r\n".encode()
        )
        answer = http.client.HTTPResponse(upstream, method="CONNECT")
        answer.begin()
        if answer.status != 200:
            raise OSError(f"the host's proxy answered {answer.status}")
    except BaseException:
        upstream.close()
        raise
    return upstream
