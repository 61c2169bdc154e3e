"""Credit notes: before and after payment, refunds, balance, taxes and discounts in proportion."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import World, refused, types
from trialbalance.twin import Twin


@pytest.fixture
def world(client: Any) -> World:
    return World(client, clock=False)


def billed(world: World, *of: int, pay: bool = True, **more: Any) -> Any:
    """A finalized invoice of some items, paid if asked."""
    invoice = world.v1.invoices.create({"customer": world.customer, **more})
    for amount in of:
        world.v1.invoice_items.create(
            {
                "customer": world.customer,
                "invoice": invoice.id,
                "amount": amount,
                "currency": "usd",
                "description": f"Item {amount}",
            }
        )
    return world.v1.invoices.pay(invoice.id) if pay else world.v1.invoices.finalize_invoice(invoice.id)


def test_the_recorded_refund_after_payment(world: World, twin: Twin) -> None:
    """Source: a recorded answer in pay-rails/pay (2025-10-29.clover)."""
    invoice = billed(world, 2500)
    note = world.v1.credit_notes.create(
        {
            "invoice": invoice.id,
            "refund_amount": 500,
            "lines": [
                {"type": "custom_line_item", "description": "Refund", "quantity": 1, "unit_amount": 500}
            ],
        }
    )
    assert (note.amount, note.total, note.subtotal) == (500, 500, 500)
    assert (note.type, note.pre_payment_amount, note.post_payment_amount) == ("post_payment", 0, 500)
    assert note.number == f"{invoice.number}-CN-01"
    assert (note.out_of_band_amount, note.customer_balance_transaction) == (None, None)
    (refund,) = note.refunds
    assert (refund.amount_refunded, refund.type) == (500, "refund")
    assert world.v1.refunds.retrieve(refund.refund).amount == 500
    (line,) = note.lines.data
    assert (line.type, line.unit_amount, line.unit_amount_decimal, line.quantity) == (
        "custom_line_item", 500, 500, 1)  # fmt: skip
    after = world.invoice(invoice)
    assert (after.post_payment_credit_notes_amount, after.amount_paid, after.status) == (500, 2500, "paid")
    told = types(twin)
    at = told.index("charge.refunded")
    assert told[at - 1 : at + 3] == [
        "refund.created",
        "charge.refunded",
        "invoice.updated",
        "credit_note.created",
    ]


def test_before_payment_it_lowers_what_remains(world: World) -> None:
    """Source: https://docs.stripe.com/invoicing/dashboard/credit-notes"""
    invoice = billed(world, 1000, pay=False)
    note = world.v1.credit_notes.create({"invoice": invoice.id, "amount": 300})
    assert (note.type, note.pre_payment_amount, note.post_payment_amount) == ("pre_payment", 300, 0)
    lowered = world.v1.invoices.retrieve(invoice.id, {"expand": ["payments.data.payment.payment_intent"]})
    assert (lowered.amount_due, lowered.amount_remaining, lowered.total) == (700, 700, 1000)
    assert lowered.pre_payment_credit_notes_amount == 300
    assert lowered.payments.data[0].payment.payment_intent.amount == 700
    paid = world.v1.invoices.pay(invoice.id)
    assert (paid.amount_paid, paid.status) == (700, "paid")


def test_all_of_an_open_invoice(world: World) -> None:
    """Source: https://docs.stripe.com/api/credit_notes/create"""
    invoice = billed(world, 1000, pay=False)
    world.v1.credit_notes.create({"invoice": invoice.id, "amount": 1000})
    done = world.invoice(invoice)
    assert (done.status, done.amount_paid, done.amount_remaining) == ("paid", 0, 0)


def test_a_voided_note_raises_it_again(world: World) -> None:
    """Source: https://docs.stripe.com/api/credit_notes/void"""
    invoice = billed(world, 1000, pay=False)
    note = world.v1.credit_notes.create({"invoice": invoice.id, "amount": 300})
    voided = world.v1.credit_notes.void_credit_note(note.id)
    assert (voided.status, voided.voided_at) == ("void", voided.created)
    assert world.invoice(invoice).amount_due == 1000
    assert refused(lambda: world.v1.credit_notes.void_credit_note(note.id)).http_status == 400
    second = world.v1.credit_notes.create({"invoice": invoice.id, "amount": 1000})
    assert second.number.endswith("-CN-02")


def test_several_ways_back_must_add_up(world: World) -> None:
    """Source: https://docs.stripe.com/api/credit_notes/create"""
    invoice = billed(world, 1000)
    wrong = refused(
        lambda: world.v1.credit_notes.create(
            {"invoice": invoice.id, "amount": 900, "refund_amount": 500, "credit_amount": 300}
        )
    )
    assert "must equal the post payment credit note amount (900)" in str(wrong.user_message)
    note = world.v1.credit_notes.create(
        {
            "invoice": invoice.id,
            "amount": 900,
            "refund_amount": 500,
            "credit_amount": 300,
            "out_of_band_amount": 100,
        }
    )
    assert (note.post_payment_amount, note.out_of_band_amount) == (900, 100)
    moved = world.v1.customers.balance_transactions.retrieve(
        world.customer, note.customer_balance_transaction
    )
    assert (moved.amount, moved.type, moved.credit_note) == (-300, "credit_note", note.id)
    assert world.v1.customers.retrieve(world.customer).balance == -300
    assert refused(
        lambda: world.v1.credit_notes.create(
            {"invoice": invoice.id, "amount": 101, "out_of_band_amount": 101}
        )
    )


def test_lines_go_back_with_their_discounts_and_taxes(world: World) -> None:
    """Source: https://docs.stripe.com/invoicing/integration/credit-notes#line-items"""
    rate = world.v1.tax_rates.create({"display_name": "VAT", "percentage": 20, "inclusive": False})
    coupon = world.v1.coupons.create({"percent_off": 10, "duration": "once"})
    invoice = billed(world, 3000, default_tax_rates=[rate.id], discounts=[{"coupon": coupon.id}])
    assert invoice.total == 3240
    line = invoice.lines.data[0].id
    part = {"type": "invoice_line_item", "invoice_line_item": line, "amount": 1000}
    note = world.v1.credit_notes.create({"invoice": invoice.id, "lines": [part], "refund_amount": 1080})
    assert (note.subtotal, note.discount_amount, note.total, note.total_excluding_tax) == (
        1000, 100, 1080, 900)  # fmt: skip
    assert note.total_taxes[0].amount == 180
    rest = {"type": "invoice_line_item", "invoice_line_item": line}
    last = world.v1.credit_notes.create({"invoice": invoice.id, "lines": [rest], "credit_amount": 2160})
    assert (last.subtotal, last.total) == (2000, 2160)
    assert refused(
        lambda: world.v1.credit_notes.create(
            {"invoice": invoice.id, "lines": [{**part, "amount": 1}], "credit_amount": 1}
        )
    )


def test_quantities_and_previews(world: World) -> None:
    """Source: https://docs.stripe.com/api/credit_notes/preview"""
    invoice = world.v1.invoices.create({"customer": world.customer})
    price = world.price(333, None)
    world.v1.invoice_items.create(
        {"customer": world.customer, "invoice": invoice.id, "pricing": {"price": price}, "quantity": 3}
    )
    invoice = world.v1.invoices.finalize_invoice(invoice.id)
    line = {
        "type": "invoice_line_item",
        "invoice_line_item": invoice.lines.data[0].id,
        "quantity": 2,
    }
    shown = world.v1.credit_notes.preview({"invoice": invoice.id, "lines": [line]})
    assert (shown.total, shown.pre_payment_amount) == (666, 666)
    rows = world.v1.credit_notes.preview_lines.list({"invoice": invoice.id, "lines": [line]})
    assert [(row.amount, row.quantity) for row in rows.data] == [(666, 2)]
    assert world.v1.credit_notes.list({"invoice": invoice.id}).data == []
    assert world.invoice(invoice).amount_due == 999
    made = world.v1.credit_notes.create({"invoice": invoice.id, "lines": [line]})
    assert [n.id for n in world.v1.credit_notes.list({"customer": world.customer}).data] == [made.id]
    assert world.v1.credit_notes.line_items.list(made.id).data[0].amount == 666
    assert world.v1.credit_notes.update(made.id, {"memo": "sorry"}).memo == "sorry"


def test_a_draft_has_no_credit_notes(world: World) -> None:
    """Source: https://docs.stripe.com/invoicing/overview#invoice-statuses"""
    invoice = world.v1.invoices.create({"customer": world.customer})
    assert (
        refused(lambda: world.v1.credit_notes.create({"invoice": invoice.id, "amount": 5})).http_status == 400
    )
