"""The app's database, read only: SQLite from a copy of its file, PostgreSQL through its own server."""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import Any

from trialbalance.grading.app import App
from trialbalance.grading.errors import Failed, GraderFault
from trialbalance.grading.evidence import Evidence
from trialbalance.grading.files import file_kind, read_file
from trialbalance.tasks import DatabaseTable, Environment

MAX_BYTES = 256 << 20
_SECONDS = 20.0
_MISSING = ("no such table", "no such column", "does not exist")

Row = dict[str, Any]


class Database:
    """What the app has stored. Every call reads it afresh.

    A file that is no database, or a table or column that is not there, is `Failed`; a query that is wrong in
    itself is a fault.
    """

    def __init__(self, environment: Environment, app: App | None, evidence: Evidence) -> None:
        table = environment.task.config.metadata.database
        if table is None:
            raise GraderFault("the task has no [metadata.database], so there is no database to read")
        self._table: DatabaseTable = table
        self._environment = environment
        self._app = app
        self._evidence = evidence

    def rows(self, sql: str, **parameters: Any) -> list[Row]:
        """The rows of a query as dicts; parameters stand in it as `:name`. Say `ORDER BY` when order
        matters.
        """
        if self._table.kind == "sqlite":
            rows = self._sqlite(sql, parameters)
        else:
            rows = self._postgresql(sql, parameters)
        self._evidence.add("database", sql=" ".join(sql.split()), rows=len(rows))
        return rows

    def value(self, sql: str, **parameters: Any) -> Any:
        """The only value of the only row; `Failed` when there is not exactly one row."""
        rows = self.rows(sql, **parameters)
        if len(rows) != 1:
            raise Failed(f"the database has {len(rows)} rows, not one", sql=" ".join(sql.split()))
        return next(iter(rows[0].values()))

    def _sqlite(self, sql: str, parameters: dict[str, Any]) -> list[Row]:
        copy = self._copy()
        connection = sqlite3.connect(copy, isolation_level=None)
        deadline = time.monotonic() + _SECONDS
        connection.set_progress_handler(lambda: int(time.monotonic() > deadline), 10_000)
        connection.row_factory = sqlite3.Row
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            return [dict(row) for row in connection.execute(sql, parameters)]
        except sqlite3.DatabaseError as error:
            text = str(error)
            if isinstance(error, sqlite3.OperationalError) and not text.startswith(
                (*_MISSING, "interrupted", "disk")
            ):
                raise GraderFault(f"the query is wrong: {text}: {sql}") from error
            raise Failed(f"the database cannot be read: {text}") from error
        finally:
            connection.close()

    def _copy(self) -> Path:
        """The file with its write-ahead log, side by side in a place of ours."""
        self._environment.scratch.mkdir(parents=True, exist_ok=True)
        directory = Path(tempfile.mkdtemp(prefix="database-", dir=self._environment.scratch))
        name = self._table.path
        copy = directory / "copy.db"
        copy.write_bytes(read_file(self._environment.workspace, name, MAX_BYTES))
        if file_kind(self._environment.workspace, f"{name}-wal") == "file":
            wal = read_file(self._environment.workspace, f"{name}-wal", MAX_BYTES)
            copy.with_name("copy.db-wal").write_bytes(wal)
        return copy

    def _postgresql(self, sql: str, parameters: dict[str, Any]) -> list[Row]:
        if self._app is None:
            raise GraderFault("a PostgreSQL database needs [metadata.app] and its service")
        self._app.start_services()
        for name in parameters:
            sql = re.sub(rf"(?<!:):{name}\b", f":'{name}'", sql)
        query = f"SELECT coalesce(json_agg(row_to_json(t)), '[]') FROM ({sql.rstrip().rstrip(';')}) t;"
        argv = ["/usr/bin/psql", "-X", "-A", "-t", "-q", "-h", "127.0.0.1", "-p", str(self._port())]
        argv += ["-U", self._table.user or "postgres", "-d", str(self._table.name), "-v", "ON_ERROR_STOP=1"]
        for name, value in parameters.items():
            argv += ["-v", f"{name}={value}"]
        env = {
            "PGOPTIONS": f"-c default_transaction_read_only=on -c statement_timeout={int(_SECONDS * 1000)}",
            "PGCONNECT_TIMEOUT": "10",
            "LC_ALL": "C.UTF-8",
        }
        done = self._environment.sandbox.exec(argv, env=env, stdin=query, timeout=_SECONDS + 15)
        if done.exit_code != 0:
            text = " ".join(done.stderr.split())[:300]
            if "syntax error" in text:
                raise GraderFault(f"the query is wrong: {text}")
            raise Failed(f"the database cannot be read: {text}")
        try:
            rows: list[Row] = json.loads(done.stdout)
        except ValueError:
            raise Failed("the database did not answer with rows", output=done.stdout[:200]) from None
        return rows

    def _port(self) -> int:
        services = self._environment.task.config.metadata.services
        if not services:
            raise GraderFault("a PostgreSQL database needs its server among [[metadata.services]]")
        named = [service for service in services if service.name in ("database", "postgres", "postgresql")]
        return (named or services)[0].port
