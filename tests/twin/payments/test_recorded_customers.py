"""Customers, payment methods and their events as the recorded test-mode API answered (2026-08-26.dahlia).

The facts come from recording 06 and the customer event probe; the names and order of these scenarios are our own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import stripe

from tests.twin.payments.test_recorded_money_path import METHOD_FIELDS, VERSION, card, refused, shown
from trialbalance.twin import Twin
from trialbalance.twin.wire.versions import KNOWN

FIELDS = [
    "address", "balance", "created", "currency", "customer_account", "default_source", "delinquent", "description",
    "discount", "email", "invoice_prefix", "invoice_settings", "livemode", "metadata", "name", "next_invoice_sequence",
    "phone", "preferred_locales", "shipping", "tax_exempt", "test_clock",
]  # fmt: skip
NOBODY = {
    "address": {
        "city": None, "country": None, "line1": None, "line2": None, "postal_code": None, "state": None,
    },
    "email": None,
    "name": None,
    "phone": None,
    "tax_id": None,
}  # fmt: skip


@pytest.fixture
def dahlia(at_version: Callable[[str], stripe.StripeClient]) -> stripe.StripeClient:
    """A client of the recorded version."""
    return at_version(VERSION)


@pytest.fixture
def customer(dahlia: stripe.StripeClient) -> Any:
    return dahlia.v1.customers.create(
        {
            "email": "weaver@example.test",
            "description": "a weaver",
            "name": "Anni",
            "metadata": {"loom": "4"},
        }
    )


def event(twin: Twin, type: str) -> dict[str, Any]:
    """The newest event of a type as the recorded version shows it."""
    page = twin.request("GET", "/v1/events", form={"type": type, "limit": 1}, version=VERSION).json()
    found: dict[str, Any] = page["data"][0]
    return found


class TestCustomers:
    def test_a_new_one(self, customer: Any, twin: Twin) -> None:
        """Recording 06: every field, in order, and what it is without a word about it."""
        found = shown(twin, f"/v1/customers/{customer.id}")
        assert list(found) == FIELDS
        prefix = found.pop("invoice_prefix")
        assert len(prefix) == 8 and prefix == prefix.upper()
        assert found == {
            "address": None,
            "balance": 0,
            "created": twin.now(),
            "currency": None,
            "customer_account": None,
            "default_source": None,
            "delinquent": False,
            "description": "a weaver",
            "discount": None,
            "email": "weaver@example.test",
            "invoice_settings": {
                "custom_fields": None,
                "default_payment_method": None,
                "footer": None,
                "rendering_options": None,
            },
            "livemode": False,
            "metadata": {"loom": "4"},
            "name": "Anni",
            "next_invoice_sequence": 1,
            "phone": None,
            "preferred_locales": [],
            "shipping": None,
            "tax_exempt": "none",
            "test_clock": None,
        }

    def test_changed(self, dahlia: stripe.StripeClient, customer: Any) -> None:
        """Recording 06: only what was sent changes, the invoice prefix least of all."""
        changed = dahlia.v1.customers.update(customer.id, {"name": "Gunta", "email": "g@example.test"})
        assert changed.to_dict() == {**customer.to_dict(), "name": "Gunta", "email": "g@example.test"}

    def test_deleted(self, dahlia: stripe.StripeClient, customer: Any) -> None:
        """Recording 06: three fields are left; lists and attachments do not know the customer any more."""
        method = card(dahlia)
        gone = dahlia.v1.customers.delete(customer.id)
        assert list(gone.to_dict().items()) == [
            ("id", customer.id),
            ("object", "customer"),
            ("deleted", True),
        ]
        for act in (
            lambda: dahlia.v1.payment_methods.list({"customer": customer.id}),
            lambda: dahlia.v1.payment_methods.attach(method.id, {"customer": customer.id}),
        ):
            error = refused(act)
            assert (error["code"], error["param"]) == ("resource_missing", "customer")
            assert error["message"] == f"No such customer: '{customer.id}'"


class TestPaymentMethods:
    @pytest.mark.parametrize(("token", "last4"), [("tok_visa", "4242"), ("tok_visa_chargeDeclined", "0002")])
    def test_from_a_token(self, dahlia: stripe.StripeClient, twin: Twin, token: str, last4: str) -> None:
        """Recording 06: a card that will be declined is made like any other."""
        found = shown(twin, f"/v1/payment_methods/{card(dahlia, token).id}")
        assert list(found) == METHOD_FIELDS
        assert len(found["card"].pop("fingerprint")) == 16
        del found["card"]["exp_month"], found["card"]["exp_year"]
        assert found == {
            "allow_redisplay": "unspecified",
            "billing_details": NOBODY,
            "card": {
                "brand": "visa",
                "checks": {
                    "address_line1_check": None,
                    "address_postal_code_check": None,
                    "cvc_check": "unchecked",
                },
                "country": "US",
                "display_brand": "visa",
                "funding": "credit",
                "generated_from": None,
                "last4": last4,
                "networks": {"available": ["visa"], "preferred": None},
                "regulated_status": "unregulated",
                "three_d_secure_usage": {"supported": True},
                "wallet": None,
            },
            "created": twin.now(),
            "customer": None,
            "customer_account": None,
            "livemode": False,
            "metadata": {},
            "shared_payment_granted_token": None,
            "type": "card",
        }

    def test_another_type(self, dahlia: stripe.StripeClient, twin: Twin) -> None:
        """Recording 06: klarna needs nothing, and its own hash is empty."""
        made = dahlia.v1.payment_methods.create({"type": "klarna"})
        found = shown(twin, f"/v1/payment_methods/{made.id}")
        assert list(found) == sorted({*METHOD_FIELDS, "klarna"} - {"card"})
        assert (found["klarna"], found["type"], found["billing_details"]) == ({}, "klarna", NOBODY)

    def test_attaching_twice(self, dahlia: stripe.StripeClient, customer: Any) -> None:
        """Recording 06: to the same customer again it changes nothing."""
        method = card(dahlia)
        once = dahlia.v1.payment_methods.attach(method.id, {"customer": customer.id})
        again = dahlia.v1.payment_methods.attach(method.id, {"customer": customer.id})
        assert once.to_dict() == again.to_dict()
        assert once.customer == customer.id

    def test_declined_when_attached(self, dahlia: stripe.StripeClient, customer: Any) -> None:
        """Recording 06: 402 with an empty param and without charge, intent or method; nothing is attached."""
        method = card(dahlia, "tok_visa_chargeDeclined")
        error = refused(lambda: dahlia.v1.payment_methods.attach(method.id, {"customer": customer.id}), 402)
        del error["request_log_url"]
        assert error == {
            "advice_code": "try_again_later",
            "code": "card_declined",
            "decline_code": "generic_decline",
            "doc_url": "https://stripe.com/docs/error-codes/card-declined",
            "message": "Your card was declined.",
            "network_decline_code": "01",
            "param": "",
            "type": "card_error",
        }
        missing = refused(lambda: dahlia.v1.customers.payment_methods.retrieve(customer.id, method.id), 404)
        del missing["request_log_url"]
        assert missing == {
            "message": "Invalid request",
            "param": "customer",
            "type": "invalid_request_error",
        }

    def test_lists(self, dahlia: stripe.StripeClient, customer: Any) -> None:
        """Recording 06: by customer, by both paths; without a customer there are none."""
        method = card(dahlia)
        dahlia.v1.payment_methods.attach(method.id, {"customer": customer.id})
        page = dahlia.v1.payment_methods.list({"customer": customer.id, "type": "card", "limit": 5})
        assert [m.id for m in page.data] == [method.id] and not page.has_more
        assert page.url == "/v1/payment_methods"
        own = dahlia.v1.customers.payment_methods.list(customer.id, {"type": "card"})
        assert [m.id for m in own.data] == [method.id]
        assert own.url == f"/v1/customers/{customer.id}/payment_methods"
        assert dahlia.v1.payment_methods.list({"limit": 3}).data == []
        assert dahlia.v1.customers.payment_methods.retrieve(customer.id, method.id).id == method.id
        expanded = dahlia.v1.payment_methods.retrieve(method.id, {"expand": ["customer"]})
        assert isinstance(expanded.customer, stripe.Customer)
        assert expanded.customer.to_dict() == customer.to_dict()

    def test_lists_of_nobody(self, dahlia: stripe.StripeClient) -> None:
        """Recording 06: 400 about `customer` as a parameter, 404 about `id` in the path."""
        error = refused(lambda: dahlia.v1.payment_methods.list({"customer": "cus_no"}))
        assert (error["code"], error["param"]) == ("resource_missing", "customer")
        error = refused(lambda: dahlia.v1.customers.payment_methods.list("cus_no", {"type": "card"}), 404)
        assert (error["code"], error["param"]) == ("resource_missing", "id")
        assert error["message"] == "No such customer: 'cus_no'"

    def test_changed_and_found_by_it(self, dahlia: stripe.StripeClient, customer: Any) -> None:
        """Recording 06: `allow_redisplay` filters; one billing detail leaves the others."""
        method = card(dahlia)
        dahlia.v1.payment_methods.attach(method.id, {"customer": customer.id})
        changed = dahlia.v1.payment_methods.update(
            method.id, {"allow_redisplay": "limited", "billing_details": {"name": "Gunta"}}
        )
        assert changed.allow_redisplay == "limited"
        assert changed.billing_details.to_dict() == {**NOBODY, "name": "Gunta"}
        for value, found in (("limited", [method.id]), ("always", [])):
            listed = dahlia.v1.payment_methods.list({"customer": customer.id, "allow_redisplay": value})  # type: ignore[typeddict-item]
            assert [m.id for m in listed.data] == found

    def test_detaching(self, dahlia: stripe.StripeClient, customer: Any) -> None:
        """Recording 06: once; then there is nothing to detach, and the refusal has no code and no param."""
        method = card(dahlia)
        dahlia.v1.payment_methods.attach(method.id, {"customer": customer.id})
        gone = dahlia.v1.payment_methods.detach(method.id)
        assert gone.customer is None
        assert gone.card is not None and gone.card.checks is not None and gone.card.checks.cvc_check == "pass"
        error = refused(lambda: dahlia.v1.payment_methods.detach(method.id))
        del error["request_log_url"]
        assert error == {
            "message": "The payment method you provided is not attached to a customer so detachment is impossible.",
            "type": "invalid_request_error",
        }


class TestEvents:
    """The customer event probe."""

    @pytest.fixture
    def method(self, dahlia: stripe.StripeClient, customer: Any) -> Any:
        """A method that was attached, changed and detached; then the customer was changed and deleted."""
        made = card(dahlia)
        dahlia.v1.payment_methods.attach(made.id, {"customer": customer.id})
        dahlia.v1.payment_methods.update(made.id, {"allow_redisplay": "limited"})
        dahlia.v1.payment_methods.detach(made.id)
        dahlia.v1.customers.update(customer.id, {"name": "Gunta", "email": "g@example.test"})
        dahlia.v1.customers.delete(customer.id)
        return made

    def test_the_event_itself(self, dahlia: stripe.StripeClient, customer: Any, twin: Twin) -> None:
        """Probe: its fields in order, and the request it came from with its idempotency key."""
        dahlia.v1.customers.update(customer.id, {"phone": "+15550100"}, {"idempotency_key": "loom-4"})
        found = event(twin, "customer.updated")
        assert list(found) == [
            "id", "object", "api_version", "created", "data", "livemode", "pending_webhooks", "request", "type",
        ]  # fmt: skip
        assert found["request"]["id"].startswith("req_")
        assert found["request"]["idempotency_key"] == "loom-4"
        assert (found["api_version"], found["pending_webhooks"], found["livemode"]) == (
            KNOWN[-1],
            0,
            False,
        )

    def test_a_deleted_customer_is_shown_whole(self, method: Any, customer: Any, twin: Twin) -> None:
        """Probe: the object is the last full one, not the three fields that are left; no previous attributes."""
        found = event(twin, "customer.deleted")
        assert list(found["data"]) == ["object"]
        last = {**customer.to_dict(), "name": "Gunta", "email": "g@example.test"}
        assert found["data"]["object"] == last
        assert found["request"]["idempotency_key"] is None

    def test_what_changed(self, method: Any, customer: Any, twin: Twin) -> None:
        """Probe: the previous values, and nothing else."""
        assert event(twin, "customer.updated")["data"]["previous_attributes"] == {
            "email": "weaver@example.test",
            "name": "Anni",
        }
        assert event(twin, "payment_method.updated")["data"]["previous_attributes"] == {
            "allow_redisplay": "unspecified"
        }
        assert event(twin, "payment_method.detached")["data"]["previous_attributes"] == {
            "customer": customer.id
        }

    def test_created_and_attached_have_no_previous_attributes(
        self, method: Any, customer: Any, twin: Twin
    ) -> None:
        """Probe: an attached method had a customer in no earlier state worth telling."""
        created = event(twin, "customer.created")
        assert created["data"] == {"object": customer.to_dict()}
        attached = event(twin, "payment_method.attached")
        assert list(attached["data"]) == ["object"]
        assert attached["data"]["object"]["customer"] == customer.id
        assert attached["data"]["object"]["card"]["checks"]["cvc_check"] == "pass"
        detached = event(twin, "payment_method.detached")["data"]["object"]
        assert (detached["customer"], detached["allow_redisplay"]) == (None, "limited")

    def test_making_a_method_is_no_event(self, method: Any, twin: Twin) -> None:
        """Probe: there is no `payment_method.created`."""
        page = twin.request("GET", "/v1/events", form={"type": "payment_method.created", "limit": 1})
        assert (page.json()["data"], page.json()["has_more"]) == ([], False)
