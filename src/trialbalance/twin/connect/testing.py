"""The published test values: what a name, date, number, address, URL or document does to verification.

Every function answers the error it raises as (code, requirement suffix), or None. What is not a test value passes,
except dates of birth: any other than the two published ones does not match.
Source: https://docs.stripe.com/connect/testing#identity-verification
"""

from __future__ import annotations

from typing import NamedTuple

from trialbalance.twin.errors import JsonObject


class Problem(NamedTuple):
    """A verification error: its code, the field that has to be given again, and why."""

    code: str
    field: str
    reason: str


ADDRESSES = {"address_no_match", "address_line1_no_match"}
TAX_IDS = {
    "111111111": ("verification_failed_tax_id_match", "The tax ID does not match the business name."),
    "111111112": ("verification_failed_tax_id_not_issued", "The tax ID was not issued."),
    "222221000": ("verification_failed_business_iec_number", "The company was not found in the registry."),
    "222221001": ("verification_missing_owners", "The owners were not found in the registry."),
    "222221002": ("verification_directors_mismatch", "The directors were not found in the registry."),
    "222221003": ("verification_missing_owners", "Owners of the registry are missing on the account."),
    "222221004": ("verification_missing_directors", "Directors of the registry are missing on the account."),
}
IMMEDIATE_TAX_IDS = {"222222222"}
IMMEDIATE_NUMBERS = {"222222222"}
URLS = {
    "https://disallowed.stripe.com": "invalid_url_denylisted",
    "https://geoblocked.stripe.com": "invalid_url_website_inaccessible_geoblocked",
    "https://problem.stripe.com": "invalid_url_website_other",
    "https://missing.stripe.com": "invalid_url_website_incomplete",
    "https://mismatch.stripe.com": "invalid_url_website_business_information_mismatch",
    "https://passwordprotected.stripe.com": "invalid_url_website_inaccessible_password_protected",
    "https://underconstruction.stripe.com": "invalid_url_website_incomplete_under_construction",
    "https://inaccessible.stripe.com": "invalid_url_website_inaccessible",
}
INACTIVITY = "https://inactivity.stripe.com"
DESCRIPTORS = {
    "mismatch": "invalid_statement_descriptor_business_mismatch",
    "disallowed": "invalid_statement_descriptor_denylisted",
}
PREFIXES = {
    "mismatch": "invalid_statement_descriptor_prefix_mismatch",
    "disallowed": "invalid_statement_descriptor_prefix_denylisted",
}
NAMES = {
    "disallowed_dba": "invalid_business_profile_name_denylisted",
    "invalid_dba": "invalid_business_profile_name",
}
COMPANIES = {
    "disallowed_name": "invalid_company_name_denylisted",
    "match_name_only": "verification_failed_name_match",
}
PEOPLE = {
    "mismatch_director": "verification_directors_mismatch",
    "missing_director": "verification_missing_directors",
    "extraneous_director": "verification_extraneous_directors",
    "mismatch_owner": "verification_missing_owners",
    "extraneous_owner": "verification_missing_owners",
}
DOCUMENTS = {
    "file_identity_document_success": None,
    "file_identity_document_failure": "verification_document_failed_other",
    "file_relationship_document_success": None,
    "file_relationship_document_invalid": "verification_document_invalid",
    "file_relationship_document_mismatch": "verification_document_name_mismatch",
    "file_relationship_document_invalid_signer": "invalid_signator",
}
"""File tokens and the error they raise; real uploads pass."""
REASONS = {
    "verification_failed_keyed_identity": "The person's keyed-in identity information could not be verified.",
    "verification_failed_id_number_match": "The ID number does not match the person's name.",
    "verification_failed_address_match": "The address could not be verified.",
    "verification_document_failed_other": "There was a problem with verifying the uploaded document.",
    "verification_failed_name_match": "The business name does not match the given information.",
}
"""What the errors say; a code that is not here is explained by its own words."""


def explain(code: str) -> str:
    """The sentence of an error code."""
    return REASONS.get(code) or f"{code.replace('_', ' ').capitalize()}."


def person_problem(person: JsonObject) -> Problem | None:
    """Why a person's identity does not verify, if it does not. Documents take precedence over numbers."""
    document = ((person.get("verification") or {}).get("document") or {}).get("front")
    if document is not None:
        code = DOCUMENTS.get(document)
        return _problem(code, "verification.document") if code else None
    birth = person.get("dob") or {}
    number = person.get("_id_number") or ""
    line1 = (person.get("address") or {}).get("line1") or ""
    if number == "111111111":
        return _problem("verification_failed_id_number_match", "id_number")
    if line1 in ADDRESSES:
        return _problem("verification_failed_address_match", "address.line1")
    if number not in IMMEDIATE_NUMBERS and (birth.get("year"), birth.get("month"), birth.get("day")) not in (
        (1901, 1, 1),
        (1902, 1, 1),
    ):
        return _problem("verification_failed_keyed_identity", "verification.document")
    return None


def immediate(person: JsonObject) -> bool:
    """Whether the result is in the same response."""
    return (person.get("_id_number") or "") in IMMEDIATE_NUMBERS or (person.get("dob") or {}).get(
        "year"
    ) == 1902


def sanctioned(person: JsonObject) -> bool:
    """Whether the date of birth raises a sanctions alert."""
    return (person.get("dob") or {}).get("year") == 1900


def account_problems(account: JsonObject, people: list[JsonObject]) -> list[Problem]:
    """What is wrong with what an account says about its business."""
    found: list[Problem | None] = []
    profile = account.get("business_profile") or {}
    settings = account.get("settings") or {}
    company = account.get("company") or {}
    if profile.get("url") in URLS:
        found.append(_problem(URLS[profile["url"]], "business_profile.url"))
    if profile.get("name") in NAMES:
        found.append(_problem(NAMES[profile["name"]], "business_profile.name"))
    if profile.get("product_description") == "require_url":
        found.append(_problem("invalid_url_web_presence_detected", "business_profile.url"))
    descriptor = (settings.get("payments") or {}).get("statement_descriptor")
    if descriptor in DESCRIPTORS:
        found.append(_problem(DESCRIPTORS[descriptor], "settings.payments.statement_descriptor"))
    prefix = (settings.get("card_payments") or {}).get("statement_descriptor_prefix")
    if prefix in PREFIXES:
        found.append(_problem(PREFIXES[prefix], "settings.card_payments.statement_descriptor_prefix"))
    if account.get("business_type") in (None, "individual"):
        return [problem for problem in found if problem is not None]
    if company.get("name") in COMPANIES:
        found.append(_problem(COMPANIES[company["name"]], "company.name"))
    if (company.get("address") or {}).get("line1") == "address_no_match":
        found.append(_problem("verification_failed_address_match", "company.address.line1"))
    if (company.get("address") or {}).get("line1") == "address_line1_no_match":
        found += [
            _problem("verification_failed_address_match", f"company.address.{part}")
            for part in ("city", "line1", "postal_code", "state")
        ]
    document = ((company.get("verification") or {}).get("document") or {}).get("front") or ""
    tax_id = account.get("_tax_id") or ""
    if document:
        found.append(_problem(DOCUMENTS.get(document), "company.verification.document"))
    elif tax_id in TAX_IDS:
        code, reason = TAX_IDS[tax_id]
        found.append(Problem(code, "company.tax_id", reason))
    for person in people:
        if person.get("first_name") in PEOPLE:
            role = "directors" if "director" in person["first_name"] else "owners"
            found.append(_problem(PEOPLE[person["first_name"]], f"{role}.first_name"))
    return [problem for problem in found if problem is not None]


def _problem(code: str | None, field: str) -> Problem | None:
    return Problem(code, field, explain(code)) if code else None
