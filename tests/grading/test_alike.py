"""What differs between two services' answers, apart from ids that are new."""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.grading.alike import Aliases, difference


def test_only_new_ids_get_other_names() -> None:
    one, other = (Aliases(frozenset({"pi_3KnownKnown"})) for _ in range(2))
    before = one.settle({"refund": "re_3Abcdefgh1", "payment": "pi_3KnownKnown", "again": ["re_3Abcdefgh1"]})
    after = other.settle({"refund": "re_3Zyxwvuts9", "payment": "pi_3KnownKnown", "again": ["re_3Zyxwvuts9"]})
    assert before == after == {"refund": "<re-1>", "payment": "pi_3KnownKnown", "again": ["<re-1>"]}
    assert one.settle("re_3Otherother") == "<re-2>"
    assert one.settle("pi_3Other0000") != other.settle("pi_3KnownKnown")


def test_words_are_no_ids() -> None:
    words = {"reason": "insufficient_funds", "status": "requires_payment_method", "at": 1_775_901_600}
    assert Aliases().settle(words) == words


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ("body.a[1].b", 2, 3)),
        ({"a": 1}, {}, ("body.a", 1, "<missing>")),
        ({}, {"a": None}, ("body.a", "<missing>", None)),
        ([1, 2], [1], ("body has another length", 2, 1)),
        (None, {"a": 1}, ("body", None, {"a": 1})),
    ],
)
def test_the_first_difference_is_named(before: Any, after: Any, expected: Any) -> None:
    assert difference(before, after) == expected
