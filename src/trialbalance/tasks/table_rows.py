"""Rows of a proof that only read: the instruction against its checks, overlays against checks, canaries."""

from __future__ import annotations

from collections.abc import Sequence

from trialbalance.tasks.canary import missing_canaries
from trialbalance.tasks.grader import CheckOutline
from trialbalance.tasks.proof import Row
from trialbalance.tasks.requirement import cited, covers
from trialbalance.tasks.task import Task

ALTERNATES = 2


def citations(task: Task, checks: Sequence[CheckOutline]) -> Row:
    """Every check cites sentences that stand word for word in the instruction."""
    wrong = [
        f"{check.id} cites “{sentence}”"
        for check in checks
        for sentence in check.cites
        if not cited(sentence, task.instruction)
    ]
    if wrong:
        return Row("table/citations", False, f"not in instruction.md: {'; '.join(wrong)}")
    return Row("table/citations", True, f"{len(checks)} checks")


def requirements(task: Task, checks: Sequence[CheckOutline]) -> Row:
    """Every requirement of the instruction is cited by a required check."""
    bare = [
        requirement.sentence
        for requirement in task.requirements
        if not any(
            covers(sentence, requirement) for check in checks if check.required for sentence in check.cites
        )
    ]
    if bare:
        return Row("table/requirements", False, f"no required check cites: {'; '.join(bare)}")
    return Row("table/requirements", True, f"{len(task.requirements)} requirements")


def some_required(checks: Sequence[CheckOutline]) -> Row:
    """There is a required check that the start tree does not pass."""
    earned = [check.id for check in checks if check.required and not check.given]
    if not earned:
        return Row(
            "table/required", False, "no check is required and not given; add one that an agent has to earn"
        )
    return Row("table/required", True, f"{len(earned)} to be earned")


def alternates(task: Task) -> Row:
    """There are at least two other right solutions."""
    count = len(task.alternates)
    enough = count >= ALTERNATES
    return Row(
        "table/alternates", enough, f"{count} alternates" + ("" if enough else f"; {ALTERNATES} are needed")
    )


def killers(task: Task, checks: Sequence[CheckOutline]) -> Row:
    """Every required check is some mutant's killer, and every mutant names a check that there is."""
    known = {check.id for check in checks}
    wrong = [
        f"{mutant.label} names {name}, which is no check"
        for mutant in task.mutants
        for name in (mutant.kills, *mutant.also)
        if name not in known
    ]
    killed = {mutant.kills for mutant in task.mutants}
    wrong += [
        f"no mutant is killed by {check.id}" for check in checks if check.required and check.id not in killed
    ]
    if wrong:
        return Row("table/mutants", False, "; ".join(wrong))
    return Row("table/mutants", True, f"{len(task.mutants)} mutants")


def canary(task: Task) -> Row:
    """Every file that must has its canary, and the agent sees none."""
    missing = missing_canaries(task.directory)
    if missing:
        again = f"run: trialbalance tasks canary {task.name} --write"
        return Row("canary", False, f"without their canary: {', '.join(missing)}; {again}")
    return Row("canary", True)


def dependents(name: str, checks: Sequence[CheckOutline]) -> set[str]:
    """The checks that cannot hold when one fails: those that need it, and those that need those."""
    found: set[str] = set()
    while True:
        more = {check.id for check in checks if {name, *found} & set(check.needs)} - found
        if not more:
            return found
        found |= more
