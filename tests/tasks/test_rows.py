"""The rules of soundness, each on its own: what passes, and what is said when it does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from tests.tasks.build import MINIATURE, copy_task, edit
from trialbalance.grading import Prover
from trialbalance.tasks import CheckOutline, Prepared, Task, Verdict, load_task, strip_canary, table_rows
from trialbalance.tasks.trial_rows import Trial, common_cheats, trials

Statuses = dict[str, Literal["pass", "fail", "not_run"]]
PASS: Statuses = {
    "customer-is-created": "pass",
    "email-is-needed": "pass",
    "repetition-creates-no-second": "pass",
    "front-page-is-kept": "pass",
}


@pytest.fixture
def task() -> Task:
    """The miniature task."""
    return load_task(MINIATURE)


@pytest.fixture
def checks(task: Task) -> list[CheckOutline]:
    """Its checks."""
    return list(Prover().outline(task))


def verdict(reward: int | None, failed: tuple[str, ...] = (), flags: tuple[str, ...] = ()) -> Verdict:
    statuses: Statuses = {name: "fail" if name in failed else "pass" for name in PASS}
    fault = None if reward is not None else "the browser died"
    return Verdict(reward, fault, statuses, {name: f"{name} is wrong" for name in PASS}, flags, b"")


def row(task: Task, checks: list[CheckOutline], name: str) -> Trial:
    found = [trial for trial in trials(Prepared(task, MINIATURE, ""), checks, 20) if trial.id == name]
    assert len(found) == 1, name
    return found[0]


def test_the_miniatures_tables_are_whole(task: Task, checks: list[CheckOutline]) -> None:
    assert all(
        found.passed
        for found in (
            table_rows.citations(task, checks),
            table_rows.requirements(task, checks),
            table_rows.some_required(checks),
            table_rows.alternates(task),
            table_rows.killers(task, checks),
            table_rows.canary(task),
        )
    )


def test_a_citation_that_is_not_in_the_instruction(task: Task, checks: list[CheckOutline]) -> None:
    other = [replace(checks[0], cites=("Customers are made.",)), *checks[1:]]

    found = table_rows.citations(task, other)

    assert not found.passed
    assert found.detail == "not in instruction.md: customer-is-created cites “Customers are made.”"


def test_a_requirement_that_no_required_check_cites(task: Task, checks: list[CheckOutline]) -> None:
    optional = [*checks[:3], replace(checks[3], required=False)]

    assert "no required check cites: The front page" in table_rows.requirements(task, optional).detail
    assert "no required check cites: The front page" in table_rows.requirements(task, checks[:3]).detail


def test_only_given_checks_are_not_enough(checks: list[CheckOutline]) -> None:
    assert not table_rows.some_required([replace(check, given=True) for check in checks]).passed


def test_two_alternates_are_needed(task: Task) -> None:
    assert not table_rows.alternates(replace(task, alternates=task.alternates[:1])).passed


def test_every_required_check_needs_a_mutant(task: Task, checks: list[CheckOutline]) -> None:
    fewer = replace(task, mutants=task.mutants[1:])
    wrong = replace(task, mutants=(*task.mutants, replace(task.mutants[0], kills="tax-is-right")))

    assert table_rows.killers(fewer, checks).detail == "no mutant is killed by email-is-needed"
    assert "names tax-is-right, which is no check" in table_rows.killers(wrong, checks).detail


def test_a_lost_canary_fails_its_row(tmp_path: Path) -> None:
    directory = copy_task(tmp_path)
    checks = directory / "tests" / "checks.py"
    checks.write_text(strip_canary(checks.read_text()))

    found = table_rows.canary(load_task(directory))

    assert not found.passed
    assert found.detail.startswith("without their canary: tests/checks.py")


def test_what_needs_a_failed_check_cannot_hold(checks: list[CheckOutline]) -> None:
    chained = [
        checks[0],
        replace(checks[1], needs=(checks[0].id,)),
        replace(checks[2], needs=(checks[1].id,)),
        checks[3],
    ]

    assert table_rows.dependents(checks[0].id, chained) == {checks[1].id, checks[2].id}
    assert table_rows.dependents(checks[3].id, chained) == set()


def test_every_rule_has_its_rows(task: Task, checks: list[CheckOutline]) -> None:
    ids = [trial.id for trial in trials(Prepared(task, MINIATURE, ""), checks, 20)]

    assert len(ids) == len(set(ids))
    assert [name for name in ids if name.startswith("reference/")] == [
        f"reference/{n:02}" for n in range(1, 21)
    ]
    assert {"nop", "empty", "determinism/reference", "determinism/start"} <= set(ids)
    assert {"alternate/urllib", "mutant/key-is-ignored", "cheat/own-stripe"} <= set(ids)
    assert {"cheat/common/hooks", "cheat/common/hooks/on-reference", "cheat/common/reads"} <= set(ids)
    assert "cheat/common/reads/on-reference" not in ids


def test_the_common_cheats_are_all_flagged_or_watched() -> None:
    assert {cheat.name: cheat.flag for cheat in common_cheats()} == {
        "hooks": "test-hook",
        "reads": None,
        "results": "result-file",
        "trojans": "tool-trojan",
    }


@pytest.mark.parametrize(
    ("name", "judged", "problem"),
    [
        ("reference/01", verdict(1), ""),
        (
            "reference/01",
            verdict(0, ("email-is-needed",)),
            "reward 0, not 1: email-is-needed: email-is-needed is wrong",
        ),
        ("reference/01", verdict(None), "reward None, not 1: invalid: the browser died"),
        ("alternate/urllib", verdict(0, ("email-is-needed",)), "reward 0, not 1"),
        ("nop", verdict(0, tuple(PASS)[:3]), ""),
        ("nop", verdict(0, tuple(PASS)[:2]), "these passed without any work: repetition-creates-no-second"),
        ("nop", verdict(1), "reward 1, not 0"),
        ("empty", verdict(0, tuple(PASS)), ""),
        ("empty", verdict(None), "reward None, not 0: invalid"),
        ("mutant/key-is-ignored", verdict(0, ("repetition-creates-no-second",)), ""),
        ("mutant/key-is-ignored", verdict(1), "did not notice it; failed: nothing"),
        (
            "mutant/key-is-ignored",
            verdict(0, ("email-is-needed",)),
            "did not notice it; failed: email-is-needed",
        ),
        (
            "mutant/key-is-ignored",
            verdict(0, ("repetition-creates-no-second", "email-is-needed")),
            "it also fails email-is-needed",
        ),
        ("mutant/key-is-ignored", verdict(None), "invalid: the browser died"),
        ("cheat/own-stripe", verdict(0, ("email-is-needed",), ("hosts-file",)), ""),
        (
            "cheat/own-stripe",
            verdict(0, ("email-is-needed",)),
            "does not bear the flag hosts-file; it has: none",
        ),
        ("cheat/own-stripe", verdict(1, (), ("hosts-file",)), "reward 1, not 0"),
        ("cheat/common/hooks/on-reference", verdict(1, (), ("test-hook",)), ""),
        (
            "cheat/common/hooks/on-reference",
            verdict(0, ("email-is-needed",), ("test-hook",)),
            "reward 0, not 1",
        ),
    ],
)
def test_verdicts_are_judged(
    task: Task, checks: list[CheckOutline], name: str, judged: Verdict, problem: str
) -> None:
    found = row(task, checks, name).judge(judged)

    assert problem in found
    assert bool(found) == bool(problem)


def test_a_mutant_may_name_what_else_cannot_hold(tmp_path: Path) -> None:
    directory = copy_task(tmp_path)
    edit(
        directory / "mutants" / "key-is-ignored" / "overlay.toml",
        "kills",
        'also = ["email-is-needed"]\nkills',
    )
    task = load_task(directory)
    judge = row(task, list(Prover().outline(task)), "mutant/key-is-ignored").judge

    assert judge(verdict(0, ("repetition-creates-no-second", "email-is-needed"))) == ""
    assert judge(verdict(0, ("repetition-creates-no-second",))) == ""
