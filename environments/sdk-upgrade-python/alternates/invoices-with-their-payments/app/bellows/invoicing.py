"""Between invoices and payments. Invoices are asked for with their payments (`WITH_PAYMENTS`), payments for their invoice."""

from __future__ import annotations

from collections.abc import Mapping

import stripe

WITH_PAYMENTS = ["payments.data.payment.payment_intent", "amount_paid_off_stripe"]


def hire_of(invoice) -> str | None:
    """The subscription that an invoice is for."""
    parent = invoice.parent
    if parent is None or parent.subscription_details is None:
        return None
    return parent.subscription_details.subscription


def invoice_of(payment: str):
    """The invoice that a PaymentIntent pays."""
    which = {"type": "payment_intent", "payment_intent": payment}
    for found in stripe.InvoicePayment.list(payment=which, limit=1, expand=["data.invoice"]).data:
        return found.invoice
    return None


def invoices_by_payment() -> Mapping[str, stripe.Invoice]:
    """Every payment of an invoice that has gone through, with that invoice."""
    paid = stripe.InvoicePayment.list(status="paid", limit=100, expand=["data.invoice"])
    return {
        found.payment.payment_intent: found.invoice
        for found in paid.auto_paging_iter()
        if found.payment.type == "payment_intent"
    }


def intent_of(invoice):
    """The PaymentIntent that used to be the invoice's own: the default one, else the oldest, but none that was canceled."""
    candidates = [found for found in invoice.payments.auto_paging_iter() if found.status != "canceled"]
    candidates.sort(key=lambda found: (not found.is_default, found.created))
    oldest_first = [found for found in candidates if found.is_default] or candidates[::-1]
    for found in oldest_first:
        if found.payment.type == "payment_intent":
            return found.payment.payment_intent
    return None
