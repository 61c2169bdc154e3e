"""Our own records: which repair, account and hire belongs to what at Stripe."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCHEMA = Path(__file__).with_name("schema.sql")


class Books:
    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._open() as book:
            book.executescript(SCHEMA.read_text("utf-8"))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        book = sqlite3.connect(self._path, timeout=10)
        book.row_factory = sqlite3.Row
        try:
            with book:
                yield book
        finally:
            book.close()

    def _one(self, sql: str, *values: str) -> sqlite3.Row | None:
        with self._open() as book:
            return book.execute(sql, values).fetchone()

    def repair(self, number: str) -> sqlite3.Row | None:
        """A repair by the number on its tag."""
        return self._one("SELECT * FROM repairs WHERE number = ?", number)

    def repair_of_payment(self, payment: str | None) -> str | None:
        """The number of the repair that a payment was for."""
        row = self._one("SELECT number FROM repairs WHERE payment = ?", payment or "")
        return row["number"] if row else None

    def account_name(self, account: str) -> str | None:
        """What we call a customer."""
        row = self._one("SELECT name FROM accounts WHERE account = ?", account)
        return row["name"] if row else None

    def instrument_of_hire(self, hire: str) -> str | None:
        """What is hired out."""
        row = self._one("SELECT instrument FROM hires WHERE hire = ?", hire)
        return row["instrument"] if row else None

    def write_repair(self, number: str, instrument: str, payment: str) -> None:
        with self._open() as book:
            book.execute("REPLACE INTO repairs VALUES (?, ?, ?)", (number, instrument, payment))

    def write_account(self, account: str, name: str) -> None:
        with self._open() as book:
            book.execute("REPLACE INTO accounts VALUES (?, ?)", (account, name))

    def write_hire(self, hire: str, account: str, instrument: str) -> None:
        with self._open() as book:
            book.execute("REPLACE INTO hires VALUES (?, ?, ?)", (hire, account, instrument))

    def counts(self) -> dict[str, int]:
        """How many of each there are."""
        with self._open() as book:
            return {
                table: book.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in ("repairs", "accounts", "hires")
            }
