"""What a person sees while a job runs: a table that redraws itself, or plain lines where there is no terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from trialbalance.report import words
from trialbalance.trials import Tick, TrialResult
from trialbalance.trials.clock import Clock, WallClock
from trialbalance.trials.events import Follower


class _Watched:
    """One running trial, read from the files that it writes."""

    def __init__(self, folder: Path, started: float) -> None:
        self.folder = folder
        self.started = started
        self.phase = "starting"
        self.last = ""
        self.calls = 0
        self.cost: float | None = None
        self._events = Follower(folder / "events.jsonl")
        self._calls = Follower(folder / "gateway" / "calls.jsonl")

    def refresh(self) -> bool:
        """Read what is new; whether the phase changed."""
        before = self.phase
        for event in self._events.new():
            if event.get("event") == "phase":
                self.phase = str(event.get("name"))
            elif event.get("event") == "agent_step":
                self.last = str(event.get("text", ""))
        for call in self._calls.new():
            self.calls += 1
            cost = call.get("cost_usd")
            if isinstance(cost, int | float):
                self.cost = (self.cost or 0.0) + cost
            self.last = last_step(call) or self.last
        return self.phase != before


def last_step(call: dict[str, Any]) -> str:
    """What a model's answer asked for, in a few words: a tool and its first argument, or the beginning of a text."""
    found: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, dict):
            name, arguments = value.get("name"), value.get("arguments", value.get("input"))
            if isinstance(name, str) and arguments is not None:
                found.append(f"{name.split('__')[-1]} {arguments}")
            for item in value.values():
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)

    response = call.get("response")
    walk(response)
    return " ".join(found[0].split())[:200] if found else ""


class LiveView:
    """Shows a job's progress on a console; `update` is the job's observer."""

    def __init__(self, console: Console, clock: Clock | None = None) -> None:
        self.console = console
        self.clock = clock or WallClock()
        self._watched: dict[str, _Watched] = {}
        self._seen: set[str] = set()
        self._live: Live | None = None

    @contextlib.contextmanager
    def shown(self) -> Iterator[LiveView]:
        """Show it for as long as the block lasts."""
        if not self.console.is_terminal:
            yield self
            return
        with Live(console=self.console, refresh_per_second=4, transient=True) as live:
            self._live = live
            try:
                yield self
            finally:
                self._live = None

    def update(self, tick: Tick) -> None:
        """Take in what the job just told."""
        now = self.clock.monotonic()
        for result in tick.finished:
            if result.trial not in self._seen:
                self._seen.add(result.trial)
                self._print(finished_line(result, len(self._seen), tick.total))
        for name, folder in tick.running.items():
            if name not in self._watched:
                self._watched[name] = _Watched(folder, now)
        for name in list(self._watched):
            if name not in tick.running:
                del self._watched[name]
        for name, watched in self._watched.items():
            if watched.refresh() and self._live is None:
                self._print(Text(f"  {name}: {watched.phase}"))
        if self._live is not None:
            self._live.update(self._table(tick, now))

    def _print(self, line: Text) -> None:
        (self._live.console if self._live is not None else self.console).print(line, soft_wrap=True)

    def _table(self, tick: Tick, now: float) -> Group:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        for name in ("trial", "phase", "time", "calls", "cost"):
            table.add_column(name, justify="left" if name in {"trial", "phase"} else "right", no_wrap=True)
        table.add_column("last step", no_wrap=True, overflow="ellipsis", ratio=1)
        for name, watched in self._watched.items():
            table.add_row(
                name,
                watched.phase,
                words.duration(now - watched.started),
                str(watched.calls or "–"),
                words.money(watched.cost),
                Text(watched.last, style="dim"),
            )
        return Group(Text(f"{len(tick.finished)} of {tick.total} trials done", style="bold"), table)


def finished_line(result: TrialResult, number: int, total: int) -> Text:
    """`[3/8] task · agent: reward 1, 14/14 checks, 42 s`."""
    line = Text(f"[{number}/{total}] {result.task} · {result.agent}")
    if result.sample > 1:
        line.append(f" · {result.sample}")
    line.append(": ")
    if result.status != "completed":
        line.append(f"invalid ({result.invalid_stage}: {result.invalid_reason})", style="yellow")
        return line
    line.append(f"reward {result.reward}", style="bold green" if result.reward else "bold red")
    line.append(
        f", {result.checks_passed}/{result.checks_required} checks, {words.duration(result.seconds_total)}"
    )
    if result.outcome not in (None, "completed"):
        line.append(f", agent ended by {str(result.outcome).replace('_', ' ')}")
    if result.cost_usd is not None:
        line.append(f", {words.money(result.cost_usd)}")
    return line
