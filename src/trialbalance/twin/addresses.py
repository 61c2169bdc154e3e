"""Postal addresses and contact hashes: what was sent, the rest null."""

from __future__ import annotations

import re
from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject

FIELDS = ("city", "country", "line1", "line2", "postal_code", "state")
_EMAIL = re.compile(r"^[^\s@,;<>]+@[^\s@,;<>]+$")


def address(value: Any, before: JsonObject | None = None) -> JsonObject | None:
    """An address with all six fields; fields that were not sent keep their old values.

    Raises:
        InvalidRequest: the country is not a two-letter code.
    """
    if value in (None, ""):
        return None
    result = {name: (before or {}).get(name) for name in FIELDS}
    for name in FIELDS:
        if name in value:
            result[name] = value[name] or None
    country = result["country"]
    if country and not (len(country) == 2 and country.isalpha()):
        raise InvalidRequest(
            f"Country '{country}' is unknown. Try using a 2-character alphanumeric country code instead, such as "
            "'US', 'EG', or 'GB'.",
            param="address[country]",
            code="country_code_invalid",
        )
    return result


def shipping(value: Any) -> JsonObject | None:
    """A shipping hash of a customer."""
    if value in (None, ""):
        return None
    return {
        "address": address(value.get("address") or {}),
        "name": value.get("name") or None,
        "phone": value.get("phone") or None,
    }


def parcel(value: Any) -> JsonObject | None:
    """A shipping hash of a payment: with carrier and tracking number."""
    if value in (None, ""):
        return None
    return {
        "address": address(value.get("address") or {}),
        "carrier": value.get("carrier") or None,
        "name": value.get("name") or None,
        "phone": value.get("phone") or None,
        "tracking_number": value.get("tracking_number") or None,
    }


def billing_details(value: Any, before: JsonObject | None = None) -> JsonObject:
    """The billing details of a payment method."""
    given = value or {}
    old = before or {}
    result: JsonObject = {
        "address": old.get("address") or dict.fromkeys(FIELDS),
        "email": old.get("email"),
        "name": old.get("name"),
        "phone": old.get("phone"),
        "tax_id": old.get("tax_id"),
    }
    if "address" in given:
        result["address"] = address(given["address"], old.get("address")) or dict.fromkeys(FIELDS)
    for name in ("email", "name", "phone", "tax_id"):
        if name in given:
            result[name] = given[name] or None
    if result["email"]:
        email(result["email"], param="billing_details[email]")
    return result


def email(value: str, *, param: str = "email") -> str:
    """The address, if it can be one.

    Raises:
        InvalidRequest: no `@`, spaces, or an empty part.
    """
    if value and not _EMAIL.match(value):
        raise InvalidRequest(f"Invalid email address: {value}", param=param, code="email_invalid")
    return value
