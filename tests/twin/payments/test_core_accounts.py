"""Accounts in the v2 namespace: the same accounts as v1's."""

from __future__ import annotations

from typing import Any

import pytest
import stripe

from tests.twin import sdk
from tests.twin.payments.marketplace import acting, ready
from tests.twin.payments.pay import pay
from trialbalance.twin import Twin

PERSON: Any = {
    "given_name": "Jenny",
    "surname": "Rosen",
    "email": "jenny@example.test",
    "phone": "0000000000",
    "date_of_birth": {"day": 1, "month": 1, "year": 1901},
    "address": {
        "line1": "address_full_match", "city": "San Francisco", "state": "CA", "postal_code": "94107", "country": "us",
    },
    "id_numbers": [{"type": "us_ssn", "value": "000000000"}],
}  # fmt: skip


def seller(client: stripe.StripeClient, **over: Any) -> Any:
    """An account that has told everything but where its money goes."""
    return client.v2.core.accounts.create(
        {
            "contact_email": "jenny@example.test",
            "display_name": "Rosen Goods",
            "dashboard": "none",
            "defaults": {
                "responsibilities": {"fees_collector": "application", "losses_collector": "application"},
                "profile": {"business_url": "https://accessible.stripe.com"},
            },
            "identity": {
                "country": "us",
                "entity_type": "individual",
                "individual": PERSON,
                "attestations": {
                    "terms_of_service": {"account": {"date": "2026-01-01T00:00:00.000Z", "ip": "192.0.2.1"}}
                },
            },
            "configuration": {
                "merchant": {"capabilities": {"card_payments": {"requested": True}}, "mcc": "5734"},
                "recipient": {"capabilities": {"stripe_balance": {"stripe_transfers": {"requested": True}}}},
            },
            "include": [
                "configuration.merchant",
                "configuration.recipient",
                "identity",
                "requirements",
                "defaults",
            ],
            "metadata": {"shop": "1"},
            **over,
        }  # type: ignore[arg-type]
    )


def test_an_account_of_both_namespaces(client: stripe.StripeClient, twin: Twin) -> None:
    account = seller(client)
    assert account.applied_configurations == ["merchant", "recipient"]
    assert account.configuration.merchant.mcc == "5734"
    assert account.identity.individual.given_name == "Jenny"
    assert [e.description for e in account.requirements.entries] == ["external_account"]
    assert account.defaults.responsibilities.requirements_collector == "application"
    older = client.v1.accounts.retrieve(account.id)
    assert (older.type, older.email) == ("custom", "jenny@example.test")
    client.v1.accounts.update(account.id, {"external_account": "btok_us_verified"})
    enabled = client.v2.core.accounts.retrieve(
        account.id, {"include": ["configuration.merchant", "configuration.recipient", "requirements"]}
    )
    assert enabled.configuration is not None and enabled.configuration.merchant is not None
    assert enabled.configuration.merchant.capabilities is not None
    assert enabled.configuration.merchant.capabilities.card_payments is not None
    assert enabled.configuration.merchant.capabilities.card_payments.status == "active"
    assert enabled.requirements is not None and enabled.requirements.entries == []
    intent = pay(client, transfer_data={"destination": account.id})
    assert intent.status == "succeeded"
    assert acting(twin, account).v1.balance.retrieve().pending[0].amount == 1000


def test_parts_show_only_when_asked_for(client: stripe.StripeClient) -> None:
    account = seller(client)
    plain = client.v2.core.accounts.retrieve(account.id)
    assert (plain.configuration, plain.identity, plain.requirements, plain.defaults) == (None,) * 4
    assert plain.metadata is not None and plain.metadata.to_dict() == {"shop": "1"}
    with pytest.raises(stripe.InvalidRequestError):
        client.v2.core.accounts.retrieve(account.id, {"include": ["secrets"]})  # type: ignore[list-item]


def test_changing_listing_closing(client: stripe.StripeClient) -> None:
    account = seller(client)
    older = ready(client)
    changed = client.v2.core.accounts.update(
        account.id, {"display_name": "Rosen & Co", "metadata": {"shop": "", "b": "2"}}
    )
    assert changed.display_name == "Rosen & Co"
    listed = client.v2.core.accounts.list()
    assert {a.id for a in listed.data} == {account.id, older.id}
    assert client.v2.core.accounts.retrieve(older.id).applied_configurations == ["merchant", "recipient"]
    only = client.v2.core.accounts.close(account.id, {"applied_configurations": ["merchant"]})
    assert only.applied_configurations == ["recipient"]
    gone = client.v2.core.accounts.close(account.id, {"applied_configurations": ["recipient"]})
    assert gone.closed and [a.id for a in client.v2.core.accounts.list().data] == [older.id]
    assert client.v1.accounts.retrieve(account.id).charges_enabled is False


def test_persons(client: stripe.StripeClient) -> None:
    account = seller(
        client,
        identity={
            "country": "us",
            "entity_type": "company",
            "business_details": {
                "registered_name": "Rosen LLC",
                "phone": "0000000000",
                "id_numbers": [{"type": "us_ein", "value": "000000000"}],
                "address": PERSON["address"],
            },
            "attestations": {
                "terms_of_service": {"account": {"date": "2026-01-01T00:00:00.000Z", "ip": "192.0.2.1"}},
                "persons_provided": {"owners": True},
            },
        },
    )
    assert account.identity.business_details.registered_name == "Rosen LLC"
    persons = client.v2.core.accounts.persons
    boss = persons.create(
        account.id,
        {**PERSON, "relationship": {"representative": True, "title": "CEO", "percent_ownership": "40.5"}},
    )
    assert boss.relationship is not None and boss.relationship.representative
    assert boss.id_numbers is not None and boss.id_numbers[0].type == "us_ssn"
    assert persons.update(account.id, boss.id, {"surname": "Stone"}).surname == "Stone"
    assert client.v1.accounts.persons.retrieve(account.id, boss.id).last_name == "Stone"
    assert [p.id for p in persons.list(account.id).data] == [boss.id]
    due = client.v2.core.accounts.retrieve(account.id, {"include": ["requirements"]}).requirements
    assert due is not None and [e.description for e in due.entries or []] == ["external_account"]
    persons.delete(account.id, boss.id)
    assert persons.list(account.id).data == []


def test_links(client: stripe.StripeClient) -> None:
    account = seller(client)
    link = client.v2.core.account_links.create(
        {
            "account": account.id,
            "use_case": {
                "type": "account_onboarding",
                "account_onboarding": {
                    "refresh_url": "https://shop.example/again",
                    "return_url": "https://shop.example/done",
                },
            },
        }  # type: ignore[typeddict-item]
    )
    assert f"/setup/c/{account.id}/" in link.url
    assert link.use_case.account_onboarding is not None


def test_what_is_not_built_says_so(client: stripe.StripeClient) -> None:
    customer: Any = {"capabilities": {"automatic_indirect_tax": {"requested": True}}}
    with pytest.raises(stripe.APIError) as caught:
        seller(client, configuration={"customer": customer})
    assert caught.value.http_status == 501


def test_tokens_stand_for_details(client: stripe.StripeClient, twin: Twin) -> None:
    """A browser tells who somebody is; the server passes a token on, once."""
    browser = sdk.client(twin, key=twin.publishable_key)
    token = browser.v2.core.account_tokens.create(
        {
            "contact_email": "ada@example.test",
            "identity": {"entity_type": "individual", "individual": PERSON},
        }
    )
    assert token.id.startswith("accttok_") and not token.used
    assert set(token.to_dict()) == {"id", "object", "created", "expires_at", "livemode", "used"}
    account = client.v2.core.accounts.create({"account_token": token.id, "include": ["identity"]})
    assert account.contact_email == "ada@example.test"
    assert account.identity is not None and account.identity.individual is not None
    assert account.identity.individual.given_name == "Jenny"
    assert client.v2.core.account_tokens.retrieve(token.id).used
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v2.core.accounts.update(account.id, {"account_token": token.id})
    assert caught.value.code == "token_already_used"
    both = browser.v2.core.account_tokens.create({"contact_email": "b@example.test"})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v2.core.accounts.update(
            account.id, {"account_token": both.id, "contact_email": "c@example.test"}
        )
    assert caught.value.code == "parameters_exclusive"
    twin.advance(twin.now() + 24 * 3600)
    with pytest.raises(stripe.InvalidRequestError):
        client.v2.core.accounts.update(account.id, {"account_token": both.id})


def test_tokens_of_persons(client: stripe.StripeClient, twin: Twin) -> None:
    account = client.v2.core.accounts.create({"identity": {"country": "us", "entity_type": "company"}})
    other = client.v2.core.accounts.create({"identity": {"country": "us", "entity_type": "company"}})
    browser = sdk.client(twin, key=twin.publishable_key)
    token = browser.v2.core.accounts.person_tokens.create(
        account.id, {"given_name": "Ada", "surname": "Lovelace", "relationship": {"director": True}}
    )
    with pytest.raises(stripe.InvalidRequestError):
        client.v2.core.accounts.persons.create(other.id, {"person_token": token.id})
    person = client.v2.core.accounts.persons.create(account.id, {"person_token": token.id})
    assert (person.given_name, person.surname) == ("Ada", "Lovelace")
    assert client.v2.core.accounts.person_tokens.retrieve(account.id, token.id).used
    more = client.v2.core.accounts.person_tokens.create(account.id, {"surname": "Byron"})
    changed = client.v2.core.accounts.persons.update(account.id, person.id, {"person_token": more.id})
    assert (changed.given_name, changed.surname) == ("Ada", "Byron")
