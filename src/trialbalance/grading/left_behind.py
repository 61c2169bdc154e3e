"""What an app and its original leave behind at Stripe, as far as anybody would notice, made comparable.

Of graders that ask both the same; see `side_by_side`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from trialbalance.grading.errors import Failed
from trialbalance.grading.expect import every, same
from trialbalance.grading.side_by_side import Side
from trialbalance.grading.state import objects_of

State = dict[str, Any]
Rows = Sequence[Any]

NOTICED: Mapping[str, tuple[str, ...]] = {
    "customer": ("name", "balance"),
    "payment_intent": ("amount", "amount_received", "status", "metadata"),
    "charge": ("amount", "amount_refunded", "paid"),
    "refund": ("charge", "amount", "status", "reason", "metadata"),
    "invoice": ("customer", "status", "total", "amount_paid", "amount_remaining"),
    "subscription": (
        "customer",
        "status",
        "cancel_at",
        "cancel_at_period_end",
        "ended_at",
        "metadata",
        "billing_mode.type",
    ),
    "subscription_item": ("price.id", "quantity"),
}
"""Kinds of objects and what of them is compared; a dot leads deeper."""


def usage(state: State) -> list[list[Any]]:
    """What was used at which moment, whether usage records or meter events say so: `["usage", 1775901600, 3]`."""
    used: Counter[int] = Counter()
    for records in objects_of(state, "usage_records"):
        used.update(dict(records["used"]))
    for bucket in objects_of(state, "meter_readings"):
        for at, _, count, _ in bucket["readings"]:
            used[at] += int(count)
    return [["usage", at, count] for at, count in sorted(used.items())]


def left_behind(
    side: Side,
    noticed: Mapping[str, Iterable[str]] = NOTICED,
    more: Callable[[State], Iterable[list[Any]]] = lambda state: (),
) -> list[Any]:
    """What there is at Stripe, in the order in which it was made: `["refund", "ch_…", 1000, …]`; then what `more` finds.

    Ids are named as in the answers of that side, so that the rows of both sides can be compared.
    """
    state = side.twin.state()
    rows: list[Any] = []
    for kind, fields in noticed.items():
        for item in objects_of(state, kind):
            rows.append([kind, *[_value(item, name) for name in fields]])
    rows += more(state)
    return [json.loads(json.dumps(side.aliases.settle(row))) for row in rows]


def leaves_the_same(before: Rows, after: Rows) -> None:
    """`Failed` at the first row that differs, or when one side has more of them."""
    for old, new in zip(every(before, "objects at Stripe"), after, strict=False):
        if old != new:
            raise Failed("something else is left behind at Stripe", before=old, now=new)
    same(len(after), len(before), "the number of objects at Stripe")


def _value(item: Any, name: str) -> Any:
    for part in name.split("."):
        item = item.get(part) if isinstance(item, dict) else None
    return item


__all__ = ["NOTICED", "leaves_the_same", "left_behind", "usage"]
