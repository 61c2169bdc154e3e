"""What the receipt page asks of the API.

Source: https://docs.stripe.com/receipts
"""

from __future__ import annotations

from trialbalance.twin.checkout.page import account
from trialbalance.twin.errors import JsonObject, NotFound
from trialbalance.twin.wire.call import Call, own_endpoint


@own_endpoint("GET /v1/receipt_pages/{token}", {"hash": {"expand": {"array": "str"}}}, browser=True)
def retrieve(call: Call) -> JsonObject:
    """A charge as its receipt shows it; the token is the last part of its `receipt_url`."""
    token = call.path["token"]
    charge = call.find("charge", token.partition("-")[0])
    if charge is None or not str(charge["receipt_url"] or "").endswith(f"/{token}"):
        raise NotFound("charge", token, param="id")
    details = charge["payment_method_details"] or {}
    card = details.get("card") or {}
    sessions = call.ledger.all(
        call.account, "checkout.session", payment_intent=charge["payment_intent"] or ""
    )
    session = next(iter(sessions), None)
    lines = []
    if session is not None:
        from trialbalance.twin.checkout import lines as lines_of

        lines = [
            {name: item[name] for name in ("amount_total", "description", "quantity")}
            for item in lines_of.of_session(call, session)
        ]
    keep = (
        "amount", "amount_refunded", "created", "currency", "description", "id", "receipt_email", "receipt_number",
        "refunded", "status",
    )  # fmt: skip
    return {
        "object": "receipt_page",
        **{name: charge[name] for name in keep},
        "account": account(call, {}),
        "card": {"brand": card["brand"], "last4": card["last4"]} if card else None,
        "lines": lines,
        "now": call.now,
        "type": details.get("type"),
    }
