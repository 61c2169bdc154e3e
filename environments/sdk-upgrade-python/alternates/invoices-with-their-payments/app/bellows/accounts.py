"""Schools and bands pay by invoice: at once, in parts, by card or by bank."""

from __future__ import annotations

import stripe

from .books import Books
from .invoicing import WITH_PAYMENTS, hire_of, intent_of, invoice_of
from .lines import discount_of, lines_of
from .problems import Refused

EXPANDED = ["discounts.source.coupon", *WITH_PAYMENTS]


def invoice(invoice_id: str) -> dict:
    """An invoice, what is on it and how it was paid."""
    return _shown(stripe.Invoice.retrieve(invoice_id, expand=EXPANDED))


def pay(invoice_id: str, how: object) -> dict:
    """Take the money from the customer's card, or note that it came by bank."""
    if how not in ("card", "bank"):
        raise Refused(422, "how", choices=["bank", "card"])
    found = stripe.Invoice.retrieve(invoice_id)
    if found.status == "paid":
        raise Refused(409, "already paid")
    if found.status != "open":
        raise Refused(409, "not open", status=found.status)
    parameters = {"paid_out_of_band": True} if how == "bank" else {}
    return _shown(found.pay(expand=EXPANDED, **parameters))


def payment(books: Books, payment_id: str) -> dict:
    """A payment and what it was for."""
    intent = stripe.PaymentIntent.retrieve(payment_id)
    found = invoice_of(intent.id)
    return {
        "payment": intent.id,
        "status": intent.status,
        "amount": intent.amount,
        "received": intent.amount_received,
        "currency": intent.currency,
        "repair": books.repair_of_payment(intent.id),
        "invoice": None
        if found is None
        else {
            "invoice": found.id,
            "number": found.number,
            "account": found.customer,
            "status": found.status,
            "paid": found.status == "paid",
            "outstanding": found.amount_remaining,
            "hire": hire_of(found),
        },
    }


def statement(books: Books, account: str) -> dict:
    """Everything an account was ever invoiced for, and what it still owes."""
    customer = stripe.Customer.retrieve(account)
    if getattr(customer, "deleted", False):
        raise Refused(410, "closed")
    invoices = stripe.Invoice.list(customer=account, limit=100, expand=["data.payments"])
    count = billed = outstanding = paid = 0
    unpaid = []
    for found in invoices.auto_paging_iter():
        count += 1
        if found.status in ("draft", "void"):
            continue
        billed += found.total
        paid += 1 if found.status == "paid" else 0
        if found.status == "open":
            outstanding += found.amount_remaining
            unpaid.append(
                {
                    "invoice": found.id,
                    "number": found.number,
                    "total": found.total,
                    "outstanding": found.amount_remaining,
                    "payment": intent_of(found),
                    "hire": hire_of(found),
                }
            )
    return {
        "account": account,
        "name": books.account_name(account) or customer.name,
        "invoices": count,
        "paid": paid,
        "billed": billed,
        "outstanding": outstanding,
        "unpaid": unpaid,
    }


def _shown(found) -> dict:
    intent = intent_of(found)
    charge = stripe.Charge.retrieve(intent.latest_charge) if intent and intent.latest_charge else None
    paid = found.status == "paid"
    how = None
    if paid and found.amount_paid_off_stripe:
        how = "bank"
    elif paid and charge:
        how = "card"
    elif paid:
        how = "nothing to pay"
    return {
        "invoice": found.id,
        "number": found.number,
        "account": found.customer,
        "status": found.status,
        "paid": paid,
        "how": how,
        "currency": found.currency,
        "total": found.total,
        "tax": sum(tax.amount for tax in found.total_taxes) if found.total_taxes else None,
        "outstanding": found.amount_remaining,
        "due": found.due_date,
        "hire": hire_of(found),
        "discount": discount_of(found.discounts),
        "payment": None if intent is None else {
            "payment": intent.id,
            "status": intent.status,
            "charge": charge.id if charge else None,
            "amount": charge.amount if charge else intent.amount,
            "card": charge.payment_method_details.card.last4 if charge else None,
        },
        "lines": lines_of(_lines(found)),
    }


def _lines(found):
    """All lines, with their prices."""
    return stripe.Invoice.list_lines(
        found.id, limit=100, expand=["data.pricing.price_details.price"]
    ).auto_paging_iter()
