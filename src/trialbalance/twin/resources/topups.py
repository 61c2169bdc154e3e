"""Top-ups: money added to the balance from a bank account.

They succeed, or fail by their test token, after three minutes of the twin's clock.
Source: https://docs.stripe.com/api/topups and https://docs.stripe.com/connect/testing#add-funds-to-stripe-balance
"""

from __future__ import annotations

from trialbalance.twin import currencies
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.rails.table import LATER
from trialbalance.twin.resources import balance_transactions, bank_accounts
from trialbalance.twin.resources.payouts import FAILURES
from trialbalance.twin.wire.call import Call, due, endpoint

KIND = "topup"


@endpoint("POST /v1/topups")
def create(call: Call) -> JsonObject:
    """Add money from a bank account: a token, a saved source, or the account's own by default."""
    params = call.params
    call.unsupported("payment_method", "payment_method_options")
    amount = params["amount"]
    if amount < 1:
        raise InvalidRequest(
            "This value must be greater than or equal to 1.", param="amount", code="parameter_invalid_integer"
        )
    currency = currencies.check_currency(params["currency"])
    home = balance_transactions.settlement_currency(call)
    if currency != home:
        raise InvalidRequest(f"Top-ups must be in the account's currency ({home}).", param="currency")
    bank = _bank(call, params.get("source") or None, currency)
    topup = call.new(
        KIND,
        "tu",
        amount=amount,
        currency=currency,
        description=params.get("description") or None,
        expected_availability_date=call.now + LATER,
        initiated_by="user",
        source=_shown(call, bank),
        statement_descriptor=params.get("statement_descriptor") or None,
        status="pending",
        transfer_group=params.get("transfer_group") or None,
    )
    topup["_failure"] = bank_accounts.failure_of(bank)
    call.merge_metadata(topup)
    call.insert(topup)
    call.emit("topup.created", topup)
    call.schedule(call.now + LATER, "topup.arrive", topup["id"], timeline="")
    return topup


@endpoint("GET /v1/topups/{topup}")
def retrieve(call: Call) -> JsonObject:
    """One top-up."""
    return call.get(KIND, call.path["topup"], param="topup")


@endpoint("GET /v1/topups")
def list_(call: Call) -> JsonObject:
    """Top-ups, newest first."""
    params = call.params
    return call.list(KIND, where={"amount": params.plain("amount"), "status": params.get("status")})


@endpoint("POST /v1/topups/{topup}")
def update(call: Call) -> JsonObject:
    """Change description and metadata."""
    topup = call.edit(KIND, call.path["topup"], param="topup")
    call.assign(topup, "description")
    call.merge_metadata(topup)
    return topup


@endpoint("POST /v1/topups/{topup}/cancel")
def cancel(call: Call) -> JsonObject:
    """Cancel a top-up that is still pending."""
    topup = call.edit(KIND, call.path["topup"], param="topup")
    if topup["status"] != "pending":
        raise InvalidRequest(
            f"You cannot cancel this top-up because it has a status of {topup['status']}. Only pending top-ups can be "
            "canceled."
        )
    topup["status"] = "canceled"
    call.emit("topup.canceled", topup)
    return topup


@due("topup.arrive")
def _arrive(call: Call, target: str, arguments: JsonObject) -> None:
    """The money comes, or does not."""
    topup = call.edit(KIND, target)
    if topup["status"] != "pending":
        return
    if topup["_failure"]:
        topup["status"] = "failed"
        topup["failure_code"] = topup["_failure"]
        topup["failure_message"] = FAILURES[topup["_failure"]]
        call.emit("topup.failed", topup)
        return
    topup["status"] = "succeeded"
    transaction = balance_transactions.post(
        call,
        type=KIND,
        amount=topup["amount"],
        currency=topup["currency"],
        source=topup["id"],
        description=topup["description"],
    )
    topup["balance_transaction"] = transaction["id"]
    call.emit("topup.succeeded", topup)


def _bank(call: Call, source: str | None, currency: str) -> JsonObject:
    if source is None:
        return bank_accounts.own(call, call.twin.config.country, currency)
    if source.startswith("btok_"):
        return bank_accounts.from_token(call, source, param="source")
    found = call.find("bank_account", source)
    if found is None:
        raise NotFound("source", source, param="source")
    return found


def _shown(call: Call, bank: JsonObject) -> JsonObject:
    """The bank account as the `source` that a top-up shows.

    Source: https://docs.stripe.com/api/topups/object#topup_object-source
    """
    source = call.new(
        "source",
        "src",
        allow_redisplay=None,
        client_secret=f"src_client_secret_{call.twin.ids.random(24)}",
        currency=bank["currency"],
        flow="code_verification",
        status="chargeable",
        type="ach_debit",
        usage="reusable",
    )
    source["ach_debit"] = {
        "bank_name": bank["bank_name"],
        "country": bank["country"],
        "fingerprint": bank["fingerprint"],
        "last4": bank["last4"],
        "routing_number": bank["routing_number"],
        "type": bank.get("account_holder_type") or "individual",
    }
    head = {name: source[name] for name in ("id", "object")}
    return head | {name: source[name] for name in sorted(source) if name not in head}
