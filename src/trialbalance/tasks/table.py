"""Read a TOML file into a table of the profile, with one-line errors that name file, field, value and what to
do.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from trialbalance.tasks.errors import ProfileError

_Struct = TypeVar("_Struct", bound=msgspec.Struct)
_AT = re.compile(r"^(?P<what>.*?)(?: - at `(?P<at>[^`]*)`)?$", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<field>.*)`")
_MISSING = re.compile(r"Object missing required field `(?P<field>.*)`")


def read_table(path: Path, table: type[_Struct], shown: str | None = None) -> _Struct:
    """Decode the TOML file `path` as `table`; `shown` is how errors name the file."""
    name = shown or str(path)
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise ProfileError(f"{name}: no such file; write it as docs/tasks.md shows") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"{name}: cannot be read as UTF-8 text ({error}); write it again") from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{name}: not TOML: {error}; correct that line") from None
    try:
        return msgspec.convert(document, table, strict=True)
    except msgspec.ValidationError as error:
        raise ProfileError(f"{name}: {_explain(str(error), document, table)}") from None


def _explain(message: str, document: dict[str, Any], table: type[msgspec.Struct]) -> str:
    match = _AT.match(message)
    what, at = (match["what"], match["at"] or "$") if match else (message, "$")
    field = at.removeprefix("$").removeprefix(".")
    unknown = _UNKNOWN.fullmatch(what)
    if unknown:
        return _unknown(_join(field, unknown["field"]), unknown["field"], table)
    missing = _MISSING.fullmatch(what)
    if missing:
        return f"{_join(field, missing['field'])}: it is missing; add it as docs/tasks.md shows"
    wanted = what[0].lower() + what[1:].replace("`", "")
    if "[...]" in field:
        parent = field.split("[...]")[0].rstrip(".")
        return f"{field}: {wanted} (in {parent} = {_value(document, parent)}); correct it"
    return f"{field or 'the file'}: {wanted}, but it is {_value(document, field)}; correct it"


def _unknown(field: str, name: str, table: type[msgspec.Struct]) -> str:
    known = sorted(_field_names(table))
    close = difflib.get_close_matches(name, known, n=1)
    advice = f"did you mean {close[0]}?" if close else "remove it; docs/tasks.md lists every key"
    return f"{field}: no such key; {advice}"


def _field_names(table: Any, seen: set[Any] | None = None) -> set[str]:
    seen = set() if seen is None else seen
    names: set[str] = set()
    for field in msgspec.structs.fields(table):
        names.add(field.encode_name)
        for inner in _structs_in(field.type):
            if inner not in seen:
                seen.add(inner)
                names |= _field_names(inner, seen)
    return names


def _structs_in(kind: Any) -> list[Any]:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return [kind]
    found = []
    for argument in getattr(kind, "__args__", ()):
        found += _structs_in(argument)
    origin = getattr(kind, "__origin__", None)
    if isinstance(origin, type) and issubclass(origin, msgspec.Struct):
        found.append(origin)
    return found


def _join(parent: str, field: str) -> str:
    return f"{parent}.{field}" if parent else field


def _value(document: dict[str, Any], field: str) -> str:
    value: Any = document
    for key, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", field):
        try:
            value = value[int(index)] if index else value[key]
        except (KeyError, IndexError, TypeError):
            return "absent"
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "…"
