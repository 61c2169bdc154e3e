"""The grader of `trialbalance.tasks.check`: reads and runs a task's checks for a proof."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trialbalance.grading.check import load_checks
from trialbalance.grading.grade import grade
from trialbalance.grading.result import metrics_json
from trialbalance.tasks import CheckOutline, Task, Verdict


class Prover:
    """Grades as trials are graded."""

    def __init__(self, backend: str = "auto") -> None:
        self._backend = backend

    def outline(self, task: Task) -> Sequence[CheckOutline]:
        """The checks of a task, in order."""
        return [
            CheckOutline(check.id, check.cites, check.given, check.required, check.needs)
            for check in load_checks(task.checks).checks
        ]

    def grade(
        self, task: Task, workspace: Path, trial: Path, seed: int, *, start: Path, backwards: bool
    ) -> Verdict:
        """Grade a tree, in the order of the checks or in the opposite one."""
        order = [check.id for check in self.outline(task)]
        result = grade(
            task,
            workspace,
            trial,
            seed,
            start=start,
            order=order[::-1] if backwards else order,
            backend=self._backend,
        )
        reward = trial / "grader" / "reward.json"
        return Verdict(
            reward=result.reward,
            fault=result.fault,
            statuses={check.id: check.status for check in result.checks},
            messages={check.id: check.message for check in result.checks},
            flags=tuple(sorted({flag.kind for flag in result.flags})),
            written=(reward.read_bytes() if reward.is_file() else b"") + metrics_json(result),
        )
