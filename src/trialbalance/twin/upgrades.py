"""HTTP/1.1 requests that offer another protocol: the offer is not taken, the request is answered.

Java's `HttpClient` offers HTTP/2 with its first plain request (`Upgrade: h2c`), headers and body in packets of
their own; httptools takes what follows such an offer for the other protocol, and the body would be lost.
Source: https://www.rfc-editor.org/rfc/rfc9110#name-upgrade ("a server MAY ignore a received Upgrade")
"""

from __future__ import annotations

import re

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_START = re.compile(rb"[A-Z]+ \S+ HTTP/1\.1\r\n")
_OFFER = re.compile(rb"\r\nupgrade(?=[ \t]*:[ \t]*h2c[ \t]*\r\n)", re.IGNORECASE)


class Protocol(HttpToolsProtocol):
    """uvicorn's protocol, deaf to offers of HTTP/2; WebSockets are upgraded as ever."""

    def data_received(self, data: bytes) -> None:
        """Take the next bytes of the connection."""
        if (b"h2c" in data or b"H2C" in data) and _START.match(data):
            head, end, body = data.partition(b"\r\n\r\n")
            data = _OFFER.sub(b"\r\nx-ignored-upgrade", head + end, count=1) + body
        super().data_received(data)
