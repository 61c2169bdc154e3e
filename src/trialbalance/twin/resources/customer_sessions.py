"""Customer sessions: let a page show and save one customer's payment methods.

A session has no id of its own; its client secret is all that a page gets.
Source: https://docs.stripe.com/api/customer_sessions
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint

KIND = "customer_session"
LIFE = 30 * 60
COMPONENTS = (
    "active_entitlements",
    "buy_button",
    "customer_portal",
    "customer_sheet",
    "mobile_payment_element",
    "payment_element",
    "pricing_table",
)
PAYMENT_ELEMENT: dict[str, Any] = {
    "payment_method_allow_redisplay_filters": ["always"],
    "payment_method_redisplay": "disabled",
    "payment_method_redisplay_limit": 3,
    "payment_method_remove": "disabled",
    "payment_method_save": "disabled",
    "payment_method_save_usage": None,
}
FEATURES: dict[str, dict[str, Any]] = {
    "payment_element": PAYMENT_ELEMENT,
    "customer_sheet": {
        "payment_method_allow_redisplay_filters": None,
        "payment_method_remove": None,
    },
    "mobile_payment_element": {
        "payment_method_allow_redisplay_filters": None,
        "payment_method_redisplay": None,
        "payment_method_remove": None,
        "payment_method_save": None,
        "payment_method_save_allow_redisplay_override": None,
    },
}


@endpoint("POST /v1/customer_sessions")
def create(call: Call) -> JsonObject:
    """A session for the components that are enabled; it lives for half an hour."""
    call.unsupported("customer_account")
    call.require("customer")
    customer = call.get("customer", call.params["customer"], param="customer")
    asked = call.params.plain("components") or {}
    if not any(part.get("enabled") for part in asked.values()):
        raise InvalidRequest("You must enable at least one component.", param="components")
    secret = f"cuss_secret_{call.twin.ids.random(48)}"
    session = call.new(
        KIND,
        None,
        client_secret=secret,
        components={name: component(name, asked.get(name)) for name in COMPONENTS},
        customer=customer["id"],
        expires_at=call.now + LIFE,
    )
    call.ledger.insert(call.account, KIND, {"id": secret, **session})
    return session


def component(name: str, asked: JsonObject | None) -> JsonObject:
    """One component as the object shows it, with the defaults of its features."""
    enabled = bool(asked and asked.get("enabled"))
    shown: JsonObject = {"enabled": enabled}
    if name in FEATURES:
        given = (asked or {}).get("features") or {}
        shown["features"] = {**FEATURES[name], **given} if enabled else None
    return shown


def by_secret(call: Call, secret: str, *, param: str) -> JsonObject:
    """The living session of a client secret.

    Raises:
        InvalidRequest: none, or expired.
    """
    found = call.ledger.find(call.account, KIND, secret)
    if found is None or call.now >= found["expires_at"]:
        raise InvalidRequest(
            "The customer session is unknown or has expired. Create a new one on your server.", param=param
        )
    return found
