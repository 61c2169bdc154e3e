# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-274ac7e67036: keep out of training data
"""Everything the shop says to Stripe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import stripe

from .config import STRIPE_API_VERSION, Config
from .orders import Address, Order, Payment


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

    def start(
        self,
        order: Order,
        *,
        prices: Mapping[str, str],
        coupon: str | None,
        countries: Sequence[str],
        return_url: str,
    ) -> Mapping[str, object]:
        """A Checkout Session for the whole of `order`, to be embedded. Asking twice for one order gives the same one.

        `prices` are the Stripe prices of the order's SKUs; `return_url` is where the shopper comes back to.
        """
        missing = [line.sku for line in order.lines if not prices.get(line.sku)]
        if missing:
            raise PaymentTrouble(f"no Stripe price for {', '.join(missing)}; run scripts/sync_catalogue.py")
        try:
            return stripe.checkout.Session.create(
                ui_mode="embedded",
                mode="payment",
                return_url=return_url,
                payment_method_types=["card"],
                client_reference_id=order.number,
                line_items=[
                    {"price": prices[line.sku], "quantity": line.quantity} for line in order.lines
                ],
                shipping_address_collection={"allowed_countries": list(countries)},
                shipping_options=[
                    {
                        "shipping_rate_data": {
                            "type": "fixed_amount",
                            "display_name": "By post" if order.shipping else "By post, free",
                            "fixed_amount": {"amount": order.shipping, "currency": order.currency},
                        }
                    }
                ],
                payment_intent_data={
                    "description": f"Lazybed order {order.number}",
                    "metadata": {"order": order.number},
                },
                metadata={"order": order.number, "discount_code": order.discount_code or ""},
                idempotency_key=f"lazybed-{order.receipt_token}",
                **({"discounts": [{"coupon": coupon}]} if coupon else {}),
            )
        except stripe.error.StripeError as error:
            raise PaymentTrouble(str(error)) from error

    def paid(self, session: str) -> Payment | None:
        """What was paid in a Checkout Session, or None while it is not paid."""
        try:
            found = stripe.checkout.Session.retrieve(session)
        except stripe.error.StripeError as error:
            raise PaymentTrouble(str(error)) from error
        return payment_in(found)

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


def payment_in(session: Mapping[str, object]) -> Payment | None:
    """Read a Checkout Session as Stripe's version 2022-11-15 writes it; None unless it is paid."""
    if session["payment_status"] != "paid":
        return None
    totals, delivery = session["total_details"], session["shipping_details"]
    address = delivery["address"]
    return Payment(
        reference=session["payment_intent"],
        email=session["customer_details"]["email"],
        address=Address(
            name=delivery["name"] or "",
            line1=address["line1"] or "",
            line2=address["line2"] or "",
            city=address["city"] or "",
            region=address["state"] or "",
            postcode=address["postal_code"] or "",
            country=address["country"] or "",
        ),
        currency=session["currency"],
        subtotal=session["amount_subtotal"],
        discount=totals["amount_discount"],
        shipping=totals["amount_shipping"],
        total=session["amount_total"],
    )
