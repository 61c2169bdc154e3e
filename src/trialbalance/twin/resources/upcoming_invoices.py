"""The upcoming invoice of older versions; basil replaced it with previews.

Source: https://docs.stripe.com/changelog/basil/2025-03-31/invoice-preview-api-deprecations
"""

from __future__ import annotations

from trialbalance.contract import load
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.resources import invoice_previews
from trialbalance.twin.wire.call import Call, own_endpoint

_TAKEN = ("currency", "customer", "discounts", "expand", "schedule", "subscription")
_PARAMS = {
    "hash": {
        name: node
        for name, node in load().endpoints["POST /v1/invoices/create_preview"].params["hash"].items()
        if name in _TAKEN
    }
}


@own_endpoint("GET /v1/invoices/upcoming", _PARAMS, {"ref": "invoice"})
def upcoming(call: Call) -> JsonObject:
    """The next invoice of a customer or a subscription, without an id."""
    invoice = invoice_previews.create_preview(call)
    del invoice["id"]
    return invoice
