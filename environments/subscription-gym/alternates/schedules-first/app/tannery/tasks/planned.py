"""Schedules: seasons from their beginning, and downgrades of what is there."""

import stripe as sdk

from ..inputs import optional, part, text, whole
from .items import find
from .joining import period_end


def seasons(desk, asked):
    """`{customer, first, then}`: one schedule, which begins now."""
    first, then = part(asked, "first"), part(asked, "then")
    last = optional(whole, then, "periods")
    phases = [_phase(desk, first, whole(first, "periods")), _phase(desk, then, last or 1)]
    schedule = desk.stripe.subscription_schedules.create(
        {
            "customer": text(asked, "customer"),
            "start_date": "now",
            "end_behavior": "cancel" if last else "release",
            "phases": phases,
        },
        desk.once(),
    )
    subscription = desk.stripe.subscriptions.retrieve(schedule.subscription)
    invoice = desk.stripe.invoices.retrieve(subscription.latest_invoice)
    try:
        if invoice.status == "draft":
            invoice = desk.stripe.invoices.finalize_invoice(invoice.id, {}, desk.once())
        if invoice.status == "open":
            invoice = desk.stripe.invoices.pay(invoice.id, {}, desk.once())
    except sdk.CardError:
        desk.stripe.subscription_schedules.cancel(schedule.id, {"invoice_now": False, "prorate": False}, desk.once())
        desk.stripe.invoices.void_invoice(invoice.id, {}, desk.once())
        raise
    return {
        "subscription": subscription.id,
        "schedule": schedule.id,
        "invoice": invoice.id,
        "amount_paid": invoice.amount_paid,
    }


def _phase(desk, season, periods):
    price = desk.stripe.prices.retrieve(text(season, "price"))
    every = price.recurring
    return {
        "items": [{"price": price.id, "quantity": 1}],
        "duration": {"interval": every.interval, "interval_count": every.interval_count * periods},
        "proration_behavior": "none",
    }


def downgrade(desk, asked):
    """`{subscription, from, to}`: this period as it is, then the same with another price."""
    found = desk.stripe.subscriptions.retrieve(text(asked, "subscription"), {"expand": ["discounts"]})
    changed = find(found, text(asked, "from"))
    new = desk.stripe.prices.retrieve(text(asked, "to"))
    end = period_end(found)
    schedule = desk.stripe.subscription_schedules.create({"from_subscription": found.id}, desk.once())
    kept = [{"price": item.price.id, "quantity": item.quantity} for item in found["items"].data]
    later = [{**item, "price": new.id} if item["price"] == changed.price.id else item for item in kept]
    more = {"proration_behavior": "none"}
    if found.discounts:
        more["discounts"] = [{"coupon": discount.source.coupon} for discount in found.discounts]
    every = new.recurring
    desk.stripe.subscription_schedules.update(
        schedule.id,
        {
            "phases": [
                {"start_date": schedule.phases[0].start_date, "end_date": end, "items": kept, **more},
                {
                    "items": later,
                    "duration": {"interval": every.interval, "interval_count": every.interval_count},
                    **more,
                },
            ],
            "end_behavior": "release",
        },
        desk.once(),
    )
    return {"subscription": found.id, "effective_at": end}
