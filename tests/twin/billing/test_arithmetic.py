"""Money, pricing models, discounts, taxes, calendar and proration as plain functions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialbalance.twin.billing.calendar import Period, boundary, period_at, shift
from trialbalance.twin.billing.discounts import Discount, apply_discounts, split
from trialbalance.twin.billing.money import decimal_text, half_floor, half_up, toward_zero
from trialbalance.twin.billing.pricing import CurrencyMissing, Line, amount_of, total_lines
from trialbalance.twin.billing.proration import prorate
from trialbalance.twin.billing.tax import Rate, taxes_on


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def price(**fields: Any) -> dict[str, Any]:
    return {"currency": "usd", "billing_scheme": "per_unit", "unit_amount_decimal": None, **fields}


def tiers(*rows: tuple[int | None, int | str, int | str]) -> list[dict[str, Any]]:
    return [
        {"up_to": up_to, "unit_amount_decimal": str(unit), "flat_amount_decimal": str(flat)}
        for up_to, unit, flat in rows
    ]


class TestRounding:
    @pytest.mark.parametrize(
        ("value", "up", "down", "cut"),
        [((5, 2), 3, 2, 2), ((-5, 2), -3, -3, -2), ((7, 3), 2, 2, 2), ((8, 3), 3, 3, 2), ((0, 7), 0, 0, 0)],
    )
    def test_ties_and_neighbours(self, value: tuple[int, int], up: int, down: int, cut: int) -> None:
        assert (half_up(*value), half_floor(*value), toward_zero(*value)) == (up, down, cut)

    @given(st.integers(-(10**9), 10**9), st.integers(1, 10**6))
    def test_the_result_is_within_half_a_unit(self, numerator: int, denominator: int) -> None:
        for rounded in (half_up(numerator, denominator), half_floor(numerator, denominator)):
            assert abs(2 * (rounded * denominator - numerator)) <= denominator

    def test_decimals_keep_their_value_and_lose_their_noise(self) -> None:
        assert [decimal_text(t) for t in ("123.450", "1e2", "0.0500", 7)] == ["123.45", "100", "0.05", "7"]


class TestPricingModels:
    """Source: https://docs.stripe.com/products-prices/pricing-models"""

    def test_flat_rate_and_per_seat(self) -> None:
        assert amount_of(price(unit_amount_decimal="1500"), 3) == 4500

    def test_decimal_unit_amounts_round_once_over_the_quantity(self) -> None:
        assert amount_of(price(unit_amount_decimal="0.05"), 9) == 0
        assert amount_of(price(unit_amount_decimal="0.05"), 10) == 1
        assert amount_of(price(unit_amount_decimal="0.05"), 1000) == 50

    def test_packages_round_up_or_down(self) -> None:
        package = price(unit_amount_decimal="2500", transform_quantity={"divide_by": 5, "round": "up"})
        assert [amount_of(package, n) for n in (1, 5, 6, 0)] == [2500, 2500, 5000, 0]
        package["transform_quantity"]["round"] = "down"
        assert [amount_of(package, n) for n in (4, 5, 9)] == [0, 2500, 2500]

    @pytest.mark.parametrize(("quantity", "due"), [(1, 700), (5, 3500), (6, 3900), (10, 6500), (20, 10000)])
    def test_volume_prices_all_units_at_the_reached_tier(self, quantity: int, due: int) -> None:
        volume = price(
            billing_scheme="tiered",
            tiers_mode="volume",
            tiers=tiers((5, 700, 0), (10, 650, 0), (None, 500, 0)),
        )
        assert amount_of(volume, quantity) == due

    @pytest.mark.parametrize(
        ("quantity", "due"), [(1, 500), (5, 2500), (6, 2900), (10, 4500), (20, 7500), (25, 9000)]
    )
    def test_graduated_prices_each_tier_for_itself(self, quantity: int, due: int) -> None:
        """The documentation's example: 5.00 up to 5, 4.00 up to 10, 3.00 beyond."""
        graduated = price(
            billing_scheme="tiered",
            tiers_mode="graduated",
            tiers=tiers((5, 500, 0), (10, 400, 0), (None, 300, 0)),
        )
        assert amount_of(graduated, quantity) == due

    def test_flat_fees_are_due_for_each_tier_entered_and_for_a_quantity_of_zero(self) -> None:
        graduated = price(
            billing_scheme="tiered", tiers_mode="graduated", tiers=tiers((5, 500, 1000), (None, 400, 2000))
        )
        assert [amount_of(graduated, n) for n in (0, 5, 6)] == [1000, 3500, 5900]

    def test_another_currency(self) -> None:
        both = price(unit_amount_decimal="2000", _currency_options={"eur": {"unit_amount_decimal": "90"}})
        assert amount_of(both, 2, currency="eur") == 180
        with pytest.raises(CurrencyMissing):
            amount_of(both, 1, currency="gbp")

    def test_an_amount_the_customer_chose(self) -> None:
        chosen = price(custom_unit_amount={"minimum": 100, "maximum": 10000, "preset": 500})
        assert (amount_of(chosen, 1), amount_of(chosen, 1, chosen=725)) == (500, 725)


class TestDiscounts:
    def test_an_amount_is_split_by_truncation_and_the_rest_goes_last(self) -> None:
        """500 over 1000 and 2000. Source: https://docs.stripe.com/billing/subscriptions/prorations"""
        assert split(500, [1000, 2000]) == [166, 334]

    def test_never_more_than_there_is(self) -> None:
        assert split(5000, [1000, 2000]) == [1000, 2000]
        assert split(100, [0, 0]) == [0, 0]

    @given(st.integers(0, 10**6), st.lists(st.integers(0, 10**5), min_size=1, max_size=8))
    def test_shares_add_up_and_stay_within_their_lines(self, amount: int, weights: list[int]) -> None:
        shares = split(amount, weights)
        assert sum(shares) == min(amount, sum(weights))
        assert all(0 <= share <= weight for share, weight in zip(shares, weights, strict=True))

    def test_a_product_limit_and_an_undiscountable_line(self) -> None:
        half = Discount("half", percent="50", products=frozenset({"a"}))
        taken = apply_discounts([1000, 1000, 1000], ["a", "b", "a"], [True, True, False], [half])
        assert [[d.amount for d in line] for line in taken] == [[500], [], []]

    def test_discounts_work_one_after_another_on_what_is_left(self) -> None:
        """Order matters. Source: https://docs.stripe.com/billing/subscriptions/coupons"""
        ten, five = Discount("p", percent="10"), Discount("a", amount=500)
        assert total_lines([Line(10000)], [ten, five]).total == 8500
        assert total_lines([Line(10000)], [five, ten]).total == 8550

    def test_a_line_is_discounted_before_the_whole(self) -> None:
        line = Line(10000, discounts=(Discount("line", amount=2000),))
        totals = total_lines([line], [Discount("all", percent="10")])
        assert (totals.amount, totals.subtotal, totals.discount, totals.total) == (10000, 8000, 2800, 7200)


class TestTaxes:
    """Source: https://docs.stripe.com/billing/taxes/tax-rates"""

    def test_exclusive_tax_rounds_half_up_on_each_line(self) -> None:
        rate = Rate("r", "15", inclusive=False)
        totals = total_lines([Line(43, rates=(rate,)), Line(484, rates=(rate,))])
        assert [line.tax for line in totals.lines] == [6, 73]
        assert (totals.subtotal, totals.tax, totals.total) == (527, 79, 606)
        five = total_lines([Line(50, rates=(Rate("r", "5", inclusive=False),))])
        assert (five.tax, five.total) == (3, 53)

    def test_discount_first_then_exclusive_tax(self) -> None:
        totals = total_lines([Line(1000, rates=(Rate("r", "20", False),))], [Discount("d", amount=500)])
        assert (totals.subtotal, totals.discount, totals.tax, totals.total) == (1000, 500, 100, 600)

    def test_inclusive_tax_is_part_of_the_amount(self) -> None:
        totals = total_lines([Line(1000, rates=(Rate("r", "20", True),))])
        assert (totals.total, totals.inclusive_tax, totals.total_excluding_tax) == (1000, 167, 833)
        assert totals.subtotal_excluding_tax == 833

    def test_two_inclusive_rates_share_one_amount(self) -> None:
        rates = (Rate("a", "5", True), Rate("b", "7", True))
        taxes = taxes_on(11200, rates)
        assert [tax.amount for tax in taxes] == [500, 700]
        assert {tax.taxable for tax in taxes} == {10000}

    @pytest.mark.parametrize(
        ("exempt", "reason"), [("exempt", "customer_exempt"), ("reverse", "reverse_charge")]
    )
    def test_an_exempt_customer_pays_none_and_the_reason_is_told(self, exempt: str, reason: str) -> None:
        totals = total_lines([Line(1000, rates=(Rate("r", "20", False),))], exempt=exempt)
        assert totals.total == 1000
        assert [tax.reason for tax in totals.lines[0].taxes] == [reason]

    def test_totals_by_rate_and_by_discount_are_sums_over_the_lines(self) -> None:
        rate = Rate("r", "10", False)
        lines = [Line(333, rates=(rate,)), Line(666, rates=(rate,))]
        totals = total_lines(lines, [Discount("d", percent="25")])
        assert totals.by_discount() == {"d": 83 + 167}
        assert totals.by_rate()["r"].amount == 25 + 50
        assert totals.by_rate()["r"].taxable == 999 - 250


class TestCalendar:
    """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle"""

    def test_an_anchor_on_the_31st_visits_short_months_and_comes_back(self) -> None:
        anchor = at("2026-01-31T10:20:30")
        days = [datetime.fromtimestamp(boundary(anchor, "month", 1, n), UTC) for n in range(1, 5)]
        assert [(d.month, d.day) for d in days] == [(2, 28), (3, 31), (4, 30), (5, 31)]
        assert {(d.hour, d.minute, d.second) for d in days} == {(10, 20, 30)}

    def test_a_leap_day_anchor(self) -> None:
        anchor = at("2024-02-29T00:00:00")
        years = [datetime.fromtimestamp(boundary(anchor, "year", 1, n), UTC) for n in range(1, 5)]
        assert [(y.year, y.month, y.day) for y in years] == [
            (2025, 2, 28), (2026, 2, 28), (2027, 2, 28), (2028, 2, 29),
        ]  # fmt: skip

    def test_weeks_and_days_are_plain_seconds(self) -> None:
        assert shift(0, "week", 2) == 14 * 86400
        assert shift(0, "day", 10) == 10 * 86400
        with pytest.raises(ValueError, match="fortnight"):
            shift(0, "fortnight", 1)

    @given(
        st.integers(0, 4_000_000_000),
        st.sampled_from(["day", "week", "month", "year"]),
        st.integers(1, 12),
        st.integers(-(10**9), 10**9),
    )
    def test_every_second_lies_in_exactly_one_period(
        self, anchor: int, interval: str, count: int, offset: int
    ) -> None:
        second = max(0, anchor + offset)
        period = period_at(anchor, interval, count, second)
        assert period.start <= second < period.end
        assert period_at(anchor, interval, count, period.end).start == period.end


class TestProration:
    def test_to_the_second(self) -> None:
        """One cent a second over 30 days. Source: https://docs.stripe.com/billing/subscriptions/prorations"""
        start = 1_775_001_600
        period = Period(start, start + 2_592_000)
        assert prorate(-2_592_000, period, start + 1_296_001) == -1_295_999
        assert prorate(5_184_000, period, start + 1_296_001) == 2_591_998
        assert prorate(-2_592_000, period, start + 1_296_000) == -1_296_000
        assert prorate(5_184_000, period, start + 1_296_000) == 2_592_000

    def test_half_a_cent_goes_down_on_both_sides(self) -> None:
        """A quarter percent of a month is left. Recorded answers of the API."""
        period = Period(1_790_021_304, 1_792_613_304)
        at_date = period.end - 6480
        amounts = (-1000, 1800, 3000)
        assert [prorate(amount, period, at_date) for amount in amounts] == [-3, 4, 7]
        ten_days = period.end - 864_000
        assert (prorate(-2000, period, ten_days), prorate(1000, period, ten_days)) == (-667, 333)

    def test_the_whole_period_and_none_of_it(self) -> None:
        period = Period(0, 100)
        assert [prorate(999, period, second) for second in (-5, 0, 100, 200)] == [999, 999, 0, 0]
