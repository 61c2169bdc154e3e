"""Automatic tax on invoices: the rates follow from where the customer is and where the seller is registered.

Source: https://docs.stripe.com/tax/invoicing
Source: https://docs.stripe.com/tax/subscriptions
"""

from __future__ import annotations

from trialbalance.twin.billing.tax import Rate, of_tax_rate
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import tax_registrations, tax_settings
from trialbalance.twin.taxes import engine
from trialbalance.twin.taxes.rates import Place, name_of
from trialbalance.twin.wire.call import Call

GENERAL = "txcd_10000000"
"""The tax code of products that have none."""
BEFOREHAND = "automatic_tax_rate"
"""Per place, tax and behaviour: the tax rate object that stands for it."""
NO_PLACE = "The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax."


def state(customer: JsonObject) -> str:
    """`complete` when the customer's place is known well enough, else `requires_location_inputs`."""
    return "complete" if place_of(customer["shipping"], customer["address"]) else "requires_location_inputs"


def place_of(shipping: JsonObject | None, address: JsonObject | None) -> Place | None:
    """Where a customer is taxed: where goods go, else where it is billed."""
    found = (shipping or {}).get("address") or address or {}
    country = found.get("country")
    if not country or (country in ("US", "CA") and not (found.get("state") or found.get("postal_code"))):
        return None
    return Place(country, found.get("state") if country in ("US", "CA") else None)


def require(customer: JsonObject, *, param: str | None = None) -> None:
    """Refuse automatic tax for a customer whose place is not known.

    Raises:
        InvalidRequest: 400 customer_tax_location_invalid.
    """
    if state(customer) != "complete":
        raise InvalidRequest(NO_PLACE, param=param, code="customer_tax_location_invalid")


def rates(call: Call, invoice: JsonObject, line: JsonObject) -> tuple[Rate, ...]:
    """The rates on one line of an invoice with automatic tax."""
    place = place_of(invoice["customer_shipping"], invoice["customer_address"])
    if place is None:
        return ()
    settings = tax_settings.current(call)
    office = (settings["head_office"] or {}).get("address") or {}
    seller = tax_registrations.seller(call, office.get("country"), call.now_of(invoice))
    override = {"exempt": "customer_exempt", "reverse": "reverse_charge"}
    buyer = engine.Buyer(
        place,
        override.get(invoice["customer_tax_exempt"], "none"),
        tuple(entry["type"] for entry in invoice["customer_tax_ids"] or ()),
    )
    code, inclusive = _sold(call, line, settings)
    parts = engine.tax(100, inclusive=inclusive, code=code, seller=seller, buyer=buyer)
    return tuple(
        of_tax_rate(_stored(call, place, part, inclusive))
        for part in parts
        if part.rate is not None and part.reason == "standard_rated"
    )


def _sold(call: Call, line: JsonObject, settings: JsonObject) -> tuple[str, bool]:
    """A line's tax code, and whether its price includes the tax."""
    details = ((line["pricing"] or {}).get("price_details")) or {}
    product = call.find("product", details.get("product"))
    price = call.find("price", details.get("price"))
    code = (product or {}).get("tax_code") or settings["defaults"]["tax_code"] or GENERAL
    behavior = (price or {}).get("tax_behavior")
    if behavior in (None, "unspecified"):
        behavior = settings["defaults"]["tax_behavior"]
    return str(code), behavior == "inclusive"


def _stored(call: Call, place: Place, part: engine.Part, inclusive: bool) -> JsonObject:
    """The tax rate object that stands for a tax, made on first use."""
    rate = part.rate
    assert rate is not None
    key = f"{place.country}/{place.state}/{rate.type}/{rate.percent}/{inclusive}"
    known = call.find(BEFOREHAND, key)
    if known is not None:
        return call.get("tax_rate", known["rate"])
    made = call.new(
        "tax_rate",
        "txr",
        active=False,
        country=place.country,
        display_name=rate.name,
        effective_percentage=float(rate.percent),
        inclusive=inclusive,
        jurisdiction=name_of(place, rate.level),
        jurisdiction_level=rate.level,
        percentage=float(rate.percent),
        rate_type="percentage",
        state=place.state,
        tax_type=rate.type,
    )
    call.insert(made)
    call.insert({"id": key, "object": BEFOREHAND, "rate": made["id"]})
    return made
