"""Billing periods: days, weeks, months and years counted from an anchor, in UTC.

The n-th boundary is always counted from the anchor itself, so that an anchor on the 31st falls on the last day of
shorter months and comes back to the 31st. Time of day stays the anchor's to the second.

Source: https://docs.stripe.com/billing/subscriptions/billing-cycle
"""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, datetime
from typing import NamedTuple

DAY = 86_400
WEEK = 7 * DAY


class Period(NamedTuple):
    """A half-open span of seconds."""

    start: int
    end: int

    @property
    def seconds(self) -> int:
        """Its length."""
        return self.end - self.start


def shift(at: int, interval: str, count: int, *, day: int | None = None) -> int:
    """`at` moved by `count` intervals (day, week, month, year; negative goes back).

    `day` is the day of the month to aim at (default: that of `at`); shorter months end at their last day.
    """
    if interval == "day":
        return at + count * DAY
    if interval == "week":
        return at + count * WEEK
    if interval not in ("month", "year"):
        raise ValueError(f"unknown interval {interval!r}: expected day, week, month or year")
    moment = datetime.fromtimestamp(at, UTC)
    months = moment.year * 12 + moment.month - 1 + count * (12 if interval == "year" else 1)
    year, month = divmod(months, 12)
    wanted = day or moment.day
    last = monthrange(year, month + 1)[1]
    return int(moment.replace(year=year, month=month + 1, day=min(wanted, last)).timestamp())


def boundary(anchor: int, interval: str, count: int, number: int, *, day: int | None = None) -> int:
    """The `number`-th period boundary after (or, negative, before) the anchor."""
    return shift(anchor, interval, count * number, day=day)


def period_at(anchor: int, interval: str, count: int, at: int, *, day: int | None = None) -> Period:
    """The period that holds second `at`, with boundaries counted from `anchor`.

    Costs the same however far `at` lies from the anchor.
    """
    if interval in ("day", "week"):
        length = count * (DAY if interval == "day" else WEEK)
        number = (at - anchor) // length
    else:
        origin, moment = datetime.fromtimestamp(anchor, UTC), datetime.fromtimestamp(at, UTC)
        months = (moment.year - origin.year) * 12 + moment.month - origin.month
        number = months // (count * (12 if interval == "year" else 1))
    while boundary(anchor, interval, count, number, day=day) > at:
        number -= 1
    while boundary(anchor, interval, count, number + 1, day=day) <= at:
        number += 1
    return Period(
        boundary(anchor, interval, count, number, day=day),
        boundary(anchor, interval, count, number + 1, day=day),
    )


def next_boundary(anchor: int, interval: str, count: int, after: int, *, day: int | None = None) -> int:
    """The first boundary that lies after second `after`."""
    return period_at(anchor, interval, count, after, day=day).end
