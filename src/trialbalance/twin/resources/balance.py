"""The account's balance: what is available, what is pending.

Source: https://docs.stripe.com/api/balance
"""

from __future__ import annotations

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.resources import balance_transactions
from trialbalance.twin.wire.call import Call, endpoint


@endpoint("GET /v1/balance")
def retrieve(call: Call) -> JsonObject:
    """The balance now."""
    return render(call)


def render(call: Call) -> JsonObject:
    """The `balance` object, the settlement currency first."""
    home = balance_transactions.settlement_currency(call)
    others = sorted(row["id"] for row in call.ledger.all(call.account, "_balance") if row["id"] != home)
    listed = [home, *others]
    shown: JsonObject = {
        "object": "balance",
        "available": [_amount(call, currency, "available") for currency in listed],
        "livemode": False,
        "pending": [_amount(call, currency, "pending") for currency in listed],
        "refund_and_dispute_prefunding": {
            "available": [{"amount": 0, "currency": home}],
            "pending": [{"amount": 0, "currency": home}],
        },
    }
    if call.account == call.twin.account and call.ledger.table(call.account, "account").order:
        shown["connect_reserved"] = [{"amount": 0, "currency": home}]
    return {name: shown[name] for name in ("object", *sorted(set(shown) - {"object"}))}


def available(call: Call, currency: str, part: str | None = None) -> int:
    """What may be paid out or transferred in a currency."""
    parts = balance_transactions.totals(call, currency)["available"]
    return int(sum(parts.values()) if part is None else parts.get(part, 0))


def everything(call: Call, currency: str) -> JsonObject:
    """What an account has in a currency, available and pending."""
    totals = balance_transactions.totals(call, currency)
    return {state: sum(totals[state].values()) for state in ("available", "pending")}


def _amount(call: Call, currency: str, state: str) -> JsonObject:
    parts = balance_transactions.totals(call, currency)[state]
    types = {part: parts[part] for part in sorted(parts) if parts[part] or part == "card"} or {"card": 0}
    return {"amount": sum(parts.values()), "currency": currency, "source_types": types}
