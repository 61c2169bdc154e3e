"""Accounts of the v2 namespace: the same accounts as v1's, told and shown in v2's words.

`merchant` stands for the capabilities that take payments, `recipient` for transfers. The `customer` configuration and
payout methods are refused by name.
Source: https://docs.stripe.com/api/v2/core/accounts and https://docs.stripe.com/connect/accounts-v2
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from trialbalance.twin.connect import capabilities as states
from trialbalance.twin.connect import countries, fields
from trialbalance.twin.connect.requirements import TRANSFERS
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotBuilt
from trialbalance.twin.resources import (
    account_links,
    account_state,
    accounts,
    capabilities,
    core_persons,
    core_tokens,
    persons,
)
from trialbalance.twin.webhooks.thin import iso
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.validate import plain

KIND = "v2.core.account"
INCLUDED = (
    "configuration.merchant",
    "configuration.recipient",
    "defaults",
    "future_requirements",
    "identity",
    "requirements",
)
COLLECTORS = {"stripe": "account", "application": "application"}


@endpoint("POST /v2/core/accounts")
def create(call: Call) -> JsonObject:
    """A new account; what it may do follows from its configurations."""
    params = call.params
    core_tokens.spend(call, core_tokens.ACCOUNT, "account_token")
    defaults: Any = params.get("defaults") or {}
    shares: Any = defaults.get("responsibilities") or {}
    fees, losses = shares.get("fees_collector") or "stripe", shares.get("losses_collector") or "stripe"
    dashboard = params.get("dashboard") or "full"
    ours = losses == "application" and dashboard == "none"
    controller: JsonObject = {
        "fees": {"payer": COLLECTORS.get(fees, fees)},
        "is_controller": True,
        "losses": {"payments": losses},
        "requirement_collection": "application" if ours else "stripe",
        "stripe_dashboard": {"type": dashboard},
        "type": "application",
    }
    identity: Any = params.get("identity") or {}
    country = str(identity.get("country") or call.twin.config.country).upper()
    if not countries.known(country):
        raise InvalidRequest(f"{country} is not currently supported by Stripe.", param="identity.country")
    account = accounts.blank(call, country, controller, fields.type_of(controller))
    account["_v2"] = []
    _describe(call, account)
    account_state.changed(call, account)
    return shown(call, account)


@endpoint("GET /v2/core/accounts/{id}")
def retrieve(call: Call) -> JsonObject:
    """One account, with the parts that `include` names."""
    return shown(call, account_state.get(call, call.path["id"]))


@endpoint("GET /v2/core/accounts")
def list_(call: Call) -> JsonObject:
    """Accounts, newest first, by configuration."""
    params = call.params
    wanted = set(params.plain("applied_configurations") or [])
    closed = bool(params.get("closed"))
    found = [
        shown(call, account)
        for account in call.ledger.all(call.account, accounts.KIND)
        if wanted <= set(_applied(account)) and bool(account.get("_closed")) == closed
    ]
    limit = max(1, min(100, int(params.get("limit", 20))))
    return {
        "data": found[::-1][:limit],
        "next_page_url": None,
        "previous_page_url": None,
    }


@endpoint("POST /v2/core/accounts/{id}")
def update(call: Call) -> JsonObject:
    """Change what was sent."""
    core_tokens.spend(call, core_tokens.ACCOUNT, "account_token")
    account = account_state.edit(call, call.path["id"])
    _describe(call, account)
    account_state.changed(call, account)
    return shown(call, account)


@endpoint("POST /v2/core/accounts/{id}/close")
def close(call: Call) -> JsonObject:
    """Close configurations of an account: it can do nothing of them any more."""
    account = account_state.edit(call, call.path["id"])
    gone = set(call.params.plain("applied_configurations") or _applied(account))
    for name in list(account["_requested"]):
        if ("recipient" if name in TRANSFERS else "merchant") in gone:
            account["_requested"][name] = None
    account["_v2"] = [name for name in _applied(account) if name not in gone]
    account["_closed"] = not account["_v2"]
    account_state.changed(call, account)
    return shown(call, account)


@endpoint("POST /v2/core/account_links")
def create_link(call: Call) -> JsonObject:
    """A link to the hosted page where an account tells what is missing."""
    account = account_state.edit(call, call.params["account"])
    use: Any = call.params["use_case"]
    kind = use["type"]
    details: Any = use.get(kind)
    if not details:
        raise InvalidRequest(f"use_case.{kind} is required for this type", param=f"use_case.{kind}")
    options = details.plain("collection_options") or {}
    link = account_links.make(
        call,
        account,
        kind,
        which=options.get("fields") or "currently_due",
        return_url=details.get("return_url"),
        refresh_url=details["refresh_url"],
    )
    return {
        "object": "v2.core.account_link",
        "account": account["id"],
        "created": iso(call.now),
        "expires_at": iso(link["expires_at"]),
        "livemode": False,
        "url": link["url"],
        "use_case": {"type": kind, kind: plain(details)},
    }


# What was sent


def _describe(call: Call, account: JsonObject) -> None:
    """Copy what was sent into an edited account, in v1's terms."""
    params = call.params
    if "contact_email" in params:
        account["email"] = params["contact_email"] or None
    if "contact_phone" in params:
        account["_contact_phone"] = params["contact_phone"] or None
    if params.get("display_name"):
        account["settings"]["dashboard"]["display_name"] = params["display_name"]
        account["business_profile"]["name"] = account["business_profile"]["name"] or params["display_name"]
    defaults: Any = params.get("defaults") or {}
    if defaults.get("currency"):
        account["default_currency"] = defaults["currency"]
    if defaults.get("locales"):
        account["_locales"] = defaults.plain("locales")
    if defaults and params.get("dashboard") is None:
        defaults.get("responsibilities")
    profile = defaults.plain("profile") if defaults else None
    for name, field in (
        ("business_url", "url"),
        ("doing_business_as", "name"),
        ("product_description", "product_description"),
    ):
        if profile and name in profile:
            account["business_profile"][field] = profile[name] or None
    identity: Any = params.get("identity") or {}
    if identity:
        _identity(call, account, identity)
    configuration: Any = params.get("configuration") or {}
    if configuration.get("customer") if configuration else None:
        raise NotBuilt("the customer configuration of accounts", param="configuration.customer")
    if configuration and configuration.get("merchant"):
        _merchant(call, account, configuration["merchant"])
    if configuration and configuration.get("recipient"):
        _recipient(call, account, configuration["recipient"])
    metadata = params.plain("metadata") or {}
    account["metadata"] = {
        key: value for key, value in {**account["metadata"], **metadata}.items() if value not in ("", None)
    }
    accounts.check_profile(account)
    accounts.fill_names(account)


def _identity(call: Call, account: JsonObject, identity: Any) -> None:
    identity.get("country")
    if identity.get("entity_type"):
        accounts.set_business_type(call, account, identity["entity_type"])
    business = identity.plain("business_details") or {}
    if business:
        _business(call, account, business)
    person = identity.plain("individual") or {}
    if person:
        if account["business_type"] is None:
            accounts.set_business_type(call, account, "individual")
        persons.individual(call, account, core_persons.told(person))
    attested = identity.plain("attestations") or {}
    for name in set(attested) - {"terms_of_service", "persons_provided"}:
        account.setdefault("_attested", {})[name] = attested[name]
    service = (attested.get("terms_of_service") or {}).get("account")
    if service:
        account["tos_acceptance"] |= {
            "date": int(datetime.fromisoformat(service["date"].replace("Z", "+00:00")).timestamp()),
            "ip": service["ip"],
            "user_agent": service.get("user_agent"),
        }
    for name, value in (attested.get("persons_provided") or {}).items():
        if name == "ownership_exemption_reason":
            account["company"][name] = value
        else:
            account["company"][f"{name}_provided"] = value


def _business(call: Call, account: JsonObject, business: JsonObject) -> None:
    told: JsonObject = {}
    if "registered_name" in business:
        told["name"] = business["registered_name"]
    for name in ("address", "phone", "structure", "registration_date"):
        if name in business:
            told[name] = business[name]
    for number in business.get("id_numbers") or []:
        told["vat_id" if number["type"].endswith("_vat") else "tax_id"] = number["value"]
    account["_business"] = {**(account.get("_business") or {}), **business}
    accounts.set_company(call, account, told)


def _merchant(call: Call, account: JsonObject, merchant: Any) -> None:
    wanted = merchant.plain("capabilities") or {}
    _apply(account, "merchant", merchant.get("applied"))
    capabilities.request(
        call, account, {_v1(name): bool(given["requested"]) for name, given in wanted.items()}
    )
    if merchant.get("mcc"):
        account["business_profile"]["mcc"] = merchant["mcc"]
    settings = account["settings"]
    descriptor = merchant.plain("statement_descriptor") or {}
    if "descriptor" in descriptor:
        settings["payments"]["statement_descriptor"] = descriptor["descriptor"]
    if "prefix" in descriptor:
        settings["card_payments"]["statement_descriptor_prefix"] = descriptor["prefix"]
    for name in ("branding", "card_payments", "bacs_debit_payments", "sepa_debit_payments"):
        if merchant.get(name):
            fields.merge(settings[name], merchant.plain(name))
    support = merchant.plain("support") or {}
    for name in ("address", "email", "phone", "url"):
        if name in support:
            account["business_profile"][f"support_{name}"] = support[name] or None


def _recipient(call: Call, account: JsonObject, recipient: Any) -> None:
    _apply(account, "recipient", recipient.get("applied"))
    wanted: Any = recipient.get("capabilities") or {}
    balance = wanted.plain("stripe_balance") if wanted else None
    if balance and "stripe_transfers" in balance:
        capabilities.request(call, account, {"transfers": bool(balance["stripe_transfers"]["requested"])})


def _apply(account: JsonObject, name: str, applied: bool | None) -> None:
    chosen = [other for other in account.setdefault("_v2", []) if other != name]
    account["_v2"] = sorted([*chosen, name]) if applied is not False else chosen


def _v1(name: str) -> str:
    return {"ach_debit_payments": "us_bank_account_ach_payments"}.get(name, name)


def _v2(name: str) -> str:
    return {"us_bank_account_ach_payments": "ach_debit_payments"}.get(name, name)


def _applied(account: JsonObject) -> list[str]:
    """The configurations that an account has: those it was given, or what its capabilities amount to."""
    if "_v2" in account:
        found: list[str] = account["_v2"]
        return found
    requested = [name for name, at in account["_requested"].items() if at is not None]
    names = {"recipient" if name in TRANSFERS else "merchant" for name in requested}
    return sorted(names)


# What is shown


def shown(call: Call, account: JsonObject) -> JsonObject:
    """An account in v2's words; parts that `include` does not name are null."""
    wanted = set(call.params.plain("include") or [])
    unknown = wanted - {*INCLUDED, "configuration.customer"}
    if unknown:
        raise InvalidRequest(f"Unknown include: {sorted(unknown)[0]}", param="include")
    configuration: JsonObject = {"customer": None, "merchant": None, "recipient": None}
    applied = _applied(account)
    if "configuration.merchant" in wanted and "merchant" in applied:
        configuration["merchant"] = _show_merchant(account)
    if "configuration.recipient" in wanted and "recipient" in applied:
        configuration["recipient"] = _show_recipient(account)
    asked = any(name.startswith("configuration.") for name in wanted)
    return {
        "id": account["id"],
        "object": KIND,
        "applied_configurations": applied,
        "closed": bool(account.get("_closed")),
        "configuration": configuration if asked else None,
        "contact_email": account["email"],
        "contact_phone": account.get("_contact_phone"),
        "created": iso(account["created"]),
        "dashboard": account["controller"]["stripe_dashboard"]["type"],
        "defaults": _show_defaults(account) if "defaults" in wanted else None,
        "display_name": account["settings"]["dashboard"]["display_name"],
        "future_requirements": _show_requirements(
            account, {"currently_due": [], "past_due": [], "eventually_due": []}
        )
        if "future_requirements" in wanted
        else None,
        "identity": _show_identity(call, account) if "identity" in wanted else None,
        "livemode": False,
        "metadata": account["metadata"],
        "requirements": _show_requirements(account, account["requirements"])
        if "requirements" in wanted
        else None,
    }


def _show_defaults(account: JsonObject) -> JsonObject:
    profile = account["business_profile"]
    payer = account["controller"]["fees"]["payer"]
    return {
        "currency": account["default_currency"],
        "locales": account.get("_locales"),
        "profile": {
            "business_url": profile["url"],
            "doing_business_as": profile["name"],
            "product_description": profile["product_description"],
        },
        "responsibilities": {
            "fees_collector": "stripe" if payer == "account" else payer,
            "losses_collector": account["controller"]["losses"]["payments"],
            "requirements_collector": account["controller"]["requirement_collection"],
        },
    }


def _state(account: JsonObject, name: str) -> JsonObject:
    status = states.status(name, account)
    details = []
    if status == "inactive":
        details.append({"code": "requirements_past_due", "resolution": "provide_info"})
    return {"status": "active" if status == "active" else "restricted", "status_details": details}


def _show_merchant(account: JsonObject) -> JsonObject:
    settings, profile = account["settings"], account["business_profile"]
    requested = [
        name for name, at in account["_requested"].items() if at is not None and name not in TRANSFERS
    ]
    return {
        "applied": True,
        "bacs_debit_payments": settings["bacs_debit_payments"],
        "branding": settings["branding"],
        "capabilities": {_v2(name): _state(account, name) for name in sorted(requested)},
        "card_payments": {"decline_on": settings["card_payments"]["decline_on"]},
        "mcc": profile["mcc"],
        "statement_descriptor": {
            "descriptor": settings["payments"]["statement_descriptor"],
            "prefix": settings["card_payments"]["statement_descriptor_prefix"],
        },
        "support": {
            "address": profile["support_address"],
            "email": profile["support_email"],
            "phone": profile["support_phone"],
            "url": profile["support_url"],
        },
    }


def _show_recipient(account: JsonObject) -> JsonObject:
    requested = account["_requested"].get("transfers") is not None
    balance = {"stripe_transfers": _state(account, "transfers")} if requested else None
    return {"applied": True, "capabilities": {"stripe_balance": balance}}


def _show_identity(call: Call, account: JsonObject) -> JsonObject:
    company, accepted = account["company"], account["tos_acceptance"]
    business = None
    if account["business_type"] not in (None, "individual"):
        business = {
            "address": company["address"],
            "id_numbers": [
                {"type": n["type"]} for n in (account.get("_business") or {}).get("id_numbers") or []
            ],
            "phone": company.get("phone"),
            "registered_name": company["name"],
            "structure": company.get("structure"),
        }
    people = account_state.people_of(call, account["id"])
    individual = None
    if account["business_type"] == "individual" and people and not account_state.hidden(account):
        individual = {k: v for k, v in core_persons.shown(people[0]).items() if k != "livemode"}
    return {
        "attestations": {
            "persons_provided": {
                "directors": company["directors_provided"],
                "executives": company["executives_provided"],
                "owners": company["owners_provided"],
            },
            "terms_of_service": {
                "account": {
                    "date": iso(accepted["date"]) if accepted["date"] else None,
                    "ip": accepted["ip"],
                    "user_agent": accepted["user_agent"],
                }
            },
        },
        "business_details": business,
        "country": account["country"].lower(),
        "entity_type": account["business_type"],
        "individual": individual,
    }


def _show_requirements(account: JsonObject, due: JsonObject) -> JsonObject:
    """Each field that is due as an entry: when, and which capabilities it holds back."""
    names = sorted({*(due["past_due"]), *(due["currently_due"]), *(due["eventually_due"])})
    requested = sorted(name for name, at in account["_requested"].items() if at is not None)
    only = set(account.get("_payments_only") or ())
    errors = {e["requirement"]: e for e in account["requirements"]["errors"]}
    entries = []
    for field in names:
        status = next(s for s in ("past_due", "currently_due", "eventually_due") if field in due[s])
        entries.append(
            {
                "awaiting_action_from": "user",
                "description": field,
                "errors": [{"code": errors[field]["code"], "description": errors[field]["reason"]}]
                if field in errors
                else [],
                "impact": {
                    "restricts_capabilities": [
                        {
                            "capability": "stripe_balance.stripe_transfers"
                            if name == "transfers"
                            else _v2(name),
                            "configuration": "recipient" if name in TRANSFERS else "merchant",
                            "deadline": {"status": status},
                        }
                        for name in requested
                        if not (name in TRANSFERS and field in only)
                    ]
                },
                "minimum_deadline": {"status": status},
                "reference": None,
                "requested_reasons": [
                    {"code": "routine_verification" if field in errors else "routine_onboarding"}
                ],
            }
        )
    order = ("past_due", "currently_due", "eventually_due")
    first = next((s for s in order if due[s]), None)
    deadline = account["requirements"]["current_deadline"]
    return {
        "entries": entries,
        "summary": {
            "minimum_deadline": {"status": first, "time": iso(deadline) if deadline else None}
            if first
            else None
        },
    }
