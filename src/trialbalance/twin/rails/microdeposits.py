"""Verifying a bank account by two small deposits, or by the code in the description of one.

Source: https://docs.stripe.com/payments/ach-direct-debit/accept-a-payment#test-microdeposit-amounts-and-descriptor-codes
"""

from __future__ import annotations

from trialbalance.twin import sites
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources.payment_attempts import Outcome
from trialbalance.twin.wire.call import Call

RIGHT = ([32, 45], "SM11AA")
EXHAUSTED = ([10, 11], "SM33CC")
TIMEOUT = ([40, 41], "SM44DD")


def verified(intent: JsonObject, method: JsonObject) -> bool:
    """Whether the account needs no verification (any more)."""
    if method.get("_verified"):
        return True
    options = intent["payment_method_options"].get(method["type"]) or {}
    return options.get("verification_method") == "skip"


def demand(call: Call, intent: JsonObject, method: JsonObject) -> Outcome:
    """Send the deposits and wait for their verification."""
    from trialbalance.twin.resources import payment_attempts, setup_attempts, setup_intents

    kind = intent["object"]
    if method.get("_test") == "microdeposits_fail":
        error = {
            "code": "payment_method_microdeposit_failed",
            "doc_url": "https://stripe.com/docs/error-codes/payment-method-microdeposit-failed",
            "message": "Microdeposit transfers to the bank account failed. Please check the provided bank account.",
            "type": "card_error",
        }
        if kind == "setup_intent":
            return setup_intents.failed(call, intent, method, error)
        return payment_attempts.failed(call, intent, method, error, None)
    two_days = (call.now // 86400 + 2) * 86400
    intent["status"] = "requires_action"
    intent["_deposits"] = 0
    intent["next_action"] = {
        "type": "verify_with_microdeposits",
        "verify_with_microdeposits": {
            "arrival_date": two_days,
            "hosted_verification_url": sites.page(
                call.twin, "payments", f"microdeposit/{intent['client_secret']}"
            ),
            "microdeposit_type": "descriptor_code" if method["type"] == "us_bank_account" else "amounts",
        },
    }
    if kind == "setup_intent":
        setup_attempts.record(call, intent, method, "requires_action")
    call.emit(f"{kind}.requires_action", intent)
    return Outcome("requires_action")


def verify(call: Call, intent: JsonObject) -> JsonObject:
    """Check what the customer saw on the statement; the intent goes on when it is right.

    Raises:
        InvalidRequest: the intent waits for something else, or the values are wrong.
    """
    from trialbalance.twin.resources import (
        intent_fields,
        payment_attempts,
        payment_methods,
        setup_intents,
    )

    params = call.params
    name = intent_fields.NAMES[intent["object"]]
    action = (intent["next_action"] or {}).get("type")
    with intent_fields.carrying(call, intent):
        amounts = params.plain("amounts") or None
        code = params.get("descriptor_code") or None
        if intent["status"] != "requires_action" or action != "verify_with_microdeposits":
            raise InvalidRequest(
                f"This {name} cannot be actioned on because it has a status of {intent['status']}. Only a {name} with "
                'one of the following statuses may be actioned on: ["requires_action"].',
                code="intent_invalid_state",
            )
        if (amounts is None) == (code is None):
            raise InvalidRequest(
                "You must pass exactly one of `amounts` and `descriptor_code`.", param="amounts"
            )
        if amounts is not None and len(amounts) != 2:
            raise InvalidRequest(
                "You must provide exactly two microdeposit amounts.",
                param="amounts",
                code="payment_method_microdeposit_verification_amounts_invalid",
            )
    method = payment_methods.resolve(call, intent["payment_method"])
    sent = (sorted(amounts) if amounts is not None else None, code)

    def is_(pair: tuple[list[int], str]) -> bool:
        return sent[0] == pair[0] or sent[1] == pair[1]

    if is_(TIMEOUT) or is_(EXHAUSTED):
        timeout = is_(TIMEOUT)
        error_code = (
            "payment_method_microdeposit_verification_timeout"
            if timeout
            else "payment_method_microdeposit_verification_attempts_exceeded"
        )
        error = {
            "code": error_code,
            "doc_url": f"https://stripe.com/docs/error-codes/{error_code.replace('_', '-')}",
            "message": "Microdeposit verification timed out."
            if timeout
            else "You have exceeded the number of allowed verification attempts.",
            "type": "card_error",
        }
        if intent["object"] == "setup_intent":
            raise setup_intents.refuse(intent, setup_intents.failed(call, intent, method, error))
        raise payment_attempts.refuse(intent, payment_attempts.failed(call, intent, method, error, None))
    if not is_(RIGHT):
        raise InvalidRequest(
            "The amounts provided do not match the amounts that were sent to the bank account."
            if amounts is not None
            else "The descriptor code provided does not match the one that was sent to the bank account.",
            code="payment_method_microdeposit_verification_amounts_mismatch"
            if amounts is not None
            else "payment_method_microdeposit_verification_descriptor_code_mismatch",
        )
    method["_verified"] = True
    if intent["object"] == "setup_intent":
        setup_intents.attempt(call, intent, method, authenticated=True)
    else:
        payment_attempts.attempt(
            call, intent, method, off_session=bool(intent.get("_off_session")), authenticated=True
        )
    return intent
