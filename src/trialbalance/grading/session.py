"""A customer's or a program's HTTP connection to the app: cookies of its own, bounded answers, honest
attribution.
"""

from __future__ import annotations

import json as json_module
import time
from collections.abc import Callable, Collection
from typing import Any, Protocol

import httpx

from trialbalance.grading.errors import Failed
from trialbalance.grading.evidence import Evidence
from trialbalance.grading.log import Log

MAX_BODY = 16 << 20
DEFAULT_SECONDS = 20.0


class Door(Protocol):
    """What a session needs to know of the app it talks to."""

    @property
    def url(self) -> str:
        """Where the host reaches the app."""

    @property
    def authority(self) -> str:
        """The host and port by which the app knows itself."""

    def explain(self, problem: str) -> Failed:
        """The failure to report when the app did not answer; raises `GraderFault` when it was our doing."""


class Session:
    """HTTP requests to the app with cookies of their own."""

    def __init__(self, door: Callable[[], Door], evidence: Evidence, log: Log) -> None:
        self._door = door
        self._evidence = evidence
        self._log = log
        self._client = httpx.Client(trust_env=False, follow_redirects=False)

    def request(
        self, method: str, path: str, *, seconds: float = DEFAULT_SECONDS, **arguments: Any
    ) -> httpx.Response:
        """Send one request and return the answer, whatever its status. Takes httpx's `json`, `data`,
        `params`, `headers`.

        `Failed` when the app crashes, hangs up, answers without end, or does not answer in time.
        """
        response, problem = self.attempt(method, path, seconds=seconds, **arguments)
        if response is None:
            self._evidence.add("http", request=f"{method} {path}", problem=problem)
            raise self._door().explain(f"{method} {path}: {problem}")
        self._evidence.add("http", request=f"{method} {path}", status=response.status_code)
        return response

    def attempt(
        self, method: str, path: str, *, seconds: float = DEFAULT_SECONDS, **arguments: Any
    ) -> tuple[httpx.Response | None, str]:
        """Send one request; the answer, or None and what went wrong. Writes to the log only."""
        door = self._door()
        headers = httpx.Headers(arguments.pop("headers", None))
        headers.setdefault("host", door.authority)
        request = self._client.build_request(
            method, door.url + path, headers=headers, timeout=httpx.Timeout(seconds), **arguments
        )
        try:
            response = self._read(request, time.monotonic() + seconds)
        except httpx.TimeoutException:
            problem = f"no answer within {seconds:g} seconds"
        except (httpx.TransportError, httpx.DecodingError) as error:
            problem = f"no HTTP answer ({type(error).__name__})"
            self._log.write(f"{method} {path}: {error!r}")
        except _Endless as error:
            problem = str(error)
        else:
            self._log.write(_shown(request, response))
            return response, ""
        self._log.write(f"{method} {path}: {problem}")
        return None, problem

    def get(self, path: str, **arguments: Any) -> httpx.Response:
        """`request("GET", ...)`."""
        return self.request("GET", path, **arguments)

    def post(self, path: str, **arguments: Any) -> httpx.Response:
        """`request("POST", ...)`."""
        return self.request("POST", path, **arguments)

    def call(self, method: str, path: str, *, status: int | Collection[int] = 200, **arguments: Any) -> Any:
        """Send one request that must answer with this status (or one of these) and JSON; returns the
        decoded body.

        An empty body is None, which a 204 may have.
        """
        response = self.request(method, path, **arguments)
        wanted = [status] if isinstance(status, int) else sorted(status)
        if response.status_code not in wanted:
            raise Failed(
                f"{method} {path} answered {response.status_code}, not {' or '.join(map(str, wanted))}",
                body=response.text[:500],
            )
        if not response.content:
            return None
        try:
            return json_module.loads(response.content)
        except ValueError:
            raise Failed(f"{method} {path} did not answer with JSON", body=response.text[:500]) from None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _read(self, request: httpx.Request, deadline: float) -> httpx.Response:
        response = self._client.send(request, stream=True)
        content = bytearray()
        try:
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > MAX_BODY:
                    raise _Endless(f"an answer of more than {MAX_BODY >> 20} MB")
                if time.monotonic() > deadline:
                    raise _Endless("an answer that did not end in time")
        finally:
            response.close()
        headers = [(k, v) for k, v in response.headers.multi_items() if k not in _HOP]
        return httpx.Response(response.status_code, headers=headers, content=bytes(content), request=request)


_HOP = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class _Endless(Exception):
    """An answer without end."""


def _shown(request: httpx.Request, response: httpx.Response) -> str:
    sent = request.content.decode("utf-8", "replace")
    lines = [f"{request.method} {request.url.raw_path.decode()} -> {response.status_code}"]
    if sent:
        lines.append(f"> {sent[:2000]}")
    lines.append(f"< {response.text[:4000]}")
    return "\n".join(lines)
