"""Paused subscriptions are resumed: a resumption invoice, and active once it is paid.

Source: https://docs.stripe.com/billing/subscriptions/pause#resume-a-subscription
"""

from __future__ import annotations

from trialbalance.twin.billing import (
    collection,
    cycling,
    invoicing,
    items,
    pending_updates,
    segments,
)
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.billing.settings import settings
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call


def resume(
    call: Call,
    subscription: JsonObject,
    *,
    now: int,
    anchor: str = "now",
    proration: str = "create_prorations",
    wait: bool = True,
) -> None:
    """Make the resumption invoice of an edited paused subscription and try to have it paid.

    `wait` (resume on payment success): it stays paused until the invoice is paid; else it is active at once.
    """
    if anchor == "unchanged" and _inside(subscription, now):
        finish(call, subscription, now=now, keep=True)
        return
    subscription["_resume_from"] = now
    subscription["_resume_anchor"] = anchor
    if anchor == "unchanged" and proration == "none":
        finish(call, subscription, now=now)
        return
    invoice = draft(call, subscription, now, anchor=anchor)
    if invoice is None:
        finish(call, subscription, now=now)
        return
    invoice["auto_advance"] = False
    invoicing.finalize(call, invoice, now=now)
    if invoice["status"] != "paid":
        expires = now + settings(call).incomplete_hours * 3600
        subscription["pending_update"] = pending_updates.blank(expires)
        subscription["_pending_invoice"] = invoice["id"]
        call.schedule(
            expires,
            "subscription.drop_pending",
            subscription["id"],
            timeline=call.clock_of(subscription),
            invoice=invoice["id"],
        )
        method = collection.method_for(call, invoice)
        if method is not None and invoice["collection_method"] == "charge_automatically":
            collection.attempt(call, invoice, method)
        if subscription["status"] == "paused" and not wait:
            subscription["pending_update"] = None
            finish(call, subscription, now=now)
        return
    if subscription["status"] == "paused":
        finish(call, subscription, now=now)


def _inside(subscription: JsonObject, now: int) -> bool:
    return any(item["current_period_end"] > now for item in subscription["items"]["data"])


def draft(call: Call, subscription: JsonObject, now: int, *, anchor: str = "now") -> JsonObject | None:
    """The announced draft that bills a paused subscription's next period; None when nothing is to be billed.

    With its anchor unchanged only the rest of the period that is running is billed.

    Source: https://docs.stripe.com/billing/subscriptions/mixed-interval#pause-at-trial-end-and-resume
    """
    customer = call.get("customer", subscription["customer"])
    invoice = cycling.open_draft(
        call, subscription, customer, now=now, reason="subscription_update", period=Period(now, now)
    )
    invoicing.take_items(
        call,
        invoice,
        invoicing.pending_for(call, customer["id"], subscription["currency"], subscription["id"]),
    )
    old_anchor = subscription["billing_cycle_anchor"]
    if anchor == "now":
        subscription["billing_cycle_anchor"] = now
    for stored in reversed(items.of(call, subscription)):
        if items.metered(stored):
            continue
        item = call.edit(items.KIND, stored["id"])
        kept = items.period_of(item)
        span = segments.period_from(subscription, item["price"], now)
        item["current_period_start"], item["current_period_end"] = span
        if anchor == "now":
            segments.whole(call, invoice, subscription, item)
        else:
            cycle = items.cycle_of(subscription, item["price"], now)
            segments.stub(call, invoice, subscription, item, span, cycle)
        item["current_period_start"], item["current_period_end"] = kept
    subscription["billing_cycle_anchor"] = old_anchor
    if not invoice["_lines"]:
        call.delete(invoicing.KIND, invoice["id"])
        return None
    subscription["latest_invoice"] = invoice["id"]
    subscription["_last_period_end"] = now
    invoicing.announce(call, invoice)
    return invoice


def finish(call: Call, subscription: JsonObject, *, now: int, keep: bool = False) -> None:
    """A paused subscription goes on: from the second it was asked to, or in its old period (`keep`)."""
    since = subscription.pop("_resume_from", now)
    anchored = subscription.pop("_resume_anchor", "now") == "now"
    before = subscription["status"]
    subscription["status"], subscription["status_details"] = "active", None
    if not keep:
        if anchored:
            subscription["billing_cycle_anchor"] = since
            subscription["_anchor_day"] = None
        for stored in items.of(call, subscription):
            item = call.edit(items.KIND, stored["id"])
            span = segments.period_from(subscription, item["price"], since)
            start = span.start if anchored else items.cycle_of(subscription, item["price"], since).start
            item["current_period_start"], item["current_period_end"] = start, span.end
    items.show(call, subscription)
    cycling.plan(call, subscription)
    call.emit("customer.subscription.resumed", subscription)
    call.emit("customer.subscription.updated", subscription, previous={"status": before})
