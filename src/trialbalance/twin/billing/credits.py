"""Billing credits: grants pay for metered lines, after discounts and before tax, when an invoice is finalized.

Source: https://docs.stripe.com/billing/subscriptions/usage-based/billing-credits
Source: https://docs.stripe.com/billing/subscriptions/usage-based/billing-credits/implementation-guide
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing import totals
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, due

KIND = "billing.credit_grant"
TRANSACTION = "billing.credit_balance_transaction"


def monetary(amount: int, currency: str) -> JsonObject:
    """An amount as credits show it."""
    return {"monetary": {"currency": currency, "value": amount}, "type": "monetary"}


def currency_of(grant: JsonObject) -> str:
    """A grant's currency."""
    return str(grant["amount"]["monetary"]["currency"])


def usable(grant: JsonObject, now: int) -> bool:
    """Whether a grant may be used now."""
    return bool(
        grant["voided_at"] is None
        and grant["_left"] > 0
        and grant["effective_at"] <= now
        and (grant["expires_at"] is None or grant["expires_at"] > now)
    )


def in_order(grants: list[JsonObject]) -> list[JsonObject]:
    """Grants in the order in which they are used: priority, expiry, category, effective date, age.

    Source: https://docs.stripe.com/billing/subscriptions/usage-based/billing-credits#multiple-grants
    """
    return sorted(
        grants,
        key=lambda grant: (
            grant["priority"],
            grant["expires_at"] if grant["expires_at"] is not None else 1 << 62,
            grant["category"] != "promotional",
            grant["effective_at"],
            grant["created"],
        ),
    )


def covers(grant: JsonObject, price: str | None) -> bool:
    """Whether a grant may pay for a metered price."""
    scope = grant["applicability_config"]["scope"]
    prices = scope.get("prices")
    return not prices or any(entry["id"] == price for entry in prices)


def of(call: Call, customer: str) -> list[JsonObject]:
    """All grants of a customer, oldest first."""
    return list(call.ledger.all(call.account, KIND, customer=customer))


def record(call: Call, grant: JsonObject, *, kind: str, now: int, **fields: Any) -> JsonObject:
    """Store a transaction of a grant: `kind` is credit or debit, `fields` its details."""
    transaction = call.new(
        TRANSACTION,
        "cbtxn_test",
        created=now,
        credit_grant=grant["id"],
        effective_at=now,
        test_clock=grant["test_clock"],
        type=kind,
        **{kind: fields},
    )
    transaction["_customer"] = grant["customer"]
    call.insert(transaction)
    call.emit("billing.credit_balance_transaction.created", transaction)
    return transaction


def apply(call: Call, invoice: JsonObject) -> None:
    """Let the customer's credit grants pay what they may of an invoice that is being finalized."""
    now = call.now_of(invoice)
    grants = [
        grant
        for grant in of(call, invoice["customer"])
        if usable(grant, now) and currency_of(grant) == invoice["currency"]
    ]
    if not grants:
        return
    priced = totals.compute(call, invoice, totals.lines_of(call, invoice)).lines
    used = False
    for stored, line in zip(totals.lines_of(call, invoice), priced, strict=False):
        left = line.discounted - line.inclusive_tax
        if not stored.get("_metered") or left <= 0:
            continue
        price = ((stored["pricing"] or {}).get("price_details") or {}).get("price")
        for grant in in_order([g for g in grants if covers(g, price)]):
            kept = call.edit(KIND, grant["id"])
            part = min(left, kept["_left"])
            if part <= 0:
                continue
            _take(call, invoice, call.edit(totals.LINE, stored["id"]), kept, part, now)
            left -= part
            used = True
    if used:
        totals.refresh(call, invoice)


def _take(
    call: Call, invoice: JsonObject, line: JsonObject, grant: JsonObject, amount: int, now: int
) -> None:
    grant["_left"] -= amount
    transaction = record(
        call,
        grant,
        kind="debit",
        now=now,
        amount=monetary(amount, currency_of(grant)),
        credits_applied={"invoice": invoice["id"], "invoice_line_item": line["id"]},
        type="credits_applied",
    )
    line["pretax_credit_amounts"] = [
        *line["pretax_credit_amounts"],
        {
            "amount": amount,
            "credit_balance_transaction": transaction["id"],
            "type": "credit_balance_transaction",
        },
    ]


def reinstate(call: Call, invoice: JsonObject) -> None:
    """Give back the credits that a voided invoice used."""
    if not invoice["total_pretax_credit_amounts"]:
        return
    now = call.now_of(invoice)
    for line in totals.lines_of(call, invoice):
        for entry in line["pretax_credit_amounts"]:
            debit = call.get(TRANSACTION, entry["credit_balance_transaction"])
            grant = call.edit(KIND, debit["credit_grant"])
            grant["_left"] += entry["amount"]
            record(
                call,
                grant,
                kind="credit",
                now=now,
                amount=monetary(entry["amount"], currency_of(grant)),
                credits_application_invoice_voided={
                    "invoice": invoice["id"],
                    "invoice_line_item": line["id"],
                },
                type="credits_application_invoice_voided",
            )
            if grant["expires_at"] is not None and grant["expires_at"] <= now:
                expire(call, grant, now)


def expire(call: Call, grant: JsonObject, now: int) -> None:
    """What is left of an edited grant is gone."""
    left, grant["_left"] = grant["_left"], 0
    if left > 0:
        record(
            call,
            grant,
            kind="debit",
            now=now,
            amount=monetary(left, currency_of(grant)),
            credits_applied=None,
            type="credits_expired",
        )


@due("credit_grant.expire")
def _expire_when_due(call: Call, target: str, arguments: JsonObject) -> None:
    found = call.find(KIND, target)
    if found is None or found["expires_at"] != arguments["expires"]:
        return
    expire(call, call.edit(KIND, target), call.now_of(found))
