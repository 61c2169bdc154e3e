"""Under Stripe's own names and TLS, with a strict content security policy, as in a trial."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.twin.pages.site import CARD, Site, serve_as_stripe
from tests.twin.pages.test_card_element import BODY, type_card
from tests.twin.pages.test_checkout_page import PAY, create, fill

pytestmark = pytest.mark.browser

POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' https://js.stripe.com; style-src 'self'; "
    "connect-src https://api.stripe.com; frame-src https://js.stripe.com https://hooks.stripe.com "
    "https://checkout.stripe.com; img-src https://*.stripe.com"
)


@pytest.fixture
def named(chromium: Browser, tmp_path: Path) -> Iterator[tuple[Site, Page]]:
    """A twin under Stripe's names and a page of a Chromium that finds it there."""
    with serve_as_stripe(tmp_path) as (site, arguments):
        browser = chromium.browser_type.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", *arguments]
        )
        page = browser.new_context(ignore_https_errors=True, locale="en-US").new_page()
        page.set_default_timeout(20_000)
        problems: list[str] = []
        page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        yield site, page
        browser.close()
        assert not problems


def test_hosted_checkout_lives_at_its_own_name(named: tuple[Site, Page]) -> None:
    site, page = named
    session = create(site)
    assert session.url.startswith("https://checkout.stripe.com/c/pay/cs_test_")
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url.split("/")[2]))
    page.goto(session.url)
    fill(page, "4000002760003184")
    page.locator(PAY).click()
    outer = page.frame_locator("iframe[name*=__privateStripeFrame][src*=three-ds]")
    outer.frame_locator("iframe#challengeFrame").get_by_role("button", name="Complete").click()
    page.wait_for_url("**/ok*")
    assert asked - {site.shop.url.split("/")[2]} == {
        "api.stripe.com", "checkout.stripe.com", "hooks.stripe.com", "js.stripe.com", "r.stripe.com",
    }  # fmt: skip
    assert site.client.v1.checkout.sessions.retrieve(session.id).payment_status == "paid"


def test_elements_work_behind_a_strict_policy(named: tuple[Site, Page]) -> None:
    site, page = named
    site.shop.headers["content-security-policy"] = POLICY
    intent = site.client.v1.payment_intents.create({"amount": 900, "currency": "usd"})
    script = site.script(
        "const elements = stripe.elements(); const card = elements.create('card'); card.mount('#card');",
        secret=intent.client_secret,
    )
    page.goto(site.shop.page("/card", BODY, script, head='<script src="https://js.stripe.com/v3/"></script>'))
    type_card(page.frame_locator('iframe[name^="__privateStripeFrame"]'))
    confirm = (
        "stripe.confirmCardPayment(secret, {payment_method: {card}}).then((r) => r.paymentIntent.status)"
    )
    assert page.evaluate(confirm) == "succeeded"
    frames = {frame.url.split("/")[2] for frame in page.frames if frame.url.startswith("https")}
    assert frames == {"js.stripe.com"}


def test_embedded_checkout_works_behind_a_strict_policy(named: tuple[Site, Page]) -> None:
    site, page = named
    site.shop.headers["content-security-policy"] = POLICY
    session = create(
        site,
        ui_mode="embedded_page",
        success_url=None,
        cancel_url=None,
        return_url=f"{site.shop.url}/ok?s={{CHECKOUT_SESSION_ID}}",
    )
    script = site.script(
        "stripe.initEmbeddedCheckout({clientSecret: secret}).then((c) => c.mount('#checkout'))",
        secret=session.client_secret,
    )
    page.goto(
        site.shop.page(
            "/pay",
            '<div id="checkout"></div>',
            script,
            head='<script src="https://js.stripe.com/clover/stripe.js"></script>',
        )
    )
    frame = page.frame_locator('iframe[name="embedded-checkout"]')
    fill(frame, CARD)
    frame.locator(PAY).click()
    page.wait_for_url(f"{site.shop.url}/ok?s={session.id}")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    loaded = next(e for e in site.twin.journal.entries if e["kind"] == "page" and e["event"] == "load")
    assert (loaded["embedder"], loaded["origin"]) == (site.shop.url, "https://js.stripe.com")
