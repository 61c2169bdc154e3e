"""The newspaper of Stripe's page about subscription schedules: print and digital, by the month.

Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import World, amounts, on, refused

JULY = on(2026, 7, 1)


@pytest.fixture
def world(client: Any) -> World:
    return World(client, at=JULY)


def months(count: int) -> dict[str, Any]:
    return {"interval": "month", "interval_count": count}


def phase(*items: str | dict[str, Any], **more: Any) -> dict[str, Any]:
    rows = [{"price": item, "quantity": 1} if isinstance(item, str) else item for item in items]
    return {"items": rows, **more}


def planned(world: World, *phases: dict[str, Any], start: int | str = "now", **more: Any) -> Any:
    given = {"customer": world.customer, "start_date": start, "phases": list(phases), **more}
    return world.v1.subscription_schedules.create(given)


def billed(world: World, until: int) -> list[int]:
    """The totals of the customer's invoices once a second has come."""
    while world.now < until:
        world.advance(min(world.now + 28 * 86_400, until))
    return [invoice.total for invoice in world.invoices()]


def test_a_start_in_the_future(world: World) -> None:
    """Print begins on the first of the next month. Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#start-a-subscription-in-the-future"""
    schedule = planned(world, phase(world.price(2000), duration=months(12)), start=on(2026, 8, 1))
    assert (schedule.status, schedule.subscription) == ("not_started", None)
    assert billed(world, on(2026, 7, 31)) == []
    assert billed(world, on(2026, 8, 1, 2)) == [2000]
    assert world.v1.subscription_schedules.retrieve(schedule.id).status == "active"


def test_a_start_in_the_past(world: World) -> None:
    """Digital since the first of the current month. Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#backdate-a-subscription"""
    world.advance(on(2026, 7, 20))
    schedule = planned(world, phase(world.price(1500), duration=months(12)), start=JULY)
    subscription = world.read(schedule.subscription)
    assert (subscription.start_date, subscription.billing_cycle_anchor) == (JULY, JULY)
    assert billed(world, on(2026, 8, 1, 2)) == [1500, 1500]


def test_print_then_both(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#upgrade-subscriptions"""
    print_, digital = world.price(2000), world.price(1500)
    planned(world, phase(print_, duration=months(1)), phase(print_, digital, duration=months(11)))
    assert billed(world, on(2026, 9, 1, 2)) == [2000, 3500, 3500]


def test_both_then_print(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#downgrade-subscriptions"""
    print_, digital = world.price(2000), world.price(1500)
    planned(world, phase(digital, print_, duration=months(1)), phase(print_, duration=months(11)))
    assert billed(world, on(2026, 9, 1, 2)) == [3500, 2000, 2000]


def test_another_price_from_the_next_period(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#change-subscriptions"""
    premium, basic = world.price(3000), world.price(2000)
    subscription = world.subscribe(premium)
    schedule = world.v1.subscription_schedules.create({"from_subscription": subscription.id})
    now = schedule.phases[0]
    assert (now.start_date, now.end_date) == (JULY, on(2026, 8, 1))
    world.v1.subscription_schedules.update(
        schedule.id,
        {
            "phases": [
                phase(premium, start_date=now.start_date, end_date=now.end_date),
                phase(basic, duration=months(1)),
            ]
        },
    )
    assert billed(world, on(2026, 8, 1, 2)) == [3000, 2000]
    assert billed(world, on(2026, 9, 1, 2)) == [3000, 2000, 2000]
    assert world.v1.subscription_schedules.retrieve(schedule.id).status == "released"


def test_two_copies_after_a_month(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#increase-the-quantity"""
    digital = world.price(1500)
    planned(
        world,
        phase(digital, duration=months(1)),
        phase({"price": digital, "quantity": 2}, duration=months(11)),
    )
    assert billed(world, on(2026, 8, 1, 2)) == [1500, 3000]


def test_half_off_for_six_months(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#use-coupons"""
    half = world.v1.coupons.create({"percent_off": 50, "duration": "forever"}).id
    print_ = world.price(2000)
    schedule = planned(
        world,
        phase(print_, duration=months(6), discounts=[{"coupon": half}]),
        phase(print_, duration=months(6)),
    )
    assert billed(world, on(2027, 2, 1, 2)) == [1000] * 6 + [2000] * 2
    assert world.read(schedule.subscription).discounts == []


def test_other_taxes_after_the_first_month(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#change-tax-rates"""
    first, later = (
        world.v1.tax_rates.create({"display_name": "T", "percentage": p, "inclusive": False}).id
        for p in (10, 5)
    )
    print_ = world.price(2000)
    planned(
        world,
        phase({"price": print_, "quantity": 1, "tax_rates": [first]}, duration=months(1)),
        phase({"price": print_, "quantity": 1, "tax_rates": [later]}, duration=months(11)),
    )
    assert billed(world, on(2026, 9, 1, 2)) == [2200, 2100, 2100]


@pytest.mark.parametrize(
    ("more", "totals", "next_end"),
    [
        ({"billing_cycle_anchor": "phase_start"}, [3100, 400], on(2026, 9, 1)),
        ({}, [3100], on(2026, 8, 11)),
    ],
)
def test_digital_from_the_first(world: World, more: dict[str, Any], totals: list[int], next_end: int) -> None:
    """Print since the 11th; digital on the first, with its anchor or with the old one.

    With the anchor the ten days left of print, 10.00, are taken off the first digital month of 14.00.

    Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#reset-the-billing-cycle-anchor
    """
    world.advance(on(2026, 7, 11))
    print_, digital = world.price(3100), world.price(1400)
    schedule = planned(
        world, phase(print_, end_date=on(2026, 8, 1)), phase(digital, duration=months(11), **more)
    )
    assert billed(world, on(2026, 8, 1, 2)) == totals
    item = world.read(schedule.subscription)["items"].data[0]
    assert (item.price.id, item.current_period_end) == (digital, next_end)


def test_a_press_in_six_instalments(world: World) -> None:
    """1,000 USD six times, then nothing. Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#installment-plans"""
    schedule = planned(world, phase(world.price(100_000), duration=months(6)), end_behavior="cancel")
    assert billed(world, on(2027, 3, 1)) == [100_000] * 6
    assert world.v1.subscription_schedules.retrieve(schedule.id).status == "completed"
    assert world.read(schedule.subscription).status == "canceled"


def test_a_cheaper_press(world: World) -> None:
    """500 USD of a price of its own. Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#installment-plans"""
    row = {
        "price_data": {
            "currency": "usd",
            "product": world.product,
            "recurring": {"interval": "month"},
            "unit_amount": 50_000,
        },
        "quantity": 1,
    }
    planned(world, phase(row, duration=months(6)), end_behavior="cancel")
    assert billed(world, on(2027, 3, 1)) == [50_000] * 6


def test_metadata_of_phases(world: World) -> None:
    """Keys are added, changed, and unset by an empty value. Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#use-phase-metadata"""
    price = world.price(1000)
    schedule = planned(
        world,
        phase(
            price,
            duration=months(1),
            metadata={"channel": "self-serve", "region": "apac", "upsell-products": "alpha"},
        ),
        phase(
            price,
            duration=months(1),
            metadata={"channel": "sales", "churn-risk": "high", "upsell-products": ""},
        ),
    )
    first = {"channel": "self-serve", "region": "apac", "upsell-products": "alpha"}
    assert world.read(schedule.subscription).metadata.to_dict() == first
    world.advance(on(2026, 8, 1, 2))
    second = {"channel": "sales", "region": "apac", "churn-risk": "high"}
    assert world.read(schedule.subscription).metadata.to_dict() == second


@pytest.mark.parametrize(
    ("behavior", "invoices", "waiting"),
    [("create_prorations", [3100], [1600]), ("always_invoice", [3100, 1600], []), ("none", [3100], [])],
)
def test_the_current_phase_changes(
    world: World, behavior: str, invoices: list[int], waiting: list[int]
) -> None:
    """A second copy on July 16: 16 of 31 days. Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#schedule-update-proration-behavior"""
    price = world.price(3100)
    schedule = planned(world, phase(price, duration=months(1)))
    world.advance(on(2026, 7, 16))
    world.v1.subscription_schedules.update(
        schedule.id,
        {
            "proration_behavior": behavior,
            "phases": [phase({"price": price, "quantity": 2}, start_date=JULY, end_date=on(2026, 8, 1))],
        },
    )
    assert world.read(schedule.subscription)["items"].data[0].quantity == 2
    assert [invoice.total for invoice in world.invoices()] == invoices
    assert sum(item.amount for item in world.waiting()) == sum(waiting)


def test_ending_the_current_phase_now(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#update-subscription-schedules"""
    price = world.price(3100)
    schedule = planned(world, phase(price, duration=months(2)))
    world.advance(on(2026, 7, 16))
    updated = world.v1.subscription_schedules.update(
        schedule.id,
        {
            "phases": [
                phase(price, start_date=JULY, end_date="now"),
                phase({"price": price, "quantity": 2}, start_date="now", end_date=on(2026, 9, 1)),
            ]
        },
    )
    assert updated.current_phase.start_date == on(2026, 7, 16)
    assert world.read(schedule.subscription)["items"].data[0].quantity == 2
    assert sum(item.amount for item in world.waiting()) == 1600
    assert billed(world, on(2026, 8, 1, 2)) == [3100, 7800]


def test_a_subscription_changed_directly_splits_its_phase(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#subscription-updates-when-a-schedule-is-attached"""
    print_, digital = world.price(2000), world.price(1500)
    subscription = world.subscribe(print_, digital)
    schedule = world.v1.subscription_schedules.create({"from_subscription": subscription.id})
    assert len(schedule.phases) == 1
    world.advance(on(2026, 7, 16))
    gone = next(i for i in subscription["items"].data if i.price.id == digital)
    world.v1.subscription_items.delete(gone.id)
    split = world.v1.subscription_schedules.retrieve(schedule.id)
    assert [len(entry["items"]) for entry in split.phases] == [2, 1]
    assert split.phases[0].end_date == split.phases[1].start_date == on(2026, 7, 16)
    assert split.phases[1].end_date == on(2026, 8, 1)


def test_no_more_than_ten_phases(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#restrictions"""
    price = world.price(1000)
    eleven = [phase(price, duration=months(1)) for _ in range(11)]
    assert refused(lambda: planned(world, *eleven)).http_status == 400
    assert len(planned(world, *eleven[:10]).phases) == 10


def test_the_first_invoice_can_still_be_edited(world: World) -> None:
    """It is a draft for an hour. Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#create-subscription-schedules"""
    planned(world, phase(world.price(1000), duration=months(12)))
    (draft,) = world.invoices()
    assert (draft.status, amounts(draft)) == ("draft", [1000])
    world.v1.invoices.update(draft.id, {"description": "Welcome"})
    assert billed(world, JULY + 7200) == [1000]
    assert world.invoices()[0].status == "paid"
