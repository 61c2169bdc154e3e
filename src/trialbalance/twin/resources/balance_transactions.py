"""Balance transactions: the only way money moves.

`post` writes one and moves the account's balance with it. Funds that are not available yet become so by a due
action at midnight of their day, which also emits `balance.available`.
Source: https://docs.stripe.com/api/balance_transactions
"""

from __future__ import annotations

from decimal import Decimal

from trialbalance.contract import load
from trialbalance.twin import currencies
from trialbalance.twin.cards.fees import Fee
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, due, endpoint, own_endpoint

KIND = "balance_transaction"
DAY = 24 * 3600
DELAY = 7 * DAY
"""How long card funds are pending: recorded at seven days, to the UTC midnight."""


FILTERS: JsonObject = load().endpoints["GET /v1/balance_transactions"].params


@own_endpoint("GET /v1/balance/history/{id}", load().endpoints["GET /v1/balance_transactions/{id}"].params)
@endpoint("GET /v1/balance_transactions/{id}")
def retrieve(call: Call) -> JsonObject:
    """One balance transaction."""
    return call.get(KIND, call.path["id"])


@own_endpoint("GET /v1/balance/history", FILTERS)
@endpoint("GET /v1/balance_transactions")
def list_(call: Call) -> JsonObject:
    """Balance transactions, newest first. As recorded, `source` finds none for a dispute."""
    params = call.params
    payout = params.get("payout") or None
    source = params.get("source") or None
    if payout:
        call.get("payout", payout, param="payout")
    return call.list(
        KIND,
        where={
            "currency": params.get("currency"),
            "type": params.get("type"),
            "source": source,
        },
        keep=(lambda row: row.get("_payout") == payout) if payout else _no_dispute if source else None,
    )


def _no_dispute(row: JsonObject) -> bool:
    return not str(row["source"]).startswith("du_")


def settlement_currency(call: Call) -> str:
    """The currency the account's balance is kept in."""
    if call.account != call.twin.account:
        account = call.ledger.find(call.twin.account, "account", call.account)
        if account is not None and account.get("default_currency"):
            return str(account["default_currency"])
    return call.twin.config.currency


def country_of(call: Call) -> str:
    """The account's country."""
    if call.account != call.twin.account:
        account = call.ledger.find(call.twin.account, "account", call.account)
        if account is not None and account.get("country"):
            return str(account["country"])
    return call.twin.config.country


def available_day(call: Call) -> int:
    """The UTC midnight at which card funds of now become available on this account.

    Source: https://docs.stripe.com/payouts#payout-speed
    """
    delay = DELAY
    if call.account != call.twin.account:
        account = call.ledger.find(call.twin.account, "account", call.account) or {}
        schedule = ((account.get("settings") or {}).get("payouts") or {}).get("schedule") or {}
        delay = int(schedule.get("delay_days", 2)) * DAY
    return (call.now // DAY) * DAY + delay


def post(
    call: Call,
    *,
    type: str,
    amount: int,
    currency: str,
    source: str | None,
    description: str | None = None,
    fee: int = 0,
    fee_details: list[JsonObject] | None = None,
    available_on: int | None = None,
    reporting_category: str | None = None,
    exchange_rate: Decimal | None = None,
    balance: str = "card",
    prefix: str = "txn",
) -> JsonObject:
    """Move money: `amount` before and `amount - fee` after fees, in the settlement currency.

    `available_on`: None means now. `balance`: which part of the balance (`card`, `bank_account`).
    """
    when = call.now if available_on is None else available_on
    transaction = call.new(
        KIND,
        prefix,
        amount=amount,
        available_on=when,
        balance_type="payments",
        currency=currency,
        description=description,
        exchange_rate=float(exchange_rate) if exchange_rate is not None else None,
        fee=fee,
        fee_details=fee_details or [],
        net=amount - fee,
        reporting_category=reporting_category or REPORTING.get(type, type),
        source=source,
        status="available" if when <= call.now else "pending",
        type=type,
    )
    transaction["_balance"] = balance
    if transaction["status"] == "pending":
        transaction["_settles"] = _settlement(call, when, currency)
    call.insert(transaction)
    _move(call, currency, balance, transaction["status"], transaction["net"])
    from trialbalance.twin.resources import payouts

    payouts.plan(call)
    return transaction


REPORTING = {
    "payment": "charge",
    "payment_refund": "refund",
    "refund_failure": "refund_failure",
    "payment_failure_refund": "charge_failure",
    "payout_cancel": "payout_reversal",
    "payout_failure": "payout_reversal",
    "application_fee": "platform_earning",
    "application_fee_refund": "platform_earning_refund",
    "transfer_refund": "transfer_reversal",
    "stripe_fee": "fee",
    "payment_failure": "charge_failure",
}
"""Reporting categories that are not simply the type.

Source: https://docs.stripe.com/reports/reporting-categories
"""


def stripe_fee(amount: int, currency: str, description: str = "Stripe processing fees") -> JsonObject:
    """One line of `fee_details`."""
    return {
        "amount": amount,
        "application": None,
        "currency": currency,
        "description": description,
        "type": "stripe_fee",
    }


def fee_lines(fee: Fee, currency: str) -> list[JsonObject]:
    """The `fee_details` of Stripe's fees for a charge."""
    lines = [stripe_fee(fee.processing, currency)] if fee.processing else []
    if fee.conversion:
        lines.append(stripe_fee(fee.conversion, currency, "Stripe currency conversion fee"))
    return lines


def convert(call: Call, amount: int, currency: str) -> tuple[int, str, Decimal | None]:
    """An amount in the settlement currency, with the rate when they differ."""
    target = settlement_currency(call)
    if target == currency:
        return amount, currency, None
    return currencies.convert(amount, currency, target), target, currencies.rate(currency, target)


def totals(call: Call, currency: str) -> JsonObject:
    """The account's running balance in a currency: {state: {part: amount}}."""
    found = call.ledger.find(call.account, "_balance", currency)
    return found or {"available": {}, "pending": {}}


def _move(call: Call, currency: str, part: str, state: str, amount: int) -> None:
    row = call.ledger.edit(call.account, "_balance", currency)
    if row is None:
        row = {"id": currency, "object": "_balance", "available": {}, "pending": {}}
        call.ledger.insert(call.account, "_balance", row)
    row[state][part] = row[state].get(part, 0) + amount


def _settlement(call: Call, when: int, currency: str) -> str:
    """The day on which a pending transaction becomes available; one due action serves the whole day."""
    key = f"{currency}:{when}"
    if call.ledger.find(call.account, "_settlement", key) is None:
        call.ledger.insert(call.account, "_settlement", {"id": key, "object": "_settlement"})
        call.schedule(when, "balance.available", key, timeline="")
    return key


@due("balance.available")
def _available(call: Call, target: str, arguments: JsonObject) -> None:
    call.ledger.delete(call.account, "_settlement", target)
    for found in list(call.ledger.all(call.account, KIND, _settles=target)):
        transaction = call.edit(KIND, found["id"])
        transaction["status"], transaction["_settles"] = "available", None
        _move(call, transaction["currency"], transaction["_balance"], "pending", -transaction["net"])
        _move(call, transaction["currency"], transaction["_balance"], "available", transaction["net"])
    from trialbalance.twin.resources import balance

    call.emit("balance.available", balance.render(call))
