"""Does an answer keep the contract? Every field known, every type right, every required field there.

`tests.twin.sdk.InProcess` checks every answer in the newest version with it, so each test of the twin is a test of
shapes too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trialbalance.contract import load

CHECKS = {
    "str": lambda v: isinstance(v, str),
    "int": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "timestamp": lambda v: isinstance(v, (int, str)) and not isinstance(v, bool),
    "float": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "bool": lambda v: isinstance(v, bool),
    "decimal": lambda v: isinstance(v, str),
    "any": lambda v: True,
    "file": lambda v: True,
}


def problems(value: Any, path: str = "") -> Iterator[str]:
    """Every way in which an object, a list or a page breaks the contract."""
    if not isinstance(value, dict):
        return
    kind = value.get("object")
    if kind in ("list", "search_result"):
        for position, item in enumerate(value["data"]):
            yield from problems(item, f"{path}data[{position}]")
        return
    if value.get("deleted") is True and set(value) <= {"id", "object", "deleted", "currency"}:
        return
    fields = load().objects.get(str(kind))
    if fields is None:
        return
    yield from _fields(fields, value, f"{path}<{kind}>", load().absent.get(str(kind), frozenset()))


def _fields(
    fields: dict[str, Any], value: dict[str, Any], path: str, absent: frozenset[str]
) -> Iterator[str]:
    for name, item in value.items():
        if name not in fields:
            yield f"{path}.{name}: not in the contract"
        else:
            yield from _type(fields[name], item, f"{path}.{name}")


def _type(node: Any, value: Any, path: str) -> Iterator[str]:
    if isinstance(node, str):
        if not CHECKS[node](value):
            yield f"{path}: {value!r} is no {node}"
        return
    if "null" in node:
        if value is not None:
            yield from _type(node["null"], value, path)
        return
    if value is None:
        yield f"{path}: null, but it may not be"
    elif "enum" in node:
        known = node.get("open") or value in node["enum"]
        yield from () if known else (f"{path}: {value!r} is none of {node['enum']}",)
    elif "array" in node:
        if not isinstance(value, list):
            yield f"{path}: no list"
            return
        for position, item in enumerate(value):
            yield from _type(node["array"], item, f"{path}[{position}]")
    elif "list" in node:
        if not isinstance(value, dict) or value.get("object") != "list":
            yield f"{path}: no list object"
            return
        for position, item in enumerate(value["data"]):
            yield from _type(node["list"], item, f"{path}.data[{position}]")
    elif "map" in node:
        if not isinstance(value, dict):
            yield f"{path}: no hash"
            return
        for name, item in value.items():
            yield from _type(node["map"], item, f"{path}[{name}]")
    elif "object" in node:
        if not isinstance(value, dict):
            yield f"{path}: no hash"
            return
        yield from _fields(node["object"], value, path, frozenset())
    elif "id" in node:
        if isinstance(value, dict):
            yield from problems(value, f"{path} ")
        elif not isinstance(value, str):
            yield f"{path}: neither an id nor an object"
    elif "ref" in node:
        if not isinstance(value, dict):
            yield f"{path}: no {node['ref']} object"
            return
        yield from problems(value, f"{path} ")
    elif "union" in node and all(list(_type(branch, value, path)) for branch in node["union"]):
        yield f"{path}: {str(value)[:60]!r} fits no branch of {str(node)[:80]}"


def missing(value: Any, path: str = "") -> Iterator[str]:
    """Fields that may not be null nor absent and are not there."""
    if not isinstance(value, dict):
        return
    if value.get("object") in ("list", "search_result"):
        for item in value["data"]:
            yield from missing(item, path)
        return
    kind = str(value.get("object"))
    if kind not in load().objects or value.get("deleted") is True or set(value) == {"id", "object"}:
        return
    for name in load().required_fields(kind):
        if name not in value:
            yield f"{path}<{kind}>.{name}: missing"
