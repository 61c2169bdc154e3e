"""Ten subscription business models through the official Python SDK, each on a test clock of its own."""

from __future__ import annotations

import os
from typing import Any

import stripe

from tests.conformance.shared.suite import equal, run

client = stripe.StripeClient(
    os.environ["SECRET_KEY"], base_addresses={"api": os.environ["TWIN_URL"]}, max_network_retries=0
)
v1: Any = client.v1
HOUR, DAY = 3600, 86_400
APRIL = 1_775_001_600  # 2026-04-01 00:00 UTC
MAY, JUNE, JULY = APRIL + 30 * DAY, APRIL + 61 * DAY, APRIL + 91 * DAY


class Shop:
    """A customer with a card on a clock that stands at 1 April."""

    def __init__(self) -> None:
        self.clock = v1.test_helpers.test_clocks.create({"frozen_time": APRIL}).id
        form = {"test_clock": self.clock, "payment_method": "pm_card_visa"}
        self.customer = v1.customers.create(
            {**form, "invoice_settings": {"default_payment_method": "pm_card_visa"}}
        ).id

    def subscribe(self, price: str, **more: Any) -> Any:
        return v1.subscriptions.create({"customer": self.customer, "items": [{"price": price}], **more})

    def advance(self, *moments: int) -> None:
        for moment in moments:
            clock = v1.test_helpers.test_clocks.advance(self.clock, {"frozen_time": moment})
            while clock.status == "advancing":
                clock = v1.test_helpers.test_clocks.retrieve(self.clock)
            equal((clock.status, clock.frozen_time), ("ready", moment))

    def invoices(self) -> list[Any]:
        """Oldest first."""
        found: list[Any] = v1.invoices.list({"customer": self.customer}).data
        return found[::-1]

    def billed(self, *expected: tuple[str, str, int, int]) -> None:
        """Reason, status, total and amount paid of every invoice."""
        found = [(i.billing_reason, i.status, i.total, i.amount_paid) for i in self.invoices()]
        equal(found, list(expected))


def price(amount: int, **more: Any) -> str:
    form = {"unit_amount": amount, "currency": "usd", "product_data": {"name": "Seed box"}, **more}
    made: str = v1.prices.create(form).id
    return made


def monthly(amount: int, **recurring: Any) -> str:
    return price(amount, recurring={"interval": "month", **recurring})


def lines(invoice: Any) -> list[int]:
    return [line.amount for line in invoice.lines.data]


def create() -> None:
    shop = Shop()
    made = shop.subscribe(monthly(1000))
    equal((made.status, made["items"].data[0].current_period_end), ("active", MAY))
    shop.billed(("subscription_create", "paid", 1000, 1000))
    shop.advance(MAY + 60)
    equal(shop.invoices()[1].status, "draft")
    shop.advance(MAY + 2 * HOUR)
    shop.billed(
        ("subscription_create", "paid", 1000, 1000),
        ("subscription_cycle", "paid", 1000, 1000),
    )
    equal(v1.subscriptions.retrieve(made.id)["items"].data[0].current_period_end, JUNE)


def trial() -> None:
    shop = Shop()
    made = shop.subscribe(monthly(1000), trial_period_days=14)
    equal((made.status, made.trial_end), ("trialing", APRIL + 14 * DAY))
    shop.billed(("subscription_create", "paid", 0, 0))
    shop.advance(APRIL + 14 * DAY + 2 * HOUR)
    equal(v1.subscriptions.retrieve(made.id).status, "active")
    shop.billed(("subscription_create", "paid", 0, 0), ("subscription_cycle", "paid", 1000, 1000))


def discount_with_anchor() -> None:
    shop = Shop()
    coupon = v1.coupons.create({"percent_off": 20, "duration": "forever"}).id
    anchor = APRIL + 15 * DAY
    shop.subscribe(monthly(1000), discounts=[{"coupon": coupon}], billing_cycle_anchor=anchor)
    shop.advance(anchor + 2 * HOUR)
    # 15 of the 31 days from 16 March to 16 April: 484, less 97. Prorations include their discounts:
    # https://docs.stripe.com/billing/subscriptions/prorations#prorations-and-discounts
    shop.billed(("subscription_create", "paid", 387, 387), ("subscription_cycle", "paid", 800, 800))
    equal([[d.amount for d in i.total_discount_amounts] for i in shop.invoices()], [[], [200]])


def one_time_item() -> None:
    shop = Shop()
    shop.subscribe(monthly(1000), add_invoice_items=[{"price": price(550)}])
    equal(sorted(lines(shop.invoices()[0])), [550, 1000])
    shop.advance(MAY + 2 * HOUR)
    shop.billed(
        ("subscription_create", "paid", 1550, 1550),
        ("subscription_cycle", "paid", 1000, 1000),
    )


def usage_with_meters() -> None:
    shop = Shop()
    meter = v1.billing.meters.create(
        {"display_name": "Calls", "event_name": "python_calls", "default_aggregation": {"formula": "sum"}}
    ).id
    shop.subscribe(monthly(7, usage_type="metered", meter=meter))
    shop.billed()
    shop.advance(APRIL + 2 * DAY)
    for value in (5, 8):
        payload = {"stripe_customer_id": shop.customer, "value": str(value)}
        form = {"event_name": "python_calls", "payload": payload, "timestamp": APRIL + DAY}
        v1.billing.meter_events.create(form)
    window = {"customer": shop.customer, "start_time": APRIL, "end_time": APRIL + 2 * DAY}
    equal(v1.billing.meters.event_summaries.list(meter, window).data[0].aggregated_value, 13)
    shop.advance(MAY + 2 * HOUR)
    shop.billed(("subscription_cycle", "paid", 91, 91))


def schedule() -> None:
    shop = Shop()
    phases = [
        {"items": [{"price": monthly(amount)}], "duration": {"interval": "month", "interval_count": months}}
        for amount, months in ((1000, 1), (1500, 2))
    ]
    made = v1.subscription_schedules.create(
        {"customer": shop.customer, "start_date": "now", "end_behavior": "cancel", "phases": phases}
    )
    shop.advance(MAY + 2 * HOUR, JUNE + 2 * HOUR, JULY + 2 * HOUR)
    equal([i.total for i in shop.invoices()], [1000, 1500, 1500])
    equal([i.status for i in shop.invoices()], ["paid"] * 3)
    equal(v1.subscriptions.retrieve(made.subscription).status, "canceled")
    equal(v1.subscription_schedules.retrieve(made.id).status, "completed")


def upgrade_with_proration() -> None:
    shop = Shop()
    made = shop.subscribe(monthly(1000))
    shop.advance(APRIL + 10 * DAY)
    item = made["items"].data[0].id
    form = {"items": [{"id": item, "price": monthly(3000)}], "proration_behavior": "always_invoice"}
    v1.subscriptions.update(made.id, form)
    equal(lines(shop.invoices()[1]), [-667, 2000])
    shop.advance(MAY + 2 * HOUR)
    shop.billed(
        ("subscription_create", "paid", 1000, 1000),
        ("subscription_update", "paid", 1333, 1333),
        ("subscription_cycle", "paid", 3000, 3000),
    )


def downgrade_at_period_end() -> None:
    shop = Shop()
    dear, cheap = monthly(3000), monthly(1000)
    made = shop.subscribe(dear)
    planned = v1.subscription_schedules.create({"from_subscription": made.id})
    now = planned.phases[0]
    first = {"items": [{"price": dear}], "start_date": now.start_date, "end_date": now.end_date}
    then = {"items": [{"price": cheap}], "duration": {"interval": "month", "interval_count": 1}}
    v1.subscription_schedules.update(planned.id, {"end_behavior": "release", "phases": [first, then]})
    shop.billed(("subscription_create", "paid", 3000, 3000))
    shop.advance(MAY + 2 * HOUR)
    shop.billed(
        ("subscription_create", "paid", 3000, 3000),
        ("subscription_cycle", "paid", 1000, 1000),
    )
    equal(v1.subscriptions.retrieve(made.id)["items"].data[0].price.id, cheap)


def cancel_without_proration() -> None:
    shop = Shop()
    made = shop.subscribe(monthly(1000))
    shop.advance(APRIL + 10 * DAY)
    gone = v1.subscriptions.cancel(made.id, {"prorate": False, "invoice_now": False})
    equal((gone.status, gone.ended_at), ("canceled", APRIL + 10 * DAY))
    shop.advance(MAY + 2 * HOUR)
    shop.billed(("subscription_create", "paid", 1000, 1000))
    equal(v1.invoice_items.list({"customer": shop.customer}).data, [])
    equal(v1.customers.retrieve(shop.customer).balance, 0)


def preview() -> None:
    shop = Shop()
    made = shop.subscribe(monthly(1000))
    when = APRIL + 12 * DAY
    change = {
        "items": [{"id": made["items"].data[0].id, "price": monthly(2500)}],
        "proration_behavior": "always_invoice",
        "proration_date": when,
    }
    shop.advance(when)
    shown = v1.invoices.create_preview({"subscription": made.id, "subscription_details": change})
    equal((lines(shown), shown.total), ([-600, 1500], 900))
    shop.billed(("subscription_create", "paid", 1000, 1000))
    v1.subscriptions.update(made.id, change)
    equal(lines(shop.invoices()[1]), lines(shown))
    equal(shop.invoices()[1].amount_paid, 900)


SCENARIOS = [
    create,
    trial,
    discount_with_anchor,
    one_time_item,
    usage_with_meters,
    schedule,
    upgrade_with_proration,
    downgrade_at_period_end,
    cancel_without_proration,
    preview,
]

run(SCENARIOS)
