"""What meters counted: events are summed per customer, in order of their time.

Source: https://docs.stripe.com/billing/subscriptions/usage-based/meters/configure
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from decimal import Decimal

from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call

KIND = "billing.meter"
READINGS = "meter_readings"
"""Per meter, customer and hour: a list of [second, sequence, value, identifier], in order."""
HOURS = "meter_hours"
"""Per meter and customer: the hours that have readings, in order."""
PLACES = "meter_places"
"""Per meter and identifier: where its reading is."""
HOUR = 3600


LISTENERS = "meter_listeners"
"""Per event name: the active meter that counts it."""


def listening(call: Call, event_name: str) -> JsonObject | None:
    """The active meter of an event name."""
    found = call.find(LISTENERS, event_name)
    return call.find(KIND, found["meter"]) if found is not None else None


def listen(call: Call, meter: JsonObject) -> None:
    """Let a meter count the events of its name."""
    call.insert({"id": meter["event_name"], "object": LISTENERS, "meter": meter["id"]})


def ignore(call: Call, meter: JsonObject) -> None:
    """Let a meter count no more."""
    call.ledger.delete(call.account, LISTENERS, meter["event_name"])


def _key(meter: str, customer: str) -> str:
    """The id of the list of hours in which a customer used something."""
    return f"{meter}/{customer}"


def _bucket(meter: str, customer: str, hour: int) -> str:
    return f"{meter}/{customer}/{hour}"


def count(call: Call, meter: str, customer: str, at: int, value: str, identifier: str) -> None:
    """Add one reading. Costs the same however much was counted before."""
    hour = at // HOUR
    name = _bucket(meter, customer, hour)
    bucket = call.ledger.edit(call.account, READINGS, name)
    if bucket is None:
        bucket = call.insert({"id": name, "object": READINGS, "readings": [], "count": 0})
        _open(call, meter, customer, hour)
    bucket["count"] += 1
    insort(bucket["readings"], [at, bucket["count"], value, identifier])
    call.insert({"id": f"{meter}/{identifier}", "object": PLACES, "bucket": name})


def _open(call: Call, meter: str, customer: str, hour: int) -> None:
    hours = call.ledger.edit(call.account, HOURS, _key(meter, customer))
    if hours is None:
        call.insert({"id": _key(meter, customer), "object": HOURS, "hours": [hour]})
    else:
        insort(hours["hours"], hour)


def cancel(call: Call, meter: str, identifier: str) -> bool:
    """Take a reading back; returns whether it was there."""
    place = call.find(PLACES, f"{meter}/{identifier}")
    bucket = call.ledger.edit(call.account, READINGS, place["bucket"]) if place is not None else None
    if bucket is None:
        return False
    kept = [reading for reading in bucket["readings"] if reading[3] != identifier]
    gone = len(kept) != len(bucket["readings"])
    bucket["readings"] = kept
    return gone


def readings(call: Call, meter: str, customer: str, period: Period) -> list[list[object]]:
    """The readings of a half-open period, in order of time."""
    found = call.find(HOURS, _key(meter, customer))
    if found is None:
        return []
    hours = found["hours"]
    low = bisect_left(hours, period.start // HOUR)
    high = bisect_right(hours, max(period.start, period.end - 1) // HOUR)
    result: list[list[object]] = []
    for hour in hours[low:high]:
        result += call.get(READINGS, _bucket(meter, customer, hour))["readings"]
    if not result:
        return []
    first, last = bisect_left(result, [period.start]), bisect_left(result, [period.end])
    return result[first:last]


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
