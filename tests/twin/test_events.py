"""What events say that was different before, and that old ones are forgotten."""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.twin import events
from trialbalance.twin.events import EVENTS_KEPT, differences
from trialbalance.twin.twin import Twin

PRICES = [{"object": "price", "id": identifier} for identifier in ("price_1", "price_2")]


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ({"name": "Ada"}, {"name": "Ada"}, {}),
        ({"name": "Ada"}, {"name": "Ben"}, {"name": "Ada"}),
        ({}, {"name": "Ben"}, {"name": None}),
        ({"_kept": 1}, {"_kept": 2}, {}),
        ({"tags": [1, 2]}, {"tags": [1]}, {"tags": [1, 2]}),
        (
            {"address": {"city": "Oslo", "line1": "A"}},
            {"address": {"line1": "A"}},
            {"address": {"city": "Oslo"}},
        ),
        ({"metadata": {"a": "1"}}, {"metadata": {"a": "1", "b": "2"}}, {"metadata": {"b": None}}),
        ({"metadata": {"_a": "1"}}, {"metadata": {"_a": "2"}}, {"metadata": {"_a": "1"}}),
        ({"price": PRICES[0]}, {"price": PRICES[1]}, {"price": PRICES[0]}),
    ],
)
def test_previous_attributes(before: Any, after: Any, changed: Any) -> None:
    assert differences(before, after) == changed


def test_metadata_names_may_begin_with_an_underscore() -> None:
    """They are the caller's, unlike the twin's own private fields, which are never shown."""
    twin = Twin(seed=1)
    made = twin.request("POST", "/v1/customers", {"metadata": {"_order": "1"}}).json()
    changed = twin.request("POST", f"/v1/customers/{made['id']}", {"metadata": {"_order": "2"}}).json()
    event = twin.request("GET", "/v1/events", {"type": "customer.updated"}).json()["data"][0]
    assert (made["metadata"], changed["metadata"]) == ({"_order": "1"}, {"_order": "2"})
    assert event["data"]["object"]["metadata"] == {"_order": "2"}
    assert event["data"]["previous_attributes"] == {"metadata": {"_order": "1"}}


def test_events_are_kept_for_thirty_days(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "RETIRE_EVERY", 2)
    twin = Twin(seed=1)
    twin.request("POST", "/v1/customers", {"name": "Ada"})
    (old,) = twin.request("GET", "/v1/events").json()["data"]
    twin.advance(twin.now() + EVENTS_KEPT + 1)
    twin.request("POST", "/v1/customers", {"name": "Ben"})
    assert [
        event["data"]["object"]["name"] for event in twin.request("GET", "/v1/events").json()["data"]
    ] == ["Ben"]
    assert twin.request("GET", f"/v1/events/{old['id']}").status == 404
