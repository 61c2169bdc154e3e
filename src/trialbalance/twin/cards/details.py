"""What objects say about a card: a payment method's `card`, a charge's `payment_method_details.card`.

Source: https://docs.stripe.com/api/payment_methods/object and https://docs.stripe.com/api/charges/object
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trialbalance.twin.cards.network import fingerprint, network_transaction_id
from trialbalance.twin.cards.table import TestCard
from trialbalance.twin.errors import JsonObject

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call

HOLD = 7 * 24 * 3600
"""How long an uncaptured authorization is held.

Source: https://docs.stripe.com/payments/place-a-hold-on-a-payment-method
"""


def card_hash(call: Call, card: TestCard, *, exp_month: int, exp_year: int, cvc_given: bool) -> JsonObject:
    """The `card` hash of a new payment method."""
    networks = list(card.networks) or [card.brand]
    return {
        "brand": card.brand,
        "checks": {
            "address_line1_check": None,
            "address_postal_code_check": None,
            "cvc_check": "unchecked" if cvc_given else None,
        },
        "country": card.country,
        "display_brand": "american_express" if card.brand == "amex" else networks[0],
        "exp_month": exp_month,
        "exp_year": exp_year,
        "fingerprint": fingerprint(card.number, call.twin.account),
        "funding": card.funding,
        "generated_from": None,
        "last4": card.last4,
        "networks": {"available": networks, "preferred": None},
        "regulated_status": "unregulated",
        "three_d_secure_usage": {"supported": card.authentication != "unsupported"},
        "wallet": None,
    }


def checks_of(card: TestCard, billing: JsonObject, *, cvc_given: bool) -> JsonObject:
    """The issuer's checks of what was given: security code, street, postal code."""
    address = billing.get("address") or {}
    return {
        "address_line1_check": card.line1 if address.get("line1") else None,
        "address_postal_code_check": card.postal if address.get("postal_code") else None,
        "cvc_check": ("fail" if card.cvc_fails or card.decline == "incorrect_cvc" else "pass")
        if cvc_given
        else None,
    }


def charge_details(
    call: Call,
    card: TestCard,
    method: JsonObject,
    *,
    amount: int,
    approved: bool,
    manual: bool,
    three_d_secure: JsonObject | None,
    mandate: str | None,
    options: JsonObject,
) -> JsonObject:
    """The `payment_method_details` of a card charge."""
    shown = method["card"]
    preferred = shown["networks"]["preferred"]
    details: dict[str, Any] = {
        "amount_authorized": amount if approved else None,
        "authorization_code": f"{call.twin.ids.integer(0, 999999):06d}",
        "brand": card.brand,
        "checks": dict(shown["checks"]),
        "country": card.country,
        "electronic_commerce_indicator": "05"
        if (three_d_secure or {}).get("result") == "authenticated"
        else "07",
        "exp_month": shown["exp_month"],
        "exp_year": shown["exp_year"],
        "extended_authorization": {"status": "disabled"},
        "fingerprint": shown["fingerprint"],
        "funding": card.funding,
        "incremental_authorization": {
            "status": "available" if _wants(options, "request_incremental_authorization") else "unavailable"
        },
        "installments": None,
        "last4": card.last4,
        "mandate": mandate,
        "multicapture": {
            "status": "available" if manual and _wants(options, "request_multicapture") else "unavailable"
        },
        "network": preferred or card.brand,
        "network_token": {"used": False},
        "network_transaction_id": network_transaction_id(card.number, call.twin.account),
        "overcapture": {
            "maximum_amount_capturable": overcapture_limit(amount)
            if manual and _wants(options, "request_overcapture")
            else amount,
            "status": "available" if manual and _wants(options, "request_overcapture") else "unavailable",
        },
        "regulated_status": "unregulated",
        "three_d_secure": three_d_secure,
        "transaction_link_id": None,
        "wallet": shown["wallet"],
    }
    if manual and approved:
        details["capture_before"] = call.now + HOLD
    return {"card": dict(sorted(details.items())), "type": "card"}


def overcapture_limit(amount: int) -> int:
    """How much of an authorization may be captured with overcapture: twenty per cent more.

    Source: https://docs.stripe.com/payments/overcapture
    """
    return amount + amount * 20 // 100


def _wants(options: JsonObject, feature: str) -> bool:
    return (options.get("card") or {}).get(feature) == "if_available"


def three_d_secure_result(call: Call, result: str) -> JsonObject:
    """The outcome of 3-D Secure on a charge: `authenticated`, `attempt_acknowledged`, `processing_error`."""
    digits = call.twin.ids.random(32, "0123456789abcdef")
    uuid = "-".join((digits[:8], digits[8:12], "4" + digits[13:16], "a" + digits[17:20], digits[20:]))
    return {
        "authentication_flow": "challenge" if result == "authenticated" else None,
        "electronic_commerce_indicator": {"authenticated": "05", "attempt_acknowledged": "06"}.get(result),
        "exemption_indicator": None,
        "exemption_indicator_applied": None,
        "result": result,
        "result_reason": None if result == "authenticated" else "protocol_error",
        "transaction_id": uuid,
        "version": "2.2.0",
    }
