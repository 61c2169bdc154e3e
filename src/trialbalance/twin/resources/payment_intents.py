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

from trialbalance.twin import currencies
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import (
    intent_fields,
    mandates,
    payment_attempts,
    payment_methods,
    payment_options,
    tax_transactions,
)
from trialbalance.twin.resources.paying import (
    KIND,
    OPEN,
    attempt,
    blank,
    cancel,
    make,
    missing,
    place,
    resume,
    take,
)
from trialbalance.twin.resources.payment_attempts import Outcome
from trialbalance.twin.wire.call import Call, endpoint, own_parameters
from trialbalance.twin.wire.search import search as search_objects

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
    call.unsupported("customer_account")
    params.ignore("radar_options")  # a Radar session changes no risk here
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
    _hooks(call, intent)
    intent_fields.connect(call, intent)
    call.insert(intent)
    method = intent_fields.chosen_method(call, intent)
    if method is not None:
        place(call, intent, method)
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
        call.unsupported("customer_account")
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
        _hooks(call, intent)
        intent_fields.connect(call, intent)
        method = intent_fields.chosen_method(call, intent)
        if method is not None:
            place(call, intent, method)
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
        params.ignore("radar_options")  # a Radar session changes no risk here
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
        _hooks(call, intent)
        method = intent_fields.chosen_method(call, intent)
        if method is not None:
            place(call, intent, method)
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
        _hooks(call, intent)
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
        call.unsupported("payment_method_options")
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
    _hooks(call, intent)
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


# Steps


def _confirm(call: Call, intent: JsonObject, method: JsonObject | None) -> JsonObject:
    params = call.params
    with intent_fields.carrying(call, intent):
        if method is None:
            raise missing(intent)
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


def _hooks(call: Call, intent: JsonObject) -> None:
    """Remember the tax calculation that the payment is to record, or forget it.

    Source: https://docs.stripe.com/tax/payment-intent
    """
    hooks = call.params.plain("hooks")
    tax = ((hooks or {}).get("inputs") or {}).get("tax")
    if tax is None:
        return
    if tax["calculation"]:
        tax_transactions.associate(call, intent, tax["calculation"])
    else:
        intent["hooks"] = {"inputs": {"tax": None}}
        tax_transactions.dissociate(call, intent)


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


__all__ = ["Outcome", "attempt", "blank", "cancel", "make", "resume", "take"]
