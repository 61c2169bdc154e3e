"""A subscription begins: its items, its cycle, its first invoice and the first payment.

Source: https://docs.stripe.com/billing/subscriptions/overview
Source: https://docs.stripe.com/billing/subscriptions/billing-cycle
"""

from __future__ import annotations

from typing import NamedTuple

from trialbalance.twin.billing import (
    collection,
    cycling,
    invoicing,
    items,
    lines,
    prorating,
    segments,
    states,
)
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.errors import CardError, InvalidRequest, JsonObject
from trialbalance.twin.resources import payment_attempts
from trialbalance.twin.wire.call import Call

NO_METHOD = (
    "This customer has no attached payment source or default payment method. Please consider adding a default payment "
    "method. For more information, visit "
    "https://stripe.com/docs/billing/subscriptions/payment-methods-setting#payment-method-priority."
)
NEEDS_ACTION = (
    "Payment for this subscription requires additional user action, but the requested payment behavior doesn't save "
    "the invoice or PaymentIntent. Retry the request with `payment_behavior=allow_incomplete` or "
    "`payment_behavior=default_incomplete`, then complete the PaymentIntent on the subscription's latest invoice. "
    "Additional information is available here: "
    "https://stripe.com/docs/billing/subscriptions/overview#requires-action"
)


LONGEST = 250
"""So many lines the invoice of a backdated subscription can have.

Source: https://docs.stripe.com/billing/subscriptions/backdating
"""


class Start(NamedTuple):
    """How a subscription begins.

    Attributes:
        now: the current second on its time line.
        backdate: start of service in the past, if any.
        prorate: whether stub periods are billed.
        payment_behavior: allow_incomplete, default_incomplete or error_if_incomplete.
        extra: one-time invoice items (already stored, not waiting) for the first invoice.
        reason: billing reason of the first invoice.
        pay: whether the first invoice is finalized and paid at all (a preview is not).
        later: whether the first invoice waits as a draft for an hour, as those of schedules do.
    """

    now: int
    backdate: int | None = None
    prorate: bool = True
    payment_behavior: str = "allow_incomplete"
    extra: tuple[JsonObject, ...] = ()
    reason: str = "subscription_create"
    pay: bool = True
    later: bool = False


def begin(call: Call, subscription: JsonObject, start: Start) -> JsonObject | None:
    """Bill an inserted subscription with its items for the first time; returns the first invoice.

    Raises:
        InvalidRequest: there is nothing to charge.
        CardError: the first payment failed and `error_if_incomplete`.
    """
    subscription["_starting"] = True
    with call.hold_events():
        invoice = first_invoice(call, subscription, start)
        if invoice is not None and start.pay:
            _settle(call, subscription, invoice, start)
        elif invoice is None:
            subscription["status"] = "trialing" if trialing(subscription, start.now) else "active"
        if start.pay:
            if subscription["status"] == "trialing":
                _ask_for_method(call, subscription)
                cycling.plan_trial(call, subscription, start.now)
            cycling.plan(call, subscription)
            if subscription["status"] == "incomplete":
                states.expire_later(call, subscription, start.now)
        subscription.pop("_starting")
        call.emit_first("customer.subscription.created", subscription)
    return invoice


def trialing(subscription: JsonObject, now: int) -> bool:
    """Whether the subscription is in its trial."""
    end = subscription["trial_end"]
    return end is not None and end > now


def first_invoice(call: Call, subscription: JsonObject, start: Start) -> JsonObject | None:
    """The draft of the first invoice, computed and announced; None when nothing is to be billed."""
    customer = call.get("customer", subscription["customer"])
    now = start.now
    invoice = cycling.open_draft(
        call, subscription, customer, now=now, reason=start.reason, period=Period(now, now)
    )
    invoicing.take_items(
        call,
        invoice,
        invoicing.pending_for(call, customer["id"], subscription["currency"], subscription["id"]),
    )
    for item in start.extra:
        invoicing.take_item(call, invoice, item)
    for stored in reversed(items.of(call, subscription)):
        item = call.edit(items.KIND, stored["id"])
        _first_lines(call, invoice, subscription, item, start)
    items.show(call, subscription)
    if start.backdate is not None and len(invoice["_lines"]) > LONGEST:
        raise InvalidRequest(
            f"The subscription cannot be backdated so far: its first invoice would have more than {LONGEST} line "
            "items.",
            param="backdate_start_date",
        )
    if not invoice["_lines"]:
        call.delete(invoicing.KIND, invoice["id"])
        return None
    subscription["latest_invoice"] = invoice["id"]
    subscription["_last_period_end"] = now
    invoicing.announce(call, invoice)
    return invoice


def _first_lines(
    call: Call, invoice: JsonObject, subscription: JsonObject, item: JsonObject, start: Start
) -> None:
    now = start.now
    period = items.period_of(item)
    if items.metered(item):
        if start.backdate is not None and start.backdate < now and start.prorate:
            segments.used_before(call, invoice, subscription, item, start.backdate)
        if not prorating.flexible(subscription):
            _empty_line(call, invoice, subscription, item, period)
        return
    if trialing(subscription, now):
        line = lines.of_subscription_item(
            call,
            invoice["id"],
            subscription,
            item,
            amount=0,
            quantity=item["quantity"],
            period=Period(now, subscription["trial_end"]),
            trial=True,
        )
        invoicing.add_line(call, invoice, line)
        return
    if start.backdate is not None and start.backdate < now:
        if start.prorate:
            segments.backdated(call, invoice, subscription, item, start.backdate)
        return
    cut = not prorating.flexible(subscription) and period.end == subscription["cancel_at"]
    segments.bill(call, invoice, subscription, item, parts=start.prorate or cut)


def _empty_line(
    call: Call, invoice: JsonObject, subscription: JsonObject, item: JsonObject, period: Period
) -> None:
    line = lines.of_subscription_item(
        call, invoice["id"], subscription, item, amount=0, quantity=0, period=period
    )
    invoicing.add_line(call, invoice, line)


def _settle(call: Call, subscription: JsonObject, invoice: JsonObject, start: Start) -> None:
    """Finalize the first invoice and try to get it paid, as the payment behaviour says."""
    trial = trialing(subscription, start.now)
    done = "trialing" if trial else "active"
    later = start.later and invoice["amount_due"] > 0
    if subscription["collection_method"] == "send_invoice" or later:
        subscription["status"] = done
        invoice["auto_advance"] = True
        invoicing.plan(call, invoice)
        return
    subscription["status"] = "incomplete"
    invoice["auto_advance"] = False
    method = collection.method_for(call, invoice)
    due = invoice["amount_due"]
    if due > 0 and method is None and start.payment_behavior in ("allow_incomplete", "error_if_incomplete"):
        raise InvalidRequest(NO_METHOD, code="resource_missing")
    invoicing.finalize(call, invoice, now=start.now)
    if invoice["status"] == "paid":
        subscription["status"] = done
        return
    if start.payment_behavior == "default_incomplete":
        _prefill(call, invoice, method)
        return
    assert method is not None
    outcome = collection.attempt(call, invoice, method)
    if outcome.status == "succeeded" or invoice["status"] == "paid":
        subscription["status"] = done
        states.remember_method(call, subscription, invoice)
        return
    if start.payment_behavior == "error_if_incomplete":
        refuse(call, invoice, outcome)
    subscription["status"] = "incomplete"


def refuse(call: Call, invoice: JsonObject, outcome: payment_attempts.Outcome) -> None:
    """The 402 of `error_if_incomplete`: nothing of the request stays.

    Raises:
        CardError: always.
    """
    if outcome.failed:
        intent = call.get("payment_intent", collection.intent_of(call, invoice))
        error = payment_attempts.refuse(intent, outcome)
        error.extra.pop("payment_intent", None)
        error.commit = False
        raise error
    error = CardError(NEEDS_ACTION)
    error.extra["code"] = "subscription_payment_intent_requires_action"
    error.commit = False
    raise error


def _prefill(call: Call, invoice: JsonObject, method: str | None) -> None:
    """`default_incomplete`: the payment waits for its confirmation, with the default method where there is one."""
    intent = collection.open_payment(call, invoice)
    stored = call.find("payment_method", method) if method else None
    if stored is not None:
        intent["payment_method"] = stored["id"]
        intent["status"] = "requires_confirmation"


def _ask_for_method(call: Call, subscription: JsonObject) -> None:
    """A trial without a payment method begins with a SetupIntent to collect one.

    Source: https://docs.stripe.com/api/subscriptions/object#subscription_object-pending_setup_intent
    """
    from trialbalance.twin.resources import setup_intents

    if subscription["collection_method"] != "charge_automatically":
        return
    if cycling.has_method(call, subscription):
        return
    intent = setup_intents.make(
        call,
        customer=subscription["customer"],
        payment_method_types=subscription["payment_settings"]["payment_method_types"],
        hidden={"_subscription": subscription["id"]},
    )
    subscription["pending_setup_intent"] = intent["id"]
