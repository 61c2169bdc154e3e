"""SetupIntents: saving a method, and every refusal that was recorded."""

from __future__ import annotations

from typing import Any

import pytest
import stripe

from tests.twin.payments.pay import NO_REDIRECTS, error_of, event_types
from tests.twin.payments.test_three_d_secure import complete
from trialbalance.twin import Twin


@pytest.fixture
def customer(client: stripe.StripeClient) -> Any:
    return client.v1.customers.create({"email": "ada@example.test"})


@pytest.fixture
def saved(client: stripe.StripeClient, customer: Any) -> Any:
    return client.v1.payment_methods.attach("pm_card_visa", {"customer": customer.id})


def setup(client: stripe.StripeClient, **params: Any) -> Any:
    """A setup intent without redirects."""
    return client.v1.setup_intents.create({"automatic_payment_methods": NO_REDIRECTS, **params})


def test_a_new_intent(client: stripe.StripeClient) -> None:
    intent = client.v1.setup_intents.create({"usage": "on_session"})
    assert (intent.status, intent.usage) == ("requires_payment_method", "off_session")
    assert intent.automatic_payment_methods is not None
    assert intent.client_secret is not None and intent.client_secret.startswith(f"{intent.id}_secret_")
    assert intent.payment_method_types == ["card", "link"]


def test_confirming_attaches_and_sets_up(client: stripe.StripeClient, customer: Any, twin: Twin) -> None:
    before = len(event_types(twin))
    intent = setup(client, customer=customer.id, payment_method="pm_card_visa", confirm=True)
    assert intent.status == "succeeded"
    method = client.v1.payment_methods.retrieve(intent.payment_method)
    assert method.customer == customer.id
    assert (
        method.card is not None and method.card.checks is not None and method.card.checks.cvc_check == "pass"
    )
    assert event_types(twin, before) == [
        "setup_intent.created",
        "payment_method.attached",
        "setup_intent.succeeded",
    ]
    attempts = client.v1.setup_attempts.list({"setup_intent": intent.id}).data
    assert [(a.id, a.status) for a in attempts] == [(intent.latest_attempt, "succeeded")]


def test_a_decline(client: stripe.StripeClient, twin: Twin) -> None:
    with pytest.raises(stripe.CardError) as caught:
        setup(client, payment_method="pm_card_visa_chargeDeclined", confirm=True)
    error = error_of(caught)
    assert (error["code"], error["decline_code"], error["network_decline_code"]) == (
        "card_declined",
        "generic_decline",
        "01",
    )
    assert "charge" not in error
    intent = client.v1.setup_intents.retrieve(error["setup_intent"]["id"])
    assert (intent.status, intent.payment_method) == ("requires_payment_method", None)
    assert intent.last_setup_error is not None and intent.last_setup_error.code == "card_declined"
    assert event_types(twin)[-1] == "setup_intent.setup_failed"


def test_an_expired_card(client: stripe.StripeClient) -> None:
    intent = setup(client, payment_method="pm_card_chargeDeclinedExpiredCard")
    assert intent.status == "requires_confirmation"
    with pytest.raises(stripe.CardError) as caught:
        client.v1.setup_intents.confirm(intent.id)
    error = error_of(caught)
    assert {
        k: error[k] for k in ("code", "param", "advice_code", "network_advice_code", "network_decline_code")
    } == {
        "code": "expired_card",
        "param": "exp_month",
        "advice_code": "confirm_card_data",
        "network_advice_code": "03",
        "network_decline_code": "54",
    }


def test_states_that_refuse(client: stripe.StripeClient, customer: Any, saved: Any) -> None:
    done = setup(client, customer=customer.id, payment_method=saved.id, confirm=True)
    for act, message in (
        (lambda: client.v1.setup_intents.confirm(done.id), "because it has already succeeded."),
        (lambda: client.v1.setup_intents.cancel(done.id), "`requires_confirmation`, or `requires_action`."),
        (
            lambda: client.v1.setup_intents.update(done.id, {"payment_method": saved.id}),
            "You cannot update this SetupIntent because it has already succeeded.",
        ),
    ):
        with pytest.raises(stripe.InvalidRequestError) as caught:
            act()
        error = error_of(caught)
        assert error["code"] == "setup_intent_unexpected_state"
        assert error["message"].endswith(message)
        assert error["setup_intent"]["id"] == done.id
    assert client.v1.setup_intents.update(done.id, {"description": "after"}).description == "after"


def test_canceling(client: stripe.StripeClient, customer: Any, saved: Any) -> None:
    intent = setup(client, customer=customer.id, payment_method=saved.id)
    gone = client.v1.setup_intents.cancel(intent.id, {"cancellation_reason": "duplicate"})
    assert (gone.status, gone.cancellation_reason, gone.payment_method) == ("canceled", "duplicate", saved.id)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.setup_intents.confirm(intent.id)
    assert error_of(caught)["message"].endswith("because it has been canceled.")
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.setup_intents.cancel(intent.id)
    assert error_of(caught)["message"].endswith("because it is already canceled.")


def test_whose_method_it_is(client: stripe.StripeClient, customer: Any, saved: Any) -> None:
    other = client.v1.customers.create()
    with pytest.raises(stripe.InvalidRequestError) as caught:
        setup(client, customer=other.id, payment_method=saved.id)
    assert "does not belong to the Customer you supplied" in error_of(caught)["message"]
    assert "setup_intent" not in error_of(caught)
    intent = setup(client)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.setup_intents.confirm(intent.id, {"payment_method": saved.id})
    error = error_of(caught)
    assert error["message"].endswith("in the `customer` parameter on the SetupIntent.")
    assert (error["param"], error["setup_intent"]["status"]) == ("payment_method", "requires_payment_method")


def test_no_method(client: stripe.StripeClient, customer: Any) -> None:
    intent = setup(client, customer=customer.id)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.setup_intents.confirm(intent.id)
    assert error_of(caught)["message"].endswith("payment method or ConfirmationToken.")


def test_authentication(client: stripe.StripeClient, customer: Any, twin: Twin) -> None:
    intent = setup(
        client, customer=customer.id, payment_method="pm_card_authenticationRequired", confirm=True
    )
    assert (intent.status, intent.next_action.type) == ("requires_action", "use_stripe_sdk")
    complete(twin, intent)
    done = client.v1.setup_intents.retrieve(intent.id)
    assert done.status == "succeeded"
    assert [a.status for a in client.v1.setup_attempts.list({"setup_intent": intent.id}).data] == [
        "succeeded"
    ]


def test_failed_authentication(client: stripe.StripeClient, twin: Twin) -> None:
    intent = setup(client, payment_method="pm_card_authenticationRequired", confirm=True)
    complete(twin, intent, "failed")
    failed = client.v1.setup_intents.retrieve(intent.id)
    assert failed.last_setup_error is not None
    assert failed.last_setup_error.code == "setup_intent_authentication_failure"


def test_lists(client: stripe.StripeClient, customer: Any, saved: Any) -> None:
    one = setup(client, customer=customer.id, payment_method=saved.id)
    two = setup(client, customer=customer.id)
    assert [i.id for i in client.v1.setup_intents.list({"customer": customer.id}).data] == [two.id, one.id]
    assert [i.id for i in client.v1.setup_intents.list({"payment_method": saved.id}).data] == [one.id]


def test_microdeposits_of_the_wrong_state(client: stripe.StripeClient) -> None:
    intent = setup(client)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.setup_intents.verify_microdeposits(intent.id, {"amounts": [32, 45]})
    error = error_of(caught)
    assert error["code"] == "intent_invalid_state"
    assert error["message"].endswith('may be actioned on: ["requires_action"].')


def test_missing(client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.setup_intents.retrieve("seti_nope")
    assert error_of(caught)["message"] == "No such setupintent: 'seti_nope'"
    assert error_of(caught)["param"] == "intent"
