"""Automatic tax on subscriptions and invoices."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import World, refused, types
from trialbalance.twin import Twin

BERLIN = {"country": "DE", "city": "Berlin", "line1": "Weg 1", "postal_code": "10115"}


@pytest.fixture
def world(client: Any, twin: Twin) -> World:
    client.v1.tax.settings.update({"head_office": {"address": BERLIN}})
    registration = {
        "country": "DE",
        "country_options": {"de": {"type": "standard"}},
        "active_from": "now",
    }
    client.v1.tax.registrations.create(registration)
    return World(client, at=twin.now())


def test_a_subscription_in_a_registered_country(world: World) -> None:
    """Source: https://docs.stripe.com/tax/subscriptions"""
    world.v1.customers.update(world.customer, {"address": BERLIN})
    made = world.subscribe(
        world.price(10000, currency="eur"), automatic_tax={"enabled": True}, expand=["latest_invoice"]
    )
    invoice = made.latest_invoice
    assert (invoice.automatic_tax.status, invoice.subtotal, invoice.total) == ("complete", 10000, 11900)
    (tax,) = invoice.total_taxes
    rate = world.v1.tax_rates.retrieve(tax.tax_rate_details.tax_rate)
    assert (rate.percentage, rate.country, rate.tax_type, rate.active) == (19, "DE", "vat", False)
    assert (tax.amount, tax.tax_behavior) == (1900, "exclusive")


def test_prices_that_include_it(world: World) -> None:
    """Source: https://docs.stripe.com/tax/products-prices-tax-codes-tax-behavior"""
    world.v1.customers.update(world.customer, {"address": BERLIN})
    price = world.price(11900, currency="eur", tax_behavior="inclusive")
    made = world.subscribe(price, automatic_tax={"enabled": True}, expand=["latest_invoice"])
    assert (made.latest_invoice.total, made.latest_invoice.total_taxes[0].amount) == (11900, 1900)


def test_nothing_is_collected_where_nobody_is_registered(world: World) -> None:
    """Source: https://docs.stripe.com/tax/registering"""
    world.v1.customers.update(world.customer, {"address": {**BERLIN, "country": "FR"}})
    made = world.subscribe(
        world.price(10000, currency="eur"), automatic_tax={"enabled": True}, expand=["latest_invoice"]
    )
    assert (made.latest_invoice.total, made.latest_invoice.total_taxes) == (10000, [])


def test_a_place_is_needed(world: World, twin: Twin) -> None:
    """Source: https://docs.stripe.com/tax/customer-locations"""
    price = world.price(10000, currency="eur")
    error = refused(lambda: world.subscribe(price, automatic_tax={"enabled": True}))
    assert (error.http_status, error.code) == (400, "customer_tax_location_invalid")
    draft = world.v1.invoices.create(
        {"customer": world.customer, "automatic_tax": {"enabled": True}, "auto_advance": True}
    )
    assert draft.automatic_tax.status == "requires_location_inputs"
    error = refused(lambda: world.v1.invoices.finalize_invoice(draft.id))
    assert error.code == "customer_tax_location_invalid"
    world.advance(world.now + 2 * 3600)
    failed = world.invoice(draft)
    assert (failed.status, failed.last_finalization_error.code) == (
        "draft", "customer_tax_location_invalid")  # fmt: skip
    assert "invoice.finalization_failed" in types(twin)
