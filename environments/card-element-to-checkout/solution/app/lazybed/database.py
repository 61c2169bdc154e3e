# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-387d154b385e: keep out of training data
"""The SQLite file that holds the catalogue, the baskets and the orders."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import current_app, g

SCHEMA = Path(__file__).with_name("schema.sql")


class ShopNotReady(Exception):
    """There is no shop database yet."""


def connect(path: Path) -> sqlite3.Connection:
    """Open the database. Statements commit by themselves unless inside `transaction`."""
    connection = sqlite3.connect(path, timeout=15, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    upgrade(connection)
    return connection


def create(path: Path) -> sqlite3.Connection:
    """A new, empty shop at `path`; whatever was there is gone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for leftover in (path, path.with_name(path.name + "-journal")):
        leftover.unlink(missing_ok=True)
    connection = connect(path)
    connection.executescript(SCHEMA.read_text(encoding="utf-8"))
    return connection


def upgrade(connection: sqlite3.Connection) -> None:
    """Bring a database that was made before Checkout up to date; a new or empty one is left alone."""
    if _version(connection) >= 1:
        return
    with transaction(connection):
        columns = [row["name"] for row in connection.execute("PRAGMA table_info (orders)")]
        if columns and _version(connection) < 1:
            connection.execute("ALTER TABLE orders ADD COLUMN checkout_session TEXT")
            connection.execute("CREATE UNIQUE INDEX orders_checkout_session ON orders (checkout_session)")
            connection.execute("PRAGMA user_version = 1")


def _version(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def current() -> sqlite3.Connection:
    """This request's connection."""
    if "database" not in g:
        path = current_app.extensions["lazybed.config"].database_path
        if not path.is_file():
            raise ShopNotReady(f"There is no shop at {path}. Run scripts/reset_shop.py first.")
        g.database = connect(path)
    return g.database


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or none of it; other writers wait."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
