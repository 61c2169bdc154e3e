# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-c76e679eecf6: keep out of training data
"""Both apps, side by side: filled alike, asked alike, and what came of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import httpx
import stripe

from trialbalance.grading import App, Draw, Failed, GraderFault, GraderTwin, Original, every
from trialbalance.grading.state import ids_of, objects_of

from lane_calls import Aliases, Call, all_calls
from lane_world import OLD, Drawn, draw_all, make_all

PYTHON = ".venv/bin/python"
LINK = [PYTHON, "scripts/link_records.py"]
FORGET = ["sh", "-c", 'rm -f "$DATABASE_PATH" "$DATABASE_PATH-wal" "$DATABASE_PATH-shm" "$DATABASE_PATH-journal"']
"""What was linked while somebody worked on it belongs to another account."""
_INSTALLED = "import importlib.metadata; print(importlib.metadata.version('stripe'))"
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
    """One app, its twin, and what it said."""

    twin: GraderTwin
    names: dict[str, str] = field(default_factory=dict)
    aliases: Aliases = field(default_factory=Aliases)
    linked: tuple[int, str] = (0, "")


@dataclass(frozen=True)
class Seen:
    """What the checks judge."""

    pairs: list[Pair]
    linked: tuple[tuple[int, str], tuple[int, str]]
    left: tuple[list[Any], list[Any]]
    asked: list[dict[str, Any]]
    refunds_of_flaky: int
    flaky: Answer
    installed: str
    pins: list[str]
    own_tests: int
    key_in_log: bool

    def alike(self, *groups: str, fields: tuple[str, ...] = ()) -> None:
        """`Failed` at the first call of these groups whose answers differ, or whose `fields` do."""
        pairs = [pair for pair in self.pairs if pair.call.group in groups]
        for pair in every(pairs, f"calls of {' and '.join(groups)}"):
            if pair.before[0] != pair.after[0]:
                raise Failed(f"{pair.call.label} has another status", before=pair.before[0], now=pair.after[0])
            before, after = _picked(pair.before, fields), _picked(pair.after, fields)
            if before != after:
                where, old, new = _difference(before, after)
                raise Failed(f"{pair.call.label} does not answer as before: {where}", before=old, now=new)


def watch(app: App, twin: GraderTwin, original: Original, draw: Draw) -> Seen:
    """Fill both accounts with the same, and ask both apps the same."""
    drawn = draw_all(draw)
    before, after = Side(original.twin), Side(twin)
    for side in (before, after):
        side.names = make_all(_ask(side.twin), side.twin.seed, side.twin.advance, drawn)
    state = twin.state()
    known = ids_of(state)
    if _content(state) != _content(original.twin.state()):
        raise GraderFault("the two twins do not hold the same")
    before.aliases, after.aliases = Aliases(known), Aliases(known)

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

    pairs = []
    for call in all_calls(drawn, before.names):
        pairs.append(Pair(call, _one(call, before, then), _one(call, after, now)))
    left = (left_behind(before), left_behind(after))
    asked = [entry for entry in twin.requests(since=mark)]
    for fault, call in (
        ("reset_before", Call("trouble", "GET", f"/repairs/{drawn.tags['paid'].number}")),
        ("server_error", Call("trouble", "GET", "/hires/{hire: plain}")),
    ):
        for side in (before, after):
            side.twin.faults([{"fault": fault}])
        pairs.append(Pair(call, _one(call, before, then), _one(call, after, now)))
    for side in (before, after):
        side.twin.faults([])
    twin.faults([{"fault": "reset_after", "endpoint": "POST /v1/refunds", "count": 1}])
    flaky = now("POST", f"/repairs/{drawn.tags['flaky'].number}/refunds", {"amount": 1000})
    twin.faults([])
    payment = after.names["repair: flaky"]
    refunds = [item for item in objects_of(twin.state(), "refund") if item["payment_intent"] == payment]
    return Seen(
        pairs, (before.linked, after.linked), left, asked, len(refunds), flaky,
        installed=app.run([PYTHON, "-c", _INSTALLED]).stdout.strip(),
        pins=_pins(app),
        own_tests=app.run([PYTHON, "-m", "pytest", "-q"], timeout=120).exit_code,
        key_in_log=twin.secret_key in app.log(),
    )  # fmt: skip


def _pins(app: App) -> list[str]:
    """What requirements.txt says of stripe."""
    try:
        text = app.read("requirements.txt")
    except Failed:
        return []
    lines = [line.split("#")[0].split(";")[0].replace(" ", "").strip() for line in text.splitlines()]
    return [line for line in lines if line.startswith("stripe")]


def _content(state: dict[str, Any]) -> Any:
    """Every object but the events, which name the requests that caused them."""
    return {kind: items for kind, items in state["accounts"][state["account"]].items() if kind != "event"}


def left_behind(side: Side) -> list[Any]:
    """What there is at Stripe, in the order in which it was made, as far as anybody would notice."""
    state = side.twin.state()
    rows: list[Any] = []
    for kind, fields in _NOTICED.items():
        for item in objects_of(state, kind):
            rows.append([kind, *[_value(item, name) for name in fields]])
    return [json.loads(json.dumps(side.aliases.settle(row))) for row in rows]


_NOTICED = {
    "customer": ("name", "balance"),
    "payment_intent": ("amount", "amount_received", "status", "metadata"),
    "charge": ("amount", "amount_refunded", "paid"),
    "refund": ("charge", "amount", "status", "reason", "metadata"),
    "invoice": ("customer", "status", "total", "amount_paid", "amount_remaining"),
    "subscription": (
        "customer", "status", "cancel_at", "cancel_at_period_end", "ended_at", "metadata", "billing_mode.type",
        "collection_method",
    ),
    "subscription_item": ("price.id", "quantity"),
    "discount": ("source.coupon", "promotion_code", "start", "end"),
    "promotion_code": ("code", "active", "times_redeemed"),
}  # fmt: skip


def _value(item: Any, name: str) -> Any:
    for part in name.split("."):
        item = item.get(part) if isinstance(item, dict) else None
    return item


def _one(call: Call, side: Side, send: Any) -> Answer:
    path, body = call.filled(side.names)
    status, answer = send(call.method, path, body)
    if call.keep and isinstance(answer, dict):
        side.names[call.keep] = str(answer.get("hire"))
    return status, side.aliases.settle(answer)


def _answer(response: httpx.Response) -> Answer:
    try:
        return response.status_code, response.json()
    except ValueError:
        return response.status_code, response.text[:200]


def _ask(twin: GraderTwin) -> Any:
    client = twin.client(version=OLD)

    def ask(method: str, path: str, **form: Any) -> dict[str, Any]:
        try:
            answer = client.raw_request(method.lower(), path, **form)
        except stripe.CardError as declined:
            return dict((declined.json_body or {})["error"])
        except stripe.StripeError as error:
            raise GraderFault(f"{method} {path}: {error}") from error
        found: dict[str, Any] = json.loads(answer.body)
        return found

    return ask


def _picked(answer: Answer, fields: tuple[str, ...]) -> Answer:
    status, body = answer
    if fields and isinstance(body, dict) and "error" not in body:
        return status, {name: body.get(name, "<missing>") for name in fields}
    return answer


def _difference(before: Any, after: Any, where: str = "") -> tuple[str, Any, Any]:
    """The first place where two answers differ."""
    if isinstance(before, tuple) and isinstance(after, tuple):
        if before[0] != after[0]:
            return "status", before[0], after[0]
        return _difference(before[1], after[1], "body")
    if isinstance(before, dict) and isinstance(after, dict):
        for name in [*before, *after]:
            if name not in before or name not in after:
                return f"{where}.{name}", before.get(name, "<missing>"), after.get(name, "<missing>")
            if before[name] != after[name]:
                return _difference(before[name], after[name], f"{where}.{name}")
    if isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            return f"{where} has another length", len(before), len(after)
        for position, (old, new) in enumerate(zip(before, after, strict=True)):
            if old != new:
                return _difference(old, new, f"{where}[{position}]")
    return where, before, after


__all__ = ["Drawn", "Pair", "Seen", "Side", "watch"]
