"""Invoice payments: which payments an invoice has, wants or had.

Source: https://docs.stripe.com/api/invoice-payment
"""

from __future__ import annotations

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, endpoint

KIND = "invoice_payment"


@endpoint("GET /v1/invoice_payments/{invoice_payment}")
def retrieve(call: Call) -> JsonObject:
    """One invoice payment."""
    return call.get(KIND, call.path["invoice_payment"], param="invoice_payment")


@endpoint("GET /v1/invoice_payments")
def list_(call: Call) -> JsonObject:
    """Invoice payments, newest first, by invoice, status or payment."""
    params = call.params
    where: JsonObject = {"invoice": params.get("invoice"), "status": params.get("status")}
    payment = params.get("payment")
    if payment:
        kind = payment["type"]
        where["payment.type"] = kind
        where[f"payment.{kind}"] = payment.get(kind)
        if kind == "payment_intent" and payment.get(kind):
            where["_intent"] = payment[kind]
        payment.ignore("payment_intent", "payment_record")
    return call.list(KIND, where=where)
