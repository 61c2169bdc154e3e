"""The twin's journal as rows of a page: one line each, the bodies to open."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_BODY_LIMIT = 12_000
_LONG_ID = re.compile(r"\b[a-z]+_[A-Za-z0-9_]{26,}")


class JournalRow(NamedTuple):
    """One entry; `tone` is `ok`, `bad` or `plain`, `detail` the named texts that open under it."""

    seq: int
    kind: str
    title: str
    note: str
    status: str
    tone: str
    detail: tuple[tuple[str, str], ...]


def rows(entries: Iterable[Mapping[str, Any]]) -> list[JournalRow]:
    """Every entry, in order; an account is named only where it is not the first one."""
    found = list(entries)
    home = next((entry["account"] for entry in found if entry.get("account")), None)
    return [_row({**entry, "account": None} if entry.get("account") == home else entry) for entry in found]


def shortened(path: str) -> str:
    """A path with its long ids cut in the middle."""
    return _LONG_ID.sub(lambda match: f"{match[0][:14]}…{match[0][-4:]}", path)


def _row(entry: Mapping[str, Any]) -> JournalRow:
    kind = str(entry.get("kind", "?"))
    seq = entry.get("seq")
    number = seq if isinstance(seq, int) else 0
    if kind == "request":
        return _request(number, entry)
    known = {"seq", "at", "kind", "schema_version"}
    rest = {key: value for key, value in entry.items() if key not in known}
    title = " ".join(str(rest[key]) for key in ("page", "event", "type", "action", "url") if rest.get(key))
    status = str(rest.get("status") or "")
    return JournalRow(
        number,
        kind,
        title or kind,
        shortened(str(rest.get("session") or "")),
        status,
        _tone(status),
        _bodies({"entry": rest}),
    )


def _request(seq: int, entry: Mapping[str, Any]) -> JournalRow:
    status = str(entry.get("status") or "")
    notes = [str(entry[key]) for key in ("source", "account", "version") if entry.get(key)]
    error = _error(entry.get("response"))
    return JournalRow(
        seq,
        "request",
        f"{entry.get('method', '?')} {shortened(str(entry.get('path', '?')))}",
        error or " · ".join(notes),
        status,
        _tone(status),
        _bodies(
            {
                "parameters": entry.get("params"),
                "response": entry.get("response"),
                "request id": entry.get("request_id"),
                "idempotency key": entry.get("idempotency_key"),
                "client": entry.get("user_agent"),
                "key": entry.get("api_key"),
            }
        ),
    )


def _error(response: object) -> str:
    error = response.get("error") if isinstance(response, dict) else None
    return str(error.get("message") or error.get("code") or "") if isinstance(error, dict) else ""


def _tone(status: str) -> str:
    if not status[:1].isdigit():
        return "plain"
    return "ok" if status < "400" else "bad"


def _bodies(parts: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    found = []
    for name, value in parts.items():
        if value in (None, "", {}, []):
            continue
        text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
        if len(text) > _BODY_LIMIT:
            text = text[:_BODY_LIMIT] + f"\n… {len(text) - _BODY_LIMIT} characters more in twin/journal.jsonl"
        found.append((name, text))
    return tuple(found)
