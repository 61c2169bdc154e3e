"""What the hosted invoice page asks of the API. The page's address holds a token; whoever has it may look and pay.

Source: https://docs.stripe.com/invoicing/hosted-invoice-page
"""

from __future__ import annotations

from trialbalance.twin.billing import collection
from trialbalance.twin.checkout.page import account, intent
from trialbalance.twin.errors import JsonObject, NotFound
from trialbalance.twin.wire.call import Call, own_endpoint

KIND = "invoice"


@own_endpoint("GET /v1/invoice_pages/{token}", {"hash": {"expand": {"array": "str"}}}, browser=True)
def retrieve(call: Call) -> JsonObject:
    """The invoice as its page shows it."""
    return page(call, by_token(call, call.path["token"]))


def by_token(call: Call, token: str) -> JsonObject:
    """The invoice of a token.

    Raises:
        NotFound: none.
    """
    for invoice in call.ledger.all(call.account, KIND, _token=token):
        return invoice
    raise NotFound(KIND, token, param="id")


def page(call: Call, invoice: JsonObject) -> JsonObject:
    """Numbers and words of an invoice, and the payment behind it while it is open."""
    keep = (
        "account_name", "amount_due", "amount_paid", "amount_remaining", "collection_method", "created", "currency",
        "custom_fields", "customer_address", "customer_email", "customer_name", "description", "due_date",
        "ending_balance", "footer", "id", "invoice_pdf", "number", "period_end", "period_start", "starting_balance",
        "status", "subtotal", "total",
    )  # fmt: skip
    lines = [call.get("line_item", name) for name in invoice["_lines"]]
    payable = invoice["status"] == "open" and invoice["amount_remaining"] > 0
    found = None
    if payable and collection.payments_of(call, invoice):
        found = intent(call, "payment_intent", collection.intent_of(call, invoice))
    return {
        "object": "invoice_page",
        **{name: invoice[name] for name in keep},
        "account": account(call, {}),
        "discounts": [
            {"amount": row["amount"]} for row in invoice["total_discount_amounts"] or () if row["amount"]
        ],
        "lines": [_line(line) for line in lines],
        "now": call.now,
        "paid_at": invoice["status_transitions"]["paid_at"],
        "payment_intent": found,
        "payment_method_types": invoice["payment_settings"]["payment_method_types"] or ["card"],
        "shipping": (invoice["shipping_cost"] or {}).get("amount_subtotal"),
        "taxes": [
            {"amount": row["amount"], "inclusive": row["tax_behavior"] == "inclusive"}
            for row in invoice["total_taxes"] or ()
            if row["amount"]
        ],
    }


def _line(line: JsonObject) -> JsonObject:
    keep = ("amount", "currency", "description", "period", "quantity")
    return {name: line[name] for name in keep}
