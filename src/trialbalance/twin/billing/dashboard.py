"""What real accounts change in the Dashboard and the API cannot: billing settings, the default portal, Checkout's offers.

The control plane's `POST /dashboard` gets here.

Source: https://docs.stripe.com/billing/subscriptions/settings
Source: https://docs.stripe.com/customer-management/configure-portal
Source: https://docs.stripe.com/payments/checkout/upsells
Source: https://docs.stripe.com/payments/checkout/cross-sells
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trialbalance.twin.billing import settings
from trialbalance.twin.checkout import offers
from trialbalance.twin.errors import ApiError, JsonObject
from trialbalance.twin.resources.billing_portal import CONFIGURATION
from trialbalance.twin.wire.call import Call
from trialbalance.twin.wire.inner import perform

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin

AFTER_RETRIES = ("cancel", "unpaid", "past_due")
SETTINGS = ("billing", "cross_sells", "portal", "upsells")


def write(twin: Twin, wishes: dict[str, Any]) -> JsonObject:
    """Change `billing` (see `BillingSettings`), `portal` (parameters of a portal configuration), and what Checkout offers.

    `upsells` is `{price: other price}`, `cross_sells` is `{product: other product}`; null ends an offer.

    Returns what holds now.

    Raises:
        ValueError: an unknown setting or a wrong value.
    """
    unknown = sorted(set(wishes) - set(SETTINGS))
    if unknown:
        raise ValueError(f"{unknown[0]!r} cannot be set here; there are: {', '.join(SETTINGS)}")
    for name, wish in wishes.items():
        if wish is not None and not isinstance(wish, dict):
            raise ValueError(f"{name!r} must be an object, not {wish!r}")
    with twin.act() as call:
        if wishes.get("billing") is not None:
            _billing(call, wishes["billing"])
        portal = _portal(call, wishes["portal"]) if wishes.get("portal") is not None else None
        for price, other in (wishes.get("upsells") or {}).items():
            offers.set_upsell(call, price, other)
        for product, other in (wishes.get("cross_sells") or {}).items():
            offers.set_cross_sell(call, product, other)
        held = settings.settings(call)
        upsells, cross_sells = offers.held(call, offers.UPSELL), offers.held(call, offers.CROSS_SELL)
    return {
        "billing": {name: getattr(held, name) for name in settings.NAMES},
        "cross_sells": cross_sells,
        "portal": portal["id"] if portal else None,
        "upsells": upsells,
    }


def _billing(call: Call, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if name not in settings.NAMES:
            raise ValueError(f"there is no billing setting {name!r}; there are: {', '.join(settings.NAMES)}")
        if name == "after_retries":
            right = value in AFTER_RETRIES
            wanted = f"one of {', '.join(AFTER_RETRIES)}"
        elif name == "retry_days":
            right = isinstance(value, list) and all(type(day) is int and day > 0 for day in value)
            right = right and value == sorted(set(value))
            wanted = "a list of rising numbers of days"
        else:
            right, wanted = type(value) is int and value >= 0, "a whole number of at least 0"
        if not right:
            raise ValueError(f"the billing setting {name} must be {wanted}, not {value!r}")
    stored = call.ledger.edit(call.account, settings.KIND, "default")
    if stored is None:
        call.insert({"id": "default", "object": settings.KIND, **given})
    else:
        stored.update(given)


def _portal(call: Call, given: dict[str, Any]) -> JsonObject:
    for known in list(call.ledger.all(call.account, CONFIGURATION)):
        if known["is_default"]:
            call.edit(CONFIGURATION, known["id"])["is_default"] = False
    try:
        made = perform(call, "POST /v1/billing_portal/configurations", given)
    except ApiError as problem:
        raise ValueError(f"portal: {problem.message}") from problem
    edited = call.edit(CONFIGURATION, made["id"])
    edited["is_default"] = True
    return edited
