"""The parts of an account and of a person: their empty forms, and how what is sent goes into them.

Empty forms are the recorded ones.
Source: https://docs.stripe.com/api/accounts/object and https://docs.stripe.com/api/persons/object
"""

from __future__ import annotations

import re
from typing import Any

from trialbalance.twin.addresses import FIELDS
from trialbalance.twin.errors import JsonObject

PROFILE = (
    "annual_revenue",
    "estimated_worker_count",
    "mcc",
    "minority_owned_business_designation",
    "name",
    "product_description",
    "specified_commercial_transactions_act_url",
    "support_address",
    "support_email",
    "support_phone",
    "support_url",
    "url",
)
ROLES = ("authorizer", "director", "executive", "legal_guardian", "owner", "representative")
DOCUMENT = ("back", "details", "details_code", "front")
CALLING = {"US": "+1", "CA": "+1"}
CUSTOM = {
    "fees": {"payer": "application_custom"},
    "is_controller": True,
    "losses": {"payments": "application"},
    "requirement_collection": "application",
    "stripe_dashboard": {"type": "none"},
    "type": "application",
}
EXPRESS = {
    "fees": {"payer": "application_express"},
    "is_controller": True,
    "losses": {"payments": "application"},
    "requirement_collection": "stripe",
    "stripe_dashboard": {"type": "express"},
    "type": "application",
}
STANDARD = {
    "fees": {"payer": "account"},
    "is_controller": True,
    "losses": {"payments": "stripe"},
    "requirement_collection": "stripe",
    "stripe_dashboard": {"type": "full"},
    "type": "application",
}
TYPES: dict[str, JsonObject] = {"custom": CUSTOM, "express": EXPRESS, "standard": STANDARD}


def profile() -> JsonObject:
    """An empty business profile."""
    return dict.fromkeys(PROFILE)


def document() -> JsonObject:
    """No document."""
    return dict.fromkeys(DOCUMENT)


def address(country: str | None) -> JsonObject:
    """An address of which only the country is known."""
    return dict.fromkeys(FIELDS) | {"country": country}


def company(country: str, *, business: bool) -> JsonObject:
    """An empty company: a business has yet to tell about its people."""
    return {
        "address": address(country),
        "directors_provided": not business,
        "executives_provided": not business,
        "name": None,
        "owners_provided": not business,
        "tax_id_provided": False,
        "verification": {"document": document()},
    }


def settings(delay: int) -> JsonObject:
    """The settings of a new account."""
    return {
        "bacs_debit_payments": {"display_name": None, "service_user_number": None},
        "branding": {"icon": None, "logo": None, "primary_color": None, "secondary_color": None},
        "card_issuing": {"tos_acceptance": {"date": None, "ip": None}},
        "card_payments": {
            "decline_on": {"avs_failure": False, "cvc_failure": False},
            "statement_descriptor_prefix": None,
            "statement_descriptor_prefix_kana": None,
            "statement_descriptor_prefix_kanji": None,
        },
        "dashboard": {"display_name": None, "timezone": "Etc/UTC"},
        "invoices": {"default_account_tax_ids": None, "hosted_payment_method_save": "offer"},
        "payments": {
            "statement_descriptor": None,
            "statement_descriptor_kana": None,
            "statement_descriptor_kanji": None,
        },
        "payouts": {
            "debit_negative_balances": False,
            "schedule": {"delay_days": delay, "interval": "daily"},
            "statement_descriptor": None,
        },
        "sepa_debit_payments": {},
    }


def relationship() -> JsonObject:
    """What a person is to the business: nothing yet."""
    return ordered({**dict.fromkeys(ROLES, False), "percent_ownership": None, "title": None})


def verification() -> JsonObject:
    """A person who is not verified."""
    return {
        "additional_document": document(),
        "details": None,
        "details_code": None,
        "document": document(),
        "status": "unverified",
    }


def ordered(obj: JsonObject) -> JsonObject:
    """The hash with its keys in the API's order, all the way down."""
    return {
        name: ordered(obj[name]) if isinstance(obj[name], dict) and "object" not in obj[name] else obj[name]
        for name in sorted(obj)
    }


def arrange(obj: JsonObject) -> JsonObject:
    """Put the keys of an object into the API's order, in place: id, object, then by name."""
    rest = {name: obj[name] for name in sorted(obj) if name not in ("id", "object")}
    head = {name: obj[name] for name in ("id", "object")}
    obj.clear()
    obj |= head | rest
    return obj


def merge(into: JsonObject, given: Any) -> None:
    """Put what was sent into a hash: nested hashes are merged, emptied values become null."""
    for name, value in (given or {}).items():
        if isinstance(value, dict):
            inner = into.get(name)
            if not isinstance(inner, dict):
                inner = into[name] = {}
            merge(inner, value)
        else:
            into[name] = None if value == "" else value


def phone(number: str | None, country: str) -> str | None:
    """A phone number in international form, where the country's calling code is known."""
    if not number:
        return None
    digits = re.sub(r"[^0-9+]", "", number)
    if digits.startswith("+") or country not in CALLING:
        return digits or number
    return f"{CALLING[country]}{digits.removeprefix('1') if len(digits) == 11 else digits}"


def descriptor(name: str | None) -> str | None:
    """The statement descriptor that a business name gives."""
    text = re.sub(r"[<>\\'\"*]", "", name or "").upper()[:22].strip()
    return text if len(text) >= 5 else None


def type_of(controller: JsonObject) -> str:
    """The account type that controller properties amount to, or `none`."""
    same = {
        "custom": ("application", "application", "application", "none"),
        "express": ("application", "application", "stripe", "express"),
        "standard": ("account", "stripe", "stripe", "full"),
    }
    found = (
        controller["fees"]["payer"],
        controller["losses"]["payments"],
        controller["requirement_collection"],
        controller["stripe_dashboard"]["type"],
    )
    return next((name for name, properties in same.items() if properties == found), "none")
