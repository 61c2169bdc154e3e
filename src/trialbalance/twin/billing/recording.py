"""Usage records of older versions: what was used is written down per subscription item, not counted by a meter.

Source: https://docs.stripe.com/billing/subscriptions/usage-based-legacy/recording-usage
"""

from __future__ import annotations

from bisect import bisect_left

from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call

RECORDS = "usage_records"
"""Per subscription item: a list of [second, quantity], in order of time."""


def record(call: Call, item: str, at: int, quantity: int, *, overwrite: bool) -> int:
    """Add to what was used at a moment, or overwrite it; returns what is recorded there now."""
    found = call.ledger.edit(call.account, RECORDS, item)
    if found is None:
        found = call.insert({"id": item, "object": RECORDS, "used": []})
    used = found["used"]
    place = bisect_left(used, [at])
    if place == len(used) or used[place][0] != at:
        used.insert(place, [at, 0])
    used[place][1] = quantity if overwrite else used[place][1] + quantity
    return int(used[place][1])


def total(call: Call, item: JsonObject, period: Period) -> int:
    """What was recorded for an item in a half-open period."""
    found = call.find(RECORDS, item["id"])
    if found is None:
        return 0
    used = found["used"]
    return sum(
        quantity for _, quantity in used[bisect_left(used, [period.start]) : bisect_left(used, [period.end])]
    )
