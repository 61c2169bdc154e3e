"""Webhooks go through a proxy that leads into the sandbox and nowhere else."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest

from trialbalance.tasks.deliveries import DeliveryProxy, direct


class Hook(BaseHTTPRequestHandler):
    """Answers with what it was asked."""

    def do_POST(self) -> None:
        """Echo the target and the body."""
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(202)
        self.end_headers()
        self.wfile.write(self.path.encode() + b" " + body + b" " + self.headers["host"].encode())

    def log_message(self, *arguments: object) -> None:
        """Silence."""


@pytest.fixture
def server() -> Iterator[int]:
    """A webhook endpoint on a port of its own."""
    with HTTPServer(("127.0.0.1", 0), Hook) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def test_a_delivery_arrives_as_if_it_were_direct(server: int) -> None:
    asked: list[int] = []

    def connect(port: int) -> socket.socket:
        asked.append(port)
        return socket.create_connection(("127.0.0.1", server))

    proxy = DeliveryProxy(connect)
    with httpx.Client(proxy=proxy.url, trust_env=False) as client:
        for number in range(2):
            answer = client.post("http://127.0.0.1:4242/hook?a=1", content=f"event {number}")
            assert (answer.status_code, answer.text) == (202, f"/hook?a=1 event {number} 127.0.0.1:4242")
    proxy.close()
    proxy.close()

    assert asked == [4242, 4242]


def test_nobody_listening_is_a_bad_gateway() -> None:
    def connect(port: int) -> socket.socket:
        raise ConnectionRefusedError

    proxy = DeliveryProxy(connect)
    with httpx.Client(proxy=proxy.url, trust_env=False) as client:
        assert client.post("http://localhost:4242/", content="x").status_code == 502
        assert client.post("http://example.test/hook", content="x").status_code == 502
    proxy.close()


@pytest.mark.parametrize(
    "head",
    [
        b"CONNECT example.test:443 HTTP/1.1",
        b"POST https://127.0.0.1/hook HTTP/1.1",
        b"POST /hook HTTP/1.1",
        b"POST http://127.0.0.1:99999/hook HTTP/1.1",
        b"POST http://127.0.0.1.example.test/hook HTTP/1.1",
        b"POST http://user@10.0.0.1/hook HTTP/1.1",
        b"\xff\xfe",
    ],
)
def test_other_ways_are_closed(head: bytes) -> None:
    assert direct(head + b"\r\nhost: x") is None


def test_the_head_is_written_for_the_server_itself() -> None:
    wanted = direct(
        b"POST http://localhost/ HTTP/1.1\r\nHost: localhost\r\nProxy-Connection: x\r\nConnection: keep-alive"
    )

    assert wanted == (80, b"POST / HTTP/1.1\r\nHost: localhost\r\nconnection: close\r\n\r\n")
