"""What changed in Checkout Sessions."""

from __future__ import annotations

from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call
from trialbalance.twin.wire.versions.base import VersionChange

CREATE = "POST /v1/checkout/sessions"
UI_MODES = {"hosted": "hosted_page", "embedded": "embedded_page", "custom": "elements"}


class UiModeNames(VersionChange):
    """`ui_mode` was `hosted`, `embedded`, `custom`; the old values are refused now."""

    version = "2026-03-25.dahlia"
    description = "Renames the values of ui_mode on Checkout Sessions"
    source = "https://docs.stripe.com/changelog/dahlia/2026-03-25/checkout-session-ui-mode"
    kinds = ("checkout.session",)
    endpoints = (CREATE,)

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        asked = params.get("ui_mode")
        if asked in UI_MODES:
            params["ui_mode"] = UI_MODES[asked]
        elif asked in UI_MODES.values():
            allowed = "custom, embedded, or hosted"
            raise InvalidRequest(f"Invalid ui_mode: must be one of {allowed}", param="ui_mode")

    def response(self, call: Call, obj: JsonObject) -> None:
        back = {new: old for old, new in UI_MODES.items()}
        obj["ui_mode"] = back.get(obj["ui_mode"], obj["ui_mode"])


class ShippingDetailsOnSession(VersionChange):
    """The shipping address stood at the top of the session."""

    version = "2025-03-31.basil"
    description = "Moves shipping_details of Checkout Sessions into collected_information"
    source = "https://docs.stripe.com/changelog/basil/2025-03-31/checkout-session-remove-shipping-details"
    kinds = ("checkout.session",)

    def response(self, call: Call, obj: JsonObject) -> None:
        obj["shipping_details"] = (obj.get("collected_information") or {}).get("shipping_details")


class IntentOnCompletion(VersionChange):
    """A payment session had its payment intent from the start, and always made a customer."""

    version = "2022-08-01"
    description = (
        "The PaymentIntent of a Checkout Session is made on completion; customer_creation is if_required"
    )
    source = "https://docs.stripe.com/upgrades#2022-08-01"
    kinds = ("checkout.session",)
    endpoints = (CREATE,)

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        if params.get("mode") == "payment" and not params.get("customer"):
            params.setdefault("customer_creation", "always")
        lines = params.get("line_items")
        rows = lines.values() if isinstance(lines, dict) else lines or ()
        for row in rows:
            if isinstance(row, dict):
                _old_line(row)
        if "shipping_rates" in params:
            rates = params.pop("shipping_rates")
            names = list(rates.values()) if isinstance(rates, dict) else list(rates)
            params["shipping_options"] = [{"shipping_rate": name} for name in names]

    def response(self, call: Call, obj: JsonObject) -> None:
        shipping = obj.pop("shipping_details", None)
        obj["shipping"] = shipping
        cost = obj.get("shipping_cost")
        obj["shipping_rate"] = cost["shipping_rate"] if cost else None


class ModeRequired(VersionChange):
    """`mode` could be left out."""

    version = "2020-03-02"
    description = "mode is required when creating a Checkout Session"
    source = "https://docs.stripe.com/changelog"
    endpoints = (CREATE,)

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        if "mode" not in params:
            data = params.get("subscription_data")
            plans = isinstance(data, dict) and "items" in data
            params["mode"] = (
                "setup"
                if not plans and not params.get("line_items")
                else ("subscription" if plans else "payment")
            )


def _old_line(row: dict[str, Any]) -> None:
    """`amount`, `currency`, `name`, `description`, `images` of a line became `price_data`."""
    if "amount" not in row and "name" not in row:
        return
    product = {name: row.pop(name) for name in ("name", "description", "images") if name in row}
    data: dict[str, Any] = {"product_data": product}
    if "amount" in row:
        data["unit_amount"] = row.pop("amount")
    if "currency" in row:
        data["currency"] = row.pop("currency")
    row["price_data"] = data


def intent_from_the_start(call: Call) -> bool:
    """Whether the caller's version makes a session's payment intent at creation."""
    return any(isinstance(change, IntentOnCompletion) for change in call.twin.versions.newer(call.version))
