"""Invoices that do not exist yet: what the next one will be, or what a change would come to.

A preview does the real thing and takes it all back, so that it cannot differ from what will happen.

Source: https://docs.stripe.com/api/invoices/create_preview
Source: https://docs.stripe.com/billing/subscriptions/prorations#preview-proration
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from trialbalance.twin.billing import cycling, discounting, invoicing, items, segments, states, totals
from trialbalance.twin.billing.settings import settings
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.ledger.store import copy_json
from trialbalance.twin.wire.call import Call


@contextmanager
def rehearsal(call: Call) -> Iterator[None]:
    """Whatever the block writes or tells is forgotten."""
    outer, call.held = call.held, []
    try:
        with call.ledger.rehearse():
            yield
    finally:
        call.held = outer


def next_invoice(call: Call, subscription: str) -> JsonObject | None:
    """The next renewal of a subscription as it stands; None when there is none."""
    with rehearsal(call):
        edited = call.edit(states.KIND, subscription)
        invoice = renewal(call, edited)
        return show(call, invoice) if invoice is not None else None


def renewal(call: Call, subscription: JsonObject, *, recurring: bool = False) -> JsonObject | None:
    """Inside a rehearsal: the draft of an edited subscription's next renewal."""
    if subscription["status"] in (*states.ENDED, "paused"):
        return None
    at = cycling.next_renewal(subscription)
    end = subscription["cancel_at"]
    if end is not None and end <= at:
        return None
    if subscription["schedule"]:
        from trialbalance.twin.billing import scheduling

        if not scheduling.catch_up(call, subscription, at):
            return None
    advance = []
    for stored in items.of(call, subscription):
        if stored["current_period_end"] > at:
            continue
        item = call.edit(items.KIND, stored["id"])
        old = items.period_of(item)
        fresh = segments.period_from(subscription, item["price"], at)
        item["current_period_start"], item["current_period_end"] = fresh
        advance.append((item, old))
    items.show(call, subscription)
    if recurring:
        _forget_pending(call, subscription)
    invoice = cycling.bill(call, subscription, advance, now=at, reason="upcoming")
    if invoice is None:
        return None
    if recurring:
        invoice["discounts"] = [
            d for d in invoice["discounts"] if call.get(discounting.KIND, d)["_duration"] == "forever"
        ]
    totals.refresh(call, invoice)
    if subscription["collection_method"] == "charge_automatically":
        invoice["next_payment_attempt"] = at + settings(call).finalize_after
    return invoice


def _forget_pending(call: Call, subscription: JsonObject) -> None:
    from trialbalance.twin.billing import pending

    for item in pending.of(call, subscription["customer"]):
        pending.remove(call, item)


def show(call: Call, invoice: JsonObject) -> JsonObject:
    """A copy of a draft as previews look."""
    totals.refresh(call, invoice)
    lines = totals.lines_of(call, invoice)
    shown: JsonObject = copy_json(invoice)
    shown["billing_reason"] = "upcoming" if invoice["billing_reason"] != "manual" else "manual"
    shown["auto_advance"] = False
    shown["automatically_finalizes_at"] = None
    fragment = call.twin.ids.random(8)
    shown["id"] = f"upcoming_in_{invoice['id'][3:-8]}{fragment}"
    shown["lines"] = totals.listed(shown, [copy_json(line) for line in lines])
    for number, line in enumerate(shown["lines"]["data"]):
        line["id"] = f"il_tmp_{line['id'][3:]}" if line["id"].startswith("il_") else f"il_tmp_{number}"
        line["invoice"] = shown["id"]
    shown["status"] = "draft"
    shown.pop("_lines", None)
    return shown


def nothing(customer: str) -> InvalidRequest:
    """The 404 of a preview that has nothing to show."""
    error = InvalidRequest(f"No upcoming invoices for customer: {customer}", code="invoice_upcoming_none")
    error.status = 404
    return error


def settle_draft(call: Call, invoice: JsonObject) -> JsonObject:
    """Inside a rehearsal: an announced draft, shown."""
    return show(call, call.edit(invoicing.KIND, invoice["id"]))
