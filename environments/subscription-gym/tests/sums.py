# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-6336b6f36248: keep out of training data
"""What members owe, by arithmetic of our own: fractions, and the calendar. Nothing here asks Stripe."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import NamedTuple, TypeVar

_Drawn = TypeVar("_Drawn")

HOUR = 3600
DAY = 24 * HOUR
MARGIN = Fraction(1, 50)
"""Draws are repeated until no amount is this near to half a cent, so that every way to round gives the same."""


class Unclear(Exception):
    """An amount so near to half a cent that ways to round could differ: draw again."""


class Period(NamedTuple):
    """From one payment to the next."""

    start: int
    end: int

    def left(self, at: int) -> Fraction:
        """Which part of it is left at a moment."""
        return Fraction(self.end - at, self.end - self.start)


def moment(year: int, month: int, day: int, second: int = 0) -> int:
    """A second of a day in UTC."""
    return calendar.timegm((year, month, day, 0, 0, 0)) + second


def months_on(anchor: int, months: int, day: int | None = None) -> int:
    """So many months after an anchor: the same day, or `day`, or the last one of a month that is too short."""
    at = datetime.fromtimestamp(anchor, UTC)
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return moment(year, month + 1, min(day or at.day, last), anchor % DAY)


def nth(anchor: int, number: int, interval: str, count: int = 1) -> int:
    """When the n-th period after an anchor begins."""
    if interval in ("day", "week"):
        return anchor + number * count * DAY * (7 if interval == "week" else 1)
    return months_on(anchor, number * count * (12 if interval == "year" else 1))


def cents(exact: Fraction) -> int:
    """The nearest whole number; `Unclear` when it is near the middle between two."""
    whole = exact.numerator // exact.denominator
    rest = exact - whole
    if abs(rest - Fraction(1, 2)) < MARGIN:
        raise Unclear
    return whole + (rest > Fraction(1, 2))


def clear(draw: Callable[[], _Drawn]) -> _Drawn:
    """What `draw` returns, drawn again as often as it is unclear."""
    for _ in range(200):
        try:
            return draw()
        except Unclear:
            continue
    raise RuntimeError("200 draws were near half a cent; something is wrong with the sums")


class Tier(NamedTuple):
    """Up to so many units (None is without end): each at `unit`, and `flat` on top."""

    up_to: int | None
    unit: Fraction
    flat: int = 0


def tiered(tiers: Sequence[Tier], quantity: int, mode: str) -> Fraction:
    """What a quantity costs: `volume` by the tier it falls into, `graduated` each unit by its own."""
    if mode == "volume":
        for tier in tiers:
            if tier.up_to is None or quantity <= tier.up_to:
                return tier.unit * quantity + tier.flat
        raise ValueError("the last tier must have no end")
    total, below = Fraction(0), 0
    for tier in tiers:
        top = quantity if tier.up_to is None else min(quantity, tier.up_to)
        if top > below:
            total += tier.unit * (top - below) + tier.flat
            below = top
    return total


class Coupon(NamedTuple):
    """A discount in per cent for so many months (None is for ever)."""

    percent: int
    months: int | None

    def off(self, amount: int) -> int:
        """What is left of an amount."""
        return amount - cents(Fraction(amount * self.percent, 100))

    def lasts(self, start: int, at: int) -> bool:
        """Whether it comes off a later invoice of a membership that began at `start`."""
        return self.months is None or at < months_on(start, self.months)
