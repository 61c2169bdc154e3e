"""Cases A44-A52 and A60 of the facts, lived through in a browser: what people reported about the real pages."""

from __future__ import annotations

from typing import Any

import pytest
import stripe
from playwright.sync_api import Page, expect

from tests.twin.pages.site import Site
from tests.twin.pages.test_card_element import call
from tests.twin.pages.test_checkout_page import PAY, create, embed, fill
from tests.twin.pages.test_payment_element import fill as fill_element
from tests.twin.pages.test_payment_element import intent, open_element

pytestmark = pytest.mark.browser
MONTH = {
    "price_data": {
        "currency": "usd",
        "unit_amount": 1000,
        "recurring": {"interval": "month"},
        "product_data": {"name": "Seed box"},
    },
    "quantity": 1,
}
ONCE = {
    "price_data": {"currency": "usd", "unit_amount": 1500, "product_data": {"name": "Spade"}},
    "quantity": 1,
}


def refused(site: Site, **params: Any) -> stripe.InvalidRequestError:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        create(site, **params)
    return caught.value


def test_a_setup_session_saves_a_card_and_asks_for_no_money(site: Site, page: Page) -> None:
    """A44 Setup-mode Checkout session: needs a currency or method types; no amounts; ends with a saved card."""
    customer = site.client.v1.customers.create({"email": "ada@example.test"})
    named = {"mode": "setup", "customer": customer.id, "line_items": None}
    assert refused(site, **named).http_status == 400
    cards_only = site.client.v1.checkout.sessions.create(
        {
            "mode": "setup",
            "customer": customer.id,
            "success_url": f"{site.shop.url}/ok",
            "payment_method_types": ["card"],
        },
        {"stripe_version": "2026-08-26.dahlia"},  # later versions have no such parameter
    )
    assert cards_only.currency is None
    session = create(site, **named, currency="usd")
    assert (session.status, session.payment_status) == ("open", "no_payment_required")
    empty = (session.amount_total, session.amount_subtotal, session.total_details, session.discounts)
    assert empty == (None, None, None, None)
    assert (session.payment_intent, session.payment_method_collection) == (None, "always")
    assert session.setup_intent and session.expires_at == session.created + 86_400
    page.goto(session.url)
    expect(page.get_by_test_id("total")).to_have_count(0)
    fill(page, email=None)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    done = site.client.v1.checkout.sessions.retrieve(session.id, {"expand": ["setup_intent"]})
    assert (done.status, done.setup_intent.status) == ("complete", "succeeded")
    assert len(site.client.v1.payment_methods.list({"customer": customer.id}).data) == 1


def test_a_guest_pays_and_lands_with_the_real_id(site: Site, page: Page) -> None:
    """A45 Payment-mode session before and after paying."""
    target = f"{site.shop.url}/ok?s={{CHECKOUT_SESSION_ID}}"
    session = create(site, line_items=[ONCE], success_url=target)
    before = (session.payment_intent, session.payment_status, session.amount_total, session.success_url)
    assert before == (None, "unpaid", 1500, target)
    assert (session.payment_method_collection, session.invoice_creation.enabled) == ("if_required", False)
    page.goto(session.url)
    fill(page)
    page.locator(PAY).click()
    page.wait_for_url(f"{site.shop.url}/ok?s={session.id}")
    done = site.client.v1.checkout.sessions.retrieve(session.id)
    assert (done.status, done.payment_status, done.url, done.customer) == ("complete", "paid", None, None)
    assert done.payment_intent and done.customer_details.email == "ada@example.test"


def test_an_expired_page_says_so(site: Site, page: Page) -> None:
    """A46 Session expiry: bounds of `expires_at`, once by hand, never when complete; the page tells."""
    page.expected_errors.append("status of 404")  # type: ignore[attr-defined]
    now = site.twin.now()
    assert refused(site, expires_at=now + 20 * 60).param == "expires_at"
    assert refused(site, expires_at=now + 25 * 3600).param == "expires_at"
    session = create(site, expires_at=now + 31 * 60)
    page.goto(session.url)
    expect(page.locator(PAY)).to_be_visible()
    expired = site.client.v1.checkout.sessions.expire(session.id)
    assert (expired.status, expired.url) == ("expired", None)
    page.reload()
    expect(page.get_by_test_id("state-expired")).to_be_visible()
    kinds = [event.type for event in site.client.v1.events.list().data]
    assert kinds.count("checkout.session.expired") == 1
    with pytest.raises(stripe.InvalidRequestError):
        site.client.v1.checkout.sessions.expire(session.id)
    paid = create(site)
    page.goto(paid.url)
    fill(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    with pytest.raises(stripe.InvalidRequestError):
        site.client.v1.checkout.sessions.expire(paid.id)


def test_a_one_time_item_is_paid_once(site: Site, page: Page) -> None:
    """A47 Subscription session with a one-time item: both at first, the plan alone at the renewal."""
    session = create(site, mode="subscription", line_items=[MONTH, ONCE])
    assert session.amount_total == 2500
    page.goto(session.url)
    expect(page.get_by_test_id("amount-due")).to_have_text("$25.00")
    expect(page.get_by_test_id("renewal")).to_have_text("Then $10.00 per month")
    fill(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    done = site.client.v1.checkout.sessions.retrieve(session.id, {"expand": ["subscription"]})
    items = done.subscription["items"].data
    assert len(items) == 1
    site.twin.advance(items[0].current_period_end + 2 * 3600)
    invoices = site.client.v1.invoices.list({"subscription": done.subscription.id}).data
    assert [(invoice.total, len(invoice.lines.data)) for invoice in invoices] == [(1000, 1), (2500, 2)]


def test_a_customer_of_one_currency_gets_no_page_in_another(site: Site, page: Page) -> None:
    """A48 One currency per customer: whoever subscribed in euros on a page cannot begin in dollars."""
    customer = site.client.v1.customers.create({"email": "ada@example.test"})
    euro = {**MONTH, "price_data": {**MONTH["price_data"], "currency": "eur"}}  # type: ignore[dict-item]
    page.goto(create(site, mode="subscription", line_items=[euro], customer=customer.id).url)
    fill(page, email=None)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    error = refused(site, mode="subscription", line_items=[MONTH], customer=customer.id)
    assert error.http_status == 400
    assert "does not match the customer's currency" in str(error.user_message)
    price = site.client.v1.prices.create(
        {
            "currency": "usd",
            "unit_amount": 1000,
            "recurring": {"interval": "month"},
            "product_data": {"name": "Box"},
        }
    )
    with pytest.raises(
        stripe.InvalidRequestError, match="You cannot combine currencies on a single customer"
    ):
        site.client.v1.subscriptions.create({"customer": customer.id, "items": [{"price": price.id}]})


def test_a_second_embedded_page_waits_for_the_first_to_go(site: Site, page: Page) -> None:
    """A49 Second embedded checkout before destroy (React double mount)."""
    session, _ = embed(site)
    script = site.script(
        "const open = () => stripe.initEmbeddedCheckout({clientSecret: secret})"
        ".then((made) => { window.made = made; return 'made'; }, (e) => `${e.name}: ${e.message}`);",
        secret=session.client_secret,
    )
    page.goto(site.shop.page("/twice", '<div id="checkout"></div>', script, head=site.stripe_js))
    assert page.evaluate("open()") == "made"
    message = "IntegrationError: You cannot have multiple Embedded Checkout objects."
    assert page.evaluate("open()") == message
    page.evaluate("window.made.destroy()")
    assert page.evaluate("open()") == "made"
    page.evaluate("window.made.mount('#checkout')")
    expect(page.frame_locator('iframe[name="embedded-checkout"]').locator("#email")).to_be_visible()
    assert page.locator("iframe[name=embedded-checkout]").count() == 1


def test_elements_belong_to_the_object_that_made_them(site: Site, page: Page) -> None:
    """A50 Elements from another Stripe() instance: rejected, nothing is sent; its own object pays."""
    made = intent(site)
    frame = open_element(site, page, {"clientSecret": made.client_secret}, pk=site.twin.publishable_key)
    fill_element(frame)
    pay = "confirmPayment({elements, redirect: 'if_required'})"
    assert call(page, f"Stripe(pk).{pay}")["rejected"].startswith("IntegrationError")
    assert not site.requests("/confirm")
    assert site.client.v1.payment_intents.retrieve(made.id).status == "requires_payment_method"
    assert call(page, f"stripe.{pay}")["paymentIntent"]["status"] == "succeeded"


@pytest.mark.parametrize(("method", "setup"), [("confirmPayment", False), ("confirmSetup", True)])
@pytest.mark.parametrize("never", [True, False])
def test_an_element_must_be_on_the_page_to_pay(
    site: Site, page: Page, method: str, setup: bool, never: bool
) -> None:
    """A51 Confirm with an unmounted Payment Element, or one that never was mounted."""
    made = site.client.v1.setup_intents.create({}) if setup else intent(site)
    head = "const elements = stripe.elements({clientSecret: secret}); const payment = elements.create('payment');"
    away = "" if never else "payment.mount('#payment'); payment.unmount();"
    script = site.script(head + away, secret=made.client_secret)
    page.goto(site.shop.page("/elements", '<div id="payment"></div>', script, head=site.stripe_js))
    given = call(page, f"stripe.{method}({{elements, confirmParams: {{return_url: location.href}}}})")
    assert given["rejected"] == (
        f"IntegrationError: Invalid value for stripe.{method}(): elements should have a mounted Payment Element or "
        "Express Checkout Element."
    )
    assert not site.requests("/confirm")


@pytest.mark.parametrize(("answer", "status"), [("Complete", "succeeded"), ("Fail", "failed")])
@pytest.mark.parametrize("kind", ["payment_intent", "setup_intent"])
def test_the_bank_sends_back_with_the_intent_in_the_address(
    site: Site, page: Page, kind: str, answer: str, status: str
) -> None:
    """A52 Query parameters after a redirect: the shop's own stay, the intent's come behind them."""
    site.shop.page("/done", "<h1>Done</h1>")
    given: Any = {
        "payment_method": "pm_card_threeDSecure2Required",
        "confirm": True,
        "return_url": f"{site.shop.url}/done?order=7",
    }
    if kind == "setup_intent":
        made: Any = site.client.v1.setup_intents.create(given)
    else:
        made = site.client.v1.payment_intents.create({**given, "amount": 900, "currency": "usd"})
    assert made.status == "requires_action"
    page.goto(made.next_action.redirect_to_url.url)
    page.get_by_role("button", name=answer).click()
    page.wait_for_url("**/done?*")
    secret = made.client_secret
    assert page.url == (
        f"{site.shop.url}/done?order=7&{kind}={made.id}&{kind}_client_secret={secret}&redirect_status={status}"
    )
    if kind == "setup_intent":
        after: Any = site.client.v1.setup_intents.retrieve(made.id)
        error = after.last_setup_error
    else:
        after = site.client.v1.payment_intents.retrieve(made.id)
        error = after.last_payment_error
    assert after.status == ("succeeded" if answer == "Complete" else "requires_payment_method")
    assert (error and error.code) == (None if answer == "Complete" else f"{kind}_authentication_failure")


def test_nothing_leaves_the_page_where_no_redirect_is_needed(site: Site, page: Page) -> None:
    """A52 Query parameters after a redirect: `redirect: 'if_required'` and a card that needs none."""
    frame = open_element(site, page, {"clientSecret": intent(site).client_secret})
    fill_element(frame)
    pay = "stripe.confirmPayment({elements, redirect: 'if_required', confirmParams: {return_url: back}})"
    assert call(page, pay)["paymentIntent"]["status"] == "succeeded"
    assert page.url.endswith("/elements")


def test_a_portal_needs_settings_and_a_way_back(site: Site, page: Page) -> None:
    """A60 Portal without settings."""
    customer = site.client.v1.customers.create({"email": "ada@example.test"})
    portal = site.client.v1.billing_portal
    with pytest.raises(stripe.InvalidRequestError) as first:
        portal.sessions.create({"customer": customer.id})
    assert first.value.http_status == 400
    made = portal.configurations.create({"features": {"invoice_history": {"enabled": True}}})
    given: Any = {"customer": customer.id, "configuration": made.id}
    with pytest.raises(stripe.InvalidRequestError, match="does not have a `default_return_url`"):
        portal.sessions.create(given)
    site.shop.page("/account", "<h1>Account</h1>")
    page.goto(portal.sessions.create({**given, "return_url": f"{site.shop.url}/account"}).url)
    page.get_by_test_id("return-to-business-link").click()
    page.wait_for_url("**/account")
