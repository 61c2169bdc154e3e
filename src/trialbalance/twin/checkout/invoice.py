"""The invoice that a one-time payment may leave behind: `invoice_creation`.

Source: https://docs.stripe.com/payments/checkout/receipts#paid-invoices
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.checkout import lines
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call
from trialbalance.twin.wire.inner import perform


def after_payment(call: Call, session: JsonObject, intent: JsonObject) -> None:
    """Make the paid invoice of a session whose payment went through (both are private copies)."""
    creation = session["invoice_creation"] or {}
    if not creation.get("enabled") or session["invoice"]:
        return
    data = {name: value for name, value in creation["invoice_data"].items() if value}
    discounts = [
        {"promotion_code": entry["promotion_code"]}
        if entry["promotion_code"]
        else {"coupon": entry["coupon"]}
        for entry in session["_discounts"]
    ]
    shipping = session["shipping_cost"]
    invoice = perform(
        call,
        "POST /v1/invoices",
        {
            "auto_advance": False,
            "collection_method": "charge_automatically",
            "currency": session["currency"],
            "customer": session["customer"],
            "discounts": discounts or None,
            "pending_invoice_items_behavior": "exclude",
            "shipping_cost": {"shipping_rate": shipping["shipping_rate"]} if shipping else None,
            **data,
        },
    )
    items = lines.of_session(call, session)
    with lines.usable(call, items):
        for item in items:
            row: dict[str, Any] = {
                "customer": session["customer"],
                "invoice": invoice["id"],
                "pricing": {"price": item["price"]["id"]},
                "quantity": item["quantity"],
                "tax_rates": item["_tax_rates"] or None,
            }
            perform(call, "POST /v1/invoiceitems", row)
    perform(call, "POST /v1/invoices/{invoice}/finalize", {"auto_advance": False}, invoice=invoice["id"])
    found = call.find("invoice", invoice["id"])
    if found is not None and found["status"] == "open":
        perform(
            call,
            "POST /v1/invoices/{invoice}/attach_payment",
            {"payment_intent": intent["id"]},
            invoice=invoice["id"],
        )
    session["invoice"] = invoice["id"]
