"""Taxes as plain values: each rate on each line, rounded half up.

An exclusive rate comes on top of the discounted amount. An inclusive rate is part of it: with several inclusive
rates the amount holds all of them. Exclusive rates beside inclusive ones work on the amount without the inclusive
part. A customer who is exempt, or under reverse charge, pays 0 on every rate, and an inclusive rate is taken out of
the price.

Source: https://docs.stripe.com/billing/taxes/tax-rates
Source: https://support.stripe.com/questions/rounding-rules-for-stripe-fees
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trialbalance.twin.billing.money import fraction, half_up
from trialbalance.twin.errors import JsonObject

FREE = ("exempt", "reverse")
"""Values of a customer's `tax_exempt` under which no tax is due."""


class Rate(NamedTuple):
    """A tax rate: percentage as decimal text, inclusive or not, or a flat amount instead of a percentage."""

    id: str
    percentage: str
    inclusive: bool
    flat: int | None = None


class Tax(NamedTuple):
    """One rate's tax on one line (or on all lines): `taxable` is what it was computed on."""

    rate: str
    amount: int
    inclusive: bool
    taxable: int
    reason: str = "standard_rated"


def of_tax_rate(rate: JsonObject) -> Rate:
    """The rate of a `tax_rate` object."""
    flat = rate.get("flat_amount")
    return Rate(
        rate["id"], str(rate["percentage"]), bool(rate["inclusive"]), flat["amount"] if flat else None
    )


def _sum(rates: Sequence[Rate]) -> tuple[int, int]:
    top, bottom = 0, 1
    for rate in rates:
        numerator, denominator = fraction(rate.percentage)
        top, bottom = top * denominator + numerator * bottom, bottom * denominator
    return top, bottom


def inclusive_part(amount: int, rates: Sequence[Rate]) -> int:
    """The tax that is inside `amount`, each rate rounded for itself."""
    return sum(tax.amount for tax in taxes_on(amount, [r for r in rates if r.inclusive]))


def backed_out(amount: int, rates: Sequence[Rate], exempt: str | None) -> int:
    """The inclusive tax that an exempt customer does not pay: 10 % in 100.00 are 9.09.

    Source: https://docs.stripe.com/tax/tax-rates#tax-exempt-and-reverse-charge
    """
    return inclusive_part(amount, rates) if exempt in FREE else 0


def taxes_on(amount: int, rates: Sequence[Rate], *, exempt: str | None = None) -> tuple[Tax, ...]:
    """The taxes of `rates` on a discounted line amount, in the order of the rates.

    Example:
        >>> [t.amount for t in taxes_on(484, [Rate("a", "15", False)])]
        [73]
        >>> [t.amount for t in taxes_on(1000, [Rate("a", "20", True)])]
        [167]
    """
    if exempt in FREE:
        reason = "customer_exempt" if exempt == "exempt" else "reverse_charge"
        net = amount - backed_out(amount, rates, exempt)
        return tuple(Tax(rate.id, 0, rate.inclusive, net, reason) for rate in rates)
    top, bottom = _sum([rate for rate in rates if rate.inclusive])
    inside: dict[int, int] = {}
    for position, rate in enumerate(rates):
        if rate.inclusive:
            numerator, denominator = fraction(rate.percentage)
            inside[position] = half_up(amount * numerator * bottom, denominator * (100 * bottom + top))
    net = amount - sum(inside.values())
    taxes: list[Tax] = []
    for position, rate in enumerate(rates):
        if rate.inclusive:
            due = inside[position]
        elif rate.flat is not None:
            due = rate.flat if net > 0 else 0
        else:
            numerator, denominator = fraction(rate.percentage)
            due = half_up(net * numerator, denominator * 100)
        reason = "standard_rated" if rate.flat is not None or fraction(rate.percentage)[0] else "zero_rated"
        taxes.append(Tax(rate.id, due, rate.inclusive, net, reason))
    return tuple(taxes)
