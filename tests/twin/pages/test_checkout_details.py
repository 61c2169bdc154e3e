"""What else a Checkout page collects and offers: methods, wallets, saved cards, taxes, fields, consent, quantities."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.twin.pages.site import CARD, Site
from tests.twin.pages.test_checkout_page import PAY, create, embed, fill

pytestmark = pytest.mark.browser
EURO = {
    "price_data": {"currency": "eur", "unit_amount": 1500, "product_data": {"name": "Saatkartoffeln"}},
    "quantity": 2,
}


def retrieve(site: Site, session: Any, *expand: str) -> Any:
    return site.client.v1.checkout.sessions.retrieve(session.id, {"expand": list(expand)})


@pytest.mark.parametrize(("answer", "paid"), [("Authorize Test Payment", True), ("Fail Test Payment", False)])
def test_a_redirect_method_leads_away_and_back(site: Site, page: Page, answer: str, paid: bool) -> None:
    enable(site, "bancontact", "ideal")
    session = create(site, line_items=[EURO])
    page.goto(session.url)
    page.locator("#email").fill("ada@example.test")
    page.get_by_test_id("bancontact-accordion-item").click()
    page.get_by_test_id("fields-bancontact").locator("[name=name]").fill("Ada")
    page.locator(PAY).click()
    page.get_by_role("button", name=answer).click()
    if paid:
        page.wait_for_url(f"{site.shop.url}/ok*")
        assert retrieve(site, session).payment_status == "paid"
    else:
        expect(page.get_by_test_id("form-error")).to_be_visible()
        assert retrieve(site, session).status == "open"


def enable(site: Site, *types: str) -> None:
    """Switch payment methods on in the default configuration."""
    found = site.client.v1.payment_method_configurations.list().data[0]
    site.client.v1.payment_method_configurations.update(
        found.id,
        {name: {"display_preference": {"preference": "on"}} for name in types},  # type: ignore[arg-type]
    )


def test_a_redirect_from_an_embedded_page_comes_back_to_the_shop(site: Site, page: Page) -> None:
    enable(site, "ideal")
    session, address = embed(site, line_items=[EURO])
    page.goto(address)
    frame = page.frame_locator('iframe[name="embedded-checkout"]')
    frame.locator("#email").fill("ada@example.test")
    frame.get_by_test_id("ideal-accordion-item").click()
    frame.get_by_test_id("fields-ideal").locator("[name=name]").fill("Ada")
    frame.get_by_test_id("fields-ideal").locator("[name=bank]").select_option("ing")
    frame.locator(PAY).click()
    page.get_by_role("button", name="Authorize Test Payment").click()
    page.wait_for_url(f"{site.shop.url}/ok?s={session.id}*")
    assert retrieve(site, session).payment_status == "paid"


def test_a_debit_completes_before_the_money_is_there(site: Site, page: Page) -> None:
    enable(site, "sepa_debit")
    session = create(site, line_items=[EURO])
    page.goto(session.url)
    page.locator("#email").fill("ada@example.test")
    page.get_by_test_id("sepa_debit-accordion-item").click()
    fields = page.get_by_test_id("fields-sepa_debit")
    fields.locator("[name=name]").fill("Ada")
    fields.locator("[name=iban]").fill("AT321904300235473204")
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    assert (retrieve(site, session).status, retrieve(site, session).payment_status) == ("complete", "unpaid")
    site.twin.advance(site.twin.now() + 3600)
    assert retrieve(site, session).payment_status == "paid"
    kinds = [event.type for event in site.client.v1.events.list({"limit": 100}).data]
    assert "checkout.session.async_payment_succeeded" in kinds


def test_link_pays_after_a_code(site: Site, page: Page) -> None:
    page.expected_errors.append("status of 400")  # type: ignore[attr-defined]
    session = create(site)
    page.goto(session.url)
    page.locator("#email").fill("ada+link@example.test")
    page.locator("#email").blur()
    page.locator("[name=code]").fill("111111")
    expect(page.get_by_text("This code is not right.")).to_be_visible()
    page.locator("[name=code]").fill("000000")
    expect(page.get_by_role("radio", name="Visa ending in 4242")).to_be_checked()
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    method = retrieve(site, session, "payment_intent.payment_method").payment_intent.payment_method
    assert (method.type, method.link.email) == ("link", "ada+link@example.test")


def test_link_can_be_joined_here_and_used_there(site: Site, page: Page) -> None:
    page.goto(create(site).url)
    fill(page)
    page.locator('label[for="enableStripePass"]').click()
    page.locator("[name=linkPhone]").fill("2015550123")
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    page.goto(create(site).url)
    page.locator("#email").fill("ada@example.test")
    page.locator("#email").blur()
    page.locator("[name=code]").fill("000000")
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    assert len(site.client.v1.charges.list().data) == 2


def test_saved_cards_are_shown_used_saved_and_removed(site: Site, page: Page) -> None:
    customer = site.client.v1.customers.create({"email": "ada@example.test"})
    options = {"payment_method_save": "enabled", "payment_method_remove": "enabled"}
    session = create(site, customer=customer.id, saved_payment_method_options=options)
    page.goto(session.url)
    expect(page.locator("#email")).to_have_count(0)
    fill(page, email=None)
    page.get_by_label("Save these details for next time").check()
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    page.goto(create(site, customer=customer.id, saved_payment_method_options=options).url)
    expect(page.get_by_role("radio", name="Visa ending in 4242")).to_be_checked()
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    assert [c.customer for c in site.client.v1.charges.list().data] == [customer.id] * 2
    page.goto(create(site, customer=customer.id, saved_payment_method_options=options).url)
    page.get_by_role("button", name="Remove Visa").click()
    expect(page.get_by_role("radio", name="Visa ending in 4242")).to_have_count(0)
    assert not site.client.v1.payment_methods.list({"customer": customer.id}).data


def collect_tax(site: Site) -> None:
    """Sales tax of California on everything, added to the price."""
    site.client.v1.tax.settings.update(
        {
            "defaults": {"tax_behavior": "exclusive", "tax_code": "txcd_99999999"},
            "head_office": {"address": {"country": "US", "state": "CA", "postal_code": "94110"}},
        }
    )
    site.client.v1.tax.registrations.create(
        {
            "country": "US",
            "active_from": "now",
            "country_options": {"us": {"state": "CA", "type": "state_sales_tax"}},
        }
    )


def test_automatic_tax_follows_the_address(site: Site, page: Page) -> None:
    collect_tax(site)
    session = create(site, automatic_tax={"enabled": True})
    assert session.automatic_tax.status == "requires_location_inputs"
    page.goto(session.url)
    fill(page)
    page.locator("#billingAddressLine1").fill("1 Field Lane")
    page.locator("#billingLocality").fill("San Francisco")
    page.locator("#billingAdministrativeArea").select_option("CA")
    expect(page.get_by_test_id("tax")).to_contain_text("$2.18")
    expect(page.get_by_test_id("total")).to_contain_text("$32.18")
    page.locator("#billingAdministrativeArea").select_option("OR")
    expect(page.get_by_test_id("amount-due")).to_have_text("$30.00")
    page.locator("#billingAdministrativeArea").select_option("CA")
    expect(page.get_by_test_id("amount-due")).to_have_text("$32.18")
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    paid = retrieve(site, session, "total_details.breakdown")
    assert (paid.amount_total, paid.total_details.amount_tax, paid.automatic_tax.status) == (
        3218,
        218,
        "complete",
    )
    assert paid.total_details.breakdown.taxes[0].rate.percentage == 7.25


def test_a_press_that_outlasts_a_new_total_is_a_click(site: Site, page: Page) -> None:
    """The last field's change is answered between the pressing and the letting go of the button."""
    collect_tax(site)
    session = create(site, automatic_tax={"enabled": True})
    page.goto(session.url)
    fill(page)
    page.locator("#billingLocality").fill("San Francisco")
    page.locator("#billingAdministrativeArea").select_option("CA")
    expect(page.get_by_test_id("amount-due")).to_have_text("$32.18")
    page.locator("#billingAddressLine1").fill("1 Field Lane")
    page.locator(PAY).scroll_into_view_if_needed()
    box = page.locator(".SubmitButton-Text").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    with page.expect_response("**/v1/payment_pages/*"):
        page.mouse.down()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.mouse.up()
    page.wait_for_url("**/ok*")
    assert site.client.v1.checkout.sessions.retrieve(session.id).amount_total == 3218


def test_fields_consents_phone_names_and_texts(site: Site, page: Page) -> None:
    session = create(
        site,
        custom_fields=[
            {
                "key": "gift",
                "type": "text",
                "label": {"type": "custom", "custom": "Gift note"},
                "text": {"maximum_length": 20},
            },
            {
                "key": "plot",
                "type": "numeric",
                "label": {"type": "custom", "custom": "Plot"},
                "numeric": {"minimum_length": 2},
            },
            {
                "key": "day",
                "type": "dropdown",
                "optional": True,
                "label": {"type": "custom", "custom": "Day"},
                "dropdown": {
                    "options": [{"label": "Monday", "value": "mon"}, {"label": "Friday", "value": "fri"}]
                },
            },
        ],
        consent_collection={"terms_of_service": "required", "promotions": "auto"},
        custom_text={
            "submit": {"message": "We plant in April."},
            "terms_of_service_acceptance": {"message": "I know the rules."},
        },
        phone_number_collection={"enabled": True},
        name_collection={"business": {"enabled": True, "optional": True}},
        tax_id_collection={"enabled": True},
    )
    page.goto(session.url)
    expect(page.get_by_text("We plant in April.")).to_be_visible()
    fill(page)
    page.locator(PAY).click()
    expect(page.locator("[name=phoneNumber]")).to_be_focused()
    page.locator("[name=phoneNumber]").fill("+1 201 555 0123")
    page.get_by_label("Gift note").fill("For Grace")
    page.get_by_label("Plot").fill("7")
    page.get_by_label("I know the rules.").check()
    page.get_by_label("Send me news").check()
    page.get_by_label("I am buying for a business").check()
    page.get_by_test_id("tax-id").get_by_label("Business name").fill("Analytical Farms")
    page.locator("[name=taxIdCountry]").select_option("DE")
    page.locator("[name=taxId]").fill("DE12345678")
    page.locator(PAY).click()
    expect(page.get_by_text("This is too short.")).to_be_visible()
    page.get_by_label("Plot").fill("17")
    page.locator("[name=taxId]").fill("DE123456789")
    page.get_by_label("Day").select_option("fri")
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    done = retrieve(site, session)
    values = {field.key: field[field.type].value for field in done.custom_fields}
    assert values == {"gift": "For Grace", "plot": "17", "day": "fri"}
    assert done.consent.to_dict() == {"promotions": "opt_in", "terms_of_service": "accepted"}
    assert done.customer_details.phone == "+1 201 555 0123"
    assert done.customer_details.tax_ids[0].to_dict() == {"type": "eu_vat", "value": "DE123456789"}
    assert done.collected_information.business_name == "Analytical Farms"


def test_quantities_and_extras_change_the_total(site: Site, page: Page) -> None:
    extra = site.client.v1.prices.create(
        {"currency": "usd", "unit_amount": 300, "product_data": {"name": "Gloves"}}
    )
    item = {
        "price_data": {"currency": "usd", "unit_amount": 1000, "product_data": {"name": "Peas"}},
        "quantity": 1,
        "adjustable_quantity": {"enabled": True, "minimum": 1, "maximum": 3},
    }
    session = create(site, line_items=[item], optional_items=[{"price": extra.id, "quantity": 2}])
    page.goto(session.url)
    page.get_by_role("button", name="Increase quantity of Peas").click()
    expect(page.get_by_test_id("amount-due")).to_have_text("$20.00")
    page.get_by_role("spinbutton", name="Quantity of Peas").fill("9")
    page.get_by_role("spinbutton", name="Quantity of Peas").press("Enter")
    expect(page.get_by_test_id("amount-due")).to_have_text("$30.00")
    expect(page.get_by_role("button", name="Increase quantity of Peas")).to_be_disabled()
    page.get_by_role("button", name="Add Gloves").click()
    expect(page.get_by_test_id("amount-due")).to_have_text("$36.00")
    page.get_by_role("button", name="Remove Gloves").click()
    expect(page.get_by_test_id("amount-due")).to_have_text("$30.00")
    page.get_by_role("button", name="Add Gloves").click()
    fill(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    lines = retrieve(site, session, "line_items").line_items.data
    assert [(line.description, line.quantity) for line in lines] == [("Peas", 3), ("Gloves", 2)]


def test_a_subscription_with_trial_code_and_tax(site: Site, page: Page) -> None:
    coupon = site.client.v1.coupons.create({"percent_off": 50, "duration": "forever"})
    site.client.v1.promotion_codes.create(
        {"promotion": {"type": "coupon", "coupon": coupon.id}, "code": "HALF"}
    )
    rate = site.client.v1.tax_rates.create({"display_name": "VAT", "percentage": 20, "inclusive": False})
    item = {
        "price_data": {
            "currency": "usd",
            "unit_amount": 2000,
            "recurring": {"interval": "month"},
            "product_data": {"name": "Seed box"},
        },
        "quantity": 1,
    }
    session = create(
        site,
        mode="subscription",
        line_items=[item],
        allow_promotion_codes=True,
        subscription_data={"trial_period_days": 7, "default_tax_rates": [rate.id]},
    )
    page.goto(session.url)
    expect(page.get_by_text("7 days free").first).to_be_visible()
    expect(page.locator(PAY)).to_have_text("Start trial")
    page.get_by_test_id("promotion-code-open").click()
    page.locator('[name="promotionCode"]').fill("HALF")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Then $12.00 per month")).to_be_visible()
    expect(page.get_by_text("By subscribing you allow")).to_be_visible()
    fill(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    done = retrieve(site, session, "subscription")
    assert (done.payment_status, done.subscription.status) == ("no_payment_required", "trialing")
    site.twin.advance(done.subscription.trial_end + 2 * 3600)
    assert site.client.v1.invoices.list({"subscription": done.subscription.id}).data[0].total == 1200


def test_a_card_is_saved_without_a_payment(site: Site, page: Page) -> None:
    session = create(site, mode="setup", currency="usd", line_items=None)
    page.goto(session.url)
    expect(page.locator(PAY)).to_have_text("Save card")
    fill(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    done = retrieve(site, session, "setup_intent")
    assert (done.setup_intent.status, done.customer) == ("succeeded", done.setup_intent.customer)


def test_a_card_is_saved_where_no_currency_is_known(site: Site, page: Page) -> None:
    session = site.client.v1.checkout.sessions.create(
        {"mode": "setup", "payment_method_types": ["card"], "success_url": f"{site.shop.url}/ok"},
        {"stripe_version": "2026-03-25.dahlia"},
    )
    page.goto(str(session.url))
    expect(page.locator(PAY)).to_have_text("Save card")


@pytest.mark.parametrize(
    ("kind", "label"), [("donate", "Donate"), ("book", "Book"), ("pay", "Pay"), ("auto", "Pay")]
)
def test_the_button_says_what_it_does(site: Site, page: Page, kind: str, label: str) -> None:
    page.goto(create(site, submit_type=kind).url)
    expect(page.locator(PAY)).to_have_text(label)


def test_brand_settings_dress_the_page(site: Site, page: Page) -> None:
    branding = {
        "display_name": "Hill Farm",
        "background_color": "#20362b",
        "button_color": "#f2c14e",
        "border_style": "pill",
    }
    page.goto(create(site, branding_settings=branding).url)
    expect(page.get_by_text("Pay Hill Farm")).to_be_visible()
    expect(page.locator(".side")).to_have_css("background-color", "rgb(32, 54, 43)")
    expect(page.locator(PAY)).to_have_css("color", "rgb(16, 24, 29)")
    expect(page.locator(PAY)).to_have_css("border-radius", "99px")


def test_everything_works_by_keyboard_alone(site: Site, page: Page) -> None:
    session = create(site)
    page.goto(session.url)
    page.get_by_role("link", name="Back to").focus()
    order = []
    for _ in range(14):
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.name || document.activeElement.textContent.trim()")
        order.append(name)
        keys = {
            "email": "ada@example.test", "cardNumber": CARD, "cardExpiry": "1234", "cardCvc": "123",
            "billingName": "Ada", "billingPostalCode": "94110",
        }  # fmt: skip
        if name in keys:
            page.keyboard.type(keys[name])
        if name == "Pay":
            page.keyboard.press("Enter")
            break
    page.wait_for_url("**/ok*")
    assert order[0] == "email" and "paymentMethod" in order


def test_a_phone_shows_everything_in_one_column(site: Site, page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(create(site, shipping_address_collection={"allowed_countries": ["US"]}).url)
    expect(page.locator("#cardNumber")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_purchase_on_a_phone_never_scrolls_sideways(site: Site, page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.add_init_script(
        "window.widest = 0; const look = () => { window.widest = Math.max(window.widest,"
        " document.documentElement.scrollWidth); requestAnimationFrame(look); }; requestAnimationFrame(look);"
    )
    session = create(site)
    page.goto(session.url)
    page.locator(PAY).click()
    mistake = page.locator("#cardNumber")
    expect(mistake).to_have_attribute("aria-invalid", "true")
    fill(page)
    expect(mistake).not_to_have_attribute("aria-invalid", "true")
    for field in ("#email", "#cardNumber", "#cardExpiry", "#cardCvc", "#billingPostalCode", PAY):
        box = page.locator(field).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 320
        assert box["height"] >= 24
    assert 0 < page.evaluate("window.widest") <= 320
    page.locator(PAY).click()
    page.wait_for_url(f"{site.shop.url}/ok?order=7&s={session.id}")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    paid = retrieve(site, session)
    assert (paid.status, paid.payment_status, paid.amount_total) == ("complete", "paid", 3000)
