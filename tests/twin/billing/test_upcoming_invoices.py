"""The upcoming invoice, where it still exists.

Source: https://docs.stripe.com/changelog/basil/2025-03-31/invoice-preview-api-deprecations
"""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.twin import Twin

OLD, LAST, BASIL = "2022-08-01", "2025-02-24.acacia", "2025-03-31.basil"


@pytest.fixture
def subscription(twin: Twin) -> dict[str, Any]:
    """A monthly subscription of two at 10.00."""
    price = ask(
        twin, "POST", "/v1/prices", currency="eur", unit_amount=1000, recurring={"interval": "month"},
        product_data={"name": "Shelf"},
    )  # fmt: skip
    card = {"default_payment_method": "pm_card_visa"}
    customer = ask(twin, "POST", "/v1/customers", payment_method="pm_card_visa", invoice_settings=card)
    return ask(
        twin,
        "POST",
        "/v1/subscriptions",
        customer=customer["id"],
        items=[{"price": price["id"], "quantity": 2}],
    )


def ask(twin: Twin, method: str, path: str, version: str | None = None, **form: Any) -> dict[str, Any]:
    answer = twin.request(method, path, form, version=version)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize("version", [OLD, LAST])
def test_older_versions_see_the_next_invoice(twin: Twin, subscription: dict[str, Any], version: str) -> None:
    before = twin.request("GET", "/v1/invoices", {}).json()
    for form in ({"subscription": subscription["id"]}, {"customer": subscription["customer"]}):
        found = ask(twin, "GET", "/v1/invoices/upcoming", version, **form)
        assert "id" not in found
        assert found["object"] == "invoice" and found["billing_reason"] == "upcoming"
        assert found["amount_due"] == 2000 and found["paid"] is False
        assert found["subscription"] == subscription["id"]
        (line,) = found["lines"]["data"]
        assert line["period"]["start"] == subscription["items"]["data"][0]["current_period_end"]
    assert twin.request("GET", "/v1/invoices", {}).json() == before


def test_it_says_what_a_preview_says(twin: Twin, subscription: dict[str, Any]) -> None:
    old = ask(twin, "GET", "/v1/invoices/upcoming", LAST, subscription=subscription["id"])
    new = ask(twin, "POST", "/v1/invoices/create_preview", subscription=subscription["id"])
    for name in ("amount_due", "currency", "period_start", "period_end", "next_payment_attempt", "total"):
        assert old[name] == new[name], name


def test_nothing_comes_for_a_customer_without_anything(twin: Twin) -> None:
    customer = ask(twin, "POST", "/v1/customers")
    answer = twin.request("GET", "/v1/invoices/upcoming", {"customer": customer["id"]}, version=OLD)
    assert answer.status == 404
    assert answer.json()["error"]["code"] == "invoice_upcoming_none"


def test_it_is_gone_since_basil(twin: Twin, subscription: dict[str, Any]) -> None:
    form = {"subscription": subscription["id"]}
    answer = twin.request("GET", "/v1/invoices/upcoming", form, version=BASIL)
    assert answer.status == 404
    assert "Unrecognized request URL" in answer.json()["error"]["message"]
