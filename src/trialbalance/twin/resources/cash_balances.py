"""Cash balances: money a customer has sent by bank transfer, and the intents it pays.

Money arrives through the test helper (or the page), is applied to the customer's waiting intents oldest first, and
what is left waits. Source: https://docs.stripe.com/payments/customer-balance
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin import currencies
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.rails.table import LATER
from trialbalance.twin.resources import charges, payment_attempts, payment_methods
from trialbalance.twin.resources.payment_attempts import Outcome
from trialbalance.twin.wire.call import Call, endpoint, included

KIND = "customer_cash_balance_transaction"
ANSWER = 45 * 24 * 3600
"""How long a customer has to say which bank account a refund goes to.

Source: https://docs.stripe.com/payments/customer-balance/refunding
"""
STORE = "_cash"
TRANSFERS = {"eur": "eu_bank_transfer", "gbp": "gb_bank_transfer", "jpy": "jp_bank_transfer", "mxn": "mx_bank_transfer",
             "usd": "us_bank_transfer"}  # fmt: skip


@endpoint("GET /v1/customers/{customer}/cash_balance")
def retrieve(call: Call) -> JsonObject:
    """What the customer has in cash."""
    call.get("customer", call.path["customer"])
    return render(call, call.path["customer"])


@endpoint("POST /v1/customers/{customer}/cash_balance")
def update(call: Call) -> JsonObject:
    """Switch automatic reconciliation on or off."""
    customer = call.edit("customer", call.path["customer"])
    settings = call.params.plain("settings") or {}
    if "reconciliation_mode" in settings:
        customer["_reconciliation"] = settings["reconciliation_mode"]
    return render(call, customer["id"])


@endpoint("GET /v1/customers/{customer}/cash_balance_transactions")
def list_(call: Call) -> JsonObject:
    """What came into and went out of the cash balance, newest first."""
    call.get("customer", call.path["customer"])
    return call.list(KIND, where={"customer": call.path["customer"]})


@endpoint("GET /v1/customers/{customer}/cash_balance_transactions/{transaction}")
def retrieve_transaction(call: Call) -> JsonObject:
    """One of them."""
    return call.get(KIND, call.path["transaction"])


@endpoint("POST /v1/customers/{customer}/funding_instructions")
def funding_instructions(call: Call) -> JsonObject:
    """Where the customer sends bank transfers: always the same account for one customer and currency."""
    call.get("customer", call.path["customer"])
    params = call.params
    currency = currencies.check_currency(params["currency"])
    kind = params.plain("bank_transfer")
    params.ignore("funding_type")  # bank_transfer is the only one
    return {
        "object": "funding_instructions",
        "bank_transfer": {
            "country": _country(kind, currency),
            "financial_addresses": _addresses(call, call.path["customer"], currency, kind),
            "type": kind["type"],
        },
        "currency": currency,
        "funding_type": "bank_transfer",
        "livemode": False,
    }


@endpoint("POST /v1/test_helpers/customers/{customer}/fund_cash_balance")
def fund(call: Call) -> JsonObject:
    """A bank transfer from the customer arrives.

    Source: https://docs.stripe.com/api/customers/fund_cash_balance
    """
    customer = call.get("customer", call.path["customer"])
    params = call.params
    if params["amount"] < 1:
        raise InvalidRequest(
            "This value must be greater than or equal to 1.", param="amount", code="parameter_invalid_integer"
        )
    currency = currencies.check_currency(params["currency"])
    kind = TRANSFERS.get(currency, "us_bank_transfer")
    details: JsonObject = {
        "reference": params.get("reference") or None,
        "type": kind,
        kind: {"sender_name": "Test"},
    }
    transaction = move(
        call, customer["id"], params["amount"], currency, "funded", funded={"bank_transfer": details}
    )
    if customer.get("_reconciliation", "automatic") != "manual":
        _reconcile(call, customer["id"], currency)
    return transaction


def render(call: Call, customer: str) -> JsonObject:
    """The `cash_balance` object."""
    stored = call.find(STORE, customer)
    mode = (call.get("customer", customer)).get("_reconciliation", "merchant_default")
    available = {k: v for k, v in (stored or {"available": {}})["available"].items() if v}
    return {
        "object": "cash_balance",
        "available": available or None,
        "customer": customer,
        "customer_account": None,
        "livemode": False,
        "settings": {
            "reconciliation_mode": "automatic" if mode == "merchant_default" else mode,
            "using_merchant_default": mode == "merchant_default",
        },
    }


def available(call: Call, customer: str | None, currency: str) -> int:
    """What a customer has in a currency."""
    stored = call.find(STORE, customer)
    return int(stored["available"].get(currency, 0)) if stored else 0


def move(call: Call, customer: str, amount: int, currency: str, type: str, **fields: Any) -> JsonObject:
    """Change a customer's cash by `amount` and record why."""
    stored = call.ledger.edit(call.account, STORE, customer)
    if stored is None:
        stored = {"id": customer, "object": STORE, "available": {}}
        call.ledger.insert(call.account, STORE, stored)
    stored["available"][currency] = stored["available"].get(currency, 0) + amount
    transaction = call.new(
        KIND,
        "ccsbtxn",
        currency=currency,
        customer=customer,
        ending_balance=stored["available"][currency],
        net_amount=amount,
        type=type,
        **fields,
    )
    call.insert(transaction)
    call.emit("customer_cash_balance_transaction.created", transaction)
    return transaction


# Paying intents


def attempt(call: Call, intent: JsonObject, method: JsonObject) -> Outcome:
    """Pay an edited intent out of the cash balance, or show where to send the rest."""
    if intent["customer"] is None:
        raise InvalidRequest(
            "You must provide a `customer` to pay with `customer_balance`.",
            param="customer",
            code="parameter_missing",
        )
    method["customer"] = method["customer"] or intent["customer"]
    intent["_due"] = intent["amount"]
    outcome = _use(call, intent, available(call, intent["customer"], intent["currency"]))
    if outcome.status != "succeeded":
        call.emit("payment_intent.requires_action", intent)
    return outcome


def apply(call: Call, intent: JsonObject, amount: int | None, currency: str) -> JsonObject:
    """Apply cash to an edited intent that waits for a bank transfer.

    Raises:
        InvalidRequest: it does not wait, or there is not enough.
    """
    if intent["status"] != "requires_action" or intent.get("_due") is None:
        raise InvalidRequest(
            f"This PaymentIntent's customer balance could not be applied because it has a status of {intent['status']}.",
            code="payment_intent_unexpected_state",
        )
    if currency != intent["currency"]:
        raise InvalidRequest("The currency does not match the PaymentIntent's.", param="currency")
    have = available(call, intent["customer"], currency)
    wanted = intent["_due"] if amount is None else amount
    if wanted > have:
        raise InvalidRequest(
            "The customer does not have enough cash balance to apply this amount.",
            param="amount",
            code="insufficient_funds",
        )
    _use(call, intent, wanted)
    return intent


def _use(call: Call, intent: JsonObject, have: int) -> Outcome:
    used = min(have, intent["_due"])
    if used:
        move(
            call,
            intent["customer"],
            -used,
            intent["currency"],
            "applied_to_payment",
            applied_to_payment={"payment_intent": intent["id"]},
        )
        intent["_due"] -= used
    method = payment_methods.resolve(call, intent["payment_method"])
    if intent["_due"] == 0:
        charge = charges.new(
            call,
            amount=intent["amount"],
            currency=intent["currency"],
            details={"customer_balance": {}, "type": "customer_balance"},
            billing=method["billing_details"],
            payment_method=method["id"],
            intent=intent,
            prefix="py",
        )
        return payment_attempts.paid(call, intent, method, charge, held=False)
    intent["status"] = "requires_action"
    transfer = ((intent["payment_method_options"].get("customer_balance") or {}).get("bank_transfer")) or {
        "type": TRANSFERS.get(intent["currency"], "us_bank_transfer")
    }
    intent["next_action"] = {
        "display_bank_transfer_instructions": {
            "amount_remaining": intent["_due"],
            "currency": intent["currency"],
            "financial_addresses": _addresses(call, intent["customer"], intent["currency"], transfer),
            "hosted_instructions_url": None,
            "reference": intent["id"][-12:].upper(),
            "type": transfer["type"],
        },
        "type": "display_bank_transfer_instructions",
    }
    if used:
        call.emit("payment_intent.partially_funded", intent)
    return Outcome("requires_action")


def _reconcile(call: Call, customer: str, currency: str) -> None:
    waiting = [
        intent["id"]
        for intent in call.ledger.all(call.account, "payment_intent", customer=customer)
        if intent["status"] == "requires_action" and intent["currency"] == currency and intent.get("_due")
    ]
    for identifier in waiting:
        have = available(call, customer, currency)
        if have <= 0:
            return
        _use(call, call.edit("payment_intent", identifier), have)


def refund(call: Call) -> JsonObject:
    """Return a customer's cash (`origin=customer_balance`).

    With `instructions_email` the customer is asked for a bank account; otherwise the money goes back to the one that
    it came from, and is there three minutes later.
    Source: https://docs.stripe.com/payments/customer-balance/refunding
    """
    params = call.params
    call.require("customer", "currency", "amount")
    call.unsupported("charge", "payment_intent", "reverse_transfer", "refund_application_fee")
    customer = call.get("customer", params["customer"], param="customer")
    currency = currencies.check_currency(params["currency"])
    amount = params["amount"]
    if amount > available(call, customer["id"], currency):
        raise InvalidRequest(
            "The refund amount is greater than the customer's cash balance.",
            param="amount",
            code="insufficient_funds",
        )
    found = call.new(
        "refund",
        "pyr",
        amount=amount,
        currency=currency,
        customer=customer["id"],
        metadata={},
        reason=params.get("reason") or None,
        status="requires_action" if params.get("instructions_email") else "pending",
    )
    kind = TRANSFERS.get(currency, "us_bank_transfer")
    found["destination_details"] = {"type": kind}
    if kind != "mx_bank_transfer":
        found["destination_details"][kind] = {"reference": None, "reference_status": "pending"}
    if params.get("instructions_email"):
        found["instructions_email"] = params["instructions_email"]
        found["next_action"] = {
            "display_details": {
                "email_sent": {"email_sent_at": call.now, "email_sent_to": params["instructions_email"]},
                "expires_at": call.now + ANSWER,
            },
            "type": "display_details",
        }
        call.schedule(call.now + ANSWER, "refund.unanswered", found["id"], timeline="")
    else:
        found["pending_reason"] = "processing"
        call.schedule(call.now + LATER, "refund.succeed", found["id"], timeline="")
    call.merge_metadata(found)
    call.insert(found)
    move(call, customer["id"], -amount, currency, "return_initiated")
    call.emit("refund.created", found)
    return found


def keep(call: Call, refund: JsonObject) -> None:
    """An edited refund of cash that the customer did not get: the cash is theirs again."""
    move(call, refund["customer"], refund["amount"], refund["currency"], "return_canceled")
    refund.pop("next_action", None)


def give_back(call: Call, refund: JsonObject) -> None:
    """A refund of a payment that cash made becomes cash again.

    Source: https://docs.stripe.com/payments/customer-balance/refunding
    """
    move(
        call,
        refund["customer"],
        refund["amount"],
        refund["currency"],
        "refunded_from_payment",
        refunded_from_payment={"refund": refund["id"]},
    )


def release(call: Call, intent: JsonObject) -> None:
    """An edited intent that will not be paid returns the cash that was applied to it."""
    applied = intent["amount"] - intent["_due"]
    if applied:
        move(
            call,
            intent["customer"],
            applied,
            intent["currency"],
            "unapplied_from_payment",
            unapplied_from_payment={"payment_intent": intent["id"]},
        )


def _country(kind: JsonObject, currency: str) -> str:
    given = (kind.get("eu_bank_transfer") or {}).get("country")
    return given or {"usd": "US", "gbp": "GB", "jpy": "JP", "mxn": "MX"}.get(currency, "DE")


def _addresses(call: Call, customer: str, currency: str, kind: JsonObject) -> list[JsonObject]:
    seed = sum((i + 1) * ord(c) for i, c in enumerate(customer))
    number = f"{(seed * 7919 + 10**9) % 10**10:010d}"
    address = {"city": None, "country": _country(kind, currency), "line1": None, "line2": None,
               "postal_code": None, "state": None}  # fmt: skip
    type = kind["type"]
    if type == "us_bank_transfer":
        aba = {
            "account_holder_address": address,
            "account_holder_name": call.twin.config.display_name,
            "account_number": number,
            "account_type": "checking",
            "bank_address": address,
            "bank_name": "US Test Bank",
            "routing_number": "999999999",
        }
        return [{"aba": aba, "supported_networks": ["ach", "domestic_wire_us"], "type": "aba"}]
    if type == "gb_bank_transfer":
        sort = {
            "account_holder_address": address,
            "account_holder_name": call.twin.config.display_name,
            "account_number": number[:8],
            "bank_address": address,
            "sort_code": "200000",
        }
        return [{"sort_code": sort, "supported_networks": ["bacs", "fps"], "type": "sort_code"}]
    if type == "mx_bank_transfer":
        spei = {
            "account_holder_address": address,
            "account_holder_name": call.twin.config.display_name,
            "bank_address": address,
            "bank_code": "002",
            "bank_name": "MX Test Bank",
            "clabe": f"00218{number}000"[:18],
        }
        return [{"spei": spei, "supported_networks": ["spei"], "type": "spei"}]
    if type == "jp_bank_transfer":
        zengin = {
            "account_holder_address": address,
            "account_holder_name": call.twin.config.display_name,
            "account_number": number[:7],
            "account_type": "futsu",
            "bank_address": address,
            "bank_code": "0000",
            "bank_name": "JP Test Bank",
            "branch_code": "000",
            "branch_name": "Test",
        }
        return [{"supported_networks": ["zengin"], "type": "zengin", "zengin": zengin}]
    iban = {
        "account_holder_address": address,
        "account_holder_name": call.twin.config.display_name,
        "bank_address": address,
        "bic": "TESTDEFF",
        "country": _country(kind, currency),
        "iban": f"{_country(kind, currency)}00{number}{number}"[:22],
    }
    return [{"iban": iban, "supported_networks": ["sepa"], "type": "iban"}]


@included("customer", "cash_balance")
def _cash(call: Call, customer: JsonObject) -> JsonObject:
    return render(call, customer["id"])
