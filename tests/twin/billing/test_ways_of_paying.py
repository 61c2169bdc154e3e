"""Where the money of an invoice came from, as older and newer versions tell it.

Source: https://docs.stripe.com/changelog/dahlia/2026-05-27/invoice-object-amount-paid-off-stripe-property
Source: https://docs.stripe.com/changelog/basil/2025-03-31/add-support-for-multiple-partial-payments-on-invoices
"""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.twin import Twin

OLD = "2022-08-01"


def ask(twin: Twin, method: str, path: str, version: str | None = None, **form: Any) -> dict[str, Any]:
    answer = twin.request(method, path, form, version=version)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def invoice(twin: Twin) -> dict[str, Any]:
    """An open invoice over 50.00."""
    customer = ask(twin, "POST", "/v1/customers")["id"]
    made = ask(
        twin, "POST", "/v1/invoices", customer=customer, currency="eur", collection_method="send_invoice",
        days_until_due=30,
    )  # fmt: skip
    ask(twin, "POST", "/v1/invoiceitems", customer=customer, currency="eur", amount=5000, invoice=made["id"])
    return ask(twin, "POST", f"/v1/invoices/{made['id']}/finalize")


def paid(twin: Twin, invoice: dict[str, Any], amount: int) -> dict[str, Any]:
    """A payment of the invoice's customer that has gone through."""
    return ask(
        twin, "POST", "/v1/payment_intents", OLD, amount=amount, currency="eur", confirm=True,
        customer=invoice["customer"], payment_method="pm_card_visa",
    )  # fmt: skip


def off_stripe(twin: Twin, invoice: dict[str, Any]) -> Any:
    path = f"/v1/invoices/{invoice['id']}"
    assert "amount_paid_off_stripe" not in ask(twin, "GET", path)
    return ask(twin, "GET", path, expand=["amount_paid_off_stripe"])["amount_paid_off_stripe"]


def test_out_of_band_is_off_stripe(twin: Twin, invoice: dict[str, Any]) -> None:
    assert off_stripe(twin, invoice) == 0
    ask(twin, "POST", f"/v1/invoices/{invoice['id']}/pay", paid_out_of_band=True)
    assert off_stripe(twin, invoice) == 5000


def test_only_the_rest_is_off_stripe(twin: Twin, invoice: dict[str, Any]) -> None:
    path = f"/v1/invoices/{invoice['id']}"
    ask(twin, "POST", f"{path}/attach_payment", payment_intent=paid(twin, invoice, 1800)["id"])
    assert off_stripe(twin, invoice) == 0
    ask(twin, "POST", f"{path}/pay", paid_out_of_band=True)
    assert off_stripe(twin, invoice) == 3200


def test_a_charge_that_was_attached_later_names_its_invoice(twin: Twin, invoice: dict[str, Any]) -> None:
    intent = paid(twin, invoice, 1800)
    charge = f"/v1/charges/{intent['latest_charge']}"
    assert ask(twin, "GET", charge, OLD)["invoice"] is None
    ask(twin, "POST", f"/v1/invoices/{invoice['id']}/attach_payment", payment_intent=intent["id"])
    assert ask(twin, "GET", charge, OLD)["invoice"] == invoice["id"]
    expanded = ask(twin, "GET", charge, OLD, expand=["invoice"])["invoice"]
    assert expanded["amount_remaining"] == 3200
    assert "invoice" not in ask(twin, "GET", charge)
