# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-9a529e3bbd16: keep out of training data
"""What Stripe tells us by itself, for shoppers who close the window too soon."""

from __future__ import annotations

from flask import Blueprint, request

from .. import database, orders
from ..payments import BadSignature, PaymentTrouble
from .page import payments

pages = Blueprint("webhooks", __name__)

PAID = ("checkout.session.completed", "checkout.session.async_payment_succeeded")


@pages.post("/webhooks/stripe")
def stripe() -> tuple[dict[str, object], int]:
    """400 for calls that Stripe has not signed; 503 when we cannot ask back, so that Stripe calls again; else 200."""
    try:
        event = payments().event(request.get_data(), request.headers.get("Stripe-Signature", ""))
    except BadSignature:
        return {"error": "not signed by Stripe"}, 400
    if event["type"] in PAID:
        connection = database.current()
        session = event["data"]["object"]["id"]
        order = orders.by_checkout_session(connection, session)
        if order is not None and order.status == "pending":
            try:
                payment = payments().paid(session)
            except PaymentTrouble:
                return {"error": "try again later"}, 503
            if payment is not None:
                orders.mark_paid(connection, order, payment)
    return {"received": True}, 200
