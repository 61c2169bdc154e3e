"""Setup attempts: every try of a SetupIntent, with how it ended.

Source: https://docs.stripe.com/api/setup_attempts
"""

from __future__ import annotations

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, endpoint

KIND = "setup_attempt"


@endpoint("GET /v1/setup_attempts")
def list_(call: Call) -> JsonObject:
    """The attempts of one SetupIntent, newest first."""
    call.get("setup_intent", call.params["setup_intent"], param="setup_intent")
    return call.list(KIND, where={"setup_intent": call.params["setup_intent"]})


def record(
    call: Call,
    intent: JsonObject,
    method: JsonObject,
    status: str,
    *,
    error: JsonObject | None = None,
    saved_as: str | None = None,
) -> JsonObject:
    """Write an attempt of an edited intent: a new one, or the next state of the one that waits for the customer."""
    waiting = call.find(KIND, intent["latest_attempt"])
    if waiting is not None and waiting["status"] == "requires_action":
        attempt = call.edit(KIND, waiting["id"])
        attempt["status"] = status
        attempt["setup_error"] = error
        if saved_as:
            attempt["payment_method_details"][method["type"]][f"generated_{saved_as}"] = method.get(
                "_saved_as"
            )
        return attempt
    details: JsonObject = {"type": method["type"], method["type"]: {}}
    if method["type"] == "card":
        shown = method["card"]
        details["card"] = {
            "brand": shown["brand"],
            "checks": dict(shown["checks"]),
            "country": shown["country"],
            "exp_month": shown["exp_month"],
            "exp_year": shown["exp_year"],
            "fingerprint": shown["fingerprint"],
            "funding": shown["funding"],
            "last4": shown["last4"],
            "network": shown["brand"],
            "three_d_secure": None,
            "wallet": shown["wallet"],
        }
    attempt = call.new(
        KIND,
        "setatt",
        customer=intent["customer"],
        flow_directions=intent["flow_directions"],
        on_behalf_of=intent["on_behalf_of"],
        payment_method=method["id"],
        payment_method_details=details,
        setup_error=error,
        setup_intent=intent["id"],
        status=status,
        usage="off_session",
    )
    call.insert(attempt)
    intent["latest_attempt"] = attempt["id"]
    return attempt
