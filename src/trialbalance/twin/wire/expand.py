"""`expand[]`: ids become objects, hidden lists appear, illegal paths are refused.

Expansion works on what the caller's API version shows: each fetched object is rendered in that version
before the path goes on into it. Stored objects are never changed; what is on the path is copied.
Source: https://docs.stripe.com/expand
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trialbalance.contract import load
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import INCLUDED

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call

DEPTH = 4


def expand(call: Call, body: JsonObject, paths: list[str]) -> JsonObject:
    """`body` with every path expanded.

    Raises:
        InvalidRequest: a path that is too deep or cannot be expanded.
    """
    for path in paths:
        parts = path.split(".")
        if len([p for p in parts if p != "data" or len(parts) == 1]) > DEPTH:
            raise InvalidRequest("You cannot expand more than 4 levels of a property.", param="expand")
    for path in paths:
        body = _follow(call, body, path.split("."), path, None)
    return body


def _follow(call: Call, node: Any, parts: list[str], path: str, kind: str | None) -> Any:
    if not parts:
        return node
    name, rest = parts[0], parts[1:]
    if isinstance(node, list):
        return [_follow(call, item, parts, path, kind) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("object") in ("list", "search_result"):
        if name == "total_count" and not rest:
            return node
        if name != "data":
            raise _cannot(path, hint=f"data.{path}" if path.split(".") == parts else None)
        if not rest:
            return node
        return {**node, "data": [_follow(call, item, rest, path, None) for item in node["data"]]}
    own = node.get("object") if isinstance(node.get("object"), str) else kind
    if node.get("deleted"):
        return node
    value = node.get(name)
    make = INCLUDED.get((str(own), name))
    if make is not None and name not in node:
        made = call.twin.render(call, make(call, node))
        return {**node, name: _follow(call, made, rest, path, None)}
    if rest and isinstance(value, dict) and rest[0] not in value:
        nested = INCLUDED.get((str(own), f"{name}.{rest[0]}"))
        if nested is not None:
            made = call.twin.render(call, nested(call, node))
            value = {**value, rest[0]: made}
    if isinstance(value, str):
        targets = call.twin.versions.expandable(call.version, str(own), name) if own else None
        targets = targets or _targets(own, name, path.split("."))
        fetched = call.twin.resolve(call, value, targets)
        if fetched is None:
            if targets:
                return node
            raise _cannot(path)
        if targets is not None and fetched.get("object") not in targets and not fetched.get("deleted"):
            raise _cannot(path)
        rendered = call.twin.render(call, fetched)
        return {**node, name: _follow(call, rendered, rest, path, None)}
    if isinstance(value, (dict, list)):
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            objects = [call.twin.resolve(call, v, None) for v in value]
            if value and all(o is not None for o in objects):
                shown = [call.twin.render(call, o) for o in objects if o is not None]
                return {**node, name: [_follow(call, o, rest, path, None) for o in shown]}
        if (
            not rest
            and isinstance(value, dict)
            and "object" not in value
            and not _may_expand(call, own, name)
        ):
            raise _cannot(path)
        return {**node, name: _follow(call, value, rest, path, None)}
    if value is not None or not _may_expand(call, own, name):
        raise _cannot(path)
    targets = _targets(own, name, path.split("."))
    if rest and targets and not any(_may_expand(call, target, rest[0]) for target in targets):
        raise _cannot(path)
    return node


def _targets(kind: str | None, name: str, path: list[str]) -> list[str] | None:
    """Which objects the contract lets this field expand to; None when it says nothing."""
    if kind is None:
        return None
    node = load().field(kind, name)
    while isinstance(node, dict) and "null" in node:
        node = node["null"]
    if isinstance(node, dict) and "id" in node:
        found = node["id"]
        return [found] if isinstance(found, str) else list(found)
    return None


def _may_expand(call: Call, kind: str | None, name: str) -> bool:
    """Whether a null or absent field is one that expansion may name."""
    if kind is None:
        return True
    if (kind, name) in INCLUDED or call.twin.versions.expandable(call.version, kind, name):
        return True
    if name == "data":
        return True
    node = load().field(kind, name)
    if node is None:
        return kind not in load().objects
    return _leads_somewhere(node)


def _leads_somewhere(node: Any) -> bool:
    if isinstance(node, str):
        return False
    if "id" in node or "ref" in node or "list" in node:
        return True
    if "map" in node:
        return _leads_somewhere(node["map"])
    if "object" in node:
        return any(_leads_somewhere(child) for child in node["object"].values())
    for wrapper in ("null", "array"):
        if wrapper in node:
            return _leads_somewhere(node[wrapper])
    if "union" in node:
        return any(_leads_somewhere(child) for child in node["union"])
    return False


def _cannot(path: str, *, hint: str | None = None) -> InvalidRequest:
    message = f"This property cannot be expanded ({path})."
    if hint:
        message += f" You may want to try expanding '{hint}' instead."
    return InvalidRequest(message, param="expand")
