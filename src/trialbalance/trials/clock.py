"""The harness's clock: when a trial ran and how long it took.

Nothing that is scored depends on it; the twin has a clock of its own. It is the only place of this package
that reads the machine's time, so that tests can hand in another.
"""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Where a job gets the time from."""

    def now(self) -> int:
        """Unix seconds."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start, for durations."""


class WallClock:
    """The machine's clock."""

    def now(self) -> int:
        """Unix seconds."""
        return int(time.time())

    def monotonic(self) -> float:
        """Seconds from an arbitrary start, for durations."""
        return time.monotonic()


def stamp(now: int) -> str:
    """`20260131-235959`, in UTC: the default name of a job."""
    return time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
