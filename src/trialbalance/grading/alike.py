"""Two services asked the same things: what differs between their answers, apart from ids that are new.

For tasks in which callers must notice nothing; see `Original`.
"""

from __future__ import annotations

import re
from typing import Any

_ID = re.compile(r"\b([a-z]{2,7})_[A-Za-z0-9]{8,}\b")


class Aliases:
    """Gives ids that were not there before the same names on both sides, by the order in which they appear.

    One of these for each side. `known` are the ids of what both twins were seeded with: they stay as they are.
    """

    def __init__(self, known: frozenset[str] = frozenset()) -> None:
        self._known = known
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def settle(self, value: Any) -> Any:
        """A copy of an answer with new ids renamed: `<re-1>`."""
        if isinstance(value, dict):
            return {key: self.settle(inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.settle(inner) for inner in value]
        if isinstance(value, str):
            return _ID.sub(self._name, value)
        return value

    def _name(self, match: re.Match[str]) -> str:
        found = match[0]
        if found in self._known or not any(letter.isdigit() or letter.isupper() for letter in found):
            return found
        if found not in self._names:
            kind = match[1]
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._names[found] = f"<{kind}-{self._counts[kind]}>"
        return self._names[found]


def difference(before: Any, after: Any, where: str = "body") -> tuple[str, Any, Any]:
    """The first place where two different values of JSON differ, and what is there on either side."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in [*before, *after]:
            if name not in before or name not in after:
                return f"{where}.{name}", before.get(name, "<missing>"), after.get(name, "<missing>")
            if before[name] != after[name]:
                return difference(before[name], after[name], f"{where}.{name}")
    if isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            return f"{where} has another length", len(before), len(after)
        for position, (old, new) in enumerate(zip(before, after, strict=True)):
            if old != new:
                return difference(old, new, f"{where}[{position}]")
    return where, before, after
