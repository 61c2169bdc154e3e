"""Fees against recorded balance transactions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialbalance.twin.cards import fees


@pytest.mark.parametrize(
    ("amount", "fee"),
    [(1000, 59), (2500, 103), (22500, 683), (25000, 755), (1900, 85), (2250, 95), (950, 58), (2900, 114)],
)
def test_recorded_fees_of_a_us_account(amount: int, fee: int) -> None:
    assert fees.charge_fee(amount, "US", type="card", card_country="US", converted=False).total == fee


def test_recorded_fee_of_a_foreign_card_on_a_canadian_account() -> None:
    assert fees.charge_fee(4400, "CA", type="card", card_country="US", converted=False).total == 193


def test_foreign_cards_and_conversion_cost_more() -> None:
    home = fees.charge_fee(10_000, "US", type="card", card_country="US", converted=False)
    foreign = fees.charge_fee(10_000, "US", type="card", card_country="FR", converted=False)
    both = fees.charge_fee(10_000, "US", type="card", card_country="FR", converted=True)
    assert (home.total, foreign.total, both) == (320, 470, fees.Fee(470, 100))


def test_recorded_fee_of_a_converted_charge_on_a_canadian_account() -> None:
    fee = fees.charge_fee(1414, "CA", type="card", card_country="US", converted=True)
    assert fee == fees.Fee(processing=82, conversion=28)


def test_a_european_card_is_not_foreign_in_europe() -> None:
    assert not fees.foreign("FR", "DE")
    assert fees.foreign("US", "DE")


def test_bank_debits_have_a_cap() -> None:
    fee = fees.charge_fee(1_000_000, "US", type="us_bank_account", card_country=None, converted=False)
    assert fee.total == 500


@given(st.integers(1, 99_999_999), st.sampled_from(["US", "CA", "GB", "DE", "JP", "BR"]))
def test_a_fee_never_exceeds_its_charge(amount: int, country: str) -> None:
    fee = fees.charge_fee(amount, country, type="card", card_country="US", converted=True)
    assert 0 <= fee.total <= amount


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_shares_are_proportional(whole: int, part: int, amount: int) -> None:
    part = min(part, whole)
    assert abs(fees.share(part, whole, amount) - amount * part / whole) <= 0.5 + 1e-6
