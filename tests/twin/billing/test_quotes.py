"""Quotes: draft, finalize, accept into an invoice, a subscription or a schedule; expiry, revisions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, refused, types
from trialbalance.twin import Twin


@pytest.fixture
def world(client: Any) -> World:
    return World(client)


def quote(world: World, *prices: str, **more: Any) -> Any:
    items = [{"price": price, "quantity": 2} for price in prices]
    return world.v1.quotes.create({"customer": world.customer, "line_items": items, **more})


def test_a_draft_shows_what_it_comes_to(world: World) -> None:
    """Source: https://docs.stripe.com/quotes/create"""
    rate = world.v1.tax_rates.create({"display_name": "VAT", "percentage": 20, "inclusive": False})
    coupon = world.v1.coupons.create({"percent_off": 10, "duration": "once"})
    made = quote(
        world,
        world.price(1000),
        world.price(500, None),
        default_tax_rates=[rate.id],
        discounts=[{"coupon": coupon.id}],
    )
    assert (made.status, made.number, made.expires_at) == ("draft", None, START + 30 * DAY)
    assert (made.amount_subtotal, made.amount_total) == (3000, 3240)
    assert made.computed.recurring.amount_total == 2160
    assert (made.computed.recurring.interval, made.computed.recurring.interval_count) == ("month", 1)
    assert made.total_details.amount_discount == 300
    assert made.total_details.amount_tax == 540
    lines = world.v1.quotes.line_items.list(made.id).data
    assert [(line.amount_subtotal, line.quantity) for line in lines] == [(2000, 2), (1000, 2)]
    upfront = world.v1.quotes.computed_upfront_line_items.list(made.id)
    assert len(upfront.data) == 2
    assert world.v1.coupons.retrieve(coupon.id).times_redeemed == 0


def test_accepted_into_a_subscription(world: World, twin: Twin) -> None:
    """Source: https://docs.stripe.com/quotes/accept"""
    made = quote(world, world.price(1000), world.price(500, None))
    assert refused(lambda: world.v1.quotes.accept(made.id)).http_status == 400
    opened = world.v1.quotes.finalize_quote(made.id)
    assert (opened.status, opened.status_transitions.finalized_at) == ("open", START)
    assert opened.number.startswith("QT-")
    assert refused(lambda: world.v1.quotes.update(made.id, {"header": "x"})).http_status == 400
    accepted = world.v1.quotes.accept(made.id)
    assert (accepted.status, accepted.invoice) == ("accepted", None)
    subscription = world.read(accepted.subscription)
    assert subscription.status == "active"
    assert world.invoice(subscription.latest_invoice).total == 3000
    told = [type for type in types(twin) if type.startswith("quote.")]
    assert told == ["quote.created", "quote.finalized", "quote.accepted"]


def test_accepted_into_an_invoice(world: World) -> None:
    """Source: https://docs.stripe.com/quotes/accept"""
    made = quote(
        world,
        world.price(500, None),
        collection_method="send_invoice",
        invoice_settings={"days_until_due": 10},
    )
    world.v1.quotes.finalize_quote(made.id)
    accepted = world.v1.quotes.accept(made.id)
    invoice = world.invoice(accepted.invoice)
    assert (invoice.status, invoice.total, invoice.due_date) == ("draft", 1000, START + 10 * DAY)
    assert invoice.parent.quote_details.quote == made.id


def test_accepted_into_a_schedule(world: World) -> None:
    """Source: https://docs.stripe.com/quotes/create#start-date"""
    made = quote(world, world.price(1000), subscription_data={"effective_date": START + 5 * DAY})
    world.v1.quotes.finalize_quote(made.id)
    accepted = world.v1.quotes.accept(made.id)
    schedule = world.v1.subscription_schedules.retrieve(accepted.subscription_schedule)
    assert (schedule.status, schedule.phases[0].start_date) == ("not_started", START + 5 * DAY)


def test_nobody_accepts(world: World) -> None:
    """Source: https://docs.stripe.com/quotes/overview#quote-statuses"""
    made = quote(world, world.price(1000))
    world.v1.quotes.finalize_quote(made.id)
    world.advance(START + 31 * DAY)
    assert world.v1.quotes.retrieve(made.id).status == "canceled"
    other = quote(world, world.price(1000))
    assert world.v1.quotes.cancel(other.id).status == "canceled"
    assert refused(lambda: world.v1.quotes.cancel(other.id)).http_status == 400


def test_copies_and_revisions(world: World) -> None:
    """Source: https://docs.stripe.com/api/quotes/create#create_quote-from_quote"""
    made = quote(world, world.price(1000))
    copy = world.v1.quotes.create({"from_quote": {"quote": made.id}})
    assert (copy.amount_total, copy.from_quote.is_revision) == (2000, False)
    opened = world.v1.quotes.finalize_quote(made.id)
    revised = world.v1.quotes.create({"from_quote": {"quote": made.id, "is_revision": True}})
    assert opened.number.endswith("-1")
    assert world.v1.quotes.finalize_quote(revised.id).number == f"{opened.number[:-1]}2"
    assert [q.id for q in world.v1.quotes.list({"status": "open"}).data] == [revised.id, made.id]


def test_it_needs_a_customer_and_lines(world: World) -> None:
    """Source: https://docs.stripe.com/api/quotes/finalize"""
    empty = world.v1.quotes.create({"customer": world.customer})
    assert refused(lambda: world.v1.quotes.finalize_quote(empty.id)).http_status == 400
    nobody = world.v1.quotes.create({"line_items": [{"price": world.price()}]})
    assert refused(lambda: world.v1.quotes.finalize_quote(nobody.id)).http_status == 400
    world.v1.quotes.update(nobody.id, {"customer": world.customer})
    assert world.v1.quotes.finalize_quote(nobody.id).status == "open"
