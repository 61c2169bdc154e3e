"""The search query language, through the official SDK. Source: https://docs.stripe.com/search"""

from __future__ import annotations

import pytest
import stripe

from tests.twin import sdk
from trialbalance.twin import Twin


@pytest.fixture
def alice(client: stripe.StripeClient) -> str:
    client.v1.customers.create({"email": "bob@example.test", "name": "Bob"})
    made = client.v1.customers.create(
        {
            "email": "Alice@Example.test",
            "name": "Alice O'Hara",
            "metadata": {"order": "6735", "key with space": "x"},
        }
    )
    return made.id


def found(client: stripe.StripeClient, query: str) -> list[str]:
    return [customer.id for customer in client.v1.customers.search({"query": query}).data]


@pytest.mark.parametrize(
    "query",
    [
        "email:'alice@example.test'",
        'email:"ALICE@example.test"',
        "email~'lice@ex'",
        "name~'hara' AND created>1",
        '-created<1000 AND name:"alice o\'hara"',
        "metadata['order']:'6735'",
        "metadata[\"key with space\"]:'x'",
        "phone:null AND -name:'bob'",
        "name:'nobody' OR metadata['order']:'6735'",
        "name:'Alice O\\'Hara'",
        "created>1 name~'alice'",
    ],
)
def test_finds_alice_only(client: stripe.StripeClient, alice: str, query: str) -> None:
    assert found(client, query) == [alice]


@pytest.mark.parametrize(
    "query", ["email:'alice'", "created<1000", "-metadata['order']:'6735' AND name~'alice'"]
)
def test_does_not_find_alice(client: stripe.StripeClient, alice: str, query: str) -> None:
    assert alice not in found(client, query)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("email", "unable to parse"),
        ("email:'open", "unable to parse"),
        ("(email:'a')", "unable to parse"),
        ("email:'a' AND name:'b' OR name:'c'", "AND and OR"),
        ("balance:1", "unsupported search field for resource `customers`"),
        ("created~'123'", "Operator `~`"),
        ("email>3", "Operator `>`"),
        ("email~'ab'", "at least 3"),
        ("created:'x'", "needs a number"),
        (" ".join(f"created>{n}" for n in range(11)), "at most 10"),
    ],
)
def test_refuses(client: stripe.StripeClient, query: str, says: str) -> None:
    with pytest.raises(stripe.InvalidRequestError, match=says) as caught:
        found(client, query)
    assert caught.value.param == "query"


def test_pages_visit_every_object_once(client: stripe.StripeClient) -> None:
    made = [client.v1.customers.create({"name": "page me"}).id for _ in range(7)]
    pages = client.v1.customers.search({"query": "name:'page me'", "limit": 3, "expand": ["total_count"]})
    assert pages.total_count == 7
    assert [customer.id for customer in pages.auto_paging_iter()] == made[::-1]


def test_needs_a_version_that_has_it(twin: Twin) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="not supported on api versions before"):
        found(sdk.client(twin, version="2019-12-03"), "name:'x'")
