"""Confirmation tokens: payment details collected in the browser, confirmed on the server.

Source: https://docs.stripe.com/api/confirmation_tokens
"""

from __future__ import annotations

from typing import Any

from trialbalance.contract import load
from trialbalance.twin import addresses
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import intent_fields, payment_methods
from trialbalance.twin.wire.call import Call, endpoint, own_endpoint

KIND = "confirmation_token"
LIFE = 12 * 3600
_CREATE = "POST /v1/test_helpers/confirmation_tokens"
_BROWSER: dict[str, Any] = {
    "hash": {
        **load().endpoints[_CREATE].params["hash"],
        "mandate_data": load()
        .endpoints["POST /v1/payment_intents/{intent}/confirm"]
        .params["hash"]["mandate_data"],
        "client_context": {"map": "any"},
    }
}

intent_fields.take_cards(_CREATE)


@endpoint("GET /v1/confirmation_tokens/{confirmation_token}", browser=True)
def retrieve(call: Call) -> JsonObject:
    """One token."""
    return call.get(KIND, call.path["confirmation_token"], param="confirmation_token")


@own_endpoint("POST /v1/confirmation_tokens", _BROWSER, {"ref": KIND}, browser=True)
def create_in_browser(call: Call) -> JsonObject:
    """What Stripe.js calls for `stripe.createConfirmationToken`."""
    call.params.plain("client_context")  # what Elements was told; the intent has it too
    return _create(call)


@endpoint("POST /v1/test_helpers/confirmation_tokens")
def create(call: Call) -> JsonObject:
    """The same for tests, from a server.

    Source: https://docs.stripe.com/api/confirmation_tokens/test_create
    """
    return _create(call)


def _create(call: Call) -> JsonObject:
    params = call.params
    call.exclusive("payment_method", "payment_method_data")
    if params.get("payment_method"):
        method = payment_methods.resolve(call, params["payment_method"])
    elif dict.get(params, "payment_method_data"):
        method = payment_methods.build(call, params["payment_method_data"], prefix="payment_method_data")
    else:
        raise InvalidRequest(
            "Missing required param: payment_method_data.",
            param="payment_method_data",
            code="parameter_missing",
        )
    preview = {
        name: value
        for name, value in method.items()
        if name
        in ("allow_redisplay", "billing_details", "customer", "customer_account", "type", method["type"])
    }
    options = params.plain("payment_method_options") or None
    if options and "card" in options:
        card = {k: v for k, v in options["card"].items() if k in ("cvc_token", "installments")}
        options = {"card": {"cvc_token": None, "installments": None, **card}}
    token = call.new(
        KIND,
        "ctoken",
        expires_at=call.now + LIFE,
        mandate_data=_mandate(params.plain("mandate_data") if "mandate_data" in params else None),
        payment_method_options=options,
        payment_method_preview=preview,
        return_url=params.get("return_url") or None,
        setup_future_usage=params.get("setup_future_usage") or None,
        shipping=_shipping(params.plain("shipping")),
        use_stripe_sdk=True,
    )
    token["_method"] = method["id"]
    return call.insert(token)


def use(call: Call, intent: JsonObject, name: str) -> JsonObject:
    """The payment method of a token that confirms an edited intent; the token is used up and fills the intent in.

    Raises:
        InvalidRequest: used before, or expired.
    """
    token = call.edit(KIND, name, param="confirmation_token")
    if token["payment_intent"] or token["setup_intent"]:
        raise InvalidRequest(
            f"The ConfirmationToken {name} has already been used to confirm another intent.",
            param="confirmation_token",
        )
    if call.now >= token["expires_at"]:
        raise InvalidRequest(f"The ConfirmationToken {name} has expired.", param="confirmation_token")
    token[intent["object"]] = intent["id"]
    if intent["object"] == "payment_intent":
        intent["setup_future_usage"] = token["setup_future_usage"] or intent["setup_future_usage"]
        if token["shipping"] and intent["shipping"] is None:
            intent["shipping"] = {"carrier": None, "tracking_number": None, **token["shipping"]}
    if token["return_url"] and not dict.get(call.params, "return_url"):
        dict.__setitem__(call.params, "return_url", token["return_url"])
    if token["mandate_data"] and not dict.get(call.params, "mandate_data"):
        dict.__setitem__(call.params, "mandate_data", token["mandate_data"])
    return payment_methods.resolve(call, token["_method"], param="confirmation_token")


def _mandate(sent: Any) -> JsonObject | None:
    if not sent:
        return None
    acceptance = sent["customer_acceptance"]
    online = acceptance.get("online") or {}
    return {
        "customer_acceptance": {
            "online": {
                "ip_address": online.get("ip_address"),
                "user_agent": online.get("user_agent"),
            }
            if acceptance["type"] == "online"
            else None,
            "type": acceptance["type"],
        }
    }


def _shipping(sent: Any) -> JsonObject | None:
    return addresses.shipping(sent)
