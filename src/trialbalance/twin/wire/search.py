"""The search query language: `status:'active' AND metadata['order_id']:'6735'`.

    query    clause (AND clause)* | clause (OR clause)*
    clause   [-] field operator value
    operator : (equals; strings without regard to case)  ~ (substring)  > >= < <= (numbers)
    value    'text'  "text"  number  null

Source: https://docs.stripe.com/search#search-query-language
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.lists import limit_of

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call

MAX_CLAUSES = 10
_CLAUSE = re.compile(
    r"""\s*(?P<not>-)?(?P<field>[A-Za-z_][\w.]*)
        (?:\[\s*(?P<quote>['"])(?P<key>(?:\\.|(?!(?P=quote)).)*)(?P=quote)\s*\])?
        \s*(?P<operator>>=|<=|:|~|>|<)\s*
        (?:(?P<mark>['"])(?P<text>(?:\\.|(?!(?P=mark)).)*)(?P=mark)|(?P<bare>-?\d+(?:\.\d+)?|null))""",
    re.VERBOSE | re.DOTALL,
)
_JOIN = re.compile(r"\s+(AND|OR)\s+|\s+(?=\S)", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_ESCAPED = re.compile(r"\\(.)")


class Clause(NamedTuple):
    """One condition of a query."""

    negated: bool
    field: str
    key: str | None
    operator: str
    value: str | None
    quoted: bool


class Query(NamedTuple):
    """A parsed query: all clauses hold, or (`any`) one of them does."""

    clauses: tuple[Clause, ...]
    any: bool

    def matches(self, obj: JsonObject) -> bool:
        """Whether an object answers the query."""
        found = (_holds(clause, obj) for clause in self.clauses)
        return any(found) if self.any else all(found)


def parse(text: str) -> Query:
    """Read a query.

    Raises:
        InvalidRequest: it does not follow the language, mixes AND with OR, or has too many clauses.
    """
    clauses: list[Clause] = []
    joins: set[str] = set()
    position = 0
    while True:
        match = _CLAUSE.match(text, position)
        if match is None:
            raise _unparsed()
        value = match["text"] if match["mark"] else match["bare"]
        quoted = match["mark"] is not None
        clauses.append(
            Clause(
                match["not"] is not None,
                match["field"],
                _ESCAPED.sub(r"\1", match["key"]) if match["quote"] else None,
                match["operator"],
                _ESCAPED.sub(r"\1", value) if quoted else (None if value == "null" else value),
                quoted,
            )
        )
        position = match.end()
        if not text[position:].strip():
            break
        join = _JOIN.match(text, position)
        if join is None:
            raise _unparsed()
        joins.add((join[1] or "AND").upper())
        position = join.end()
    if len(joins) > 1:
        raise InvalidRequest(
            "You cannot combine AND and OR in the same search query. Please use only one of them.",
            param="query",
        )
    if len(clauses) > MAX_CLAUSES:
        raise InvalidRequest(f"A search query can have at most {MAX_CLAUSES} clauses.", param="query")
    return Query(tuple(clauses), "OR" in joins)


def _unparsed() -> InvalidRequest:
    return InvalidRequest(
        'We were unable to parse your search query. Please try using the format `metadata["key"]:"value"` to query '
        'for metadata or key:"value" to query for other fields.',
        param="query",
    )


def _value(obj: JsonObject, clause: Clause) -> Any:
    value: Any = obj
    for part in clause.field.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if clause.key is not None:
        return value.get(clause.key) if isinstance(value, dict) else None
    return value


def _holds(clause: Clause, obj: JsonObject) -> bool:
    value = _value(obj, clause)
    if isinstance(value, dict) and "id" in value:
        value = value["id"]
    return _compare(clause, value) != clause.negated


def _compare(clause: Clause, value: Any) -> bool:
    wanted = clause.value
    if wanted is None:
        return value is None
    if value is None:
        return False
    if clause.operator == "~":
        return wanted.lower() in str(value).lower()
    if isinstance(value, bool):
        return clause.operator == ":" and str(value).lower() == wanted.lower()
    if isinstance(value, (int, float)):
        try:
            number = float(wanted)
        except ValueError:
            return False
        return {
            ":": value == number,
            ">": value > number,
            ">=": value >= number,
            "<": value < number,
            "<=": value <= number,
        }[clause.operator]
    if clause.operator != ":":
        return False
    return str(value).lower() == wanted.lower()


def search(
    call: Call,
    kind: str,
    fields: Mapping[str, str],
    *,
    source: Iterable[JsonObject] | None = None,
    keep: Callable[[JsonObject], bool] | None = None,
) -> JsonObject:
    """A page of search results, newest first.

    `fields`: searchable field -> its type: "string" (equals), "token" (equals and substring), "numeric", or
    "metadata". `source`: the objects, oldest first (default: all of the kind).

    Raises:
        InvalidRequest: the query is wrong, names another field, or an operator the field does not have.
    """
    if call.version < "2020-08-27":
        raise InvalidRequest("Search is not supported on api versions before 2020-08-27.")
    plural = call.path_name.split("/")[2]
    query = parse(str(call.params["query"]))
    for clause in query.clauses:
        kind_of = fields.get(clause.field)
        if kind_of is None or (kind_of == "metadata") != (clause.key is not None):
            raise InvalidRequest(
                f"Field `{clause.field}` is an unsupported search field for resource `{plural}`. See "
                f"http://stripe.com/docs/search#query-fields-for-{plural.replace('_', '-')} for a list of supported "
                "fields.",
                param="query",
            )
        allowed = {
            "numeric": (":", ">", ">=", "<", "<="),
            "string": (":",),
            "token": (":", "~"),
            "metadata": (":", "~"),
        }
        if clause.operator not in allowed[kind_of]:
            raise InvalidRequest(
                f"Operator `{clause.operator}` is not supported for field `{clause.field}`. Supported operators are: "
                f"{', '.join(f'`{name}`' for name in allowed[kind_of])}.",
                param="query",
            )
        if clause.operator == "~" and len(clause.value or "") < 3:
            raise InvalidRequest("The substring operator `~` needs at least 3 characters.", param="query")
        if kind_of == "numeric" and clause.value is not None and not _NUMBER.fullmatch(clause.value):
            raise InvalidRequest(
                f"Field `{clause.field}` needs a number, not `{clause.value}`.", param="query"
            )
    objects = call.ledger.all(call.account, kind) if source is None else source
    found = [o for o in objects if query.matches(o) and (keep is None or keep(o))]
    found.reverse()
    limit = limit_of(call)
    start = _offset(call.params.get("page"))
    result: JsonObject = {
        "object": "search_result",
        "data": found[start : start + limit],
        "has_more": start + limit < len(found),
        "next_page": None,
        "url": call.path_name,
    }
    if "total_count" in (call.params.plain("expand") or []):
        result["total_count"] = len(found)
    if result["has_more"]:
        result["next_page"] = urlsafe_b64encode(f"after:{start + limit}".encode()).decode()
    return result


def _offset(page: str | None) -> int:
    if not page:
        return 0
    try:
        word, _, number = urlsafe_b64decode(page.encode()).decode().partition(":")
        if word == "after":
            return int(number)
    except ValueError:
        pass
    raise InvalidRequest(
        "Invalid page token. Pass the `next_page` of the search result before.", param="page"
    )
