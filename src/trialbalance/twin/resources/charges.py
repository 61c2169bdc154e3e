"""Charges: one attempt to move money, successful or not.

A captured charge is settled through a balance transaction: at once, or (`automatic_async`) a moment later, when
`charge.updated` tells of it. The legacy direct way (`POST /v1/charges` with a source) makes a charge without an intent.
Hidden state: `_number` (the card's test number), `_transfer…` (Connect), `_settled` (what refunds are measured against).
Source: https://docs.stripe.com/api/charges
"""

from __future__ import annotations

from trialbalance.twin import addresses, sites
from trialbalance.twin.cards import fees
from trialbalance.twin.cards.declines import Decline
from trialbalance.twin.cards.table import CARDS
from trialbalance.twin.connect import applications
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import balance_transactions, connect_payments
from trialbalance.twin.wire.call import Call, due, endpoint, included
from trialbalance.twin.wire.lists import embedded
from trialbalance.twin.wire.search import search as search_objects

KIND = "charge"
SEARCHABLE = {
    "amount": "numeric",
    "billing_details.address.postal_code": "token",
    "created": "numeric",
    "currency": "token",
    "customer": "token",
    "disputed": "string",
    "metadata": "metadata",
    "payment_method_details.card.brand": "token",
    "payment_method_details.card.exp_month": "numeric",
    "payment_method_details.card.exp_year": "numeric",
    "payment_method_details.card.fingerprint": "token",
    "payment_method_details.card.last4": "token",
    "refunded": "string",
    "status": "token",
}


@endpoint("GET /v1/charges/{charge}")
def retrieve(call: Call) -> JsonObject:
    """One charge."""
    return call.get(KIND, call.path["charge"])


@endpoint("GET /v1/charges")
def list_(call: Call) -> JsonObject:
    """Charges, newest first."""
    params = call.params
    return call.list(
        KIND,
        where={
            "customer": params.get("customer"),
            "payment_intent": params.get("payment_intent"),
            "transfer_group": params.get("transfer_group"),
        },
    )


@endpoint("GET /v1/charges/search")
def search(call: Call) -> JsonObject:
    """Charges by a query.

    Source: https://docs.stripe.com/search#query-fields-for-charges
    """
    return search_objects(call, KIND, SEARCHABLE)


@endpoint("POST /v1/charges/{charge}")
def update(call: Call) -> JsonObject:
    """Change description, metadata and the like; what belongs to the intent is changed there."""
    charge = call.edit(KIND, call.path["charge"])
    params = call.params
    intent = charge["payment_intent"]
    if params.get("transfer_group"):
        if intent:
            raise InvalidRequest(
                f"This Charge was created by a PaymentIntent ({intent}). You must update the `transfer_group` on the "
                "PaymentIntent instead of updating the Charge directly. See "
                "https://stripe.com/docs/api#update_payment_intent"
            )
        charge["transfer_group"] = params["transfer_group"]
    if params.get("customer"):
        if charge["customer"]:
            raise InvalidRequest("This charge already has a customer.", param="customer")
        charge["customer"] = call.get("customer", params["customer"], param="customer")["id"]
    call.assign(charge, "description", "receipt_email")
    if "shipping" in params:
        charge["shipping"] = addresses.parcel(params.plain("shipping"))
    report = params.plain("fraud_details")
    if report:
        charge["fraud_details"] = {"user_report": report["user_report"]} if report.get("user_report") else {}
    call.merge_metadata(charge)
    call.emit("charge.updated", charge)
    return charge


# Making charges


def new(
    call: Call,
    *,
    amount: int,
    currency: str,
    details: JsonObject,
    billing: JsonObject,
    payment_method: str | None,
    number: str | None = None,
    intent: JsonObject | None = None,
    decline: Decline | None = None,
    status: str = "succeeded",
    captured: bool = True,
    prefix: str = "ch",
    fields: JsonObject | None = None,
) -> JsonObject:
    """A new, stored charge with its outcome; nothing is settled yet."""
    card = CARDS.get(number or "")
    risk = card.risk if card is not None else "normal"
    approved = decline is None
    of = intent or {}
    charge = call.new(
        KIND,
        prefix,
        amount=amount,
        amount_captured=amount if approved and captured and status == "succeeded" else 0,
        amount_refunded=0,
        application_fee_amount=of.get("application_fee_amount"),
        billing_details=billing,
        calculated_statement_descriptor=descriptor(
            call, of.get("statement_descriptor"), of.get("statement_descriptor_suffix")
        ),
        captured=approved and captured,
        currency=currency,
        customer=of.get("customer"),
        description=of.get("description"),
        disputed=False,
        failure_code=decline.code if decline else None,
        failure_message=decline.message if decline else None,
        fraud_details={},
        metadata=dict(of.get("metadata") or {}),
        on_behalf_of=of.get("on_behalf_of"),
        outcome=outcome(call, decline, risk, card is not None),
        paid=approved and status != "failed",
        payment_intent=of.get("id"),
        payment_method=payment_method,
        payment_method_details=details,
        radar_options={},
        receipt_email=of.get("receipt_email"),
        refunded=False,
        shipping=of.get("shipping"),
        statement_descriptor=of.get("statement_descriptor"),
        statement_descriptor_suffix=of.get("statement_descriptor_suffix"),
        status="failed" if decline else status,
        transfer_data=_transfer_data(of),
        transfer_group=of.get("transfer_group"),
        **(fields or {}),
    )
    if approved:
        charge["receipt_url"] = sites.page(
            call.twin, "pay", f"receipts/payment/{charge['id']}-{call.twin.ids.random(24)}"
        )
    charge["_number"] = number
    charge["_invoice"] = of.get("_invoice")
    call.insert(charge)
    connect_payments.on_new(call, charge, of)
    return charge


def outcome(call: Call, decline: Decline | None, risk: str, card: bool) -> JsonObject:
    """Why the charge went as it did, and how risky it looked.

    Source: https://docs.stripe.com/api/charges/object#charge_object-outcome
    """
    low, high = {"normal": (0, 64), "elevated": (65, 74), "highest": (75, 99)}[risk]
    result: JsonObject = {
        "advice_code": decline.advice_code if decline else None,
        "network_advice_code": decline.network_advice_code if decline else None,
        "network_decline_code": decline.network_decline_code if decline else None,
        "network_status": "approved_by_network"
        if decline is None
        else "not_sent_to_network"
        if decline.blocked
        else "declined_by_network",
        "reason": decline.reason if decline else ("elevated_risk_level" if risk == "elevated" else None),
        "risk_level": risk if card else "not_assessed",
        "risk_score": call.twin.ids.integer(low, high),
        "seller_message": decline.told if decline else "Payment complete.",
        "type": "authorized" if decline is None else "blocked" if decline.blocked else "issuer_declined",
    }
    if decline is None and risk == "elevated":
        result |= {"rule": "manual_review_if_elevated_risk", "type": "manual_review"}
    if decline is not None and decline.blocked:
        result["rule"] = "block_if_high_risk"
    if not card:
        del result["risk_score"]
    return {name: result[name] for name in sorted(result)}


def descriptor(call: Call, whole: str | None, suffix: str | None) -> str:
    """What the cardholder's statement says: the prefix, and the suffix after an asterisk, within 22 characters.

    Source: https://docs.stripe.com/get-started/account/statement-descriptors
    """
    name = call.twin.config.display_name.upper()
    if call.account != call.twin.account:
        account = call.ledger.find(call.twin.account, "account", call.account) or {}
        settings = (account.get("settings") or {}).get("payments") or {}
        name = settings.get("statement_descriptor") or name
    if whole:
        return str(whole)[:22]
    if suffix:
        return f"{name[:10].rstrip()}* {suffix}"[:22].rstrip()
    return name[:22]


def settle_later(call: Call, charge: JsonObject) -> None:
    """Settle asynchronously: a moment later on a running clock, before the next request on a frozen one."""
    delay = 0 if call.twin.clock.frozen else 2
    call.schedule(call.now + delay, "charge.settle", charge["id"], timeline="")


@due("charge.settle")
def _settle(call: Call, target: str, arguments: JsonObject) -> None:
    charge = call.edit(KIND, target)
    if charge["balance_transaction"] is None:
        settle(call, charge)
        call.emit("charge.updated", charge)


def settle(call: Call, charge: JsonObject) -> JsonObject:
    """Post the money captured and not posted yet: the amount less the fee, and what Connect takes or passes on.

    A charge that is captured in parts has one balance transaction for each; it shows the first.
    """
    part = charge["amount_captured"] - charge.get("_posted", 0)
    before = charge.get("_settled", 0)
    total, currency, rate = balance_transactions.convert(call, charge["amount_captured"], charge["currency"])
    amount = total - before
    card = CARDS.get(charge["_number"] or "")
    type = charge["payment_method_details"]["type"]
    stripe = fees.charge_fee(
        amount,
        balance_transactions.country_of(call),
        type=type,
        card_country=card.country if card else None,
        converted=rate is not None,
    )
    earned = connect_payments.fee_of(call, charge)
    lines = [applications.fee_line(call.twin, earned, currency)] if earned else []
    shifted = connect_payments.platform_pays(call)
    if not shifted:
        lines += balance_transactions.fee_lines(stripe, currency)
    now = call.now
    bypass = type not in ("card", "link") or (card is not None and card.bypass_pending)
    transaction = balance_transactions.post(
        call,
        type="charge" if charge["id"].startswith("ch_") else "payment",
        amount=amount,
        currency=currency,
        source=charge["id"],
        description=charge["description"],
        fee=sum(line["amount"] for line in lines),
        fee_details=lines,
        available_on=now if bypass else balance_transactions.available_day(call),
        exchange_rate=rate,
        balance="card" if type in ("card", "link") else "bank_account",
    )
    if shifted:
        connect_payments.charge_platform(call, charge, stripe.total, currency)
    charge["balance_transaction"] = charge["balance_transaction"] or transaction["id"]
    charge["_settled"] = total
    charge["_posted"] = charge.get("_posted", 0) + part
    connect_payments.on_settled(call, charge, transaction)
    return transaction


def ensure_settled(call: Call, charge: JsonObject) -> None:
    """Settle a captured charge now if it is not yet: before it is refunded or disputed with money."""
    if charge["balance_transaction"] is None and charge["captured"] and charge["status"] == "succeeded":
        settle(call, charge)


def _transfer_data(intent: JsonObject) -> JsonObject | None:
    data = intent.get("transfer_data")
    if not data:
        return None
    return {"amount": data.get("amount"), "destination": data["destination"]}


@included(KIND, "refunds")
def _refunds(call: Call, charge: JsonObject) -> JsonObject:
    found = list(call.ledger.all(call.account, "refund", charge=charge["id"]))
    found.reverse()
    return embedded(found, f"/v1/charges/{charge['id']}/refunds", total=True)
