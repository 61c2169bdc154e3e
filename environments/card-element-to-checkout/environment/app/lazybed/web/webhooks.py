"""What Stripe tells us by itself, for shoppers who close the window too soon."""

from __future__ import annotations

from flask import Blueprint, request

from .. import database, orders
from ..payments import BadSignature
from .page import payments

pages = Blueprint("webhooks", __name__)


@pages.post("/webhooks/stripe")
def stripe() -> tuple[dict[str, object], int]:
    """400 for calls that Stripe has not signed, 200 for everything else, ours or not."""
    try:
        event = payments().event(request.get_data(), request.headers.get("Stripe-Signature", ""))
    except BadSignature:
        return {"error": "not signed by Stripe"}, 400
    if event["type"] == "payment_intent.succeeded":
        connection = database.current()
        order = orders.by_payment(connection, event["data"]["object"]["id"])
        if order is not None:
            orders.mark_paid(connection, order)
    return {"received": True}, 200
