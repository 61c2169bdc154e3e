"""PaymentIntents and charges as the recorded test-mode API answered (recording 04, 2026-08-26.dahlia).

The facts come from recorded answers; the amounts, names and order of these scenarios are our own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import stripe

from tests.twin.payments.pay import books, error_of
from trialbalance.twin import Twin

VERSION = "2026-08-26.dahlia"
CARD: Any = ["card"]
INTENT_FIELDS = [
    "allowed_payment_method_types", "amount", "amount_capturable", "amount_details", "amount_received", "application",
    "application_fee_amount", "automatic_payment_methods", "canceled_at", "cancellation_reason", "capture_method",
    "client_secret", "confirmation_method", "created", "currency", "customer", "customer_account", "description",
    "excluded_payment_method_types", "last_payment_error", "latest_charge", "livemode", "managed_payments", "metadata",
    "next_action", "on_behalf_of", "payment_method", "payment_method_configuration_details", "payment_method_options",
    "payment_method_types", "payment_record", "processing", "receipt_email", "review", "setup_future_usage",
    "shared_payment_granted_token", "shipping", "source", "statement_descriptor", "statement_descriptor_suffix",
    "status", "transfer_data", "transfer_group",
]  # fmt: skip
CHARGE_FIELDS = [
    "amount", "amount_captured", "amount_refunded", "application", "application_fee", "application_fee_amount",
    "balance_transaction", "billing_details", "calculated_statement_descriptor", "captured", "created", "currency",
    "customer", "description", "destination", "dispute", "disputed", "failure_balance_transaction", "failure_code",
    "failure_message", "fraud_details", "livemode", "metadata", "on_behalf_of", "order", "outcome", "paid",
    "payment_intent", "payment_method", "payment_method_details", "radar_options", "receipt_email", "receipt_number",
    "receipt_url", "refunded", "review", "shipping", "source", "source_transfer", "statement_descriptor",
    "statement_descriptor_suffix", "status", "transfer_data", "transfer_group",
]  # fmt: skip
METHOD_FIELDS = [
    "allow_redisplay", "billing_details", "card", "created", "customer", "customer_account", "livemode", "metadata",
    "shared_payment_granted_token", "type",
]  # fmt: skip
CARD_OPTIONS = {
    "card": {
        "installments": None,
        "mandate_options": None,
        "network": None,
        "request_three_d_secure": "automatic",
    }
}
DECLINE = {
    "advice_code": "try_again_later",
    "code": "card_declined",
    "decline_code": "generic_decline",
    "doc_url": "https://stripe.com/docs/error-codes/card-declined",
    "message": "Your card was declined.",
    "network_decline_code": "01",
    "type": "card_error",
}


@pytest.fixture
def dahlia(at_version: Callable[[str], stripe.StripeClient]) -> stripe.StripeClient:
    """A client of the recorded version."""
    return at_version(VERSION)


@pytest.fixture
def customer(dahlia: stripe.StripeClient) -> Any:
    return dahlia.v1.customers.create({"email": "miller@example.test", "description": "a baker"})


@pytest.fixture
def saved(dahlia: stripe.StripeClient, customer: Any) -> Any:
    method = card(dahlia)
    return dahlia.v1.payment_methods.attach(method.id, {"customer": customer.id})


def card(client: stripe.StripeClient, token: str = "tok_visa") -> Any:
    """A new payment method from a token."""
    return client.v1.payment_methods.create({"type": "card", "card": {"token": token}})


def shown(twin: Twin, path: str) -> dict[str, Any]:
    """An object exactly as the recorded version shows it, without its id and kind."""
    found = twin.request("GET", path, version=VERSION).json()
    return {name: value for name, value in found.items() if name not in ("id", "object")}


def hold(client: stripe.StripeClient, customer: Any, saved: Any, amount: int) -> Any:
    """An authorised payment that is to be captured."""
    return client.v1.payment_intents.create(
        {
            "amount": amount,
            "currency": "usd",
            "customer": customer.id,
            "payment_method": saved.id,
            "confirm": True,
            "capture_method": "manual",
            "payment_method_types": CARD,
        }
    )


def refused(act: Callable[[], Any], status: int = 400) -> dict[str, Any]:
    """The `error` hash of a call that must fail."""
    with pytest.raises(stripe.StripeError) as caught:
        act()
    assert caught.value.http_status == status
    return error_of(caught)


class TestShape:
    def test_a_plain_intent(self, dahlia: stripe.StripeClient, twin: Twin) -> None:
        """Recording 04: dynamic payment methods and asynchronous capture by default."""
        made = dahlia.v1.payment_intents.create(
            {"amount": 3700, "currency": "usd", "metadata": {"loaf": "rye"}}
        )
        found = shown(twin, f"/v1/payment_intents/{made.id}")
        assert list(found) == INTENT_FIELDS
        assert found["automatic_payment_methods"] == {"allow_redirects": "always", "enabled": True}
        assert found["capture_method"] == "automatic_async"
        assert found["confirmation_method"] == "automatic"
        assert found["amount_details"] == {"tip": {}}
        assert found["managed_payments"] == {"enabled": False}
        assert found["payment_method_types"] == ["card", "link"]
        assert found["payment_method_options"] == {**CARD_OPTIONS, "link": {"persistent_token": None}}
        assert found["payment_method_configuration_details"]["id"].startswith("pmc_1")
        assert found["payment_method_configuration_details"]["parent"] is None
        assert (found["status"], found["latest_charge"]) == ("requires_payment_method", None)
        assert made.id.startswith("pi_3")
        assert found["client_secret"].startswith(f"{made.id}_secret_")
        assert len(found["client_secret"]) == len(made.id) + len("_secret_") + 25

    def test_named_types_have_no_configuration(self, dahlia: stripe.StripeClient, twin: Twin) -> None:
        """Recording 04: with `payment_method_types` nothing is dynamic."""
        made = dahlia.v1.payment_intents.create(
            {"amount": 800, "currency": "usd", "payment_method_types": CARD}
        )
        found = shown(twin, f"/v1/payment_intents/{made.id}")
        assert found["automatic_payment_methods"] is None
        assert found["payment_method_configuration_details"] is None
        assert found["payment_method_options"] == CARD_OPTIONS

    def test_a_card_is_checked_when_it_is_attached(
        self, dahlia: stripe.StripeClient, customer: Any, twin: Twin
    ) -> None:
        """Recording 04: `cvc_check` goes from unchecked to pass; the default method is an id."""
        method = card(dahlia)
        found = shown(twin, f"/v1/payment_methods/{method.id}")
        assert list(found) == METHOD_FIELDS
        assert found["card"]["checks"] == {
            "address_line1_check": None,
            "address_postal_code_check": None,
            "cvc_check": "unchecked",
        }
        assert (found["allow_redisplay"], found["card"]["regulated_status"]) == ("unspecified", "unregulated")
        attached = dahlia.v1.payment_methods.attach(method.id, {"customer": customer.id})
        assert attached.card is not None and attached.card.checks is not None
        assert attached.card.checks.cvc_check == "pass"
        updated = dahlia.v1.customers.update(
            customer.id, {"invoice_settings": {"default_payment_method": method.id}}
        )
        assert updated.invoice_settings is not None
        assert updated.invoice_settings.default_payment_method == method.id
        assert updated.default_source is None

    def test_a_paid_charge(self, dahlia: stripe.StripeClient, customer: Any, saved: Any, twin: Twin) -> None:
        """Recording 04: no balance transaction in the answer and just after; every field of the card's details."""
        intent = dahlia.v1.payment_intents.create(
            {
                "amount": 3700,
                "currency": "usd",
                "customer": customer.id,
                "payment_method": saved.id,
                "confirm": True,
                "payment_method_types": CARD,
                "description": "two loaves",
                "expand": ["latest_charge"],
            }
        )
        assert (intent.status, intent.amount_received, intent.amount_capturable) == ("succeeded", 3700, 0)
        charge: Any = intent.latest_charge
        assert charge.balance_transaction is None
        found = shown(twin, f"/v1/charges/{charge.id}")
        assert list(found) == CHARGE_FIELDS
        assert found["balance_transaction"].startswith("txn_3")
        assert found["calculated_statement_descriptor"]
        assert (found["captured"], found["paid"], found["source"]) == (True, True, None)
        assert found["fraud_details"] == found["radar_options"] == {}
        assert found["outcome"].pop("risk_score") in range(65)
        assert found["outcome"] == {
            "advice_code": None,
            "network_advice_code": None,
            "network_decline_code": None,
            "network_status": "approved_by_network",
            "reason": None,
            "risk_level": "normal",
            "seller_message": "Payment complete.",
            "type": "authorized",
        }
        details = found["payment_method_details"]["card"]
        assert len(details.pop("authorization_code")) == 6
        assert len(details.pop("network_transaction_id")) == 15
        assert details.pop("fingerprint") == saved.card.fingerprint
        del details["exp_month"], details["exp_year"]
        assert details == {
            "amount_authorized": 3700,
            "brand": "visa",
            "checks": {
                "address_line1_check": None,
                "address_postal_code_check": None,
                "cvc_check": "pass",
            },
            "country": "US",
            "electronic_commerce_indicator": "07",
            "extended_authorization": {"status": "disabled"},
            "funding": "credit",
            "incremental_authorization": {"status": "unavailable"},
            "installments": None,
            "last4": "4242",
            "mandate": None,
            "multicapture": {"status": "unavailable"},
            "network": "visa",
            "network_token": {"used": False},
            "overcapture": {"maximum_amount_capturable": 3700, "status": "unavailable"},
            "regulated_status": "unregulated",
            "three_d_secure": None,
            "transaction_link_id": None,
            "wallet": None,
        }

    def test_the_same_card_has_the_same_network_transaction(
        self, dahlia: stripe.StripeClient, customer: Any, saved: Any
    ) -> None:
        """Recording 04: two payments of one saved card show one `network_transaction_id`."""
        seen = set()
        for amount in (2500, 6500):
            intent = hold(dahlia, customer, saved, amount)
            charge = dahlia.v1.charges.retrieve(str(intent.latest_charge)).to_dict()
            seen.add(charge["payment_method_details"]["card"]["network_transaction_id"])
        assert len(seen) == 1


class TestIdempotency:
    def test_one_key_one_payment(
        self, dahlia: stripe.StripeClient, customer: Any, saved: Any, twin: Twin
    ) -> None:
        """Recording 04: the same key replays the answer; with other parameters it is refused by name."""
        params: Any = {
            "amount": 3700,
            "currency": "usd",
            "customer": customer.id,
            "payment_method": saved.id,
            "confirm": True,
            "payment_method_types": CARD,
        }
        first = dahlia.v1.payment_intents.create(params, {"idempotency_key": "bake-1"})
        again = dahlia.v1.payment_intents.create(params, {"idempotency_key": "bake-1"})
        assert first.to_dict() == again.to_dict()
        assert len(dahlia.v1.charges.list().data) == 1
        error = refused(
            lambda: dahlia.v1.payment_intents.create(
                {**params, "amount": 3800}, {"idempotency_key": "bake-1"}
            )
        )
        assert error["type"] == "idempotency_error" and "code" not in error
        assert error["message"] == (
            "Keys for idempotent requests can only be used with the same parameters they were first used with. Try "
            "using a key other than 'bake-1' if you meant to execute a different request."
        )
        books(twin)


class TestDecline:
    def test_the_whole_error(self, dahlia: stripe.StripeClient, customer: Any, twin: Twin) -> None:
        """Recording 04: the method is in the error twice, its `cvc_check` passed, and the intent lets go of it."""
        method = card(dahlia, "tok_visa_chargeDeclined")
        error = refused(
            lambda: dahlia.v1.payment_intents.create(
                {
                    "amount": 1300,
                    "currency": "usd",
                    "customer": customer.id,
                    "payment_method": method.id,
                    "confirm": True,
                    "payment_method_types": CARD,
                }
            ),
            402,
        )
        assert set(error) == {*DECLINE, "charge", "payment_intent", "payment_method", "request_log_url"}
        assert DECLINE.items() <= error.items()
        assert error["payment_method"]["card"]["checks"]["cvc_check"] == "pass"
        assert error["payment_method"]["customer"] is None
        intent = error["payment_intent"]
        assert [n for n in intent if n not in ("id", "object")] == INTENT_FIELDS
        assert (intent["status"], intent["payment_method"], intent["customer"]) == (
            "requires_payment_method",
            None,
            customer.id,
        )
        last = intent["last_payment_error"]
        assert last == {
            **DECLINE,
            "charge": error["charge"],
            "payment_method": error["payment_method"],
            "payment_method_type": "card",
        }
        assert shown(twin, f"/v1/payment_intents/{intent['id']}")["last_payment_error"] == last
        assert intent["latest_charge"] == error["charge"]

    def test_the_failed_charge(self, dahlia: stripe.StripeClient, twin: Twin) -> None:
        """Recording 04: nothing authorised or captured, no receipt, no balance transaction."""
        method = card(dahlia, "tok_visa_chargeDeclined")
        error = refused(
            lambda: dahlia.v1.payment_intents.create(
                {
                    "amount": 1300,
                    "currency": "usd",
                    "payment_method": method.id,
                    "confirm": True,
                    "payment_method_types": CARD,
                }
            ),
            402,
        )
        found = shown(twin, f"/v1/charges/{error['charge']}")
        assert list(found) == CHARGE_FIELDS
        assert (found["status"], found["paid"], found["captured"], found["amount_captured"]) == (
            "failed",
            False,
            False,
            0,
        )
        assert (
            found["balance_transaction"]
            is found["receipt_url"]
            is found["failure_balance_transaction"]
            is None
        )
        assert (found["failure_code"], found["failure_message"]) == (
            "card_declined",
            "Your card was declined.",
        )
        found["outcome"].pop("risk_score")
        assert found["outcome"] == {
            "advice_code": "try_again_later",
            "network_advice_code": None,
            "network_decline_code": "01",
            "network_status": "declined_by_network",
            "reason": "generic_decline",
            "risk_level": "normal",
            "seller_message": "The bank did not return any further details with this decline.",
            "type": "issuer_declined",
        }
        details = found["payment_method_details"]["card"]
        assert details["amount_authorized"] is None and len(details["authorization_code"]) == 6
        assert details["overcapture"] == {"maximum_amount_capturable": 1300, "status": "unavailable"}

    def test_off_session(self, dahlia: stripe.StripeClient, customer: Any) -> None:
        """Recording 04: `authentication_required` has no charge and no advice, and the card is not checked."""
        method = card(dahlia, "tok_threeDSecure2Required")
        assert method.card.country == "IE" and method.card.last4 == "3220"
        error = refused(
            lambda: dahlia.v1.payment_intents.create(
                {
                    "amount": 3300,
                    "currency": "usd",
                    "customer": customer.id,
                    "payment_method": method.id,
                    "confirm": True,
                    "off_session": True,
                    "payment_method_types": CARD,
                }
            ),
            402,
        )
        words = {
            "code": "authentication_required",
            "decline_code": "authentication_required",
            "doc_url": "https://stripe.com/docs/error-codes/authentication-required",
            "message": "Your card was declined. This transaction requires authentication.",
            "type": "card_error",
        }
        assert set(error) == {*words, "payment_intent", "payment_method", "request_log_url"}
        assert words.items() <= error.items()
        intent = error["payment_intent"]
        assert intent["latest_charge"] is None and intent["next_action"] is None
        assert intent["last_payment_error"] == {
            **words,
            "payment_method": error["payment_method"],
            "payment_method_type": "card",
        }
        assert error["payment_method"]["card"]["checks"]["cvc_check"] == "unchecked"


class TestCapture:
    def test_in_part(self, dahlia: stripe.StripeClient, customer: Any, saved: Any, twin: Twin) -> None:
        """Recording 04: the charge keeps its amount, the rest is released, and a second capture says so."""
        intent = hold(dahlia, customer, saved, 6500)
        assert (intent.status, intent.amount_capturable, intent.amount_received) == (
            "requires_capture",
            6500,
            0,
        )
        before = shown(twin, f"/v1/charges/{intent.latest_charge}")
        assert (before["captured"], before["paid"], before["status"], before["balance_transaction"]) == (
            False,
            True,
            "succeeded",
            None,
        )
        assert before["payment_method_details"]["card"]["capture_before"] == before["created"] + 7 * 86_400
        done = dahlia.v1.payment_intents.capture(intent.id, {"amount_to_capture": 4400})
        assert (done.status, done.amount, done.amount_received, done.amount_capturable) == (
            "succeeded",
            6500,
            4400,
            0,
        )
        after = shown(twin, f"/v1/charges/{intent.latest_charge}")
        assert (after["amount"], after["amount_captured"], after["amount_refunded"], after["refunded"]) == (
            6500,
            4400,
            0,
            False,
        )
        assert after["balance_transaction"]
        assert after["payment_method_details"] == before["payment_method_details"]
        error = refused(lambda: dahlia.v1.payment_intents.capture(intent.id))
        assert error["code"] == "payment_intent_unexpected_state"
        assert error["message"] == (
            "The remaining amount on this PaymentIntent could not be captured because the remainder of the authorized "
            "amount has been released."
        )
        assert error["payment_intent"]["amount_received"] == 4400
        books(twin)

    @pytest.mark.parametrize(
        ("amount", "code", "param", "message"),
        [
            (
                9999,
                "amount_too_large",
                None,
                "The payment could not be captured because the requested capture amount is greater than the amount you "
                "can capture for this charge. Contact us via https://support.stripe.com/contact/ for help.",
            ),
            (-100, None, "amount_to_capture", "Invalid non-negative integer"),
            (
                0,
                "parameter_invalid_integer",
                "amount",
                "This value must be greater than or equal to 1.",
            ),
        ],
    )
    def test_amounts(
        self,
        dahlia: stripe.StripeClient,
        customer: Any,
        saved: Any,
        amount: int,
        code: str | None,
        param: str | None,
        message: str,
    ) -> None:
        """Recording 04: three refusals with three codes and params, each with the intent beside it."""
        intent = hold(dahlia, customer, saved, 5000)
        error = refused(lambda: dahlia.v1.payment_intents.capture(intent.id, {"amount_to_capture": amount}))
        assert (error.get("code"), error.get("param"), error["message"]) == (code, param, message)
        assert error["payment_intent"]["status"] == "requires_capture"

    @pytest.mark.parametrize("status", ["requires_payment_method", "canceled"])
    def test_states(self, dahlia: stripe.StripeClient, status: str) -> None:
        """Recording 04: what may not be captured says which state it has."""
        intent = dahlia.v1.payment_intents.create({"amount": 1200, "currency": "usd"})
        if status == "canceled":
            dahlia.v1.payment_intents.cancel(intent.id)
        error = refused(lambda: dahlia.v1.payment_intents.capture(intent.id))
        assert error["code"] == "payment_intent_unexpected_state"
        assert error["message"] == (
            f"This PaymentIntent could not be captured because it has a status of {status}. Only a PaymentIntent with "
            "one of the following statuses may be captured: requires_capture."
        )

    def test_a_captured_charge(self, dahlia: stripe.StripeClient, customer: Any, saved: Any) -> None:
        """Recording 04: the charges endpoint refuses to capture again, without a param."""
        intent = hold(dahlia, customer, saved, 2100)
        dahlia.v1.payment_intents.capture(intent.id)
        charge = str(intent.latest_charge)
        error = refused(lambda: dahlia.v1.charges.capture(charge))
        assert error["code"] == "charge_already_captured" and "param" not in error
        assert error["message"] == f"Charge {charge} has already been captured."


class TestCancel:
    def test_canceling(self, dahlia: stripe.StripeClient, customer: Any) -> None:
        """Recording 04: the configuration stays, the moment and the reason are told."""
        intent = dahlia.v1.payment_intents.create(
            {"amount": 1200, "currency": "usd", "customer": customer.id}
        )
        gone = dahlia.v1.payment_intents.cancel(intent.id, {"cancellation_reason": "abandoned"})
        assert (gone.status, gone.cancellation_reason, gone.canceled_at) == (
            "canceled",
            "abandoned",
            intent.created,
        )
        assert gone.automatic_payment_methods is not None
        assert gone.payment_method_configuration_details is not None

    @pytest.mark.parametrize("status", ["canceled", "succeeded"])
    def test_states(self, dahlia: stripe.StripeClient, customer: Any, saved: Any, status: str) -> None:
        """Recording 04: the seven states that may be canceled are named in their order."""
        intent = hold(dahlia, customer, saved, 1200)
        if status == "canceled":
            dahlia.v1.payment_intents.cancel(intent.id)
        else:
            dahlia.v1.payment_intents.capture(intent.id)
        error = refused(lambda: dahlia.v1.payment_intents.cancel(intent.id))
        assert error["code"] == "payment_intent_unexpected_state" and "param" not in error
        assert error["message"] == (
            f"You cannot cancel this PaymentIntent because it has a status of {status}. Only a PaymentIntent with one "
            "of the following statuses may be canceled: requires_payment_method, requires_capture, "
            "requires_reauthorization, requires_confirmation, requires_action, expired, processing."
        )
        assert error["payment_intent"]["status"] == status


class TestConfirm:
    def test_without_a_method(self, dahlia: stripe.StripeClient) -> None:
        """Recording 04: what is missing, and the two ways to give it."""
        intent = dahlia.v1.payment_intents.create(
            {"amount": 800, "currency": "usd", "payment_method_types": CARD}
        )
        error = refused(lambda: dahlia.v1.payment_intents.confirm(intent.id))
        assert error["code"] == "payment_intent_unexpected_state" and "param" not in error
        assert error["message"] == (
            "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the "
            "PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a "
            "payment method or ConfirmationToken."
        )

    def test_without_a_method_of_the_customer(self, dahlia: stripe.StripeClient, customer: Any) -> None:
        """Recording 04: other words when there is a customer."""
        intent = dahlia.v1.payment_intents.create(
            {"amount": 800, "currency": "usd", "customer": customer.id, "payment_method_types": CARD}
        )
        error = refused(lambda: dahlia.v1.payment_intents.confirm(intent.id))
        assert error["message"] == (
            "You cannot confirm this PaymentIntent because it's missing a payment method. To confirm the PaymentIntent "
            f"with {customer.id}, specify a payment method attached to this customer along with the customer ID."
        )

    def test_with_a_method_of_a_customer_that_the_intent_lacks(
        self, dahlia: stripe.StripeClient, customer: Any, saved: Any
    ) -> None:
        """Recording 04: `parameter_missing`, and the param is called `source`."""
        intent = dahlia.v1.payment_intents.create(
            {"amount": 1500, "currency": "usd", "payment_method_types": CARD}
        )
        error = refused(lambda: dahlia.v1.payment_intents.confirm(intent.id, {"payment_method": saved.id}))
        assert (error["code"], error["param"]) == ("parameter_missing", "source")
        assert error["message"] == (
            f"The `payment_method` parameter supplied {saved.id} belongs to the Customer {customer.id}. Please include "
            "the Customer in the `customer` parameter on the PaymentIntent."
        )
        assert error["payment_intent"]["status"] == "requires_payment_method"

    def test_with_a_method_of_another_customer(self, dahlia: stripe.StripeClient, saved: Any) -> None:
        """Recording 04: no code, and the intent does not take the method."""
        other = dahlia.v1.customers.create()
        intent = dahlia.v1.payment_intents.create(
            {"amount": 1500, "currency": "usd", "customer": other.id, "payment_method_types": CARD}
        )
        error = refused(lambda: dahlia.v1.payment_intents.confirm(intent.id, {"payment_method": saved.id}))
        assert "code" not in error and error["param"] == "payment_method"
        assert error["message"] == (
            f"The PaymentMethod {saved.id} does not belong to the Customer you supplied {other.id}. Please use this "
            "PaymentMethod with the Customer that it belongs to instead."
        )
        assert error["payment_intent"]["payment_method"] is None

    def test_with_a_fresh_card(self, dahlia: stripe.StripeClient) -> None:
        """Recording 04: without a customer a new card pays, and stays on the intent."""
        fresh = card(dahlia)
        intent = dahlia.v1.payment_intents.create(
            {"amount": 1500, "currency": "usd", "payment_method_types": CARD}
        )
        paid = dahlia.v1.payment_intents.confirm(intent.id, {"payment_method": fresh.id})
        assert (paid.status, paid.payment_method, paid.customer) == ("succeeded", fresh.id, None)


class TestUpdate:
    def test_after_success(self, dahlia: stripe.StripeClient, customer: Any, saved: Any) -> None:
        """Recording 04: words change, the amount does not, and the refusal carries the changed intent."""
        intent = hold(dahlia, customer, saved, 3700)
        dahlia.v1.payment_intents.capture(intent.id)
        changed = dahlia.v1.payment_intents.update(
            intent.id, {"metadata": {"shelf": "2"}, "description": "later"}
        )
        assert (changed.description, changed.metadata.to_dict()) == ("later", {"shelf": "2"})
        error = refused(lambda: dahlia.v1.payment_intents.update(intent.id, {"amount": 9999}))
        assert (error["code"], error["param"]) == ("payment_intent_unexpected_state", "amount")
        assert error["message"] == (
            "This PaymentIntent's amount could not be updated because it has a status of succeeded. You may only "
            "update the amount of a PaymentIntent with one of the following statuses: requires_payment_method, "
            "requires_confirmation, requires_action."
        )
        assert error["payment_intent"]["description"] == "later"

    def test_before(self, dahlia: stripe.StripeClient) -> None:
        """Recording 04: another amount keeps the secret and everything else."""
        intent = dahlia.v1.payment_intents.create({"amount": 4900, "currency": "usd"})
        raised = dahlia.v1.payment_intents.update(intent.id, {"amount": 5100})
        assert {**intent.to_dict(), "amount": 5100} == raised.to_dict()

    def test_charges(self, dahlia: stripe.StripeClient, customer: Any, saved: Any) -> None:
        """Recording 04: a charge's own words change; its transfer group belongs to the intent."""
        intent = hold(dahlia, customer, saved, 3700)
        dahlia.v1.payment_intents.capture(intent.id)
        charge = str(intent.latest_charge)
        changed = dahlia.v1.charges.update(charge, {"metadata": {"c": "d"}, "description": "of the charge"})
        assert (changed.description, changed.metadata.to_dict()) == ("of the charge", {"c": "d"})
        assert dahlia.v1.payment_intents.retrieve(intent.id).description is None
        error = refused(lambda: dahlia.v1.charges.update(charge, {"transfer_group": "oven"}))
        assert "code" not in error and "param" not in error
        assert error["message"] == (
            f"This Charge was created by a PaymentIntent ({intent.id}). You must update the `transfer_group` on the "
            "PaymentIntent instead of updating the Charge directly. See "
            "https://stripe.com/docs/api#update_payment_intent"
        )


class TestLists:
    def test_by_customer(self, dahlia: stripe.StripeClient, customer: Any, saved: Any) -> None:
        """Recording 04: newest first, a declined intent among them, one page with more to come."""
        made = [hold(dahlia, customer, saved, amount).id for amount in (5000, 2500)]
        made.append(
            dahlia.v1.payment_intents.create({"amount": 1200, "currency": "usd", "customer": customer.id}).id
        )
        declined = refused(
            lambda: dahlia.v1.payment_intents.create(
                {
                    "amount": 3300,
                    "currency": "usd",
                    "customer": customer.id,
                    "payment_method": card(dahlia, "tok_threeDSecure2Required").id,
                    "confirm": True,
                    "off_session": True,
                    "payment_method_types": CARD,
                }
            ),
            402,
        )["payment_intent"]["id"]
        page = dahlia.v1.payment_intents.list({"customer": customer.id, "limit": 3})
        assert [i.id for i in page.data] == [declined, made[2], made[1]]
        assert page.has_more and page.url == "/v1/payment_intents"
        assert page.data[0].last_payment_error is not None
        charges = dahlia.v1.charges.list({"customer": customer.id, "limit": 1})
        assert [c.amount for c in charges.data] == [2500] and charges.has_more
        assert charges.url == "/v1/charges"

    def test_charges_of_an_intent(self, dahlia: stripe.StripeClient, customer: Any, saved: Any) -> None:
        """Recording 04: one charge, no more."""
        intent = hold(dahlia, customer, saved, 5000)
        hold(dahlia, customer, saved, 2500)
        page = dahlia.v1.charges.list({"payment_intent": intent.id})
        assert [c.id for c in page.data] == [intent.latest_charge] and not page.has_more


class TestRefusals:
    def test_charging_the_old_way(self, dahlia: stripe.StripeClient, customer: Any, saved: Any) -> None:
        """Recording 04: five charges without an intent, five refusals."""
        bare = dahlia.v1.customers.create()
        cases: list[tuple[dict[str, Any], int, str | None, str | None, str]] = [
            (
                {"customer": customer.id, "payment_method": saved.id}, 402, "missing", "card",
                "This Customer doesn't have any legacy saved payment details, but does have a Payment Method attached. "
                "Use a Payment Intent instead of creating a Charge: "
                "https://stripe.com/docs/payments/payment-intents/migration",
            ),
            (
                {"customer": bare.id}, 402, "missing", "card",
                "This Customer doesn't have any saved payment details. Attach a legacy Token, Card, Bank Account, or "
                "Source to this Customer and then try this request again, or use Payment Intents and Payment Methods "
                "instead.",
            ),
            ({"payment_method": saved.id}, 400, "parameter_missing", None, "Must provide source or customer."),
            ({}, 400, "parameter_missing", None, "Must provide source or customer."),
            (
                {"source": "tok_visa"}, 400, None, None,
                "Card Token usage on the Customers API and Charges API has reached end of life. In order to continue "
                "processing your payments, you will need to use the Payment Intents and Payment Methods API. Read more "
                "about what you should do here: "
                "https://docs.stripe.com/payments/payment-methods/integration-options. If you need to continue to use "
                "Card Tokens on the Customers and Charges API, enable this functionality in your API policies "
                "settings: https://dashboard.stripe.com/settings/developers/api-policies",
            ),
        ]  # fmt: skip
        for params, status, code, param, message in cases:
            error = refused(
                lambda params=params: dahlia.v1.charges.create(  # type: ignore[misc]
                    {"amount": 1400, "currency": "usd", **params}
                ),
                status,
            )
            assert error["type"] == ("card_error" if status == 402 else "invalid_request_error")
            assert (error.get("code"), error.get("param"), error["message"]) == (code, param, message)

    def test_nothing_to_pay(self, dahlia: stripe.StripeClient) -> None:
        """Recording 04: zero points to the minimum and to SetupIntents, with two spaces between."""
        error = refused(lambda: dahlia.v1.payment_intents.create({"amount": 0, "currency": "usd"}))
        assert (error["code"], error["param"]) == ("parameter_invalid_integer", "amount")
        assert error["message"] == (
            "The amount must be greater than or equal to the minimum charge amount allowed for your account and the "
            "currency set (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts).  If you want to "
            "save a Payment Method for future use without an immediate payment, use a Setup Intent instead: "
            "https://docs.stripe.com/payments/setup-intents"
        )

    @pytest.mark.parametrize(
        ("method", "path", "kind", "identifier", "param"),
        [
            ("GET", "/v1/payment_intents/pi_no", "payment_intent", "pi_no", "intent"),
            ("POST", "/v1/payment_intents/pi_no/confirm", "payment_intent", "pi_no", "intent"),
            ("GET", "/v1/charges/ch_no", "charge", "ch_no", "id"),
        ],
    )
    def test_what_there_is_not(
        self, twin: Twin, method: str, path: str, kind: str, identifier: str, param: str
    ) -> None:
        """Recording 04: 404 with the name of the path's parameter."""
        answer = twin.request(method, path, version=VERSION)
        error = answer.json()["error"]
        assert (answer.status, error["code"], error["param"]) == (404, "resource_missing", param)
        assert error["message"] == f"No such {kind}: '{identifier}'"
        assert error["doc_url"] == "https://stripe.com/docs/error-codes/resource-missing"
