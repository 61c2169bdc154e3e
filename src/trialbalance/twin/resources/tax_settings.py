"""Tax settings: where the business is, and what its prices and products are unless they say otherwise.

Stripe Tax is active once a head office is set.
Source: https://docs.stripe.com/api/tax/settings
"""

from __future__ import annotations

from trialbalance.twin import addresses
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import tax_codes
from trialbalance.twin.wire.call import Call, endpoint

KIND = "tax.settings"
HOME = "settings"


@endpoint("GET /v1/tax/settings")
def retrieve(call: Call) -> JsonObject:
    """The settings now."""
    return current(call)


@endpoint("POST /v1/tax/settings")
def update(call: Call) -> JsonObject:
    """Change the defaults or the head office."""
    before = current(call)
    stored = call.ledger.edit(call.account, KIND, HOME)
    if stored is None:
        stored = call.insert({**current(call), "id": HOME}, kind=KIND)
    defaults = call.params.plain("defaults") or {}
    if "tax_behavior" in defaults:
        stored["defaults"]["tax_behavior"] = defaults["tax_behavior"]
    if defaults.get("tax_code"):
        stored["defaults"]["tax_code"] = tax_codes.known(defaults["tax_code"], "defaults[tax_code]")
    office = call.params.plain("head_office")
    if office:
        stored["head_office"] = {"address": addresses.address(office["address"])}
        if not stored["head_office"]["address"]["country"]:
            raise InvalidRequest("The head office needs a country.", param="head_office[address][country]")
    missing = [] if stored["head_office"] else ["head_office"]
    stored["status"] = "pending" if missing else "active"
    stored["status_details"] = {"pending": {"missing_fields": missing}} if missing else {"active": {}}
    shown = current(call)
    call.emit("tax.settings.updated", shown, previous={k: v for k, v in before.items() if shown[k] != v})
    return shown


def current(call: Call) -> JsonObject:
    """The `tax.settings` object."""
    stored = call.find(KIND, HOME)
    if stored is not None:
        return {name: value for name, value in stored.items() if name != "id"}
    return {
        "object": KIND,
        "defaults": {"provider": "stripe", "tax_behavior": None, "tax_code": None},
        "head_office": None,
        "livemode": False,
        "status": "pending",
        "status_details": {"pending": {"missing_fields": ["head_office"]}},
    }


def active(call: Call) -> bool:
    """Whether taxes can be calculated."""
    return bool(current(call)["status"] == "active")
