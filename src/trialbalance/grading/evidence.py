"""Evidence: what drivers did and saw, written down by themselves, in a form that is the same each time.

Drivers add entries while a check runs. `settled` then replaces whatever differs between two runs of the same
thing (ports, temporary paths, random ids and tokens, times of this very moment) by names in order of first
appearance: `<cus-1>`, `<uuid-2>`, `<now>`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

MAX_ENTRIES = 200
MAX_TEXT = 2000
MAX_ITEMS = 50
MAX_LEVELS = 8

_UUID = re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b")
_PREFIXED = re.compile(r"\b([a-z]{2,12}(?:_(?:test|live))?)_([A-Za-z0-9]{8,})(?:_secret_[A-Za-z0-9]+)?\b")
_TOKEN = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{10,}(?![A-Za-z0-9_-])")
_LOOPBACK = re.compile(r"(?<=127\.0\.0\.1:)\d{2,5}|(?<=localhost:)\d{2,5}")
_MOMENT = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"\b\d{10}(?:\d{3})?\b")


_Attempt = list[tuple["Evidence", dict[str, Any]]]
_attempt: ContextVar[_Attempt | None] = ContextVar("attempt", default=None)


class Evidence:
    """Entries of one check or scenario, in order."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.used = False
        self._left_out = 0

    def add(self, kind: str, **fields: object) -> None:
        """Write down one thing; the same thing twice in a row is written once."""
        self.used = True
        entry = {"kind": kind, **fields}
        attempt = _attempt.get()
        if attempt is not None:
            attempt.append((self, entry))
            return
        self._write(entry)

    def _write(self, entry: dict[str, Any]) -> None:
        if self.entries and self.entries[-1] == entry:
            return
        if len(self.entries) >= MAX_ENTRIES:
            self._left_out += 1
            return
        self.entries.append(entry)

    def extend(self, other: Evidence) -> None:
        """Take over what a scenario wrote down."""
        self.used = self.used or other.used
        self.entries.extend(other.entries)
        self._left_out += other._left_out

    def all(self) -> list[dict[str, Any]]:
        """Every entry, and how many were left out."""
        if not self._left_out:
            return list(self.entries)
        return [*self.entries, {"kind": "left out", "entries": self._left_out}]


@contextmanager
def one_attempt() -> Iterator[Callable[[], None]]:
    """Hold back what drivers write down while something is tried again and again.

    Calling the yielded function begins another try, and forgets the one before; what the last try wrote is
    kept.
    """
    outer = _attempt.get()
    attempt: list[tuple[Evidence, dict[str, Any]]] = []
    token = _attempt.set(attempt)
    try:
        yield attempt.clear
    finally:
        _attempt.reset(token)
        if outer is not None:
            outer.extend(attempt)
        else:
            for evidence, entry in attempt:
                evidence._write(entry)


class Settler:
    """Replaces what differs between two runs by stable names.

    `paths` are directories that get a name; `keep` are drawn values that must stay readable; `port` is the
    app's own, known port.
    """

    def __init__(
        self,
        *,
        paths: Mapping[Path, str] | None = None,
        keep: Iterable[str] = (),
        port: int | None = None,
        started: float | None = None,
    ) -> None:
        self._paths = sorted((paths or {}).items(), key=lambda item: -len(str(item[0])))
        self._keep = set(keep)
        self._port = str(port) if port else ""
        self._started = time.time() if started is None else started
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def keep(self, drawn: Iterable[str]) -> None:
        """More drawn values that must stay readable."""
        self._keep.update(drawn)

    def settled(self, value: object, level: int = 0) -> Any:
        """Plain JSON data of a value, bounded in size, with stable names."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return "<now>" if self._is_now(value) else value
        if isinstance(value, float):
            return "<now>" if self._is_now(value) else round(value, 6)
        if isinstance(value, bytes):
            return self.text(value.decode("utf-8", "replace"))
        if level >= MAX_LEVELS:
            return "…"
        if isinstance(value, Mapping):
            items = list(value.items())[:MAX_ITEMS]
            return {self.text(str(key)): self.settled(item, level + 1) for key, item in items}
        if isinstance(value, (set, frozenset)):
            return [self.settled(item, level + 1) for item in sorted(value, key=repr)[:MAX_ITEMS]]
        if isinstance(value, (list, tuple)):
            return [self.settled(item, level + 1) for item in value[:MAX_ITEMS]]
        return self.text(str(value))

    def text(self, text: str) -> str:
        """One text with stable names."""
        if len(text) > MAX_TEXT:
            text = text[:MAX_TEXT] + "…"
        for path, name in self._paths:
            text = text.replace(str(path), name)
        text = _LOOPBACK.sub(lambda match: match[0] if match[0] == self._port else "<port>", text)
        text = _MOMENT.sub(self._moment, text)
        text = _NUMBER.sub(lambda match: "<now>" if self._is_now(int(match[0])) else match[0], text)
        text = _UUID.sub(lambda match: self._name("uuid", match[0]), text)
        text = _PREFIXED.sub(self._prefixed, text)
        return _TOKEN.sub(self._token, text)

    def _prefixed(self, match: re.Match[str]) -> str:
        body = match[2]
        if match[0] in self._keep or not (any(c.isdigit() for c in body) and any(c.isalpha() for c in body)):
            return match[0]
        return self._name(match[1], match[0])

    def _token(self, match: re.Match[str]) -> str:
        word = match[0]
        if word in self._keep or any(word in kept for kept in self._keep):
            return word
        if _DAY.match(word):
            return word
        mixed = any(c.isdigit() for c in word) and any(c.isalpha() for c in word)
        hyphened = all(part.isalpha() or part.isdigit() for part in re.split(r"[-_]", word))
        return self._name("token", word) if mixed and not hyphened else word

    def _name(self, kind: str, value: str) -> str:
        name = self._names.get(value)
        if name is None:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            name = self._names[value] = f"<{kind}-{self._counts[kind]}>"
        return name

    def _moment(self, match: re.Match[str]) -> str:
        text = match[0].replace(" ", "T").replace("Z", "+00:00")
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return match[0]
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return "<now>" if self._is_now(moment.timestamp()) else match[0]

    def _is_now(self, number: float) -> bool:
        seconds = number / 1000 if number > 100_000_000_000 else number
        return self._started - 2 <= seconds <= time.time() + 2
