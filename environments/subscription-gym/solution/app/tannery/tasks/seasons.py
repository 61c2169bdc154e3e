# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-109e2748db33: keep out of training data
"""Memberships whose price changes at the end of a period."""

from ..inputs import optional, part, text, whole
from .changing import find_item
from .joining import begin, paid, period_end


def _lasting(price, periods):
    """So many periods of a price, as a phase wants them."""
    recurring = price.recurring
    return {"interval": recurring.interval, "interval_count": recurring.interval_count * periods}


def seasons(desk, asked):
    """`{customer, first, then}`: so many periods of one price, then another."""
    first, then = part(asked, "first"), part(asked, "then")
    periods, last = whole(first, "periods"), optional(whole, then, "periods")
    one = desk.stripe.prices.retrieve(text(first, "price"))
    other = desk.stripe.prices.retrieve(text(then, "price"))
    made = begin(desk, asked, [{"price": one.id}])
    schedule = desk.stripe.subscription_schedules.create({"from_subscription": made.id}, desk.once())
    start = schedule.phases[0].start_date
    phases = [
        {
            "start_date": start,
            "duration": _lasting(one, periods),
            "items": [{"price": one.id}],
            "proration_behavior": "none",
        },
        {
            "duration": _lasting(other, last or 1),
            "items": [{"price": other.id}],
            "proration_behavior": "none",
        },
    ]
    desk.stripe.subscription_schedules.update(
        schedule.id,
        {
            "end_behavior": "release" if last is None else "cancel",
            "phases": phases,
            "proration_behavior": "none",
        },
        desk.once(),
    )
    return {**paid(made), "schedule": schedule.id}


def downgrade(desk, asked):
    """`{subscription, from, to}`: another price from the next period on."""
    subscription = desk.stripe.subscriptions.retrieve(text(asked, "subscription"))
    wanted = desk.stripe.prices.retrieve(text(asked, "to"))
    changed = find_item(subscription, text(asked, "from"))
    schedule = desk.stripe.subscription_schedules.create({"from_subscription": subscription.id}, desk.once())
    now = schedule.phases[0]

    def items(new):
        return [
            {
                "price": wanted.id if new and item.id == changed.id else item.price.id,
                "quantity": item.quantity,
            }
            for item in subscription["items"].data
        ]

    discounts = [{"discount": name} for name in subscription.discounts] or ""
    common = {"proration_behavior": "none", "discounts": discounts}
    desk.stripe.subscription_schedules.update(
        schedule.id,
        {
            "end_behavior": "release",
            "proration_behavior": "none",
            "phases": [
                {
                    "start_date": now.start_date,
                    "end_date": period_end(subscription),
                    "items": items(False),
                    **common,
                },
                {"duration": _lasting(wanted, 1), "items": items(True), **common},
            ],
        },
        desk.once(),
    )
    return {"subscription": subscription.id, "effective_at": period_end(subscription)}
