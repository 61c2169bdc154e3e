"""Usage records, where they still exist.

Source: https://docs.stripe.com/billing/subscriptions/usage-based-legacy/recording-usage
"""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.twin import Twin

OLD, LAST, BASIL = "2022-08-01", "2025-02-24.acacia", "2025-03-31.basil"
DAY = 86_400


@pytest.fixture
def item(twin: Twin) -> dict[str, Any]:
    """The item of a monthly subscription at 0.40 a piece, made before meters."""
    price = ask(
        twin, "POST", "/v1/prices", currency="eur", unit_amount=40, product_data={"name": "Firing"},
        recurring={"interval": "month", "usage_type": "metered"},
    )  # fmt: skip
    assert price["recurring"]["aggregate_usage"] == "sum"
    card = {"default_payment_method": "pm_card_visa"}
    customer = ask(twin, "POST", "/v1/customers", payment_method="pm_card_visa", invoice_settings=card)
    made = ask(twin, "POST", "/v1/subscriptions", customer=customer["id"], items=[{"price": price["id"]}])
    found: dict[str, Any] = made["items"]["data"][0]
    return found


def ask(twin: Twin, method: str, path: str, version: str = OLD, **form: Any) -> dict[str, Any]:
    answer = twin.request(method, path, form, version=version)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json()
    return found


def refused(twin: Twin, method: str, path: str, version: str = OLD, **form: Any) -> tuple[int, str]:
    answer = twin.request(method, path, form, version=version)
    return answer.status, answer.json()["error"]["message"]


def records(item: dict[str, Any]) -> str:
    return f"/v1/subscription_items/{item['id']}/usage_records"


def summaries(twin: Twin, item: dict[str, Any], version: str = OLD) -> list[tuple[int, bool]]:
    path = f"/v1/subscription_items/{item['id']}/usage_record_summaries"
    found = ask(twin, "GET", path, version)["data"]
    return [(one["total_usage"], one["invoice"] is not None) for one in found]


@pytest.mark.parametrize("version", [OLD, LAST])
def test_what_is_recorded_is_billed_when_the_period_is_over(
    twin: Twin, item: dict[str, Any], version: str
) -> None:
    made = ask(twin, "POST", records(item), version, quantity=3)
    assert (made["object"], made["quantity"], made["timestamp"]) == ("usage_record", 3, twin.now())
    assert ask(twin, "POST", records(item), version, quantity=4, timestamp="now")["quantity"] == 7
    twin.advance(twin.now() + 2 * DAY)
    ask(twin, "POST", records(item), version, quantity=9)
    at = twin.now()
    assert ask(twin, "POST", records(item), version, quantity=5, timestamp=at, action="set")["quantity"] == 5
    assert summaries(twin, item, version) == [(12, False)]
    coming = ask(twin, "GET", "/v1/invoices/upcoming", version, subscription=item["subscription"])
    assert [line["quantity"] for line in coming["lines"]["data"] if line["quantity"]] == [12]

    twin.advance(twin.now() + 32 * DAY)
    assert summaries(twin, item, version) == [(0, False), (12, True)]
    found = ask(twin, "GET", "/v1/invoices", version, subscription=item["subscription"])["data"]
    assert [invoice["total"] for invoice in found] == [480, 0]
    assert found[0]["paid"] is True


def test_only_usage_of_the_present_period_is_recorded(twin: Twin, item: dict[str, Any]) -> None:
    now = twin.now()
    assert "in the future" in refused(twin, "POST", records(item), quantity=1, timestamp=now + 1)[1]
    assert "must be after" in refused(twin, "POST", records(item), quantity=1, timestamp=now - 1)[1]
    assert refused(twin, "POST", records(item), quantity=-1)[0] == 400
    assert refused(twin, "POST", records(item))[1] == "Missing required param: quantity."
    assert refused(twin, "POST", "/v1/subscription_items/si_none/usage_records", quantity=1)[0] == 404
    ask(twin, "DELETE", f"/v1/subscriptions/{item['subscription']}")
    assert "canceled" in refused(twin, "POST", records(item), quantity=1)[1]


def test_other_prices_have_no_records(twin: Twin, item: dict[str, Any]) -> None:
    meter = ask(
        twin, "POST", "/v1/billing/meters", BASIL, display_name="Firings", event_name="firings",
        default_aggregation={"formula": "sum"},
    )  # fmt: skip
    price: dict[str, Any] = {"currency": "eur", "unit_amount": 40, "product_data": {"name": "Firing"}}
    customer = ask(twin, "GET", f"/v1/subscriptions/{item['subscription']}")["customer"]
    for recurring, word in (
        ({"interval": "month", "usage_type": "metered", "meter": meter["id"]}, "meter events"),
        ({"interval": "month"}, "metered price"),
    ):
        other = ask(twin, "POST", "/v1/prices", BASIL, recurring=recurring, **price)
        made = ask(
            twin, "POST", "/v1/subscriptions", customer=customer, items=[{"price": other["id"]}],
            payment_behavior="default_incomplete",
        )  # fmt: skip
        path = records(made["items"]["data"][0])
        assert word in refused(twin, "POST", path, quantity=1)[1]


def test_newer_versions_have_meters_only(twin: Twin, item: dict[str, Any]) -> None:
    status, message = refused(twin, "POST", records(item), BASIL, quantity=1)
    assert (status, message[:24]) == (404, "Unrecognized request URL")
    path = f"/v1/subscription_items/{item['id']}/usage_record_summaries"
    assert refused(twin, "GET", path, BASIL)[0] == 404
    recurring = {"interval": "month", "usage_type": "metered"}
    message = refused(
        twin, "POST", "/v1/prices", BASIL, currency="eur", unit_amount=40, recurring=recurring,
        product_data={"name": "Firing"},
    )[1]  # fmt: skip
    assert message.endswith("metered prices must be backed by meters.")
    assert "aggregate_usage" not in ask(twin, "GET", f"/v1/prices/{item['price']['id']}", BASIL)["recurring"]
