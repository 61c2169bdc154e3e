import pytest

from lazybed.pricing import Code, Delivery, Line, quote

DELIVERY = Delivery(flat=500, free_from=5000)
TENTH = Code("TENTH", "percent", 10, 1000, True)
FIVER = Code("FIVER", "amount", 500, 2000, True)


def lines(*pairs):
    return [Line(f"T-{i}", f"Thing {i}", amount, quantity) for i, (amount, quantity) in enumerate(pairs)]


def test_goods_and_delivery_add_up():
    priced = quote(lines((800, 2), (1240, 1)), DELIVERY)
    assert (priced.subtotal, priced.discount, priced.shipping, priced.total) == (2840, 0, 500, 3340)


def test_an_empty_basket_costs_nothing():
    assert quote([], DELIVERY).total == 0


@pytest.mark.parametrize(("amount", "shipping"), [(4999, 500), (5000, 0), (5001, 0)])
def test_delivery_is_free_from_a_subtotal(amount, shipping):
    assert quote(lines((amount, 1)), DELIVERY).shipping == shipping


def test_a_percentage_comes_off_the_goods_and_not_off_the_delivery():
    priced = quote(lines((1000, 2)), DELIVERY, TENTH)
    assert (priced.discount, priced.shipping, priced.total) == (200, 500, 2300)


def test_half_cents_round_up():
    assert quote(lines((1005, 1)), DELIVERY, TENTH).discount == 101


def test_an_amount_never_takes_off_more_than_the_goods():
    big = Code("BIG", "amount", 9000, 0, True)
    priced = quote(lines((1000, 1)), DELIVERY, big)
    assert (priced.discount, priced.total) == (1000, 500)


def test_a_code_below_its_minimum_is_left_out():
    priced = quote(lines((1999, 1)), DELIVERY, FIVER)
    assert (priced.code, priced.discount) == (None, 0)


def test_a_code_that_is_over_is_left_out():
    assert quote(lines((3000, 1)), DELIVERY, Code("GONE", "percent", 50, 0, False)).code is None


def test_the_discount_does_not_cost_free_delivery():
    assert quote(lines((5000, 1)), DELIVERY, TENTH).shipping == 0
