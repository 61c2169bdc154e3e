"""Schools and bands pay by invoice: at once, in parts, by card or by bank."""

from __future__ import annotations

from . import past as stripe

from .books import Books
from .lines import discount_of, line_of
from .problems import Refused


def invoice(invoice_id: str) -> dict:
    """An invoice, what is on it and how it was paid."""
    return _shown(stripe.Invoice.retrieve(invoice_id, expand=["payment_intent", "charge"]))


def pay(invoice_id: str, how: object) -> dict:
    """Take the money from the customer's card, or note that it came by bank."""
    if how not in ("card", "bank"):
        raise Refused(422, "how", choices=["bank", "card"])
    found = stripe.Invoice.retrieve(invoice_id)
    if found.paid:
        raise Refused(409, "already paid")
    if found.status != "open":
        raise Refused(409, "not open", status=found.status)
    parameters = {"paid_out_of_band": True} if how == "bank" else {}
    return _shown(found.pay(expand=["payment_intent", "charge"], **parameters))


def payment(books: Books, payment_id: str) -> dict:
    """A payment and what it was for."""
    intent = stripe.PaymentIntent.retrieve(payment_id, expand=["invoice"])
    found = intent.get("invoice")
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
            "paid": found.paid,
            "outstanding": found.amount_remaining,
            "hire": found.subscription,
        },
    }


def statement(books: Books, account: str) -> dict:
    """Everything an account was ever invoiced for, and what it still owes."""
    customer = stripe.Customer.retrieve(account)
    if customer.get("deleted"):
        raise Refused(410, "closed")
    invoices = stripe.Invoice.list(customer=account, limit=100, include=["total_count"])
    billed = outstanding = paid = 0
    unpaid = []
    for found in invoices.auto_paging_iter():
        if found.status in ("draft", "void"):
            continue
        billed += found.total
        paid += 1 if found.paid else 0
        if found.status == "open":
            outstanding += found.amount_remaining
            unpaid.append(
                {
                    "invoice": found.id,
                    "number": found.number,
                    "total": found.total,
                    "outstanding": found.amount_remaining,
                    "payment": found.payment_intent,
                    "hire": found.subscription,
                }
            )
    return {
        "account": account,
        "name": books.account_name(account) or customer.name,
        "invoices": invoices.total_count,
        "paid": paid,
        "billed": billed,
        "outstanding": outstanding,
        "unpaid": unpaid,
    }


def _shown(found) -> dict:
    intent, charge = found.payment_intent, found.charge
    how = None
    if found.paid_out_of_band:
        how = "bank"
    elif found.paid and charge:
        how = "card"
    elif found.paid:
        how = "nothing to pay"
    return {
        "invoice": found.id,
        "number": found.number,
        "account": found.customer,
        "status": found.status,
        "paid": found.paid,
        "how": how,
        "currency": found.currency,
        "total": found.total,
        "tax": found.tax,
        "outstanding": found.amount_remaining,
        "due": found.due_date,
        "hire": found.subscription,
        "discount": discount_of(found.discount),
        "payment": None if intent is None else {
            "payment": intent.id,
            "status": intent.status,
            "charge": charge.id if charge else None,
            "amount": charge.amount if charge else intent.amount,
            "card": charge.payment_method_details.card.last4 if charge else None,
        },
        "lines": [line_of(line) for line in found.lines.auto_paging_iter()],
    }
