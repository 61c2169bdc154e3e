# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-1d67a4347a39: keep out of training data
"""Between invoices and payments: since basil an invoice has a list of payments, and a payment does not know its invoice."""

from __future__ import annotations

import stripe


def hire_of(invoice) -> str | None:
    """The subscription that an invoice is for."""
    parent = invoice.parent
    details = parent.subscription_details if parent and parent.type == "subscription_details" else None
    return details.subscription if details else None


def invoice_of(payment: str | None):
    """The invoice that a PaymentIntent pays."""
    if payment is None:
        return None
    found = stripe.InvoicePayment.list(
        payment={"type": "payment_intent", "payment_intent": payment}, expand=["data.invoice"]
    ).data
    return found[0].invoice if found else None


def payments_of(invoice: str, *expand: str) -> list:
    """The payments of an invoice: the default one first, then those that are older."""
    listed = stripe.InvoicePayment.list(invoice=invoice, limit=100, expand=list(expand))
    found = list(listed.auto_paging_iter())
    found.reverse()
    return sorted(found, key=lambda payment: not payment.is_default)


def main_payment(payments: list):
    """The PaymentIntent that used to be the invoice's own: the first that is not canceled."""
    for payment in payments:
        if payment.status != "canceled" and payment.payment.type == "payment_intent":
            return payment.payment.payment_intent
    return None


def off_stripe(invoice, payments: list) -> bool:
    """Whether money came another way than through Stripe."""
    came = sum(payment.amount_paid or 0 for payment in payments if payment.status == "paid")
    return invoice.status == "paid" and invoice.amount_paid > came
