"""A customer's pending invoice items: those that wait for an invoice, found without looking through all items.

Source: https://docs.stripe.com/billing/invoices/subscription#adding-upcoming-invoice-items
"""

from __future__ import annotations

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call

KIND = "pending_invoice_items"


def add(call: Call, item: JsonObject) -> None:
    """Let an item wait for its customer's next invoice."""
    found = call.ledger.edit(call.account, KIND, item["customer"])
    if found is None:
        call.insert({"id": item["customer"], "object": KIND, "items": [item["id"]]})
    else:
        found["items"].append(item["id"])


def remove(call: Call, item: JsonObject) -> None:
    """An item is taken by an invoice, or gone."""
    found = call.ledger.edit(call.account, KIND, item["customer"])
    if found is not None and item["id"] in found["items"]:
        found["items"].remove(item["id"])


def of(call: Call, customer: str, currency: str | None = None) -> list[JsonObject]:
    """The pending items of a customer, oldest first."""
    found = call.find(KIND, customer)
    if found is None:
        return []
    items = (call.find("invoiceitem", identifier) for identifier in found["items"])
    return [item for item in items if item is not None and currency in (None, item["currency"])]
