"""Shares with honest intervals, tested against published tables."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.sample import make_job

from trialbalance.report.statistics import all_k, by_agent, is_ranked, median, summarise, wilson


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_agrees_with_newcombe_1998(successes: int, trials: int, low: float, high: float) -> None:
    """Source: R. G. Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3."""
    assert [round(x, 4) for x in wilson(successes, trials)] == [low, high]


@given(st.integers(0, 500), st.integers(1, 500), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_holds_the_share_and_stays_inside(successes: int, trials: int, confidence: float) -> None:
    successes = min(successes, trials)
    low, high = wilson(successes, trials, confidence=confidence)
    assert 0 <= low <= successes / trials <= high <= 1
    mirrored = wilson(trials - successes, trials, confidence=confidence)
    assert math.isclose(low, 1 - mirrored.high, abs_tol=1e-12)


def test_no_trial_knows_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("successes", "trials"), [(3, 2), (-1, 2)])
def test_impossible_shares_are_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        wilson(successes, trials)
    with pytest.raises(ValueError, match="not defined"):
        all_k(successes, trials, 1)
    with pytest.raises(ValueError, match="confidence"):
        wilson(1, 2, confidence=1.0)


@given(st.integers(1, 8), st.data())
def test_all_k_is_the_share_of_draws_that_all_succeed(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    k = data.draw(st.integers(1, trials))
    outcomes = [True] * successes + [False] * (trials - successes)
    draws = list(itertools.combinations(outcomes, k))
    assert math.isclose(all_k(successes, trials, k), sum(all(draw) for draw in draws) / len(draws))


def test_median_leaves_out_what_is_unknown() -> None:
    assert median([3, None, 1, 2]) == 2
    assert median([None]) is None


def test_summaries_of_a_job(tmp_path: Path) -> None:
    results = make_job(tmp_path / "job").results()
    rows = {row.agent: row for row in by_agent(results)}
    assert [row.agent for row in by_agent(results)] == ["goose-replay", "reference", "goose/large-1", "nop"]
    model = rows["goose/large-1"]
    assert (model.counted, model.invalid, model.successes, model.trials, model.k) == (7, 1, 3, 8, 3)
    assert model.reward == pytest.approx(3 / 7)
    assert model.all_k == 0.0
    assert rows["reference"].all_k == 1.0 and rows["reference"].k == 4
    assert rows["nop"].reward == 0 and rows["nop"].interval.high == pytest.approx(0.3244, abs=1e-4)
    assert model.cost == pytest.approx(0.0731) and rows["reference"].cost is None
    assert is_ranked(results)


def test_a_job_with_many_invalid_trials_is_not_ranked(tmp_path: Path) -> None:
    results = make_job(tmp_path / "job").results()
    invalid = [result for result in results if result.status == "invalid"]
    assert is_ranked(invalid + results[:9])
    assert not is_ranked(invalid + results[:8])
    assert not is_ranked([])
    assert summarise("x", invalid).reward is None
