"""What Stripe's pages about prices, quantities and usage work out, number by number."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, amounts, on

HOUR = 3600
MAY = START + 30 * DAY


@pytest.fixture
def world(client: Any) -> World:
    return World(client)


def first(world: World, price: str, quantity: int = 1) -> Any:
    """The first invoice of a subscription."""
    return world.subscribe({"price": price, "quantity": quantity}, expand=["latest_invoice"]).latest_invoice


def meter(world: World, name: str = "tokens") -> str:
    """A meter that sums `value`."""
    made = world.v1.billing.meters.create(
        {"display_name": name, "event_name": name, "default_aggregation": {"formula": "sum"}}
    )
    identifier: str = made.id
    return identifier


def use(world: World, value: int, *, at: int | None = None, name: str = "tokens") -> None:
    """Report usage, now or at a second."""
    event: dict[str, Any] = {
        "event_name": name,
        "payload": {"stripe_customer_id": world.customer, "value": str(value)},
        "timestamp": at if at is not None else world.now,
    }
    world.v1.billing.meter_events.create(event)


def metered(world: World, of: str, amount: int | None = None, **more: Any) -> str:
    """A monthly price for a meter's usage."""
    return world.price(amount, recurring={"usage_type": "metered", "meter": of}, **more)


def newest(world: World, subscription: Any) -> Any:
    """The latest invoice."""
    return world.invoice(world.read(subscription).latest_invoice)


class TestTiers:
    """Source: https://docs.stripe.com/subscriptions/pricing-models/tiered-pricing"""

    TIERS = (
        {"up_to": 5, "unit_amount": 500, "flat_amount": 1000},
        {"up_to": 10, "unit_amount": 400, "flat_amount": 2000},
        {"up_to": 15, "unit_amount": 300, "flat_amount": 3000},
        {"up_to": 20, "unit_amount": 200, "flat_amount": 4000},
        {"up_to": "inf", "unit_amount": 100, "flat_amount": 5000},
    )

    @pytest.mark.parametrize(("mode", "total"), [("volume", 6600), ("graduated", 11100)])
    def test_twelve_with_a_flat_rate(self, world: World, mode: str, total: int) -> None:
        """12 x 3 + 30 = 66, or (5 x 5 + 10) + (5 x 4 + 20) + (2 x 3 + 30) = 111.

        Source: https://docs.stripe.com/subscriptions/pricing-models/tiered-pricing#flat-rates
        """
        price = world.price(None, billing_scheme="tiered", tiers_mode=mode, tiers=list(self.TIERS))
        assert first(world, price, 12).total == total

    @pytest.mark.parametrize("mode", ["volume", "graduated"])
    def test_none_at_all_costs_the_first_flat_rate(self, world: World, mode: str) -> None:
        """Source: https://docs.stripe.com/subscriptions/pricing-models/tiered-pricing#flat-rates"""
        price = world.price(None, billing_scheme="tiered", tiers_mode=mode, tiers=list(self.TIERS))
        assert first(world, price, 0).total == 1000

    @pytest.mark.parametrize(
        ("mode", "totals"), [("volume", [3500, 3900, 12000]), ("graduated", [3500, 4150, 12750])]
    )
    def test_fonts_month_after_month(self, world: World, mode: str, totals: list[int]) -> None:
        """5, 6 and 20 fonts, counted at the end of each month.

        Source: https://docs.stripe.com/subscriptions/pricing-models/tiered-pricing#volume-based-pricing
        """
        tiers = [
            {"up_to": 5, "unit_amount": 700},
            {"up_to": 10, "unit_amount": 650},
            {"up_to": "inf", "unit_amount": 600},
        ]
        price = metered(world, meter(world), billing_scheme="tiered", tiers_mode=mode, tiers=tiers)
        subscription = world.subscribe(price)
        for month, (fonts, total) in enumerate(zip((5, 6, 20), totals, strict=True), 5):
            use(world, fonts)
            world.advance(on(2026, month, 1, 2))
            assert newest(world, subscription).total == total


class TestQuantities:
    """Source: https://docs.stripe.com/billing/subscriptions/quantities"""

    @pytest.mark.parametrize(("users", "total"), [(1, 1000), (3, 1000), (5, 1000), (6, 2000), (7, 2000)])
    def test_ten_dollars_for_every_five_users(self, world: World, users: int, total: int) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/quantities#quantity-transformation"""
        price = world.price(1000, transform_quantity={"divide_by": 5, "round": "up"})
        assert first(world, price, users).total == total

    @pytest.mark.parametrize(("emails", "total"), [(999, 0), (1000, 10), (2999, 20)])
    def test_a_dime_for_every_thousand_emails(self, world: World, emails: int, total: int) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/quantities#metered-usage"""
        price = metered(world, meter(world), 10, transform_quantity={"divide_by": 1000, "round": "down"})
        subscription = world.subscribe(price)
        use(world, emails)
        world.advance(MAY + 2 * HOUR)
        assert newest(world, subscription).total == total

    @pytest.mark.parametrize(("sites", "total"), [(1, 999), (2, 1998)])
    def test_sites(self, world: World, sites: int, total: int) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/quantities#multiple-quantities-sub"""
        assert first(world, world.price(999), sites).total == total

    def test_two_prices_on_one_invoice(self, world: World) -> None:
        """10 once and 20 twice.

        Source: https://docs.stripe.com/billing/subscriptions/quantities#multiple-product-sub
        """
        made = world.subscribe(
            world.price(1000), {"price": world.price(2000), "quantity": 2}, expand=["latest_invoice"]
        )
        assert sorted(amounts(made.latest_invoice)) == [1000, 4000]
        assert [item.quantity for item in made["items"].data] == [1, 2]

    def test_subscriptions_of_one_customer_are_billed_apart(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/quantities#multiple-subscriptions"""
        price = world.price(1295)
        world.subscribe(price)
        world.advance(START + 5 * DAY)
        world.subscribe(price)
        world.advance(MAY + 6 * DAY)
        assert [(i.total, i.created) for i in world.invoices()] == [
            (1295, START), (1295, START + 5 * DAY), (1295, MAY), (1295, MAY + 5 * DAY),
        ]  # fmt: skip


class TestUsage:
    def test_a_car_by_the_hour(self, world: World) -> None:
        """150 minutes are 3 hours begun: 30 USD.

        Source: https://docs.stripe.com/billing/subscriptions/usage-based/pricing-models#transform-quantities
        """
        price = metered(world, meter(world), 1000, transform_quantity={"divide_by": 60, "round": "up"})
        subscription = world.subscribe(price)
        use(world, 150)
        world.advance(MAY + 2 * HOUR)
        assert newest(world, subscription).total == 3000

    @pytest.mark.parametrize(("megabytes", "total"), [(9, 0), (10, 1), (2048, 102), (2049, 102)])
    def test_storage_at_a_twentieth_of_a_cent(self, world: World, megabytes: int, total: int) -> None:
        """Rounded once, to the nearest cent.

        Source: https://docs.stripe.com/billing/subscriptions/usage-based/pricing-models#decimal-amounts
        """
        subscription = world.subscribe(metered(world, meter(world), unit_amount_decimal="0.05"))
        use(world, megabytes)
        world.advance(MAY + 2 * HOUR)
        assert newest(world, subscription).total == total

    @pytest.mark.parametrize(("tokens", "overage"), [(90_000, 0), (100_000, 0), (150_000, 5000)])
    def test_a_fixed_fee_and_overage(self, world: World, tokens: int, overage: int) -> None:
        """200 USD with 100,000 tokens, 0.001 USD for each further one.

        Source: https://docs.stripe.com/subscriptions/pricing-models/usage-based-pricing#fixed-fee-overage
        """
        tiers = [
            {"up_to": 100_000, "unit_amount_decimal": "0"},
            {"up_to": "inf", "unit_amount_decimal": "0.1"},
        ]
        over = metered(world, meter(world), billing_scheme="tiered", tiers_mode="graduated", tiers=tiers)
        subscription = world.subscribe(world.price(20000), over, expand=["latest_invoice"])
        assert subscription.latest_invoice.total == 20000
        use(world, tokens)
        world.advance(MAY + 2 * HOUR)
        assert newest(world, subscription).total == 20000 + overage

    def test_credits_that_burn_down(self, world: World) -> None:
        """100,000 USD are paid for 120,000 USD of credits; usage eats them.

        Source: https://docs.stripe.com/subscriptions/pricing-models/usage-based-pricing#credit-burndown
        """
        paid = world.v1.invoices.create(
            {"customer": world.customer, "collection_method": "charge_automatically"}
        )
        world.v1.invoice_items.create(
            {
                "customer": world.customer,
                "currency": "usd",
                "unit_amount_decimal": "10000000",
                "invoice": paid.id,
            }
        )
        assert world.v1.invoices.pay(paid.id).amount_paid == 10_000_000
        world.v1.billing.credit_grants.create(
            {
                "customer": world.customer,
                "category": "paid",
                "amount": {"type": "monetary", "monetary": {"value": 12_000_000, "currency": "usd"}},
                "applicability_config": {"scope": {"price_type": "metered"}},
                "expires_at": START + 365 * DAY,
            }
        )
        subscription = world.subscribe(metered(world, meter(world), 100))
        use(world, 50_000)
        world.advance(MAY + 2 * HOUR)
        invoice = newest(world, subscription)
        assert (invoice.subtotal, invoice.total, invoice.status) == (5_000_000, 0, "paid")
        summary = world.v1.billing.credit_balance_summary.retrieve(
            {
                "customer": world.customer,
                "filter": {"type": "applicability_scope", "applicability_scope": {"price_type": "metered"}},
            }
        )
        assert summary.balances[0].available_balance.monetary.value == 7_000_000

    @pytest.mark.parametrize(("mode", "total"), [("classic", 75), ("flexible", 175)])
    def test_the_price_when_usage_was_reported(self, client: Any, mode: str, total: int) -> None:
        """1,000 calls at 0.10 for 100, then 500 at 0.15: flexible billing bills 1.75, classic what came after, 0.75.

        Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#usage-based-pricing
        """
        world = World(client, at=on(2026, 1, 1))
        calls = meter(world)
        by_hundred = {"divide_by": 100, "round": "up"}
        old, new = (metered(world, calls, amount, transform_quantity=by_hundred) for amount in (10, 15))
        subscription = world.subscribe(old, billing_mode={"type": mode})
        world.advance(on(2026, 1, 5))
        use(world, 1000)
        world.advance(on(2026, 1, 15))
        world.v1.subscriptions.update(
            subscription.id, {"items": [{"id": world.item(subscription), "price": new}]}
        )
        world.advance(on(2026, 1, 20))
        use(world, 500)
        world.advance(on(2026, 2, 1, 2))
        assert newest(world, subscription).total == total

    @pytest.mark.parametrize(("mode", "waiting"), [("classic", []), ("flexible", [300])])
    def test_a_metered_item_that_leaves(self, world: World, mode: str, waiting: list[int]) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#usage-based-pricing"""
        subscription = world.subscribe(
            world.price(2000), metered(world, meter(world), 10), billing_mode={"type": mode}
        )
        use(world, 30)
        world.advance(START + 5 * DAY)
        gone = next(i for i in subscription["items"].data if i.price.recurring.usage_type == "metered")
        world.v1.subscription_items.delete(gone.id)
        assert [item.amount for item in world.waiting()] == waiting

    @pytest.mark.parametrize(("mode", "lines"), [("classic", [25000]), ("flexible", [10000, 15000])])
    def test_usage_of_a_time_before(self, client: Any, mode: str, lines: list[int]) -> None:
        """100 GB in March and 150 GB in April, 10 USD for every 10 GB, subscribed in May.

        Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#backdate-subscriptions
        """
        world = World(client, at=on(2026, 3, 1))
        storage = meter(world)
        price = metered(world, storage, 1000, transform_quantity={"divide_by": 10, "round": "up"})
        for moment, gigabytes in ((on(2026, 3, 20), 100), (on(2026, 4, 10), 150)):
            world.advance(moment)
            use(world, gigabytes)
        world.advance(on(2026, 5, 1))
        made = world.subscribe(
            price, backdate_start_date=on(2026, 3, 1), billing_mode={"type": mode},
            billing_cycle_anchor=on(2026, 6, 1), expand=["latest_invoice"],
        )  # fmt: skip
        assert [amount for amount in sorted(amounts(made.latest_invoice)) if amount] == lines
        assert made.latest_invoice.total == 25000


class TestThresholds:
    """Source: https://docs.stripe.com/billing/subscriptions/usage-based/thresholds"""

    TIERS = ({"up_to": 10_000, "unit_amount": 50}, {"up_to": "inf", "unit_amount": 40})

    def subscribed(self, world: World, mode: str, amount: int) -> Any:
        price = metered(world, meter(world), billing_scheme="tiered", tiers_mode=mode, tiers=list(self.TIERS))
        return world.subscribe(price, billing_thresholds={"amount_gte": amount})

    def test_every_hundred_dollars_of_impressions(self, world: World) -> None:
        """200 impressions for the first 10,000, then 250.

        Source: https://docs.stripe.com/billing/subscriptions/usage-based/thresholds#thresholds-and-tiered-pricing
        """
        subscription = self.subscribed(world, "graduated", 10_000)
        use(world, 199)
        assert world.invoices(subscription) == []
        use(world, 1)
        assert [i.total for i in world.invoices(subscription)] == [10_000]
        use(world, 9800)
        assert [i.total for i in world.invoices(subscription)] == [10_000, 490_000]
        use(world, 249)
        assert len(world.invoices(subscription)) == 2
        use(world, 1)
        assert [i.total for i in world.invoices(subscription)] == [10_000, 490_000, 10_000]

    def test_discounts_count_and_the_last_day_does_not(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/usage-based/thresholds#limitations"""
        half = world.v1.coupons.create({"percent_off": 50, "duration": "forever"}).id
        price = metered(world, meter(world), 100)
        subscription = world.subscribe(
            price, billing_thresholds={"amount_gte": 5000}, discounts=[{"coupon": half}]
        )
        use(world, 99)
        assert world.invoices(subscription) == []
        use(world, 1)
        assert [i.total for i in world.invoices(subscription)] == [5000]
        world.v1.subscriptions.update(
            subscription.id, {"cancel_at": START + 20 * DAY, "proration_behavior": "none"}
        )
        world.advance(START + 19 * DAY + HOUR)
        use(world, 500)
        assert len(world.invoices(subscription)) == 1

    def test_volume_tiers_can_leave_a_credit(self, world: World) -> None:
        """10,000 units cost 5,000.00, one more brings all to 4,000.40: 999.60 go to the balance.

        Source: https://docs.stripe.com/billing/subscriptions/usage-based/thresholds#volume-tiers
        """
        subscription = self.subscribed(world, "volume", 500_000)
        use(world, 10_000)
        assert [i.total for i in world.invoices(subscription)] == [500_000]
        use(world, 1)
        world.advance(MAY + 2 * HOUR)
        assert newest(world, subscription).total == -99_960
        assert world.v1.customers.retrieve(world.customer).balance == -99_960

    def test_volume_tiers_wait_for_the_next_threshold(self, world: World) -> None:
        """12,500 units cost the 5,000 already paid; the next invoice comes at 25,000.

        Source: https://docs.stripe.com/billing/subscriptions/usage-based/thresholds#volume-tiers
        """
        subscription = self.subscribed(world, "volume", 500_000)
        use(world, 10_000)
        use(world, 2_500)
        assert len(world.invoices(subscription)) == 1
        use(world, 12_500)
        last = world.invoices(subscription)[-1]
        assert (len(world.invoices(subscription)), last.total) == (2, 500_000)
        assert sorted(amounts(last)) == [-500_000, 1_000_000]
