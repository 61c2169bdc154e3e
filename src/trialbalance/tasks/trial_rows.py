"""Rows of a proof that grade: reference, null, empty, alternates, mutants, cheats, determinism."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from trialbalance.tasks.attempt import Attempt, Base, attempt
from trialbalance.tasks.errors import TaskError
from trialbalance.tasks.grader import CheckOutline, Grader, Verdict
from trialbalance.tasks.overlay import Overlay, load_overlay
from trialbalance.tasks.prepare import Prepared
from trialbalance.tasks.proof import Row
from trialbalance.tasks.table_rows import dependents

COMMON = Path(__file__).parent / "cheats"
"""Attacks that every task must withstand."""

_TOLD = 160
Judge = Callable[[Verdict], str]
"""What is wrong with a verdict, or an empty text."""


@dataclass(frozen=True)
class Trial:
    """One row to try: what is attempted, and what its verdict must be. `tells`: the row says how it failed."""

    id: str
    seed: int
    base: Base
    overlay: Overlay | None
    judge: Judge
    twice: bool = False
    tells: bool = False


def common_cheats() -> tuple[Overlay, ...]:
    """The cheats that are tried on every task: on the start tree, and if they keep the reward, on the
    reference.
    """
    return tuple(
        load_overlay(directory, "cheat", f"cheats/{directory.name}")
        for directory in sorted(COMMON.iterdir())
        if (directory / "overlay.toml").is_file()
    )


def trials(prepared: Prepared, checks: Sequence[CheckOutline], runs: int) -> list[Trial]:
    """Every row that grades, the telling ones first."""
    task = prepared.task
    null = partial(_nothing_earned, checks)
    rows = [
        Trial("nop", 1, "start", None, null),
        Trial("empty", 1, "empty", None, null),
        Trial("determinism/reference", 2, "reference", None, _full, twice=True),
        Trial("determinism/start", 2, "start", None, null, twice=True),
    ]
    rows += [Trial(item.label, 3, item.base, item, _full) for item in task.alternates]
    rows += [Trial(item.label, 4, item.base, item, partial(_killed, checks, item)) for item in task.mutants]
    rows += [_cheat(item.label, item) for item in task.cheats]
    for item in common_cheats():
        label = f"cheat/common/{item.name}"
        rows.append(Trial(label, 5, "start", item, partial(_flagged, item, _no_reward)))
        if item.keeps_reward:
            rows.append(Trial(f"{label}/on-reference", 5, "reference", item, partial(_flagged, item, _full)))
    rows += [Trial(f"reference/{run:02}", 100 + run, "reference", None, _full) for run in range(1, runs + 1)]
    return rows


def try_row(trial: Trial, prepared: Prepared, grader: Grader, directory: Path, backend: str) -> Row:
    """Attempt and grade one row; whatever goes wrong is a row that did not pass."""
    try:
        made = attempt(
            prepared, directory, seed=trial.seed, base=trial.base, overlay=trial.overlay, backend=backend
        )
        verdict = _grade(trial, prepared, grader, made, "grade-1", backwards=False)
        problem = trial.judge(verdict)
        told = verdict.why()[:_TOLD] if trial.tells and not problem else ""
        if not problem and trial.twice:
            again = _grade(trial, prepared, grader, made, "grade-2", backwards=True)
            if again.written != verdict.written:
                problem = f"grading the same files again gave other bytes: {_difference(verdict, again)}"
    except TaskError as error:
        problem, told = str(error), ""
    except Exception as error:
        problem = f"invalid: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
        told = ""
    return Row(trial.id, not problem, problem or told)


def _grade(
    trial: Trial, prepared: Prepared, grader: Grader, made: Attempt, name: str, *, backwards: bool
) -> Verdict:
    folder = made.trial.with_name(name)
    folder.mkdir()
    (folder / "twin").symlink_to(made.trial / "twin")
    return grader.grade(
        prepared.task, made.workspace, folder, trial.seed, start=prepared.tree, backwards=backwards
    )


def _cheat(label: str, cheat: Overlay) -> Trial:
    if cheat.keeps_reward:
        return Trial(label, 5, cheat.base, cheat, partial(_flagged, cheat, _full))
    return Trial(label, 5, cheat.base, cheat, partial(_flagged, cheat, _no_reward), tells=True)


def _full(verdict: Verdict) -> str:
    return "" if verdict.reward == 1 else f"reward {verdict.reward}, not 1: {verdict.why()}"


def _no_reward(verdict: Verdict) -> str:
    return "" if verdict.reward == 0 else f"reward {verdict.reward}, not 0: {verdict.why()}"


def _nothing_earned(checks: Sequence[CheckOutline], verdict: Verdict) -> str:
    earned = [c.id for c in checks if not c.given and verdict.statuses.get(c.id) == "pass"]
    if verdict.reward == 0 and earned:
        return f"these passed without any work: {', '.join(earned)}; make them fail, or mark them given"
    return _no_reward(verdict)


def _killed(checks: Sequence[CheckOutline], mutant: Overlay, verdict: Verdict) -> str:
    assert mutant.kills is not None
    if verdict.fault is not None:
        return verdict.why()
    if mutant.kills not in verdict.failed:
        return f"{mutant.kills} did not notice it; failed: {', '.join(verdict.failed) or 'nothing'}"
    expected = {mutant.kills, *mutant.also, *dependents(mutant.kills, checks)}
    others = [name for name in verdict.failed if name not in expected]
    if others:
        return f"it also fails {', '.join(others)}: {verdict.messages[others[0]]}"
    return ""


def _flagged(cheat: Overlay, judge: Judge, verdict: Verdict) -> str:
    problem = judge(verdict)
    if not problem and cheat.flag is not None and cheat.flag not in verdict.flags:
        return f"the grade does not bear the flag {cheat.flag}; it has: {', '.join(verdict.flags) or 'none'}"
    return problem


def _difference(one: Verdict, other: Verdict) -> str:
    for mine, yours in zip(one.written.splitlines(), other.written.splitlines(), strict=False):
        if mine != yours:
            return f"{mine.decode(errors='replace').strip()} / {yours.decode(errors='replace').strip()}"
    return "one is longer"
