"""Cards, usage, quotes and debts."""

import hashlib

from ..problems import Declined, InvalidRequest
from .members import end_of, find


def card(wire, _, customer):
    found = wire.get(f"customers/{customer}", expand=["invoice_settings.default_payment_method"])
    kept = (found["invoice_settings"]["default_payment_method"] or {}).get("card", {})
    return {"customer": found["id"], "brand": kept.get("brand"), "last4": kept.get("last4")}


def firings(wire, data, customer, meter, readings):
    wire.get(f"customers/{customer}")
    known = wire.get(f"billing/meters/{meter}")
    for reading in readings:
        if not isinstance(reading, dict) or not isinstance(reading.get("id"), str):
            raise InvalidRequest("A reading is an object with an id.")
        if not all(isinstance(reading.get(name), int) for name in ("value", "at")):
            raise InvalidRequest("A reading has a value and a moment.")
    told = data / "readings"
    told.mkdir(exist_ok=True)
    counted = 0
    for reading in readings:
        file = told / hashlib.sha256(reading["id"].encode()).hexdigest()
        if file.exists():
            continue
        wire.post(
            "billing/meter_events",
            event_name=known["event_name"],
            identifier=file.name,
            timestamp=reading["at"],
            payload={
                known["customer_mapping"]["event_payload_key"]: customer,
                known["value_settings"]["event_payload_key"]: reading["value"],
            },
        )
        file.touch()
        counted += 1
    return {"counted": counted}


def quote(wire, _, subscription, from_, to):
    found, item = find(wire, subscription, from_)
    preview = wire.post(
        "invoices/create_preview",
        customer=found["customer"],
        subscription=subscription,
        subscription_details={
            "items": [{"id": item["id"], "price": to, "quantity": item["quantity"]}],
            "proration_behavior": "create_prorations",
        },
    )
    due = sum(line["amount"] for line in preview["lines"]["data"] if _is_proration(line))
    return {
        "currency": preview["currency"],
        "due_now": due,
        "next_amount": preview["total"] - due,
        "next_payment": end_of(found),
    }


def _is_proration(line):
    parent = line["parent"]
    details = parent["invoice_item_details"] or parent["subscription_item_details"]
    return details["proration"]


def _open(wire, subscription):
    found = wire.all("invoices", customer=subscription["customer"], status="open")
    ours = []
    for invoice in found:
        details = (invoice["parent"] or {}).get("subscription_details") or {}
        if details.get("subscription") == subscription["id"]:
            ours.append(invoice)
    return ours[::-1]


def arrears(wire, _, subscription):
    found = wire.get(f"subscriptions/{subscription}")
    invoices = _open(wire, found)
    attempts = sorted(item["next_payment_attempt"] for item in invoices if item["next_payment_attempt"])
    ended = found["status"] == "canceled"
    return {
        "status": found["status"],
        "currency": found["currency"],
        "owed": sum(item["amount_remaining"] for item in invoices),
        "invoices": [
            {"invoice": item["id"], "amount": item["amount_remaining"], "attempts": item["attempt_count"]}
            for item in invoices
        ],
        "next_attempt": attempts[0] if attempts else None,
        "ended_because": found["cancellation_details"]["reason"] if ended else None,
    }


def recover(wire, _, subscription, payment_method):
    found = wire.get(f"subscriptions/{subscription}")
    wire.post(f"payment_methods/{payment_method}/attach", customer=found["customer"])
    wire.post(f"subscriptions/{subscription}", default_payment_method=payment_method)
    paid = []
    for invoice in _open(wire, found):
        try:
            done = wire.post(f"invoices/{invoice['id']}/pay")
        except Declined:
            wire.post(f"subscriptions/{subscription}", default_payment_method=found["default_payment_method"] or "")
            wire.post(f"payment_methods/{payment_method}/detach")
            raise
        paid.append({"invoice": done["id"], "amount": done["amount_paid"]})
    return {
        "subscription": subscription,
        "status": wire.get(f"subscriptions/{subscription}")["status"],
        "paid": paid,
        "amount_paid": sum(item["amount"] for item in paid),
    }
