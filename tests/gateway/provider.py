"""A provider for tests: it answers what it is told to, and remembers what it was asked."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self


class Asked(NamedTuple):
    """One request that came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Canned(NamedTuple):
    """One answer that goes out; with `cut` the connection breaks before the promised length."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False


def canned_json(value: Any, status: int = 200, **headers: str) -> Canned:
    """An answer of JSON."""
    pairs = tuple((name.replace("_", "-"), text) for name, text in headers.items())
    return Canned(status, json.dumps(value).encode(), headers=pairs)


def canned_stream(*events: Any, cut: bool = False) -> Canned:
    """An answer of server-sent events: objects, or text for what is not JSON."""
    lines = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return Canned(200, "".join(f"data: {line}\n\n" for line in lines).encode(), "text/event-stream", cut=cut)


class FakeProvider:
    """Serves the canned answers one after another, the last one for ever."""

    def __init__(self, *answers: Canned) -> None:
        self.asked: list[Asked] = []
        self._answers = list(answers)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        serve: Callable[[BaseHTTPRequestHandler], None] = self._serve

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                serve(self)

            def log_message(self, format: str, *args: Any) -> None:
                return

        return Handler

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers["content-length"]))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.asked.append(Asked(handler.path, headers, json.loads(raw)))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        handler.send_response(answer.status)
        handler.send_header("content-type", answer.content_type)
        handler.send_header("content-length", str(len(answer.body) + (100 if answer.cut else 0)))
        for name, value in answer.headers:
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(answer.body)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
