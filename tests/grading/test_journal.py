"""The twin's journal: requests by endpoint, writes, and what is more than allowed."""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.grading import Failed, GraderFault, Journal
from trialbalance.grading.journal import parse_write, refuse_unexpected, unexpected


def request(method: str, path: str, status: int = 200, **more: Any) -> dict[str, Any]:
    return {"kind": "request", "method": method, "path": path, "status": status, **more}


JOURNAL = Journal(
    [
        {"kind": "start"},
        request("POST", "/v1/products", source="seed"),
        request("POST", "/v1/customers", endpoint="POST /v1/customers"),
        request("GET", "/v1/customers/cus_1", endpoint="GET /v1/customers/{customer}"),
        request("POST", "/v1/customers/cus_1", endpoint="POST /v1/customers/{customer}"),
        request("POST", "/v1/customers", endpoint="POST /v1/customers", replayed="req_1"),
        request("POST", "/v1/refunds", 402, endpoint="POST /v1/refunds"),
        request(
            "DELETE", "/v1/customers/cus_1/discount", endpoint="DELETE /v1/customers/{customer}/discount"
        ),
        request("POST", "/v1/nothing", 404),
        {"kind": "webhook", "status": 500},
        request("POST", "/v1/charges", 500),
        request("POST", "/v1/charges", 503, injected=True),
    ]
)


def test_requests_by_method_and_path() -> None:
    assert len(JOURNAL.requests()) == 9
    assert len(JOURNAL.requests("POST")) == 7
    assert len(JOURNAL.requests("POST", "/v1/customers")) == 2
    assert [entry["method"] for entry in JOURNAL.requests(path="/v1/customers/{id}")] == ["GET", "POST"]
    assert JOURNAL.requests(path="/v1/customers/{id}/discount/{id}") == []


def test_writes_succeeded_and_were_no_repetition() -> None:
    assert JOURNAL.writes() == [
        "POST /v1/customers",
        "POST /v1/customers/{id}",
        "DELETE /v1/customers/{id}/discount",
    ]


def test_only_what_the_twin_broke_by_itself_is_broken() -> None:
    assert [entry["status"] for entry in JOURNAL.broken()] == [500]


@pytest.mark.parametrize(
    ("allowed", "extra"),
    [
        ([], ["POST /v1/customers", "POST /v1/customers", "POST /v1/refunds"]),
        (["POST /v1/customers"], ["POST /v1/customers", "POST /v1/refunds"]),
        (["2 POST /v1/customers"], ["POST /v1/refunds"]),
        (["POST /v1/customers", "POST /v1/customers", "POST /v1/refunds"], []),
        (["* POST /v1/customers", "5 POST /v1/refunds"], []),
    ],
)
def test_extra_writes_are_named(allowed: list[str], extra: list[str]) -> None:
    writes = ["POST /v1/customers", "POST /v1/customers", "POST /v1/refunds"]

    assert unexpected(writes, allowed) == extra
    if extra:
        with pytest.raises(Failed, match=f"unexpected writes: {extra[0]}"):
            refuse_unexpected(writes, allowed)
    else:
        refuse_unexpected(writes, allowed)


def test_placeholders_have_any_name() -> None:
    assert parse_write("3 POST /v1/customers/{customer}") == ("POST /v1/customers/{id}", 3)
    assert parse_write("DELETE /v1/coupons/{coupon}") == ("DELETE /v1/coupons/{id}", 1)
    assert parse_write("* POST /v1/events") == ("POST /v1/events", None)


@pytest.mark.parametrize(
    "text", ["customers", "POST v1/customers", "PATCH /v1/customers", "x POST /v1/customers"]
)
def test_a_wrong_allowance_is_a_fault(text: str) -> None:
    with pytest.raises(GraderFault, match="is no write"):
        parse_write(text)
