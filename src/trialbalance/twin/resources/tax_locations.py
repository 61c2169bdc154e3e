"""Tax locations: where performances take place.

They are kept; calculations refuse lines that name one, because the table of rates knows no admissions taxes.
Source: https://docs.stripe.com/api/tax/locations
"""

from __future__ import annotations

from trialbalance.twin import addresses
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint

KIND = "tax.location"


@endpoint("POST /v1/tax/locations")
def create(call: Call) -> JsonObject:
    """A new place."""
    params = call.params
    address = addresses.address(params.plain("address")) or {}
    if not address.get("country"):
        raise InvalidRequest("The location needs a country.", param="address[country]")
    return call.insert(
        call.new(
            KIND,
            "taxloc",
            address=address,
            description=params.get("description") or None,
            type=params["type"],
        )
    )


@endpoint("GET /v1/tax/locations/{location}")
def retrieve(call: Call) -> JsonObject:
    """One place."""
    return call.get(KIND, call.path["location"], param="location")


@endpoint("GET /v1/tax/locations")
def list_(call: Call) -> JsonObject:
    """Places, newest first."""
    return call.list(KIND, where={"type": call.params["type"]})
