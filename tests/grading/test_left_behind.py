"""What is compared of what two apps leave behind."""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.grading import Failed
from trialbalance.grading.alike import Aliases
from trialbalance.grading.left_behind import NOTICED, leaves_the_same, left_behind, usage
from trialbalance.grading.side_by_side import Side


class Holding:
    """A twin with these objects."""

    def __init__(self, **kinds: list[Any]) -> None:
        self._kinds = kinds

    def state(self) -> dict[str, Any]:
        return {"account": "acct_1", "accounts": {"acct_1": self._kinds}}


def side(**kinds: list[Any]) -> Side:
    return Side(Holding(**kinds), lambda method, path, body: (200, None), {}, Aliases())  # type: ignore[arg-type]


def refund(id: str, amount: int = 500) -> dict[str, Any]:
    return {"id": id, "charge": "ch_3Abcdefgh1", "amount": amount, "status": "succeeded", "metadata": {}}


def test_objects_are_rows_of_what_anybody_would_notice() -> None:
    subscription = {"id": "sub_1Abcdefgh2", "customer": "cus_Abcdefgh3", "billing_mode": {"type": "classic"}}
    rows = left_behind(side(subscription=[subscription], refund=[refund("re_3Abcdefgh4")]))
    assert rows == [
        ["refund", "<ch-1>", 500, "succeeded", None, {}],
        ["subscription", "<cus-1>", None, None, None, None, None, "classic"],
    ]


def test_a_task_says_what_more_is_noticed() -> None:
    discount = {"id": "di_1Abcdefgh5", "source": {"coupon": "LEARN"}}
    noticed = {**NOTICED, "discount": ("source.coupon",)}
    assert left_behind(side(discount=[discount]), noticed) == [["discount", "LEARN"]]
    assert left_behind(side(), more=lambda state: [["also", state["account"]]]) == [["also", "acct_1"]]


def test_usage_is_told_alike_by_records_and_by_meters() -> None:
    records = Holding(usage_records=[{"used": [[20, 4], [10, 3]]}, {"used": [[10, 1]]}])
    readings = [[10, "cus_1", "4", None], [20, "cus_1", 4, None]]
    meters = Holding(meter_readings=[{"readings": readings}])
    assert usage(records.state()) == usage(meters.state()) == [["usage", 10, 4], ["usage", 20, 4]]


def test_the_same_is_left_behind_or_not() -> None:
    one, other = (left_behind(side(refund=[refund(id)])) for id in ("re_3Abcdefgh4", "re_3Zyxwvuts9"))
    leaves_the_same(one, other)
    with pytest.raises(Failed, match="something else is left behind at Stripe"):
        leaves_the_same(one, left_behind(side(refund=[refund("re_3Abcdefgh4", 501)])))
    with pytest.raises(Failed, match="the number of objects at Stripe"):
        leaves_the_same(one, [*other, *other])
    with pytest.raises(Failed, match="no objects at Stripe"):
        leaves_the_same([], one)
