"""Customers and their payment methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import stripe

from tests.twin import sdk
from tests.twin.payments.pay import error_of, event_types, pay
from trialbalance.twin import Twin
from trialbalance.twin.config import TwinConfig

At = Callable[[str], stripe.StripeClient]


def test_every_parameter(client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create(
        {
            "email": "ada@example.test",
            "name": "Ada",
            "phone": "+15550100",
            "description": "first",
            "address": {"line1": "1 Main St", "country": "US", "state": "NY"},
            "shipping": {"name": "Ada", "address": {"city": "Paris"}},
            "balance": -500,
            "preferred_locales": ["fr", "en"],
            "tax_exempt": "reverse",
            "invoice_prefix": "ADA",
            "next_invoice_sequence": 5,
            "invoice_settings": {"footer": "Thanks", "custom_fields": [{"name": "PO", "value": "1"}]},
            "metadata": {"k": "v"},
            "tax_id_data": [{"type": "eu_vat", "value": "DE123456789"}],
            "payment_method": "pm_card_visa",
            "tax": {"ip_address": "192.0.2.7"},
            "expand": ["tax_ids", "tax"],
        }
    )
    assert customer.address is not None and customer.address.to_dict() == {
        "city": None,
        "country": "US",
        "line1": "1 Main St",
        "line2": None,
        "postal_code": None,
        "state": "NY",
    }
    assert customer.shipping is not None and customer.shipping.phone is None
    assert (customer.balance, customer.invoice_prefix, customer.next_invoice_sequence) == (-500, "ADA", 5)
    assert customer.invoice_settings is not None and customer.invoice_settings.footer == "Thanks"
    assert customer.tax_ids is not None and customer.tax_ids.data[0].value == "DE123456789"
    assert customer.tax is not None and customer.tax.automatic_tax == "supported"
    assert len(client.v1.payment_methods.list({"customer": customer.id}).data) == 1
    rows = client.v1.customers.balance_transactions.list(customer.id).data
    assert [(row.amount, row.ending_balance) for row in rows] == [(-500, -500)]


def test_what_is_absent(client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create()
    names = (
        "id object address balance created currency customer_account default_source delinquent description "
        "discount email invoice_prefix invoice_settings livemode metadata name next_invoice_sequence phone "
        "preferred_locales shipping tax_exempt test_clock"
    )
    assert set(customer.to_dict()) == set(names.split())


def test_update_and_its_event(client: stripe.StripeClient, twin: Twin) -> None:
    customer = client.v1.customers.create(
        {"email": "a@example.test", "name": "Before", "metadata": {"a": "1"}}
    )
    client.v1.customers.update(
        customer.id, {"name": "After", "email": "b@example.test", "metadata": {"b": "2"}}
    )
    event = client.v1.events.list({"type": "customer.updated"}).data[0]
    assert event.data.previous_attributes.to_dict() == {
        "email": "a@example.test",
        "name": "Before",
        "metadata": {"b": None},
    }
    emptied = client.v1.customers.update(customer.id, {"name": "", "metadata": ""})
    assert (emptied.name, emptied.to_dict()["metadata"]) == (None, {})


def test_deletion(client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create({"name": "Ada"})
    method = client.v1.payment_methods.attach("pm_card_visa", {"customer": customer.id})
    intent = pay(client, customer=customer.id, card=method.id)
    stub = {"id": customer.id, "object": "customer", "deleted": True}
    assert client.v1.customers.delete(customer.id).to_dict() == stub
    assert client.v1.customers.retrieve(customer.id).to_dict() == stub
    charge = client.v1.charges.retrieve(intent.latest_charge, {"expand": ["customer"]})
    assert isinstance(charge.customer, stripe.Customer) and charge.customer.to_dict() == stub
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.customers.update(customer.id, {"name": "x"})
    assert error_of(caught)["code"] == "resource_missing"
    event = client.v1.events.list({"type": "customer.deleted"}).data[0]
    assert event.data.object["name"] == "Ada" and "deleted" not in event.data.object
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_methods.list({"customer": customer.id})
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_methods.attach(method.id, {"customer": client.v1.customers.create().id})


@pytest.mark.parametrize("email", ["nobody", "a@b@c", "a b@c.test", "@c.test"])
def test_wrong_addresses(email: str, client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.customers.create({"email": email})
    assert (error_of(caught)["code"], error_of(caught)["param"]) == ("email_invalid", "email")


def test_default_payment_method(client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create()
    loose = client.v1.payment_methods.create({"type": "card", "card": {"token": "tok_visa"}})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.customers.update(customer.id, {"invoice_settings": {"default_payment_method": loose.id}})
    assert error_of(caught)["param"] == "invoice_settings[default_payment_method]"
    client.v1.payment_methods.attach(loose.id, {"customer": customer.id})
    client.v1.customers.update(customer.id, {"invoice_settings": {"default_payment_method": loose.id}})
    client.v1.payment_methods.detach(loose.id)
    after = client.v1.customers.retrieve(customer.id)
    assert after.invoice_settings is not None and after.invoice_settings.default_payment_method is None


def test_search_and_list(client: stripe.StripeClient) -> None:
    ada = client.v1.customers.create({"email": "ada@example.test", "name": "Ada Lovelace"})
    client.v1.customers.create({"email": "bob@example.test"})
    assert [c.id for c in client.v1.customers.list({"email": "ada@example.test"}).data] == [ada.id]
    assert [c.id for c in client.v1.customers.search({"query": "name~'lovel'"}).data] == [ada.id]


def test_older_shapes(at_version: At, client: stripe.StripeClient) -> None:
    old = at_version("2019-10-08")
    customer = old.v1.customers.create({"account_balance": -10})  # type: ignore[typeddict-unknown-key]
    assert customer["account_balance"] == -10 and "balance" not in customer
    assert customer.sources is not None and customer.sources.data == []
    assert client.v1.customers.retrieve(customer.id).balance == -10


# Payment methods


def test_attach_and_detach(client: stripe.StripeClient, twin: Twin) -> None:
    customer = client.v1.customers.create()
    method = client.v1.payment_methods.create({"type": "card", "card": {"token": "tok_visa"}})
    before = len(event_types(twin))
    first = client.v1.payment_methods.attach(method.id, {"customer": customer.id})
    again = client.v1.payment_methods.attach(method.id, {"customer": customer.id})
    assert first.customer == again.customer == customer.id
    client.v1.payment_methods.update(
        method.id, {"allow_redisplay": "limited", "billing_details": {"name": "Ada"}}
    )
    listed = client.v1.payment_methods.list({"customer": customer.id, "allow_redisplay": "limited"})
    assert [m.id for m in listed.data] == [method.id]
    gone = client.v1.payment_methods.detach(method.id)
    assert gone.customer is None
    assert event_types(twin, before) == [
        "payment_method.attached",
        "payment_method.updated",
        "payment_method.detached",
    ]
    event = client.v1.events.list({"type": "payment_method.detached"}).data[0]
    assert event.data.previous_attributes.to_dict() == {"customer": customer.id}
    attached = client.v1.events.list({"type": "payment_method.attached"}).data[0]
    assert "previous_attributes" not in attached.data
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_methods.detach(method.id)
    assert error_of(caught)["message"].endswith("so detachment is impossible.")
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_methods.attach(method.id, {"customer": customer.id})
    assert "may not be used again" in error_of(caught)["message"]


def test_lists_need_a_customer(client: stripe.StripeClient) -> None:
    client.v1.payment_methods.create({"type": "card", "card": {"token": "tok_visa"}})
    assert client.v1.payment_methods.list().data == []
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_methods.list({"customer": "cus_nope"})
    assert (caught.value.http_status, error_of(caught)["param"]) == (400, "customer")
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.customers.payment_methods.list("cus_nope", {"type": "card"})
    assert (caught.value.http_status, error_of(caught)["param"]) == (404, "id")


def test_another_customers_method(client: stripe.StripeClient) -> None:
    one, two = client.v1.customers.create(), client.v1.customers.create()
    method = client.v1.payment_methods.attach("pm_card_visa", {"customer": one.id})
    assert client.v1.customers.payment_methods.retrieve(one.id, method.id).id == method.id
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.customers.payment_methods.retrieve(two.id, method.id)
    assert (caught.value.http_status, error_of(caught)["message"]) == (404, "Invalid request")
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_methods.attach(method.id, {"customer": two.id})
    assert error_of(caught)["message"].endswith("has already been attached to a customer.")


def test_a_method_without_customer_is_single_use(client: stripe.StripeClient) -> None:
    method = client.v1.payment_methods.create({"type": "card", "card": {"token": "tok_visa"}})
    pay(client, 1000, method.id)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        pay(client, 1000, method.id)
    error = error_of(caught)
    assert "code" not in error
    assert error["message"].startswith("The provided PaymentMethod was previously used")


def test_raw_numbers() -> None:
    twin = Twin(config=TwinConfig(seed=1, clock=1_767_225_600, frozen=True, raw_card_numbers=False))
    card: Any = {"number": "4242424242424242", "exp_month": 12, "exp_year": 2034, "cvc": "123"}
    with pytest.raises(stripe.StripeError) as caught:
        sdk.client(twin).v1.payment_methods.create({"type": "card", "card": card})
    error = error_of(caught)
    assert (caught.value.http_status, error["type"]) == (402, "invalid_request_error")
    assert "code" not in error
    assert error["message"].startswith(
        "Sending credit card numbers directly to the Stripe API is generally unsafe"
    )
    browser = sdk.client(twin, key=twin.publishable_key)
    assert browser.v1.payment_methods.create({"type": "card", "card": card}).id.startswith("pm_")
    token = browser.v1.tokens.create({"card": card})  # type: ignore[typeddict-item]
    made = sdk.client(twin).v1.payment_methods.create({"type": "card", "card": {"token": token.id}})
    assert made.card is not None and (made.card.exp_month, made.card.exp_year) == (12, 2034)
    with pytest.raises(stripe.InvalidRequestError) as caught2:
        sdk.client(twin).v1.payment_methods.create({"type": "card", "card": {"token": token.id}})
    assert error_of(caught2)["code"] == "token_already_used"


def test_saved_cards_of_older_integrations(at_version: At, client: stripe.StripeClient) -> None:
    old = at_version("2020-08-27")
    customer = old.v1.customers.create({"source": "tok_visa"})
    assert str(customer.default_source).startswith("card_")
    card = old.v1.customers.payment_sources.create(customer.id, {"source": "tok_mastercard"})
    listed = old.v1.customers.payment_sources.list(customer.id)
    assert [c.id for c in listed.data] == [card.id, customer.default_source]
    assert pay(client, 1000, card.id, customer=customer.id).status == "succeeded"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.customers.create({"source": "tok_visa"})
    assert error_of(caught)["message"].startswith("Card Token usage on the Customers API")
    with pytest.raises(stripe.CardError):
        old.v1.customers.create({"source": "tok_chargeDeclined"})
