"""Charges without intents, cards on customers, sources: what integrations did before PaymentIntents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import stripe

from tests.twin.payments.marketplace import acting, ready
from tests.twin.payments.pay import books, error_of, event_types, pay
from trialbalance.twin import Twin

Versioned = Callable[[str], stripe.StripeClient]
OLD = "2019-02-11"


@pytest.fixture
def old(at_version: Versioned) -> stripe.StripeClient:
    """A client of a version that could still charge card tokens."""
    return at_version(OLD)


# What a current account refuses, as recorded


def test_recorded_refusals(client: stripe.StripeClient) -> None:
    bare = client.v1.customers.create()
    attached = client.v1.customers.create()
    client.v1.payment_methods.attach("pm_card_visa", {"customer": attached.id})
    cases: list[tuple[dict[str, Any], int, str | None, str]] = [
        ({}, 400, "parameter_missing", "Must provide source or customer."),
        ({"payment_method": "pm_card_visa"}, 400, "parameter_missing", "Must provide source or customer."),
        (
            {"source": "tok_visa"},
            400,
            None,
            "Card Token usage on the Customers API and Charges API has reached",
        ),
        (
            {"customer": attached.id},
            402,
            "missing",
            "This Customer doesn't have any legacy saved payment details, but",
        ),
        (
            {"customer": bare.id},
            402,
            "missing",
            "This Customer doesn't have any saved payment details. Attach a legacy",
        ),
    ]
    for params, status, code, message in cases:
        with pytest.raises(stripe.StripeError) as caught:
            client.v1.charges.create({"amount": 1400, "currency": "usd", **params})  # type: ignore[typeddict-item]
        error = error_of(caught)
        assert (caught.value.http_status, error.get("code")) == (status, code)
        assert error["message"].startswith(message)
        assert (error.get("param") == "card") == (status == 402)
    assert client.v1.charges.list().data == []


def test_capturing_twice_is_refused_as_recorded(old: stripe.StripeClient) -> None:
    charge = old.v1.charges.create({"amount": 1000, "currency": "usd", "source": "tok_visa"})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        old.v1.charges.capture(charge.id)
    assert error_of(caught)["code"] == "charge_already_captured"
    assert error_of(caught)["message"] == f"Charge {charge.id} has already been captured."


# Charging


def test_charging_a_token(old: stripe.StripeClient, twin: Twin) -> None:
    charge = old.v1.charges.create(
        {
            "amount": 1000,
            "currency": "usd",
            "source": "tok_visa",
            "description": "Book",
            "metadata": {"order": "1"},
            "receipt_email": "ada@example.test",
            "statement_descriptor_suffix": "BOOK",
        }
    )
    assert (charge.status, charge.captured, charge.paid, charge.payment_intent) == (
        "succeeded",
        True,
        True,
        None,
    )
    assert charge.source is not None and charge.source.object == "card"
    assert charge.payment_method_details is not None and charge.payment_method_details.card is not None
    assert charge.payment_method_details.card.last4 == "4242"
    assert charge.balance_transaction is not None
    assert event_types(twin) == ["charge.succeeded"]
    old.v1.refunds.create({"charge": charge.id, "amount": 400})
    assert old.v1.charges.retrieve(charge.id).amount_refunded == 400
    books(twin)


def test_a_declined_token(old: stripe.StripeClient, twin: Twin) -> None:
    with pytest.raises(stripe.CardError) as caught:
        old.v1.charges.create({"amount": 1000, "currency": "usd", "source": "tok_chargeDeclined"})
    error = error_of(caught)
    assert (error["code"], error["decline_code"]) == ("card_declined", "generic_decline")
    failed = old.v1.charges.retrieve(error["charge"])
    assert (failed.status, failed.failure_code, failed.paid) == ("failed", "card_declined", False)
    assert event_types(twin) == ["charge.failed"]
    with pytest.raises(stripe.CardError) as caught:
        old.v1.charges.create({"amount": 1000, "currency": "usd", "source": "tok_threeDSecure2Required"})
    assert error_of(caught)["code"] == "authentication_required"
    books(twin)


def test_holding_and_capturing(old: stripe.StripeClient, twin: Twin) -> None:
    held = old.v1.charges.create({"amount": 1000, "currency": "usd", "source": "tok_visa", "capture": False})
    assert (held.captured, held.balance_transaction) == (False, None)
    with pytest.raises(stripe.InvalidRequestError):
        old.v1.charges.capture(held.id, {"amount": 1001})
    captured = old.v1.charges.capture(held.id, {"amount": 700})
    assert (captured.captured, captured.amount_captured) == (True, 700)
    assert event_types(twin) == ["charge.succeeded", "charge.captured"]
    other = old.v1.charges.create({"amount": 1000, "currency": "usd", "source": "tok_visa", "capture": False})
    twin.advance(twin.now() + 7 * 24 * 3600)
    assert old.v1.charges.retrieve(other.id).refunded
    assert "charge.expired" in event_types(twin)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        old.v1.charges.capture(other.id)
    assert error_of(caught)["code"] == "charge_expired_for_capture"
    books(twin)


def test_cards_on_customers(old: stripe.StripeClient, twin: Twin) -> None:
    customer = old.v1.customers.create({"source": "tok_visa"})
    first = customer.default_source
    second = old.v1.customers.payment_sources.create(customer.id, {"source": "tok_mastercard"})
    assert old.v1.customers.retrieve(customer.id).default_source == first
    charge = old.v1.charges.create({"amount": 1000, "currency": "usd", "customer": customer.id})
    assert charge.source is not None and charge.source.id == first
    other = old.v1.charges.create(
        {"amount": 1000, "currency": "usd", "customer": customer.id, "source": second.id}
    )
    assert other.payment_method == second.id
    old.v1.customers.update(customer.id, {"default_source": second.id})
    old.v1.customers.payment_sources.delete(customer.id, second.id)
    assert old.v1.customers.retrieve(customer.id).default_source == first
    with pytest.raises(stripe.InvalidRequestError) as caught:
        old.v1.charges.create(
            {"amount": 1000, "currency": "usd", "customer": customer.id, "source": second.id}
        )
    assert error_of(caught)["code"] == "missing"
    with pytest.raises(stripe.CardError):
        old.v1.customers.payment_sources.create(customer.id, {"source": "tok_chargeDeclined"})
    books(twin)


def test_a_saved_card_is_a_payment_method_too(client: stripe.StripeClient, old: stripe.StripeClient) -> None:
    customer = old.v1.customers.create({"source": "tok_visa"})
    intent = pay(client, customer=customer.id, card=str(customer.default_source))
    assert intent.status == "succeeded" and intent.payment_method == customer.default_source


def test_a_card_hash_as_a_source(old: stripe.StripeClient) -> None:
    charge = old.v1.charges.create(
        {
            "amount": 1000,
            "currency": "usd",
            "source": {
                "object": "card", "number": "4242424242424242", "exp_month": "12", "exp_year": "2030", "cvc": "123",
            },
        }  # type: ignore[typeddict-item]
    )  # fmt: skip
    assert charge.status == "succeeded"


def test_bank_accounts(old: stripe.StripeClient, twin: Twin) -> None:
    customer = old.v1.customers.create()
    bank = old.v1.customers.payment_sources.create(customer.id, {"source": "btok_us"})
    with pytest.raises(stripe.InvalidRequestError):
        old.v1.charges.create({"amount": 1000, "currency": "usd", "customer": customer.id})
    with pytest.raises(stripe.InvalidRequestError):
        old.v1.customers.payment_sources.verify(customer.id, bank.id, {"amounts": [1, 2]})
    assert (
        old.v1.customers.payment_sources.verify(customer.id, bank.id, {"amounts": [32, 45]}).status
        == "verified"
    )
    charge = old.v1.charges.create({"amount": 1000, "currency": "usd", "customer": customer.id})
    assert (charge.status, charge.paid) == ("pending", False)
    twin.advance(twin.now() + 200)
    assert old.v1.charges.retrieve(charge.id).status == "succeeded"
    bad = old.v1.customers.create({"source": "btok_us_verified_accountClosed"})
    failing = old.v1.charges.create({"amount": 1000, "currency": "usd", "customer": bad.id})
    twin.advance(twin.now() + 200)
    failed = old.v1.charges.retrieve(failing.id)
    assert (failed.status, failed.failure_code) == ("failed", "account_closed")
    books(twin)


def test_destination_charges_of_old(
    old: stripe.StripeClient, client: stripe.StripeClient, twin: Twin
) -> None:
    account = ready(client)
    charge = old.v1.charges.create(
        {
            "amount": 1000,
            "currency": "usd",
            "source": "tok_visa",
            "destination": {"account": account.id},
            "application_fee_amount": 100,
        }
    )
    assert charge.transfer is not None and charge.application_fee is not None
    assert sum(b.amount for b in acting(twin, account).v1.balance.retrieve().pending) == 900
    books(twin)


def test_account_debits(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    there = acting(twin, account)
    pay(there, 5000, card="pm_card_bypassPending")
    before = there.v1.balance.retrieve().available[0].amount
    debit = client.v1.charges.create({"amount": 1500, "currency": "usd", "source": account.id})
    assert debit.id.startswith("py_") and debit.status == "succeeded"
    assert there.v1.balance.retrieve().available[0].amount == before - 1500
    assert client.v1.balance.retrieve().available[0].amount == 1500
    books(twin)


# Sources


def test_card_sources(old: stripe.StripeClient, twin: Twin) -> None:
    source = old.v1.sources.create(
        {"type": "card", "token": "tok_visa", "owner": {"email": "ada@example.test"}}
    )
    assert source.status == "chargeable" and source.card is not None and source.card.last4 == "4242"
    customer = old.v1.customers.create()
    old.v1.customers.payment_sources.create(customer.id, {"source": source.id})
    charge = old.v1.charges.create({"amount": 1000, "currency": "usd", "customer": customer.id})
    assert charge.source is not None and charge.source.id == source.id
    with pytest.raises(stripe.InvalidRequestError):
        old.v1.charges.create({"amount": 1000, "currency": "usd", "source": source.id})
    assert old.v1.sources.update(source.id, {"metadata": {"a": "1"}}).to_dict()["metadata"] == {"a": "1"}
    gone = old.v1.customers.payment_sources.delete(customer.id, source.id)
    assert gone.to_dict()["status"] == "consumed"
    assert event_types(twin)[0] == "source.chargeable"
    books(twin)


def test_sources_for_a_single_use(old: stripe.StripeClient) -> None:
    source = old.v1.sources.create({"type": "card", "token": "tok_visa", "usage": "single_use"})
    old.v1.charges.create({"amount": 1000, "currency": "usd", "source": source.id})
    assert old.v1.sources.retrieve(source.id).status == "consumed"
    with pytest.raises(stripe.InvalidRequestError):
        old.v1.charges.create({"amount": 1000, "currency": "usd", "source": source.id})


def test_other_sources(client: stripe.StripeClient, browser_client: stripe.StripeClient) -> None:
    source = client.v1.sources.create(
        {
            "type": "sepa_debit",
            "currency": "eur",
            "sepa_debit": {"iban": "DE89370400440532013000"},
            "owner": {"name": "Ada", "email": "ada@example.test"},
        }  # type: ignore[typeddict-item]
    )
    assert source.sepa_debit is not None and source.sepa_debit.last4 == "3000"
    assert (
        browser_client.v1.sources.retrieve(source.id, {"client_secret": source.client_secret}).id == source.id
    )
    with pytest.raises(stripe.InvalidRequestError):
        browser_client.v1.sources.retrieve(source.id, {"client_secret": "src_client_secret_x"})
    with pytest.raises(stripe.APIError) as caught:
        client.v1.sources.create({"type": "giropay", "currency": "eur", "amount": 1000})
    assert caught.value.http_status == 501
    assert client.v1.sources.transactions.list(source.id).data == []
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.sources.verify(source.id, {"values": ["1"]})
