"""The data plane: an ASGI application around one twin, and how it is served.

`/v1` and `/v2` go to `Twin.handle`; everything else to the pages. One event loop, one writer: a request is
answered in one piece, so nothing interleaves. Hosts are not looked at: in a trial `api.stripe.com` and its
sisters all resolve here, and their paths do not overlap.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import traceback
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any
from urllib.parse import parse_qs

import msgspec
import uvicorn

from trialbalance.twin.config import TlsFiles
from trialbalance.twin.protocol import CORS, TwinProtocol
from trialbalance.twin.twin import Response, Twin
from trialbalance.twin.webhooks import stripecli
from trialbalance.twin.webhooks.sender import Sender

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY = 20 * 1024 * 1024
TICK = 0.25
"""Seconds between looks at the due queue while no request comes in."""


class DataPlane:
    """The ASGI application that an SDK, curl or a browser talks to."""

    def __init__(self, twin: Twin) -> None:
        from trialbalance.twin.pages.app import create

        self.twin = twin
        self.pages: Asgi = create(twin)

    def exchange(self, twin: Twin) -> None:
        """Serve another twin from now on."""
        from trialbalance.twin.pages.app import create

        self.twin, self.pages = twin, create(twin)

    def at_once(self, path: str) -> bool:
        """Whether a request waits for nothing: an API request, while no fault is asked for."""
        return _is_api(path) and not self.twin.faults.rules

    def answer(self, method: str, path: str, query: str, body: bytes, headers: Mapping[str, str]) -> Response:
        """The answer to one API request. Header names are lower case. Never raises."""
        source = "browser" if "x-trialbalance-page" in headers or "origin" in headers else "api"
        try:
            return self.twin.handle(method, path, query, body, headers, source=source)
        except Exception:
            traceback.print_exc()
            return _crashed(method, path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        path: str = scope["path"]
        if scope["type"] == "websocket" and path.startswith(stripecli.PATH):
            await stripecli.subscribe(self.twin, scope, receive, send)
            return
        if scope["type"] != "http" or not _is_api(path):
            await self.pages(scope, receive, send)
            return
        if scope["method"] == "OPTIONS":
            await _preflight(scope, send)
            return
        body = await _body(receive)
        if body is None:
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        query = scope["query_string"].decode("latin-1")
        answer = self.answer(scope["method"], path, query, body, headers)
        if answer.delay:
            await asyncio.sleep(answer.delay)
        if answer.lost is not None:
            await _lose(answer.lost, receive, send)
            return
        sent = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
        sent.append((b"content-length", str(len(answer.body)).encode()))
        if "origin" in headers:
            sent += CORS
        await send({"type": "http.response.start", "status": answer.status, "headers": sent})
        await send({"type": "http.response.body", "body": answer.body})


def _is_api(path: str) -> bool:
    """Whether a path is the API's; contents of files are pages, although they are under /v1."""
    if path in ("/oauth/token", "/oauth/deauthorize"):
        return True
    return path.startswith(("/v1/", "/v2/")) and not path.endswith("/contents")


def _crashed(method: str, path: str) -> Response:
    """A fault of the twin itself: nothing was written, and the answer says whose fault it is."""
    error = {
        "type": "api_error",
        "message": f"The twin failed on {method} {path}; this is a bug of the twin. Its log has the details.",
    }
    headers = {"content-type": "application/json", "stripe-should-retry": "false"}
    return Response(500, headers, msgspec.json.encode({"error": error}))


async def _body(receive: Receive) -> bytes | None:
    """The whole request body, or None when the client went away."""
    message = await receive()
    if message["type"] == "http.disconnect":
        return None
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        return body
    parts = [body]
    size = len(body)
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY:
            parts = parts[:1]
            break
    return b"".join(parts)


async def _lose(how: str, receive: Receive, send: Send) -> None:
    """Leave a client without an answer: reset its connection, or say nothing until it goes away."""
    if how == "hang":
        while (await receive())["type"] != "http.disconnect":
            pass
    cycle = getattr(send, "__self__", None)
    transport = getattr(cycle, "transport", None)
    if transport is not None:
        cycle.disconnected = True  # type: ignore[union-attr]
        transport.abort()


async def _preflight(scope: Scope, send: Send) -> None:
    """A browser's question before a cross-origin call."""
    asked = next((v for k, v in scope["headers"] if k == b"access-control-request-headers"), b"")
    headers = [*CORS, (b"access-control-allow-headers", asked), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        kind = message["type"].rsplit(".", 1)[-1]
        await send({"type": f"lifespan.{kind}.complete"})
        if kind == "shutdown":
            return


class Listener:
    """One listening socket with what it speaks."""

    def __init__(self, sock: socket.socket, tls: TlsFiles | None = None) -> None:
        self.sock = sock
        self.tls = tls


async def serve(
    listeners: Sequence[tuple[Asgi, Listener]],
    *,
    twin: Twin | Callable[[], Twin],
    webhook_proxy: str | None = None,
    ready: Callable[[], None] | None = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Serve every application on its listener until `stop` is set, running due actions as they fall due."""
    # State is JSON data without cycles: frequent full collections over it would only cost time.
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    servers = []
    for application, listener in listeners:
        config = uvicorn.Config(
            application,
            log_config=None,
            access_log=False,
            lifespan="off",
            http=TwinProtocol,
            ws="websockets-sansio",
            ssl_certfile=str(listener.tls.certificate) if listener.tls else None,
            ssl_keyfile=str(listener.tls.key) if listener.tls else None,
            timeout_graceful_shutdown=1,
            server_header=False,
            date_header=True,
        )
        server = uvicorn.Server(config)
        server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
        servers.append((server, listener.sock))
    stop = stop or asyncio.Event()
    tasks = [asyncio.create_task(_serve(server, sock)) for server, sock in servers]
    current = twin if callable(twin) else (lambda: twin)
    sender = Sender(current, proxy=webhook_proxy)
    ticking = asyncio.gather(_tick(current, sender), sender.run())
    try:
        while not all(server.started for server, _ in servers):
            if any(task.done() for task in tasks):
                break
            await asyncio.sleep(0.005)
        if ready is not None:
            ready()
        await stop.wait()
    finally:
        ticking.cancel()
        for server, _ in servers:
            server.should_exit = True
        await asyncio.gather(*tasks, ticking, return_exceptions=True)


async def _serve(server: uvicorn.Server, sock: socket.socket) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        await server._serve([sock])


async def _tick(current: Callable[[], Twin], sender: Sender) -> None:
    while True:
        await asyncio.sleep(TICK)
        twin = current()
        twin.wake = sender.wake_up
        with twin.lock:
            twin.run_due()
            if twin.flush is not None:
                twin.flush()
        if twin.outbox:
            sender.wake.set()


def form_of(body: bytes) -> dict[str, str]:
    """A flat form body, for the pages."""
    return {name: values[-1] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}
