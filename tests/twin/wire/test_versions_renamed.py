"""Names of older days, both ways. Source: https://docs.stripe.com/changelog"""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.twin import Twin


def ask(
    twin: Twin, method: str, path: str, version: str, form: dict[str, Any] | None = None
) -> dict[str, Any]:
    answer = twin.request(method, path, form, version=version)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def customer(twin: Twin) -> str:
    made = twin.request(
        "POST",
        "/v1/customers",
        {"payment_method": "pm_card_visa", "invoice_settings": {"default_payment_method": "pm_card_visa"}},
    )
    return str(made.json()["id"])


@pytest.fixture
def price(twin: Twin) -> str:
    form = {
        "currency": "usd",
        "unit_amount": 1000,
        "recurring": {"interval": "month"},
        "product_data": {"name": "P"},
    }
    return str(twin.request("POST", "/v1/prices", form).json()["id"])


def test_product_features(twin: Twin) -> None:
    old = ask(twin, "POST", "/v1/products", "2023-10-16", {"name": "x", "features": [{"name": "fast"}]})
    assert old["features"] == [{"name": "fast"}] and "marketing_features" not in old
    new = ask(twin, "GET", f"/v1/products/{old['id']}", "2024-04-10")
    assert new["marketing_features"] == [{"name": "fast"}] and "features" not in new


def test_invoice_rendering(twin: Twin, customer: str) -> None:
    form = {"customer": customer, "rendering_options": {"amount_tax_display": "exclude_tax"}}
    old = ask(twin, "POST", "/v1/invoices", "2023-10-16", form)
    assert old["rendering_options"]["amount_tax_display"] == "exclude_tax" and "rendering" not in old
    new = ask(twin, "GET", f"/v1/invoices/{old['id']}", "2024-04-10")
    assert new["rendering"]["amount_tax_display"] == "exclude_tax" and "rendering_options" not in new


def test_billing_became_collection_method(twin: Twin, customer: str, price: str) -> None:
    form = {"customer": customer, "items": [{"price": price}], "billing": "send_invoice", "days_until_due": 7}
    old = ask(twin, "POST", "/v1/subscriptions", "2019-10-08", form)
    assert old["billing"] == "send_invoice" and "collection_method" not in old
    new = ask(twin, "GET", f"/v1/subscriptions/{old['id']}", "2019-10-17")
    assert new["collection_method"] == "send_invoice" and "billing" not in new


def test_invoice_names_of_2019(twin: Twin, customer: str, price: str) -> None:
    made = ask(
        twin,
        "POST",
        "/v1/subscriptions",
        "2025-03-31.basil",
        {"customer": customer, "items": [{"price": price}]},
    )
    path = f"/v1/invoices/{made['latest_invoice']}"
    old, new = ask(twin, "GET", path, "2019-02-19"), ask(twin, "GET", path, "2019-03-14")
    assert old["date"] == new["created"] and "created" not in old
    assert old["finalized_at"] == new["status_transitions"]["finalized_at"]
    assert "application_fee" in old and "application_fee_amount" in new


def test_prorate_was_a_flag(twin: Twin, customer: str, price: str) -> None:
    form = {"customer": customer, "items": [{"price": price}]}
    made = ask(twin, "POST", "/v1/subscriptions", "2020-03-02", form)
    item = made["items"]["data"][0]["id"]
    path = f"/v1/subscriptions/{made['id']}"
    twin.advance(twin.now() + 86400)
    ask(twin, "POST", path, "2020-03-02", {"items": [{"id": item, "quantity": 3}], "prorate": False})
    assert ask(twin, "GET", "/v1/invoiceitems", "2020-03-02", {"customer": customer})["data"] == []
    ask(twin, "POST", path, "2020-03-02", {"items": [{"id": item, "quantity": 5}], "prorate": True})
    assert len(ask(twin, "GET", "/v1/invoiceitems", "2020-03-02", {"customer": customer})["data"]) == 2
    refused = twin.request("POST", path, {"prorate": True}, version="2020-08-27")
    assert refused.json()["error"]["code"] == "parameter_unknown"


def test_tax_percent_is_refused_by_name(twin: Twin, customer: str, price: str) -> None:
    form = {"customer": customer, "items": [{"price": price}], "tax_percent": 20}
    answer = twin.request("POST", "/v1/subscriptions", form, version="2020-03-02")
    assert (answer.status, answer.json()["error"]["param"]) == (501, "tax_percent")
