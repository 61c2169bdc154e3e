"""A job folder as a report reads it: small things at once, a trial's files when its page is written.

A trial's files come partly from agents, so nothing here trusts their shape or size: what cannot be read is left out
and said so.
"""

from __future__ import annotations

import contextlib
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from trialbalance.insight import Behaviour, read_behaviour
from trialbalance.trials.errors import BadJob
from trialbalance.trials.files import read_json, read_lines
from trialbalance.trials.job import Job
from trialbalance.trials.result import TrialResult

_TEXT_LIMIT = 4_000_000


class TrialFolder:
    """The files of one trial."""

    def __init__(self, path: Path, result: TrialResult) -> None:
        self.path = path
        self.result = result

    def _json(self, *parts: str) -> dict[str, Any]:
        try:
            value = read_json(self.path.joinpath(*parts), what="the trial's file")
        except BadJob:
            return {}
        return value if isinstance(value, dict) else {}

    def text(self, *parts: str) -> str:
        """A text file, "" when absent; a long one is cut in the middle and says so."""
        try:
            data = self.path.joinpath(*parts).read_bytes()
        except OSError:
            return ""
        if len(data) > _TEXT_LIMIT:
            half = _TEXT_LIMIT // 2
            data = data[:half] + f"\n… {len(data) - _TEXT_LIMIT} bytes left out …\n".encode() + data[-half:]
        return data.decode("utf-8", "replace")

    @cached_property
    def config(self) -> dict[str, Any]:
        """The trial's plan."""
        return self._json("config.json")

    @cached_property
    def lock(self) -> dict[str, Any]:
        """Versions and digests."""
        return self._json("lock.json")

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """The grader's checks."""
        return self._json("grader", "metrics.json")

    @cached_property
    def trajectory(self) -> dict[str, Any]:
        """The agent's steps in ATIF."""
        return self._json("agent", "trajectory.json")

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """`events.jsonl`."""
        return [event for event in read_lines(self.path / "events.jsonl") if isinstance(event, dict)]

    @cached_property
    def journal(self) -> list[dict[str, Any]]:
        """The twin's journal of the agent's time."""
        found = read_lines(self.path / "twin" / "journal.jsonl")
        return [entry for entry in found if isinstance(entry, dict)]

    @cached_property
    def behaviour(self) -> Behaviour | None:
        """How the agent worked, None without a trajectory."""
        with contextlib.suppress(TypeError, ValueError, AttributeError, msgspec.MsgspecError):
            return read_behaviour(self.path, self.result.reward)
        return None

    @cached_property
    def screenshots(self) -> list[Path]:
        """The grader's pictures: one folder per check, in order."""
        return sorted(path for path in self._screenshot_folder.rglob("*.png") if path.is_file())

    @property
    def _screenshot_folder(self) -> Path:
        return self.path / "grader" / "screenshots"

    def screenshot_name(self, path: Path) -> str:
        """A picture's path below the folder of pictures: `check/step.png`."""
        return path.relative_to(self._screenshot_folder).as_posix()

    @cached_property
    def files(self) -> list[tuple[str, int]]:
        """Every file of the trial worth opening, with its size."""
        found = []
        for path in sorted(self.path.rglob("*")):
            name = path.relative_to(self.path).as_posix()
            if path.is_file() and not path.is_symlink() and not name.startswith((".work", "attempt-")):
                found.append((name, path.stat().st_size))
        return found


class JobFolder:
    """A job, its results and its trials' folders."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = Job.load(path).config
        self.results = Job.load(path).results()

    @cached_property
    def lock(self) -> dict[str, Any]:
        """The versions the job ran with, {} when the file is gone."""
        try:
            value = read_json(self.path / "lock.json", what="the job's lock")
        except BadJob:
            return {}
        return value if isinstance(value, dict) else {}

    def trial(self, result: TrialResult) -> TrialFolder:
        """The folder of one trial."""
        return TrialFolder(self.path / result.trial, result)

    @property
    def pending(self) -> int:
        """Planned trials without a result."""
        done = {result.trial for result in self.results}
        return sum(plan.trial not in done for plan in self.config.trials)
