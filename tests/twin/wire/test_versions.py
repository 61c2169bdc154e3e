"""API versions: every change is described, sourced, and carries objects back without losing their id.

Source: https://docs.stripe.com/api/versioning
"""

from __future__ import annotations

import pytest

from trialbalance.contract import load
from trialbalance.twin import Twin
from trialbalance.twin.wire.call import HANDLERS
from trialbalance.twin.wire.versions import KNOWN, VersionChange, all_changes

CHANGES = all_changes()


def name(change: VersionChange) -> str:
    return f"{change.version}-{type(change).__name__}"


@pytest.mark.parametrize("change", CHANGES, ids=name)
def test_every_change_is_described(change: VersionChange) -> None:
    assert change.version in KNOWN
    assert change.source.startswith("https://docs.stripe.com/") or change.source.startswith(
        "https://stripe.com/"
    )
    assert len(change.description) > 10
    assert type(change).__doc__
    changed = change.kinds or change.endpoints or change.accepts or change.expands or change.removes
    assert changed, "it changes nothing"
    assert set(change.kinds) <= {*load().objects, "list", "item"}
    for endpoint in (*change.endpoints, *change.accepts, *change.removes):
        assert endpoint in load().endpoints, endpoint


def test_known_versions_are_in_order() -> None:
    assert list(KNOWN) == sorted(KNOWN)
    assert KNOWN[-1] == load().api_version


@pytest.mark.parametrize("version", KNOWN)
def test_every_version_answers(version: str) -> None:
    twin = Twin(seed=1)
    customer = twin.request("POST", "/v1/customers", {"email": "a@example.test"}, version=version)
    assert customer.status == 200
    assert customer.headers["stripe-version"] == version
    form = {"amount": 2000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    intent = twin.request(
        "POST", "/v1/payment_intents", {**form, "return_url": "https://shop.example/"}, version=version
    )
    assert intent.status == 200 and intent.json()["status"] == "succeeded"
    for path in ("/v1/customers", "/v1/payment_intents", "/v1/charges", "/v1/events", "/v1/payment_methods"):
        assert twin.request("GET", path, version=version).status == 200


def test_the_accounts_version_is_the_default() -> None:
    from trialbalance.twin import TwinConfig

    twin = Twin(config=TwinConfig(api_version="2020-08-27"))
    form = {"amount": 2000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    intent = twin.request("POST", "/v1/payment_intents", form)
    assert intent.headers["stripe-version"] == "2020-08-27"
    assert intent.json()["charges"]["data"][0]["amount"] == 2000
    newer = twin.request("GET", f"/v1/payment_intents/{intent.json()['id']}", version=KNOWN[-1]).json()
    assert "charges" not in newer and newer["latest_charge"].startswith("ch_")


def test_a_preview_version_is_taken_as_the_release_of_its_day() -> None:
    assert Twin(seed=1).request("GET", "/v1/customers", version="2026-08-26.preview").status == 200


def test_removed_parameters_are_refused_in_the_changes_own_words() -> None:
    twin = Twin(seed=1)
    form = {"amount": 100, "currency": "usd", "payment_method_types": ["card"]}
    old = twin.request("POST", "/v1/payment_intents", form, version="2026-08-26.dahlia")
    assert old.status == 200 and old.json()["payment_method_types"] == ["card"]
    new = twin.request("POST", "/v1/payment_intents", form)
    assert (new.status, new.json()["error"]["code"]) == (400, "payment_method_types_no_longer_supported")


def test_handlers_never_ask_for_a_version_themselves() -> None:
    """Differences live in changes; a handler that compares versions would hide one."""
    import inspect
    import re

    guilty = {
        handler.__module__
        for handler in HANDLERS.values()
        if re.search(r"call\.version\s*[<>]", inspect.getsource(inspect.getmodule(handler)))  # type: ignore[arg-type]
    }
    assert guilty <= {"trialbalance.twin.resources.sources"}, "sources exist in old versions only, by nature"
