"""How a session ends: the customer, the payment, the set-up or the subscription behind it.

Everything is made through the API's own endpoints, inside the transaction of the page's request. The session
completes when the payment does, also when that happens later (3-D Secure, delayed methods).

Source: https://docs.stripe.com/payments/checkout/how-checkout-works
Source: https://docs.stripe.com/checkout/fulfillment
"""

from __future__ import annotations

from typing import Any, NamedTuple

from trialbalance.twin.checkout import invoice
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.rails.table import RAILS
from trialbalance.twin.wire.call import Call, reacts
from trialbalance.twin.wire.inner import perform

KIND = "checkout.session"


class Choice(NamedTuple):
    """How the customer wants to pay: a payment method, where to come back to, and the method's options."""

    payment_method: str | None
    return_url: str | None = None
    options: JsonObject | None = None

    def needed(self) -> str:
        """The payment method.

        Raises:
            InvalidRequest: there is none.
        """
        if self.payment_method is None:
            raise InvalidRequest(
                "Missing required param: payment_method.", param="payment_method", code="parameter_missing"
            )
        return self.payment_method


def early_intent(call: Call, session: JsonObject) -> None:
    """Before 2022-08-01 a payment session has its intent from the start."""
    from trialbalance.twin.wire.versions.checkout import intent_from_the_start

    if session["mode"] == "payment" and session["amount_total"] > 0 and intent_from_the_start(call):
        session["payment_intent"] = payment_intent(call, session)["id"]


def payment_intent(call: Call, session: JsonObject) -> JsonObject:
    """The session's payment intent: made now, or brought up to date.

    Source: https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-payment_intent_data
    """
    data = dict(session["_payment_intent_data"])
    shipping = shipping_of(session)
    options = {
        name: value
        for name, value in (session["payment_method_options"] or {}).items()
        if name in session["payment_method_types"]
    }
    fields: dict[str, Any] = {
        "amount": session["amount_total"],
        "customer": session["customer"],
        "receipt_email": data.pop("receipt_email", None),
        "setup_future_usage": data.pop("setup_future_usage", None),
        "shipping": shipping or data.pop("shipping", None),
        **data,
    }
    data.pop("shipping", None)
    found = call.find("payment_intent", session["payment_intent"])
    if found is not None:
        kept = ("amount", "customer", "receipt_email", "shipping")
        changed = {name: fields[name] for name in kept if fields[name] not in (None, found.get(name))}
        if not changed:
            return found
        return perform(call, "POST /v1/payment_intents/{intent}", changed, intent=found["id"])
    made = perform(
        call,
        "POST /v1/payment_intents",
        {
            "currency": session["currency"],
            "payment_method_types": session["payment_method_types"],
            "payment_method_options": options or None,
            **fields,
        },
    )
    call.edit("payment_intent", made["id"])["_session"] = session["id"]
    return made


def setup_intent(call: Call, session: JsonObject) -> JsonObject:
    """The setup intent of a setup session.

    Source: https://docs.stripe.com/payments/save-and-reuse?platform=web&ui=stripe-hosted
    """
    made = perform(
        call,
        "POST /v1/setup_intents",
        {
            "customer": session["customer"],
            "payment_method_types": session["payment_method_types"],
            "usage": "off_session",
            **session["_setup_intent_data"],
        },
    )
    call.edit("setup_intent", made["id"])["_session"] = session["id"]
    return made


def shipping_of(session: JsonObject) -> JsonObject | None:
    """The collected shipping details as a payment intent takes them."""
    collected = (session["collected_information"] or {}).get("shipping_details")
    if not collected:
        return None
    address = {name: value for name, value in collected["address"].items() if value}
    phone = (session["customer_details"] or {}).get("phone")
    return {"address": address, "name": collected["name"], **({"phone": phone} if phone else {})}


def customer(call: Call, session: JsonObject, *, wanted: bool) -> None:
    """Make the customer a session creates, or update the one it has as the merchant allowed.

    Source: https://docs.stripe.com/payments/existing-customers
    """
    details = session["customer_details"] or {}
    shipping = shipping_of(session)
    address = {name: value for name, value in (details.get("address") or {}).items() if value}
    if session["customer"] is None:
        if wanted:
            made = perform(
                call,
                "POST /v1/customers",
                {
                    "address": address or None,
                    "email": details.get("email"),
                    "name": details.get("name"),
                    "phone": details.get("phone"),
                    "preferred_locales": [session["_browser_locale"]]
                    if session.get("_browser_locale")
                    else None,
                    "shipping": shipping,
                },
            )
            session["customer"] = made["id"]
        return
    update = session["_customer_update"]
    changes: dict[str, Any] = {}
    if update.get("address") == "auto" and address:
        changes["address"] = address
    if update.get("name") == "auto" and details.get("name"):
        changes["name"] = details["name"]
    if update.get("shipping") == "auto" and shipping:
        changes["shipping"] = shipping
    if changes:
        perform(call, "POST /v1/customers/{customer}", changes, customer=session["customer"])


def needs_customer(session: JsonObject) -> bool:
    """Whether completing makes a customer.

    Source: https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-customer_creation
    """
    if session["mode"] != "payment":
        return True
    return bool(
        session["customer_creation"] == "always"
        or session["_payment_intent_data"].get("setup_future_usage")
        or session.get("_save")
        or (session["invoice_creation"] or {}).get("enabled")
    )


def confirm(call: Call, session: JsonObject, choice: Choice) -> None:
    """Pay, set up or subscribe with what the customer chose. The session is a private copy and completes by reaction.

    Raises:
        CardError: declined; the session stays open for another try.
    """
    customer(call, session, wanted=needs_customer(session))
    if session["mode"] == "setup":
        _confirm_setup(call, session, choice)
    elif session["mode"] == "subscription":
        from trialbalance.twin.checkout.subscription import subscribe

        subscribe(call, session, choice)
    elif session["amount_total"] == 0:
        complete(call, session, "no_payment_required")
    else:
        intent = payment_intent(call, session)
        session["payment_intent"] = intent["id"]
        _reindex(call, session)
        confirm_payment(call, session, intent["id"], choice)


def confirm_payment(call: Call, session: JsonObject, intent: str, choice: Choice) -> None:
    """Confirm a payment intent with what the customer chose; vouchers complete the session before they are paid."""
    save = (
        {"setup_future_usage": "on_session"} if session.get("_save") and session["mode"] == "payment" else {}
    )
    found = perform(
        call,
        "POST /v1/payment_intents/{intent}/confirm",
        {
            "mandate_data": mandate(call, choice),
            "payment_method": choice.needed(),
            "payment_method_options": choice.options,
            "return_url": choice.return_url,
            "use_stripe_sdk": True,
            **save,
        },
        intent=intent,
    )
    action = (found["next_action"] or {}).get("type") or ""
    if action.endswith("_display_details") or action == "display_bank_transfer_instructions":
        if session["mode"] == "subscription":
            from trialbalance.twin.checkout.subscription import finish

            finish(call, session, call.get("subscription", session["_subscription"]))
        else:
            complete(call, session, "unpaid")


def mandate(call: Call, choice: Choice) -> JsonObject | None:
    """The acceptance that the page showed, for methods that debit on a mandate.

    Source: https://docs.stripe.com/payments/setup-intents#mandates
    """
    method = call.find("payment_method", choice.payment_method)
    if method is None or method["type"] not in RAILS or not RAILS[method["type"]].mandate:
        return None
    online = {"ip_address": "127.0.0.1", "user_agent": "Checkout"}
    return {"customer_acceptance": {"online": online, "type": "online"}}


def _confirm_setup(call: Call, session: JsonObject, choice: Choice) -> None:
    found = call.get("setup_intent", session["setup_intent"])
    if session["customer"] and found["customer"] is None:
        perform(
            call,
            "POST /v1/setup_intents/{intent}",
            {"customer": session["customer"]},
            intent=found["id"],
        )
    perform(
        call,
        "POST /v1/setup_intents/{intent}/confirm",
        {
            "mandate_data": mandate(call, choice),
            "payment_method": choice.needed(),
            "payment_method_options": choice.options,
            "return_url": choice.return_url,
            "use_stripe_sdk": True,
        },
        intent=found["id"],
    )


def complete(call: Call, session: JsonObject, payment_status: str) -> None:
    """The session is done: no page any more, redemptions counted, `checkout.session.completed`.

    Source: https://docs.stripe.com/api/events/types#event_types-checkout.session.completed
    """
    session["status"], session["payment_status"], session["url"] = "complete", payment_status, None
    if session["mode"] == "payment":
        for entry in session["_discounts"]:
            _redeemed(call, "coupon", entry["coupon"])
            if entry["promotion_code"]:
                _redeemed(call, "promotion_code", entry["promotion_code"])
    link = call.find("payment_link", session["payment_link"])
    if link is not None and link["restrictions"]:
        call.edit("payment_link", link["id"])["restrictions"]["completed_sessions"]["count"] += 1
    _reindex(call, session)
    call.emit("checkout.session.completed", session)


def _redeemed(call: Call, kind: str, identifier: str) -> None:
    if call.find(kind, identifier) is None:
        return
    found = call.edit(kind, identifier)
    found["times_redeemed"] += 1
    if kind == "coupon" and found["max_redemptions"] is not None:
        found["valid"] = found["valid"] and found["times_redeemed"] < found["max_redemptions"]
    if kind == "promotion_code" and found["max_redemptions"] is not None:
        found["active"] = found["active"] and found["times_redeemed"] < found["max_redemptions"]


def _reindex(call: Call, session: JsonObject) -> None:
    call.ledger.reindex(call.account, KIND, session)


def _session_of(call: Call, intent: JsonObject) -> JsonObject | None:
    identifier = intent.get("_session")
    return call.edit(KIND, identifier) if identifier and call.find(KIND, identifier) else None


@reacts("payment_intent.succeeded", "payment_intent.amount_capturable_updated", "payment_intent.processing")
def paid(call: Call, intent: JsonObject) -> None:
    """The payment behind a session went through, was authorised, or is on its way."""
    session = _session_of(call, intent)
    if session is None:
        return
    status = "paid" if intent["status"] == "succeeded" else "unpaid"
    if session["mode"] == "subscription" and session["status"] == "open":
        if intent["status"] == "processing":
            from trialbalance.twin.checkout.subscription import finish

            finish(call, session, call.get("subscription", session["_subscription"]))
        return
    if session["status"] == "open":
        session["payment_intent"] = intent["id"]
        if status == "paid":
            invoice.after_payment(call, session, intent)
        complete(call, session, status)
    elif session["payment_status"] == "unpaid" and status == "paid":
        session["payment_status"] = "paid"
        invoice.after_payment(call, session, intent)
        if intent["capture_method"] != "manual":
            call.emit("checkout.session.async_payment_succeeded", session)


@reacts("payment_intent.payment_failed")
def failed(call: Call, intent: JsonObject) -> None:
    """A delayed payment behind a completed session failed.

    Source: https://docs.stripe.com/payments/checkout/fulfill-orders#delayed-notification
    """
    session = _session_of(call, intent)
    if session is not None and session["status"] == "complete" and session["payment_status"] == "unpaid":
        call.emit("checkout.session.async_payment_failed", session)


@reacts("setup_intent.succeeded")
def set_up(call: Call, intent: JsonObject) -> None:
    """The set-up behind a session went through."""
    session = _session_of(call, intent)
    if session is None or session["status"] != "open":
        return
    if session["mode"] == "subscription":
        from trialbalance.twin.checkout import subscription

        subscription.set_up(call, session, intent)
    else:
        complete(call, session, "no_payment_required")
