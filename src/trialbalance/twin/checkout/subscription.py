"""The subscription behind a session in subscription mode.

Source: https://docs.stripe.com/payments/checkout/build-subscriptions
"""

from __future__ import annotations

from trialbalance.twin.errors import JsonObject, NotBuilt
from trialbalance.twin.wire.call import Call


def subscribe(call: Call, session: JsonObject, payment_method: str | None, return_url: str | None) -> None:
    """Make the subscription and pay its first invoice."""
    raise NotBuilt("completing a Checkout Session in subscription mode")
