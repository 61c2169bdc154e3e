"""Billing credits on invoices: credit grants pay for metered lines before tax.

Source: https://docs.stripe.com/billing/subscriptions/usage-based/billing-credits
"""

from __future__ import annotations

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call


def apply(call: Call, invoice: JsonObject) -> None:
    """Let the customer's credit grants pay what they may of an invoice that is being finalized."""


def reinstate(call: Call, invoice: JsonObject) -> None:
    """Give back the credits that a voided invoice used."""
