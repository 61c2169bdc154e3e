"""Sessions, keys, links, files, lists, reviews, domains, country facts: the resources around payments."""

from __future__ import annotations

import io
from typing import Any

import pytest
import stripe

from tests.twin import sdk
from tests.twin.payments.marketplace import acting, ready
from tests.twin.payments.pay import charge_of, error_of, event_types, pay
from trialbalance.twin import Twin
from trialbalance.twin.webhooks.deliveries import KIND as DELIVERY

PDF = b"%PDF-1.4\n" + b"x" * 200


def upload(client: stripe.StripeClient, content: bytes = PDF, **over: Any) -> Any:
    """An uploaded file."""
    file = io.BytesIO(content)
    file.name = over.pop("name", "evidence.pdf")
    return client.v1.files.create({"purpose": "dispute_evidence", "file": file, **over})


# Connect's links and sessions


def test_account_links(client: stripe.StripeClient, browser_client: stripe.StripeClient) -> None:
    account = client.v1.accounts.create({"type": "express", "email": "seller@example.test"})
    link = client.v1.account_links.create(
        {
            "account": account.id,
            "type": "account_onboarding",
            "refresh_url": "https://shop.example/again",
            "return_url": "https://shop.example/done",
        }
    )
    assert link.expires_at == link.created + 300
    assert f"/setup/e/{account.id}/" in link.url
    secret = link.url.rsplit("/", 1)[1]
    page = browser_client.raw_request("get", f"/v1/account_links/{secret}")
    shown = browser_client.deserialize(page, api_mode="V1").to_dict()
    assert "individual.first_name" in shown["due"] or "representative.first_name" in shown["due"]
    done = browser_client.raw_request(
        "post",
        f"/v1/account_links/{secret}/submit",
        details={"first_name": "Sam", "line1": "address_full_match"},
    )
    assert browser_client.deserialize(done, api_mode="V1").to_dict()["url"] == "https://shop.example/done"
    ready_account = client.v1.accounts.retrieve(account.id).to_dict()
    assert ready_account["details_submitted"] and ready_account["charges_enabled"]
    assert ready_account["payouts_enabled"] and "individual" not in ready_account
    with pytest.raises(stripe.InvalidRequestError):
        browser_client.raw_request("post", f"/v1/account_links/{secret}/submit")
    with pytest.raises(stripe.PermissionError) as caught:
        client.v1.accounts.update(account.id, {"individual": {"first_name": "Eve"}})
    assert error_of(caught)["code"] == "oauth_not_supported"
    login = client.v1.accounts.login_links.create(account.id)
    assert f"/express/{account.id}/" in login.url


def test_account_links_expire(client: stripe.StripeClient, twin: Twin) -> None:
    account = client.v1.accounts.create({"type": "express"})
    link = client.v1.account_links.create(
        {
            "account": account.id,
            "type": "account_onboarding",
            "refresh_url": "https://shop.example/again",
            "return_url": "https://shop.example/done",
        }
    )
    twin.advance(twin.now() + 301)
    secret = link.url.rsplit("/", 1)[1]
    with pytest.raises(stripe.InvalidRequestError):
        client.raw_request("post", f"/v1/account_links/{secret}/submit")


@pytest.mark.parametrize("business", ["individual", "company"])
def test_onboarding_fills_in_what_is_missing(client: stripe.StripeClient, business: str) -> None:
    account = client.v1.accounts.create({"type": "standard", "country": "DE"})
    link = client.v1.account_links.create(
        {
            "account": account.id,
            "type": "account_onboarding",
            "refresh_url": "https://shop.example/again",
            "return_url": "https://shop.example/done",
        }
    )
    secret = link.url.rsplit("/", 1)[1]
    client.raw_request("post", f"/v1/account_links/{secret}/submit", details={"business_type": business})
    shown = client.v1.accounts.retrieve(account.id).to_dict()
    assert shown["requirements"]["currently_due"] == []
    assert shown["charges_enabled"] and shown["payouts_enabled"]


def test_refused_links(client: stripe.StripeClient) -> None:
    express = client.v1.accounts.create({"type": "express"})
    custom = ready(client)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.account_links.create({"account": express.id, "type": "account_update"})
    assert error_of(caught)["param"] == "type"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.account_links.create({"account": express.id, "type": "account_onboarding"})
    assert error_of(caught)["code"] == "parameter_missing"
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.accounts.login_links.create(custom.id)
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.accounts.login_links.create(express.id)


def test_account_sessions(client: stripe.StripeClient) -> None:
    account = client.v1.accounts.create({"type": "express"})
    session = client.v1.account_sessions.create(
        {
            "account": account.id,
            "components": {
                "account_onboarding": {"enabled": True},
                "payments": {"enabled": True, "features": {"refund_management": False}},
            },
        }
    ).to_dict()
    assert session["client_secret"].startswith("accs_secret_")
    components = session["components"]
    assert components["account_onboarding"]["enabled"] and not components["payouts"]["enabled"]
    assert components["payments"]["features"]["refund_management"] is False
    assert components["payments"]["features"]["dispute_management"] is True
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.account_sessions.create({"account": account.id, "components": {}})


# Sessions and keys of customers


def test_customer_sessions(client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create()
    session = client.v1.customer_sessions.create(
        {
            "customer": customer.id,
            "components": {
                "payment_element": {
                    "enabled": True,
                    "features": {
                        "payment_method_redisplay": "enabled",
                        "payment_method_save": "enabled",
                        "payment_method_save_usage": "off_session",
                    },
                }
            },
        }
    ).to_dict()
    assert session["expires_at"] == session["created"] + 1800
    assert session["components"]["pricing_table"] == {"enabled": False}
    assert session["components"]["payment_element"]["features"] == {
        "payment_method_allow_redisplay_filters": ["always"],
        "payment_method_redisplay": "enabled",
        "payment_method_redisplay_limit": 3,
        "payment_method_remove": "disabled",
        "payment_method_save": "enabled",
        "payment_method_save_usage": "off_session",
    }
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.customer_sessions.create(
            {
                "customer": customer.id,
                "components": {
                    "payment_element": {"enabled": True, "features": {"payment_method_save": "enabled"}}
                },
            }
        )
    assert error_of(caught)["param"] == "components[payment_element][features][payment_method_save_usage]"


def test_ephemeral_keys(client: stripe.StripeClient, twin: Twin) -> None:
    customer = client.v1.customers.create()
    key = client.v1.ephemeral_keys.create({"customer": customer.id}, {"stripe_version": "2026-10-28.endive"})
    shown = key.to_dict()
    assert shown["associated_objects"] == [{"id": customer.id, "type": "customer"}]
    assert shown["expires"] == shown["created"] + 3600
    app = sdk.client(twin, key=shown["secret"])
    assert app.v1.customers.retrieve(customer.id).id == customer.id
    with pytest.raises(stripe.PermissionError):
        app.v1.payment_intents.list()
    assert client.v1.ephemeral_keys.delete(key.id).to_dict().get("secret") is None
    with pytest.raises(stripe.AuthenticationError):
        app.v1.customers.retrieve(customer.id)


# Files


def test_files_and_their_links(client: stripe.StripeClient, twin: Twin) -> None:
    file = upload(client, file_link_data={"create": True})
    assert (file.type, file.size, file.filename, file.purpose) == (
        "pdf",
        len(PDF),
        "evidence.pdf",
        "dispute_evidence",
    )
    assert file.url.endswith(f"/v1/files/{file.id}/contents")
    assert [f.id for f in client.v1.files.list({"purpose": "dispute_evidence"}).data] == [file.id]
    assert client.v1.files.list({"purpose": "pci_document"}).data == []
    link = client.v1.file_links.create({"file": file.id, "expires_at": twin.now() + 60})
    assert not link.expired
    assert client.v1.file_links.list({"file": file.id, "expired": False}).data[0].id == link.id
    twin.advance(twin.now() + 60)
    assert client.v1.file_links.retrieve(link.id).expired
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.file_links.update(link.id, {"expires_at": twin.now() + 60})
    other = client.v1.file_links.create({"file": file.id})
    assert client.v1.file_links.update(other.id, {"expires_at": "now"}).expired


def test_refused_files(client: stripe.StripeClient) -> None:
    for content, name in ((b"", "empty.pdf"), (b"hello", "note.txt"), (PDF + b"x" * 6_000_000, "large.pdf")):
        with pytest.raises(stripe.InvalidRequestError) as caught:
            upload(client, content, name=name)
        assert error_of(caught)["param"] == "file"
    document = upload(client, b"\x89PNG123", name="id.png", purpose="identity_document")
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.file_links.create({"file": document.id})


def test_an_uploaded_document_verifies(client: stripe.StripeClient) -> None:
    document = upload(client, b"\x89PNG123", name="id.png", purpose="identity_document")
    account = ready(client)
    shown = client.v1.accounts.update(
        account.id, {"individual": {"verification": {"document": {"front": document.id}}}}
    ).to_dict()
    assert shown["individual"]["verification"]["document"]["front"] == document.id


# Radar


def test_value_lists(client: stripe.StripeClient) -> None:
    radar = client.v1.radar
    blocked = radar.value_lists.create({"alias": "blocked_emails", "name": "Blocked", "item_type": "email"})
    item = radar.value_list_items.create({"value_list": blocked.id, "value": "Eve@Example.test"})
    assert item.value == "eve@example.test"
    assert radar.value_lists.retrieve(blocked.id).list_items.data[0].id == item.id
    assert [x.id for x in radar.value_lists.list({"contains": "eve@example.test"}).data] == [blocked.id]
    assert radar.value_lists.list({"alias": "other"}).data == []
    for value, code in (("eve@example.test", "resource_already_exists"), ("not an address", None)):
        with pytest.raises(stripe.InvalidRequestError) as caught:
            radar.value_list_items.create({"value_list": blocked.id, "value": value})
        assert error_of(caught).get("code") == code
    with pytest.raises(stripe.InvalidRequestError):
        radar.value_lists.create({"alias": "blocked_emails", "name": "Again"})
    assert radar.value_lists.update(blocked.id, {"name": "Never"}).name == "Never"
    assert radar.value_list_items.delete(item.id).deleted
    radar.value_list_items.create({"value_list": blocked.id, "value": "mallory@example.test"})
    assert radar.value_lists.delete(blocked.id).deleted
    with pytest.raises(stripe.InvalidRequestError):
        radar.value_list_items.list({"value_list": blocked.id})


def test_reviews(client: stripe.StripeClient, twin: Twin) -> None:
    first = pay(client, card="pm_card_riskLevelElevated")
    second = pay(client, card="pm_card_riskLevelElevated")
    pay(client)
    charge = charge_of(client, first)
    assert charge.outcome.type == "manual_review" and charge.outcome.reason == "elevated_risk_level"
    assert [r.charge for r in client.v1.reviews.list().data] == [second.latest_charge, first.latest_charge]
    approved = client.v1.reviews.approve(charge.review)
    assert (approved.open, approved.closed_reason, approved.reason) == (False, "approved", "approved")
    assert charge_of(client, first).review is None
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.reviews.approve(charge.review)
    other = charge_of(client, second).review
    client.v1.refunds.create({"payment_intent": second.id, "reason": "fraudulent"})
    assert client.v1.reviews.retrieve(other).closed_reason == "refunded_as_fraud"
    assert [t for t in event_types(twin) if t.startswith("review.")] == [
        "review.opened",
        "review.opened",
        "review.closed",
        "review.closed",
    ]


# Domains and facts


def test_domains(client: stripe.StripeClient) -> None:
    domain = client.v1.payment_method_domains.create({"domain_name": "Shop.example.test"})
    assert domain.domain_name == "shop.example.test" and domain.apple_pay.status == "active"
    assert not client.v1.payment_method_domains.update(domain.id, {"enabled": False}).enabled
    assert client.v1.payment_method_domains.list({"enabled": True}).data == []
    assert client.v1.payment_method_domains.validate(domain.id).id == domain.id
    for name in ("shop.example.test", "not a domain"):
        with pytest.raises(stripe.InvalidRequestError) as caught:
            client.v1.payment_method_domains.create({"domain_name": name})
        assert error_of(caught)["param"] == "domain_name"


def test_apple_pay_domains(client: stripe.StripeClient) -> None:
    domain = client.v1.apple_pay_domains.create({"domain_name": "shop.example.test"})
    assert client.v1.apple_pay_domains.create({"domain_name": "shop.example.test"}).id == domain.id
    assert client.v1.apple_pay_domains.list({"domain_name": "shop.example.test"}).data[0].id == domain.id
    assert client.v1.apple_pay_domains.delete(domain.id).deleted
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.apple_pay_domains.retrieve(domain.id)


def test_country_specs(client: stripe.StripeClient) -> None:
    spec = client.v1.country_specs.retrieve("US")
    assert (
        spec.default_currency == "usd" and "external_account" in spec.verification_fields.individual.minimum
    )
    first = client.v1.country_specs.list({"limit": 3})
    assert [s.id for s in first.data] == ["AE", "AT", "AU"] and first.has_more
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.country_specs.retrieve("XX")


def test_exchange_rates(client: stripe.StripeClient) -> None:
    rates = client.v1.exchange_rates.retrieve("eur").to_dict()["rates"]
    assert rates["eur"] == 1.0 and rates["usd"] > 1
    assert client.v1.exchange_rates.list({"limit": 2}).has_more


def test_events_of_connected_accounts(client: stripe.StripeClient, twin: Twin) -> None:
    """Case A43."""
    own = client.v1.webhook_endpoints.create({"url": "http://127.0.0.1:9/own", "enabled_events": ["*"]})
    theirs = client.v1.webhook_endpoints.create(
        {"url": "http://127.0.0.1:9/theirs", "enabled_events": ["*"], "connect": True}
    )
    connected = ready(client)
    account = acting(twin, connected)
    account.v1.customers.create()
    event = account.v1.events.list({"type": "customer.created"}).data[0]
    assert event.account == connected.id
    queued = [d for d in twin.store.all(twin.account, DELIVERY) if d["event"] == event.id]
    assert [d["endpoint"] for d in queued] == [theirs.id] != [own.id]
    assert event.pending_webhooks == 1
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.events.retrieve(event.id)
    assert caught.value.http_status == 404
    assert account.v1.events.retrieve(event.id).id == event.id


def test_shipping_rates(client: stripe.StripeClient) -> None:
    rate = client.v1.shipping_rates.create(
        {
            "display_name": "Ground",
            "type": "fixed_amount",
            "fixed_amount": {
                "amount": 500,
                "currency": "usd",
                "currency_options": {"eur": {"amount": 450}},
            },
            "delivery_estimate": {"minimum": {"unit": "business_day", "value": 3}},
            "tax_behavior": "exclusive",
            "tax_code": "txcd_92010001",
        }
    )
    assert rate.id.startswith("shr_1") and rate.active
    assert rate.delivery_estimate is not None and rate.delivery_estimate.maximum is None
    shown = client.v1.shipping_rates.retrieve(rate.id, {"expand": ["fixed_amount.currency_options"]})
    assert shown.to_dict()["fixed_amount"]["currency_options"]["eur"]["amount"] == 450
    client.v1.shipping_rates.update(
        rate.id, {"active": False, "fixed_amount": {"currency_options": {"gbp": {"amount": 400}}}}
    )
    assert client.v1.shipping_rates.list({"active": True}).data == []
    assert [r.id for r in client.v1.shipping_rates.list({"currency": "usd"}).data] == [rate.id]
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.shipping_rates.update(rate.id, {"tax_behavior": "inclusive"})
    assert error_of(caught)["param"] == "tax_behavior"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.shipping_rates.create(
            {"display_name": "Less", "fixed_amount": {"amount": -1, "currency": "usd"}}
        )
    assert error_of(caught)["param"] == "fixed_amount[amount]"


def test_payment_method_configurations(client: stripe.StripeClient) -> None:
    (default,) = client.v1.payment_method_configurations.list().data
    assert default.is_default and default.card is not None and default.card.available
    own = client.v1.payment_method_configurations.create(
        {"name": "Europe", "ideal": {"display_preference": {"preference": "on"}}}
    )
    assert own.ideal is not None and own.ideal.display_preference.value == "on"
    intent = client.v1.payment_intents.create(
        {"amount": 1000, "currency": "eur", "payment_method_configuration": own.id}
    )
    assert "ideal" in intent.payment_method_types
    details = intent.payment_method_configuration_details
    assert details is not None and details.id == own.id
    plain = client.v1.payment_intents.create({"amount": 1000, "currency": "eur"})
    assert "ideal" not in plain.payment_method_types
    off = client.v1.payment_method_configurations.update(
        own.id, {"name": "Cards", "ideal": {"display_preference": {"preference": "off"}}, "active": False}
    )
    assert (off.name, off.active) == ("Cards", False)
    assert off.ideal is not None and not off.ideal.available
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_method_configurations.update(default.id, {"active": False})
    assert error_of(caught)["param"] == "active"


def test_what_a_configuration_refuses(twin: Twin) -> None:
    for name in ("apple_pay_later", "fr_meal_voucher_conecs"):
        answer = twin.request(
            "POST",
            "/v1/payment_method_configurations",
            form={name: {"display_preference": {"preference": "on"}}},
        )
        assert answer.status == 501 and name in answer.json()["error"]["message"]
