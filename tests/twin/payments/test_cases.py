"""Cases that real integrations stumbled over, as recorded or as Stripe's staff explained them (A26 to A36).

The cases of Connect stand with their resources: A37, A38 and A42 in test_accounts.py, A39 and A40 in
test_connect_payments.py, A41 in test_payouts.py, A43 in test_small_resources.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import stripe

from tests.twin import sdk
from tests.twin.payments.pay import NO_REDIRECTS, books, charge_of, error_of, event_types, pay
from tests.twin.payments.test_three_d_secure import complete
from trialbalance.twin import Twin
from trialbalance.twin.config import TwinConfig

Versioned = Callable[[str], stripe.StripeClient]


def test_a26_a_decline_on_confirm(at_version: Versioned, twin: Twin) -> None:
    """Case A26: the decline names its charge, and the intent forgets the method."""
    client = at_version("2026-06-24.dahlia")
    intent = client.v1.payment_intents.create(
        {
            "amount": 100,
            "currency": "eur",
            "payment_method": "pm_card_visa_chargeDeclinedInsufficientFunds",
            "payment_method_types": ["card"],
            "capture_method": "manual",
        }
    )
    assert intent.status == "requires_confirmation"
    with pytest.raises(stripe.CardError) as caught:
        client.v1.payment_intents.confirm(intent.id)
    error = error_of(caught)
    assert caught.value.http_status == 402
    assert {
        name: error[name] for name in ("code", "decline_code", "advice_code", "network_decline_code")
    } == {
        "code": "card_declined",
        "decline_code": "insufficient_funds",
        "advice_code": "try_again_later",
        "network_decline_code": "51",
    }
    held = error["payment_intent"]
    assert (held["status"], held["payment_method"]) == ("requires_payment_method", None)
    assert held["latest_charge"] == error["charge"]
    assert held["last_payment_error"]["payment_method"]["id"] == intent.payment_method
    books(twin)


@pytest.mark.parametrize(
    ("card", "expected"),
    [
        (
            "chargeDeclinedExpiredCard",
            {"code": "expired_card", "param": "exp_month", "decline_code": "expired_card"},
        ),
        (
            "chargeDeclinedIncorrectCvc",
            {"code": "incorrect_cvc", "param": "cvc", "decline_code": "incorrect_cvc"},
        ),
        ("visa_chargeDeclinedLostCard", {"code": "card_declined", "advice_code": "do_not_try_again"}),
    ],
)
def test_a26_declines_that_name_a_field(
    client: stripe.StripeClient, card: str, expected: dict[str, str]
) -> None:
    """Case A26: the same recording, with declines that name what was wrong.

    Recordings of 2023 had no decline code in the first two; no page of the changelog ties that to a version.
    """
    with pytest.raises(stripe.CardError) as caught:
        pay(client, card=f"pm_card_{card}")
    assert expected.items() <= error_of(caught).items()


def test_a27_off_session_and_its_recovery(client: stripe.StripeClient, twin: Twin) -> None:
    """Case A27: refused off session, recovered on session, one intent in all."""
    customer = client.v1.customers.create()
    method = client.v1.payment_methods.attach("pm_card_authenticationRequired", {"customer": customer.id})
    with pytest.raises(stripe.CardError) as caught:
        pay(client, 100, card=method.id, customer=customer.id, off_session=True)
    error = error_of(caught)
    assert (error["code"], error["decline_code"]) == ("authentication_required",) * 2
    identifier = error["payment_intent"]["id"]
    assert error["payment_intent"]["status"] == "requires_payment_method"
    assert error["payment_intent"]["last_payment_error"]["code"] == "authentication_required"
    again = client.v1.payment_intents.confirm(
        identifier, {"payment_method": method.id, "return_url": "https://shop.example/done"}
    )
    assert again.status == "requires_action"
    complete(twin, again)
    assert client.v1.payment_intents.retrieve(identifier).status == "succeeded"
    assert len(client.v1.payment_intents.list().data) == 1
    books(twin)


@pytest.mark.parametrize(
    ("amount", "code"),
    [
        ("0", "parameter_invalid_integer"),
        ("49", "amount_too_small"),
        ("50", None),
        ("99999999", None),
        ("100000000", "amount_too_large"),
        ("10.5", "parameter_invalid_integer"),
    ],
)
def test_a28_amounts(twin: Twin, amount: str, code: str | None) -> None:
    """Case A28."""
    answer = twin.request("POST", "/v1/payment_intents", form={"amount": amount, "currency": "usd"})
    assert answer.status == (200 if code is None else 400)
    if code is not None:
        error = answer.json()["error"]
        assert (error["code"], error["param"]) == (code, "amount")
    if amount == "0":
        assert "minimum charge amount" in answer.json()["error"]["message"]


def test_a29_statement_descriptors_of_cards(at_version: Versioned) -> None:
    """Case A29."""
    client = at_version("2026-08-26.dahlia")
    base: Any = {"amount": 1000, "currency": "usd", "payment_method_types": ["card"]}
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_intents.create({**base, "statement_descriptor": "SHOP ORDER 7"})
    assert client.v1.payment_intents.create({**base, "statement_descriptor_suffix": "ORDER 7"}).id
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_intents.create({**base, "statement_descriptor_suffix": "X" * 23})


def test_a30_confirming_twice(client: stripe.StripeClient, browser_client: stripe.StripeClient) -> None:
    """Case A30: the API refuses, the browser sees a succeeded intent, one charge."""
    intent = pay(client)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.confirm(intent.id)
    error = error_of(caught)
    assert error["code"] == "payment_intent_unexpected_state"
    assert error["message"] == (
        "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed."
    )
    assert error["payment_intent"]["status"] == "succeeded"
    seen = browser_client.v1.payment_intents.retrieve(intent.id, {"client_secret": str(intent.client_secret)})
    assert seen.status == "succeeded"
    assert len(client.v1.charges.list().data) == 1


def test_a31_a_method_without_customer_is_for_one_payment(client: stripe.StripeClient) -> None:
    """Case A31."""
    method = client.v1.payment_methods.create({"type": "card", "card": {"token": "tok_visa"}})
    assert pay(client, card=method.id).status == "succeeded"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        pay(client, card=method.id)
    error = error_of(caught)
    assert "code" not in error and "previously used with a PaymentIntent without Customer" in error["message"]
    customer = client.v1.customers.create()
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_methods.attach(method.id, {"customer": customer.id})


def test_a32_raw_numbers() -> None:
    """Case A32."""
    twin = Twin(seed=1, config=TwinConfig(seed=1, raw_card_numbers=False))
    client = sdk.client(twin)
    card: Any = {"number": "4242424242424242", "exp_month": 12, "exp_year": 2030, "cvc": "123"}
    with pytest.raises(stripe.StripeError) as caught:
        client.v1.payment_methods.create({"type": "card", "card": card})
    error = error_of(caught)
    assert (caught.value.http_status, error["type"]) == (402, "invalid_request_error") and "code" not in error
    assert error["message"].startswith(
        "Sending credit card numbers directly to the Stripe API is generally unsafe"
    )
    browser = sdk.client(twin, key=twin.publishable_key)
    assert browser.v1.payment_methods.create({"type": "card", "card": card}).id
    assert client.v1.payment_methods.create({"type": "card", "card": {"token": "tok_visa"}}).id


@pytest.mark.parametrize(
    ("over", "kind"),
    [
        ({}, "use_stripe_sdk"),
        ({"return_url": "https://shop.example/done"}, "redirect_to_url"),
        ({"return_url": "https://shop.example/done", "use_stripe_sdk": True}, "use_stripe_sdk"),
    ],
)
def test_a33_the_next_action(client: stripe.StripeClient, over: Any, kind: str) -> None:
    """Case A33."""
    automatic = {"enabled": True} if "return_url" in over else NO_REDIRECTS
    intent = pay(client, card="pm_card_threeDSecure2Required", automatic_payment_methods=automatic, **over)
    assert (intent.status, intent.next_action.type) == ("requires_action", kind)
    if kind == "redirect_to_url":
        assert intent.next_action.redirect_to_url.return_url == "https://shop.example/done"
        assert intent.next_action.redirect_to_url.url


def test_a34_refunding_too_much_or_twice(client: stripe.StripeClient, twin: Twin) -> None:
    """Case A34."""

    def refuse(charge: str, amount: int | None) -> dict[str, Any]:
        params: Any = {"charge": charge} if amount is None else {"charge": charge, "amount": amount}
        with pytest.raises(stripe.InvalidRequestError) as caught:
            client.v1.refunds.create(params)
        return error_of(caught)

    first, second, third = (str(pay(client, 1000).latest_charge) for _ in range(3))
    error = refuse(first, 1100)
    assert (error["message"], error["param"]) == (
        "Refund amount ($11.00) is greater than charge amount ($10.00)",
        "amount",
    )
    assert "code" not in error
    client.v1.refunds.create({"charge": second, "amount": 500})
    assert refuse(second, 600)["message"] == (
        "Refund amount ($6.00) is greater than unrefunded amount on charge ($5.00)"
    )
    client.v1.refunds.create({"charge": third})
    assert {refuse(third, amount)["code"] for amount in (None, 100)} == {"charge_already_refunded"}
    error = refuse(first, -1)
    assert (error["code"], error["param"]) == ("parameter_invalid_integer", "amount")
    books(twin)


def test_a35_a_dispute_that_is_lost(client: stripe.StripeClient, twin: Twin) -> None:
    """Case A35."""
    intent = pay(client, 1000, card="pm_card_createDispute")
    charge = charge_of(client, intent)
    dispute = client.v1.disputes.list({"charge": charge.id}).data[0]
    assert (dispute.status, dispute.reason) == ("needs_response", "fraudulent")
    row = dispute.balance_transactions[0]
    assert (row.amount, row.fee, row.net) == (-1000, 1500, -2500)
    assert (row.type, row.reporting_category) == ("adjustment", "dispute")
    sent = client.v1.disputes.update(dispute.id, {"evidence": {"uncategorized_text": "losing_evidence"}})
    assert sent.status == "under_review"
    lost = client.v1.disputes.retrieve(dispute.id)
    assert (lost.status, len(lost.balance_transactions), lost.is_charge_refundable) == ("lost", 1, False)
    books(twin)


def test_a36_a_refund_that_is_pending_first(client: stripe.StripeClient, twin: Twin) -> None:
    """Case A36."""
    slow = client.v1.refunds.create({"charge": str(pay(client, card="pm_card_pendingRefund").latest_charge)})
    assert slow.status == "pending"
    assert client.v1.charges.retrieve(str(slow.charge)).amount_refunded == 1000
    before = len(event_types(twin))
    twin.advance(twin.now() + 200)
    assert client.v1.refunds.retrieve(slow.id).status == "succeeded"
    assert "refund.updated" in event_types(twin, before)
    before = len(event_types(twin))
    quick = client.v1.refunds.create({"charge": str(pay(client).latest_charge)})
    assert quick.status == "succeeded"
    assert {"charge.refunded", "refund.created"} <= set(event_types(twin, before))
    books(twin)
