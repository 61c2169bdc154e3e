"""Every one, the same, eventually."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trialbalance.grading import Failed, eventually, every, same
from trialbalance.grading.evidence import Evidence


def test_every_one_of_some() -> None:
    assert list(every([1, 2], "orders")) == [1, 2]
    with pytest.raises(Failed, match="there are no orders"):
        every([], "orders")


def test_the_same_or_both_are_shown() -> None:
    same({"a": 1}, {"a": 1}, "the total")
    with pytest.raises(Failed, match="the total is not what it should be") as caught:
        same(5, 7, "the total")
    assert caught.value.evidence == {"actual": 5, "expected": 7}


def test_eventually_hands_on_what_became_true() -> None:
    answers: Iterator[object] = iter([None, [], "ready"])

    assert eventually(lambda: next(answers), "it is ready", seconds=5) == "ready"


def test_eventually_takes_a_failure_for_not_yet() -> None:
    answers: Iterator[Failed | str] = iter([Failed("no order"), "an order"])

    def look() -> str:
        answer = next(answers)
        if isinstance(answer, Failed):
            raise answer
        return answer

    assert eventually(look, "there is an order", seconds=5) == "an order"


def test_at_the_deadline_the_last_failure_is_shown() -> None:
    def look() -> None:
        raise Failed("no order", count=0)

    with pytest.raises(Failed, match=r"there is an order: not so within 0\.1 seconds") as caught:
        eventually(look, "there is an order", seconds=0.1)
    assert caught.value.evidence == {"last": "no order", "count": 0}


def test_waiting_longer_leaves_no_more_evidence() -> None:
    evidence = Evidence()
    answers = iter([None, None, None, True])

    def look() -> bool | None:
        answer = next(answers)
        evidence.add("http", request="GET /orders", found=bool(answer))
        return answer

    eventually(look, "there is an order", seconds=5)

    assert evidence.all() == [{"kind": "http", "request": "GET /orders", "found": True}]
