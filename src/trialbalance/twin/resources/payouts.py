"""Payouts: an account's available balance sent to its bank account or debit card.

Connected accounts are paid out by their schedule; the platform by hand unless its balance settings say otherwise.
Standard payouts arrive on the next business day, instant ones at once; test accounts and cards make them fail.
Source: https://docs.stripe.com/api/payouts and https://docs.stripe.com/connect/testing#payouts
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from trialbalance.twin import currencies
from trialbalance.twin.cards import payouts as cards
from trialbalance.twin.cards.fees import rounded
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import (
    account_state,
    balance,
    balance_settings,
    balance_transactions,
    bank_accounts,
)
from trialbalance.twin.wire.call import Call, due, endpoint

KIND = "payout"
DAY = 24 * 3600
INSTANT_RATE = Decimal("0.01")
INSTANT_LEAST = 50
FAILURES = {
    "account_closed": "The bank account has been closed.",
    "could_not_process": "The bank could not process this payout.",
    "debit_not_authorized": "Debit transactions are not approved on your bank account.",
    "insufficient_funds": "Your account has insufficient funds to cover the payout.",
    "invalid_currency": "The bank was unable to process this payout because of its currency.",
    "no_account": "The bank account details on file are probably incorrect. No bank account could be located with those "
    "details.",
    "transit_number_invalid": "The transit number is invalid.",
}


@endpoint("POST /v1/payouts")
def create(call: Call) -> JsonObject:
    """Pay out by hand."""
    params = call.params
    call.unsupported("payout_method")
    amount = params["amount"]
    if amount < 1:
        raise InvalidRequest(
            "This value must be greater than or equal to 1.", param="amount", code="parameter_invalid_integer"
        )
    currency = currencies.check_currency(params["currency"])
    currencies.check_step(amount, currency, currencies.PAYOUT_STEPS)
    _allowed(call)
    destination = _destination(call, params.get("destination") or None, currency)
    method = params.get("method") or "standard"
    fee = 0
    if method == "instant":
        if "instant" not in (destination.get("available_payout_methods") or []):
            raise InvalidRequest(
                "This external account is not eligible for instant payouts.",
                param="method",
                code="instant_payouts_unsupported",
            )
        fee = max(INSTANT_LEAST, rounded(amount * INSTANT_RATE))
    part = _part(call, currency, params.get("source_type") or None, amount + fee)
    payout = make(
        call,
        amount=amount,
        currency=currency,
        destination=destination,
        method=method,
        part=part,
        fee=fee,
        automatic=False,
        description=params.get("description") or None,
        statement_descriptor=params.get("statement_descriptor") or None,
    )
    call.merge_metadata(payout)
    call.emit("payout.created", payout)
    if method == "instant":
        _land(call, payout)
    return payout


@endpoint("GET /v1/payouts/{payout}")
def retrieve(call: Call) -> JsonObject:
    """One payout."""
    return call.get(KIND, call.path["payout"], param="payout")


@endpoint("GET /v1/payouts")
def list_(call: Call) -> JsonObject:
    """Payouts, newest first."""
    params = call.params
    return call.list(
        KIND,
        where={
            "arrival_date": params.plain("arrival_date"),
            "destination": params.get("destination"),
            "status": params.get("status"),
        },
    )


@endpoint("POST /v1/payouts/{payout}")
def update(call: Call) -> JsonObject:
    """Change metadata."""
    payout = call.edit(KIND, call.path["payout"], param="payout")
    call.merge_metadata(payout)
    call.emit("payout.updated", payout)
    return payout


@endpoint("POST /v1/payouts/{payout}/cancel")
def cancel(call: Call) -> JsonObject:
    """Cancel a payout that is still pending; automatic ones cannot be."""
    payout = call.edit(KIND, call.path["payout"], param="payout")
    if payout["automatic"]:
        raise InvalidRequest("Automatic payouts cannot be canceled.")
    if payout["status"] != "pending":
        raise InvalidRequest(
            f"Payouts can only be canceled while they are pending. This payout has the status {payout['status']}."
        )
    payout["status"] = "canceled"
    _back(call, payout, "payout_cancel")
    call.emit("payout.canceled", payout)
    return payout


@endpoint("POST /v1/payouts/{payout}/reverse")
def reverse(call: Call) -> JsonObject:
    """Debit the bank account that a payout went to: only bank accounts in the United States.

    Source: https://docs.stripe.com/api/payouts/reverse
    """
    payout = call.edit(KIND, call.path["payout"], param="payout")
    if payout["status"] != "paid" or payout["amount"] < 0:
        raise InvalidRequest("Only paid payouts can be reversed.")
    if payout["reversed_by"] is not None:
        raise InvalidRequest(f"This payout has already been reversed by {payout['reversed_by']}.")
    bank = call.find("bank_account", payout["destination"])
    if bank is None or bank["country"] != "US":
        raise InvalidRequest("Only payouts to bank accounts in the United States can be reversed.")
    made = make(
        call,
        amount=-payout["amount"],
        currency=payout["currency"],
        destination=bank,
        method="standard",
        part=payout["source_type"],
        automatic=False,
        description=payout["description"],
        original=payout["id"],
    )
    payout["reversed_by"] = made["id"]
    call.merge_metadata(made)
    call.emit("payout.created", made)
    return made


def make(
    call: Call,
    *,
    amount: int,
    currency: str,
    destination: JsonObject,
    method: str,
    part: str,
    automatic: bool,
    fee: int = 0,
    description: str | None = None,
    statement_descriptor: str | None = None,
    original: str | None = None,
) -> JsonObject:
    """A new, stored payout that has left the balance and arrives later (without telling of it)."""
    arrival = call.now if method == "instant" else _next_business_day(call.now)
    payout = call.new(
        KIND,
        "po",
        amount=amount,
        arrival_date=arrival,
        automatic=automatic,
        currency=currency,
        description=description,
        destination=destination["id"],
        method=method,
        original_payout=original,
        reconciliation_status="in_progress" if automatic else "not_applicable",
        source_type=part,
        statement_descriptor=statement_descriptor,
        status="in_transit" if automatic else "pending",
        trace_id={"status": "pending", "value": None},
        type=destination["object"],
    )
    transaction = balance_transactions.post(
        call,
        type=KIND,
        amount=-amount,
        currency=currency,
        source=payout["id"],
        description=description or "STRIPE PAYOUT",
        fee=fee,
        fee_details=[balance_transactions.stripe_fee(fee, currency, "Instant payout fee")] if fee else [],
        balance=part,
    )
    transaction["_payout"] = payout["id"]
    payout["balance_transaction"] = transaction["id"]
    call.insert(payout)
    if method != "instant":
        call.schedule(arrival, "payout.arrive", payout["id"], timeline="")
    return payout


# Arriving


@due("payout.arrive")
def _arrive(call: Call, target: str, arguments: JsonObject) -> None:
    """A payout reaches the bank, or fails there."""
    payout = call.edit(KIND, target)
    if payout["status"] in ("pending", "in_transit"):
        _land(call, payout)


def _land(call: Call, payout: JsonObject) -> None:
    failure = _failure(call, payout["destination"])
    if failure is None:
        payout["status"] = "paid"
        payout["trace_id"] = {"status": "supported", "value": call.twin.ids.random(15, "0123456789")}
        call.emit("payout.paid", payout)
        if payout["automatic"]:
            payout["reconciliation_status"] = "completed"
            call.emit("payout.reconciliation_completed", payout)
        return
    payout["status"] = "failed"
    payout["failure_code"] = failure
    payout["failure_message"] = FAILURES[failure]
    payout["trace_id"] = {"status": "unsupported", "value": None}
    payout["failure_balance_transaction"] = _back(call, payout, "payout_failure")["id"]
    bank = call.ledger.edit(call.account, "bank_account", payout["destination"])
    if bank is not None:
        bank["status"] = "errored"
        account = call.ledger.edit(call.twin.account, "account", call.account)
        if account is not None:
            call.emit("account.external_account.updated", bank)
            account_state.changed(call, account)
    call.emit("payout.failed", payout)


def _failure(call: Call, destination: str) -> str | None:
    bank = call.find("bank_account", destination)
    if bank is not None:
        return bank_accounts.failure_of(bank)
    card = call.find("card", destination)
    return "could_not_process" if card is not None and card["_number"] in cards.FAILS else None


def _back(call: Call, payout: JsonObject, type: str) -> JsonObject:
    """The money returns to the balance, with the fee."""
    first = call.get("balance_transaction", payout["balance_transaction"])
    fee = first["fee"]
    return balance_transactions.post(
        call,
        type=type,
        amount=-first["amount"],
        currency=first["currency"],
        source=payout["id"],
        description=first["description"],
        fee=-fee,
        fee_details=[balance_transactions.stripe_fee(-fee, first["currency"], "Instant payout fee")]
        if fee
        else [],
        balance=first["_balance"],
    )


def _next_business_day(now: int) -> int:
    day = (now // DAY + 1) * DAY
    while datetime.fromtimestamp(day, UTC).weekday() >= 5:
        day += DAY
    return day


# By hand


def _allowed(call: Call) -> None:
    if call.account == call.twin.account:
        return
    account = call.ledger.find(call.twin.account, "account", call.account) or {}
    if not account.get("payouts_enabled"):
        raise InvalidRequest(
            "Cannot create payouts: this account has requirements that need to be collected.",
            code="payouts_not_allowed",
        )


def _destination(call: Call, wanted: str | None, currency: str) -> JsonObject:
    """The external account that a payout goes to."""
    if wanted is not None:
        for item in account_state.externals_of(call, call.account):
            if item["id"] == wanted:
                if item["currency"] != currency:
                    raise InvalidRequest(
                        f"The currency of the external account ({item['currency']}) does not match the payout's "
                        f"({currency}).",
                        param="destination",
                    )
                return item
        raise NotFound("external_account", wanted, param="destination")
    found = account_state.default_external(call, call.account, currency)
    if found is None and call.account == call.twin.account and currency == call.twin.config.currency:
        found = _own_bank(call)
    if found is None:
        raise InvalidRequest(
            f"Sorry, you don't have any external accounts in that currency ({currency}).", param="currency"
        )
    return found


def _own_bank(call: Call) -> JsonObject:
    """The bank account that the platform's own payouts go to."""
    bank = bank_accounts.own(call, call.twin.config.country, call.twin.config.currency)
    bank |= {"account": call.account, "default_for_currency": True, "_order": 0}
    bank["available_payout_methods"] = ["standard", "instant"]
    return call.insert(bank)


def _part(call: Call, currency: str, wanted: str | None, amount: int) -> str:
    """The part of the balance a payout draws from.

    Raises:
        InvalidRequest: none holds that much.
    """
    for part in (wanted,) if wanted else ("card", "bank_account"):
        if balance.available(call, currency, part) >= amount:
            return part
    raise InvalidRequest(
        f"You have insufficient funds in your Stripe account for this transfer. Your {wanted or 'card'} balance is too "
        "low.  You can use the /v1/balance endpoint to view your Stripe balance (for more details, see "
        "stripe.com/docs/api#balance).",
        code="balance_insufficient",
    )


# By schedule


def plan(call: Call) -> None:
    """Have an account with automatic payouts looked at on the coming day."""
    schedule = balance_settings.schedule_of(call)
    if schedule["interval"] == "manual" or call.find("_sweep", call.account) is not None:
        return
    day = (call.now // DAY + 1) * DAY
    call.ledger.insert(call.account, "_sweep", {"id": call.account, "object": "_sweep", "at": day})
    call.schedule(day, "payouts.sweep", call.account, timeline="")


@due("payouts.sweep")
def _sweep(call: Call, target: str, arguments: JsonObject) -> None:
    """Pay out what is available, if today is a day of the schedule; otherwise look again tomorrow.

    Source: https://docs.stripe.com/payouts#payout-schedule
    """
    call.ledger.delete(call.account, "_sweep", target)
    held = [row for row in call.ledger.all(call.account, "_balance") if any(row["available"].values())]
    pending = any(any(row["pending"].values()) for row in call.ledger.all(call.account, "_balance"))
    try:
        _allowed(call)
    except InvalidRequest:
        held = []
    if balance_settings.is_payday(balance_settings.schedule_of(call), call.now):
        for row in held:
            _pay_out(call, row)
        held = [row for row in call.ledger.all(call.account, "_balance") if any(row["available"].values())]
    if held or pending:
        plan(call)


def _pay_out(call: Call, row: JsonObject) -> None:
    currency = row["id"]
    kept = balance_settings.minimum_of(call, currency)
    total = sum(row["available"].values()) - kept
    try:
        destination = _destination(call, None, currency)
    except InvalidRequest:
        return
    if total <= 0 or destination.get("status") == "errored":
        return
    for part, amount in sorted(row["available"].items(), reverse=True):
        sent = min(amount, total)
        if sent <= 0:
            continue
        total -= sent
        payout = make(
            call,
            amount=sent,
            currency=currency,
            destination=destination,
            method="standard",
            part=part,
            automatic=True,
            description="STRIPE PAYOUT",
            statement_descriptor=balance_settings.descriptor_of(call),
        )
        _attribute(call, payout)
        call.emit("payout.created", payout)


def _attribute(call: Call, payout: JsonObject) -> None:
    """Say of the balance transactions that an automatic payout pays out that they are in it."""
    for row in call.ledger.all(call.account, "balance_transaction"):
        if (
            row["currency"] == payout["currency"]
            and row["status"] == "available"
            and not row.get("_payout")
            and row["type"] != KIND
        ):
            call.edit("balance_transaction", row["id"])["_payout"] = payout["id"]
