"""Paying subscriptions and invoices: incomplete starts, confirmation, declines, other methods, write-offs, search."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, refused, types
from trialbalance.twin import Twin

HOUR = 3600
MAY = START + 30 * DAY


@pytest.fixture
def world(client: Any) -> World:
    return World(client)


def waiting(world: World, **more: Any) -> Any:
    """A subscription whose first payment is still to be confirmed."""
    return world.subscribe(
        world.price(2500), payment_behavior="default_incomplete",
        expand=["latest_invoice.confirmation_secret", "latest_invoice.payments"], **more,
    )  # fmt: skip


def intent_of(invoice: Any) -> str:
    identifier: str = invoice.payments.data[0].payment.payment_intent
    return identifier


class TestIncomplete:
    """Source: https://docs.stripe.com/billing/subscriptions/build-subscriptions"""

    def test_the_customer_confirms(self, client: Any, twin: Twin) -> None:
        world = World(client, card=None)
        made = waiting(world, payment_settings={"save_default_payment_method": "on_subscription"})
        assert (made.status, made.latest_invoice.status) == ("incomplete", "open")
        intent = intent_of(made.latest_invoice)
        assert made.latest_invoice.confirmation_secret.client_secret.startswith(f"{intent}_secret_")
        assert world.v1.payment_intents.retrieve(intent).status == "requires_payment_method"
        before = len(types(twin))
        world.v1.payment_intents.confirm(
            intent, {"payment_method": "pm_card_visa", "return_url": "https://shop.example.test/"}
        )
        active = world.read(made)
        assert active.status == "active"
        assert active.default_payment_method.startswith("pm_")
        assert "customer.subscription.updated" in types(twin, before)
        world.advance(MAY + 2 * HOUR)
        assert world.invoice(world.read(made).latest_invoice).status == "paid"

    def test_a_decline_leaves_it_for_another_try(self, client: Any) -> None:
        world = World(client, card=None)
        made = waiting(world)
        intent = intent_of(made.latest_invoice)
        wrong = {"payment_method": "pm_card_visa_chargeDeclined", "return_url": "https://a.test/"}
        assert refused(lambda: world.v1.payment_intents.confirm(intent, wrong)).http_status == 402
        assert world.read(made).status == "incomplete"
        assert world.invoice(made.latest_invoice).attempt_count == 1
        right = {"payment_method": "pm_card_visa", "return_url": "https://a.test/"}
        world.v1.payment_intents.confirm(intent, right)
        assert world.read(made).status == "active"

    def test_error_if_incomplete(self, world: World, twin: Twin) -> None:
        """Source: https://docs.stripe.com/api/subscriptions/create#create_subscription-payment_behavior"""
        price = world.price(2500)
        world.pay_with("pm_card_chargeCustomerFail")
        error = refused(lambda: world.subscribe(price, payment_behavior="error_if_incomplete"))
        assert (error.http_status, error.code) == (402, "card_declined")
        assert world.v1.subscriptions.list({"customer": world.customer, "status": "all"}).data == []
        assert world.invoices() == []
        assert "customer.subscription.created" not in types(twin)

    def test_allow_incomplete_with_a_decline(self, world: World) -> None:
        world.pay_with("pm_card_chargeCustomerFail")
        made = world.subscribe(world.price(2500), expand=["latest_invoice"])
        assert (made.status, made.latest_invoice.attempt_count) == ("incomplete", 1)
        assert made.latest_invoice.next_payment_attempt is None
        world.pay_with("pm_card_visa")
        world.v1.invoices.pay(made.latest_invoice.id)
        assert world.read(made).status == "active"

    def test_a_voided_first_invoice_ends_it(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/overview#incomplete"""
        made = waiting(world)
        world.v1.invoices.void_invoice(made.latest_invoice.id)
        assert world.read(made).status == "incomplete_expired"

    def test_a_first_invoice_that_was_paid_in_part_is_not_voided(self, world: World) -> None:
        """Source: https://docs.stripe.com/invoicing/partial-payments"""
        made = waiting(world)
        part = world.v1.payment_intents.create(
            {
                "amount": 1000,
                "currency": made.latest_invoice.currency,
                "customer": world.customer,
                "payment_method": "pm_card_visa",
                "confirm": True,
                "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
            }
        )
        world.v1.invoices.attach_payment(made.latest_invoice.id, {"payment_intent": part.id})
        assert world.read(made).status == "incomplete"
        world.advance(START + 23 * HOUR)
        assert world.read(made).status == "incomplete_expired"
        left = world.invoice(made.latest_invoice)
        assert (left.status, left.auto_advance, left.amount_paid) == ("open", False, 1000)

    def test_nothing_is_billed_while_incomplete(self, world: World) -> None:
        made = waiting(world)
        update = {"items": [{"id": world.item(made), "price": world.price(5000)}]}
        world.v1.subscriptions.update(made.id, update)
        assert world.waiting() == []


class TestPaying:
    def test_with_another_method(self, world: World) -> None:
        """Source: https://docs.stripe.com/api/invoices/pay"""
        subscription = world.subscribe(world.price())
        bad = world.pay_with("pm_card_chargeCustomerFail")
        world.advance(MAY + 2 * HOUR)
        invoice = world.read(subscription).latest_invoice
        error = refused(lambda: world.v1.invoices.pay(invoice))
        assert (error.http_status, error.code) == (402, "card_declined")
        good = world.v1.payment_methods.attach("pm_card_visa", {"customer": world.customer}).id
        paid = world.v1.invoices.pay(invoice, {"payment_method": good})
        assert (paid.status, paid.attempt_count) == ("paid", 3)
        customer = world.v1.customers.retrieve(world.customer)
        assert customer.invoice_settings.default_payment_method == bad

    def test_written_off_and_paid_later(self, world: World) -> None:
        """Source: https://docs.stripe.com/invoicing/overview#uncollectible"""
        subscription = world.subscribe(world.price())
        world.pay_with("pm_card_chargeCustomerFail")
        world.advance(MAY + 2 * HOUR)
        invoice = world.read(subscription).latest_invoice
        world.v1.invoices.mark_uncollectible(invoice)
        assert world.read(subscription).status == "active"
        world.pay_with("pm_card_visa")
        assert world.v1.invoices.pay(invoice).status == "paid"

    def test_a_method_that_left_is_not_charged(self, world: World) -> None:
        """Source: https://docs.stripe.com/api/payment_methods/detach"""
        method = world.pay_with("pm_card_visa")
        subscription = world.subscribe(world.price(), default_payment_method=method)
        world.v1.payment_methods.detach(method)
        assert world.read(subscription).default_payment_method is None
        world.advance(MAY + 2 * HOUR)
        assert world.read(subscription).status == "past_due"
        assert world.invoices(subscription)[-1].attempt_count == 1

    def test_priority(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/payment-methods-setting#payment-method-priority"""
        world.pay_with("pm_card_chargeCustomerFail")
        good = world.v1.payment_methods.attach("pm_card_visa", {"customer": world.customer}).id
        assert world.subscribe(world.price(), default_payment_method=good).status == "active"
        stranger = World(world.clients, card="pm_card_mastercard", clock=False)
        other = stranger.pay_with("pm_card_visa")
        error = refused(lambda: world.subscribe(world.price(), default_payment_method=other))
        assert error.error.param == "default_payment_method"

    def test_holders_confirm_renewals(self, world: World) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/overview#requires-action"""
        subscription = world.subscribe(world.price())
        world.pay_with("pm_card_authenticationRequired")
        world.advance(MAY + 2 * HOUR)
        late = world.v1.invoices.retrieve(world.read(subscription).latest_invoice, {"expand": ["payments"]})
        assert (world.read(subscription).status, late.status) == ("past_due", "open")
        error = refused(lambda: world.v1.invoices.pay(late.id))
        assert error.http_status == 402
        world.v1.payment_intents.confirm(
            intent_of(late), {"payment_method": "pm_card_visa", "return_url": "https://a.test/"}
        )
        assert world.read(subscription).status == "active"


def test_voiding_looks_back_at_older_invoices(world: World) -> None:
    """Source: https://docs.stripe.com/billing/invoices/subscription#void-an-invoice-generated-by-a-subscription"""
    sent = world.subscribe(world.price(), collection_method="send_invoice", days_until_due=5)
    world.advance(START + 40 * DAY)
    older, newest = world.invoices(sent)
    assert (older.status, newest.status, world.read(sent).status) == ("open", "open", "past_due")
    world.v1.invoices.void_invoice(newest.id)
    assert world.read(sent).status == "past_due", "the older one is overdue"
    world.advance(START + 62 * DAY)
    world.v1.invoices.pay(older.id, {"paid_out_of_band": True})
    third = world.invoices(sent)[-1]
    world.v1.invoices.void_invoice(third.id)
    assert world.read(sent).status == "active"


def test_searching(world: World) -> None:
    """Source: https://docs.stripe.com/search"""
    one = world.subscribe(world.price(1000), metadata={"team": "red"})
    two = world.subscribe(world.price(3000), metadata={"team": "blue"})

    def subscriptions(query: str) -> list[str]:
        return [s.id for s in world.v1.subscriptions.search({"query": query}).data]

    assert subscriptions("metadata['team']:'red'") == [one.id]
    assert subscriptions("status:'active'") == [two.id, one.id]

    def invoices(query: str) -> list[int]:
        return [i.total for i in world.v1.invoices.search({"query": query}).data]

    assert invoices(f"customer:'{world.customer}' AND total>2000") == [3000]
    assert invoices(f"subscription:'{one.id}'") == [1000]
    assert invoices("status:'draft'") == []
    number = world.invoices()[0].number
    assert invoices(f"number:'{number}'") == [1000]


def test_invoices_are_listed_by_what_they_are(world: World) -> None:
    """Source: https://docs.stripe.com/api/invoices/list"""
    one = world.subscribe(world.price(1000))
    sent = world.subscribe(world.price(2000), collection_method="send_invoice", days_until_due=5)

    def totals(**where: Any) -> list[int]:
        return [i.total for i in world.v1.invoices.list({"customer": world.customer, **where}).data]

    assert totals() == [2000, 1000]
    assert totals(subscription=one.id) == [1000]
    assert totals(status="draft") == [2000]
    assert totals(collection_method="send_invoice") == [2000]
    assert totals(due_date={"gte": START + 5 * DAY}) == [2000]
    assert totals(created={"gt": START}) == []
    lines = world.v1.invoices.line_items.list(world.invoices(sent)[0].id)
    assert [line.amount for line in lines.data] == [2000]
