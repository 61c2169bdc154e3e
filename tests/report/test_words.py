"""Numbers as people read them."""

from __future__ import annotations

import pytest

from trialbalance.report import words


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (words.percent(None), "–"),
        (words.percent(1.0), "100 %"),
        (words.percent(2 / 3), "66.7 %"),
        (words.interval(0.2077, 0.9385), "21–94 %"),
        (words.duration(None), "–"),
        (words.duration(0.84), "0.8 s"),
        (words.duration(42.4), "42 s"),
        (words.duration(59.9), "1 min 00 s"),
        (words.duration(3725), "1 h 02 min"),
        (words.count(12400), "12,400"),
        (words.count(7.5), "7.5"),
        (words.count(None), "–"),
        (words.money(None), "–"),
        (words.money(0), "$0.00"),
        (words.money(0.04213), "$0.0421"),
        (words.money(3.1), "$3.10"),
        (words.moment(1_769_903_999), "2026-01-31 23:59 UTC"),
        (words.size(812), "812 B"),
        (words.size(1234), "1.2 kB"),
        (words.size(3_400_000), "3.4 MB"),
        (words.plural(1, "trial"), "1 trial"),
        (words.plural(2, "entry", "entries"), "2 entries"),
    ],
)
def test_words(shown: str, expected: str) -> None:
    assert shown == expected
