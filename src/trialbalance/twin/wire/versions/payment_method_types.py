"""How callers say which payment methods they take: `payment_method_types` until endive."""

from __future__ import annotations

from typing import Any, ClassVar

from trialbalance.twin.errors import InvalidRequest
from trialbalance.twin.wire.versions.base import VersionChange

TYPES = {"payment_method_types": {"array": "str"}}


class RemovesPaymentMethodTypesFromIntents(VersionChange):
    """Before: intents took `payment_method_types`. After: they are computed, and only narrowed or excluded."""

    version = "2026-09-30.endive"
    description = "Payment Intents and Setup Intents no longer take payment_method_types."
    source = (
        "https://docs.stripe.com/changelog/endive/2026-09-30/"
        "removes-the-payment-method-types-parameter-from-payment-intents-and-setup-intents"
    )
    accepts: ClassVar[dict[str, dict[str, Any]]] = {
        "POST /v1/payment_intents": TYPES,
        "POST /v1/payment_intents/{intent}": TYPES,
        "POST /v1/payment_intents/{intent}/confirm": TYPES,
        "POST /v1/setup_intents": TYPES,
        "POST /v1/setup_intents/{intent}": TYPES,
    }

    def refusal(self, name: str) -> InvalidRequest:
        """400 with a code of its own."""
        return InvalidRequest(
            "The `payment_method_types` parameter is no longer supported. Use dynamic payment methods, or limit them "
            "with `allowed_payment_method_types` or `excluded_payment_method_types`.",
            param=name,
            code="payment_method_types_no_longer_supported",
        )


class RemovesPaymentMethodTypesFromCheckoutSessions(VersionChange):
    """Before: `POST /v1/checkout/sessions` took `payment_method_types`."""

    version = "2026-09-30.endive"
    description = "Checkout Sessions no longer take payment_method_types."
    source = (
        "https://docs.stripe.com/changelog/endive/2026-09-30/remove-payment-method-types-checkout-sessions"
    )
    accepts: ClassVar[dict[str, dict[str, Any]]] = {"POST /v1/checkout/sessions": TYPES}
