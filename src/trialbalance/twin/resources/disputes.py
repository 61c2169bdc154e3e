"""Disputes: a cardholder's bank takes the money back until it has decided.

Test cards are disputed right after they are charged; `winning_evidence` and `losing_evidence` decide a dispute, and
`escalate_inquiry_evidence` turns an inquiry into a chargeback. Without an answer a dispute is lost at its deadline.
Source: https://docs.stripe.com/disputes and https://docs.stripe.com/testing#disputes
"""

from __future__ import annotations

from typing import Any

from trialbalance.contract import load
from trialbalance.twin.cards import fees
from trialbalance.twin.cards.table import CARDS
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import balance_transactions
from trialbalance.twin.wire.call import Call, due, endpoint, own_endpoint

KIND = "dispute"
DAY = 24 * 3600
OPEN = frozenset({"needs_response", "under_review", "warning_needs_response", "warning_under_review"})
REASONS = {
    "fraudulent": ("fraudulent", "10.4", "chargeback"),
    "product_not_received": ("product_not_received", "13.1", "chargeback"),
    "inquiry": ("fraudulent", "10", "inquiry"),
    "visa_ce3": ("fraudulent", "10.4", "chargeback"),
    "visa_compliance": ("noncompliant", "C", "compliance"),
    "multiple": ("fraudulent", "10.4", "chargeback"),
    "bank": ("debit_not_authorized", "R10", "chargeback"),
}
EVIDENCE = (
    "access_activity_log",
    "billing_address",
    "cancellation_policy",
    "cancellation_policy_disclosure",
    "cancellation_rebuttal",
    "customer_communication",
    "customer_email_address",
    "customer_name",
    "customer_purchase_ip",
    "customer_signature",
    "duplicate_charge_documentation",
    "duplicate_charge_explanation",
    "duplicate_charge_id",
    "product_description",
    "receipt",
    "refund_policy",
    "refund_policy_disclosure",
    "refund_refusal_explanation",
    "service_date",
    "service_documentation",
    "shipping_address",
    "shipping_carrier",
    "shipping_date",
    "shipping_documentation",
    "shipping_tracking_number",
    "uncategorized_file",
    "uncategorized_text",
)
_NONE = {"hash": {"expand": {"array": "str"}}}


@endpoint("GET /v1/disputes/{dispute}")
def retrieve(call: Call) -> JsonObject:
    """One dispute."""
    return call.get(KIND, call.path["dispute"], param="dispute")


@own_endpoint("GET /v1/charges/{charge}/dispute", _NONE, {"ref": KIND})
def retrieve_of_charge(call: Call) -> JsonObject:
    """A charge's dispute."""
    charge = call.get("charge", call.path["charge"])
    found = call.find(KIND, charge["dispute"])
    if found is None:
        error = InvalidRequest(f"No dispute for charge: {charge['id']}")
        error.status = 404
        raise error
    return found


@endpoint("GET /v1/disputes")
def list_(call: Call) -> JsonObject:
    """Disputes, newest first; as recorded, a list of one charge's also counts them."""
    charge = call.params.get("charge") or None
    found = call.list(KIND, where={"charge": charge, "payment_intent": call.params.get("payment_intent")})
    if charge:
        count = sum(1 for _ in call.ledger.all(call.account, KIND, charge=charge))
        return {"object": "list", "count": count, **{k: v for k, v in found.items() if k != "object"}}
    return found


@endpoint("POST /v1/disputes/{dispute}")
def update(call: Call) -> JsonObject:
    """Give evidence; it is submitted unless `submit=false`."""
    return _update(call, call.path["dispute"])


@own_endpoint(
    "POST /v1/charges/{charge}/dispute", load().endpoints["POST /v1/disputes/{dispute}"].params, {"ref": KIND}
)
def update_of_charge(call: Call) -> JsonObject:
    """The older path of the same."""
    return _update(call, retrieve_of_charge(call)["id"])


@endpoint("POST /v1/disputes/{dispute}/close")
def close(call: Call) -> JsonObject:
    """Give in: the dispute is lost."""
    return _close(call, call.path["dispute"])


@own_endpoint("POST /v1/charges/{charge}/dispute/close", _NONE, {"ref": KIND})
def close_of_charge(call: Call) -> JsonObject:
    """The older path of the same."""
    return _close(call, retrieve_of_charge(call)["id"])


# What test cards do


def follow(call: Call, charge: JsonObject) -> None:
    """Have a captured charge disputed, if its test card says so, a moment later."""
    card = CARDS.get(charge["_number"] or "")
    if card is None or card.dispute is None:
        return
    protected = card.dispute in ("fraudulent", "visa_ce3", "multiple") and _authenticated(charge)
    if protected:
        return
    delay = 0 if call.twin.clock.frozen else 1
    call.schedule(call.now + delay, "charge.dispute", charge["id"], timeline="", kind=card.dispute)


def _authenticated(charge: JsonObject) -> bool:
    """Fraud disputes do not reach authenticated payments (liability shift).

    Source: https://docs.stripe.com/payments/3d-secure/authentication-flow#disputed-payments
    """
    secure = (charge["payment_method_details"].get("card") or {}).get("three_d_secure") or {}
    return secure.get("result") == "authenticated"


@due("charge.dispute")
def _dispute(call: Call, target: str, arguments: JsonObject) -> None:
    kind = arguments["kind"]
    charge = call.edit("charge", target)
    if kind == "early_fraud_warning":
        from trialbalance.twin.resources import early_fraud_warnings

        early_fraud_warnings.open_for(call, charge)
        return
    if kind == "multiple":
        half = charge["amount_captured"] // 2
        open_for(call, charge, kind, half)
        open_for(call, charge, kind, charge["amount_captured"] - half)
        return
    open_for(call, charge, kind, charge["amount_captured"])


def open_for(call: Call, charge: JsonObject, kind: str, amount: int) -> JsonObject:
    """A new dispute of an edited charge: chargebacks take the money and a fee, inquiries take nothing."""
    reason, code, case = REASONS[kind]
    type = charge["payment_method_details"]["type"]
    inquiry = case == "inquiry"
    enhanced = {"visa_ce3": ["visa_compelling_evidence_3"], "visa_compliance": ["visa_compliance"]}.get(
        kind, []
    )
    dispute = call.new(
        KIND,
        "du",
        amount=amount,
        balance_transactions=[],
        charge=charge["id"],
        currency=charge["currency"],
        enhanced_eligibility_types=enhanced,
        evidence=_evidence(call, charge),
        evidence_details={
            "due_by": ((call.now // DAY) + 9) * DAY - 1,
            "enhanced_eligibility": {
                name: {"status": "requires_action", "required_actions": ["missing_customer_identifiers"]}
                if name == "visa_compelling_evidence_3"
                else {"status": "requires_fee_acknowledgement"}
                for name in enhanced
            },
            "has_evidence": False,
            "past_due": False,
            "submission_count": 0,
        },
        is_charge_refundable=inquiry,
        payment_intent=charge["payment_intent"],
        payment_method_details=_method(charge, case, code),
        reason=reason,
        status="warning_needs_response" if inquiry else "needs_response",
    )
    dispute["_kind"] = kind
    if type != "card":
        dispute["network_reason_code"] = code
    call.insert(dispute)
    charge["disputed"], charge["dispute"] = True, dispute["id"]
    if not inquiry:
        _withdraw(call, charge, dispute)
    call.emit("charge.dispute.created", dispute)
    if not inquiry:
        call.emit("charge.dispute.funds_withdrawn", dispute)
    call.schedule(dispute["evidence_details"]["due_by"] + 1, "dispute.deadline", dispute["id"], timeline="")
    return dispute


def _method(charge: JsonObject, case: str, code: str) -> JsonObject:
    type = charge["payment_method_details"]["type"]
    if type != "card":
        return {"type": type}
    card = charge["payment_method_details"]["card"]
    return {
        "card": {
            "brand": card["brand"],
            "case_type": case,
            "network": card["network"],
            "network_reason_code": code,
        },
        "type": "card",
    }


def _evidence(call: Call, charge: JsonObject) -> JsonObject:
    """Evidence that is known already: the customer and the description."""
    evidence: JsonObject = dict.fromkeys(EVIDENCE)
    customer = call.find("customer", charge["customer"])
    if customer is not None:
        evidence["customer_email_address"] = customer["email"]
        evidence["customer_name"] = customer["name"] or customer["description"]
    else:
        evidence["customer_email_address"] = charge["billing_details"].get("email")
        evidence["customer_name"] = charge["billing_details"].get("name")
    evidence["product_description"] = charge["description"]
    evidence["enhanced_evidence"] = {}
    return {name: evidence[name] for name in sorted(evidence)}


def _withdraw(call: Call, charge: JsonObject, dispute: JsonObject) -> None:
    """Take the disputed amount and the fee. Funds that are pending are taken when they become available."""
    settled = charge.get("_settled")
    if settled:
        amount = fees.share(dispute["amount"], charge["amount_captured"], settled)
        currency = balance_transactions.settlement_currency(call)
    else:
        amount, currency, _ = balance_transactions.convert(call, dispute["amount"], dispute["currency"])
    first = call.find("balance_transaction", charge["balance_transaction"])
    pending = first is not None and first["status"] == "pending"
    fee = fees.DISPUTE
    transaction = balance_transactions.post(
        call,
        type="adjustment",
        amount=-amount,
        currency=currency,
        source=dispute["id"],
        description=f"Chargeback withdrawal for {charge['id']}",
        fee=fee,
        fee_details=[balance_transactions.stripe_fee(fee, currency, "Dispute fee")],
        available_on=first["available_on"] if pending and first is not None else None,
        reporting_category="dispute",
    )
    dispute["balance_transaction"] = transaction["id"]
    dispute["balance_transactions"].append(_shown(transaction))


def _shown(transaction: JsonObject) -> JsonObject:
    return {name: value for name, value in transaction.items() if not name.startswith("_")}


def _reinstate(call: Call, dispute: JsonObject) -> None:
    taken = call.get("balance_transaction", dispute["balance_transaction"])
    transaction = balance_transactions.post(
        call,
        type="adjustment",
        amount=-taken["amount"],
        currency=taken["currency"],
        source=dispute["id"],
        description=f"Chargeback reversal for {dispute['charge']}",
        available_on=balance_transactions.available_day(call),
        reporting_category="dispute_reversal",
    )
    dispute["balance_transactions"].append(_shown(transaction))


# Transitions


def _update(call: Call, identifier: str) -> JsonObject:
    dispute = call.edit(KIND, identifier, param="dispute")
    if dispute["status"] not in OPEN:
        raise InvalidRequest("This dispute is already closed")
    call.unsupported("intended_submission_method")
    sent: dict[str, Any] = call.params.plain("evidence") or {}
    enhanced = sent.pop("enhanced_evidence", None)
    for name, value in sent.items():
        dispute["evidence"][name] = value or None
    if enhanced is not None:
        dispute["evidence"]["enhanced_evidence"] = enhanced or {}
        for name in enhanced or {}:
            if name in dispute["evidence_details"]["enhanced_eligibility"]:
                dispute["evidence_details"]["enhanced_eligibility"][name] = {"status": "qualified"}
    call.merge_metadata(dispute)
    details = dispute["evidence_details"]
    if sent or enhanced:
        details["has_evidence"] = True
    submit = call.params.get("submit")
    if (sent or enhanced or submit) and submit is not False:
        details["submission_count"] += 1
        dispute["status"] = (
            "warning_under_review" if dispute["status"].startswith("warning") else "under_review"
        )
        verdict = {
            "winning_evidence": "won",
            "losing_evidence": "lost",
            "escalate_inquiry_evidence": "escalated",
        }.get(dispute["evidence"]["uncategorized_text"] or "")
        if verdict is not None:
            delay = 0 if call.twin.clock.frozen else 2
            call.schedule(call.now + delay, "dispute.decide", dispute["id"], timeline="", verdict=verdict)
    call.emit("charge.dispute.updated", dispute)
    return dispute


@due("dispute.decide")
def _decide(call: Call, target: str, arguments: JsonObject) -> None:
    dispute = call.edit(KIND, target)
    if dispute["status"] not in OPEN:
        return
    verdict = arguments["verdict"]
    inquiry = dispute["status"].startswith("warning")
    if verdict == "escalated":
        if inquiry:
            _escalate(call, dispute)
        return
    if inquiry:
        _end(call, dispute, "warning_closed")
    else:
        _end(call, dispute, verdict)


def _escalate(call: Call, dispute: JsonObject) -> None:
    charge = call.edit("charge", dispute["charge"])
    dispute["status"] = "needs_response"
    dispute["is_charge_refundable"] = False
    dispute["payment_method_details"] = _method(charge, "chargeback", "10.4")
    dispute["evidence_details"]["due_by"] = ((call.now // DAY) + 9) * DAY - 1
    _withdraw(call, charge, dispute)
    call.emit("charge.dispute.updated", dispute)
    call.emit("charge.dispute.funds_withdrawn", dispute)
    call.schedule(dispute["evidence_details"]["due_by"] + 1, "dispute.deadline", dispute["id"], timeline="")


def _end(call: Call, dispute: JsonObject, status: str) -> None:
    dispute["status"] = status
    if status == "won":
        _reinstate(call, dispute)
    dispute["is_charge_refundable"] = status in ("won", "warning_closed")
    call.emit("charge.dispute.closed", dispute)
    if status == "won":
        call.emit("charge.dispute.funds_reinstated", dispute)


def _close(call: Call, identifier: str) -> JsonObject:
    dispute = call.edit(KIND, identifier, param="dispute")
    if dispute["status"] not in OPEN:
        raise InvalidRequest("This dispute is already closed")
    _end(call, dispute, "warning_closed" if dispute["status"].startswith("warning") else "lost")
    return dispute


@due("dispute.deadline")
def _deadline(call: Call, target: str, arguments: JsonObject) -> None:
    dispute = call.edit(KIND, target)
    if dispute["status"] not in ("needs_response", "warning_needs_response"):
        return
    if call.now <= dispute["evidence_details"]["due_by"]:
        return
    dispute["evidence_details"]["past_due"] = True
    _end(call, dispute, "warning_closed" if dispute["status"].startswith("warning") else "lost")
