"""A charge without its customer, whose bank wants them: the refusal, the link to send, the same intent again."""

from __future__ import annotations

import os
from typing import Any

import stripe

base: Any = {"api": os.environ["STRIPE_API_BASE"]} if "STRIPE_API_BASE" in os.environ else {}
client = stripe.StripeClient(os.environ["STRIPE_SECRET_KEY"], base_addresses=base)

customer = client.v1.customers.create({"email": "ada@example.test"})
card = client.v1.payment_methods.attach("pm_card_authenticationRequired", {"customer": customer.id})

try:
    client.v1.payment_intents.create(
        {
            "amount": 2500,
            "currency": "usd",
            "customer": customer.id,
            "payment_method": card.id,
            "off_session": True,
            "confirm": True,
        }
    )
    raise SystemExit("the bank did not ask")
except stripe.CardError as error:
    assert error.error is not None and error.error.payment_intent is not None
    intent = error.error.payment_intent
    print(f"refused: {error.code}; the payment waits: {intent.status}")

# Bring the customer back: the same PaymentIntent, now with them at the screen.
waiting = client.v1.payment_intents.confirm(
    intent.id, {"payment_method": card.id, "return_url": "https://shop.example/done"}
)
assert waiting.next_action is not None and waiting.next_action.redirect_to_url is not None
print(f"{waiting.status}: send the customer to {waiting.next_action.redirect_to_url.url}")
