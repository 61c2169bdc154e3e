# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-0977ae6b4612: keep out of training data
"""Both apps, side by side: filled alike, asked alike, a month later asked again, and what came of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx
import stripe

from trialbalance.grading import App, Draw, Failed, GraderFault, GraderTwin, Original, every
from trialbalance.grading.alike import Aliases, difference
from trialbalance.grading.state import ids_of, objects_of

from kiln_calls import LATER, Call, first_round, second_round
from kiln_world import OLD, Drawn, Names, draw_all, make_all

TSX = "node_modules/.bin/tsx"
LINK = [TSX, "scripts/link-records.ts"]
FORGET = ["sh", "-c", 'rm -f "$DATABASE_PATH" "$DATABASE_PATH-wal" "$DATABASE_PATH-shm" "$DATABASE_PATH-journal"']
"""What was linked while somebody worked on it belongs to another account."""
SECONDS = 90.0

Answer = tuple[int, Any]
"""Status and body; status 0 when there was no answer."""


@dataclass(frozen=True)
class Pair:
    """One call and what both apps answered."""

    call: Call
    before: Answer
    after: Answer


@dataclass
class Side:
    """One app's twin and what is called what there."""

    twin: GraderTwin
    names: Names = field(default_factory=dict)
    aliases: Aliases = field(default_factory=Aliases)
    linked: tuple[int, str] = (0, "")


@dataclass(frozen=True)
class Seen:
    """What the checks judge."""

    pairs: list[Pair]
    linked: tuple[tuple[int, str], tuple[int, str]]
    left: tuple[list[Any], list[Any]]
    asked: list[dict[str, Any]]
    flaky: tuple[Answer, int]
    installed: str
    pins: tuple[str, str]
    own_tests: int
    types: int
    key_in_log: bool

    def alike(self, *groups: str, fields: tuple[str, ...] = ()) -> None:
        """`Failed` at the first call of these groups whose answers differ, or whose `fields` do."""
        pairs = [pair for pair in self.pairs if pair.call.group in groups]
        for pair in every(pairs, f"calls of {' and '.join(groups)}"):
            if pair.before[0] != pair.after[0]:
                raise Failed(f"{pair.call.label} has another status", before=pair.before[0], now=pair.after[0])
            before, after = _picked(pair.before, fields), _picked(pair.after, fields)
            if before != after:
                where, old, new = difference(before, after)
                raise Failed(f"{pair.call.label} does not answer as before: {where}", before=old, now=new)


def watch(app: App, twin: GraderTwin, original: Original, draw: Draw) -> Seen:
    """Fill both accounts with the same, and ask both apps the same."""
    drawn = draw_all(draw)
    before, after = Side(original.twin), Side(twin)
    for side in (before, after):
        side.names = make_all(_ask(side.twin), side.twin.seed, side.twin.advance, drawn, metered=side is after)
    state = twin.state()
    meter = after.names["meter"]
    if _content(state, meter) != _content(original.twin.state(), meter):
        raise GraderFault("the two twins do not hold the same")
    before.aliases, after.aliases = Aliases(ids_of(state)), Aliases(ids_of(state))

    for one in (app, original):
        one.run(FORGET)
    done = original.run(LINK)
    before.linked = (done.exit_code, done.stdout)
    if done.exit_code != 0:
        raise GraderFault(f"the original could not link its records: {done.stderr[-400:]}")
    mark = twin.mark()
    ran = app.run(LINK)
    after.linked = (ran.exit_code, ran.stdout)

    app.start()
    session = app.session()

    def now(method: str, path: str, body: Any) -> Answer:
        response, _ = session.attempt(method, path, json=body, seconds=SECONDS)
        if response is None:
            app.explain("no answer")
            return 0, None
        return _answer(response)

    def then(method: str, path: str, body: Any) -> Answer:
        return _answer(original.attempt(method, path, json=body, seconds=SECONDS))

    def both(call: Call) -> Pair:
        return Pair(call, _one(call, before, then), _one(call, after, now))

    pairs = [both(call) for call in first_round(drawn, before.names)]
    left = (_left_behind(before), _left_behind(after))
    for side in (before, after):
        side.twin.advance(LATER)
    pairs += [both(call) for call in second_round()]
    asked = list(twin.requests(since=mark))
    for fault, path in (
        ("reset_before", f"/sales/{drawn.sales['paid'].number}"),
        ("server_error", "/benches/{bench: plain}"),
    ):
        for side in (before, after):
            side.twin.faults([{"fault": fault}])
        pairs.append(both(Call("trouble", "GET", path)))
    for side in (before, after):
        side.twin.faults([])
    return Seen(
        pairs, (before.linked, after.linked), left, asked, _flaky(twin, drawn, after, now),
        installed=_installed(app),
        pins=_pins(app),
        own_tests=app.run(["npm", "test"], timeout=120).exit_code,
        types=app.run(["npm", "run", "check"], timeout=120).exit_code,
        key_in_log=twin.secret_key in app.log(),
    )  # fmt: skip


def _flaky(twin: GraderTwin, drawn: Drawn, after: Side, now: Any) -> tuple[Answer, int]:
    """A refund whose answer is lost on the way: what the caller hears, and how many there are."""
    twin.faults([{"fault": "reset_after", "endpoint": "POST /v1/refunds", "count": 1}])
    answer = now("POST", f"/sales/{drawn.sales['flaky'].number}/refunds", {"amount": 1000})
    twin.faults([])
    payment = after.names["sale: flaky"]
    return answer, sum(1 for item in objects_of(twin.state(), "refund") if item["payment_intent"] == payment)


def _installed(app: App) -> str:
    """The version of the SDK that lies in node_modules."""
    try:
        return str(json.loads(app.read("node_modules/stripe/package.json"))["version"])
    except (Failed, ValueError, KeyError, TypeError):
        return ""


def _pins(app: App) -> tuple[str, str]:
    """What package.json and package-lock.json say of stripe."""
    try:
        wanted = json.loads(app.read("package.json"))["dependencies"]["stripe"]
        locked = json.loads(app.read("package-lock.json"))["packages"]["node_modules/stripe"]["version"]
    except (Failed, ValueError, KeyError, TypeError):
        return "", ""
    return str(wanted).removeprefix("file:packages/stripe-").removesuffix(".tgz"), str(locked)


def _content(state: dict[str, Any], meter: str) -> Any:
    """Every object but the events, which name the requests that caused them; the price of firings without its meter."""
    kinds = {kind: items for kind, items in state["accounts"][state["account"]].items() if kind != "event"}
    return json.dumps(kinds, sort_keys=True).replace(f'"meter": "{meter}"', '"meter": null')


def _left_behind(side: Side) -> list[Any]:
    """What there is at Stripe, in the order in which it was made, as far as anybody would notice."""
    state = side.twin.state()
    rows: list[Any] = []
    for kind, fields in _NOTICED.items():
        for item in objects_of(state, kind):
            rows.append([kind, *[_value(item, name) for name in fields]])
    used: Counter[int] = Counter()
    for records in objects_of(state, "usage_records"):
        used.update({at: count for at, count in records["used"]})
    for bucket in objects_of(state, "meter_readings"):
        for at, _, count, _ in bucket["readings"]:
            used[at] += int(count)
    rows += [["usage", at, count] for at, count in sorted(used.items())]
    return [json.loads(json.dumps(side.aliases.settle(row))) for row in rows]


_NOTICED = {
    "customer": ("name", "balance"),
    "payment_intent": ("amount", "amount_received", "status", "metadata"),
    "charge": ("amount", "amount_refunded", "paid"),
    "refund": ("charge", "amount", "status", "reason", "metadata"),
    "invoice": ("customer", "status", "total", "amount_paid", "amount_remaining"),
    "subscription": ("customer", "status", "cancel_at", "cancel_at_period_end", "ended_at", "metadata", "billing_mode.type"),
    "subscription_item": ("price.id", "quantity"),
}


def _value(item: Any, name: str) -> Any:
    for part in name.split("."):
        item = item.get(part) if isinstance(item, dict) else None
    return item


def _one(call: Call, side: Side, send: Any) -> Answer:
    status, answer = send(call.method, call.filled(side.names), dict(call.body) if call.body is not None else None)
    if call.keep and isinstance(answer, dict):
        side.names[call.keep] = str((answer.get("last_invoice") or {}).get("invoice"))
    return status, side.aliases.settle(answer)


def _answer(response: httpx.Response) -> Answer:
    try:
        return response.status_code, response.json()
    except ValueError:
        return response.status_code, response.text[:200]


def _ask(twin: GraderTwin) -> Any:
    clients = {}

    def ask(method: str, path: str, *, version: str = OLD, **form: Any) -> dict[str, Any]:
        if version not in clients:
            clients[version] = twin.client(version=version)
        try:
            answer = clients[version].raw_request(method.lower(), path, **form)
        except stripe.CardError as declined:
            return dict((declined.json_body or {})["error"])
        except stripe.StripeError as error:
            raise GraderFault(f"{method} {path}: {error}") from error
        found: dict[str, Any] = json.loads(answer.body)
        return found

    return ask


def _picked(answer: Answer, fields: tuple[str, ...]) -> Any:
    _, body = answer
    if fields and isinstance(body, dict) and "error" not in body:
        return {name: body.get(name, "<missing>") for name in fields}
    return body


__all__ = ["LINK", "Pair", "Seen", "watch"]
