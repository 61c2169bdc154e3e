"""How an account stands: its requirements, capabilities and whether it may charge and be paid out.

`refresh` recomputes all of it from what the account and its persons say. Fields that were never given are overdue
at once, as recorded; what fails verification later is due by a deadline, and the account stays enabled until then.
Source: https://docs.stripe.com/connect/handling-api-verification
"""

from __future__ import annotations

from trialbalance.twin.connect import capabilities, requirements, testing
from trialbalance.twin.connect.countries import facts
from trialbalance.twin.errors import JsonObject

DAY = 24 * 3600
DEADLINE = 14 * DAY
EMPTY = ("alternatives", "currently_due", "errors", "eventually_due", "past_due", "pending_verification")


def blank(*, deadline: bool = True) -> JsonObject:
    """A requirements hash that asks for nothing."""
    fields: JsonObject = {name: [] for name in EMPTY}
    if deadline:
        fields |= {"current_deadline": None, "disabled_reason": None}
    return {name: fields[name] for name in sorted(fields)}


def refresh(account: JsonObject, people: list[JsonObject], *, external: bool, now: int) -> None:
    """Recompute an edited account and its edited persons in place."""
    for person in people:
        _person(account, person)
    gap = requirements.missing(account, people, external=external)
    account["_payments_only"] = sorted(gap.payments_only)
    errors = _errors(account, people)
    failed = sorted({error["requirement"] for error in errors})
    due = gap.later if account.get("_advanced") else gap.now
    account.setdefault("_deadline", None)
    if ((failed and not gap.now) or set(due) - set(gap.now)) and account["_deadline"] is None:
        account["_deadline"] = now + DEADLINE
    currently = sorted({*due, *failed})
    if not currently:
        account["_deadline"] = None
        account["_overdue"] = False
    late = bool(account.get("_overdue")) or (account["_deadline"] is not None and now >= account["_deadline"])
    past = currently if late else sorted({*gap.now, *(set(failed) & set(_blocking(account)))})
    deadline = account["_deadline"] if currently and not past else None
    account["requirements"] = {
        "alternatives": requirements.alternatives(tuple(currently)),
        "current_deadline": deadline,
        "currently_due": currently,
        "disabled_reason": None,
        "errors": errors,
        "eventually_due": sorted({*gap.later, *failed}),
        "past_due": past,
        "pending_verification": _pending(account, people),
    }
    account["requirements"]["disabled_reason"] = _disabled(account)
    account["details_submitted"] = bool(account.get("_submitted")) or not [
        field for field in gap.now if not field.startswith(("business_profile.", "settings."))
    ]
    _enable(account, external=external)


def _enable(account: JsonObject, *, external: bool) -> None:
    requested = [name for name, at in (account.get("_requested") or {}).items() if at is not None]
    account["capabilities"] = {name: capabilities.status(name, account) for name in sorted(requested)}
    active = {name for name, state in account["capabilities"].items() if state == "active"}
    payments = [name for name in requested if name not in requirements.TRANSFERS]
    recipient = (account.get("tos_acceptance") or {}).get("service_agreement") == "recipient"
    if "card_payments" in requested:
        account["charges_enabled"] = "card_payments" in active
    elif payments:
        account["charges_enabled"] = bool(active & set(payments))
    else:
        account["charges_enabled"] = bool(active) and not recipient
    stopped = bool(account["requirements"]["past_due"]) or account.get("_rejected") or account.get("_paused")
    account["payouts_enabled"] = (
        bool(active and external and not stopped and not account.get("_payouts_blocked"))
        and _line1(account) not in testing.ADDRESSES
    )


def _person(account: JsonObject, person: JsonObject) -> None:
    """A person's own requirements and verification status."""
    due, later = requirements.person_missing(account, person)
    problem = person.get("_problem")
    failed = [problem["field"]] if problem else []
    person["requirements"] = blank(deadline=False) | {
        "currently_due": sorted({*due, *failed}),
        "errors": [_error(testing.Problem(**problem), "")] if problem else [],
        "eventually_due": sorted({*later, *failed}),
        "past_due": sorted(due),
        "pending_verification": _checking(account, person) if person.get("_checking") else [],
    }
    status = "unverified"
    if person.get("_checking"):
        status = "pending"
    elif person.get("_verified") and not problem:
        status = "verified"
    person["verification"]["status"] = status
    person["verification"]["details_code"] = _details(problem) if problem else None
    person["verification"]["details"] = problem["reason"] if problem else None


def _details(problem: JsonObject) -> str:
    return {
        "verification_failed_keyed_identity": "failed_keyed_identity",
        "verification_failed_id_number_match": "failed_keyed_identity",
        "verification_document_failed_other": "failed_other",
    }.get(problem["code"], "failed_other")


def _checking(account: JsonObject, person: JsonObject) -> list[str]:
    """What of a person is being verified, as recorded."""
    number = "id_number" if person.get("_id_number") else facts(account["country"]).person
    fields = [
        *requirements.ADDRESS,
        *(["address.state"] if facts(account["country"]).state else []),
        *([number] if number else []),
        "verification.document",
    ]
    return sorted(fields)


def _pending(account: JsonObject, people: list[JsonObject]) -> list[str]:
    found: list[str] = []
    for person in people:
        name = "individual" if account.get("business_type") == "individual" else person["id"]
        found += [f"{name}.{field}" for field in person["requirements"]["pending_verification"]]
    if account.get("_checking"):
        found += ["company.tax_id"]
    return sorted(found)


def _errors(account: JsonObject, people: list[JsonObject]) -> list[JsonObject]:
    checked = not account.get("_checking")
    found = [_error(problem, "") for problem in testing.account_problems(account, people)]
    if not checked:
        found = [error for error in found if not error["requirement"].startswith("company.")]
    for person in people:
        if person.get("_problem"):
            name = "individual" if account.get("business_type") == "individual" else person["id"]
            found.append(_error(testing.Problem(**person["_problem"]), f"{name}."))
    return sorted(found, key=lambda error: (error["requirement"], error["code"]))


def _error(problem: testing.Problem, prefix: str) -> JsonObject:
    return {"code": problem.code, "reason": problem.reason, "requirement": f"{prefix}{problem.field}"}


def _blocking(account: JsonObject) -> list[str]:
    """Failed business addresses disable an account at once."""
    if _line1(account) != "address_line1_no_match":
        return []
    return [f"company.address.{part}" for part in ("city", "line1", "postal_code", "state")]


def _line1(account: JsonObject) -> str | None:
    """The first line of a company's address."""
    if account.get("business_type") in (None, "individual"):
        return None
    line: str | None = ((account.get("company") or {}).get("address") or {}).get("line1")
    return line


def _disabled(account: JsonObject) -> str | None:
    if account.get("_rejected"):
        return str(account["_rejected"])
    if account.get("_listed"):
        return "listed"
    if account.get("_paused"):
        return "platform_paused" if account["_paused"] == "platform" else "other"
    if account["requirements"]["past_due"]:
        return "requirements.past_due"
    if account.get("_charges_blocked") or account.get("_payouts_blocked"):
        return "requirements.past_due"
    return None
