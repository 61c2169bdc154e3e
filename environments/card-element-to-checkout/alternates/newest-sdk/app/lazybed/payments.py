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
        self._stripe = stripe.StripeClient(
            config.stripe_secret_key, stripe_version=STRIPE_API_VERSION, max_network_retries=1
        )

    def start(
        self,
        order: Order,
        *,
        products: Mapping[str, str],
        promotion_code: str | None,
        countries: Sequence[str],
        return_url: str,
    ) -> Mapping[str, object]:
        """A Checkout Session for the whole of `order`, to be embedded. Asking twice for one order gives the same one.

        `products` are the Stripe products of the order's SKUs; `return_url` is where the shopper comes back to.
        """
        missing = [line.sku for line in order.lines if not products.get(line.sku)]
        if missing:
            raise PaymentTrouble(f"no Stripe product for {', '.join(missing)}; run scripts/sync_catalogue.py")
        try:
            return self._stripe.v1.checkout.sessions.create(
                {
                    "ui_mode": "embedded_page",
                    "mode": "payment",
                    "return_url": return_url,
                    "payment_method_types": ["card"],
                    "client_reference_id": order.number,
                    "line_items": [
                        {
                            "quantity": line.quantity,
                            "price_data": {
                                "currency": order.currency,
                                "unit_amount": line.unit_amount,
                                "product": products[line.sku],
                            },
                        }
                        for line in order.lines
                    ],
                    "shipping_address_collection": {"allowed_countries": list(countries)},
                    "shipping_options": [
                        {
                            "shipping_rate_data": {
                                "type": "fixed_amount",
                                "display_name": "Post",
                                "fixed_amount": {"amount": order.shipping, "currency": order.currency},
                            }
                        }
                    ],
                    "metadata": {"order": order.number},
                    **({"discounts": [{"promotion_code": promotion_code}]} if promotion_code else {}),
                },
                {"idempotency_key": f"lazybed-{order.receipt_token}"},
            ).to_dict()
        except stripe.StripeError as error:
            raise PaymentTrouble(str(error)) from error

    def paid(self, session: str) -> Payment | None:
        """What was paid in a Checkout Session, or None while it is not paid."""
        try:
            found = self._stripe.v1.checkout.sessions.retrieve(session).to_dict()
        except stripe.StripeError as error:
            raise PaymentTrouble(str(error)) from error
        return payment_in(found)

    def refund(self, reference: str) -> Mapping[str, object]:
        """Give back the whole of a payment."""
        try:
            return self._stripe.v1.refunds.create(
                {"payment_intent": reference}, {"idempotency_key": f"lazybed-refund-{reference}"}
            ).to_dict()
        except stripe.StripeError as error:
            raise PaymentTrouble(str(error)) from error

    def event(self, payload: bytes, signature: str) -> Mapping[str, object]:
        """The event in a webhook call, once its signature has been checked."""
        try:
            return self._stripe.construct_event(payload, signature, self._webhook_secret).to_dict()
        except (ValueError, stripe.SignatureVerificationError) as error:
            raise BadSignature(str(error)) from error


def payment_in(session: Mapping[str, object]) -> Payment | None:
    """Read a Checkout Session as Stripe writes it today; None unless it is paid."""
    if session["payment_status"] != "paid":
        return None
    totals, delivery = session["total_details"], session["collected_information"]["shipping_details"]
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
