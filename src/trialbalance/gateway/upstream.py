"""The provider behind the gateway: its address, its key, and patience with it.

The key lives here and in the request to the provider, nowhere else.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import msgspec

from trialbalance.gateway.dialects import Dialect
from trialbalance.gateway.errors import ProviderFailure
from trialbalance.gateway.fault import Fault, classify
from trialbalance.gateway.model import ModelSpec, Provider

_FORWARDED = ("anthropic-version", "anthropic-beta", "openai-beta")


@dataclass(frozen=True)
class Patience:
    """How often and how long a provider is asked again: `attempts` in all, with pauses of `first` seconds,
    then twice as long each time, but never over `longest`, nor under what the provider asks for."""

    attempts: int = 5
    first: float = 1.0
    longest: float = 60.0

    def pause(self, attempt: int, asked: float | None = None) -> float:
        """Seconds to wait after the failed attempt of this number, counted from 1."""
        own = self.first * 2.0 ** (attempt - 1)
        return min(max(own, asked or 0.0), self.longest)


@dataclass(frozen=True)
class Upstream:
    """A provider. `model` is what every request asks for, whatever the agent wrote."""

    base_url: str
    key: str = field(repr=False)
    provider: Provider
    model: str
    patience: Patience = Patience()
    timeout: float = 600.0

    @classmethod
    def of(cls, spec: ModelSpec, environment: Mapping[str, str] | None = None) -> "Upstream":
        """The provider of a model, with its key from the environment."""
        return cls(base_url=spec.base_url, key=spec.key(environment), provider=spec.provider, model=spec.name)

    def headers(self, agent: Mapping[str, str]) -> dict[str, str]:
        """What the provider is sent: our key, and of the agent's headers only those that choose versions."""
        headers = {name: agent[name] for name in _FORWARDED if name in agent}
        headers["content-type"] = "application/json"
        if self.provider == "anthropic":
            headers.setdefault("anthropic-version", "2023-06-01")
            headers["x-api-key"] = self.key
        elif self.key:
            headers["authorization"] = f"Bearer {self.key}"
        return headers

    def scrub(self, value: str) -> str:
        """The text without the key, should a provider echo it."""
        return value.replace(self.key, "***") if self.key else value


@dataclass
class Answer:
    """An open answer of the provider: its body is still to be read."""

    response: httpx.Response
    attempts: int


class UpstreamClient:
    """Sends calls to a provider, again and again where that helps."""

    def __init__(
        self,
        upstream: Upstream,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.upstream = upstream
        timeout = httpx.Timeout(upstream.timeout, connect=min(30.0, upstream.timeout))
        self._http = httpx.AsyncClient(timeout=timeout, transport=transport)
        self._sleep = sleep

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    @asynccontextmanager
    async def post(
        self, dialect: Dialect, path: str, body: dict[str, Any], agent_headers: Mapping[str, str]
    ) -> AsyncIterator[Answer]:
        """A good answer to the call, open for reading; raises `ProviderFailure` when patience ends."""
        request_headers = self.upstream.headers(agent_headers)
        content = msgspec.json.encode(body)
        attempt = 0
        while True:
            attempt += 1
            try:
                request = self._http.build_request(
                    "POST", self.upstream.base_url + path, content=content, headers=request_headers
                )
                response = await self._http.send(request, stream=True)
            except httpx.HTTPError as error:
                fault, status, asked = _unreachable(error, self.upstream), 502, None
            else:
                if response.status_code < 400:
                    try:
                        yield Answer(response, attempt)
                    finally:
                        await response.aclose()
                    return
                fault, status, asked = await self._refused(response)
            if not fault.retryable or attempt >= self.upstream.patience.attempts:
                tried = f" (tried {attempt} times)" if attempt > 1 else ""
                raise ProviderFailure(fault.kind, self.upstream.scrub(fault.message) + tried, status, attempt)
            await self._sleep(self.upstream.patience.pause(attempt, asked))

    async def _refused(self, response: httpx.Response) -> tuple[Fault, int, float | None]:
        try:
            raw = await response.aread()
        except httpx.HTTPError:
            raw = b""
        finally:
            await response.aclose()
        try:
            body: object = msgspec.json.decode(raw)
        except msgspec.DecodeError:
            body = raw.decode("utf-8", "replace")
        return classify(response.status_code, body), response.status_code, _retry_after(response)


def _retry_after(response: httpx.Response) -> float | None:
    try:
        return max(0.0, float(response.headers.get("retry-after", "")))
    except ValueError:
        return None


def _unreachable(error: httpx.HTTPError, upstream: Upstream) -> Fault:
    if isinstance(error, httpx.TimeoutException):
        return Fault(
            "timeout", f"the provider at {upstream.base_url} did not answer within {upstream.timeout:g} s"
        )
    return Fault(
        "connection",
        f"the provider at {upstream.base_url} cannot be reached: {error or type(error).__name__}",
    )
