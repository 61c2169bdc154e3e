"""Examples that Stripe's documentation works out, with the page each comes from."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, amounts, on, refused

HOUR = 3600
MONTH = 30 * DAY


def first(world: World, price: str, quantity: int = 1, **more: Any) -> Any:
    """The first invoice of a subscription."""
    made = world.subscribe({"price": price, "quantity": quantity}, expand=["latest_invoice"], **more)
    return made.latest_invoice


@pytest.fixture
def world(client: Any) -> World:
    return World(client)


TIERS = [
    {"up_to": 5, "unit_amount": 700},
    {"up_to": 10, "unit_amount": 650},
    {"up_to": "inf", "unit_amount": 600},
]
FLAT = [
    {"up_to": 5, "unit_amount": 500, "flat_amount": 1000},
    {"up_to": 10, "unit_amount": 400, "flat_amount": 2000},
    {"up_to": 15, "unit_amount": 300, "flat_amount": 3000},
    {"up_to": "inf", "unit_amount": 200, "flat_amount": 4000},
]


class TestPricingModels:
    """Source: https://docs.stripe.com/products-prices/pricing-models"""

    @pytest.mark.parametrize(
        ("quantity", "total"), [(1, 700), (5, 3500), (6, 3900), (20, 12000), (25, 15000)]
    )
    def test_volume(self, world: World, quantity: int, total: int) -> None:
        """Source: https://docs.stripe.com/products-prices/pricing-models#volume-based-pricing"""
        price = world.price(None, billing_scheme="tiered", tiers_mode="volume", tiers=TIERS)
        assert first(world, price, quantity).total == total

    @pytest.mark.parametrize(
        ("quantity", "total"), [(1, 700), (5, 3500), (6, 4150), (20, 12750), (25, 15750)]
    )
    def test_graduated(self, world: World, quantity: int, total: int) -> None:
        """Source: https://docs.stripe.com/products-prices/pricing-models#graduated-pricing"""
        price = world.price(None, billing_scheme="tiered", tiers_mode="graduated", tiers=TIERS)
        assert first(world, price, quantity).total == total

    @pytest.mark.parametrize(("quantity", "total"), [(5, 3500), (12, 11100), (16, 16200)])
    def test_graduated_with_flat_fees(self, world: World, quantity: int, total: int) -> None:
        """Source: https://docs.stripe.com/products-prices/pricing-models#flat-fees"""
        price = world.price(None, billing_scheme="tiered", tiers_mode="graduated", tiers=FLAT)
        assert first(world, price, quantity).total == total

    @pytest.mark.parametrize(("quantity", "total"), [(1, 2500), (5, 2500), (8, 5000), (11, 7500)])
    def test_packages(self, world: World, quantity: int, total: int) -> None:
        """Source: https://docs.stripe.com/products-prices/pricing-models#package-pricing"""
        price = world.price(2500, transform_quantity={"divide_by": 5, "round": "up"})
        assert first(world, price, quantity).total == total

    @pytest.mark.parametrize(("quantity", "total"), [(99, 0), (100, 1000), (250, 2000)])
    def test_packages_that_must_be_full(self, world: World, quantity: int, total: int) -> None:
        """Source: https://docs.stripe.com/products-prices/pricing-models#transform-quantities"""
        price = world.price(1000, transform_quantity={"divide_by": 100, "round": "down"})
        assert first(world, price, quantity).total == total

    def test_seats(self, world: World) -> None:
        """Source: https://docs.stripe.com/products-prices/pricing-models#per-seat"""
        assert first(world, world.price(1500), 7).total == 10500

    @pytest.mark.parametrize(
        ("unit", "quantity", "total"), [("0.5", 3, 2), ("1.25", 10, 13), ("33.333", 3, 100)]
    )
    def test_fractions_of_a_cent(self, world: World, unit: str, quantity: int, total: int) -> None:
        """Source: https://docs.stripe.com/products-prices/pricing-models#decimal-amounts"""
        price = world.price(None, unit_amount_decimal=unit)
        assert first(world, price, quantity).total == total


class TestBillingCycle:
    """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle"""

    @pytest.mark.parametrize(
        ("start", "every", "ends"),
        [
            (on(2026, 9, 2), "month", [on(2026, 10, 2), on(2026, 11, 2)]),
            (on(2026, 1, 31), "month", [on(2026, 2, 28), on(2026, 3, 31), on(2026, 4, 30), on(2026, 5, 31)]),
            (on(2028, 1, 31), "month", [on(2028, 2, 29), on(2028, 3, 31)]),
            (on(2026, 6, 5), "week", [on(2026, 6, 12), on(2026, 6, 19)]),
            (on(2028, 2, 29), "year", [on(2029, 2, 28), on(2030, 2, 28), on(2031, 2, 28), on(2032, 2, 29)]),
            (on(2026, 8, 31, 17), "month", [on(2026, 9, 30, 17), on(2026, 10, 31, 17)]),
        ],
    )
    def test_anchors(self, client: Any, start: int, every: str, ends: list[int]) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle"""
        world = World(client, at=start)
        subscription = world.subscribe(world.price(1000, every))
        for end in ends:
            assert world.read(subscription)["items"].data[0].current_period_end == end
            world.advance(end)

    def test_a_prorated_time_until_the_anchor(self, client: Any) -> None:
        """May 15 with an anchor on June 1: 17 of 31 days, then whole months.

        Source: https://docs.stripe.com/payments/checkout/billing-cycle
        """
        world = World(client, at=on(2026, 5, 15))
        subscription = world.subscribe(
            world.price(3100), billing_cycle_anchor=on(2026, 6, 1), expand=["latest_invoice"]
        )
        assert subscription.latest_invoice.total == 1700
        assert subscription.billing_cycle_anchor == on(2026, 6, 1)
        world.advance(on(2026, 6, 1, 2))
        assert world.invoice(world.read(subscription).latest_invoice).total == 3100

    def test_an_anchor_too_far_ahead(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#new-subscription"""
        price = world.price()
        error = refused(lambda: world.subscribe(price, billing_cycle_anchor=START + 31 * DAY))
        assert "cannot be later than next natural billing date" in str(error.user_message)

    @pytest.mark.parametrize(
        ("config", "anchor"),
        [
            ({"day_of_month": 15}, on(2026, 4, 15)),
            ({"day_of_month": 10, "hour": 17, "minute": 30, "second": 0}, on(2026, 4, 10, 17) + 1800),
            ({"day_of_month": 1, "month": 2}, on(2027, 2, 1)),
        ],
    )
    def test_an_anchor_by_the_calendar(self, world: World, config: dict[str, int], anchor: int) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#new-subscription"""
        every = "year" if "month" in config else "month"
        made = world.subscribe(world.price(1000, every), billing_cycle_anchor_config=config)
        assert made.billing_cycle_anchor == anchor
        assert made["items"].data[0].current_period_end == anchor

    def test_the_31st_comes_back(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle"""
        made = world.subscribe(world.price(), billing_cycle_anchor_config={"day_of_month": 31})
        assert made.billing_cycle_anchor == on(2026, 5, 31)
        assert made["items"].data[0].current_period_end == on(2026, 4, 30)
        world.advance(on(2026, 4, 30))
        assert world.read(made)["items"].data[0].current_period_end == on(2026, 5, 31)

    def test_resetting_the_cycle(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#change"""
        subscription = world.subscribe(world.price(3000))
        world.advance(START + 10 * DAY)
        updated = world.v1.subscriptions.update(
            subscription.id,
            {
                "billing_cycle_anchor": {"type": "now"},
                "proration_behavior": "always_invoice",
                "expand": ["latest_invoice"],
            },
        )
        assert (updated.billing_cycle_anchor, amounts(updated.latest_invoice)) == (world.now, [-2000, 3000])

    def test_moving_the_date_with_a_trial(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#using-a-trial"""
        subscription = world.subscribe(world.price(3000))
        world.advance(START + 10 * DAY)
        updated = world.v1.subscriptions.update(
            subscription.id, {"trial_end": START + 40 * DAY, "proration_behavior": "none"}
        )
        assert (updated.status, updated.billing_cycle_anchor) == ("trialing", START + 40 * DAY)
        assert world.waiting() == []
        world.advance(START + 40 * DAY + 2 * HOUR)
        assert world.read(subscription).status == "active"
        assert [invoice.total for invoice in world.invoices(subscription)] == [3000, 0, 3000]


class TestBackdating:
    """Source: https://docs.stripe.com/billing/subscriptions/backdating"""

    def test_february_is_half_a_month(self, client: Any) -> None:
        """Billing on the first, backdated to February 15: the 14 days to March 1 are half of an imagined month.

        Source: https://docs.stripe.com/billing/subscriptions/backdating
        """
        world = World(client, at=on(2026, 3, 1))
        made = world.subscribe(
            world.price(2800), backdate_start_date=on(2026, 2, 15),
            billing_cycle_anchor=on(2026, 4, 1), expand=["latest_invoice"],
        )  # fmt: skip
        assert sorted(amounts(made.latest_invoice)) == [1400, 2800]
        assert made.start_date == on(2026, 2, 15)

    def test_january_is_seventeen_of_31_days(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/backdating"""
        world = World(client, at=on(2026, 2, 1))
        made = world.subscribe(
            world.price(3100), backdate_start_date=on(2026, 1, 15),
            billing_cycle_anchor=on(2026, 3, 1), expand=["latest_invoice"],
        )  # fmt: skip
        assert sorted(amounts(made.latest_invoice)) == [1700, 3100]

    @pytest.mark.parametrize(("mode", "lines"), [("flexible", 3), ("classic", 2)])
    def test_a_line_for_each_period_or_one(self, client: Any, mode: str, lines: int) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/backdating"""
        world = World(client, at=on(2026, 3, 10))
        made = world.subscribe(
            world.price(1000), backdate_start_date=on(2026, 1, 1), billing_mode={"type": mode},
            expand=["latest_invoice"],
        )  # fmt: skip
        assert made.latest_invoice.total == 3000
        assert len(made.latest_invoice.lines.data) == lines
        assert made["items"].data[0].current_period_end == on(2026, 4, 1)

    def test_without_charging_for_the_past(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/backdating#no-charge"""
        world = World(client, at=on(2026, 3, 10))
        made = world.subscribe(
            world.price(1000), backdate_start_date=on(2026, 1, 1), billing_cycle_anchor=on(2026, 4, 1),
            proration_behavior="none",
        )  # fmt: skip
        assert (made.status, made.latest_invoice) == ("active", None)
        world.advance(on(2026, 4, 1, 2))
        assert world.invoice(world.read(made).latest_invoice).total == 1000


class TestProrations:
    """Source: https://docs.stripe.com/billing/subscriptions/prorations"""

    def test_halfway_from_ten_to_twenty(self, world: World) -> None:
        """-5 and +10, so that the next invoice is 25.

        Source: https://docs.stripe.com/billing/subscriptions/prorations
        """
        subscription = world.subscribe(world.price(1000))
        world.advance(START + 15 * DAY)
        world.v1.subscriptions.update(
            subscription.id, {"items": [{"id": world.item(subscription), "price": world.price(2000)}]}
        )
        world.advance(START + MONTH + 2 * HOUR)
        assert world.invoice(world.read(subscription).latest_invoice).total == 2500

    def test_twice_in_a_month(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/prorations#how-prorations-work"""
        subscription = world.subscribe(world.price(3000))
        item = world.item(subscription)
        for day, amount in ((10, 6000), (20, 9000)):
            world.advance(START + day * DAY)
            world.v1.subscriptions.update(
                subscription.id, {"items": [{"id": item, "price": world.price(amount)}]}
            )
        assert [i.amount for i in world.waiting()] == [-2000, 3000, -2000, 4000]

    def test_an_added_item(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/prorations#what-triggers-prorations"""
        subscription = world.subscribe(world.price(3000))
        world.advance(START + 20 * DAY)
        world.v1.subscription_items.create({"subscription": subscription.id, "price": world.price(900)})
        assert [i.amount for i in world.waiting()] == [300]

    def test_another_interval_is_billed_at_once_in_classic_billing(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/change-price#immediate-payment"""
        subscription = world.subscribe(world.price(1000), billing_mode={"type": "classic"})
        world.advance(START + 15 * DAY)
        updated = world.v1.subscriptions.update(
            subscription.id,
            {
                "items": [{"id": world.item(subscription), "price": world.price(10000, "year")}],
                "expand": ["latest_invoice"],
            },
        )
        assert (updated.billing_cycle_anchor, amounts(updated.latest_invoice)) == (world.now, [-500, 10000])

    def test_from_free_to_paid_is_billed_at_once_in_classic_billing(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/change-price#immediate-payment"""
        subscription = world.subscribe(world.price(0), billing_mode={"type": "classic"})
        world.advance(START + 15 * DAY)
        updated = world.v1.subscriptions.update(
            subscription.id,
            {
                "items": [{"id": world.item(subscription), "price": world.price(2000)}],
                "expand": ["latest_invoice"],
            },
        )
        assert (updated.billing_cycle_anchor, updated.latest_invoice.total) == (world.now, 2000)

    def test_no_proration_while_on_trial(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/prorations#what-triggers-prorations"""
        subscription = world.subscribe(world.price(1000), trial_period_days=14)
        world.v1.subscriptions.update(
            subscription.id, {"items": [{"id": world.item(subscription), "price": world.price(5000)}]}
        )
        assert world.waiting() == []

    @pytest.mark.parametrize(("mode", "credit"), [("classic", -900), ("flexible", -500)])
    def test_what_is_credited_after_an_unprorated_change(self, world: World, mode: str, credit: int) -> None:
        """Classic billing credits the current price, flexible billing what was charged.

        Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare
        """
        subscription = world.subscribe(world.price(1000), billing_mode={"type": mode})
        item = world.item(subscription)
        change = {"items": [{"id": item, "price": world.price(1800)}], "proration_behavior": "none"}
        world.v1.subscriptions.update(subscription.id, change)
        world.advance(START + 15 * DAY)
        world.v1.subscriptions.update(subscription.id, {"items": [{"id": item, "price": world.price(100)}]})
        assert world.waiting()[0].amount == credit

    def test_itemized_discounts(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#proration-discounts"""
        coupon = world.v1.coupons.create({"percent_off": 50, "duration": "forever"})
        subscription = world.subscribe(
            world.price(1000), discounts=[{"coupon": coupon.id}],
            billing_mode={"type": "flexible", "flexible": {"proration_discounts": "itemized"}},
        )  # fmt: skip
        world.advance(START + 15 * DAY)
        updated = world.v1.subscriptions.update(
            subscription.id,
            {
                "items": [{"id": world.item(subscription), "price": world.price(2000)}],
                "proration_behavior": "always_invoice",
                "expand": ["latest_invoice"],
            },
        )
        invoice = updated.latest_invoice
        assert amounts(invoice) == [-500, 1000]
        assert [line.discount_amounts[0].amount for line in invoice.lines.data] == [-250, 500]
        assert invoice.total == 250


class TestDiscountsAndTaxes:
    @pytest.mark.parametrize(("percent_first", "total"), [(True, 7000), (False, 7200)])
    def test_stacked_discounts(self, world: World, percent_first: bool, total: int) -> None:
        """20 % off and 10 off 100: 70 or 72, by their order.

        Source: https://docs.stripe.com/billing/subscriptions/coupons#multiple-discounts
        """
        percent = world.v1.coupons.create({"percent_off": 20, "duration": "once"}).id
        amount = world.v1.coupons.create({"amount_off": 1000, "currency": "usd", "duration": "once"}).id
        order = [percent, amount] if percent_first else [amount, percent]
        invoice = first(world, world.price(10000), discounts=[{"coupon": c} for c in order])
        assert invoice.total == total

    @pytest.mark.parametrize(
        ("duration", "totals"),
        [
            ({"duration": "once"}, [500, 1000, 1000, 1000]),
            ({"duration": "repeating", "duration_in_months": 2}, [500, 500, 1000, 1000]),
            ({"duration": "forever"}, [500, 500, 500, 500]),
        ],
    )
    def test_durations(self, world: World, duration: dict[str, Any], totals: list[int]) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/coupons#coupon-duration"""
        coupon = world.v1.coupons.create({"percent_off": 50, **duration})
        subscription = world.subscribe(world.price(), discounts=[{"coupon": coupon.id}])
        for month in (5, 6, 7):
            world.advance(on(2026, month, 1, 2))
        assert [invoice.total for invoice in world.invoices(subscription)] == totals

    def test_a_coupon_for_one_product(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/coupons#limit-eligible-products"""
        other = world.v1.products.create({"name": "Pot"}).id
        pot = world.v1.prices.create(
            {"product": other, "unit_amount": 4000, "currency": "usd", "recurring": {"interval": "month"}}
        ).id
        coupon = world.v1.coupons.create(
            {"percent_off": 25, "duration": "forever", "applies_to": {"products": [other]}}
        )
        made = world.subscribe(
            world.price(1000), pot, discounts=[{"coupon": coupon.id}], expand=["latest_invoice"]
        )
        assert made.latest_invoice.total == 4000

    def test_a_discount_on_one_item(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/coupons#subscription-items"""
        coupon = world.v1.coupons.create({"percent_off": 10, "duration": "forever"})
        made = world.subscribe(
            {"price": world.price(1000), "discounts": [{"coupon": coupon.id}]}, world.price(2000),
            expand=["latest_invoice"],
        )  # fmt: skip
        assert made.latest_invoice.total == 2900

    @pytest.mark.parametrize(("inclusive", "tax", "total"), [(True, 100, 500), (False, 125, 625)])
    def test_inclusive_and_exclusive_tax(self, world: World, inclusive: bool, tax: int, total: int) -> None:
        """5.00 at 25 %: 1.00 of it is tax, or 1.25 comes on top.

        Source: https://docs.stripe.com/billing/taxes/tax-rates#inclusive-vs-exclusive-tax
        """
        rate = world.v1.tax_rates.create({"display_name": "VAT", "percentage": 25, "inclusive": inclusive})
        invoice = first(world, world.price(500), default_tax_rates=[rate.id])
        assert (invoice.total_taxes[0].amount, invoice.total) == (tax, total)
        assert invoice.total_excluding_tax == total - tax
        behavior = "inclusive" if inclusive else "exclusive"
        assert invoice.total_taxes[0].tax_behavior == behavior

    def test_several_rates(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/taxes/tax-rates"""
        rates = [
            world.v1.tax_rates.create({"display_name": n, "percentage": p, "inclusive": False}).id
            for n, p in (("GST", 5), ("QST", 9.975))
        ]
        invoice = first(world, world.price(10000), default_tax_rates=rates)
        assert [entry.amount for entry in invoice.total_taxes] == [500, 998]
        assert invoice.total == 11498

    def test_an_exempt_customer(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/taxes/tax-rates#exempt"""
        world.v1.customers.update(world.customer, {"tax_exempt": "exempt"})
        rate = world.v1.tax_rates.create({"display_name": "VAT", "percentage": 25, "inclusive": False})
        invoice = first(world, world.price(500), default_tax_rates=[rate.id])
        assert (invoice.total, invoice.total_taxes[0].amount) == (500, 0)
        assert invoice.total_taxes[0].taxability_reason == "customer_exempt"

    def test_the_rates_of_an_item_replace_the_default(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/taxes#subscription-item-tax-rates"""
        general, special = (
            world.v1.tax_rates.create({"display_name": "VAT", "percentage": p, "inclusive": False}).id
            for p in (20, 5)
        )
        made = world.subscribe(
            {"price": world.price(1000), "tax_rates": [special]}, world.price(2000),
            default_tax_rates=[general], expand=["latest_invoice"],
        )  # fmt: skip
        assert made.latest_invoice.total == 1050 + 2400


class TestTrials:
    def test_with_a_card_it_goes_on(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/trials"""
        subscription = world.subscribe(world.price(), trial_period_days=30)
        world.advance(START + 30 * DAY + 2 * HOUR)
        assert world.read(subscription).status == "active"
        assert [invoice.total for invoice in world.invoices(subscription)] == [0, 1000]

    def test_told_three_days_before(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/trials#trial-will-end"""
        world.subscribe(world.price(), trial_period_days=10)
        type_ = "customer.subscription.trial_will_end"
        world.advance(START + 7 * DAY - 1)
        assert world.v1.events.list({"type": type_}).data == []
        world.advance(START + 7 * DAY)
        assert len(world.v1.events.list({"type": type_}).data) == 1

    @pytest.mark.parametrize(
        ("wish", "status"), [("cancel", "canceled"), ("pause", "paused"), ("create_invoice", "past_due")]
    )
    def test_without_a_card(self, client: Any, wish: str, status: str) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/trials/free-trials"""
        world = World(client, card=None)
        settings = {"end_behavior": {"missing_payment_method": wish}}
        made = world.subscribe(world.price(), trial_period_days=7, trial_settings=settings)
        world.advance(START + 7 * DAY + 2 * HOUR)
        assert world.read(made).status == status

    def test_a_trial_then_a_prorated_time_then_a_fixed_cycle(self, world: World) -> None:
        """Source: https://docs.stripe.com/changelog/2018-02-05/subscriptions-delay-first-full-invoice-future-date"""
        made = world.subscribe(
            world.price(3000), trial_end=START + 10 * DAY, billing_cycle_anchor=START + 20 * DAY
        )
        world.advance(START + 10 * DAY + 2 * HOUR)
        prorated = world.invoice(world.read(made).latest_invoice)
        # ten days of a cycle that would have begun on March 21: 31 days
        assert (prorated.total, prorated.lines.data[0].period.end) == (968, START + 20 * DAY)
        world.advance(START + 20 * DAY + 2 * HOUR)
        assert world.invoice(world.read(made).latest_invoice).total == 3000


class TestPausedCollection:
    @pytest.mark.parametrize(
        ("behavior", "status"),
        [("void", "void"), ("keep_as_draft", "draft"), ("mark_uncollectible", "uncollectible")],
    )
    def test_behaviors(self, world: World, behavior: str, status: str) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/pause-payment"""
        subscription = world.subscribe(world.price())
        world.v1.subscriptions.update(subscription.id, {"pause_collection": {"behavior": behavior}})
        world.advance(START + MONTH + 2 * HOUR)
        assert world.read(subscription).status == "active"
        assert world.invoices(subscription)[-1].status == status

    def test_it_resumes_by_itself(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/pause-payment#resume-payment-collection"""
        subscription = world.subscribe(world.price())
        pause = {"behavior": "void", "resumes_at": START + 40 * DAY}
        world.v1.subscriptions.update(subscription.id, {"pause_collection": pause})
        world.advance(START + 41 * DAY)
        assert world.read(subscription).pause_collection is None
        world.advance(on(2026, 6, 1, 2))
        assert [invoice.status for invoice in world.invoices(subscription)] == ["paid", "void", "paid"]


class TestDunning:
    def test_tries_then_an_end(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/revenue-recovery/smart-retries"""
        subscription = world.subscribe(world.price())
        world.pay_with("pm_card_chargeCustomerFail")
        world.advance(START + MONTH + 2 * HOUR)
        invoice = world.invoice(world.read(subscription).latest_invoice)
        assert (world.read(subscription).status, invoice.attempt_count) == ("past_due", 1)
        assert invoice.next_payment_attempt == START + MONTH + HOUR + 3 * DAY
        world.advance(START + MONTH + 9 * DAY)
        assert world.invoice(invoice).attempt_count == 3
        world.advance(START + MONTH + 16 * DAY)
        assert world.read(subscription).status == "canceled"
        assert world.read(subscription).cancellation_details.reason == "payment_failed"
        assert world.invoice(invoice).status == "open"

    def test_a_new_card_in_time(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/overview#requires-payment-method"""
        subscription = world.subscribe(world.price())
        world.pay_with("pm_card_chargeCustomerFail")
        world.advance(START + MONTH + 2 * HOUR)
        assert world.v1.customers.retrieve(world.customer).delinquent is True
        world.pay_with("pm_card_visa")
        world.advance(START + MONTH + 4 * DAY)
        assert world.read(subscription).status == "active"
        assert world.v1.customers.retrieve(world.customer).delinquent is False

    def test_sent_invoices_become_overdue(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses"""
        subscription = world.subscribe(world.price(), collection_method="send_invoice", days_until_due=10)
        world.advance(START + 2 * HOUR)
        assert world.invoices(subscription)[0].status == "open"
        world.advance(START + 11 * DAY)
        assert world.read(subscription).status == "past_due"
        world.v1.invoices.pay(world.invoices(subscription)[0].id, {"paid_out_of_band": True})
        assert world.read(subscription).status == "active"


class TestPendingUpdates:
    """Source: https://docs.stripe.com/billing/subscriptions/pending-updates"""

    def started(self, world: World) -> Any:
        subscription = world.subscribe(world.price(1000))
        world.pay_with("pm_card_chargeCustomerFail")
        return world.v1.subscriptions.update(
            subscription.id,
            {
                "items": [{"id": world.item(subscription), "price": world.price(5000)}],
                "payment_behavior": "pending_if_incomplete",
                "proration_behavior": "always_invoice",
            },
        )

    def test_it_is_applied_when_paid(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/pending-updates#handle-successful-payment"""
        waiting = self.started(world)
        assert waiting.status == "active"
        assert waiting["items"].data[0].price.unit_amount == 1000
        assert waiting.pending_update.subscription_items[0].price.unit_amount == 5000
        assert waiting.pending_update.expires_at == START + 23 * HOUR
        world.pay_with("pm_card_visa")
        world.v1.invoices.pay(waiting.latest_invoice)
        done = world.read(waiting)
        assert (done.pending_update, done["items"].data[0].price.unit_amount) == (None, 5000)

    def test_it_is_dropped_when_not(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/pending-updates#handle-expired-updates"""
        waiting = self.started(world)
        world.advance(START + 24 * HOUR)
        dropped = world.read(waiting)
        assert (dropped.pending_update, dropped["items"].data[0].price.unit_amount) == (None, 1000)
        assert world.invoice(waiting.latest_invoice).status == "void"

    def test_what_cannot_wait(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/pending-updates-reference"""
        subscription = world.subscribe(world.price(1000))
        error = refused(
            lambda: world.v1.subscriptions.update(
                subscription.id, {"payment_behavior": "pending_if_incomplete", "metadata": {"a": "1"}}
            )
        )
        assert error.error.param == "metadata"


class TestCancel:
    def test_at_the_end_of_the_period(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/cancel"""
        subscription = world.subscribe(world.price())
        world.v1.subscriptions.update(subscription.id, {"cancel_at_period_end": True})
        world.advance(START + MONTH + HOUR)
        done = world.read(subscription)
        assert (done.status, done.ended_at, done.canceled_at) == ("canceled", START + MONTH, START)
        assert len(world.invoices(subscription)) == 1

    def test_at_a_date_in_this_period(self, world: World) -> None:
        """Source: https://docs.stripe.com/api/subscriptions/update#update_subscription-cancel_at"""
        subscription = world.subscribe(world.price(3000))
        updated = world.v1.subscriptions.update(subscription.id, {"cancel_at": START + 20 * DAY})
        assert updated["items"].data[0].current_period_end == START + 20 * DAY
        assert [item.amount for item in world.waiting()] == [-1000]
        world.advance(START + 21 * DAY)
        assert world.read(subscription).status == "canceled"

    def test_at_a_date_in_a_later_period(self, world: World) -> None:
        """Source: https://docs.stripe.com/api/subscriptions/update#update_subscription-cancel_at"""
        subscription = world.subscribe(world.price(3100))
        world.v1.subscriptions.update(
            subscription.id, {"cancel_at": START + 40 * DAY, "proration_behavior": "none"}
        )
        assert world.waiting() == []
        world.advance(START + MONTH + 2 * HOUR)
        assert world.invoice(world.read(subscription).latest_invoice).total == 1000
        world.advance(START + 41 * DAY)
        assert world.read(subscription).ended_at == START + 40 * DAY

    def test_a_new_one_with_an_end(self, world: World) -> None:
        """Source: https://docs.stripe.com/api/subscriptions/create#create_subscription-cancel_at"""
        price = world.price(3000)
        prorated = world.subscribe(price, cancel_at=START + 10 * DAY, expand=["latest_invoice"])
        assert prorated.latest_invoice.total == 1000
        whole = world.subscribe(
            price, cancel_at=START + 10 * DAY, proration_behavior="none", expand=["latest_invoice"]
        )
        assert whole.latest_invoice.total == 3000


class TestInvoices:
    def test_partial_payments(self, client: Any) -> None:
        """Source: https://docs.stripe.com/invoicing/partial-payments"""
        world = World(client, clock=False)
        invoice = world.v1.invoices.create(
            {"customer": world.customer, "collection_method": "send_invoice", "days_until_due": 30}
        )
        world.v1.invoice_items.create(
            {"customer": world.customer, "invoice": invoice.id, "amount": 10000, "currency": "usd"}
        )
        world.v1.invoices.finalize_invoice(invoice.id)
        for amount, remaining, status in ((4000, 6000, "open"), (6000, 0, "paid")):
            intent = world.v1.payment_intents.create(
                {
                    "amount": amount,
                    "currency": "usd",
                    "customer": world.customer,
                    "payment_method": world.pay_with("pm_card_visa"),
                    "confirm": True,
                    "return_url": "https://shop.example.test/",
                }
            )
            after = world.v1.invoices.attach_payment(invoice.id, {"payment_intent": intent.id})
            assert (after.amount_remaining, after.status) == (remaining, status)
        payments = world.v1.invoice_payments.list({"invoice": invoice.id, "status": "paid"})
        assert sorted(p.amount_paid for p in payments.data) == [4000, 6000]

    def test_a_credit_balance(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/customer/balance"""
        world = World(client, clock=False)
        world.v1.customers.balance_transactions.create(world.customer, {"amount": -1000, "currency": "usd"})
        invoice = world.v1.invoices.create({"customer": world.customer})
        world.v1.invoice_items.create(
            {"customer": world.customer, "invoice": invoice.id, "amount": 2500, "currency": "usd"}
        )
        paid = world.v1.invoices.pay(invoice.id)
        assert (paid.starting_balance, paid.ending_balance, paid.amount_due) == (-1000, 0, 1500)
        (used, _) = world.v1.customers.balance_transactions.list(world.customer).data
        assert (used.amount, used.type, used.invoice) == (1000, "applied_to_invoice", invoice.id)

    def test_extra_items_on_the_first_invoice(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/invoices/subscription#first-invoice-extra"""
        made = world.subscribe(
            world.price(1000), add_invoice_items=[{"price": world.price(4000, None)}],
            expand=["latest_invoice"],
        )  # fmt: skip
        assert made.latest_invoice.total == 5000
        world.advance(START + MONTH + 2 * HOUR)
        assert world.invoice(world.read(made).latest_invoice).total == 1000

    def test_items_wait_for_the_renewal(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/invoices/subscription#adding-upcoming-invoice-items"""
        subscription = world.subscribe(world.price(1000))
        world.v1.invoice_items.create(
            {"customer": world.customer, "amount": 700, "currency": "usd", "description": "Late fee"}
        )
        preview = world.v1.invoices.create_preview({"subscription": subscription.id})
        assert (preview.total, amounts(preview)) == (1700, [700, 1000])
        world.advance(START + MONTH + 2 * HOUR)
        assert world.invoice(world.read(subscription).latest_invoice).total == 1700

    def test_previews_leave_nothing_behind(self, world: World) -> None:
        """Source: https://docs.stripe.com/api/invoices/create_preview"""
        subscription = world.subscribe(world.price(1000))
        dear = world.price(3000)
        change = {"items": [{"id": world.item(subscription), "price": dear}]}
        preview = world.v1.invoices.create_preview(
            {
                "subscription": subscription.id,
                "subscription_details": {**change, "proration_behavior": "always_invoice"},
            }
        )
        assert (preview.total, preview.id[:12]) == (2000, "upcoming_in_")
        assert world.waiting() == []
        assert world.read(subscription)["items"].data[0].price.unit_amount == 1000
        recurring = world.v1.invoices.create_preview(
            {"subscription": subscription.id, "subscription_details": change, "preview_mode": "recurring"}
        )
        assert recurring.total == 3000
        new = world.v1.invoices.create_preview(
            {"customer": world.customer, "subscription_details": {"items": [{"price": dear}]}}
        )
        assert new.total == 3000
        nobody = world.new_customer(None)
        error = refused(lambda: world.v1.invoices.create_preview({"customer": nobody}))
        assert (error.http_status, error.code) == (404, "invoice_upcoming_none")

    def test_mixed_intervals(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/mixed-interval"""
        subscription = world.subscribe(world.price(1000), world.price(10000, "year"))
        assert world.invoice(subscription.latest_invoice).total == 11000
        world.advance(START + MONTH + 2 * HOUR)
        assert world.invoice(world.read(subscription).latest_invoice).total == 1000
        classic = {"type": "classic"}
        month, year = world.price(), world.price(1000, "year")
        error = refused(lambda: world.subscribe(month, year, billing_mode=classic))
        assert error.http_status == 400
