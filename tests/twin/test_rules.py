"""What fault rules and browser rules share."""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.twin.rules import Chance, Rule


def rule(**document: Any) -> Rule:
    return Rule(document, 2, own=frozenset({"page"}), count=1, delay=2.0)


def test_a_seed_and_a_purpose_decide() -> None:
    def run(seed: int, purpose: str) -> list[float]:
        chance = Chance(seed, purpose, 4)
        return [chance.draw() for _ in range(50)]

    assert run(1, "faults") == run(1, "faults")
    assert run(1, "faults") != run(2, "faults") != run(1, "adversity") != run(1, "faults")
    assert all(0 <= value < 1 for value in run(7, "faults"))


def test_a_rule_spares_strikes_and_runs_out() -> None:
    chance = Chance(1, "faults", 8)
    limited, endless = rule(skip=1, count=2), rule(count=None)
    assert [limited.fires(chance) for _ in range(5)] == [False, True, True, False, False]
    assert all(endless.fires(chance) for _ in range(20))


def test_a_probability_is_kept_and_what_does_not_fire_is_not_counted() -> None:
    chance = Chance(3, "faults", 8)
    sometimes = rule(probability=0.3, count=None)
    fired = sum(sometimes.fires(chance) for _ in range(2_000))
    assert 500 < fired < 700
    never = rule(probability=0, count=1)
    assert not any(never.fires(chance) for _ in range(10)) and never.count == 1


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"often": 1}, "rules\\[2\\]: unknown often; a rule has count, delay, page, probability, skip"),
        ({"count": 0}, "count must be a whole number from 1"),
        ({"count": 1.5}, "count must be a whole number from 1"),
        ({"probability": 1.2}, "probability must lie in 0..1"),
    ],
)
def test_a_wrong_rule_says_where_and_why(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rule(**wrong)
