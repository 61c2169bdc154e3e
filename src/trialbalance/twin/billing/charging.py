"""The invoice of a change: what waits for it, and how it is paid once."""

from __future__ import annotations

from trialbalance.twin.billing import collection, cycling, invoicing, starting, states
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call


def invoice_pending(
    call: Call, subscription: JsonObject, *, now: int, reason: str = "subscription_update"
) -> JsonObject | None:
    """An announced draft of the pending items; None when there are none."""
    customer = call.get("customer", subscription["customer"])
    waiting = invoicing.pending_for(call, customer["id"], subscription["currency"], subscription["id"])
    if not waiting:
        return None
    invoice = cycling.open_draft(
        call,
        subscription,
        customer,
        now=now,
        reason=reason,
        period=Period(subscription["_last_period_end"], now),
    )
    invoicing.take_items(call, invoice, waiting)
    subscription["latest_invoice"] = invoice["id"]
    subscription["_last_period_end"] = now
    invoicing.announce(call, invoice)
    return invoice


def collect(call: Call, subscription: JsonObject, invoice: JsonObject, *, behavior: str, now: int) -> bool:
    """Finalize and charge the invoice of a change once; returns whether it is settled. It never tries again by itself.

    Source: https://docs.stripe.com/billing/invoices/subscription#new-subscription-invoices

    Raises:
        CardError: the payment failed and `error_if_incomplete`.
        InvalidRequest: there is nothing to charge and `error_if_incomplete`.
    """
    invoice["auto_advance"] = False
    invoicing.finalize(call, invoice, now=now)
    if invoice["status"] != "open":
        return True
    if invoice["collection_method"] == "send_invoice":
        call.emit("invoice.sent", invoice)
        return True
    if subscription["pause_collection"] is not None:
        return True
    if behavior == "default_incomplete":
        collection.open_payment(call, invoice)
        if subscription["status"] == "active":
            states.move(call, subscription, "past_due")
        return False
    method = collection.method_for(call, invoice)
    if method is None:
        if behavior == "error_if_incomplete":
            raise InvalidRequest(starting.NO_METHOD, code="resource_missing")
        collection.start(call, invoice, now=now)
        return False
    if behavior == "pending_if_incomplete":
        invoice["auto_advance"] = False
    outcome = collection.attempt(call, invoice, method)
    if outcome.status == "succeeded":
        return True
    if behavior == "error_if_incomplete":
        starting.refuse(call, invoice, outcome)
    return False
