"""What tax an amount carries: by where the customer is, where the seller is registered, and what is sold.

Source: https://docs.stripe.com/tax/calculating and https://docs.stripe.com/tax/custom
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from trialbalance.twin.taxes.rates import EU, Place, Rate, name_of, rates_of

NONTAXABLE = "txcd_00000000"


class Part(NamedTuple):
    """One jurisdiction's share: the tax, what it is on, and why (not)."""

    amount: int
    taxable: int
    place: Place
    rate: Rate | None
    reason: str


class Seller(NamedTuple):
    """Where the seller is and where it is registered: registrations as (country, options)."""

    country: str | None
    registrations: tuple[tuple[str, dict[str, Any]], ...]


class Buyer(NamedTuple):
    """Where the customer is, whether exempt, and its tax ids' types."""

    place: Place
    override: str = "none"
    tax_ids: tuple[str, ...] = ()


def tax(amount: int, *, inclusive: bool, code: str, seller: Seller, buyer: Buyer) -> list[Part]:
    """The parts of the tax on an amount, in the order in which they are shown."""
    place = buyer.place
    rates = rates_of(place)
    if rates is None:
        return [Part(0, 0, place, None, "not_supported")]
    if not rates:
        return [Part(0, 0, place, None, "not_subject_to_tax")]
    if buyer.override == "customer_exempt":
        return [Part(0, 0, place, rate, "customer_exempt") for rate in rates]
    if not registered(seller, place, rates[0]):
        return [Part(0, 0, place, None, "not_collecting")]
    if code == NONTAXABLE:
        return [Part(0, 0, place, rate, "product_exempt") for rate in rates]
    if buyer.override == "reverse_charge" or _reverses(seller, buyer):
        return [Part(0, 0, place, rate, "reverse_charge") for rate in rates]
    levied = [rate for rate in rates if registered(seller, place, rate)]
    percent = sum((Decimal(rate.percent) for rate in levied), Decimal(0))
    net = amount
    if inclusive:
        net = rounded(Decimal(amount) * 100 / (100 + percent))
    parts = [
        Part(rounded(Decimal(net) * Decimal(rate.percent) / 100), net, place, rate, "standard_rated")
        for rate in levied
    ]
    if inclusive and parts:
        rest = amount - net - sum(part.amount for part in parts[1:])
        parts[0] = parts[0]._replace(amount=rest)
    return parts


def registered(seller: Seller, place: Place, rate: Rate) -> bool:
    """Whether the seller collects a tax there.

    Source: https://docs.stripe.com/tax/registering
    """
    return any(_covers(country, options, place, rate) for country, options in seller.registrations)


def rounded(value: Decimal) -> int:
    """Half up, to the smallest unit."""
    return int(value.quantize(Decimal(1), ROUND_HALF_UP))


def percent_text(percent: str) -> str:
    """A percentage as the API shows it: with at least one decimal."""
    return percent if "." in percent else f"{percent}.0"


def breakdown(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """The `tax_breakdown` of a line or of shipping."""
    return [
        {
            "amount": part.amount,
            "jurisdiction": {
                "country": part.place.country,
                "display_name": name_of(part.place, part.rate.level if part.rate else _level(part.place)),
                "level": part.rate.level if part.rate else _level(part.place),
                "state": part.place.state,
            },
            "sourcing": "destination",
            "tax_rate_details": {
                "display_name": part.rate.name,
                "percentage_decimal": percent_text(part.rate.percent),
                "tax_type": part.rate.type,
            }
            if part.rate is not None and part.reason != "not_collecting"
            else None,
            "taxability_reason": part.reason,
            "taxable_amount": part.taxable,
        }
        for part in parts
    ]


def _level(place: Place) -> str:
    return "state" if place.country == "US" else "country"


def _covers(country: str, options: dict[str, Any], place: Place, rate: Rate) -> bool:
    kind = options.get("type")
    if country == "US":
        return place.country == "US" and kind == "state_sales_tax" and options.get("state") == place.state
    if country == "CA":
        if place.country != "CA":
            return False
        if kind == "province_standard":
            province = (options.get("province_standard") or {}).get("province")
            return rate.type in ("pst", "qst", "rst") and province == place.state
        return rate.type in ("gst", "hst")
    if country in EU and kind in ("oss_union", "oss_non_union", "ioss"):
        return place.country in EU
    return country == place.country


def _reverses(seller: Seller, buyer: Buyer) -> bool:
    """A business in another member state accounts for the tax itself."""
    abroad = seller.country != buyer.place.country
    return abroad and buyer.place.country in EU and "eu_vat" in buyer.tax_ids
