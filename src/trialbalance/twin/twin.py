"""The twin as a library: `Twin(seed=1).request("POST", "/v1/customers", form={...})` needs no socket.

bytes -> decode -> contract -> key -> idempotency -> version forward -> validate
      -> one handler in one transaction -> version back -> expand -> bytes
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from trialbalance.contract import load
from trialbalance.twin import resources
from trialbalance.twin.config import DEFAULT_START, TwinConfig
from trialbalance.twin.errors import (
    ApiError,
    InvalidRequest,
    JsonObject,
    NotBuilt,
    PermissionDenied,
    UnknownUrl,
)
from trialbalance.twin.events import Events
from trialbalance.twin.ledger.clock import Clock
from trialbalance.twin.ledger.ids import Ids
from trialbalance.twin.ledger.journal import Journal, mask
from trialbalance.twin.ledger.store import Snapshot, Store
from trialbalance.twin.merchants import Merchant, admit, merchant_of, publishable_key_of
from trialbalance.twin.pages.adversity import Adversity
from trialbalance.twin.snapshots import Snapshots
from trialbalance.twin.wire import form
from trialbalance.twin.wire.call import BROWSER, DUE, HANDLERS, Call
from trialbalance.twin.wire.expand import expand
from trialbalance.twin.wire.faults import Faults
from trialbalance.twin.wire.idempotency import IdempotencyKeys, Kept
from trialbalance.twin.wire.keys import ApiKey, KeyRing
from trialbalance.twin.wire.permissions import check_permission
from trialbalance.twin.wire.validate import Params, plain, refuse_internal, validate
from trialbalance.twin.wire.versions import Versions, all_changes

_ENCODER = msgspec.json.Encoder()
_VERSIONS: Versions | None = None


class Response:
    """Status, headers and body of one answer."""

    __slots__ = ("body", "delay", "headers", "lost", "status")

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body
        self.delay = 0.0
        self.lost: str | None = None

    def json(self) -> Any:
        """The decoded body."""
        return msgspec.json.decode(self.body)


class Twin:
    """A stateful, Stripe-compatible test-mode API.

    Example:
        >>> twin = Twin(seed=1)
        >>> twin.request("POST", "/v1/customers", form={"email": "a@example.test"}).status
        200
    """

    def __init__(
        self, seed: int | None = None, *, config: TwinConfig | None = None, journal: Path | None = None
    ) -> None:
        global _VERSIONS
        resources.load()
        if _VERSIONS is None:
            _VERSIONS = Versions(all_changes())
        if config is None:
            config = TwinConfig(seed=seed or 0, clock=DEFAULT_START, frozen=True)
        self.config = config
        self.versions = _VERSIONS
        self.contract = load()
        self.store = Store()
        self.clock = Clock(config.clock, frozen=config.frozen)
        self.ids = Ids(config.seed)
        self.journal = Journal(journal)
        self.idempotency = IdempotencyKeys()
        self.lock = threading.RLock()
        self.advancing: dict[str, int] = {}
        self.afterwards: list[Callable[[], None]] = []
        self.base_url = config.base_url
        self.account = f"acct_1{self.ids.random(15)}"
        fragment = self.account[-15:]
        self.keys = KeyRing(self.account, any_key=config.any_key)
        self.secret_key = config.secret_key or f"sk_test_51{fragment}{self.ids.random(32)}"
        self.publishable_key = config.publishable_key or f"pk_test_51{fragment}{self.ids.random(32)}"
        self.keys.add(ApiKey(self.secret_key, "secret", self.account))
        self.keys.add(ApiKey(self.publishable_key, "publishable", self.account))
        self.planners: list[Callable[[Call, JsonObject], int]] = []
        self.outbox: list[tuple[str, str]] = []
        self.disruption: Any = None
        self.wake: Callable[[], None] | None = None
        self.faults = Faults(config.seed)
        self.adversity = Adversity(config.seed)
        self.on_commit: list[Callable[[list[Any]], None]] = []
        self._events = Events(self)
        self.flush: Callable[[], None] | None = None
        resources.prepare(self)
        self._snapshots = Snapshots(self)

    # Time

    def now(self) -> int:
        """The twin's current second."""
        return self.clock.now()

    def version_of(self, account: str) -> str:
        """An account's default API version."""
        return self.config.default_version

    def advance(self, to: int) -> int:
        """Move the twin's clock to `to`, running every due action on the way in order; returns how many.

        Raises:
            ValueError: `to` lies in the past.
        """
        if to < self.now():
            raise ValueError(f"the clock stands at {self.now()} and cannot go back to {to}")
        done = 0
        while (item := self.store.next_due("", to)) is not None:
            if item.at > self.clock.now():
                self.clock.move(item.at)
            self._perform(item)
            done += 1
        self.clock.move(max(to, self.clock.now()))
        return done

    def run_due(self) -> int:
        """Run what has fallen due on the twin's own clock; returns how many actions."""
        queue = self.store.due.get("")
        if not queue or queue[0].at > self.clock.now():
            return 0
        done = 0
        try:
            while (item := self.store.next_due("", self.clock.now())) is not None:
                self.advancing[""] = item.at
                self._perform(item)
                done += 1
        finally:
            self.advancing.pop("", None)
        return done

    def run_clock(self, clock: str, until: int) -> int:
        """Run a test clock's due actions up to `until` in order, each in a transaction of its own; returns how many.

        Between requests only: what wants a clock moved inside one puts it into `afterwards`.
        """
        done = 0
        try:
            while (item := self.store.next_due(clock, until)) is not None:
                self.advancing[clock] = item.at
                self._perform(item, clock)
                done += 1
        finally:
            self.advancing.pop(clock, None)
        return done

    def _perform(self, item: Any, timeline: str = "") -> None:
        call = Call(self, item.account, source="clock", timeline=timeline)
        self.store.begin()
        try:
            DUE[item.action](call, item.target, item.arguments)
        except ApiError as error:
            if not error.commit:
                self.store.rollback()
                self.journal.append(
                    "due_failed", self.now(), action=item.action, target=item.target, message=error.message
                )
                return
        except BaseException:
            self.store.rollback()
            raise
        self._commit(call)

    @contextmanager
    def act(self, account: str | None = None) -> Iterator[Call]:
        """A transaction of the twin's own, outside any request: all or nothing."""
        call = Call(self, account or self.account, source="clock")
        self.store.begin()
        try:
            yield call
        except BaseException:
            self.store.rollback()
            raise
        self._commit(call)

    def _work_off(self) -> None:
        """Do what requests left for after their answer."""
        while self.afterwards:
            self.afterwards.pop(0)()

    # Merchants

    def merchant(self, name: str) -> Merchant:
        """Another merchant by a name of your choice; the same name and seed are the same merchant.

        Its account is no connected account: the twin's own keys do not reach it, and nobody is told its secret key.
        Its hosted pages work, with its publishable key.
        """
        found = merchant_of(self.config.seed, name)
        admit(self.keys, found)
        return found

    def page_key(self, account: str) -> str:
        """The publishable key that pages of an account ask with: the twin's own where it reaches the account."""
        if account == self.account or self.store.find(self.account, "account", account) is not None:
            return self.publishable_key
        return publishable_key_of(self.keys, account) or self.publishable_key

    # Requests

    def request(
        self,
        method: str,
        path: str,
        form: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
        version: str | None = None,
        account: str | None = None,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        source: str = "api",
    ) -> Response:
        """Send one request; `form` goes into the query of a GET or DELETE, else into the body."""
        from trialbalance.twin.wire.form import encode

        sent = {name.lower(): value for name, value in (headers or {}).items()}
        sent.setdefault("authorization", f"Bearer {key or self.secret_key}")
        if version:
            sent["stripe-version"] = version
        if account:
            sent["stripe-account"] = account
        if idempotency_key:
            sent["idempotency-key"] = idempotency_key
        route, _, query = path.partition("?")
        encoded = encode(form or {})
        if method in ("GET", "DELETE"):
            joined = "&".join(filter(None, (query, encoded)))
            return self.handle(method, route, joined, b"", sent, source=source)
        return self.handle(method, route, query, encoded.encode(), sent, source=source)

    def handle(
        self,
        method: str,
        path: str,
        query: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        source: str = "api",
    ) -> Response:
        """Answer one request. Header names are lower case. Never raises for anything a client sent.

        One at a time: a second thread waits, so a server thread and a test may share a twin.
        """
        with self.lock:
            return self._handle(method, path, query, body, headers, source)

    def _handle(
        self, method: str, path: str, query: str, body: bytes, headers: Mapping[str, str], source: str
    ) -> Response:
        self.run_due()
        request_id = f"req_{self.ids.random(14)}"
        record: dict[str, Any] = {
            "method": method,
            "path": path,
            "request_id": request_id,
            "user_agent": headers.get("user-agent", ""),
            "source": source,
        }
        if method == "POST":
            record["idempotency_key"] = headers.get("idempotency-key")
        out = {"request-id": request_id, "content-type": "application/json"}
        shown: Any
        fault = self.faults.pick(method, path) if self.faults.rules else None
        try:
            if fault is not None:
                record["fault"] = fault.kind
                fault.before()
            status, shown, encoded = self._answer(method, path, query, body, headers, record, out)
        except ApiError as error:
            status, shown = error.status, self._error(error, request_id)
            out.update({k.lower(): v for k, v in error.headers.items()})
            encoded = encode_body(shown)
        if fault is not None and (after := fault.after(status)) is not None:
            status, shown = after.status, self._error(after, request_id)
            encoded = encode_body(shown)
        if self.afterwards:
            self._work_off()
        if self.flush is not None:
            self.flush()
        self.journal.append("request", self.now(), encoded=encoded, **record, status=status, response=shown)
        answer = Response(status, out, pretty(encoded))
        if fault is not None:
            answer.delay, answer.lost = fault.delay, fault.lost
        return answer

    def _answer(
        self,
        method: str,
        path: str,
        query: str,
        body: bytes,
        headers: Mapping[str, str],
        record: dict[str, Any],
        out: dict[str, str],
    ) -> tuple[int, Any, bytes]:
        raw = decode_request(method, query, body, headers)
        sent = raw.get("client_secret") if path.startswith("/oauth/") else _pop(raw, "key")
        key = self.keys.authenticate(headers, sent, self.now())
        record["api_key"] = key.masked
        record["key_kind"] = key.kind
        record["params"] = mask(raw)
        account = self._account_of(key, headers.get("stripe-account") or _pop(raw, "_stripe_account"))
        record["account"] = account
        asked = headers.get("stripe-version") or _pop(raw, "_stripe_version")
        if asked and asked.isascii() and asked.isprintable():
            out["stripe-version"] = asked
        version = self.versions.check(asked) if asked else self.version_of(account)
        out["stripe-version"] = asked or version
        record["version"] = version
        idempotency_key = record.get("idempotency_key")
        if idempotency_key:
            out["idempotency-key"] = idempotency_key
        match = self.contract.match(method, path)
        if match.endpoint is None or self.versions.gone(version, match.endpoint.name):
            raise UnknownUrl(method, path)
        name = record["endpoint"] = match.endpoint.name
        handler = HANDLERS.get(name)
        if key.kind == "publishable" and name not in BROWSER:
            raise PermissionDenied(
                "This API call cannot be made with a publishable API key. Please use a secret API key. You can find a "
                "list of your API keys at https://dashboard.stripe.com/account/apikeys.",
                code="secret_key_required",
            )
        if key.kind == "restricted":
            check_permission(key, match.endpoint, account)
        if handler is None:
            raise NotBuilt(name)
        call = Call(
            self,
            account,
            endpoint=match.endpoint,
            path=match.values,
            version=version,
            api_key=key,
            request_id=record["request_id"],
            idempotency_key=idempotency_key,
            source=record["source"],
        )
        digest = b""
        if idempotency_key:
            digest = blake2b(_ENCODER.encode(raw), digest_size=16).digest()
            kept = self.idempotency.look_up(account, idempotency_key, f"{method} {path}", digest, self.now())
            if kept is not None:
                out["idempotent-replayed"] = "true"
                out["original-request"] = kept.request_id
                record["replayed"] = kept.request_id
                return kept.status, msgspec.json.decode(kept.body), kept.body
            out["original-request"] = record["request_id"]
        refuse_internal(raw)
        self.versions.forward(call, name, raw)
        self.versions.refuse_removed(version, name, raw)
        call.params = validate(match.endpoint, raw, self.versions.accepted(version, name))
        wanted = call.params.plain("expand") or []
        status, shown = self._transact(call, handler, wanted, record["request_id"])
        encoded = encode_body(shown)
        if idempotency_key and status != 501:
            self.idempotency.keep(
                account,
                idempotency_key,
                Kept(f"{method} {path}", digest, status, encoded, record["request_id"], self.now()),
            )
        return status, shown, encoded

    def _transact(
        self, call: Call, handler: Callable[[Call], JsonObject], wanted: list[str], request_id: str
    ) -> tuple[int, Any]:
        self.store.begin()
        try:
            result = handler(call)
            ignored = call.params.unread()
            if ignored is not None and call.endpoint is not None:
                raise NotBuilt(f"the parameter '{ignored}' of {call.endpoint.name}", param=ignored)
            shown = self.render(call, result)
            if wanted:
                shown = expand(call, shown, wanted)
        except ApiError as error:
            error.extra = self.render(call, error.extra)
            if error.commit:
                self._commit(call)
            else:
                self.store.rollback()
            if error.status == 501:
                raise
            return error.status, self._error(error, request_id)
        except BaseException:
            self.store.rollback()
            raise
        self._commit(call)
        return 200, shown

    def _commit(self, call: Call) -> None:
        changed = self.store.commit()
        for listener in self.on_commit:
            listener(changed)
        if call.events:
            self._events.retire(call.account, len(call.events))
        if self.outbox and self.wake is not None:
            self.wake()

    def _account_of(self, key: ApiKey, asked: str | None) -> str:
        if not asked or asked == key.account:
            return key.account
        if self.store.find(key.account, "account", asked) is None:
            raise PermissionDenied(
                f"The provided key '{key.masked}' does not have access to account '{asked}' (or that account does not "
                "exist). Application access may have been revoked.",
                code="account_invalid",
            )
        return asked

    def _error(self, error: ApiError, request_id: str) -> JsonObject:
        if error.body is not None:
            return error.body
        envelope = error.envelope()
        if (
            error.logged
            and error.status not in (401, 501)
            and not error.message.startswith("Invalid Stripe API version")
        ):
            envelope["request_log_url"] = (
                f"https://dashboard.stripe.com/{self.account}/test/workbench/logs?object={request_id}"
            )
        return {"error": {name: envelope[name] for name in sorted(envelope)}}

    # Objects as callers see them

    def render(self, call: Call, value: Any) -> Any:
        """A value in the caller's API version, without private fields."""
        return self.versions.render(call, call.version, value)

    def resolve(self, call: Call, identifier: str, kinds: list[str] | None) -> JsonObject | None:
        """The object with an id, or its deleted stub; None when there is none."""
        for account in (call.account, self.account) if call.account != self.account else (call.account,):
            if kinds is not None:
                tables = [(kind, self.store.tables.get((account, kind))) for kind in kinds]
            else:
                tables = [
                    (kind, table) for (owner, kind), table in self.store.tables.items() if owner == account
                ]
            for _, table in tables:
                if table is None:
                    continue
                found = table.objects.get(identifier)
                if found is not None:
                    return found
                gone = table.deleted.get(identifier)
                if gone is not None:
                    return Call.deleted_stub(gone)
        return None

    # Events

    def emit(self, call: Call, type: str, obj: JsonObject, previous: JsonObject | None) -> JsonObject:
        """See `Call.emit`."""
        return self._events.emit(call, type, obj, previous)

    def record(self, call: Call, type: str, data: JsonObject) -> JsonObject:
        """Store one event and plan its deliveries."""
        return self._events.record(call, type, data)

    def changes(self, call: Call, obj: JsonObject) -> JsonObject:
        """The old values of what the open transaction changed of `obj`."""
        return self._events.changes(call, obj)

    # Snapshots

    def snapshot(self) -> Snapshot:
        """The whole state, to `restore` or `fork` from; costs a copy of dictionaries, not of objects."""
        return self._snapshots.take()

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this twin."""
        self._snapshots.restore(snapshot)

    def reset(self) -> None:
        """Forget everything since the start; the clock and the keys stay as they are."""
        self._snapshots.reset()

    def fork(self) -> Twin:
        """An independent twin with the same state."""
        other = Twin(config=self.config)
        self._snapshots.carry_over(other)
        return other


def decode_request(method: str, query: str, body: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
    """Parameters of a request from its query and its body (form, JSON or multipart)."""
    pairs: list[tuple[str, Any]] = list(form.parse_pairs(query)) if query else []
    kind = headers.get("content-type", "")
    try:
        if body and kind.startswith("application/json"):
            loaded = msgspec.json.decode(body)
            if not isinstance(loaded, dict):
                raise InvalidRequest("Invalid JSON: the body must be an object.")
            return {**form.decode(pairs), **loaded}
        if body and kind.startswith("multipart/form-data"):
            from trialbalance.twin.wire.multipart import parse

            pairs += parse(body, kind)
        elif body:
            pairs += form.parse_pairs(body.decode("utf-8"))
        return form.decode(pairs)
    except msgspec.DecodeError as problem:
        raise InvalidRequest(f"Invalid JSON in the request body: {problem}") from None
    except UnicodeDecodeError:
        raise InvalidRequest("Invalid request body: it is not valid UTF-8.") from None
    except form.FormError as problem:
        raise InvalidRequest(str(problem)) from None


def encode_body(value: Any) -> bytes:
    """Compact JSON."""
    return _ENCODER.encode(value)


def pretty(body: bytes) -> bytes:
    """JSON as the API sends it: indented by two spaces."""
    return msgspec.json.format(body, indent=2)


def _pop(raw: dict[str, Any], name: str) -> str | None:
    value = raw.pop(name, None)
    return value if isinstance(value, str) and value else None


__all__ = ["Params", "Response", "Twin", "plain"]
