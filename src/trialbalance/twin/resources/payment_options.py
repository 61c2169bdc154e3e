"""Which payment method types an intent offers, and its per-type options.

Dynamic payment methods come from the account's payment method configuration, filtered by currency, by
`allow_redirects`, by capture and future use, and by the allowed and excluded lists.
Source: https://docs.stripe.com/payments/payment-methods/dynamic-payment-methods
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.rails.table import RAILS, REDIRECTS
from trialbalance.twin.resources import payment_method_configurations as configurations
from trialbalance.twin.wire.call import Call

PAYMENT: dict[str, JsonObject] = {
    "card": {
        "installments": None,
        "mandate_options": None,
        "network": None,
        "request_three_d_secure": "automatic",
    },
    "link": {"persistent_token": None},
    "us_bank_account": {"mandate_options": {}, "verification_method": "automatic"},
    "acss_debit": {
        "mandate_options": {"interval_description": None, "payment_schedule": None, "transaction_type": None},
        "verification_method": "automatic",
    },
    "klarna": {"preferred_locale": None},
    "afterpay_clearpay": {"reference": None},
    "bancontact": {"preferred_language": "en"},
    "paypal": {"preferred_locale": None, "reference": None},
    "wechat_pay": {"app_id": None, "client": "web"},
    "customer_balance": {"bank_transfer": None, "funding_type": None},
    "oxxo": {"expires_after_days": 3},
    "boleto": {"expires_after_days": 3},
    "konbini": {
        "confirmation_number": None,
        "expires_after_days": None,
        "expires_at": None,
        "product_description": None,
    },
    "pix": {"amount_includes_iof": "never", "expires_after_seconds": 86400, "expires_at": None},
}
"""What a PaymentIntent's options say by default."""
SETUP: dict[str, JsonObject] = {
    "card": {"mandate_options": None, "network": None, "request_three_d_secure": "automatic"},
    "us_bank_account": {"mandate_options": {}, "verification_method": "automatic"},
    "acss_debit": {
        "currency": None,
        "mandate_options": {"interval_description": None, "payment_schedule": None, "transaction_type": None},
        "verification_method": "automatic",
    },
}


def choose(
    call: Call,
    *,
    explicit: list[str] | None,
    allowed: list[str] | None,
    excluded: list[str] | None,
    automatic: JsonObject | None,
    configuration: str | None,
    currency: str | None,
    setup: bool,
    manual: bool = False,
) -> tuple[list[str], JsonObject | None, JsonObject | None]:
    """The types offered, `automatic_payment_methods`, and `payment_method_configuration_details`.

    Raises:
        InvalidRequest: unknown or incompatible types, or contradicting parameters.
    """
    if automatic is not None and not automatic.get("enabled"):
        automatic = None
        explicit = explicit or ["card"]
    if explicit is not None:
        if automatic is not None:
            raise InvalidRequest(
                "You may only specify one of these parameters: automatic_payment_methods, payment_method_types.",
                param="payment_method_types",
            )
        for position, type in enumerate(explicit):
            check(type, currency, param=f"payment_method_types[{position}]")
        return list(dict.fromkeys(explicit)), None, None
    found = configurations.of(call, configuration)
    settings = automatic or {"enabled": True}
    redirects = settings.get("allow_redirects") or "always"
    pool = allowed if allowed is not None else configurations.types(found)
    offered = [
        type
        for type in dict.fromkeys(pool)
        if type not in (excluded or ())
        and (type == "card" or type in RAILS)
        and (redirects == "always" or type not in REDIRECTS)
        and _fits(type, currency, setup, manual)
    ]
    if not offered:
        raise InvalidRequest(
            "No valid payment method types for this Payment Intent. Please ensure that you have activated payment "
            "methods compatible with your chosen currency in your dashboard "
            "(https://dashboard.stripe.com/settings/payment_methods).",
            code="payment_intent_incompatible_payment_method" if not setup else None,
        )
    return (
        offered,
        {"allow_redirects": redirects, "enabled": True},
        {"id": found["id"], "parent": found["parent"]},
    )


def _fits(type: str, currency: str | None, setup: bool, manual: bool) -> bool:
    if type == "card":
        return True
    rail = RAILS[type]
    if setup and not rail.saved_by_setup:
        return False
    if manual and not rail.manual_capture:
        return False
    return currency is None or rail.takes(currency)


def check(type: str, currency: str | None, *, param: str) -> None:
    """Refuse a type that does not exist or does not take the currency."""
    if type == "card":
        return
    rail = RAILS.get(type)
    if rail is None:
        raise InvalidRequest(
            f'The payment method type "{type}" is invalid. Please ensure the provided type is activated in your '
            "dashboard (https://dashboard.stripe.com/account/payments/settings) and your account is enabled for any "
            "preview features that you are trying to use. See https://stripe.com/docs/payments/payment-methods/"
            "integration-options for supported payment method, currency, and country combinations.",
            param=param,
        )
    if currency is not None and not rail.takes(currency):
        listed = ", ".join(sorted(rail.currencies))
        raise InvalidRequest(
            f"The currency provided ({currency}) is invalid. Payments with {type} support the following currencies: "
            f"{listed}.",
            param=param,
            code="payment_intent_invalid_currency",
        )


def defaults(types: list[str], given: JsonObject | None, *, setup: bool) -> JsonObject:
    """The options as the intent shows them: the types' defaults, overlaid with what was sent."""
    base = SETUP if setup else PAYMENT
    sent = given or {}
    shown: JsonObject = {}
    for type in sorted({*types, *sent}):
        default = base.get(type)
        own = {k: v for k, v in (sent.get(type) or {}).items() if v != ""}
        if default is None and not own and (setup or type == "link"):
            continue
        merged = {**(default or {}), **own}
        secret = merged.pop("cvc_token", None)
        if secret:
            merged["_cvc_token"] = secret
        if merged.pop("moto", None):
            merged["_moto"] = True
        if "three_d_secure" in merged:
            merged["_three_d_secure"] = merged.pop("three_d_secure")
        shown[type] = {name: merged[name] for name in sorted(merged)}
    return shown


def overlay(before: JsonObject, types: list[str], given: Any, *, setup: bool) -> JsonObject:
    """The options after an update or a confirmation that sent some."""
    if not given:
        return before
    merged = {type: {**before.get(type, {}), **(options or {})} for type, options in given.items()}
    return defaults(types, {**before, **merged}, setup=setup)
