"""Time: objects on no clock follow the twin's own, which moves by itself, is frozen or is moved."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, World, on, refused, types
from trialbalance.twin import Twin

HOUR = 3600


@pytest.fixture
def plain(client: Any) -> World:
    """A customer on no clock."""
    return World(client, clock=False)


def test_objects_on_no_clock_follow_the_twins_own(plain: World, twin: Twin) -> None:
    """Source: https://docs.stripe.com/billing/testing/test-clocks"""
    made = plain.subscribe(plain.price())
    begun = twin.now()
    assert (made.created, made.test_clock) == (begun, None)
    twin.advance(begun + 31 * DAY + 10)
    (draft,) = [i for i in plain.invoices(made) if i.status == "draft"]
    assert draft.created == begun + 31 * DAY
    twin.advance(begun + 31 * DAY + 2 * HOUR)
    assert [invoice.status for invoice in plain.invoices(made)] == ["paid", "paid"]


def test_two_time_lines_do_not_touch(client: Any, twin: Twin) -> None:
    """Source: https://docs.stripe.com/billing/testing/test-clocks"""
    clocked, plain = World(client, at=twin.now()), World(client, clock=False)
    there, here = clocked.subscribe(clocked.price()), plain.subscribe(plain.price())
    clocked.advance(twin.now() + 40 * DAY)
    assert (len(clocked.invoices(there)), len(plain.invoices(here))) == (2, 1)
    twin.advance(twin.now() + 70 * DAY)
    assert (len(clocked.invoices(there)), len(plain.invoices(here))) == (2, 3)


def test_what_comes_in_order_of_time(client: Any, twin: Twin) -> None:
    """Two subscriptions whose renewals cross: each thing happens before the later one.

    Source: https://docs.stripe.com/billing/testing/test-clocks/api-advanced-usage
    """
    world = World(client, at=on(2026, 4, 1))
    world.subscribe(world.price(1000, "week"))
    world.advance(on(2026, 4, 4))
    world.subscribe(world.price(2000, "week"))
    world.advance(on(2026, 4, 16))
    created = [(i.created, i.total) for i in world.invoices()]
    assert created == [
        (on(2026, 4, 1), 1000), (on(2026, 4, 4), 2000), (on(2026, 4, 8), 1000), (on(2026, 4, 11), 2000),
        (on(2026, 4, 15), 1000),
    ]  # fmt: skip
    paid = [event["created"] for event in everything(twin) if event["type"] == "invoice.paid"]
    assert len(paid) == 5


def everything(twin: Twin) -> list[dict[str, Any]]:
    """All events, oldest first."""
    return list(twin.store.table(twin.account, "event").objects.values())


def test_seven_days_before_a_renewal(client: Any, twin: Twin) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/webhooks#events"""
    world = World(client, at=on(2026, 4, 1))
    world.subscribe(world.price(1500))
    world.advance(on(2026, 4, 24) - 1)
    assert "invoice.upcoming" not in types(twin)
    world.advance(on(2026, 4, 24))
    (told,) = [event for event in everything(twin) if event["type"] == "invoice.upcoming"]
    shown = told["data"]["object"]
    assert (shown["total"], shown.get("id"), shown["billing_reason"]) == (1500, None, "upcoming")
    assert shown["period_end"] == on(2026, 5, 1)


def test_a_clock_deletes_itself_after_thirty_days(client: Any, twin: Twin) -> None:
    """Source: https://docs.stripe.com/billing/testing/test-clocks/api-advanced-usage"""
    world = World(client)
    clock = client.v1.test_helpers.test_clocks.retrieve(world.clock)
    assert clock.deletes_after == twin.now() + 30 * DAY
    twin.advance(clock.deletes_after)
    gone = refused(lambda: client.v1.test_helpers.test_clocks.retrieve(world.clock))
    assert gone.http_status == 404
    assert world.v1.customers.retrieve(world.customer).deleted is True


def test_a_month_ends_where_it_ends(client: Any) -> None:
    """A whole year from the last of January, and no daylight saving anywhere.

    Source: https://docs.stripe.com/billing/subscriptions/billing-cycle
    """
    world = World(client, at=on(2027, 1, 31, 2, 30))
    made = world.subscribe(world.price())
    for month in range(2, 13):
        world.advance(on(2027, month, 1) + 27 * DAY)
    world.advance(on(2028, 1, 15))
    world.advance(on(2028, 3, 1))
    starts = [invoice.created for invoice in world.invoices(made)]
    days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    assert starts[:12] == [on(2027, month, day, 2, 30) for month, day in enumerate(days, 1)]
    assert starts[12:] == [on(2028, 1, 31, 2, 30), on(2028, 2, 29, 2, 30)]
