"""`pending_invoice_item_interval`: what waits for an invoice is billed every so often, between renewals.

Source: https://docs.stripe.com/api/subscriptions/create#create_subscription-pending_invoice_item_interval
"""

from __future__ import annotations

from trialbalance.twin.billing import cycling, states, updating
from trialbalance.twin.billing.calendar import shift
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, due

KIND = "subscription"


def check(subscription: JsonObject) -> None:
    """Refuse an interval that is not shorter than those of the items.

    Raises:
        InvalidRequest: it is as long or longer.
    """
    wish = subscription["pending_invoice_item_interval"]
    if not wish:
        return
    length = shift(0, wish["interval"], wish["interval_count"])
    for item in subscription["items"]["data"]:
        recurring = item["price"]["recurring"]
        if length >= shift(0, recurring["interval"], recurring["interval_count"]):
            raise InvalidRequest(
                "The pending invoice item interval must be shorter than the billing interval of every price.",
                param="pending_invoice_item_interval",
            )


def plan(call: Call, subscription: JsonObject, now: int) -> None:
    """Plan an edited subscription's next invoice of pending items, or none."""
    wish = subscription["pending_invoice_item_interval"]
    if not wish or subscription["status"] in states.ENDED:
        subscription["next_pending_invoice_item_invoice"] = None
        return
    at = shift(now, wish["interval"], wish["interval_count"])
    subscription["next_pending_invoice_item_invoice"] = at
    call.schedule(
        at, "subscription.pending_items", subscription["id"], timeline=call.clock_of(subscription), due=at
    )


@due("subscription.pending_items")
def _bill(call: Call, target: str, arguments: JsonObject) -> None:
    found = call.find(KIND, target)
    if found is None or found["next_pending_invoice_item_invoice"] != arguments["due"]:
        return
    subscription = call.edit(KIND, target)
    now = call.now_of(subscription)
    if subscription["status"] in ("active", "trialing", "past_due"):
        _invoice(call, subscription, now)
    plan(call, subscription, now)


def _invoice(call: Call, subscription: JsonObject, now: int) -> None:
    invoice = updating.invoice_pending(call, subscription, now=now, reason="subscription_cycle")
    if invoice is None:
        return
    cycling.after_renewal(call, subscription, invoice, now=now)
    call.emit("customer.subscription.updated", subscription)
