"""A new cycle from now on, with or without an invoice.

Source: https://docs.stripe.com/billing/subscriptions/billing-cycle
"""

from __future__ import annotations

from trialbalance.twin.billing import cycling, invoicing, items, prorating, segments
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.billing.change import Change
from trialbalance.twin.billing.moving import Moved, write_credits
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call


def begin_again(
    call: Call,
    subscription: JsonObject,
    moved: list[Moved],
    change: Change,
    *,
    now: int,
    at: int,
    bill: bool,
) -> JsonObject | None:
    """A new cycle from now: credits for the old one, whole periods of the new one, billed at once."""
    subscription["billing_cycle_anchor"] = now
    subscription["_anchor_day"] = None
    if subscription["status"] == "trialing":
        if subscription["trial_end"] is not None and subscription["trial_end"] > now:
            subscription["trial_end"] = now
        subscription["status"] = "active"
    advance = []
    for stored in items.of(call, subscription):
        item = call.edit(items.KIND, stored["id"])
        old = items.period_of(item)
        item["current_period_start"], item["current_period_end"] = segments.period_from(
            subscription, item["price"], now
        )
        item.pop("_new", None)
        item["_debits"] = []
        advance.append((item, Period(old.start, min(old.end, now))))
    items.show(call, subscription)
    if not bill:
        return None
    leave = _left_waiting(call, subscription, change)
    write_credits(call, subscription, moved, at=at)
    for identifier in change.get("extra", []):
        from trialbalance.twin.billing import pending

        pending.add(call, call.get("invoiceitem", identifier))
    invoice = cycling.bill(
        call,
        subscription,
        advance,
        now=now,
        reason="subscription_update",
        period=Period(now, now),
        leave=leave,
    )
    assert invoice is not None
    if not invoice["_lines"]:
        call.delete(invoicing.KIND, invoice["id"])
        return None
    invoicing.announce(call, invoice)
    return invoice


def _left_waiting(call: Call, subscription: JsonObject, change: Change) -> frozenset[str]:
    """What a new cycle's invoice leaves alone: in classic billing with `always_invoice`, all that waited before.

    Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#pending-invoice-items
    """
    if prorating.flexible(subscription) or change.get("behavior") != "always_invoice":
        return frozenset()
    waiting = invoicing.pending_for(
        call, subscription["customer"], subscription["currency"], subscription["id"]
    )
    return frozenset(item["id"] for item in waiting)


def move_cycle(call: Call, subscription: JsonObject, *, now: int, bill: bool) -> None:
    """A new cycle from now without an invoice: usage up to now waits for the next one.

    Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#reset-the-billing-period-to-the-current-time
    """
    from trialbalance.twin.billing import usage

    for stored in items.of(call, subscription):
        if bill:
            usage.gather_item(call, subscription, stored, now)
    subscription["billing_cycle_anchor"] = now
    subscription["_anchor_day"] = None
    for stored in items.of(call, subscription):
        item = call.edit(items.KIND, stored["id"])
        item["current_period_start"], item["current_period_end"] = segments.period_from(
            subscription, item["price"], now
        )
        item["_debits"] = []
