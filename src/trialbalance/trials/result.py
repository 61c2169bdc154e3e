"""The record of one finished trial: `result.json`, and one line of `results.jsonl`.

Flat on purpose: `pandas.read_json("results.jsonl", lines=True)` or `sqlite-utils insert` take it as it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from trialbalance.trials.errors import BadJob
from trialbalance.trials.files import read_json, read_lines

SCHEMA = "1"


class TrialResult(msgspec.Struct, frozen=True, kw_only=True):
    """One trial, as it is counted.

    `status` is `completed` (counted) or `invalid` (shown, not counted). `outcome` is how the agent ended:
    `completed`, `timeout`, `turn_limit`, … (see `trialbalance.agents.Status`); `reward` and `partial_score`
    are None for an invalid trial. Durations are seconds, times are Unix seconds, `cost_usd` is None when no
    price is known.
    """

    schema_version: str = SCHEMA
    job: str
    trial: str
    task: str
    task_version: str
    task_digest: str
    suite: str | None
    agent: str
    agent_program: str
    model: str | None
    sample: int
    seed: int
    status: Literal["completed", "invalid"]
    invalid_stage: str | None = None
    invalid_reason: str | None = None
    attempts: int = 1
    outcome: str | None = None
    reward: int | None = None
    partial_score: float | None = None
    checks_required: int = 0
    checks_passed: int = 0
    checks_failed: int = 0
    checks_not_run: int = 0
    flags: str = ""
    turns: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    twin_requests: int = 0
    verified: bool | None = None
    recovered: bool | None = None
    overclaimed: bool | None = None
    started_at: int
    finished_at: int
    seconds_prepare: float = 0.0
    seconds_agent: float = 0.0
    seconds_grade: float = 0.0
    seconds_total: float = 0.0


def decode_result(value: Any, *, where: Path) -> TrialResult:
    """A result of any known schema version, in the newest shape."""
    if not isinstance(value, dict):
        raise BadJob(f"{where} holds no result object")
    version = str(value.get("schema_version", "1"))
    if version != SCHEMA:
        raise BadJob(
            f"{where} has schema_version {version!r}, newer than this program knows; upgrade trialbalance"
        )
    try:
        return msgspec.convert(value, TrialResult)
    except msgspec.ValidationError as error:
        raise BadJob(f"{where} is not a trial result: {error}") from error


def read_result(trial_dir: Path) -> TrialResult | None:
    """The result of a trial folder, or None when the trial has not finished."""
    path = trial_dir / "result.json"
    if not path.exists():
        return None
    return decode_result(read_json(path, what="the result"), where=path)


def read_results(job_dir: Path) -> list[TrialResult]:
    """Every result of a job, the last line of each trial winning, ordered by task, agent and sample."""
    path = job_dir / "results.jsonl"
    latest: dict[str, TrialResult] = {}
    for value in read_lines(path):
        result = decode_result(value, where=path)
        latest[result.trial] = result
    return sorted(latest.values(), key=lambda r: (r.task, r.agent, r.sample))
