"""What the customer filled in: kept on the session as they type, checked when they pay."""

from __future__ import annotations

from typing import Any

from trialbalance.twin.checkout import shipping
from trialbalance.twin.checkout.parameters import details
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call
from trialbalance.twin.wire.validate import plain

ADDRESS = ("city", "country", "line1", "line2", "postal_code", "state")


def collect(call: Call, session: JsonObject) -> None:
    """Take over the parameters that were sent: `customer_details`, `shipping`, `custom_fields`, `consent`."""
    params = call.params
    locale = params.get("browser_locale")
    if locale:
        session["_browser_locale"] = locale
    given = params.plain("customer_details")
    shipped = params.plain("shipping")
    fields = params.plain("custom_fields")
    consent = params.plain("consent")
    if session["status"] != "open":
        return
    if given:
        _customer(call, session, given)
    if shipped and (session["permissions"] or {}).get("update_shipping_details") == "server_only":
        raise InvalidRequest(
            "The shipping details of this Checkout Session can only be updated by your server: "
            "`permissions[update_shipping_details]` is `server_only`.",
            param="shipping",
        )
    if shipped:
        session["collected_information"] = {
            **session["collected_information"],
            "shipping_details": shipping.address(session, shipped),
        }
        if shipped.get("phone"):
            _customer(call, session, {"phone": shipped["phone"]})
    for key, value in (fields or {}).items():
        _field(session, key, value)
    if consent:
        session["consent"] = {
            "promotions": consent.get("promotions") or None,
            "terms_of_service": consent.get("terms_of_service") or None,
        }


def _customer(call: Call, session: JsonObject, given: dict[str, Any]) -> None:
    known = dict(
        session["customer_details"] or details(tax_exempt=None if session["mode"] == "setup" else "none")
    )
    for name in ("email", "name", "phone", "business_name", "individual_name"):
        if name in given and not (name == "email" and _email_is_fixed(call, session)):
            known[name] = given[name] or None
    if "address" in given:
        known["address"] = {name: given["address"].get(name) or None for name in ADDRESS}
    if "tax_ids" in given:
        known["tax_ids"] = plain(given["tax_ids"]) or []
    session["customer_details"] = known
    for name in ("business_name", "individual_name"):
        if name in given:
            session["collected_information"] = {**session["collected_information"], name: given[name] or None}


def _email_is_fixed(call: Call, session: JsonObject) -> bool:
    """The page does not let a customer change an address that the merchant gave."""
    if session["customer_email"]:
        return True
    customer = call.find("customer", session["customer"])
    return bool(customer and customer.get("email"))


def _field(session: JsonObject, key: str, value: str) -> None:
    for field in session["custom_fields"]:
        if field["key"] == key:
            field[field["type"]]["value"] = value or None
            return
    raise InvalidRequest(f"There is no custom field `{key}`.", param=f"custom_fields[{key}]")


def check(call: Call, session: JsonObject) -> None:
    """Refuse to go on without what the session requires.

    Raises:
        InvalidRequest: naming the first thing that is missing or wrong.
    """
    known = session["customer_details"] or {}
    if not known.get("email"):
        raise _missing("customer_details[email]", "An email address is required.")
    collected = session["collected_information"]
    if session["shipping_address_collection"]:
        shipped = collected["shipping_details"]
        if not shipped or not shipped["name"] or not shipped["address"]["line1"]:
            raise _missing("shipping[address][line1]", "A shipping address is required.")
    if session["billing_address_collection"] == "required" and not (known.get("address") or {}).get(
        "country"
    ):
        raise _missing("customer_details[address][country]", "A billing address is required.")
    if session["phone_number_collection"]["enabled"] and not known.get("phone"):
        raise _missing("customer_details[phone]", "A phone number is required.")
    for kind in ("business", "individual"):
        rule = (session.get("name_collection") or {}).get(kind)
        if rule and rule["enabled"] and not rule["optional"] and not collected[f"{kind}_name"]:
            raise _missing(f"customer_details[{kind}_name]", "A name is required.")
    for field in session["custom_fields"]:
        _check_field(field)
    consent = session["consent_collection"] or {}
    given = session["consent"] or {}
    if consent.get("terms_of_service") == "required" and given.get("terms_of_service") != "accepted":
        raise _missing("consent[terms_of_service]", "The terms of service must be accepted.")
    if consent.get("promotions") == "auto" and not given.get("promotions"):
        session["consent"] = {"promotions": "opt_out", "terms_of_service": given.get("terms_of_service")}


def _check_field(field: JsonObject) -> None:
    kind = field["type"]
    value, path = field[kind]["value"], f"custom_fields[{field['key']}]"
    if not value:
        if not field["optional"]:
            raise _missing(path, f"{field['label']['custom']} is required.")
        return
    if kind == "dropdown":
        if all(option["value"] != value for option in field[kind]["options"]):
            raise InvalidRequest(f"`{value}` is not an option of {field['label']['custom']}.", param=path)
        return
    if kind == "numeric" and not (value.isascii() and value.isdigit()):
        raise InvalidRequest(f"{field['label']['custom']} takes digits only.", param=path)
    least, most = field[kind]["minimum_length"], field[kind]["maximum_length"]
    if (least and len(value) < least) or (most and len(value) > most) or len(value) > 255:
        raise InvalidRequest(f"{field['label']['custom']} has the wrong length.", param=path)


def _missing(param: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, param=param, code="parameter_missing")
