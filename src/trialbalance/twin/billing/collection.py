"""Getting an invoice paid: the PaymentIntent behind it, attempts, retries, several partial payments.

Each payment of an invoice is an `invoice_payment`. What a payment intent goes through comes back as a reaction to
its events, whoever paid it: billing itself, the customer on a page, or the API.

Source: https://docs.stripe.com/invoicing/integration/automatic-advancement-collection
Source: https://docs.stripe.com/billing/revenue-recovery/smart-retries
"""

from __future__ import annotations

from trialbalance.twin.billing import invoicing
from trialbalance.twin.billing.money import fraction, half_up
from trialbalance.twin.billing.settings import settings
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import payment_intents, payment_methods
from trialbalance.twin.resources.payment_attempts import Outcome
from trialbalance.twin.wire.call import Call, due, reacts

PAYMENT = "invoice_payment"
PAYABLE = ("open", "uncollectible")
REASONS = {
    "subscription_create": "Subscription creation",
    "subscription_cycle": "Subscription update",
    "subscription_update": "Subscription update",
    "subscription_threshold": "Subscription update",
}
NO_METHOD = (
    "There is no `default_payment_method` set on this Customer or Invoice. Please set either an "
    "`invoice_settings.default_payment_method` on the Customer or a `default_payment_method` on the Invoice."
)


def payments_of(call: Call, invoice: JsonObject) -> list[JsonObject]:
    """The payments of an invoice, oldest first."""
    return list(call.ledger.all(call.account, PAYMENT, invoice=invoice["id"]))


def open_payment(call: Call, invoice: JsonObject) -> JsonObject:
    """The open payment intent of an edited invoice, made when there is none."""
    payment = default_payment(call, invoice)
    if payment is not None:
        return call.edit("payment_intent", payment["payment"]["payment_intent"])
    subscription = subscription_of(call, invoice)
    types = invoice["payment_settings"]["payment_method_types"]
    intent = payment_intents.make(
        call,
        amount=invoice["amount_remaining"],
        currency=invoice["currency"],
        customer=invoice["customer"],
        capture_method="automatic",
        payment_method_types=types,
        payment_method_options=invoice["payment_settings"]["payment_method_options"],
        setup_future_usage="off_session" if subscription is not None else None,
        description=REASONS.get(invoice["billing_reason"] or "", "Payment for Invoice"),
        statement_descriptor=None,
        on_behalf_of=invoice["on_behalf_of"],
        application_fee_amount=_fee(invoice),
        transfer_data=_transfer(invoice),
        hidden={"_invoice": invoice["id"]},
    )
    record(call, invoice, intent, amount=invoice["amount_remaining"], default=True)
    return intent


def _fee(invoice: JsonObject) -> int | None:
    """The platform's fee: an amount, or the subscription's percentage of what is paid.

    Source: https://docs.stripe.com/connect/subscriptions
    """
    if invoice.get("_application_fee_amount") is not None:
        return int(invoice["_application_fee_amount"])
    percent = invoice.get("_fee_percent")
    if percent is None:
        return None
    numerator, denominator = fraction(percent)
    return half_up(invoice["amount_remaining"] * numerator, denominator * 100)


def _transfer(invoice: JsonObject) -> JsonObject | None:
    """Where the money goes on, and how much of it."""
    if invoice.get("_transfer_data"):
        return dict(invoice["_transfer_data"])
    wish = invoice.get("_transfer")
    if not wish:
        return None
    given: JsonObject = {"destination": wish["destination"]}
    if wish.get("amount_percent") is not None:
        numerator, denominator = fraction(wish["amount_percent"])
        given["amount"] = half_up(invoice["amount_remaining"] * numerator, denominator * 100)
    return given


def default_payment(call: Call, invoice: JsonObject) -> JsonObject | None:
    """The open default payment of an invoice."""
    for payment in payments_of(call, invoice):
        if payment["status"] == "open" and payment["is_default"]:
            return payment
    return None


def record(call: Call, invoice: JsonObject, intent: JsonObject, *, amount: int, default: bool) -> JsonObject:
    """Tie a payment intent to an invoice."""
    payment = call.new(
        PAYMENT,
        "inpay",
        amount_requested=amount,
        created=call.now_of(invoice),
        currency=invoice["currency"],
        invoice=invoice["id"],
        is_default=default,
        payment={"payment_intent": intent["id"], "type": "payment_intent"},
        status="open",
        status_transitions={"canceled_at": None, "paid_at": None},
    )
    payment["_intent"] = intent["id"]
    intent["_invoice"] = invoice["id"]
    intent["_invoice_payment"] = payment["id"]
    return call.insert(payment)


def close_payments(call: Call, invoice: JsonObject, reason: str) -> None:
    """Cancel the open payments of an invoice and the intents behind them."""
    for payment in payments_of(call, invoice):
        if payment["status"] != "open":
            continue
        closed = call.edit(PAYMENT, payment["id"])
        closed["status"] = "canceled"
        closed["status_transitions"]["canceled_at"] = call.now_of(invoice)
        intent = call.edit("payment_intent", payment["_intent"])
        if intent["status"] not in ("succeeded", "canceled"):
            payment_intents.cancel(call, intent, reason)


def subscription_of(call: Call, invoice: JsonObject) -> JsonObject | None:
    """The subscription an invoice belongs to."""
    return call.find("subscription", invoice.get("_subscription"))


def method_for(call: Call, invoice: JsonObject) -> str | None:
    """Who pays: the invoice's, the subscription's, the customer's default method, then the older sources.

    Source: https://docs.stripe.com/billing/subscriptions/payment-methods-setting#payment-method-priority
    """
    subscription = subscription_of(call, invoice)
    customer = call.find("customer", invoice["customer"])
    named = [
        holder[name]
        for holder in (invoice, subscription)
        if holder is not None
        for name in ("default_payment_method", "default_source")
    ]
    if customer is not None:
        named += [customer["invoice_settings"]["default_payment_method"], customer["default_source"]]
    return next((str(name) for name in named if name and _usable(call, name)), None)


def _usable(call: Call, method: str) -> bool:
    """Whether a method can still be charged: one that was detached cannot."""
    stored = call.find("payment_method", method)
    return stored is None or not stored.get("_detached")


def quiet(call: Call, method: str) -> bool:
    """Whether a stored method may be charged without its holder: cards that ask for 3-D Secure may not."""
    stored = call.find("payment_method", method)
    if stored is None or stored["type"] != "card":
        return True
    wish = payment_methods.card_of(stored).authentication
    return bool(wish != "always" and (wish != "unless_set_up" or stored.get("_set_up")))


def attempt(call: Call, invoice: JsonObject, method: str, *, off_session: bool | None = None) -> Outcome:
    """Charge an edited open invoice once; what follows for the invoice has happened when this returns."""
    intent = open_payment(call, invoice)
    silent = quiet(call, method) if off_session is None else off_session
    outcome = payment_intents.attempt(call, intent, method, off_session=silent)
    if outcome.status == "requires_action":
        _needs_action(call, invoice)
    return outcome


def _needs_action(call: Call, invoice: JsonObject) -> None:
    """The customer must authenticate: attempted, but no failed try.

    Source: https://docs.stripe.com/billing/subscriptions/overview#requires-action
    """
    invoice["attempted"] = True
    invoice["next_payment_attempt"] = None
    call.emit("invoice.updated", invoice, previous={"attempted": False})
    call.emit("invoice.payment_action_required", invoice)


def start(call: Call, invoice: JsonObject, *, now: int) -> None:
    """What an invoice that advances by itself does once it is open: charge, or be sent."""
    if invoice["collection_method"] == "send_invoice":
        call.emit("invoice.sent", invoice)
        return
    _try(call, invoice)


def _try(call: Call, invoice: JsonObject) -> None:
    """One automatic attempt; what cannot be charged at all counts as failed."""
    method = method_for(call, invoice)
    if method is None:
        _no_method(call, invoice)
        return
    try:
        attempt(call, invoice, method)
    except InvalidRequest:
        _no_method(call, invoice)


def _no_method(call: Call, invoice: JsonObject) -> None:
    """An automatic attempt without anything to charge counts as failed."""
    intent = open_payment(call, invoice)
    intent["last_payment_error"] = None
    _failed(call, invoice)


def _failed(call: Call, invoice: JsonObject) -> None:
    """One more failed try: count it and plan the next, or give up.

    Source: https://docs.stripe.com/billing/revenue-recovery/smart-retries
    """
    now = call.now_of(invoice)
    before = {n: invoice[n] for n in ("attempt_count", "attempted", "next_payment_attempt")}
    invoice["attempted"] = True
    invoice["attempt_count"] += 1
    invoice["next_payment_attempt"] = None
    if invoice["auto_advance"] and invoice["collection_method"] == "charge_automatically":
        first = invoice.setdefault("_first_failure", now)
        again = settings(call).retry_at(first, invoice["attempt_count"])
        if again is not None and not _first_of_subscription(call, invoice):
            invoice["next_payment_attempt"] = again
            call.schedule(again, "invoice.retry", invoice["id"], timeline=call.clock_of(invoice))
    changed = {name: value for name, value in before.items() if invoice[name] != value}
    call.emit("invoice.updated", invoice, previous=changed)
    call.emit("invoice.payment_failed", invoice)


def _first_of_subscription(call: Call, invoice: JsonObject) -> bool:
    return bool(invoice["billing_reason"] == "subscription_create")


@due("invoice.retry")
def _retry(call: Call, target: str, arguments: JsonObject) -> None:
    found = call.find("invoice", target)
    if found is None or found["status"] != "open" or not found["auto_advance"]:
        return
    if found["next_payment_attempt"] is None or found["next_payment_attempt"] > call.now_of(found):
        return
    _try(call, call.edit("invoice", target))


@reacts("payment_intent.succeeded")
def _paid(call: Call, intent: JsonObject) -> None:
    identifier = intent.get("_invoice_payment")
    if identifier is None or call.find(PAYMENT, identifier) is None:
        return
    payment = call.edit(PAYMENT, identifier)
    if payment["status"] != "open":
        return
    invoice = call.edit("invoice", payment["invoice"])
    now = call.now_of(invoice)
    payment["status"] = "paid"
    payment["amount_paid"] = intent["amount_received"]
    payment["status_transitions"]["paid_at"] = now
    call.emit("invoice_payment.paid", payment)
    receive(call, invoice, intent["amount_received"], now=now, attempt=payment["is_default"])


def receive(call: Call, invoice: JsonObject, amount: int, *, now: int, attempt: bool) -> None:
    """Money came in for an edited invoice: partly paid, paid, or more than was due.

    Source: https://docs.stripe.com/invoicing/partial-payments
    """
    if attempt:
        invoice["attempted"] = True
        invoice["attempt_count"] += 1
    if invoice["status"] not in PAYABLE:
        invoice["amount_overpaid"] += amount
        call.emit("invoice.overpaid", invoice)
        return
    if amount >= invoice["amount_remaining"]:
        over = amount - invoice["amount_remaining"]
        invoicing.mark_paid(call, invoice, now=now, amount=amount - over)
        _shut(call, invoice)
        if over:
            invoice["amount_overpaid"] += over
            call.emit("invoice.overpaid", invoice)
        return
    before = {"amount_paid": invoice["amount_paid"], "amount_remaining": invoice["amount_remaining"]}
    invoice["amount_paid"] += amount
    invoice["amount_remaining"] -= amount
    call.emit("invoice.updated", invoice, previous=before)
    payment = default_payment(call, invoice)
    if payment is not None:
        resize(call, invoice, payment)


def resize(call: Call, invoice: JsonObject, payment: JsonObject) -> None:
    """Let the default payment ask for what remains."""
    edited = call.edit(PAYMENT, payment["id"])
    edited["amount_requested"] = invoice["amount_remaining"]
    intent = call.edit("payment_intent", payment["_intent"])
    if intent["status"] in ("requires_payment_method", "requires_confirmation", "requires_action"):
        intent["amount"] = invoice["amount_remaining"]


def _shut(call: Call, invoice: JsonObject) -> None:
    for payment in payments_of(call, invoice):
        if payment["status"] == "open":
            close_payments(call, invoice, "void_invoice")
            return


@reacts("payment_intent.payment_failed")
def _declined(call: Call, intent: JsonObject) -> None:
    identifier = intent.get("_invoice_payment")
    payment = call.find(PAYMENT, identifier) if identifier else None
    if payment is None or not payment["is_default"] or payment["status"] != "open":
        return
    invoice = call.edit("invoice", payment["invoice"])
    if invoice["status"] in PAYABLE:
        _failed(call, invoice)


def pay_out_of_band(call: Call, invoice: JsonObject, *, now: int) -> None:
    """Paid elsewhere: nothing is charged.

    Source: https://docs.stripe.com/api/invoices/pay#pay_invoice-paid_out_of_band
    """
    close_payments(call, invoice, "void_invoice")
    invoice["_paid_out_of_band"] = True
    invoicing.mark_paid(call, invoice, now=now, amount=invoice["amount_remaining"])


def refuse_unpayable(invoice: JsonObject) -> None:
    """Refuse to pay what is paid or void."""
    if invoice["status"] == "paid":
        raise InvalidRequest("Invoice is already paid")
    if invoice["status"] == "void":
        raise InvalidRequest("This invoice can no longer be paid: it is void.")


def intent_of(call: Call, invoice: JsonObject) -> str:
    """The id of the payment intent behind an invoice: the newest default payment's."""
    found = [p for p in payments_of(call, invoice) if p["is_default"] and p.get("_intent")]
    return str(found[-1]["_intent"])


def forgive(call: Call, invoice: JsonObject, *, now: int) -> None:
    """A source that paid less than what was due counts as payment of all of it."""
    close_payments(call, invoice, "void_invoice")
    invoicing.mark_paid(call, invoice, now=now)


def _attachable(invoice: JsonObject) -> None:
    if invoice["status"] not in PAYABLE:
        raise InvalidRequest(
            f"Payments can only be attached to open invoices. This invoice has a status of `{invoice['status']}`."
        )


def attach_intent(call: Call, invoice: JsonObject, identifier: str) -> None:
    """Let a payment intent pay an edited open invoice; a succeeded one counts at once.

    Raises:
        InvalidRequest: another currency or customer, already on an invoice, canceled.
    """
    _attachable(invoice)
    intent = call.edit("payment_intent", identifier, param="payment_intent")
    for name, what in (("currency", "currency"), ("customer", "customer")):
        if intent[name] != invoice[name]:
            raise InvalidRequest(
                f"The PaymentIntent's {what} does not match the invoice's: `{intent[name]}` and `{invoice[name]}`.",
                param="payment_intent",
            )
    if intent.get("_invoice"):
        raise InvalidRequest("The PaymentIntent is already attached to an invoice.", param="payment_intent")
    if intent["status"] == "canceled":
        raise InvalidRequest(
            "A canceled PaymentIntent cannot be attached to an invoice.", param="payment_intent"
        )
    payment = record(call, invoice, intent, amount=intent["amount"], default=False)
    call.ledger.reindex(call.account, "payment_intent", intent)
    if intent["status"] == "succeeded":
        _take(call, invoice, payment, intent["amount_received"])


def attach_record(call: Call, invoice: JsonObject, identifier: str) -> None:
    """Let a payment record (money that came another way) pay an edited open invoice."""
    _attachable(invoice)
    found = call.get("payment_record", identifier, param="payment_record")
    amount = found["amount_guaranteed"]
    if amount["currency"] != invoice["currency"]:
        raise InvalidRequest(
            "The payment record's currency does not match the invoice's.", param="payment_record"
        )
    payment = call.new(
        PAYMENT,
        "inpay",
        amount_requested=amount["value"],
        created=call.now_of(invoice),
        currency=invoice["currency"],
        invoice=invoice["id"],
        is_default=False,
        payment={"payment_record": found["id"], "type": "payment_record"},
        status="open",
        status_transitions={"canceled_at": None, "paid_at": None},
    )
    payment["_intent"] = None
    call.insert(payment)
    _take(call, invoice, payment, amount["value"])


def _take(call: Call, invoice: JsonObject, payment: JsonObject, amount: int) -> None:
    now = call.now_of(invoice)
    payment["status"] = "paid"
    payment["amount_paid"] = amount
    payment["status_transitions"]["paid_at"] = now
    call.emit("invoice_payment.paid", payment)
    receive(call, invoice, amount, now=now, attempt=False)
