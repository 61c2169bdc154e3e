"""The twin's journal as a grader reads it: requests by endpoint, and the writes among them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from trialbalance.grading.errors import Failed, GraderFault

Entry = dict[str, Any]
_ALLOWED = re.compile(r"^(?:(\d+|\*) )?(GET|POST|DELETE) (/\S+)$")
_PLACEHOLDER = re.compile(r"\{[^}]*\}")


class Write(NamedTuple):
    """A write and how many of it are allowed; None is any number."""

    endpoint: str
    limit: int | None


class Journal:
    """Entries of a twin's journal, oldest first, without what it was seeded with."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = [entry for entry in entries if entry.get("source") != "seed"]

    def requests(self, method: str | None = None, path: str | None = None) -> list[Entry]:
        """Requests by method and path. `path` is exact, or holds placeholders: `/v1/customers/{id}`."""
        pattern = None if path is None else _pattern(path)
        return [
            entry
            for entry in self.entries
            if entry.get("kind") == "request"
            and (method is None or entry["method"] == method)
            and (pattern is None or pattern.fullmatch(entry["path"]))
        ]

    def written(self) -> list[Entry]:
        """Requests that changed something: POST or DELETE, answered with success, and no idempotent replay."""
        return [
            entry
            for entry in self.requests()
            if entry["method"] in ("POST", "DELETE") and entry["status"] < 300 and not entry.get("replayed")
        ]

    def writes(self) -> list[str]:
        """The same as `POST /v1/customers/{id}`."""
        return [endpoint_of(entry) for entry in self.written()]

    def broken(self) -> list[Entry]:
        """Answers in which the twin itself failed, or said that it has not built what it was asked."""
        return [
            entry
            for entry in self.requests()
            if entry["status"] >= 500 and not entry.get("fault") and not entry.get("injected")
        ]


def endpoint_of(entry: Entry) -> str:
    """A request's endpoint with `{id}` for each id of its path."""
    known = entry.get("endpoint")
    return _PLACEHOLDER.sub("{id}", known) if known else f"{entry['method']} {entry['path']}"


def unexpected(writes: Sequence[str], allowed: Sequence[str]) -> list[str]:
    """The writes beyond what is allowed, in order.

    An allowance is `"POST /v1/refunds"` (one), `"2 POST /v1/refunds"` (two) or `"* POST /v1/customers"` (any
    number).
    """
    budget: Counter[str] = Counter()
    free: set[str] = set()
    for text in allowed:
        endpoint, count = parse_write(text)
        if count is None:
            free.add(endpoint)
        else:
            budget[endpoint] += count
    extra = []
    for write in writes:
        if write in free:
            continue
        budget[write] -= 1
        if budget[write] < 0:
            extra.append(write)
    return extra


def parse_write(text: str) -> Write:
    """An allowance of a write; `GraderFault` when it is not written as it should be."""
    match = _ALLOWED.match(text)
    if match is None:
        raise GraderFault(f"{text!r} is no write; say for example '2 POST /v1/customers/{{id}}'")
    count = None if match[1] == "*" else int(match[1] or 1)
    return Write(f"{match[2]} {_PLACEHOLDER.sub('{id}', match[3])}", count)


def refuse_unexpected(writes: Sequence[str], allowed: Sequence[str]) -> None:
    """`Failed` naming every write beyond what is allowed."""
    extra = unexpected(writes, allowed)
    if extra:
        raise Failed(f"unexpected writes: {', '.join(extra)}", unexpected=extra, allowed=list(allowed))


def _pattern(path: str) -> re.Pattern[str]:
    parts = re.split(r"(\{[^}]*\})", path)
    return re.compile("".join("[^/]+" if part.startswith("{") else re.escape(part) for part in parts))
