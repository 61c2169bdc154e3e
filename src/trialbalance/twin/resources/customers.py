"""Customers.

Source: https://docs.stripe.com/api/customers
"""

from __future__ import annotations

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, endpoint


@endpoint("GET /v1/customers/{customer}")
def retrieve(call: Call) -> JsonObject:
    """One customer; a deleted one answers its stub."""
    gone = call.ledger.table(call.account, "customer").deleted.get(call.path["customer"])
    if gone is not None:
        return call.deleted_stub(gone)
    return call.get("customer", call.path["customer"])


@endpoint("POST /v1/customers")
def create(call: Call) -> JsonObject:
    """A new customer."""
    prefix = call.twin.ids.random(8, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    customer = call.new(
        "customer",
        "cus",
        balance=0,
        delinquent=False,
        invoice_prefix=prefix,
        next_invoice_sequence=1,
        preferred_locales=[],
        tax_exempt="none",
        invoice_settings={
            "custom_fields": None,
            "default_payment_method": None,
            "footer": None,
            "rendering_options": None,
        },
    )
    call.assign(customer, "email", "name", "phone", "description")
    call.merge_metadata(customer)
    call.insert(customer)
    call.emit("customer.created", customer)
    return customer


@endpoint("GET /v1/customers")
def list_(call: Call) -> JsonObject:
    """Customers, newest first."""
    return call.list("customer", where={"email": call.params.get("email")})
