"""Evidence is bounded, and the same each time."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialbalance.grading.evidence import MAX_ENTRIES, MAX_TEXT, Evidence, Settler, one_attempt


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("customer cus_NffrFeUfNV2Hib paid", "customer <cus-1> paid"),
        ("cus_NffrFeUfNV2Hib cus_9s6XKzkNRiz8i3 cus_NffrFeUfNV2Hib", "<cus-1> <cus-2> <cus-1>"),
        ("key sk_test_51H7x2kLq9AbCdEf0", "key <sk_test-1>"),
        ("cs_test_a1B2c3D4e5F6g7H8", "<cs_test-1>"),
        ("pi_3MtwBwLkdIwHu7ix28a3tqPa_secret_YrKJUKribcBjcG8HVhfZluoGH", "<pi-1>"),
        ("f81d4fae-7dec-11d0-a765-00a0c91e6bf6 again", "<uuid-1> again"),
        (
            "http://127.0.0.1:40321/x and http://127.0.0.1:4242/y",
            "http://127.0.0.1:<port>/x and http://127.0.0.1:4242/y",
        ),
        ("localhost:51000", "localhost:<port>"),
        ("/tmp/place/app/server.py line 3", "/app/server.py line 3"),
        ("session 9fK2mQ7xLpZ0aB", "session <token-1>"),
        ("POST /v1/checkout/sessions answered 400", "POST /v1/checkout/sessions answered 400"),
        ("at 2026-03-10T09:00:00Z", "at 2026-03-10T09:00:00Z"),
        ("amount 1234567890", "amount 1234567890"),
        ("payment_method_types and checkout-session-2", "payment_method_types and checkout-session-2"),
        ("ines.kelp.fjord@example.test", "ines.kelp.fjord@example.test"),
        ("price_data", "price_data"),
    ],
)
def test_what_differs_between_runs_gets_a_name(text: str, settled: str) -> None:
    settler = Settler(paths={Path("/tmp/place/app"): "/app"}, port=4242)

    assert settler.text(text) == settled


def test_this_moment_gets_a_name_and_other_times_stay() -> None:
    now = int(time.time())
    settler = Settler(started=now)
    stamp = datetime.fromtimestamp(now, UTC)

    assert settler.settled({"a": now, "b": now * 1000, "c": 1_773_133_200, "d": float(now)}) == {
        "a": "<now>",
        "b": "<now>",
        "c": 1_773_133_200,
        "d": "<now>",
    }
    assert (
        settler.text(f"{stamp.isoformat()} {stamp:%Y-%m-%d %H:%M:%S} {now} {now}123")
        == "<now> <now> <now> <now>"
    )
    assert settler.text("2026-99-99T00:00:00") == "2026-99-99T00:00:00"


def test_drawn_values_stay_readable() -> None:
    settler = Settler(keep=["Q7KELPFJORD9", "cus_like1234word"])
    settler.keep(["B1C2D3F4G5H6"])

    assert settler.text("Q7KELPFJORD9 B1C2D3F4G5H6 Z9Y8X7W6V5U4") == "Q7KELPFJORD9 B1C2D3F4G5H6 <token-1>"
    assert settler.text("cus_like1234word") == "cus_like1234word"


def test_values_become_bounded_plain_data() -> None:
    deep: object = "end"
    for _ in range(20):
        deep = [deep]
    settler = Settler()

    settled = settler.settled(
        {
            "long": "x y " * MAX_TEXT,
            "many": list(range(1000)),
            "deep": deep,
            3: {2, 1},
            "bytes": b"\xff",
            "path": Path("/x"),
        }
    )

    assert len(settled["long"]) == MAX_TEXT + 1
    assert len(settled["many"]) == 50
    assert settled["3"] == [1, 2]
    assert settled["path"] == "/x"
    assert json.loads(json.dumps(settled)) == settled


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(), st.lists)
)
def test_anything_can_be_settled(value: object) -> None:
    assert json.dumps(Settler(started=0).settled(value), allow_nan=True)


def test_the_same_twice_in_a_row_is_written_once() -> None:
    evidence = Evidence()
    evidence.add("http", request="GET /")
    evidence.add("http", request="GET /")
    evidence.add("http", request="GET /a")
    evidence.add("http", request="GET /")

    assert [entry["request"] for entry in evidence.all()] == ["GET /", "GET /a", "GET /"]


def test_too_many_entries_are_counted() -> None:
    evidence = Evidence()
    for number in range(MAX_ENTRIES + 5):
        evidence.add("http", number=number)

    assert len(evidence.all()) == MAX_ENTRIES + 1
    assert evidence.all()[-1] == {"kind": "left out", "entries": 5}


def test_of_many_attempts_the_last_is_written() -> None:
    evidence = Evidence()
    with one_attempt() as begin:
        for number in range(3):
            begin()
            evidence.add("http", number=number)
            with one_attempt() as inner:
                inner()
                evidence.add("inner", number=number)
    evidence.add("after")

    assert evidence.all() == [
        {"kind": "http", "number": 2},
        {"kind": "inner", "number": 2},
        {"kind": "after"},
    ]
    assert evidence.used
