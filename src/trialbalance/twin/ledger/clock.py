"""The twin's one clock: integer Unix seconds, frozen or running."""

from __future__ import annotations

import time


class Clock:
    """Frozen at a second, or running from one. Nothing else in the twin reads the time.

    A running clock is the host's monotonic time plus an offset, so that it can be moved forward and
    never jumps when the host's wall clock is set.
    """

    def __init__(self, start: int | None = None, *, frozen: bool = False) -> None:
        self.frozen = frozen
        self._base = int(time.time()) if start is None else start
        self._origin = time.monotonic()

    def now(self) -> int:
        """The current second."""
        if self.frozen:
            return self._base
        return self._base + int(time.monotonic() - self._origin)

    def move(self, to: int) -> None:
        """Set the clock to `to`; a running clock goes on from there."""
        self._base = to
        self._origin = time.monotonic()

    def freeze(self) -> None:
        """Stop at the current second."""
        self._base, self.frozen = self.now(), True
