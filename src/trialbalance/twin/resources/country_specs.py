"""Country specs: which currencies, payment methods and details an account's country has.

Source: https://docs.stripe.com/api/country_specs
"""

from __future__ import annotations

from functools import lru_cache

from trialbalance.twin.connect import countries, fields, requirements
from trialbalance.twin.currencies import SUPPORTED
from trialbalance.twin.errors import JsonObject, NotFound
from trialbalance.twin.wire.call import Call, endpoint

KIND = "country_spec"


@endpoint("GET /v1/country_specs")
def list_(call: Call) -> JsonObject:
    """All countries that businesses can be in, by code."""
    return call.page_of((spec(code) for code in sorted(countries.COUNTRIES)), url=call.path_name)


@endpoint("GET /v1/country_specs/{country}")
def retrieve(call: Call) -> JsonObject:
    """One country."""
    code = call.path["country"].upper()
    if code not in countries.COUNTRIES:
        raise NotFound("country", call.path["country"], param="country", in_path=True)
    return spec(code)


@lru_cache
def spec(code: str) -> JsonObject:
    """The spec of a country, from what the twin's accounts there have to tell."""
    country = countries.COUNTRIES[code]
    return {
        "id": code,
        "object": KIND,
        "default_currency": country.currency,
        "supported_bank_account_currencies": {country.currency: [code]},
        "supported_payment_currencies": sorted(SUPPORTED),
        "supported_payment_methods": ["ach", "card", "stripe"] if code == "US" else ["card", "stripe"],
        "supported_transfer_countries": sorted(countries.COUNTRIES),
        "verification_fields": {
            "company": _fields(code, "company"),
            "individual": _fields(code, "individual"),
        },
    }


def _fields(code: str, kind: str) -> JsonObject:
    account: JsonObject = {
        "country": code,
        "business_type": kind,
        "_requested": {"card_payments": 1, "transfers": 1},
        "company": fields.company(code, business=kind == "company"),
    }
    gap = requirements.missing(account, [], external=False)
    return {
        "additional": [field for field in gap.later if field not in gap.now],
        "minimum": list(gap.now),
    }
