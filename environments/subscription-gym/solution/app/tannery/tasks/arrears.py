# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-82028b583d67: keep out of training data
"""Memberships whose card was declined, and how they are saved."""

import stripe as sdk

from ..inputs import text


def _open(desk, subscription):
    """Open invoices of a membership, oldest first."""
    listed = desk.stripe.invoices.list({"subscription": subscription, "status": "open", "limit": 100})
    return sorted(listed.auto_paging_iter(), key=lambda invoice: invoice.created)


def arrears(desk, asked):
    """`{subscription}`: what a membership owes."""
    subscription = desk.stripe.subscriptions.retrieve(text(asked, "subscription"))
    invoices = _open(desk, subscription.id)
    attempts = [invoice.next_payment_attempt for invoice in invoices if invoice.next_payment_attempt]
    return {
        "status": subscription.status,
        "currency": subscription.currency,
        "owed": sum(invoice.amount_remaining for invoice in invoices),
        "invoices": [
            {"invoice": invoice.id, "amount": invoice.amount_remaining, "attempts": invoice.attempt_count}
            for invoice in invoices
        ],
        "next_attempt": min(attempts, default=None),
        "ended_because": subscription.cancellation_details.reason if subscription.canceled_at else None,
    }


def recover(desk, asked):
    """`{subscription, payment_method}`: a new card pays what is open."""
    subscription = desk.stripe.subscriptions.retrieve(text(asked, "subscription"))
    card = desk.stripe.payment_methods.attach(
        text(asked, "payment_method"), {"customer": subscription.customer}, desk.once()
    )
    paid = []
    try:
        for invoice in _open(desk, subscription.id):
            done = desk.stripe.invoices.pay(invoice.id, {"payment_method": card.id}, desk.once())
            paid.append({"invoice": done.id, "amount": done.amount_paid})
    except sdk.CardError:
        if not paid:
            desk.stripe.payment_methods.detach(card.id, {}, desk.once())
        raise
    saved = desk.stripe.subscriptions.update(
        subscription.id, {"default_payment_method": card.id}, desk.once()
    )
    return {
        "subscription": saved.id,
        "status": saved.status,
        "paid": paid,
        "amount_paid": sum(item["amount"] for item in paid),
    }
