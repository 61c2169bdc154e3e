"""The Checkout page in Debian's Chromium: hosted and embedded, paid, declined, refused, expired."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.twin.pages.site import CARD, Site

pytestmark = pytest.mark.browser

ITEM = {
    "price_data": {
        "currency": "usd",
        "unit_amount": 1500,
        "product_data": {"name": "Seed potatoes", "description": "Two kilos"},
    },
    "quantity": 2,
}
PAY = '[data-testid="hosted-payment-submit-button"]'
DECLINE = "status of 402"


def create(site: Site, **params: Any) -> Any:
    site.shop.page("/ok", "<h1>Thank you</h1>")
    site.shop.page("/basket", "<h1>Your basket</h1>")
    settings = {
        "mode": "payment",
        "success_url": f"{site.shop.url}/ok?order=7&s={{CHECKOUT_SESSION_ID}}",
        "cancel_url": f"{site.shop.url}/basket",
        "line_items": [ITEM],
        **params,
    }
    return site.client.v1.checkout.sessions.create(
        {name: value for name, value in settings.items() if value is not None}  # type: ignore[arg-type]
    )


def embed(site: Site, **params: Any) -> tuple[Any, str]:
    session = create(
        site,
        ui_mode="embedded_page",
        success_url=None,
        cancel_url=None,
        **{"return_url": f"{site.shop.url}/ok?s={{CHECKOUT_SESSION_ID}}", **params},
    )
    script = site.script(
        "window.done = 0; stripe.createEmbeddedCheckoutPage({fetchClientSecret: async () => secret, "
        "onComplete: () => { window.done += 1; }}).then((checkout) => checkout.mount('#checkout'));",
        secret=session.client_secret,
    )
    address = site.shop.page("/pay", '<h1>Pay</h1><div id="checkout"></div>', script, head=site.stripe_js)
    return session, address


def fill(form: Page | FrameLocator, card: str = CARD, email: str | None = "ada@example.test") -> None:
    if email is not None:
        form.locator("#email").fill(email)
    form.locator("#cardNumber").fill(card)
    form.locator("#cardExpiry").fill("12 / 34")
    form.locator("#cardCvc").fill("123")
    form.locator("#billingName").fill("Ada Lovelace")
    form.locator("#billingCountry").select_option("United States")
    form.locator("#billingPostalCode").fill("94110")


def test_a_guest_pays_on_the_hosted_page(site: Site, page: Page) -> None:
    session = create(site)
    page.goto(session.url)
    expect(page.get_by_test_id("amount-due")).to_have_text("$30.00")
    expect(page.get_by_role("link", name="Back to")).to_have_attribute("href", f"{site.shop.url}/basket")
    page.locator('[data-testid="card-accordion-item"]').click()
    fill(page)
    page.get_by_role("button", name="Pay").click()
    page.wait_for_url(f"{site.shop.url}/ok?order=7&s={session.id}")
    paid = site.client.v1.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent.latest_charge"]})
    assert (paid.status, paid.payment_status) == ("complete", "paid")
    assert paid.customer_details.email == "ada@example.test"
    assert paid.customer_details.address.postal_code == "94110"
    assert paid.payment_intent.latest_charge.billing_details.name == "Ada Lovelace"
    assert [e for e in site.events(session.id) if e != "edit"] == ["document", "load", "submit", "complete"]
    assert all(entry["source"] == "browser" for entry in site.requests("/confirm"))


def test_the_journal_knows_which_page_led_here_and_no_card_number(site: Site, page: Page) -> None:
    session = create(site)
    page.goto(site.shop.page("/start", f'<a id="go" href="{session.url}">Pay</a>'))
    page.click("#go")
    fill(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    entries = [entry for entry in site.twin.journal.entries if entry["kind"] == "page"]
    assert {entry["referrer"] for entry in entries} == {site.shop.url}
    assert {entry["embedder"] for entry in entries} == {None}
    assert CARD not in str(site.twin.journal.entries)


def test_an_embedded_page_goes_to_the_return_url(site: Site, page: Page) -> None:
    session, address = embed(site)
    page.goto(address)
    frame = page.frame_locator('iframe[name="embedded-checkout"]')
    fill(frame)
    frame.locator(PAY).click()
    page.wait_for_url(f"{site.shop.url}/ok?s={session.id}")
    entries = [e for e in site.twin.journal.entries if e["kind"] == "page" and e["page"] == "checkout"]
    assert {entry["embedder"] for entry in entries} == {site.shop.url}
    assert site.client.v1.checkout.sessions.retrieve(session.id).payment_status == "paid"


def test_an_embedded_page_may_stay_and_call_back(site: Site, page: Page) -> None:
    session, address = embed(site, redirect_on_completion="never", return_url=None)
    page.goto(address)
    frame = page.frame_locator('iframe[name="embedded-checkout"]')
    fill(frame)
    frame.locator(PAY).click()
    page.wait_for_function("window.done === 1")
    expect(frame.get_by_test_id("state-done")).to_be_visible()
    assert page.url == address
    assert site.client.v1.checkout.sessions.retrieve(session.id).status == "complete"


def test_a_decline_is_shown_and_another_card_pays(site: Site, page: Page) -> None:
    page.expected_errors.append(DECLINE)  # type: ignore[attr-defined]
    session = create(site)
    page.goto(session.url)
    fill(page, "4000000000000002")
    page.locator(PAY).click()
    expect(page.get_by_test_id("form-error")).to_have_text("Your card was declined.")
    declined = site.client.v1.checkout.sessions.retrieve(session.id)
    assert (declined.status, declined.payment_status) == ("open", "unpaid")
    page.locator("#cardNumber").fill(CARD)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    assert len(site.client.v1.payment_intents.list().data) == 1
    assert [c.paid for c in site.client.v1.charges.list().data] == [True, False]
    assert "refused" in site.events(session.id)


def test_a_wrong_code_is_shown_at_its_field(site: Site, page: Page) -> None:
    page.expected_errors.append(DECLINE)  # type: ignore[attr-defined]
    page.goto(create(site).url)
    fill(page, "4000000000000127")
    page.locator(PAY).click()
    expect(page.locator("#cardCvc")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#cardCvc")).to_be_focused()


def test_mistakes_are_shown_at_once_and_nothing_is_sent(site: Site, page: Page) -> None:
    page.goto(create(site).url)
    page.locator(PAY).click()
    expect(page.locator("#email")).to_be_focused()
    expect(page.locator("#email")).to_have_attribute("aria-invalid", "true")
    fill(page, "4242424242424241", email="not an address")
    page.locator("#cardExpiry").fill("12 / 24")
    page.locator(PAY).click()
    expect(page.locator(".FieldError:visible")).to_have_count(3)
    assert not site.requests("/confirm")


def test_a_promotion_code_is_refused_then_taken_then_removed(site: Site, page: Page) -> None:
    page.expected_errors.append("status of 400")  # type: ignore[attr-defined]
    coupon = site.client.v1.coupons.create({"percent_off": 25, "duration": "once", "name": "Spring"})
    site.client.v1.promotion_codes.create(
        {"promotion": {"type": "coupon", "coupon": coupon.id}, "code": "SPRING25"}
    )
    session = create(site, allow_promotion_codes=True)
    page.goto(session.url)
    page.get_by_test_id("promotion-code-open").click()
    page.locator('[name="promotionCode"]').fill("WINTER")
    page.get_by_test_id("promotion-code-apply").click()
    expect(page.get_by_text("This code is invalid.")).to_be_visible()
    page.locator('[name="promotionCode"]').fill("spring25")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("total")).to_contain_text("$22.50")
    page.get_by_role("button", name="Remove promotion code SPRING25").click()
    expect(page.get_by_test_id("amount-due")).to_have_text("$30.00")
    page.get_by_test_id("promotion-code-open").click()
    page.locator('[name="promotionCode"]').fill("SPRING25")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("amount-due")).to_have_text("$22.50")
    fill(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    paid = site.client.v1.checkout.sessions.retrieve(session.id)
    assert (paid.amount_total, paid.total_details.amount_discount) == (2250, 750)
    assert site.client.v1.promotion_codes.list().data[0].times_redeemed == 1


def test_shipping_is_collected_and_paid_for(site: Site, page: Page) -> None:
    rate = {
        "display_name": "Post",
        "type": "fixed_amount",
        "fixed_amount": {"amount": 500, "currency": "usd"},
    }
    fast = {
        "display_name": "Courier",
        "type": "fixed_amount",
        "fixed_amount": {"amount": 1250, "currency": "usd"},
    }
    session = create(
        site,
        shipping_address_collection={"allowed_countries": ["US", "DE"]},
        shipping_options=[{"shipping_rate_data": rate}, {"shipping_rate_data": fast}],
    )
    page.goto(session.url)
    page.get_by_label("Courier").check()
    expect(page.get_by_test_id("amount-due")).to_have_text("$42.50")
    page.locator("#email").fill("ada@example.test")
    page.locator('[name="shippingName"]').fill("Ada Lovelace")
    page.locator('[name="shippingCountry"]').select_option("US")
    page.locator('[name="shippingAddressLine1"]').fill("1 Field Lane")
    page.locator('[name="shippingAddressLine2"]').fill("Barn")
    page.locator('[name="shippingLocality"]').fill("Springfield")
    page.locator('[name="shippingAdministrativeArea"]').select_option("IL")
    page.locator('[name="shippingPostalCode"]').fill("62701")
    page.locator("#cardNumber").fill(CARD)
    page.locator("#cardExpiry").fill("1234")
    page.locator("#cardCvc").fill("123")
    page.locator("#billingName").fill("Ada Lovelace")
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    paid = site.client.v1.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent"]})
    shipped = paid.collected_information.shipping_details
    assert (shipped.name, shipped.address.line2, shipped.address.state) == ("Ada Lovelace", "Barn", "IL")
    assert paid.payment_intent.shipping.address.postal_code == "62701"
    assert (paid.amount_total, paid.payment_intent.amount) == (4250, 4250)


@pytest.mark.parametrize(("answer", "paid"), [("Complete", True), ("Fail", False)])
def test_the_bank_may_ask_the_customer(site: Site, page: Page, answer: str, paid: bool) -> None:
    session = create(site)
    page.goto(session.url)
    fill(page, "4000002760003184")
    page.locator(PAY).click()
    outer = page.frame_locator("iframe[name*=__privateStripeFrame][src*=three-ds]")
    outer.frame_locator("iframe#challengeFrame").get_by_role("button", name=answer).click()
    if paid:
        page.wait_for_url("**/ok*")
    else:
        expect(page.get_by_test_id("form-error")).to_contain_text("unable to authenticate")
        fill(page)
        page.locator(PAY).click()
        page.wait_for_url("**/ok*")
    assert site.client.v1.checkout.sessions.retrieve(session.id).payment_status == "paid"
    assert len(site.client.v1.payment_intents.list().data) == 1


def test_two_tabs_and_two_clicks_pay_once(site: Site, page: Page) -> None:
    session = create(site)
    second = page.context.new_page()
    for tab in (page, second):
        tab.goto(session.url)
        fill(tab)
    page.locator(PAY).dblclick()
    page.wait_for_url("**/ok*")
    second.locator(PAY).click()
    second.wait_for_url("**/ok*")
    assert len(site.client.v1.charges.list().data) == 1


def test_closed_sessions_say_so(site: Site, page: Page) -> None:
    session = create(site)
    page.goto(session.url)
    expect(page.locator(PAY)).to_be_visible()
    site.client.v1.checkout.sessions.expire(session.id)
    page.expected_errors += ["status of 400", "status of 404"]  # type: ignore[attr-defined]
    fill(page)
    page.locator(PAY).click()
    expect(page.get_by_test_id("state-expired")).to_be_visible()
    page.get_by_role("link", name=re.compile("Back to")).click()
    page.wait_for_url("**/basket")
    page.goto(f"{site.url}/c/pay/cs_test_nothing")
    expect(page.get_by_test_id("state-missing")).to_be_visible()


def test_nothing_to_pay_asks_for_no_card(site: Site, page: Page) -> None:
    coupon = site.client.v1.coupons.create({"percent_off": 100, "duration": "once"})
    session = create(site, discounts=[{"coupon": coupon.id}])
    page.goto(session.url)
    expect(page.locator("#cardNumber")).to_be_hidden()
    page.locator("#email").fill("ada@example.test")
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    done = site.client.v1.checkout.sessions.retrieve(session.id)
    assert (done.payment_status, done.payment_intent) == ("no_payment_required", None)
