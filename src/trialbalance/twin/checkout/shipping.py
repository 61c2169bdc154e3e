"""Shipping rates a session offers, and the one that is chosen.

Source: https://docs.stripe.com/payments/during-payment/charge-shipping
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.checkout.totals import amount_of_rate
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call
from trialbalance.twin.wire.inner import perform
from trialbalance.twin.wire.validate import plain

MOST_OPTIONS = 5


def offer(call: Call, session: JsonObject, options: list[Any]) -> None:
    """Make `options` the session's shipping options and choose the first."""
    if options and session["mode"] == "setup":
        raise InvalidRequest("You can not pass `shipping_options` in `setup` mode.", param="shipping_options")
    if len(options) > MOST_OPTIONS:
        raise InvalidRequest(
            f"You can specify a maximum of {MOST_OPTIONS} shipping options.", param="shipping_options"
        )
    offered: list[JsonObject] = []
    for position, option in enumerate(options):
        path = f"shipping_options[{position}]"
        named, inline = option.get("shipping_rate"), option.get("shipping_rate_data")
        if bool(named) == bool(inline):
            raise InvalidRequest(
                f"You must specify exactly one of `{path}[shipping_rate]` and `{path}[shipping_rate_data]`.",
                param=path,
            )
        if named:
            rate = call.get("shipping_rate", named, param=f"{path}[shipping_rate]")
            if not rate["active"]:
                raise InvalidRequest(
                    f"The shipping rate `{named}` is inactive.", param=f"{path}[shipping_rate]"
                )
        else:
            rate = perform(call, "POST /v1/shipping_rates", plain(inline))
        offered.append(
            {"shipping_amount": amount_of_rate(rate, session["currency"]), "shipping_rate": rate["id"]}
        )
    session["shipping_options"] = offered
    session["_shipping_rate"] = offered[0]["shipping_rate"] if offered else None


def choose(session: JsonObject, rate: str) -> None:
    """The customer picked one of the options."""
    if all(option["shipping_rate"] != rate for option in session["shipping_options"]):
        raise InvalidRequest(
            f"The shipping rate `{rate}` is not one of this session's shipping options.",
            param="shipping_rate",
        )
    session["_shipping_rate"] = rate


def address(session: JsonObject, given: JsonObject | None) -> JsonObject | None:
    """A shipping address as the object shows it.

    Raises:
        InvalidRequest: a country the session does not ship to.
    """
    if given is None:
        return None
    collection = session["shipping_address_collection"]
    country = (given.get("address") or {}).get("country")
    if collection and country not in collection["allowed_countries"]:
        raise InvalidRequest(f"Shipping to `{country}` is not available.", param="shipping[address][country]")
    names = ("city", "country", "line1", "line2", "postal_code", "state")
    return {
        "address": {name: (given.get("address") or {}).get(name) or None for name in names},
        "name": given.get("name") or "",
    }
