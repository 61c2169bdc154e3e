"""Random inputs: the same from the same seed, and written down."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialbalance.grading import Draw
from trialbalance.grading.draw import derive
from trialbalance.grading.evidence import Evidence


def everything(draw: Draw) -> list[object]:
    """One of each."""
    return [
        draw.product(),
        draw.products(3),
        draw.amount(),
        draw.email(),
        draw.person(),
        draw.coupon(),
        draw.word(),
        draw.integer(1, 6),
        draw.choice(["a", "b", "c"]),
        draw.shuffled([1, 2, 3, 4]),
    ]


def test_the_same_seed_draws_the_same() -> None:
    assert everything(Draw(5)) == everything(Draw(5))
    assert everything(Draw(5)) != everything(Draw(6))


def test_draws_are_evidence() -> None:
    evidence = Evidence()
    draw = Draw(1, evidence)
    product = draw.product()

    assert evidence.all() == [{"kind": "draw", "what": "product", "value": product._asdict()}]
    assert product.name in draw.values


@given(st.integers(0, 2**63))
def test_products_differ_in_name_and_price(seed: int) -> None:
    products = Draw(seed).products(8)

    assert len({product.name for product in products}) == 8
    assert len({product.amount for product in products}) == 8
    assert all(product.amount % 5 and 500 <= product.amount <= 20_000 for product in products)


@given(st.integers(0, 2**63))
def test_addresses_cannot_exist_and_do_not_repeat(seed: int) -> None:
    draw = Draw(seed)
    emails = [draw.email() for _ in range(10)]

    assert len(set(emails)) == 10
    assert all(email.endswith("@example.test") and email == email.lower() for email in emails)


def test_a_narrow_range_is_kept() -> None:
    assert {Draw(seed).amount(100, 105) for seed in range(50)} <= set(range(100, 106))


def test_more_words_than_there_are_is_told() -> None:
    draw = Draw(1)
    with pytest.raises(ValueError, match="drew more names than there are"):
        for _ in range(100):
            draw.word()


def test_derived_seeds_depend_on_every_label() -> None:
    seeds = {derive(1, "a"), derive(1, "b"), derive(2, "a"), derive(1, "a", "b")}

    assert len(seeds) == 4
    assert derive(1, "a") == derive(1, "a") >= 0
