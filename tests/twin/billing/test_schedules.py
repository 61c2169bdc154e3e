"""Subscription schedules: phases, durations, transitions, ends, releases, previews."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, amounts, refused, types
from trialbalance.twin import Twin

MONTH = 30 * DAY
MAY = START + MONTH
JUNE = MAY + 31 * DAY
HOUR = 3600


@pytest.fixture
def world(client: Any) -> World:
    return World(client)


def schedule(world: World, *phases: dict[str, Any], **more: Any) -> Any:
    given = {"customer": world.customer, "start_date": "now", "phases": list(phases), **more}
    return world.v1.subscription_schedules.create(given)


def phase(price: str, months: int | None = None, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"items": [{"price": price}], **more}
    if months:
        made["duration"] = {"interval": "month", "interval_count": months}
    return made


def test_releasing_a_schedule(world: World) -> None:
    """Source: YumaInaura/YumaInaura#2902 (A11)."""
    subscription = world.subscribe(world.price())
    made = world.v1.subscription_schedules.create({"from_subscription": subscription.id})
    assert (made.status, made.subscription, made.end_behavior) == ("active", subscription.id, "release")
    assert (made.current_phase.start_date, made.current_phase.end_date) == (START, MAY)
    world.v1.subscription_schedules.update(made.id, {"end_behavior": "cancel"})
    assert world.read(subscription).cancel_at == MAY
    released = world.v1.subscription_schedules.release(made.id)
    assert (released.status, released.released_subscription, released.subscription) == (
        "released", subscription.id, None)  # fmt: skip
    after = world.read(subscription)
    assert (after.schedule, after.status, after.cancel_at) == (None, "active", None)
    assert refused(lambda: world.v1.subscription_schedules.release(made.id)).http_status == 400


def test_the_first_invoice_of_a_schedule_is_a_draft_for_an_hour(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules"""
    made = schedule(world, phase(world.price(), 12))
    subscription = world.read(made.subscription)
    assert (made.status, subscription.status, subscription.schedule) == ("active", "active", made.id)
    assert world.invoice(subscription.latest_invoice).status == "draft"
    world.advance(START + 2 * HOUR)
    assert world.invoice(subscription.latest_invoice).status == "paid"


def test_a_downgrade_at_the_end_of_the_period(world: World, twin: Twin) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules/use-cases"""
    dear, cheap = world.price(2000), world.price(1000)
    subscription = world.subscribe(dear)
    made = world.v1.subscription_schedules.create({"from_subscription": subscription.id})
    current = made.phases[0]
    world.v1.subscription_schedules.update(
        made.id,
        {
            "end_behavior": "release",
            "phases": [
                {
                    "items": [{"price": dear, "quantity": 1}],
                    "start_date": current.start_date,
                    "end_date": current.end_date,
                },
                phase(cheap, 1),
            ],
        },
    )
    assert len(world.invoices(subscription)) == 1
    world.advance(MAY + 2 * HOUR)
    now = world.read(subscription)
    assert now["items"].data[0].price.id == cheap
    renewal = world.invoice(now.latest_invoice)
    assert (amounts(renewal), renewal.billing_reason) == ([1000], "subscription_cycle")
    assert now["items"].data[0].current_period_end == JUNE
    world.advance(JUNE + 2 * HOUR)
    done = world.v1.subscription_schedules.retrieve(made.id)
    assert (done.status, done.released_at, done.current_phase) == ("released", JUNE, None)
    assert (done.completed_at, done.released_subscription) == (None, subscription.id)
    assert world.read(subscription).schedule is None
    assert world.read(subscription).status == "active"
    told = types(twin)
    assert told.count("subscription_schedule.released") == 1


def test_an_instalment_plan_ends_by_itself(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules/use-cases#installment-plans"""
    made = schedule(world, phase(world.price(), 3), end_behavior="cancel")
    subscription = world.read(made.subscription)
    world.advance(MAY + DAY)
    world.advance(JUNE + DAY)
    assert world.read(subscription).status == "active"
    assert world.read(subscription).cancel_at == JUNE + MONTH
    world.advance(JUNE + MONTH + DAY)
    assert world.read(subscription).status == "canceled"
    assert [invoice.total for invoice in world.invoices(subscription)] == [1000, 1000, 1000]
    assert world.v1.subscription_schedules.retrieve(made.id).status == "completed"


def test_a_later_start(world: World, twin: Twin) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#creating"""
    made = schedule(world, phase(world.price(), 1), start_date=START + 10 * DAY)
    assert (made.status, made.subscription, made.current_phase) == ("not_started", None, None)
    listed = world.v1.subscription_schedules.list({"customer": world.customer, "scheduled": True})
    assert [s.id for s in listed.data] == [made.id]
    world.advance(START + 10 * DAY + 2 * HOUR)
    begun = world.v1.subscription_schedules.retrieve(made.id)
    assert begun.status == "active"
    subscription = world.read(begun.subscription)
    assert subscription.start_date == START + 10 * DAY
    assert [invoice.total for invoice in world.invoices(subscription)] == [1000]
    assert "subscription_schedule.created" in types(twin)


def test_a_change_inside_a_period_is_prorated(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/prorations#scheduled-updates"""
    small, large = world.price(3000), world.price(6000)
    made = schedule(world, {**phase(small), "end_date": START + 10 * DAY}, phase(large, 1))
    subscription = world.read(made.subscription)
    world.advance(START + 10 * DAY + HOUR)
    assert world.read(subscription)["items"].data[0].price.id == large
    assert [item.amount for item in world.waiting()] == [-2000, 4000]
    world.advance(MAY + 2 * HOUR)
    renewal = world.invoice(world.read(subscription).latest_invoice)
    assert (amounts(renewal), renewal.total) == ([-2000, 4000, 6000], 8000)


def test_no_proration_when_the_phase_says_so(world: World) -> None:
    """Source: https://docs.stripe.com/api/subscription_schedules/create"""
    made = schedule(
        world,
        {**phase(world.price(3000)), "end_date": START + 10 * DAY},
        phase(world.price(6000), 1, proration_behavior="none"),
    )
    world.advance(START + 11 * DAY)
    assert world.waiting() == []
    assert world.read(made.subscription)["items"].data[0].price.unit_amount == 6000


def test_a_trial_phase_then_a_paid_one(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules/use-cases#trials"""
    made = schedule(world, phase(world.price(), 1, trial=True), phase(world.price(2000), 2))
    subscription = world.read(made.subscription)
    assert (subscription.status, subscription.trial_end) == ("trialing", MAY)
    world.advance(MAY + 2 * HOUR)
    now = world.read(subscription)
    assert now.status == "active"
    assert [invoice.total for invoice in world.invoices(subscription)] == [0, 2000]


def test_discounts_and_extra_items_of_a_phase(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules/use-cases#discounts"""
    coupon = world.v1.coupons.create({"percent_off": 50, "duration": "forever"})
    price, once = world.price(), world.price(500, None)
    made = schedule(
        world,
        phase(price, 1, discounts=[{"coupon": coupon.id}], add_invoice_items=[{"price": once}]),
        phase(price, 1),
    )
    world.advance(MAY + 2 * HOUR)
    totals = [invoice.total for invoice in world.invoices(world.read(made.subscription))]
    assert totals == [750, 1000]


def test_another_interval_begins_a_new_cycle(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules"""
    yearly = {"items": [{"price": world.price(10000, "year")}], "duration": {"interval": "year"}}
    made = schedule(world, phase(world.price(), 1), yearly)
    world.advance(MAY + 2 * HOUR)
    now = world.read(made.subscription)
    assert now.billing_cycle_anchor == MAY
    assert world.invoice(now.latest_invoice).total == 10000
    assert now["items"].data[0].current_period_end == MAY + 365 * DAY


def test_iterations_of_older_versions(at_version: Callable[[str], Any]) -> None:
    """Source: https://docs.stripe.com/changelog/clover/2025-09-30/remove-iterations-parameter"""
    old = World(at_version("2025-08-27.basil"))
    made = old.v1.subscription_schedules.create(
        {
            "customer": old.customer,
            "start_date": "now",
            "end_behavior": "cancel",
            "phases": [{"items": [{"price": old.price()}], "iterations": 2}],
        }
    )
    assert made.phases[0].end_date == JUNE
    assert made.billing_mode.type == "classic"
    new = World(at_version("2025-09-30.clover"))
    error = refused(
        lambda: new.v1.subscription_schedules.create(
            {
                "customer": new.customer,
                "start_date": "now",
                "phases": [{"items": [{"price": new.price()}], "iterations": 2}],
            }
        )
    )
    assert error.code == "parameter_unknown"


def test_canceling_ends_both(world: World, twin: Twin) -> None:
    """Source: https://docs.stripe.com/api/subscription_schedules/cancel"""
    made = schedule(world, phase(world.price(3000), 12))
    world.advance(START + 10 * DAY)
    canceled = world.v1.subscription_schedules.cancel(made.id)
    assert (canceled.status, canceled.canceled_at) == ("canceled", world.now)
    subscription = world.read(made.subscription)
    assert subscription.status == "canceled"
    assert world.invoice(subscription.latest_invoice).total == -2000
    assert types(twin).count("subscription_schedule.canceled") == 1


def test_a_canceled_subscription_cancels_its_schedule(world: World) -> None:
    """Source: https://docs.stripe.com/api/subscription_schedules/object"""
    made = schedule(world, phase(world.price(), 12))
    error = refused(lambda: world.v1.subscriptions.update(made.subscription, {"cancel_at_period_end": True}))
    assert str(error.user_message).startswith(
        f"The subscription is managed by the subscription schedule `{made.id}`"
    )
    world.v1.subscriptions.cancel(made.subscription)
    assert world.v1.subscription_schedules.retrieve(made.id).status == "canceled"


def test_wrong_phases(world: World) -> None:
    """Source: https://docs.stripe.com/api/subscription_schedules/create"""
    price = world.price()
    for wrong in (
        [],
        [phase(price, 1), {**phase(price, 1), "start_date": START + 5}],
        [{**phase(price, 1), "end_date": START + DAY}],
        [phase(price, 1)] * 11,
        [{"items": []}],
    ):
        assert refused(lambda wrong=wrong: schedule(world, *wrong)).http_status == 400
    subscription = world.subscribe(price)
    create = world.v1.subscription_schedules.create
    assert refused(lambda: create({"from_subscription": subscription.id, "phases": [phase(price, 1)]}))
    create({"from_subscription": subscription.id})
    assert refused(lambda: create({"from_subscription": subscription.id})).http_status == 400


def test_previews(world: World) -> None:
    """Source: https://docs.stripe.com/api/invoices/create_preview"""
    preview = world.v1.invoices.create_preview
    first = preview({"customer": world.customer, "schedule_details": {"phases": [phase(world.price(), 1)]}})
    assert first.total == 1000
    made = schedule(world, phase(world.price(), 1), phase(world.price(4000), 1))
    assert preview({"schedule": made.id}).total == 4000
    assert world.v1.subscription_schedules.retrieve(made.id).current_phase.end_date == MAY
    assert len(world.invoices()) == 1


def test_an_anchor_at_the_start_of_a_phase(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#phases"""
    made = schedule(
        world,
        {**phase(world.price(3000)), "end_date": START + 10 * DAY},
        phase(world.price(6000), 1, billing_cycle_anchor="phase_start"),
    )
    world.advance(START + 10 * DAY + 2 * HOUR)
    now = world.read(made.subscription)
    assert now.billing_cycle_anchor == START + 10 * DAY
    assert amounts(world.invoice(now.latest_invoice)) == [-2000, 6000]
