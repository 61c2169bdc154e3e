"""What rules of the control plane share: whom to spare, how often to strike, and draws that a seed decides.

Source of the chances is the twin's seed, so that a run can be repeated.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from trialbalance.twin.errors import JsonObject

FIELDS = frozenset({"count", "delay", "probability", "skip"})


class Chance:
    """Numbers of 0..1, one after the other, that a seed and a purpose decide."""

    def __init__(self, seed: int, purpose: str, size: int) -> None:
        self._seed = seed
        self._purpose = purpose.encode()
        self._size = size
        self._drawn = 0

    def draw(self) -> float:
        """The next one."""
        self._drawn += 1
        text = f"{self._seed}:{self._drawn}".encode()
        digest = blake2b(text, digest_size=self._size, person=self._purpose).digest()
        return float(int.from_bytes(digest, "big") / 2 ** (8 * self._size))


class Rule:
    """How often a rule strikes: after `skip`, `count` times (None: always), with a `probability`; `delay` is its own.

    Args:
        own: the names of the fields that the rule has besides.
        count: what `count` is when the rule does not say.
        delay: what `delay` is when the rule does not say.

    Raises:
        ValueError: an unknown field, or a wrong value.
    """

    def __init__(
        self, document: JsonObject, position: int, *, own: frozenset[str], count: int | None, delay: float
    ) -> None:
        where = f"rules[{position}]"
        known = FIELDS | own
        unknown = set(document) - known
        if unknown:
            raise ValueError(
                f"{where}: unknown {', '.join(sorted(unknown))}; a rule has {', '.join(sorted(known))}"
            )
        self.where = where
        self.count: Any = document.get("count", count)
        if self.count is not None and (not isinstance(self.count, int) or self.count < 1):
            raise ValueError(f"{where}: count must be a whole number from 1, or null for always")
        self.probability = float(document.get("probability", 1.0))
        if not 0 <= self.probability <= 1:
            raise ValueError(f"{where}: probability must lie in 0..1")
        self.skip = int(document.get("skip", 0))
        self.delay = float(document.get("delay", delay))

    def fires(self, chance: Chance) -> bool:
        """Whether the rule strikes what it is for, this time; counts down."""
        if self.skip:
            self.skip -= 1
            return False
        if self.count == 0 or (self.probability < 1 and chance.draw() >= self.probability):
            return False
        if self.count is not None:
            self.count -= 1
        return True
