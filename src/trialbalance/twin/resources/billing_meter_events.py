"""Meter events and their adjustments, one at a time (v1 and v2) or in a stream.

Source: https://docs.stripe.com/api/billing/meter-event
Source: https://docs.stripe.com/billing/subscriptions/usage-based/recording-usage-api
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal, InvalidOperation

from trialbalance.twin.billing import alerting, metering, thresholds
from trialbalance.twin.billing.calendar import DAY
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.webhooks.thin import iso
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.validate import Params

KIND = "billing.meter_event"
OLDEST = 35 * DAY
AHEAD = 300
"""A meter event may be so many seconds in the future."""


@endpoint("POST /v1/billing/meter_events")
def create(call: Call) -> JsonObject:
    """Count an event."""
    event = _count(call, call.params, call.params.get("timestamp"))
    return {"object": KIND, **{n: event[n] for n in sorted(event) if n != "object"}}


def _count(call: Call, params: Params, timestamp: int | None) -> JsonObject:
    """Check an event and let its meter count it."""
    name = params["event_name"]
    payload = params.plain("payload")
    meter = metering.listening(call, name)
    if meter is None:
        raise InvalidRequest(f"No active meter found for the event name `{name}`.", param="event_name")
    customer_key = meter["customer_mapping"]["event_payload_key"]
    customer = payload.get(customer_key)
    if not customer:
        raise InvalidRequest(
            f"The payload must have the customer's id as `{customer_key}`.", param=f"payload[{customer_key}]"
        )
    owner = call.get("customer", customer, param=f"payload[{customer_key}]")
    value = _value(meter, payload)
    now = call.now_of(owner)
    at = now if timestamp is None else timestamp
    if at < now - OLDEST:
        raise InvalidRequest(
            "The event timestamp cannot be more than 35 days in the past. The lowest allowed timestamp is "
            f"{now - OLDEST}.",
            param="timestamp",
        )
    if at > now + AHEAD:
        raise InvalidRequest(
            "The event timestamp cannot be more than 5 minutes in the future.", param="timestamp"
        )
    identifier = params.get("identifier") or call.twin.ids.random(32)
    if call.find("meter_event", f"{meter['id']}/{identifier}") is not None:
        raise InvalidRequest(f"An event already exists with identifier {identifier}.", param="identifier")
    call.insert(
        {
            "id": f"{meter['id']}/{identifier}",
            "object": "meter_event",
            "meter": meter["id"],
            "customer": customer,
            "received": now,
        }
    )
    metering.count(call, meter["id"], customer, at, value, identifier)
    alerting.check(call, meter, owner, Decimal(value))
    thresholds.check(call, meter["id"], customer)
    return {
        "object": KIND,
        "created": now,
        "event_name": name,
        "identifier": identifier,
        "livemode": False,
        "payload": payload,
        "timestamp": at,
    }


def _value(meter: JsonObject, payload: JsonObject) -> str:
    if meter["default_aggregation"]["formula"] == "count":
        return "1"
    key = meter["value_settings"]["event_payload_key"]
    text = payload.get(key)
    try:
        value = Decimal(str(text))
    except InvalidOperation:
        value = Decimal("NaN")
    if text in (None, "") or not value.is_finite():
        raise InvalidRequest(
            f"The payload must have a numeric value as `{key}`; it has {text!r}.", param=f"payload[{key}]"
        )
    return str(text)


@endpoint("POST /v1/billing/meter_event_adjustments")
def adjust(call: Call) -> JsonObject:
    """Cancel an event within 24 hours.

    Source: https://docs.stripe.com/api/billing/meter-event-adjustment
    """
    identifier = (call.params.plain("cancel") or {}).get("identifier")
    _cancel(call, call.params["event_name"], identifier)
    call.params.ignore("type")
    return {
        "object": "billing.meter_event_adjustment",
        "cancel": {"identifier": identifier},
        "event_name": call.params["event_name"],
        "livemode": False,
        "status": "pending",
        "type": "cancel",
    }


def _cancel(call: Call, name: str, identifier: str | None) -> None:
    meter = metering.listening(call, name)
    if meter is None:
        raise InvalidRequest(f"No active meter found for the event name `{name}`.", param="event_name")
    event = call.find("meter_event", f"{meter['id']}/{identifier}")
    if event is None:
        raise InvalidRequest(
            f"No meter event found with the identifier `{identifier}`.", param="cancel[identifier]"
        )
    owner = call.find("customer", event["customer"])
    if call.now_of(owner) - event["received"] > DAY:
        raise InvalidRequest(
            "Meter events can only be canceled within 24 hours of being received.", param="cancel[identifier]"
        )
    if not metering.cancel(call, meter["id"], str(identifier)):
        raise InvalidRequest("This meter event was canceled already.", param="cancel[identifier]")


@endpoint("POST /v2/billing/meter_events")
def create_v2(call: Call) -> JsonObject:
    """Count an event; times are ISO 8601.

    Source: https://docs.stripe.com/api/v2/billing/meter-event
    """
    event = _count(call, call.params, _seconds(call.params.get("timestamp")))
    return {
        **event,
        "object": "v2.billing.meter_event",
        "created": iso(event["created"]),
        "timestamp": iso(event["timestamp"]),
    }


def _seconds(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())
    except ValueError:
        raise InvalidRequest(f"Invalid timestamp: {text}", param="timestamp") from None


@endpoint("POST /v2/billing/meter_event_adjustments")
def adjust_v2(call: Call) -> JsonObject:
    """Cancel an event."""
    identifier = call.params["cancel"]["identifier"]
    _cancel(call, call.params["event_name"], identifier)
    call.params.ignore("type")
    return {
        "id": call.new_id("mtr_event_adj_test"),
        "object": "v2.billing.meter_event_adjustment",
        "cancel": {"identifier": identifier},
        "created": iso(call.now),
        "event_name": call.params["event_name"],
        "livemode": False,
        "status": "pending",
        "type": "cancel",
    }


@endpoint("POST /v2/billing/meter_event_session")
def session(call: Call) -> JsonObject:
    """A token for the stream, good for a quarter of an hour.

    Source: https://docs.stripe.com/api/v2/billing/meter-event-stream
    """
    token = f"token_test_{call.twin.ids.random(24)}"
    call.insert({"id": token, "object": "meter_event_session", "expires": call.now + 900})
    return {
        "id": call.new_id("mes_test"),
        "object": "v2.billing.meter_event_session",
        "authentication_token": token,
        "created": iso(call.now),
        "expires_at": iso(call.now + 900),
        "livemode": False,
    }


@endpoint("POST /v2/billing/meter_event_stream")
def stream(call: Call) -> JsonObject:
    """Count up to a hundred events."""
    events = call.params["events"]
    if len(events) > 100:
        raise InvalidRequest("A request can have at most 100 events.", param="events")
    for event in events:
        _count(call, event, _seconds(event.get("timestamp")))
    return {}
