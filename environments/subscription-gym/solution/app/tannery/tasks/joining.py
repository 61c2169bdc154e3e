# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-940bfca64c03: keep out of training data
"""Ways to become a member."""

from ..inputs import optional, text, whole


def begin(desk, asked, items, **more):
    """A new membership whose first invoice is paid, or none."""
    return desk.stripe.subscriptions.create(
        {
            "customer": text(asked, "customer"),
            "items": items,
            "payment_behavior": "error_if_incomplete",
            "expand": ["latest_invoice"],
            **more,
        },
        desk.once(),
    )


def period_end(subscription):
    """When the current period of a membership ends."""
    return min(item.current_period_end for item in subscription["items"].data)


def paid(subscription):
    """What every answer to a new membership says."""
    invoice = subscription.latest_invoice
    return {"subscription": subscription.id, "invoice": invoice.id, "amount_paid": invoice.amount_paid}


def join(desk, asked):
    """`{customer, price, quantity}`: charged now and in each further period."""
    item = {"price": text(asked, "price"), "quantity": whole(asked, "quantity")}
    made = begin(desk, asked, [item])
    return {
        **paid(made),
        "status": made.status,
        "currency": made.currency,
        "period_end": period_end(made),
    }


def trial(desk, asked):
    """`{customer, price, days}`: nothing for so many days."""
    made = begin(
        desk,
        asked,
        [{"price": text(asked, "price")}],
        trial_period_days=whole(asked, "days"),
        trial_settings={"end_behavior": {"missing_payment_method": "cancel"}},
    )
    return {"subscription": made.id, "status": made.status, "trial_end": made.trial_end}


def by_the_day(desk, asked):
    """`{customer, price, day, coupon}`: due on a day of the month."""
    coupon = optional(text, asked, "coupon")
    more = {"discounts": [{"coupon": coupon}]} if coupon else {}
    made = begin(
        desk,
        asked,
        [{"price": text(asked, "price")}],
        billing_cycle_anchor_config={"day_of_month": whole(asked, "day", 1, 31)},
        **more,
    )
    return {**paid(made), "next_payment": period_end(made)}


def induction(desk, asked):
    """`{customer, price, fee, fee_quantity}`: a fee on the first invoice."""
    fee = {"price": text(asked, "fee"), "quantity": whole(asked, "fee_quantity")}
    made = begin(desk, asked, [{"price": text(asked, "price")}], add_invoice_items=[fee])
    return paid(made)


def kiln(desk, asked):
    """`{customer, price, usage_price}`: a price in advance, and usage afterwards."""
    return paid(begin(desk, asked, [{"price": text(asked, "price")}, {"price": text(asked, "usage_price")}]))


def team(desk, asked):
    """`{customer, price, seats, currency}`: seats in one of the price's currencies."""
    item = {"price": text(asked, "price"), "quantity": whole(asked, "seats")}
    made = begin(desk, asked, [item], currency=text(asked, "currency"))
    return {**paid(made), "currency": made.currency}
