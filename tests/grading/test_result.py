"""From checks to a reward, and to bytes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from trialbalance.grading import CheckResult, Flag, Grade, read_metrics
from trialbalance.grading.result import Status, judge, metrics_json, reward_json


def result(name: str, status: Status, *, required: bool = True) -> CheckResult:
    return CheckResult(name, f"{name} holds.", status, required, False, "", ({"kind": "http"},))


@pytest.mark.parametrize(
    ("statuses", "reward", "partial"),
    [
        (["pass", "pass"], 1, 1.0),
        (["pass", "fail"], 0, 0.5),
        (["fail", "fail", "pass"], 0, 0.333333),
    ],
)
def test_every_required_check_must_pass(statuses: list[Status], reward: int, partial: float) -> None:
    grade = judge(tuple(result(f"check-{n}", status) for n, status in enumerate(statuses)), (), None)

    assert (grade.reward, grade.partial_score, grade.valid) == (reward, partial, True)
    assert reward_json(grade) == b'{"reward": %d}\n' % reward


def test_a_check_that_is_not_required_costs_nothing() -> None:
    grade = judge((result("a", "pass"), result("b", "fail", required=False)), (), None)

    assert (grade.reward, grade.partial_score, grade.failed) == (1, 1.0, ("b",))


@pytest.mark.parametrize(
    ("checks", "fault", "says"),
    [
        ((), None, "the task has no required check"),
        ((result("a", "pass", required=False),), None, "the task has no required check"),
        ((result("a", "pass"), result("b", "not_run")), None, "not run: b"),
        ((result("a", "pass"), result("b", "not_run", required=False)), None, "not run: b"),
        ((result("a", "pass"),), "the browser died", "the browser died"),
    ],
)
def test_a_fault_is_never_a_score(checks: tuple[CheckResult, ...], fault: str | None, says: str) -> None:
    grade = judge(checks, (), fault)

    assert (grade.reward, grade.valid, grade.fault) == (None, False, says)
    with pytest.raises(ValueError, match="an invalid grade has no reward"):
        reward_json(grade)
    assert json.loads(metrics_json(grade))["valid"] is False


def test_each_challenge_has_a_score() -> None:
    checks = (
        replace(result("a", "pass"), challenge="trial"),
        replace(result("b", "fail"), challenge="trial"),
        replace(result("c", "fail", required=False), challenge="trial"),
        replace(result("d", "pass"), challenge="upgrade"),
        result("e", "pass"),
    )
    grade = judge(checks, (), None)

    assert grade.reward == 0
    assert json.loads(metrics_json(grade))["challenges"] == [
        {"id": "trial", "score": 0.5},
        {"id": "upgrade", "score": 1.0},
    ]
    assert read_metrics(metrics_json(grade)) == grade


def test_metrics_can_be_read_again() -> None:
    grade = judge((result("a", "pass"), result("b", "fail")), (Flag("fifo", "pipe"),), None)

    assert read_metrics(metrics_json(grade)) == grade
    document = json.loads(metrics_json(grade))
    assert document["schema_version"] == 1
    assert document["checks"][1]["requirement"] == "b holds."
    assert document["flags"] == [{"kind": "fifo", "detail": "pipe"}]
    assert grade.result("b").status == "fail"
    with pytest.raises(KeyError):
        grade.result("c")


def test_a_grade_is_a_value() -> None:
    assert Grade(1, 1.0, ()) == Grade(1, 1.0, ())
