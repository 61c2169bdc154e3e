"""Whether Link is offered.

Source: https://docs.stripe.com/payments/link/checkout-link
"""

from __future__ import annotations

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call


def offered(types: list[str]) -> JsonObject:
    """Whether Link is offered beside these payment method types, and whether as a type of its own."""
    return {"enabled": "link" in types or "card" in types, "own_type": "link" in types}


def settings(call: Call, session: JsonObject) -> JsonObject:
    """The same for a session, where the merchant may hide it."""
    wallets = session.get("wallet_options") or {}
    hidden = (wallets.get("link") or {}).get("display") == "never"
    if hidden or session["mode"] == "setup":
        return {"enabled": False, "own_type": False}
    return offered(session["payment_method_types"])
