"""What a price asks for a quantity, and what a list of lines adds up to.

A line's amount comes from its price: per unit, decimal unit amounts, packages (`transform_quantity`), volume and
graduated tiers, another currency of `currency_options`, or an amount the customer chose. Then, in this order:
discounts of the line, discounts of the whole, taxes on what is left. Each line is rounded for itself.

Source: https://docs.stripe.com/products-prices/pricing-models
Source: https://docs.stripe.com/billing/subscriptions/coupons
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from trialbalance.twin.billing.discounts import Deduction, Discount, apply_discounts
from trialbalance.twin.billing.money import fraction, half_up
from trialbalance.twin.billing.tax import Rate, Tax, backed_out, inclusive_part, taxes_on
from trialbalance.twin.errors import JsonObject


class CurrencyMissing(ValueError):
    """A price has no amount in the currency that is asked for."""


def terms(price: JsonObject, currency: str | None = None) -> JsonObject:
    """The amounts of a price in one currency: `unit_amount_decimal`, `tiers`, `custom_unit_amount`, `tax_behavior`.

    Raises:
        CurrencyMissing: neither the price's own currency nor one of its `currency_options`.
    """
    wanted = (currency or price["currency"]).lower()
    options = price.get("_currency_options") or price.get("currency_options") or {}
    if wanted == price["currency"]:
        own = options.get(wanted, {})
        return {
            "unit_amount_decimal": price.get("unit_amount_decimal"),
            "custom_unit_amount": price.get("custom_unit_amount"),
            "tiers": price.get("_tiers") or price.get("tiers"),
            "tax_behavior": price.get("tax_behavior") or own.get("tax_behavior"),
        }
    if wanted not in options:
        raise CurrencyMissing(wanted)
    option = options[wanted]
    return {
        "unit_amount_decimal": option.get("unit_amount_decimal"),
        "custom_unit_amount": option.get("custom_unit_amount"),
        "tiers": option.get("tiers"),
        "tax_behavior": option.get("tax_behavior") or price.get("tax_behavior"),
    }


def amount_of(
    price: JsonObject, quantity: int, *, currency: str | None = None, chosen: int | None = None
) -> int:
    """What `quantity` of a price costs, in minor units of `currency` (default: the price's own).

    `chosen` is the amount a customer named for a `custom_unit_amount` price. `price` may be the stored price
    (tiers under `_tiers`) or an expanded one.

    Raises:
        CurrencyMissing: the price has no amount in that currency.

    Source: https://docs.stripe.com/products-prices/pricing-models
    """
    found = terms(price, currency)
    if found["custom_unit_amount"] is not None:
        unit = chosen if chosen is not None else (found["custom_unit_amount"].get("preset") or 0)
        return unit * quantity
    if price.get("billing_scheme") == "tiered":
        return tiered(found["tiers"] or [], quantity, price["tiers_mode"])
    transform = price.get("transform_quantity")
    if transform:
        quantity = packages(quantity, transform["divide_by"], transform["round"])
    numerator, denominator = fraction(found["unit_amount_decimal"] or 0)
    return half_up(numerator * quantity, denominator)


def packages(quantity: int, divide_by: int, rounding: str) -> int:
    """How many packages a quantity makes.

    Source: https://docs.stripe.com/products-prices/pricing-models#package-pricing
    """
    return -(-quantity // divide_by) if rounding == "up" else quantity // divide_by


class TierPart(NamedTuple):
    """The part of a quantity that falls into one tier: units, unit amount (decimal), flat amount (decimal)."""

    units: int
    unit_amount: str
    flat_amount: str
    up_to: int | None

    @property
    def amount(self) -> int:
        """The part's amount, rounded by itself."""
        return tier_amount([self])


def tier_parts(tiers: Sequence[JsonObject], quantity: int, mode: str) -> list[TierPart]:
    """How a quantity spreads over tiers.

    Volume: all units at the tier the quantity reaches. Graduated: each tier its own units. The first tier's flat
    amount is due even for a quantity of zero.

    Source: https://docs.stripe.com/products-prices/pricing-models#tiered-pricing
    Source: https://docs.stripe.com/billing/subscriptions/usage-based/pricing-models
    """
    parts: list[TierPart] = []
    below = 0
    for tier in tiers:
        limit: int | None = tier.get("up_to")
        reached = limit is None or quantity <= limit
        unit = tier.get("unit_amount_decimal") or "0"
        flat = tier.get("flat_amount_decimal") or "0"
        if mode == "volume":
            if reached:
                return [TierPart(quantity, unit, flat, limit)]
            continue
        if limit is None or quantity <= limit:
            parts.append(TierPart(quantity - below, unit, flat, limit))
            return parts
        parts.append(TierPart(limit - below, unit, flat, limit))
        below = limit
    return parts


def tier_amount(parts: Sequence[TierPart]) -> int:
    """The amount of tier parts, rounded once over their sum."""
    top, bottom = 0, 1
    for part in parts:
        for value, times in ((part.unit_amount, part.units), (part.flat_amount, 1)):
            numerator, denominator = fraction(value)
            top, bottom = top * denominator + numerator * times * bottom, bottom * denominator
    return half_up(top, bottom)


def tiered(tiers: Sequence[JsonObject], quantity: int, mode: str) -> int:
    """The amount of a quantity under tiers (`mode`: volume or graduated)."""
    return tier_amount(tier_parts(tiers, quantity, mode))


class Line(NamedTuple):
    """One line before discounts and taxes.

    Attributes:
        amount: minor units, negative for credits.
        product: id that `applies_to` of a coupon is compared with.
        discountable: false for prorations and by default for negative items.
        discounts: the line's own discounts, in their order; applied before the shared ones.
        rates: the tax rates on this line.
        taxes: taxes that were computed elsewhere, instead of `rates`.
        credit: billing credits that pay for the line after discounts and before tax.
        taken: discounts that are settled already (prorations that show theirs apart), instead of `discounts`.
    """

    amount: int
    product: str | None = None
    discountable: bool = True
    discounts: tuple[Discount, ...] = ()
    rates: tuple[Rate, ...] = ()
    taxes: tuple[Tax, ...] | None = None
    credit: int = 0
    taken: tuple[Deduction, ...] | None = None


class PricedLine(NamedTuple):
    """A line with what was taken off and what tax it bears.

    `own` are the line's own discounts, `shared` its parts of the discounts on the whole.
    """

    amount: int
    own: tuple[Deduction, ...]
    shared: tuple[Deduction, ...]
    taxes: tuple[Tax, ...]
    credit: int = 0
    backed: int = 0
    """Inclusive tax that an exempt customer does not pay."""

    @property
    def deductions(self) -> tuple[Deduction, ...]:
        """All discounts of the line, in the order they were applied."""
        return self.own + self.shared

    @property
    def discounted(self) -> int:
        """The amount after discounts."""
        return self.amount - sum(d.amount for d in self.deductions)

    @property
    def tax(self) -> int:
        """The exclusive tax, which comes on top."""
        return sum(t.amount for t in self.taxes if not t.inclusive)

    @property
    def inclusive_tax(self) -> int:
        """The tax that is part of the amount."""
        return sum(t.amount for t in self.taxes if t.inclusive)

    @property
    def total(self) -> int:
        """What is due for this line."""
        return self.discounted - self.credit + self.tax - self.backed


class Totals(NamedTuple):
    """Lines and what they add up to. All sums are over the rounded lines."""

    lines: tuple[PricedLine, ...]
    amount: int
    """Before all discounts and exclusive taxes: a Checkout Session's `amount_subtotal`."""
    subtotal: int
    """Before shared discounts and exclusive taxes: an invoice's `subtotal`."""
    subtotal_excluding_tax: int
    discount: int
    """All discounts together."""
    tax: int
    """Exclusive tax."""
    inclusive_tax: int
    total: int

    @property
    def total_excluding_tax(self) -> int:
        """The total without any tax."""
        return self.total - self.tax - self.inclusive_tax

    def by_discount(self) -> dict[str, int]:
        """Amount taken off by each discount, in order of first use."""
        found: dict[str, int] = {}
        for line in self.lines:
            for deduction in line.deductions:
                found[deduction.discount] = found.get(deduction.discount, 0) + deduction.amount
        return found

    def by_rate(self) -> dict[str, Tax]:
        """Tax and taxable amount of each rate over all lines, in order of first use."""
        found: dict[str, Tax] = {}
        for line in self.lines:
            for tax in line.taxes:
                before = found.get(tax.rate)
                found[tax.rate] = (
                    tax
                    if before is None
                    else before._replace(
                        amount=before.amount + tax.amount, taxable=before.taxable + tax.taxable
                    )
                )
        return found


def total_lines(
    lines: Sequence[Line], discounts: Sequence[Discount] = (), *, exempt: str | None = None
) -> Totals:
    """Price lines together: own discounts, then `discounts` in order over what is left, then taxes per line.

    `exempt` is a customer's `tax_exempt` when it frees from tax ("exempt" or "reverse"): rates then give 0.

    Source: https://docs.stripe.com/billing/taxes/tax-rates
    """
    own = [
        list(line.taken)
        if line.taken is not None
        else apply_discounts([line.amount], [line.product], [line.discountable], line.discounts)[0]
        for line in lines
    ]
    left = [line.amount - sum(d.amount for d in taken) for line, taken in zip(lines, own, strict=True)]
    shared = apply_discounts(
        left, [line.product for line in lines], [line.discountable for line in lines], discounts
    )
    priced: list[PricedLine] = []
    excluding = 0
    for line, before, mine, ours in zip(lines, left, own, shared, strict=True):
        taxable = before - sum(d.amount for d in ours) - line.credit
        taxes = line.taxes if line.taxes is not None else taxes_on(taxable, line.rates, exempt=exempt)
        backed = 0 if line.taxes is not None else backed_out(taxable, line.rates, exempt)
        excluding += before - inclusive_part(before, line.rates)
        priced.append(PricedLine(line.amount, tuple(mine), tuple(ours), taxes, line.credit, backed))
    return Totals(
        lines=tuple(priced),
        amount=sum(line.amount for line in lines),
        subtotal=sum(left),
        subtotal_excluding_tax=excluding,
        discount=sum(d.amount for line in priced for d in line.deductions),
        tax=sum(line.tax for line in priced),
        inclusive_tax=sum(line.inclusive_tax for line in priced),
        total=sum(line.total for line in priced),
    )


def unit_amount_text(price: JsonObject, currency: str | None = None) -> Any:
    """`unit_amount_decimal` of a price in a currency, null for tiers and chosen amounts."""
    return terms(price, currency)["unit_amount_decimal"]
