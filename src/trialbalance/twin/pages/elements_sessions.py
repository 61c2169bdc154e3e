"""What Elements ask before they show anything: which payment methods, for which amount, for which customer.

Stripe.js of the official kind calls the same path. The answer is our own shape.
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.checkout.page import account, saved
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.pages import link
from trialbalance.twin.resources import customer_sessions, payment_options
from trialbalance.twin.wire.call import Call, own_endpoint

DEFERRED: Any = {
    "hash": {
        "amount": "int",
        "capture_method": "str",
        "currency": "str",
        "mode": {"enum": ["payment", "setup", "subscription"]},
        "on_behalf_of": "str",
        "payment_method_configuration": "str",
        "payment_method_types": {"array": "str"},
        "allowed_payment_method_types": {"array": "str"},
        "excluded_payment_method_types": {"array": "str"},
        "setup_future_usage": "str",
    },
    "required": ["mode"],
}


@own_endpoint(
    "GET /v1/elements/sessions",
    {
        "hash": {
            "client_secret": "str",
            "customer_session_client_secret": "str",
            "deferred_intent": DEFERRED,
            "expand": {"array": "str"},
            "locale": "str",
            "type": {"enum": ["payment_intent", "setup_intent", "deferred_intent", "checkout"]},
        }
    },
    browser=True,
)
def retrieve(call: Call) -> JsonObject:
    """The session of a group of elements."""
    params = call.params
    params.ignore("locale")  # words are chosen by the page
    secret = params.get("client_secret")
    if secret and secret.startswith("cs_"):
        found = of_checkout(call, secret)
    elif secret:
        found = of_intent(call, secret)
    elif "deferred_intent" in params or params.get("deferred_intent"):
        found = deferred(call, params["deferred_intent"])
    else:
        raise InvalidRequest(
            "Missing required param: client_secret.", param="client_secret", code="parameter_missing"
        )
    customer_secret = params.get("customer_session_client_secret")
    customer = customer_of(call, customer_secret) if customer_secret else None
    params.ignore("type")
    return {
        "object": "elements_session",
        "account": account(call, {}),
        "customer": customer,
        "link": link.settings(call, found["payment_method_types"]),
        "now": call.now,
        **found,
    }


def of_intent(call: Call, secret: str) -> JsonObject:
    """What an existing intent says."""
    identifier = secret.partition("_secret_")[0]
    kind = "setup_intent" if identifier.startswith("seti_") else "payment_intent"
    intent = call.get(kind, identifier, param="intent")
    if intent["client_secret"] != secret:
        raise InvalidRequest(
            f"The client_secret provided does not match any associated {kind.replace('_', ' ').title()} on this "
            "account. Ensure the provided client_secret and account are correct.",
            param="client_secret",
        )
    if intent["status"] in ("succeeded", "canceled", "processing", "requires_capture"):
        raise InvalidRequest(
            f"This {kind} has a status of {intent['status']} and can no longer be paid.",
            code=f"{kind}_unexpected_state",
        )
    return {
        "amount": intent.get("amount"),
        "currency": intent.get("currency"),
        "intent": intent["id"],
        "mode": "setup" if kind == "setup_intent" else "payment",
        "payment_method_types": intent["payment_method_types"],
        "setup_future_usage": intent.get("setup_future_usage"),
    }


def of_checkout(call: Call, secret: str) -> JsonObject:
    """What a Checkout Session in elements mode says."""
    session = call.get("checkout.session", secret.partition("_secret_")[0], param="client_secret")
    if session["client_secret"] != secret:
        raise InvalidRequest("The client_secret provided is wrong.", param="client_secret")
    return {
        "amount": session["amount_total"],
        "currency": session["currency"],
        "intent": None,
        "mode": session["mode"],
        "payment_method_types": session["payment_method_types"],
        "payment_methods": saved(call, session),
        "setup_future_usage": session["_payment_intent_data"].get("setup_future_usage"),
    }


def deferred(call: Call, asked: Any) -> JsonObject:
    """What an intent would offer that the page will make later."""
    mode, currency, amount = asked["mode"], asked.get("currency"), asked.get("amount")
    if mode != "setup":
        for name, value in (("amount", amount), ("currency", currency)):
            if value is None:
                raise InvalidRequest(
                    f"Missing required param: deferred_intent[{name}].",
                    param=f"deferred_intent[{name}]",
                    code="parameter_missing",
                )
    asked.ignore("on_behalf_of")
    offered, _, _ = payment_options.choose(
        call,
        explicit=asked.plain("payment_method_types") or None,
        allowed=asked.plain("allowed_payment_method_types") or None,
        excluded=asked.plain("excluded_payment_method_types") or None,
        automatic=None,
        configuration=asked.get("payment_method_configuration"),
        currency=currency,
        setup=mode == "setup",
        manual=asked.get("capture_method") == "manual",
    )
    return {
        "amount": amount,
        "currency": currency,
        "intent": None,
        "mode": mode,
        "payment_method_types": offered,
        "setup_future_usage": asked.get("setup_future_usage"),
    }


def customer_of(call: Call, secret: str) -> JsonObject:
    """What a customer session lets the page show."""
    session = customer_sessions.find(call, secret)
    if session is None:
        raise InvalidRequest(
            "The customer session is unknown or has expired. Create a new one on your server.",
            param="customer_session_client_secret",
        )
    part = session["components"]["payment_element"]
    features = part["features"] or customer_sessions.FEATURES["payment_element"]
    shown: list[JsonObject] = []
    if part["enabled"] and features["payment_method_redisplay"] == "enabled":
        filters = features["payment_method_allow_redisplay_filters"]
        for method in call.ledger.all(call.account, "payment_method", customer=session["customer"]):
            if method["type"] == "card" and (method.get("allow_redisplay") or "unspecified") in filters:
                shown.append(
                    {
                        "billing_details": method["billing_details"],
                        "card": {
                            name: method["card"][name] for name in ("brand", "exp_month", "exp_year", "last4")
                        },
                        "id": method["id"],
                        "type": "card",
                    }
                )
    limit = features["payment_method_redisplay_limit"] or 3
    return {
        "can_remove": features["payment_method_remove"] == "enabled",
        "can_save": features["payment_method_save"] == "enabled",
        "id": session["customer"],
        "payment_methods": list(reversed(shown))[:limit],
        "save_usage": features["payment_method_save_usage"],
    }


@own_endpoint(
    "POST /v1/elements/payment_methods/{payment_method}/detach",
    {
        "hash": {"customer_session_client_secret": "str", "expand": {"array": "str"}},
        "required": ["customer_session_client_secret"],
    },
    browser=True,
)
def detach(call: Call) -> JsonObject:
    """A customer removes a saved method, where the session lets them."""
    from trialbalance.twin.wire.inner import perform

    secret = call.params["customer_session_client_secret"]
    customer = customer_of(call, secret)
    method = call.get("payment_method", call.path["payment_method"], param="payment_method")
    if not customer["can_remove"] or method["customer"] != customer["id"]:
        raise InvalidRequest("This payment method cannot be removed here.", param="payment_method")
    return perform(call, "POST /v1/payment_methods/{payment_method}/detach", payment_method=method["id"])


@own_endpoint(
    "POST /v1/elements/attach_bank_account",
    {
        "hash": {"client_secret": "str", "expand": {"array": "str"}, "payment_method": "str"},
        "required": ["client_secret", "payment_method"],
    },
    browser=True,
)
def attach_bank_account(call: Call) -> JsonObject:
    """What `collectBankAccountForPayment` leaves: the intent has the account and waits for its confirmation.

    Source: https://docs.stripe.com/js/payment_intents/collect_bank_account_for_payment
    """
    from trialbalance.twin.wire.inner import perform

    secret = call.params["client_secret"]
    found = of_intent(call, secret)
    kind = "setup_intents" if found["mode"] == "setup" else "payment_intents"
    return perform(
        call,
        f"POST /v1/{kind}/{{intent}}",
        {"payment_method": call.params["payment_method"]},
        intent=found["intent"],
    )
