"""A period that reaches beyond a subscription's end is shortened; when the end goes, it is lengthened again.

Source: https://docs.stripe.com/api/subscriptions/update#update_subscription-cancel_at
"""

from __future__ import annotations

from trialbalance.twin.billing import items, prorating, starting
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call


def fit(call: Call, subscription: JsonObject, *, now: int, prorate: bool) -> None:
    """Let the items' current periods end with their cycle or with an edited subscription, whichever is first."""
    if starting.trialing(subscription, now):
        return
    limit = subscription["cancel_at"]
    found = items.of(call, subscription)
    for stored in found:
        cycle = items.cycle_of(subscription, stored["price"], stored["current_period_start"])
        end = cycle.end if limit is None else min(cycle.end, limit)
        if end == stored["current_period_end"] or end <= now:
            continue
        item = call.edit(items.KIND, stored["id"])
        licensed = prorate and not items.metered(item)
        if end < item["current_period_end"]:
            if licensed:
                _give_back(call, subscription, item, found, end)
            item["current_period_end"] = end
        else:
            since = item["current_period_end"]
            item["current_period_end"] = end
            if licensed:
                _charge(call, subscription, item, found, since)
    items.show(call, subscription)


def cut_trial(call: Call, subscription: JsonObject, *, now: int) -> None:
    """A classic subscription that ends within its trial has a shorter trial; flexible billing leaves it as it was.

    Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#trials
    """
    end = subscription["cancel_at"]
    if prorating.flexible(subscription) or not starting.trialing(subscription, now):
        return
    if end >= subscription["trial_end"]:
        return
    subscription["trial_end"] = subscription["billing_cycle_anchor"] = end
    for stored in items.of(call, subscription):
        call.edit(items.KIND, stored["id"])["current_period_end"] = end
    items.show(call, subscription)


def _give_back(
    call: Call, subscription: JsonObject, item: JsonObject, others: list[JsonObject], at: int
) -> None:
    customer = call.get("customer", subscription["customer"])
    period = Period(at, item["current_period_end"])
    measured = items.measured(subscription, item)
    parts = prorating.credit_parts(call, subscription, item, others, measured, at)
    for part in parts:
        prorating.write(
            call,
            subscription,
            customer,
            item,
            part,
            word="Unused",
            quantity=item["quantity"],
            period=period,
            at=at,
        )
    if prorating.flexible(subscription):
        item["_debits"] = [
            prorating.cut(call, kept, part, at) for kept, part in zip(item["_debits"], parts, strict=True)
        ]


def _charge(
    call: Call, subscription: JsonObject, item: JsonObject, others: list[JsonObject], since: int
) -> None:
    customer = call.get("customer", subscription["customer"])
    period = Period(since, item["current_period_end"])
    part = prorating.debit_part(call, subscription, item, others, items.measured(subscription, item), since)
    made = prorating.write(
        call,
        subscription,
        customer,
        item,
        part,
        word="Remaining",
        quantity=item["quantity"],
        period=period,
        at=since,
    )
    item["_debits"].append(prorating.debit_of(made, period, part))
