"""What a Checkout page offers and says: free amounts, estimates, texts, fields, plans, pictures, a server's shipping."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.twin.pages.site import CARD, Site
from tests.twin.pages.test_checkout_page import PAY, create, embed, fill

pytestmark = pytest.mark.browser
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


def monthly(amount: int, **recurring: Any) -> dict[str, Any]:
    data = {
        "currency": "usd",
        "unit_amount": amount,
        "recurring": {"interval": "month", **recurring},
        "product_data": {"name": "Seed box"},
    }
    return {"price_data": data, "quantity": 1}


ONCE = {
    "price_data": {"currency": "usd", "unit_amount": 1500, "product_data": {"name": "Watering can"}},
    "quantity": 1,
}


def test_a_customer_names_the_amount(site: Site, page: Page) -> None:
    page.expected_errors.append("status of 400")  # type: ignore[attr-defined]
    price = site.client.v1.prices.create(
        {
            "currency": "usd",
            "custom_unit_amount": {"enabled": True, "minimum": 500, "maximum": 10_000},
            "product_data": {"name": "A tree for the hill"},
        }
    )
    session = create(site, line_items=[{"price": price.id, "quantity": 1}], submit_type="donate")
    page.goto(session.url)
    fill(page)
    page.locator(PAY).click()
    expect(page.get_by_label("Amount")).to_be_focused()
    assert not site.requests("/confirm")
    page.get_by_label("Amount").fill("2")
    page.get_by_label("Amount").blur()
    expect(page.get_by_test_id("form-error")).to_have_text("The amount must be at least $5.00.")
    page.get_by_label("Amount").fill("12,50")
    page.get_by_label("Amount").blur()
    expect(page.get_by_test_id("amount-due")).to_have_text("$12.50")
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    assert site.client.v1.checkout.sessions.retrieve(session.id).amount_total == 1250


def rate(name: str, amount: int, **estimate: tuple[int, str]) -> dict[str, Any]:
    bounds = {side: {"value": value, "unit": unit} for side, (value, unit) in estimate.items()}
    data: dict[str, Any] = {
        "display_name": name,
        "type": "fixed_amount",
        "fixed_amount": {"amount": amount, "currency": "usd"},
    }
    return {"shipping_rate_data": {**data, "delivery_estimate": bounds} if bounds else data}


def test_shipping_rates_say_how_long_they_take(site: Site, page: Page) -> None:
    options = [
        rate("Post", 0, minimum=(3, "business_day"), maximum=(5, "business_day")),
        rate("Courier", 900, maximum=(24, "hour")),
        rate("Cart", 300),
    ]
    page.goto(create(site, shipping_options=options).url)
    rows = page.get_by_test_id("shipping-rates").locator("label")
    assert [row.replace("\n", " ") for row in rows.all_inner_texts()] == [
        "Post 3–5 business days Free", "Courier 24 hours $9.00", "Cart $3.00",
    ]  # fmt: skip
    page.get_by_label("Cart").focus()
    page.keyboard.press("Space")
    expect(page.get_by_test_id("shipping")).to_contain_text("$3.00")
    expect(page.get_by_test_id("total")).to_contain_text("$33.00")


def test_texts_stand_in_every_slot_with_links(site: Site, page: Page) -> None:
    texts = {
        "shipping_address": "We deliver **to the gate**.",
        "submit": "See [how we plant](https://farm.example/plant).",
        "after_submit": "Questions? Ask [Grace](https://farm.example/grace).",
        "terms_of_service_acceptance": "I accept the [farm rules](https://farm.example/rules).",
    }
    session = create(
        site,
        shipping_address_collection={"allowed_countries": ["US"]},
        consent_collection={"terms_of_service": "required"},
        custom_text={slot: {"message": text} for slot, text in texts.items()},
    )
    page.goto(session.url)
    expect(page.get_by_test_id("text-shipping").locator("b")).to_have_text("to the gate")
    expect(page.get_by_test_id("text-submit")).to_have_text("See how we plant.")
    expect(page.get_by_test_id("text-after-submit").get_by_role("link", name="Grace")).to_be_visible()
    link = page.get_by_role("link", name="farm rules")
    expect(link).to_have_attribute("href", "https://farm.example/rules")
    page.get_by_label("I accept the farm rules").check()


def test_what_a_merchant_writes_is_never_markup(site: Site, page: Page) -> None:
    message = '<img src=x onerror="window.hit=1"> [a](javascript:alert(1))'
    page.goto(create(site, custom_text={"submit": {"message": message}}).url)
    expect(page.get_by_test_id("text-submit")).to_have_text(message)
    assert page.evaluate("window.hit") is None


def test_fields_begin_with_their_defaults(site: Site, page: Page) -> None:
    label = {"type": "custom", "custom": "x"}
    fields = [
        {"key": "note", "type": "text", "label": {**label, "custom": "Note"}, "text": {"default_value": "None"}},
        {
            "key": "plot", "type": "numeric", "label": {**label, "custom": "Plot"}, "optional": True,
            "numeric": {"default_value": "12", "maximum_length": 3},
        },
        {
            "key": "day", "type": "dropdown", "label": {**label, "custom": "Day"},
            "dropdown": {
                "default_value": "fri",
                "options": [{"label": "Monday", "value": "mon"}, {"label": "Friday", "value": "fri"}],
            },
        },
    ]  # fmt: skip
    session = create(site, custom_fields=fields)
    page.goto(session.url)
    expect(page.get_by_label("Day")).to_have_value("fri")
    expect(page.get_by_label("Plot (optional)")).to_have_value("12")
    page.get_by_label("Plot (optional)").fill("1x")
    fill(page)
    page.locator(PAY).click()
    expect(page.get_by_text("Use digits only.")).to_be_visible()
    page.get_by_label("Plot (optional)").fill("")
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    done = site.client.v1.checkout.sessions.retrieve(session.id)
    assert [field[field.type].value for field in done.custom_fields] == ["None", None, "fri"]


def test_a_mixed_cart_says_what_is_due_now_and_later(site: Site, page: Page) -> None:
    page.goto(create(site, mode="subscription", line_items=[monthly(1000), ONCE]).url)
    expect(page.get_by_test_id("amount-due")).to_have_text("$25.00")
    expect(page.get_by_test_id("renewal")).to_have_text("Then $10.00 per month")
    expect(page.get_by_test_id("total")).to_contain_text("Due today")


def test_a_trial_with_something_to_pay_today(site: Site, page: Page) -> None:
    session = create(
        site,
        mode="subscription",
        line_items=[monthly(1000, interval_count=3), ONCE],
        subscription_data={"trial_period_days": 14},
    )
    page.goto(session.url)
    expect(page.get_by_test_id("renewal")).to_have_text("Then $10.00 every 3 months")
    expect(page.get_by_test_id("total")).to_contain_text("$15.00")
    fill(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    assert site.client.v1.checkout.sessions.retrieve(session.id).payment_status == "paid"


def test_a_later_anchor_names_the_day(site: Site, page: Page) -> None:
    session = create(
        site,
        mode="subscription",
        line_items=[monthly(3100)],
        subscription_data={"billing_cycle_anchor": site.twin.now() + 10 * 86_400},
    )
    page.goto(session.url)
    expect(page.get_by_test_id("amount-due")).to_have_text("$10.00")
    expect(page.get_by_test_id("renewal")).to_have_text("Then $31.00 per month from January 11, 2026")


def test_usage_is_billed_later(site: Site, page: Page) -> None:
    meter = site.client.v1.billing.meters.create(
        {"display_name": "Water", "event_name": "water", "default_aggregation": {"formula": "sum"}}
    )
    price = site.client.v1.prices.create(
        {
            "currency": "usd",
            "unit_amount": 5,
            "recurring": {"interval": "month", "usage_type": "metered", "meter": meter.id},
            "product_data": {"name": "Water"},
        }
    )
    page.goto(create(site, mode="subscription", line_items=[{"price": price.id}]).url)
    expect(page.get_by_test_id("renewal")).to_have_text("Billed per month for what you use")
    expect(page.get_by_test_id("line-items")).to_contain_text("Based on use")


def test_a_discount_says_how_long_it_lasts(site: Site, page: Page) -> None:
    coupon = site.client.v1.coupons.create(
        {"percent_off": 20, "duration": "repeating", "duration_in_months": 3, "name": "Start"}
    )
    page.goto(
        create(site, mode="subscription", line_items=[monthly(1000)], discounts=[{"coupon": coupon.id}]).url
    )
    expect(page.get_by_test_id("discount")).to_contain_text("20% off for 3 months")
    expect(page.get_by_test_id("amount-due")).to_have_text("$8.00")


def test_an_uploaded_logo_is_shown(site: Site, page: Page) -> None:
    content = io.BytesIO(PIXEL)
    content.name = "logo.png"
    file = site.client.v1.files.create({"purpose": "business_logo", "file": content})
    branding = {"display_name": "Hill Farm", "logo": {"type": "file", "file": file.id}}
    page.goto(create(site, branding_settings=branding).url)
    logo = page.get_by_role("img", name="Hill Farm")
    expect(logo).to_be_visible()
    assert logo.evaluate("image => image.naturalWidth") == 1


def test_the_server_decides_about_shipping(site: Site, page: Page) -> None:
    session, _ = embed(
        site,
        permissions={"update_shipping_details": "server_only"},
        shipping_address_collection={"allowed_countries": ["US", "CA"]},
        shipping_options=[rate("Post", 500)],
    )
    asked: list[Any] = []

    def answer(details: Any) -> Any:
        asked.append(details)
        given = details["shippingDetails"]
        if given["address"]["state"] == "AK":
            return {"type": "reject", "errorMessage": "We cannot reach Alaska."}
        site.client.v1.checkout.sessions.update(
            details["checkoutSessionId"],
            {
                "collected_information": {"shipping_details": given},
                "shipping_options": [rate("Local cart", 200)],  # type: ignore[list-item]
            },
        )
        return {"type": "accept"}

    page.expose_function("decide", answer)
    script = site.script(
        "stripe.createEmbeddedCheckoutPage({fetchClientSecret: async () => secret, "
        "onShippingDetailsChange: (event) => window.decide(event)}).then((page) => page.mount('#checkout'));",
        secret=session.client_secret,
    )
    page.goto(site.shop.page("/pay", '<div id="checkout"></div>', script, head=site.stripe_js))
    frame = page.frame_locator('iframe[name="embedded-checkout"]')
    frame.locator("#email").fill("ada@example.test")
    for name, value in (
        ("shippingName", "Ada Lovelace"),
        ("shippingAddressLine1", "1 Field Lane"),
        ("shippingLocality", "Springfield"),
        ("shippingPostalCode", "62701"),
    ):
        frame.locator(f"[name={name}]").fill(value)
    frame.locator("[name=shippingAdministrativeArea]").select_option("AK")
    expect(frame.get_by_test_id("form-error")).to_have_text("We cannot reach Alaska.")
    frame.locator("[name=shippingAdministrativeArea]").select_option("IL")
    expect(frame.get_by_label("Local cart")).to_be_checked()
    expect(frame.get_by_test_id("form-error")).to_have_count(0)
    fill(frame, CARD) if frame.locator("#billingCountry").is_visible() else fill_card(frame)
    frame.locator(PAY).click()
    page.wait_for_url("**/ok*")
    paid = site.client.v1.checkout.sessions.retrieve(session.id)
    assert (paid.amount_total, paid.collected_information.shipping_details.address.state) == (3200, "IL")
    assert [a["shippingDetails"]["address"]["state"] for a in asked] == ["AK", "IL"]


def fill_card(frame: Any) -> None:
    frame.locator("#cardNumber").fill(CARD)
    frame.locator("#cardExpiry").fill("12 / 34")
    frame.locator("#cardCvc").fill("123")
    frame.locator("#billingName").fill("Ada Lovelace")


def test_a_browser_may_not_write_what_the_server_decides(site: Site) -> None:
    session, _ = embed(
        site,
        permissions={"update_shipping_details": "server_only"},
        shipping_address_collection={"allowed_countries": ["US"]},
    )
    refused = site.twin.request(
        "POST",
        f"/v1/payment_pages/{session.id}",
        {"client_secret": session.client_secret, "shipping": {"name": "x", "address": {"country": "US"}}},
        key=site.twin.publishable_key,
    )
    assert refused.status == 400 and refused.json()["error"]["param"] == "shipping"
