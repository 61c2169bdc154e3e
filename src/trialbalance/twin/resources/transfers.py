"""Transfers: money from the platform's balance to a connected account's, and back.

A transfer arrives as a payment (`py_…`) on the other account; a reversal is a refund (`pyr_…`) of it. Destination
charges make theirs by themselves.
Source: https://docs.stripe.com/api/transfers and https://docs.stripe.com/connect/separate-charges-and-transfers
"""

from __future__ import annotations

from trialbalance.twin import currencies, sites
from trialbalance.twin.cards.fees import share
from trialbalance.twin.connect import applications, fields
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import account_state, balance, balance_transactions
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.lists import embedded

KIND = "transfer"
REVERSAL = "transfer_reversal"
SHOWN = 10
"""How many reversals a transfer shows."""


@endpoint("POST /v1/transfers")
def create(call: Call) -> JsonObject:
    """Move money to a connected account, out of the available balance or out of one charge."""
    params = call.params
    currency = currencies.check_currency(params["currency"])
    source = params.get("source_transaction") or None
    charge = _source(call, source) if source else None
    amount = params.get("amount")
    if amount is None:
        if charge is None:
            raise InvalidRequest("Missing required param: amount.", param="amount", code="parameter_missing")
        amount = _settled(call, charge)[0] - charge.get("_transferred", 0)
    if amount < 1:
        raise InvalidRequest(
            "This value must be greater than or equal to 1.", param="amount", code="parameter_invalid_integer"
        )
    destination = params["destination"]
    check_destination(call, destination, param="destination")
    part = params.get("source_type") or None
    if charge is not None:
        _within(call, charge, amount, currency)
    elif balance.available(call, currency, part) < amount:
        raise InvalidRequest(
            "You have insufficient available funds in your Stripe account. Try adding funds directly to your available "
            "balance by creating Charges using the 4000000000000077 test card. See: "
            "https://docs.stripe.com/testing#available-balance",
            code="balance_insufficient",
        )
    group = params.get("transfer_group") or None
    if charge is not None and group is None:
        group = charge["transfer_group"] or f"group_{charge['id']}"
    transfer = make(
        call,
        amount=amount,
        currency=currency,
        destination=destination,
        charge=charge,
        part=part or "card",
        group=group,
        description=params.get("description") or None,
    )
    call.merge_metadata(transfer)
    call.emit("transfer.created", transfer)
    return transfer


@endpoint("GET /v1/transfers/{transfer}")
def retrieve(call: Call) -> JsonObject:
    """One transfer."""
    return call.get(KIND, call.path["transfer"], param="id")


@endpoint("GET /v1/transfers")
def list_(call: Call) -> JsonObject:
    """Transfers, newest first."""
    params = call.params
    return call.list(
        KIND,
        where={"destination": params.get("destination"), "transfer_group": params.get("transfer_group")},
    )


@endpoint("POST /v1/transfers/{transfer}")
def update(call: Call) -> JsonObject:
    """Change description and metadata."""
    transfer = call.edit(KIND, call.path["transfer"], param="id")
    call.assign(transfer, "description")
    call.merge_metadata(transfer)
    call.emit("transfer.updated", transfer)
    return transfer


@endpoint("POST /v1/transfers/{id}/reversals")
def create_reversal(call: Call) -> JsonObject:
    """Take money back, in full or in part."""
    transfer = call.edit(KIND, call.path["id"], param="id")
    params = call.params
    left = transfer["amount"] - transfer["amount_reversed"]
    if left == 0:
        raise InvalidRequest(f"Transfer {transfer['id']} has already been fully reversed.")
    amount = params.get("amount")
    amount = left if amount is None else amount
    if amount < 1:
        raise InvalidRequest(
            "This value must be greater than or equal to 1.", param="amount", code="parameter_invalid_integer"
        )
    if amount > left:
        raise InvalidRequest(
            f"Reversal amount ({currencies.shown(amount, transfer['currency'])}) is greater than unreversed amount on "
            f"transfer ({currencies.shown(left, transfer['currency'])})",
            param="amount",
        )
    there = account_state.on(call, transfer["destination"])
    arrived = there.get("charge", transfer["destination_payment"])
    held = balance_transactions.settlement_currency(there)
    if sum(balance.everything(there, held).values()) < _share(arrived, transfer, amount):
        raise InvalidRequest(
            "The connected account does not have sufficient funds in its Stripe balance for this reversal.",
            code="balance_insufficient",
        )
    reversal = reverse(call, transfer, amount)
    if params.get("description"):
        reversal["_description"] = params["description"]
    call.merge_metadata(reversal)
    _show(call, transfer)
    if params.get("refund_application_fee"):
        from trialbalance.twin.resources import connect_payments

        connect_payments.return_fee(call, there.get("charge", arrived["id"]), amount, transfer["amount"])
    return reversal


@endpoint("GET /v1/transfers/{transfer}/reversals/{id}")
def retrieve_reversal(call: Call) -> JsonObject:
    """One reversal of a transfer."""
    return _reversal(call)


@endpoint("GET /v1/transfers/{id}/reversals")
def list_reversals(call: Call) -> JsonObject:
    """A transfer's reversals, newest first."""
    call.get(KIND, call.path["id"], param="id")
    return call.list(REVERSAL, where={"transfer": call.path["id"]})


@endpoint("POST /v1/transfers/{transfer}/reversals/{id}")
def update_reversal(call: Call) -> JsonObject:
    """Change metadata."""
    found = _reversal(call)
    reversal = call.edit(REVERSAL, found["id"])
    call.merge_metadata(reversal)
    _show(call, call.edit(KIND, call.path["transfer"], param="id"))
    return reversal


# Moving money


def make(
    call: Call,
    *,
    amount: int,
    currency: str,
    destination: str,
    charge: JsonObject | None = None,
    part: str = "card",
    group: str | None = None,
    description: str | None = None,
    fee: int = 0,
    identifier: str | None = None,
) -> JsonObject:
    """Write a transfer (without telling of it) and the payment that it becomes on the other account.

    `charge`: an edited charge that the money comes from; it is available when the charge is. `fee`: what of the
    payment the platform keeps, in the transfer's currency.
    """
    transfer = call.new(
        KIND,
        "tr",
        amount=amount,
        amount_reversed=0,
        currency=currency,
        description=description,
        destination=destination,
        reversed=False,
        source_transaction=charge["id"] if charge else None,
        transfer_group=group,
    )
    if identifier is not None:
        transfer["id"] = identifier
    transfer["source_type"] = part
    transfer["reversals"] = embedded([], f"/v1/transfers/{transfer['id']}/reversals", total=True)
    available_on = None
    if charge is not None and charge["balance_transaction"]:
        first = call.get("balance_transaction", charge["balance_transaction"])
        if first["status"] == "pending":
            available_on = int(first["available_on"])
        charge["_transferred"] = charge.get("_transferred", 0) + amount
    transaction = balance_transactions.post(
        call,
        type="transfer",
        amount=-amount,
        currency=currency,
        source=transfer["id"],
        description=description,
        available_on=available_on,
        balance=part,
    )
    transfer["balance_transaction"] = transaction["id"]
    payment = _arrive(call, transfer, fee=fee, available_on=available_on)
    transfer["destination_payment"] = payment["id"]
    return call.insert(fields.arrange(transfer))


def reverse(call: Call, transfer: JsonObject, amount: int, *, refund: JsonObject | None = None) -> JsonObject:
    """Take `amount` of an edited transfer back; `refund` is what made it necessary."""
    there = account_state.on(call, transfer["destination"])
    payment = there.edit("charge", transfer["destination_payment"])
    reversal = call.new(
        REVERSAL,
        "trr",
        amount=amount,
        currency=transfer["currency"],
        source_refund=refund["id"] if refund else None,
        transfer=transfer["id"],
    )
    returned = _return(there, payment, transfer, amount, reversal["id"])
    first = call.get("balance_transaction", transfer["balance_transaction"])
    transaction = balance_transactions.post(
        call,
        type="transfer_refund",
        amount=amount,
        currency=transfer["currency"],
        source=reversal["id"],
        available_on=first["available_on"] if first["status"] == "pending" else None,
        balance=first["_balance"],
    )
    reversal["balance_transaction"] = transaction["id"]
    reversal["destination_payment_refund"] = returned["id"]
    call.insert(reversal)
    transfer["amount_reversed"] += amount
    transfer["reversed"] = transfer["amount_reversed"] == transfer["amount"]
    if transfer["source_transaction"]:
        charge = call.edit("charge", transfer["source_transaction"])
        charge["_transferred"] = charge.get("_transferred", 0) - amount
    _show(call, transfer)
    call.emit("transfer.reversed", transfer)
    return reversal


def check_destination(call: Call, destination: str, *, param: str) -> JsonObject | None:
    """The account that money can be sent to (None for the platform itself, from a connected account).

    Raises:
        InvalidRequest: not connected, the sender itself, or unable to receive transfers.
    """
    if destination == call.twin.account and call.account != call.twin.account:
        return None
    if destination == call.account:
        raise InvalidRequest(
            "You cannot transfer funds to your own account: the destination must be a connected account.",
            param=param,
        )
    account = call.ledger.find(call.twin.account, "account", destination)
    if account is None:
        raise NotFound("destination", destination, param=param)
    if account["capabilities"].get("transfers") != "active":
        raise InvalidRequest(
            "Your destination account needs to have at least one of the following capabilities enabled: transfers, "
            "crypto_transfers, legacy_payments",
            param=param,
            code="insufficient_capabilities_for_transfer",
        )
    return account


def _arrive(call: Call, transfer: JsonObject, *, fee: int, available_on: int | None) -> JsonObject:
    """The payment on the other account."""
    there = account_state.on(call, transfer["destination"])
    payment = there.new(
        "charge",
        "py",
        amount=transfer["amount"],
        amount_captured=transfer["amount"],
        amount_refunded=0,
        application=applications.identifier(call.twin),
        billing_details={
            "address": fields.address(None),
            "email": None,
            "name": None,
            "phone": None,
            "tax_id": None,
        },
        captured=True,
        currency=transfer["currency"],
        disputed=False,
        fraud_details={},
        paid=True,
        payment_method_details={"stripe_account": {}, "type": "stripe_account"},
        refunded=False,
        source_transfer=transfer["id"],
        status="succeeded",
    )
    payment["id"] = payment["id"].replace("py_3", "py_1")
    payment["receipt_url"] = sites.page(
        call.twin, "pay", f"receipts/payment/{payment['id']}-{call.twin.ids.random(24)}"
    )
    payment.pop("radar_options", None)
    payment["source"] = {
        "id": call.account,
        "object": "account",
        "application_name": call.twin.config.display_name,
    }
    amount, currency, rate = balance_transactions.convert(there, transfer["amount"], transfer["currency"])
    taken, _, _ = balance_transactions.convert(there, fee, transfer["currency"])
    transaction = balance_transactions.post(
        there,
        type="payment",
        amount=amount,
        currency=currency,
        source=payment["id"],
        fee=taken,
        fee_details=[applications.fee_line(call.twin, taken, currency)] if taken else [],
        available_on=available_on,
        exchange_rate=rate,
    )
    payment["balance_transaction"] = transaction["id"]
    payment |= {"_settled": amount, "_posted": transfer["amount"], "_number": None}
    there.insert(fields.arrange(payment))
    return payment


def _return(there: Call, payment: JsonObject, transfer: JsonObject, amount: int, reversal: str) -> JsonObject:
    """The refund on the other account that a reversal is."""
    refund = there.new(
        "refund",
        "pyr",
        amount=amount,
        charge=payment["id"],
        currency=payment["currency"],
        source_transfer_reversal=reversal,
        status="succeeded",
        transfer_reversal=reversal,
    )
    refund["id"] = refund["id"].replace("pyr_3", "pyr_1")
    refund.pop("destination_details", None)
    first = there.get("balance_transaction", payment["balance_transaction"])
    transaction = balance_transactions.post(
        there,
        type="payment_refund",
        amount=-_share(payment, transfer, amount),
        currency=first["currency"],
        source=refund["id"],
        description="REFUND FOR PAYMENT",
        available_on=first["available_on"] if first["status"] == "pending" else None,
        balance=first["_balance"],
    )
    refund["balance_transaction"] = transaction["id"]
    there.insert(refund)
    payment["amount_refunded"] += amount
    payment["refunded"] = payment["amount_refunded"] == payment["amount"]
    return refund


def _share(payment: JsonObject, transfer: JsonObject, amount: int) -> int:
    """What a reversal takes of what the payment was settled for."""
    settled, whole, done = payment["_settled"], transfer["amount"], payment["amount_refunded"]
    return share(done + amount, whole, settled) - share(done, whole, settled)


def _source(call: Call, identifier: str) -> JsonObject:
    charge = call.ledger.edit(call.account, "charge", identifier)
    if charge is None:
        raise NotFound("charge", identifier, param="source_transaction")
    if charge["status"] == "failed" or not charge["captured"]:
        raise InvalidRequest(
            f"The source_transaction {identifier} must be a successful, captured charge.",
            param="source_transaction",
        )
    from trialbalance.twin.resources import charges

    charges.ensure_settled(call, charge)
    return charge


def _settled(call: Call, charge: JsonObject) -> tuple[int, str]:
    first = call.get("balance_transaction", charge["balance_transaction"])
    return int(charge["_settled"]), str(first["currency"])


def _within(call: Call, charge: JsonObject, amount: int, currency: str) -> None:
    """Refuse to transfer more than a charge brought in, or in another currency."""
    whole, settled = _settled(call, charge)
    if settled != currency:
        raise InvalidRequest(
            f"The currency of source_transaction's balance transaction ({settled}) must be the same as the transfer "
            f"currency ({currency})",
            param="currency",
        )
    already = charge.get("_transferred", 0)
    if already + amount > whole:
        rest = (
            f" (You have already transferred {currencies.shown(already, settled)} of it.)" if already else ""
        )
        raise InvalidRequest(
            f"Transfers using this transaction as a source must not exceed the source amount of "
            f"{currencies.shown(whole, settled)}.{rest}",
            param="amount",
        )


def _show(call: Call, transfer: JsonObject) -> None:
    """Put the newest reversals into an edited transfer."""
    found = list(call.ledger.all(call.account, REVERSAL, transfer=transfer["id"]))
    found.reverse()
    transfer["reversals"] = embedded(
        [account_state.public(r) for r in found], f"/v1/transfers/{transfer['id']}/reversals", total=True
    )


def _reversal(call: Call) -> JsonObject:
    call.get(KIND, call.path["transfer"], param="transfer")
    found = call.find(REVERSAL, call.path["id"])
    if found is None or found["transfer"] != call.path["transfer"]:
        raise NotFound(REVERSAL, call.path["id"], param="id", in_path=True)
    return found
