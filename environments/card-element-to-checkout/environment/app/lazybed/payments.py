"""Everything the shop says to Stripe."""

from __future__ import annotations

from collections.abc import Mapping

import stripe

from .config import STRIPE_API_VERSION, Config
from .orders import Order


class PaymentTrouble(Exception):
    """Stripe could not be reached or refused; nothing has been charged."""


class BadSignature(Exception):
    """A webhook call was not signed by Stripe with our secret."""


class Payments:
    def __init__(self, config: Config) -> None:
        self._webhook_secret = config.stripe_webhook_secret
        stripe.api_key = config.stripe_secret_key
        stripe.api_version = STRIPE_API_VERSION
        stripe.max_network_retries = 1

    def start(self, order: Order) -> Mapping[str, object]:
        """A PaymentIntent for the whole of `order`. Asking twice for one order gives the same one."""
        address = order.address
        try:
            return stripe.PaymentIntent.create(
                amount=order.total,
                currency=order.currency,
                payment_method_types=["card"],
                description=f"Lazybed order {order.number}",
                receipt_email=order.email,
                metadata={"order": order.number, "discount_code": order.discount_code or ""},
                shipping={
                    "name": address.name,
                    "address": {
                        "line1": address.line1,
                        "line2": address.line2 or None,
                        "city": address.city,
                        "state": address.region or None,
                        "postal_code": address.postcode,
                        "country": address.country,
                    },
                },
                idempotency_key=f"lazybed-{order.receipt_token}",
            )
        except stripe.error.StripeError as error:
            raise PaymentTrouble(str(error)) from error

    def find(self, reference: str) -> Mapping[str, object]:
        """The PaymentIntent as Stripe has it now."""
        try:
            return stripe.PaymentIntent.retrieve(reference)
        except stripe.error.StripeError as error:
            raise PaymentTrouble(str(error)) from error

    def refund(self, reference: str) -> Mapping[str, object]:
        """Give back the whole of a payment."""
        try:
            return stripe.Refund.create(payment_intent=reference, idempotency_key=f"lazybed-refund-{reference}")
        except stripe.error.StripeError as error:
            raise PaymentTrouble(str(error)) from error

    def event(self, payload: bytes, signature: str) -> Mapping[str, object]:
        """The event in a webhook call, once its signature has been checked."""
        try:
            return stripe.Webhook.construct_event(payload, signature, self._webhook_secret)
        except (ValueError, stripe.error.SignatureVerificationError) as error:
            raise BadSignature(str(error)) from error
