"""Revisions of finalized invoices."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import World, refused


@pytest.fixture
def world(client: Any) -> World:
    return World(client, clock=False)


def finalized(world: World, amount: int) -> Any:
    draft = world.v1.invoices.create(
        {"customer": world.customer, "collection_method": "send_invoice", "days_until_due": 30}
    )
    row = {"customer": world.customer, "invoice": draft.id, "amount": amount, "currency": "usd"}
    world.v1.invoice_items.create(row)
    return world.v1.invoices.finalize_invoice(draft.id)


def revise(world: World, invoice: Any) -> Any:
    return world.v1.invoices.create({"from_invoice": {"invoice": invoice.id, "action": "revision"}})


def test_the_revision_replaces_the_original(world: World) -> None:
    """Source: https://docs.stripe.com/invoicing/invoice-edits"""
    original = finalized(world, 5000)
    draft = revise(world, original)
    assert (draft.status, draft.total, draft.number) == ("draft", 5000, None)
    assert (draft.from_invoice.invoice, draft.from_invoice.action) == (original.id, "revision")
    assert world.invoice(original).latest_revision is None, "a draft is no revision yet"
    lines = {"lines": [{"amount": 700, "description": "Forgotten"}]}
    assert world.v1.invoices.add_lines(draft.id, lines).total == 5700
    revision = world.v1.invoices.finalize_invoice(draft.id)
    assert (revision.status, revision.total) == ("open", 5700)
    replaced = world.invoice(original)
    assert (replaced.status, replaced.latest_revision) == ("void", revision.id)
    assert replaced.number != revision.number
    again = revise(world, revision)
    world.v1.invoices.finalize_invoice(again.id)
    assert world.invoice(revision).status == "void"


def test_what_cannot_be_revised(world: World) -> None:
    """Source: https://docs.stripe.com/invoicing/invoice-edits"""
    paid = world.v1.invoices.pay(finalized(world, 800).id, {"paid_out_of_band": True})
    void = world.v1.invoices.void_invoice(finalized(world, 800).id)
    sent = world.subscribe(world.price(), collection_method="send_invoice", days_until_due=3)
    recurring = world.v1.invoices.finalize_invoice(sent.latest_invoice)
    for invoice in (paid, void, recurring):
        assert refused(lambda of=invoice: revise(world, of)).error.param == "from_invoice[invoice]"
    open_ = finalized(world, 900)
    draft = revise(world, open_)
    assert refused(lambda: revise(world, open_)).http_status == 400
    world.v1.invoices.delete(draft.id)
    assert revise(world, open_).status == "draft"
