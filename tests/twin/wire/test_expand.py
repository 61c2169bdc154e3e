"""Expansion: ids become objects, four levels deep, in any answer; what cannot be expanded is refused.

Source: https://docs.stripe.com/expand
"""

from __future__ import annotations

import pytest
import stripe

from tests.twin import sdk
from trialbalance.twin import Twin


@pytest.fixture
def intent(client: stripe.StripeClient) -> str:
    customer = client.v1.customers.create({"email": "a@example.test"})
    made = client.v1.payment_intents.create(
        {
            "amount": 2000,
            "currency": "usd",
            "customer": customer.id,
            "payment_method": "pm_card_visa",
            "confirm": True,
            "capture_method": "automatic",
            "return_url": "https://shop.example/",
        }
    )
    return made.id


def refusal(client: stripe.StripeClient, path: str, *, list_: bool = False) -> str:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        if list_:
            client.v1.payment_intents.list({"expand": [path]})
        else:
            client.v1.payment_intents.create({"amount": 100, "currency": "usd", "expand": [path]})
    return str(caught.value.user_message)


def test_several_paths_and_levels(client: stripe.StripeClient, intent: str) -> None:
    read = client.v1.payment_intents.retrieve(
        intent, {"expand": ["customer", "payment_method", "latest_charge.balance_transaction"]}
    )
    assert read.customer.email == "a@example.test"  # type: ignore[union-attr]
    assert read.payment_method.card.last4 == "4242"  # type: ignore[union-attr]
    assert read.latest_charge.balance_transaction.amount == 2000  # type: ignore[union-attr]


def test_in_lists_with_data(client: stripe.StripeClient, intent: str) -> None:
    (row,) = client.v1.payment_intents.list({"expand": ["data.customer"]}).data
    assert row.customer.email == "a@example.test"  # type: ignore[union-attr]
    assert client.v1.payment_intents.list({"expand": ["data"]}).data[0].id == intent


def test_a_deleted_object_expands_to_its_stub(client: stripe.StripeClient, intent: str) -> None:
    """Case A56."""
    read = client.v1.payment_intents.retrieve(intent)
    client.v1.customers.delete(str(read.customer))
    again = client.v1.payment_intents.retrieve(intent, {"expand": ["customer"]})
    assert again.customer.to_dict() == {"id": read.customer, "object": "customer", "deleted": True}  # type: ignore[union-attr]


def test_null_may_be_named(client: stripe.StripeClient) -> None:
    made = client.v1.payment_intents.create({"amount": 100, "currency": "usd", "expand": ["customer"]})
    assert made.customer is None


def test_stored_objects_are_never_changed_by_expansion(client: stripe.StripeClient, intent: str) -> None:
    client.v1.payment_intents.retrieve(intent, {"expand": ["customer"]})
    assert isinstance(client.v1.payment_intents.retrieve(intent).customer, str)


@pytest.mark.parametrize("path", ["bogus", "amount", "metadata", "customer.bogus.deep", "status"])
def test_what_cannot_be_expanded(client: stripe.StripeClient, path: str) -> None:
    assert refusal(client, path) == f"This property cannot be expanded ({path})."


def test_a_list_hints_at_data(client: stripe.StripeClient) -> None:
    assert refusal(client, "customer", list_=True) == (
        "This property cannot be expanded (customer). You may want to try expanding 'data.customer' instead."
    )


def test_five_levels_are_too_many(client: stripe.StripeClient) -> None:
    """Case A54, on payment intents: `data` does not count."""
    says = "You cannot expand more than 4 levels of a property."
    assert refusal(client, "latest_charge.payment_intent.latest_charge.payment_intent.customer") == says
    path = "data.latest_charge.payment_intent.latest_charge.payment_intent"
    client.v1.payment_intents.list({"expand": [path]})
    assert refusal(client, f"{path}.customer", list_=True) == says


def test_a_refused_expansion_undoes_the_request(twin: Twin, client: stripe.StripeClient) -> None:
    refusal(client, "bogus")
    assert client.v1.payment_intents.list().data == []
    assert client.v1.events.list().data == []


def test_on_another_version(twin: Twin, intent: str) -> None:
    """`charges` exists before 2022-11-15 only, and can be expanded into there only."""
    old = sdk.client(twin, version="2020-08-27").v1.payment_intents
    read = old.retrieve(intent, {"expand": ["charges.data.balance_transaction"]})
    assert read["charges"].data[0].balance_transaction.amount == 2000
    with pytest.raises(stripe.InvalidRequestError):
        sdk.client(twin, version="2022-11-15").v1.payment_intents.retrieve(
            intent, {"expand": ["charges.data"]}
        )
