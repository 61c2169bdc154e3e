"""One attempt to pay a PaymentIntent: ask the network, write the charge, move the intent on, tell of it.

`attempt` never raises for a decline: its outcome says so, and the intent and the failed charge are written. Callers
that answer a client turn it into the API's 402 with `refuse`.
Events of a success: `charge.succeeded`, `payment_intent.succeeded`; of an authorization: `charge.succeeded`,
`payment_intent.amount_capturable_updated`; of a failure: `charge.failed`, `payment_intent.payment_failed`.
Source: https://docs.stripe.com/payments/paymentintents/lifecycle
"""

from __future__ import annotations

from typing import NamedTuple

from trialbalance.twin.cards import network
from trialbalance.twin.cards.declines import Decline
from trialbalance.twin.cards.details import HOLD, charge_details, three_d_secure_result
from trialbalance.twin.cards.network import EXTRAS
from trialbalance.twin.errors import CardError, JsonObject
from trialbalance.twin.resources import charges, disputes, payment_methods, reviews, three_d_secure
from trialbalance.twin.wire.call import Call, due

KIND = "payment_intent"


ACTION_REQUIRED: JsonObject = {
    "code": "payment_intent_action_required",
    "doc_url": "https://stripe.com/docs/error-codes/payment-intent-action-required",
    "message": "The provided payment method requires customer actions to complete, but error_on_requires_action was "
    "set. If you'd like to add this payment method to your integration, we recommend that you first upgrade your "
    "integration to handle actions.",
    "type": "card_error",
}
"""What a payment method other than a card fails with that needs the customer, when nobody is there.

Source: https://docs.stripe.com/error-codes#payment-intent-action-required
"""


class Outcome(NamedTuple):
    """How an attempt ended.

    `status`: the intent's status now. `charge`: the charge made, if any. `error`: the intent's
    `last_payment_error` when the attempt failed.
    """

    status: str
    charge: JsonObject | None = None
    error: JsonObject | None = None

    @property
    def failed(self) -> bool:
        """Whether the payment method was declined."""
        return self.error is not None


def attempt(
    call: Call,
    intent: JsonObject,
    method: JsonObject,
    *,
    off_session: bool = False,
    authenticated: bool = False,
) -> Outcome:
    """Try to pay an edited intent with an edited payment method (see `payment_methods.resolve`)."""
    intent["payment_method"] = method["id"]
    intent["next_action"] = None
    intent["_off_session"] = off_session
    if method["type"] == "card":
        return _card(call, intent, method, off_session, authenticated)
    from trialbalance.twin.rails import flow

    outcome = flow.attempt(call, intent, method, off_session=off_session, authorised=authenticated)
    if outcome.status == "requires_action" and intent.get("_error_on_requires_action"):
        return failed(call, intent, method, ACTION_REQUIRED, None)
    return outcome


def refuse(intent: JsonObject, outcome: Outcome) -> CardError:
    """The 402 of a failed attempt; what was written stays written."""
    error = outcome.error or {}
    extra = {name: error[name] for name in EXTRAS if name in error}
    if "charge" in error:
        extra["charge"] = error["charge"]
    refusal = CardError(
        error["message"],
        param=error.get("param"),
        code=error["code"],
        **extra,
        payment_intent=intent,
        payment_method=error.get("payment_method"),
    )
    refusal.type = error.get("type", "card_error")
    if refusal.type != "card_error":
        refusal.status = 400
    return refusal


def option(intent: JsonObject, type: str, name: str) -> object:
    """A payment-method-specific option of an intent, falling back to the intent's own field."""
    chosen = ((intent.get("payment_method_options") or {}).get(type) or {}).get(name)
    if chosen == "none":
        return None
    return chosen if chosen is not None else intent.get(name)


def manual(intent: JsonObject, type: str) -> bool:
    """Whether a payment by `type` is only authorized now and captured later."""
    return option(intent, type, "capture_method") == "manual"


def _card(
    call: Call, intent: JsonObject, method: JsonObject, off_session: bool, authenticated: bool
) -> Outcome:
    card = payment_methods.card_of(method)
    options = intent["payment_method_options"].get("card") or {}
    at = network.Circumstances(
        call.now,
        off_session=off_session,
        set_up=bool(method.get("_set_up")),
        authenticated=authenticated or bool(options.get("_three_d_secure")),
        requested=options.get("request_three_d_secure") or "automatic",
        moto=bool(intent.get("_moto")),
        cvc_given=method["_cvc"],
        browser=call.api_key is not None and call.api_key.kind == "publishable",
    )
    shown = method["card"]
    verdict = network.authorize(card, at, exp_month=shown["exp_month"], exp_year=shown["exp_year"])
    if verdict.kind in ("authenticate", "captcha"):
        return _authenticate(call, intent, method, captcha=verdict.kind == "captcha")
    if verdict.decline is None or verdict.decline.charged:
        payment_methods.mark_checked(method)
    held = manual(intent, "card")
    secure = "authenticated" if authenticated and not card.captcha else verdict.attempted
    details = charge_details(
        call,
        card,
        method,
        amount=intent["amount"],
        approved=verdict.decline is None,
        manual=held,
        three_d_secure=three_d_secure_result(call, secure) if secure else None,
        mandate=intent.get("_mandate"),
        options=intent["payment_method_options"],
    )
    if verdict.decline is not None:
        return decline(call, intent, method, verdict.decline, details=details)
    charge = charges.new(
        call,
        amount=intent["amount"],
        currency=intent["currency"],
        details=details,
        billing=method["billing_details"],
        payment_method=method["id"],
        number=card.number,
        intent=intent,
        captured=not held,
    )
    return paid(call, intent, method, charge, held=held, authenticated=authenticated)


def paid(
    call: Call,
    intent: JsonObject,
    method: JsonObject,
    charge: JsonObject,
    *,
    held: bool,
    authenticated: bool = False,
) -> Outcome:
    """An approved charge: capture or hold it, save the method when asked, move the intent on."""
    intent["latest_charge"] = charge["id"]
    intent["last_payment_error"] = None
    intent["next_action"] = None
    intent["processing"] = None
    save(call, intent, method, authenticated=authenticated)
    if charge["outcome"]["type"] == "manual_review":
        reviews.open_for(call, charge, intent)
    if held:
        intent["status"] = "requires_capture"
        intent["amount_capturable"] = intent["amount"]
        call.emit("charge.succeeded", charge)
        call.emit("payment_intent.amount_capturable_updated", intent)
        call.schedule(call.now + HOLD, "payment_intent.expire", intent["id"], timeline="")
        return Outcome("requires_capture", charge)
    disputes.follow(call, charge)
    later = option(intent, method["type"], "capture_method") == "automatic_async"
    if later:
        charges.settle_later(call, charge)
    else:
        charges.settle(call, charge)
    intent["status"] = "succeeded"
    intent["amount_received"] = charge["amount_captured"]
    call.emit("charge.succeeded", charge)
    call.emit("payment_intent.succeeded", intent)
    return Outcome("succeeded", charge)


def save(call: Call, intent: JsonObject, method: JsonObject, *, authenticated: bool) -> None:
    """Attach the method for later use when the intent says so; otherwise a loose method is spent."""
    usage = option(intent, method["type"], "setup_future_usage")
    if usage == "off_session" and (authenticated or payment_or_free(method)):
        method["_set_up"] = True
    if method["customer"] is not None:
        return
    if usage and intent["customer"]:
        payment_methods.keep(call, method, intent["customer"])
    else:
        method["_used"] = True


def payment_or_free(method: JsonObject) -> bool:
    """Whether a method counts as set up without authentication: everything but cards that demand it."""
    return method["type"] != "card" or payment_methods.card_of(method).authentication not in (
        "always",
        "unless_set_up",
    )


def decline(
    call: Call,
    intent: JsonObject,
    method: JsonObject,
    reason: Decline,
    *,
    details: JsonObject,
) -> Outcome:
    """A refused attempt: the failed charge (if it got that far), the intent's error, the events."""
    charge = None
    if reason.charged:
        charge = charges.new(
            call,
            amount=intent["amount"],
            currency=intent["currency"],
            details=details,
            billing=method["billing_details"],
            payment_method=method["id"],
            number=method.get("_number"),
            intent=intent,
            decline=reason,
        )
    return failed(call, intent, method, reason.error(), charge)


def failed(
    call: Call, intent: JsonObject, method: JsonObject, error: JsonObject, charge: JsonObject | None
) -> Outcome:
    """Put a failed attempt into the intent, which wants another payment method now."""
    full = {
        **error,
        "payment_method": payment_methods.snapshot(method),
        "payment_method_type": method["type"],
    }
    if charge is not None:
        full["charge"] = charge["id"]
        intent["latest_charge"] = charge["id"]
        call.emit("charge.failed", charge)
    intent["last_payment_error"] = {name: full[name] for name in sorted(full)}
    intent["payment_method"] = None
    intent["next_action"] = None
    intent["processing"] = None
    intent["status"] = "requires_payment_method"
    intent["_authenticated"] = False
    call.emit("payment_intent.payment_failed", intent)
    return Outcome("requires_payment_method", charge, intent["last_payment_error"])


def _authenticate(call: Call, intent: JsonObject, method: JsonObject, *, captcha: bool = False) -> Outcome:
    if intent.get("_error_on_requires_action"):
        return failed(
            call,
            intent,
            method,
            {
                "code": "authentication_required",
                "decline_code": "authentication_not_handled",
                "doc_url": "https://stripe.com/docs/error-codes/authentication-required",
                "message": "This payment required an authentication action to complete, but `error_on_requires_action`"
                " was set. When you're ready, you can upgrade your integration to handle actions at "
                "https://stripe.com/docs/payments/payment-intents/upgrade-to-handle-actions.",
                "type": "card_error",
            },
            None,
        )
    intent["status"] = "requires_action"
    intent["last_payment_error"] = None
    intent["next_action"] = three_d_secure.begin(call, intent, method, page="captcha" if captcha else "3ds")
    call.emit("payment_intent.requires_action", intent)
    return Outcome("requires_action")


@due("payment_intent.expire")
def _expire(call: Call, target: str, arguments: JsonObject) -> None:
    """An authorization that nobody captured is released after seven days.

    Source: https://docs.stripe.com/payments/place-a-hold-on-a-payment-method
    """
    from trialbalance.twin.resources import payment_intents

    intent = call.edit(KIND, target)
    if intent["status"] == "requires_capture":
        payment_intents.cancel(call, intent, "automatic")
