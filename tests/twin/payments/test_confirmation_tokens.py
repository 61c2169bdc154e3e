"""Confirmation tokens: what a browser collected, confirmed on the server, once."""

from __future__ import annotations

from typing import Any

import pytest
import stripe

from tests.twin.payments.pay import books, error_of
from trialbalance.twin import Twin

CARD: Any = {
    "type": "card",
    "card": {"number": "4242424242424242", "exp_month": 12, "exp_year": 34, "cvc": "123"},
    "billing_details": {"name": "Ada", "address": {"country": "US", "postal_code": "12345"}},
}


@pytest.fixture
def intent(client: stripe.StripeClient) -> Any:
    return client.v1.payment_intents.create({"amount": 1000, "currency": "usd"})


def collected(twin: Twin, **over: Any) -> dict[str, Any]:
    """What `stripe.createConfirmationToken` gets."""
    form = {"payment_method_data": CARD, "return_url": "https://shop.example/done", **over}
    answer = twin.request("POST", "/v1/confirmation_tokens", form=form, key=twin.publishable_key)
    found: dict[str, Any] = answer.json()
    assert answer.status == 200, found
    return found


def test_from_the_browser_to_the_server(client: stripe.StripeClient, twin: Twin, intent: Any) -> None:
    token = collected(
        twin, shipping={"name": "Ada", "address": {"line1": "1 Main St", "country": "US"}, "phone": "1"}
    )
    assert token["id"].startswith("ctoken_1") and token["expires_at"] == token["created"] + 12 * 3600
    preview = token["payment_method_preview"]
    assert (preview["type"], preview["card"]["last4"]) == ("card", "4242")
    assert preview["billing_details"]["name"] == "Ada"
    assert token["payment_intent"] is token["setup_intent"] is None
    paid = client.v1.payment_intents.confirm(intent.id, {"confirmation_token": token["id"]})
    assert paid.status == "succeeded"
    assert paid.shipping is not None and paid.shipping.name == "Ada"
    used = client.v1.confirmation_tokens.retrieve(token["id"])
    assert used.payment_intent == intent.id
    books(twin)


def test_a_token_is_used_once(client: stripe.StripeClient, twin: Twin, intent: Any) -> None:
    token = collected(twin)["id"]
    client.v1.payment_intents.confirm(intent.id, {"confirmation_token": token})
    again = client.v1.payment_intents.create({"amount": 500, "currency": "usd"})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.confirm(again.id, {"confirmation_token": token})
    assert error_of(caught)["param"] == "confirmation_token"
    assert len(client.v1.charges.list().data) == 1


def test_a_token_ends_after_twelve_hours(client: stripe.StripeClient, twin: Twin, intent: Any) -> None:
    token = collected(twin)["id"]
    twin.advance(twin.now() + 12 * 3600)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.confirm(intent.id, {"confirmation_token": token})
    assert "expired" in error_of(caught)["message"]


def test_creating_and_confirming_in_one_call(client: stripe.StripeClient, twin: Twin) -> None:
    customer = client.v1.customers.create()
    token = collected(twin, setup_future_usage="off_session")["id"]
    paid = client.v1.payment_intents.create(
        {
            "amount": 1000,
            "currency": "usd",
            "customer": customer.id,
            "confirmation_token": token,
            "confirm": True,
        }
    )
    assert (paid.status, paid.setup_future_usage) == ("succeeded", "off_session")
    assert len(client.v1.payment_methods.list({"customer": customer.id}).data) == 1
    books(twin)


def test_the_test_helper_and_setup_intents(client: stripe.StripeClient) -> None:
    token = client.v1.test_helpers.confirmation_tokens.create({"payment_method": "pm_card_mastercard"})
    setup = client.v1.setup_intents.create(
        {"confirmation_token": token.id, "confirm": True, "return_url": "https://shop.example/done"}
    )
    assert setup.status == "succeeded"
    assert client.v1.confirmation_tokens.retrieve(token.id).setup_intent == setup.id


def test_what_is_missing(client: stripe.StripeClient, twin: Twin) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.test_helpers.confirmation_tokens.create({"return_url": "https://shop.example"})
    assert error_of(caught)["code"] == "parameter_missing"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.confirmation_tokens.retrieve("ctoken_no")
    assert (caught.value.http_status, error_of(caught)["param"]) == (404, "confirmation_token")


def test_a_declined_token(client: stripe.StripeClient, intent: Any, twin: Twin) -> None:
    token = client.v1.test_helpers.confirmation_tokens.create({"payment_method": "pm_card_chargeDeclined"})
    with pytest.raises(stripe.CardError) as caught:
        client.v1.payment_intents.confirm(
            intent.id, {"confirmation_token": token.id, "return_url": "https://shop.example/done"}
        )
    assert error_of(caught)["payment_intent"]["status"] == "requires_payment_method"
    books(twin)
