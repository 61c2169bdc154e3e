"""Short hands for Connect tests: connected accounts that are ready, and clients that act on them."""

from __future__ import annotations

from typing import Any

import stripe

from tests.twin import sdk
from trialbalance.twin import Twin

PERSON: Any = {
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
}
BANK: Any = {
    "object": "bank_account",
    "country": "US",
    "currency": "usd",
    "account_number": "000123456789",
    "routing_number": "110000000",
}


def details(**over: Any) -> Any:
    """Everything that an individual's custom account in the US has to tell."""
    return {
        "type": "custom",
        "country": "US",
        "business_type": "individual",
        "capabilities": {"card_payments": {"requested": True}, "transfers": {"requested": True}},
        "business_profile": {"name": "Rosen Goods", "mcc": "5734", "url": "https://accessible.stripe.com"},
        "individual": PERSON,
        "external_account": BANK,
        "tos_acceptance": {"date": 1_767_000_000, "ip": "192.0.2.7"},
        **over,
    }


def ready(client: stripe.StripeClient, **over: Any) -> Any:
    """A connected account that may charge and be paid out."""
    return client.v1.accounts.create(details(**over))


def acting(twin: Twin, account: Any) -> stripe.StripeClient:
    """A client that acts on a connected account by the `Stripe-Account` header."""
    return sdk.client(twin, account=account.id)
