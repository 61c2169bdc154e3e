"""Connected accounts: what they must tell, how it is verified, what they may do then."""

from __future__ import annotations

import pytest
import stripe

from tests.twin.payments import marketplace
from tests.twin.payments.marketplace import BANK, PERSON, acting, details, ready
from tests.twin.payments.pay import error_of
from trialbalance.twin import Twin

RECORDED_DUE = """
business_profile.mcc business_profile.url company.address.city company.address.line1 company.address.postal_code
company.address.state company.name company.owners_provided company.phone company.tax_id external_account owners.email
owners.first_name owners.last_name representative.address.city representative.address.line1
representative.address.postal_code representative.address.state representative.dob.day representative.dob.month
representative.dob.year representative.email representative.first_name representative.last_name representative.phone
representative.relationship.title representative.ssn_last_4 settings.payments.statement_descriptor tos_acceptance.date
tos_acceptance.ip
"""
LATER = """
owners.address.city owners.address.line1 owners.address.postal_code owners.address.state owners.dob.day
owners.dob.month owners.dob.year owners.phone
"""


def test_a_new_company_owes_what_was_recorded(client: stripe.StripeClient) -> None:
    account = client.v1.accounts.create(
        {
            "type": "custom",
            "country": "US",
            "business_type": "company",
            "capabilities": {"transfers": {"requested": True}, "card_payments": {"requested": True}},
        }
    )
    requirements = account.requirements
    assert requirements is not None
    assert requirements.currently_due == RECORDED_DUE.split() == requirements.past_due
    assert requirements.eventually_due == sorted([*RECORDED_DUE.split(), *LATER.split()])
    assert requirements.disabled_reason == "requirements.past_due"
    assert account.to_dict()["capabilities"] == {"card_payments": "inactive", "transfers": "inactive"}
    assert (account.charges_enabled, account.payouts_enabled, account.details_submitted) == (False,) * 3
    assert account.to_dict()["controller"] == {
        "fees": {"payer": "application_custom"},
        "is_controller": True,
        "losses": {"payments": "application"},
        "requirement_collection": "application",
        "stripe_dashboard": {"type": "none"},
        "type": "application",
    }
    assert list(account.to_dict()) == sorted(account.to_dict(), key=lambda n: (n not in ("id", "object"), n))


def test_a_representative_owes_what_was_recorded(client: stripe.StripeClient) -> None:
    account = client.v1.accounts.create(
        {
            "type": "custom",
            "country": "US",
            "business_type": "company",
            "capabilities": {"transfers": {"requested": True}, "card_payments": {"requested": True}},
        }
    )
    person = client.v1.accounts.persons.create(
        account.id,
        {
            "first_name": "Rep",
            "last_name": "Resentative",
            "relationship": {"representative": True, "title": "CEO"},
        },
    )
    shown = person.to_dict()
    assert shown["requirements"]["currently_due"] == [
        "address.city", "address.line1", "address.postal_code", "address.state", "dob.day", "dob.month", "dob.year",
        "email", "phone", "ssn_last_4",
    ]  # fmt: skip
    assert "email" not in shown and "phone" not in shown
    assert shown["relationship"]["percent_ownership"] is None
    due = client.v1.accounts.retrieve(account.id).requirements
    assert due is not None and due.currently_due is not None
    assert f"{person.id}.dob.day" in due.currently_due
    assert not [field for field in due.currently_due if field.startswith("representative.")]


def test_an_individual_without_a_category_is_half_enabled_as_recorded(client: stripe.StripeClient) -> None:
    profile = {"name": "Chuck Bartowski", "url": "https://shop.example.test"}
    account = client.v1.accounts.create(details(business_profile=profile))
    shown = account.to_dict()
    assert shown["capabilities"] == {"card_payments": "inactive", "transfers": "active"}
    assert shown["requirements"]["past_due"] == ["business_profile.mcc"]
    assert shown["requirements"]["pending_verification"] == [
        "individual.address.city",
        "individual.address.line1",
        "individual.address.postal_code",
        "individual.address.state",
        "individual.id_number",
        "individual.verification.document",
    ]
    assert (shown["charges_enabled"], shown["payouts_enabled"], shown["details_submitted"]) == (
        False,
        False,
        True,
    )
    assert shown["settings"]["payments"]["statement_descriptor"] == "CHUCK BARTOWSKI"
    assert shown["settings"]["card_payments"]["statement_descriptor_prefix"] == "CHUCK BART"
    assert shown["individual"]["phone"] == "+10000000000" == shown["company"]["phone"]
    assert shown["individual"]["verification"]["status"] == "pending"
    bank = shown["external_accounts"]["data"][0]
    assert (bank["default_for_currency"], bank["available_payout_methods"]) == (True, ["standard", "instant"])


def test_older_names_are_taken_as_recorded(twin: Twin) -> None:
    details_ = {k: v for k, v in details().items() if k not in ("capabilities", "external_account")}
    form = details_ | {
        "requested_capabilities": ["card_payments", "transfers"],
        "bank_account": {k: v for k, v in BANK.items() if k != "object"},
    }
    answer = twin.request("POST", "/v1/accounts", form=form, version="2023-10-16")
    assert answer.status == 200, answer.body
    shown = answer.json()
    assert shown["capabilities"] == {"card_payments": "active", "transfers": "active"}
    assert shown["external_accounts"]["total_count"] == 1 and shown["payouts_enabled"]


def test_verification_ends_and_is_told(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    assert (account.charges_enabled, account.payouts_enabled) == (True, True)
    later = client.v1.accounts.retrieve(account.id).to_dict()
    assert later["individual"]["verification"]["status"] == "verified"
    assert later["requirements"]["pending_verification"] == []
    events = [e.type for e in acting(twin, account).v1.events.list().data]
    assert events[0] == "account.updated" and "person.updated" in events
    assert "capability.updated" in events


def test_an_immediate_match_needs_no_event(client: stripe.StripeClient) -> None:
    account = ready(client, individual=PERSON | {"dob": {"day": 1, "month": 1, "year": 1902}})
    assert account.to_dict()["individual"]["verification"]["status"] == "verified"


@pytest.mark.parametrize(
    ("change", "code", "requirement"),
    [
        (
            {"id_number": "111111111"},
            "verification_failed_id_number_match",
            "individual.id_number",
        ),
        (
            {"address": {"line1": "address_no_match"}},
            "verification_failed_address_match",
            "individual.address.line1",
        ),
        (
            {"dob": {"day": 2, "month": 3, "year": 1990}},
            "verification_failed_keyed_identity",
            "individual.verification.document",
        ),
    ],
)
def test_failed_identity(client: stripe.StripeClient, change: dict, code: str, requirement: str) -> None:  # type: ignore[type-arg]
    person = PERSON | change
    if "address" in change:
        person["address"] = PERSON["address"] | change["address"]
    account = ready(client, individual=person)
    failed = client.v1.accounts.retrieve(account.id).to_dict()
    assert [(e["code"], e["requirement"]) for e in failed["requirements"]["errors"]] == [(code, requirement)]
    assert failed["requirements"]["currently_due"] == [requirement]
    assert failed["requirements"]["current_deadline"] > failed["created"]
    assert failed["charges_enabled"] and failed["payouts_enabled"]
    document = {"verification": {"document": {"front": "file_identity_document_success"}}}
    client.v1.accounts.update(account.id, {"individual": document})  # type: ignore[typeddict-item]
    healed = client.v1.accounts.retrieve(account.id).to_dict()
    assert healed["requirements"]["errors"] == [] and healed["requirements"]["currently_due"] == []
    assert healed["individual"]["verification"]["status"] == "verified"


def test_a_deadline_disables(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client, individual=PERSON | {"id_number": "111111111"})
    deadline = client.v1.accounts.retrieve(account.id).to_dict()["requirements"]["current_deadline"]
    twin.advance(deadline + 1)
    late = client.v1.accounts.retrieve(account.id).to_dict()
    assert late["requirements"]["disabled_reason"] == "requirements.past_due"
    assert late["requirements"]["past_due"] == ["individual.id_number"]
    assert not late["charges_enabled"] and not late["payouts_enabled"]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://disallowed.stripe.com", "invalid_url_denylisted"),
        ("https://inaccessible.stripe.com", "invalid_url_website_inaccessible"),
        ("https://missing.stripe.com", "invalid_url_website_incomplete"),
    ],
)
def test_bad_addresses_of_websites(client: stripe.StripeClient, url: str, code: str) -> None:
    account = ready(client, business_profile={"name": "Rosen Goods", "mcc": "5734", "url": url})
    errors = account.to_dict()["requirements"]["errors"]
    assert [(e["code"], e["requirement"]) for e in errors] == [(code, "business_profile.url")]


def test_business_addresses(client: stripe.StripeClient) -> None:
    outcomes = {}
    for line1 in ("address_full_match", "address_no_match", "address_line1_no_match"):
        account = client.v1.accounts.create(
            details(
                business_type="company",
                individual=None,
                company={
                    "name": "Rosen LLC",
                    "phone": "0000000000",
                    "tax_id": "222222222",
                    "address": PERSON["address"] | {"line1": line1},
                    "owners_provided": True,
                },
            )
            | {"individual": {}}
        )
        client.v1.accounts.persons.create(
            account.id, PERSON | {"relationship": {"representative": True, "title": "CEO", "owner": True}}
        )
        shown = client.v1.accounts.retrieve(account.id)
        outcomes[line1] = (shown.charges_enabled, shown.payouts_enabled)
    assert outcomes == {
        "address_full_match": (True, True),
        "address_no_match": (True, False),
        "address_line1_no_match": (False, False),
    }


def test_types_and_controllers(client: stripe.StripeClient) -> None:
    express = client.v1.accounts.create({"type": "express", "country": "GB"}).to_dict()
    assert express["controller"]["stripe_dashboard"]["type"] == "express"
    assert express["default_currency"] == "gbp"
    assert set(express["capabilities"]) == {"card_payments", "transfers"}
    standard = client.v1.accounts.create().to_dict()
    assert (standard["type"], standard["controller"]["fees"]["payer"]) == ("standard", "account")
    by_controller = client.v1.accounts.create(
        {
            "controller": {
                "fees": {"payer": "application"},
                "losses": {"payments": "application"},
                "requirement_collection": "application",
                "stripe_dashboard": {"type": "none"},
            }
        }
    )
    assert by_controller.type == "custom"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.accounts.create({"controller": {"requirement_collection": "application"}})
    assert error_of(caught)["param"] == "controller[requirement_collection]"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.accounts.create({"country": "KP"})
    assert error_of(caught)["message"] == "KP is not currently supported by Stripe."


def test_terms_are_the_holders_to_accept(client: stripe.StripeClient) -> None:
    account = client.v1.accounts.create({"type": "express"})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.accounts.update(account.id, {"tos_acceptance": {"date": 1, "ip": "192.0.2.1"}})
    assert error_of(caught)["param"] == "tos_acceptance"


def test_unknown_accounts_are_denied(client: stripe.StripeClient, twin: Twin) -> None:
    """Case A42."""
    other = acting(twin, client.v1.accounts.create())
    for attempt in (
        lambda: client.v1.accounts.retrieve("acct_unknown"),
        lambda: client.v1.customers.list(options={"stripe_account": "acct_unknown"}),
    ):
        with pytest.raises(stripe.PermissionError) as caught:
            attempt()
        error = error_of(caught)
        assert (caught.value.http_status, error["code"]) == (403, "account_invalid")
        assert "'acct_unknown'" in error["message"] and twin.secret_key not in error["message"]
    assert other.v1.customers.list().data == []


def test_objects_of_an_account_are_its_own(client: stripe.StripeClient, twin: Twin) -> None:
    """Case A37."""
    account = acting(twin, client.v1.accounts.create())
    customer = account.v1.customers.create({"email": "ada@example.test"})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.customers.retrieve(customer.id)
    error = error_of(caught)
    assert (caught.value.http_status, error["code"], error["param"]) == (404, "resource_missing", "id")
    assert error["message"] == f"No such customer: '{customer.id}'"
    assert account.v1.customers.retrieve(customer.id).email == "ada@example.test"


def test_cloning_a_payment_method(client: stripe.StripeClient, twin: Twin) -> None:
    """Case A38."""
    platform = client.v1.customers.create()
    method = client.v1.payment_methods.attach("pm_card_visa", {"customer": platform.id})
    account = acting(twin, ready(client))
    clone = account.v1.payment_methods.create({"customer": platform.id, "payment_method": method.id})
    assert clone.id != method.id and clone.customer is None
    assert clone.card is not None and method.card is not None
    assert (clone.card.fingerprint, clone.card.last4) == (method.card.fingerprint, method.card.last4)
    assert client.v1.payment_methods.retrieve(method.id).customer == platform.id
    theirs = account.v1.customers.create()
    assert account.v1.payment_methods.attach(clone.id, {"customer": theirs.id}).customer == theirs.id


def test_capabilities(client: stripe.StripeClient) -> None:
    account = ready(client)
    listed = client.v1.accounts.capabilities.list(account.id).data
    assert [(c.id, c.status, c.requested) for c in listed] == [
        ("card_payments", "active", True),
        ("transfers", "active", True),
    ]
    other = client.v1.accounts.capabilities.retrieve(account.id, "klarna_payments")
    assert (other.status, other.requested) == ("unrequested", False)
    assert (
        client.v1.accounts.capabilities.update(account.id, "klarna_payments", {"requested": True}).status
        == "active"
    )
    client.v1.accounts.capabilities.update(account.id, "klarna_payments", {"requested": False})
    assert set(client.v1.accounts.retrieve(account.id).to_dict()["capabilities"]) == {
        "card_payments",
        "transfers",
    }
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.accounts.capabilities.retrieve(account.id, "flying")


def test_external_accounts(client: stripe.StripeClient) -> None:
    account = ready(client)
    first = account.to_dict()["external_accounts"]["data"][0]
    card = client.v1.accounts.external_accounts.create(
        account.id, {"external_account": "tok_visa_debit_us_transferSuccess", "default_for_currency": True}
    )
    assert card.object == "card" and card.default_for_currency
    listed = client.v1.accounts.external_accounts.list(account.id).data
    assert [item.default_for_currency for item in listed] == [False, True]
    assert client.v1.accounts.external_accounts.list(account.id, {"object": "card"}).data[0].id == card.id
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.accounts.external_accounts.delete(account.id, card.id)
    deleted = client.v1.accounts.external_accounts.delete(account.id, first["id"])
    assert deleted.to_dict() == {
        "id": first["id"], "object": "bank_account", "deleted": True, "currency": "usd",
    }  # fmt: skip
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.accounts.external_accounts.create(account.id, {"external_account": "tok_visa"})
    assert error_of(caught)["code"] == "invalid_card_type"


def test_the_last_external_account_keeps_payouts_on(client: stripe.StripeClient) -> None:
    account = ready(client)
    only = account.to_dict()["external_accounts"]["data"][0]["id"]
    client.v1.accounts.external_accounts.delete(account.id, only)
    shown = client.v1.accounts.retrieve(account.id).to_dict()
    assert not shown["payouts_enabled"] and "external_account" in shown["requirements"]["past_due"]
    client.v1.accounts.update(account.id, {"external_account": BANK})
    assert client.v1.accounts.retrieve(account.id).payouts_enabled


def test_persons(client: stripe.StripeClient, twin: Twin) -> None:
    account = client.v1.accounts.create({"type": "custom", "business_type": "company"})
    owner = client.v1.accounts.persons.create(
        account.id, {"first_name": "Olga", "relationship": {"owner": True, "percent_ownership": 40}}
    )
    boss = client.v1.accounts.persons.create(
        account.id, {"first_name": "Bo", "relationship": {"representative": True}}
    )
    owners = client.v1.accounts.persons.list(account.id, {"relationship": {"owner": True}}).data
    assert [p.id for p in owners] == [owner.id]
    again = client.v1.accounts.persons.update(
        account.id, boss.id, {"last_name": "Ss", "metadata": {"a": "1"}}
    )
    assert again.to_dict()["metadata"] == {"a": "1"}
    client.v1.accounts.persons.update(account.id, owner.id, {"relationship": {"representative": True}})
    assert not client.v1.accounts.persons.retrieve(account.id, boss.id).to_dict()["relationship"][
        "representative"
    ]
    assert client.v1.accounts.persons.delete(account.id, boss.id).deleted
    types = [e.type for e in acting(twin, account).v1.events.list().data]
    assert {"person.created", "person.updated", "person.deleted"} <= set(types)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.accounts.persons.create(account.id, {"dob": {"day": 1, "month": 1, "year": 2025}})
    assert error_of(caught)["param"] == "dob[year]"


def test_tokens_stand_for_details(client: stripe.StripeClient) -> None:
    token = client.v1.tokens.create(
        {"account": {"business_type": "individual", "individual": PERSON, "tos_shown_and_accepted": True}}
    )
    account = client.v1.accounts.create(
        {
            "type": "custom",
            "country": "US",
            "account_token": token.id,
            "capabilities": {"transfers": {"requested": True}},
            "business_profile": {"url": "https://accessible.stripe.com"},
            "external_account": "btok_us_verified",
        }
    )
    assert account.payouts_enabled and account.business_type == "individual"
    assert account.tos_acceptance is not None and account.tos_acceptance.date is not None


def test_rejection_and_back(client: stripe.StripeClient) -> None:
    account = ready(client)
    rejected = client.v1.accounts.reject(account.id, {"reason": "terms_of_service"}).to_dict()
    assert not rejected["charges_enabled"] and not rejected["payouts_enabled"]
    assert rejected["requirements"]["disabled_reason"] == "rejected.platform_terms_of_service"
    back = client.v1.accounts.unreject(account.id)
    assert back.charges_enabled


def test_deletion(client: stripe.StripeClient) -> None:
    account = ready(client)
    assert client.v1.accounts.delete(account.id).to_dict() == {
        "id": account.id, "object": "account", "deleted": True,
    }  # fmt: skip
    with pytest.raises(stripe.PermissionError):
        client.v1.accounts.retrieve(account.id)
    assert client.v1.accounts.list().data == []


def test_own_account(client: stripe.StripeClient, twin: Twin) -> None:
    own = client.v1.accounts.retrieve_current()
    assert own.id == twin.account and own.charges_enabled
    account = ready(client)
    assert acting(twin, account).v1.accounts.retrieve_current().id == account.id


def test_trigger_cards(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(
        client, individual={k: v for k, v in PERSON.items() if k != "id_number"} | {"ssn_last_4": "0000"}
    )
    there = acting(twin, account)
    assert account.to_dict()["requirements"]["eventually_due"] == ["individual.id_number"]
    marketplace_pay = {
        "amount": 1000,
        "currency": "usd",
        "confirm": True,
        "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
    }
    there.v1.payment_intents.create(
        {**marketplace_pay, "payment_method": "pm_card_visa_triggerNextRequirements"}
    )  # type: ignore[typeddict-item]
    due = client.v1.accounts.retrieve(account.id).to_dict()
    assert due["requirements"]["currently_due"] == ["individual.id_number"] and due["charges_enabled"]
    there.v1.payment_intents.create({**marketplace_pay, "payment_method": "pm_card_visa_triggerPayoutBlock"})  # type: ignore[typeddict-item]
    blocked = client.v1.accounts.retrieve(account.id).to_dict()
    assert not blocked["payouts_enabled"]
    assert blocked["requirements"]["past_due"] == ["individual.id_number"]


def test_schedule_rules(client: stripe.StripeClient) -> None:
    account = ready(client)
    weekly = {"settings": {"payouts": {"schedule": {"interval": "weekly", "weekly_anchor": "friday"}}}}
    shown = client.v1.accounts.update(account.id, weekly).to_dict()  # type: ignore[arg-type]
    assert shown["settings"]["payouts"]["schedule"] == {
        "delay_days": 2, "interval": "weekly", "weekly_anchor": "friday",
    }  # fmt: skip
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.accounts.update(
            account.id, {"settings": {"payouts": {"schedule": {"interval": "monthly"}}}}
        )
    assert error_of(caught)["param"] == "settings[payouts][schedule][monthly_anchor]"


def test_marketplace_helper_is_complete(client: stripe.StripeClient) -> None:
    assert marketplace.ready(client).to_dict()["requirements"]["currently_due"] == []
