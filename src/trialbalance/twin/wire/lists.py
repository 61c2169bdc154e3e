"""Lists: newest first, cursors, filters, `has_more`.

Limits outside 1..100 are clamped silently, as the recorded API does.
Source: https://docs.stripe.com/api/pagination
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.ledger.store import INDEXED, Table

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call

RANGES: dict[str, Callable[[int, int], bool]] = {
    "gt": int.__gt__,
    "gte": int.__ge__,
    "lt": int.__lt__,
    "lte": int.__le__,
}


def limit_of(call: Call) -> int:
    """How many objects a page holds: 10 unless asked, within 1..100."""
    value = call.params.get("limit", 10)
    return max(1, min(100, int(value)))


def cursors(call: Call) -> tuple[str | None, str | None]:
    """`starting_after` and `ending_before` as sent."""
    return call.params.get("starting_after") or None, call.params.get("ending_before") or None


def in_range(value: Any, wanted: Any) -> bool:
    """Whether a number matches `created=5` or `created[gte]=5`."""
    if isinstance(wanted, dict):
        return isinstance(value, int) and all(RANGES[name](value, limit) for name, limit in wanted.items())
    return bool(value == wanted)


def matches(obj: JsonObject, where: dict[str, Any]) -> bool:
    """Whether every filter holds; expanded and plain references compare by id, hashes as ranges."""
    for name, wanted in where.items():
        value: Any = obj
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(wanted, dict):
            if not in_range(value, wanted):
                return False
        elif isinstance(wanted, (list, tuple, set)):
            if value not in wanted:
                return False
        else:
            if isinstance(value, dict) and "id" in value and isinstance(wanted, str):
                value = value["id"]
            if value != wanted:
                return False
    return True


def page(
    call: Call,
    kind: str,
    *,
    where: dict[str, Any],
    keep: Callable[[JsonObject], bool] | None,
    url: str | None,
    show: Callable[[JsonObject], JsonObject] | None,
) -> JsonObject:
    """See `Call.list`."""
    table = call.ledger.table(call.account, kind)
    filters = {name: value for name, value in where.items() if value is not None and value != ""}
    if dict.__contains__(call.params, "created"):
        filters["created"] = call.params.plain("created")
    limit = limit_of(call)
    after, before = cursors(call)
    for name, cursor in (("starting_after", after), ("ending_before", before)):
        if cursor and cursor not in table.position:
            raise NotFound(kind, cursor, param=name)
    if after and before:
        raise InvalidRequest(
            "Received both starting_after and ending_before parameters. Please pass in only one."
        )
    indexed = next((n for n, v in filters.items() if n in INDEXED and isinstance(v, str)), None)
    found: list[JsonObject] = []
    for obj in _walk(table, after, before, (indexed, filters[indexed]) if indexed else None):
        if matches(obj, filters) and (keep is None or keep(obj)):
            found.append(obj)
            if len(found) > limit:
                break
    more = len(found) > limit
    data = found[:limit]
    if before:
        data.reverse()
    answer: JsonObject = {
        "object": "list",
        "data": [show(obj) for obj in data] if show else data,
        "has_more": more,
        "url": url or call.path_name,
    }
    if "total_count" in (call.params.plain("include") or []):
        every = _walk(table, None, None, (indexed, filters[indexed]) if indexed else None)
        answer["total_count"] = sum(matches(o, filters) and (keep is None or keep(o)) for o in every)
    return answer


def _walk(
    table: Table, after: str | None, before: str | None, indexed: tuple[str, Any] | None
) -> Iterator[JsonObject]:
    if indexed:
        ids = table.having(*indexed)
        if before:
            start = table.position[before]
            chosen = [i for i in ids if table.position[i] > start]
        else:
            stop = table.position[after] if after else len(table.order)
            chosen = [i for i in reversed(ids) if table.position[i] < stop]
        for identifier in chosen:
            obj = table.objects.get(identifier)
            if obj is not None:
                yield obj
        return
    positions = (
        range(table.position[before] + 1, len(table.order))
        if before
        else range((table.position[after] if after else len(table.order)) - 1, -1, -1)
    )
    for position in positions:
        obj = table.objects.get(table.order[position])
        if obj is not None:
            yield obj


def page_of(call: Call, objects: list[JsonObject], url: str) -> JsonObject:
    """A page over given objects, in their order; cursors are ids among them."""
    limit = limit_of(call)
    after, before = cursors(call)
    position = {obj["id"]: i for i, obj in enumerate(objects) if "id" in obj}
    for name, cursor in (("starting_after", after), ("ending_before", before)):
        if cursor and cursor not in position:
            kind = objects[0]["object"] if objects else "object"
            raise NotFound(kind, cursor, param=name)
    if after and before:
        raise InvalidRequest(
            "Received both starting_after and ending_before parameters. Please pass in only one."
        )
    if before:
        stop = position[before]
        data = objects[max(0, stop - limit) : stop]
        more = stop - limit > 0
    else:
        start = position[after] + 1 if after else 0
        data = objects[start : start + limit]
        more = start + limit < len(objects)
    answer: JsonObject = {"object": "list", "data": data, "has_more": more, "url": url}
    if "total_count" in (call.params.plain("include") or []):
        answer["total_count"] = len(objects)
    return answer


def embedded(objects: list[JsonObject], url: str, *, limit: int = 10, total: bool = False) -> JsonObject:
    """A list inside an object: its first page."""
    result: JsonObject = {
        "object": "list",
        "data": objects[:limit],
        "has_more": len(objects) > limit,
        "url": url,
    }
    if total:
        result["total_count"] = len(objects)
    return result
