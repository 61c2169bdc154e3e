"""What an account still has to tell, by country, kind of business and capability.

The lists for accounts in the United States are the recorded ones; other countries leave out the state and the
social security number and add identity numbers, directors and executives where their rules ask for them.
Source: https://docs.stripe.com/connect/required-verification-information
"""

from __future__ import annotations

from typing import NamedTuple

from trialbalance.twin.connect.countries import Country, facts
from trialbalance.twin.errors import JsonObject

TRANSFERS = frozenset(
    {"transfers", "legacy_payments", "tax_reporting_us_1099_k", "tax_reporting_us_1099_misc"}
)
"""Capabilities that ask for less than those that take payments."""
ADDRESS = ("address.city", "address.line1", "address.postal_code")
BIRTH = ("dob.day", "dob.month", "dob.year")
REPRESENTATIVE = "representative"


class Missing(NamedTuple):
    """Fields that are due now, fields that will be (a superset), and which capabilities each field holds back."""

    now: tuple[str, ...]
    later: tuple[str, ...]
    payments_only: frozenset[str]


def missing(account: JsonObject, people: list[JsonObject], *, external: bool) -> Missing:
    """What an account has not told yet; `people` are its persons, `external` whether it has an external account."""
    requested = [name for name, at in (account.get("_requested") or {}).items() if at is not None]
    if not requested:
        return Missing((), (), frozenset())
    payments = any(name not in TRANSFERS for name in requested)
    country = facts(account["country"])
    recipient = (account.get("tos_acceptance") or {}).get("service_agreement") == "recipient"
    now: list[str] = []
    later: list[str] = []
    only: set[str] = set()
    profile = account.get("business_profile") or {}
    if not recipient:
        if payments and not profile.get("mcc"):
            only.add("business_profile.mcc")
        if not profile.get("url") and not profile.get("product_description"):
            now.append("business_profile.url")
        settings = account.get("settings") or {}
        if payments and not (settings.get("payments") or {}).get("statement_descriptor"):
            only.add("settings.payments.statement_descriptor")
    if not external:
        now.append("external_account")
    accepted = account.get("tos_acceptance") or {}
    now += [f"tos_acceptance.{part}" for part in ("date", "ip") if not accepted.get(part)]
    kind = account.get("business_type")
    if kind is None:
        now.append("business_type")
        known = _representative(people)
        now += [
            f"{REPRESENTATIVE}.{part}" for part in ("first_name", "last_name") if not _has(known or {}, part)
        ]
    elif kind == "individual":
        person = _representative(people) or {}
        fields = person_fields(country, person, title=False)
        now += [f"individual.{field}" for field in fields]
        if country.person == "ssn_last_4" and not person.get("_id_number") and not recipient:
            later.append("individual.id_number")
    else:
        now += _company(account, country)
        due, eventually = _people(account, people, country)
        now += due
        later += eventually
    now += sorted(only)
    return Missing(tuple(sorted(set(now))), tuple(sorted({*now, *later})), frozenset(only))


def person_fields(country: Country, person: JsonObject, *, title: bool) -> list[str]:
    """What a representative still has to tell."""
    wanted = [
        *ADDRESS,
        *(["address.state"] if country.state else []),
        *BIRTH,
        "email",
        "first_name",
        "last_name",
        "phone",
        *(["relationship.title"] if title else []),
        *([country.person] if country.person else []),
    ]
    return [field for field in wanted if not _has(person, field)]


def owner_fields(country: Country, person: JsonObject) -> tuple[list[str], list[str]]:
    """What an owner has to tell now, and later."""
    first = [field for field in ("email", "first_name", "last_name") if not _has(person, field)]
    rest = [*ADDRESS, *(["address.state"] if country.state else []), *BIRTH, "phone"]
    return first, [field for field in rest if not _has(person, field)]


def person_missing(account: JsonObject, person: JsonObject) -> tuple[list[str], list[str]]:
    """The fields of one person that are due now, and those due later (a superset)."""
    country = facts(account["country"])
    roles = person.get("relationship") or {}
    if roles.get("representative"):
        due = person_fields(country, person, title=account.get("business_type") != "individual")
        return due, due
    if roles.get("owner") or roles.get("director") or roles.get("executive"):
        due, rest = owner_fields(country, person)
        return due, sorted({*due, *rest})
    return [], []


def alternatives(due: tuple[str, ...]) -> list[JsonObject]:
    """What may be given instead: a description of the product for an address of the website."""
    if "business_profile.url" not in due:
        return []
    return [
        {
            "alternative_fields_due": ["business_profile.product_description"],
            "original_fields_due": ["business_profile.url"],
        }
    ]


def _company(account: JsonObject, country: Country) -> list[str]:
    company = account.get("company") or {}
    wanted = [*ADDRESS, *(["address.state"] if country.state else []), "name", "phone"]
    due = [f"company.{field}" for field in wanted if not _has(company, field)]
    if not account.get("_tax_id"):
        due.append("company.tax_id")
    return due


def _people(account: JsonObject, people: list[JsonObject], country: Country) -> tuple[list[str], list[str]]:
    company = account.get("company") or {}
    due: list[str] = []
    later: list[str] = []
    representative = _representative(people)
    if representative is None:
        due += [f"{REPRESENTATIVE}.{field}" for field in person_fields(country, {}, title=True)]
    for person in people:
        first, rest = person_missing(account, person)
        due += [f"{person['id']}.{field}" for field in first]
        later += [f"{person['id']}.{field}" for field in rest]
    if not company.get("owners_provided"):
        due.append("company.owners_provided")
        if not any((person.get("relationship") or {}).get("owner") for person in people):
            first, rest = owner_fields(country, {})
            due += [f"owners.{field}" for field in first]
            later += [f"owners.{field}" for field in rest]
    if country.registry:
        for role in ("directors", "executives"):
            if not company.get(f"{role}_provided"):
                due.append(f"company.{role}_provided")
    return due, later


def _representative(people: list[JsonObject]) -> JsonObject | None:
    return next((p for p in people if (p.get("relationship") or {}).get("representative")), None)


def _has(person: JsonObject, field: str) -> bool:
    if field == "ssn_last_4":
        return bool(person.get("_ssn_last_4") or person.get("_id_number"))
    if field == "id_number":
        return bool(person.get("_id_number"))
    value: object = person
    for part in field.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return bool(value)
