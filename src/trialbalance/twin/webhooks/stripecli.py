"""What the official Stripe CLI's `listen` and `logs tail` talk to: a session and a websocket.

The CLI asks for a session, connects to the websocket it is given, gets every event as a `webhook_event` message,
posts it to the address of its `--forward-to` and reports back. Nothing of this is documented; the shapes are what
CLI 1.52 was seen to need.
Source: https://docs.stripe.com/stripe-cli/use-cli#forward-events-to-your-local-webhook-endpoint
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

import msgspec

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.ledger.journal import Journal
from trialbalance.twin.webhooks.deliveries import render_event
from trialbalance.twin.webhooks.signing import signature_header
from trialbalance.twin.wire.call import Call, own_endpoint
from trialbalance.twin.wire.versions import KNOWN

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin

KIND = "_cli_session"
PROTOCOL = "stripecli-devproxy-v1"
POLL = 0.1
PATH = "/stripecli/subscribe/"

PARAMS = {
    "hash": {
        "device_name": "str",
        "websocket_features": {"array": "str"},
        "filters": "str",
        "forward_to_url": "str",
        "forward_connect_to_url": "str",
        "forward_thin_to_url": "str",
        "forward_thin_connect_to_url": "str",
    }
}


@own_endpoint("POST /v1/stripecli/sessions", PARAMS)
def create(call: Call) -> JsonObject:
    """A session for one run of `stripe listen` or `stripe logs tail`."""
    call.params.ignore("device_name", *(name for name in call.params if name.startswith("forward_")))
    features = call.params.plain("websocket_features") or ["webhooks"]
    identifier = f"cliws_{call.twin.ids.random(24)}"
    secret = f"whsec_{call.twin.ids.random(64, '0123456789abcdef')}"
    call.ledger.insert(
        call.account,
        KIND,
        {
            "id": identifier,
            "object": KIND,
            "features": features,
            "filters": call.params.get("filters"),
            "_secret": secret,
            "_events": len(call.ledger.table(call.account, "event").order),
            "_requests": call.twin.journal.seq,
        },
    )
    base = call.twin.base_url.replace("https://", "wss://", 1).replace("http://", "ws://", 1)
    return {
        "websocket_id": identifier,
        "websocket_url": f"{base}{PATH}{identifier}",
        "websocket_authorized_feature": features[0],
        "secret": secret,
        "default_version": call.twin.version_of(call.account),
        "latest_version": KNOWN[-1],
        "reconnect_delay": 60,
        "display_connect_filter_warning": False,
    }


Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


async def subscribe(twin: Twin, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """Serve one CLI's websocket until it goes away."""
    await receive()
    identifier = scope["path"].removeprefix(PATH)
    found = next(
        (
            (account, table.objects[identifier])
            for (account, kind), table in twin.store.tables.items()
            if kind == KIND and identifier in table.objects
        ),
        None,
    )
    if found is None:
        await send({"type": "websocket.close", "code": 1008})
        return
    account, session = found
    await send({"type": "websocket.accept", "subprotocol": PROTOCOL})
    sender = asyncio.create_task(_send_new(twin, account, session, send))
    try:
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            _take(twin, message)
    finally:
        sender.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await sender


async def _send_new(twin: Twin, account: str, session: JsonObject, send: Send) -> None:
    events, requests = session["_events"], session["_requests"]
    while True:
        if "webhooks" in session["features"]:
            order = twin.store.table(account, "event").order
            for identifier in order[events:]:
                event = twin.store.find(account, "event", identifier)
                if event is not None:
                    await _text(send, _webhook(twin, account, session, event))
            events = len(order)
        if "request_logs" in session["features"]:
            for entry in twin.journal.since(requests):
                if entry["kind"] == "request":
                    await _text(send, _log(entry))
            requests = twin.journal.seq
        await asyncio.sleep(POLL)


async def _text(send: Send, message: JsonObject) -> None:
    await send({"type": "websocket.send", "text": msgspec.json.encode(message).decode()})


def _webhook(twin: Twin, account: str, session: JsonObject, event: JsonObject) -> JsonObject:
    shown = render_event(twin, account, event, event["api_version"])
    payload = msgspec.json.format(msgspec.json.encode(shown), indent=2)
    # The receiver checks the second against its own wall clock.
    stamp = _wall()
    return {
        "type": "webhook_event",
        "event_payload": payload.decode(),
        "http_headers": {
            "Content-Type": "application/json; charset=utf-8",
            "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
            "Stripe-Signature": signature_header(payload, session["_secret"], stamp),
        },
        "endpoint": {"api_version": None},
        "webhook_id": f"wh_{event['id'][4:]}",
        "webhook_conversation_id": f"wc_{event['id'][4:]}",
    }


def _wall() -> int:
    import time

    return int(time.time())


def _log(entry: JsonObject) -> JsonObject:
    error = entry["response"].get("error") if isinstance(entry["response"], dict) else None
    shown = {
        "livemode": False,
        "method": entry["method"],
        "url": entry["path"],
        "status": entry["status"],
        "request_id": entry["request_id"],
        "created_at": entry["at"],
        "error": {
            name: error.get(name, "")
            for name in ("type", "charge", "code", "decline_code", "message", "param")
        }
        if error
        else {},
    }
    return {
        "type": "request_log_event",
        "event_payload": msgspec.json.encode(shown).decode(),
        "request_log_id": f"resp_{entry['request_id'][4:]}",
    }


def _take(twin: Twin, message: MutableMapping[str, Any]) -> None:
    """Note in the journal what the CLI's target answered."""
    text = message.get("text") or (message.get("bytes") or b"").decode("utf-8", "replace")
    try:
        answer = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return
    if isinstance(answer, dict) and answer.get("type") == "webhook_response":
        journal: Journal = twin.journal
        journal.append(
            "webhook",
            twin.now(),
            delivery=answer.get("webhook_conversation_id"),
            url=answer.get("forward_url"),
            status=answer.get("status"),
            outcome="forwarded by the Stripe CLI",
        )
