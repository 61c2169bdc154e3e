"""Idempotency keys. Source: https://docs.stripe.com/api/idempotent_requests"""

from __future__ import annotations

import pytest

from trialbalance.twin import Twin
from trialbalance.twin.wire.idempotency import LIFETIME


def count(twin: Twin) -> int:
    return len(twin.request("GET", "/v1/customers", {"limit": 100}).json()["data"])


def test_a_replay_answers_the_same_bytes_and_works_once(twin: Twin) -> None:
    first = twin.request("POST", "/v1/customers", {"email": "a@example.test"}, idempotency_key="k")
    again = twin.request("POST", "/v1/customers", {"email": "a@example.test"}, idempotency_key="k")
    assert again.body == first.body and again.status == 200
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert again.headers["original-request"] == first.headers["request-id"]
    assert again.headers["request-id"] != first.headers["request-id"]
    assert again.headers["idempotency-key"] == "k"
    assert count(twin) == 1


def test_other_parameters_or_endpoint_are_an_idempotency_error(twin: Twin) -> None:
    twin.request("POST", "/v1/customers", {"email": "a@example.test"}, idempotency_key="k")
    for path, form in (("/v1/customers", {"email": "b@example.test"}), ("/v1/products", {"name": "x"})):
        answer = twin.request("POST", path, form, idempotency_key="k")
        error = answer.json()["error"]
        assert (answer.status, error["type"]) == (400, "idempotency_error")
        assert "'k'" in error["message"]


def test_validation_errors_are_not_kept(twin: Twin) -> None:
    assert twin.request("POST", "/v1/customers", {"nope": 1}, idempotency_key="k").status == 400
    assert twin.request("POST", "/v1/customers", {"name": "x"}, idempotency_key="k").status == 200


def test_errors_of_the_work_itself_are_kept(twin: Twin) -> None:
    """Case A53: a decline is replayed; nothing is charged twice."""
    form = {
        "amount": 500,
        "currency": "usd",
        "payment_method": "pm_card_visa_chargeDeclined",
        "confirm": "true",
        "return_url": "https://shop.example/",
    }
    first = twin.request("POST", "/v1/payment_intents", form, idempotency_key="k")
    again = twin.request("POST", "/v1/payment_intents", form, idempotency_key="k")
    assert first.status == again.status == 402
    assert first.body == again.body
    assert again.headers["idempotent-replayed"] == "true"
    charges = twin.request("GET", "/v1/charges").json()["data"]
    assert len(charges) == 1
    changed = twin.request("POST", "/v1/payment_intents", {**form, "amount": 600}, idempotency_key="k")
    assert changed.status == 400 and changed.json()["error"]["type"] == "idempotency_error"


def test_a_get_ignores_the_key(twin: Twin) -> None:
    twin.request("POST", "/v1/customers", {}, idempotency_key="k")
    answer = twin.request("GET", "/v1/customers", idempotency_key="k")
    assert answer.status == 200 and "idempotent-replayed" not in answer.headers


def test_keys_are_forgotten_after_a_day(twin: Twin) -> None:
    twin.request("POST", "/v1/customers", {"name": "x"}, idempotency_key="k")
    twin.advance(twin.now() + LIFETIME)
    assert twin.request("POST", "/v1/customers", {"name": "y"}, idempotency_key="k").status == 200
    assert count(twin) == 2


def test_a_key_in_use_is_a_conflict(twin: Twin) -> None:
    twin.idempotency.running.add((twin.account, "k"))
    answer = twin.request("POST", "/v1/customers", {}, idempotency_key="k")
    assert answer.status == 409
    assert answer.json()["error"]["code"] == "idempotency_key_in_use"


def test_too_long_a_key(twin: Twin) -> None:
    assert twin.request("POST", "/v1/customers", {}, idempotency_key="k" * 256).status == 400


def test_a_retry_after_a_lost_answer_does_the_work_once(twin: Twin) -> None:
    for fault in ("timeout_after", "reset_after", "server_error_after"):
        twin.reset()
        twin.faults.set([{"fault": fault, "endpoint": "POST /v1/customers", "count": 1}])
        lost = twin.request("POST", "/v1/customers", {"name": "x"}, idempotency_key="k")
        assert lost.lost or lost.status == 500
        again = twin.request("POST", "/v1/customers", {"name": "x"}, idempotency_key="k")
        assert again.status == 200 and again.headers["idempotent-replayed"] == "true"
        assert count(twin) == 1


@pytest.mark.parametrize("fault", ["reset_before", "reset_after"])
def test_the_journal_says_with_which_key_every_post_came_also_when_it_met_a_fault(
    twin: Twin, fault: str
) -> None:
    twin.faults.set([{"fault": fault, "endpoint": "POST /v1/customers"}])
    twin.request("POST", "/v1/customers", {"name": "x"}, idempotency_key="k")
    twin.request("POST", "/v1/customers", {"name": "y"})
    twin.request("GET", "/v1/customers")
    requests = [entry for entry in twin.journal.since(0) if entry["kind"] == "request"]
    assert [entry.get("idempotency_key", "unsaid") for entry in requests] == ["k", None, "unsaid"]
