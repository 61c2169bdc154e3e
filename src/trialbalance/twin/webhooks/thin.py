"""Thin events: the v2 shape, with a reference to the object instead of the object.

Source: https://docs.stripe.com/event-destinations#thin-events
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trialbalance.twin.errors import JsonObject

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin

URLS = {
    "checkout.session": "/v1/checkout/sessions/{}",
    "test_helpers.test_clock": "/v1/test_helpers/test_clocks/{}",
    "billing.meter": "/v1/billing/meters/{}",
    "invoiceitem": "/v1/invoiceitems/{}",
    "balance": "/v1/balance",
    "tax.settings": "/v1/tax/settings",
    "billing_portal.configuration": "/v1/billing_portal/configurations/{}",
    "billing_portal.session": "/v1/billing_portal/sessions/{}",
}


def iso(second: int) -> str:
    """A second as v2 writes it: `2026-01-01T00:00:00.000Z`."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def related(obj: JsonObject) -> JsonObject | None:
    """The reference to an object: id, type, url."""
    if "id" not in obj:
        return None
    kind = obj["object"]
    template = URLS.get(kind) or f"/v1/{kind}s/{{}}"
    return {"id": obj["id"], "type": kind, "url": template.format(obj["id"])}


def thin_event(twin: Twin, event: JsonObject) -> JsonObject:
    """The thin rendering of a stored event."""
    request = event.get("request") or {}
    shown: JsonObject = {
        "id": event["id"],
        "object": "v2.core.event",
        "created": iso(event["created"]),
        "livemode": False,
        "reason": {
            "type": "request",
            "request": {"id": request["id"], "idempotency_key": request["idempotency_key"]},
        }
        if request.get("id")
        else None,
        "related_object": related(event["data"]["object"]),
        "type": f"v1.{event['type']}",
    }
    if event.get("account"):
        shown["context"] = event["account"]
    return shown
