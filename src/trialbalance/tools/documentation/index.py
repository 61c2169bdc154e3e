"""A searchable index of the documentation, kept in the user's cache."""

import hashlib
import os
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from trialbalance.tools.documentation import entry, extract
from trialbalance.tools.documentation.entry import Entry

_SHORT = 320
_CANDIDATES = 3000
_INDEXED = 400
"""Of a type, so much can be searched for: lists of hundreds of values would answer every question."""
_WORD = re.compile(r"[A-Za-z0-9]+")
_PATH = re.compile(r"(?:\b(?:GET|POST|DELETE) )?/v[12]/[\w/{}]*\w}?")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """
    a an and are be by can do does for from how i in is it my of on or stripe the to use what when with
""",
    )
)
_SCHEMA = """
CREATE TABLE entry (id TEXT PRIMARY KEY, kind TEXT, name TEXT, parent TEXT, detail TEXT, text TEXT);
CREATE INDEX entry_parent ON entry (parent);
CREATE VIRTUAL TABLE found USING fts5 (name, parent, text, content='', tokenize='porter unicode61');
"""
_COLUMNS = "e.id, e.kind, e.name, e.parent, e.detail, e.text"
_EXACT = f"""
SELECT {_COLUMNS} FROM entry e WHERE e.id = :query COLLATE NOCASE OR e.name = :query COLLATE NOCASE
ORDER BY e.kind IN ('parameter', 'field'), length(e.id), e.id LIMIT :limit
"""
_AT = f"""
SELECT {_COLUMNS} FROM entry e WHERE e.kind = 'endpoint' AND (e.id = :query OR e.id LIKE '% ' || :query)
ORDER BY e.id LIMIT :limit
"""
"""Endpoints at a path that stands in the question, with its HTTP method or without."""
_FIND = f"""
SELECT {_COLUMNS} FROM found JOIN entry e ON e.rowid = found.rowid WHERE found MATCH :query
ORDER BY bm25(found, 8.0, 4.0, 1.0)
  * CASE e.kind WHEN 'endpoint' THEN 1.6 WHEN 'object' THEN 1.5 WHEN 'method' THEN 1.5 ELSE 1.0 END
  * CASE WHEN e.id LIKE '%/v2/%' OR e.id LIKE 'v2.%' OR e.id LIKE '%terminal%' THEN 0.5 ELSE 1.0 END, e.id
LIMIT :limit
"""
"""Whole pages come before parts of pages, and what web shops use before version 2 and card readers."""


class Found(NamedTuple):
    """One result of a search."""

    id: str
    kind: str
    name: str
    parent: str
    detail: str
    text: str


class Documentation:
    """Stripe's API reference, offline. Build once per SDK version, then opened in a millisecond.

    It may be used from any thread: every question opens the file anew.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def open(cls, cache: Path | None = None) -> "Documentation":
        """The index of the installed SDK, built on first use (some seconds) in the user's cache directory."""
        path = (cache or _cache()) / f"documentation-{version('stripe')}-{_recipe()}.sqlite"
        if not path.is_file():
            build(path, extract.entries(_sdk()))
        return cls(path)

    def search(self, query: str, limit: int = 8) -> list[Found]:
        """The best entries for some words or for a name; the more words an entry holds the earlier it comes."""
        words = [word for word in _WORD.findall(query) if word.lower() not in _COMMON] or _WORD.findall(query)
        if not words:
            return []
        quoted = [f'"{word}"' for word in words]
        results: list[Found] = []
        said: set[tuple[str, str]] = set()
        with closing(self._connect()) as database:
            paths = ((_AT, path) for path in _PATH.findall(query))
            for statement, wanted in ((_EXACT, query.strip()), *paths, (_FIND, " OR ".join(quoted))):
                for row in database.execute(statement, {"query": wanted, "limit": _CANDIDATES}):
                    found = Found(*row)
                    key = (_last(found.name), found.text)
                    if key in said:  # one parameter is described at many endpoints in the same words
                        continue
                    said.add(key)
                    results.append(found._replace(text=_shorten(found.text)))
                    if len(results) == limit:
                        return results
        return results

    def read(self, id: str) -> str | None:
        """One entry with everything directly below it, as text; None where there is no such entry."""
        with closing(self._connect()) as database:
            row = database.execute("SELECT * FROM entry WHERE id = ?", (id.strip(),)).fetchone()
            if row is None:
                return None
            head = Entry(*row)
            below = [
                Entry(*row) for row in database.execute("SELECT * FROM entry WHERE parent = ?", (head.id,))
            ]
            inner = {
                part.id: [
                    row[0] for row in database.execute("SELECT name FROM entry WHERE parent = ?", (part.id,))
                ]
                for part in below
            }
        lines = [f"# {head.id}", *([head.detail] if head.detail else []), "", head.text]
        if below:
            lines += ["", "## " + ("Fields" if head.kind in ("object", "field") else "Parameters")]
        for part in below:
            lines.append(f"- {part.name} ({part.detail})" + (f": {part.text}" if part.text else ""))
            if inner[part.id]:
                names = ", ".join(_last(name) for name in inner[part.id])
                lines.append(f"  contains {names}; read {part.id!r} for them")
        return "\n".join(lines).strip() + "\n"

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)


def build(path: Path, entries: Iterator[Entry]) -> None:
    """Write an index; the file appears whole or not at all, also when two programs build it at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".building-")
    os.close(handle)
    unfinished = Path(name)
    try:
        with closing(sqlite3.connect(unfinished)) as database:
            database.executescript(_SCHEMA)
            rows = [(number, *entry) for number, entry in enumerate(entries, 1)]
            database.executemany(
                "INSERT INTO entry (rowid, id, kind, name, parent, detail, text) VALUES (?,?,?,?,?,?,?)", rows
            )
            database.executemany(
                "INSERT INTO found (rowid, name, parent, text) VALUES (?,?,?,?)",
                [(row[0], row[3], row[4], f"{row[6]} {row[5][:_INDEXED]}") for row in rows],
            )
            database.commit()
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "trialbalance"


def _recipe() -> str:
    """Changes when the way of building does, so that an old index is not used."""
    sources = "".join(Path(module.__file__ or "").read_text() for module in (entry, extract))
    return hashlib.sha256((sources + _SCHEMA).encode()).hexdigest()[:8]


def _sdk() -> Path:
    spec = find_spec("stripe")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the package stripe is not installed; reinstall trialbalance")
    return Path(spec.origin).parent


def _shorten(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHORT else flat[: _SHORT - 1] + "…"


def _last(name: str) -> str:
    return re.split(r"[.\[]", name)[-1].rstrip("]")
