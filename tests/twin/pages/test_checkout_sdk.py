"""Checkout Sessions with elements: the page is the shop's own, the session is the API's."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.twin.pages.site import CARD, Site
from tests.twin.pages.test_card_element import call

pytestmark = pytest.mark.browser

ITEM = {
    "price_data": {"currency": "usd", "unit_amount": 1500, "product_data": {"name": "Seed potatoes"}},
    "quantity": 2,
    "adjustable_quantity": {"enabled": True, "minimum": 1, "maximum": 5},
}
BODY = '<div id="payment-element"></div><div id="address-element"></div><div id="currency-selector"></div>'


def open_page(site: Site, page: Page, script: str, release: str = "endive", **params: Any) -> Any:
    site.shop.page("/done", "<h1>Done</h1>")
    session = site.client.v1.checkout.sessions.create(
        {
            "mode": "payment",
            "ui_mode": "elements",
            "return_url": f"{site.shop.url}/done?s={{CHECKOUT_SESSION_ID}}",
            "line_items": [ITEM],
            **params,
        }  # type: ignore[arg-type]
    )
    head = f'<script src="{site.url}/{release}/stripe.js"></script>'
    page.goto(site.shop.page("/checkout", BODY, site.script(script, secret=session.client_secret), head=head))
    return session


SDK = (
    "const checkout = stripe.initCheckoutElementsSdk({clientSecret: Promise.resolve(secret)});"
    "window.sessions = []; checkout.on('change', (s) => window.sessions.push(s)); let actions;"
    "window.ready = checkout.loadActions().then((r) => { actions = r.actions; });"
    "checkout.createPaymentElement().mount('#payment-element');"
)


def pay(page: Page) -> None:
    frame = page.frame_locator('#payment-element iframe[title="Secure payment input frame"]')
    frame.locator("[name=number]").fill(CARD)
    frame.locator("[name=expiry]").fill("12 / 34")
    frame.locator("[name=cvc]").fill("123")
    frame.locator("[name=postalCode]").fill("94110")


def test_a_session_is_read_changed_and_paid(site: Site, page: Page) -> None:
    coupon = site.client.v1.coupons.create({"percent_off": 10, "duration": "once", "name": "Ten"})
    site.client.v1.promotion_codes.create(
        {"promotion": {"type": "coupon", "coupon": coupon.id}, "code": "TEN"}
    )
    page.expected_errors.append("status of 400")  # type: ignore[attr-defined]
    session = open_page(site, page, SDK, allow_promotion_codes=True)
    page.evaluate("window.ready")
    start = call(page, "actions.getSession()")
    assert start["total"]["total"] == {"minorUnitsAmount": 3000, "amount": "$30.00"}
    assert (start["status"], start["canConfirm"], start["email"]) == ({"type": "open"}, False, None)
    assert start["lineItems"][0]["adjustableQuantity"] == {"maximum": 5, "minimum": 1}
    wrong = call(page, "actions.applyPromotionCode('NINE')")
    assert (wrong["type"], wrong["error"]["code"]) == ("error", "invalidCode")
    right = call(page, "actions.applyPromotionCode('ten')")
    assert right["session"]["total"]["total"]["minorUnitsAmount"] == 2700
    line = start["lineItems"][0]["id"]
    more = call(page, f"actions.updateLineItemQuantity({{lineItem: '{line}', quantity: 3}})")
    assert more["session"]["total"]["total"]["minorUnitsAmount"] == 4050
    assert call(page, "actions.updateEmail('nobody')")["error"]["code"] == "incompleteEmail"
    call(page, "actions.updateEmail('ada@example.test')")
    pay(page)
    page.wait_for_function("window.sessions.at(-1).canConfirm")
    page.evaluate("void actions.confirm()")
    page.wait_for_url(f"**/done?s={session.id}")
    done = site.client.v1.checkout.sessions.retrieve(session.id)
    assert (done.payment_status, done.amount_total) == ("paid", 4050)


def test_a_decline_is_an_error_with_its_code(site: Site, page: Page) -> None:
    page.expected_errors.append("status of 402")  # type: ignore[attr-defined]
    session = open_page(site, page, SDK)
    page.evaluate("window.ready")
    pay(page)
    page.frame_locator("#payment-element iframe").locator("[name=number]").fill("4000000000009995")
    result = call(page, "actions.confirm({email: 'ada@example.test', redirect: 'if_required'})")
    assert result["error"]["code"] == "paymentFailed"
    assert result["error"]["paymentFailed"] == {"declineCode": "insufficient_funds"}
    assert site.client.v1.checkout.sessions.retrieve(session.id).status == "open"


def test_the_shipping_address_element_reaches_the_session(site: Site, page: Page) -> None:
    script = SDK + "checkout.createShippingAddressElement().mount('#address-element');"
    session = open_page(site, page, script, shipping_address_collection={"allowed_countries": ["US"]})
    page.evaluate("window.ready")
    where = page.frame_locator('#address-element iframe[title="Secure address input frame"]')
    for name, value in (
        ("name", "Ada"),
        ("addressLine1", "1 Field Lane"),
        ("locality", "Springfield"),
        ("postalCode", "62701"),
    ):
        where.locator(f"[name={name}]").fill(value)
    where.locator("[name=administrativeArea]").select_option("IL")
    page.wait_for_function(
        "window.sessions.some((s) => s.shippingAddress && s.shippingAddress.address.city === 'Springfield')"
    )
    pay(page)
    done = call(page, "actions.confirm({email: 'ada@example.test', redirect: 'if_required'})")
    assert done["session"]["status"] == {"type": "complete", "paymentStatus": "paid"}
    found = site.client.v1.checkout.sessions.retrieve(session.id).collected_information.shipping_details
    assert found.address.line1 == "1 Field Lane"


def test_the_server_may_change_the_session(site: Site, page: Page) -> None:
    session = open_page(site, page, SDK)
    page.evaluate("window.ready")
    line = call(page, "actions.getSession().lineItems[0].id")
    site.client.v1.checkout.sessions.update(session.id, {"line_items": [{"id": line, "quantity": 1}]})
    result = call(page, "actions.runServerUpdate(() => Promise.resolve())")
    assert result["session"]["total"]["total"]["minorUnitsAmount"] == 1500


AT_ONCE = "window.ready = stripe.initCheckout({clientSecret: secret}).loadActions().then((r) => { window.c = r.actions; });"
LATER = "window.ready = stripe.initCheckout({fetchClientSecret: async () => secret}).then((c) => { window.c = c; });"


@pytest.mark.parametrize(
    ("release", "script"), [("basil", LATER), ("clover", AT_ONCE), ("v3", AT_ONCE), ("v3", LATER)]
)
def test_older_names_of_the_same_thing(site: Site, page: Page, release: str, script: str) -> None:
    open_page(site, page, script, release=release)
    page.evaluate("window.ready")
    assert call(page, "(window.c.getSession ?? window.c.session)().total.total.amount") == "$30.00"


def test_the_currency_is_shown(site: Site, page: Page) -> None:
    open_page(site, page, SDK + "checkout.createCurrencySelectorElement().mount('#currency-selector');")
    frame = page.frame_locator('#currency-selector iframe[title="Secure currency selector"]')
    expect(frame.get_by_test_id("currency")).to_be_visible()


def test_other_modes_are_refused(site: Site, page: Page) -> None:
    script = (
        "const sdk = stripe.initCheckoutElementsSdk({clientSecret: secret});"
        "window.wait = sdk.loadActions().catch((e) => e.name + e.message);"
    )
    open_page(site, page, script, ui_mode="embedded_page")
    assert "IntegrationError" in page.evaluate("window.wait")
