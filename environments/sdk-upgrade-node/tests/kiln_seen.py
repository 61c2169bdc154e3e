# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-0977ae6b4612: keep out of training data
"""Both apps, side by side: filled alike, asked alike, a month later asked again, and what came of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from trialbalance.grading import App, Draw, Failed, GraderTwin, Original
from trialbalance.grading.left_behind import left_behind, usage
from trialbalance.grading.side_by_side import Answer, Call, Pair, Run, Sides, alike, asking

from kiln_calls import LATER, first_round, second_round
from kiln_world import OLD, draw_all, make_all

TSX = "node_modules/.bin/tsx"
LINK = [TSX, "scripts/link-records.ts"]
FORGET = ["sh", "-c", 'rm -f "$DATABASE_PATH" "$DATABASE_PATH-wal" "$DATABASE_PATH-shm" "$DATABASE_PATH-journal"']
"""What was linked while somebody worked on it belongs to another account."""


@dataclass(frozen=True)
class Seen:
    """What the checks judge."""

    pairs: list[Pair]
    linked: tuple[Run, Run]
    left: tuple[list[Any], list[Any]]
    asked: list[dict[str, Any]]
    flaky: tuple[Answer, int]
    installed: str
    pins: tuple[str, str]
    own_tests: int
    types: int
    key_in_log: bool

    def alike(self, *groups: str, fields: tuple[str, ...] = ()) -> None:
        """See `trialbalance.grading.side_by_side.alike`."""
        alike(self.pairs, *groups, fields=fields)


def watch(app: App, twin: GraderTwin, original: Original, draw: Draw) -> Seen:
    """Fill both accounts with the same, and ask both apps the same."""
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
    left = (left_behind(sides.before, more=usage), left_behind(sides.after, more=usage))
    for side in sides:
        side.twin.advance(LATER)
    pairs += [sides.both(call) for call in second_round()]
    asked = list(twin.requests(since=mark))
    sales = {name: f"/sales/{sale.number}" for name, sale in drawn.sales.items()}
    troubles = {"reset_before": Call("trouble", "GET", sales["paid"]), "server_error": Call("trouble", "GET", "/benches/{bench: plain}")}
    pairs += sides.troubled(troubles)
    return Seen(
        pairs, linked, left, asked,
        flaky=sides.lost_refund(f"{sales['flaky']}/refunds", sides.after.names["sale: flaky"]),
        installed=_installed(app),
        pins=_pins(app),
        own_tests=app.run(["npm", "test"], timeout=120).exit_code,
        types=app.run(["npm", "run", "check"], timeout=120).exit_code,
        key_in_log=twin.secret_key in app.log(),
    )  # fmt: skip


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


__all__ = ["LINK", "Seen", "watch"]
