"""A customer's credit balance: what is added to or taken from it, one transaction each.

Negative is money the customer has; it lowers the next invoices.
Source: https://docs.stripe.com/api/customer_balance_transactions
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin import currencies
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.wire.call import Call, endpoint

KIND = "customer_balance_transaction"


@endpoint("POST /v1/customers/{customer}/balance_transactions")
def create(call: Call) -> JsonObject:
    """Add an adjustment."""
    customer = call.edit("customer", call.path["customer"])
    transaction = post(
        call,
        customer,
        call.params["amount"],
        currencies.check_currency(call.params["currency"]),
        description=call.params.get("description") or None,
    )
    call.merge_metadata(transaction)
    call.emit("customer.updated", customer)
    return transaction


@endpoint("GET /v1/customers/{customer}/balance_transactions/{transaction}")
def retrieve(call: Call) -> JsonObject:
    """One transaction of a customer."""
    return _of(call)


@endpoint("POST /v1/customers/{customer}/balance_transactions/{transaction}")
def update(call: Call) -> JsonObject:
    """Change description and metadata; the amount stands."""
    _of(call)
    transaction = call.edit(KIND, call.path["transaction"])
    call.assign(transaction, "description")
    call.merge_metadata(transaction)
    return transaction


@endpoint("GET /v1/customers/{customer}/balance_transactions")
def list_(call: Call) -> JsonObject:
    """A customer's transactions, newest first."""
    call.get("customer", call.path["customer"])
    return call.list(KIND, where={"customer": call.path["customer"], "invoice": call.params.get("invoice")})


def post(
    call: Call,
    customer: JsonObject,
    amount: int,
    currency: str,
    *,
    type: str = "adjustment",
    description: str | None = None,
    invoice: str | None = None,
    credit_note: str | None = None,
    created: int | None = None,
    **fields: Any,
) -> JsonObject:
    """Change an edited customer's balance by `amount` and record why. Returns the transaction."""
    fix_currency(customer, currency)
    customer["balance"] += amount
    transaction = call.new(
        KIND,
        "cbtxn",
        amount=amount,
        created=call.now_of(customer) if created is None else created,
        credit_note=credit_note,
        currency=currency,
        customer=customer["id"],
        description=description,
        ending_balance=customer["balance"],
        invoice=invoice,
        type=type,
        **fields,
    )
    call.insert(transaction)
    return transaction


def opening(call: Call, customer: JsonObject) -> None:
    """Record the balance a customer was created with."""
    amount, customer["balance"] = customer["balance"], 0
    post(call, customer, amount, customer["currency"] or call.twin.config.currency, type="initial")


def adjusted(call: Call, customer: JsonObject, before: int) -> None:
    """Record that an update set the balance."""
    amount, customer["balance"] = customer["balance"] - before, before
    post(call, customer, amount, customer["currency"] or call.twin.config.currency)


def fix_currency(customer: JsonObject, currency: str) -> None:
    """Give the customer its currency, which never changes again.

    Raises:
        InvalidRequest: the customer has another currency.
    """
    known = customer.get("currency")
    if known and known != currency:
        raise InvalidRequest(
            f"You cannot combine currencies on a single customer. This customer has had a subscription, coupon, or "
            f"invoice item with currency {known}"
        )
    customer["currency"] = currency


def _of(call: Call) -> JsonObject:
    transaction = call.get(KIND, call.path["transaction"], param="transaction")
    if transaction["customer"] != call.path["customer"]:
        raise NotFound(KIND, call.path["transaction"], param="id")
    return transaction
