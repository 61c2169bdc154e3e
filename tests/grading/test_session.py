"""HTTP to the app: bounded, with cookies, and with the right one to blame."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from trialbalance.grading import Failed, GraderFault, Session
from trialbalance.grading.evidence import Evidence
from trialbalance.grading.log import Log


class App(BaseHTTPRequestHandler):
    """An app with every bad habit."""

    def do_GET(self) -> None:
        """Answer by path."""
        if self.path == "/hang":
            self.server.release.wait(30)  # type: ignore[attr-defined]
        elif self.path == "/crash":
            self.connection.close()
        elif self.path == "/garbage":
            self.connection.sendall(b"\x00\xffnot http\r\n\r\n")
        elif self.path == "/endless":
            self.send_response(200)
            self.end_headers()
            while self._wrote(b"x" * 65536):
                pass
        elif self.path == "/drip":
            self.send_response(200)
            self.end_headers()
            while self._wrote(b"x") and not self.server.release.wait(0.02):  # type: ignore[attr-defined]
                pass
        elif self.path == "/bomb":
            self.answer(b"\x1f\x8b broken", ("content-encoding", "gzip"))
        elif self.path == "/cookie":
            self.answer(b"{}", ("set-cookie", "basket=7; Path=/"))
        elif self.path == "/see":
            self.answer(
                f'{{"cookie": "{self.headers["cookie"]}", "host": "{self.headers["host"]}"}}'.encode()
            )
        elif self.path == "/text":
            self.answer(b"hello")
        elif self.path == "/away":
            self.answer(b"", ("location", "/see"), status=303)
        else:
            self.answer(b'{"error": "none"}', status=404)

    def do_POST(self) -> None:
        """Echo."""
        self.answer(self.rfile.read(int(self.headers["content-length"])), status=201)

    def answer(self, content: bytes, *headers: tuple[str, str], status: int = 200) -> None:
        """A whole answer."""
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _wrote(self, piece: bytes) -> bool:
        try:
            self.wfile.write(piece)
        except OSError:
            return False
        return True

    def log_message(self, *arguments: object) -> None:
        """Silence."""


class Door:
    """The way to the app of this test; `alive` says whether our side of it is."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.authority = "127.0.0.1:4242"
        self.alive = True

    def explain(self, problem: str) -> Failed:
        """See `Door` of the session."""
        if not self.alive:
            raise GraderFault("the sandbox is gone")
        return Failed(problem)


@pytest.fixture
def door() -> Iterator[Door]:
    """A running app."""
    with ThreadingHTTPServer(("127.0.0.1", 0), App) as server:
        server.daemon_threads = True
        server.release = threading.Event()  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Door(server.server_address[1])
        server.release.set()  # type: ignore[attr-defined]
        server.shutdown()
        thread.join()


@pytest.fixture
def connect(tmp_path: Path, door: Door) -> Iterator[Callable[[], Session]]:
    """Makes sessions, and closes them."""
    sessions = []
    with Log(tmp_path / "log.txt") as log:

        def make() -> Session:
            sessions.append(Session(lambda: door, Evidence(), log))
            return sessions[-1]

        yield make
        for session in sessions:
            session.close()


def test_a_call_decodes_json_and_knows_the_app_by_its_own_name(connect: Callable[[], Session]) -> None:
    session = connect()

    assert session.call("POST", "/orders", json={"a": 1}, status=(200, 201)) == {"a": 1}
    assert session.call("POST", "/orders", content="", status=201) is None
    assert session.call("GET", "/see")["host"] == "127.0.0.1:4242"


def test_cookies_belong_to_one_session(connect: Callable[[], Session]) -> None:
    one, other = connect(), connect()
    one.get("/cookie")

    assert one.call("GET", "/see")["cookie"] == "basket=7"
    assert other.call("GET", "/see")["cookie"] == "None"


def test_redirects_are_shown_rather_than_followed(connect: Callable[[], Session]) -> None:
    response = connect().get("/away")

    assert (response.status_code, response.headers["location"]) == (303, "/see")


def test_another_status_and_another_kind_of_answer_fail(connect: Callable[[], Session]) -> None:
    with pytest.raises(Failed, match="GET /orders answered 404, not 200 or 201") as caught:
        connect().call("GET", "/orders", status=(201, 200))
    assert caught.value.evidence == {"body": '{"error": "none"}'}
    with pytest.raises(Failed, match="GET /text did not answer with JSON"):
        connect().call("GET", "/text")


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/hang", r"no answer within 0\.3 seconds"),
        ("/crash", r"no HTTP answer \(RemoteProtocolError\)"),
        ("/garbage", r"no HTTP answer \(RemoteProtocolError\)"),
        ("/bomb", r"no HTTP answer \(DecodingError\)"),
        ("/drip", "an answer that did not end in time"),
    ],
)
def test_an_app_that_does_not_answer_fails(connect: Callable[[], Session], path: str, problem: str) -> None:
    with pytest.raises(Failed, match=f"GET {path}: {problem}"):
        connect().get(path, seconds=0.3)


def test_an_answer_without_end_fails(connect: Callable[[], Session]) -> None:
    with pytest.raises(Failed, match="GET /endless: an answer of more than 16 MB"):
        connect().get("/endless", seconds=30)


def test_nobody_there_is_the_apps_failure_unless_our_side_is_gone(
    connect: Callable[[], Session], door: Door
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        door.url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(Failed, match=r"GET /: no HTTP answer \(ConnectError\)"):
        connect().get("/")
    door.alive = False
    with pytest.raises(GraderFault, match="the sandbox is gone"):
        connect().get("/")


def test_evidence_is_short_and_the_log_is_long(tmp_path: Path, door: Door) -> None:
    evidence = Evidence()
    with Log(tmp_path / "log.txt") as log:
        session = Session(lambda: door, evidence, log)
        session.post("/orders", json={"name": "Cork Lamp"})
        with pytest.raises(Failed):
            session.get("/crash")
        session.close()

    assert evidence.all() == [
        {"kind": "http", "request": "POST /orders", "status": 201},
        {"kind": "http", "request": "GET /crash", "problem": "no HTTP answer (RemoteProtocolError)"},
    ]
    assert "Cork Lamp" in (tmp_path / "log.txt").read_text()


def test_a_wrong_argument_is_the_checks_own_mistake(connect: Callable[[], Session]) -> None:
    wrong: dict[str, Any] = {"jsn": {}}
    with pytest.raises(TypeError):
        connect().get("/see", **wrong)
    assert isinstance(connect().get("/see"), httpx.Response)
