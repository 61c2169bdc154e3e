"""HTTP/1.1 as the twin speaks it: uvicorn's protocol, with two things of our own.

Requests that offer another protocol: the offer is not taken, the request is answered. Java's `HttpClient` offers
HTTP/2 with its first plain request (`Upgrade: h2c`), headers and body in packets of their own; httptools takes what
follows such an offer for the other protocol, and the body would be lost.
Source: https://www.rfc-editor.org/rfc/rfc9110#name-upgrade ("a server MAY ignore a received Upgrade")

Requests that an application can answer at once: an API request waits for nothing between its last byte and its
answer, so it needs no task, no scope and no messages. It is answered where it is parsed, in one write. Everything
else (pages, WebSockets, preflights, large bodies, faults on demand) takes the ordinary way through ASGI.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import unquote

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

if TYPE_CHECKING:
    from trialbalance.twin.twin import Response

_START = re.compile(rb"[A-Z]+ \S+ HTTP/1\.1\r\n")
_OFFER = re.compile(rb"\r\nupgrade(?=[ \t]*:[ \t]*h2c[ \t]*\r\n)", re.IGNORECASE)
_METHODS = frozenset({b"GET", b"POST", b"DELETE"})
LARGE = 1024 * 1024
"""Bodies of more bytes than this go through ASGI, which slows their sender down while they come in."""

CORS = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, HEAD, PUT, PATCH, POST, DELETE"),
    (
        b"access-control-expose-headers",
        b"Request-Id, Stripe-Manage-Version, Stripe-Should-Retry, X-Stripe-External-Auth-Required",
    ),
    (b"access-control-max-age", b"300"),
)
"""What an answer tells a browser whose page came from elsewhere."""
_CORS = b"".join(b"%s: %s\r\n" % header for header in CORS)


class Prompt(Protocol):
    """An application that answers some requests at once."""

    def at_once(self, path: str) -> bool:
        """Whether a request for `path` would be answered without waiting for anything."""

    def answer(self, method: str, path: str, query: str, body: bytes, headers: Mapping[str, str]) -> Response:
        """The answer; header names are lower case. Never raises."""


class _Request(NamedTuple):
    method: str
    path: str
    query: str
    headers: dict[str, str]
    keep_alive: bool


class TwinProtocol(HttpToolsProtocol):
    """uvicorn's protocol, deaf to offers of HTTP/2, with a short way for API requests."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        application: Any = self.config.app
        self._prompt: Prompt | None = application if hasattr(application, "at_once") else None
        self._request: _Request | None = None
        self._body = b""

    def data_received(self, data: bytes) -> None:
        """Take the next bytes of the connection."""
        if (b"h2c" in data or b"H2C" in data) and _START.match(data):
            head, end, body = data.partition(b"\r\n\r\n")
            data = _OFFER.sub(b"\r\nx-ignored-upgrade", head + end, count=1) + body
        super().data_received(data)

    # What the parser found

    def on_message_begin(self) -> None:
        """A request begins; what ASGI needs of it is made when it turns out to be needed."""
        self.url = b""
        self.expect_100_continue = False
        self.headers = []
        self._request = None
        if self._prompt is None:
            super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Choose the way of a request."""
        if self._prompt is not None:
            self._request = self._short_way(self._prompt)
            if self._request is not None:
                self._body = b""
                return
            url, headers, expects = self.url, self.headers, self.expect_100_continue
            super().on_message_begin()
            self.url, self.expect_100_continue = url, expects
            self.headers += headers
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Keep a part of a body."""
        if self._request is None:
            super().on_body(body)
        else:
            self._body += body

    def on_message_complete(self) -> None:
        """Answer a request of the short way; the other way has begun already."""
        if self._request is None:
            super().on_message_complete()
        else:
            request, self._request = self._request, None
            self._reply(request)

    # The short way

    def _short_way(self, application: Prompt) -> _Request | None:
        parser, url = self.parser, self.url
        method = parser.get_method()
        busy = self.cycle is not None and not self.cycle.response_complete
        if (
            url[:4] not in (b"/v1/", b"/v2/")
            or method not in _METHODS
            or busy
            or self.expect_100_continue
            or self.flow.write_paused
            or b"#" in url
            or parser.get_http_version() != "1.1"
            or parser.should_upgrade()
        ):
            return None
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in self.headers}
        if "transfer-encoding" in headers or int(headers.get("content-length", 0)) > LARGE:
            return None
        path, _, query = url.decode("latin-1").partition("?")
        if "%" in path:
            path = unquote(path)
        if not application.at_once(path):
            return None
        return _Request(method.decode(), path, query, headers, bool(parser.should_keep_alive()))

    def _reply(self, request: _Request) -> None:
        assert self._prompt is not None
        method, path, query, headers, keep_alive = request
        answer = self._prompt.answer(method, path, query, self._body, headers)
        if answer.lost is not None:  # a fault that was asked for while the request came in
            self.transport.abort()
            return
        lines = [STATUS_LINE[answer.status]]
        lines += [b"%s: %s\r\n" % header for header in self.server_state.default_headers]
        lines += [f"{name}: {value}\r\n".encode("latin-1") for name, value in answer.headers.items()]
        if "origin" in headers:
            lines.append(_CORS)
        if not keep_alive:
            lines.append(b"connection: close\r\n")
        lines.append(b"content-length: %d\r\n\r\n" % len(answer.body))
        lines.append(answer.body)
        self.transport.write(b"".join(lines))
        self.server_state.total_requests += 1
        if not keep_alive:
            self.transport.close()
        elif not self.transport.is_closing():
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )
