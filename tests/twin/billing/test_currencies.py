"""Prices and coupons in several currencies, amounts without decimals, lookup keys that move, amounts customers choose."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, amounts, refused

HOUR = 3600


@pytest.fixture
def world(client: Any) -> World:
    return World(client)


def both(world: World, usd: int, eur: int) -> str:
    return world.price(usd, currency_options={"eur": {"unit_amount": eur}})


def test_a_subscription_in_another_currency_of_its_price(world: World) -> None:
    """Source: https://docs.stripe.com/products-prices/how-products-and-prices-work#multiple-currencies"""
    coupon = world.v1.coupons.create(
        {
            "amount_off": 500,
            "currency": "usd",
            "duration": "forever",
            "currency_options": {"eur": {"amount_off": 400}},
        }
    ).id
    made = world.subscribe(
        both(world, 2000, 1800), currency="eur", discounts=[{"coupon": coupon}], expand=["latest_invoice"]
    )
    assert (made.currency, made.latest_invoice.currency, made.latest_invoice.total) == ("eur", "eur", 1400)
    assert world.v1.customers.retrieve(world.customer).currency == "eur"
    world.advance(START + 15 * DAY)
    world.v1.subscriptions.update(
        made.id, {"items": [{"id": world.item(made), "price": both(world, 4000, 3600)}]}
    )
    # half of what was paid, 14.00; half of 36.00 less 4.00
    assert [item.amount for item in world.waiting()] == [-700, 1600]
    only_dollars = world.price(1000)
    change = {"items": [{"id": world.item(made), "price": only_dollars}]}
    error = refused(lambda: world.v1.subscriptions.update(made.id, change))
    assert "only supports `usd`" in str(error.user_message)


def test_invoices_of_a_customer_may_be_in_several_currencies(world: World) -> None:
    """The balance is for those in the customer's own.

    Source: https://docs.stripe.com/invoicing/multi-currency-customers
    """
    customer = world.v1.customers.create({"email": "ada@example.test"}).id

    def billed(currency: str, amount: int) -> Any:
        asked = {"customer": customer, "currency": currency, "auto_advance": False}
        draft = world.v1.invoices.create({**asked, "collection_method": "send_invoice", "days_until_due": 9})
        item = {"customer": customer, "invoice": draft.id, "amount": amount, "currency": currency}
        world.v1.invoice_items.create(item)
        return world.v1.invoices.finalize_invoice(draft.id)

    assert billed("eur", 2000).amount_due == 2000
    world.v1.customers.update(customer, {"balance": -500})
    yen = billed("jpy", 12_000)
    assert (yen.amount_due, yen.starting_balance, yen.ending_balance) == (12_000, 0, 0)
    assert billed("eur", 3000).amount_due == 2500
    assert world.v1.customers.retrieve(customer).currency == "eur"
    assert world.v1.invoices.pay(yen.id, {"paid_out_of_band": True}).status == "paid"


def test_a_customer_keeps_one_currency(world: World) -> None:
    """The second subscription is billed in the currency of the first where its price has it.

    Source: https://docs.stripe.com/products-prices/how-products-and-prices-work#multiple-currencies
    """
    price = both(world, 2000, 1800)
    world.subscribe(price, currency="eur")
    assert world.subscribe(both(world, 900, 800)).currency == "eur"
    assert refused(lambda: world.subscribe(price, currency="usd")).http_status == 400


def test_yen_have_no_decimals(world: World) -> None:
    """Source: https://docs.stripe.com/currencies#zero-decimal"""
    made = world.subscribe(world.price(1000, currency="jpy"), expand=["latest_invoice"])
    assert made.latest_invoice.lines.data[0].description == "1 × Seed box (at ¥1,000 / month)"
    world.advance(START + 10 * DAY)
    world.v1.subscriptions.update(
        made.id, {"items": [{"id": world.item(made), "price": world.price(499, currency="jpy")}]}
    )
    assert [item.amount for item in world.waiting()] == [-667, 333]


def test_a_new_price_takes_the_lookup_key_over(world: World) -> None:
    """Who subscribed before keeps the old price; who looks it up gets the new one.

    Source: https://docs.stripe.com/products-prices/manage-prices#lookup-keys
    """
    old = world.price(1000, lookup_key="standard")
    made = world.subscribe(old)
    new = world.price(1200, lookup_key="standard", transfer_lookup_key=True)
    found = world.v1.prices.list({"lookup_keys": ["standard"]}).data
    assert [price.id for price in found] == [new]
    assert world.v1.prices.retrieve(old).lookup_key is None
    world.advance(START + 30 * DAY + 2 * HOUR)
    assert amounts(world.invoice(world.read(made).latest_invoice)) == [1000]


def test_an_inactive_price_bills_on_but_sells_no_more(world: World) -> None:
    """Source: https://docs.stripe.com/products-prices/manage-prices#archive-price"""
    price = world.price(1000)
    made = world.subscribe(price)
    world.v1.prices.update(price, {"active": False})
    assert "inactive" in str(refused(lambda: world.subscribe(price)).user_message)
    world.advance(START + 30 * DAY + 2 * HOUR)
    assert [invoice.total for invoice in world.invoices(made)] == [1000, 1000]
