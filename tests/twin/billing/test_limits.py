"""Thresholds, intervals for pending items, platform fees, pauses, limits of clocks and customers, migrations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, amounts, refused, types
from trialbalance.twin import Twin

HOUR = 3600
MAY = START + 30 * DAY


@pytest.fixture
def world(client: Any) -> World:
    return World(client)


def metered(world: World) -> str:
    meter = world.v1.billing.meters.create(
        {"display_name": "Calls", "event_name": "calls", "default_aggregation": {"formula": "sum"}}
    )
    return world.price(10, recurring={"usage_type": "metered", "meter": meter.id})


def use(world: World, value: int) -> None:
    payload = {"stripe_customer_id": world.customer, "value": str(value)}
    world.v1.billing.meter_events.create({"event_name": "calls", "payload": payload})


class TestThresholds:
    """Source: https://docs.stripe.com/billing/subscriptions/usage-based/thresholds"""

    def test_an_amount(self, world: World) -> None:
        subscription = world.subscribe(
            world.price(2000), metered(world), billing_thresholds={"amount_gte": 1000}
        )
        use(world, 99)
        assert len(world.invoices(subscription)) == 1
        use(world, 5)
        bill = world.invoices(subscription)[-1]
        assert (bill.billing_reason, amounts(bill)) == ("subscription_threshold", [1040])
        assert world.read(subscription).billing_cycle_anchor == START
        world.advance(START + 5 * DAY)
        use(world, 30)
        world.advance(MAY + 2 * HOUR)
        renewal = world.invoice(world.read(subscription).latest_invoice)
        assert (sorted(amounts(renewal)), renewal.billing_reason) == ([300, 2000], "subscription_cycle")

    def test_a_new_cycle(self, world: World) -> None:
        subscription = world.subscribe(
            world.price(2000),
            metered(world),
            billing_thresholds={"amount_gte": 1000, "reset_billing_cycle_anchor": True},
        )
        world.advance(START + 10 * DAY)
        use(world, 100)
        now = world.read(subscription)
        assert now.billing_cycle_anchor == START + 10 * DAY
        assert now["items"].data[0].current_period_start == START + 10 * DAY
        assert sorted(amounts(world.invoice(now.latest_invoice))) == [1000, 2000]

    def test_a_count(self, world: World) -> None:
        subscription = world.subscribe({"price": metered(world), "billing_thresholds": {"usage_gte": 50}})
        use(world, 49)
        assert world.invoices(subscription) == []
        use(world, 1)
        assert amounts(world.invoices(subscription)[-1]) == [500]


def test_pending_items_are_billed_every_week(world: World) -> None:
    """Source: https://docs.stripe.com/api/subscriptions/create#create_subscription-pending_invoice_item_interval"""
    subscription = world.subscribe(world.price(2000), pending_invoice_item_interval={"interval": "week"})
    assert world.read(subscription).next_pending_invoice_item_invoice == START + 7 * DAY
    world.v1.invoice_items.create({"customer": world.customer, "amount": 700, "currency": "usd"})
    world.advance(START + 7 * DAY + 2 * HOUR)
    assert amounts(world.invoices(subscription)[-1]) == [700]
    assert world.read(subscription).next_pending_invoice_item_invoice == START + 14 * DAY
    world.advance(START + 15 * DAY)
    assert len(world.invoices(subscription)) == 2
    stopped = world.v1.subscriptions.update(subscription.id, {"pending_invoice_item_interval": ""})
    assert stopped.next_pending_invoice_item_invoice is None
    price = world.price(500, "week")
    interval = {"interval": "month"}
    assert refused(lambda: world.subscribe(price, pending_invoice_item_interval=interval)).http_status == 400


def test_a_clock_has_few_customers_with_few_subscriptions(world: World) -> None:
    """Source: https://docs.stripe.com/billing/testing/test-clocks#limitations"""
    price = world.price()
    for _ in range(3):
        world.subscribe(price)
    assert refused(lambda: world.subscribe(price)).http_status == 400
    for _ in range(2):
        world.new_customer(None)
    assert refused(lambda: world.new_customer(None)).error.param == "test_clock"


def test_a_deleted_clock_takes_its_customers_along(world: World, twin: Twin) -> None:
    """Source: https://docs.stripe.com/billing/testing/test-clocks/api-advanced-usage"""
    subscription = world.subscribe(world.price())
    world.v1.test_helpers.test_clocks.delete(world.clock)
    assert world.v1.customers.retrieve(world.customer).deleted is True
    assert world.read(subscription).status == "canceled"
    assert "test_helpers.test_clock.deleted" in types(twin)


class TestPause:
    """Source: https://docs.stripe.com/billing/subscriptions/pause"""

    def test_with_a_credit(self, world: World, twin: Twin) -> None:
        subscription = world.subscribe(world.price(3000))
        world.advance(START + 10 * DAY)
        paused = world.v1.subscriptions.pause(subscription.id)
        assert paused.status == "paused"
        assert [item.amount for item in world.waiting()] == [-2000]
        assert "customer.subscription.paused" in types(twin)
        world.advance(START + 40 * DAY)
        assert len(world.invoices(subscription)) == 1
        resumed = world.v1.subscriptions.resume(subscription.id, {"expand": ["latest_invoice"]})
        assert (resumed.status, resumed.billing_cycle_anchor) == ("active", START + 40 * DAY)
        assert sorted(amounts(resumed.latest_invoice)) == [-2000, 3000]

    def test_without_one(self, world: World) -> None:
        subscription = world.subscribe(world.price(3000))
        world.advance(START + 10 * DAY)
        none = {"unused_time_from": {"type": "none"}}
        world.v1.subscriptions.pause(subscription.id, {"bill_for": none})
        assert world.waiting() == []
        resumed = world.v1.subscriptions.resume(
            subscription.id, {"billing_cycle_anchor": {"type": "unchanged"}}
        )
        assert (resumed.status, resumed.billing_cycle_anchor) == ("active", START)

    def test_resumed_in_its_old_cycle(self, world: World) -> None:
        """Twenty days are credited, the ten that are left on April 21 are charged again."""
        subscription = world.subscribe(world.price(3000))
        world.advance(START + 10 * DAY)
        paused = world.v1.subscriptions.pause(subscription.id)
        assert paused["items"].data[0].current_period_end == START + 10 * DAY
        world.advance(START + 20 * DAY)
        resumed = world.v1.subscriptions.resume(
            subscription.id, {"billing_cycle_anchor": {"type": "unchanged"}, "expand": ["latest_invoice"]}
        )
        assert (resumed.status, resumed.billing_cycle_anchor) == ("active", START)
        assert sorted(amounts(resumed.latest_invoice)) == [-2000, 1000]
        item = resumed["items"].data[0]
        assert (item.current_period_start, item.current_period_end) == (START, MAY)

    def test_what_cannot_be_paused(self, world: World) -> None:
        classic = world.subscribe(world.price(), billing_mode={"type": "classic"})
        sent = world.subscribe(world.price(), collection_method="send_invoice", days_until_due=3)
        trial = world.subscribe(world.price(), trial_period_days=3)
        world.customer = world.new_customer()
        planned = world.subscribe(world.price())
        world.v1.subscription_schedules.create({"from_subscription": planned.id})
        for of in (classic, sent, trial, planned):
            assert refused(lambda name=of.id: world.v1.subscriptions.pause(name)).http_status == 400

    def test_billed_at_once(self, world: World) -> None:
        subscription = world.subscribe(world.price(3000))
        world.advance(START + 10 * DAY)
        paused = world.v1.subscriptions.pause(subscription.id, {"invoicing_behavior": "invoice"})
        assert amounts(world.invoice(paused.latest_invoice)) == [-2000]


def test_migrating_to_flexible_billing(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/billing-mode#migrate"""
    subscription = world.subscribe(world.price(), billing_mode={"type": "classic"})
    assert subscription.billing_mode.type == "classic"
    world.advance(START + DAY)
    moved = world.v1.subscriptions.migrate(subscription.id, {"billing_mode": {"type": "flexible"}})
    assert (moved.billing_mode.type, moved.billing_mode.updated_at) == ("flexible", world.now)


def test_what_older_versions_ask_for(at_version: Callable[[str], Any]) -> None:
    """Source: https://docs.stripe.com/changelog"""
    old = World(at_version("2020-03-02"), clock=False)
    price = old.price()
    made = old.v1.subscriptions.create({"customer": old.customer, "plan": price, "quantity": 2})
    assert (made.quantity, made.plan.id) == (2, price)
    old.v1.subscriptions.update(made.id, {"quantity": 3, "prorate": False})
    assert old.waiting() == []
    old.v1.invoice_items.create({"customer": old.customer, "amount": 500, "currency": "usd"})
    assert old.v1.invoices.create({"customer": old.customer}).total == 500
    older = World(at_version("2019-02-19"), card="pm_card_chargeCustomerFail", clock=False)
    dear = older.price()
    error = refused(lambda: older.v1.subscriptions.create({"customer": older.customer, "plan": dear}))
    assert error.http_status == 402
    new = World(at_version("2026-08-26.dahlia"), clock=False)
    error = refused(lambda: new.v1.subscriptions.create({"customer": new.customer, "plan": new.price()}))
    assert error.code == "parameter_unknown"


def test_a_platforms_fee(twin: Twin, client: Any) -> None:
    """Source: https://docs.stripe.com/connect/subscriptions"""
    world = World(client, clock=False)
    account = client.v1.accounts.create(
        {
            "type": "custom",
            "country": "US",
            "capabilities": {"card_payments": {"requested": True}, "transfers": {"requested": True}},
        }
    ).id
    made = world.subscribe(
        world.price(1999), application_fee_percent=10, transfer_data={"destination": account},
        expand=["latest_invoice.payments.data.payment.payment_intent"],
    )  # fmt: skip
    intent = made.latest_invoice.payments.data[0].payment.payment_intent
    assert (intent.application_fee_amount, intent.transfer_data.destination) == (200, account)


def test_a_customers_own_discount(at_version: Callable[[str], Any], twin: Twin) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/coupons#customers"""
    old = World(at_version("2024-06-20"), clock=False)
    coupon = old.v1.coupons.create({"percent_off": 25, "duration": "forever"}).id
    customer = old.v1.customers.update(old.customer, {"coupon": coupon})
    assert customer.discount.coupon.id == coupon
    made = old.v1.subscriptions.create(
        {"customer": old.customer, "items": [{"price": old.price()}], "expand": ["latest_invoice"]}
    )
    assert made.latest_invoice.total == 750
    old.v1.invoice_items.create({"customer": old.customer, "amount": 400, "currency": "usd"})
    manual = old.v1.invoices.create({"customer": old.customer, "pending_invoice_items_behavior": "include"})
    assert (manual.total, manual.discount.coupon.id) == (300, coupon)
    old.v1.customers.delete_discount(old.customer)
    assert old.v1.customers.retrieve(old.customer).discount is None
    error = refused(lambda: World(at_version("2025-09-30.clover")).v1.customers.create({"coupon": coupon}))
    assert error.code == "parameter_unknown"
    assert types(twin).count("customer.discount.created") == 1
