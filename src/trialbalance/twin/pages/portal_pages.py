"""What the customer portal's page asks of the API. The address holds a token; the configuration says what it may do.

Every change is made through the API's own endpoints, after the feature was found switched on.
Source: https://docs.stripe.com/customer-management
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trialbalance.twin.billing.pricing import amount_of
from trialbalance.twin.checkout.page import account, price
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.wire.call import Call, Handler, own_endpoint
from trialbalance.twin.wire.inner import perform

SESSION, CONFIGURATION = "billing_portal.session", "billing_portal.configuration"
BASE = "/v1/billing_portal/pages/{token}"
OPEN = ("active", "trialing", "past_due", "unpaid", "paused", "incomplete")
LIFETIME = 24 * 3600


def _endpoint(verb: str, path: str, **params: Any) -> Callable[[Handler], Handler]:
    return own_endpoint(
        f"{verb} {BASE}{path}", {"hash": {"expand": {"array": "str"}, **params}}, browser=True
    )


def session_of(call: Call) -> tuple[JsonObject, JsonObject]:
    """The living session of the path's token, and its configuration.

    Raises:
        NotFound: none, or expired.
    """
    for session in call.ledger.all(call.account, SESSION, _token=call.path["token"]):
        if call.now < session["created"] + LIFETIME:
            return session, call.get(CONFIGURATION, session["configuration"])
    raise NotFound(SESSION, call.path["token"], param="id")


def feature(call: Call, name: str) -> tuple[JsonObject, JsonObject]:
    """The session's customer and one feature that is switched on.

    Raises:
        InvalidRequest: it is off.
    """
    session, configuration = session_of(call)
    found = configuration["features"][name]
    if not found["enabled"]:
        raise InvalidRequest("This is not available here.", code="portal_feature_disabled")
    return call.get("customer", session["customer"]), found


@_endpoint("GET", "")
def retrieve(call: Call) -> JsonObject:
    """All that the page shows."""
    return page(call)


def page(call: Call) -> JsonObject:
    """The customer, their subscriptions, methods and invoices, and what they may change."""
    session, configuration = session_of(call)
    customer = call.get("customer", session["customer"])
    features = configuration["features"]
    subscriptions = [
        subscription(call, found)
        for found in call.ledger.all(call.account, "subscription", customer=customer["id"])
        if found["status"] in OPEN
    ]
    default = customer["invoice_settings"]["default_payment_method"]
    offer = retention(call)
    methods = [
        {
            "card": {name: found["card"][name] for name in ("brand", "exp_month", "exp_year", "last4")}
            if found["type"] == "card"
            else None,
            "default": found["id"] == default,
            "id": found["id"],
            "type": found["type"],
        }
        for found in call.ledger.all(call.account, "payment_method", customer=customer["id"])
    ]
    invoices = [
        {
            name: found[name]
            for name in ("created", "currency", "hosted_invoice_url", "id", "number", "status", "total")
        }
        for found in call.ledger.all(call.account, "invoice", customer=customer["id"])
        if found["status"] != "draft"
    ]
    keep = ("address", "email", "name", "phone", "shipping")
    return {
        "object": "portal_page",
        "account": account(call, {}),
        "customer": {
            **{name: customer[name] for name in keep},
            "tax_ids": [
                {"id": found["id"], "type": found["type"], "value": found["value"]}
                for found in call.ledger.all(call.account, "tax_id", customer=customer["id"])
            ],
        },
        "features": features,
        "flow": session["flow"],
        "headline": configuration["business_profile"]["headline"],
        "invoices": list(reversed(invoices)) if features["invoice_history"]["enabled"] else [],
        "locale": session["locale"],
        "now": call.now,
        "offer": {name: offer[name] for name in ("amount_off", "currency", "percent_off")} if offer else None,
        "payment_methods": list(reversed(methods)),
        "privacy_url": configuration["business_profile"]["privacy_policy_url"],
        "products": products(call, features["subscription_update"]),
        "return_url": session["return_url"],
        "subscriptions": list(reversed(subscriptions)),
        "terms_url": configuration["business_profile"]["terms_of_service_url"],
    }


def subscription(call: Call, found: JsonObject) -> JsonObject:
    """A subscription as the page shows it."""
    items = [call.get("subscription_item", name) for name in found["_items"]]
    shown = []
    for item in items:
        stored = item["price"] if isinstance(item["price"], dict) else call.get("price", item["price"])
        product = call.find("product", stored["product"]) or {"name": ""}
        shown.append(
            {
                "amount": amount_of(stored, item.get("quantity") or 0)
                if stored["recurring"]["usage_type"] == "licensed"
                else None,
                "id": item["id"],
                "price": price(stored),
                "product": product["name"],
                "quantity": item.get("quantity"),
            }
        )
    method = call.find("payment_method", found["default_payment_method"])
    keep = ("cancel_at", "cancel_at_period_end", "currency", "id", "pause_collection", "status", "trial_end")
    return {
        **{name: found[name] for name in keep},
        "card": {name: method["card"][name] for name in ("brand", "last4")}
        if method and method["type"] == "card"
        else None,
        "items": shown,
        "period_end": max((item["current_period_end"] for item in items), default=None),
    }


def products(call: Call, update: JsonObject) -> list[JsonObject]:
    """What subscriptions may be switched to."""
    found = []
    for row in update["products"] or () if update["enabled"] else ():
        product = call.find("product", row["product"])
        if product is None:
            continue
        prices = [call.get("price", name) for name in row["prices"]]
        found.append(
            {
                "adjustable_quantity": row["adjustable_quantity"],
                "description": product["description"],
                "id": product["id"],
                "name": product["name"],
                "prices": [price(stored) for stored in prices if stored["active"]],
            }
        )
    return found


def _own_subscription(call: Call, customer: JsonObject) -> JsonObject:
    found = call.get("subscription", call.params["subscription"], param="subscription")
    if found["customer"] != customer["id"]:
        raise NotFound("subscription", found["id"], param="subscription")
    return found


@_endpoint("POST", "/cancel", subscription="str", feedback="str", comment="str")
def cancel(call: Call) -> JsonObject:
    """End a subscription, now or at the end of its period, as the configuration says.

    Source: https://docs.stripe.com/customer-management/cancellation-page
    """
    customer, rules = feature(call, "subscription_cancel")
    found = _own_subscription(call, customer)
    given = {name: call.params.get(name) for name in ("comment", "feedback") if call.params.get(name)}
    if rules["mode"] == "at_period_end":
        perform(
            call,
            "POST /v1/subscriptions/{subscription_exposed_id}",
            {"cancel_at_period_end": True, "cancellation_details": given or None},
            subscription_exposed_id=found["id"],
        )
    else:
        perform(
            call,
            "DELETE /v1/subscriptions/{subscription_exposed_id}",
            {
                "cancellation_details": given or None,
                "invoice_now": rules["proration_behavior"] == "always_invoice" or None,
                "prorate": rules["proration_behavior"] != "none" or None,
            },
            subscription_exposed_id=found["id"],
        )
    return page(call)


@_endpoint("POST", "/stay", subscription="str")
def stay(call: Call) -> JsonObject:
    """Take the coupon that the flow offers to whoever stays.

    Source: https://docs.stripe.com/customer-management/portal-deep-links#retention-strategy
    """
    customer, _ = feature(call, "subscription_cancel")
    found = _own_subscription(call, customer)
    offer = retention(call)
    if offer is None:
        raise InvalidRequest("There is no offer here.", code="portal_feature_disabled")
    perform(
        call,
        "POST /v1/subscriptions/{subscription_exposed_id}",
        {"discounts": [{"coupon": offer["id"]}]},
        subscription_exposed_id=found["id"],
    )
    return page(call)


def retention(call: Call) -> JsonObject | None:
    """The coupon that the session's flow offers instead of a cancellation."""
    session, _ = session_of(call)
    flow = (session["flow"] or {}).get("subscription_cancel") or {}
    offered = (flow.get("retention") or {}).get("coupon_offer") or {}
    return call.find("coupon", offered["coupon"]) if offered.get("coupon") else None


@_endpoint("POST", "/renew", subscription="str")
def renew(call: Call) -> JsonObject:
    """Take a planned cancellation back."""
    customer, _ = feature(call, "subscription_cancel")
    found = _own_subscription(call, customer)
    perform(
        call,
        "POST /v1/subscriptions/{subscription_exposed_id}",
        {"cancel_at_period_end": False},
        subscription_exposed_id=found["id"],
    )
    return page(call)


ITEM: Any = {"hash": {"id": "str", "price": "str", "quantity": "int"}, "required": ["id"]}


@_endpoint("POST", "/preview", subscription="str", items={"array": ITEM})
def preview(call: Call) -> JsonObject:
    """What a switch would cost: today, and from the next period on."""
    customer, rules = feature(call, "subscription_update")
    found = _own_subscription(call, customer)
    items = _items(call, rules)
    _refuse_scheduling(call, rules, items)
    made = perform(
        call,
        "POST /v1/invoices/create_preview",
        {
            "customer": customer["id"],
            "subscription": found["id"],
            "subscription_details": {"items": items, "proration_behavior": rules["proration_behavior"]},
        },
    )
    lines = made["lines"]["data"]
    return {
        "object": "portal_preview",
        "amount_due": made["amount_due"],
        "currency": made["currency"],
        "lines": [{name: line[name] for name in ("amount", "description")} for line in lines],
        "period_end": made["period_end"],
        "total": made["total"],
    }


def _items(call: Call, rules: JsonObject) -> list[JsonObject]:
    """The asked items, if the configuration allows them."""
    allowed = {name: row for row in rules["products"] or () for name in row["prices"]}
    items = []
    for position, row in enumerate(call.params.plain("items")):
        if row.get("price") is not None and row["price"] not in allowed:
            raise InvalidRequest("This price is not offered here.", param=f"items[{position}][price]")
        if row.get("quantity") is not None:
            held = call.get("subscription_item", row["id"], param=f"items[{position}][id]")["price"]
            price = row.get("price") or (held["id"] if isinstance(held, dict) else held)
            _check_quantity(allowed.get(price), rules, row["quantity"], f"items[{position}][quantity]")
        known = call.find("subscription_item", row["id"])
        kept = {"quantity": known["quantity"]} if known is not None and "quantity" in known else {}
        items.append({**kept, **{name: value for name, value in row.items() if value is not None}})
    return items


DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


def _refuse_scheduling(call: Call, rules: JsonObject, items: list[JsonObject]) -> None:
    """Changes that the configuration puts off to the end of the period are refused by name: they are not built."""
    conditions = {row["type"] for row in rules["schedule_at_period_end"]["conditions"] or ()}
    for row in items if conditions else ():
        item = call.get("subscription_item", row["id"])
        held = item["price"] if isinstance(item["price"], dict) else call.get("price", item["price"])
        wanted = call.get("price", row["price"]) if row.get("price") else held
        before = amount_of(held, item.get("quantity") or 1)
        after = amount_of(wanted, row.get("quantity") or item.get("quantity") or 1)
        if "decreasing_item_amount" in conditions and after < before:
            raise _not_scheduled("decreasing_item_amount")
        if "shortening_interval" in conditions and _length(wanted) < _length(held):
            raise _not_scheduled("shortening_interval")


def _length(price: JsonObject) -> int:
    rule = price["recurring"]
    return DAYS[rule["interval"]] * int(rule["interval_count"])


def _not_scheduled(condition: str) -> InvalidRequest:
    return InvalidRequest(
        f"This change would be scheduled to the end of the period (`schedule_at_period_end`, `{condition}`), which "
        "the twin's portal has not built.",
        code="portal_feature_disabled",
    )


def _check_quantity(product: JsonObject | None, rules: JsonObject, quantity: int, path: str) -> None:
    """Within what the configuration says of the product.

    Source: https://docs.stripe.com/api/customer_portal/configurations/create
    """
    if "quantity" not in rules["default_allowed_updates"]:
        raise InvalidRequest("The quantity cannot be changed here.", param=path)
    limits = (product or {}).get("adjustable_quantity") or {}
    least, most = max(limits.get("minimum") or 1, 1), limits.get("maximum")
    if quantity < least or (limits.get("enabled") and most is not None and quantity > most):
        bound = f"between {least} and {most}" if most is not None else f"at least {least}"
        raise InvalidRequest(f"The quantity must be {bound}.", param=path)


@_endpoint("POST", "/switch", subscription="str", items={"array": ITEM})
def switch(call: Call) -> JsonObject:
    """Move to another price or quantity.

    Source: https://docs.stripe.com/customer-management/configure-portal
    """
    customer, rules = feature(call, "subscription_update")
    found = _own_subscription(call, customer)
    items = _items(call, rules)
    _refuse_scheduling(call, rules, items)
    perform(
        call,
        "POST /v1/subscriptions/{subscription_exposed_id}",
        {
            "items": items,
            "proration_behavior": rules["proration_behavior"],
            "payment_behavior": "error_if_incomplete"
            if rules["proration_behavior"] == "always_invoice"
            else None,
        },
        subscription_exposed_id=found["id"],
    )
    return page(call)


@_endpoint("POST", "/setup_intent")
def setup(call: Call) -> JsonObject:
    """A setup intent for a new payment method of the customer."""
    customer, _ = feature(call, "payment_method_update")
    made = perform(
        call,
        "POST /v1/setup_intents",
        {"customer": customer["id"], "payment_method_types": ["card"], "usage": "off_session"},
    )
    return {"object": "portal_setup", "client_secret": made["client_secret"], "id": made["id"]}


@_endpoint("POST", "/default_method", payment_method="str")
def default_method(call: Call) -> JsonObject:
    """Pay with this method from now on: invoices, and subscriptions that have a method of their own."""
    customer, _ = feature(call, "payment_method_update")
    method = call.get("payment_method", call.params["payment_method"], param="payment_method")
    if method["customer"] != customer["id"]:
        raise NotFound("payment_method", method["id"], param="payment_method")
    perform(
        call,
        "POST /v1/customers/{customer}",
        {"invoice_settings": {"default_payment_method": method["id"]}},
        customer=customer["id"],
    )
    for found in list(call.ledger.all(call.account, "subscription", customer=customer["id"])):
        if found["status"] in OPEN and found["default_payment_method"] not in (None, method["id"]):
            perform(
                call,
                "POST /v1/subscriptions/{subscription_exposed_id}",
                {"default_payment_method": method["id"]},
                subscription_exposed_id=found["id"],
            )
    return page(call)


@_endpoint("POST", "/remove_method", payment_method="str")
def remove_method(call: Call) -> JsonObject:
    """Forget a payment method that is not the default."""
    customer, _ = feature(call, "payment_method_update")
    method = call.get("payment_method", call.params["payment_method"], param="payment_method")
    if method["customer"] != customer["id"]:
        raise NotFound("payment_method", method["id"], param="payment_method")
    if customer["invoice_settings"]["default_payment_method"] == method["id"]:
        raise InvalidRequest("Choose another default method first.", param="payment_method")
    perform(call, "POST /v1/payment_methods/{payment_method}/detach", payment_method=method["id"])
    return page(call)


ADDRESS: Any = {"hash": dict.fromkeys(("city", "country", "line1", "line2", "postal_code", "state"), "str")}


@_endpoint(
    "POST",
    "/customer",
    address=ADDRESS,
    email="str",
    name="str",
    phone="str",
    tax_id={"hash": {"type": "str", "value": "str"}, "required": ["type", "value"]},
)
def customer_update(call: Call) -> JsonObject:
    """Change what the configuration lets customers change about themselves."""
    customer, rules = feature(call, "customer_update")
    allowed = rules["allowed_updates"]
    changes = {}
    for name in ("address", "email", "name", "phone"):
        value = call.params.plain(name) if name in call.params else None
        if value is None:
            continue
        if name not in allowed:
            raise InvalidRequest("This cannot be changed here.", param=name)
        changes[name] = value
    if changes:
        perform(call, "POST /v1/customers/{customer}", changes, customer=customer["id"])
    tax_id = call.params.plain("tax_id") if "tax_id" in call.params or call.params.get("tax_id") else None
    if tax_id:
        if "tax_id" not in allowed:
            raise InvalidRequest("This cannot be changed here.", param="tax_id")
        perform(call, "POST /v1/customers/{customer}/tax_ids", tax_id, customer=customer["id"])
    return page(call)
