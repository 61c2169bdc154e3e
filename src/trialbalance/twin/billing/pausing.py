"""Pauses: of collecting invoices, and of the subscription itself.

Source: https://docs.stripe.com/billing/subscriptions/pause-payment
Source: https://docs.stripe.com/billing/subscriptions/pause
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing import cycling, ending, items, states, usage
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call


def pause_collection(call: Call, subscription: JsonObject, wish: Any, *, now: int) -> None:
    """Let an edited subscription's coming invoices be kept as drafts, voided or written off; None ends it."""
    if wish is None:
        subscription["pause_collection"] = None
        return
    resumes = wish.get("resumes_at")
    if resumes is not None and resumes <= now:
        raise InvalidRequest(
            "The parameter `pause_collection[resumes_at]` expects a unix timestamp representing a date and time in "
            f"the future. You specified the value `{resumes}` which is in the past.",
            param="pause_collection[resumes_at]",
        )
    subscription["pause_collection"] = {"behavior": wish["behavior"], "resumes_at": resumes}
    if resumes is not None:
        line = call.clock_of(subscription)
        call.schedule(
            resumes, "subscription.collect_again", subscription["id"], timeline=line, resumes=resumes
        )


def pause(call: Call, subscription: JsonObject, *, now: int, usage: str, unused: str, invoice: bool) -> None:
    """Pause an edited subscription at once.

    `usage` "now" bills what metered items counted so far; `unused` says from when licensed time is credited: "now",
    "item_current_period_start" or "none"; what is credited ends the current period. With `invoice` both are billed at
    once, else with the next invoice.

    Source: https://docs.stripe.com/billing/subscriptions/pause#pause-subscriptions
    """
    settle(call, subscription, now=now, usage_through=usage, unused=unused)
    if unused != "none":
        for stored in items.of(call, subscription):
            call.edit(items.KIND, stored["id"])["current_period_end"] = now
        items.show(call, subscription)
    if invoice:
        ending.bill_pending(call, subscription, now, reason="subscription_update")
    states.stop(subscription, "pause_requested", now)
    cycling.plan(call, subscription)
    call.emit("customer.subscription.paused", subscription)
    call.emit("customer.subscription.updated", subscription)


def settle(call: Call, subscription: JsonObject, *, now: int, usage_through: str, unused: str) -> None:
    """Pending items for what was used and what will not be."""
    if usage_through == "now":
        usage.gather(call, subscription, now)
    if unused == "now":
        ending.credit_unused(call, subscription, now)
    elif unused == "item_current_period_start":
        start = min(item["current_period_start"] for item in items.of(call, subscription))
        ending.credit_unused(call, subscription, start)
