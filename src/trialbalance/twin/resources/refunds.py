"""Refunds: money back to where it came from.

Most succeed at once; a test card makes them pend and succeed, another makes them fail later, after three minutes
of the twin's clock. Fees are not returned. The acquirer reference number arrives a moment later.
Source: https://docs.stripe.com/api/refunds and https://docs.stripe.com/refunds
"""

from __future__ import annotations

from decimal import Decimal

from trialbalance.contract import load
from trialbalance.twin import currencies
from trialbalance.twin.cards.table import CARDS
from trialbalance.twin.connect import applications
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.rails.table import LATER, RAILS
from trialbalance.twin.resources import balance_transactions, charges
from trialbalance.twin.wire.call import Call, due, endpoint, own_endpoint

KIND = "refund"
DONE = frozenset({"failed", "canceled"})
_CREATE = {
    "hash": {
        name: node
        for name, node in load().endpoints["POST /v1/refunds"].params["hash"].items()
        if name not in ("charge", "payment_intent", "customer", "currency", "origin")
    }
}
_NONE = {"hash": {"expand": {"array": "str"}}}


@endpoint("POST /v1/refunds")
def create(call: Call) -> JsonObject:
    """Refund a charge, or a customer's cash balance (`origin=customer_balance`)."""
    params = call.params
    if params.get("origin"):
        from trialbalance.twin.resources import cash_balances

        return cash_balances.refund(call)
    call.unsupported("currency", "customer")
    return make(call, _charge_of(call))


@own_endpoint("POST /v1/charges/{charge}/refunds", _CREATE, {"ref": KIND})
def create_of_charge(call: Call) -> JsonObject:
    """The older path of the same."""
    return make(call, call.edit("charge", call.path["charge"]))


@own_endpoint("POST /v1/charges/{charge}/refund", _CREATE, {"ref": "charge"})
def refund_charge(call: Call) -> JsonObject:
    """The oldest path: answers the charge."""
    charge = call.edit("charge", call.path["charge"])
    make(call, charge)
    return charge


@endpoint("GET /v1/refunds/{refund}")
def retrieve(call: Call) -> JsonObject:
    """One refund."""
    return call.get(KIND, call.path["refund"], param="refund")


@own_endpoint("GET /v1/charges/{charge}/refunds/{refund}", _NONE, {"ref": KIND})
def retrieve_of_charge(call: Call) -> JsonObject:
    """One refund of a charge."""
    call.get("charge", call.path["charge"])
    found = call.find(KIND, call.path["refund"])
    if found is None or found["charge"] != call.path["charge"]:
        error = NotFound(KIND, call.path["refund"], param="refund")
        error.status = 404
        raise error
    return found


@endpoint("POST /v1/refunds/{refund}")
def update(call: Call) -> JsonObject:
    """Change metadata."""
    return _update(call, call.edit(KIND, call.path["refund"], param="refund"))


@own_endpoint(
    "POST /v1/charges/{charge}/refunds/{refund}",
    load().endpoints["POST /v1/refunds/{refund}"].params,
    {"ref": KIND},
)
def update_of_charge(call: Call) -> JsonObject:
    """The older path of the same."""
    retrieve_of_charge(call)
    return _update(call, call.edit(KIND, call.path["refund"]))


@endpoint("POST /v1/refunds/{refund}/cancel")
def cancel(call: Call) -> JsonObject:
    """Cancel a refund that waits for the customer's bank details; card refunds cannot be canceled by API."""
    refund = call.edit(KIND, call.path["refund"], param="refund")
    if refund["status"] != "requires_action":
        raise InvalidRequest("Canceling this refund is unsupported.")
    undo(call, refund, "canceled", None)
    call.emit("refund.updated", refund)
    return refund


@endpoint("POST /v1/test_helpers/refunds/{refund}/expire")
def expire(call: Call) -> JsonObject:
    """Let a refund that waits for the customer expire.

    Source: https://docs.stripe.com/api/refunds/expire
    """
    refund = call.edit(KIND, call.path["refund"], param="refund")
    if refund["status"] != "requires_action":
        raise InvalidRequest(
            f"This refund cannot be expired because it has a status of {refund['status']}. Only a refund with the "
            "status requires_action can be expired."
        )
    undo(call, refund, "failed", "unknown")
    call.emit("refund.failed", refund)
    return refund


@endpoint("GET /v1/refunds")
def list_(call: Call) -> JsonObject:
    """Refunds, newest first; as recorded, a list of one charge's also counts them."""
    charge = call.params.get("charge") or None
    found = call.list(KIND, where={"charge": charge, "payment_intent": call.params.get("payment_intent")})
    if charge:
        count = sum(1 for _ in call.ledger.all(call.account, KIND, charge=charge))
        return {"object": "list", "count": count, **{k: v for k, v in found.items() if k != "object"}}
    return found


@own_endpoint(
    "GET /v1/charges/{charge}/refunds", load().endpoints["GET /v1/refunds"].params, {"list": {"ref": KIND}}
)
def list_of_charge(call: Call) -> JsonObject:
    """A charge's refunds."""
    call.get("charge", call.path["charge"])
    return call.list(KIND, where={"charge": call.path["charge"]})


# Making them


def make(call: Call, charge: JsonObject) -> JsonObject:
    """Refund an edited charge as the request says."""
    params = call.params
    amount = params.get("amount")
    reason = params.get("reason") or None
    _refundable(call, charge)
    left = charge["amount_captured"] - charge["amount_refunded"]
    if amount is not None and amount < 1:
        raise InvalidRequest(
            "This value must be greater than or equal to 1.", param="amount", code="parameter_invalid_integer"
        )
    amount = left if amount is None else amount
    if amount != left:
        currencies.check_step(amount, charge["currency"], currencies.STEPS)
    if amount > left:
        whole = charge["amount_refunded"] == 0
        raise InvalidRequest(
            f"Refund amount ({currencies.shown(amount, charge['currency'])}) is greater than "
            f"{'charge amount' if whole else 'unrefunded amount on charge'} "
            f"({currencies.shown(left, charge['currency'])})",
            param="amount",
        )
    metadata_holder: JsonObject = {"metadata": {}}
    call.merge_metadata(metadata_holder)
    if charge["source_transfer"]:
        return _send_back(call, charge, amount, reason, metadata_holder["metadata"])
    return refund_amount(
        call,
        charge,
        amount,
        reason=reason,
        metadata=metadata_holder["metadata"],
        instructions_email=params.get("instructions_email") or None,
        reverse_transfer=bool(params.get("reverse_transfer")),
        refund_application_fee=bool(params.get("refund_application_fee")),
    )


def _send_back(
    call: Call, charge: JsonObject, amount: int, reason: str | None, metadata: JsonObject
) -> JsonObject:
    """Refund a payment that a transfer made: the transfer is reversed, and the sender has its money again."""
    from trialbalance.twin.resources import account_state, connect_payments, transfers

    call.unsupported("instructions_email")
    if call.params.get("reverse_transfer"):
        raise connect_payments.no_transfer(charge)
    with_fee = bool(call.params.get("refund_application_fee"))
    if with_fee and not charge["application_fee"]:
        raise connect_payments.no_fee(charge)
    sender = account_state.on(call, charge["source"]["id"])
    transfer = sender.edit("transfer", charge["source_transfer"])
    reversal = transfers.reverse(sender, transfer, amount)
    if with_fee:
        connect_payments.return_fee(sender, charge, amount, charge["amount"])
    refund = call.edit(KIND, reversal["destination_payment_refund"])
    refund["reason"], refund["metadata"] = reason, metadata
    call.emit("refund.created", refund)
    call.emit("charge.refunded", charge)
    return refund


def refund_amount(
    call: Call,
    charge: JsonObject,
    amount: int,
    *,
    reason: str | None = None,
    metadata: JsonObject | None = None,
    instructions_email: str | None = None,
    reverse_transfer: bool = False,
    refund_application_fee: bool = False,
) -> JsonObject:
    """Refund `amount` of an edited, refundable charge; for other resources (credit notes) too."""
    from trialbalance.twin.resources import connect_payments

    charges.ensure_settled(call, charge)
    type = charge["payment_method_details"]["type"]
    card = CARDS.get(charge["_number"] or "")
    mode = card.refund if card is not None else None
    if type in RAILS and RAILS[type].refund == "no":
        raise InvalidRequest(f"Refunds of {type} payments are not supported.", param="charge")
    if type in RAILS and RAILS[type].refund == "pending":
        mode = "pending"
    refund = call.new(
        KIND,
        "re" if charge["id"].startswith("ch_") else "pyr",
        amount=amount,
        charge=charge["id"],
        currency=charge["currency"],
        customer=charge["customer"],
        destination_details=_destination(type),
        metadata=metadata or {},
        payment_intent=charge["payment_intent"],
        payment_method=charge["payment_method"],
        reason=reason,
        status="pending" if mode == "pending" else "succeeded",
    )
    if instructions_email:
        refund["instructions_email"] = instructions_email
    if mode == "pending":
        refund["pending_reason"] = "processing"
    call.insert(refund)
    fee = connect_payments.fee_in_refund(call, charge, amount) if refund_application_fee else 0
    _post(call, charge, refund, fee)
    connect_payments.on_refund(
        call, charge, refund, reverse_transfer=reverse_transfer, refund_application_fee=refund_application_fee
    )
    charge["amount_refunded"] += amount
    charge["refunded"] = charge["amount_refunded"] == charge["amount_captured"]
    if type == "customer_balance":
        from trialbalance.twin.resources import cash_balances

        cash_balances.give_back(call, refund)
    call.emit("refund.created", refund)
    call.emit("charge.refunded", charge)
    if mode == "pending":
        call.schedule(call.now + LATER, "refund.succeed", refund["id"], timeline="")
    elif mode == "failed":
        call.schedule(call.now + LATER, "refund.fail", refund["id"], timeline="")
    elif type == "card":
        delay = 0 if call.twin.clock.frozen else 4
        call.schedule(call.now + delay, "refund.reference", refund["id"], timeline="")
    return refund


def release(call: Call, charge: JsonObject, reason: str | None) -> JsonObject:
    """Release an uncaptured, edited charge: a refund of what was never taken, without a balance transaction."""
    refund = call.new(
        KIND,
        "re",
        amount=charge["amount"],
        charge=charge["id"],
        currency=charge["currency"],
        customer=charge["customer"],
        destination_details={"card": {"type": "reversal"}, "type": "card"},
        metadata={},
        payment_intent=charge["payment_intent"],
        payment_method=charge["payment_method"],
        reason="expired_uncaptured_charge" if reason == "automatic" else None,
        status="succeeded",
    )
    refund["_released"] = True
    call.insert(refund)
    charge["amount_refunded"] = charge["amount"]
    charge["refunded"] = True
    call.emit("charge.expired" if reason == "automatic" else "charge.refunded", charge)
    return refund


def undo(call: Call, refund: JsonObject, status: str, reason: str | None) -> None:
    """A refund that did not reach the customer: its money comes back."""
    refund["status"] = status
    if reason:
        refund["failure_reason"] = reason
    if refund["charge"] is None:
        from trialbalance.twin.resources import cash_balances

        cash_balances.keep(call, refund)
        return
    charge = call.edit("charge", refund["charge"])
    original = call.get("balance_transaction", refund["balance_transaction"])
    back = balance_transactions.post(
        call,
        type="refund_failure",
        amount=-original["amount"],
        currency=original["currency"],
        source=refund["id"],
        description=f"REFUND FAILURE{_described(charge)}",
        balance=original["_balance"],
    )
    charge["amount_refunded"] -= refund["amount"]
    charge["refunded"] = False
    refund["failure_balance_transaction"] = back["id"]


def _post(call: Call, charge: JsonObject, refund: JsonObject, fee: int) -> None:
    """Take the refund's share of what the charge was settled for; `fee` of it the platform gives back."""
    done = charge["amount_refunded"]
    settled, captured = charge["_settled"], charge["amount_captured"]
    amount = _portion(settled, done + refund["amount"], captured) - _portion(settled, done, captured)
    first = call.get("balance_transaction", charge["balance_transaction"])
    pending = first["status"] == "pending"
    transaction = balance_transactions.post(
        call,
        type="refund" if charge["id"].startswith("ch_") else "payment_refund",
        amount=-amount,
        currency=first["currency"],
        source=refund["id"],
        description=f"REFUND FOR {'CHARGE' if charge['id'].startswith('ch_') else 'PAYMENT'}{_described(charge)}",
        fee=-fee,
        fee_details=[applications.fee_line(call.twin, -fee, first["currency"])] if fee else [],
        available_on=first["available_on"] if pending else None,
        exchange_rate=Decimal(str(first["exchange_rate"])) if first["exchange_rate"] else None,
        balance=first["_balance"],
    )
    refund["balance_transaction"] = transaction["id"]


def _portion(total: int, part: int, whole: int) -> int:
    return (total * part * 2 + whole) // (2 * whole)


def _described(charge: JsonObject) -> str:
    return f" ({charge['description']})" if charge["description"] else ""


def _destination(type: str) -> JsonObject:
    if type == "card":
        return {
            "card": {
                "reference_status": "pending",
                "reference_type": "acquirer_reference_number",
                "type": "refund",
            },
            "type": "card",
        }
    if type == "customer_balance":
        return {"customer_cash_balance": {}, "type": "customer_cash_balance"}
    shown = "us_bank_transfer" if type in ("us_bank_account", "ach_debit") else type
    return {shown: {}, "type": shown}


def _charge_of(call: Call) -> JsonObject:
    call.exclusive("charge", "payment_intent")
    params = call.params
    if params.get("charge"):
        return call.edit("charge", params["charge"])
    if params.get("payment_intent"):
        intent = call.get("payment_intent", params["payment_intent"], param="id")
        latest = call.find("charge", intent["latest_charge"])
        if latest is None or latest["status"] == "failed":
            raise InvalidRequest(
                f"This PaymentIntent ({intent['id']}) does not have a successful charge to refund.",
                param="payment_intent",
            )
        return call.edit("charge", latest["id"])
    raise InvalidRequest(
        "One of the following params should be provided for this request: payment_intent or charge."
    )


def _refundable(call: Call, charge: JsonObject) -> None:
    if charge["status"] == "failed":
        raise InvalidRequest(
            f"Charge {charge['id']} has failed and cannot be refunded.", code="charge_invalid_parameter"
        )
    if not charge["captured"]:
        if charge["payment_intent"]:
            raise InvalidRequest(
                f"This uncaptured Charge was created by a PaymentIntent ({charge['payment_intent']}). You must cancel "
                "the PaymentIntent to reverse the authorization instead of refunding the Charge directly. For more "
                "information, see https://stripe.com/docs/payments/place-a-hold-on-a-payment-method"
            )
        return
    if charge["status"] == "pending":
        raise InvalidRequest(
            f"Charge {charge['id']} is still pending and cannot be refunded.", code="charge_not_refundable"
        )
    if charge["refunded"]:
        raise InvalidRequest(
            f"Charge {charge['id']} has already been refunded.", code="charge_already_refunded"
        )
    if charge["disputed"]:
        dispute = call.find("dispute", charge["dispute"])
        if dispute is not None and not dispute["is_charge_refundable"]:
            raise InvalidRequest(
                f"Charge {charge['id']} has been charged back; cannot issue a refund.", code="charge_disputed"
            )


def _update(call: Call, refund: JsonObject) -> JsonObject:
    call.merge_metadata(refund)
    call.emit("refund.updated", refund)
    call.emit("charge.refund.updated", refund)
    return refund


@due("refund.reference")
def _reference(call: Call, target: str, arguments: JsonObject) -> None:
    refund = call.edit(KIND, target)
    details = refund["destination_details"]["card"]
    details["reference"] = call.twin.ids.random(16, "0123456789")
    details["reference_status"] = "available"
    refund["destination_details"]["card"] = {name: details[name] for name in sorted(details)}
    call.emit("refund.updated", refund)
    call.emit("charge.refund.updated", refund)


@due("refund.succeed")
def _succeed(call: Call, target: str, arguments: JsonObject) -> None:
    refund = call.edit(KIND, target)
    if refund["status"] != "pending":
        return
    refund["status"] = "succeeded"
    refund.pop("pending_reason", None)
    call.emit("refund.updated", refund)
    if refund["charge"]:
        call.emit("charge.refund.updated", refund)


@due("refund.unanswered")
def _unanswered(call: Call, target: str, arguments: JsonObject) -> None:
    refund = call.edit(KIND, target)
    if refund["status"] == "requires_action":
        undo(call, refund, "failed", "unknown")
        call.emit("refund.failed", refund)


@due("refund.fail")
def _fail(call: Call, target: str, arguments: JsonObject) -> None:
    refund = call.edit(KIND, target)
    if refund["status"] in DONE:
        return
    undo(call, refund, "failed", "expired_or_canceled_card")
    call.emit("refund.failed", refund)
    call.emit("refund.updated", refund)
    call.emit("charge.refund.updated", refund)
