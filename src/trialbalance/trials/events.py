"""`events.jsonl`: what happened in a trial and when, one line each.

`{"schema_version": "1", "at": unix seconds, "elapsed": seconds since the trial began, "event": "phase",
...}`. Events: `phase` (name), `phase_done` (name, seconds), `agent_step` (turn, text), `agent_done` (status),
`invalid` (stage, reason), `graded` (reward, partial_score), `done`.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import msgspec

from trialbalance.trials.clock import Clock, WallClock
from trialbalance.trials.files import append_line

SCHEMA = "1"


class EventLog:
    """Appends the events of one trial to its file."""

    def __init__(self, path: Path, clock: Clock | None = None) -> None:
        self.path = path
        self.clock = clock or WallClock()
        self._start = self.clock.monotonic()

    @property
    def elapsed(self) -> float:
        """Seconds since the log was opened."""
        return round(self.clock.monotonic() - self._start, 3)

    def write(self, event: str, **details: Any) -> None:
        """Append one event."""
        entry = {
            "schema_version": SCHEMA,
            "at": self.clock.now(),
            "elapsed": self.elapsed,
            "event": event,
            **details,
        }
        append_line(self.path, msgspec.json.encode(entry), sync=False)


class Follower:
    """Reads the lines that were added to a growing JSONL file since the last look."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offset = 0

    def new(self) -> list[dict[str, Any]]:
        """Complete new lines; a line still being written is left for the next call."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except OSError:
            return []
        end = data.rfind(b"\n") + 1
        self._offset += end
        found = []
        for line in data[:end].splitlines():
            with contextlib.suppress(msgspec.DecodeError):
                value = msgspec.json.decode(line)
                if isinstance(value, dict):
                    found.append(value)
        return found
