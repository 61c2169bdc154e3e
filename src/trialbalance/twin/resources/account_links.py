"""Account links and login links: the ways to Stripe's hosted pages for connected accounts.

An account link works once and expires after five minutes; its page tells what is missing and sends the person back.
Source: https://docs.stripe.com/api/account_links
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin import sites
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import account_state, onboarding
from trialbalance.twin.wire.call import Call, endpoint, own_endpoint

LINK = "_account_link"
LIFETIME = 300
LETTER = {"express": "e", "standard": "s", "full": "s", "none": "c"}


@endpoint("POST /v1/account_links")
def create(call: Call) -> JsonObject:
    """A link to the page where an account tells what is missing."""
    params = call.params
    call.exclusive("collect", "collection_options")
    account = account_state.edit(call, params["account"])
    kind = params["type"]
    if kind == "account_onboarding":
        call.require("refresh_url", "return_url")
    elif account["controller"]["requirement_collection"] == "stripe":
        raise InvalidRequest(
            "You cannot create `account_update` type Account Links for this account. Valid types are "
            "account_onboarding.",
            param="type",
        )
    options = params.plain("collection_options") or {}
    for name in ("refresh_url", "return_url"):
        url = params.get(name)
        if url and not url.startswith(("http://", "https://")):
            raise InvalidRequest("Not a valid URL", param=name, code="url_invalid")
    return make(
        call,
        account,
        kind,
        which=params.get("collect") or options.get("fields") or "currently_due",
        return_url=params.get("return_url"),
        refresh_url=params.get("refresh_url"),
    )


def make(
    call: Call, account: JsonObject, kind: str, *, which: str, return_url: str | None, refresh_url: str | None
) -> JsonObject:
    """A link for an edited account: the `account_link` object."""
    if not account.get("_linked"):
        account["_linked"] = True
        account_state.refresh(call, account)
    secret = call.twin.ids.random(12)
    letter = LETTER[account["controller"]["stripe_dashboard"]["type"]]
    link = {
        "id": secret,
        "object": LINK,
        "account": account["id"],
        "type": kind,
        "fields": which,
        "return_url": return_url,
        "refresh_url": refresh_url,
        "expires_at": call.now + LIFETIME,
        "used": False,
    }
    account_state.platform(call).insert(link, kind=LINK)
    return {
        "object": "account_link",
        "created": call.now,
        "expires_at": link["expires_at"],
        "url": sites.page(call.twin, "connect", f"setup/{letter}/{account['id']}/{secret}"),
    }


@endpoint("POST /v1/accounts/{account}/login_links")
def create_login(call: Call) -> JsonObject:
    """A link that signs an Express account's holder in to its dashboard.

    Source: https://docs.stripe.com/api/accounts/login_link
    """
    account = account_state.get(call, call.path["account"])
    if account["controller"]["stripe_dashboard"]["type"] != "express":
        raise InvalidRequest(
            "Cannot create a login link for an account that does not have access to the Express Dashboard."
        )
    if not account["details_submitted"]:
        raise InvalidRequest(
            "Cannot create a login link for an account that has not completed onboarding.",
        )
    return {
        "object": "login_link",
        "created": call.now,
        "url": sites.page(call.twin, "connect", f"express/{account['id']}/{call.twin.ids.random(12)}"),
    }


@own_endpoint(
    "POST /v1/account_links/{link}/submit",
    {"hash": {"details": {"map": "str"}}},
    browser=True,
)
def submit(call: Call) -> JsonObject:
    """What the hosted page sends when it is filled in: the account's details, or our test values for them.

    Answers where the person goes next. A page of ours calls this; it is no endpoint of Stripe's.
    """
    link = _open(call, call.path["link"])
    account = account_state.edit(account_state.platform(call), link["account"])
    details: Any = call.params.plain("details") or {}
    onboarding.complete(call, account, details)
    link["used"] = True
    return {"object": "account_link.submission", "account": account["id"], "url": link["return_url"]}


@own_endpoint("GET /v1/account_links/{link}", {"hash": {}}, browser=True)
def look(call: Call) -> JsonObject:
    """What the hosted page shows: the account, what it asks for, and where an expired link leads."""
    platform = account_state.platform(call)
    link = platform.find(LINK, call.path["link"])
    if link is None:
        raise NotFound("account_link", call.path["link"], param="link", in_path=True)
    account = account_state.get(platform, link["account"])
    which = "eventually_due" if link["fields"] == "eventually_due" else "currently_due"
    expired = link["used"] or call.now >= link["expires_at"]
    return {
        "object": "account_link.page",
        "account": account["id"],
        "due": account["requirements"][which],
        "expired": expired,
        "refresh_url": link["refresh_url"],
        "return_url": link["return_url"],
        "type": link["type"],
    }


def _open(call: Call, secret: str) -> JsonObject:
    platform = account_state.platform(call)
    link = platform.ledger.edit(platform.account, LINK, secret)
    if link is None:
        raise NotFound("account_link", secret, param="link", in_path=True)
    if link["used"] or call.now >= link["expires_at"]:
        raise InvalidRequest("This account link was used already or has expired.", param="link")
    return link
