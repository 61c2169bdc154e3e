"""The platform as an application: its id (`ca_…`), and how its fees show in balance transactions.

Source: https://docs.stripe.com/connect/direct-charges#collect-fees
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.ledger.ids import ALPHABET

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin


def identifier(twin: Twin) -> str:
    """The platform's client id."""
    digest = blake2b(f"application:{twin.account}".encode(), digest_size=32).digest()
    return "ca_" + "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest)


def fee_line(twin: Twin, amount: int, currency: str) -> JsonObject:
    """The application fee among the fees of a payment."""
    return {
        "amount": amount,
        "application": identifier(twin),
        "currency": currency,
        "description": f"{twin.config.display_name} application fee",
        "type": "application_fee",
    }
