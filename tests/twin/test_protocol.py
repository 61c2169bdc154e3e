"""Requests on a bare socket: the short way of API requests and the ordinary way give the same answers."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from trialbalance.twin.process import TwinProcess
from trialbalance.twin.protocol import LARGE

BODY = b"email=a%40example.test&metadata[order]=6735"


@pytest.fixture(scope="module")
def process() -> Iterator[TwinProcess]:
    with TwinProcess.start(seed=3) as running:
        yield running


def exchange(process: TwinProcess, *parts: bytes, answers: int = 1, ends: bool = False) -> list[bytes]:
    """Send `parts` one by one over one connection and read the answers: head and body of each."""
    found = []
    address = urlsplit(process.url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        for part in parts:
            connection.sendall(part)
        with connection.makefile("rb") as stream:
            while len(found) < answers:
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    line = stream.readline()
                    assert line, f"the connection ended inside {head!r}"
                    head += line
                if head.startswith(b"HTTP/1.1 100"):
                    continue
                length = re.search(rb"content-length: (\d+)", head)
                assert length, head
                found.append(head + stream.read(int(length[1])))
            if ends:
                assert stream.read() == b""
    return found


def request(
    process: TwinProcess,
    line: bytes = b"POST /v1/customers HTTP/1.1",
    body: bytes = BODY,
    *headers: bytes,
    length: bool = True,
) -> bytes:
    """The bytes of one request."""
    lines = [line, b"Host: api.stripe.com", b"Authorization: Bearer " + process.secret_key.encode(), *headers]
    if length:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([*lines, b"", body])


def shown(answer: bytes) -> dict[str, object]:
    """The object of an answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n"), answer
    return dict(json.loads(body))


def test_a_request_in_pieces(process: TwinProcess) -> None:
    sent = request(process)
    for cut in (1, 20, len(sent) - len(BODY), len(sent) - 5):
        (answer,) = exchange(process, sent[:cut], sent[cut:])
        assert shown(answer)["metadata"] == {"order": "6735"}


def test_several_requests_on_one_connection(process: TwinProcess) -> None:
    names = [b"name=%d" % number for number in range(5)]
    answers = exchange(process, b"".join(request(process, body=name) for name in names), answers=5)
    assert [shown(answer)["name"] for answer in answers] == ["0", "1", "2", "3", "4"]


def test_both_ways_on_one_connection(process: TwinProcess) -> None:
    page = request(process, b"GET /nothing-here HTTP/1.1", b"")
    preflight = request(process, b"OPTIONS /v1/customers HTTP/1.1", b"", b"Origin: https://shop.test")
    api = request(process, body=b"name=after")
    answers = exchange(process, page + api + preflight + api, answers=4)
    assert answers[0].startswith(b"HTTP/1.1 404")
    assert answers[2].startswith(b"HTTP/1.1 200") and b"access-control-allow-headers" in answers[2]
    assert [shown(answers[i])["name"] for i in (1, 3)] == ["after", "after"]


@pytest.mark.parametrize(
    ("line", "headers"),
    [
        (b"POST /v1/customers HTTP/1.1", [b"Expect: 100-continue"]),
        (b"POST http://api.stripe.com/v1/customers HTTP/1.1", []),
        (b"POST /v1/%63ustomers?limit=1 HTTP/1.1", []),
        (b"POST /v1/customers#part HTTP/1.1", []),
    ],
)
def test_unusual_requests_are_answered(process: TwinProcess, line: bytes, headers: list[bytes]) -> None:
    (answer,) = exchange(process, request(process, line, BODY, *headers))
    if b"limit=1" in line:
        assert b"Received unknown parameter: limit" in answer
    else:
        assert shown(answer)["metadata"] == {"order": "6735"}


def test_a_chunked_body(process: TwinProcess) -> None:
    chunks = b"6\r\nname=a\r\n1\r\nb\r\n0\r\n\r\n"
    (answer,) = exchange(
        process,
        request(
            process,
            b"POST /v1/customers HTTP/1.1",
            chunks,
            b"Transfer-Encoding: chunked",
            length=False,
        ),
    )
    assert shown(answer)["name"] == "ab"


def test_a_large_body(process: TwinProcess) -> None:
    (answer,) = exchange(process, request(process, body=b"name=a&description=" + b"x" * LARGE))
    assert answer.startswith(b"HTTP/1.1 400") and b"must be at most" in answer


def test_closing_when_asked(process: TwinProcess) -> None:
    sent = request(process, b"POST /v1/customers HTTP/1.1", BODY, b"Connection: close")
    (answer,) = exchange(process, sent, ends=True)
    assert b"\r\nconnection: close\r\n" in answer
    (old,) = exchange(process, request(process, b"POST /v1/customers HTTP/1.0"), ends=True)
    assert shown(old)["object"] == "customer"


def test_both_ways_say_the_same(process: TwinProcess) -> None:
    """A request that must be answered by ASGI differs from its twin on the short way by id and time alone."""
    origin = b"Origin: https://shop.test"
    short, long = (
        exchange(process, request(process, b"POST /v1/customers HTTP/1.1", BODY, origin, *extra))[0]
        for extra in ([], [b"Expect: 100-continue"])
    )
    heads = [
        sorted(
            re.sub(rb"^(request-id|original-request|date|content-length): .*", rb"\1", row)
            for row in answer.partition(b"\r\n\r\n")[0].split(b"\r\n")
        )
        for answer in (short, long)
    ]
    assert heads[0] == heads[1]


def test_a_version_cannot_write_headers(process: TwinProcess) -> None:
    line = b"GET /v1/customers?_stripe_version=2020%0D%0Ax-mine:%201 HTTP/1.1"
    (answer,) = exchange(process, request(process, line, b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400") and b"x-mine" not in head
    assert "Invalid Stripe API version" in json.loads(body)["error"]["message"]
