"""Objects in a dump of the twin's state."""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]


def objects_of(state: dict[str, Any], kind: str, account: str | None = None) -> list[Object]:
    """The objects of a kind (`customer`, `checkout.session`) of one account, oldest first; by default the
    main one's.
    """
    owner = account or state["account"]
    found: list[Object] = state["accounts"].get(owner, {}).get(kind, [])
    return list(found)


def ids_of(state: dict[str, Any]) -> frozenset[str]:
    """The id of every object of every account."""
    return frozenset(
        item["id"]
        for kinds in state["accounts"].values()
        for items in kinds.values()
        for item in items
        if "id" in item
    )
