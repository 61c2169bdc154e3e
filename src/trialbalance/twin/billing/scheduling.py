"""Subscription schedules at work."""

from __future__ import annotations

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call


def subscription_ended(call: Call, subscription: JsonObject, now: int) -> None:
    """A subscription that a schedule drives was canceled."""
