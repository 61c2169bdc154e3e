"""A subscription ends: now, at the end of its period, or at a date.

Source: https://docs.stripe.com/billing/subscriptions/cancel
"""

from __future__ import annotations

from trialbalance.twin.billing import cycling, invoicing, items, pending, prorating, starting, states
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, reacts

KIND = "subscription"


def end(
    call: Call,
    subscription: JsonObject,
    *,
    now: int,
    reason: str | None,
    prorate: bool = False,
    invoice_now: bool = False,
) -> None:
    """Cancel an edited subscription at once.

    `prorate` credits the time that was paid and is not used; `invoice_now` bills what is pending and used. Without
    them pending prorations go, and open invoices are no longer collected.
    """
    from trialbalance.twin.billing import usage

    before = subscription["status"]
    if prorate:
        credit_unused(call, subscription, now)
    if invoice_now:
        usage.gather(call, subscription, now)
        bill_pending(call, subscription, now)
    elif not prorate:
        _drop_pending(call, subscription)
    subscription["status"], subscription["status_details"] = "canceled", None
    subscription["ended_at"] = now
    if subscription["canceled_at"] is None or subscription["cancel_at"] is None:
        subscription["canceled_at"] = now
    subscription["cancel_at_period_end"] = subscription["cancel_at_period_end"] and before != "canceled"
    subscription["pending_update"] = None
    subscription["cancellation_details"] = {
        **subscription["cancellation_details"],
        "reason": reason or subscription["cancellation_details"]["reason"],
    }
    _stop_collecting(call, subscription)
    _loosen(call, subscription)
    _release_schedule(call, subscription, now)
    cycling.plan(call, subscription)
    call.emit("customer.subscription.deleted", subscription)


def plan_end(subscription: JsonObject, at: int | str, *, now: int, at_period_end: bool = False) -> None:
    """Have an edited subscription end at a second, or with the first or last of its current periods.

    Source: https://docs.stripe.com/api/subscriptions/update#update_subscription-cancel_at
    """
    if isinstance(at, str):
        choose = max if at == "max_period_end" else min
        at = choose(item["current_period_end"] for item in subscription["items"]["data"])
    subscription["cancel_at"] = at
    subscription["cancel_at_period_end"] = at_period_end
    subscription["canceled_at"] = now
    subscription["cancellation_details"] = {
        **subscription["cancellation_details"],
        "reason": "cancellation_requested",
    }


def unplan_end(subscription: JsonObject) -> None:
    """Let an edited subscription go on."""
    subscription["cancel_at"] = None
    subscription["cancel_at_period_end"] = False
    subscription["canceled_at"] = None
    subscription["cancellation_details"] = {**subscription["cancellation_details"], "reason": None}


def end_as_planned(call: Call, subscription: JsonObject, *, now: int) -> None:
    """The second of `cancel_at` has come: usage of the last period is billed, nothing new begins.

    Source: https://docs.stripe.com/billing/subscriptions/cancel#cancel-at-the-end-of-the-current-billing-cycle
    """
    from trialbalance.twin.billing import usage

    usage.gather(call, subscription, now)
    customer = subscription["customer"]
    own = [
        item
        for item in pending.of(call, customer, subscription["currency"])
        if item.get("_subscription") == subscription["id"]
    ]
    if own:
        bill_pending(call, subscription, now)
    end(call, subscription, now=now, reason=subscription["cancellation_details"]["reason"], prorate=False)


def credit_unused(call: Call, subscription: JsonObject, now: int) -> None:
    """Pending credits for all that was paid ahead; a trial is not, whatever another invoice made of the status."""
    if starting.trialing(subscription, now) or subscription["status"] == "incomplete":
        return
    customer = call.get("customer", subscription["customer"])
    found = items.of(call, subscription)
    for stored in reversed(found):
        if items.metered(stored) or stored["current_period_end"] <= now:
            continue
        item = call.edit(items.KIND, stored["id"])
        cycle = items.measured(subscription, item)
        for part in prorating.credit_parts(call, subscription, item, found, cycle, now):
            prorating.write(
                call,
                subscription,
                customer,
                item,
                part,
                word="Unused",
                quantity=item["quantity"],
                period=Period(now, cycle.end),
                at=now,
            )
        item["_debits"] = []


def bill_pending(
    call: Call, subscription: JsonObject, now: int, *, reason: str = "subscription_cycle"
) -> JsonObject | None:
    """An announced draft of a subscription's own pending items, which advances by itself; None without any."""
    customer = call.get("customer", subscription["customer"])
    own = [
        item
        for item in pending.of(call, customer["id"], subscription["currency"])
        if item.get("_subscription") == subscription["id"]
    ]
    if not own:
        return None
    invoice = cycling.open_draft(
        call,
        subscription,
        customer,
        now=now,
        reason=reason,
        period=Period(subscription["_last_period_end"], now),
    )
    invoicing.take_items(call, invoice, own)
    subscription["latest_invoice"] = invoice["id"]
    invoice["_last"] = True
    invoicing.announce(call, invoice)
    invoice["auto_advance"] = True
    invoicing.plan(call, invoice)
    return invoice


def _drop_pending(call: Call, subscription: JsonObject) -> None:
    """Prorations that nobody invoiced go with the subscription; items that were added by hand stay."""
    for item in pending.of(call, subscription["customer"]):
        if item.get("_subscription") == subscription["id"] and item["proration"]:
            pending.remove(call, item)
            call.delete("invoiceitem", item["id"])
            call.emit("invoiceitem.deleted", item)


def _loosen(call: Call, subscription: JsonObject) -> None:
    """What still waits belongs to the customer alone from now on."""
    for item in pending.of(call, subscription["customer"]):
        if item.get("_subscription") == subscription["id"]:
            loose = call.edit("invoiceitem", item["id"])
            loose["parent"] = None
            loose.pop("_subscription")
            loose.pop("proration_details", None)
            call.ledger.reindex(call.account, "invoiceitem", loose)


def _stop_collecting(call: Call, subscription: JsonObject) -> None:
    """Open invoices stay open, but nobody collects them any more.

    Source: https://docs.stripe.com/api/subscriptions/cancel
    """
    for invoice in list(call.ledger.all(call.account, invoicing.KIND, _subscription=subscription["id"])):
        if invoice["status"] in ("open", "draft") and invoice["auto_advance"] and not invoice.get("_last"):
            edited = call.edit(invoicing.KIND, invoice["id"])
            edited["auto_advance"] = False
            edited["next_payment_attempt"] = None
            edited["automatically_finalizes_at"] = None
            call.emit("invoice.updated", edited, previous={"auto_advance": True})


def _release_schedule(call: Call, subscription: JsonObject, now: int) -> None:
    from trialbalance.twin.billing import scheduling

    if subscription["schedule"]:
        scheduling.subscription_ended(call, subscription, now)


@reacts("customer.deleted")
def _customer_gone(call: Call, customer: JsonObject) -> None:
    """Deleting a customer cancels its subscriptions at once.

    Source: https://docs.stripe.com/api/customers/delete
    """
    for found in list(call.ledger.all(call.account, KIND, customer=customer["id"])):
        if found["status"] not in states.ENDED:
            subscription = call.edit(KIND, found["id"])
            now = call.now_of(customer)
            subscription["status"] = "canceled"
            subscription["ended_at"] = now
            subscription["canceled_at"] = now
            cycling.plan(call, subscription)
            call.emit("customer.subscription.deleted", subscription)
