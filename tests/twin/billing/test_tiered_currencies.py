"""Subscriptions in another currency than their price's own, tiers and words of lines included.

Source: https://docs.stripe.com/products-prices/pricing-models#multicurrency
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, amounts, refused, words

PER_UNIT = {"unit_amount": 1500, "currency_options": {"eur": {"unit_amount": 1410}}}
TIERED = {
    "unit_amount": "",
    "billing_scheme": "tiered",
    "tiers_mode": "graduated",
    "tiers": [{"up_to": 2, "unit_amount": 900}, {"up_to": "inf", "unit_amount": 700}],
    "currency_options": {
        "eur": {
            "tiers": [
                {"up_to": 2, "unit_amount": 800, "flat_amount": 55},
                {"up_to": "inf", "unit_amount": 600},
            ]
        }
    },
}


def price(world: World, terms: dict[str, Any]) -> str:
    made = {name: value for name, value in terms.items() if value != ""}
    product = world.v1.products.create({"name": "Bench"}).id
    form = {"product": product, "currency": "usd", "recurring": {"interval": "month"}, **made}
    return str(world.v1.prices.create(form).id)


@pytest.mark.parametrize(("terms", "total", "unit"), [(PER_UNIT, 4230, "1410"), (TIERED, 2255, None)])
def test_every_invoice_is_in_the_subscriptions_currency(
    client: Any, terms: dict[str, Any], total: int, unit: str | None
) -> None:
    world = World(client)
    subscription = world.subscribe({"price": price(world, terms), "quantity": 3}, currency="eur")
    world.advance(START + 31 * DAY)
    for invoice in world.invoices(subscription):
        assert (invoice.currency, sum(amounts(invoice))) == ("eur", total)
        assert "€" in words(invoice)[0]
        if unit is not None:
            assert str(invoice.lines.data[0].pricing.unit_amount_decimal) == unit
    assert len(world.invoices(subscription)) == 2


def test_a_change_in_the_period_is_in_the_subscriptions_currency(client: Any) -> None:
    world = World(client)
    subscription = world.subscribe(price(world, PER_UNIT), currency="eur")
    dearer = price(world, {"unit_amount": 1, "currency_options": {"eur": {"unit_amount": 4410}}})
    world.advance(START + 10 * DAY)
    item = {"id": world.item(subscription), "price": dearer}
    changed = world.v1.subscriptions.update(
        subscription.id,
        {"items": [item], "proration_behavior": "always_invoice", "expand": ["latest_invoice"]},
    )
    assert (changed.latest_invoice.currency, changed.latest_invoice.total) == ("eur", 2000)


def test_a_currency_that_the_price_does_not_have(client: Any) -> None:
    world = World(client)
    error = refused(lambda: world.subscribe(price(world, TIERED), currency="sek"))
    assert error.http_status == 400
    assert "only supports `eur, usd`" in str(error)
