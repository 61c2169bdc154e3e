"""Invoices as the recorded test-mode API answered (2026-08-26.dahlia): fields, life, errors, items."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import World, amounts, refused
from trialbalance.twin import Twin

NOW = 1767225600
FIELDS = [
    "account_country", "account_name", "account_tax_ids", "amount_due", "amount_overpaid", "amount_paid",
    "amount_remaining", "amount_shipping", "application", "attempt_count", "attempted", "auto_advance",
    "automatic_tax", "automatically_finalizes_at", "billing_reason", "collection_method", "created", "currency",
    "custom_fields", "customer", "customer_account", "customer_address", "customer_email", "customer_name",
    "customer_phone", "customer_shipping", "customer_tax_exempt", "customer_tax_ids", "default_payment_method",
    "default_source", "default_tax_rates", "description", "discounts", "due_date", "effective_at",
    "ending_balance", "footer", "from_invoice", "hosted_invoice_url", "invoice_pdf", "issuer",
    "last_finalization_error", "latest_revision", "lines", "livemode", "metadata", "next_payment_attempt",
    "number", "on_behalf_of", "parent", "payment_settings", "period_end", "period_start",
    "post_payment_credit_notes_amount", "pre_payment_credit_notes_amount", "receipt_number", "rendering",
    "shipping_cost", "shipping_details", "starting_balance", "statement_descriptor", "status",
    "status_transitions", "subtotal", "subtotal_excluding_tax", "test_clock", "total",
    "total_discount_amounts", "total_excluding_tax", "total_pretax_credit_amounts", "total_taxes",
    "webhooks_delivered_at",
]  # fmt: skip


@pytest.fixture
def world(client: Any) -> World:
    return World(client, clock=False)


def draft(world: World, amount: int | None = 1500, **more: Any) -> Any:
    invoice = world.v1.invoices.create({"customer": world.customer, **more})
    if amount is not None:
        item(world, amount, invoice=invoice.id)
    return world.invoice(invoice)


def item(world: World, amount: int, **more: Any) -> Any:
    given = {"customer": world.customer, "amount": amount, "currency": "usd", "description": "Set-up", **more}
    return world.v1.invoice_items.create(given)


def test_the_fields_of_a_manual_draft(world: World, twin: Twin) -> None:
    made = draft(world)
    shown = twin.request("GET", f"/v1/invoices/{made.id}").json()
    extra = {"status_details", "amount_paid_off_stripe"}  # newer than the recording
    assert [n for n in shown if n not in {"id", "object", *extra}] == FIELDS
    assert shown["rendering"] == {
        "amount_tax_display": None, "pdf": {"page_size": "auto"}, "template": None, "template_version": None,
    }  # fmt: skip
    assert (shown["auto_advance"], shown["period_start"], shown["period_end"]) == (False, NOW, NOW)
    assert (shown["parent"], shown["billing_reason"], shown["ending_balance"]) == (None, "manual", None)
    assert shown["webhooks_delivered_at"] == NOW
    assert shown["lines"]["total_count"] == 1
    (line,) = shown["lines"]["data"]
    assert line["parent"] == {
        "invoice_item_details": {
            "invoice_item": line["parent"]["invoice_item_details"]["invoice_item"],
            "proration": False,
            "proration_details": {"credited_items": None},
            "subscription": None,
        },
        "subscription_item_details": None,
        "type": "invoice_item_details",
    }
    assert line["pricing"]["unit_amount_decimal"] == "1500"
    assert (line["quantity_decimal"], line["subtotal"], line["taxes"]) == ("1", 1500, [])
    assert line["pretax_credit_amounts"] == []


def test_the_price_behind_an_amount_is_kept(world: World) -> None:
    one, two, other = item(world, 700), item(world, 700), item(world, 900)
    names = [i.pricing.price_details.price for i in (one, two, other)]
    assert names[0] == names[1] != names[2]
    price = world.v1.prices.retrieve(names[0])
    assert (price.active, price.unit_amount, price.type) == (False, 700, "one_time")
    assert (one.frozen_fields, one.invoicing_rules, one.parent) == ([], [], None)
    assert one.period.start == one.period.end == one.date


def test_paying_a_draft_finalizes_it(world: World) -> None:
    paid = world.v1.invoices.pay(draft(world).id)
    assert (paid.status, paid.attempt_count, paid.amount_paid, paid.attempted) == ("paid", 1, 1500, True)
    assert paid.rendering.pdf.page_size == "letter"
    assert paid.hosted_invoice_url
    assert paid.invoice_pdf
    error = refused(lambda: world.v1.invoices.pay(paid.id))
    assert (error.user_message, error.code) == ("Invoice is already paid", None)
    error = refused(lambda: world.v1.invoices.void_invoice(paid.id))
    assert error.user_message == "Invoices with `paid` payments cannot be voided."


def test_paid_elsewhere(world: World) -> None:
    done = world.v1.invoices.pay(draft(world).id, {"paid_out_of_band": True})
    assert (done.status, done.attempted, done.attempt_count) == ("paid", False, 0)
    assert (done.amount_paid, done.auto_advance) == (1500, False)


def test_nothing_due_is_paid_at_once(world: World) -> None:
    done = world.v1.invoices.finalize_invoice(draft(world, None).id)
    assert (done.status, done.attempted, done.attempt_count, done.amount_paid) == ("paid", True, 0, 0)


def test_void_and_uncollectible(world: World) -> None:
    invoices = world.v1.invoices
    opened = invoices.finalize_invoice(draft(world).id)
    assert (opened.status, opened.automatically_finalizes_at) == ("open", None)
    error = refused(lambda: invoices.finalize_invoice(opened.id))
    assert error.user_message == (
        "This invoice is already finalized, you can't re-finalize a non-draft invoice."
    )
    lost = invoices.mark_uncollectible(opened.id)
    assert (lost.status, lost.amount_remaining) == ("uncollectible", 1500)
    error = refused(lambda: invoices.mark_uncollectible(opened.id))
    assert error.user_message == "This invoice has already been marked uncollectible."
    gone = invoices.void_invoice(opened.id)
    assert (gone.status, gone.amount_remaining) == ("void", 1500)
    waiting = draft(world)
    for act in (invoices.void_invoice, invoices.mark_uncollectible):
        error = refused(lambda act=act: act(waiting.id))
        assert error.user_message == "You can only pass in open invoices. This invoice isn't open."
    error = refused(lambda: invoices.delete(opened.id))
    assert error.user_message == "You can only delete draft invoices."


def test_what_may_change_after_finalization(world: World) -> None:
    opened = world.v1.invoices.finalize_invoice(draft(world).id)
    changed = world.v1.invoices.update(opened.id, {"metadata": {"a": "1"}})
    assert changed.metadata["a"] == "1"
    error = refused(lambda: world.v1.invoices.update(opened.id, {"description": "x"}))
    assert (error.user_message, error.error.param) == (
        "Finalized invoices can't be updated in this way", "description")  # fmt: skip


def test_when_it_finalizes_by_itself(world: World) -> None:
    made = draft(world)
    on = world.v1.invoices.update(made.id, {"auto_advance": True})
    assert on.next_payment_attempt == on.automatically_finalizes_at == NOW + 3600
    off = world.v1.invoices.update(made.id, {"auto_advance": False})
    assert (off.next_payment_attempt, off.automatically_finalizes_at) == (None, None)
    sent = draft(world, collection_method="send_invoice", days_until_due=30, auto_advance=True)
    assert (sent.next_payment_attempt, sent.automatically_finalizes_at) == (None, NOW + 3600)
    assert sent.due_date == NOW + 30 * 86_400
    assert world.v1.invoices.send_invoice(sent.id).status == "open"


def test_a_deleted_draft_takes_its_items_along(world: World) -> None:
    waiting = item(world, 900)
    made = world.v1.invoices.create({"customer": world.customer, "pending_invoice_items_behavior": "include"})
    assert world.v1.invoices.delete(made.id).deleted is True
    assert world.waiting() == []
    error = refused(lambda: world.v1.invoice_items.update(waiting.id, {"amount": 5}))
    assert error.user_message == "This invoice item has been deleted."
    error = refused(lambda: world.v1.invoice_items.retrieve(waiting.id))
    assert error.user_message == f"No such Invoice Item: '{waiting.id}'(livemode=false)"
    assert (error.http_status, error.error.param) == (404, "id")


def test_items_of_a_finalized_invoice_stay(world: World) -> None:
    made = world.v1.invoices.create({"customer": world.customer})
    charged = item(world, 900, invoice=made.id)
    world.v1.invoices.finalize_invoice(made.id)
    error = refused(lambda: world.v1.invoice_items.delete(charged.id))
    assert error.user_message == (
        "Can't delete an invoice item that is attached to an invoice that is no longer editable"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"collection_method": "send_invoice"},
            "If invoice collection method is 'send_invoice', you must specify 'due_date' or 'days_until_due'.",
        ),
        (
            {"days_until_due": 30},
            "You can only specify 'due_date' or 'days_until_due' if invoice collection method is 'send_invoice'.",
        ),
    ],
)
def test_due_dates_belong_to_sent_invoices(world: World, given: dict[str, Any], message: str) -> None:
    error = refused(lambda: world.v1.invoices.create({"customer": world.customer, **given}))
    assert (error.user_message, error.error.param, error.code) == (message, None, None)


def test_the_param_of_an_unknown_invoice(world: World) -> None:
    invoices = world.v1.invoices
    by_name: dict[str, list[Any]] = {
        "invoice": [
            lambda: invoices.retrieve("in_x"),
            lambda: invoices.delete("in_x"),
            lambda: invoices.send_invoice("in_x"),
            lambda: invoices.add_lines("in_x", {"lines": [{"amount": 5}]}),
        ],
        "id": [
            lambda: invoices.update("in_x", {"metadata": {"a": "1"}}),
            lambda: invoices.pay("in_x"),
            lambda: invoices.finalize_invoice("in_x"),
            lambda: invoices.void_invoice("in_x"),
            lambda: invoices.mark_uncollectible("in_x"),
        ],
    }
    for name, acts in by_name.items():
        for act in acts:
            error = refused(act)
            assert (error.http_status, error.error.param) == (404, name)
            assert error.user_message == "No such invoice: 'in_x'"
    error = refused(lambda: invoices.create({"customer": "cus_nope"}))
    assert (error.http_status, error.error.param) == (400, "customer")


def test_lines_are_changed_and_removed(world: World) -> None:
    made = draft(world)
    line = made.lines.data[0]
    changed = world.v1.invoices.line_items.update(made.id, line.id, {"amount": 2000})
    assert changed.amount == 2000
    assert changed.pricing.price_details.price != line.pricing.price_details.price
    assert changed.pricing.price_details.product == line.pricing.price_details.product
    assert world.invoice(made).total == 2000
    added = world.v1.invoices.add_lines(made.id, {"lines": [{"amount": 300, "description": "More"}]})
    assert amounts(added) == [2000, 300]
    removed = world.v1.invoices.remove_lines(made.id, {"lines": [{"id": line.id, "behavior": "delete"}]})
    assert amounts(removed) == [300]


def test_numbers_go_on_with_the_customers_prefix(world: World) -> None:
    """Recorded: the prefix can be chosen, and is what numbers begin with."""
    customer = world.v1.customers.update(world.customer, {"invoice_prefix": "SEED01"})
    assert customer.invoice_prefix == "SEED01"
    assert world.v1.invoices.finalize_invoice(draft(world).id).number == "SEED01-0001"
    world.v1.customers.update(world.customer, {"next_invoice_sequence": 40})
    assert world.v1.invoices.finalize_invoice(draft(world).id).number == "SEED01-0040"
    assert world.v1.customers.retrieve(world.customer).next_invoice_sequence == 41


def test_unknown_status_names_all(world: World) -> None:
    error = refused(lambda: world.v1.invoices.list({"status": "lost"}))
    assert str(error.user_message).endswith("must be one of draft, open, void, paid, or uncollectible")
    error = refused(
        lambda: world.v1.invoices.create(
            {"customer": world.customer, "pending_invoice_items_behavior": "all"}
        )
    )
    assert str(error.user_message).endswith("must be one of include or exclude")
