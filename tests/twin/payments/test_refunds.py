"""Refunds: amounts, refusals, what pends, what fails."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import stripe

from tests.twin.payments.pay import books, charge_of, error_of, event_types, pay
from trialbalance.twin import Twin

At = Callable[[str], stripe.StripeClient]


def test_a_partial_refund(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, 5000, description="tea")
    charge = charge_of(client, intent)
    before = len(event_types(twin))
    refund = client.v1.refunds.create(
        {"charge": charge.id, "amount": 1500, "reason": "duplicate", "metadata": {"p": "1"}}
    )
    assert (refund.status, refund.amount, refund.reason) == ("succeeded", 1500, "duplicate")
    assert refund.payment_intent == intent.id
    assert refund.destination_details is not None and refund.destination_details.card is not None
    assert refund.destination_details.card.reference_status == "pending"
    row = client.v1.balance_transactions.retrieve(str(refund.balance_transaction))
    assert (row.amount, row.fee, row.type) == (-1500, 0, "refund")
    assert row.description == "REFUND FOR CHARGE (tea)"
    charge = charge_of(client, intent)
    assert (charge.amount_refunded, charge.refunded) == (1500, False)
    assert event_types(twin, before)[:2] == ["refund.created", "charge.refunded"]
    later = client.v1.refunds.retrieve(refund.id)
    assert later.destination_details is not None and later.destination_details.card is not None
    assert later.destination_details.card.reference_status == "available"
    books(twin)


def test_the_rest_and_no_more(client: stripe.StripeClient, twin: Twin) -> None:
    charge = charge_of(client, pay(client, 5000))
    client.v1.refunds.create({"charge": charge.id, "amount": 1500})
    assert client.v1.refunds.create({"charge": charge.id}).amount == 3500
    for amount in (None, 1):
        with pytest.raises(stripe.InvalidRequestError) as caught:
            client.v1.refunds.create({"charge": charge.id, **({"amount": amount} if amount else {})})  # type: ignore[typeddict-item]
        assert error_of(caught)["code"] == "charge_already_refunded"
    books(twin)


@pytest.mark.parametrize(
    ("first", "amount", "message"),
    [
        (0, 1100, "Refund amount ($11.00) is greater than charge amount ($10.00)"),
        (500, 600, "Refund amount ($6.00) is greater than unrefunded amount on charge ($5.00)"),
    ],
)
def test_refunding_too_much(first: int, amount: int, message: str, client: stripe.StripeClient) -> None:
    charge = charge_of(client, pay(client, 1000))
    if first:
        client.v1.refunds.create({"charge": charge.id, "amount": first})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.create({"charge": charge.id, "amount": amount})
    error = error_of(caught)
    assert (error["message"], error["param"], error.get("code")) == (message, "amount", None)


@pytest.mark.parametrize("amount", [-1, 0])
def test_refunding_nothing(amount: int, client: stripe.StripeClient) -> None:
    charge = charge_of(client, pay(client))
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.create({"charge": charge.id, "amount": amount})
    assert (error_of(caught)["code"], error_of(caught)["param"]) == ("parameter_invalid_integer", "amount")


def test_refunds_by_payment_intent(client: stripe.StripeClient) -> None:
    intent = pay(client, 3200)
    assert (
        client.v1.refunds.create({"payment_intent": intent.id, "amount": 700}).charge == intent.latest_charge
    )
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.create({"payment_intent": intent.id, "amount": 3000})
    assert "($25.00)" in error_of(caught)["message"]


def test_what_cannot_be_refunded(client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.create({"amount": 100})
    assert error_of(caught)["message"].startswith("One of the following params should be provided")
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.create({"charge": "ch_unknown"})
    assert (caught.value.http_status, error_of(caught)["param"]) == (404, "id")
    held = pay(client, 3300, capture_method="manual")
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.create({"charge": held.latest_charge, "amount": 100})
    assert error_of(caught)["message"].startswith("This uncaptured Charge was created by a PaymentIntent")
    bare = client.v1.payment_intents.create({"amount": 1000, "currency": "usd"})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.create({"payment_intent": bare.id})
    assert "does not have a successful charge to refund" in error_of(caught)["message"]


def test_a_refund_that_pends(client: stripe.StripeClient, twin: Twin) -> None:
    charge = charge_of(client, pay(client, card="pm_card_pendingRefund"))
    refund = client.v1.refunds.create({"charge": charge.id})
    assert refund.status == "pending"
    assert client.v1.charges.retrieve(charge.id).amount_refunded == 1000
    twin.advance(twin.now() + 180)
    assert client.v1.refunds.retrieve(refund.id).status == "succeeded"
    assert event_types(twin)[-2:] == ["refund.updated", "charge.refund.updated"]
    books(twin)


def test_a_refund_that_fails(client: stripe.StripeClient, twin: Twin) -> None:
    charge = charge_of(client, pay(client, card="pm_card_refundFail"))
    refund = client.v1.refunds.create({"charge": charge.id, "amount": 400})
    assert refund.status == "succeeded"
    twin.advance(twin.now() + 180)
    failed = client.v1.refunds.retrieve(refund.id)
    assert (failed.status, failed.failure_reason) == ("failed", "expired_or_canceled_card")
    back = client.v1.balance_transactions.retrieve(str(failed.failure_balance_transaction))
    assert (back.amount, back.type) == (400, "refund_failure")
    assert "refund.failed" in event_types(twin)
    assert client.v1.charges.retrieve(charge.id).amount_refunded == 0
    books(twin)


def test_card_refunds_cannot_be_canceled(client: stripe.StripeClient) -> None:
    refund = client.v1.refunds.create({"charge": str(pay(client).latest_charge)})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.cancel(refund.id)
    assert error_of(caught)["message"] == "Canceling this refund is unsupported."
    assert client.v1.refunds.update(refund.id, {"metadata": {"k": "v"}}).metadata.to_dict() == {"k": "v"}


def test_older_paths(client: stripe.StripeClient, twin: Twin) -> None:
    charge = charge_of(client, pay(client, 4100))
    path = f"/v1/charges/{charge.id}"
    assert twin.request("POST", f"{path}/refund", form={"amount": 800}).json()["amount_refunded"] == 800
    made = twin.request("POST", f"{path}/refunds", form={"amount": 300}).json()
    assert made["object"] == "refund"
    listed = twin.request("GET", f"{path}/refunds").json()
    assert [r["amount"] for r in listed["data"]] == [300, 800]
    assert twin.request("GET", f"{path}/refunds/{made['id']}").json()["id"] == made["id"]
    other = charge_of(client, pay(client))
    missing = twin.request("GET", f"/v1/charges/{other.id}/refunds/{made['id']}")
    assert (missing.status, missing.json()["error"]["param"]) == (404, "refund")
    counted = twin.request("GET", "/v1/refunds", form={"charge": charge.id}).json()
    assert counted["count"] == 2


def test_refunds_are_shown_on_charges_when_asked(client: stripe.StripeClient, at_version: At) -> None:
    charge = charge_of(client, pay(client))
    client.v1.refunds.create({"charge": charge.id, "amount": 100})
    assert "refunds" not in client.v1.charges.retrieve(charge.id)
    shown = client.v1.charges.retrieve(charge.id, {"expand": ["refunds"]})
    assert shown.refunds is not None and shown.refunds.data[0].amount == 100
    older = at_version("2022-08-01").v1.charges.retrieve(charge.id)
    assert older.refunds is not None and older.refunds.data[0].amount == 100


def test_a_converted_charge_is_refunded_to_the_cent(client: stripe.StripeClient, twin: Twin) -> None:
    charge = charge_of(client, pay(client, 1001, currency="eur"))
    for amount in (334, 333, 334):
        client.v1.refunds.create({"charge": charge.id, "amount": amount})
    rows = [r.amount for r in client.v1.balance_transactions.list({"type": "refund"}).data]
    taken = client.v1.balance_transactions.list({"source": charge.id}).data[0]
    assert taken.currency == "usd" and taken.exchange_rate is not None
    assert sum(rows) == -taken.amount
    books(twin)
