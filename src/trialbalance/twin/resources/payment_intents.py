"""PaymentIntents: one payment from intention to money, through every state on the way.

    requires_payment_method -> requires_confirmation -> requires_action -> processing -> succeeded
                                                     \\-> requires_capture -> succeeded
    any but succeeded -> canceled; a failed attempt goes back to requires_payment_method

Other resources pay through `make`, `attempt` and `cancel`, inside their own transactions, and react to the events
`payment_intent.*` to learn what became of it later. A publishable key reads and confirms with the client secret.
Hidden state: `_return_url`, `_use_stripe_sdk`, `_off_session`, `_source` (the open authorisation), `_authenticated`,
`_mandate`, `_invoice` and whatever callers of `make` keep there.
Source: https://docs.stripe.com/api/payment_intents
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trialbalance.twin import currencies
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import (
    charges,
    disputes,
    intent_fields,
    mandates,
    payment_attempts,
    payment_methods,
    payment_options,
    three_d_secure,
)
from trialbalance.twin.resources.payment_attempts import Outcome
from trialbalance.twin.wire.call import Call, endpoint, own_parameters
from trialbalance.twin.wire.search import search as search_objects

KIND = "payment_intent"
OPEN = ("requires_payment_method", "requires_confirmation", "requires_action")
CANCELABLE = (
    "requires_payment_method",
    "requires_capture",
    "requires_reauthorization",
    "requires_confirmation",
    "requires_action",
    "expired",
    "processing",
)
SEARCHABLE = {
    "amount": "numeric",
    "created": "numeric",
    "currency": "token",
    "customer": "token",
    "metadata": "metadata",
    "status": "token",
}

own_parameters("POST /v1/payment_intents/{intent}/confirm", client_secret="str")
own_parameters("POST /v1/payment_intents/{intent}/cancel", client_secret="str")
intent_fields.take_cards("POST /v1/payment_intents", "POST /v1/payment_intents/{intent}/confirm")


# Endpoints


@endpoint("POST /v1/payment_intents")
def create(call: Call) -> JsonObject:
    """A new intent; `confirm=true` also attempts to pay it."""
    params = call.params
    call.unsupported("customer_account", "hooks", "radar_options")
    currency = currencies.check_currency(params["currency"])
    currencies.check_amount(params["amount"], currency)
    customer = params.get("customer") or None
    if customer:
        call.get("customer", customer, param="customer")
    confirm = bool(params.get("confirm"))
    intent = blank(
        call,
        amount=params["amount"],
        currency=currency,
        customer=customer,
        capture_method=params.get("capture_method") or "automatic_async",
        confirmation_method=params.get("confirmation_method") or "automatic",
        types=intent_fields.types(call, currency, setup=False),
        options=params.plain("payment_method_options") or None,
    )
    intent_fields.describe(call, intent)
    intent_fields.connect(call, intent)
    call.insert(intent)
    method = intent_fields.chosen_method(call, intent)
    if method is not None:
        _take(call, intent, method)
    if not confirm:
        intent_fields.only_with_confirm(call)
    call.emit("payment_intent.created", intent)
    if confirm:
        return _confirm(call, intent, method)
    return intent


@endpoint("GET /v1/payment_intents/{intent}", browser=True)
def retrieve(call: Call) -> JsonObject:
    """One intent; a publishable key needs its client secret."""
    intent = call.get(KIND, call.path["intent"], param="intent")
    intent_fields.check_secret(call, intent)
    return intent_fields.for_browser(call, intent)


@endpoint("GET /v1/payment_intents")
def list_(call: Call) -> JsonObject:
    """Intents, newest first."""
    call.unsupported("customer_account")
    customer = call.params.get("customer")
    return call.list(KIND, where={"customer": customer})


@endpoint("GET /v1/payment_intents/search")
def search(call: Call) -> JsonObject:
    """Intents by a query.

    Source: https://docs.stripe.com/search#query-fields-for-payment-intents
    """
    return search_objects(call, KIND, SEARCHABLE)


@endpoint("POST /v1/payment_intents/{intent}")
def update(call: Call) -> JsonObject:
    """Change an intent that is not paid yet; description, metadata and shipping may change later too."""
    intent = call.edit(KIND, call.path["intent"], param="intent")
    params = call.params
    with intent_fields.carrying(call, intent):
        call.unsupported("customer_account", "hooks")
        for name in (
            "amount",
            "currency",
            "customer",
            "payment_method",
            "capture_method",
            "setup_future_usage",
        ):
            if name in params:
                _only_open(intent, name)
        if "currency" in params:
            intent["currency"] = currencies.check_currency(params["currency"])
        if "amount" in params:
            intent["amount"] = params["amount"]
        if "amount" in params or "currency" in params:
            currencies.check_amount(intent["amount"], intent["currency"])
        if "customer" in params:
            customer = params["customer"] or None
            if customer:
                call.get("customer", customer, param="customer")
            intent["customer"] = customer
            call.ledger.reindex(call.account, KIND, intent)
        if "capture_method" in params:
            intent["capture_method"] = params["capture_method"]
        chosen = intent_fields.types(call, intent["currency"], setup=False, intent=intent)
        if chosen is not None:
            intent_fields.put_types(intent, chosen)
        intent["payment_method_options"] = payment_options.overlay(
            intent["payment_method_options"],
            intent["payment_method_types"],
            params.plain("payment_method_options"),
            setup=False,
        )
        intent_fields.describe(call, intent)
        intent_fields.connect(call, intent)
        method = intent_fields.chosen_method(call, intent)
        if method is not None:
            _take(call, intent, method)
        elif "payment_method" in params and params["payment_method"] == "":
            intent["payment_method"] = None
            intent["status"] = "requires_payment_method"
        elif "amount" in params and intent["status"] == "requires_action":
            intent["status"] = (
                "requires_confirmation" if intent["payment_method"] else "requires_payment_method"
            )
            intent["next_action"] = None
    return intent


@endpoint("POST /v1/payment_intents/{intent}/confirm", browser=True)
def confirm(call: Call) -> JsonObject:
    """Attempt to pay: 402 when declined, `requires_action` when the customer must act."""
    intent = call.edit(KIND, call.path["intent"], param="intent")
    params = call.params
    intent_fields.check_secret(call, intent)
    with intent_fields.carrying(call, intent):
        call.unsupported("hooks", "radar_options")
        _confirmable(call, intent)
        if "amount_to_confirm" in params and params["amount_to_confirm"] != intent["amount"]:
            raise InvalidRequest(
                f"The amount to confirm ({params['amount_to_confirm']}) does not match the PaymentIntent's amount "
                f"({intent['amount']}).",
                param="amount_to_confirm",
            )
        if "capture_method" in params:
            intent["capture_method"] = params["capture_method"]
        chosen = intent_fields.types(call, intent["currency"], setup=False, intent=intent)
        if chosen is not None:
            intent_fields.put_types(intent, chosen)
        intent["payment_method_options"] = payment_options.overlay(
            intent["payment_method_options"],
            intent["payment_method_types"],
            params.plain("payment_method_options"),
            setup=False,
        )
        intent_fields.describe(call, intent)
        method = intent_fields.chosen_method(call, intent)
        if method is not None:
            _take(call, intent, method)
        elif intent["payment_method"]:
            method = payment_methods.resolve(call, intent["payment_method"])
    return intent_fields.for_browser(call, _confirm(call, intent, method))


@endpoint("POST /v1/payment_intents/{intent}/capture")
def capture(call: Call) -> JsonObject:
    """Capture an authorized payment, in full or less; the rest is released.

    Source: https://docs.stripe.com/payments/place-a-hold-on-a-payment-method
    """
    intent = call.edit(KIND, call.path["intent"], param="intent")
    params = call.params
    with intent_fields.carrying(call, intent):
        call.unsupported("hooks")
        if intent["status"] == "succeeded" and intent["capture_method"] == "manual":
            raise InvalidRequest(
                "The remaining amount on this PaymentIntent could not be captured because the remainder of the "
                "authorized amount has been released.",
                code="payment_intent_unexpected_state",
            )
        if intent["status"] != "requires_capture":
            raise InvalidRequest(
                f"This PaymentIntent could not be captured because it has a status of {intent['status']}. Only a "
                "PaymentIntent with one of the following statuses may be captured: requires_capture.",
                code="payment_intent_unexpected_state",
            )
        amount = params.get("amount_to_capture")
        capturable = intent["amount_capturable"]
        amount = capturable if amount is None else amount
        _check_capture(intent, call.get("charge", intent["latest_charge"]), amount)
        intent_fields.describe(call, intent)
        intent_fields.connect(call, intent, capture=True)
    final = params.get("final_capture", True)
    return take(call, intent, amount, final=final is not False)


@endpoint("POST /v1/payment_intents/{intent}/cancel", browser=True)
def cancel_(call: Call) -> JsonObject:
    """Cancel an intent that is not paid; an authorization is released."""
    intent = call.edit(KIND, call.path["intent"], param="intent")
    intent_fields.check_secret(call, intent)
    with intent_fields.carrying(call, intent):
        if intent["status"] not in CANCELABLE:
            raise InvalidRequest(
                f"You cannot cancel this PaymentIntent because it has a status of {intent['status']}. Only a "
                f"PaymentIntent with one of the following statuses may be canceled: {', '.join(CANCELABLE)}.",
                code="payment_intent_unexpected_state",
            )
        if intent["status"] == "processing" and not intent.get("_cancelable", True):
            raise InvalidRequest(
                "You cannot cancel this PaymentIntent because the payment is already being processed.",
                code="payment_intent_unexpected_state",
            )
    return cancel(call, intent, call.params.get("cancellation_reason") or None)


@endpoint("POST /v1/payment_intents/{intent}/increment_authorization")
def increment(call: Call) -> JsonObject:
    """Raise the amount of an authorization that allows it.

    Source: https://docs.stripe.com/payments/incremental-authorization
    """
    intent = call.edit(KIND, call.path["intent"], param="intent")
    params = call.params
    with intent_fields.carrying(call, intent):
        call.unsupported("hooks", "payment_method_options")
        if intent["status"] != "requires_capture":
            raise InvalidRequest(
                f"This PaymentIntent could not be incremented because it has a status of {intent['status']}. Only a "
                "PaymentIntent with one of the following statuses may be incremented: requires_capture.",
                code="payment_intent_unexpected_state",
            )
        charge = call.edit("charge", intent["latest_charge"])
        card = charge["payment_method_details"].get("card") or {}
        if (card.get("incremental_authorization") or {}).get("status") != "available":
            raise InvalidRequest(
                "This PaymentIntent is not eligible for incremental authorization. Set "
                "`payment_method_options[card][request_incremental_authorization]=if_available` before confirming.",
                code="payment_intent_unexpected_state",
            )
        if params["amount"] <= intent["amount"]:
            raise InvalidRequest(
                "The new amount must be greater than the currently authorized amount.", param="amount"
            )
        currencies.check_amount(params["amount"], intent["currency"])
    intent_fields.describe(call, intent)
    intent_fields.connect(call, intent)
    intent["amount"] = intent["amount_capturable"] = params["amount"]
    charge["amount"] = params["amount"]
    card["amount_authorized"] = params["amount"]
    card["overcapture"]["maximum_amount_capturable"] = params["amount"]
    call.emit("charge.updated", charge)
    call.emit("payment_intent.amount_capturable_updated", intent)
    return intent


@endpoint("POST /v1/payment_intents/{intent}/apply_customer_balance")
def apply_customer_balance(call: Call) -> JsonObject:
    """Pay a bank-transfer intent out of the customer's cash balance.

    Source: https://docs.stripe.com/api/payment_intents/apply_customer_balance
    """
    from trialbalance.twin.resources import cash_balances

    intent = call.edit(KIND, call.path["intent"], param="intent")
    return cash_balances.apply(
        call, intent, call.params.get("amount"), call.params.get("currency") or intent["currency"]
    )


@endpoint("POST /v1/payment_intents/{intent}/verify_microdeposits", browser=True)
def verify_microdeposits(call: Call) -> JsonObject:
    """Verify the bank account an intent waits for, by its two amounts or the descriptor code."""
    from trialbalance.twin.rails import microdeposits

    intent = call.edit(KIND, call.path["intent"], param="intent")
    intent_fields.check_secret(call, intent)
    return intent_fields.for_browser(call, microdeposits.verify(call, intent))


@endpoint("GET /v1/payment_intents/{intent}/amount_details_line_items")
def line_items(call: Call) -> JsonObject:
    """The line items of the intent's amount details."""
    intent = call.get(KIND, call.path["intent"], param="intent")
    return call.page_of(intent.get("_line_items") or [], url=call.path_name)


# For other resources, inside their transactions


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
        _take(call, intent, method)
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
        raise _missing(stored)
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
        payment_attempts.failed(call, intent, method, three_d_secure.failure(KIND), None)
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


# Steps


def _take(call: Call, intent: JsonObject, method: JsonObject) -> None:
    """Put a payment method into an intent, if it may be there."""
    payment_methods.check_owner(method, intent["customer"], intent="PaymentIntent")
    intent_fields.check_type(intent, method)
    if intent["payment_method"] != method["id"]:
        intent["_authenticated"] = False
    intent["payment_method"] = method["id"]
    if intent["status"] in ("requires_payment_method", "requires_action"):
        intent["status"] = "requires_confirmation"
        intent["next_action"] = None


def _confirm(call: Call, intent: JsonObject, method: JsonObject | None) -> JsonObject:
    params = call.params
    with intent_fields.carrying(call, intent):
        if method is None:
            raise _missing(intent)
        off_session = intent_fields.off_session(call, intent)
        intent_fields.remember_return(call, intent, off_session=off_session)
        intent["_error_on_requires_action"] = bool(params.get("error_on_requires_action"))
        card = intent["payment_method_options"].get("card") or {}
        intent["_moto"] = bool(card.get("_moto"))
        mandates.accept(call, intent, method)
    authenticated = bool(intent.get("_authenticated"))
    outcome = payment_attempts.attempt(
        call, intent, method, off_session=off_session, authenticated=authenticated
    )
    if outcome.failed:
        raise payment_attempts.refuse(intent, outcome)
    return intent


def _confirmable(call: Call, intent: JsonObject) -> None:
    status = intent["status"]
    if status in OPEN:
        return
    if status == "succeeded":
        raise InvalidRequest(
            "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.",
            code="payment_intent_unexpected_state",
        )
    if dict.get(call.params, "payment_method"):
        _only_open(intent, "payment_method")
    raise InvalidRequest(
        f"You cannot confirm this PaymentIntent because it has a status of {status}. Only a PaymentIntent with one of "
        "the following statuses may be confirmed: requires_confirmation, requires_action.",
        code="payment_intent_unexpected_state",
    )


def _only_open(intent: JsonObject, name: str) -> None:
    if intent["status"] not in OPEN:
        raise InvalidRequest(
            f"This PaymentIntent's {name} could not be updated because it has a status of {intent['status']}. You may "
            f"only update the {name} of a PaymentIntent with one of the following statuses: {', '.join(OPEN)}.",
            param=name,
            code="payment_intent_unexpected_state",
        )


def _missing(intent: JsonObject) -> InvalidRequest:
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


def _check_capture(intent: JsonObject, charge: JsonObject, amount: int) -> None:
    if amount < 0:
        raise InvalidRequest("Invalid non-negative integer", param="amount_to_capture")
    if amount == 0:
        raise InvalidRequest(
            "This value must be greater than or equal to 1.", param="amount", code="parameter_invalid_integer"
        )
    card = charge["payment_method_details"].get("card") or {}
    over = card.get("overcapture") or {}
    most = intent["amount_capturable"]
    if over.get("status") == "available":
        most = over["maximum_amount_capturable"]
    if amount > most:
        raise InvalidRequest(
            "The payment could not be captured because the requested capture amount is greater than the amount you can "
            "capture for this charge. Contact us via https://support.stripe.com/contact/ for help.",
            code="amount_too_large",
        )


__all__ = ["Outcome", "attempt", "cancel", "make"]
