"""Automatic tax of a session: rates by where the customer is, written as tax rates that lines and invoices share.

Source: https://docs.stripe.com/tax/checkout
"""

from __future__ import annotations

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import tax_codes, tax_registrations, tax_settings
from trialbalance.twin.taxes import engine
from trialbalance.twin.taxes.rates import Place
from trialbalance.twin.wire.call import Call

REASONS = ("reverse_charge", "customer_exempt", "product_exempt")


def check(call: Call, session: JsonObject) -> None:
    """Refuse automatic tax where the account has not set it up.

    Raises:
        InvalidRequest: no head office.
    """
    if session["automatic_tax"]["enabled"] and not tax_settings.active(call):
        raise InvalidRequest(
            "You must have a valid head office address to enable automatic tax calculation in test mode. Visit "
            "https://dashboard.stripe.com/test/settings/tax to update it.",
            param="automatic_tax",
        )


def place_of(call: Call, session: JsonObject) -> Place | None:
    """Where the customer is: the shipping address, else the billing address, else what the customer has on file."""
    shipped = (session["collected_information"] or {}).get("shipping_details") or {}
    billed = (session["customer_details"] or {}).get("address") or {}
    candidates = [shipped.get("address"), billed]
    customer = call.find("customer", session["customer"])
    if customer is not None:
        candidates += [(customer["shipping"] or {}).get("address"), customer["address"]]
    for address in candidates:
        if address and address.get("country"):
            country, state = address["country"], address.get("state")
            if country in ("US", "CA") and not state:
                state = state_of(address.get("postal_code") or "")
                if state is None:
                    continue
            return Place(country, state if country in ("US", "CA") else None)
    return None


def state_of(postal_code: str) -> str | None:
    """The state of a US postal code, roughly, where the customer gave no more."""
    from trialbalance.twin.resources.tax_calculations import _state_of

    return _state_of(postal_code)


def refresh(call: Call, session: JsonObject) -> None:
    """Say whether the taxes are known."""
    automatic = session["automatic_tax"]
    if automatic["enabled"]:
        place = place_of(call, session)
        session["automatic_tax"] = {
            **automatic,
            "status": "complete" if place else "requires_location_inputs",
        }


def rates_for(call: Call, session: JsonObject, price: JsonObject) -> list[str]:
    """The tax rates on a line of this price, made where they do not exist yet."""
    place = place_of(call, session)
    if place is None:
        return []
    settings = tax_settings.current(call)
    product = call.find("product", price["product"]) or {}
    code = product.get("tax_code") or settings["defaults"]["tax_code"] or tax_codes.DEFAULT
    behavior = price.get("tax_behavior")
    if behavior not in ("inclusive", "exclusive"):
        behavior = settings["defaults"]["tax_behavior"]
    return _rates(call, session, place, str(code), inclusive=behavior == "inclusive")


def rates_for_shipping(call: Call, session: JsonObject, rate: JsonObject) -> list[str]:
    """The tax rates on the chosen shipping rate."""
    place = place_of(call, session)
    if place is None:
        return []
    code = rate.get("tax_code") or tax_codes.SHIPPING
    return _rates(call, session, place, str(code), inclusive=rate.get("tax_behavior") == "inclusive")


def _rates(call: Call, session: JsonObject, place: Place, code: str, *, inclusive: bool) -> list[str]:
    home = (tax_settings.current(call)["head_office"] or {}).get("address") or {}
    seller = tax_registrations.seller(call, home.get("country"), call.now)
    details = session["customer_details"] or {}
    exempt = {"exempt": "customer_exempt", "reverse": "reverse_charge"}
    buyer = engine.Buyer(
        place,
        exempt.get(details.get("tax_exempt") or "none", "none"),
        tuple(tax_id["type"] for tax_id in details.get("tax_ids") or ()),
    )
    parts = engine.tax(10_000, inclusive=inclusive, code=code, seller=seller, buyer=buyer)
    return [
        _stored(call, part, inclusive=inclusive)["id"]
        for part in parts
        if part.rate is not None and (part.reason == "standard_rated" or part.reason in REASONS)
    ]


def _stored(call: Call, part: engine.Part, *, inclusive: bool) -> JsonObject:
    """The tax rate object of a part, made on first use. A reason that frees from tax is a rate of zero."""
    rate = part.rate
    assert rate is not None
    percent = rate.percent if part.reason == "standard_rated" else "0"
    key = f"{part.place.country}:{part.place.state}:{rate.type}:{percent}:{inclusive}"
    for found in call.ledger.all(call.account, "tax_rate"):
        if found.get("_automatic") == key:
            return found
    made = call.new(
        "tax_rate",
        "txr",
        active=False,
        country=part.place.country,
        display_name=rate.name,
        effective_percentage=float(percent),
        inclusive=inclusive,
        jurisdiction=part.place.state or part.place.country,
        jurisdiction_level=rate.level,
        percentage=float(percent),
        rate_type="percentage",
        state=part.place.state,
        tax_type=rate.type,
    )
    made["_automatic"] = key
    return call.insert(made)
