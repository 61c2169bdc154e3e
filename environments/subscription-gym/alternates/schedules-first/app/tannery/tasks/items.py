"""Changes of single items."""

from ..inputs import text
from ..problems import InvalidRequest
from .joining import period_end

NOW = {"proration_behavior": "always_invoice", "payment_behavior": "error_if_incomplete"}


def find(subscription, price):
    """The item of a membership that has a price."""
    found = [item for item in subscription["items"].data if item.price.id == price]
    if not found:
        raise InvalidRequest(f"The membership has no item with the price {price}.")
    return found[0]


def _last_invoice(desk, subscription):
    return desk.stripe.subscriptions.retrieve(subscription, {"expand": ["latest_invoice"]})


def upgrade(desk, asked):
    """`{subscription, from, to}`: the item changes, and the difference is charged."""
    subscription = desk.stripe.subscriptions.retrieve(text(asked, "subscription"))
    item = find(subscription, text(asked, "from"))
    change = {"price": text(asked, "to"), "quantity": item.quantity, **NOW}
    desk.stripe.subscription_items.update(item.id, change, desk.once())
    invoice = _last_invoice(desk, subscription.id).latest_invoice
    return {"subscription": subscription.id, "invoice": invoice.id, "amount_paid": invoice.amount_paid}


def quote(desk, asked):
    """`{subscription, from, to}`: the change as a preview, and the renewal by its prices."""
    subscription = desk.stripe.subscriptions.retrieve(text(asked, "subscription"))
    item = find(subscription, text(asked, "from"))
    change = {"id": item.id, "price": text(asked, "to"), "quantity": item.quantity}
    now = desk.stripe.invoices.create_preview(
        {
            "subscription": subscription.id,
            "subscription_details": {"items": [change], "proration_behavior": "always_invoice"},
        }
    )
    later = desk.stripe.invoices.create_preview(
        {
            "subscription": subscription.id,
            "subscription_details": {"items": [change], "proration_behavior": "create_prorations"},
        }
    )
    return {
        "currency": now.currency,
        "due_now": now.amount_due,
        "next_amount": later.total - now.total,
        "next_payment": period_end(subscription),
    }


def switch(desk, asked):
    """`{subscription, price}`: the only item gets a price of another interval."""
    subscription = desk.stripe.subscriptions.retrieve(text(asked, "subscription"))
    if len(subscription["items"].data) != 1:
        raise InvalidRequest("Only a membership with one item can be switched.")
    item = subscription["items"].data[0]
    wanted = {"id": item.id, "price": text(asked, "price"), "quantity": item.quantity}
    change = {"items": [wanted], "billing_cycle_anchor": {"type": "now"}, **NOW}
    desk.stripe.subscriptions.update(subscription.id, change, desk.once())
    changed = _last_invoice(desk, subscription.id)
    invoice = changed.latest_invoice
    rest = (invoice.starting_balance or 0) - (invoice.ending_balance or 0)
    return {
        "subscription": changed.id,
        "invoice": invoice.id,
        "amount_paid": invoice.amount_paid,
        "credit": max(0, rest),
        "period_end": period_end(changed),
    }
