"""What a handler sees: validated parameters, the account, the clock and the ledger.

A handler is registered with `@endpoint("POST /v1/customers")` and returns one object or one list. It knows
nothing of HTTP, API versions, expansion or idempotency.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from trialbalance.contract import Endpoint, load
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotBuilt, NotFound
from trialbalance.twin.ledger.store import ATOMS, copy_json
from trialbalance.twin.wire.validate import Params, plain

if TYPE_CHECKING:
    from trialbalance.twin.ledger.store import Store
    from trialbalance.twin.twin import Twin
    from trialbalance.twin.wire.keys import ApiKey

Handler = Callable[["Call"], JsonObject]
DueHandler = Callable[["Call", str, JsonObject], None]
Included = Callable[["Call", JsonObject], Any]
Reaction = Callable[["Call", JsonObject], None]

HANDLERS: dict[str, Handler] = {}
"""Handlers by `METHOD /path/{template}`, in the contract's spelling."""
DUE: dict[str, DueHandler] = {}
"""What a due action does, by its name."""
INCLUDED: dict[tuple[str, str], Included] = {}
"""Fields that appear only when expanded, by (object, field): a session's `line_items`, a charge's `refunds`."""
REACTIONS: dict[str, list[Reaction]] = {}
"""What else happens, in the same transaction, when an event of a type is emitted."""
BROWSER: set[str] = set()
"""Endpoints that a publishable key may call."""

_H = TypeVar("_H", bound=Callable[..., Any])


def endpoint(name: str, *, browser: bool = False) -> Callable[[Handler], Handler]:
    """Register the handler of one endpoint. `browser`: a publishable key may call it.

    Raises:
        RuntimeError: the contract does not know the endpoint, or it has a handler already.
    """

    def register(handler: Handler) -> Handler:
        if name not in load().endpoints:
            raise RuntimeError(f"the contract has no endpoint {name!r}")
        if name in HANDLERS:
            raise RuntimeError(f"two handlers for {name!r}")
        HANDLERS[name] = handler
        if browser:
            BROWSER.add(name)
        return handler

    return register


def own_endpoint(
    name: str, params: Any, returns: Any = "any", *, browser: bool = False
) -> Callable[[Handler], Handler]:
    """Register an endpoint that the SDK's contract does not list (older paths, what Stripe.js calls).

    `params` is a parameter tree in the contract's notation.
    """
    method, path = name.split(" ", 1)
    if name not in load().endpoints:
        load().add(method, path, params, returns)
    return endpoint(name, browser=browser)


def own_parameters(name: str, **params: Any) -> None:
    """Let an endpoint of the contract take more parameters: what browsers send, what older versions took.

    Names with a leading underscore are internal: version changes write them, clients may not.
    """
    load().endpoints[name].params["hash"].update(params)


def due(action: str) -> Callable[[DueHandler], DueHandler]:
    """Register what happens when `action` falls due."""

    def register(handler: DueHandler) -> DueHandler:
        DUE[action] = handler
        return handler

    return register


def reacts(*types: str) -> Callable[[Reaction], Reaction]:
    """Register what happens in the same transaction right after an event of one of `types` was emitted.

    The handler gets the call and the object the event is about (its stored state, not the copy in the event).
    """

    def register(handler: Reaction) -> Reaction:
        for type in types:
            REACTIONS.setdefault(type, []).append(handler)
        return handler

    return register


def included(kind: str, field: str) -> Callable[[Included], Included]:
    """Register how a field that appears only on `expand[]` is made."""

    def register(make: Included) -> Included:
        INCLUDED[(kind, field)] = make
        return make

    return register


class _Blank(NamedTuple):
    """What a new object of one kind looks like before its fields are filled: their names in the API's order."""

    fields: JsonObject
    created: bool
    metadata: bool


@lru_cache(maxsize=4096)
def _blank(kind: str, identified: bool, given: tuple[str, ...]) -> _Blank:
    """The start of an object of `kind` that is `given` some fields: id, object, then by name."""
    contract = load()
    known = contract.objects[kind]
    for name in given:
        if name not in known:
            raise RuntimeError(f"{kind} has no field {name!r} in the contract")
    always = {name for name in ("created", "metadata") if name in known and name not in given}
    values = contract.skeleton(kind)
    values |= dict.fromkeys((*always, *given, *(["id"] if identified else [])))
    if "livemode" in known:
        values["livemode"] = False
    head = [name for name in ("id", "object") if name in values]
    order = [*head, *sorted(values.keys() - set(head))]
    return _Blank({name: values[name] for name in order}, "created" in always, "metadata" in always)


class Call:
    """One typed request on one account, inside one transaction."""

    __slots__ = (
        "account",
        "api_key",
        "copies",
        "endpoint",
        "events",
        "held",
        "idempotency_key",
        "params",
        "path",
        "request_id",
        "source",
        "timeline",
        "twin",
        "version",
    )

    def __init__(
        self,
        twin: Twin,
        account: str,
        *,
        endpoint: Endpoint | None = None,
        path: dict[str, str] | None = None,
        params: Params | None = None,
        version: str | None = None,
        api_key: ApiKey | None = None,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        source: str = "api",
        timeline: str = "",
    ) -> None:
        self.twin = twin
        self.account = account
        self.endpoint = endpoint
        self.path = path or {}
        self.params = params if params is not None else Params()
        self.version = version or twin.version_of(account)
        self.api_key = api_key
        self.request_id = request_id
        self.idempotency_key = idempotency_key
        self.source = source
        self.timeline = timeline
        self.events: list[JsonObject] = []
        self.held: list[tuple[str, JsonObject]] | None = None
        self.copies: dict[str, JsonObject] = {}

    @property
    def ledger(self) -> Store:
        """The state."""
        return self.twin.store

    @property
    def path_name(self) -> str:
        """The request's path with its values: what lists and search results call `url`."""
        assert self.endpoint is not None
        path = self.endpoint.path
        for name, value in self.path.items():
            path = path.replace("{" + name + "}", value)
        return path

    @property
    def now(self) -> int:
        """The twin's current second. Objects on a test clock use `now_of`."""
        return self.twin.now()

    def now_of(self, obj: JsonObject | None) -> int:
        """The current second for an object: its (customer's) test clock's, else the twin's.

        While a due action runs, it is the second the action was due.

        Source: https://docs.stripe.com/billing/testing/test-clocks
        """
        clock = self.clock_of(obj)
        if clock:
            found = self.ledger.find(self.account, "test_helpers.test_clock", clock)
            if found is not None:
                running = self.twin.advancing.get(clock)
                return int(found["frozen_time"]) if running is None else running
        return self.twin.advancing.get("", self.twin.now())

    def clock_of(self, obj: JsonObject | None) -> str:
        """Id of the test clock an object lives on, or ""."""
        if obj is None:
            return ""
        clock = obj.get("test_clock")
        if not clock and obj.get("customer"):
            customer = self.ledger.find(self.account, "customer", str(obj["customer"]))
            clock = customer.get("test_clock") if customer else None
        return str(clock) if clock else ""

    # Objects

    def new_id(self, prefix: str) -> str:
        """A fresh id."""
        return self.twin.ids.new(prefix, self.account, self.now)

    def new(self, kind: str, prefix: str | None, **fields: Any) -> JsonObject:
        """A null-filled object of `kind` with a fresh id, `created` and `livemode` where it has them.

        Fields stay in the API's order. Raises KeyError-free: unknown field names are an error of ours.
        """
        blank = _blank(kind, prefix is not None, tuple(fields))
        obj = blank.fields.copy()
        if prefix is not None and "id" not in fields:
            obj["id"] = self.new_id(prefix)
        if blank.created:
            obj["created"] = self.now
        if blank.metadata:
            obj["metadata"] = {}
        for name, value in fields.items():
            obj[name] = value if type(value) in ATOMS else plain(value)
        return obj

    def insert(self, obj: JsonObject, *, kind: str | None = None) -> JsonObject:
        """Store a new object and return it."""
        self.ledger.insert(self.account, kind or obj["object"], obj)
        return obj

    def find(self, kind: str, identifier: str | None) -> JsonObject | None:
        """The object or None. Never change what this returns: see `edit`."""
        return self.ledger.find(self.account, kind, identifier) if identifier else None

    def get(self, kind: str, identifier: str, *, param: str | None = "id") -> JsonObject:
        """The object.

        Raises:
            NotFound: 404 for an object named in the path (whatever `param` is called), 400 for a reference in a
                parameter.
        """
        obj = self.ledger.find(self.account, kind, identifier)
        if obj is None:
            raise NotFound(kind, identifier, param=param, in_path=identifier in self.path.values())
        return obj

    def edit(self, kind: str, identifier: str, *, param: str | None = "id") -> JsonObject:
        """A private copy that is committed when the handler returns.

        Raises:
            NotFound: as `get`.
        """
        obj = self.ledger.edit(self.account, kind, identifier)
        if obj is None:
            raise NotFound(kind, identifier, param=param, in_path=identifier in self.path.values())
        return obj

    def delete(self, kind: str, identifier: str, *, param: str | None = "id") -> JsonObject:
        """Remove an object; returns its last state. `deleted_stub` is what the API answers."""
        self.get(kind, identifier, param=param)
        return self.ledger.delete(self.account, kind, identifier)

    @staticmethod
    def deleted_stub(obj: JsonObject) -> JsonObject:
        """`{id, object, deleted: true}`.

        Source: https://docs.stripe.com/api/customers/delete
        """
        return {"id": obj["id"], "object": obj["object"], "deleted": True}

    # Parameters

    def assign(self, obj: JsonObject, *names: str) -> None:
        """Copy the sent parameters into fields of the same name; an emptied one becomes null."""
        for name in names:
            if dict.__contains__(self.params, name):
                value = self.params.plain(name)
                obj[name] = None if value == "" else value

    def merge_metadata(self, obj: JsonObject, params: Params | None = None) -> None:
        """Merge sent metadata: a key set to "" goes, `metadata=""` empties all.

        Source: https://docs.stripe.com/api/metadata
        """
        given = self.params if params is None else params
        if not dict.__contains__(given, "metadata"):
            return
        value = given.plain("metadata")
        if value == "":
            obj["metadata"] = {}
            return
        merged = dict(obj.get("metadata") or {})
        for key, text in value.items():
            if text == "":
                merged.pop(key, None)
            else:
                merged[key] = text
        if len(merged) > 50:
            raise InvalidRequest("Metadata can have at most 50 keys.", param="metadata")
        obj["metadata"] = merged

    def exclusive(self, *names: str) -> None:
        """Refuse two parameters of which only one may be sent."""
        sent = [n for n in names if dict.get(self.params, n) not in (None, "")]
        if len(sent) > 1:
            raise InvalidRequest(
                f"You may only specify one of these parameters: {', '.join(sent)}.",
                param=sent[0],
                code="parameters_exclusive",
            )

    def require(self, *names: str) -> None:
        """Refuse a request without these parameters (where the contract marks them optional)."""
        for name in names:
            if dict.get(self.params, name) in (None, ""):
                raise InvalidRequest(f"Missing required param: {name}.", param=name, code="parameter_missing")

    def unsupported(self, *names: str) -> None:
        """Refuse parameters that the twin has not built, by name."""
        for name in names:
            if dict.get(self.params, name) not in (None, ""):
                where = self.endpoint.name if self.endpoint else "this endpoint"
                raise NotBuilt(f"the parameter '{name}' of {where}", param=name)

    # Lists

    def list(
        self,
        kind: str,
        *,
        where: dict[str, Any] | None = None,
        keep: Callable[[JsonObject], bool] | None = None,
        url: str | None = None,
        show: Callable[[JsonObject], JsonObject] | None = None,
    ) -> JsonObject:
        """A page of objects of a kind, newest first, by the request's cursors and filters.

        `where`: field -> value; None values are left out; indexed fields are fast. `keep` filters further.
        Source: https://docs.stripe.com/api/pagination
        """
        from trialbalance.twin.wire.lists import page

        return page(self, kind, where=where or {}, keep=keep, url=url, show=show)

    def page_of(self, objects: Iterable[JsonObject], *, url: str) -> JsonObject:
        """A page over objects that are not stored as a table, in the given order."""
        from trialbalance.twin.wire.lists import page_of

        return page_of(self, list(objects), url)

    # Events and time

    def emit(self, type: str, obj: JsonObject, *, previous: JsonObject | None = None) -> JsonObject:
        """Record an event about `obj` as it is now; `*.updated` gets `previous_attributes` by itself.

        Source: https://docs.stripe.com/api/events
        """
        return self.twin.emit(self, type, obj, previous)

    @contextmanager
    def hold_events(self) -> Iterator[None]:
        """Keep back the events of the block until it ends, so that `emit_first` can put one before them.

        Reactions run at once all the same.
        """
        outer, self.held = self.held, []
        try:
            yield
        finally:
            kept, self.held = self.held or [], outer
        for type, data in kept:
            if self.held is not None:
                self.held.append((type, data))
            else:
                self.twin.record(self, type, data)

    def emit_first(self, type: str, obj: JsonObject) -> None:
        """Inside `hold_events`: an event about `obj` as it is now, before all that are kept back."""
        assert self.held is not None
        self.held.insert(0, (type, {"object": copy_json(obj)}))
        for reaction in REACTIONS.get(type, ()):
            reaction(self, obj)

    def copy_of(self, obj: JsonObject) -> JsonObject:
        """A copy for an event; several events about one unchanged state share it."""
        identifier = obj.get("id")
        if not isinstance(identifier, str):
            return dict(copy_json(obj))
        known = self.copies.get(identifier)
        if known is None or known != obj:
            known = self.copies[identifier] = copy_json(obj)
        return known

    def changes(self, obj: JsonObject) -> JsonObject:
        """What this transaction changed of `obj`: old values, as `previous_attributes` shows them."""
        return self.twin.changes(self, obj)

    def schedule(
        self, at: int, action: str, target: str, *, timeline: str | None = None, **arguments: Any
    ) -> None:
        """Have `action` run on `target` at second `at` of a timeline (default: this call's)."""
        line = self.timeline if timeline is None else timeline
        self.ledger.schedule(line, at, action, self.account, target, copy_json(arguments))

    def on(self, account: str) -> Call:
        """The same call acting on another account (Connect)."""
        other = Call(
            self.twin,
            account,
            endpoint=self.endpoint,
            path=self.path,
            params=self.params,
            version=self.version,
            api_key=self.api_key,
            request_id=self.request_id,
            idempotency_key=self.idempotency_key,
            source=self.source,
            timeline=self.timeline,
        )
        other.events = self.events
        return other
