"""A check's evidence as lines of a page: what drivers did and saw, one line each, the long parts to open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_SHORT = 90
_LINE = 180
_MAIN = {
    "http": ("request",),
    "command": ("command",),
    "app": ("event", "command"),
    "event": ("type",),
    "database": ("sql",),
    "objects": ("of",),
    "trial objects": ("of",),
}
"""Fields that need no name in a line of their kind."""


class EvidenceLine(NamedTuple):
    """One line: `title` says what was done, `status` what it came to, `detail` are named texts that open under it."""

    kind: str
    title: str
    status: str
    tone: str
    detail: tuple[tuple[str, str], ...]


def lines(entries: Iterable[object]) -> list[EvidenceLine]:
    """Every entry: what failed first, a new scenario announced, inputs drawn in a row as one line."""
    plain = [entry if isinstance(entry, dict) else {"kind": "note", "value": entry} for entry in entries]
    failed = [entry for entry in plain if entry.get("kind") == "failed"]
    found = [_line(entry) for entry in failed]
    scenario = None
    drawn: list[Mapping[str, Any]] = []
    for entry in (entry for entry in plain if entry.get("kind") != "failed"):
        if entry.get("kind") != "draw" and drawn:
            found.append(_drawn(drawn))
            drawn = []
        if entry.get("scenario") not in (None, scenario):
            scenario = entry["scenario"]
            found.append(EvidenceLine("scenario", str(scenario).replace("_", " "), "", "plain", ()))
        if entry.get("kind") == "draw":
            drawn.append(entry)
        else:
            found.append(_line(entry))
    return [*found, _drawn(drawn)] if drawn else found


def _line(entry: Mapping[str, Any]) -> EvidenceLine:
    kind = str(entry.get("kind") or "evidence")
    main = _MAIN.get(kind, ())
    title = [str(entry[name]) for name in main if entry.get(name) is not None]
    detail = []
    for name, value in entry.items():
        if name in {"kind", "scenario", "status", "exit_code", *main} or value in (None, "", [], {}):
            continue
        text = _text(value)
        if len(text) > _SHORT or "\n" in text or kind == "failed":
            detail.append((name, text))
        else:
            title.append(f"{name} {text}")
    status, tone = _status(entry)
    said = " · ".join(title)
    if len(said) > _LINE:
        detail.insert(0, ("whole", said))
        said = f"{said[:_LINE]}…"
    return EvidenceLine(kind, said, status, tone, tuple(detail))


def _status(entry: Mapping[str, Any]) -> tuple[str, str]:
    if isinstance(entry.get("status"), int):
        return str(entry["status"]), "ok" if entry["status"] < 400 else "bad"
    if isinstance(entry.get("exit_code"), int):
        return f"exit {entry['exit_code']}", "ok" if entry["exit_code"] == 0 else "bad"
    return "", "plain"


def _drawn(entries: list[Mapping[str, Any]]) -> EvidenceLine:
    text = "\n".join(
        f"{entry.get('what', 'value')}: {_text(entry.get('value'), flat=True)}" for entry in entries
    )
    number = len(entries)
    if number == 1 and len(text) <= _SHORT:
        return EvidenceLine("draw", text, "", "plain", ())
    title = "1 random input" if number == 1 else f"{number} random inputs"
    return EvidenceLine("draw", title, "", "plain", (("drawn", text),))


def _text(value: object, *, flat: bool = False) -> str:
    if isinstance(value, str):
        return value
    short = json.dumps(value, ensure_ascii=False, default=str)
    if flat or len(short) <= _SHORT:
        return short
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)
