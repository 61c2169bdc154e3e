"""Hosted onboarding: an account's holder fills in what is missing.

Whatever the page does not send is filled with the published test values, so that verification succeeds.
Source: https://docs.stripe.com/connect/hosted-onboarding
"""

from __future__ import annotations

from trialbalance.twin.connect.countries import facts
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.resources import account_state, bank_accounts, external_accounts, persons
from trialbalance.twin.wire.call import Call

NAMES = ("first_name", "last_name", "email", "phone")


def complete(call: Call, account: JsonObject, details: JsonObject) -> None:
    """Tell everything that an edited account has not told yet; `details` are the form's own values.

    Known values: `business_type`, `business_name`, `url`, `mcc`, `first_name`, `last_name`, `email`, `phone`,
    `dob` (YYYY-MM-DD), `line1`, `city`, `state`, `postal_code`, `id_number`, `tax_id`, `account_number`.
    """
    on_platform = account_state.platform(call)
    if account["business_type"] is None:
        account["business_type"] = details.get("business_type") or "individual"
    profile = account["business_profile"]
    profile["name"] = profile["name"] or details.get("business_name") or "Test business"
    profile["url"] = profile["url"] or details.get("url") or "https://accessible.stripe.com"
    profile["mcc"] = profile["mcc"] or details.get("mcc") or "5734"
    settings = account["settings"]
    settings["dashboard"]["display_name"] = settings["dashboard"]["display_name"] or profile["name"]
    payments = settings["payments"]
    payments["statement_descriptor"] = payments["statement_descriptor"] or profile["name"].upper()[:22]
    person = _person(account, details)
    if account["business_type"] == "individual":
        persons.individual(on_platform, account, person)
    else:
        _company(account, details, person["address"])
        people = account_state.people_of(call, account["id"])
        representative = next((p for p in people if p["relationship"]["representative"]), None)
        persons.person(
            on_platform,
            account,
            person | {"relationship": {"representative": True, "owner": True, "title": "CEO"}},
            identifier=representative["id"] if representative else None,
        )
    if not account_state.externals_of(call, account["id"]):
        bank = bank_accounts.own(
            account_state.on(on_platform, account["id"]),
            account["country"],
            account["default_currency"],
        )
        number = details.get("account_number")
        if number:
            bank |= {"_number": number, "last4": number[-4:]}
        external_accounts.keep(on_platform, account, bank)
    accepted = account["tos_acceptance"]
    if not accepted["date"]:
        accepted |= {"date": call.now, "ip": "192.0.2.1"}
    account["_submitted"] = True
    account_state.changed(on_platform, account)


def _person(account: JsonObject, details: JsonObject) -> JsonObject:
    year, month, day = (int(part) for part in (details.get("dob") or "1901-01-01").split("-"))
    country = facts(account["country"])
    address = {
        "line1": details.get("line1") or "address_full_match",
        "city": details.get("city") or "San Francisco",
        "postal_code": details.get("postal_code") or "94107",
        "country": account["country"],
    }
    if country.state:
        address["state"] = details.get("state") or "CA"
    return {
        "first_name": details.get("first_name") or "Jenny",
        "last_name": details.get("last_name") or "Rosen",
        "email": details.get("email") or account["email"] or "jenny.rosen@example.test",
        "phone": details.get("phone") or "0000000000",
        "dob": {"day": day, "month": month, "year": year},
        "address": address,
        "id_number": details.get("id_number") or "000000000",
    }


def _company(account: JsonObject, details: JsonObject, address: JsonObject) -> None:
    company = account["company"]
    company["name"] = company["name"] or details.get("business_name") or "Test business"
    company["phone"] = company.get("phone") or "+10000000000"
    company["address"] = {
        **company["address"],
        **{k: v for k, v in address.items() if not company["address"].get(k)},
    }
    account["_tax_id"] = account.get("_tax_id") or details.get("tax_id") or "000000000"
    for name in ("owners_provided", "directors_provided", "executives_provided"):
        company[name] = True
    company["tax_id_provided"] = True
