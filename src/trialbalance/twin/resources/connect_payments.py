"""What Connect adds to a payment: application fees, destination transfers, on-behalf-of.

Source: https://docs.stripe.com/connect/charges
"""

from __future__ import annotations

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call


def describe(call: Call, intent: JsonObject, *, capture: bool = False) -> None:
    """Copy `transfer_group`, `application_fee_amount`, `on_behalf_of` and `transfer_data`."""
    call.unsupported("application_fee_amount", "on_behalf_of", "transfer_data")
    call.assign(intent, "transfer_group")


def on_refund(
    call: Call,
    charge: JsonObject,
    refund: JsonObject,
    *,
    reverse_transfer: bool,
    refund_application_fee: bool,
) -> None:
    """Reverse the transfer and return the application fee in proportion, when asked."""
    if reverse_transfer:
        call.unsupported("reverse_transfer")
    if refund_application_fee:
        call.unsupported("refund_application_fee")
