"""What Stripe tells us by itself, for shoppers who close the window too soon."""

from __future__ import annotations

from flask import Blueprint, request

from .. import database, orders
from ..payments import BadSignature, PaymentTrouble
from .page import payments

pages = Blueprint("webhooks", __name__)


@pages.post("/webhooks/stripe")
def stripe() -> tuple[dict[str, object], int]:
    """400 for calls that Stripe has not signed, 200 for everything else, ours or not."""
    try:
        event = payments().event(request.get_data(), request.headers.get("Stripe-Signature", ""))
    except BadSignature:
        return {"error": "not signed by Stripe"}, 400
    if event["type"] == "checkout.session.completed":
        try:
            orders.from_session(database.current(), payments().session(event["data"]["object"]["id"]))
        except PaymentTrouble:
            return {"error": "try again"}, 500
    return {"received": True}, 200
