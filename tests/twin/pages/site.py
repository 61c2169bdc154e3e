"""A twin served on a loopback port, and a small shop of our own on another one, for browser tests."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import stripe
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from trialbalance.twin import Twin
from trialbalance.twin.config import TwinConfig
from trialbalance.twin.server import DataPlane

CARD = "4242424242424242"
START = 1_767_225_600


class Served:
    """An ASGI application in a thread of this process."""

    def __init__(self, application: Any, sock: socket.socket, tls: tuple[str, str] | None = None) -> None:
        self.url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        config = uvicorn.Config(
            application,
            log_config=None,
            access_log=False,
            lifespan="off",
            http="httptools",
            ws="none",
            ssl_certfile=tls[0] if tls else None,
            ssl_keyfile=tls[1] if tls else None,
        )
        self.server = uvicorn.Server(config)
        started = threading.Event()
        self.thread = threading.Thread(target=self._run, args=(sock, started), daemon=True)
        self.thread.start()
        assert started.wait(20), "the server did not start"

    def _run(self, sock: socket.socket, started: threading.Event) -> None:
        async def main() -> None:
            task = asyncio.create_task(self.server._serve([sock]))
            while not self.server.started and not task.done():
                await asyncio.sleep(0.002)
            started.set()
            await task

        asyncio.run(main())

    def stop(self) -> None:
        """End it and wait."""
        self.server.should_exit = True
        self.server.force_exit = True
        self.thread.join(10)


class Shop:
    """A merchant's site: pages that tests write."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.headers: dict[str, str] = {}
        self.scripts: dict[str, str] = {}
        self.url = ""

    def application(self) -> Starlette:
        """Its ASGI application."""
        return Starlette(routes=[Route("/{path:path}", self._answer)])

    async def _answer(self, request: Request) -> Response:
        path = "/" + request.path_params["path"]
        if path == "/favicon.ico":
            return Response(status_code=204)
        if path in self.scripts:
            return Response(self.scripts[path], media_type="text/javascript")
        if path in self.pages:
            return HTMLResponse(self.pages[path], headers=self.headers)
        return PlainTextResponse("no such page", status_code=404)

    def page(self, path: str, body: str, script: str = "", *, head: str = "") -> str:
        """Serve a page at `path` and return its address."""
        self.pages[path] = (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>{head}</head>'
            f"<body>{body}<script>{script}</script></body></html>"
        )
        return self.url + path


class Site:
    """The twin's address, its SDK client, its journal, and the shop beside it."""

    def __init__(self, twin: Twin, served: Served, shop: Shop) -> None:
        self.twin = twin
        self.url = served.url
        self.shop = shop
        self.client = stripe.StripeClient(
            twin.secret_key, base_addresses={"api": served.url, "files": served.url}, max_network_retries=0
        )

    def events(self, session: str | None = None) -> list[str]:
        """Names of the page events so far, optionally of one session."""
        return [
            entry["event"]
            for entry in list(self.twin.journal.entries)
            if entry["kind"] == "page" and (session is None or entry["session"] == session)
        ]

    def requests(self, path: str) -> list[dict[str, Any]]:
        """Journal entries of requests to a path (a part of it is enough)."""
        return [
            entry
            for entry in list(self.twin.journal.entries)
            if entry["kind"] == "request" and path in entry["path"]
        ]

    def script(self, text: str, **values: Any) -> str:
        """JavaScript that starts with constants of the same names as `values` and a `stripe` of this twin."""
        constants = "".join(f"const {name} = {json.dumps(value)};" for name, value in values.items())
        return f"{constants} const stripe = Stripe({json.dumps(self.twin.publishable_key)}); {text}"

    @property
    def stripe_js(self) -> str:
        """A script tag of Stripe.js."""
        return f'<script src="{self.url}/v3/"></script>'


HOSTS = ("api", "checkout", "connect-js", "hooks", "js", "m", "pm-redirects", "q", "r")


@contextlib.contextmanager
def serve_as_stripe(folder: Path) -> Iterator[tuple[Site, list[str]]]:
    """A twin on TLS under Stripe's names, its shop, and the arguments that lead Chromium there.

    `site.client` still uses plain HTTP, as a process outside of the browser may.
    """
    import trustme

    authority = trustme.CA()
    leaf = authority.issue_cert(*(f"{name}.stripe.com" for name in HOSTS))
    certificate, key = folder / "twin.pem", folder / "twin.key"
    leaf.private_key_pem.write_to_path(str(key))
    for part in leaf.cert_chain_pems:
        part.write_to_path(str(certificate), append=True)
    with serve(site="stripe") as site, socket.create_server(("127.0.0.1", 0)) as sock:
        served = Served(DataPlane(site.twin), sock, (str(certificate), str(key)))
        try:
            port = sock.getsockname()[1]
            yield site, [f"--host-resolver-rules=MAP *.stripe.com 127.0.0.1:{port}"]
        finally:
            served.stop()


@contextlib.contextmanager
def serve(**settings: Any) -> Iterator[Site]:
    """A fresh twin and shop, both listening."""
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        url = f"http://127.0.0.1:{one.getsockname()[1]}"
        values = {"seed": 1, "clock": START, "frozen": True, "base_url": url, **settings}
        twin = Twin(config=TwinConfig(**values))
        shop = Shop()
        shop.url = f"http://127.0.0.1:{two.getsockname()[1]}"
        first, second = Served(DataPlane(twin), one), Served(shop.application(), two)
        try:
            yield Site(twin, first, shop)
        finally:
            first.stop()
            second.stop()
