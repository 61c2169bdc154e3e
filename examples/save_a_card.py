"""Keep a card now with a SetupIntent, charge it later without its holder."""

from __future__ import annotations

import os
from typing import Any

import stripe

base: Any = {"api": os.environ["STRIPE_API_BASE"]} if "STRIPE_API_BASE" in os.environ else {}
client = stripe.StripeClient(os.environ["STRIPE_SECRET_KEY"], base_addresses=base)

customer = client.v1.customers.create({"email": "ada@example.test"})
setup = client.v1.setup_intents.create(
    {
        "customer": customer.id,
        "usage": "off_session",
        "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
    }
)
# In a browser Stripe.js confirms with what the customer types; on the server a test card stands in.
setup = client.v1.setup_intents.confirm(setup.id, {"payment_method": "pm_card_visa"})
print(f"the card is kept: {setup.status}")

card = client.v1.payment_methods.list({"customer": customer.id, "type": "card"}).data[0]
payment = client.v1.payment_intents.create(
    {
        "amount": 2500,
        "currency": "usd",
        "customer": customer.id,
        "payment_method": card.id,
        "off_session": True,
        "confirm": True,
    }
)
assert card.card is not None
print(f"charged {payment.amount_received} to {card.card.brand} {card.card.last4}: {payment.status}")
