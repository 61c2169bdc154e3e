"""The recording proxy between an agent and its model."""

import socket
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

import uvicorn

from trialbalance.gateway.app import GatewayApp
from trialbalance.gateway.calls import CallError, CallLog
from trialbalance.gateway.errors import GatewayError
from trialbalance.gateway.meter import CallLimits, Meter, Totals
from trialbalance.gateway.model import Provider
from trialbalance.gateway.prices import Prices
from trialbalance.gateway.recorder import Answered, Recorder
from trialbalance.gateway.replay import load_replay
from trialbalance.gateway.upstream import Upstream, UpstreamClient

_SECONDS = 30.0


class _Server(uvicorn.Server):
    """Says when it listens, and closes the provider's connections in the loop that opened them."""

    def __init__(self, config: uvicorn.Config, client: UpstreamClient | None) -> None:
        super().__init__(config)
        self.ready = threading.Event()
        self._client = client

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.ready.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets=sockets)
        if self._client is not None:
            await self._client.close()


class Gateway:
    """A running gateway, and a context manager: it serves from a thread of its own until `stop()`."""

    def __init__(
        self, server: _Server, listener: socket.socket, app: GatewayApp, meter: Meter, recorder: Recorder
    ):
        self._server, self._listener, self._app = server, listener, app
        self._meter, self._recorder = meter, recorder
        self.url = _url(listener)
        self._thread = threading.Thread(
            target=server.run, kwargs={"sockets": [listener]}, name="gateway", daemon=True
        )
        self._thread.start()
        if not server.ready.wait(_SECONDS):
            self.stop()
            raise GatewayError(f"the gateway did not start to listen within {_SECONDS:g} s")

    @classmethod
    def start(
        cls,
        *,
        record: Path,
        upstream: Upstream | None = None,
        replay: Path | None = None,
        listener: socket.socket | None = None,
        limits: CallLimits | None = None,
        prices: Prices | None = None,
    ) -> "Gateway":
        """Serve on `listener` (else on a free loopback port), from a provider or from a replay file.

        The gateway closes the listener, also when it does not start. Every call is written to `record`. Raises
        `ReplayError` for a bad replay file and `GatewayError` for anything else that is wrong.
        """
        try:
            if (upstream is None) == (replay is None):
                raise GatewayError(
                    "a gateway needs either a provider (--model) or a replay file, and not both"
                )
            replayed = load_replay(replay) if replay is not None else None
            table = prices or Prices.load()
            recorder = Recorder(CallLog(record))
        except BaseException:
            if listener is not None:
                listener.close()
            raise
        meter = Meter(limits or CallLimits())
        client = UpstreamClient(upstream) if upstream is not None else None
        app = GatewayApp(provider=client, replay=replayed, meter=meter, prices=table, recorder=recorder)
        config = uvicorn.Config(
            app.asgi,
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            timeout_keep_alive=600,
            timeout_graceful_shutdown=1,
        )
        opened = listener or socket.create_server(("127.0.0.1", 0))
        return cls(_Server(config, client), opened, app, meter, recorder)

    @property
    def model(self) -> str:
        """The name of the model behind it: the provider's, the recording's or the script's."""
        return self._app.model

    @property
    def provider(self) -> Provider:
        """The kind of provider that the agent should be configured for."""
        return self._app.provider

    @property
    def answered(self) -> tuple[Answered, ...]:
        """Every finished call so far, in order."""
        return self._recorder.answered

    @property
    def halted(self) -> threading.Event:
        """Set when no further call can succeed: a limit, a dead provider, a replay that diverged."""
        return self._recorder.halted

    @property
    def halt(self) -> CallError | None:
        """Why no further call can succeed."""
        return self._recorder.halt

    def usage(self) -> Totals:
        """Turns, tokens and cost so far."""
        return self._meter.totals

    def stop(self) -> None:
        """Close every connection and the log; harmless when called again."""
        self._server.should_exit = True
        self._thread.join(_SECONDS)
        self._listener.close()
        self._recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _url(listener: socket.socket) -> str:
    if listener.family == socket.AF_UNIX:
        return f"unix:{listener.getsockname()}"
    host, port = listener.getsockname()[:2]
    return f"http://{host}:{port}"
