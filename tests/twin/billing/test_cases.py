"""What people reported about Stripe Billing, case by case: each is a small behaviour with its right outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, amounts, refused, types, words
from trialbalance.twin import Twin

HOUR = 3600
MONTH = 30 * DAY
"""April has 30 days."""


class TestClocks:
    def test_objects_on_a_clock_are_left_out_of_plain_lists(self, client: Any) -> None:
        """Source: stripe/stripe-cli#1314 (A01)."""
        world = World(client)
        subscription = world.subscribe(world.price())
        by_mail = world.v1.customers.list({"email": "a@example.test"})
        assert (by_mail.data, by_mail.has_more) == ([], False)
        assert [c.id for c in world.v1.customers.list({"test_clock": world.clock}).data] == [world.customer]
        assert world.v1.subscriptions.list().data == []
        found = world.v1.subscriptions.list({"customer": world.customer}).data
        assert [s.id for s in found] == [subscription.id]
        assert world.v1.customers.retrieve(world.customer).id == world.customer

    def test_how_far_and_which_way_a_clock_moves(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/testing/test-clocks/api-advanced-usage (A02)."""
        world = World(client)
        world.subscribe(world.price())
        clocks = world.v1.test_helpers.test_clocks
        for wrong in (START, START - 1, 1782864000):  # now, the past, 1 July: three intervals ahead
            error = refused(lambda to=wrong: clocks.advance(world.clock, {"frozen_time": to}))
            assert error.http_status == 400
            assert clocks.retrieve(world.clock).frozen_time == START
        assert clocks.advance(world.clock, {"frozen_time": 1780272000}).status == "advancing"
        assert (clocks.retrieve(world.clock).status, clocks.retrieve(world.clock).frozen_time) == (
            "ready", 1780272000)  # fmt: skip
        empty = clocks.create({"frozen_time": START}).id
        assert refused(lambda: clocks.advance(empty, {"frozen_time": 1869696000})).http_status == 400
        assert clocks.advance(empty, {"frozen_time": 1806537600}).status == "advancing"

    def test_a_renewals_payment_intent_carries_the_wall_clock_time(self, client: Any, twin: Twin) -> None:
        """Source: stripe/stripe-python#1183 (A03)."""
        year_ago = twin.now() - 366 * DAY
        world = World(client, at=year_ago)
        subscription = world.subscribe(world.price())
        world.advance(year_ago + 32 * DAY)
        invoice = world.v1.invoices.retrieve(
            world.read(subscription).latest_invoice, {"expand": ["payments.data.payment.payment_intent"]}
        )
        assert invoice.created == year_ago + 31 * DAY
        intent = invoice.payments.data[0].payment.payment_intent
        assert abs(intent.created - twin.now()) <= 300


class TestTrials:
    def test_the_first_invoice_of_a_trial_is_zero_and_paid(self, client: Any) -> None:
        """Source: recorded answers in pay-rails/pay (A04)."""
        world = World(client)
        subscription = world.subscribe(world.price(2500), trial_period_days=15, expand=["latest_invoice"])
        assert subscription.status == "trialing"
        assert subscription.trial_end == subscription.created + 1_296_000
        assert subscription.billing_cycle_anchor == subscription.trial_end
        assert subscription["items"].data[0].current_period_end == subscription.trial_end
        invoice = subscription.latest_invoice
        assert (invoice.status, invoice.total, invoice.amount_due) == ("paid", 0, 0)
        assert (invoice.attempted, invoice.attempt_count) == (True, 0)
        assert invoice.billing_reason == "subscription_create"
        assert invoice.number.endswith("-0001")
        assert invoice.period_start == invoice.period_end == invoice.created
        (line,) = invoice.lines.data
        assert (line.amount, line.period.start, line.period.end) == (0, START, subscription.trial_end)
        assert line.description.startswith("Free trial for 1")

    def test_a_trial_that_ends_without_a_card_pauses_and_resumes(self, client: Any, twin: Twin) -> None:
        """Source: invertase/stripe-firebase-extensions#623 (A05)."""
        world = World(client, card=None)
        price = world.price()
        settings = {"end_behavior": {"missing_payment_method": "paused"}}
        wrong = refused(lambda: world.subscribe(price, trial_period_days=7, trial_settings=settings))
        assert (wrong.http_status, wrong.error.param) == (
            400, "trial_settings[end_behavior][missing_payment_method]")  # fmt: skip
        settings["end_behavior"]["missing_payment_method"] = "pause"
        subscription = world.subscribe(price, trial_period_days=7, trial_settings=settings)
        world.advance(START + 8 * DAY)
        assert world.read(subscription).status == "paused"
        assert len(world.invoices(subscription)) == 1
        assert "customer.subscription.paused" in types(twin)
        world.pay_with("pm_card_visa")
        resumed = world.v1.subscriptions.resume(
            subscription.id, {"billing_cycle_anchor": {"type": "now"}, "expand": ["latest_invoice"]}
        )
        assert (resumed.status, resumed.latest_invoice.status) == ("active", "paid")
        assert resumed.latest_invoice.total == 1000

    def test_a_voided_resumption_invoice_leaves_the_subscription_paused(
        self, at_version: Callable[[str], Any]
    ) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/overview#paused (A05)."""
        world = World(at_version("2026-08-26.dahlia"), card=None)
        settings = {"end_behavior": {"missing_payment_method": "pause"}}
        subscription = world.subscribe(world.price(), trial_period_days=7, trial_settings=settings)
        world.advance(START + 8 * DAY)
        resumed = world.v1.subscriptions.resume(subscription.id)
        assert resumed.status == "paused"
        world.v1.invoices.void_invoice(resumed.latest_invoice)
        assert world.read(subscription).status == "paused"


class TestAnchors:
    def test_an_anchor_ahead_without_proration_makes_no_invoice(self, client: Any, twin: Twin) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-cycle (A06)."""
        world = World(client, at=1775779200)  # 10 April
        subscription = world.subscribe(
            world.price(), billing_cycle_anchor=1777593600, proration_behavior="none"
        )
        assert (subscription.status, subscription.latest_invoice) == ("active", None)
        assert world.invoices(subscription) == []
        assert "invoice.created" not in types(twin)
        world.advance(1777593600 + 2 * HOUR)
        (invoice,) = world.invoices(subscription)
        assert (invoice.total, invoice.status) == (1000, "paid")

    def test_a_cycle_that_begins_again_credits_and_charges_at_once(self, client: Any) -> None:
        """Source: recorded answers in pay-rails/pay (A14)."""
        world = World(client)
        subscription = world.subscribe(world.price(2500))
        world.advance(START + 3)
        updated = world.v1.subscriptions.update(
            subscription.id,
            {
                "items": [{"id": world.item(subscription), "price": world.price(25000, "year")}],
                "proration_behavior": "always_invoice",
                "billing_cycle_anchor": {"type": "now"},
                "expand": ["latest_invoice"],
            },
        )
        invoice = updated.latest_invoice
        assert updated.billing_cycle_anchor == START + 3
        assert (invoice.billing_reason, invoice.total, invoice.status) == (
            "subscription_update", 22500, "paid")  # fmt: skip
        assert invoice.period_start == invoice.period_end == START + 3
        credit, debit = invoice.lines.data
        assert (credit.amount, debit.amount) == (-2500, 25000)
        assert credit.description.startswith("Unused time on Seed box")
        assert (credit.period.start, credit.period.end) == (START + 3, START + MONTH)
        assert debit.description == "1 × Seed box (at $250.00 / year)"
        assert debit.parent.subscription_item_details.proration is False
        assert updated["items"].data[0].current_period_end == 1806537603  # a year later


class TestIncomplete:
    def test_a_first_invoice_that_needs_its_holder(self, client: Any) -> None:
        """Source: recorded answers in pay-rails/pay (A07)."""
        world = World(client, card="pm_card_authenticationRequired")
        subscription = world.subscribe(
            world.price(2500), expand=["latest_invoice.payments.data.payment.payment_intent"]
        )
        invoice = subscription.latest_invoice
        assert subscription.status == "incomplete"
        assert (invoice.status, invoice.attempted, invoice.attempt_count) == ("open", True, 0)
        assert invoice.amount_remaining == 2500
        assert invoice.number
        intent = invoice.payments.data[0].payment.payment_intent
        assert intent.status == "requires_action"
        assert intent.next_action.type == "use_stripe_sdk"
        assert intent.setup_future_usage == "off_session"
        assert (intent.last_payment_error, intent.latest_charge) == (None, None)

    def test_the_limit_of_23_hours(self, client: Any) -> None:
        """Source: laravel/cashier-stripe#631 (A08)."""
        world = World(client, card="pm_card_authenticationRequired")
        subscription = world.subscribe(world.price(2500))
        world.advance(START + 22 * HOUR)
        assert world.read(subscription).status == "incomplete"
        world.advance(START + 24 * HOUR)
        assert world.read(subscription).status == "incomplete_expired"
        (invoice,) = world.invoices(subscription)
        assert invoice.status == "void"
        assert invoice.number
        assert refused(lambda: world.v1.invoices.pay(invoice.id)).http_status == 400
        world.advance(START + 40 * DAY)
        assert len(world.invoices(subscription)) == 1


class TestChanges:
    def test_a_failed_upgrade_keeps_the_new_price(self, client: Any) -> None:
        """Source: laravel/cashier-stripe#1722 (A09)."""
        world = World(client)
        subscription = world.subscribe(world.price())
        world.pay_with("pm_card_chargeCustomerFail")
        dear = world.price(5000)
        updated = world.v1.subscriptions.update(
            subscription.id,
            {
                "items": [{"id": world.item(subscription), "price": dear}],
                "proration_behavior": "always_invoice",
                "expand": ["latest_invoice"],
            },
        )
        assert updated["items"].data[0].price.id == dear
        assert (updated.status, updated.latest_invoice.status) == ("past_due", "open")

    def test_cancel_at_period_end_and_back(self, client: Any) -> None:
        """Source: recorded answers in pay-rails/pay (A10)."""
        world = World(client)
        subscription = world.subscribe(world.price())
        ending = world.v1.subscriptions.update(subscription.id, {"cancel_at_period_end": True})
        assert (ending.status, ending.cancel_at, ending.canceled_at) == ("active", START + MONTH, START)
        going = world.v1.subscriptions.update(subscription.id, {"cancel_at_period_end": False})
        assert (going.cancel_at_period_end, going.cancel_at, going.canceled_at) == (False, None, None)
        assert len(world.invoices()) == 1

    def test_a_proration_date_alone_does_nothing(self, client: Any) -> None:
        """Source: stripe/stripe-dotnet#526 (A16)."""
        world = World(client)
        subscription = world.subscribe(world.price())
        world.advance(START + 9 * DAY)
        updated = world.v1.subscriptions.update(subscription.id, {"proration_date": START + 9 * DAY})
        assert updated.latest_invoice == subscription.latest_invoice
        assert world.waiting() == []
        assert len(world.invoices()) == 1

    def test_an_immediate_cancel_stops_collection(self, client: Any) -> None:
        """Source: https://docs.stripe.com/api/subscriptions/cancel (A20)."""
        world = World(client)
        subscription = world.subscribe(world.price())
        world.pay_with("pm_card_chargeCustomerFail")
        world.advance(START + MONTH + 2 * HOUR)
        late = world.read(subscription)
        assert late.status == "past_due"
        assert world.invoice(late.latest_invoice).auto_advance is True
        manual = world.v1.invoice_items.create({"customer": world.customer, "amount": 300, "currency": "usd"})
        before = len(world.invoices())
        canceled = world.v1.subscriptions.cancel(subscription.id)
        assert (canceled.status, canceled.ended_at) == ("canceled", world.now)
        assert len(world.invoices()) == before
        stopped = world.invoice(late.latest_invoice)
        assert (stopped.status, stopped.auto_advance) == ("open", False)
        assert [item.id for item in world.waiting()] == [manual.id]
        error = refused(
            lambda: world.v1.subscriptions.update(
                subscription.id, {"items": [{"id": world.item(subscription), "quantity": 2}]}
            )
        )
        assert error.http_status == 400
        assert world.v1.subscriptions.update(subscription.id, {"metadata": {"a": "1"}}).metadata["a"] == "1"


class TestProration:
    def test_to_the_second_and_pinned(self, client: Any) -> None:
        """Source: stripe/stripe-dotnet#1846 (A12)."""
        world = World(client)
        subscription = world.subscribe(world.price(2_592_000))
        double = world.price(5_184_000)
        world.advance(START + 1_296_001)
        change: dict[str, Any] = {"items": [{"id": world.item(subscription), "price": double}]}

        def previewed(**details: Any) -> list[int]:
            preview = world.v1.invoices.create_preview(
                {"subscription": subscription.id, "subscription_details": {**change, **details}}
            )
            return [
                line.amount
                for line in preview.lines.data
                if line.parent.subscription_item_details.proration and line.discountable is False
            ]

        assert previewed() == [-1_295_999, 2_591_998]
        assert previewed(proration_date=START + 1_296_000) == [-1_296_000, 2_592_000]
        world.advance(START + 1_296_037)
        updated = world.v1.subscriptions.update(
            subscription.id,
            {
                **change,
                "proration_behavior": "always_invoice",
                "proration_date": START + 1_296_000,
                "expand": ["latest_invoice"],
            },
        )
        assert amounts(updated.latest_invoice) == [-1_296_000, 2_592_000]
        assert updated.latest_invoice.total == 1_296_000

    @pytest.mark.parametrize(("mode", "credit"), [("classic", -250), ("flexible", -417)])
    def test_a_split_coupon_and_a_removed_item(self, client: Any, mode: str, credit: int) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/prorations (A13)."""
        world = World(client, at=1769904000)
        coupon = world.v1.coupons.create({"amount_off": 500, "currency": "usd", "duration": "forever"})
        subscription = world.subscribe(
            world.price(1000), world.price(2000), discounts=[{"coupon": coupon.id}],
            billing_mode={"type": mode}, expand=["latest_invoice"],
        )  # fmt: skip
        invoice = subscription.latest_invoice
        assert invoice.total == 2500
        taken = {line.amount: line.discount_amounts[0].amount for line in invoice.lines.data}
        assert taken == {1000: 166, 2000: 334}
        world.advance(1771113600)
        cheap = next(i for i in subscription["items"].data if i.price.unit_amount == 1000)
        world.v1.subscription_items.delete(cheap.id, {"proration_behavior": "create_prorations"})
        assert [item.amount for item in world.waiting()] == [credit]

    def test_a_net_credit_becomes_customer_balance(self, client: Any) -> None:
        """Source: https://docs.stripe.com/billing/customer/balance (A15)."""
        world = World(client)
        subscription = world.subscribe(world.price(1000), billing_mode={"type": "classic"})
        world.advance(START + 10 * DAY)
        updated = world.v1.subscriptions.update(
            subscription.id,
            {
                "items": [{"id": world.item(subscription), "price": world.price(499)}],
                "proration_behavior": "always_invoice",
                "expand": ["latest_invoice"],
            },
        )
        invoice = updated.latest_invoice
        assert (invoice.total, invoice.amount_due, invoice.status) == (-334, 0, "paid")
        assert invoice.ending_balance == -334
        assert world.v1.customers.retrieve(world.customer).balance == -334
        assert world.v1.refunds.list().data == []
        world.v1.invoice_items.create({"customer": world.customer, "amount": 1000, "currency": "usd"})
        one_off = world.v1.invoices.create(
            {"customer": world.customer, "pending_invoice_items_behavior": "include"}
        )
        assert world.v1.invoices.pay(one_off.id).amount_due == 666
        assert world.v1.customers.retrieve(world.customer).balance == 0


class TestInvoices:
    def test_numbers(self, client: Any) -> None:
        """Source: https://docs.stripe.com/invoicing/customize#invoice-numbering (A17)."""
        world = World(client, clock=False)
        assert world.v1.customers.retrieve(world.customer).next_invoice_sequence == 1

        def draft() -> Any:
            invoice = world.v1.invoices.create({"customer": world.customer})
            world.v1.invoice_items.create(
                {"customer": world.customer, "invoice": invoice.id, "amount": 500, "currency": "usd"}
            )
            assert invoice.number is None
            return invoice

        world.v1.invoices.delete(draft().id)
        second = world.v1.invoices.finalize_invoice(draft().id)
        assert second.number.endswith("-0001")
        assert world.v1.invoices.void_invoice(second.id).number == second.number
        third = world.v1.invoices.finalize_invoice(draft().id)
        assert third.number == f"{second.number[:-4]}0002"
        assert world.v1.customers.retrieve(world.customer).next_invoice_sequence == 3

    def test_a_renewal_is_a_draft_for_an_hour(self, client: Any) -> None:
        """Source: stripe/stripe-java#1613 (A18)."""
        world = World(client)
        subscription = world.subscribe(world.price())
        world.advance(START + MONTH + 10)
        now = world.read(subscription)
        assert (now.status, now["items"].data[0].current_period_start) == ("active", START + MONTH)
        draft = world.invoice(now.latest_invoice)
        assert (draft.status, draft.number, draft.attempted) == ("draft", None, False)
        assert draft.billing_reason == "subscription_cycle"
        assert draft.automatically_finalizes_at == draft.created + 3600
        world.advance(START + MONTH + 2 * HOUR)
        paid = world.invoice(now.latest_invoice)
        assert (paid.status, paid.attempt_count) == ("paid", 1)
        assert paid.number

    def test_pending_items_are_left_out_by_default(self, client: Any) -> None:
        """Source: https://docs.stripe.com/api/invoices/create (A19)."""
        world = World(client, clock=False)
        world.v1.invoice_items.create({"customer": world.customer, "amount": 1000, "currency": "usd"})
        plain = world.v1.invoices.create({"customer": world.customer})
        assert (plain.total, plain.lines.data) == (0, [])
        full = world.v1.invoices.create(
            {"customer": world.customer, "pending_invoice_items_behavior": "include"}
        )
        assert (full.total, len(full.lines.data), full.parent) == (1000, 1, None)

    def test_tax_rounds_half_up(self, client: Any) -> None:
        """Source: https://support.stripe.com/questions/rounding-rules-for-stripe-fees (A21)."""
        world = World(client, clock=False)

        def taxed(percentage: int, *of: int) -> Any:
            rate = world.v1.tax_rates.create(
                {"display_name": "VAT", "percentage": percentage, "inclusive": False}
            )
            invoice = world.v1.invoices.create({"customer": world.customer, "default_tax_rates": [rate.id]})
            for amount in of:
                world.v1.invoice_items.create(
                    {
                        "customer": world.customer,
                        "invoice": invoice.id,
                        "amount": amount,
                        "currency": "usd",
                    }
                )
            return world.invoice(invoice)

        two = taxed(15, 43, 484)
        assert sorted(line.taxes[0].amount for line in two.lines.data) == [6, 73]
        assert (two.subtotal, two.total_taxes[0].amount, two.total) == (527, 79, 606)
        one = taxed(5, 50)
        assert (one.total_taxes[0].amount, one.total) == (3, 53)

    def test_the_discount_comes_before_the_tax(self, client: Any) -> None:
        """Source: piesync/billbo#59 (A22)."""
        world = World(client)
        rate = world.v1.tax_rates.create({"display_name": "VAT", "percentage": 20, "inclusive": False})
        coupon = world.v1.coupons.create({"amount_off": 500, "currency": "usd", "duration": "once"})
        subscription = world.subscribe(
            world.price(), default_tax_rates=[rate.id], discounts=[{"coupon": coupon.id}],
            expand=["latest_invoice"],
        )  # fmt: skip
        invoice = subscription.latest_invoice
        assert invoice.subtotal == 1000
        assert invoice.total_discount_amounts[0].amount == 500
        assert (invoice.total_taxes[0].amount, invoice.total) == (100, 600)

    def test_one_currency_for_a_customer(self, client: Any) -> None:
        """Source: Automattic/woocommerce-payments#7732 (A48)."""
        world = World(client)
        world.subscribe(world.price(1000, currency="eur"))
        error = refused(lambda: world.subscribe(world.price(1000)))
        assert error.http_status == 400
        assert str(error.user_message).startswith("You cannot combine currencies on a single customer.")


class TestDiscounts:
    def test_a_code_for_first_purchases(self, client: Any) -> None:
        """Source: mozilla/fxa#13727 (A23)."""
        world = World(client, clock=False)
        coupon = world.v1.coupons.create({"percent_off": 20, "duration": "once"})
        code = world.v1.promotion_codes.create(
            {
                "promotion": {"type": "coupon", "coupon": coupon.id},
                "restrictions": {"first_time_transaction": True},
            }
        )
        world.v1.payment_intents.create(
            {
                "amount": 1000,
                "currency": "usd",
                "customer": world.customer,
                "payment_method": world.pay_with("pm_card_visa"),
                "confirm": True,
                "return_url": "https://shop.example.test/done",
            }
        )
        price = world.price()
        error = refused(lambda: world.subscribe(price, discounts=[{"promotion_code": code.id}]))
        assert str(error.user_message) == (
            "This promotion code cannot be redeemed because the associated customer has prior transactions."
        )
        assert world.v1.promotion_codes.retrieve(code.id).times_redeemed == 0
        world.customer = world.new_customer()
        subscription = world.subscribe(
            price, discounts=[{"promotion_code": code.id}], expand=["latest_invoice"]
        )
        assert subscription.latest_invoice.total == 800
        assert world.v1.promotion_codes.retrieve(code.id).times_redeemed == 1


class TestUsage:
    def test_when_a_meter_event_may_be_dated(self, client: Any, twin: Twin) -> None:
        """Source: https://docs.stripe.com/api/billing/meter-event/create (A24)."""
        world = World(client, clock=False)
        world.v1.billing.meters.create(
            {"display_name": "Calls", "event_name": "calls", "default_aggregation": {"formula": "sum"}}
        )

        def count(at: int | None) -> Any:
            event: dict[str, Any] = {
                "event_name": "calls",
                "payload": {"stripe_customer_id": world.customer, "value": "2"},
            }
            return world.v1.billing.meter_events.create(event if at is None else {**event, "timestamp": at})

        now = twin.now()
        early = refused(lambda: count(now - 36 * DAY))
        assert early.http_status == 400
        assert "35 days in the past" in str(early.user_message)
        assert str(now - 35 * DAY) in str(early.user_message)
        assert refused(lambda: count(now + 600)).http_status == 400
        assert count(now - 34 * DAY).timestamp == now - 34 * DAY
        assert count(None).timestamp == now

    @pytest.mark.parametrize("mode", ["classic", "flexible"])
    def test_a_metered_item_at_the_beginning(self, client: Any, mode: str) -> None:
        """Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare (A25)."""
        world = World(client)
        meter = world.v1.billing.meters.create(
            {"display_name": "Calls", "event_name": "calls", "default_aggregation": {"formula": "sum"}}
        )
        price = world.price(10, recurring={"usage_type": "metered", "meter": meter.id})
        subscription = world.subscribe(price, billing_mode={"type": mode}, expand=["latest_invoice"])
        first = subscription.latest_invoice
        if mode == "classic":
            assert (first.status, amounts(first)) == ("paid", [0])
        else:
            assert first is None
        world.advance(START + MONTH + 2 * HOUR)
        renewal = world.invoice(world.read(subscription).latest_invoice)
        assert (amounts(renewal), renewal.lines.data[0].quantity) == ([0], 0)
        assert words(renewal) == ["0 × Seed box (at $0.10 / month)"]
