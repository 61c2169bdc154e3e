"""A connected account told about by its holder: onboarding, management, notifications, documents.

Source: https://docs.stripe.com/connect/supported-embedded-components/account-onboarding
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.connect.countries import facts
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.pages.connect_sessions import Opened, asking, opened
from trialbalance.twin.resources import account_state, external_accounts, onboarding
from trialbalance.twin.wire.call import Call, own_endpoint
from trialbalance.twin.wire.inner import perform

ACCOUNT = ("account_onboarding", "account_management", "notification_banner")
PROFILE = ("name", "support_email", "support_phone", "url")
DOCUMENTS = ("finance_report_run", "tax_document_user_upload")
"""Purposes of files that are documents for the account's holder."""


@own_endpoint("GET /v1/embedded/account", asking(), browser=True)
def retrieve(call: Call) -> JsonObject:
    """The account: what it told, what it still has to tell, where its payouts go."""
    return _shown(opened(call, *ACCOUNT, "balances", "payouts"))


@own_endpoint("POST /v1/embedded/account/submit", asking(details={"map": "str"}), browser=True)
def submit(call: Call) -> JsonObject:
    """What the holder filled in; what the form left empty gets the published test values.

    Source: https://docs.stripe.com/connect/testing
    """
    work = opened(call, "account_onboarding", "notification_banner", "account_management")
    account = account_state.edit(call, work.call.account)
    given: JsonObject = call.params.plain("details") or {}
    _check(given)
    if given.get("account_number") and not work.features.get("external_account_collection"):
        work = opened(call, work.component, feature="external_account_collection")
    onboarding.complete(call, account, given)
    return _shown(work)


@own_endpoint(
    "POST /v1/embedded/account",
    asking(business_profile={"hash": dict.fromkeys(PROFILE, "str")}),
    browser=True,
)
def update(call: Call) -> JsonObject:
    """Change what customers see of the business."""
    work = opened(call, "account_management")
    account = account_state.edit(call, work.call.account)
    for name, value in (call.params.plain("business_profile") or {}).items():
        account["business_profile"][name] = value or None
    account_state.changed(call, account)
    return _shown(work)


@own_endpoint(
    "POST /v1/embedded/account/external_account",
    asking(account_number="str", routing_number="str"),
    browser=True,
)
def bank(call: Call) -> JsonObject:
    """Say where payouts go from now on, if the session lets external accounts be collected."""
    work = opened(call, "account_management", "balances", "payouts", feature="external_account_collection")
    account = account_state.edit(call, work.call.account)
    external_accounts.give(
        call,
        account,
        {
            "object": "bank_account",
            "country": account["country"],
            "currency": account["default_currency"],
            "account_number": call.params.get("account_number") or "",
            "routing_number": call.params.get("routing_number") or None,
        },
        param="account_number",
        default=True,
    )
    account_state.changed(call, account)
    return _shown(work)


@own_endpoint("GET /v1/embedded/documents", asking(), browser=True)
def documents(call: Call) -> JsonObject:
    """The account's documents, newest first."""
    work = opened(call, "documents")
    found = [
        {
            "id": file["id"],
            "object": "embedded.document",
            "created": file["created"],
            "name": file["title"] or file["filename"] or file["id"],
            "purpose": file["purpose"],
            "size": file["size"],
        }
        for file in work.call.ledger.all(work.call.account, "file")
        if file["purpose"] in DOCUMENTS
    ]
    return call.page_of(reversed(found), url=call.path_name)


@own_endpoint("POST /v1/embedded/documents/{file}/download", asking(), browser=True)
def download(call: Call) -> JsonObject:
    """An address of one document that is good for five minutes."""
    work = opened(call, "documents")
    found = work.call.get("file", call.path["file"], param="file")
    if found["purpose"] not in DOCUMENTS:
        raise InvalidRequest("This file is no document of the account.", param="file")
    given = {"file": found["id"], "expires_at": call.now + 300}
    link = perform(work.call, "POST /v1/file_links", given)
    return {"object": "embedded.document", "id": found["id"], "url": link["url"]}


def _check(given: Any) -> None:
    """Refuse what a form would not take."""
    born = given.get("dob") or ""
    parts = born.split("-")
    if born and (len(parts) != 3 or not all(part.isdigit() for part in parts)):
        raise InvalidRequest("The date of birth must look like 1990-12-31.", param="details[dob]")
    if given.get("email") and "@" not in given["email"]:
        raise InvalidRequest("This email address is not valid.", param="details[email]")
    number = given.get("account_number") or ""
    if number and not number.isalnum():
        raise InvalidRequest("This account number is not valid.", param="details[account_number]")


def _shown(work: Opened) -> JsonObject:
    call = work.call
    account = account_state.get(call.on(call.twin.account), call.account)
    needs = account["requirements"]
    return {
        "object": "embedded.account",
        "id": account["id"],
        "business_profile": {name: account["business_profile"].get(name) for name in PROFILE},
        "business_type": account["business_type"],
        "charges_enabled": account["charges_enabled"],
        "country": account["country"],
        "details_submitted": account["details_submitted"],
        "email": account["email"],
        "external_accounts": [
            {
                "id": item["id"],
                "currency": item["currency"],
                "default": item["default_for_currency"],
                "last4": item["last4"],
                "name": item.get("bank_name") or item.get("brand"),
            }
            for item in account_state.externals_of(call, account["id"])
        ],
        "features": work.features,
        "payouts_enabled": account["payouts_enabled"],
        "requirements": {
            name: needs[name]
            for name in (
                "currently_due",
                "disabled_reason",
                "eventually_due",
                "past_due",
                "pending_verification",
            )
        },
        "asks_state": facts(account["country"]).state,
    }
