"""3-D Secure: when it is asked for, how it ends, what the browser may do."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import stripe

from tests.twin.payments.pay import books, charge_of, error_of, event_types, pay
from trialbalance.twin import Twin

ALWAYS = "pm_card_authenticationRequired"


def source_of(intent: Any) -> str:
    """The open authorisation of an intent."""
    action = intent.next_action
    if action.type == "use_stripe_sdk":
        source: str = action.use_stripe_sdk["three_d_secure_2_source"]
        return source
    return parse_qs(urlsplit(action.redirect_to_url.url).query)["source"][0]


def complete(twin: Twin, intent: Any, outcome: str = "succeeded") -> Any:
    """What the challenge page does."""
    answer = twin.request(
        "POST",
        "/v1/3ds2/challenge_complete",
        form={"source": source_of(intent), "client_secret": intent.client_secret, "outcome": outcome},
        key=twin.publishable_key,
    )
    assert answer.status == 200, answer.body
    return answer.json()


def test_a_completed_challenge_pays(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, card=ALWAYS)
    done = complete(twin, intent)
    assert done["intent"]["status"] == "succeeded"
    paid = client.v1.payment_intents.retrieve(intent.id)
    assert paid.status == "succeeded"
    card = charge_of(client, paid).payment_method_details.card
    assert (card.three_d_secure.result, card.electronic_commerce_indicator) == ("authenticated", "05")
    assert [t for t in event_types(twin) if t.startswith("payment_intent")] == [
        "payment_intent.created",
        "payment_intent.requires_action",
        "payment_intent.succeeded",
    ]
    books(twin)


def test_a_failed_challenge_asks_for_another_method(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, card=ALWAYS)
    complete(twin, intent, "failed")
    failed = client.v1.payment_intents.retrieve(intent.id)
    assert (failed.status, failed.payment_method) == ("requires_payment_method", None)
    assert failed.last_payment_error is not None
    assert failed.last_payment_error.code == "payment_intent_authentication_failure"
    retried = client.v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_visa"})
    assert (retried.status, retried.last_payment_error) == ("succeeded", None)


def test_a_challenge_ends_once(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, card=ALWAYS)
    complete(twin, intent)
    again = twin.request(
        "POST",
        "/v1/3ds2/challenge_complete",
        form={"source": source_of(intent), "client_secret": intent.client_secret, "outcome": "succeeded"},
        key=twin.publishable_key,
    )
    assert again.status == 400


def test_a_challenge_needs_the_client_secret(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, card=ALWAYS)
    wrong = twin.request(
        "POST",
        "/v1/3ds2/challenge_complete",
        form={"source": source_of(intent), "client_secret": "pi_x_secret_y", "outcome": "succeeded"},
        key=twin.publishable_key,
    )
    assert (wrong.status, wrong.json()["error"]["param"]) == (400, "client_secret")
    assert client.v1.payment_intents.retrieve(intent.id).status == "requires_action"


@pytest.mark.parametrize(
    ("params", "kind"),
    [
        ({}, "use_stripe_sdk"),
        ({"return_url": "https://shop.test/done?order=7"}, "redirect_to_url"),
        ({"return_url": "https://shop.test/done", "use_stripe_sdk": True}, "use_stripe_sdk"),
    ],
)
def test_the_next_action_depends_on_the_return_url(
    params: dict[str, Any], kind: str, client: stripe.StripeClient
) -> None:
    intent = pay(client, card=ALWAYS, **params)
    assert (intent.status, intent.next_action.type) == ("requires_action", kind)
    if kind == "redirect_to_url":
        assert intent.next_action.redirect_to_url.return_url == params["return_url"]


@pytest.mark.parametrize("outcome", ["succeeded", "failed"])
def test_where_the_browser_goes_afterwards(outcome: str, client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, card=ALWAYS, return_url="https://shop.test/done?order=7")
    where = urlsplit(complete(twin, intent, outcome)["redirect_url"])
    assert f"{where.scheme}://{where.netloc}{where.path}" == "https://shop.test/done"
    assert parse_qs(where.query) == {
        "order": ["7"],
        "payment_intent": [intent.id],
        "payment_intent_client_secret": [intent.client_secret],
        "redirect_status": [outcome],
    }


def test_manual_confirmation_goes_back_to_the_server(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, card=ALWAYS, confirmation_method="manual")
    complete(twin, intent)
    waiting = client.v1.payment_intents.retrieve(intent.id)
    assert waiting.status == "requires_confirmation"
    assert client.v1.payment_intents.confirm(intent.id).status == "succeeded"


def test_off_session_is_declined_and_recovered_on_session(client: stripe.StripeClient, twin: Twin) -> None:
    customer = client.v1.customers.create()
    method = client.v1.payment_methods.attach(ALWAYS, {"customer": customer.id})
    with pytest.raises(stripe.CardError) as caught:
        pay(client, 100, method.id, customer=customer.id, off_session=True)
    error = error_of(caught)
    assert (error["code"], error["decline_code"]) == ("authentication_required",) * 2
    assert "charge" not in error and "advice_code" not in error
    assert error["payment_intent"]["last_payment_error"]["payment_method"]["id"] == method.id
    again = client.v1.payment_intents.confirm(
        error["payment_intent"]["id"], {"payment_method": method.id, "return_url": "https://shop.test"}
    )
    assert again.status == "requires_action"
    complete(twin, again)
    assert client.v1.payment_intents.retrieve(again.id).status == "succeeded"
    assert len(client.v1.payment_intents.list().data) == 1


def test_a_card_that_is_set_up_pays_off_session(client: stripe.StripeClient, twin: Twin) -> None:
    customer = client.v1.customers.create()
    setup = client.v1.setup_intents.create(
        {
            "customer": customer.id,
            "payment_method": "pm_card_authenticationRequiredOnSetup",
            "confirm": True,
            "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
        }
    )
    assert setup.status == "requires_action"
    complete(twin, setup)
    method = str(client.v1.setup_intents.retrieve(setup.id).payment_method)
    assert pay(client, 1000, method, customer=customer.id, off_session=True).status == "succeeded"
    assert pay(client, 1000, method, customer=customer.id).status == "requires_action"


def test_a_card_that_is_not_set_up_does_not(client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create()
    method = client.v1.payment_methods.attach(
        "pm_card_authenticationRequiredOnSetup", {"customer": customer.id}
    )
    with pytest.raises(stripe.CardError) as caught:
        pay(client, 1000, method.id, customer=customer.id, off_session=True)
    assert error_of(caught)["code"] == "authentication_required"


def test_already_set_up(client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create()
    method = client.v1.payment_methods.attach(
        "pm_card_authenticationRequiredSetupForOffSession", {"customer": customer.id}
    )
    assert pay(client, 1000, method.id, customer=customer.id, off_session=True).status == "succeeded"
    assert pay(client, 1000, method.id, customer=customer.id).status == "requires_action"


@pytest.mark.parametrize(
    ("card", "code", "decline_code"),
    [
        ("threeDSecureRequiredChargeDeclined", "card_declined", "generic_decline"),
        ("authenticationRequiredChargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"),
    ],
)
def test_declined_after_authentication(
    card: str, code: str, decline_code: str, client: stripe.StripeClient, twin: Twin
) -> None:
    intent = pay(client, card=f"pm_card_{card}")
    complete(twin, intent)
    failed = client.v1.payment_intents.retrieve(intent.id)
    assert failed.status == "requires_payment_method"
    assert failed.last_payment_error is not None
    assert (failed.last_payment_error.code, failed.last_payment_error.decline_code) == (code, decline_code)


@pytest.mark.parametrize(
    ("card", "status", "result"),
    [
        ("threeDSecureOptional", "requires_action", None),
        ("threeDSecureOptionalProcessingError", "succeeded", "processing_error"),
        ("visa", "succeeded", "attempt_acknowledged"),
        ("amex", "succeeded", None),
    ],
)
def test_asking_for_3d_secure(
    card: str, status: str, result: str | None, client: stripe.StripeClient
) -> None:
    intent = pay(
        client, card=f"pm_card_{card}", payment_method_options={"card": {"request_three_d_secure": "any"}}
    )
    assert intent.status == status
    if status == "succeeded":
        secure = charge_of(client, intent).payment_method_details.card.three_d_secure
        assert (secure.result if secure else None) == result


def test_moto_payments_ask_nobody(client: stripe.StripeClient) -> None:
    intent = pay(client, card=ALWAYS, payment_method_options={"card": {"moto": True}})
    assert intent.status == "succeeded"


def test_the_issuer_wants_a_challenge(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, card=ALWAYS)
    answer = twin.request(
        "POST", "/v1/3ds2/authenticate", form={"source": source_of(intent)}, key=twin.publishable_key
    ).json()
    assert answer["state"] == "challenge_required"
    assert source_of(intent) in answer["fallback_redirect_url"]


def test_browsers_read_and_confirm_with_the_secret(
    client: stripe.StripeClient, twin: Twin, browser_client: stripe.StripeClient
) -> None:
    intent = client.v1.payment_intents.create(
        {"amount": 1000, "currency": "usd", "metadata": {"secret": "1"}}
    )
    path = f"/v1/payment_intents/{intent.id}"
    seen = twin.request("GET", path, form={"client_secret": intent.client_secret}, key=twin.publishable_key)
    assert seen.json()["status"] == "requires_payment_method"
    assert "metadata" not in seen.json() and "customer" not in seen.json()
    without = twin.request("GET", path, key=twin.publishable_key)
    assert (without.status, without.json()["error"]["param"]) == (400, "client_secret")
    paid = twin.request(
        "POST",
        f"{path}/confirm",
        form={
            "client_secret": intent.client_secret,
            "payment_method_data": {
                "type": "card",
                "card": {"number": "4242424242424242", "exp_month": 12, "exp_year": 34, "cvc": "123"},
                "billing_details": {"name": "Ada"},
            },
            "return_url": "https://shop.test/done",
        },
        key=twin.publishable_key,
    )
    assert paid.json()["status"] == "succeeded"
    with pytest.raises(stripe.PermissionError):
        browser_client.v1.payment_intents.list()
