"""What a payment costs: the published standard prices, as pure arithmetic.

A charge costs a percentage of the settled amount plus a fixed part; cards of other countries and currency
conversion cost more. Refunds return no fee; a dispute costs a fixed fee.
Source: https://stripe.com/pricing and recorded balance transactions
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple


class Price(NamedTuple):
    """Standard prices of an account's country: percentages as decimals, fixed parts in smallest units."""

    rate: Decimal
    fixed: int
    international: Decimal
    conversion: Decimal


_US = Price(Decimal("0.029"), 30, Decimal("0.015"), Decimal("0.01"))
PRICES: dict[str, Price] = {
    "US": _US,
    "CA": Price(Decimal("0.029"), 30, Decimal("0.008"), Decimal("0.02")),
    "GB": Price(Decimal("0.015"), 20, Decimal("0.0175"), Decimal("0.02")),
    "AU": Price(Decimal("0.017"), 30, Decimal("0.018"), Decimal("0.02")),
    "JP": Price(Decimal("0.036"), 0, Decimal("0"), Decimal("0.02")),
}
EEA = frozenset(
    [
        "AT",
        "BE",
        "BG",
        "CY",
        "CZ",
        "DE",
        "DK",
        "EE",
        "ES",
        "FI",
        "FR",
        "GR",
        "HR",
        "HU",
        "IE",
        "IS",
        "IT",
        "LI",
        "LT",
        "LU",
        "LV",
        "MT",
        "NL",
        "NO",
        "PL",
        "PT",
        "RO",
        "SE",
        "SI",
        "SK",
    ]
)
_EEA = Price(Decimal("0.015"), 25, Decimal("0.0175"), Decimal("0.02"))

DISPUTE = 1500
"""The dispute fee in the account's currency (zero-decimal and high-denomination currencies are converted)."""

BANK: dict[str, tuple[Decimal, int, int | None]] = {
    "us_bank_account": (Decimal("0.008"), 0, 500),
    "acss_debit": (Decimal("0.01"), 40, 500),
    "sepa_debit": (Decimal("0.008"), 30, 600),
    "bacs_debit": (Decimal("0.01"), 20, 400),
    "au_becs_debit": (Decimal("0.01"), 30, 350),
    "customer_balance": (Decimal("0.005"), 0, 500),
    "ideal": (Decimal("0.008"), 30, None),
    "klarna": (Decimal("0.0599"), 30, None),
    "affirm": (Decimal("0.06"), 30, None),
    "afterpay_clearpay": (Decimal("0.06"), 30, None),
}
"""Percentage, fixed part and cap of payment methods that are not priced as cards."""


def price_of(country: str) -> Price:
    """The standard prices of a country."""
    return PRICES.get(country) or (_EEA if country in EEA else _US)


def rounded(value: Decimal) -> int:
    """Half up, as recorded fees are."""
    return int(value.quantize(Decimal(1), ROUND_HALF_UP))


class Fee(NamedTuple):
    """What a charge costs: processing, and the conversion of its currency."""

    processing: int
    conversion: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.processing + self.conversion


def charge_fee(amount: int, country: str, *, type: str, card_country: str | None, converted: bool) -> Fee:
    """The fees of a charge of `amount` (in the settlement currency) on an account of `country`."""
    price = price_of(country)
    bank = BANK.get(type)
    if bank is not None:
        rate, fixed, cap = bank
        processing = rounded(amount * rate) + fixed
        processing = min(processing, cap if cap is not None else processing)
    else:
        rate = price.rate
        if card_country is not None and foreign(card_country, country):
            rate += price.international
        processing = rounded(amount * rate + price.fixed)
    processing = min(processing, amount)
    conversion = min(rounded(amount * price.conversion), amount - processing) if converted else 0
    return Fee(processing, conversion)


def foreign(card_country: str, account_country: str) -> bool:
    """Whether a card counts as international: other country, or outside the European Economic Area."""
    if account_country in EEA:
        return card_country not in EEA
    return card_country != account_country


def share(part: int, whole: int, amount: int) -> int:
    """`amount` scaled by part/whole, rounded half up: reversals and fee refunds in proportion."""
    if whole == 0:
        return 0
    return rounded(Decimal(amount) * part / whole)
