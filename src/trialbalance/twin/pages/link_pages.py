"""Pages that open a Checkout Session by themselves: payment links, and the recovery of an expired session.

Source: https://docs.stripe.com/payment-links
Source: https://docs.stripe.com/payments/checkout/abandoned-carts
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.checkout.page import page
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import payment_links
from trialbalance.twin.wire.call import Call, own_endpoint
from trialbalance.twin.wire.inner import perform

SESSION = "checkout.session"


@own_endpoint(
    "POST /v1/payment_link_pages/{token}",
    {
        "hash": {
            "browser_locale": "str",
            "client_reference_id": "str",
            "expand": {"array": "str"},
            "locale": "str",
            "prefilled_email": "str",
            "prefilled_promo_code": "str",
        }
    },
    browser=True,
)
def follow(call: Call) -> JsonObject:
    """Somebody follows a link: a session for them, with what the address says of them filled in.

    Source: https://docs.stripe.com/payment-links/url-parameters
    """
    link = payment_links.by_token(call, call.path["token"])
    if link is None:
        raise NotFound("payment_link", call.path["token"], param="id")
    limit = (link["restrictions"] or {}).get("completed_sessions")
    if not link["active"] or (limit and limit["count"] >= limit["limit"]):
        raise InvalidRequest(
            link["inactive_message"] or "This link is no longer active.", code="payment_link_inactive"
        )
    params = call.params
    given = payment_links.session_params(call, link)
    given["client_reference_id"] = params.get("client_reference_id")
    given["locale"] = params.get("locale")
    email, locale = params.get("prefilled_email"), params.get("browser_locale")
    made = perform(call, "POST /v1/checkout/sessions", given)
    session = call.edit(SESSION, made["id"])
    session["payment_link"] = link["id"]
    session["_link"] = {
        "custom_message": (link["after_completion"]["hosted_confirmation"] or {}).get("custom_message"),
        "stays": link["after_completion"]["type"] == "hosted_confirmation",
    }
    if locale:
        session["_browser_locale"] = locale
    if email:
        from trialbalance.twin.checkout.parameters import details

        session["customer_details"] = details(email=email, tax_exempt="none")
    code = params.get("prefilled_promo_code")
    if code and session["allow_promotion_codes"]:
        _try_code(call, session, code)
    call.ledger.reindex(call.account, SESSION, session)
    return page(call, session)


def _try_code(call: Call, session: JsonObject, code: str) -> None:
    """A code in the address that does not fit is left out."""
    from trialbalance.twin.checkout import promotion, totals

    try:
        promotion.enter(call, session, code)
    except InvalidRequest:
        return
    totals.refresh(call, session)


@own_endpoint(
    "POST /v1/checkout_recoveries/{token}",
    {"hash": {"browser_locale": "str", "expand": {"array": "str"}}},
    browser=True,
)
def recover(call: Call) -> JsonObject:
    """Somebody comes back to an expired session: a new one like it."""
    locale = call.params.get("browser_locale")
    for expired in call.ledger.all(call.account, SESSION, _token=call.path["token"]):
        recovery = expired["after_expiration"]["recovery"]
        if call.now >= recovery["expires_at"]:
            raise InvalidRequest("This link has expired.", code="payment_link_inactive")
        params: dict[str, Any] = {
            name: value for name, value in expired["_params"].items() if name not in ("expires_at", "expand")
        }
        if recovery["allow_promotion_codes"] and not params.get("discounts"):
            params["allow_promotion_codes"] = True
        made = perform(call, "POST /v1/checkout/sessions", params)
        session = call.edit(SESSION, made["id"])
        session["recovered_from"] = expired["id"]
        if locale:
            session["_browser_locale"] = locale
        return page(call, session)
    raise NotFound(SESSION, call.path["token"], param="id")
