# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-c76e679eecf6: keep out of training data
"""Both apps, side by side: filled alike, asked alike, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trialbalance.grading import App, Draw, Failed, GraderTwin, Original
from trialbalance.grading.left_behind import NOTICED, left_behind
from trialbalance.grading.side_by_side import Answer, Call, Pair, Run, Sides, alike, asking

from lane_calls import all_calls
from lane_world import OLD, draw_all, make_all

PYTHON = ".venv/bin/python"
LINK = [PYTHON, "scripts/link_records.py"]
FORGET = ["sh", "-c", 'rm -f "$DATABASE_PATH" "$DATABASE_PATH-wal" "$DATABASE_PATH-shm" "$DATABASE_PATH-journal"']
"""What was linked while somebody worked on it belongs to another account."""
_INSTALLED = "import importlib.metadata; print(importlib.metadata.version('stripe'))"
_NOTICED = {
    **NOTICED,
    "subscription": (*NOTICED["subscription"], "collection_method"),
    "discount": ("source.coupon", "promotion_code", "start", "end"),
    "promotion_code": ("code", "active", "times_redeemed"),
}


@dataclass(frozen=True)
class Seen:
    """What the checks judge."""

    pairs: list[Pair]
    linked: tuple[Run, Run]
    left: tuple[list[Any], list[Any]]
    asked: list[dict[str, Any]]
    flaky: tuple[Answer, int]
    installed: str
    pins: list[str]
    own_tests: int
    key_in_log: bool

    def alike(self, *groups: str, fields: tuple[str, ...] = ()) -> None:
        """See `trialbalance.grading.side_by_side.alike`."""
        alike(self.pairs, *groups, fields=fields)


def watch(app: App, twin: GraderTwin, original: Original, draw: Draw) -> Seen:
    """Fill both accounts with the same, and ask both apps the same."""
    drawn = draw_all(draw)
    sides = Sides(app, twin, original)
    for side in sides:
        side.names = make_all(asking(side.twin, OLD), side.twin.seed, side.twin.advance, drawn)
    sides.begin()
    mark = twin.mark()
    linked = sides.run(LINK, FORGET)
    app.start()
    pairs = [sides.both(call) for call in all_calls(drawn, sides.before.names)]
    left = (left_behind(sides.before, _NOTICED), left_behind(sides.after, _NOTICED))
    asked = list(twin.requests(since=mark))
    repairs = {name: f"/repairs/{tag.number}" for name, tag in drawn.tags.items()}
    troubles = {"reset_before": Call("trouble", "GET", repairs["paid"]), "server_error": Call("trouble", "GET", "/hires/{hire: plain}")}
    pairs += sides.troubled(troubles)
    return Seen(
        pairs, linked, left, asked,
        flaky=sides.lost_refund(f"{repairs['flaky']}/refunds", sides.after.names["repair: flaky"]),
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


__all__ = ["LINK", "Seen", "watch"]
