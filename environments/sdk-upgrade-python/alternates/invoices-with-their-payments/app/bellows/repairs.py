"""Repairs, paid at the counter by card, and the day book of everything that cards have paid."""

from __future__ import annotations

import stripe

from .books import Books
from .invoicing import hire_of, invoices_by_payment
from .problems import Refused


def show(books: Books, number: str) -> dict:
    """A repair with every attempt to pay for it, newest first."""
    repair = _find(books, number)
    intent = stripe.PaymentIntent.retrieve(repair["payment"])
    charges = _charges(intent)
    paid = _paid(charges)
    refunds = stripe.Charge.list_refunds(paid.id, limit=50).auto_paging_iter() if paid else []
    return {
        "repair": number,
        "instrument": repair["instrument"],
        "payment": intent.id,
        "state": _state(intent, charges, paid),
        "amount": intent.amount,
        "currency": intent.currency,
        "received": intent.amount_received,
        "refunded": paid.amount_refunded if paid else 0,
        "attempts": [_attempt(charge) for charge in charges],
        "refunds": [_refund(refund) for refund in refunds],
    }


def refund(books: Books, number: str, amount: object) -> dict:
    """Give back some of what a repair cost, or all that is left of it."""
    repair = _find(books, number)
    intent = stripe.PaymentIntent.retrieve(repair["payment"])
    paid = _paid(_charges(intent))
    if paid is None:
        raise Refused(409, "not paid")
    left = paid.amount - paid.amount_refunded
    if left == 0:
        raise Refused(409, "already refunded")
    if amount is None:
        amount = left
    if not isinstance(amount, int) or isinstance(amount, bool) or not 0 < amount <= left:
        raise Refused(422, "amount", left=left)
    made = stripe.Refund.create(
        charge=paid.id,
        amount=amount,
        reason="requested_by_customer",
        metadata={"repair": number},
        expand=["charge"],
    )
    return {
        "repair": number,
        "refund": made.id,
        "charge": made.charge.id,
        "amount": made.amount,
        "currency": made.currency,
        "status": made.status,
        "left": made.charge.amount - made.charge.amount_refunded,
    }


def day_book(books: Books, since: int, until: int) -> dict:
    """Every card payment from `since` until before `until`, newest first, with what it was for."""
    rows = []
    invoices = invoices_by_payment()
    charges = stripe.Charge.list(created={"gte": since, "lt": until}, limit=100)
    for charge in charges.auto_paging_iter():
        if not charge.paid:
            continue
        reference = books.repair_of_payment(charge.payment_intent)
        what = "repair" if reference else "counter"
        invoice = invoices.get(charge.payment_intent)
        if invoice is not None:
            what, reference = "hire" if hire_of(invoice) else "invoice", invoice.number
        rows.append(
            {
                "at": charge.created,
                "charge": charge.id,
                "payment": charge.payment_intent,
                "for": what,
                "reference": reference,
                "amount": charge.amount,
                "refunded": charge.amount_refunded,
            }
        )
    return {
        "payments": len(rows),
        "taken": sum(row["amount"] for row in rows),
        "refunded": sum(row["refunded"] for row in rows),
        "rows": rows,
    }


def _find(books: Books, number: str):
    repair = books.repair(number)
    if repair is None:
        raise Refused(404, "not found")
    return repair


def _charges(intent) -> list:
    return list(stripe.Charge.list(payment_intent=intent.id, limit=100).auto_paging_iter())


def _paid(charges):
    return next((charge for charge in charges if charge.paid), None)


def _state(intent, charges, paid) -> str:
    if paid is not None:
        if paid.refunded:
            return "refunded"
        return "partly refunded" if paid.amount_refunded else "paid"
    if intent.status == "canceled":
        return "cancelled"
    return "declined" if charges else "open"


def _attempt(charge) -> dict:
    details = charge.payment_method_details
    card = details.card if details and details.type == "card" else None
    return {
        "charge": charge.id,
        "at": charge.created,
        "amount": charge.amount,
        "outcome": "paid" if charge.paid else "declined",
        "reason": charge.outcome.reason if charge.outcome else None,
        "card": {"brand": card.brand if card else None, "last4": card.last4 if card else None},
    }


def _refund(refund) -> dict:
    return {
        "refund": refund.id,
        "at": refund.created,
        "amount": refund.amount,
        "status": refund.status,
        "reason": refund.reason,
    }
