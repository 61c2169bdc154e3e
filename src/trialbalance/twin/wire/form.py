"""Form bodies and query strings with nested brackets, as every official SDK sends them.

`a[b]=1`, `a[0][x]=1` (indexed arrays), `a[]=1` and `a[][x]=1&a[][y]=2` (unindexed arrays) all decode to
nested dicts and lists of strings. Indexed arrays stay dicts with digit keys until the contract says that an
array is meant: only it can tell an array from a hash with numeric keys.
Source: https://docs.stripe.com/api/expanding_objects and https://docs.stripe.com/api/metadata (shapes of requests)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote_plus, unquote_plus

Decoded = dict[str, Any]


class FormError(ValueError):
    """The body is no form: the message says which key."""


def parse_pairs(text: str) -> list[tuple[str, str]]:
    """Split an urlencoded string into decoded pairs; keys without `=` have an empty value."""
    pairs = []
    for part in text.split("&"):
        if part:
            key, _, value = part.partition("=")
            pairs.append((unquote_plus(key), unquote_plus(value)))
    return pairs


def split_key(key: str) -> list[str]:
    """`a[b][0][]` -> ["a", "b", "0", ""]."""
    head, bracket, rest = key.partition("[")
    if not bracket:
        return [key]
    if not rest.endswith("]"):
        raise FormError(f"Invalid parameter name: {key}")
    return [head, *rest[:-1].split("][")]


def decode(pairs: Iterable[tuple[str, Any]]) -> Decoded:
    """Nest the pairs."""
    root: Decoded = {}
    for key, value in pairs:
        if "[" not in key:
            root[key] = value
            continue
        path = split_key(key)
        if len(path) > 12:
            raise FormError(f"Parameter nested too deeply: {key[:60]}")
        _put(root, path, value, key)
    return root


def _put(node: Decoded, path: list[str], value: Any, key: str) -> None:
    for position, name in enumerate(path[:-1]):
        following = path[position + 1]
        if following == "":
            held = node.setdefault(name, [])
            if not isinstance(held, list):
                raise FormError(f"Invalid parameter name: {key}")
            rest = path[position + 2 :]
            if not rest:
                held.append(value)
                return
            if not held or not isinstance(held[-1], dict) or _has(held[-1], rest):
                held.append({})
            _put(held[-1], rest, value, key)
            return
        child = node.setdefault(name, {})
        if not isinstance(child, dict):
            raise FormError(f"Invalid parameter name: {key}")
        node = child
    node[path[-1]] = value


def _has(node: Any, path: list[str]) -> bool:
    for name in path:
        if not isinstance(node, dict) or name not in node:
            return False
        if name != path[-1]:
            node = node[name]
            if isinstance(node, list):
                return False
    return True


def encode(value: Mapping[str, Any], *, indexed: bool = True) -> str:
    """The opposite of decoding, as the Python SDK does it (indexed) or as others do (`[]`)."""
    return "&".join(f"{quote_plus(k)}={quote_plus(v)}" for k, v in _flatten(value, "", indexed))


def _flatten(value: Any, prefix: str, indexed: bool) -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flatten(item, f"{prefix}[{key}]" if prefix else str(key), indexed)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for position, item in enumerate(value):
            yield from _flatten(item, f"{prefix}[{position if indexed else ''}]", indexed)
    elif value is True or value is False:
        yield prefix, "true" if value else "false"
    elif value is None:
        yield prefix, ""
    else:
        yield prefix, str(value)
