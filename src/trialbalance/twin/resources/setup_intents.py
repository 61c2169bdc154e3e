"""SetupIntents: save a payment method for later, authenticated where its bank wants that, without a payment.

States as of a PaymentIntent, without capture. A success attaches the payment method to the customer and marks it
set up for off-session use. As recorded, `usage` is always `off_session` whatever was asked.
Hidden state: as of PaymentIntents.
Source: https://docs.stripe.com/api/setup_intents
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trialbalance.twin.cards import network
from trialbalance.twin.cards.network import EXTRAS
from trialbalance.twin.errors import CardError, InvalidRequest, JsonObject
from trialbalance.twin.rails.table import RAILS
from trialbalance.twin.resources import (
    intent_fields,
    mandates,
    payment_methods,
    payment_options,
    setup_attempts,
    three_d_secure,
)
from trialbalance.twin.resources.payment_attempts import Outcome
from trialbalance.twin.wire.call import Call, endpoint, own_parameters

KIND = "setup_intent"
OPEN = ("requires_payment_method", "requires_confirmation", "requires_action")

own_parameters("POST /v1/setup_intents/{intent}/confirm", client_secret="str")
own_parameters("POST /v1/setup_intents/{intent}/cancel", client_secret="str")
intent_fields.take_cards("POST /v1/setup_intents", "POST /v1/setup_intents/{intent}/confirm")


@endpoint("POST /v1/setup_intents")
def create(call: Call) -> JsonObject:
    """A new intent; `confirm=true` also sets the payment method up."""
    params = call.params
    call.unsupported("customer_account", "single_use", "attach_to_self")
    params.ignore("usage")  # recorded: the answer says off_session in any case
    customer = params.get("customer") or None
    if customer:
        call.get("customer", customer, param="customer")
    intent = blank(
        call,
        customer=customer,
        types=intent_fields.types(call, None, setup=True),
        options=params.plain("payment_method_options") or None,
        flow_directions=params.plain("flow_directions") or None,
        on_behalf_of=_on_behalf_of(call),
    )
    _describe(call, intent)
    call.insert(intent)
    method = intent_fields.chosen_method(call, intent)
    if method is not None:
        _take(call, intent, method)
    confirm_now = bool(params.get("confirm"))
    if not confirm_now:
        for name in ("mandate_data", "return_url"):
            if dict.get(params, name) not in (None, ""):
                raise InvalidRequest(
                    f"The parameter `{name}` can only be used when `confirm` is `true`.", param=name
                )
        params.ignore("use_stripe_sdk", "mandate_data", "return_url")
    call.emit("setup_intent.created", intent)
    return _confirm(call, intent, method) if confirm_now else intent


@endpoint("GET /v1/setup_intents/{intent}", browser=True)
def retrieve(call: Call) -> JsonObject:
    """One intent; a publishable key needs its client secret."""
    intent = call.get(KIND, call.path["intent"], param="intent")
    intent_fields.check_secret(call, intent)
    return intent_fields.for_browser(call, intent)


@endpoint("GET /v1/setup_intents")
def list_(call: Call) -> JsonObject:
    """Intents, newest first."""
    call.unsupported("customer_account", "attach_to_self")
    params = call.params
    return call.list(
        KIND, where={"customer": params.get("customer"), "payment_method": params.get("payment_method")}
    )


@endpoint("POST /v1/setup_intents/{intent}")
def update(call: Call) -> JsonObject:
    """Change an intent that is not done; description and metadata may change later too."""
    intent = call.edit(KIND, call.path["intent"], param="intent")
    params = call.params
    with intent_fields.carrying(call, intent):
        call.unsupported("customer_account", "attach_to_self")
        closed = {"succeeded": "it has already succeeded", "canceled": "it has been canceled"}
        for name in (
            "customer",
            "payment_method",
            "payment_method_data",
            "payment_method_types",
            "payment_method_options",
        ):
            if dict.__contains__(params, name) and intent["status"] in closed:
                raise InvalidRequest(
                    f"You cannot update this SetupIntent because {closed[intent['status']]}.",
                    code="setup_intent_unexpected_state",
                )
        if "customer" in params:
            customer = params["customer"] or None
            if customer:
                call.get("customer", customer, param="customer")
            intent["customer"] = customer
            call.ledger.reindex(call.account, KIND, intent)
        chosen = intent_fields.types(call, None, setup=True, intent=intent)
        if chosen is not None:
            intent_fields.put_types(intent, chosen)
        if "flow_directions" in params:
            intent["flow_directions"] = params.plain("flow_directions") or None
        _options(call, intent)
        _describe(call, intent)
        method = intent_fields.chosen_method(call, intent)
        if method is not None:
            _take(call, intent, method)
    return intent


@endpoint("POST /v1/setup_intents/{intent}/confirm", browser=True)
def confirm(call: Call) -> JsonObject:
    """Set the payment method up: 402 when declined, `requires_action` when the customer must act."""
    intent = call.edit(KIND, call.path["intent"], param="intent")
    intent_fields.check_secret(call, intent)
    with intent_fields.carrying(call, intent):
        if intent["status"] == "succeeded":
            raise InvalidRequest(
                "You cannot confirm this SetupIntent because it has already succeeded.",
                code="setup_intent_unexpected_state",
            )
        if intent["status"] not in OPEN:
            raise InvalidRequest(
                "You cannot confirm this SetupIntent because it has been canceled."
                if intent["status"] == "canceled"
                else f"You cannot confirm this SetupIntent because it has a status of {intent['status']}.",
                code="setup_intent_unexpected_state",
            )
        if "allowed_payment_method_types" in call.params:
            chosen = intent_fields.types(call, None, setup=True, intent=intent)
            if chosen is not None:
                intent_fields.put_types(intent, chosen)
        _options(call, intent)
        method = intent_fields.chosen_method(call, intent)
        if method is not None:
            _take(call, intent, method)
        elif intent["payment_method"]:
            method = payment_methods.resolve(call, intent["payment_method"])
    return intent_fields.for_browser(call, _confirm(call, intent, method))


@endpoint("POST /v1/setup_intents/{intent}/cancel", browser=True)
def cancel_(call: Call) -> JsonObject:
    """Cancel an intent that is not done."""
    intent = call.edit(KIND, call.path["intent"], param="intent")
    intent_fields.check_secret(call, intent)
    with intent_fields.carrying(call, intent):
        if intent["status"] == "canceled":
            raise InvalidRequest(
                "You cannot cancel this SetupIntent because it is already canceled.",
                code="setup_intent_unexpected_state",
            )
        if intent["status"] not in OPEN:
            raise InvalidRequest(
                f"You cannot cancel this SetupIntent because it has a status of {intent['status']}. Only a SetupIntent "
                "with one of the following statuses may be canceled: `requires_payment_method`, "
                "`requires_confirmation`, or `requires_action`.",
                code="setup_intent_unexpected_state",
            )
    return cancel(call, intent, call.params.get("cancellation_reason") or None)


@endpoint("POST /v1/setup_intents/{intent}/verify_microdeposits", browser=True)
def verify_microdeposits(call: Call) -> JsonObject:
    """Verify the bank account an intent waits for, by its two amounts or the descriptor code."""
    from trialbalance.twin.rails import microdeposits

    intent = call.edit(KIND, call.path["intent"], param="intent")
    intent_fields.check_secret(call, intent)
    return intent_fields.for_browser(call, microdeposits.verify(call, intent))


# For other resources, inside their transactions


def make(
    call: Call,
    *,
    customer: str | None = None,
    payment_method: str | None = None,
    payment_method_types: list[str] | None = None,
    payment_method_options: JsonObject | None = None,
    payment_method_configuration: str | None = None,
    excluded_payment_method_types: list[str] | None = None,
    confirm: bool = False,
    return_url: str | None = None,
    metadata: Mapping[str, str] | None = None,
    description: str | None = None,
    on_behalf_of: str | None = None,
    hidden: Mapping[str, Any] | None = None,
) -> JsonObject:
    """A new intent for another resource; with `confirm` it is attempted at once. No exception for a decline."""
    types = payment_options.choose(
        call,
        explicit=payment_method_types,
        allowed=None,
        excluded=excluded_payment_method_types,
        automatic=None,
        configuration=payment_method_configuration,
        currency=None,
        setup=True,
    )
    intent = blank(
        call,
        customer=customer,
        types=types,
        options=payment_method_options,
        metadata=dict(metadata or {}),
        description=description,
        on_behalf_of=on_behalf_of,
    )
    intent["_return_url"] = return_url
    intent |= dict(hidden or {})
    call.insert(intent)
    method = None
    if payment_method is not None:
        method = payment_methods.resolve(call, payment_method)
        _take(call, intent, method)
    call.emit("setup_intent.created", intent)
    if confirm and method is not None:
        attempt(call, intent, method)
    return intent


def cancel(call: Call, intent: JsonObject, reason: str | None = None) -> JsonObject:
    """Cancel an edited intent."""
    intent["status"] = "canceled"
    intent["cancellation_reason"] = reason
    intent["next_action"] = None
    call.emit("setup_intent.canceled", intent)
    return intent


def attempt(call: Call, intent: JsonObject, method: JsonObject, *, authenticated: bool = False) -> Outcome:
    """Try to set an edited payment method up for an edited intent; a decline is in the outcome."""
    intent["payment_method"] = method["id"]
    intent["next_action"] = None
    if method["type"] == "card":
        shown = method["card"]
        at = network.Circumstances(
            call.now,
            authenticated=authenticated,
            requested=(intent["payment_method_options"].get("card") or {}).get("request_three_d_secure")
            or "automatic",
            moto=bool((intent["payment_method_options"].get("card") or {}).get("_moto")),
            cvc_given=method["_cvc"],
        )
        verdict = network.setup(
            payment_methods.card_of(method), at, exp_month=shown["exp_month"], exp_year=shown["exp_year"]
        )
        if verdict.kind == "authenticate":
            intent["status"] = "requires_action"
            intent["last_setup_error"] = None
            intent["next_action"] = three_d_secure.begin(call, intent, method)
            setup_attempts.record(call, intent, method, "requires_action")
            call.emit("setup_intent.requires_action", intent)
            return Outcome("requires_action")
        payment_methods.mark_checked(method)
        if verdict.decline is not None:
            return failed(call, intent, method, verdict.decline.error())
        return succeeded(call, intent, method)
    from trialbalance.twin.rails import flow

    return flow.set_up(call, intent, method, authorised=authenticated)


def succeeded(call: Call, intent: JsonObject, method: JsonObject) -> Outcome:
    """Finish: attach the method to the customer, mark it set up, tell of it."""
    if intent["customer"] and method["customer"] is None:
        payment_methods.keep(call, method, intent["customer"])
    method["_set_up"] = True
    rail = RAILS.get(method["type"])
    intent["mandate"] = mandates.open_for(call, intent, method, multi_use=True)
    intent["payment_method"] = method["id"]
    intent["status"] = "succeeded"
    intent["last_setup_error"] = None
    intent["next_action"] = None
    setup_attempts.record(call, intent, method, "succeeded", saved_as=rail.saves_as if rail else None)
    call.emit("setup_intent.succeeded", intent)
    return Outcome("succeeded")


def failed(call: Call, intent: JsonObject, method: JsonObject, error: JsonObject) -> Outcome:
    """Put a failed attempt into the intent, which wants another payment method now."""
    full = {**error, "payment_method": payment_methods.snapshot(method)}
    intent["last_setup_error"] = {name: full[name] for name in sorted(full)}
    intent["payment_method"] = None
    intent["next_action"] = None
    intent["status"] = "requires_payment_method"
    setup_attempts.record(call, intent, method, "failed", error=intent["last_setup_error"])
    call.emit("setup_intent.setup_failed", intent)
    return Outcome("requires_payment_method", None, intent["last_setup_error"])


def resume(call: Call, intent: JsonObject, *, succeeded: bool) -> None:
    """Go on after the customer authorised, or did not."""
    method = payment_methods.resolve(call, intent["payment_method"])
    if not succeeded:
        failed(call, intent, method, three_d_secure.failure(KIND))
        return
    attempt(call, intent, method, authenticated=True)


def blank(
    call: Call,
    *,
    customer: str | None,
    types: tuple[list[str], JsonObject | None, JsonObject | None],
    options: JsonObject | None,
    **fields: Any,
) -> JsonObject:
    """A new intent in its first state, not stored yet."""
    offered, automatic, configuration = types
    intent = call.new(
        KIND,
        "seti",
        automatic_payment_methods=automatic,
        customer=customer,
        managed_payments={"enabled": False},
        payment_method_configuration_details=configuration,
        payment_method_options=payment_options.defaults(offered, options, setup=True),
        payment_method_types=offered,
        status="requires_payment_method",
        usage="off_session",
        **fields,
    )
    intent["client_secret"] = f"{intent['id']}_secret_{call.twin.ids.random(31)}"
    return intent


# Steps


def _describe(call: Call, intent: JsonObject) -> None:
    call.assign(intent, "description")
    for name in ("allowed_payment_method_types", "excluded_payment_method_types"):
        if name in call.params:
            intent[name] = call.params.plain(name) or None
    call.merge_metadata(intent)


def _options(call: Call, intent: JsonObject) -> None:
    intent["payment_method_options"] = payment_options.overlay(
        intent["payment_method_options"],
        intent["payment_method_types"],
        call.params.plain("payment_method_options"),
        setup=True,
    )


def _on_behalf_of(call: Call) -> str | None:
    account = call.params.get("on_behalf_of") or None
    if account:
        call.get("account", account, param="on_behalf_of")
    return account


def _take(call: Call, intent: JsonObject, method: JsonObject) -> None:
    payment_methods.check_owner(method, intent["customer"], intent="SetupIntent")
    intent_fields.check_type(intent, method)
    intent["payment_method"] = method["id"]
    if intent["status"] in ("requires_payment_method", "requires_action"):
        intent["status"] = "requires_confirmation"
        intent["next_action"] = None


def _confirm(call: Call, intent: JsonObject, method: JsonObject | None) -> JsonObject:
    with intent_fields.carrying(call, intent):
        if method is None:
            raise InvalidRequest(
                "You cannot confirm this SetupIntent because it's missing a payment method. You can either update the "
                "SetupIntent with a payment method and then confirm it again, or confirm it again directly with a "
                "payment method or ConfirmationToken.",
                code="setup_intent_unexpected_state",
            )
        intent_fields.remember_return(call, intent)
        mandates.accept(call, intent, method)
    outcome = attempt(call, intent, method)
    if outcome.failed:
        raise refuse(intent, outcome)
    return intent


def refuse(intent: JsonObject, outcome: Outcome) -> CardError:
    """The 402 of a failed attempt; what was written stays written."""
    error = outcome.error or {}
    refusal = CardError(
        error["message"],
        param=error.get("param"),
        code=error["code"],
        **{name: error[name] for name in EXTRAS if name in error},
        payment_method=error.get("payment_method"),
        setup_intent=intent,
    )
    refusal.type = error.get("type", "card_error")
    if refusal.type != "card_error":
        refusal.status = 400
    return refusal


__all__ = ["attempt", "cancel", "make"]
