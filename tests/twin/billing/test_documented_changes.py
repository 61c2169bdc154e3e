"""What Stripe's pages about changes, cycles, cancellations and schedules work out, date by date."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, World, amounts, on, refused, words

HOUR = 3600


def periods(world: World, subscription: Any) -> list[tuple[int, int]]:
    """The current periods of the items."""
    return [(i.current_period_start, i.current_period_end) for i in world.read(subscription)["items"].data]


def change(world: World, subscription: Any, price: str, **more: Any) -> Any:
    """Give the first item another price."""
    return world.v1.subscriptions.update(
        subscription.id, {"items": [{"id": world.item(subscription), "price": price}], **more}
    )


def totals(world: World, subscription: Any) -> list[int]:
    """The totals of its invoices, oldest first."""
    return [invoice.total for invoice in world.invoices(subscription)]


class TestProrations:
    """Source: https://docs.stripe.com/billing/subscriptions/prorations"""

    @pytest.mark.parametrize(("mode", "lines"), [("classic", [-667, 333]), ("flexible", [-333, 333])])
    def test_a_downgrade_after_an_upgrade_that_was_not_billed(
        self, client: Any, mode: str, lines: list[int]
    ) -> None:
        """10 on April 1, 20 from April 11 unbilled, 10 from April 21: -3.34 or nothing.

        Source: https://docs.stripe.com/billing/subscriptions/prorations#credit-prorations
        """
        world = World(client, at=on(2026, 4, 1))
        ten, twenty = world.price(1000), world.price(2000)
        subscription = world.subscribe(ten, billing_mode={"type": mode}, expand=["latest_invoice"])
        assert subscription.latest_invoice.total == 1000
        world.advance(on(2026, 4, 11))
        upgraded = change(world, subscription, twenty, proration_behavior="none")
        assert upgraded.latest_invoice == subscription.latest_invoice.id
        world.advance(on(2026, 4, 21))
        down = change(
            world, subscription, ten, proration_behavior="always_invoice", expand=["latest_invoice"]
        )
        assert amounts(down.latest_invoice) == lines
        assert down.latest_invoice.total == sum(lines)

    def test_a_preview_to_the_second(self, client: Any) -> None:
        """-1.66 and +5.41 with 445,540 of 2,678,400 seconds left, and the next 32.52: 36.27.

        Source: https://docs.stripe.com/billing/subscriptions/prorations#preview-proration
        """
        world = World(client, at=1596749288)
        subscription = world.subscribe(world.price(1000))
        assert periods(world, subscription) == [(1596749288, 1599427688)]
        world.advance(1598982148)
        gold = world.price(3252)
        preview = world.v1.invoices.create_preview(
            {
                "subscription": subscription.id,
                "subscription_details": {
                    "items": [{"id": world.item(subscription), "price": gold}],
                    "proration_date": 1598982148,
                },
            }
        )
        assert amounts(preview) == [-166, 541, 3252]
        assert (preview.subtotal, preview.total, preview.amount_due) == (3627, 3627, 3627)
        assert preview.lines.data[0].description == "Unused time on Seed box after 1 Sep 2020"
        last = preview.lines.data[-1].period
        assert (last.start, last.end) == (1599427688, 1602019688 + DAY - DAY)

    def test_a_discount_alone_prorates_nothing(self, client: Any) -> None:
        """Together with a new quantity it is part of the amounts.

        Source: https://docs.stripe.com/billing/subscriptions/prorations#prorations-and-discounts
        """
        world = World(client, at=on(2026, 4, 1))
        half = world.v1.coupons.create({"percent_off": 50, "duration": "forever"}).id
        subscription = world.subscribe(world.price(3000), discounts=[{"coupon": half}])
        world.advance(on(2026, 4, 11))
        world.v1.subscriptions.update(
            subscription.id, {"discounts": "", "proration_behavior": "always_invoice"}
        )
        assert (world.waiting(), len(world.invoices(subscription))) == ([], 1)
        world.v1.subscriptions.update(subscription.id, {"discounts": [{"coupon": half}]})
        world.v1.subscriptions.update(
            subscription.id,
            {"discounts": "", "items": [{"id": world.item(subscription), "quantity": 2}]},
        )
        assert [item.amount for item in world.waiting()] == [-1000, 4000]

    def test_where_metadata_goes(self, client: Any) -> None:
        """Lines of subscription items show the subscription's, not the item's; other lines have only their own.

        Source: https://docs.stripe.com/billing/invoices/subscription#subscription-metadata
        """
        world = World(client, at=on(2026, 4, 1))
        row = {"price": world.price(1000), "metadata": {"seat": "3"}}
        subscription = world.subscribe(row, metadata={"plot": "north"}, expand=["latest_invoice"])
        first = subscription.latest_invoice
        assert first.parent.subscription_details.metadata.to_dict() == {"plot": "north"}
        assert [line.metadata.to_dict() for line in first.lines.data] == [{"plot": "north"}]
        world.v1.subscriptions.update(subscription.id, {"metadata": {"plot": "south"}})
        assert world.invoice(first).parent.subscription_details.metadata.to_dict() == {"plot": "north"}
        world.v1.invoice_items.create({"customer": world.customer, "amount": 300, "currency": "usd"})
        world.advance(on(2026, 4, 16))
        change(world, subscription, world.price(2000))
        world.advance(on(2026, 5, 1, 2))
        renewal = world.invoice(world.read(subscription).latest_invoice)
        south = {"plot": "south"}
        found = sorted(
            (line.amount, line.metadata.to_dict()) for line in renewal.lines.data if line.amount != 300
        )
        assert found == [(-500, south), (1000, south), (2000, south)]
        assert [line.metadata.to_dict() for line in renewal.lines.data if line.amount == 300] == [{}]

    def test_a_changes_invoice_is_not_tried_again(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/invoices/subscription#new-subscription-invoices"""
        world = World(client, at=on(2026, 4, 1))
        subscription = world.subscribe(world.price(1000))
        world.pay_with("pm_card_chargeCustomerFail")
        late = change(
            world, subscription, world.price(5000), proration_behavior="always_invoice",
            expand=["latest_invoice"],
        )  # fmt: skip
        assert (late.status, late.latest_invoice.auto_advance) == ("past_due", False)
        assert late.latest_invoice.next_payment_attempt is None
        world.advance(on(2026, 4, 28))
        assert world.invoice(late.latest_invoice).attempt_count == 1
        world.pay_with("pm_card_visa")
        assert world.v1.invoices.pay(late.latest_invoice.id).status == "paid"
        assert world.read(subscription).status == "active"

    def test_another_price_is_for_one(self, client: Any) -> None:
        """The quantity goes back to 1 unless it is sent along.

        Source: https://docs.stripe.com/billing/subscriptions/change-price#update-subscription
        """
        world = World(client, at=on(2026, 4, 1))
        subscription = world.subscribe({"price": world.price(1000), "quantity": 3})
        world.advance(on(2026, 4, 16))
        changed = change(world, subscription, world.price(2000))
        assert changed["items"].data[0].quantity == 1
        assert [item.amount for item in world.waiting()] == [-1500, 1000]
        item = world.item(subscription)
        kept = world.v1.subscription_items.update(item, {"price": world.price(500), "quantity": 3})
        assert kept.quantity == 3
        assert world.v1.subscription_items.update(item, {"price": world.price(700)}).quantity == 1

    def test_a_proration_of_ones_own(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/prorations#manually-creating-your-own-prorations"""
        world = World(client, at=on(2026, 4, 1))
        subscription = world.subscribe(world.price(1000))
        row = {"price_data": {"currency": "usd", "product": world.product, "unit_amount": -250}}
        change(world, subscription, world.price(2000), proration_behavior="none", add_invoice_items=[row])
        world.advance(on(2026, 5, 1, 2))
        assert totals(world, subscription) == [1000, 1750]

    def test_from_month_to_year_as_recorded(self, client: Any) -> None:
        """Flexible billing keeps the anchor: -25.00 and 250.00 for the rest of a year from the beginning.

        Source: recorded answers in pay-rails/pay (2025-10-29.clover), and
        https://docs.stripe.com/billing/subscriptions/billing-mode/compare#reset-the-billing-cycle-anchor
        """
        start = 1762799407
        world = World(client, at=start)
        subscription = world.subscribe(world.price(2500))
        world.advance(start + 4)
        updated = change(
            world, subscription, world.price(25000, "year"),
            proration_behavior="always_invoice", trial_end="now", expand=["latest_invoice"],
        )  # fmt: skip
        invoice = updated.latest_invoice
        assert (updated.billing_cycle_anchor, updated.status) == (start, "active")
        assert periods(world, subscription) == [(start, 1794335407)]
        assert (invoice.billing_reason, invoice.total, invoice.status) == (
            "subscription_update", 22500, "paid")  # fmt: skip
        assert (invoice.period_start, invoice.period_end) == (start, start + 4)
        credit, debit = invoice.lines.data
        assert (credit.amount, debit.amount) == (-2500, 25000)
        assert (credit.period.start, credit.period.end) == (start + 4, 1765391407)
        assert (debit.period.start, debit.period.end) == (start + 4, 1794335407)
        assert words(invoice) == [
            "Unused time on Seed box after 10 Nov 2025", "Remaining time on Seed box after 10 Nov 2025",
        ]  # fmt: skip
        assert [entry.parent.subscription_item_details.proration for entry in invoice.lines.data] == [
            True, True]  # fmt: skip

    def test_from_month_to_year_and_back(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#reset-the-billing-cycle-anchor"""
        world = World(client, at=on(2026, 4, 1))
        subscription = world.subscribe(world.price(3000))
        world.advance(on(2026, 4, 16))
        yearly = change(world, subscription, world.price(36500, "year"))
        assert yearly.billing_cycle_anchor == on(2026, 4, 1)
        assert periods(world, subscription) == [(on(2026, 4, 1), on(2027, 4, 1))]
        assert [item.amount for item in world.waiting()] == [-1500, 35000]
        assert len(world.invoices(subscription)) == 1
        world.advance(on(2026, 5, 16))
        monthly = change(
            world, subscription, world.price(3100), proration_behavior="always_invoice",
            expand=["latest_invoice"],
        )  # fmt: skip
        assert periods(world, subscription) == [(on(2026, 5, 1), on(2026, 6, 1))]
        # the year has 320 days left at 1.00; the month 16 of 31 days
        assert sorted(amounts(monthly.latest_invoice)) == [-32000, -1500, 1600, 35000]
        world.advance(on(2026, 6, 1, 2))
        assert totals(world, subscription)[-1] == 3100

    @pytest.mark.parametrize("mode", ["classic", "flexible"])
    def test_from_free_to_paid(self, client: Any, mode: str) -> None:
        """Classic billing begins a new cycle and bills it; flexible billing keeps the cycle and prorates.

        Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#reset-the-billing-cycle-anchor
        """
        world = World(client, at=on(2026, 4, 1))
        subscription = world.subscribe(world.price(0), billing_mode={"type": mode})
        world.advance(on(2026, 4, 16))
        updated = change(world, subscription, world.price(2000))
        if mode == "classic":
            assert updated.billing_cycle_anchor == on(2026, 4, 16)
            assert totals(world, subscription) == [0, 2000]
        else:
            assert updated.billing_cycle_anchor == on(2026, 4, 1)
            assert [item.amount for item in world.waiting()] == [0, 1000]


class TestBillingCycle:
    """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle"""

    @pytest.mark.parametrize(
        ("behavior", "invoiced", "waiting"),
        [
            ("create_prorations", [3000], [-2000, 3000]),
            ("always_invoice", [3000, 1000], []),
            ("none", [3000], []),
        ],
    )
    def test_a_reset_in_flexible_billing(
        self, client: Any, behavior: str, invoiced: list[int], waiting: list[int]
    ) -> None:
        """A new cycle from April 11 makes an invoice only with `always_invoice`.

        Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#reset-the-billing-period-to-the-current-time
        """
        world = World(client, at=on(2026, 4, 1))
        subscription = world.subscribe(world.price(3000))
        world.advance(on(2026, 4, 11))
        world.v1.subscriptions.update(
            subscription.id, {"billing_cycle_anchor": {"type": "now"}, "proration_behavior": behavior}
        )
        assert periods(world, subscription) == [(on(2026, 4, 11), on(2026, 5, 11))]
        assert totals(world, subscription) == invoiced
        assert [item.amount for item in world.waiting()] == waiting
        world.advance(on(2026, 5, 11, 2))
        assert totals(world, subscription) == [*invoiced, 3000 + sum(waiting)]

    def test_a_reset_together_with_other_items(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#reset-the-billing-period-to-the-current-time"""
        world = World(client, at=on(2026, 4, 1))
        subscription = world.subscribe(world.price(3000))
        world.advance(on(2026, 4, 11))
        change(world, subscription, world.price(6000), billing_cycle_anchor={"type": "now"})
        assert totals(world, subscription) == [3000, 4000]

    def test_a_reset_in_classic_billing(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#reset-the-billing-period-to-the-current-time"""
        world = World(client, at=on(2026, 4, 1))
        subscription = world.subscribe(world.price(3000), billing_mode={"type": "classic"})
        world.advance(on(2026, 4, 11))
        world.v1.subscriptions.update(subscription.id, {"billing_cycle_anchor": {"type": "now"}})
        assert totals(world, subscription) == [3000, 1000]

    @pytest.mark.parametrize(
        ("mode", "behavior", "total"),
        [
            ("classic", "always_invoice", 1000),
            ("classic", "create_prorations", 1700),
            ("flexible", "always_invoice", 1700),
        ],
    )
    def test_what_waits_at_a_reset(self, client: Any, mode: str, behavior: str, total: int) -> None:
        """A fee of 7.00 waits: classic billing leaves it out with `always_invoice`.

        Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#pending-invoice-items
        """
        world = World(client, at=on(2026, 4, 1))
        subscription = world.subscribe(world.price(3000), billing_mode={"type": mode})
        world.v1.invoice_items.create({"customer": world.customer, "amount": 700, "currency": "usd"})
        world.advance(on(2026, 4, 11))
        world.v1.subscriptions.update(
            subscription.id, {"billing_cycle_anchor": {"type": "now"}, "proration_behavior": behavior}
        )
        assert totals(world, subscription) == [3000, total]
        assert [item.amount for item in world.waiting()] == ([] if total == 1700 else [700])

    def test_every_two_months_on_the_last_day(self, client: Any) -> None:
        """Made in February: the anchor is August 31, the first whole period begins on February 28.

        Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#billing-cycle-anchor-config
        """
        world = World(client, at=on(2026, 2, 10))
        made = world.subscribe(
            world.price(5900, count=2), billing_cycle_anchor_config={"day_of_month": 31},
            expand=["latest_invoice"],
        )  # fmt: skip
        assert made.billing_cycle_anchor == on(2026, 8, 31)
        assert periods(world, made) == [(on(2026, 2, 10), on(2026, 2, 28))]
        # 18 days of the 59 from December 31 to February 28
        assert made.latest_invoice.total == 1800
        world.advance(on(2026, 2, 28, 2))
        assert periods(world, made) == [(on(2026, 2, 28), on(2026, 4, 30))]
        assert totals(world, made) == [1800, 5900]

    def test_aligned_with_another_one(self, client: Any) -> None:
        """Day 15 at 12:30:00.

        Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#billing-cycle-anchor-config
        """
        world = World(client, at=on(2026, 4, 3, 7) + 11)
        config = {"day_of_month": 15, "hour": 12, "minute": 30, "second": 0}
        made = world.subscribe(world.price(), billing_cycle_anchor_config=config)
        assert made.billing_cycle_anchor == on(2026, 4, 15, 12, 30)

    def test_every_year_on_the_first_of_july(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#billing-cycle-anchor-config"""
        world = World(client, at=on(2026, 4, 3))
        config = {"month": 7, "day_of_month": 1}
        made = world.subscribe(
            world.price(36500, "year"), billing_cycle_anchor_config=config, expand=["latest_invoice"]
        )
        assert made.billing_cycle_anchor == on(2026, 7, 1)
        assert made.latest_invoice.total == 8900
        assert periods(world, made)[0][1] == on(2026, 7, 1)

    @pytest.mark.parametrize(
        ("start", "stub", "until"),
        [(on(2026, 4, 15), 900, on(2026, 5, 1)), (on(2026, 4, 28), 2613, on(2026, 6, 1))],
    )
    def test_a_week_of_trial_before_the_first(self, client: Any, start: int, stub: int, until: int) -> None:
        """Subscribed on the 15th: a part from the 22nd to the 1st, then whole months. On the 28th the trial goes
        past the 1st, and the part lasts until the next one.

        Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#configure-proration-behavior
        """
        world = World(client, at=start)
        made = world.subscribe(
            world.price(3000), trial_end=start + 7 * DAY, billing_cycle_anchor_config={"day_of_month": 1}
        )
        world.advance(start + 7 * DAY + 2 * HOUR)
        assert periods(world, made) == [(start + 7 * DAY, until)]
        assert totals(world, made) == [0, stub]
        world.advance(until + 2 * HOUR)
        assert totals(world, made) == [0, stub, 3000]

    def test_moving_the_date_with_a_trial(self, client: Any) -> None:
        """Billed next on July 23; on July 15 a trial until August 1: 0 at once, nothing on July 23, all on August 1.

        Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#change-the-billing-period-using-a-trial-period
        """
        world = World(client, at=on(2026, 6, 23))
        subscription = world.subscribe(world.price(3000), billing_mode={"type": "classic"})
        world.advance(on(2026, 7, 15))
        world.v1.subscriptions.update(
            subscription.id, {"trial_end": on(2026, 8, 1), "proration_behavior": "none"}
        )
        assert totals(world, subscription) == [3000, 0]
        world.advance(on(2026, 7, 24))
        assert totals(world, subscription) == [3000, 0]
        world.advance(on(2026, 9, 1, 2))
        assert totals(world, subscription) == [3000, 0, 3000, 3000]


class TestCancelAt:
    """Source: https://docs.stripe.com/billing/subscriptions/cancel#custom-cancel-date"""

    def yearly(self, client: Any) -> tuple[World, Any]:
        """120 a year, renewing on January 1, 2025, to end on July 1."""
        world = World(client, at=on(2024, 1, 1))
        subscription = world.subscribe(world.price(12000, "year"))
        world.v1.subscriptions.update(subscription.id, {"cancel_at": on(2025, 7, 1)})
        assert periods(world, subscription) == [(on(2024, 1, 1), on(2025, 1, 1))]
        world.advance(on(2025, 1, 1, 2))
        return world, subscription

    def test_half_of_the_last_year(self, client: Any) -> None:
        """About 60: 181 of 365 days.

        Source: https://docs.stripe.com/billing/subscriptions/cancel#custom-cancel-date
        """
        world, subscription = self.yearly(client)
        assert totals(world, subscription) == [12000, 5951]
        assert periods(world, subscription) == [(on(2025, 1, 1), on(2025, 7, 1))]

    def test_a_quarter_later(self, client: Any) -> None:
        """About 30 more: 92 of 365 days.

        Source: https://docs.stripe.com/billing/subscriptions/cancel#custom-cancel-date
        """
        world, subscription = self.yearly(client)
        world.advance(on(2025, 2, 15))
        world.v1.subscriptions.update(subscription.id, {"cancel_at": on(2025, 10, 1)})
        assert periods(world, subscription)[0][1] == on(2025, 10, 1)
        assert sum(item.amount for item in world.waiting()) == pytest.approx(3025, abs=1)

    def test_a_quarter_earlier(self, client: Any) -> None:
        """About 30 less: 91 of 365 days.

        Source: https://docs.stripe.com/billing/subscriptions/cancel#cancellation-with-billing-cycle-anchor
        """
        world, subscription = self.yearly(client)
        world.advance(on(2025, 2, 15))
        world.v1.subscriptions.update(subscription.id, {"cancel_at": on(2025, 4, 1)})
        assert periods(world, subscription)[0][1] == on(2025, 4, 1)
        assert sum(item.amount for item in world.waiting()) == pytest.approx(-2992, abs=1)

    @pytest.mark.parametrize(
        ("word", "end"), [("min_period_end", on(2026, 5, 1)), ("max_period_end", on(2027, 4, 1))]
    )
    def test_by_the_ends_of_the_periods(self, client: Any, word: str, end: int) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/cancel#custom-cancel-date"""
        world = World(client, at=on(2026, 4, 1))
        subscription = world.subscribe(world.price(1000), world.price(12000, "year"))
        updated = world.v1.subscriptions.update(
            subscription.id, {"cancel_at": word, "proration_behavior": "none"}
        )
        assert updated.cancel_at == end

    @pytest.mark.parametrize(("mode", "kept"), [("classic", False), ("flexible", True)])
    def test_the_end_of_a_trial(self, client: Any, mode: str, kept: bool) -> None:
        """Only classic billing moves the end of the trial.

        Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#trials
        """
        world = World(client, at=on(2026, 4, 1))
        subscription = world.subscribe(
            world.price(1000), trial_end=on(2026, 4, 20), billing_mode={"type": mode}
        )
        early = world.v1.subscriptions.update(subscription.id, {"cancel_at": on(2026, 4, 10)})
        assert early.trial_end == (on(2026, 4, 20) if kept else on(2026, 4, 10))

    @pytest.mark.parametrize(("mode", "total"), [("classic", 1000), ("flexible", 3000)])
    def test_a_first_period_cut_short_without_proration(self, client: Any, mode: str, total: int) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#scheduled-subscription-cancellation"""
        world = World(client, at=on(2026, 4, 1))
        made = world.subscribe(
            world.price(3000), cancel_at=on(2026, 4, 11), proration_behavior="none",
            billing_mode={"type": mode}, expand=["latest_invoice"],
        )  # fmt: skip
        assert made.latest_invoice.total == total


class TestMixedIntervals:
    """Source: https://docs.stripe.com/billing/subscriptions/mixed-interval"""

    def test_fifteen_a_month_and_a_hundred_a_quarter(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/mixed-interval#create-a-mixed-interval-subscription"""
        world = World(client, at=1704067200)
        made = world.subscribe(
            world.price(1500), world.price(10000, count=3), collection_method="send_invoice",
            days_until_due=5, proration_behavior="none", expand=["latest_invoice"],
        )  # fmt: skip
        assert periods(world, made) == [(1704067200, 1706745600), (1704067200, 1711929600)]
        invoice = made.latest_invoice
        assert (invoice.created, invoice.period_start, invoice.period_end) == (1704067200,) * 3
        assert sorted(words(invoice)) == [
            "1 × Seed box (at $100.00 / every 3 months)", "1 × Seed box (at $15.00 / month)",
        ]  # fmt: skip
        world.advance(on(2024, 2, 28))
        world.advance(on(2024, 4, 1, 2))
        assert totals(world, made) == [11500, 1500, 1500, 11500]

    def test_periods_of_three_items(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/mixed-interval#billing-periods"""
        january, february, march, april, may = (on(2026, month, 1) for month in (1, 2, 3, 4, 5))
        world = World(client, at=january)
        made = world.subscribe(world.price(100), world.price(200, count=2), world.price(300, count=3))
        assert periods(world, made) == [(january, february), (january, march), (january, april)]
        world.advance(february)
        assert periods(world, made) == [(february, march), (january, march), (january, april)]
        old = self.top(client, made)
        assert old == (february, march)
        world.advance(march)
        assert periods(world, made) == [(march, april), (march, may), (january, april)]
        assert self.top(client, made) == (march, april)

    def top(self, client: Any, subscription: Any) -> tuple[int, int]:
        """The period of the whole subscription, as versions before basil show it."""
        old = client.v1.subscriptions.retrieve(
            subscription.id, options={"stripe_version": "2025-02-24.acacia"}
        )
        return old["current_period_start"], old["current_period_end"]

    @pytest.mark.parametrize(
        ("intervals", "fit"),
        [
            ([("week", 1), ("day", 7)], True),
            ([("month", 12), ("year", 1)], True),
            ([("month", 1), ("month", 3)], True),
            ([("month", 1), ("year", 1)], True),
            ([("day", 1), ("week", 1)], True),
            ([("day", 1), ("month", 3)], True),
            ([("day", 1), ("year", 2)], True),
            ([("week", 2), ("week", 4)], True),
            ([("month", 2), ("month", 4), ("month", 6)], True),
            ([("month", 2), ("month", 3)], False),
            ([("month", 4), ("month", 6)], False),
            ([("week", 1), ("month", 1)], False),
            ([("day", 2), ("week", 1)], False),
            ([("month", 5), ("year", 1)], False),
        ],
    )
    def test_which_intervals_fit(self, client: Any, intervals: list[tuple[str, int]], fit: bool) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/mixed-interval#interval-alignment"""
        world = World(client, at=on(2026, 1, 1))
        prices = [world.price(500, every, count=count) for every, count in intervals]
        if fit:
            assert len(world.subscribe(*prices)["items"].data) == len(prices)
        else:
            assert refused(lambda: world.subscribe(*prices)).http_status == 400

    @pytest.mark.parametrize("anchor", ["unchanged", "now"])
    def test_paused_at_the_end_of_a_trial_and_resumed(self, client: Any, anchor: str) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/mixed-interval#pause-at-trial-end-and-resume"""
        february, march, april, mid = on(2026, 2, 1), on(2026, 3, 1), on(2026, 4, 1), on(2026, 2, 15)
        world = World(client, at=on(2026, 1, 1), card=None)
        made = world.subscribe(
            world.price(1000), world.price(1500, count=2), trial_end=february,
            trial_settings={"end_behavior": {"missing_payment_method": "pause"}},
        )  # fmt: skip
        assert {end for _, end in periods(world, made)} == {february}
        world.advance(mid)
        assert world.read(made).status == "paused"
        world.pay_with("pm_card_visa")
        resumed = world.v1.subscriptions.resume(
            made.id, {"billing_cycle_anchor": {"type": anchor}, "proration_behavior": "none"}
        )
        assert resumed.status == "active"
        if anchor == "now":
            assert periods(world, made) == [(mid, on(2026, 3, 15)), (mid, on(2026, 4, 15))]
            assert totals(world, made) == [0, 2500]
        else:
            assert periods(world, made) == [(february, march), (february, april)]
            assert totals(world, made) == [0]
            world.advance(on(2026, 3, 1, 2))
            assert totals(world, made) == [0, 1000]
            world.advance(on(2026, 4, 1, 2))
            assert totals(world, made) == [0, 1000, 2500]


class TestBackdating:
    """Source: https://docs.stripe.com/billing/subscriptions/backdating"""

    @pytest.mark.parametrize(
        ("start", "since", "amount", "past"),
        [
            (on(2026, 3, 1), on(2026, 2, 15), 2800, 1400),
            (on(2026, 2, 1), on(2026, 1, 15), 3100, 1700),
        ],
    )
    def test_an_imagined_month(self, client: Any, start: int, since: int, amount: int, past: int) -> None:
        """14 of 28 days, or 17 of 31.

        Source: https://docs.stripe.com/billing/subscriptions/backdating#backdating-charge
        """
        world = World(client, at=start)
        made = world.subscribe(
            world.price(amount), backdate_start_date=since, billing_mode={"type": "classic"},
            billing_cycle_anchor_config=None, billing_cycle_anchor=next_month(start), expand=["latest_invoice"],
        )  # fmt: skip
        assert sorted(amounts(made.latest_invoice)) == [past, amount]

    def test_a_migration(self, client: Any) -> None:
        """October 15: since September 1, next on November 1. Two months at once, then each month.

        Source: https://docs.stripe.com/billing/subscriptions/backdating#backdating-billing-cycle
        """
        world = World(client, at=on(2026, 10, 15))
        made = world.subscribe(
            world.price(1000), backdate_start_date=on(2026, 9, 1), billing_cycle_anchor=on(2026, 11, 1),
            expand=["latest_invoice"],
        )  # fmt: skip
        assert (made.latest_invoice.total, made.start_date) == (2000, on(2026, 9, 1))
        world.advance(on(2026, 11, 1, 2))
        assert totals(world, made) == [2000, 1000]

    @pytest.mark.parametrize(("months", "paid"), [(2, [2000, 1000]), (3, [1500, 1000])])
    def test_a_coupon_counts_from_the_beginning(self, client: Any, months: int, paid: list[int]) -> None:
        """Half off for 2 or 3 months, since January 1: January and February, or also March.

        Source: https://docs.stripe.com/billing/subscriptions/backdating#backdating-discounts
        """
        world = World(client, at=on(2026, 3, 1))
        coupon = world.v1.coupons.create(
            {"percent_off": 50, "duration": "repeating", "duration_in_months": months}
        ).id
        made = world.subscribe(
            world.price(1000), backdate_start_date=on(2026, 1, 1), discounts=[{"coupon": coupon}],
            expand=["latest_invoice"],
        )  # fmt: skip
        assert made.latest_invoice.total == paid[0]
        world.advance(on(2026, 4, 1, 2))
        assert totals(world, made) == paid


def next_month(start: int) -> int:
    """The first of the month after `start`, for starts on the first of February or March 2026."""
    return {on(2026, 2, 1): on(2026, 3, 1), on(2026, 3, 1): on(2026, 4, 1)}[start]


def test_no_more_than_250_lines_of_the_past(client: Any) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/backdating#billing-mode-considerations"""
    world = World(client, at=on(2026, 12, 31))
    daily = world.price(10, "day")
    error = refused(lambda: world.subscribe(daily, backdate_start_date=on(2026, 4, 1)))
    assert error.error.param == "backdate_start_date"
    assert world.subscribe(daily, backdate_start_date=on(2026, 5, 1), expand=["latest_invoice"])


class TestTrials:
    """Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#trials"""

    @pytest.mark.parametrize(("mode", "since"), [("classic", on(2026, 1, 1)), ("flexible", on(2026, 3, 1))])
    def test_a_second_trial(self, client: Any, mode: str, since: int) -> None:
        """January on trial, February paid, March on trial.

        Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#trials
        """
        world = World(client, at=on(2026, 1, 1))
        made = world.subscribe(world.price(1000), trial_end=on(2026, 2, 1), billing_mode={"type": mode})
        world.advance(on(2026, 2, 1, 2))
        world.advance(on(2026, 3, 1) - 60)
        world.v1.subscriptions.update(made.id, {"trial_end": on(2026, 4, 1), "proration_behavior": "none"})
        assert world.read(made).trial_start == (since if mode == "classic" else on(2026, 3, 1) - 60)

    @pytest.mark.parametrize(
        ("mode", "word"),
        [("classic", "Trial period for Coffee"), ("flexible", "Free trial for 1 × Coffee")],
    )
    def test_how_a_trial_is_described(self, client: Any, mode: str, word: str) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#trials"""
        world = World(client, at=on(2026, 1, 1))
        world.product = client.v1.products.create({"name": "Coffee"}).id
        made = world.subscribe(
            world.price(1000), trial_period_days=7, billing_mode={"type": mode}, expand=["latest_invoice"]
        )
        assert words(made.latest_invoice) == [word]
