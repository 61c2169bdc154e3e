"""The twin's journal becomes rows that can be filtered."""

from __future__ import annotations

from tests.report.sample import journal

from trialbalance.report.journal import rows


def test_requests_pages_and_webhooks() -> None:
    found = rows(journal())
    assert [(row.kind, row.title, row.status, row.tone) for row in found] == [
        ("request", "POST /v1/products", "200", "ok"),
        ("request", "POST /v1/checkout/sessions", "400", "bad"),
        ("request", "POST /v1/checkout/sessions", "200", "ok"),
        ("page", "checkout opened", "", "plain"),
        ("webhook", "checkout.session.completed http://127.0.0.1:4242/webhook", "200", "ok"),
    ]
    assert found[1].note.startswith("Invalid mode")
    assert dict(found[2].detail)["idempotency key"] == "order-17"


def test_long_bodies_are_cut() -> None:
    (row,) = rows([{"seq": 1, "kind": "request", "status": 200, "response": {"data": "x" * 50_000}}])
    assert "characters more in twin/journal.jsonl" in dict(row.detail)["response"]


def test_odd_entries_are_rows_too() -> None:
    (row,) = rows([{"kind": None, "seq": "x", "response": 3}])
    assert (row.seq, row.tone) == (0, "plain")


def test_long_ids_are_cut_and_only_other_accounts_named() -> None:
    path = "/v1/payment_pages/cs_test_" + "a" * 58 + "/init"
    entry = {"kind": "request", "method": "POST", "path": path, "status": 200, "account": "acct_1"}
    first, second = rows([entry, {**entry, "account": "acct_2"}])
    assert first.title == "POST /v1/payment_pages/cs_test_aaaaaa…aaaa/init" and first.note == ""
    assert second.note == "acct_2"
