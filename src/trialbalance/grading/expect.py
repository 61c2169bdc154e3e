"""Small words for checks: every one of some, the same, and eventually."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from contextvars import ContextVar
from typing import TypeVar

from trialbalance.grading.errors import Failed, GraderFault
from trialbalance.grading.evidence import one_attempt

_Item = TypeVar("_Item")
_INTERVAL = 0.05


ended: ContextVar[threading.Event | None] = ContextVar("ended", default=None)
"""Of the grade that runs in this context: set when it has been ended from outside."""


def every(items: Collection[_Item], what: str) -> Collection[_Item]:
    """The items, to be looped over; `Failed` when there are none, so that an empty loop never passes."""
    if not items:
        raise Failed(f"there are no {what}")
    return items


def same(actual: object, expected: object, what: str) -> None:
    """`Failed` with both values unless they are equal; sort, or use sets, where order is free."""
    if actual != expected:
        raise Failed(f"{what} is not what it should be", actual=actual, expected=expected)


def eventually(condition: Callable[[], _Item | None], what: str, seconds: float = 10.0) -> _Item:
    """Call `condition` until it returns something true, and hand that on; `Failed` at the deadline.

    A `Failed` of the condition itself counts as "not yet"; the last one is shown when time is up. Only what
    the last call wrote down stays evidence, so that waiting longer changes nothing.
    """
    deadline = time.monotonic() + seconds
    with one_attempt() as begin:
        while True:
            end = ended.get()
            if end is not None and end.is_set():
                raise GraderFault(f"{what}: the grade has been ended")
            begin()
            last: Failed | None = None
            try:
                found = condition()
            except Failed as failed:
                found, last = None, failed
            if found:
                return found
            if time.monotonic() >= deadline:
                evidence = {} if last is None else {"last": last.message, **last.evidence}
                raise Failed(f"{what}: not so within {seconds:g} seconds", **evidence)
            time.sleep(_INTERVAL)
