"""What the Checkout page asks of the API: the page of a session, its changes, and its confirmation.

The official page calls the same paths with a publishable key; the official command line tool pays sessions through
them with a secret key. The answer is our own shape: the session, and all that a page needs beside it.
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.checkout import completion, lines, offers, promotion, shipping, totals
from trialbalance.twin.checkout.collected import check, collect
from trialbalance.twin.checkout.page import page
from trialbalance.twin.currencies import minimum, shown
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.wire.call import Call, own_endpoint
from trialbalance.twin.wire.inner import perform

KIND = "checkout.session"

ADDRESS: Any = {"hash": dict.fromkeys(("city", "country", "line1", "line2", "postal_code", "state"), "str")}
PERSON: Any = {"hash": {"address": ADDRESS, "name": "str", "phone": "str"}}
DETAILS: Any = {
    "hash": {
        "address": ADDRESS,
        "business_name": "str",
        "email": "str",
        "individual_name": "str",
        "name": "str",
        "phone": "str",
        "tax_ids": {
            "empty": {"array": {"hash": {"type": "str", "value": "str"}, "required": ["type", "value"]}}
        },
    }
}
COLLECTED: Any = {
    "browser_locale": "str",
    "client_secret": "str",
    "consent": {"hash": {"promotions": "str", "terms_of_service": "str"}},
    "custom_fields": {"map": "str"},
    "customer_details": DETAILS,
    "expand": {"array": "str"},
    "shipping": PERSON,
}
LINE: Any = {"hash": {"amount": "int", "id": "str", "quantity": "int"}, "required": ["id"]}
OPTIONAL: Any = {"hash": {"price": "str", "quantity": "int"}, "required": ["price", "quantity"]}


@own_endpoint(
    "GET /v1/payment_pages/{session}",
    {"hash": {"client_secret": "str", "expand": {"array": "str"}}},
    browser=True,
)
def retrieve(call: Call) -> JsonObject:
    """The page as it stands."""
    return page(call, _get(call))


@own_endpoint(
    "POST /v1/payment_pages/{session}/init",
    {"hash": {"browser_locale": "str", "client_secret": "str", "expand": {"array": "str"}}},
    browser=True,
)
def init(call: Call) -> JsonObject:
    """The page opens."""
    session = _edit(call)
    locale = call.params.get("browser_locale")
    if locale:
        session["_browser_locale"] = locale
    return page(call, session)


@own_endpoint(
    "POST /v1/payment_pages/{session}",
    {
        "hash": {
            **COLLECTED,
            "cross_sell": {
                "hash": {"product": "str", "quantity": "int"},
                "required": ["product", "quantity"],
            },
            "line_items": {"array": LINE},
            "optional_items": {"array": OPTIONAL},
            "promotion_code": {"empty": "str"},
            "shipping_rate": "str",
            "upsell": "bool",
        }
    },
    browser=True,
)
def update(call: Call) -> JsonObject:
    """The customer changes something that the amounts may depend on."""
    session = _open(call)
    collect(call, session)
    params = call.params
    if "promotion_code" in params:
        code = params.get("promotion_code")
        if code == "":
            promotion.remove(session)
        else:
            promotion.enter(call, session, code)
    for position, row in enumerate(params.get("line_items") or []):
        path = f"line_items[{position}]"
        if row.get("quantity") is not None:
            set_quantity(call, session, row["id"], row["quantity"], path)
        if row.get("amount") is not None:
            set_amount(call, session, row["id"], row["amount"], path)
    for row in params.get("optional_items") or []:
        set_optional(call, session, row["price"], row["quantity"])
    cross_sell = params.get("cross_sell")
    if cross_sell:
        offers.take_cross_sell(call, session, cross_sell["product"], cross_sell["quantity"])
    if params.get("upsell") is not None:
        offers.take_upsell(call, session, params["upsell"])
    if "shipping_rate" in params:
        shipping.choose(session, params.get("shipping_rate"))
    totals.refresh(call, session)
    return page(call, session)


@own_endpoint(
    "POST /v1/payment_pages/{session}/confirm",
    {
        "hash": {
            **COLLECTED,
            "expected_amount": "int",
            "payment_method": "str",
            "payment_method_options": {"map": "any"},
            "return_url": "str",
            "save_payment_method": "bool",
        }
    },
    browser=True,
)
def confirm(call: Call) -> JsonObject:
    """The customer pays. Refused when the amount is not the one that was shown.

    A session that is complete answers as it is: two tabs and double clicks pay once.
    """
    session = _edit(call)
    params = call.params
    collect(call, session)
    expected, method = params.get("expected_amount"), params.get("payment_method")
    back, save = params.get("return_url"), params.get("save_payment_method")
    if session["status"] == "complete":
        return page(call, session)
    _require_open(session)
    totals.refresh(call, session)
    if expected is not None and session["mode"] != "setup" and expected != session["amount_total"]:
        raise InvalidRequest(
            "The amount of this Checkout Session has changed since the page was loaded. Refresh and try again.",
            param="expected_amount",
            code="checkout_amount_mismatch",
        )
    _check_amounts(call, session)
    if session["_key"] is None or (call.api_key is not None and call.api_key.kind == "publishable"):
        check(call, session)
    if method and not (session["customer_details"] or {}).get("email"):
        _adopt_billing(call, session, method)
    session["_save"] = bool(save)
    completion.confirm(call, session, completion.Choice(method, back, params.plain("payment_method_options")))
    return page(call, session)


@own_endpoint(
    "POST /v1/payment_pages/{session}/forget",
    {
        "hash": {"client_secret": "str", "expand": {"array": "str"}, "payment_method": "str"},
        "required": ["payment_method"],
    },
    browser=True,
)
def forget(call: Call) -> JsonObject:
    """The customer removes a saved method, where the merchant allows it.

    Source: https://docs.stripe.com/api/checkout/sessions/object#checkout_session_object-saved_payment_method_options
    """
    session = _open(call)
    method = call.get("payment_method", call.params["payment_method"], param="payment_method")
    options = session["saved_payment_method_options"] or {}
    if options.get("payment_method_remove") != "enabled" or method["customer"] != session["customer"]:
        raise InvalidRequest("This payment method cannot be removed here.", param="payment_method")
    perform(call, "POST /v1/payment_methods/{payment_method}/detach", payment_method=method["id"])
    return page(call, session)


def _adopt_billing(call: Call, session: JsonObject, method: str) -> None:
    """Who paid through the API alone is known from the payment method's billing details."""
    found = call.find("payment_method", method)
    if found is not None:
        details = dict(session["customer_details"] or completion_details())
        for name, value in found["billing_details"].items():
            if name in details and details[name] is None:
                details[name] = value
        session["customer_details"] = details


def completion_details() -> JsonObject:
    """Blank details of a customer."""
    from trialbalance.twin.checkout.parameters import details

    return details(tax_exempt="none")


def set_quantity(call: Call, session: JsonObject, identifier: str, quantity: int, path: str) -> None:
    """Change how many of a line, within what the merchant allows.

    Source: https://docs.stripe.com/payments/checkout/adjustable-quantity
    """
    if identifier not in session["_lines"]:
        raise NotFound("item", identifier, param=f"{path}[id]")
    item = call.edit("item", identifier)
    allowed = item["adjustable_quantity"]
    if not allowed or not allowed["enabled"]:
        raise InvalidRequest("The quantity of this item cannot be changed.", param=f"{path}[quantity]")
    if not allowed["minimum"] <= quantity <= allowed["maximum"]:
        raise InvalidRequest(
            f"The quantity must be between {allowed['minimum']} and {allowed['maximum']}.",
            param=f"{path}[quantity]",
        )
    item["quantity"] = quantity
    if not lines.of_session(call, session):
        raise InvalidRequest("At least one item is needed.", param=f"{path}[quantity]")


def set_amount(call: Call, session: JsonObject, identifier: str, amount: int, path: str) -> None:
    """Pay what the customer likes, within what the price allows.

    Source: https://docs.stripe.com/payments/checkout/pay-what-you-want
    """
    if identifier not in session["_lines"]:
        raise NotFound("item", identifier, param=f"{path}[id]")
    item = call.edit("item", identifier)
    rules = item["price"].get("custom_unit_amount")
    if not rules:
        raise InvalidRequest("The amount of this item cannot be changed.", param=f"{path}[amount]")
    currency = session["currency"]
    least, most = rules["minimum"] or minimum(currency), rules["maximum"]
    if amount < least:
        raise InvalidRequest(
            f"The amount must be at least {shown(least, currency)}.", param=f"{path}[amount]"
        )
    if most is not None and amount > most:
        raise InvalidRequest(f"The amount must be at most {shown(most, currency)}.", param=f"{path}[amount]")
    item["_chosen_amount"] = amount


def _check_amounts(call: Call, session: JsonObject) -> None:
    """An amount that the customer may choose must have been chosen."""
    for position, item in enumerate(lines.of_session(call, session)):
        if item["price"].get("custom_unit_amount") and not item["amount_subtotal"]:
            raise InvalidRequest("Choose an amount.", param=f"line_items[{position}][amount]")


def set_optional(call: Call, session: JsonObject, price: str, quantity: int) -> None:
    """Add, change or drop an optional item.

    Source: https://docs.stripe.com/payments/checkout/optional-items
    """
    offer = next((row for row in session["optional_items"] or () if row["price"] == price), None)
    if offer is None:
        raise InvalidRequest("This item is not offered here.", param="optional_items[0][price]")
    held = next(
        (
            item
            for item in lines.all_of_session(call, session)
            if item["_optional"] and item["price"]["id"] == price
        ),
        None,
    )
    limits = offer["adjustable_quantity"]
    most = (limits["maximum"] or 99) if limits and limits["enabled"] else offer["quantity"]
    if not 0 <= quantity <= most:
        raise InvalidRequest(
            f"The quantity must be between 0 and {most}.", param="optional_items[0][quantity]"
        )
    if held is not None and quantity == 0:
        session["_lines"].remove(held["id"])
    elif held is not None:
        call.edit("item", held["id"])["quantity"] = quantity
    elif quantity:
        entry = {"price": price, "quantity": quantity, "adjustable_quantity": limits}
        lines.add(call, session, entry, "optional_items[0]", optional=True)


def _authorise(call: Call, session: JsonObject) -> None:
    """Pages outside Stripe's own site must know the session's client secret."""
    secret = call.params.get("client_secret")
    if call.api_key is not None and call.api_key.kind != "publishable":
        return
    expected = session["client_secret"]
    if expected is not None and secret != expected:
        raise InvalidRequest(
            "The client_secret provided does not match the client_secret associated with the Checkout Session.",
            param="client_secret",
        )


def _get(call: Call) -> JsonObject:
    session = call.get(KIND, call.path["session"])
    _authorise(call, session)
    return session


def _edit(call: Call) -> JsonObject:
    session = call.edit(KIND, call.path["session"])
    _authorise(call, session)
    return session


def _open(call: Call) -> JsonObject:
    session = _edit(call)
    _require_open(session)
    return session


def _require_open(session: JsonObject) -> None:
    if session["status"] == "open":
        return
    word = "has expired" if session["status"] == "expired" else "is already complete"
    raise InvalidRequest(f"This Checkout Session {word}.", code=f"checkout_session_{session['status']}")
