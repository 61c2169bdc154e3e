"""Another merchant of the twin: an account that the twin's own keys do not reach, with hosted pages that work."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from trialbalance.twin import Twin
from trialbalance.twin.control import play
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.pages.app import create

SEED: JsonObject = {
    "requests": [
        {
            "merchant": "neighbour",
            "path": "/v1/checkout/sessions",
            "form": {
                "mode": "payment",
                "success_url": "https://shop.example/ok",
                "payment_intent_data": {"description": "nobody's business"},
                "line_items": [
                    {
                        "price_data": {
                            "currency": "usd",
                            "unit_amount": 900,
                            "product_data": {"name": "Scarf"},
                        },
                        "quantity": 2,
                    }
                ],
            },
            "as": "page",
        }
    ]
}


@pytest.fixture
def session(twin: Twin) -> JsonObject:
    made: JsonObject = play(twin, SEED)["page"]
    return made


def note_of(twin: Twin, session: JsonObject) -> JsonObject:
    """What the hosted page knows from the start."""
    answer = TestClient(create(twin)).get(f"/c/pay/{session['id']}")
    assert answer.status_code == 200
    found = re.search(r'<script type="application/json" id="note">(.*?)</script>', answer.text)
    assert found is not None
    note: JsonObject = json.loads(found[1])
    return note


def test_its_page_opens_with_a_key_of_its_own(twin: Twin, session: JsonObject) -> None:
    note = note_of(twin, session)
    assert note["key"] not in (twin.publishable_key, twin.secret_key)
    page = twin.request(
        "POST", f"/v1/payment_pages/{session['id']}/init", key=note["key"], account=note["account"]
    )
    assert page.json()["line_items"][0]["description"] == "Scarf"


@pytest.mark.parametrize("account", [None, "neighbour"])
def test_the_twins_own_keys_do_not_reach_it(twin: Twin, session: JsonObject, account: str | None) -> None:
    named = twin.merchant(account).account if account else None
    for key in (twin.secret_key, twin.publishable_key):
        for path in (f"/v1/checkout/sessions/{session['id']}", "/v1/checkout/sessions", "/v1/events"):
            answer = twin.request("GET", path, key=key, account=named)
            assert answer.status != 200 or answer.json()["data"] == []


def test_its_page_key_opens_pages_and_nothing_else(twin: Twin, session: JsonObject) -> None:
    key: Any = note_of(twin, session)["key"]
    for path in (
        f"/v1/checkout/sessions/{session['id']}",
        "/v1/checkout/sessions",
        "/v1/events",
        "/v1/prices",
    ):
        assert twin.request("GET", path, key=key).status == 403


def test_the_same_name_is_the_same_merchant_in_every_twin_of_a_seed() -> None:
    one, other = Twin(seed=4), Twin(seed=4)
    other.ids.random(9)
    assert one.merchant("neighbour") == other.merchant("neighbour")
    assert one.merchant("neighbour") != one.merchant("stranger")
    assert one.merchant("neighbour") != Twin(seed=5).merchant("neighbour")
