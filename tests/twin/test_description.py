"""Objects against Stripe's published API description of 2026-08-26.dahlia: types, nulls, words, required fields.

An independent check beside the contract. The description is not part of this repository: the test reads it from
../shared/facts beside the checkout, and says so where it is not.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from trialbalance.twin import Twin
from trialbalance.twin.wire.call import Call

FILE = Path(__file__).parents[3] / "shared" / "facts" / "stripe-openapi-2026-08-26.dahlia.json.gz"
VERSION = "2026-08-26.dahlia"

pytestmark = pytest.mark.skipif(not FILE.exists(), reason=f"the published API description is not at {FILE}")

RECORDED = {
    "product.attributes", "product.type", "charge.destination", "charge.dispute", "charge.order", "charge.source",
    "dispute.balance_transaction", "payment_intent.source", "subscription.plan", "subscription.quantity",
    "subscription.items.data[0].plan", "subscription.items.total_count", "subscription_item.plan",
    "subscription_schedule.phases[0].items[0].plan", "invoice.lines.total_count",
}  # fmt: skip
"""Fields the real API still answers, as its recordings show, which its description leaves out."""

SDK = {
    "shared_payment_granted_token", "electronic_commerce_indicator", "allowed_payment_method_types", "status_details",
    "invoicing_rules", "persistent_token", "payment_record", "paypay", "sequra", "trial_period_days", "tax_details",
    "current_trial", "billing_cycle_anchor", "pause_schedules",
}  # fmt: skip
"""Names of fields in the pinned SDK's types, which is newer than the description."""

INCLUDED = {"invoice.amount_paid_off_stripe"}
"""Fields the description requires and recorded answers leave out until a caller asks for them with `include`."""


@cache
def schemas() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(FILE.read_bytes()))["components"]["schemas"]
    return found


@cache
def by_object() -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, schema in schemas().items():
        kind = (schema.get("properties", {}).get("object", {}).get("enum") or [None])[0]
        if kind and not name.startswith("deleted_") and name.replace(".", "_") == kind.replace(".", "_"):
            result[kind] = schema
    return result


def problems(schema: dict[str, Any], value: Any, path: str) -> Iterator[str]:
    """Every way in which a value breaks a schema."""
    if "$ref" in schema:
        yield from problems(schemas()[schema["$ref"].rsplit("/", 1)[-1]], value, path)
        return
    if value is None:
        if not schema.get("nullable"):
            yield f"{path}: null, but it may not be"
        return
    if "anyOf" in schema:
        tried = [list(problems(branch, value, path)) for branch in schema["anyOf"]]
        if all(tried):
            yield min(tried, key=len)[0]
        return
    kind = schema.get("type")
    good = {
        "string": isinstance(value, str),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, (int, float)) and not isinstance(value, bool),
        "boolean": isinstance(value, bool),
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
        None: True,
    }[kind]
    if not good:
        yield f"{path}: {str(value)[:40]!r} is no {kind}"
        return
    if "enum" in schema and value not in schema["enum"] and not schema.get("x-stripeBypassValidation"):
        yield f"{path}: {value!r} is none of {schema['enum']}"
    if isinstance(value, str) and len(value) > schema.get("maxLength", 10**9):
        yield f"{path}: longer than {schema['maxLength']}"
    if isinstance(value, list):
        for position, item in enumerate(value):
            yield from problems(schema.get("items", {}), item, f"{path}[{position}]")
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value and f"{path}.{name}" not in INCLUDED:
                yield f"{path}.{name}: missing"
        extra = schema.get("additionalProperties")
        for name, item in value.items():
            if name in properties:
                yield from problems(properties[name], item, f"{path}.{name}")
            elif isinstance(extra, dict):
                yield from problems(extra, item, f"{path}[{name}]")
            elif properties and name not in SDK and f"{path}.{name}" not in RECORDED:
                yield f"{path}.{name}: not in the description"


@cache
def world() -> Twin:
    """A twin with a bit of everything."""
    twin = Twin(seed=6)

    def make(path: str, form: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = twin.request("POST", path, form, version=VERSION)
        assert answer.status == 200, f"{path}: {answer.body.decode()}"
        made: dict[str, Any] = answer.json()
        return made

    pay = {"amount": 2000, "currency": "usd", "confirm": True, "return_url": "https://shop.example/"}
    customer = make(
        "/v1/customers",
        {"payment_method": "pm_card_visa", "invoice_settings": {"default_payment_method": "pm_card_visa"},
         "email": "a@example.test", "address": {"country": "US", "postal_code": "94107"}},
    )["id"]  # fmt: skip
    sync = {**pay, "customer": customer, "payment_method": "pm_card_visa", "capture_method": "automatic"}
    intent = make("/v1/payment_intents", sync)
    make("/v1/payment_intents", {**pay, "payment_method": "pm_card_threeDSecure2Required"})
    make("/v1/payment_intents", {**pay, "payment_method": "pm_card_createDispute"})
    held = make("/v1/payment_intents", {**sync, "capture_method": "manual"})
    make(f"/v1/payment_intents/{held['id']}/capture", {"amount_to_capture": 1500})
    make("/v1/refunds", {"payment_intent": intent["id"], "amount": 500})
    make("/v1/setup_intents", {"customer": customer, "payment_method": "pm_card_mastercard", "confirm": True,
                               "return_url": "https://shop.example/"})  # fmt: skip
    twin.request(
        "POST",
        "/v1/payment_intents",
        {**pay, "payment_method": "pm_card_visa_chargeDeclined"},
        version=VERSION,
    )
    product = make(
        "/v1/products", {"name": "Plan", "description": "x", "images": ["https://shop.example/a.png"]}
    )["id"]
    month = make("/v1/prices", {"product": product, "currency": "usd", "unit_amount": 1000,
                                "recurring": {"interval": "month"}})["id"]  # fmt: skip
    tiers = [{"up_to": 5, "unit_amount": 100}, {"up_to": "inf", "unit_amount": 50}]
    make("/v1/prices", {"product": product, "currency": "usd", "billing_scheme": "tiered", "tiers_mode": "graduated",
                        "tiers": tiers, "recurring": {"interval": "month"}})  # fmt: skip
    coupon = make("/v1/coupons", {"percent_off": 10, "duration": "repeating", "duration_in_months": 3})["id"]
    make("/v1/promotion_codes", {"promotion": {"type": "coupon", "coupon": coupon}, "code": "SPRING"})
    rate = make("/v1/tax_rates", {"display_name": "VAT", "percentage": 20, "inclusive": False})["id"]
    subscription = make("/v1/subscriptions", {"customer": customer, "items": [{"price": month, "quantity": 2}],
                                              "discounts": [{"coupon": coupon}], "default_tax_rates": [rate]})  # fmt: skip
    make("/v1/invoiceitems", {"customer": customer, "amount": 500, "currency": "usd"})
    item = subscription["items"]["data"][0]["id"]
    make(f"/v1/subscriptions/{subscription['id']}", {"items": [{"id": item, "quantity": 5}]})
    draft = make("/v1/invoices", {"customer": customer, "pending_invoice_items_behavior": "include"})["id"]
    make(f"/v1/invoices/{draft}/finalize")
    make(f"/v1/invoices/{draft}/pay")
    make("/v1/checkout/sessions", {"mode": "payment", "success_url": "https://shop.example/ok",
                                   "line_items": [{"price_data": {"currency": "usd", "unit_amount": 700,
                                                                  "product_data": {"name": "Mug"}},
                                                    "quantity": 2}]})  # fmt: skip
    make("/v1/subscription_schedules", {"from_subscription": subscription["id"]})
    make("/v1/webhook_endpoints", {"url": "https://shop.example/hook", "enabled_events": ["*"]})
    twin.advance(twin.now() + 40 * 86400)
    return twin


def kinds() -> list[str]:
    if not FILE.exists():
        return []
    return sorted({kind for (_, kind) in world().store.tables if kind in by_object()})


@pytest.mark.parametrize("kind", kinds())
def test_objects_keep_the_description(kind: str) -> None:
    twin = world()
    call = Call(twin, twin.account, version=VERSION)
    found = {
        problem
        for (_, name), table in twin.store.tables.items()
        if name == kind
        for obj in table.objects.values()
        for problem in problems(by_object()[kind], twin.render(call, obj), kind)
    }
    assert sorted(found) == []


def test_there_is_much_to_check() -> None:
    assert len(kinds()) >= 20
