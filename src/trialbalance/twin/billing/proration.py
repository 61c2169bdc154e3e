"""Prorations: the part of an amount that belongs to the rest of a period, to the second.

Source: https://docs.stripe.com/billing/subscriptions/prorations
"""

from __future__ import annotations

from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.billing.money import half_down


def prorate(amount: int, period: Period, at: int) -> int:
    """The part of `amount` for the seconds of `period` from `at` to its end; a half cent goes toward zero.

    Example:
        >>> prorate(5184000, Period(1775001600, 1777593600), 1775001600 + 1296001)
        2591998
    """
    if period.seconds <= 0:
        return 0
    remaining = max(0, min(period.end, period.end - at, period.seconds))
    return half_down(amount * remaining, period.seconds)
