"""Persons of accounts in the v2 namespace: the same people as v1's, in v2's words.

Source: https://docs.stripe.com/api/v2/core/accounts/persons
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.errors import JsonObject, NotBuilt
from trialbalance.twin.resources import account_state, core_tokens, persons
from trialbalance.twin.webhooks.thin import iso
from trialbalance.twin.wire.call import Call, endpoint

KIND = "v2.core.account_person"
KNOWN = frozenset(
    {
        "address", "date_of_birth", "documents", "email", "given_name", "id_numbers", "legal_gender", "metadata",
        "nationalities", "phone", "political_exposure", "relationship", "surname",
    }
)  # fmt: skip


@endpoint("POST /v2/core/accounts/{account_id}/persons")
def create(call: Call) -> JsonObject:
    """A new person of an account."""
    account = account_state.edit(call, call.path["account_id"])
    person = persons.person(call, account, told(_given(call)), identifier=None)
    account_state.changed(call, account)
    return shown(person)


@endpoint("GET /v2/core/accounts/{account_id}/persons/{id}")
def retrieve(call: Call) -> JsonObject:
    """One person."""
    account = account_state.get(call, call.path["account_id"])
    return shown(account_state.on(call, account["id"]).get(persons.KIND, call.path["id"]))


@endpoint("GET /v2/core/accounts/{account_id}/persons")
def list_(call: Call) -> JsonObject:
    """An account's persons, newest first."""
    account = account_state.get(call, call.path["account_id"])
    people = [shown(person) for person in account_state.people_of(call, account["id"])]
    limit = max(1, min(100, int(call.params.get("limit", 20))))
    return {"data": people[::-1][:limit], "next_page_url": None, "previous_page_url": None}


@endpoint("POST /v2/core/accounts/{account_id}/persons/{id}")
def update(call: Call) -> JsonObject:
    """Change what was sent."""
    account = account_state.edit(call, call.path["account_id"])
    account_state.on(call, account["id"]).get(persons.KIND, call.path["id"])
    person = persons.person(call, account, told(_given(call)), identifier=call.path["id"])
    account_state.changed(call, account)
    return shown(person)


@endpoint("DELETE /v2/core/accounts/{account_id}/persons/{id}")
def delete(call: Call) -> JsonObject:
    """Remove a person."""
    account = account_state.edit(call, call.path["account_id"])
    there = account_state.on(call, account["id"])
    person = there.get(persons.KIND, call.path["id"])
    there.ledger.delete(there.account, persons.KIND, person["id"])
    there.emit("person.deleted", person)
    account_state.changed(call, account)
    return {"id": person["id"], "object": KIND}


def told(given: JsonObject) -> JsonObject:
    """What was sent of a person, in v1's terms.

    Raises:
        NotBuilt: a part that has no place in v1's persons.
    """
    for name in given:
        if name not in KNOWN:
            raise NotBuilt(f"the parameter '{name}' of persons", param=name)
    result: JsonObject = {}
    for name, field in (("given_name", "first_name"), ("surname", "last_name"), ("legal_gender", "gender")):
        if name in given:
            result[field] = given[name]
    for name in ("email", "phone", "metadata", "political_exposure"):
        if name in given:
            result[name] = given[name]
    if "address" in given:
        result["address"] = {k: v for k, v in given["address"].items() if k != "town"}
    if "date_of_birth" in given:
        result["dob"] = given["date_of_birth"]
    if given.get("nationalities"):
        result["nationality"] = given["nationalities"][0]
    if "relationship" in given:
        result["relationship"] = dict(given["relationship"])
        percent = result["relationship"].get("percent_ownership")
        if percent is not None:
            result["relationship"]["percent_ownership"] = float(percent)
    for number in given.get("id_numbers") or []:
        name = "ssn_last_4" if number["type"] == "us_ssn_last_4" else "id_number"
        result[name] = number["value"]
        result.setdefault("_types", []).append(number["type"])
    documents = given.get("documents") or {}
    sides = {"primary_verification": "document", "secondary_verification": "additional_document"}
    for name, field in sides.items():
        if name in documents:
            result.setdefault("verification", {})[field] = documents[name]["front_back"]
    return {name: value for name, value in result.items() if name != "_types"}


def shown(person: JsonObject) -> JsonObject:
    """A person in v2's words."""
    birth = person["dob"]
    numbers = [
        {"type": kind}
        for name, kind in (("_id_number", "us_ssn"), ("_ssn_last_4", "us_ssn_last_4"))
        if person.get(name)
    ]
    relationship: Any = dict(person["relationship"])
    if relationship["percent_ownership"] is not None:
        relationship["percent_ownership"] = str(relationship["percent_ownership"])
    return {
        "id": person["id"],
        "object": KIND,
        "account": person["account"],
        "address": person["address"],
        "created": iso(person["created"]),
        "date_of_birth": birth if birth["year"] else None,
        "email": person.get("email"),
        "given_name": person.get("first_name"),
        "id_numbers": numbers,
        "legal_gender": person.get("gender"),
        "livemode": False,
        "metadata": person["metadata"],
        "nationalities": [person["nationality"]] if person.get("nationality") else None,
        "phone": person.get("phone"),
        "political_exposure": person.get("political_exposure"),
        "relationship": relationship,
        "surname": person.get("last_name"),
        "updated": iso(person["created"]),
    }


def _given(call: Call) -> JsonObject:
    core_tokens.spend(call, core_tokens.PERSON, "person_token")
    return {name: call.params.plain(name) for name in call.params if name != "person_token"}
