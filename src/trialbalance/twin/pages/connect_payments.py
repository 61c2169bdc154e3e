"""Payments and disputes of a connected account, as the embedded components show and manage them.

Refunds, captures and answers to disputes go through the API's own endpoints, so that they are refused, written and
told of as everywhere.
Source: https://docs.stripe.com/connect/supported-embedded-components/payments
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound, PermissionDenied
from trialbalance.twin.pages.connect_sessions import Opened, asking, opened
from trialbalance.twin.resources.disputes import OPEN
from trialbalance.twin.wire.call import Call, own_endpoint
from trialbalance.twin.wire.inner import perform

PAYMENTS = ("payments", "payment_details", "payment_disputes", "disputes_list")
"""Components that show payments; each has the same features."""
STATUSES = (
    "blocked", "canceled", "disputed", "early_fraud_warning", "failed", "incomplete", "partially_refunded", "pending",
    "refund_pending", "refunded", "successful", "uncaptured",
)  # fmt: skip
RANGE: Any = {"hash": dict.fromkeys(("gt", "gte", "lt", "lte"), "int")}
PAGE: Any = {"limit": "int", "starting_after": "str", "ending_before": "str"}
EVIDENCE = ("customer_email_address", "customer_name", "product_description", "uncategorized_text")


@own_endpoint(
    "GET /v1/embedded/payments",
    asking(
        **PAGE,
        amount={"union": ["int", RANGE]},
        created=RANGE,
        payment_method="str",
        status={"array": {"enum": list(STATUSES)}},
    ),
    browser=True,
)
def payments(call: Call) -> JsonObject:
    """Payments, newest first, by status, amount, time and payment method."""
    there = opened(call, "payments").call
    wanted, method = call.params.plain("status") or list(STATUSES), call.params.get("payment_method")
    amount, created = call.params.plain("amount"), call.params.plain("created")
    rows = [
        row
        for row in (_row(there, found) for found in _all(there))
        if row["status"] in wanted
        and (method is None or (row["method"] or {}).get("type") == method)
        and (amount is None or _within(row["amount"], amount))
        and (created is None or _within(row["created"], created))
    ]
    return call.page_of(rows, url=call.path_name)


@own_endpoint("GET /v1/embedded/payments/{payment}", asking(), browser=True)
def payment(call: Call) -> JsonObject:
    """One payment by the id of its intent or charge, with what may be done about it."""
    work = opened(call, *PAYMENTS)
    return _details(work, call.path["payment"])


@own_endpoint(
    "POST /v1/embedded/payments/{payment}/refund",
    asking(amount="int", reason={"enum": ["duplicate", "fraudulent", "requested_by_customer"]}),
    browser=True,
)
def refund(call: Call) -> JsonObject:
    """Give money back, if the session allows refunds."""
    work = opened(call, *PAYMENTS, feature="refund_management")
    charge, intent = _find(work.call, call.path["payment"])
    if charge is None:
        raise InvalidRequest("This payment has not been made, so that there is nothing to refund.")
    given = {"amount": call.params.get("amount"), "reason": call.params.get("reason")}
    source = _source(work.call, charge)
    if source is None:
        perform(work.call, "POST /v1/refunds", {"charge": charge["id"], **given})
    else:
        _may_manage(work, source)
        perform(
            work.call.on(call.account),
            "POST /v1/refunds",
            {"charge": source["id"], "reverse_transfer": True, **given},
        )
    return _details(work, (intent or charge)["id"])


@own_endpoint("POST /v1/embedded/payments/{payment}/capture", asking(amount_to_capture="int"), browser=True)
def capture(call: Call) -> JsonObject:
    """Take the money that is held, if the session allows it."""
    work = opened(call, *PAYMENTS, feature="capture_payments")
    intent = _intent(work.call, call.path["payment"])
    given = {"amount_to_capture": call.params.get("amount_to_capture")}
    perform(work.call, "POST /v1/payment_intents/{intent}/capture", given, intent=intent["id"])
    return _details(work, intent["id"])


@own_endpoint("POST /v1/embedded/payments/{payment}/cancel", asking(), browser=True)
def cancel(call: Call) -> JsonObject:
    """Let go of the money that is held, if the session allows it."""
    work = opened(call, *PAYMENTS, feature="capture_payments")
    intent = _intent(work.call, call.path["payment"])
    perform(work.call, "POST /v1/payment_intents/{intent}/cancel", intent=intent["id"])
    return _details(work, intent["id"])


@own_endpoint(
    "GET /v1/embedded/disputes",
    asking(**PAGE, payment="str", status={"array": "str"}),
    browser=True,
)
def disputes(call: Call) -> JsonObject:
    """Disputes, newest first; of one payment when it is named."""
    work = opened(call, "payments", "disputes_list", "payment_disputes", "payment_details")
    name, wanted = call.params.get("payment"), call.params.plain("status")
    charge = _find(work.call, name)[0] if name else None
    rows = [
        _dispute(work, found)
        for found in reversed(list(work.call.ledger.all(work.call.account, "dispute")))
        if (name is None or (charge is not None and found["charge"] == charge["id"]))
        and (not wanted or found["status"] in wanted)
    ]
    return call.page_of(rows, url=call.path_name)


@own_endpoint("GET /v1/embedded/disputes/{dispute}", asking(), browser=True)
def dispute(call: Call) -> JsonObject:
    """One dispute with its evidence."""
    work = opened(call, *PAYMENTS)
    return _dispute(work, work.call.get("dispute", call.path["dispute"], param="dispute"))


@own_endpoint("POST /v1/embedded/disputes/{dispute}/accept", asking(), browser=True)
def accept(call: Call) -> JsonObject:
    """Give in, if the session allows to manage disputes."""
    work = opened(call, *PAYMENTS, feature="dispute_management")
    name = call.path["dispute"]
    perform(work.call, "POST /v1/disputes/{dispute}/close", dispute=name)
    return _dispute(work, work.call.get("dispute", name))


@own_endpoint(
    "POST /v1/embedded/disputes/{dispute}/respond",
    asking(evidence={"hash": dict.fromkeys(EVIDENCE, "str")}, submit="bool"),
    browser=True,
)
def respond(call: Call) -> JsonObject:
    """Send evidence, if the session allows to manage disputes."""
    work = opened(call, *PAYMENTS, feature="dispute_management")
    given = {"evidence": call.params.plain("evidence"), "submit": call.params.get("submit")}
    name = call.path["dispute"]
    perform(work.call, "POST /v1/disputes/{dispute}", given, dispute=name)
    return _dispute(work, work.call.get("dispute", name))


# What is shown


def _all(call: Call) -> list[JsonObject]:
    """Intents, and charges without one, newest first."""
    found = [
        *call.ledger.all(call.account, "payment_intent"),
        *(c for c in call.ledger.all(call.account, "charge") if not c["payment_intent"]),
    ]
    order = {obj["id"]: position for position, obj in enumerate(found)}
    return sorted(found, key=lambda obj: (obj["created"], order[obj["id"]]), reverse=True)


def _within(value: int, wanted: Any) -> bool:
    if isinstance(wanted, int):
        return value == wanted
    tests = {"gt": int.__gt__, "gte": int.__ge__, "lt": int.__lt__, "lte": int.__le__}
    return all(tests[name](value, limit) for name, limit in wanted.items())


def _find(call: Call, name: str) -> tuple[JsonObject | None, JsonObject | None]:
    """The charge and the intent of a payment, by the id of either.

    Raises:
        NotFound: the account has no such payment.
    """
    if name.startswith("pi_"):
        intent = call.get("payment_intent", name, param="payment")
        return call.find("charge", intent["latest_charge"]), intent
    charge = call.find("charge", name)
    if charge is None:
        raise NotFound("payment", name, in_path=True)
    return charge, call.find("payment_intent", charge["payment_intent"])


def _intent(call: Call, name: str) -> JsonObject:
    intent = _find(call, name)[1]
    if intent is None:
        raise InvalidRequest(
            "This payment has no PaymentIntent, so that it cannot be captured or canceled here."
        )
    return intent


def _source(call: Call, charge: JsonObject) -> JsonObject | None:
    """The platform's charge behind a payment that a transfer brought."""
    platform = call.on(call.twin.account)
    transfer = platform.find("transfer", charge.get("source_transfer"))
    return platform.find("charge", transfer["source_transaction"]) if transfer is not None else None


def _may_manage(work: Opened, source: JsonObject) -> None:
    """Destination charges are the platform's; only those made on the account's behalf can be managed, if enabled.

    Source: https://docs.stripe.com/connect/supported-embedded-components/payments#destination-on-behalf-of
    """
    if (
        not work.features.get("destination_on_behalf_of_charge_management")
        or source["on_behalf_of"] != work.call.account
    ):
        raise PermissionDenied(
            "This payment belongs to the platform and cannot be managed by this account.",
            code="feature_not_enabled",
        )


def _status(call: Call, charge: JsonObject | None, intent: JsonObject | None) -> str:
    if intent is not None and intent["status"] == "canceled":
        return "canceled"
    if charge is None:
        return "pending" if intent is not None and intent["status"] == "processing" else "incomplete"
    if charge["status"] == "failed":
        return "blocked" if (charge["outcome"] or {}).get("type") == "blocked" else "failed"
    if charge["status"] == "pending":
        return "pending"
    if any(found["status"] in OPEN or found["status"] == "lost" for found in _disputes(call, charge)):
        return "disputed"
    if not charge["captured"]:
        return "uncaptured"
    refunds = call.ledger.all(call.account, "refund", charge=charge["id"])
    if any(found["status"] == "pending" for found in refunds):
        return "refund_pending"
    if charge["refunded"]:
        return "refunded"
    if charge["amount_refunded"]:
        return "partially_refunded"
    if any(call.ledger.all(call.account, "radar.early_fraud_warning", charge=charge["id"])):
        return "early_fraud_warning"
    return "successful"


def _disputes(call: Call, charge: JsonObject) -> Iterator[JsonObject]:
    return call.ledger.all(call.account, "dispute", charge=charge["id"])


def _row(call: Call, found: JsonObject) -> JsonObject:
    charge, intent = _find(call, found["id"])
    return {
        "id": found["id"],
        "object": "embedded.payment",
        "amount": found["amount"],
        "amount_refunded": charge["amount_refunded"] if charge else 0,
        "created": found["created"],
        "currency": found["currency"],
        "description": found["description"],
        "from": _payer(call, charge, found),
        "method": _method(charge),
        "status": _status(call, charge, intent),
    }


def _payer(call: Call, charge: JsonObject | None, found: JsonObject) -> str | None:
    """Who paid: the customer's name or address, else what the billing details say."""
    customer = call.find("customer", found["customer"]) or {}
    billing = (charge or {}).get("billing_details") or {}
    names = (
        customer.get("name"),
        customer.get("email"),
        billing.get("name"),
        billing.get("email"),
        found.get("receipt_email"),
    )
    return next((str(name) for name in names if name), None)


def _method(charge: JsonObject | None) -> JsonObject | None:
    details = (charge or {}).get("payment_method_details")
    if not details:
        return None
    kind = details["type"]
    data = details.get(kind) or {}
    return {"brand": data.get("brand"), "last4": data.get("last4"), "type": kind}


def _details(work: Opened, name: str) -> JsonObject:
    call = work.call
    charge, intent = _find(call, name)
    found = intent or charge
    assert found is not None
    row = _row(call, found)
    source = _source(call, charge) if charge else None
    own = source is None or (
        bool(work.features.get("destination_on_behalf_of_charge_management"))
        and source["on_behalf_of"] == call.account
    )
    refunds = list(call.ledger.all(call.account, "refund", charge=charge["id"])) if charge else []
    posted = call.find("balance_transaction", charge["balance_transaction"]) if charge else None
    held = intent is not None and intent["status"] == "requires_capture"
    left = (charge["amount_captured"] - charge["amount_refunded"]) if charge else 0
    managed = work.features.get("capture_payments") and held
    return {
        **row,
        "allowed": {
            "cancel": bool(managed),
            "capture": bool(managed),
            "refund": bool(
                work.features.get("refund_management")
                and own
                and charge is not None
                and charge["status"] == "succeeded"
                and left > 0
                and row["status"] != "disputed"
            ),
        },
        "amount_refundable": left,
        "charge": charge["id"] if charge else None,
        "disputes": [_dispute(work, held) for held in _disputes(call, charge)] if charge else [],
        "failure_message": charge["failure_message"] if charge else None,
        "fee": posted["fee"] if posted else None,
        "net": posted["net"] if posted else None,
        "refunds": [
            {field: item[field] for field in ("id", "amount", "created", "currency", "reason", "status")}
            for item in refunds
        ],
        "settlement_currency": posted["currency"] if posted else None,
    }


def _dispute(work: Opened, found: JsonObject) -> JsonObject:
    charge, intent = _find(work.call, found["charge"])
    assert charge is not None
    responds = bool(
        work.features.get("dispute_management")
        and found["status"] in ("needs_response", "warning_needs_response")
    )
    return {
        "id": found["id"],
        "object": "embedded.dispute",
        "allowed": {"accept": responds, "respond": responds},
        "amount": found["amount"],
        "created": found["created"],
        "currency": found["currency"],
        "due_by": found["evidence_details"]["due_by"],
        "evidence": {name: found["evidence"][name] for name in EVIDENCE},
        "from": _payer(work.call, charge, intent or charge),
        "payment": (intent or charge)["id"],
        "reason": found["reason"],
        "status": found["status"],
    }
