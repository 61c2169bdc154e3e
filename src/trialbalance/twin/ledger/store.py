"""State: objects per account and kind, with order, indexes, undo, snapshots.

Committed objects are never changed in place: a writer edits a private copy and the copy replaces the
old object. So a snapshot is a copy of a few dictionaries, and a rolled back transaction is an undo list.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from trialbalance.twin.errors import JsonObject

INDEXED = (
    "customer",
    "payment_intent",
    "setup_intent",
    "charge",
    "invoice",
    "subscription",
    "product",
    "price",
    "source",
    "email",
    "invoice_prefix",
    "payment_link",
    "test_clock",
    "account",
    "transfer",
    "promotion_code",
    "lookup_key",
    "fee",
    "value_list",
    "reference",
    "schedule",
    "code",
    "_token",
    "_subscription",
    "_invoice",
    "_settles",
)
"""Top-level fields that every table indexes: lists filtered by them cost the same at any size."""


_INDEXED = frozenset(INDEXED)


class Due(NamedTuple):
    """Something that happens at `at`: an action by name on one object, on one timeline."""

    at: int
    sequence: int
    action: str
    account: str
    target: str
    arguments: dict[str, Any]


def copy_json(value: Any) -> Any:
    """A deep copy of JSON data."""
    return value if type(value) in ATOMS else msgspec.to_builtins(value)


ATOMS = frozenset({str, int, float, bool, type(None)})
"""Types of JSON values that need no copy."""


class Table:
    """All objects of one kind on one account, oldest first."""

    __slots__ = ("deleted", "indexes", "objects", "order", "position", "retired")

    def __init__(self) -> None:
        self.objects: dict[str, JsonObject] = {}
        self.order: list[str] = []
        self.position: dict[str, int] = {}
        self.deleted: dict[str, JsonObject] = {}
        self.indexes: dict[str, dict[Any, dict[str, None]]] = {}
        self.retired = 0

    def copy(self) -> Table:
        """An independent table with the same objects."""
        other = Table()
        other.objects = dict(self.objects)
        other.order = list(self.order)
        other.position = dict(self.position)
        other.deleted = dict(self.deleted)
        other.indexes = {f: {v: dict(ids) for v, ids in index.items()} for f, index in self.indexes.items()}
        other.retired = self.retired
        return other

    def retire(self, before: int) -> None:
        """Forget the oldest objects, those that were created before second `before`. Outside transactions only."""
        while self.retired < len(self.order):
            identifier = self.order[self.retired]
            obj = self.objects.get(identifier)
            if obj is not None and obj["created"] >= before:
                return
            if obj is not None:
                del self.objects[identifier]
                self.index(identifier, obj, None)
            self.deleted.pop(identifier, None)
            self.retired += 1

    def place(self, obj: JsonObject, old: JsonObject | None) -> None:
        """Store `obj` in place of `old`, keeping order and indexes right."""
        self.remember(obj)
        self.index(obj["id"], old, obj)

    def remember(self, obj: JsonObject) -> None:
        """Store `obj`, keeping the order right; the indexes are the caller's."""
        identifier = obj["id"]
        self.objects[identifier] = obj
        if identifier not in self.position:
            self.position[identifier] = len(self.order)
            self.order.append(identifier)

    def index(self, identifier: str, old: JsonObject | None, new: JsonObject | None) -> None:
        """Move `identifier` from the index entries of `old` to those of `new`."""
        before = keys_of(old) if old is not None else {}
        after = keys_of(new) if new is not None else {}
        if before != after:
            self.move(identifier, before, after)

    def move(self, identifier: str, before: dict[str, str], after: dict[str, str]) -> None:
        """Move `identifier` from some index entries to others, both as `keys_of` gives them."""
        for name, key in before.items():
            if after.get(name) != key:
                entry = self.indexes.get(name, {}).get(key)
                if entry is not None:
                    entry.pop(identifier, None)
        for name, key in after.items():
            if before.get(name) != key:
                index = self.indexes.get(name)
                if index is None:
                    index = self.indexes[name] = {}
                entry = index.get(key)
                if entry is None:
                    entry = index[key] = {}
                entry[identifier] = None

    def having(self, name: str, value: Any) -> list[str]:
        """Ids of the objects whose indexed field `name` is `value`, oldest first."""
        found = self.indexes.get(name, {}).get(value, ())
        return sorted(found, key=self.position.__getitem__)


def _key(value: Any) -> Any:
    if type(value) is str:
        return value
    if isinstance(value, dict) and "id" in value:
        return value["id"]
    return None


def keys_of(obj: JsonObject) -> dict[str, str]:
    """Under what an object stands in its table's indexes: indexed field -> its value."""
    found = {}
    for name in _INDEXED & obj.keys():
        value = obj[name]
        if type(value) is str:
            found[name] = value
        elif value is not None and (key := _key(value)) is not None:
            found[name] = key
    return found


class Snapshot(NamedTuple):
    """A frozen state: restore it as often as you like."""

    tables: dict[tuple[str, str], Table]
    due: dict[str, list[Due]]
    counter: int
    sequence: int
    now: int
    extra: dict[str, Any]


class Store:
    """The tables, the due actions and one open transaction."""

    def __init__(self) -> None:
        self.tables: dict[tuple[str, str], Table] = {}
        self.due: dict[str, list[Due]] = {}
        self.sequence = 0
        self.due_changes: list[tuple[str, Due, bool]] | None = None
        self._undo: list[Callable[[], None]] | None = None
        self._before: dict[tuple[str, str, str], JsonObject | None] = {}
        self._placed: dict[tuple[str, str, str], dict[str, str]] = {}

    def table(self, account: str, kind: str) -> Table:
        """The table of a kind on an account, made on first use."""
        table = self.tables.get((account, kind))
        if table is None:
            table = self.tables[(account, kind)] = Table()
        return table

    # Transactions: one at a time, all or nothing.

    def begin(self) -> None:
        """Open a transaction."""
        if self._undo is not None:
            raise RuntimeError("a transaction is already open: the ledger has one writer")
        self._undo = []
        self._before = {}
        self._placed = {}

    def rollback(self) -> None:
        """Undo everything since `begin`."""
        for undo in reversed(self._undo or ()):
            undo()
        self._undo = None
        self._before = {}

    def commit(self) -> list[tuple[str, str, JsonObject | None, JsonObject | None]]:
        """Close the transaction; returns what changed as (account, kind, before, after)."""
        changed = []
        for (account, kind, identifier), before in self._before.items():
            table = self.table(account, kind)
            after = table.objects.get(identifier)
            if after is not None:
                placed = self._placed.get((account, kind, identifier))
                if placed is None and before is not None:
                    placed = keys_of(before)
                if placed is not None and placed != (keys := keys_of(after)):
                    table.move(identifier, placed, keys)
            changed.append((account, kind, before, after))
        self._undo = None
        self._before = {}
        return changed

    @property
    def open(self) -> bool:
        """Whether a transaction is open."""
        return self._undo is not None

    def undo(self, action: Callable[[], None]) -> None:
        """Have `action` run if the open transaction is rolled back."""
        if self._undo is not None:
            self._undo.append(action)

    @contextmanager
    def rehearse(self) -> Iterator[None]:
        """Undo what the block does, inside an open transaction: to see what something would come to.

        Only objects that the transaction had not touched before are put back.
        """
        if self._undo is None:
            raise RuntimeError("no transaction is open")
        mark, before, placed = len(self._undo), dict(self._before), dict(self._placed)
        try:
            yield
        finally:
            for undo in reversed(self._undo[mark:]):
                undo()
            del self._undo[mark:]
            self._before, self._placed = before, placed

    # Objects.

    def find(self, account: str, kind: str, identifier: str) -> JsonObject | None:
        """The object, or None. Never change what this returns."""
        table = self.tables.get((account, kind))
        return table.objects.get(identifier) if table else None

    def insert(self, account: str, kind: str, obj: JsonObject) -> None:
        """Store a new object."""
        table = self.table(account, kind)
        identifier = obj["id"]
        if identifier in table.objects:
            raise RuntimeError(f"{kind} {identifier} exists already")
        key = (account, kind, identifier)
        self._before.setdefault(key, None)
        buried = table.deleted.pop(identifier, None) if table.deleted else None
        table.remember(obj)
        placed = keys_of(obj)
        table.move(identifier, {}, placed)
        self._placed[key] = placed

        def undo() -> None:
            table.objects.pop(identifier, None)
            table.move(identifier, placed, {})
            table.index(identifier, obj, None)
            if table.order and table.order[-1] == identifier:
                table.order.pop()
                table.position.pop(identifier, None)
            if buried is not None:
                table.deleted[identifier] = buried

        self.undo(undo)

    def edit(self, account: str, kind: str, identifier: str) -> JsonObject | None:
        """A private copy of the object that replaces it at commit, or None.

        The second call in one transaction returns the same copy.
        """
        table = self.tables.get((account, kind))
        old = table.objects.get(identifier) if table else None
        if table is None or old is None:
            return None
        key = (account, kind, identifier)
        if key in self._before:
            return old
        copy: JsonObject = copy_json(old)
        self._before[key] = old
        table.objects[identifier] = copy

        def undo() -> None:
            table.objects[identifier] = old
            table.index(identifier, copy, old)

        self.undo(undo)
        return copy

    def before(self, account: str, kind: str, identifier: str) -> JsonObject | None:
        """The object as it was when the transaction began, if the transaction touched it."""
        return self._before.get((account, kind, identifier))

    def touched(self, account: str, kind: str, identifier: str) -> bool:
        """Whether the open transaction has inserted, edited or deleted this object."""
        return (account, kind, identifier) in self._before

    def delete(self, account: str, kind: str, identifier: str) -> JsonObject:
        """Remove an object, keeping its last state among the deleted."""
        table = self.table(account, kind)
        current = table.objects.pop(identifier)
        key = (account, kind, identifier)
        original = self._before.setdefault(key, current)
        table.index(identifier, current, None)
        placed = self._placed.pop(key, None)
        if placed is not None:
            table.move(identifier, placed, {})
        if original is not None and original is not current:
            table.index(identifier, original, None)
        table.deleted[identifier] = current

        def undo() -> None:
            table.deleted.pop(identifier, None)
            table.objects[identifier] = current
            table.index(identifier, None, current)

        self.undo(undo)
        return current

    def reindex(self, account: str, kind: str, obj: JsonObject) -> None:
        """Make a change of an indexed field visible to lists inside the same transaction."""
        key = (account, kind, obj["id"])
        placed = self._placed.get(key)
        if placed is None:
            before = self._before.get(key)
            placed = keys_of(before) if before is not None else {}
        keys = keys_of(obj)
        self.table(account, kind).move(obj["id"], placed, keys)
        self._placed[key] = keys

    def all(self, account: str, kind: str, /, **where: str) -> Iterator[JsonObject]:
        """Objects of a kind, oldest first, optionally with one indexed field at a value."""
        table = self.tables.get((account, kind))
        if table is None:
            return
        if where:
            (name, value), *rest = where.items()
            for identifier in table.having(name, value):
                obj = table.objects.get(identifier)
                if obj is not None and all(_key(obj.get(f)) == v for f, v in rest):
                    yield obj
        else:
            for identifier in list(table.order):
                obj = table.objects.get(identifier)
                if obj is not None:
                    yield obj

    # Due actions, one ordered queue per timeline ("" is the twin's own clock, else a test clock's id).

    def schedule(
        self, timeline: str, at: int, action: str, account: str, target: str, arguments: dict[str, Any]
    ) -> None:
        """Put an action into a timeline's queue."""
        self.sequence += 1
        item = Due(at, self.sequence, action, account, target, arguments)
        queue = self.due.setdefault(timeline, [])
        heapq.heappush(queue, item)
        self._note(timeline, item, True)

        def undo() -> None:
            if item in queue:
                queue.remove(item)
                heapq.heapify(queue)
            self._note(timeline, item, False)

        self.undo(undo)

    def next_due(self, timeline: str, until: int) -> Due | None:
        """Take the earliest action that is due by `until`, or None."""
        queue = self.due.get(timeline)
        if not queue or queue[0].at > until:
            return None
        item = heapq.heappop(queue)
        self._note(timeline, item, False)

        def undo() -> None:
            heapq.heappush(queue, item)
            self._note(timeline, item, True)

        self.undo(undo)
        return item

    def _note(self, timeline: str, item: Due, added: bool) -> None:
        """Remember a change of a queue for whoever keeps the state on disk."""
        if self.due_changes is not None:
            self.due_changes.append((timeline, item, added))

    def snapshot(self, counter: int, now: int, extra: dict[str, Any]) -> Snapshot:
        """The state as it is now."""
        return Snapshot(
            {key: table.copy() for key, table in self.tables.items()},
            {timeline: list(queue) for timeline, queue in self.due.items()},
            counter,
            self.sequence,
            now,
            extra,
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot."""
        self.tables = {key: table.copy() for key, table in snapshot.tables.items()}
        self.due = {timeline: list(queue) for timeline, queue in snapshot.due.items()}
        self.sequence = snapshot.sequence
        self._undo = None
        self._before = {}
