"""Tax rates: a percentage, inclusive or exclusive, that invoices, subscriptions and sessions apply by hand.

Source: https://docs.stripe.com/api/tax_rates
"""

from __future__ import annotations

from trialbalance.twin.billing.money import fraction
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint

TEXTS = ("country", "description", "jurisdiction", "state", "tax_type")


@endpoint("POST /v1/tax_rates")
def create(call: Call) -> JsonObject:
    """A new tax rate. Its percentage and inclusiveness never change."""
    percentage = call.params["percentage"]
    numerator, denominator = fraction(percentage)
    if not 0 <= numerator <= 100 * denominator:
        raise InvalidRequest(
            f"This value must be between 0 and 100 (it currently is '{percentage}').", param="percentage"
        )
    if (numerator * 10_000) % denominator:
        raise InvalidRequest("A percentage can have at most 4 decimal places.", param="percentage")
    rate = call.new(
        "tax_rate",
        "txr",
        active=call.params.get("active", True),
        display_name=call.params["display_name"],
        effective_percentage=percentage,
        inclusive=call.params["inclusive"],
        percentage=percentage,
        rate_type="percentage",
    )
    call.assign(rate, *TEXTS)
    call.merge_metadata(rate)
    call.insert(rate)
    call.emit("tax_rate.created", rate)
    return rate


@endpoint("GET /v1/tax_rates/{tax_rate}")
def retrieve(call: Call) -> JsonObject:
    """One tax rate."""
    return call.get("tax_rate", call.path["tax_rate"], param="tax_rate")


@endpoint("POST /v1/tax_rates/{tax_rate}")
def update(call: Call) -> JsonObject:
    """Change a rate's texts, or archive it: whatever uses it already goes on using it."""
    rate = call.edit("tax_rate", call.path["tax_rate"], param="tax_rate")
    call.assign(rate, "active", "display_name", *TEXTS)
    call.merge_metadata(rate)
    if call.changes(rate):
        call.emit("tax_rate.updated", rate)
    return rate


@endpoint("GET /v1/tax_rates")
def list_(call: Call) -> JsonObject:
    """Tax rates, newest first."""
    return call.list(
        "tax_rate", where={"active": call.params.get("active"), "inclusive": call.params.get("inclusive")}
    )
