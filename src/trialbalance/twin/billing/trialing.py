"""A trial that a change begins, extends or ends."""

from __future__ import annotations

from trialbalance.twin.billing import cycling, invoicing, items, prorating, starting, states
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.billing.change import Change
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call


def write_trial(call: Call, subscription: JsonObject, change: Change, trial: str | None, *, now: int) -> None:
    """Move the end of the trial, and with it the anchor; see `change.trial_change`."""
    if trial == "end":
        subscription["trial_end"] = max(subscription["trial_start"] or now, now - 1)
        subscription["billing_cycle_anchor"] = now
        subscription["_anchor_day"] = None
    elif trial == "start":
        end = change["trial_end"]
        assert isinstance(end, int)
        if not starting.trialing(subscription, now):
            first = subscription["trial_start"]
            subscription["trial_start"] = now if prorating.flexible(subscription) else first or now
        subscription["trial_end"] = end
        subscription["billing_cycle_anchor"] = end
        subscription["_anchor_day"] = None
        subscription["status"] = "trialing"
        cycling.plan_trial(call, subscription, now)


def may_begin(call: Call, subscription: JsonObject, now: int) -> bool:
    """Ending a trial by hand asks the same question as its end: is there anything to charge?"""
    from trialbalance.twin.billing import ending

    wish = subscription["trial_settings"]["end_behavior"]["missing_payment_method"]
    if (
        wish == "create_invoice"
        or subscription["collection_method"] == "send_invoice"
        or cycling.has_method(call, subscription)
    ):
        return True
    for item in items.of(call, subscription):
        call.edit(items.KIND, item["id"])["current_period_end"] = now
    items.show(call, subscription)
    if wish == "cancel":
        ending.end(call, subscription, now=now, reason=None)
    else:
        states.stop(subscription, states.NO_METHOD, now)
        call.emit("customer.subscription.paused", subscription)
    return False


def stretch(call: Call, subscription: JsonObject, *, now: int) -> None:
    """A trial that begins or is extended becomes the current period of every item."""
    for item in items.of(call, subscription):
        edited = call.edit(items.KIND, item["id"])
        if starting.trialing(subscription, now) and edited["current_period_end"] != subscription["trial_end"]:
            if edited["_debits"]:
                edited["current_period_start"] = now
            edited["current_period_end"] = subscription["trial_end"]
        edited["_debits"] = []
    items.show(call, subscription)


def bill_trial(call: Call, subscription: JsonObject, change: Change, *, now: int) -> JsonObject:
    """The invoice of a running subscription that goes on trial: nothing for the trial, and what waits.

    Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#change-the-billing-period-using-a-trial-period
    """
    from trialbalance.twin.billing import lines, pending

    for identifier in change.get("extra", []):
        pending.add(call, call.get("invoiceitem", identifier))
    customer = call.get("customer", subscription["customer"])
    invoice = cycling.open_draft(
        call, subscription, customer, now=now, reason="subscription_update", period=Period(now, now)
    )
    waiting = invoicing.pending_for(call, customer["id"], subscription["currency"], subscription["id"])
    invoicing.take_items(call, invoice, waiting)
    span = Period(now, subscription["trial_end"])
    for item in reversed(items.of(call, subscription)):
        if items.metered(item):
            continue
        count = item["quantity"]
        line = lines.of_subscription_item(
            call, invoice["id"], subscription, item, amount=0, quantity=count, period=span, trial=True
        )
        invoicing.add_line(call, invoice, line)
    subscription["latest_invoice"] = invoice["id"]
    subscription["_last_period_end"] = now
    invoicing.announce(call, invoice)
    return invoice
