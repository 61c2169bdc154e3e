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
EXPIRED = "portal_session_expired"


def portal_endpoint(verb: str, path: str, **params: Any) -> Callable[[Handler], Handler]:
    """An endpoint of the portal's page, under the address of a session."""
    return own_endpoint(
        f"{verb} {BASE}{path}", {"hash": {"expand": {"array": "str"}, **params}}, browser=True
    )


def session_of(call: Call) -> tuple[JsonObject, JsonObject]:
    """The living session of the path's token, and its configuration.

    Raises:
        NotFound: none, or expired.
        InvalidRequest: expired, and the customer may ask for a new link: see `after_expiration`.
    """
    for session in call.ledger.all(call.account, SESSION, _token=call.path["token"]):
        if call.now < session["created"] + LIFETIME:
            return session, call.get(CONFIGURATION, session["configuration"])
        if recoverable(call, session):
            raise InvalidRequest("This link has expired. Ask for a new one.", code=EXPIRED)
    raise NotFound(SESSION, call.path["token"], param="id")


def recoverable(call: Call, session: JsonObject) -> bool:
    """Whether the customer may log in again once the session has expired.

    Source: https://docs.stripe.com/api/customer_portal/sessions/create#create_portal_session-after_expiration
    """
    after = session["after_expiration"]
    if not after:
        return False
    until = (after["customer_login"] or {}).get("expires_at")
    return until is None or call.now < until


def fits_session(session: JsonObject, found: JsonObject) -> bool:
    """Whether a subscription or invoice belongs to the business that the session is for.

    Source: https://docs.stripe.com/api/customer_portal/sessions/create#create_portal_session-on_behalf_of
    """
    return session["on_behalf_of"] is None or found["on_behalf_of"] == session["on_behalf_of"]


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


@portal_endpoint("GET", "")
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
        if found["status"] in OPEN and fits_session(session, found)
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
        if found["status"] != "draft" and fits_session(session, found)
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
        "feedback_options": [
            {"description": option["description"], "id": option["id"]}
            for name in features["subscription_cancel"]["cancellation_reason"]["feedback_options"] or ()
            if (option := call.find("billing.feedback_option", name)) and option["status"] == "active"
        ],
        "flow": session["flow"],
        "headline": configuration["business_profile"]["headline"],
        "invoices": list(reversed(invoices)) if features["invoice_history"]["enabled"] else [],
        "locale": _locale(session, customer),
        "now": call.now,
        "offer": {name: offer[name] for name in ("amount_off", "currency", "percent_off")} if offer else None,
        "payment_methods": list(reversed(methods)),
        "privacy_url": configuration["business_profile"]["privacy_policy_url"],
        "products": products(call, features["subscription_update"]),
        "return_url": session["return_url"],
        "subscriptions": list(reversed(subscriptions)),
        "terms_url": configuration["business_profile"]["terms_of_service_url"],
    }


def _locale(session: JsonObject, customer: JsonObject) -> str | None:
    """The session's language, else what the customer prefers; None leaves it to the browser."""
    if session["locale"] not in (None, "auto"):
        return str(session["locale"])
    return next(iter(customer["preferred_locales"] or ()), None)


def retention(call: Call) -> JsonObject | None:
    """The coupon that the session's flow offers instead of a cancellation."""
    session, _ = session_of(call)
    flow = (session["flow"] or {}).get("subscription_cancel") or {}
    offered = (flow.get("retention") or {}).get("coupon_offer") or {}
    return call.find("coupon", offered["coupon"]) if offered.get("coupon") else None


def planned(call: Call, found: JsonObject) -> JsonObject | None:
    """The change that a schedule will make to a subscription, and when; the page tells of the first."""
    schedule = call.find("subscription_schedule", found["schedule"])
    if schedule is None or schedule["status"] not in ("active", "not_started"):
        return None
    for phase in schedule["phases"]:
        if phase["start_date"] > call.now_of(found):
            return {"at": phase["start_date"]}
    return None


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
        "pausable": found["status"] in ("active", "past_due", "unpaid")
        and found["billing_mode"]["type"] == "flexible"
        and found["collection_method"] == "charge_automatically"
        and not found["schedule"],
        "planned": planned(call, found),
        "resumes_at": found.get("_resumes_at"),
        "resumable": (
            ((found.get("status_details") or {}).get("paused") or {}).get("subscription") or {}
        ).get("type")
        == "pause_requested",
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


@portal_endpoint("POST", "/setup_intent")
def setup(call: Call) -> JsonObject:
    """A setup intent for a new payment method of the customer."""
    customer, _ = feature(call, "payment_method_update")
    made = perform(
        call,
        "POST /v1/setup_intents",
        {"customer": customer["id"], "payment_method_types": ["card"], "usage": "off_session"},
    )
    return {"object": "portal_setup", "client_secret": made["client_secret"], "id": made["id"]}


@portal_endpoint("POST", "/default_method", payment_method="str")
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


@portal_endpoint("POST", "/remove_method", payment_method="str")
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


@portal_endpoint(
    "POST",
    "/customer",
    address=ADDRESS,
    email="str",
    name="str",
    phone="str",
    shipping={"hash": {"address": ADDRESS, "name": "str", "phone": "str"}},
    tax_id={"hash": {"type": "str", "value": "str"}, "required": ["type", "value"]},
)
def customer_update(call: Call) -> JsonObject:
    """Change what the configuration lets customers change about themselves."""
    customer, rules = feature(call, "customer_update")
    allowed = rules["allowed_updates"]
    changes = {}
    for name in ("address", "email", "name", "phone", "shipping"):
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
