"""Customer sessions: what Stripe's components may show of a customer, to the browser that has the secret.

Source: https://docs.stripe.com/api/customer_sessions
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint

KIND = "customer_session"
LIFETIME = 1800
FEATURES: dict[str, JsonObject] = {
    "customer_sheet": {
        "payment_method_allow_redisplay_filters": ["always"],
        "payment_method_remove": "disabled",
    },
    "mobile_payment_element": {
        "payment_method_allow_redisplay_filters": ["always"],
        "payment_method_redisplay": "disabled",
        "payment_method_remove": "disabled",
        "payment_method_save": "disabled",
        "payment_method_save_allow_redisplay_override": None,
    },
    "payment_element": {
        "payment_method_allow_redisplay_filters": ["always"],
        "payment_method_redisplay": "disabled",
        "payment_method_redisplay_limit": 3,
        "payment_method_remove": "disabled",
        "payment_method_save": "disabled",
        "payment_method_save_usage": None,
    },
}
"""Components with features, and what those are unless asked for otherwise."""
PLAIN = ("active_entitlements", "buy_button", "customer_portal", "pricing_table")


@endpoint("POST /v1/customer_sessions")
def create(call: Call) -> JsonObject:
    """A session for one customer."""
    call.unsupported("customer_account")
    call.require("customer")
    customer = call.get("customer", call.params["customer"], param="customer")
    given: Any = call.params.plain("components")
    components: JsonObject = {
        name: {"enabled": bool((given.get(name) or {}).get("enabled"))} for name in PLAIN
    }
    for name, defaults in FEATURES.items():
        components[name] = _component(given.get(name), defaults)
    if not any(component["enabled"] for component in components.values()):
        raise InvalidRequest("At least one component must be enabled.", param="components")
    element = components["payment_element"]["features"]
    if (
        element
        and element["payment_method_save"] == "enabled"
        and element["payment_method_save_usage"] is None
    ):
        raise InvalidRequest(
            "You must set `payment_method_save_usage` when `payment_method_save` is enabled.",
            param="components[payment_element][features][payment_method_save_usage]",
        )
    session = call.new(
        KIND,
        None,
        client_secret=f"cuss_secret_{call.twin.ids.random(40)}",
        customer=customer["id"],
        expires_at=call.now + LIFETIME,
    )
    session["components"] = {name: components[name] for name in sorted(components)}
    session = {name: session[name] for name in ("object", *sorted(set(session) - {"object"}))}
    call.insert({**session, "id": session["client_secret"]}, kind=KIND)
    return session


def find(call: Call, secret: str) -> JsonObject | None:
    """The session of a client secret, while it lasts."""
    found = call.find(KIND, secret)
    return found if found is not None and call.now < found["expires_at"] else None


def _component(given: Any, defaults: JsonObject) -> JsonObject:
    if not given or not given.get("enabled"):
        return {"enabled": False, "features": None}
    return {"enabled": True, "features": defaults | (given.get("features") or {})}
