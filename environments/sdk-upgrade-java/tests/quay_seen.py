# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-950d645dfb05: keep out of training data
"""Both desks, side by side: filled alike, asked alike, a month later asked again, and what came of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from trialbalance.grading import App, Draw, Failed, GraderTwin, Original
from trialbalance.grading.left_behind import NOTICED, left_behind, usage
from trialbalance.grading.side_by_side import Answer, Call, Pair, Run, Sides, alike, asking

from quay_calls import LATER, first_round, second_round
from quay_world import OLD, draw_all, make_all

LINK = ["./link.sh"]
TESTS = ["mvn", "-o", "-q", "-B", "test"]
FORGET = ["sh", "-c", 'rm -rf "$RECORDS_PATH"']
"""What was linked while somebody worked on it belongs to another account."""


@dataclass(frozen=True)
class Seen:
    """What the checks judge."""

    pairs: list[Pair]
    linked: tuple[Run, Run]
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
    sides.begin(sides.after.names["meter"])
    mark = twin.mark()
    linked = sides.run(LINK, FORGET)
    app.start()
    pairs = [sides.both(call) for call in first_round(drawn, sides.before.names)]
    left = (left_behind(sides.before, _NOTICED, _ice), left_behind(sides.after, _NOTICED, _ice))
    for side in sides:
        side.twin.advance(LATER)
    pairs += [sides.both(call) for call in second_round(drawn)]
    asked = list(twin.requests(since=mark))
    lots = {name: f"/lots/{lot.number}" for name, lot in drawn.lots.items()}
    troubles = {"reset_before": Call("trouble", "GET", lots["paid"]), "server_error": Call("trouble", "GET", "/lockers/{locker: plain}")}
    pairs += sides.troubled(troubles)
    return Seen(
        pairs, linked, left, asked,
        flaky=sides.lost_refund(f"{lots['flaky']}/returns", sides.after.names["lot: flaky"]),
        pinned=_pinned(app),
        own_tests=app.run(TESTS, timeout=180).exit_code,
        key_in_log=twin.secret_key in app.log(),
    )  # fmt: skip


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


_SOLD = ("amount", "amount_received", "currency", "status", "customer", "metadata", "receipt_email")
_NOTICED = {**NOTICED, "payment_intent": _SOLD}


def _ice(state: dict[str, Any]) -> list[list[Any]]:
    """The crates of each hour; an hour that was told to have none is like one that was not told."""
    return [row for row in usage(state) if row[-1]]


__all__ = ["LINK", "Seen", "watch"]
