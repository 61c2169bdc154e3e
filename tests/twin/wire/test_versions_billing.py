"""Basil and what it moved: the same subscription and invoice read before and after.

Source: https://docs.stripe.com/changelog/basil
"""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import stripe

from tests.twin import sdk
from trialbalance.twin import Twin
from trialbalance.twin.webhooks.sender import deliver_now

ACACIA, BASIL = "2025-02-24.acacia", "2025-03-31.basil"


@pytest.fixture
def customer(client: stripe.StripeClient) -> str:
    made = client.v1.customers.create(
        {"payment_method": "pm_card_visa", "invoice_settings": {"default_payment_method": "pm_card_visa"}}
    )
    return made.id


@pytest.fixture
def price(client: stripe.StripeClient) -> str:
    made = client.v1.prices.create(
        {
            "currency": "usd",
            "unit_amount": 1000,
            "recurring": {"interval": "month"},
            "product_data": {"name": "Plan"},
        }
    )
    return made.id


def read(twin: Twin, path: str, version: str, **form: Any) -> dict[str, Any]:
    answer = twin.request("GET", path, form, version=version)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json()
    return found


def test_the_same_subscription_in_both(
    twin: Twin, client: stripe.StripeClient, customer: str, price: str
) -> None:
    """Case A59."""
    customer = client.v1.customers.create({}).id
    made = client.v1.subscriptions.create(
        {"customer": customer, "items": [{"price": price}], "payment_behavior": "default_incomplete"}
    )
    path = f"/v1/subscriptions/{made.id}"
    old = read(twin, path, ACACIA, expand=["latest_invoice.payment_intent"])
    assert old["current_period_end"] == made["items"].data[0].current_period_end
    assert old["latest_invoice"]["payment_intent"]["status"] == "requires_payment_method"
    assert old["latest_invoice"]["subscription"] == made.id
    assert old["latest_invoice"]["paid"] is False
    new = read(twin, path, BASIL, expand=["latest_invoice.confirmation_secret"])
    assert "current_period_end" not in new and "payment_intent" not in new["latest_invoice"]
    assert new["items"]["data"][0]["current_period_end"] == old["current_period_end"]
    secret = new["latest_invoice"]["confirmation_secret"]
    assert secret["type"] == "payment_intent"
    assert secret["client_secret"].startswith(old["latest_invoice"]["payment_intent"]["id"])


def test_invoice_and_payment_name_each_other_before_basil(
    twin: Twin, client: stripe.StripeClient, customer: str, price: str
) -> None:
    made = client.v1.subscriptions.create({"customer": customer, "items": [{"price": price}]})
    old = read(twin, f"/v1/invoices/{made.latest_invoice}", ACACIA, expand=["payment_intent", "charge"])
    assert old["paid"] is True and old["paid_out_of_band"] is False
    assert old["payment_intent"]["invoice"] == made.latest_invoice
    assert old["charge"]["invoice"] == made.latest_invoice
    (line,) = old["lines"]["data"]
    assert (line["type"], line["subscription"], line["proration"]) == ("subscription", made.id, False)
    assert line["price"]["id"] == price and line["plan"]["amount"] == 1000
    new = read(twin, f"/v1/invoices/{made.latest_invoice}", BASIL)
    assert not {"payment_intent", "charge", "paid", "subscription", "tax"} & set(new)
    assert not {"price", "plan", "type", "proration"} & set(new["lines"]["data"][0])


def test_one_coupon_became_discounts(
    twin: Twin, client: stripe.StripeClient, customer: str, price: str
) -> None:
    coupon = client.v1.coupons.create({"percent_off": 10, "duration": "forever"}).id
    form = {"customer": customer, "items": [{"price": price}], "coupon": coupon}
    old = twin.request("POST", "/v1/subscriptions", form, version=ACACIA)
    assert old.status == 200
    assert old.json()["discount"]["coupon"]["id"] == coupon
    new = twin.request("POST", "/v1/subscriptions", form, version=BASIL)
    assert (new.status, new.json()["error"]["code"]) == (400, "parameter_unknown")


def test_invoice_items_were_made_with_a_price(twin: Twin, client: stripe.StripeClient, customer: str) -> None:
    once = client.v1.prices.create(
        {"currency": "usd", "unit_amount": 700, "product_data": {"name": "Setup"}}
    ).id
    old = twin.request("POST", "/v1/invoiceitems", {"customer": customer, "price": once}, version=ACACIA)
    assert old.status == 200 and old.json()["price"]["id"] == once and old.json()["unit_amount"] == 700
    new = twin.request("POST", "/v1/invoiceitems", {"customer": customer, "price": once}, version=BASIL)
    assert new.json()["error"]["code"] == "parameter_unknown"
    shown = read(twin, f"/v1/invoiceitems/{old.json()['id']}", BASIL)
    assert shown["pricing"]["price_details"]["price"] == once and "price" not in shown


def test_counts_of_lists(twin: Twin, client: stripe.StripeClient, customer: str, price: str) -> None:
    client.v1.subscriptions.create({"customer": customer, "items": [{"price": price}]})
    old = read(twin, "/v1/subscriptions", ACACIA, include=["total_count"])
    assert old["total_count"] == 1
    new = twin.request("GET", "/v1/subscriptions", {"include": ["total_count"]}, version=BASIL)
    assert (new.status, new.json()["error"]["code"]) == (400, "property_forbidden")


def test_each_endpoint_gets_its_own_version(
    twin: Twin, client: stripe.StripeClient, customer: str, price: str
) -> None:
    """Case A57."""
    got: dict[str, dict[str, Any]] = {}

    def receive(request: httpx.Request) -> httpx.Response:
        event = json.loads(request.content)
        if event["type"] == "invoice.paid":
            got[request.url.host] = event
        return httpx.Response(200)

    hooks = client.v1.webhook_endpoints
    hooks.create(
        {"url": "https://old.example/", "enabled_events": ["invoice.paid"], "api_version": "2024-06-20"}
    )
    hooks.create({"url": "https://new.example/", "enabled_events": ["invoice.paid"]})
    client.v1.subscriptions.create({"customer": customer, "items": [{"price": price}]})
    deliver_now(twin, httpx.Client(transport=httpx.MockTransport(receive)))
    old, new = got["old.example"], got["new.example"]
    assert old["id"] == new["id"]
    assert (old["api_version"], new["api_version"]) == ("2024-06-20", twin.config.default_version)
    assert old["data"]["object"]["payment_intent"].startswith("pi_") and old["data"]["object"]["subscription"]
    assert "payment_intent" not in new["data"]["object"]
    assert new["data"]["object"]["parent"]["subscription_details"]["subscription"]
    kept = sdk.client(twin, version="2024-06-20").v1.events.retrieve(new["id"])
    assert kept.api_version == twin.config.default_version and "payment_intent" not in kept.data.object
