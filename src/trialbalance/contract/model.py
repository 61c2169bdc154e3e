"""The contract at run time: endpoints, parameter trees, object fields.

    Contract
    ├── endpoints   by method and path template, matched segment by segment
    └── objects     by object name: fields in the notation of `contract.compile`

Source of the facts: the pinned official SDK (see `contract.compile`). `absent.json` adds what the SDK's
types cannot say: fields that the API leaves out, rather than null, until they are asked for or apply;
`present.json` adds fields that recorded answers show and the SDK's types do not list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

FACTS = Path(__file__).with_name("facts.json")
ABSENT = Path(__file__).with_name("absent.json")
PRESENT = Path(__file__).with_name("present.json")

Type = Any


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint: `POST /v1/customers/{customer}` with its parameters and what it returns."""

    method: str
    path: str
    params: Type
    returns: Type
    base: str = "api"
    segments: tuple[str, ...] = ()
    name: str = field(init=False)
    """`METHOD path`, the endpoint's key everywhere."""
    path_names: tuple[str, ...] = field(init=False)
    """Names of the path's variables, in order."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", f"{self.method} {self.path}")
        names = tuple(s[1:-1] for s in self.segments if s.startswith("{"))
        object.__setattr__(self, "path_names", names)

    @property
    def kind(self) -> str | None:
        """The object name it returns or lists, where it is an API object."""
        node = self.returns
        while isinstance(node, dict) and ("list" in node or "search" in node):
            node = node.get("list") or node.get("search")
        return node["ref"] if isinstance(node, dict) and "ref" in node else None


class Match:
    """The result of routing: an endpoint with its path values, or what else the path accepts."""

    __slots__ = ("endpoint", "methods", "values")

    def __init__(self, endpoint: Endpoint | None, values: dict[str, str], methods: list[str]) -> None:
        self.endpoint = endpoint
        self.values = values
        self.methods = methods


class _Node:
    __slots__ = ("children", "endpoints", "variable")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.variable: _Node | None = None
        self.endpoints: dict[str, Endpoint] = {}


class Contract:
    """Everything the API promises, as far as the pinned SDK says it."""

    def __init__(self, facts: dict[str, Any], absent: dict[str, list[str]]) -> None:
        self.sdk: str = facts["sdk"]
        self.api_version: str = facts["api_version"]
        self.endpoints: dict[str, Endpoint] = {}
        self.objects: dict[str, dict[str, Type]] = {}
        self.absent = {kind: frozenset(names) for kind, names in absent.items()}
        self._root = _Node()
        self._skeletons: dict[str, dict[str, Any]] = {}
        for row in facts["endpoints"]:
            self.add(row["method"], row["path"], row["params"], row.get("returns"), row.get("base", "api"))
        for row in facts["objects"]:
            self.objects[row["object"]] = row["fields"]

    def add(self, method: str, path: str, params: Type, returns: Type, base: str = "api") -> Endpoint:
        """Add one endpoint, also one that the SDK does not know (old paths, browser-only paths)."""
        segments = tuple(path.strip("/").split("/"))
        endpoint = Endpoint(method, path, params, returns, base, segments)
        self.endpoints[endpoint.name] = endpoint
        node = self._root
        for segment in segments:
            if segment.startswith("{"):
                node.variable = node.variable or _Node()
                node = node.variable
            else:
                node = node.children.setdefault(segment, _Node())
        node.endpoints[method] = endpoint
        return endpoint

    def match(self, method: str, path: str) -> Match:
        """Route a request; a literal segment wins over a variable one."""
        segments = path.strip("/").split("/")
        found = self._straight(method, segments)
        if found is not None:
            return found
        methods: list[str] = []
        for node, values in self._walk(self._root, segments, []):
            endpoint = node.endpoints.get(method)
            if endpoint:
                return Match(endpoint, dict(zip(endpoint.path_names, values, strict=True)), [])
            methods += node.endpoints
        return Match(None, {}, sorted(set(methods)))

    def _straight(self, method: str, segments: list[str]) -> Match | None:
        """The first way through the tree, which nearly always is the right one: no other is tried."""
        node: _Node | None = self._root
        values: list[str] = []
        for segment in segments:
            assert node is not None
            child = node.children.get(segment)
            if child is None:
                child = node.variable
                if child is None or not segment:
                    return None
                values.append(segment)
            node = child
        assert node is not None
        endpoint = node.endpoints.get(method)
        return Match(endpoint, dict(zip(endpoint.path_names, values, strict=True)), []) if endpoint else None

    def _walk(self, node: _Node, rest: list[str], values: list[str]) -> Iterator[tuple[_Node, list[str]]]:
        if not rest:
            yield node, values
            return
        child = node.children.get(rest[0])
        if child is not None:
            yield from self._walk(child, rest[1:], values)
        if node.variable is not None and rest[0]:
            yield from self._walk(node.variable, rest[1:], [*values, rest[0]])

    def skeleton(self, kind: str) -> dict[str, Any]:
        """A fresh object of `kind`: every field the API always shows, null where it may be null.

        Fields that may not be null are left for the handler to fill.
        """
        template = self._skeletons.get(kind)
        if template is None:
            fields = self.objects[kind]
            required = {*self.required_fields(kind), *self.absent.get(kind, ()), "deleted"}
            template = {"id": None, "object": kind}
            template |= {name: None for name in fields if name not in template and name not in required}
            if "id" not in fields:
                del template["id"]
            self._skeletons[kind] = template
        return template.copy()

    def required_fields(self, kind: str) -> list[str]:
        """The fields that are never null nor absent: a handler must fill them."""
        absent = {*self.absent.get(kind, ()), "id", "object", "deleted"}
        fields = self.objects[kind].items()
        return [
            k for k, node in fields if k not in absent and not (isinstance(node, dict) and "null" in node)
        ]

    def field(self, kind: str, name: str) -> Type | None:
        """The type of one field of an object, or None when the contract does not know it."""
        return self.objects.get(kind, {}).get(name)


@cache
def load() -> Contract:
    """The committed contract, read once. Callers that add endpoints do so at import, for everybody."""
    facts = msgspec.json.decode(FACTS.read_bytes())
    absent = msgspec.json.decode(ABSENT.read_bytes()) if ABSENT.exists() else {}
    present = msgspec.json.decode(PRESENT.read_bytes())
    for row in facts["objects"]:
        row["fields"] |= present.get(row["object"], {})
    return Contract(facts, absent)
