"""Radar value lists: values that fraud rules compare with.

Source: https://docs.stripe.com/api/radar/value_lists
"""

from __future__ import annotations

import re

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.lists import embedded

KIND = "radar.value_list"
ITEM = "radar.value_list_item"
PATTERNS = {
    "card_bin": re.compile(r"^\d{6,8}$"),
    "country": re.compile(r"^[A-Za-z]{2}$"),
    "customer_id": re.compile(r"^cus_\w+$"),
    "email": re.compile(r"^[^\s@]+@[^\s@]+$"),
    "ip_address": re.compile(r"^[0-9a-fA-F.:]+(/\d{1,3})?$"),
    "account": re.compile(r"^acct_\w+$"),
}
"""What values of a type look like; other types take any text."""


@endpoint("POST /v1/radar/value_lists")
def create(call: Call) -> JsonObject:
    """A new list; its alias is what rules call it."""
    params = call.params
    alias = _alias(call, params["alias"])
    found = call.new(
        KIND,
        "rsl",
        alias=alias,
        created_by="API",
        item_type=params.get("item_type") or "string",
        list_items=embedded([], ""),
        name=params["name"],
    )
    found["list_items"]["url"] = f"/v1/radar/value_list_items?value_list={found['id']}"
    call.merge_metadata(found)
    return call.insert(found)


@endpoint("GET /v1/radar/value_lists/{value_list}")
def retrieve(call: Call) -> JsonObject:
    """One list."""
    return call.get(KIND, call.path["value_list"], param="value_list")


@endpoint("GET /v1/radar/value_lists")
def list_(call: Call) -> JsonObject:
    """Lists, newest first, by alias or by a value in them."""
    contains = call.params.get("contains") or None

    def keep(found: JsonObject) -> bool:
        items = call.ledger.all(call.account, ITEM, value_list=found["id"])
        return any(item["value"] == _plain(found["item_type"], str(contains)) for item in items)

    return call.list(KIND, where={"alias": call.params.get("alias")}, keep=keep if contains else None)


@endpoint("POST /v1/radar/value_lists/{value_list}")
def update(call: Call) -> JsonObject:
    """Change alias, name, metadata."""
    found = call.edit(KIND, call.path["value_list"], param="value_list")
    if call.params.get("alias") and call.params["alias"] != found["alias"]:
        found["alias"] = _alias(call, call.params["alias"])
    call.assign(found, "name")
    call.merge_metadata(found)
    return found


@endpoint("DELETE /v1/radar/value_lists/{value_list}")
def delete(call: Call) -> JsonObject:
    """Delete a list with its items."""
    found = call.delete(KIND, call.path["value_list"], param="value_list")
    for item in list(call.ledger.all(call.account, ITEM, value_list=found["id"])):
        call.ledger.delete(call.account, ITEM, item["id"])
    return call.deleted_stub(found)


@endpoint("POST /v1/radar/value_list_items")
def create_item(call: Call) -> JsonObject:
    """Put a value into a list."""
    params = call.params
    owner = call.edit(KIND, params["value_list"], param="value_list")
    value = _value(owner["item_type"], params["value"])
    items = call.ledger.all(call.account, ITEM, value_list=owner["id"])
    if any(item["value"] == value for item in items):
        raise InvalidRequest(
            f"The value '{value}' is already in this list.", param="value", code="resource_already_exists"
        )
    item = call.insert(call.new(ITEM, "rsli", created_by="API", value=value, value_list=owner["id"]))
    _show(call, owner)
    return item


@endpoint("GET /v1/radar/value_list_items/{item}")
def retrieve_item(call: Call) -> JsonObject:
    """One value of a list."""
    return call.get(ITEM, call.path["item"], param="item")


@endpoint("GET /v1/radar/value_list_items")
def list_items(call: Call) -> JsonObject:
    """The values of a list, newest first."""
    owner = call.get(KIND, call.params["value_list"], param="value_list")
    return call.list(ITEM, where={"value_list": owner["id"], "value": call.params.get("value")})


@endpoint("DELETE /v1/radar/value_list_items/{item}")
def delete_item(call: Call) -> JsonObject:
    """Take a value out of its list."""
    item = call.delete(ITEM, call.path["item"], param="item")
    _show(call, call.edit(KIND, item["value_list"]))
    return call.deleted_stub(item)


def _alias(call: Call, alias: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_]{1,100}", alias):
        raise InvalidRequest(
            "The alias of a value list may have letters, digits and underscores only.", param="alias"
        )
    if any(other["alias"] == alias for other in call.ledger.all(call.account, KIND)):
        raise InvalidRequest(
            f"A value list with the alias '{alias}' already exists.",
            param="alias",
            code="resource_already_exists",
        )
    return alias


def _plain(item_type: str, value: str) -> str:
    return value.strip() if item_type == "case_sensitive_string" else value.strip().lower()


def _value(item_type: str, value: str) -> str:
    """A value in the form in which it is compared.

    Raises:
        InvalidRequest: it is not of the list's type.
    """
    pattern = PATTERNS.get(item_type)
    text = value.strip()
    if pattern is not None and not pattern.match(text):
        raise InvalidRequest(f"'{value}' is not a valid {item_type}.", param="value")
    return (
        text if item_type in ("customer_id", "account", "case_sensitive_string") else _plain(item_type, text)
    )


def _show(call: Call, owner: JsonObject) -> None:
    """Put the newest values into an edited list."""
    items = list(call.ledger.all(call.account, ITEM, value_list=owner["id"]))
    items.reverse()
    owner["list_items"] = embedded(items, f"/v1/radar/value_list_items?value_list={owner['id']}")
