"""Billing meters and what they counted.

Source: https://docs.stripe.com/api/billing/meter
"""

from __future__ import annotations

from trialbalance.twin.billing import metering
from trialbalance.twin.billing.calendar import DAY, Period
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint

KIND = metering.KIND
WINDOWS = {"hour": 3600, "day": DAY}


@endpoint("POST /v1/billing/meters")
def create(call: Call) -> JsonObject:
    """A new, active meter; no two active ones listen to the same event name."""
    params = call.params
    name = params["event_name"]
    if metering.listening(call, name) is not None:
        raise InvalidRequest(
            f"There is already an active meter with the event name `{name}`.", param="event_name"
        )
    meter = call.new(
        KIND,
        "mtr_test",
        customer_mapping=params.plain("customer_mapping")
        or {"event_payload_key": "stripe_customer_id", "type": "by_id"},
        default_aggregation=params.plain("default_aggregation"),
        display_name=params["display_name"],
        event_name=name,
        event_time_window=params.get("event_time_window"),
        status="active",
        status_transitions={"deactivated_at": None},
        updated=call.now,
        value_settings=params.plain("value_settings") or {"event_payload_key": "value"},
    )
    call.insert(meter)
    metering.listen(call, meter)
    call.emit("billing.meter.created", meter)
    return meter


@endpoint("GET /v1/billing/meters/{id}")
def retrieve(call: Call) -> JsonObject:
    """One meter."""
    return call.get(KIND, call.path["id"])


@endpoint("POST /v1/billing/meters/{id}")
def update(call: Call) -> JsonObject:
    """Rename a meter."""
    meter = call.edit(KIND, call.path["id"])
    call.assign(meter, "display_name")
    meter["updated"] = call.now
    call.emit("billing.meter.updated", meter)
    return meter


@endpoint("GET /v1/billing/meters")
def list_(call: Call) -> JsonObject:
    """Meters, newest first."""
    return call.list(KIND, where={"status": call.params.get("status")})


@endpoint("POST /v1/billing/meters/{id}/deactivate")
def deactivate(call: Call) -> JsonObject:
    """Let a meter count no more; what it counted is still billed."""
    meter = call.edit(KIND, call.path["id"])
    if meter["status"] == "inactive":
        raise InvalidRequest("This meter is already inactive.")
    meter["status"] = "inactive"
    meter["status_transitions"]["deactivated_at"] = call.now
    meter["updated"] = call.now
    metering.ignore(call, meter)
    call.emit("billing.meter.deactivated", meter)
    return meter


@endpoint("POST /v1/billing/meters/{id}/reactivate")
def reactivate(call: Call) -> JsonObject:
    """Let a meter count again."""
    meter = call.edit(KIND, call.path["id"])
    if meter["status"] == "active":
        raise InvalidRequest("This meter is already active.")
    if metering.listening(call, meter["event_name"]) is not None:
        raise InvalidRequest(f"There is already an active meter with the event name `{meter['event_name']}`.")
    meter["status"] = "active"
    meter["status_transitions"]["deactivated_at"] = None
    meter["updated"] = call.now
    metering.listen(call, meter)
    call.emit("billing.meter.reactivated", meter)
    return meter


@endpoint("GET /v1/billing/meters/{id}/event_summaries")
def event_summaries(call: Call) -> JsonObject:
    """What a meter counted for a customer: in all, or by hours or days, the latest first.

    Source: https://docs.stripe.com/api/billing/meter-event-summary/list
    """
    meter = call.get(KIND, call.path["id"])
    params = call.params
    customer = call.get("customer", params["customer"], param="customer")["id"]
    start, end = params["start_time"], params["end_time"]
    grouping = params.get("value_grouping_window")
    step = WINDOWS[grouping] if grouping else 60
    word = f"UTC {grouping}" if grouping else "minute"
    for name, at in (("start_time", start), ("end_time", end)):
        if at % step:
            raise InvalidRequest(f"`{name}` must align with {word} boundaries.", param=name)
    if end <= start:
        raise InvalidRequest("`end_time` must be after `start_time`.", param="end_time")
    if grouping is None:
        spans = [Period(start, end)]
    else:
        seen = sorted(
            {
                int(str(r[0])) // step * step
                for r in metering.readings(call, meter["id"], customer, Period(start, end))
            }
        )
        spans = [Period(at, at + step) for at in reversed(seen)]
    found = [
        call.new(
            "billing.meter_event_summary",
            None,
            id=f"mtrusg_test_{meter['id'].rsplit('_', 1)[-1]}{span.start}",
            aggregated_value=float(metering.value(call, meter, customer, span)),
            end_time=span.end,
            meter=meter["id"],
            start_time=span.start,
        )
        for span in spans
    ]
    return call.page_of(found, url=call.path_name)
