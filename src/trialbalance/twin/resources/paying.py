"""Paying by PaymentIntents from inside other resources' transactions, and the moves that their endpoints share.

Import these through `payment_intents`.
Source: https://docs.stripe.com/payments/paymentintents/lifecycle
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import (
    charges,
    connect_payments,
    disputes,
    intent_fields,
    payment_attempts,
    payment_methods,
    payment_options,
    three_d_secure,
)
from trialbalance.twin.resources.payment_attempts import Outcome
from trialbalance.twin.wire.call import Call

KIND = "payment_intent"
CUSTOMER_DECLINED: JsonObject = {
    "code": "payment_method_customer_decline",
    "doc_url": "https://stripe.com/docs/error-codes/payment-method-customer-decline",
    "message": "The customer did not approve the payment. Please provide a new payment method to attempt to fulfill this "
    "intent again.",
    "type": "invalid_request_error",
}
"""How a payment by Klarna fails that the customer did not approve.

Source: https://docs.stripe.com/changelog/2023-08-16/klarna-payment-failure-error-code
"""
OPEN = ("requires_payment_method", "requires_confirmation", "requires_action")


def make(
    call: Call,
    *,
    amount: int,
    currency: str,
    customer: str | None = None,
    payment_method: str | None = None,
    payment_method_types: list[str] | None = None,
    automatic_payment_methods: JsonObject | None = None,
    payment_method_options: JsonObject | None = None,
    payment_method_configuration: str | None = None,
    excluded_payment_method_types: list[str] | None = None,
    off_session: bool = False,
    confirm: bool = False,
    capture_method: str = "automatic_async",
    confirmation_method: str = "automatic",
    setup_future_usage: str | None = None,
    return_url: str | None = None,
    metadata: Mapping[str, str] | None = None,
    description: str | None = None,
    receipt_email: str | None = None,
    shipping: JsonObject | None = None,
    statement_descriptor: str | None = None,
    statement_descriptor_suffix: str | None = None,
    application_fee_amount: int | None = None,
    on_behalf_of: str | None = None,
    transfer_data: JsonObject | None = None,
    transfer_group: str | None = None,
    payment_details: JsonObject | None = None,
    hidden: Mapping[str, Any] | None = None,
) -> JsonObject:
    """A new intent for another resource; with `confirm` it is attempted at once (see its status afterwards).

    `payment_method_types` None means dynamic payment methods. `hidden`: `_`-prefixed state to keep on it, such
    as `_invoice`. No exception for a decline.
    """
    types = payment_options.choose(
        call,
        explicit=payment_method_types,
        allowed=None,
        excluded=excluded_payment_method_types,
        automatic=automatic_payment_methods,
        configuration=payment_method_configuration,
        currency=currency,
        setup=bool(setup_future_usage),
        manual=capture_method == "manual",
    )
    intent = blank(
        call,
        amount=amount,
        currency=currency,
        customer=customer,
        capture_method=capture_method,
        confirmation_method=confirmation_method,
        types=types,
        options=payment_method_options,
        setup_future_usage=setup_future_usage,
        metadata=dict(metadata or {}),
        description=description,
        receipt_email=receipt_email,
        shipping=shipping,
        statement_descriptor=statement_descriptor,
        statement_descriptor_suffix=statement_descriptor_suffix,
        application_fee_amount=application_fee_amount,
        on_behalf_of=on_behalf_of,
        transfer_data=transfer_data,
        transfer_group=transfer_group,
        excluded_payment_method_types=excluded_payment_method_types,
    )
    if payment_details is not None:
        intent["payment_details"] = payment_details
    intent["_return_url"] = return_url
    intent |= dict(hidden or {})
    call.insert(intent)
    method = None
    if payment_method is not None:
        method = payment_methods.resolve(call, payment_method)
        place(call, intent, method)
    call.emit("payment_intent.created", intent)
    if confirm and method is not None:
        payment_attempts.attempt(call, intent, method, off_session=off_session)
    return intent


def attempt(
    call: Call,
    intent: JsonObject,
    payment_method: str | JsonObject | None = None,
    *,
    off_session: bool = False,
    return_url: str | None = None,
) -> Outcome:
    """Try to pay an intent (its id may be looked up with `call.edit`) with a payment method, by default its own.

    The outcome tells whether it was declined; nothing is raised for that.

    Raises:
        InvalidRequest: the intent has no payment method, or is already paid or canceled.
    """
    stored = call.edit(KIND, intent["id"], param="intent")
    if stored["status"] not in OPEN:
        raise InvalidRequest(
            f"You cannot confirm this PaymentIntent because it has a status of {stored['status']}.",
            code="payment_intent_unexpected_state",
        )
    chosen = payment_method if payment_method is not None else stored["payment_method"]
    if chosen is None:
        raise missing(stored)
    method = payment_methods.resolve(call, chosen if isinstance(chosen, str) else chosen["id"])
    payment_methods.check_owner(method, stored["customer"], intent="PaymentIntent")
    if return_url is not None:
        stored["_return_url"] = return_url
    return payment_attempts.attempt(call, stored, method, off_session=off_session)


def cancel(call: Call, intent: JsonObject, reason: str | None = None) -> JsonObject:
    """Cancel an edited intent; an authorization is released by a refund of nothing received."""
    if intent["status"] == "requires_capture":
        from trialbalance.twin.resources import refunds

        refunds.release(call, call.edit("charge", intent["latest_charge"]), reason)
    if intent.get("_due"):
        from trialbalance.twin.resources import cash_balances

        cash_balances.release(call, intent)
    intent["status"] = "canceled"
    intent["amount_capturable"] = 0
    intent["canceled_at"] = call.now
    intent["cancellation_reason"] = reason
    intent["next_action"] = None
    intent["processing"] = None
    call.emit("payment_intent.canceled", intent)
    return intent


def take(call: Call, intent: JsonObject, amount: int, *, final: bool = True) -> JsonObject:
    """Capture `amount` of an edited intent that requires capture."""
    charge = call.edit("charge", intent["latest_charge"])
    already = intent["amount_received"]
    card = charge["payment_method_details"].get("card") or {}
    if not final and (card.get("multicapture") or {}).get("status") != "available":
        raise InvalidRequest(
            "This PaymentIntent is not eligible for multicapture. Set "
            "`payment_method_options[card][request_multicapture]=if_available` before confirming.",
            param="final_capture",
        )
    charge["captured"] = True
    charge["amount_captured"] = already + amount
    connect_payments.on_capture(charge, intent)
    charges.settle(call, charge)
    if not final and amount < intent["amount_capturable"]:
        intent["amount_received"] = already + amount
        intent["amount_capturable"] -= amount
        call.emit("charge.captured", charge)
        call.emit("payment_intent.amount_capturable_updated", intent)
        return intent
    intent["status"] = "succeeded"
    intent["amount_received"] = already + amount
    intent["amount_capturable"] = 0
    disputes.follow(call, charge)
    call.emit("charge.captured", charge)
    call.emit("payment_intent.succeeded", intent)
    return intent


def resume(call: Call, intent: JsonObject, *, succeeded: bool) -> None:
    """Go on after the customer authorised (or did not): attempt again, or wait for the server's confirmation."""
    method = payment_methods.resolve(call, intent["payment_method"])
    if not succeeded:
        error = CUSTOMER_DECLINED if method["type"] == "klarna" else three_d_secure.failure(KIND)
        payment_attempts.failed(call, intent, method, error, None)
        return
    if intent["confirmation_method"] == "manual" and method["type"] == "card":
        intent["status"] = "requires_confirmation"
        intent["next_action"] = None
        intent["_authenticated"] = True
        return
    payment_attempts.attempt(
        call, intent, method, off_session=bool(intent.get("_off_session")), authenticated=True
    )


def blank(
    call: Call,
    *,
    amount: int,
    currency: str,
    customer: str | None,
    capture_method: str,
    confirmation_method: str,
    types: tuple[list[str], JsonObject | None, JsonObject | None] | None,
    options: JsonObject | None,
    **fields: Any,
) -> JsonObject:
    """A new intent in its first state, not stored yet."""
    assert types is not None
    offered, automatic, configuration = types
    intent = call.new(
        KIND,
        "pi",
        amount=amount,
        amount_capturable=0,
        amount_details={"tip": {}},
        amount_received=0,
        automatic_payment_methods=automatic,
        capture_method=capture_method,
        confirmation_method=confirmation_method,
        currency=currency,
        customer=customer,
        managed_payments={"enabled": False},
        payment_method_configuration_details=configuration,
        payment_method_options=payment_options.defaults(offered, options, setup=False),
        payment_method_types=offered,
        status="requires_payment_method",
        **fields,
    )
    intent["client_secret"] = f"{intent['id']}_secret_{call.twin.ids.random(25)}"
    return intent


def place(call: Call, intent: JsonObject, method: JsonObject) -> None:
    """Put a payment method into an intent, if it may be there."""
    payment_methods.check_owner(method, intent["customer"], intent="PaymentIntent")
    intent_fields.check_type(intent, method)
    if intent["payment_method"] != method["id"]:
        intent["_authenticated"] = False
    intent["payment_method"] = method["id"]
    if intent["status"] in ("requires_payment_method", "requires_action"):
        intent["status"] = "requires_confirmation"
        intent["next_action"] = None


def missing(intent: JsonObject) -> InvalidRequest:
    if intent["customer"]:
        rest = (
            f"To confirm the PaymentIntent with {intent['customer']}, specify a payment method attached to this "
            "customer along with the customer ID."
        )
    else:
        rest = (
            "You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it "
            "again directly with a payment method or ConfirmationToken."
        )
    return InvalidRequest(
        f"You cannot confirm this PaymentIntent because it's missing a payment method. {rest}",
        code="payment_intent_unexpected_state",
    )
