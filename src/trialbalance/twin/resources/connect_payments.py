"""What Connect adds to a payment: application fees, destination transfers, on-behalf-of.

A direct charge is made on the connected account, which pays the platform's fee out of it; a destination charge is
made on the platform, which passes the money on as a transfer.
Source: https://docs.stripe.com/connect/charges
"""

from __future__ import annotations

from trialbalance.twin.cards.fees import share
from trialbalance.twin.cards.table import CARDS
from trialbalance.twin.connect import applications
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import account_state, balance_transactions
from trialbalance.twin.wire.call import Call


def describe(call: Call, intent: JsonObject, *, capture: bool = False) -> None:
    """Copy `transfer_group`, `application_fee_amount`, `on_behalf_of` and `transfer_data` into an intent."""
    params = call.params
    data = params.plain("transfer_data") if "transfer_data" in params else None
    if data:
        old = intent.get("transfer_data") or {}
        intent["transfer_data"] = {
            "amount": data.get("amount", old.get("amount")),
            "destination": data.get("destination") or old.get("destination"),
        }
        if intent["transfer_data"]["amount"] is None:
            del intent["transfer_data"]["amount"]
        if data.get("description") is not None:
            intent["_transfer_description"] = data["description"]
    if "application_fee_amount" in params:
        intent["application_fee_amount"] = params["application_fee_amount"] or None
    if "on_behalf_of" in params:
        intent["on_behalf_of"] = params["on_behalf_of"] or None
    call.assign(intent, "transfer_group")
    check(
        call,
        amount=intent["amount"],
        application_fee_amount=intent["application_fee_amount"],
        on_behalf_of=intent["on_behalf_of"],
        transfer_data=intent["transfer_data"],
    )
    if call.account != call.twin.account and "application" in intent:
        intent["application"] = applications.identifier(call.twin)
    if intent["transfer_data"] and intent["transfer_group"] is None and intent.get("id"):
        intent["_group"] = f"group_{intent['id']}"


def check(
    call: Call,
    *,
    amount: int,
    application_fee_amount: int | None,
    on_behalf_of: str | None,
    transfer_data: JsonObject | None,
) -> None:
    """Refuse Connect parameters that do not go together; for other resources (Checkout, invoices) too.

    Raises:
        InvalidRequest: an account that is not connected or not able, a fee without an account to take it from,
            or more than the payment.
    """
    from trialbalance.twin.resources import transfers

    direct = call.account != call.twin.account
    if transfer_data is not None:
        destination = transfer_data.get("destination")
        if not destination:
            raise InvalidRequest(
                "Missing required param: transfer_data[destination].",
                param="transfer_data[destination]",
                code="parameter_missing",
            )
        transfers.check_destination(call, destination, param="transfer_data[destination]")
        part = transfer_data.get("amount")
        if part is not None and application_fee_amount is not None:
            raise InvalidRequest(
                "You may only specify one of these parameters: application_fee_amount, transfer_data[amount].",
                param="application_fee_amount",
                code="parameters_exclusive",
            )
        if part is not None and part > amount:
            raise InvalidRequest(
                f"The transfer_data[amount] ({part}) cannot be greater than the amount of the payment ({amount}).",
                param="transfer_data[amount]",
            )
    if on_behalf_of is not None:
        account = call.ledger.find(call.twin.account, "account", on_behalf_of)
        if account is None:
            raise NotFound("account", on_behalf_of, param="on_behalf_of")
        if account["capabilities"].get("card_payments") != "active":
            raise InvalidRequest(
                f"Your account cannot create charges on behalf of {on_behalf_of}: it needs the card_payments capability "
                "enabled.",
                param="on_behalf_of",
                code="account_invalid",
            )
    if application_fee_amount is None:
        return
    if not direct and transfer_data is None:
        raise InvalidRequest(
            "Can only apply an application_fee_amount when the PaymentIntent is attempting a direct payment (using an "
            "OAuth key or Stripe-Account header) or destination payment (using `transfer_data[destination]`).",
            param="application_fee_amount",
        )
    if application_fee_amount < 0:
        raise InvalidRequest("Invalid non-negative integer", param="application_fee_amount")
    if application_fee_amount > amount:
        raise InvalidRequest(
            "Your application fee cannot be greater than the amount of the payment.",
            param="application_fee_amount",
        )


def on_new(call: Call, charge: JsonObject, intent: JsonObject) -> None:
    """What a new charge carries of its intent's Connect parameters."""
    if call.account != call.twin.account:
        charge["application"] = applications.identifier(call.twin)
    data = intent.get("transfer_data")
    if data:
        charge["destination"] = data["destination"]
        charge["transfer_group"] = (
            charge["transfer_group"] or intent.get("_group") or f"group_{intent.get('id') or charge['id']}"
        )
        charge["_transfer_description"] = intent.get("_transfer_description")
        if intent.get("id") and intent.get("transfer_group") is None:
            intent["transfer_group"] = charge["transfer_group"]
    card = CARDS.get(charge["_number"] or "")
    if card is not None and card.trigger and charge["status"] == "succeeded":
        account = call.account if call.account != call.twin.account else charge["on_behalf_of"]
        if account:
            account_state.trigger(call, account, card.trigger)


def on_capture(charge: JsonObject, intent: JsonObject) -> None:
    """What a capture changed of the intent's Connect parameters."""
    charge["application_fee_amount"] = intent["application_fee_amount"]
    data = intent.get("transfer_data")
    if data and charge["transfer_data"]:
        charge["transfer_data"]["amount"] = data.get("amount")


def platform_pays(call: Call) -> bool:
    """Whether Stripe's fee for a charge on this account is the platform's to pay.

    Source: https://docs.stripe.com/connect/direct-charges-fee-payer-behavior
    """
    if call.account == call.twin.account:
        return False
    account = call.ledger.find(call.twin.account, "account", call.account) or {}
    return bool(((account.get("controller") or {}).get("fees") or {}).get("payer") == "application")


def charge_platform(call: Call, charge: JsonObject, fee: int, currency: str) -> None:
    """Take Stripe's fee for a connected account's charge from the platform's balance."""
    platform = account_state.platform(call)
    amount, settlement, rate = balance_transactions.convert(platform, fee, currency)
    if amount:
        balance_transactions.post(
            platform,
            type="stripe_fee",
            amount=-amount,
            currency=settlement,
            source=None,
            description=f"Stripe processing fees for {charge['id']} on {call.account}",
            exchange_rate=rate,
        )


def fee_of(call: Call, charge: JsonObject) -> int:
    """The application fee that a direct charge pays, in its settlement currency; once."""
    if call.account == call.twin.account or charge["application_fee"] or not charge["application_fee_amount"]:
        return 0
    amount = min(charge["application_fee_amount"], charge["amount_captured"])
    return balance_transactions.convert(call, amount, charge["currency"])[0]


def on_settled(call: Call, charge: JsonObject, transaction: JsonObject) -> None:
    """After a charge was settled: the platform gets its fee, or the destination its transfer."""
    pending = transaction["available_on"] if transaction["status"] == "pending" else None
    amount = min(charge["application_fee_amount"] or 0, charge["amount_captured"])
    if call.account != call.twin.account:
        if amount and not charge["application_fee"]:
            charge["application_fee"] = _collect(call, charge["id"], charge, None, amount, pending)
        return
    data = charge["transfer_data"]
    if not data or charge.get("transfer"):
        return
    _pass_on(call, charge, data, amount, pending)


def on_refund(
    call: Call,
    charge: JsonObject,
    refund: JsonObject,
    *,
    reverse_transfer: bool,
    refund_application_fee: bool,
) -> None:
    """Reverse the transfer in proportion to the refund, when asked."""
    from trialbalance.twin.resources import transfers

    if reverse_transfer:
        if not charge.get("transfer"):
            raise no_transfer(charge)
        transfer = call.edit("transfer", charge["transfer"])
        part = _step(charge, "_reversed", refund["amount"], charge["amount_captured"], transfer["amount"])
        part = min(part, transfer["amount"] - transfer["amount_reversed"])
        if part > 0:
            refund["transfer_reversal"] = transfers.reverse(call, transfer, part, refund=refund)["id"]
    if refund_application_fee and call.account == call.twin.account:
        payment = _payment(call, charge)
        if payment is None or not payment["application_fee"]:
            if charge.get("transfer"):
                return
            raise no_fee(charge)
        return_fee(call, payment, refund["amount"], charge["amount_captured"])


def fee_in_refund(call: Call, charge: JsonObject, amount: int) -> int:
    """What of its fee the platform gives back with a refund of a direct charge, in the settlement currency.

    Raises:
        InvalidRequest: the charge paid no application fee.
    """
    if call.account == call.twin.account:
        return 0
    if not charge["application_fee"]:
        raise no_fee(charge)
    platform = account_state.platform(call)
    fee = platform.edit("application_fee", charge["application_fee"])
    part = _step(charge, "_fee_returned", amount, charge["amount_captured"], fee["amount"])
    part = min(part, fee["amount"] - fee["amount_refunded"])
    if part == 0:
        return 0
    from trialbalance.twin.resources import application_fees

    application_fees.give_back(platform, fee, part, within=True)
    return balance_transactions.convert(call, part, fee["currency"])[0]


def return_fee(call: Call, payment: JsonObject, amount: int, whole: int) -> None:
    """Give back the platform's fee on a destination payment, in proportion."""
    from trialbalance.twin.resources import application_fees

    if not payment["application_fee"]:
        return
    platform = account_state.platform(call)
    fee = platform.edit("application_fee", payment["application_fee"])
    held = account_state.on(call, fee["account"]).edit("charge", payment["id"])
    part = _step(held, "_fee_returned", amount, whole, fee["amount"])
    part = min(part, fee["amount"] - fee["amount_refunded"])
    if part > 0:
        application_fees.give_back(platform, fee, part)


def _step(holder: JsonObject, name: str, amount: int, whole: int, total: int) -> int:
    """The next proportional part of `total`: parts add up to it exactly when their amounts add up to `whole`."""
    done = holder.get(name, 0)
    holder[name] = done + amount
    return share(done + amount, whole, total) - share(done, whole, total)


def _pass_on(call: Call, charge: JsonObject, data: JsonObject, fee: int, pending: int | None) -> None:
    """The transfer of a destination charge."""
    from trialbalance.twin.resources import transfers

    first = call.get("balance_transaction", charge["balance_transaction"])
    sent = data.get("amount")
    amount = charge["_settled"]
    if sent is not None:
        amount = balance_transactions.convert(call, min(sent, charge["amount_captured"]), charge["currency"])[
            0
        ]
    taken = balance_transactions.convert(call, fee, charge["currency"])[0]
    identifier = call.new_id("tr").replace("tr_1", "tr_3")
    transfer = transfers.make(
        call,
        amount=amount,
        currency=first["currency"],
        destination=data["destination"],
        charge=charge,
        group=charge["transfer_group"],
        description=charge.get("_transfer_description"),
        fee=taken,
        identifier=identifier,
    )
    charge["transfer"] = transfer["id"]
    if fee:
        there = account_state.on(call, data["destination"])
        payment = there.edit("charge", transfer["destination_payment"])
        payment["application_fee_amount"] = fee
        payment["application_fee"] = _collect(there, payment["id"], charge, charge["id"], fee, pending)
        charge["application_fee"] = payment["application_fee"]
    call.emit("transfer.created", transfer)


def _collect(
    there: Call, payment: str, charge: JsonObject, originating: str | None, amount: int, pending: int | None
) -> str:
    from trialbalance.twin.resources import application_fees

    fee = application_fees.collect(
        account_state.platform(there),
        account=there.account,
        amount=amount,
        currency=charge["currency"],
        charge=payment,
        originating=originating,
        available_on=pending,
    )
    return str(fee["id"])


def _payment(call: Call, charge: JsonObject) -> JsonObject | None:
    """The payment on the destination account that a charge's transfer became."""
    if not charge.get("transfer"):
        return None
    transfer = call.get("transfer", charge["transfer"])
    return account_state.on(call, transfer["destination"]).find("charge", transfer["destination_payment"])


def no_transfer(charge: JsonObject) -> InvalidRequest:
    """The refusal to reverse a transfer that there is not."""
    return InvalidRequest(
        f"Cannot reverse transfer on charge {charge['id']}: it has no associated transfer.",
        param="reverse_transfer",
    )


def no_fee(charge: JsonObject) -> InvalidRequest:
    """The refusal to return a fee that there is not."""
    return InvalidRequest(
        f"Attempting to refund application fee on charge {charge['id']}, but it has no application fee.",
        param="refund_application_fee",
    )
