"""Prorations: the part of an amount that belongs to the rest of a period, to the second.

Source: https://docs.stripe.com/billing/subscriptions/prorations
"""

from __future__ import annotations

from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.billing.money import half_floor


def prorate(amount: int, period: Period, at: int) -> int:
    """The part of `amount` for the seconds of `period` from `at` to its end; half a cent goes down.

    Recorded: 1000 and 1800 over a quarter percent of a month give -3 (credit of 2.5) and 4 (debit of 4.5).

    Example:
        >>> prorate(5184000, Period(1775001600, 1777593600), 1775001600 + 1296001)
        2591998
    """
    if period.seconds <= 0:
        return 0
    remaining = max(0, min(period.end - at, period.seconds))
    return half_floor(amount * remaining, period.seconds)
