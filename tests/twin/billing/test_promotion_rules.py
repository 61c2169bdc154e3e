"""What coupons and promotion codes may be, and where they may be redeemed.

Source: https://docs.stripe.com/billing/subscriptions/coupons
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, World, refused
from trialbalance.twin import Twin


@pytest.fixture
def world(client: Any) -> World:
    return World(client, clock=False)


def coupon(world: World, **more: Any) -> str:
    identifier: str = world.v1.coupons.create({"percent_off": 25, "duration": "forever", **more}).id
    return identifier


def code(world: World, of: str, **more: Any) -> Any:
    return world.v1.promotion_codes.create({"promotion": {"type": "coupon", "coupon": of}, **more})


def test_a_minimum_is_checked_only_at_the_first_purchase(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/coupons#restrictions"""
    least = {"restrictions": {"minimum_amount": 500, "minimum_amount_currency": "usd"}}
    promo = {"promotion_code": code(world, coupon(world), **least).id}
    made = world.subscribe(world.price(1000))
    on_item = {"price": world.price(2000), "discounts": [promo]}
    for act in (
        lambda: world.v1.subscriptions.update(made.id, {"discounts": [promo]}),
        lambda: world.subscribe(on_item),
        lambda: world.v1.invoice_items.create(
            {"customer": world.customer, "amount": 900, "currency": "usd", "discounts": [promo]}
        ),
    ):
        assert refused(act).http_status == 400


@pytest.mark.parametrize("kind", ["an unfinished payment", "a trial that was canceled"])
def test_who_is_no_longer_new(world: World, kind: str) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/coupons#limit-by-first-time-order"""
    first = {"restrictions": {"first_time_transaction": True}}
    promo = {"promotion_code": code(world, coupon(world), **first).id}
    if kind == "an unfinished payment":
        world.v1.payment_intents.create({"amount": 900, "currency": "usd", "customer": world.customer})
    else:
        trial = world.subscribe(world.price(700), trial_period_days=7)
        world.v1.subscriptions.cancel(trial.id)
    price = world.price()
    assert "prior transactions" in str(
        refused(lambda: world.subscribe(price, discounts=[promo])).user_message
    )


def test_no_discount_twice(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/coupons#restrictions-2"""
    one = coupon(world)
    promo = code(world, one).id
    price = world.price()
    for wrong in (
        [{"coupon": one}, {"coupon": one}],
        [{"coupon": one}, {"promotion_code": promo}],
    ):
        assert refused(lambda of=wrong: world.subscribe(price, discounts=of)).http_status == 400
    many = [{"coupon": coupon(world)} for _ in range(21)]
    assert refused(lambda: world.subscribe(price, discounts=many)).http_status == 400
    assert len(world.subscribe(price, discounts=many[:20]).discounts) == 20


def test_a_code_lives_no_longer_than_its_coupon(world: World, twin: Twin) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/coupons#customize-expirations"""
    year = twin.now() + 365 * DAY
    of = coupon(world, redeem_by=year, max_redemptions=50)
    assert code(world, of).expires_at == year
    assert code(world, of, expires_at=twin.now() + 7 * DAY).expires_at == twin.now() + 7 * DAY
    assert refused(lambda: code(world, of, expires_at=year + 1)).http_status == 400
    assert refused(lambda: code(world, of, max_redemptions=51)).http_status == 400
    assert code(world, of, max_redemptions=50).max_redemptions == 50


def test_the_same_word_for_different_customers(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/coupons#create-promotion-codes"""
    of, other = coupon(world), world.new_customer(None)
    code(world, of, code="ALICE20", customer=world.customer)
    code(world, of, code="ALICE20", customer=other)
    assert refused(lambda: code(world, of, code="alice20")).http_status == 400
    everybody = code(world, of, code="NEWUSER")
    assert refused(lambda: code(world, of, code="NewUser")).http_status == 400
    world.v1.promotion_codes.update(everybody.id, {"active": False})
    assert code(world, of, code="NEWUSER").active is True


def test_a_code_of_a_deleted_coupon_stays_inactive(world: World) -> None:
    """What it discounts already goes on. Source: https://docs.stripe.com/billing/subscriptions/coupons#delete-coupons"""
    of = coupon(world)
    promo = code(world, of)
    made = world.subscribe(world.price(1000), discounts=[{"promotion_code": promo.id}])
    world.v1.coupons.delete(of)
    assert world.v1.promotion_codes.retrieve(promo.id).active is False
    assert refused(lambda: world.v1.promotion_codes.update(promo.id, {"active": True})).http_status == 400
    assert world.v1.invoices.create_preview({"subscription": made.id}).total == 750


def test_a_code_that_is_used_up(world: World) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/coupons#limit-redemptions"""
    promo = code(world, coupon(world), max_redemptions=1)
    world.subscribe(world.price(900), discounts=[{"promotion_code": promo.id}])
    assert world.v1.promotion_codes.retrieve(promo.id).active is False
    price = world.price(800)
    assert (
        refused(lambda: world.subscribe(price, discounts=[{"promotion_code": promo.id}])).http_status == 400
    )
