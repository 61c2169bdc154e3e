"""A marketplace: a seller, a destination charge with a fee, a refund that takes its share back."""

from __future__ import annotations

import os
from typing import Any

import stripe

base: Any = {"api": os.environ["STRIPE_API_BASE"]} if "STRIPE_API_BASE" in os.environ else {}
client = stripe.StripeClient(os.environ["STRIPE_SECRET_KEY"], base_addresses=base)

seller = client.v1.accounts.create(
    {
        "type": "custom",
        "country": "US",
        "business_type": "individual",
        "capabilities": {"card_payments": {"requested": True}, "transfers": {"requested": True}},
        "business_profile": {
            "name": "Mill Lane Books",
            "mcc": "5942",
            "url": "https://accessible.stripe.com",
        },
        "individual": {
            "first_name": "Jenny",
            "last_name": "Rosen",
            "email": "jenny@example.test",
            "phone": "0000000000",
            "dob": {"day": 1, "month": 1, "year": 1901},
            "address": {
                "line1": "address_full_match",
                "city": "San Francisco",
                "state": "CA",
                "postal_code": "94107",
                "country": "US",
            },
            "id_number": "000000000",
        },
        "external_account": "btok_us_verified",
        "tos_acceptance": {"date": 1_767_000_000, "ip": "192.0.2.7"},
    }
)
print(f"the seller may take payments: {seller.charges_enabled}")

payment = client.v1.payment_intents.create(
    {
        "amount": 10_000,
        "currency": "usd",
        "payment_method": "pm_card_visa",
        "confirm": True,
        "capture_method": "automatic",
        "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
        "application_fee_amount": 1000,
        "transfer_data": {"destination": seller.id},
    }
)


def balance() -> int:
    """What the seller has, settled or on its way."""
    found = client.v1.balance.retrieve({}, {"stripe_account": seller.id})
    return found.available[0].amount + found.pending[0].amount


print(f"the seller earned {balance()}")

client.v1.refunds.create(
    {
        "payment_intent": payment.id,
        "amount": 5000,
        "reverse_transfer": True,
        "refund_application_fee": True,
    }
)
print(f"after half went back: {balance()}")
