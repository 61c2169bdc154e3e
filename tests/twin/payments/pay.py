"""Short hands for tests: pay with a card, read what happened, check that the books balance."""

from __future__ import annotations

from typing import Any

import stripe

from trialbalance.twin import Twin

NO_REDIRECTS: Any = {"enabled": True, "allow_redirects": "never"}


def pay(client: stripe.StripeClient, amount: int = 1000, card: str = "pm_card_visa", **params: Any) -> Any:
    """A confirmed payment intent."""
    params.setdefault("currency", "usd")
    params.setdefault("automatic_payment_methods", NO_REDIRECTS)
    return client.v1.payment_intents.create(
        {"amount": amount, "payment_method": card, "confirm": True, **params}
    )


def charge_of(client: stripe.StripeClient, intent: Any) -> Any:
    """The intent's latest charge as it is now."""
    return client.v1.charges.retrieve(intent.latest_charge)


def error_of(caught: Any) -> dict[str, Any]:
    """The `error` hash of a caught StripeError."""
    error: dict[str, Any] = caught.value.json_body["error"]
    return error


def event_types(twin: Twin, after: int = 0) -> list[str]:
    """Types of all events so far, oldest first."""
    return [event["type"] for event in twin.store.all(twin.account, "event")][after:]


def books(twin: Twin) -> None:
    """Every account's balance equals its balance transactions, and they equal the objects they are about."""
    accounts = {account for account, kind in twin.store.tables if kind == "balance_transaction"}
    for account in sorted(accounts):
        _account(twin, account)


def _account(twin: Twin, account: str) -> None:
    rows = list(twin.store.all(account, "balance_transaction"))
    totals: dict[tuple[str, str], int] = {}
    for row in rows:
        assert row["net"] == row["amount"] - row["fee"]
        assert row["fee"] == sum(line["amount"] for line in row["fee_details"])
        key = (row["currency"], row["status"])
        totals[key] = totals.get(key, 0) + row["net"]
    for balance in twin.store.all(account, "_balance"):
        for state in ("available", "pending"):
            assert sum(balance[state].values()) == totals.get((balance["id"], state), 0)
    by_source: dict[str, int] = {}
    for row in rows:
        if row["source"]:
            by_source[row["source"]] = by_source.get(row["source"], 0) + row["amount"]
    for charge in twin.store.all(account, "charge"):
        assert by_source.get(charge["id"], 0) == charge.get("_settled", 0)
        refunds = list(twin.store.all(account, "refund", charge=charge["id"]))
        alive = [r for r in refunds if r["status"] not in ("failed", "canceled")]
        assert sum(r["amount"] for r in alive) == charge["amount_refunded"]
        taken = -sum(by_source.get(r["id"], 0) for r in refunds)
        assert taken <= charge.get("_settled", 0)
        if charge["refunded"] and charge["captured"]:
            assert taken == charge["_settled"]
    for dispute in twin.store.all(account, "dispute"):
        open_or_lost = dispute["status"] in ("needs_response", "under_review", "lost")
        assert (by_source.get(dispute["id"], 0) < 0) == open_or_lost
    for transfer in twin.store.all(account, "transfer"):
        assert by_source[transfer["id"]] == -transfer["amount"]
        reversals = list(twin.store.all(account, "transfer_reversal", transfer=transfer["id"]))
        assert sum(r["amount"] for r in reversals) == transfer["amount_reversed"] <= transfer["amount"]
        assert all(by_source[r["id"]] == r["amount"] for r in reversals)
        payment = twin.store.find(transfer["destination"], "charge", transfer["destination_payment"])
        assert payment is not None
        assert (payment["amount"], payment["amount_refunded"]) == (
            transfer["amount"],
            transfer["amount_reversed"],
        )
    for fee in twin.store.all(account, "application_fee"):
        refunds = list(twin.store.all(account, "fee_refund", fee=fee["id"]))
        assert sum(r["amount"] for r in refunds) == fee["amount_refunded"] <= fee["amount"]
        assert by_source[fee["id"]] == fee["_settled"]
    for payout in twin.store.all(account, "payout"):
        lost = payout["status"] in ("failed", "canceled")
        assert by_source[payout["id"]] == (0 if lost else -payout["amount"])
    for topup in twin.store.all(account, "topup"):
        arrived = topup["status"] in ("succeeded", "reversed")
        assert by_source.get(topup["id"], 0) == (topup["amount"] if arrived else 0)
