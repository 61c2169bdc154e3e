"""Restricted keys: what they may read and write.

Source: https://docs.stripe.com/keys/restricted-api-keys
"""

from __future__ import annotations

from trialbalance.contract.model import Endpoint
from trialbalance.twin.errors import PermissionDenied
from trialbalance.twin.wire.keys import ApiKey

NAMES = {
    "checkout/sessions": "checkout_session",
    "billing_portal/configurations": "customer_portal",
    "billing_portal/sessions": "customer_portal",
    "billing/meters": "billing_meter",
    "billing/meter_events": "billing_meter_event",
    "billing/meter_event_adjustments": "billing_meter_event",
    "invoiceitems": "invoice",
    "invoice_payments": "invoice",
    "subscription_items": "subscription",
    "subscription_schedules": "subscription",
    "balance_transactions": "balance",
    "balance": "balance",
    "webhook_endpoints": "webhook",
    "test_helpers/test_clocks": "billing_clock",
    "tax/calculations": "tax_calculations_and_transactions",
    "tax/transactions": "tax_calculations_and_transactions",
    "tax/settings": "tax_settings",
    "shipping_rates": "shipping_rate",
    "account": "accounts_kyc_basic",
    "accounts": "accounts_kyc_basic",
}
"""Permission names where they are not the singular of the path."""


def permission(endpoint: Endpoint) -> tuple[str, str]:
    """The permission an endpoint needs: its resource and `read` or `write`."""
    literal = [segment for segment in endpoint.segments[1:] if not segment.startswith("{")]
    two = "/".join(literal[:2])
    if two in NAMES:
        name = NAMES[two]
    elif literal and literal[0] in NAMES:
        name = NAMES[literal[0]]
    else:
        name = literal[0].removesuffix("s") if literal else ""
    reads = endpoint.method == "GET" or literal[-1:] == ["search"]
    return name, "read" if reads else "write"


def check_permission(key: ApiKey, endpoint: Endpoint, account: str) -> None:
    """Refuse what a restricted key was not given; `write` includes `read`.

    Raises:
        PermissionDenied: names the permission that is missing.
    """
    name, need = permission(endpoint)
    have = key.permissions.get(name, "none")
    if have == "write" or have == need:
        return
    raise PermissionDenied(
        f"The provided key '{key.masked}' does not have the required permissions for this endpoint on account "
        f"'{account}'. Having the 'rak_{name}_{need}' permission would allow this request to continue."
    )
