"""Events of billing, in their order.

Source: https://docs.stripe.com/billing/subscriptions/webhooks
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, types
from trialbalance.twin import Twin

HOUR = 3600
MAY = START + 30 * DAY
PAID = [
    "payment_intent.created",
    "charge.succeeded",
    "payment_intent.succeeded",
    "invoice_payment.paid",
    "invoice.updated",
    "invoice.paid",
    "invoice.payment_succeeded",
]


@pytest.fixture
def world(client: Any) -> World:
    return World(client)


def told(twin: Twin, since: int) -> list[str]:
    """What was told since an event count, without the clock's own events."""
    return [type for type in types(twin, since) if not type.startswith("test_helpers")]


def test_a_subscription_begins(world: World, twin: Twin) -> None:
    price = world.price()
    before = len(types(twin))
    world.subscribe(price)
    assert told(twin, before) == [
        "customer.subscription.created",
        "invoice.created",
        "invoice.finalized",
        "invoice.updated",
        *PAID,
    ]


def test_a_renewal(world: World, twin: Twin) -> None:
    world.subscribe(world.price())
    before = len(types(twin))
    world.advance(MAY - 7 * DAY)
    assert told(twin, before) == ["invoice.upcoming"]
    world.advance(MAY)
    assert told(twin, before)[1:] == ["customer.subscription.updated", "invoice.created"]
    world.advance(MAY + HOUR)
    assert told(twin, before)[3:] == ["invoice.finalized", "invoice.updated", *PAID]
    event = twin.request("GET", "/v1/events", {"type": "invoice.upcoming"}).json()["data"][0]
    upcoming = event["data"]["object"]
    assert "id" not in upcoming
    assert (upcoming["billing_reason"], upcoming["amount_due"], upcoming["number"]) == (
        "upcoming",
        1000,
        None,
    )
    assert upcoming["next_payment_attempt"] == MAY + HOUR
    event = twin.request("GET", "/v1/events", {"type": "customer.subscription.updated"}).json()["data"][0]
    assert sorted(event["data"]["previous_attributes"]) == ["items", "latest_invoice"]


def test_a_renewal_that_is_declined(world: World, twin: Twin) -> None:
    world.subscribe(world.price())
    world.pay_with("pm_card_chargeCustomerFail")
    world.advance(MAY)
    before = len(types(twin))
    world.advance(MAY + HOUR)
    assert told(twin, before) == [
        "invoice.finalized",
        "invoice.updated",
        "payment_intent.created",
        "charge.failed",
        "payment_intent.payment_failed",
        "invoice.updated",
        "invoice.payment_failed",
        "customer.subscription.updated",
        "customer.updated",
    ]


def test_a_holder_is_needed(world: World, twin: Twin) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/overview#requires-action"""
    world.subscribe(world.price())
    world.pay_with("pm_card_authenticationRequired")
    world.advance(MAY + 2 * HOUR)
    assert "invoice.payment_action_required" in types(twin)


def test_an_end(world: World, twin: Twin) -> None:
    subscription = world.subscribe(world.price())
    world.v1.subscriptions.update(subscription.id, {"cancel_at_period_end": True})
    before = len(types(twin))
    world.advance(MAY + 2 * HOUR)
    assert told(twin, before) == ["customer.subscription.deleted"]


def test_a_change(world: World, twin: Twin) -> None:
    subscription = world.subscribe(world.price())
    world.advance(START + 15 * DAY)
    dear = world.price(2000)
    before = len(types(twin))
    world.v1.subscriptions.update(
        subscription.id,
        {
            "items": [{"id": world.item(subscription), "price": dear}],
            "proration_behavior": "always_invoice",
        },
    )
    assert told(twin, before) == [
        "invoiceitem.created",
        "invoiceitem.created",
        "invoice.created",
        "customer.subscription.updated",
        "invoice.finalized",
        "invoice.updated",
        *PAID,
    ]


def test_discounts_come_and_go(world: World, twin: Twin) -> None:
    """Source: https://docs.stripe.com/api/events/types#event_types-customer.discount.created"""
    coupon = world.v1.coupons.create({"percent_off": 10, "duration": "once"})
    subscription = world.subscribe(world.price(), discounts=[{"coupon": coupon.id}])
    found = types(twin)
    assert found.count("customer.discount.created") == found.count("customer.discount.deleted") == 1
    assert world.read(subscription).discounts == []


def test_sent_invoices(world: World, twin: Twin) -> None:
    """Source: https://docs.stripe.com/invoicing/overview"""
    world.subscribe(world.price(), collection_method="send_invoice", days_until_due=10)
    world.advance(START + 2 * HOUR)
    assert "invoice.sent" in types(twin)
    world.advance(START + 8 * DAY)
    assert "invoice.will_be_due" in types(twin)
    world.advance(START + 11 * DAY)
    assert "invoice.overdue" in types(twin)
