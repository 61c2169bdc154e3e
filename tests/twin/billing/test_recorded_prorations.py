"""Prorations as the recorded test-mode API made them (2026-08-26.dahlia): amounts, words, parents, order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, amounts, words
from trialbalance.twin import Twin

MONTH = 30 * DAY


@pytest.fixture
def world(client: Any) -> World:
    return World(client)


def change(world: World, subscription: Any, *, behavior: str = "always_invoice", **item: Any) -> Any:
    return world.v1.subscriptions.update(
        subscription.id,
        {
            "items": [{"id": world.item(subscription), **item}],
            "proration_behavior": behavior,
            "expand": ["latest_invoice"],
        },
    )


def test_half_a_cent_goes_down(world: World) -> None:
    """2.5 of credit is 3, 4.5 of debit is 4: both round towards less for the seller."""
    subscription = world.subscribe(world.price(1000))
    world.advance(START + MONTH - 6480)
    updated = change(world, subscription, price=world.price(1800))
    invoice = updated.latest_invoice
    assert amounts(invoice) == [-3, 4]
    assert (invoice.total, invoice.amount_due, invoice.status) == (1, 0, "paid")
    assert (invoice.ending_balance, invoice.attempted, invoice.attempt_count) == (1, True, 0)
    assert world.v1.customers.retrieve(world.customer).balance == 1


def test_thirds(world: World) -> None:
    subscription = world.subscribe(world.price(1000))
    world.advance(START + 10 * DAY)
    updated = change(world, subscription, price=world.price(500))
    assert amounts(updated.latest_invoice) == [-667, 333]
    assert updated.latest_invoice.total == -334
    customer = world.v1.customers.retrieve(world.customer)
    assert (customer.balance, customer.currency, customer.next_invoice_sequence) == (-334, "usd", 3)


def test_the_invoice_of_a_change(world: World, twin: Twin) -> None:
    subscription = world.subscribe(world.price(1000))
    world.advance(START + 20 * DAY)
    first, dear = subscription.latest_invoice, world.price(3000)
    updated = change(world, subscription, price=dear, quantity=3)
    shown = twin.request("GET", f"/v1/invoices/{updated.latest_invoice.id}").json()
    assert (shown["billing_reason"], shown["rendering"]) == ("subscription_update", None)
    assert (shown["period_start"], shown["period_end"]) == (START, world.now)
    assert shown["effective_at"] == world.now
    credit, debit = shown["lines"]["data"]
    assert credit["description"] == "Unused time on Seed box after 21 Apr 2026"
    assert debit["description"] == "Remaining time on 3 × Seed box after 21 Apr 2026"
    assert credit["pricing"]["price_details"]["price"] == subscription["items"].data[0].price.id
    for line in (credit, debit):
        assert line["pricing"]["unit_amount_decimal"] is None
        assert line["discountable"] is False
        assert line["parent"]["type"] == "subscription_item_details"
        details = line["parent"]["subscription_item_details"]
        assert details["proration"] is True
        assert details["subscription_item"] == world.item(subscription)
        assert details["invoice_item"].startswith("ii_")
    credited = credit["parent"]["subscription_item_details"]["proration_details"]["credited_items"]
    (line,) = world.invoice(first).lines.data
    assert credited == {"invoice": first, "invoice_line_items": [line.id]}
    assert debit["parent"]["subscription_item_details"]["proration_details"]["credited_items"] is None


def test_another_quantity_credits_and_debits_the_whole_item(world: World) -> None:
    subscription = world.subscribe({"price": world.price(1000), "quantity": 2})
    world.advance(START + 15 * DAY)
    updated = change(world, subscription, quantity=5)
    assert amounts(updated.latest_invoice) == [-1000, 2500]
    assert words(updated.latest_invoice) == [
        "Unused time on 2 × Seed box after 16 Apr 2026",
        "Remaining time on 5 × Seed box after 16 Apr 2026",
    ]


def test_pending_prorations(world: World, twin: Twin) -> None:
    subscription = world.subscribe(world.price(1000))
    world.advance(START + 15 * DAY)
    updated = change(world, subscription, behavior="create_prorations", price=world.price(1800))
    assert updated.latest_invoice.id == subscription.latest_invoice
    form = {"customer": world.customer, "pending": "true"}
    credit, debit = twin.request("GET", "/v1/invoiceitems", form).json()["data"]
    assert (credit["amount"], debit["amount"]) == (-500, 900)
    for item in (credit, debit):
        assert (item["proration"], item["discountable"]) == (True, False)
        assert item["frozen_fields"] == ["pricing", "quantity", "discounts"]
        assert item["net_amount"] == item["amount"]
        assert item["parent"]["subscription_details"] == {
            "subscription": subscription.id,
            "subscription_item": world.item(subscription),
        }
        assert (item["quantity_decimal"], item["test_clock"]) == ("1", world.clock)
    assert credit["proration_details"]["credited_items"]["type"] == "invoice_line_items"
    assert debit["proration_details"] == {"credited_items": None, "discount_amounts": []}
    world.advance(START + MONTH + 7200)
    renewal = world.invoice(world.read(subscription).latest_invoice)
    assert amounts(renewal) == [-500, 900, 1800]
    assert renewal.amount_due == 2200


def test_no_proration(world: World) -> None:
    subscription = world.subscribe(world.price(1000))
    world.advance(START + 15 * DAY)
    updated = change(world, subscription, behavior="none", price=world.price(1800))
    assert updated.latest_invoice.id == subscription.latest_invoice
    assert world.waiting() == []


def test_what_is_too_small_waits_for_the_next_invoice(world: World) -> None:
    subscription = world.subscribe(world.price(1000))
    world.advance(START + MONTH - 6480)
    change(world, subscription, price=world.price(1800))
    world.advance(START + MONTH + 7200)
    renewal = world.invoice(world.read(subscription).latest_invoice)
    assert (renewal.total, renewal.amount_due, renewal.starting_balance) == (1800, 1801, 1)
    assert world.v1.customers.retrieve(world.customer).balance == 0


def test_an_upgrade_is_paid_at_once(world: World) -> None:
    subscription = world.subscribe(world.price(2000))
    world.advance(START + 20 * DAY)
    updated = change(world, subscription, price=world.price(60000))
    invoice = updated.latest_invoice
    assert (invoice.amount_due, invoice.amount_paid, invoice.attempt_count) == (19333, 19333, 1)


class TestCancel:
    def test_with_a_final_invoice(self, world: World) -> None:
        subscription = world.subscribe(world.price(1000))
        world.advance(START + 15 * DAY)
        canceled = world.v1.subscriptions.cancel(subscription.id, {"prorate": True, "invoice_now": True})
        draft = world.invoice(canceled.latest_invoice)
        assert (draft.status, draft.billing_reason, draft.auto_advance) == (
            "draft", "subscription_cycle", True)  # fmt: skip
        assert (amounts(draft), draft.ending_balance, draft.attempted) == ([-500], None, False)
        assert draft.next_payment_attempt == draft.created + 3600
        assert (draft.period_start, draft.period_end) == (START, world.now)

    def test_a_credit_gives_back_what_was_charged(self, world: World) -> None:
        """Flexible billing: a price that was changed without proration was never charged."""
        cheap = world.price(1000)
        subscription = world.subscribe(cheap)
        change(world, subscription, behavior="none", price=world.price(1800))
        canceled = world.v1.subscriptions.cancel(subscription.id, {"prorate": True, "invoice_now": True})
        (line,) = world.invoice(canceled.latest_invoice).lines.data
        assert line.amount == -1000

    def test_the_credit_can_wait(self, world: World, twin: Twin) -> None:
        subscription = world.subscribe(world.price(1000))
        world.advance(START + 15 * DAY)
        world.v1.subscriptions.cancel(subscription.id, {"prorate": True})
        form = {"customer": world.customer, "pending": "true"}
        (item,) = twin.request("GET", "/v1/invoiceitems", form).json()["data"]
        assert (item["amount"], item["parent"], item["net_amount"]) == (-500, None, -500)
        assert "proration_details" not in item
        assert item["frozen_fields"] == ["pricing", "quantity", "discounts"]
