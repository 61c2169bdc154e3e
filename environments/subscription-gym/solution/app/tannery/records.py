# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-9594d9ec50a2: keep out of training data
"""What was answered and told before, in a file that outlives the program."""

import json
import sqlite3
from contextlib import closing, contextmanager

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (request TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS readings (id TEXT PRIMARY KEY);
"""


class Records:
    """Answers by request, and the readings that Stripe's meters have heard of."""

    def __init__(self, directory):
        directory.mkdir(parents=True, exist_ok=True)
        self._path = directory / "desk.db"
        with self._open() as database:
            database.executescript(_SCHEMA)

    def answer(self, request):
        """The answer that a request had, or None."""
        with self._open() as database:
            row = database.execute("SELECT body FROM answers WHERE request = ?", (request,)).fetchone()
        return None if row is None else json.loads(row[0])

    def keep_answer(self, request, answer):
        """Remember the answer to a request."""
        with self._open() as database:
            database.execute("INSERT OR IGNORE INTO answers VALUES (?, ?)", (request, json.dumps(answer)))

    def told(self, reading):
        """Whether a reading has been told."""
        with self._open() as database:
            found = database.execute("SELECT 1 FROM readings WHERE id = ?", (reading,)).fetchone()
        return found is not None

    def keep_told(self, reading):
        """Remember that a reading has been told."""
        with self._open() as database:
            database.execute("INSERT OR IGNORE INTO readings VALUES (?)", (reading,))

    @contextmanager
    def _open(self):
        with closing(sqlite3.connect(self._path, timeout=10)) as database, database:
            yield database
