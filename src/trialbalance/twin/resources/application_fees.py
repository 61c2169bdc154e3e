"""Application fees: what a platform earns on its connected accounts' payments, and gives back.

They live on the platform; the connected account sees them among the fees of its payment.
Source: https://docs.stripe.com/api/application_fees
"""

from __future__ import annotations

from trialbalance.twin import currencies
from trialbalance.twin.connect import applications
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import account_state, balance_transactions
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.lists import embedded

KIND = "application_fee"
REFUND = "fee_refund"


@endpoint("GET /v1/application_fees/{id}")
def retrieve(call: Call) -> JsonObject:
    """One fee."""
    return call.get(KIND, call.path["id"])


@endpoint("GET /v1/application_fees")
def list_(call: Call) -> JsonObject:
    """Fees, newest first."""
    return call.list(KIND, where={"charge": call.params.get("charge")})


@endpoint("POST /v1/application_fees/{id}/refunds")
def create_refund(call: Call) -> JsonObject:
    """Give a fee back, in full or in part."""
    fee = call.edit(KIND, call.path["id"])
    amount = call.params.get("amount")
    left = fee["amount"] - fee["amount_refunded"]
    if left == 0:
        raise InvalidRequest(f"Application fee {fee['id']} has already been refunded.")
    amount = left if amount is None else amount
    if amount < 1:
        raise InvalidRequest(
            "This value must be greater than or equal to 1.", param="amount", code="parameter_invalid_integer"
        )
    if amount > left:
        raise InvalidRequest(
            f"Refund amount ({currencies.shown(amount, fee['currency'])}) is greater than fee amount "
            f"({currencies.shown(left, fee['currency'])})",
            param="amount",
        )
    refund = give_back(call, fee, amount)
    call.merge_metadata(refund)
    _show(call, fee)
    return refund


@endpoint("GET /v1/application_fees/{fee}/refunds/{id}")
def retrieve_refund(call: Call) -> JsonObject:
    """One refund of a fee."""
    return _refund(call)


@endpoint("GET /v1/application_fees/{id}/refunds")
def list_refunds(call: Call) -> JsonObject:
    """A fee's refunds, newest first."""
    call.get(KIND, call.path["id"])
    return call.list(REFUND, where={"fee": call.path["id"]})


@endpoint("POST /v1/application_fees/{fee}/refunds/{id}")
def update_refund(call: Call) -> JsonObject:
    """Change metadata."""
    refund = call.edit(REFUND, _refund(call)["id"])
    call.merge_metadata(refund)
    _show(call, call.edit(KIND, call.path["fee"], param="fee"))
    call.emit("application_fee.refund.updated", refund)
    return refund


def collect(
    call: Call,
    *,
    account: str,
    amount: int,
    currency: str,
    charge: str,
    originating: str | None,
    available_on: int | None,
) -> JsonObject:
    """A fee on the platform (`call` is on it) for a payment of a connected account."""
    fee = call.new(
        KIND,
        "fee",
        account=account,
        amount=amount,
        amount_refunded=0,
        application=applications.identifier(call.twin),
        charge=charge,
        currency=currency,
        fee_source={"charge": charge, "type": "charge"},
        originating_transaction=originating,
        refunded=False,
    )
    earned, settlement, rate = balance_transactions.convert(call, amount, currency)
    transaction = balance_transactions.post(
        call,
        type="application_fee",
        amount=earned,
        currency=settlement,
        source=fee["id"],
        available_on=available_on,
        exchange_rate=rate,
    )
    fee["balance_transaction"] = transaction["id"]
    fee["_settled"] = earned
    fee["refunds"] = embedded([], f"/v1/application_fees/{fee['id']}/refunds", total=True)
    call.insert(fee)
    call.emit("application_fee.created", fee)
    return fee


def give_back(call: Call, fee: JsonObject, amount: int, *, within: bool = False) -> JsonObject:
    """Refund `amount` of an edited fee to the connected account.

    `within`: the account gets it in the balance transaction of a refund, so none of its own is posted. Otherwise it
    gets it when the payment that the fee was taken from is available, so that nobody is paid out sooner by it.
    """
    refund = call.new(REFUND, "fr", amount=amount, currency=fee["currency"], fee=fee["id"])
    first = call.get("balance_transaction", fee["balance_transaction"])
    done = fee["amount_refunded"]
    settled = _part(fee, done + amount) - _part(fee, done)
    transaction = balance_transactions.post(
        call,
        type="application_fee_refund",
        amount=-settled,
        currency=first["currency"],
        source=refund["id"],
        available_on=first["available_on"] if first["status"] == "pending" else None,
    )
    refund["balance_transaction"] = transaction["id"]
    call.insert(refund)
    if not within:
        there = account_state.on(call, fee["account"])
        returned, currency, rate = balance_transactions.convert(there, amount, fee["currency"])
        payment = there.get("charge", fee["charge"])
        paid = there.get("balance_transaction", payment["balance_transaction"])
        balance_transactions.post(
            there,
            type="adjustment",
            amount=returned,
            currency=currency,
            source=refund["id"],
            description="Application fee refund",
            available_on=paid["available_on"] if paid["status"] == "pending" else None,
            exchange_rate=rate,
            reporting_category="other_adjustment",
        )
    fee["amount_refunded"] += amount
    fee["refunded"] = fee["amount_refunded"] == fee["amount"]
    _show(call, fee)
    call.emit("application_fee.refunded", fee)
    return refund


def _part(fee: JsonObject, amount: int) -> int:
    whole, settled = fee["amount"], fee["_settled"]
    return int((settled * amount * 2 + whole) // (2 * whole)) if whole else 0


def _show(call: Call, fee: JsonObject) -> None:
    found = list(call.ledger.all(call.account, REFUND, fee=fee["id"]))
    found.reverse()
    fee["refunds"] = embedded(
        [account_state.public(r) for r in found], f"/v1/application_fees/{fee['id']}/refunds", total=True
    )


def _refund(call: Call) -> JsonObject:
    call.get(KIND, call.path["fee"], param="fee")
    found = call.find(REFUND, call.path["id"])
    if found is None or found["fee"] != call.path["fee"]:
        raise NotFound(REFUND, call.path["id"], param="id", in_path=True)
    return found
