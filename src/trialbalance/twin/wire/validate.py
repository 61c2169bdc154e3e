"""Parameters against the contract: coerce what is right, refuse what is not, in the API's words.

Source: https://docs.stripe.com/error-codes and recorded answers of the test-mode API.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from trialbalance.contract.model import Endpoint, Type
from trialbalance.twin.errors import InvalidRequest

MAX_STRING = 5000
MAX_LONG_STRING = 40_000
METADATA_KEYS = 50
METADATA_KEY = 40
METADATA_VALUE = 500
LONG_FIELDS = frozenset(
    {"description", "return_url", "success_url", "cancel_url", "url", "uncategorized_text"}
)

ENUM_ORDERS = {
    frozenset(order): order
    for order in (
        [
            "active", "past_due", "unpaid", "canceled", "incomplete", "incomplete_expired", "trialing", "paused",
            "all", "ended",
        ],
        ["allow_incomplete", "error_if_incomplete", "pending_if_incomplete", "default_incomplete"],
        ["draft", "open", "void", "paid", "uncollectible"],
        ["include", "exclude"],
    )
}  # fmt: skip
"""Recorded messages name the values of these parameters in an order of their own, not by name."""


class Params(dict[str, Any]):
    """Validated parameters that remember which of them the handler read.

    A parameter that nobody read was silently ignored; the dispatcher refuses the request by its name.
    """

    __slots__ = ("seen",)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.seen: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        self.seen.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """As of a dict; counts as read."""
        self.seen.add(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        if isinstance(key, str) and not isinstance(dict.get(self, key), dict):
            self.seen.add(key)
        return super().__contains__(key)

    def plain(self, key: str) -> Any:
        """The value as plain JSON data, all of it read."""
        self.seen.add(key)
        return plain(super().get(key))

    def ignore(self, *names: str) -> None:
        """Count parameters as read: they change nothing here, and the docstring says why."""
        self.seen.update(names)

    def unread(self) -> str | None:
        """The path of a parameter that was sent and never read, or None."""
        for key, value in dict.items(self):
            if key not in self.seen:
                return key
            items = (value,) if isinstance(value, Params) else value if isinstance(value, list) else ()
            for position, item in enumerate(items):
                if isinstance(item, Params) and (below := item.unread()) is not None:
                    head, bracket, rest = below.partition("[")
                    where = f"{key}[{position}]" if items is value else key
                    return f"{where}[{head}]{bracket}{rest}"
        return None


def plain(value: Any) -> Any:
    """JSON data without the bookkeeping; everything below counts as read."""
    if isinstance(value, Params):
        value.seen.update(dict.keys(value))
        return {key: plain(item) for key, item in dict.items(value)}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def validate(endpoint: Endpoint, raw: dict[str, Any], older: dict[str, Any] | None = None) -> Params:
    """The typed parameters of a request; `older` are types of removed parameters that the caller may still send.

    Raises:
        InvalidRequest: the first thing that is wrong; several unknown parameters are named together.
    """
    tree = {**endpoint.params, "hash": endpoint.params["hash"] | older} if older else endpoint.params
    update = endpoint.method == "POST" and endpoint.path.rstrip("}").count("{") > 0
    try:
        return _hash(tree, raw, "", update)
    except InvalidRequest:
        unknown = list(_unknown(tree, raw, ""))
        if not unknown:
            raise
    plural = "s" if len(unknown) > 1 else ""
    raise InvalidRequest(
        f"Received unknown parameter{plural}: {', '.join(unknown)}",
        param=unknown[0],
        code="parameter_unknown",
    )


def refuse_internal(raw: dict[str, Any]) -> None:
    """Refuse what only version changes may write.

    Raises:
        InvalidRequest: a parameter's name begins with an underscore.
    """
    for name in raw:
        if name.startswith("_"):
            raise InvalidRequest(f"Received unknown parameter: {name}", param=name, code="parameter_unknown")


def _branches(node: Type) -> list[Type]:
    if isinstance(node, dict):
        if "empty" in node:
            return _branches(node["empty"])
        if "union" in node:
            return [leaf for item in node["union"] for leaf in _branches(item)]
    return [node]


def _items(value: Any) -> list[Any] | None:
    """A list, also when it came as a dict with digit keys."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and value and all(k.isdigit() for k in value):
        return [value[k] for k in sorted(value, key=int)]
    return None


def _unknown(node: Type, value: Any, path: str) -> Iterator[str]:
    branches = _branches(node)
    if isinstance(value, (dict, list)):
        array = next((b for b in branches if isinstance(b, dict) and "array" in b), None)
        items = _items(value)
        if array is not None and items is not None:
            for position, item in enumerate(items):
                yield from _unknown(array["array"], item, f"{path}[{position}]")
            return
    if not isinstance(value, dict):
        return
    hashes = [b["hash"] for b in branches if isinstance(b, dict) and "hash" in b]
    if not hashes:
        mapped = next((b for b in branches if isinstance(b, dict) and "map" in b), None)
        if mapped is not None:
            for key, item in value.items():
                yield from _unknown(mapped["map"], item, f"{path}[{key}]")
        return
    for key, item in value.items():
        child = f"{path}[{key}]" if path else key
        known = next((fields[key] for fields in hashes if key in fields), None)
        if known is None:
            yield child
        else:
            yield from _unknown(known, item, child)


def _coerce(node: Type, value: Any, path: str, name: str, update: bool) -> Any:
    if isinstance(node, str):
        return _scalar(node, value, path, name, update)
    if "empty" in node:
        if value == "" or value is None:
            return ""
        return _coerce(node["empty"], value, path, name, update)
    if "union" in node:
        return _union(node["union"], value, path, name, update)
    if "enum" in node:
        return _enum(node, value, path)
    if "array" in node:
        if value == "":
            return [] if update else _refuse_empty(path)
        items = _items(value)
        if items is None:
            raise InvalidRequest("Invalid array", param=path)
        return [_coerce(node["array"], item, f"{path}[{i}]", name, update) for i, item in enumerate(items)]
    if "map" in node:
        if not isinstance(value, dict):
            raise InvalidRequest("Invalid object", param=path)
        if name == "metadata" or path.endswith("metadata"):
            return _metadata(value, path)
        return {k: _coerce(node["map"], v, f"{path}[{k}]", k, update) for k, v in value.items()}
    if "hash" in node:
        return _hash(node, value, path, update)
    raise RuntimeError(f"unknown node in the contract: {node!r}")


def _hash(node: Type, value: Any, path: str, update: bool) -> Params:
    if not isinstance(value, dict):
        raise InvalidRequest("Invalid object", param=path)
    fields = node["hash"]
    for name in node.get("required", ()):
        if name not in value:
            missing = f"{path}[{name}]" if path else name
            raise InvalidRequest(
                f"Missing required param: {missing}.", param=missing, code="parameter_missing"
            )
    required = node.get("required", ())
    result = Params()
    for key, item in value.items():
        child = f"{path}[{key}]" if path else key
        if key not in fields:
            raise InvalidRequest(
                f"Received unknown parameter: {child}", param=child, code="parameter_unknown"
            )
        if item == "" and fields[key] == "str" and key in required:
            _refuse_empty(child)
        dict.__setitem__(result, key, _coerce(fields[key], item, child, key, update))
    return result


def _refuse_empty(path: str) -> Any:
    raise InvalidRequest(
        f"You passed an empty string for '{path}'. We assume empty values are an attempt to unset a parameter; "
        f"however '{path}' cannot be unset. You should remove '{path}' from your request or supply a non-empty value.",
        param=path,
        code="parameter_invalid_empty",
    )


def _scalar(kind: str, value: Any, path: str, name: str, update: bool) -> Any:
    if kind in ("any", "file"):
        return value
    if isinstance(value, (dict, list)):
        listed = {str(i): v for i, v in enumerate(value)} if isinstance(value, list) else value
        word = {"int": "integer", "bool": "boolean", "float": "decimal", "decimal": "decimal"}.get(
            kind, "string"
        )
        raise InvalidRequest(f"Invalid {word}: {json.dumps(listed, separators=(',', ':'))}", param=path)
    if kind == "str":
        text = value if isinstance(value, str) else str(value)
        limit = MAX_LONG_STRING if name in LONG_FIELDS else MAX_STRING
        if len(text) > limit:
            raise InvalidRequest(
                f"Invalid string: {text[:5]}...{text[-5:]}; must be at most {limit} characters", param=path
            )
        return text
    if value == "" or value is None:
        return _refuse_empty(path)
    if kind in ("int", "timestamp"):
        if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
            value = json.dumps(value)
        if isinstance(value, int):
            return value
        text = str(value).strip()
        digits = text[1:] if text[:1] in ("-", "+") else text
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
            raise InvalidRequest(f"Invalid integer: {value}", param=path, code="parameter_invalid_integer")
        return int(text)
    if kind == "bool":
        if value in (True, "true", "True"):
            return True
        if value in (False, "false", "False"):
            return False
        raise InvalidRequest(f"Invalid boolean: {value}", param=path)
    try:
        number = Decimal(str(value))
        if not number.is_finite():
            raise InvalidOperation
    except InvalidOperation:
        raise InvalidRequest(
            f"Invalid decimal: {value}", param=path, code="parameter_invalid_decimal"
        ) from None
    return float(number) if kind == "float" else str(value)


def _enum(node: Type, value: Any, path: str) -> Any:
    if value in node["enum"]:
        return value
    if isinstance(value, (dict, list)):
        return _scalar("str", value, path, "", False)
    if value == "":
        return _refuse_empty(path)
    allowed = [str(item) for item in node["enum"] if item != ""]
    allowed = ENUM_ORDERS.get(frozenset(allowed), allowed)
    if len(allowed) > 2:
        words = ", ".join(allowed[:-1]) + f", or {allowed[-1]}"
    else:
        words = " or ".join(allowed)
    raise InvalidRequest(f"Invalid {path}: must be one of {words}", param=path)


def _union(branches: list[Type], value: Any, path: str, name: str, update: bool) -> Any:
    error: InvalidRequest | None = None
    leaves = [
        leaf for branch in branches for leaf in ([branch] if not _is_union(branch) else branch["union"])
    ]
    if isinstance(value, dict):
        hashes = [b for b in leaves if isinstance(b, dict) and "hash" in b]
        leaves = sorted(
            leaves, key=lambda b: not (isinstance(b, dict) and ("hash" in b or "map" in b or "array" in b))
        )
        if len(hashes) > 1:
            best = max(hashes, key=lambda b: len(set(b["hash"]) & set(value)))
            return _coerce(best, value, path, name, update)
    else:
        leaves = sorted(leaves, key=lambda b: b == "str")
    for branch in leaves:
        if isinstance(branch, dict) and "hash" in branch and not isinstance(value, dict):
            continue
        try:
            return _coerce(branch, value, path, name, update)
        except InvalidRequest as problem:
            error = error or problem
    raise error or InvalidRequest("Invalid object", param=path)


def _is_union(node: Type) -> bool:
    return isinstance(node, dict) and "union" in node


def _metadata(value: dict[str, Any], path: str) -> dict[str, str]:
    """Keys and values of metadata: at most 50 keys of 40 characters, values of 500.

    Source: https://docs.stripe.com/api/metadata
    """
    result: dict[str, str] = {}
    if len(value) > METADATA_KEYS:
        raise InvalidRequest(
            f"Metadata can have at most {METADATA_KEYS} keys; you passed {len(value)}.", param=path
        )
    for key, item in value.items():
        where = f"{path}[{key}]"
        if isinstance(item, (dict, list)):
            raise InvalidRequest(
                "Metadata values must be strings, but for key "
                f"'{key}' you passed in a value of type {'hash' if isinstance(item, dict) else 'array'}.",
                param=path,
            )
        if len(key) > METADATA_KEY:
            raise InvalidRequest(
                f"Metadata keys can be up to {METADATA_KEY} characters long. You passed in a key "
                f"{len(key)} characters long. Key: {key}",
                param=path,
            )
        text = item if isinstance(item, str) else json.dumps(item)
        if len(text) > METADATA_VALUE:
            raise InvalidRequest(
                f"Metadata values can have up to {METADATA_VALUE} characters, but you passed in a value that is "
                f"{len(text)} characters. Invalid value: {text}",
                param=where,
            )
        result[key] = text
    return result
