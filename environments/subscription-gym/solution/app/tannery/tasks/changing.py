# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-668b48d8c388: keep out of training data
"""Changes of a membership that hold at once, and its end."""

from ..inputs import text
from ..problems import InvalidRequest
from .joining import period_end


def find_item(subscription, price):
    """The item of a membership that has a price."""
    for item in subscription["items"].data:
        if item.price.id == price:
            return item
    raise InvalidRequest(f"The membership has no item with the price {price}.")


def _changed(desk, asked):
    """The membership, and its item as it is to be."""
    subscription = desk.stripe.subscriptions.retrieve(text(asked, "subscription"))
    item = find_item(subscription, text(asked, "from"))
    return subscription, {"id": item.id, "price": text(asked, "to"), "quantity": item.quantity}


def _change(desk, subscription, item, **more):
    return desk.stripe.subscriptions.update(
        subscription.id,
        {
            "items": [item],
            "proration_behavior": "always_invoice",
            "payment_behavior": "error_if_incomplete",
            "expand": ["latest_invoice"],
            **more,
        },
        desk.once(),
    )


def upgrade(desk, asked):
    """`{subscription, from, to}`: another price now, the difference charged at once."""
    changed = _change(desk, *_changed(desk, asked))
    invoice = changed.latest_invoice
    return {"subscription": changed.id, "invoice": invoice.id, "amount_paid": invoice.amount_paid}


def quote(desk, asked):
    """`{subscription, from, to}`: what an upgrade would cost."""
    subscription, item = _changed(desk, asked)

    def preview(behavior):
        return desk.stripe.invoices.create_preview(
            {
                "customer": subscription.customer,
                "subscription": subscription.id,
                "subscription_details": {"items": [item], "proration_behavior": behavior},
            }
        )

    return {
        "currency": subscription.currency,
        "due_now": preview("always_invoice").total,
        "next_amount": preview("none").total,
        "next_payment": period_end(subscription),
    }


def switch(desk, asked):
    """`{subscription, price}`: another interval, from now on."""
    subscription = desk.stripe.subscriptions.retrieve(text(asked, "subscription"))
    if len(subscription["items"].data) != 1:
        raise InvalidRequest("Only a membership with one item can be switched.")
    item = subscription["items"].data[0]
    wanted = {"id": item.id, "price": text(asked, "price"), "quantity": item.quantity}
    changed = _change(desk, subscription, wanted, billing_cycle_anchor={"type": "now"})
    invoice = changed.latest_invoice
    return {
        "subscription": changed.id,
        "invoice": invoice.id,
        "amount_paid": invoice.amount_paid,
        "credit": max(0, -invoice.total),
        "period_end": period_end(changed),
    }


def leave(desk, asked):
    """`{subscription, when}`: the end of a membership, now or with its period."""
    name, when = text(asked, "subscription"), text(asked, "when")
    if when == "now":
        ended = desk.stripe.subscriptions.cancel(name, {"prorate": False, "invoice_now": False}, desk.once())
        return {"subscription": ended.id, "status": ended.status, "ends_at": ended.ended_at}
    if when != "period_end":
        raise InvalidRequest("when must be now or period_end.")
    ending = desk.stripe.subscriptions.update(name, {"cancel_at_period_end": True}, desk.once())
    return {"subscription": ending.id, "status": ending.status, "ends_at": ending.cancel_at}
