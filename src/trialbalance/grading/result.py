"""What a grader says: a status with evidence for each check, and the reward of all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from trialbalance.grading.check import Check

SCHEMA_VERSION = 1
Status = Literal["pass", "fail", "not_run"]


class Flag(NamedTuple):
    """A mark on a workspace or a trial that tried to reach the grader; it never changes the score."""

    kind: str
    detail: str


@dataclass(frozen=True)
class CheckResult:
    """One requirement, judged."""

    id: str
    requirement: str
    status: Status
    required: bool
    given: bool
    message: str
    evidence: tuple[dict[str, Any], ...]
    challenge: str | None = None


class ChallengeScore(NamedTuple):
    """How much of one challenge of a task holds: the share of its required checks that passed."""

    id: str
    score: float


@dataclass(frozen=True)
class Grade:
    """A finished grading.

    `reward` is 1 when every required check passed, else 0, and None when the grade is invalid: then `fault`
    says what of ours broke. `partial_score` is the share of the required checks that passed.
    """

    reward: int | None
    partial_score: float
    checks: tuple[CheckResult, ...]
    flags: tuple[Flag, ...] = ()
    fault: str | None = None

    @property
    def valid(self) -> bool:
        """Whether this grade may be counted."""
        return self.fault is None

    def result(self, check: str) -> CheckResult:
        """The result of one check; KeyError when there is none of that id."""
        for result in self.checks:
            if result.id == check:
                return result
        raise KeyError(check)

    @property
    def challenges(self) -> tuple[ChallengeScore, ...]:
        """The score of each challenge that required checks name, in the order of the checks."""
        found: dict[str, list[bool]] = {}
        for result in self.checks:
            if result.challenge is not None and result.required:
                found.setdefault(result.challenge, []).append(result.status == "pass")
        return tuple(
            ChallengeScore(name, round(sum(passed) / len(passed), 6)) for name, passed in found.items()
        )

    @property
    def failed(self) -> tuple[str, ...]:
        """The ids of the checks that failed, in order."""
        return tuple(result.id for result in self.checks if result.status == "fail")


def check_result(
    check: Check, status: Status, message: str, evidence: Sequence[dict[str, Any]] = ()
) -> CheckResult:
    """The result of a check."""
    return CheckResult(
        id=check.id,
        requirement=check.requirement,
        status=status,
        required=check.required,
        given=check.given,
        message=message,
        evidence=tuple(evidence),
        challenge=check.challenge,
    )


def judge(checks: tuple[CheckResult, ...], flags: tuple[Flag, ...], fault: str | None) -> Grade:
    """The grade that results amount to. No required check, or one that did not run, is a fault."""
    required = [result for result in checks if result.required]
    if fault is None and not required:
        fault = "the task has no required check"
    if fault is None:
        idle = [result.id for result in checks if result.status == "not_run"]
        fault = f"not run: {', '.join(idle)}" if idle else None
    passed = sum(result.status == "pass" for result in required)
    partial = round(passed / len(required), 6) if required else 0.0
    if fault is not None:
        return Grade(None, partial, checks, flags, fault)
    return Grade(int(passed == len(required)), partial, checks, flags)


def reward_json(grade: Grade) -> bytes:
    """reward.json: one binary key and nothing else. ValueError for an invalid grade, which has no reward."""
    if grade.reward is None:
        raise ValueError(f"an invalid grade has no reward: {grade.fault}")
    return b'{"reward": %d}\n' % grade.reward


def metrics_json(grade: Grade) -> bytes:
    """metrics.json: every check with its status, message and evidence, and the score of each challenge if
    there are any; the same bytes for the same grade.
    """
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "valid": grade.valid,
        "fault": grade.fault,
        "partial_score": grade.partial_score,
        "checks": [
            {
                "id": result.id,
                "requirement": result.requirement,
                "status": result.status,
                "required": result.required,
                "given": result.given,
                "message": result.message,
                "evidence": list(result.evidence),
                **({"challenge": result.challenge} if result.challenge is not None else {}),
            }
            for result in grade.checks
        ],
        "flags": [flag._asdict() for flag in grade.flags],
    }
    if grade.challenges:
        document["challenges"] = [challenge._asdict() for challenge in grade.challenges]
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def read_metrics(content: bytes) -> Grade:
    """The grade that a metrics.json describes."""
    document = msgspec.json.decode(content)
    checks = tuple(
        CheckResult(
            id=item["id"],
            requirement=item["requirement"],
            status=item["status"],
            required=item["required"],
            given=item["given"],
            message=item["message"],
            evidence=tuple(item["evidence"]),
            challenge=item.get("challenge"),
        )
        for item in document["checks"]
    )
    flags = tuple(Flag(item["kind"], item["detail"]) for item in document["flags"])
    return judge(checks, flags, document["fault"])
