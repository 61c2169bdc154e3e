"""Sandboxes for tests, and a small HTTPS server in the place of Stripe."""

from __future__ import annotations

import contextlib
import http.server
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from trialbalance.sandbox import STRIPE_HOSTS, Authority, Sandbox, SandboxSpec, open_sandbox

OpenSandbox = Callable[..., Sandbox]


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.create(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    path.mkdir()
    return path


@pytest.fixture
def opened(workspace: Path) -> Iterator[OpenSandbox]:
    """Opens sandboxes, and closes them after the test."""
    with contextlib.ExitStack() as stack:

        def make(*, backend: str = "auto", **fields: Any) -> Sandbox:
            fields.setdefault("workspace", workspace)
            return stack.enter_context(open_sandbox(SandboxSpec(**fields), backend=backend))

        yield make


@pytest.fixture
def sandbox(opened: OpenSandbox) -> Sandbox:
    return opened()


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers every request with what it was."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length).decode(errors="replace")
        host = self.headers.get("host", "")
        told = {
            "object": "echo",
            "id": "cus_echo",
            "method": self.command,
            "host": host,
            "path": self.path,
            "body": body,
        }
        if self.path.endswith(".js"):
            content, kind = f"window.Echo = {json.dumps(told)};".encode(), "text/javascript"
        else:
            content, kind = json.dumps(told).encode(), "application/json"
        self.send_response(404 if "/missing" in self.path else 200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


class EchoServer(http.server.ThreadingHTTPServer):
    """Serves a listening socket over TLS; a client that does not trust us must not stop it."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, context: ssl.SSLContext) -> None:
        super().__init__(("127.0.0.1", 0), Echo, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.context = context

    def finish_request(self, request: Any, client_address: Any) -> None:
        with contextlib.suppress(OSError), self.context.wrap_socket(request, server_side=True) as secure:
            Echo(secure, client_address, self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients come and go."""


@contextlib.contextmanager
def serving_stripe(sandbox: Sandbox, authority: Authority) -> Iterator[EchoServer]:
    """An echo of every request to Stripe's names from inside."""
    files = authority.issue(STRIPE_HOSTS)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.certificate, files.key)
    with EchoServer(sandbox.listen(443), context) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def stripe_sandbox(opened: OpenSandbox, authority: Authority) -> Iterator[Sandbox]:
    """A sandbox in which Stripe's names lead to an echo."""
    sandbox = opened(hosts=STRIPE_HOSTS, authority=authority)
    with serving_stripe(sandbox, authority):
        yield sandbox
