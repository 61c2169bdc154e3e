# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-950d645dfb05: keep out of training data
"""Both desks, side by side: filled alike, asked alike, a month later asked again, and what came of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from trialbalance.grading import App, Draw, Failed, GraderFault, GraderTwin, Original
from trialbalance.grading.alike import Aliases
from trialbalance.grading.side_by_side import Answer, Call, Pair, Side, Sides, alike, asking
from trialbalance.grading.state import ids_of, objects_of

from quay_calls import LATER, first_round, second_round
from quay_world import OLD, Drawn, draw_all, make_all

LINK = ["./link.sh"]
TESTS = ["mvn", "-o", "-q", "-B", "test"]
FORGET = ["sh", "-c", 'rm -rf "$RECORDS_PATH"']
"""What was linked while somebody worked on it belongs to another account."""


@dataclass(frozen=True)
class Seen:
    """What the checks judge."""

    pairs: list[Pair]
    linked: tuple[tuple[int, str], tuple[int, str]]
    left: tuple[list[Any], list[Any]]
    asked: list[dict[str, Any]]
    flaky: tuple[Answer, int]
    pinned: list[str]
    own_tests: int
    key_in_log: bool

    def alike(self, *groups: str, fields: tuple[str, ...] = ()) -> None:
        """See `trialbalance.grading.side_by_side.alike`."""
        alike(self.pairs, *groups, fields=fields)


def watch(app: App, twin: GraderTwin, original: Original, draw: Draw) -> Seen:
    """Fill both accounts with the same, and ask both desks the same."""
    drawn = draw_all(draw)
    sides = Sides(app, twin, original)
    for side in sides:
        ask = asking(side.twin, OLD)
        side.names = make_all(ask, side.twin.seed, side.twin.advance, drawn, metered=side is sides.after)
    state, meter = twin.state(), sides.after.names["meter"]
    if _content(state, meter) != _content(original.twin.state(), meter):
        raise GraderFault("the two twins do not hold the same")
    for side in sides:
        side.aliases = Aliases(ids_of(state))

    for one in (app, original):
        one.run(FORGET)
    done = original.run(LINK)
    if done.exit_code != 0:
        raise GraderFault(f"the original could not link its records: {done.stderr[-400:]}")
    mark = twin.mark()
    ran = app.run(LINK)
    app.start()
    pairs = [sides.both(call) for call in first_round(drawn, sides.before.names)]
    left = (_left_behind(sides.before), _left_behind(sides.after))
    for side in sides:
        side.twin.advance(LATER)
    pairs += [sides.both(call) for call in second_round(drawn)]
    asked = list(twin.requests(since=mark))
    troubles = (
        ("reset_before", Call("trouble", "GET", f"/lots/{drawn.lots['paid'].number}")),
        ("server_error", Call("trouble", "GET", "/lockers/{locker: plain}")),
    )
    for fault, call in troubles:
        for side in sides:
            side.twin.faults([{"fault": fault}])
        pairs.append(sides.both(call))
    for side in sides:
        side.twin.faults([])
    return Seen(
        pairs, ((done.exit_code, done.stdout), (ran.exit_code, ran.stdout)), left, asked, _flaky(drawn, sides.after),
        pinned=_pinned(app),
        own_tests=app.run(TESTS, timeout=180).exit_code,
        key_in_log=twin.secret_key in app.log(),
    )  # fmt: skip


def _flaky(drawn: Drawn, after: Side) -> tuple[Answer, int]:
    """A return whose answer is lost on the way: what the caller hears, and how many refunds there are."""
    after.twin.faults([{"fault": "reset_after", "endpoint": "POST /v1/refunds", "count": 1}])
    answer = after.send("POST", f"/lots/{drawn.lots['flaky'].number}/returns", {"amount": 1000})
    after.twin.faults([])
    payment = after.names["lot: flaky"]
    return answer, sum(1 for item in objects_of(after.twin.state(), "refund") if item["payment_intent"] == payment)


def _pinned(app: App) -> list[str]:
    """The versions of stripe-java that pom.xml names, with its own properties filled in."""
    try:
        root = ElementTree.fromstring(re.sub(r'\sxmlns="[^"]*"', "", app.read("pom.xml"), count=1))
    except (Failed, ElementTree.ParseError):
        return []
    properties = {f"${{{entry.tag}}}": (entry.text or "").strip() for entry in root.iterfind("properties/*")}
    found = []
    for dependency in root.iter("dependency"):
        if (dependency.findtext("artifactId") or "").strip() == "stripe-java":
            version = (dependency.findtext("version") or "").strip()
            found.append(properties.get(version, version))
    return [version for version in found if version]


def _content(state: dict[str, Any], meter: str) -> Any:
    """Every object but the events, which name the requests that caused them; the price of ice without its meter."""
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
    rows += [["usage", at, count] for at, count in sorted(used.items()) if count]
    return [json.loads(json.dumps(side.aliases.settle(row))) for row in rows]


_NOTICED = {
    "customer": ("name", "balance"),
    "payment_intent": ("amount", "amount_received", "currency", "status", "customer", "metadata", "receipt_email"),
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


__all__ = ["LINK", "Seen", "watch"]
