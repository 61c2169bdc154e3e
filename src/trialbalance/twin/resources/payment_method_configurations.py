"""Payment method configurations: which types dynamic payment methods offer.

Every account has a default configuration with card and link on; others are switched on by update.
Source: https://docs.stripe.com/api/payment_method_configurations
"""

from __future__ import annotations

from typing import Any

from trialbalance.contract import load
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.rails.table import RAILS
from trialbalance.twin.wire.call import Call, endpoint

KIND = "payment_method_configuration"
ON = frozenset({"card", "link"})
_NOT_TYPES = frozenset({"active", "application", "id", "is_default", "livemode", "name", "object", "parent"})


@endpoint("POST /v1/payment_method_configurations")
def create(call: Call) -> JsonObject:
    """A new configuration; `parent` makes it a child that inherits."""
    parent = call.params.get("parent") or None
    base = of(call, parent) if parent else None
    found = _new(call, call.params.get("name") or "Custom", default=False, parent=parent, base=base)
    _apply(call, found)
    return call.insert(found)


@endpoint("GET /v1/payment_method_configurations/{configuration}")
def retrieve(call: Call) -> JsonObject:
    """One configuration."""
    default(call)
    return call.get(KIND, call.path["configuration"], param="configuration")


@endpoint("POST /v1/payment_method_configurations/{configuration}")
def update(call: Call) -> JsonObject:
    """Switch types on and off."""
    default(call)
    found = call.edit(KIND, call.path["configuration"], param="configuration")
    if "active" in call.params:
        if found["is_default"] and not call.params["active"]:
            raise InvalidRequest("The default configuration cannot be deactivated.", param="active")
        found["active"] = call.params["active"]
    call.assign(found, "name")
    _apply(call, found)
    return found


@endpoint("GET /v1/payment_method_configurations")
def list_(call: Call) -> JsonObject:
    """The account's configurations."""
    default(call)
    application = call.params.get("application")
    return call.list(KIND, keep=(lambda _: False) if application not in (None, "") else None)


def default(call: Call) -> JsonObject:
    """The account's default configuration, made on first use."""
    for found in call.ledger.all(call.account, KIND):
        if found["is_default"]:
            return found
    return call.insert(_new(call, "Default", default=True, parent=None, base=None))


def of(call: Call, identifier: str | None) -> JsonObject:
    """The configuration with an id, or the default one.

    Raises:
        NotFound: there is none.
    """
    found = default(call)
    if identifier and identifier != found["id"]:
        return call.get(KIND, identifier, param="payment_method_configuration")
    return found


def types(found: JsonObject) -> list[str]:
    """The types that are on: card first, then by name."""
    on = [
        name
        for name, value in found.items()
        if isinstance(value, dict) and (value.get("display_preference") or {}).get("value") == "on"
    ]
    return sorted(on, key=lambda name: (name != "card", name))


def _known() -> list[str]:
    fields = load().objects[KIND]
    return [name for name in fields if name not in _NOT_TYPES]


def _new(call: Call, name: str, *, default: bool, parent: str | None, base: JsonObject | None) -> JsonObject:
    options: dict[str, Any] = {}
    for type in _known():
        if type not in RAILS and type not in ("card", "apple_pay", "google_pay", "cartes_bancaires", "jcb"):
            continue
        value = (base or {}).get(type, {}).get("display_preference", {}).get("value")
        on = (value == "on") if base else type in ON or type in ("apple_pay", "google_pay")
        options[type] = _display(on, "none")
    return call.new(
        KIND,
        "pmc",
        active=True,
        is_default=default,
        name=name,
        parent=parent,
        **options,
    )


def _display(on: bool, preference: str) -> JsonObject:
    value = "on" if on else "off"
    return {
        "available": on,
        "display_preference": {"overridable": None, "preference": preference, "value": value},
    }


def _apply(call: Call, found: JsonObject) -> None:
    for type in _known():
        if not dict.__contains__(call.params, type):
            continue
        sent = (call.params.plain(type) or {}).get("display_preference") or {}
        preference = sent.get("preference")
        if preference is None:
            continue
        on = preference == "on" or (preference == "none" and type in ON)
        found[type] = _display(on, preference)
