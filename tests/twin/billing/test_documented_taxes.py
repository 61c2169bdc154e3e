"""What Stripe's pages about taxes, discounts and credit notes work out, number by number."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, amounts, on, refused
from trialbalance.twin import Twin

HOUR = 3600


@pytest.fixture
def world(client: Any) -> World:
    return World(client)


def rate(world: World, percentage: float, *, inclusive: bool) -> str:
    """A tax rate."""
    made = world.v1.tax_rates.create(
        {"display_name": "Tax", "percentage": percentage, "inclusive": inclusive}
    )
    identifier: str = made.id
    return identifier


def invoice_of(world: World, *rows: dict[str, Any], **more: Any) -> Any:
    """A draft with some items, oldest first, read again."""
    draft = world.v1.invoices.create({"customer": world.customer, **more})
    for row in rows:
        world.v1.invoice_items.create(
            {"customer": world.customer, "invoice": draft.id, "currency": "usd", **row}
        )
    return world.invoice(draft)


def taxes(invoice: Any) -> list[int]:
    """Taxes by rate."""
    return [entry.amount for entry in invoice.total_taxes]


def line(invoice: Any, amount: int) -> str:
    """The id of the line with an amount."""
    identifier: str = next(entry.id for entry in invoice.lines.data if entry.amount == amount)
    return identifier


class TestTaxRates:
    """Source: https://docs.stripe.com/tax/tax-rates"""

    @pytest.mark.parametrize(("inclusive", "total"), [(True, 9091), (False, 10000)])
    @pytest.mark.parametrize("exempt", ["exempt", "reverse"])
    def test_an_exempt_customer(self, world: World, exempt: str, inclusive: bool, total: int) -> None:
        """10 % in 100: 9.09 are taken out of the price; 10 % on 100: nothing is added.

        Source: https://docs.stripe.com/tax/tax-rates#tax-exempt-and-reverse-charge
        """
        world.v1.customers.update(world.customer, {"tax_exempt": exempt})
        invoice = invoice_of(
            world, {"amount": 10000}, default_tax_rates=[rate(world, 10, inclusive=inclusive)]
        )
        assert (invoice.total, taxes(invoice)) == (total, [0])

    def test_the_rates_of_a_line_replace_those_of_the_invoice(self, world: World) -> None:
        """9.975 % and 5 % in general, 10 % for one line, 1 % and 2 % for another.

        Source: https://docs.stripe.com/tax/tax-rates#using-multiple-tax-rates
        """
        general = [rate(world, share, inclusive=False) for share in (9.975, 5)]
        ten = [rate(world, 10, inclusive=False)]
        few = [rate(world, share, inclusive=False) for share in (1, 2)]
        invoice = invoice_of(
            world,
            {"amount": 10000},
            {"amount": 20000, "tax_rates": ten},
            {"amount": 30000, "tax_rates": few},
            default_tax_rates=general,
        )
        found = {entry.amount: [tax.amount for tax in entry.taxes] for entry in invoice.lines.data}
        assert found == {10000: [998, 500], 20000: [2000], 30000: [300, 600]}
        assert invoice.total == 60000 + 1498 + 2000 + 900

    def test_taxes_are_summed_over_the_invoice(self, world: World) -> None:
        """5 % of 5.00 and 10 % of 10.00: 1.25, in all 16.25.

        Source: https://docs.stripe.com/tax/tax-rates#tax-amounts
        """
        invoice = invoice_of(
            world,
            {"amount": 500, "tax_rates": [rate(world, 5, inclusive=False)]},
            {"amount": 1000, "tax_rates": [rate(world, 10, inclusive=False)]},
        )
        assert (sorted(taxes(invoice)), invoice.subtotal, invoice.total) == ([25, 100], 1500, 1625)

    def test_rounding_line_by_line(self, world: World) -> None:
        """10 % in 1,000.00 is 90.91, in 50.00 it is 4.55: 95.46.

        Source: https://docs.stripe.com/tax/tax-rates#rounding
        """
        invoice = invoice_of(
            world, {"amount": 100_000}, {"amount": 5000}, default_tax_rates=[rate(world, 10, inclusive=True)]
        )
        assert (taxes(invoice), invoice.total, invoice.total_excluding_tax) == ([9546], 105_000, 95_454)

    @pytest.mark.parametrize(
        ("rates", "due", "total"),
        [
            ([(5, False)], [68], 1418),
            ([(5, True)], [64], 1350),
            ([(5, True), (7, False)], [64, 90], 1440),
        ],
    )
    def test_a_tenth_off_then_tax(
        self, world: World, rates: list[tuple[int, bool]], due: list[int], total: int
    ) -> None:
        """5.00 and 10.00, 10 % off; 5 % on top, 5 % inside, or 5 % inside and 7 % on top.

        Source: https://docs.stripe.com/tax/tax-rates#discounts
        """
        coupon = world.v1.coupons.create({"percent_off": 10, "duration": "once"}).id
        invoice = invoice_of(
            world,
            {"amount": 500},
            {"amount": 1000},
            default_tax_rates=[rate(world, share, inclusive=inside) for share, inside in rates],
            discounts=[{"coupon": coupon}],
        )
        assert invoice.total_discount_amounts[0].amount == 150
        assert (taxes(invoice), invoice.total) == (due, total)


class TestCoupons:
    """Source: https://docs.stripe.com/billing/subscriptions/coupons"""

    @pytest.mark.parametrize(("percent_first", "total"), [(True, 7500), (False, 7600)])
    def test_the_order_of_a_fifth_and_five_dollars(
        self, world: World, percent_first: bool, total: int
    ) -> None:
        """20 % off then 5 USD off, or 5 USD off then 20 % off.

        Source: https://docs.stripe.com/billing/subscriptions/coupons#stackable-coupons-and-promotion-codes
        """
        fifth = world.v1.coupons.create({"percent_off": 20, "duration": "once"}).id
        five = world.v1.coupons.create({"amount_off": 500, "currency": "usd", "duration": "once"}).id
        order = [fifth, five] if percent_first else [five, fifth]
        made = world.subscribe(
            world.price(10000), discounts=[{"coupon": c} for c in order], expand=["latest_invoice"]
        )
        assert made.latest_invoice.total == total

    @pytest.mark.parametrize(
        ("every", "halves", "until"),
        [("month", 4, on(2026, 10, 2)), ("week", 18, on(2026, 9, 1)), ("year", 1, on(2027, 4, 2))],
    )
    def test_half_off_for_four_months(self, client: Any, every: str, halves: int, until: int) -> None:
        """A monthly subscription has four halved invoices, a weekly one every week's, a yearly one its whole year.

        Source: https://docs.stripe.com/billing/subscriptions/coupons#coupon-duration
        """
        world = World(client)
        coupon = world.v1.coupons.create(
            {"percent_off": 50, "duration": "repeating", "duration_in_months": 4}
        )
        subscription = world.subscribe(world.price(1000, every), discounts=[{"coupon": coupon.id}])
        step = {"month": 55, "week": 14, "year": 365}[every] * DAY
        while world.now < until:
            world.advance(min(world.now + step, until))
        totals = [invoice.total for invoice in world.invoices(subscription)]
        assert totals[:halves] == [500] * halves
        assert set(totals[halves:]) == {1000}

    def test_a_coupon_for_one_invoice_is_used_up(self, world: World) -> None:
        """The subscription no longer shows it, the invoice still does.

        Source: https://docs.stripe.com/billing/subscriptions/coupons#coupon-duration
        """
        coupon = world.v1.coupons.create({"percent_off": 50, "duration": "once"}).id
        made = world.subscribe(world.price(1000), discounts=[{"coupon": coupon}], expand=["latest_invoice"])
        assert world.read(made).discounts == []
        assert made.latest_invoice.total_discount_amounts[0].amount == 500

    def test_three_dimes_of_a_code_with_a_minimum(self, world: World) -> None:
        """Only what is bought first must reach the minimum.

        Source: https://docs.stripe.com/billing/subscriptions/coupons#set-a-minimum-amount
        """
        coupon = world.v1.coupons.create({"percent_off": 30, "duration": "forever"}).id
        code = world.v1.promotion_codes.create(
            {
                "promotion": {"type": "coupon", "coupon": coupon},
                "restrictions": {"minimum_amount": 5000, "minimum_amount_currency": "usd"},
            }
        ).id
        cheap, dear = world.price(4999), world.price(5000)
        refused(lambda: world.subscribe(cheap, discounts=[{"promotion_code": code}]))
        made = world.subscribe(dear, discounts=[{"promotion_code": code}], expand=["latest_invoice"])
        assert made.latest_invoice.total == 3500


class TestCreditNotes:
    """Source: https://docs.stripe.com/invoicing/integration/programmatic-credit-notes"""

    def finalized(self, world: World, *rows: dict[str, Any], **more: Any) -> Any:
        draft = invoice_of(world, *rows, collection_method="send_invoice", days_until_due=30, **more)
        return world.v1.invoices.finalize_invoice(draft.id)

    def test_a_line_of_ones_own(self, world: World) -> None:
        """100 USD are due; a line of 20 leaves 80.

        Source: https://docs.stripe.com/invoicing/integration/programmatic-credit-notes#credit-notes-for-open-invoices
        """
        invoice = self.finalized(world, {"amount": 10000})
        world.v1.credit_notes.create(
            {
                "invoice": invoice.id,
                "lines": [
                    {
                        "type": "custom_line_item",
                        "description": "Courtesy credit",
                        "quantity": 1,
                        "unit_amount": 2000,
                    }
                ],
            }
        )
        assert world.invoice(invoice).amount_due == 8000

    def test_all_that_is_due(self, world: World) -> None:
        """Source: https://docs.stripe.com/invoicing/integration/programmatic-credit-notes#credit-notes-for-open-invoices"""
        invoice = self.finalized(world, {"amount": 10000})
        world.v1.credit_notes.create({"invoice": invoice.id, "amount": 10000})
        assert (world.invoice(invoice).status, world.invoice(invoice).amount_due) == ("paid", 0)

    @pytest.mark.parametrize(
        "ways",
        [
            {"refund_amount": 500},
            {"credit_amount": 500},
            {"refund_amount": 100, "credit_amount": 200, "out_of_band_amount": 200},
        ],
    )
    def test_two_of_a_paid_line(self, world: World, ways: dict[str, int]) -> None:
        """Two at 2.50 each: refunded, kept as credit, or in three parts.

        Source: https://docs.stripe.com/invoicing/integration/programmatic-credit-notes#credit-notes-for-paid-invoices
        """
        draft = invoice_of(world, {"unit_amount_decimal": "250", "quantity": 4})
        paid = world.v1.invoices.pay(draft.id)
        row = {"type": "invoice_line_item", "invoice_line_item": line(paid, 1000), "quantity": 2}
        note = world.v1.credit_notes.create({"invoice": paid.id, "lines": [row], **ways})
        assert (note.amount, note.post_payment_amount) == (500, 500)
        assert sum(entry.amount_refunded for entry in note.refunds) == ways.get("refund_amount", 0)
        assert world.v1.customers.retrieve(world.customer).balance == -ways.get("credit_amount", 0)
        assert (note.out_of_band_amount or 0) == ways.get("out_of_band_amount", 0)
        assert world.invoice(paid).amount_due == 1000

    @pytest.mark.parametrize("by", ["amount", "quantity"])
    def test_a_negative_line(self, world: World, by: str) -> None:
        """100 and -50 are credited together.

        Source: https://docs.stripe.com/invoicing/integration/programmatic-credit-notes#crediting-negative-line-items
        """
        invoice = self.finalized(
            world,
            {"unit_amount_decimal": "10000", "quantity": 1},
            {"unit_amount_decimal": "-5000", "quantity": 1},
        )
        rows = [
            {
                "type": "invoice_line_item",
                "invoice_line_item": line(invoice, amount),
                by: amount if by == "amount" else 1,
            }
            for amount in (10000, -5000)
        ]
        note = world.v1.credit_notes.create({"invoice": invoice.id, "lines": rows})
        assert (note.amount, world.invoice(invoice).status) == (5000, "paid")

    def test_a_negative_line_within_its_limits(self, world: World) -> None:
        """Source: https://docs.stripe.com/invoicing/integration/programmatic-credit-notes#crediting-negative-line-items"""
        invoice = self.finalized(world, {"amount": 10000}, {"amount": -5000})

        def credit(*rows: tuple[int, int]) -> Any:
            given = [
                {"type": "invoice_line_item", "invoice_line_item": line(invoice, of), "amount": amount}
                for of, amount in rows
            ]
            return world.v1.credit_notes.create({"invoice": invoice.id, "lines": given})

        for wrong in ([(-5000, -1000)], [(10000, 6000), (-5000, -5001)], [(10000, 6000), (-5000, 10)]):
            assert refused(lambda rows=wrong: credit(*rows)).http_status == 400
        assert credit((10000, 6000), (-5000, -1000)).amount == 5000

    @pytest.mark.parametrize(
        ("inclusive", "paid", "back", "net", "tax"),
        [(False, 12500, 2500, 2000, 500), (True, 10000, 2000, 1600, 400)],
    )
    def test_tax_goes_back_in_proportion(
        self, client: Any, twin: Twin, inclusive: bool, paid: int, back: int, net: int, tax: int
    ) -> None:
        """25 of 125 are 20 and 5 of tax at 25 %; 20 of 100 are 16 and 4 at 25 % inside.

        Source: https://docs.stripe.com/tax/invoicing/refunds
        """
        world = World(client, at=twin.now())
        sweden = {"country": "SE", "city": "Lund", "line1": "Torget 1", "postal_code": "22222"}
        world.v1.tax.settings.update({"head_office": {"address": sweden}})
        world.v1.tax.registrations.create(
            {"country": "SE", "country_options": {"se": {"type": "standard"}}, "active_from": "now"}
        )
        world.v1.customers.update(world.customer, {"address": sweden})
        behavior = "inclusive" if inclusive else "exclusive"
        rows = [
            {
                "price_data": {
                    "currency": "usd",
                    "product": world.product,
                    "unit_amount": amount,
                    "tax_behavior": behavior,
                }
            }
            for amount in (6000, 4000)
        ]
        draft = invoice_of(world, *rows, automatic_tax={"enabled": True})
        assert world.v1.invoices.pay(draft.id).amount_paid == paid
        note = world.v1.credit_notes.create({"invoice": draft.id, "amount": back, "refund_amount": back})
        assert (note.total, note.total_excluding_tax) == (back, net)
        assert sum(entry.amount for entry in note.total_taxes) == tax

    def test_the_balance_comes_before_credit_notes(self, world: World) -> None:
        """Lines, discounts, taxes, balance, credit notes, in this order.

        Source: https://docs.stripe.com/invoicing/integration/programmatic-credit-notes#credit-notes-for-open-invoices
        """
        world.v1.customers.balance_transactions.create(world.customer, {"amount": -1000, "currency": "usd"})
        coupon = world.v1.coupons.create({"percent_off": 50, "duration": "once"}).id
        invoice = self.finalized(
            world, {"amount": 10000},
            default_tax_rates=[rate(world, 20, inclusive=False)], discounts=[{"coupon": coupon}],
        )  # fmt: skip
        assert (invoice.total, invoice.amount_due) == (6000, 5000)
        world.v1.credit_notes.create({"invoice": invoice.id, "amount": 500})
        assert world.invoice(invoice).amount_due == 4500
        assert amounts(invoice) == [10000]
        assert world.now == START
