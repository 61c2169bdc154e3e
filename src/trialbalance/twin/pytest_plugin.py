"""A pytest plugin: `stripe_twin` gives every test a fresh twin that the official SDK already talks to.

    def test_checkout(stripe_twin):
        order = my_shop.buy(email="a@example.test")          # uses `stripe` as always
        assert stripe_twin.client.v1.payment_intents.retrieve(order.payment).status == "succeeded"
        stripe_twin.advance(days=30)                         # renewals, retries, expiries happen now

One server thread serves the whole session; each test gets a twin of its own in a few milliseconds. The module
settings `stripe.api_key` and `stripe.api_base` are set for the test and put back after it.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from trialbalance.twin.config import DEFAULT_START, TwinConfig
from trialbalance.twin.ledger.store import Snapshot
from trialbalance.twin.server import DataPlane, Listener, serve
from trialbalance.twin.twin import Response, Twin

if TYPE_CHECKING:
    import stripe

DAY = 24 * 3600


class TwinServer:
    """A server thread whose twin can be exchanged between tests."""

    def __init__(self) -> None:
        sock = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        self.twin = self.fresh()
        self._plane = DataPlane(self.twin)
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, args=(sock,), name="stripe-twin", daemon=True)
        self._thread.start()
        self._ready.wait(30)

    def fresh(self, **settings: Any) -> Twin:
        """A new twin: seed 0, clock frozen at 2026-01-01, unless `settings` (of `TwinConfig`) say otherwise."""
        chosen = {"clock": DEFAULT_START, "frozen": True, "base_url": self.url, **settings}
        return Twin(config=TwinConfig(**chosen))

    def use(self, twin: Twin) -> None:
        """Serve this twin from now on."""
        self.twin = twin
        self._plane.exchange(twin)

    def _run(self, sock: socket.socket) -> None:
        async def main() -> None:
            self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
            listeners = [(self._plane, Listener(sock))]
            await serve(listeners, twin=lambda: self.twin, ready=self._ready.set, stop=self._stop)

        asyncio.run(main())

    def close(self) -> None:
        """End the thread."""
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)


class StripeTwin:
    """What a test holds: its twin, the SDK's client, the clock.

    Attributes:
        url: the twin's base URL; `secret_key`, `publishable_key`: its keys.
    """

    def __init__(self, server: TwinServer, twin: Twin) -> None:
        self._server = server
        self.twin = twin
        self.url = server.url
        self.secret_key = twin.secret_key
        self.publishable_key = twin.publishable_key

    @property
    def client(self) -> stripe.StripeClient:
        """The official SDK's client on the twin's secret key."""
        import stripe

        return stripe.StripeClient(self.secret_key, base_addresses={"api": self.url, "files": self.url})

    def request(self, method: str, path: str, form: dict[str, Any] | None = None, **more: Any) -> Response:
        """One raw request, without a socket."""
        return self.twin.request(method, path, form, **more)

    def advance(self, *, days: int = 0, hours: int = 0, seconds: int = 0, to: int | None = None) -> int:
        """Move the clock; everything that falls due happens, in order. Returns the new second."""
        with self.twin.lock:
            self.twin.advance(self.twin.now() + days * DAY + hours * 3600 + seconds if to is None else to)
            return self.twin.now()

    def faults(self, *rules: dict[str, Any]) -> None:
        """Replace the fault rules: `stripe_twin.faults({"fault": "rate_limit", "count": 2})`."""
        self.twin.faults.set(list(rules))

    def adversity(self, *rules: dict[str, Any]) -> None:
        """Replace the browser rules: `stripe_twin.adversity({"adversity": "missed_click"})`."""
        self.twin.adversity.set(list(rules))

    def events(self, type: str | None = None) -> list[dict[str, Any]]:
        """Every event so far, oldest first, by type."""
        found = self.twin.store.all(self.twin.account, "event")
        return [event for event in found if type is None or event["type"] == type]

    def mail(self) -> list[dict[str, Any]]:
        """What would have been mailed to customers, oldest first: `to`, `subject`, `url`."""
        return [entry for entry in self.twin.journal.since(0) if entry["kind"] == "mail"]

    def snapshot(self) -> Snapshot:
        """The state, to `restore` later."""
        with self.twin.lock:
            return self.twin.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot."""
        with self.twin.lock:
            self.twin.restore(snapshot)


@pytest.fixture(scope="session")
def stripe_twin_server() -> Iterator[TwinServer]:
    """The session's server thread."""
    server = TwinServer()
    yield server
    server.close()


@pytest.fixture
def stripe_twin(
    request: pytest.FixtureRequest, stripe_twin_server: TwinServer, monkeypatch: pytest.MonkeyPatch
) -> StripeTwin:
    """A fresh, isolated twin. `@pytest.mark.stripe_twin(api_version="2024-06-20", …)` sets `TwinConfig` fields."""
    mark = request.node.get_closest_marker("stripe_twin")
    twin = stripe_twin_server.fresh(**(mark.kwargs if mark else {}))
    stripe_twin_server.use(twin)
    try:
        import stripe
    except ImportError:
        pass
    else:
        monkeypatch.setattr(stripe, "api_key", twin.secret_key)
        monkeypatch.setattr(stripe, "api_base", stripe_twin_server.url)
    return StripeTwin(stripe_twin_server, twin)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers", "stripe_twin(**settings): settings of the test's Stripe twin (TwinConfig)"
    )
