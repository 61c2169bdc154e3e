"""Discounts as plain values: how much each takes off each line.

A percentage is taken of each line and rounded half up. An amount is spread over the lines it applies to in
proportion to what is left of them: every share but the last is cut off to whole units, the last takes the rest.
Several discounts work one after another, each on what the one before left.

Source: https://docs.stripe.com/billing/subscriptions/coupons
Source: https://docs.stripe.com/billing/subscriptions/prorations
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trialbalance.twin.billing.money import fraction, half_up, toward_zero
from trialbalance.twin.errors import JsonObject


class Discount(NamedTuple):
    """One discount: `id` names it in results; either `percent` (decimal text) or `amount` (minor units).

    `products` limits it to lines of these products.
    """

    id: str
    percent: str | None = None
    amount: int | None = None
    products: frozenset[str] | None = None


class Deduction(NamedTuple):
    """What one discount takes off one line (positive)."""

    discount: str
    amount: int


class CouponCurrency(ValueError):
    """A coupon has no amount in the currency that is asked for."""


def of_coupon(coupon: JsonObject, currency: str, *, id: str | None = None) -> Discount:
    """The discount a coupon gives in a currency; `id` defaults to the coupon's.

    Raises:
        CouponCurrency: an amount-off coupon without an amount in that currency.
    """
    applies = coupon.get("_applies_to") or coupon.get("applies_to")
    products = frozenset(applies["products"]) if applies and applies.get("products") else None
    if coupon.get("percent_off") is not None:
        return Discount(id or coupon["id"], percent=str(coupon["percent_off"]), products=products)
    options = coupon.get("_currency_options") or coupon.get("currency_options") or {}
    if currency == coupon.get("currency"):
        amount = coupon["amount_off"]
    elif currency in options:
        amount = options[currency]["amount_off"]
    else:
        raise CouponCurrency(currency)
    return Discount(id or coupon["id"], amount=amount, products=products)


def split(amount: int, weights: Sequence[int]) -> list[int]:
    """Spread `amount` in proportion to positive weights; shares are cut off, the last takes the rest.

    Never more than the weights together.

    Example:
        >>> split(500, [1000, 2000])
        [166, 334]
    """
    whole = sum(weights)
    if whole <= 0:
        return [0] * len(weights)
    amount = min(amount, whole)
    shares = [toward_zero(amount * weight, whole) for weight in weights]
    last = max(i for i, weight in enumerate(weights) if weight > 0)
    rest = amount - sum(shares)
    shares[last] += rest
    if shares[last] > weights[last]:
        over = shares[last] - weights[last]
        shares[last] = weights[last]
        for position in range(last - 1, -1, -1):
            room = min(over, weights[position] - shares[position])
            shares[position] += room
            over -= room
    return shares


def apply_discounts(
    amounts: Sequence[int],
    products: Sequence[str | None],
    discountable: Sequence[bool],
    discounts: Sequence[Discount],
) -> list[list[Deduction]]:
    """For each line the deductions of `discounts`, one after another on what is left.

    Every discount leaves a deduction on every line it may apply to, also one of 0.
    """
    left = list(amounts)
    taken: list[list[Deduction]] = [[] for _ in amounts]
    for discount in discounts:
        eligible = [
            i
            for i, product in enumerate(products)
            if discountable[i] and (discount.products is None or product in discount.products)
        ]
        if discount.percent is not None:
            numerator, denominator = fraction(discount.percent)
            shares = [half_up(left[i] * numerator, denominator * 100) for i in eligible]
        else:
            shares = split(discount.amount or 0, [max(left[i], 0) for i in eligible])
        for i, share in zip(eligible, shares, strict=True):
            left[i] -= share
            taken[i].append(Deduction(discount.id, share))
    return taken
