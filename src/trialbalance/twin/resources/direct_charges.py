"""Charges without an intent, as integrations made them before PaymentIntents.

A token, a saved card, a source, or a connected account is charged at once; `capture=false` holds the money. Current
accounts refuse card tokens here, as recorded; requests of versions before 2024-09-30.acacia may use them.
Source: https://docs.stripe.com/api/charges/create and https://docs.stripe.com/payments/charges-api
"""

from __future__ import annotations

from typing import Any

from trialbalance.contract import load
from trialbalance.twin import addresses, currencies
from trialbalance.twin.cards import network
from trialbalance.twin.cards.declines import DECLINES
from trialbalance.twin.cards.details import HOLD, card_hash, charge_details, checks_of
from trialbalance.twin.cards.network import EXTRAS
from trialbalance.twin.cards.table import CARDS
from trialbalance.twin.errors import CardError, InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import (
    account_state,
    bank_accounts,
    charges,
    connect_payments,
    disputes,
    payment_methods,
    refunds,
    reviews,
    sources,
    tokens,
    transfers,
)
from trialbalance.twin.wire.call import Call, due, endpoint, own_parameters

KIND = "charge"
_CARD = load().endpoints["POST /v1/tokens"].params["hash"]["card"]["union"][0]
own_parameters(
    "POST /v1/charges",
    payment_method="str",
    card="str",
    source={"union": ["str", {**_CARD, "hash": _CARD["hash"] | {"object": "str"}}]},
)


@endpoint("POST /v1/charges")
def create(call: Call) -> JsonObject:
    """Charge at once: 402 when declined, with the failed charge kept."""
    params = call.params
    params.ignore("payment_method", "radar_options")  # as recorded: only sources and customers count here
    given: Any = params.get("source") or params.get("card") or None
    customer = None
    if params.get("customer"):
        customer = call.get("customer", params["customer"], param="customer")
    if given is None and customer is None:
        raise InvalidRequest("Must provide source or customer.", code="parameter_missing")
    call.require("amount", "currency")
    currency = currencies.check_currency(params["currency"])
    currencies.check_amount(params["amount"], currency)
    if isinstance(given, str) and given.startswith("acct_"):
        return _debit_account(call, given, params["amount"], currency)
    fields = _fields(call, customer)
    connect_payments.check(
        call,
        amount=params["amount"],
        application_fee_amount=fields["application_fee_amount"],
        on_behalf_of=fields["on_behalf_of"],
        transfer_data=fields["transfer_data"],
    )
    means = _means(call, given, customer)
    if means["object"] == "bank_account":
        return _debit_bank(call, means, params["amount"], currency, fields)
    return _charge_card(call, means, params["amount"], currency, fields)


@endpoint("POST /v1/charges/{charge}/capture")
def capture(call: Call) -> JsonObject:
    """Capture a held charge, in full or less."""
    charge = call.edit(KIND, call.path["charge"])
    params = call.params
    if charge["captured"]:
        raise InvalidRequest(
            f"Charge {charge['id']} has already been captured.", code="charge_already_captured"
        )
    if charge["payment_intent"]:
        raise InvalidRequest(
            f"This Charge was created by a PaymentIntent ({charge['payment_intent']}). You must capture the "
            "PaymentIntent instead of capturing the Charge directly."
        )
    if charge["refunded"]:
        raise InvalidRequest(
            f"Charge {charge['id']} has expired or was refunded and cannot be captured.",
            code="charge_expired_for_capture",
        )
    amount = params.get("amount")
    amount = charge["amount"] if amount is None else amount
    if not 1 <= amount <= charge["amount"]:
        raise InvalidRequest(
            "The capture amount must be at least 1 and at most the amount of the charge.", param="amount"
        )
    call.assign(
        charge, "receipt_email", "statement_descriptor", "statement_descriptor_suffix", "transfer_group"
    )
    fee = params.get("application_fee_amount", params.get("application_fee"))
    if fee is not None:
        charge["application_fee_amount"] = fee
    data = params.plain("transfer_data")
    if data and charge["transfer_data"]:
        charge["transfer_data"]["amount"] = data.get("amount")
    charge["captured"] = True
    charge["amount_captured"] = amount
    if amount < charge["amount"]:
        charge["amount_refunded"] = 0
    charges.settle(call, charge)
    disputes.follow(call, charge)
    call.emit("charge.captured", charge)
    return charge


@due("charge.expire")
def _expire(call: Call, target: str, arguments: JsonObject) -> None:
    """A held charge that nobody captured is released after seven days."""
    charge = call.edit(KIND, target)
    if not charge["captured"] and not charge["refunded"]:
        refunds.release(call, charge, "automatic")


# What is charged


def _fields(call: Call, customer: JsonObject | None) -> JsonObject:
    """The charge's own fields, in the shape that an intent would carry them."""
    params = call.params
    call.exclusive("application_fee", "application_fee_amount")
    call.exclusive("destination", "transfer_data")
    destination = params.plain("destination")
    data = params.plain("transfer_data")
    if destination:
        data = {"amount": destination.get("amount"), "destination": destination["account"]}
    holder: JsonObject = {"metadata": {}}
    call.merge_metadata(holder)
    return {
        "application_fee_amount": params.get("application_fee_amount", params.get("application_fee")),
        "customer": customer["id"] if customer else None,
        "description": params.get("description") or None,
        "metadata": holder["metadata"],
        "on_behalf_of": params.get("on_behalf_of") or None,
        "receipt_email": params.get("receipt_email") or None,
        "shipping": addresses.parcel(params.plain("shipping")),
        "statement_descriptor": params.get("statement_descriptor") or None,
        "statement_descriptor_suffix": params.get("statement_descriptor_suffix") or None,
        "transfer_data": data or None,
        "transfer_group": params.get("transfer_group") or None,
    }


def _means(call: Call, given: Any, customer: JsonObject | None) -> JsonObject:
    """The card (or bank account) behind a token, a card hash, a saved source or a customer's default.

    Raises:
        CardError: the customer has nothing saved.
        InvalidRequest: card tokens may not be used, or nothing is known under the id.
    """
    if given is None:
        assert customer is not None
        if customer["default_source"] is None:
            raise _nothing_saved(call, customer)
        given = customer["default_source"]
    if isinstance(given, dict):
        sources.allowed(call)
        payment_methods.raw_numbers_allowed(call)
        card, month, year, cvc = payment_methods.read_card(call, given, "source")
        given.get("object")
        return {
            **tokens.card_object(
                call, card, month, year, cvc_given=bool(cvc), name=given.get("name") or None
            ),
            "_number": card.number,
            "_cvc": bool(cvc),
        }
    if given.startswith("tok_"):
        sources.allowed(call)
        data = tokens.consume(call, given, param="source")
        billing = data["billing"] or {}
        made = tokens.card_object(
            call,
            CARDS[data["number"]],
            data["exp_month"],
            data["exp_year"],
            cvc_given=data["cvc"],
            name=billing.get("name"),
            address=billing.get("address"),
            customer=customer["id"] if customer else None,
        )
        return {**made, "_number": data["number"], "_cvc": data["cvc"]}
    if given.startswith("src_"):
        return _source(call, given, customer)
    if customer is None:
        raise InvalidRequest(
            f"You cannot use a source that is saved on a customer without that customer: {given}.",
            param="source",
        )
    for saved in sources.of_customer(call, customer["id"]):
        if saved["id"] == given:
            return saved
    raise InvalidRequest(
        f"Customer {customer['id']} does not have a linked source with ID {given}.",
        param="source",
        code="missing",
    )


def _source(call: Call, identifier: str, customer: JsonObject | None) -> JsonObject:
    """The card behind a source, which is used up when it may be charged only once."""
    source = call.ledger.edit(call.account, "source", identifier)
    if source is None:
        raise NotFound("source", identifier, param="source")
    if source["status"] != "chargeable":
        raise InvalidRequest(
            f"The source {identifier} is not chargeable: its status is {source['status']}.",
            param="source",
            code="invalid_source_usage",
        )
    owner = source.get("customer")
    if owner is not None and (customer is None or customer["id"] != owner):
        raise InvalidRequest(
            f"The source {identifier} belongs to the Customer {owner}. Charge it with that customer.",
            param="source",
        )
    if "_number" not in source:
        raise InvalidRequest(f"Sources of the type {source['type']} cannot be charged here.", param="source")
    if source["usage"] == "single_use":
        source["status"] = "consumed"
    return source


def _nothing_saved(call: Call, customer: JsonObject) -> CardError:
    """The two recorded refusals to charge a customer that has no card of the old kind."""
    attached = any(True for _ in call.ledger.all(call.account, "payment_method", customer=customer["id"]))
    if attached:
        message = (
            "This Customer doesn't have any legacy saved payment details, but does have a Payment Method attached. Use "
            "a Payment Intent instead of creating a Charge: "
            "https://stripe.com/docs/payments/payment-intents/migration"
        )
    else:
        message = (
            "This Customer doesn't have any saved payment details. Attach a legacy Token, Card, Bank Account, or Source "
            "to this Customer and then try this request again, or use Payment Intents and Payment Methods instead."
        )
    error = CardError(message, param="card", code="missing")
    error.commit = False
    return error


# Charging


def _charge_card(call: Call, means: JsonObject, amount: int, currency: str, fields: JsonObject) -> JsonObject:
    card = CARDS[means["_number"]]
    held = call.params.get("capture") is False
    shown = means.get("card") or means
    month, year = shown["exp_month"], shown["exp_year"]
    at = network.Circumstances(call.now, off_session=True, cvc_given=means["_cvc"])
    verdict = network.authorize(card, at, exp_month=month, exp_year=year)
    decline = verdict.decline
    if verdict.kind == "authenticate":
        decline = DECLINES["authentication_required"]
    billing = addresses.billing_details(
        {
            "name": means.get("name") or (means.get("owner") or {}).get("name"),
            "address": {part: means.get(field) for field, part in tokens.ADDRESS.items()}
            if means["object"] == "card"
            else (means.get("owner") or {}).get("address") or {},
        }
    )
    method: JsonObject = {
        "card": card_hash(call, card, exp_month=month, exp_year=year, cvc_given=means["_cvc"]),
        "billing_details": billing,
    }
    if decline is None or decline.charged:
        method["card"]["checks"] = checks_of(card, billing, cvc_given=means["_cvc"])
    charge = charges.new(
        call,
        amount=amount,
        currency=currency,
        details=charge_details(
            call,
            card,
            method,
            amount=amount,
            approved=decline is None,
            manual=held,
            three_d_secure=None,
            mandate=None,
            options={},
        ),
        billing=billing,
        payment_method=means["id"],
        number=card.number,
        intent=fields,
        decline=decline,
        captured=not held,
    )
    charge["source"] = account_state.public(means)
    if decline is not None:
        call.emit("charge.failed", charge)
        raise _declined(charge, decline.error())
    if charge["outcome"]["type"] == "manual_review":
        reviews.open_for(call, charge, None)
    if held:
        call.schedule(call.now + HOLD, "charge.expire", charge["id"], timeline="")
    else:
        charges.settle(call, charge)
        disputes.follow(call, charge)
    call.emit("charge.succeeded", charge)
    return charge


def _declined(charge: JsonObject, error: JsonObject) -> CardError:
    extra = {name: error[name] for name in EXTRAS if name in error}
    return CardError(
        error["message"], param=error.get("param"), code=error["code"], charge=charge["id"], **extra
    )


def _debit_bank(call: Call, bank: JsonObject, amount: int, currency: str, fields: JsonObject) -> JsonObject:
    """Debit a saved, verified bank account: pending for three minutes, then paid or failed.

    Source: https://docs.stripe.com/ach-deprecated
    """
    if bank["status"] != "verified":
        raise InvalidRequest(
            "The customer's bank account must be verified in order to create an ACH payment.",
            param="source",
            code="bank_account_unverified",
        )
    charge = charges.new(
        call,
        amount=amount,
        currency=currency,
        details={
            "ach_debit": {
                name: bank.get(name)
                for name in (
                    "account_holder_type",
                    "bank_name",
                    "country",
                    "fingerprint",
                    "last4",
                    "routing_number",
                )
            },
            "type": "ach_debit",
        },
        billing=addresses.billing_details({"name": bank["account_holder_name"]}),
        payment_method=bank["id"],
        intent=fields,
        status="pending",
        captured=True,
        prefix="py",
    )
    charge["source"] = account_state.public(bank)
    charge["paid"] = False
    call.emit("charge.pending", charge)
    call.schedule(
        call.now + bank_accounts.DEBIT_DELAY,
        "charge.debit",
        charge["id"],
        timeline="",
        failure=bank_accounts.failure_of(bank),
    )
    return charge


@due("charge.debit")
def _debited(call: Call, target: str, arguments: JsonObject) -> None:
    """A bank debit arrives, or comes back."""
    charge = call.edit(KIND, target)
    failure = arguments.get("failure")
    if failure is not None:
        charge["status"] = "failed"
        charge["amount_captured"] = 0
        charge["failure_code"] = failure
        charge["failure_message"] = f"The customer's bank account could not be debited ({failure})."
        call.emit("charge.failed", charge)
        return
    charge["status"] = "succeeded"
    charge["paid"] = True
    charge["amount_captured"] = charge["amount"]
    charges.settle(call, charge)
    call.emit("charge.succeeded", charge)


def _debit_account(call: Call, account: str, amount: int, currency: str) -> JsonObject:
    """Take money from a connected account's balance: a transfer to the platform, which sees the payment.

    Source: https://docs.stripe.com/connect/account-debits
    """
    found = account_state.get(call, account)
    if found["controller"]["losses"]["payments"] != "application":
        raise InvalidRequest(
            f"You cannot debit the account {account}: Stripe is liable for its negative balances.",
            param="source",
        )
    there = account_state.on(call, account)
    transfer = transfers.make(there, amount=amount, currency=currency, destination=call.account)
    payment = call.edit(KIND, transfer["destination_payment"])
    payment["source"] = {"id": account, "object": "account", "application_name": None}
    call.assign(payment, "description")
    call.merge_metadata(payment)
    there.emit("transfer.created", transfer)
    call.emit("charge.succeeded", payment)
    return payment
