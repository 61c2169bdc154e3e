"""Tax registrations: where the business collects taxes.

Source: https://docs.stripe.com/api/tax/registrations
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.taxes.engine import Seller
from trialbalance.twin.wire.call import Call, due, endpoint

KIND = "tax.registration"


@endpoint("POST /v1/tax/registrations")
def create(call: Call) -> JsonObject:
    """A registration in a country, from a time on."""
    params = call.params
    country = params["country"].upper()
    options: Any = params.plain("country_options")
    own = options.get(country.lower())
    if own is None or len(options) != 1:
        raise InvalidRequest(
            f"The country_options must be those of the country: country_options[{country.lower()}].",
            param="country_options",
        )
    start = call.now if params["active_from"] == "now" else int(params["active_from"])
    end = params.get("expires_at")
    if country == "US" and not own.get("state"):
        raise InvalidRequest(
            "Missing required param: country_options[us][state].",
            param="country_options[us][state]",
            code="parameter_missing",
        )
    registration = call.new(
        KIND,
        "taxreg",
        active_from=start,
        country=country,
        country_options={country.lower(): own},
        expires_at=(call.now if end == "now" else int(end)) if end else None,
        status="scheduled",
    )
    _time(call, registration)
    return call.insert(registration)


@endpoint("GET /v1/tax/registrations/{id}")
def retrieve(call: Call) -> JsonObject:
    """One registration."""
    return call.get(KIND, call.path["id"])


@endpoint("GET /v1/tax/registrations")
def list_(call: Call) -> JsonObject:
    """Registrations, newest first, by status."""
    status = call.params.get("status")
    return call.list(KIND, where={} if status in (None, "all") else {"status": status})


@endpoint("POST /v1/tax/registrations/{id}")
def update(call: Call) -> JsonObject:
    """Change when a registration begins or ends; what has begun cannot begin again."""
    registration = call.edit(KIND, call.path["id"])
    params = call.params
    if "active_from" in params:
        if registration["status"] != "scheduled":
            raise InvalidRequest(
                "You can change active_from of scheduled registrations only.", param="active_from"
            )
        registration["active_from"] = (
            call.now if params["active_from"] == "now" else int(params["active_from"])
        )
    if "expires_at" in params:
        end = params["expires_at"]
        registration["expires_at"] = call.now if end == "now" else int(end) if end != "" else None
    _time(call, registration)
    return registration


def seller(call: Call, country: str | None, at: int) -> Seller:
    """Where the business collects taxes at a time."""
    found = []
    for registration in call.ledger.all(call.account, KIND):
        end = registration["expires_at"]
        if registration["active_from"] <= at and (end is None or at < end):
            options = dict(registration["country_options"][registration["country"].lower()])
            found.append((registration["country"], options))
    return Seller(country, tuple(found))


def _time(call: Call, registration: JsonObject) -> None:
    """Set the status as of now, and have it change when it is to."""
    start, end = registration["active_from"], registration["expires_at"]
    if end is not None and end <= start:
        raise InvalidRequest("A registration must expire after it becomes active.", param="expires_at")
    registration["status"] = (
        "expired" if end is not None and end <= call.now else "active" if start <= call.now else "scheduled"
    )
    for when in (start, end):
        if when is not None and when > call.now:
            call.schedule(when, "tax_registration.turn", registration["id"], timeline="")


@due("tax_registration.turn")
def _turn(call: Call, target: str, arguments: JsonObject) -> None:
    registration = call.edit(KIND, target)
    start, end = registration["active_from"], registration["expires_at"]
    registration["status"] = (
        "expired" if end is not None and end <= call.now else "active" if start <= call.now else "scheduled"
    )
