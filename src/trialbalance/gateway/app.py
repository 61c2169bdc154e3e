"""The gateway's HTTP side: what an agent's model client talks to."""

import gzip
import zlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from trialbalance.gateway.calls import CallError
from trialbalance.gateway.conversation import Conversation, Turn
from trialbalance.gateway.dialects import DIALECTS, Dialect, Json, dialect_at
from trialbalance.gateway.errors import BadRequest, CallRefused, ProviderFailure
from trialbalance.gateway.fault import Fault, classify, classify_in_stream
from trialbalance.gateway.meter import Meter
from trialbalance.gateway.model import Provider
from trialbalance.gateway.prices import Prices
from trialbalance.gateway.recorder import OpenCall, Recorder
from trialbalance.gateway.reply import Replay
from trialbalance.gateway.sse import Event, EventReader, encode
from trialbalance.gateway.upstream import Answer, UpstreamClient


class GatewayApp:
    """Answers model calls from a provider or from a replay, meters them and logs them."""

    def __init__(
        self,
        *,
        provider: UpstreamClient | None,
        replay: Replay | None,
        meter: Meter,
        prices: Prices,
        recorder: Recorder,
    ) -> None:
        self._provider, self._replay = provider, replay
        self._meter, self._prices, self._recorder = meter, prices, recorder
        self.asgi = Starlette(
            routes=[
                Route("/{path:path}", self._post, methods=["POST"]),
                Route("/{path:path}", self._get, methods=["GET", "HEAD"]),
            ]
        )

    @property
    def model(self) -> str:
        """The name of the model, as answers give it."""
        if self._provider is not None:
            return self._provider.upstream.model
        return self._replay.model if self._replay is not None else ""

    @property
    def provider(self) -> Provider:
        """The kind of provider that the agent should be configured for."""
        if self._provider is not None:
            return self._provider.upstream.provider
        return self._replay.provider if self._replay is not None else "openai"

    async def _get(self, request: Request) -> Response:
        if request.url.path.removeprefix("/v1") == "/models":
            entry = {
                "id": self.model,
                "object": "model",
                "type": "model",
                "created": 0,
                "owned_by": "trialbalance",
            }
            return JSONResponse({"object": "list", "data": [entry], "has_more": False})
        return JSONResponse({"status": "ok"}, 200 if request.url.path == "/" else 404)

    async def _post(self, request: Request) -> Response:
        path = request.url.path
        dialect = dialect_at(path)
        raw = await request.body()
        if dialect is None and path.removeprefix("/v1") == "/messages/count_tokens":
            return JSONResponse({"input_tokens": len(raw) // 4})
        if dialect is None:
            spoken = ", ".join(f"/v1{known.path}" for known in DIALECTS)
            message = f"no model is served at {path}; the gateway speaks {spoken}"
            return JSONResponse({"error": {"message": message, "type": "bad_request"}}, 404)
        call = OpenCall(dialect, self.model)
        try:
            call.body = _decode(raw, request.headers.get("content-encoding", ""))
            conversation = dialect.conversation(call.body)
            halt = self._recorder.halt
            if halt is not None:
                raise CallRefused(halt.kind, halt.message, 403)
            self._meter.check()
            if self._replay is not None:
                return self._answer_from_replay(call, conversation, self._replay)
            if self._provider is not None:
                return await self._answer_from_provider(call, request, self._provider)
            raise BadRequest("the gateway has neither a provider nor a replay", 503)
        except CallRefused as refusal:
            return self._refuse(call, refusal)

    def _answer_from_replay(self, call: OpenCall, conversation: Conversation, replay: Replay) -> Response:
        reply = replay.answer(conversation)
        call.notes += reply.notes
        whole = call.dialect.response(reply.turn, call.body)
        self._close(call, whole, reply.turn, cost_usd=reply.cost_usd)
        if conversation.stream:
            return Response(call.dialect.stream(reply.turn, call.body), media_type="text/event-stream")
        return JSONResponse(whole)

    async def _answer_from_provider(
        self, call: OpenCall, request: Request, provider: UpstreamClient
    ) -> Response:
        upstream, dialect = provider.upstream, call.dialect
        if upstream.provider != dialect.provider:
            raise BadRequest(
                f"the agent speaks {dialect.name}, but {upstream.model} is served by a provider of the"
                f" {upstream.provider} kind; configure the agent for it"
            )
        opened = provider.post(
            dialect, dialect.path, dialect.prepare(call.body, upstream.model), request.headers
        )
        answer = await opened.__aenter__()
        call.attempts = answer.attempts
        if "text/event-stream" not in answer.response.headers.get("content-type", ""):
            try:
                return await self._whole(call, answer)
            finally:
                await opened.__aexit__(None, None, None)

        async def relay() -> AsyncIterator[bytes]:
            try:
                async for chunk in self._relay(call, answer, upstream.scrub):
                    yield chunk
            finally:
                await opened.__aexit__(None, None, None)

        return StreamingResponse(relay(), media_type="text/event-stream")

    async def _whole(self, call: OpenCall, answer: Answer) -> Response:
        try:
            raw = await answer.response.aread()
            body = msgspec.json.decode(raw)
        except (httpx.HTTPError, msgspec.DecodeError) as error:
            raise ProviderFailure("server", f"the provider's answer cannot be read: {error}", 502) from None
        if not isinstance(body, dict) or body.get("error"):  # some compatible servers fail with status 200
            code = body.get("error", {}).get("code") if isinstance(body, dict) else None
            status = code if isinstance(code, int) and 400 <= code <= 599 else 502
            fault = classify(status, body)
            raise ProviderFailure(fault.kind, fault.message, status)
        turn = call.dialect.turn(body)
        self._close(call, body, turn, cost_usd=self._prices.cost(self.model, turn.usage))
        return Response(raw, media_type="application/json")

    async def _relay(
        self, call: OpenCall, answer: Answer, scrub: Callable[[str], str]
    ) -> AsyncIterator[bytes]:
        reader, events = EventReader(), list[Event]()
        fault: Fault | None = Fault("stream", "the agent hung up before the answer was complete")
        try:
            async for chunk in answer.response.aiter_bytes():
                events += reader.feed(chunk)
                yield chunk
            events += reader.finish()
            fault = _first_fault(call.dialect, events)
        except httpx.HTTPError as error:
            fault = Fault("stream", f"the provider's stream broke off: {error or type(error).__name__}")
            refusal = ProviderFailure("stream", scrub(fault.message), 502)
            yield encode({"type": "error", **call.dialect.error(refusal)}, "error")
        finally:
            whole = call.dialect.assemble(events)
            turn = call.dialect.turn(whole)
            failed = CallError(fault.kind, scrub(fault.message)) if fault is not None else None
            self._close(call, whole, turn, cost_usd=self._prices.cost(self.model, turn.usage), error=failed)

    def _refuse(self, call: OpenCall, refusal: CallRefused) -> Response:
        if isinstance(refusal, ProviderFailure):
            call.attempts = refusal.attempts
        error = CallError(refusal.kind, refusal.message)
        self._recorder.finish(call, status=refusal.status, error=error)
        return JSONResponse(call.dialect.error(refusal), refusal.status)

    def _close(
        self,
        call: OpenCall,
        whole: Json,
        turn: Turn,
        *,
        cost_usd: float | None,
        error: CallError | None = None,
    ) -> None:
        if error is None and turn.usage.total_tokens == 0:
            call.notes.append("the provider reported no tokens for this call")
            cost_usd = None
        self._meter.add(turn.usage, cost_usd)
        self._recorder.finish(call, status=200, response=whole, turn=turn, cost_usd=cost_usd, error=error)


def _decode(raw: bytes, encoding: str) -> dict[str, Any]:
    try:
        if encoding == "gzip":
            raw = gzip.decompress(raw)
        elif encoding == "deflate":
            raw = zlib.decompress(raw)
        elif encoding not in ("", "identity"):
            raise BadRequest(f"content-encoding {encoding!r} is not read here; send plain JSON", 415)
        body = msgspec.json.decode(raw)
    except (OSError, EOFError, zlib.error, msgspec.DecodeError) as error:
        raise BadRequest(f"the request's body is no JSON: {error}") from None
    if not isinstance(body, dict):
        raise BadRequest("the request's body is no JSON object")
    return body


def _first_fault(dialect: Dialect, events: list[Event]) -> Fault | None:
    for event in events:
        fault = dialect.fault(event)
        if fault is not None:
            return classify_in_stream(fault.type, fault.message)
    return None
