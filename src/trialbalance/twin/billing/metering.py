"""What meters counted: events are summed per customer, in order of their time.

Source: https://docs.stripe.com/billing/subscriptions/usage-based/meters/configure
"""

from __future__ import annotations

from bisect import bisect_left, insort
from decimal import Decimal

from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call

KIND = "billing.meter"
READINGS = "meter_readings"
"""Per meter and customer: a list of [second, sequence, value, identifier], in order."""


def key(meter: str, customer: str) -> str:
    """The id of a customer's readings on a meter."""
    return f"{meter}/{customer}"


def count(call: Call, meter: str, customer: str, at: int, value: str, identifier: str) -> None:
    """Add one reading."""
    found = call.ledger.edit(call.account, READINGS, key(meter, customer))
    if found is None:
        found = call.insert({"id": key(meter, customer), "object": READINGS, "readings": [], "count": 0})
    found["count"] += 1
    insort(found["readings"], [at, found["count"], value, identifier])


def cancel(call: Call, meter: str, customer: str, identifier: str) -> bool:
    """Take a reading back; returns whether it was there."""
    found = call.ledger.edit(call.account, READINGS, key(meter, customer))
    if found is None:
        return False
    kept = [reading for reading in found["readings"] if reading[3] != identifier]
    gone = len(kept) != len(found["readings"])
    found["readings"] = kept
    return gone


def readings(call: Call, meter: str, customer: str, period: Period) -> list[list[object]]:
    """The readings of a half-open period."""
    found = call.find(READINGS, key(meter, customer))
    if found is None:
        return []
    every = found["readings"]
    low, high = bisect_left(every, [period.start]), bisect_left(every, [period.end])
    return list(every[low:high])


def value(call: Call, meter: JsonObject, customer: str, period: Period) -> Decimal:
    """What a meter shows for a customer in a period: sum, count or last."""
    found = readings(call, meter["id"], customer, period)
    formula = meter["default_aggregation"]["formula"]
    if formula == "count":
        return Decimal(len(found))
    if formula == "last":
        return Decimal(str(found[-1][2])) if found else Decimal(0)
    return sum((Decimal(str(reading[2])) for reading in found), Decimal(0))


def total(call: Call, meter: str, customer: str, period: Period) -> int:
    """The whole units to bill for a period."""
    found = call.find(KIND, meter)
    return int(value(call, found, customer, period)) if found is not None else 0
