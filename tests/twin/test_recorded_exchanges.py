"""What the twin shows beside what the real API was recorded to show, object by object and version by version.

The recordings are not part of this repository: the test reads them from ../shared/facts beside the checkout and says so
where they are not. A field that every recorded object of a kind and version has must be in the twin's; a field that none
of them has must not be. Types must agree too, null fitting everything.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from trialbalance.twin import Twin
from trialbalance.twin.wire.versions import KNOWN

FILE = Path(__file__).parents[3] / "shared" / "facts" / "recorded-exchanges.jsonl.gz"

pytestmark = pytest.mark.skipif(not FILE.exists(), reason=f"the recorded exchanges are not at {FILE}")

SCRUBBED = {
    "e1c": "exc", "ne1t": "next", "ta1": "tax", "suffi1": "suffix", "e1p": "exp", "ma1": "max", "e1t": "ext",
    "prefi1": "prefix", "inde1": "index", "fi1ed": "fixed", "client_<PADDLE_API_KEY>": "client_secret",
    "o11o": "oxxo", "e1e": "exe", "fp1": "fpx", "1_": "x_", "<PADDLE_API_KEY>": "secret",
}  # fmt: skip
"""One recorder replaced letters in names; these are the words they were in."""

SITUATIONAL = {
    # present only in a situation that the recorded objects happen to (not) be in
    "charge": {"presentment_details", "level3", "radar_options", "transfer", "refunds"},
    "payment_intent": {"presentment_details", "hooks", "payment_details", "charges", "client_secret"},
    "payment_method": {
        "card",
        "radar_options",
        "sepa_debit",
        "us_bank_account",
        "link",
        "bancontact",
        "type",
    },
    "customer": {"sources", "subscriptions", "tax_ids", "tax", "cash_balance"},
    "invoice": {"payments", "threshold_reason", "payment_intent", "charge"},
    "checkout.session": {"line_items"},
    "subscription": set(),
    "webhook_endpoint": {"secret", "application"},
    "refund": {"destination_details", "next_action", "pending_reason", "failure_reason"},
}


ADDED_LATER = {
    "charge": {"failure_balance_transaction"},
    "customer": {"customer_account"},
    "payment_intent": {
        "allowed_payment_method_types", "amount_details", "automatic_payment_methods", "customer_account",
        "excluded_payment_method_types", "latest_charge", "managed_payments", "payment_method_configuration_details",
        "payment_record", "processing", "shared_payment_granted_token",
    },
    "invoice": {
        "amount_overpaid", "amount_paid_off_stripe", "customer_account", "parent", "status_details",
        "total_pretax_credit_amounts", "total_taxes",
    },
    "subscription": {
        "application", "automatic_tax", "billing_cycle_anchor_config", "billing_mode", "billing_schedules",
        "cancellation_details", "currency", "customer_account", "description", "discounts", "invoice_settings",
        "managed_payments", "on_behalf_of", "payment_settings", "status_details", "test_clock", "trial_settings",
    },
    "subscription_item": {"current_period_end", "current_period_start", "current_trial", "discounts"},
    "payment_method": {"allow_redisplay", "customer_account", "shared_payment_granted_token"},
    "plan": {"meter"},
    "price": {"custom_unit_amount", "tax_behavior"},
    "refund": {"customer", "customer_account", "payment_method"},
    "setup_intent": {
        "allowed_payment_method_types", "automatic_payment_methods", "customer_account", "excluded_payment_method_types",
        "flow_directions", "latest_attempt", "managed_payments", "payment_method_configuration_details",
        "single_use_mandate",
    },
}  # fmt: skip
"""Fields that the API added, for every version, after some of the recordings were made: additions are not breaking."""


class Seen(NamedTuple):
    """The fields that all and that some recorded objects have, with their types."""

    always: set[str]
    ever: set[str]
    types: dict[str, set[str]]


def name_of(name: str, source: str) -> str:
    if source == "pay":
        for wrong, right in SCRUBBED.items():
            name = name.replace(wrong, right)
    return name


def kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    return {"NoneType": "null", "dict": "hash", "list": "list", "str": "str"}[type(value).__name__]


@cache
def recorded() -> dict[tuple[str, str], Seen]:
    found: dict[tuple[str, str], Seen] = {}

    def visit(value: Any, version: str, source: str) -> None:
        if isinstance(value, list):
            for item in value:
                visit(item, version, source)
        if not isinstance(value, dict):
            return
        kind = value.get("object")
        if isinstance(kind, str) and kind not in ("list", "search_result") and not value.get("deleted"):
            fields = {name_of(n, source): v for n, v in value.items()}
            old = found.get((kind, version))
            types: dict[str, set[str]] = defaultdict(set, old.types if old else {})
            for name, item in fields.items():
                types[name].add(kind_of(item))
            always = old.always & set(fields) if old else set(fields)
            found[(kind, version)] = Seen(always, (old.ever if old else set()) | set(fields), types)
        for item in value.values():
            visit(item, version, source)

    for line in gzip.decompress(FILE.read_bytes()).splitlines():
        row = json.loads(line)
        if row["status"] == 200 and row["version"] in KNOWN:
            visit(row["response"], row["version"], row["src"])
    return found


@cache
def world() -> tuple[Twin, dict[str, list[str]]]:
    """A twin with a few objects of every kind, and the paths to read them by."""
    twin = Twin(seed=2)

    def make(path: str, form: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = twin.request("POST", path, form)
        assert answer.status == 200, f"{path}: {answer.body.decode()}"
        made: dict[str, Any] = answer.json()
        return made

    customer = make("/v1/customers", {"email": "a@example.test", "payment_method": "pm_card_visa",
                                      "invoice_settings": {"default_payment_method": "pm_card_visa"}})["id"]  # fmt: skip
    intent = make("/v1/payment_intents", {"amount": 2000, "currency": "usd", "customer": customer, "confirm": True,
                                          "payment_method": "pm_card_visa", "return_url": "https://shop.example/",
                                          "capture_method": "automatic"})  # fmt: skip
    open_intent = make("/v1/payment_intents", {"amount": 2000, "currency": "usd"})["id"]
    refund = make("/v1/refunds", {"payment_intent": intent["id"], "amount": 500})["id"]
    setup = make("/v1/setup_intents", {"customer": customer})["id"]
    charge = twin.request("GET", f"/v1/charges/{intent['latest_charge']}").json()
    product = make("/v1/products", {"name": "Plan"})["id"]
    price = make(
        "/v1/prices",
        {"product": product, "currency": "usd", "unit_amount": 1000, "recurring": {"interval": "month"}},
    )
    subscription = make("/v1/subscriptions", {"customer": customer, "items": [{"price": price["id"]}]})
    paths = {
        "customer": [f"/v1/customers/{customer}"],
        "payment_intent": [f"/v1/payment_intents/{intent['id']}", f"/v1/payment_intents/{open_intent}"],
        "charge": [f"/v1/charges/{charge['id']}"],
        "balance_transaction": [f"/v1/balance_transactions/{charge['balance_transaction']}"],
        "refund": [f"/v1/refunds/{refund}"],
        "setup_intent": [f"/v1/setup_intents/{setup}"],
        "payment_method": [f"/v1/payment_methods/{intent['payment_method']}"],
        "price": [f"/v1/prices/{price['id']}"],
        "plan": [f"/v1/plans/{price['id']}"],
        "subscription": [f"/v1/subscriptions/{subscription['id']}"],
        "subscription_item": [f"/v1/subscription_items/{subscription['items']['data'][0]['id']}"],
        "invoice": [f"/v1/invoices/{subscription['latest_invoice']}"],
    }
    return twin, paths


def objects() -> Iterator[Any]:
    if not FILE.exists():
        return
    for kind, version in sorted(recorded()):
        yield pytest.param(kind, version, id=f"{kind}-{version}")


@pytest.mark.parametrize(("kind", "version"), list(objects()))
def test_fields_and_types(kind: str, version: str) -> None:
    twin, paths = world()
    if kind not in paths:
        pytest.skip(f"the world of this test has no {kind} yet")
    seen = recorded()[(kind, version)]
    loose = SITUATIONAL.get(kind, set())
    newer = ADDED_LATER.get(kind, set())
    shown = [twin.request("GET", path, version=version) for path in paths[kind]]
    problems = []
    for answer in shown:
        assert answer.status == 200, answer.body
        obj = answer.json()
        problems += [f"missing {name}" for name in sorted(seen.always - obj.keys() - loose)]
        problems += [f"extra {name}" for name in sorted(obj.keys() - seen.ever - loose - newer)]
        for name, value in obj.items():
            kinds = seen.types.get(name, set()) - {"null"}
            expandable = {kind_of(value), *kinds} == {"str", "hash"}
            if kinds and value is not None and kind_of(value) not in kinds and not expandable:
                problems.append(f"{name} is a {kind_of(value)}, recorded as {sorted(kinds)}")
    assert not problems, sorted(set(problems))


def test_the_recordings_are_read() -> None:
    assert len(recorded()) > 50
    assert not [
        n for seen in recorded().values() for n in seen.ever if re.search(r"(?<![a-z])1|[a-z]1[a-z]", n)
    ]
