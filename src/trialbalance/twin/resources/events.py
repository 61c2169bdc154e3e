"""Events: what happened, kept in the account's version of the time.

Source: https://docs.stripe.com/api/events
"""

from __future__ import annotations

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.webhooks.deliveries import KIND, render_event
from trialbalance.twin.wire.call import Call, endpoint

KEPT_SECONDS = 30 * 24 * 3600
"""Events can be read for 30 days."""


@endpoint("GET /v1/events/{id}")
def retrieve(call: Call) -> JsonObject:
    """One event, in the API version it was made in, whatever version asks."""
    event = call.get("event", call.path["id"])
    return render_event(call.twin, call.account, event, event["api_version"])


@endpoint("GET /v1/events")
def list_(call: Call) -> JsonObject:
    """Events of the last 30 days, newest first, by type(s) or by whether their deliveries succeeded.

    `type` may end in `*`. `delivery_success` is whether all deliveries were successful.
    """
    call.exclusive("type", "types")
    type = call.params.get("type")
    types = call.params.plain("types")
    if types is not None and not 1 <= len(types) <= 20:
        raise InvalidRequest("You may pass between 1 and 20 event types.", param="types")
    success = call.params.get("delivery_success")
    oldest = call.now - KEPT_SECONDS

    def keep(event: JsonObject) -> bool:
        if event["created"] < oldest:
            return False
        if type and not _matches(event["type"], type):
            return False
        if types and not any(_matches(event["type"], t) for t in types):
            return False
        return success is None or _all_delivered(call, event) == success

    return call.list(
        "event",
        keep=keep,
        show=lambda event: render_event(call.twin, call.account, event, event["api_version"]),
    )


def _matches(type: str, wanted: str) -> bool:
    return type.startswith(wanted[:-1]) if wanted.endswith("*") else type == wanted


def _all_delivered(call: Call, event: JsonObject) -> bool:
    for owner in {call.account, call.twin.account}:
        for delivery in call.ledger.all(owner, KIND):
            if delivery["event"] == event["id"] and delivery["status"] != "delivered":
                return False
    return True
