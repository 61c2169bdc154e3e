"""Usage-based billing: meters, events, summaries, tiers, alerts, credits."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, amounts, refused, types, words
from trialbalance.twin import Twin

HOUR = 3600
MAY = START + 30 * DAY


@pytest.fixture
def world(client: Any) -> World:
    return World(client)


def meter(world: World, formula: str = "sum", name: str = "calls") -> Any:
    return world.v1.billing.meters.create(
        {"display_name": "Calls", "event_name": name, "default_aggregation": {"formula": formula}}
    )


def use(world: World, value: int | str, *, at: int | None = None, **more: Any) -> Any:
    event: dict[str, Any] = {
        "event_name": "calls",
        "payload": {"stripe_customer_id": world.customer, "value": str(value)},
        **more,
    }
    if at is not None:
        event["timestamp"] = at
    return world.v1.billing.meter_events.create(event)


def metered(world: World, of: Any, **more: Any) -> str:
    amount = None if "tiers" in more or "unit_amount_decimal" in more else 10
    return world.price(amount, recurring={"usage_type": "metered", "meter": of.id}, **more)


def renewal(world: World, subscription: Any) -> Any:
    return world.invoice(world.read(subscription).latest_invoice)


@pytest.mark.parametrize(("formula", "units"), [("sum", 12), ("count", 3), ("last", 2)])
def test_what_a_meter_counts(world: World, formula: str, units: int) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/usage-based/meters/configure"""
    found = meter(world, formula)
    assert found.customer_mapping.event_payload_key == "stripe_customer_id"
    assert found.value_settings.event_payload_key == "value"
    subscription = world.subscribe(metered(world, found))
    world.advance(START + 3 * DAY)
    for day, value in ((1, 7), (2, 3), (3, 2)):
        use(world, value, at=START + day * DAY)
    summary = world.v1.billing.meters.event_summaries.list(
        found.id, {"customer": world.customer, "start_time": START, "end_time": MAY}
    )
    assert summary.data[0].aggregated_value == units
    world.advance(MAY + 2 * HOUR)
    invoice = renewal(world, subscription)
    (line,) = invoice.lines.data
    assert (line.amount, line.quantity) == (units * 10, units)
    assert (line.period.start, line.period.end) == (START, MAY)


def test_late_events_count_until_the_draft_is_finalized(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/usage-based/recording-usage"""
    subscription = world.subscribe(metered(world, meter(world)))
    use(world, 5)
    world.advance(MAY + 600)
    assert amounts(renewal(world, subscription)) == [50]
    use(world, 2, at=MAY - 60)
    use(world, 4)
    world.advance(MAY + 2 * HOUR)
    assert amounts(renewal(world, subscription)) == [70]
    world.advance(MAY + 32 * DAY)
    assert amounts(renewal(world, subscription)) == [40]


def test_summaries_by_day(world: World) -> None:
    """Source: https://docs.stripe.com/api/billing/meter-event-summary/list"""
    found = meter(world)
    world.advance(START + 2 * DAY)
    for hour, value in ((1, 4), (5, 2), (30, 3)):
        use(world, value, at=START + hour * HOUR)
    where = {"customer": world.customer, "start_time": START, "end_time": START + 2 * DAY}
    listed = world.v1.billing.meters.event_summaries.list
    days = listed(found.id, {**where, "value_grouping_window": "day"}).data
    assert [(d.start_time, d.aggregated_value) for d in days] == [(START + DAY, 3), (START, 6)]
    hours = listed(found.id, {**where, "value_grouping_window": "hour"}).data
    assert [h.aggregated_value for h in hours] == [3, 2, 4]
    wrong = refused(lambda: listed(found.id, {**where, "start_time": START + 1}))
    assert wrong.error.param == "start_time"


def test_events_are_counted_once_and_can_be_canceled(world: World) -> None:
    """Source: https://docs.stripe.com/api/billing/meter-event-adjustment/create"""
    found = meter(world)
    use(world, 5, identifier="one")
    assert refused(lambda: use(world, 5, identifier="one")).http_status == 400
    use(world, 2, identifier="two")
    cancel = {"event_name": "calls", "type": "cancel", "cancel": {"identifier": "one"}}
    adjusted = world.v1.billing.meter_event_adjustments.create(cancel)
    assert (adjusted.status, adjusted.cancel.identifier) == ("pending", "one")
    where = {"customer": world.customer, "start_time": START - 60, "end_time": START + 60}
    summary = world.v1.billing.meters.event_summaries.list(found.id, where)
    assert summary.data[0].aggregated_value == 2
    assert refused(lambda: world.v1.billing.meter_event_adjustments.create(cancel)).http_status == 400
    world.advance(START + DAY + 60)
    late = {"event_name": "calls", "type": "cancel", "cancel": {"identifier": "two"}}
    assert refused(lambda: world.v1.billing.meter_event_adjustments.create(late)).http_status == 400


def test_what_an_event_must_say(world: World) -> None:
    """Source: https://docs.stripe.com/api/billing/meter-event/create"""
    found = meter(world)
    create = world.v1.billing.meter_events.create
    for payload in ({"value": "1"}, {"stripe_customer_id": world.customer, "value": "many"}):
        assert refused(lambda p=payload: create({"event_name": "calls", "payload": p})).http_status == 400
    wrong = {"event_name": "other", "payload": {"stripe_customer_id": world.customer, "value": "1"}}
    assert refused(lambda: create(wrong)).error.param == "event_name"
    world.v1.billing.meters.deactivate(found.id)
    assert refused(lambda: use(world, 1)).http_status == 400
    assert world.v1.billing.meters.reactivate(found.id).status == "active"
    use(world, 1)
    assert refused(lambda: meter(world)).error.param == "event_name"
    assert world.v1.billing.meters.update(found.id, {"display_name": "Requests"}).display_name == "Requests"


def test_graduated_tiers_make_a_line_each(world: World) -> None:
    """Source: https://docs.stripe.com/products-prices/pricing-models#graduated-pricing"""
    tiers = [
        {"up_to": 100, "unit_amount": 10},
        {"up_to": 200, "unit_amount": 8, "flat_amount": 100},
        {"up_to": "inf", "unit_amount_decimal": "0.5"},
    ]
    price = metered(world, meter(world), billing_scheme="tiered", tiers_mode="graduated", tiers=tiers)
    subscription = world.subscribe(price)
    use(world, 205)
    world.advance(MAY + 2 * HOUR)
    invoice = renewal(world, subscription)
    assert invoice.total == 1000 + 800 + 100 + 3
    assert sum(amounts(invoice)) == invoice.total


def test_usage_is_billed_when_a_subscription_is_canceled(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/cancel#metered-billing"""
    subscription = world.subscribe(metered(world, meter(world)))
    use(world, 30)
    world.advance(START + 10 * DAY)
    canceled = world.v1.subscriptions.cancel(subscription.id, {"invoice_now": True, "prorate": True})
    invoice = world.invoice(canceled.latest_invoice)
    assert (amounts(invoice), invoice.billing_reason) == ([300], "subscription_cycle")


def test_licensed_and_metered_items_together(world: World) -> None:
    """Source: https://docs.stripe.com/products-prices/pricing-models#usage-based-pricing"""
    subscription = world.subscribe(world.price(2000), metered(world, meter(world)))
    use(world, 7)
    world.advance(MAY + 2 * HOUR)
    invoice = renewal(world, subscription)
    assert (sorted(amounts(invoice)), invoice.total) == ([70, 2000], 2070)
    assert "7 × Seed box (at $0.10 / month)" in words(invoice)


class TestAlerts:
    def test_told_once_per_customer(self, world: World, twin: Twin) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/usage-based/alerts"""
        found = meter(world)
        alert = world.v1.billing.alerts.create(
            {
                "alert_type": "usage_threshold",
                "title": "Ten calls",
                "usage_threshold": {"gte": 10, "meter": found.id, "recurrence": "one_time"},
            }
        )
        use(world, 9)
        assert "billing.alert.triggered" not in types(twin)
        use(world, 1)
        use(world, 50)
        event = twin.request("GET", "/v1/events", {"type": "billing.alert.triggered"}).json()["data"]
        assert len(event) == 1
        assert event[0]["data"]["object"]["value"] == 10
        assert event[0]["data"]["object"]["alert"]["id"] == alert.id
        assert world.v1.billing.alerts.deactivate(alert.id).status == "inactive"
        assert world.v1.billing.alerts.archive(alert.id).status == "archived"
        assert refused(lambda: world.v1.billing.alerts.activate(alert.id)).http_status == 400


class TestCredits:
    def grant(self, world: World, value: int, **more: Any) -> Any:
        return world.v1.billing.credit_grants.create(
            {
                "customer": world.customer,
                "amount": {"type": "monetary", "monetary": {"currency": "usd", "value": value}},
                "applicability_config": {"scope": {"price_type": "metered"}},
                "category": "paid",
                **more,
            }
        )

    def balance(self, world: World) -> tuple[int, int]:
        summary = world.v1.billing.credit_balance_summary.retrieve(
            {
                "customer": world.customer,
                "filter": {
                    "type": "applicability_scope",
                    "applicability_scope": {"price_type": "metered"},
                },
            }
        )
        (entry,) = summary.balances
        return entry.available_balance.monetary.value, entry.ledger_balance.monetary.value

    def test_credits_pay_for_usage_before_tax(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/usage-based/billing-credits"""
        rate = world.v1.tax_rates.create({"display_name": "VAT", "percentage": 10, "inclusive": False})
        subscription = world.subscribe(
            world.price(2000), metered(world, meter(world)), default_tax_rates=[rate.id]
        )
        made = self.grant(world, 500)
        assert (made.priority, made.effective_at, made.expires_at) == (50, START, None)
        use(world, 80)
        world.advance(MAY + 2 * HOUR)
        invoice = renewal(world, subscription)
        assert invoice.subtotal == 2800
        assert invoice.total_pretax_credit_amounts[0].amount == 500
        assert (invoice.total_taxes[0].amount, invoice.total) == (230, 2530)
        assert self.balance(world) == (0, 0)
        entries = world.v1.billing.credit_balance_transactions.list({"customer": world.customer}).data
        assert [(e.type, (e.debit or e.credit).type) for e in entries] == [
            ("debit", "credits_applied"),
            ("credit", "credits_granted"),
        ]

    def test_the_order_of_grants(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/usage-based/billing-credits#multiple-grants"""
        subscription = world.subscribe(metered(world, meter(world)))
        late = self.grant(world, 300, expires_at=START + 90 * DAY)
        soon = self.grant(world, 300, expires_at=START + 60 * DAY)
        first = self.grant(world, 100, priority=1)
        use(world, 50)
        world.advance(MAY + 2 * HOUR)
        assert renewal(world, subscription).total == 0
        left = {
            g: sum(
                (t.credit or t.debit).amount.monetary.value * (1 if t.type == "credit" else -1)
                for t in world.v1.billing.credit_balance_transactions.list({"credit_grant": g}).data
            )
            for g in (first.id, soon.id, late.id)
        }
        assert left == {first.id: 0, soon.id: 0, late.id: 200}

    def test_expiry_voiding_and_voided_invoices(self, world: World, twin: Twin) -> None:
        """Source: https://docs.stripe.com/api/billing/credit-grant/void"""
        short = self.grant(world, 100, expires_at=START + DAY)
        gone = self.grant(world, 70)
        assert self.balance(world) == (170, 170)
        assert world.v1.billing.credit_grants.void_grant(gone.id).voided_at == START
        assert self.balance(world) == (100, 100)
        world.advance(START + 2 * DAY)
        assert self.balance(world) == (0, 0)
        assert refused(lambda: world.v1.billing.credit_grants.expire(short.id)).http_status == 400
        kept = self.grant(world, 500)
        subscription = world.subscribe(metered(world, meter(world)))
        use(world, 80)
        world.pay_with("pm_card_chargeCustomerFail")
        world.advance(START + 32 * DAY + 2 * HOUR)
        invoice = renewal(world, subscription)
        assert (invoice.status, invoice.total) == ("open", 300)
        world.v1.invoices.void_invoice(invoice.id)
        assert self.balance(world) == (500, 500)
        assert world.v1.billing.credit_grants.expire(kept.id).expires_at == world.now
        assert "billing.credit_grant.updated" in types(twin)

    def test_only_the_named_prices(self, world: World) -> None:
        """Source: https://docs.stripe.com/api/billing/credit-grant/create"""
        one = metered(world, meter(world))
        other = metered(world, meter(world, name="bytes"))
        subscription = world.subscribe(one)
        self.grant(world, 500, applicability_config={"scope": {"prices": [{"id": other}]}})
        use(world, 80)
        world.advance(MAY + 2 * HOUR)
        assert renewal(world, subscription).total == 800
        licensed = {"scope": {"prices": [{"id": world.price()}]}}
        assert refused(lambda: self.grant(world, 5, applicability_config=licensed)).http_status == 400
