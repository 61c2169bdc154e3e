"""How connected accounts change: recomputing their standing, verifying people, telling of it.

An account lives in the platform's ledger; its persons, external accounts, payments and events in its own.
Verification results come a moment after what they verify, except for the test values that answer at once.
Source: https://docs.stripe.com/connect/handling-api-verification
"""

from __future__ import annotations

from trialbalance.twin.connect import fields, requirements, standing, testing
from trialbalance.twin.errors import JsonObject, PermissionDenied
from trialbalance.twin.wire.call import Call, due
from trialbalance.twin.wire.lists import embedded

KIND = "account"
WAIT = 3
"""Seconds until a verification result on a running clock; none on a frozen one."""


def platform(call: Call) -> Call:
    """The call on the platform, where accounts are kept."""
    return call if call.account == call.twin.account else call.on(call.twin.account)


def on(call: Call, account: str) -> Call:
    """The call on a connected account."""
    return call if call.account == account else call.on(account)


def denied(call: Call, account: str) -> PermissionDenied:
    """The 403 for an account that is not connected, or not any more."""
    masked = call.api_key.masked if call.api_key is not None else "sk_test_***"
    return PermissionDenied(
        f"The provided key '{masked}' does not have access to account '{account}' (or that account does not exist). "
        "Application access may have been revoked.",
        code="account_invalid",
    )


def get(call: Call, account: str) -> JsonObject:
    """A connected account, to read.

    Raises:
        PermissionDenied: it is not connected.
    """
    found = call.ledger.find(call.twin.account, KIND, account)
    if found is None or (call.account not in (call.twin.account, account)):
        raise denied(call, account)
    return found


def edit(call: Call, account: str) -> JsonObject:
    """A connected account, to change.

    Raises:
        PermissionDenied: it is not connected.
    """
    get(call, account)
    found = call.ledger.edit(call.twin.account, KIND, account)
    assert found is not None
    return found


def people_of(call: Call, account: str) -> list[JsonObject]:
    """An account's persons, oldest first, to read."""
    return list(call.ledger.all(account, "person"))


def externals_of(call: Call, account: str) -> list[JsonObject]:
    """An account's external accounts, oldest first."""
    found = [
        *call.ledger.all(account, "bank_account", account=account),
        *call.ledger.all(account, "card", account=account),
    ]
    return sorted(found, key=lambda item: item["_order"])


def default_external(call: Call, account: str, currency: str) -> JsonObject | None:
    """Where payouts in a currency go."""
    fitting = [item for item in externals_of(call, account) if item["currency"] == currency]
    return next((item for item in fitting if item["default_for_currency"]), None)


def refresh(call: Call, account: JsonObject) -> None:
    """Recompute what an edited account shows of its people, external accounts and standing."""
    there = on(call, account["id"])
    people = [there.edit("person", person["id"]) for person in people_of(call, account["id"])]
    for person in people:
        _start(there, account, person)
    external = externals_of(call, account["id"])
    standing.refresh(account, people, external=bool(external), now=call.now)
    data = [public(item) for item in external]
    account["external_accounts"] = embedded(
        data, f"/v1/accounts/{account['id']}/external_accounts", total=True
    )
    account.pop("individual", None)
    if account["business_type"] == "individual" and people and not hidden(account):
        shown = public(people[0])
        shown.pop("additional_tos_acceptances", None)
        account["individual"] = shown
    fields.arrange(account)
    deadline = account.get("_deadline")
    if deadline is not None and account.get("_planned") != deadline:
        account["_planned"] = deadline
        platform(call).schedule(deadline, "account.deadline", account["id"], timeline="")


def changed(call: Call, account: JsonObject) -> None:
    """Recompute an edited account and tell of what changed: its capabilities and itself."""
    from trialbalance.twin.resources import capabilities

    before = call.ledger.before(call.twin.account, KIND, account["id"]) or {}
    refresh(call, account)
    there = on(call, account["id"])
    old = before.get("capabilities") or {}
    for name in sorted({*old, *account["capabilities"]}):
        if old.get(name) != account["capabilities"].get(name):
            there.emit("capability.updated", capabilities.render(account, name))
    previous = platform(call).changes(account)
    if previous:
        there.emit("account.updated", account, previous=previous)


def hidden(account: JsonObject) -> bool:
    """Whether the platform sees only part of an account: Stripe collects its details, and has begun to.

    Source: https://docs.stripe.com/api/accounts/object
    """
    return bool(account["controller"]["requirement_collection"] == "stripe" and account.get("_linked"))


def public(obj: JsonObject) -> JsonObject:
    """An object without its hidden state, to show inside another."""
    return {name: value for name, value in obj.items() if not name.startswith("_")}


# Verification


def _start(there: Call, account: JsonObject, person: JsonObject) -> None:
    """Begin to verify a person who has told enough and changed since the last time."""
    role = person.get("relationship") or {}
    due_now, _ = requirements.person_missing(account, person)
    if not any(role.get(name) for name in fields.ROLES) or due_now:
        return
    evidence = _evidence(person)
    if person.get("_evidence") == evidence:
        return
    person["_evidence"] = evidence
    person["_problem"] = None
    if testing.immediate(person):
        _decide(person)
        return
    person["_checking"] = True
    person["_verified"] = False
    there.schedule(there.now + wait(there), "person.verify", person["id"], timeline="")


def wait(call: Call) -> int:
    """How long a verification takes."""
    return 0 if call.twin.clock.frozen else WAIT


def _evidence(person: JsonObject) -> JsonObject:
    return {
        "address": person.get("address"),
        "dob": person.get("dob"),
        "name": [person.get("first_name"), person.get("last_name")],
        "number": [person.get("_id_number"), person.get("_ssn_last_4")],
        "document": person["verification"]["document"]["front"],
    }


def _decide(person: JsonObject) -> None:
    problem = testing.person_problem(person)
    person["_checking"] = False
    person["_verified"] = problem is None
    person["_problem"] = problem._asdict() if problem else None


@due("person.verify")
def _verify(call: Call, target: str, arguments: JsonObject) -> None:
    """The result of a person's verification."""
    if call.find("person", target) is None or call.ledger.find(call.twin.account, KIND, call.account) is None:
        return
    person = call.edit("person", target)
    if not person.get("_checking"):
        return
    _decide(person)
    account = edit(call, call.account)
    if testing.sanctioned(person):
        account["_listed"] = True
    refresh(call, account)
    call.emit("person.updated", person)
    changed(call, account)


@due("account.check")
def _check(call: Call, target: str, arguments: JsonObject) -> None:
    """The result of checking a company's tax id."""
    account = call.ledger.edit(call.account, KIND, target)
    if account is not None and account.get("_checking"):
        account["_checking"] = False
        changed(call, account)


@due("account.deadline")
def _deadline(call: Call, target: str, arguments: JsonObject) -> None:
    """What was due is overdue now, and the account is disabled."""
    account = call.ledger.edit(call.account, KIND, target)
    if account is not None and account.get("_deadline") is not None and call.now >= account["_deadline"]:
        account["_overdue"] = True
        changed(call, account)


def trigger(call: Call, account_id: str, what: str) -> None:
    """What the trigger cards do to the account that a charge is for.

    Source: https://docs.stripe.com/connect/testing#trigger-cards
    """
    account = call.ledger.edit(call.twin.account, KIND, account_id)
    if account is None or not (account["charges_enabled"] or account["payouts_enabled"]):
        return
    if what == "next_requirements":
        account["_advanced"] = True
    elif account["requirements"]["eventually_due"]:
        account["_advanced"] = account["_overdue"] = True
        account["_charges_blocked" if what == "charge_block" else "_payouts_blocked"] = True
    changed(call, account)
