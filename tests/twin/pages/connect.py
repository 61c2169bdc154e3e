"""A platform with a seller, and a page with Connect.js in it, for tests of embedded components."""

from __future__ import annotations

import json
from typing import Any

import stripe
from playwright.sync_api import FrameLocator, Page

from tests.twin.pages.site import Site
from tests.twin.payments.marketplace import details

ALL: Any = {
    name: {"enabled": True}
    for name in (
        "account_management",
        "account_onboarding",
        "balances",
        "disputes_list",
        "documents",
        "notification_banner",
        "payment_details",
        "payment_disputes",
        "payments",
        "payout_details",
        "payouts",
        "payouts_list",
    )
}


def seller(site: Site, **over: Any) -> Any:
    """A connected account that may charge and be paid out."""
    return site.client.v1.accounts.create(details(**over))


def pay(site: Site, account: Any, amount: int = 1500, method: str = "pm_card_visa", **over: Any) -> Any:
    """A direct charge on a seller's account."""
    return site.client.v1.payment_intents.create(
        {
            "amount": amount,
            "currency": "usd",
            "payment_method": method,
            "confirm": True,
            "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
            **over,
        },
        {"stripe_account": account.id},
    )


def session(site: Site, account: Any, components: Any = None) -> str:
    """The client secret of an account session."""
    made = site.client.v1.account_sessions.create({"account": account.id, "components": components or ALL})
    return made.client_secret


def ask(site: Site, method: str, path: str, **form: Any) -> Any:
    """A request as a browser sends it, with the publishable key: status and JSON."""
    answer = site.twin.request(method, path, form, key=site.twin.publishable_key)
    return answer.status, answer.json()


def embed(site: Site, page: Page, script: str, secrets: list[str], *, address: str = "/sell") -> None:
    """Open a page that runs `script`, which finds `connect`, an instance that uses up `secrets` in turn."""
    before = f"""
    const secrets = {json.dumps(secrets)}; let asked = 0;
    const put = (element) => document.getElementById('app').append(element);
    const connect = StripeConnect.init({{publishableKey: {json.dumps(site.twin.publishable_key)},
      fetchClientSecret: async () => {{ asked += 1; return secrets[asked - 1]; }}}});
    """
    head = f'<script src="{site.url}/v1.0/connect.js"></script>'
    page.goto(site.shop.page(address, '<div id="app"></div>', before + script, head=head))


def layer(page: Page, name: str) -> FrameLocator:
    """The frame of a component in its place."""
    return page.frame_locator(f'[data-testid="stripe-connect-ui-layer-stripe-connect-{name}"]')


def over(page: Page, name: str) -> FrameLocator:
    """The frame of a component that lies over the page."""
    return page.frame_locator(f'[data-testid="stripe-connect-accessory-layer-stripe-connect-{name}"]')


def acting(site: Site, account: Any) -> dict[str, Any]:
    """Request options that act on a seller's account."""
    return {"stripe_account": account.id}


def evidence(found: stripe.Dispute) -> Any:
    """A dispute's evidence as plain data."""
    return found.evidence.to_dict()
