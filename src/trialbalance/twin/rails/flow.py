"""How a payment or a setup by anything but a card goes, from confirmation to money.

Redirects and codes wait for the customer on the test page (`three_d_secure.complete` ends them); debits are
processing until the bank answers on the twin's clock; vouchers are paid later, or expire; bank transfers wait for
money in the customer's cash balance. Test accounts and test e-mail addresses say how it ends.
Source: https://docs.stripe.com/payments/payment-methods/overview
"""

from __future__ import annotations

from typing import Any

from trialbalance.contract import load
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.rails import actions, microdeposits
from trialbalance.twin.rails.table import LATER, RAILS, Rail
from trialbalance.twin.resources import (
    charges,
    disputes,
    mandates,
    payment_attempts,
    payment_methods,
    setup_intents,
    three_d_secure,
)
from trialbalance.twin.resources.payment_attempts import Outcome
from trialbalance.twin.wire.call import Call, due

FAILURES: dict[str, str] = {
    "insufficient_funds": "The customer's account has insufficient funds to cover this payment.",
    "account_closed": "The customer's bank account has been closed.",
    "no_account": "The customer's bank account could not be located.",
    "debit_not_authorized": "The customer has notified their bank that this payment was unauthorized.",
    "invalid_currency": "The customer's bank account cannot be debited in this currency.",
    "weekly_limit_exceeded": "The payment amount causes the account to exceed its weekly payment volume limit.",
    "daily_limit_exceeded": "The payment amount causes the account to exceed its daily payment volume limit.",
    "charge_exceeds_source_limit": "The payment amount causes the account to exceed its weekly payment volume limit.",
    "charge_exceeds_weekly_limit": "The payment amount exceeds the account's transaction volume limit.",
    "tokenized_account_number_deactivated": "The customer's tokenized account number has been deactivated.",
    "mandate_fails": "The mandate could not be set up with the customer's bank.",
    "blocked": "This payment was blocked because its risk of fraud is too high.",
    "failed": "The payment failed.",
}
AT_ONCE = frozenset(
    {
        "blocked",
        "weekly_limit_exceeded",
        "daily_limit_exceeded",
        "charge_exceeds_source_limit",
        "charge_exceeds_weekly_limit",
    }
)
"""Outcomes that are known at confirmation."""


def attempt(
    call: Call, intent: JsonObject, method: JsonObject, *, off_session: bool, authorised: bool
) -> Outcome:
    """Try to pay an edited intent with an edited payment method of another type than card.

    Raises:
        InvalidRequest: the type cannot pay this intent.
    """
    rail = RAILS[method["type"]]
    held = payment_attempts.manual(intent, rail.type)
    _possible(intent, rail, held)
    intent["last_payment_error"] = None
    if rail.flow == "transfer":
        from trialbalance.twin.resources import cash_balances

        return cash_balances.attempt(call, intent, method)
    if rail.flow == "voucher":
        return _voucher(call, intent, method, rail)
    if rail.flow == "verify" and not microdeposits.verified(intent, method):
        return microdeposits.demand(call, intent, method)
    waits = rail.flow in ("redirect", "qr", "notify") and not authorised
    if waits and not (off_session and method.get("_set_up")):
        intent["status"] = "requires_action"
        intent["next_action"] = actions.of(call, intent, method, rail)
        call.emit("payment_intent.requires_action", intent)
        if rail.flow == "notify":
            call.schedule(call.now + _soon(call, rail), "rail.notified", intent["_source"], timeline="")
        return Outcome("requires_action")
    usage = payment_attempts.option(intent, rail.type, "setup_future_usage")
    mandate = mandates.open_for(
        call, intent, method, multi_use=bool(usage) or rail.flow in ("debit", "verify")
    )
    test = method.get("_test") or "success"
    if test in AT_ONCE:
        return _refused(call, intent, method, test)
    if rail.flow in ("debit", "verify") or rail.delay:
        return _process(call, intent, method, test, mandate)
    return _approve(call, intent, method, mandate, held=held)


def set_up(call: Call, intent: JsonObject, method: JsonObject, *, authorised: bool) -> Outcome:
    """Try to save an edited payment method of another type than card.

    Raises:
        InvalidRequest: the type cannot be saved.
    """
    rail = RAILS[method["type"]]
    if not rail.saved_by_setup:
        raise InvalidRequest(
            f"The payment method type `{rail.type}` cannot be set up for future payments.",
            param="payment_method",
        )
    if rail.flow == "verify" and not microdeposits.verified(intent, method):
        return microdeposits.demand(call, intent, method)
    if rail.flow in ("redirect", "qr", "notify") and not authorised:
        intent["status"] = "requires_action"
        intent["next_action"] = three_d_secure.begin(call, intent, method, page="redirect")
        from trialbalance.twin.resources import setup_attempts

        setup_attempts.record(call, intent, method, "requires_action")
        call.emit("setup_intent.requires_action", intent)
        return Outcome("requires_action")
    test = method.get("_test") or "success"
    if test == "mandate_fails":
        return setup_intents.failed(call, intent, method, _error(test))
    if rail.saves_as:
        saved = generate(call, method, intent["customer"])
        method["_saved_as"] = saved["id"]
        method["_used"] = True
        customer, intent["customer"] = intent["customer"], None
        outcome = setup_intents.succeeded(call, intent, method)
        intent["customer"] = customer
        return outcome
    return setup_intents.succeeded(call, intent, method)


def generate(call: Call, method: JsonObject, customer: str | None) -> JsonObject:
    """The SEPA debit method that saving iDEAL, Bancontact or Sofort makes.

    Source: https://docs.stripe.com/payments/ideal/set-up-payment
    """
    from trialbalance.twin.rails import details

    saved = payment_methods.insert(
        call,
        "sepa_debit",
        details.hash_of(call, "sepa_debit", "DE89370400440532013000"),
        billing=method["billing_details"],
        hidden={"_test": "success", "_set_up": True},
    )
    if customer:
        payment_methods.keep(call, saved, customer)
    return saved


def charge_details(method: JsonObject, mandate: str | None = None) -> JsonObject:
    """The `payment_method_details` of a charge: the contract's fields, filled from the method."""
    type = method["type"]
    node: Any = load().field("charge", "payment_method_details")
    for step in ("null", "object"):
        node = node[step] if isinstance(node, dict) and step in node else node
    own: Any = (node or {}).get(type)
    while isinstance(own, dict) and "null" in own:
        own = own["null"]
    fields = list(own["object"]) if isinstance(own, dict) and "object" in own else []
    known = method.get(type) or {}
    shown = {name: known.get(name) for name in sorted(fields)}
    if "mandate" in shown:
        shown["mandate"] = mandate
    if "verified_name" in shown:
        shown["verified_name"] = method["billing_details"]["name"]
    return {type: shown, "type": type}


def finish(call: Call, intent: JsonObject, charge: JsonObject, failure: str | None) -> None:
    """The bank's answer to an edited, processing intent and its edited, pending charge."""
    method = payment_methods.resolve(call, charge["payment_method"])
    if failure is not None:
        charge["status"], charge["paid"], charge["captured"] = "failed", False, False
        charge["failure_code"] = failure
        charge["failure_message"] = FAILURES[failure]
        charge["outcome"] = {
            **charge["outcome"],
            "network_status": "declined_by_network",
            "reason": failure,
            "seller_message": f"The bank returned the decline code `{failure}`.",
            "type": "issuer_declined",
        }
        payment_attempts.failed(call, intent, method, _error(failure), charge)
        return
    charge["status"], charge["paid"] = "succeeded", True
    charge["amount_captured"] = charge["amount"]
    charges.settle(call, charge)
    intent["status"] = "succeeded"
    intent["amount_received"] = charge["amount"]
    intent["processing"] = None
    call.emit("charge.succeeded", charge)
    call.emit("payment_intent.succeeded", intent)
    if (method.get("_test") or "").startswith("dispute"):
        disputes.open_for(call, charge, "bank", charge["amount"])


# Steps


def _possible(intent: JsonObject, rail: Rail, held: bool) -> None:
    if not rail.takes(intent["currency"]):
        raise InvalidRequest(
            f"The currency provided ({intent['currency']}) is invalid. Payments with {rail.type} support the following "
            f"currencies: {', '.join(sorted(rail.currencies))}.",
            param="currency",
            code="payment_intent_invalid_currency",
        )
    if held and not rail.manual_capture:
        raise InvalidRequest(
            f"The payment method type {rail.type} does not support manual capture.", param="capture_method"
        )
    if payment_attempts.option(intent, rail.type, "setup_future_usage") and not rail.saved_by_setup:
        raise InvalidRequest(
            f"The payment method type {rail.type} does not support `setup_future_usage`.",
            param="setup_future_usage",
        )


def _approve(
    call: Call, intent: JsonObject, method: JsonObject, mandate: str | None, *, held: bool
) -> Outcome:
    charge = charges.new(
        call,
        amount=intent["amount"],
        currency=intent["currency"],
        details=charge_details(method, mandate),
        billing=method["billing_details"],
        payment_method=method["id"],
        intent=intent,
        captured=not held,
        prefix="ch" if method["type"] == "link" else "py",
    )
    rail = RAILS[method["type"]]
    usage = payment_attempts.option(intent, rail.type, "setup_future_usage")
    if usage and rail.saves_as:
        generate(call, method, intent["customer"])
        method["_used"] = True
    return payment_attempts.paid(call, intent, method, charge, held=held, authenticated=True)


def _process(call: Call, intent: JsonObject, method: JsonObject, test: str, mandate: str | None) -> Outcome:
    charge = charges.new(
        call,
        amount=intent["amount"],
        currency=intent["currency"],
        details=charge_details(method, mandate),
        billing=method["billing_details"],
        payment_method=method["id"],
        intent=intent,
        status="pending",
        prefix="py",
    )
    charge["paid"] = False
    rail = RAILS[method["type"]]
    intent["status"] = "processing"
    intent["latest_charge"] = charge["id"]
    intent["next_action"] = None
    payment_attempts.save(call, intent, method, authenticated=True)
    call.emit("charge.pending", charge)
    call.emit("payment_intent.processing", intent)
    if test != "processing":
        late = test.endswith("_delayed") or (rail.flow == "redirect" and rail.delay > 0)
        wait = LATER if late else (0 if call.twin.clock.frozen else 2)
        call.schedule(call.now + wait, "rail.finish", intent["id"], timeline="", charge=charge["id"])
    return Outcome("processing", charge)


def _refused(call: Call, intent: JsonObject, method: JsonObject, test: str) -> Outcome:
    charge = charges.new(
        call,
        amount=intent["amount"],
        currency=intent["currency"],
        details=charge_details(method),
        billing=method["billing_details"],
        payment_method=method["id"],
        intent=intent,
        status="failed",
        captured=False,
        prefix="py",
    )
    charge["paid"] = False
    charge["failure_code"], charge["failure_message"] = test, FAILURES[test]
    return payment_attempts.failed(call, intent, method, _error(test), charge)


def _voucher(call: Call, intent: JsonObject, method: JsonObject, rail: Rail) -> Outcome:
    """Display the voucher; the billing e-mail says whether and when it is paid.

    Source: https://docs.stripe.com/payments/oxxo/accept-a-payment#test-integration
    """
    intent["status"] = "requires_action"
    intent["next_action"] = actions.of(call, intent, method, rail)
    intent["_voucher"] = method["id"]
    payment_attempts.save(call, intent, method, authenticated=True)
    call.emit("payment_intent.requires_action", intent)
    email = (method["billing_details"]["email"] or "").partition("@")[0]
    soon = 0 if call.twin.clock.frozen else 3
    if "fill_never" in email:
        return Outcome("requires_action")
    expires = "expire" in email
    wait = soon if "immediately" in email else LATER
    call.schedule(
        call.now + wait, "rail.voucher", intent["id"], timeline="", paid=not expires, method=method["id"]
    )
    return Outcome("requires_action")


def _soon(call: Call, rail: Rail) -> int:
    return rail.delay or (0 if call.twin.clock.frozen else 5)


def _error(failure: str) -> JsonObject:
    code = "payment_intent_payment_attempt_failed"
    return {
        "code": code,
        "decline_code": failure,
        "doc_url": "https://stripe.com/docs/error-codes/payment-intent-payment-attempt-failed",
        "message": FAILURES[failure],
        "type": "card_error",
    }


# What falls due


@due("rail.finish")
def _finish(call: Call, target: str, arguments: JsonObject) -> None:
    intent = call.edit("payment_intent", target)
    charge = call.edit("charge", arguments["charge"])
    if intent["status"] != "processing" or charge["status"] != "pending":
        return
    method = call.get("payment_method", charge["payment_method"])
    test = (method.get("_test") or "success").removesuffix("_delayed")
    fails = test if test in FAILURES else None
    finish(call, intent, charge, fails)


@due("rail.notified")
def _notified(call: Call, target: str, arguments: JsonObject) -> None:
    """The customer approves on the phone, unless the test e-mail says otherwise (`fail`, `timeout`)."""
    found = call.ledger.find(call.account, three_d_secure.KIND, target)
    if found is None or found["state"] != "pending":
        return
    intent = call.get(found["kind"], found["intent"])
    if intent["status"] != "requires_action" or intent.get("_source") != target:
        return
    method = call.get("payment_method", found["method"])
    email = (method["billing_details"]["email"] or "").partition("@")[0]
    three_d_secure.complete(call, target, succeeded="fail" not in email and "timeout" not in email)


@due("rail.voucher")
def _voucher_due(call: Call, target: str, arguments: JsonObject) -> None:
    intent = call.edit("payment_intent", target)
    if intent["status"] != "requires_action" or intent.get("_voucher") != arguments["method"]:
        return
    method = payment_methods.resolve(call, arguments["method"])
    if not arguments["paid"]:
        error = {
            "code": "payment_intent_payment_attempt_expired",
            "doc_url": "https://stripe.com/docs/error-codes/payment-intent-payment-attempt-expired",
            "message": "The payment attempt for this PaymentIntent has expired. You can provide payment_method_data or "
            "a new PaymentMethod to attempt to fulfill this PaymentIntent again.",
            "type": "invalid_request_error",
        }
        payment_attempts.failed(call, intent, method, error, None)
        return
    _approve(call, intent, method, None, held=False)
