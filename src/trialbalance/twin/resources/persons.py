"""Persons: who represents, owns and directs a connected account.

Source: https://docs.stripe.com/api/persons
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from trialbalance.twin import addresses
from trialbalance.twin.connect import fields, standing
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import account_state, tokens
from trialbalance.twin.wire.call import Call, endpoint

KIND = "person"
PLAIN = (
    "email",
    "first_name",
    "first_name_kana",
    "first_name_kanji",
    "gender",
    "last_name",
    "last_name_kana",
    "last_name_kanji",
    "maiden_name",
    "nationality",
    "political_exposure",
    "full_name_aliases",
)


@endpoint("POST /v1/accounts/{account}/persons")
def create(call: Call) -> JsonObject:
    """A new person of an account."""
    account = account_state.edit(call, call.path["account"])
    there = account_state.on(call, account["id"])
    person = _new(there, account)
    _describe(call, there, account, person, _given(call))
    account_state.refresh(call, account)
    there.emit("person.created", person)
    account_state.changed(call, account)
    return person


@endpoint("GET /v1/accounts/{account}/persons/{person}")
def retrieve(call: Call) -> JsonObject:
    """One person."""
    account = account_state.get(call, call.path["account"])
    return account_state.on(call, account["id"]).get(KIND, call.path["person"], param="person")


@endpoint("GET /v1/accounts/{account}/persons")
def list_(call: Call) -> JsonObject:
    """An account's persons, newest first, by what they are to the business."""
    account = account_state.get(call, call.path["account"])
    wanted = call.params.plain("relationship") or {}
    return account_state.on(call, account["id"]).list(
        KIND,
        keep=lambda person: all(person["relationship"].get(role) == value for role, value in wanted.items()),
        url=call.path_name,
    )


@endpoint("POST /v1/accounts/{account}/persons/{person}")
def update(call: Call) -> JsonObject:
    """Change what was sent."""
    account = account_state.edit(call, call.path["account"])
    there = account_state.on(call, account["id"])
    person = there.edit(KIND, call.path["person"], param="person")
    _describe(call, there, account, person, _given(call))
    account_state.refresh(call, account)
    there.emit("person.updated", person)
    account_state.changed(call, account)
    return person


@endpoint("DELETE /v1/accounts/{account}/persons/{person}")
def delete(call: Call) -> JsonObject:
    """Remove a person; the representative of an account only after another was named."""
    account = account_state.edit(call, call.path["account"])
    there = account_state.on(call, account["id"])
    person = there.get(KIND, call.path["person"], param="person")
    if person["relationship"]["representative"] and account["charges_enabled"]:
        raise InvalidRequest(
            "You cannot delete the representative of an account. Create another person as the representative first."
        )
    there.ledger.delete(there.account, KIND, person["id"])
    there.emit("person.deleted", person)
    account_state.changed(call, account)
    return call.deleted_stub(person)


def individual(call: Call, account: JsonObject, given: Any) -> JsonObject:
    """Change (or begin) the person that an individual's account is about."""
    there = account_state.on(call, account["id"])
    people = account_state.people_of(call, account["id"])
    person = there.edit(KIND, people[0]["id"]) if people else _new(there, account)
    person["relationship"]["representative"] = True
    _describe(call, there, account, person, dict(given))
    if account["business_type"] == "individual":
        company = account["company"]
        company["address"] = dict(person["address"])
        if person.get("phone"):
            company["phone"] = person["phone"]
    return person


def person(call: Call, account: JsonObject, given: JsonObject, *, identifier: str | None) -> JsonObject:
    """Change a person of an edited account, or make a new one, for other modules."""
    there = account_state.on(call, account["id"])
    found = there.edit(KIND, identifier) if identifier else _new(there, account)
    _describe(call, there, account, found, given)
    if identifier is None:
        there.emit("person.created", found)
    return found


def forget(call: Call, account: JsonObject) -> None:
    """Drop an individual's person: the account became a company."""
    there = account_state.on(call, account["id"])
    for person in account_state.people_of(call, account["id"]):
        there.ledger.delete(there.account, KIND, person["id"])


def _given(call: Call) -> JsonObject:
    """What was sent, or what a person token stands for."""
    params = call.params
    given = {name: params.plain(name) for name in params if name not in ("expand", "person_token")}
    if params.get("person_token"):
        given |= tokens.data_of(call, params["person_token"], KIND, param="person_token")
    return given


def _new(there: Call, account: JsonObject) -> JsonObject:
    person = there.new(
        KIND,
        "person",
        account=account["id"],
        future_requirements=standing.blank(deadline=False),
        relationship=fields.relationship(),
        requirements=standing.blank(deadline=False),
        verification=fields.verification(),
    )
    person["additional_tos_acceptances"] = {"account": {"date": None, "ip": None, "user_agent": None}}
    person["address"] = fields.address(account["country"])
    person["dob"] = {"day": None, "month": None, "year": None}
    person["id_number_provided"] = False
    if account["country"] == "US":
        person["ssn_last_4_provided"] = False
    return there.insert(person)


def _describe(call: Call, there: Call, account: JsonObject, person: JsonObject, given: JsonObject) -> None:
    """Copy what was sent into an edited person, checking each thing."""
    given = dict(given)
    country = account["country"]
    if given.get("email"):
        addresses.email(given["email"])
    for name in PLAIN:
        if name in given:
            person[name] = given.pop(name) or None
    if "phone" in given:
        person["phone"] = fields.phone(given.pop("phone"), country)
    for name in ("address", "registered_address"):
        if name in given:
            before = person.get(name) or fields.address(country)
            person[name] = addresses.address(given.pop(name) or {}, before)
    for name in ("address_kana", "address_kanji"):
        if name in given:
            person[name] = {**(person.get(name) or {}), **(given.pop(name) or {})}
    if "dob" in given:
        person["dob"] = _birth(call, given.pop("dob"))
    for name in ("id_number", "ssn_last_4", "id_number_secondary"):
        if name in given:
            person[f"_{name}"] = given.pop(name) or None
            person[f"{name}_provided"] = bool(person[f"_{name}"])
    if country == "US" and person.get("_id_number"):
        person["ssn_last_4_provided"] = True
    if "relationship" in given:
        _relationship(there, account, person, given.pop("relationship") or {})
    if "verification" in given:
        fields.merge(person["verification"], given.pop("verification"))
    if "metadata" in given:
        sent = given.pop("metadata")
        person["metadata"] = {} if sent == "" else {**person["metadata"], **(sent or {})}
        person["metadata"] = {key: value for key, value in person["metadata"].items() if value != ""}
    if "additional_tos_acceptances" in given:
        fields.merge(person["additional_tos_acceptances"], given.pop("additional_tos_acceptances"))
    if "us_cfpb_data" in given:
        person["us_cfpb_data"] = given.pop("us_cfpb_data")
    if "documents" in given:
        person["_documents"] = {**(person.get("_documents") or {}), **(given.pop("documents") or {})}
    fields.arrange(person)


def _birth(call: Call, given: Any) -> JsonObject:
    """A date of birth; the person must be at least thirteen.

    Raises:
        InvalidRequest: no such date, or too young.
    """
    if not given:
        return {"day": None, "month": None, "year": None}
    try:
        born = date(given["year"], given["month"], given["day"])
    except (ValueError, OverflowError):
        raise InvalidRequest("Invalid date of birth.", param="dob") from None
    today = datetime.fromtimestamp(call.now, UTC).date()
    age = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    if age < 13:
        raise InvalidRequest(
            "Must be at least 13 years of age to use Stripe.",
            param="dob[year]",
            code="invalid_dob_age_under_minimum",
        )
    return {"day": born.day, "month": born.month, "year": born.year}


def _relationship(there: Call, account: JsonObject, person: JsonObject, given: JsonObject) -> None:
    percent = given.get("percent_ownership")
    if percent not in (None, "") and not 0 <= float(percent) <= 100:
        raise InvalidRequest(
            "The percent ownership must be between 0 and 100.", param="relationship[percent_ownership]"
        )
    if given.get("representative"):
        for other in account_state.people_of(there, account["id"]):
            if other["id"] != person["id"] and other["relationship"]["representative"]:
                there.edit(KIND, other["id"])["relationship"]["representative"] = False
    fields.merge(person["relationship"], given)
