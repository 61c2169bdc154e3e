"""Prefixes of invoice numbers, as recorded answers of the API have them (2026-08-26.dahlia)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.twin.billing.world import World, refused

VERSION = "2026-08-26.dahlia"
SHAPE = "Invoice number prefix must be 1–12 uppercase letters or numbers."


@pytest.fixture
def world(at_version: Callable[[str], Any]) -> World:
    return World(at_version(VERSION), clock=False)


@pytest.mark.parametrize("prefix", ["a", "abc", "AB_1", "ABCDEFGHIJKLM"])
def test_what_is_no_prefix(world: World, prefix: str) -> None:
    for act in (
        lambda: world.v1.customers.create({"invoice_prefix": prefix}),
        lambda: world.v1.customers.update(world.customer, {"invoice_prefix": prefix}),
    ):
        error = refused(act)
        assert (error.http_status, error.code, error.error.param) == (400, None, None)
        assert error.user_message == SHAPE


def test_a_prefix_belongs_to_one_customer(world: World) -> None:
    holder = world.v1.customers.create({"invoice_prefix": "P626092001"})
    assert (holder.invoice_prefix, holder.next_invoice_sequence) == ("P626092001", 1)
    other = world.v1.customers.create({"email": "b@example.test"})
    assert len(str(other.invoice_prefix)) == 8
    taken = f"This invoice number prefix is taken by customer: {holder.id}. Please enter a different prefix."
    for act in (
        lambda: world.v1.customers.create({"invoice_prefix": "P626092001"}),
        lambda: world.v1.customers.update(other.id, {"invoice_prefix": "P626092001"}),
    ):
        error = refused(act)
        assert (error.http_status, error.code, error.error.param) == (400, None, "invoice_prefix")
        assert error.user_message == taken
    kept = world.v1.customers.update(holder.id, {"invoice_prefix": "P626092001"})
    assert kept.invoice_prefix == "P626092001"


def test_invoices_are_numbered_with_it(world: World) -> None:
    """Source: https://docs.stripe.com/invoicing/customize#invoice-numbering"""
    world.v1.customers.update(world.customer, {"invoice_prefix": "SEED", "next_invoice_sequence": 41})
    draft = world.v1.invoices.create({"customer": world.customer})
    assert world.v1.invoices.finalize_invoice(draft.id).number == "SEED-0041"
