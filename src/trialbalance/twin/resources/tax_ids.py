"""Tax ids of customers and of the account.

Verification of European VAT numbers runs on the twin's clock: test values say how it ends.
Source: https://docs.stripe.com/api/tax_ids and https://docs.stripe.com/billing/customer/tax-ids
"""

from __future__ import annotations

import re

from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.wire.call import Call, due, endpoint, included
from trialbalance.twin.wire.lists import embedded

KIND = "tax_id"
VERIFIED = frozenset({"eu_vat", "gb_vat", "au_abn"})
COUNTRY = {"gb_vat": "GB", "au_abn": "AU", "au_arn": "AU", "eu_oss_vat": None, "ch_vat": "CH", "no_vat": "NO"}
SHAPES = {
    "eu_vat": re.compile(r"^[A-Z]{2}[0-9A-Z+*]{2,12}$"),
    "gb_vat": re.compile(r"^(GB|XI)[0-9A-Z]{5,12}$"),
    "us_ein": re.compile(r"^\d{2}-?\d{7}$"),
    "au_abn": re.compile(r"^\d{11}$"),
    "ch_vat": re.compile(r"^CHE-?\d{3}\.?\d{3}\.?\d{3} ?(MWST|TVA|IVA)?$"),
    "no_vat": re.compile(r"^\d{9}MVA$"),
    "in_gst": re.compile(r"^\d{2}[0-9A-Z]{13}$"),
}
"""The form of a value, for the types whose form is checked."""


@endpoint("POST /v1/customers/{customer}/tax_ids")
def create(call: Call) -> JsonObject:
    """Add one to a customer."""
    customer = call.get("customer", call.path["customer"])
    return make(call, type=call.params["type"], value=call.params["value"], customer=customer["id"])


@endpoint("GET /v1/customers/{customer}/tax_ids")
def list_of_customer(call: Call) -> JsonObject:
    """A customer's."""
    call.get("customer", call.path["customer"])
    return call.list(KIND, where={"customer": call.path["customer"]})


@endpoint("GET /v1/customers/{customer}/tax_ids/{id}")
def retrieve_of_customer(call: Call) -> JsonObject:
    """One of a customer's."""
    return _of(call)


@endpoint("DELETE /v1/customers/{customer}/tax_ids/{id}")
def delete_of_customer(call: Call) -> JsonObject:
    """Remove one of a customer's."""
    return _delete(call, _of(call))


@endpoint("POST /v1/tax_ids")
def create_own(call: Call) -> JsonObject:
    """Add one, by default to the account itself."""
    owner = call.params.plain("owner") or {"type": "self"}
    customer = owner.get("customer") if owner["type"] == "customer" else None
    if customer:
        call.get("customer", customer, param="owner[customer]")
    return make(call, type=call.params["type"], value=call.params["value"], customer=customer, owner=owner)


@endpoint("GET /v1/tax_ids")
def list_own(call: Call) -> JsonObject:
    """The account's own, or another owner's."""
    owner = call.params.plain("owner") or {"type": "self"}
    if owner["type"] == "customer":
        return call.list(KIND, where={"customer": owner.get("customer")})
    return call.list(KIND, keep=lambda tax_id: tax_id["owner"]["type"] == owner["type"])


@endpoint("GET /v1/tax_ids/{id}")
def retrieve_own(call: Call) -> JsonObject:
    """One of anybody's."""
    return call.get(KIND, call.path["id"])


@endpoint("DELETE /v1/tax_ids/{id}")
def delete_own(call: Call) -> JsonObject:
    """Remove one."""
    return _delete(call, call.get(KIND, call.path["id"]))


def make(
    call: Call, *, type: str, value: str, customer: str | None, owner: JsonObject | None = None
) -> JsonObject:
    """A new, stored tax id; those that are verified are pending first.

    Raises:
        InvalidRequest: the value has not the type's form.
    """
    shape = SHAPES.get(type)
    if shape is not None and not shape.match(value.replace(" ", "").upper()):
        raise InvalidRequest(f"Invalid value for {type}.", param="value", code="tax_id_invalid")
    verified = type in VERIFIED
    tax_id = call.new(
        KIND,
        "txi",
        country=COUNTRY.get(type, value[:2].upper() if type == "eu_vat" else type[:2].upper()),
        customer=customer,
        owner=None,
        type=type,
        value=value,
        verification={
            "status": "pending" if verified else "unavailable",
            "verified_address": None,
            "verified_name": None,
        },
    )
    shown = {"application": None, "type": "customer" if customer else "self"}
    shown |= {"account": None, "customer": customer, "customer_account": None}
    tax_id["owner"] = {**shown, **{k: v for k, v in (owner or {}).items() if v is not None}}
    call.insert(tax_id)
    if customer:
        call.emit("customer.tax_id.created", tax_id)
        if verified:
            call.schedule(
                call.now + (0 if call.twin.clock.frozen else 2), "tax_id.verify", tax_id["id"], timeline=""
            )
    return tax_id


@due("tax_id.verify")
def _verify(call: Call, target: str, arguments: JsonObject) -> None:
    """Test values: `111111111` (after the country) fails, `222222222` stays pending, others are verified."""
    found = call.find(KIND, target)
    if found is None:
        return
    tax_id = call.edit(KIND, target)
    digits = re.sub(r"\D", "", tax_id["value"])
    if "222222222" in digits:
        return
    failed = "111111111" in digits
    tax_id["verification"] = {
        "status": "unverified" if failed else "verified",
        "verified_address": None if failed else "Unknown",
        "verified_name": None if failed else "Test",
    }
    call.emit("customer.tax_id.updated", tax_id)


def _of(call: Call) -> JsonObject:
    call.get("customer", call.path["customer"])
    tax_id = call.get(KIND, call.path["id"])
    if tax_id["customer"] != call.path["customer"]:
        raise NotFound(KIND, call.path["id"])
    return tax_id


def _delete(call: Call, tax_id: JsonObject) -> JsonObject:
    call.delete(KIND, tax_id["id"])
    if tax_id["customer"]:
        call.emit("customer.tax_id.deleted", tax_id)
    return call.deleted_stub(tax_id)


@included("customer", "tax_ids")
def _of_customer(call: Call, customer: JsonObject) -> JsonObject:
    found = list(call.ledger.all(call.account, KIND, customer=customer["id"]))
    found.reverse()
    return embedded(found, f"/v1/customers/{customer['id']}/tax_ids", total=True)
