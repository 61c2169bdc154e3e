"""The numbers of a result table, as plain functions.

- The **reward share** of an agent is the share of its counted trials with reward 1, with Wilson's score interval
  (E. B. Wilson, 1927; formula without continuity correction), which stays inside 0..1 and is honest for few trials.
- **all-k** is the chance that k trials of one task *all* succeed, estimated without bias from n trials with c
  successes as C(c, k) / C(n, k), averaged over tasks.
- Medians, not means, for turns, time, tokens and cost: one runaway trial should not move them.

Invalid trials are counted and shown, never part of a share; a job with more than `INVALID_LIMIT` of them is not ranked.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trialbalance.trials.result import TrialResult

INVALID_LIMIT = 0.10


class Interval(NamedTuple):
    """A confidence interval of a share."""

    low: float
    high: float


def wilson(successes: int, trials: int, *, confidence: float = 0.95) -> Interval:
    """Wilson's score interval of a binomial share; (0, 1) when there was no trial."""
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes of {trials} trials is no share")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} is not between 0 and 1")
    if trials == 0:
        return Interval(0.0, 1.0)
    z = statistics.NormalDist().inv_cdf((1 + confidence) / 2)
    share, weight = successes / trials, z * z / trials
    middle = (share + weight / 2) / (1 + weight)
    half = z * math.sqrt(share * (1 - share) / trials + weight / (4 * trials)) / (1 + weight)
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == trials else min(1.0, middle + half)
    return Interval(low, high)


def all_k(successes: int, trials: int, k: int) -> float:
    """The unbiased estimate that k trials of one task all succeed."""
    if not 0 <= successes <= trials or not 1 <= k <= trials:
        raise ValueError(f"all-{k} of {successes} successes in {trials} trials is not defined")
    return math.comb(successes, k) / math.comb(trials, k)


def median(values: Iterable[float | None]) -> float | None:
    """The median of the known values, None when none is known."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


class Summary(NamedTuple):
    """One row of the result table: an agent, or an agent at one task.

    Shares are None when no trial was counted; `k` is the number of trials that all-k speaks of.
    """

    agent: str
    counted: int
    invalid: int
    successes: int
    reward: float | None
    interval: Interval
    partial: float | None
    all_k: float | None
    k: int
    turns: float | None
    seconds: float | None
    tokens: float | None
    cost: float | None

    @property
    def trials(self) -> int:
        """Counted and invalid trials together."""
        return self.counted + self.invalid


def summarise(agent: str, results: Sequence[TrialResult]) -> Summary:
    """Sum up one agent's trials."""
    counted = [result for result in results if result.status == "completed"]
    successes = sum(result.reward == 1 for result in counted)
    by_task: dict[str, list[TrialResult]] = {}
    for result in counted:
        by_task.setdefault(result.task, []).append(result)
    k = min((len(group) for group in by_task.values()), default=0)
    reliable = [all_k(sum(r.reward == 1 for r in group), len(group), k) for group in by_task.values()]
    tokens = [r.prompt_tokens + r.completion_tokens or None for r in counted]
    return Summary(
        agent=agent,
        counted=len(counted),
        invalid=len(results) - len(counted),
        successes=successes,
        reward=successes / len(counted) if counted else None,
        interval=wilson(successes, len(counted)),
        partial=statistics.fmean(r.partial_score or 0.0 for r in counted) if counted else None,
        all_k=statistics.fmean(reliable) if reliable else None,
        k=k,
        turns=median(r.turns or None for r in counted),
        seconds=median(r.seconds_agent for r in counted),
        tokens=median(tokens),
        cost=median(r.cost_usd for r in counted),
    )


def by_agent(results: Sequence[TrialResult]) -> list[Summary]:
    """A summary per agent, the best reward first, then the better partial score, then by name."""
    groups: dict[str, list[TrialResult]] = {}
    for result in results:
        groups.setdefault(result.agent, []).append(result)
    rows = [summarise(agent, group) for agent, group in groups.items()]
    return sorted(rows, key=lambda row: (-(row.reward or 0), -(row.partial or 0), row.agent))


def is_ranked(results: Sequence[TrialResult]) -> bool:
    """Whether the job may be ranked: no more than a tenth of its trials are invalid."""
    invalid = sum(result.status == "invalid" for result in results)
    return bool(results) and invalid <= INVALID_LIMIT * len(results)
