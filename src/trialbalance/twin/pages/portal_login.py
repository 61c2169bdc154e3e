"""How customers get into the portal without the merchant: by e-mail, from a login page or an expired link.

Nothing is mailed: what would be is a `mail` entry of the journal, which the control plane's `GET /mail` lists. The
answer to an address is always the same, so that nobody learns who is a customer.

Source: https://docs.stripe.com/customer-management/activate-no-code-customer-portal
Source: https://docs.stripe.com/api/customer_portal/configurations/object#portal_configuration_object-login_page-url
"""

from __future__ import annotations

from trialbalance.twin.checkout.page import account
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.pages.portal_pages import BASE, CONFIGURATION, SESSION, recoverable
from trialbalance.twin.resources.billing_portal import open_session
from trialbalance.twin.wire.call import Call, own_endpoint

LOGIN = "/v1/billing_portal/logins/{token}"
BUYING = ("active", "trialing", "past_due", "unpaid", "paused")


def configuration_of(call: Call, token: str) -> JsonObject:
    """The active configuration whose login page has this token.

    Raises:
        NotFound: there is none, or its page is switched off.
    """
    for found in call.ledger.all(call.account, CONFIGURATION):
        page = found["login_page"]
        if found["active"] and page["enabled"] and page["url"].rsplit("/", 1)[-1] == token:
            return found
    raise NotFound(CONFIGURATION, token, param="id")


@own_endpoint(f"GET {LOGIN}", {"hash": {"expand": {"array": "str"}}}, browser=True)
def retrieve(call: Call) -> JsonObject:
    """What the login page shows."""
    found = configuration_of(call, call.path["token"])
    return _page(call, found)


@own_endpoint(
    f"POST {LOGIN}",
    {"hash": {"email": "str", "expand": {"array": "str"}}, "required": ["email"]},
    browser=True,
)
def ask(call: Call) -> JsonObject:
    """Somebody asks for a link: one is mailed to the newest customer with the address, subscribers first."""
    configuration = configuration_of(call, call.path["token"])
    email = call.params["email"].strip()
    if "@" not in email:
        raise InvalidRequest(f"Invalid email address: {email}", param="email", code="email_invalid")
    matching = [
        found
        for found in call.ledger.all(call.account, "customer")
        if (found["email"] or "").lower() == email.lower()
    ]
    subscribed = [found for found in matching if _subscribes(call, found)]
    for customer in (subscribed or matching)[-1:]:
        session = open_session(
            call,
            after_expiration=None,
            configuration=configuration["id"],
            customer=customer["id"],
            flow=None,
            locale=None,
            on_behalf_of=None,
            return_url=configuration["default_return_url"],
        )
        _mail(call, customer, session)
    return _page(call, configuration)


@own_endpoint(f"POST {BASE}/login", {"hash": {"expand": {"array": "str"}}}, browser=True)
def again(call: Call) -> JsonObject:
    """A link has expired: the customer gets another by e-mail, to the same matter.

    Source: https://docs.stripe.com/api/customer_portal/sessions/create#create_portal_session-after_expiration
    """
    for expired in call.ledger.all(call.account, SESSION, _token=call.path["token"]):
        if not recoverable(call, expired):
            break
        customer = call.get("customer", expired["customer"])
        kept = (
            "after_expiration", "configuration", "customer", "flow", "locale", "on_behalf_of", "return_url",
        )  # fmt: skip
        _mail(call, customer, open_session(call, **{name: expired[name] for name in kept}))
        return _page(call, call.get(CONFIGURATION, expired["configuration"]))
    raise NotFound(SESSION, call.path["token"], param="id")


def _subscribes(call: Call, customer: JsonObject) -> bool:
    found = call.ledger.all(call.account, "subscription", customer=customer["id"])
    return any(subscription["status"] in BUYING for subscription in found)


def _mail(call: Call, customer: JsonObject, session: JsonObject) -> None:
    name = account(call, {})["display_name"]
    call.twin.journal.append(
        "mail",
        call.now,
        account=call.account,
        to=customer["email"],
        subject=f"Your billing at {name}",
        url=session["url"],
    )


def _page(call: Call, configuration: JsonObject) -> JsonObject:
    profile = configuration["business_profile"]
    return {
        "object": "portal_login",
        "account": account(call, {}),
        "headline": profile["headline"],
        "now": call.now,
        "privacy_url": profile["privacy_policy_url"],
        "terms_url": profile["terms_of_service_url"],
    }
