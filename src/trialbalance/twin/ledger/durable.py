"""Durable mode: every acknowledged write is in SQLite before its answer leaves.

Rows collect during a request and are written as one SQLite transaction right before the response, with the
idempotency record: a process killed at any moment has either all of a request or none of it, and a client that
retries with its key gets the first answer.
"""

from __future__ import annotations

import heapq
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from trialbalance.twin.ledger.store import Due, Table
from trialbalance.twin.wire.idempotency import Kept

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin

SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS objects (
  account TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
  position INTEGER NOT NULL, deleted INTEGER NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY (account, kind, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS due (
  sequence INTEGER PRIMARY KEY, timeline TEXT NOT NULL, at INTEGER NOT NULL, action TEXT NOT NULL,
  account TEXT NOT NULL, target TEXT NOT NULL, arguments BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS idempotency (
  account TEXT NOT NULL, key TEXT NOT NULL, endpoint TEXT NOT NULL, digest BLOB NOT NULL, status INTEGER NOT NULL,
  body BLOB NOT NULL, request_id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (account, key)) WITHOUT ROWID;
"""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class DurableError(RuntimeError):
    """The database cannot be used: the message says which file and what to do."""


class Durable:
    """Keeps one twin's state in one SQLite file."""

    def __init__(self, twin: Twin, path: Path, connection: sqlite3.Connection) -> None:
        self.twin = twin
        self.path = path
        self.connection = connection
        self._changed: list[tuple[str, str, Any, Any]] = []
        self._kept: set[tuple[str, str]] = set()

    @classmethod
    def attach(cls, twin: Twin, path: Path) -> Durable:
        """Load `path` into the twin, or start it with the twin's state, and keep it from now on.

        Raises:
            DurableError: the file is no database of ours, belongs to another seed, or is locked.
        """
        try:
            connection = sqlite3.connect(path, isolation_level=None, timeout=2)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            connection.executescript(SCHEMA)
            durable = cls(twin, path, connection)
            meta = dict(connection.execute("SELECT name, value FROM meta"))
            if meta:
                durable._load(meta)
            else:
                durable._start()
        except sqlite3.Error as problem:
            raise DurableError(
                f"{path}: cannot be used as the twin's database ({problem}); name another file with --db"
            ) from None
        twin.store.due_changes = []
        twin.on_commit.append(durable._changed.extend)
        twin.flush = durable.flush
        return durable

    def _start(self) -> None:
        twin = self.twin
        with self._transaction():
            for (account, kind), table in twin.store.tables.items():
                for identifier in table.order:
                    self._put(account, kind, identifier)
            for timeline, queue in twin.store.due.items():
                for item in queue:
                    self._put_due(timeline, item)
            for account, key in twin.idempotency.kept:
                self._put_kept(account, key)
            self._put_meta()

    def _load(self, meta: dict[str, str]) -> None:
        twin = self.twin
        if meta.get("schema_version") != str(SCHEMA_VERSION):
            raise DurableError(
                f"{self.path}: was written by another version of the twin "
                f"(schema {meta.get('schema_version')}); name another file with --db"
            )
        if meta["account"] != twin.account:
            raise DurableError(
                f"{self.path}: belongs to a twin with seed {meta['seed']}; start it with --seed {meta['seed']}"
            )
        twin.store.tables = {}
        rows = self.connection.execute(
            "SELECT account, kind, id, position, deleted, body FROM objects ORDER BY account, kind, position"
        )
        for account, kind, identifier, _, deleted, body in rows:
            table = twin.store.table(account, kind)
            obj = _decode(body)
            table.position[identifier] = len(table.order)
            table.order.append(identifier)
            if deleted:
                table.deleted[identifier] = obj
            else:
                table.objects[identifier] = obj
                table.index(identifier, None, obj)
        twin.store.due = {}
        for row in self.connection.execute(
            "SELECT timeline, at, sequence, action, account, target, arguments FROM due"
        ):
            queue = twin.store.due.setdefault(row[0], [])
            heapq.heappush(queue, Due(row[1], row[2], row[3], row[4], row[5], _decode(row[6])))
        for row in self.connection.execute(
            "SELECT account, key, endpoint, digest, status, body, request_id, at FROM idempotency"
        ):
            twin.idempotency.kept[(row[0], row[1])] = Kept(row[2], row[3], row[4], row[5], row[6], row[7])
        self._kept = set(twin.idempotency.kept)
        twin.store.sequence = int(meta["sequence"])
        twin.ids.counter = int(meta["counter"])
        if int(meta["now"]) > twin.now():
            twin.clock.move(int(meta["now"]))

    def flush(self) -> None:
        """Write everything since the last flush, durably, as one transaction."""
        changes = self.twin.store.due_changes or []
        new_keys = self._fresh_keys()
        if not self._changed and not changes and not new_keys:
            return
        with self._transaction():
            for account, kind, before, after in self._changed:
                obj = after or before
                if obj is not None:
                    self._put(account, kind, obj["id"])
            for timeline, item, added in changes:
                if added:
                    self._put_due(timeline, item)
                else:
                    self.connection.execute("DELETE FROM due WHERE sequence = ?", (item.sequence,))
            for account, key in new_keys:
                self._put_kept(account, key)
            self._put_meta()
        self._changed.clear()
        changes.clear()

    def _fresh_keys(self) -> list[tuple[str, str]]:
        kept = self.twin.idempotency.kept
        fresh = []
        for key in reversed(kept):
            if key in self._kept:
                break
            fresh.append(key)
        self._kept.update(fresh)
        return fresh

    def _transaction(self) -> _Transaction:
        return _Transaction(self.connection)

    def _put(self, account: str, kind: str, identifier: str) -> None:
        table: Table = self.twin.store.table(account, kind)
        obj = table.objects.get(identifier)
        gone = table.deleted.get(identifier)
        body = obj if obj is not None else gone
        if body is None:
            return
        self.connection.execute(
            "INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account, kind, id) DO UPDATE SET "
            "position = excluded.position, deleted = excluded.deleted, body = excluded.body",
            (account, kind, identifier, table.position.get(identifier, -1), obj is None, _encode(body)),
        )

    def _put_due(self, timeline: str, item: Due) -> None:
        self.connection.execute(
            "INSERT OR REPLACE INTO due VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                item.sequence,
                timeline,
                item.at,
                item.action,
                item.account,
                item.target,
                _encode(item.arguments),
            ),
        )

    def _put_kept(self, account: str, key: str) -> None:
        kept = self.twin.idempotency.kept[(account, key)]
        self.connection.execute(
            "INSERT OR REPLACE INTO idempotency VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (account, key, *kept)
        )

    def _put_meta(self) -> None:
        twin = self.twin
        rows = {
            "schema_version": SCHEMA_VERSION,
            "account": twin.account,
            "seed": twin.config.seed,
            "counter": twin.ids.counter,
            "sequence": twin.store.sequence,
            "now": twin.now(),
        }
        self.connection.executemany(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)", [(name, str(value)) for name, value in rows.items()]
        )

    def close(self) -> None:
        """Close the file."""
        self.flush()
        self.connection.close()


class _Transaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __enter__(self) -> None:
        self.connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        self.connection.execute("COMMIT" if kind is None else "ROLLBACK")
