"""SetupIntents as the recorded test-mode API answered (recording 10, 2026-08-26.dahlia).

The facts come from recorded answers; the names and order of these scenarios are our own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import stripe

from tests.twin.payments.test_recorded_money_path import CARD, DECLINE, VERSION, card, refused, shown
from trialbalance.twin import Twin

FIELDS = [
    "allowed_payment_method_types", "application", "automatic_payment_methods", "cancellation_reason", "client_secret",
    "created", "customer", "customer_account", "description", "excluded_payment_method_types", "flow_directions",
    "last_setup_error", "latest_attempt", "livemode", "managed_payments", "mandate", "metadata", "next_action",
    "on_behalf_of", "payment_method", "payment_method_configuration_details", "payment_method_options",
    "payment_method_types", "single_use_mandate", "status", "usage",
]  # fmt: skip
OPTIONS = {"card": {"mandate_options": None, "network": None, "request_three_d_secure": "automatic"}}
UNEXPECTED = "setup_intent_unexpected_state"


@pytest.fixture
def dahlia(at_version: Callable[[str], stripe.StripeClient]) -> stripe.StripeClient:
    """A client of the recorded version."""
    return at_version(VERSION)


@pytest.fixture
def customer(dahlia: stripe.StripeClient) -> Any:
    return dahlia.v1.customers.create({"email": "potter@example.test"})


@pytest.fixture
def other(dahlia: stripe.StripeClient) -> Any:
    return dahlia.v1.customers.create({"description": "another potter"})


@pytest.fixture
def saved(dahlia: stripe.StripeClient, customer: Any) -> Any:
    return dahlia.v1.payment_methods.attach(card(dahlia).id, {"customer": customer.id})


def setup(client: stripe.StripeClient, **params: Any) -> Any:
    """A setup intent for cards."""
    return client.v1.setup_intents.create({"payment_method_types": CARD, **params})


class TestShape:
    def test_a_bare_intent(self, dahlia: stripe.StripeClient, twin: Twin) -> None:
        """Recording 10: every field in order; dynamic methods by default."""
        made = dahlia.v1.setup_intents.create()
        found = shown(twin, f"/v1/setup_intents/{made.id}")
        assert list(found) == FIELDS
        assert made.id.startswith("seti_1")
        secret = found["client_secret"]
        assert secret.startswith(f"{made.id}_secret_") and len(secret) == len(made.id) + len("_secret_") + 31
        assert found["automatic_payment_methods"] == {"allow_redirects": "always", "enabled": True}
        assert found["payment_method_configuration_details"]["id"].startswith("pmc_1")
        assert found["payment_method_options"] == OPTIONS
        assert found["payment_method_types"][0] == "card"
        assert found["managed_payments"] == {"enabled": False}
        assert (found["status"], found["usage"]) == ("requires_payment_method", "off_session")
        assert found["latest_attempt"] is found["last_setup_error"] is found["mandate"] is None

    def test_the_usage_parameter_is_dead(self, dahlia: stripe.StripeClient) -> None:
        """Recording 10: `usage=on_session` is taken and answered with off_session."""
        made = setup(dahlia, usage="on_session")
        assert (made.usage, made.automatic_payment_methods) == ("off_session", None)
        assert made.payment_method_configuration_details is None

    def test_with_a_method(self, dahlia: stripe.StripeClient, customer: Any, saved: Any) -> None:
        """Recording 10: it only has to be confirmed."""
        made = setup(dahlia, customer=customer.id, payment_method=saved.id)
        assert (made.status, made.payment_method, made.latest_attempt) == (
            "requires_confirmation",
            saved.id,
            None,
        )


class TestWhoseMethod:
    @pytest.mark.parametrize("when", ["create", "update", "confirm"])
    @pytest.mark.parametrize("whose", ["another customer's", "a customer's that the intent lacks"])
    def test_refused(
        self,
        dahlia: stripe.StripeClient,
        customer: Any,
        other: Any,
        saved: Any,
        when: str,
        whose: str,
    ) -> None:
        """Recording 10: the same words at creation, update and confirmation; only the later two show the intent."""
        holder = {"customer": other.id} if whose.startswith("another") else {}
        if when == "create":
            error = refused(lambda: setup(dahlia, payment_method=saved.id, **holder))
            assert "setup_intent" not in error
        else:
            intent = setup(dahlia, **holder)
            act: Any = getattr(dahlia.v1.setup_intents, when)
            error = refused(lambda: act(intent.id, {"payment_method": saved.id}))
            assert (error["setup_intent"]["id"], error["setup_intent"]["payment_method"]) == (intent.id, None)
            assert error["setup_intent"]["status"] == "requires_payment_method"
        assert error["param"] == "payment_method" and "code" not in error
        assert error["message"] == (
            f"The PaymentMethod {saved.id} does not belong to the Customer you supplied {other.id}. Please use this "
            "PaymentMethod with the Customer that it belongs to instead."
            if holder
            else f"The payment method supplied ({saved.id}) belongs to the Customer {customer.id}. Please include the "
            "Customer in the `customer` parameter on the SetupIntent."
        )


class TestConfirm:
    def test_success(self, dahlia: stripe.StripeClient, customer: Any, saved: Any) -> None:
        """Recording 10: an attempt is made; the mandate of a card stays null."""
        intent = setup(dahlia, customer=customer.id, payment_method=saved.id)
        done = dahlia.v1.setup_intents.confirm(intent.id)
        assert (done.status, done.payment_method, done.mandate) == ("succeeded", saved.id, None)
        assert str(done.latest_attempt).startswith("setatt_1")

    def test_attaches_a_loose_method(self, dahlia: stripe.StripeClient, customer: Any) -> None:
        """Recording 10: confirming at creation attaches the card and checks it."""
        loose = card(dahlia)
        done = setup(dahlia, customer=customer.id, payment_method=loose.id, confirm=True)
        assert done.status == "succeeded"
        method = dahlia.v1.payment_methods.retrieve(loose.id)
        assert method.customer == customer.id
        assert method.card is not None and method.card.checks is not None
        assert method.card.checks.cvc_check == "pass"

    def test_the_default_method_is_not_taken(
        self, dahlia: stripe.StripeClient, customer: Any, saved: Any
    ) -> None:
        """Recording 10: a customer's default for invoices does not fill in for a missing method."""
        dahlia.v1.customers.update(customer.id, {"invoice_settings": {"default_payment_method": saved.id}})
        intent = setup(dahlia, customer=customer.id)
        assert (intent.status, intent.payment_method) == ("requires_payment_method", None)
        error = refused(lambda: dahlia.v1.setup_intents.confirm(intent.id))
        assert error["code"] == UNEXPECTED and "param" not in error
        assert error["message"] == (
            "You cannot confirm this SetupIntent because it's missing a payment method. You can either update the "
            "SetupIntent with a payment method and then confirm it again, or confirm it again directly with a payment "
            "method or ConfirmationToken."
        )


class TestDecline:
    @pytest.mark.parametrize(
        ("token", "words"),
        [
            ("tok_visa_chargeDeclined", DECLINE),
            (
                "tok_chargeDeclinedExpiredCard",
                {
                    "advice_code": "confirm_card_data",
                    "code": "expired_card",
                    "decline_code": "expired_card",
                    "doc_url": "https://stripe.com/docs/error-codes/expired-card",
                    "message": "Your card has expired.",
                    "network_advice_code": "03",
                    "network_decline_code": "54",
                    "param": "exp_month",
                    "type": "card_error",
                },
            ),
        ],
    )
    @pytest.mark.parametrize("at", ["create", "confirm"])
    def test_the_intent_survives(
        self, dahlia: stripe.StripeClient, twin: Twin, token: str, words: dict[str, str], at: str
    ) -> None:
        """Recording 10: 402 with method and intent, no charge; the intent keeps the error and lets the method go."""
        method = card(dahlia, token)
        if at == "create":
            error = refused(lambda: setup(dahlia, payment_method=method.id, confirm=True), 402)
        else:
            intent = setup(dahlia, payment_method=method.id)
            assert intent.status == "requires_confirmation"
            error = refused(lambda: dahlia.v1.setup_intents.confirm(intent.id), 402)
        assert set(error) == {*words, "payment_method", "request_log_url", "setup_intent"}
        assert words.items() <= error.items()
        assert error["payment_method"]["card"]["checks"]["cvc_check"] == "pass"
        kept = shown(twin, f"/v1/setup_intents/{error['setup_intent']['id']}")
        assert kept == {n: v for n, v in error["setup_intent"].items() if n not in ("id", "object")}
        assert kept["last_setup_error"] == {**words, "payment_method": error["payment_method"]}
        assert (kept["status"], kept["payment_method"]) == ("requires_payment_method", None)
        assert kept["latest_attempt"].startswith("setatt_1")


class TestStates:
    def test_after_success(self, dahlia: stripe.StripeClient, customer: Any, saved: Any) -> None:
        """Recording 10: no confirmation, no cancellation, no other method; words and metadata change."""
        intent = setup(dahlia, customer=customer.id, payment_method=saved.id, confirm=True)
        for act, message in (
            (
                lambda: dahlia.v1.setup_intents.confirm(intent.id),
                "You cannot confirm this SetupIntent because it has already succeeded.",
            ),
            (
                lambda: dahlia.v1.setup_intents.cancel(intent.id),
                "You cannot cancel this SetupIntent because it has a status of succeeded. Only a SetupIntent with one "
                "of the following statuses may be canceled: `requires_payment_method`, `requires_confirmation`, or "
                "`requires_action`.",
            ),
            (
                lambda: dahlia.v1.setup_intents.update(intent.id, {"payment_method": saved.id}),
                "You cannot update this SetupIntent because it has already succeeded.",
            ),
        ):
            error = refused(act)
            assert (error["code"], error["message"]) == (UNEXPECTED, message)
            assert error["setup_intent"]["status"] == "succeeded" and "param" not in error
        assert dahlia.v1.setup_intents.update(intent.id, {"description": "kiln"}).description == "kiln"
        marked = dahlia.v1.setup_intents.update(intent.id, {"metadata": {"glaze": "blue"}})
        assert (marked.description, marked.to_dict()["metadata"]) == ("kiln", {"glaze": "blue"})

    def test_after_canceling(self, dahlia: stripe.StripeClient, customer: Any, saved: Any) -> None:
        """Recording 10: the reason is told, the method stays, and twice is once too often."""
        intent = setup(dahlia, customer=customer.id, payment_method=saved.id)
        gone = dahlia.v1.setup_intents.cancel(intent.id, {"cancellation_reason": "duplicate"})
        assert (gone.status, gone.cancellation_reason, gone.payment_method) == (
            "canceled",
            "duplicate",
            saved.id,
        )
        for act, message in (
            (
                dahlia.v1.setup_intents.confirm,
                "You cannot confirm this SetupIntent because it has been canceled.",
            ),
            (
                dahlia.v1.setup_intents.cancel,
                "You cannot cancel this SetupIntent because it is already canceled.",
            ),
        ):
            error = refused(lambda act=act: act(intent.id))  # type: ignore[misc]
            assert (error["code"], error["message"]) == (UNEXPECTED, message)

    def test_updates_before(self, dahlia: stripe.StripeClient, other: Any) -> None:
        """Recording 10: metadata is merged, and a customer can be added."""
        intent = setup(dahlia, description="before", metadata={"a": "1"})
        changed = dahlia.v1.setup_intents.update(intent.id, {"description": "after", "metadata": {"b": "2"}})
        assert (changed.description, changed.to_dict()["metadata"]) == ("after", {"a": "1", "b": "2"})
        owned = dahlia.v1.setup_intents.update(intent.id, {"customer": other.id})
        assert (owned.customer, owned.status) == (other.id, "requires_payment_method")

    def test_micro_deposits_of_a_card(self, dahlia: stripe.StripeClient) -> None:
        """Recording 10: another code, and the allowed states as a JSON list."""
        intent = setup(dahlia)
        error = refused(
            lambda: dahlia.v1.setup_intents.verify_microdeposits(intent.id, {"amounts": [32, 45]})
        )
        assert error["code"] == "intent_invalid_state" and "param" not in error
        assert error["message"] == (
            "This SetupIntent cannot be actioned on because it has a status of requires_payment_method. Only a "
            'SetupIntent with one of the following statuses may be actioned on: ["requires_action"].'
        )
        assert sorted(n for n in error["setup_intent"] if n not in ("id", "object")) == FIELDS


class TestLists:
    def test_by_customer_and_by_method(
        self, dahlia: stripe.StripeClient, customer: Any, other: Any, saved: Any
    ) -> None:
        """Recording 10: newest first, in every state; a method's list leaves out intents that lost it."""
        done = setup(dahlia, customer=customer.id, payment_method=saved.id, confirm=True)
        empty = setup(dahlia, customer=customer.id)
        gone = setup(dahlia, customer=customer.id, payment_method=saved.id)
        dahlia.v1.setup_intents.cancel(gone.id)
        setup(dahlia, customer=other.id)
        of_customer = dahlia.v1.setup_intents.list({"customer": customer.id, "limit": 100})
        assert [i.id for i in of_customer.data] == [gone.id, empty.id, done.id]
        assert not of_customer.has_more and of_customer.url == "/v1/setup_intents"
        of_method = dahlia.v1.setup_intents.list({"payment_method": saved.id, "limit": 100})
        assert [i.id for i in of_method.data] == [gone.id, done.id]

    def test_what_there_is_not(self, dahlia: stripe.StripeClient) -> None:
        """Recording 10: one word without an underscore, and the param of the path."""
        error = refused(lambda: dahlia.v1.setup_intents.retrieve("seti_no"), 404)
        assert (error["code"], error["param"]) == ("resource_missing", "intent")
        assert error["message"] == "No such setupintent: 'seti_no'"
