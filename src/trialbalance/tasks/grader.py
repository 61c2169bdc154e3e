"""What a proof needs of a grader. `trialbalance.grading` has one; tasks know no more than this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from trialbalance.tasks.task import Task


@dataclass(frozen=True)
class CheckOutline:
    """A check as the proof sees it."""

    id: str
    cites: tuple[str, ...]
    given: bool
    required: bool
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """A grade as the proof sees it: `fault` is what of ours broke, `written` the bytes of both JSON files."""

    reward: int | None
    fault: str | None
    statuses: dict[str, Literal["pass", "fail", "not_run"]]
    messages: dict[str, str]
    flags: tuple[str, ...]
    written: bytes

    @property
    def failed(self) -> tuple[str, ...]:
        """The ids of the checks that failed."""
        return tuple(name for name, status in self.statuses.items() if status == "fail")

    def why(self) -> str:
        """The first failure in words."""
        if self.fault is not None:
            return f"invalid: {self.fault}"
        for name in self.failed:
            return f"{name}: {self.messages[name]}"
        return "every check passed"


class Grader(Protocol):
    """Reads and runs a task's checks."""

    def outline(self, task: Task) -> Sequence[CheckOutline]:
        """The checks of a task, in order."""

    def grade(
        self, task: Task, workspace: Path, trial: Path, seed: int, *, start: Path, backwards: bool
    ) -> Verdict:
        """Grade a tree; `backwards` runs the checks in the opposite order, which must change nothing."""
