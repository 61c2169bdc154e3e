"""Everything the shop says to Stripe: Checkout over plain HTTP, the rest through the SDK."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import requests
import stripe

from .config import STRIPE_API_VERSION, Config

API = "https://api.stripe.com/v1"
CHECKOUT_VERSION = "2024-06-20"


class PaymentTrouble(Exception):
    """Stripe could not be reached or refused; nothing has been charged."""


class BadSignature(Exception):
    """A webhook call was not signed by Stripe with our secret."""


class Payments:
    def __init__(self, config: Config) -> None:
        self._webhook_secret = config.stripe_webhook_secret
        self._key = config.stripe_secret_key
        stripe.api_key = config.stripe_secret_key
        stripe.api_version = STRIPE_API_VERSION
        stripe.max_network_retries = 1

    def start(
        self,
        *,
        lines: Sequence[tuple[str | None, int]],
        currency: str,
        shipping: int,
        coupon: str | None,
        countries: Sequence[str],
        return_url: str,
        remember: Mapping[str, str],
    ) -> dict:
        """A Checkout Session to be embedded. What the order needs later is remembered in its metadata."""
        form = {
            "ui_mode": "embedded",
            "mode": "payment",
            "return_url": return_url,
            "payment_method_types": ["card"],
            "line_items": [{"price": price or "", "quantity": quantity} for price, quantity in lines],
            "shipping_address_collection": {"allowed_countries": list(countries)},
            "shipping_options": [
                {
                    "shipping_rate_data": {
                        "type": "fixed_amount",
                        "display_name": "Post",
                        "fixed_amount": {"amount": shipping, "currency": currency},
                    }
                }
            ],
            "metadata": remember,
        }
        if coupon:
            form["discounts"] = [{"coupon": coupon}]
        return self._ask("POST", "/checkout/sessions", data=dict(_flat(form)))

    def session(self, identifier: str) -> dict:
        """A session as Stripe has it now, with its lines."""
        wanted = {"expand[]": ["line_items"]}
        return self._ask("GET", f"/checkout/sessions/{requests.utils.quote(identifier, safe='')}", params=wanted)

    def refund(self, reference: str) -> Mapping[str, object]:
        """Give back the whole of a payment."""
        try:
            return stripe.Refund.create(payment_intent=reference, idempotency_key=f"lazybed-refund-{reference}")
        except stripe.error.StripeError as error:
            raise PaymentTrouble(str(error)) from error

    def event(self, payload: bytes, signature: str) -> Mapping[str, object]:
        """The event in a webhook call, once its signature has been checked."""
        try:
            stripe.WebhookSignature.verify_header(payload.decode(), signature, self._webhook_secret, 300)
            return json.loads(payload)
        except (ValueError, stripe.error.SignatureVerificationError) as error:
            raise BadSignature(str(error)) from error

    def _ask(self, method: str, path: str, **arguments: object) -> dict:
        try:
            answer = requests.request(
                method,
                API + path,
                auth=(self._key, ""),
                headers={"Stripe-Version": CHECKOUT_VERSION},
                timeout=15,
                **arguments,
            )
            body = answer.json()
        except (requests.RequestException, ValueError) as error:
            raise PaymentTrouble(str(error)) from error
        if answer.status_code >= 400:
            raise PaymentTrouble(body["error"]["message"])
        return body


def _flat(value: object, name: str = "") -> Iterator[tuple[str, object]]:
    """Nested values in the form's own spelling: `a[b][0][c]`."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}[{key}]" if name else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _flat(inner, f"{name}[{index}]")
    else:
        yield name, value
