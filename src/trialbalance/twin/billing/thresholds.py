"""Billing thresholds: usage is billed as soon as it comes to so much, not only at the end of the period.

Source: https://docs.stripe.com/billing/subscriptions/usage-based/thresholds
"""

from __future__ import annotations

from trialbalance.twin.billing import cycling, discounting, invoicing, items, segments, states, usage
from trialbalance.twin.billing.calendar import DAY, Period
from trialbalance.twin.billing.pricing import Line, total_lines
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call

RUNNING = ("active", "past_due")


def check(call: Call, meter: str, customer: str) -> None:
    """A customer used something that a meter counts: bill the subscriptions that reach a threshold by it."""
    for found in list(call.ledger.all(call.account, states.KIND, customer=customer)):
        if found["status"] not in RUNNING:
            continue
        data = found["items"]["data"]
        if not found["billing_thresholds"] and not any(item["billing_thresholds"] for item in data):
            continue
        if any(items.metered(item) and item["price"]["recurring"]["meter"] == meter for item in data):
            subscription = call.edit(states.KIND, found["id"])
            now = call.now_of(subscription)
            if _reached(call, subscription, now):
                bill(call, subscription, now)


def _reached(call: Call, subscription: JsonObject, now: int) -> bool:
    """Whether usage so far comes to the subscription's amount, less its discounts, or to an item's count.

    Nothing is looked at in the last day of a subscription.

    Source: https://docs.stripe.com/billing/subscriptions/usage-based/thresholds#limitations
    """
    end = subscription["cancel_at"]
    if end is not None and end - now <= DAY:
        return False
    used: list[tuple[JsonObject, int]] = []
    for item in items.of(call, subscription):
        if not items.metered(item):
            continue
        span = usage.open_period(item, Period(item["current_period_start"], now + 1))
        units = usage.quantity(call, subscription, item, span)
        before = usage.billed_before(item, span)
        limit = (item["billing_thresholds"] or {}).get("usage_gte")
        if limit is not None and units - before["units"] >= limit:
            return True
        used.append((item, sum(row[0] for row in usage.owed(call, subscription, item, units, before))))
    wanted = (subscription["billing_thresholds"] or {}).get("amount_gte")
    return wanted is not None and _discounted(call, subscription, used, now) >= wanted


def _discounted(call: Call, subscription: JsonObject, used: list[tuple[JsonObject, int]], now: int) -> int:
    """What usage costs after the discounts that are running, before taxes."""
    currency = subscription["currency"]
    rows = []
    for item, amount in used:
        running = discounting.values(call, discounting.active(call, item["discounts"] or (), now), currency)
        rows.append(Line(amount, item["price"]["product"], discounts=running))
    shared = discounting.values(call, discounting.active(call, subscription["discounts"], now), currency)
    return total_lines(rows, shared).total


def bill(call: Call, subscription: JsonObject, now: int) -> None:
    """Bill an edited subscription's usage up to now, and begin a new cycle when its settings say so."""
    reset = bool((subscription["billing_thresholds"] or {}).get("reset_billing_cycle_anchor"))
    until = now + 1
    used = []
    for stored in items.of(call, subscription):
        item = call.edit(items.KIND, stored["id"])
        if reset or items.metered(item):
            used.append((item, Period(item["current_period_start"], until)))
    if reset:
        subscription["billing_cycle_anchor"] = now
        subscription["_anchor_day"] = None
        for item, _ in used:
            item["current_period_start"], item["current_period_end"] = segments.period_from(
                subscription, item["price"], now
            )
    invoice = cycling.bill(call, subscription, used, now=now, reason="subscription_threshold", pending=reset)
    assert invoice is not None
    for item, span in used:
        if items.metered(item):
            span = Period(now, until) if reset else usage.open_period(item, span)
            units = usage.quantity(call, subscription, item, span)
            cost = sum(entry[0] for entry in usage.priced(call, subscription, item, units))
            usage.remember(item, span, units, cost)
    items.show(call, subscription)
    invoicing.announce(call, invoice)
    cycling.after_renewal(call, subscription, invoice, now=now)
    cycling.plan(call, subscription)
    call.emit("customer.subscription.updated", subscription)
