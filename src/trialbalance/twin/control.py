"""The control plane: seed, clock, snapshots, journal. Another listener, another token, never in a trial's reach.

JSON in, JSON out. Every request needs `Authorization: Bearer <token>`.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from typing import Any

import httpx
import msgspec

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.inspector import page
from trialbalance.twin.ledger.store import Snapshot
from trialbalance.twin.server import Asgi, Receive, Scope, Send, _body, _lifespan
from trialbalance.twin.twin import Twin
from trialbalance.twin.webhooks.deliveries import Disruption, all_deliveries, redeliver
from trialbalance.twin.wire.keys import ApiKey

Action = Callable[["ControlPlane", JsonObject], Any]
ACTIONS: dict[str, Action] = {}
"""What the control plane can do, by `METHOD /path`. Packages of the twin may add their own."""


class ControlError(Exception):
    """A control request that cannot be done: the message says why."""


def action(name: str) -> Callable[[Action], Action]:
    """Register one control action under `METHOD /path`."""

    def register(handler: Action) -> Action:
        ACTIONS[name] = handler
        return handler

    return register


class ControlPlane:
    """The control plane's ASGI application."""

    def __init__(self, twin: Twin, token: str | None = None) -> None:
        self.twin = twin
        self.token = token or secrets.token_urlsafe(32)
        self.snapshots: dict[str, Snapshot] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one control request."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        if scope["method"] == "GET" and scope["path"] == "/":
            await _page(send)
            return
        body = await _body(receive) or b""
        status, answer = self._answer(scope, body)
        encoded = msgspec.json.encode(answer)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(encoded)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": encoded})

    def _answer(self, scope: Scope, body: bytes) -> tuple[int, Any]:
        given = next((v.decode("latin-1") for k, v in scope["headers"] if k == b"authorization"), "")
        if not hmac.compare_digest(given.encode(), f"Bearer {self.token}".encode()):
            return 401, {"error": "the control plane needs its token in the Authorization header"}
        found = ACTIONS.get(f"{scope['method']} {scope['path']}")
        if found is None:
            return 404, {"error": f"no such control action; there are: {', '.join(sorted(ACTIONS))}"}
        try:
            params = msgspec.json.decode(body) if body else {}
            return 200, found(self, params)
        except msgspec.DecodeError as problem:
            return 400, {"error": f"the body is not JSON: {problem}"}
        except (ControlError, ValueError, KeyError, TypeError) as problem:
            return 400, {"error": str(problem) or type(problem).__name__}


async def _page(send: Send) -> None:
    """The inspector's page; it holds nothing, and asks with the token that its address carries."""
    content = page()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(content)).encode()),
        (b"cache-control", b"no-store"),
        (b"referrer-policy", b"no-referrer"),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": content})


@action("GET /info")
def info(plane: ControlPlane, params: JsonObject) -> Any:
    """Keys, account, clock, version."""
    twin = plane.twin
    return {
        "account": twin.account,
        "secret_key": twin.secret_key,
        "publishable_key": twin.publishable_key,
        "now": twin.now(),
        "frozen": twin.clock.frozen,
        "api_version": twin.config.default_version,
        "base_url": twin.base_url,
        "seed": twin.config.seed,
    }


@action("POST /dashboard")
def dashboard(plane: ControlPlane, params: JsonObject) -> Any:
    """What real accounts change in the Dashboard: {"billing": {"after_retries": "unpaid", …}, "portal": {…}}.

    `upsells` ({price: price}) and `cross_sells` ({product: product}) are what Checkout offers beside an order.
    """
    from trialbalance.twin.billing import dashboard as settings

    return settings.write(plane.twin, params)


@action("GET /state")
def state(plane: ControlPlane, params: JsonObject) -> Any:
    """Every object of every account: {"schema_version", "now", "account", "accounts": {id: {kind: [object]}}}."""
    twin = plane.twin
    accounts: JsonObject = {}
    for (account, kind), table in sorted(twin.store.tables.items()):
        shown = [table.objects[i] for i in table.order if i in table.objects]
        if shown:
            accounts.setdefault(account, {})[kind] = shown
    return {"schema_version": 1, "now": twin.now(), "account": twin.account, "accounts": accounts}


@action("POST /journal")
def journal(plane: ControlPlane, params: JsonObject) -> Any:
    """Journal entries after `after`."""
    return {"entries": plane.twin.journal.since(int(params.get("after", 0)))}


@action("GET /mail")
def mail(plane: ControlPlane, params: JsonObject) -> Any:
    """What would have been mailed to customers, oldest first: {"to", "subject", "url", "at", "account"}."""
    entries = [entry for entry in plane.twin.journal.since(0) if entry["kind"] == "mail"]
    keep = ("account", "at", "subject", "to", "url")
    return {"mail": [{name: entry[name] for name in keep} for entry in entries]}


@action("POST /advance")
def advance(plane: ControlPlane, params: JsonObject) -> Any:
    """Move the clock to `to` (seconds), running everything that falls due."""
    if not isinstance(params.get("to"), int):
        raise ControlError("advance needs 'to': the second to move the clock to")
    ran = plane.twin.advance(params["to"])
    plane.twin.journal.append("control", plane.twin.now(), action="advance", ran=ran)
    return {"now": plane.twin.now(), "ran": ran}


@action("POST /clock")
def clock(plane: ControlPlane, params: JsonObject) -> Any:
    """Freeze (`frozen: true`) or release the clock."""
    twin = plane.twin
    if params.get("frozen") is True:
        twin.clock.freeze()
    elif params.get("frozen") is False:
        twin.clock.move(twin.now())
        twin.clock.frozen = False
    return {"now": twin.now(), "frozen": twin.clock.frozen}


@action("POST /snapshot")
def snapshot(plane: ControlPlane, params: JsonObject) -> Any:
    """Keep the state under a name; answers the name."""
    name = str(params.get("name") or f"snapshot-{len(plane.snapshots) + 1}")
    plane.snapshots[name] = plane.twin.snapshot()
    return {"name": name}


@action("POST /restore")
def restore(plane: ControlPlane, params: JsonObject) -> Any:
    """Go back to a named snapshot."""
    name = str(params.get("name"))
    if name not in plane.snapshots:
        raise ControlError(f"no snapshot {name!r}; there are: {', '.join(sorted(plane.snapshots)) or 'none'}")
    plane.twin.restore(plane.snapshots[name])
    return {"name": name, "now": plane.twin.now()}


@action("POST /keys")
def keys(plane: ControlPlane, params: JsonObject) -> Any:
    """Make a key: {"value", "kind": secret|publishable|restricted, "account"?, "permissions"?, "expires"?}."""
    kind = params.get("kind")
    if kind not in ("secret", "publishable", "restricted"):
        raise ControlError("keys need 'kind': secret, publishable or restricted")
    prefix = {"secret": "sk", "publishable": "pk", "restricted": "rk"}[kind]
    value = params.get("value") or f"{prefix}_test_51{plane.twin.ids.random(45)}"
    account = params.get("account") or plane.twin.account
    plane.twin.keys.add(ApiKey(value, kind, account, params.get("permissions") or {}, params.get("expires")))
    return {"value": value, "kind": kind, "account": account}


@action("POST /seed")
def seed(plane: ControlPlane, params: JsonObject) -> Any:
    """Play a list of requests: {"requests": [{"method", "path", "form", "as"?, "account"?, "merchant"?, "version"?}]}.

    A string value `$name.field` takes a field of an earlier answer. `merchant` names another merchant, whose account
    the twin's keys do not reach (see `Twin.merchant`). Answers {"name": object}. All or nothing.
    """
    return {"objects": play(plane.twin, params)}


@action("POST /reset")
def reset(plane: ControlPlane, params: JsonObject) -> Any:
    """Forget every object; keys stay."""
    plane.twin.reset()
    return {"now": plane.twin.now()}


@action("POST /faults")
def faults(plane: ControlPlane, params: JsonObject) -> Any:
    """Replace the fault rules: {"rules": [{"fault", "endpoint"?, "count"?, "probability"?, "skip"?, "delay"?}]}."""
    plane.twin.faults.set(params.get("rules") or [])
    plane.twin.journal.append("control", plane.twin.now(), action="faults", rules=params.get("rules") or [])
    return {"rules": len(plane.twin.faults.rules)}


@action("POST /adversity")
def adversity(plane: ControlPlane, params: JsonObject) -> Any:
    """Replace the browser rules: {"rules": [{"adversity", "page"?, "count"?, "probability"?, "skip"?, "delay"?}]}."""
    rules = params.get("rules") or []
    plane.twin.adversity.set(rules)
    plane.twin.journal.append("control", plane.twin.now(), action="adversity", rules=rules)
    return {"rules": len(rules)}


@action("GET /deliveries")
def deliveries(plane: ControlPlane, params: JsonObject) -> Any:
    """Every webhook delivery with its attempts."""
    return {"deliveries": all_deliveries(plane.twin)}


@action("POST /webhooks")
def webhooks(plane: ControlPlane, params: JsonObject) -> Any:
    """Disturb deliveries: {"duplicate": 0..1, "shuffle": bool, "delay": seconds}; {} ends it."""
    unknown = set(params) - {"duplicate", "shuffle", "delay"}
    if unknown:
        raise ControlError(f"webhooks takes duplicate, shuffle, delay; not {', '.join(sorted(unknown))}")
    plane.twin.disruption = Disruption(
        float(params.get("duplicate", 0)), bool(params.get("shuffle", False)), float(params.get("delay", 0))
    )
    return params


@action("POST /resend")
def resend(plane: ControlPlane, params: JsonObject) -> Any:
    """Deliver an event again: {"event": "evt_…"} to every endpoint that had it."""
    count = redeliver(plane.twin, str(params.get("event")))
    if not count:
        raise ControlError(f"no delivery of event {params.get('event')!r}")
    return {"deliveries": count}


def play(twin: Twin, document: JsonObject) -> JsonObject:
    """See the `POST /seed` action.

    Raises:
        ControlError: a request was refused; nothing was kept.
    """
    before = twin.snapshot()
    named: JsonObject = {}
    for position, step in enumerate(document.get("requests") or []):
        unknown = set(step) - {"method", "path", "form", "as", "account", "merchant", "version"}
        if unknown or "path" not in step:
            twin.restore(before)
            raise ControlError(f"requests[{position}]: needs 'path'; unknown keys: {sorted(unknown)}")
        answer = twin.request(
            step.get("method", "POST"),
            str(_fill(step["path"], named)),
            _fill(step.get("form") or {}, named),
            key=twin.merchant(step["merchant"]).secret_key if step.get("merchant") else None,
            account=_fill(step.get("account"), named),
            version=step.get("version"),
            source="seed",
        )
        if answer.status != 200:
            twin.restore(before)
            raise ControlError(f"requests[{position}] ({step['path']}): {answer.json()['error']['message']}")
        if step.get("as"):
            named[step["as"]] = answer.json()
    return named


def _fill(value: Any, named: JsonObject) -> Any:
    if isinstance(value, dict):
        return {key: _fill(item, named) for key, item in value.items()}
    if isinstance(value, list):
        return [_fill(item, named) for item in value]
    if isinstance(value, str) and value.startswith("$") and value[1:].split(".")[0] in named:
        found: Any = named
        for part in value[1:].split("."):
            found = found[int(part)] if isinstance(found, list) else found[part]
        return found
    if isinstance(value, str) and "/$" in value:
        return "/".join(str(_fill(part, named)) for part in value.split("/"))
    return value


class Control:
    """A client of the control plane, over a unix socket or a URL.

    Raises (all methods):
        ControlError: the control plane refused, or is gone.
    """

    def __init__(self, token: str, *, socket_path: str | None = None, url: str | None = None) -> None:
        transport = httpx.HTTPTransport(uds=socket_path) if socket_path else None
        self._http = httpx.Client(
            base_url=url or "http://control",
            transport=transport,
            headers={"Authorization": f"Bearer {token}"},
            timeout=120,
            trust_env=False,
        )

    def _ask(self, method: str, path: str, document: Any = None) -> Any:
        try:
            answer = self._http.request(
                method, path, content=msgspec.json.encode(document) if document is not None else None
            )
        except httpx.HTTPError as problem:
            raise ControlError(f"the twin's control plane does not answer: {problem}") from problem
        decoded = msgspec.json.decode(answer.content)
        if answer.status_code != 200:
            raise ControlError(f"{method} {path}: {decoded['error']}")
        return decoded

    def ask(self, method: str, path: str, document: Any = None) -> Any:
        """Any control action by name."""
        return self._ask(method, path, document)

    def info(self) -> JsonObject:
        """Keys, account, clock, version."""
        found: JsonObject = self._ask("GET", "/info")
        return found

    def state(self) -> JsonObject:
        """Every object: see the `GET /state` action."""
        found: JsonObject = self._ask("GET", "/state")
        return found

    def journal(self, after: int = 0) -> list[JsonObject]:
        """Journal entries after a sequence number."""
        entries: list[JsonObject] = self._ask("POST", "/journal", {"after": after})["entries"]
        return entries

    def mail(self) -> list[JsonObject]:
        """What would have been mailed to customers: see the `GET /mail` action."""
        found: list[JsonObject] = self._ask("GET", "/mail")["mail"]
        return found

    def advance(self, to: int) -> int:
        """Move the twin's clock; returns the new second."""
        return int(self._ask("POST", "/advance", {"to": to})["now"])

    def seed(self, document: JsonObject) -> JsonObject:
        """Play requests: see the `POST /seed` action."""
        found: JsonObject = self._ask("POST", "/seed", document)["objects"]
        return found

    def snapshot(self, name: str | None = None) -> str:
        """Keep the state; returns its name."""
        return str(self._ask("POST", "/snapshot", {"name": name})["name"])

    def restore(self, name: str) -> None:
        """Go back to a named snapshot."""
        self._ask("POST", "/restore", {"name": name})

    def reset(self) -> None:
        """Forget every object."""
        self._ask("POST", "/reset", {})

    def dashboard(self, settings: JsonObject) -> JsonObject:
        """Change what only the Dashboard can: see the `POST /dashboard` action; returns what holds now."""
        found: JsonObject = self._ask("POST", "/dashboard", settings)
        return found

    def faults(self, rules: list[JsonObject]) -> None:
        """Replace the fault rules."""
        self._ask("POST", "/faults", {"rules": rules})

    def adversity(self, rules: list[JsonObject]) -> None:
        """Replace the rules of browser difficulties: see `twin/pages/adversity.py`."""
        self._ask("POST", "/adversity", {"rules": rules})

    def close(self) -> None:
        """Close the connection."""
        self._http.close()


def application(twin: Twin, token: str | None = None) -> tuple[Asgi, str]:
    """The control plane's application and its token."""
    plane = ControlPlane(twin, token)
    return plane, plane.token
