"""The Payment Element and its sisters, through Stripe.js."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.twin.pages.site import CARD, Site
from tests.twin.pages.test_card_element import call

pytestmark = pytest.mark.browser

BODY = '<form id="form"><div id="email"></div><div id="address"></div><div id="payment"></div></form>'


def open_element(
    site: Site, page: Page, options: Any, element: Any = None, script: str = "", **values: Any
) -> FrameLocator:
    """A page with a mounted Payment Element; `seen` collects its events."""
    setup = (
        "const elements = stripe.elements(options); const payment = elements.create('payment', element);"
        "window.seen = []; for (const t of ['ready', 'change', 'loaderror', 'focus', 'blur']) "
        "payment.on(t, (e) => window.seen.push([t, e])); payment.mount('#payment');"
    )
    values = {"options": options, "element": element or {}, "back": f"{site.shop.url}/done?order=7", **values}
    site.shop.page("/done", "<h1>Done</h1>")
    page.goto(site.shop.page("/elements", BODY, site.script(setup + script, **values), head=site.stripe_js))
    return page.frame_locator('form iframe[title*="payment input"][src*="elements-inner-payment"]')


def fill(frame: FrameLocator, card: str = CARD) -> None:
    frame.locator('[data-testid="card"]').or_(frame.locator("[name=number]")).first.click()
    frame.locator("[name=number]").fill(card)
    frame.locator("[name=expiry]").fill("12 / 34")
    frame.locator("[name=cvc]").fill("123")
    frame.locator("[name=country]").select_option("US")
    frame.locator("[name=postalCode]").fill("94110")


def intent(site: Site, **params: Any) -> Any:
    return site.client.v1.payment_intents.create({"amount": 2599, "currency": "usd", **params})


def test_a_card_pays_and_the_browser_comes_back(site: Site, page: Page) -> None:
    made = intent(site)
    frame = open_element(site, page, {"clientSecret": made.client_secret})
    fill(frame)
    page.evaluate("void stripe.confirmPayment({elements, confirmParams: {return_url: back}})")
    page.wait_for_url("**/done?*")
    assert f"order=7&payment_intent={made.id}&payment_intent_client_secret={made.client_secret}" in page.url
    assert page.url.endswith("redirect_status=succeeded")
    charge = site.client.v1.charges.list().data[0]
    assert charge.billing_details.address.postal_code == "94110"


def test_if_required_stays_on_the_page(site: Site, page: Page) -> None:
    frame = open_element(site, page, {"clientSecret": intent(site).client_secret})
    fill(frame)
    result = call(page, "stripe.confirmPayment({elements, redirect: 'if_required'})")
    assert result["paymentIntent"]["status"] == "succeeded"
    assert page.url.endswith("/elements")


def test_events_tell_what_happens(site: Site, page: Page) -> None:
    frame = open_element(site, page, {"clientSecret": intent(site).client_secret})
    fill(frame)
    page.wait_for_function("window.seen.some(([t, e]) => t === 'change' && e.complete)")
    seen = page.evaluate("window.seen")
    assert seen[0][0] in ("change", "ready") and "ready" in [kind for kind, _ in seen]
    last = [event for kind, event in seen if kind == "change"][-1]
    assert last == {
        "elementType": "payment", "collapsed": False, "complete": True, "empty": False, "value": {"type": "card"},
    }  # fmt: skip


def test_incomplete_details_are_an_error_and_send_nothing(site: Site, page: Page) -> None:
    frame = open_element(site, page, {"clientSecret": intent(site).client_secret})
    frame.locator("[name=number]").fill("4242")
    error = call(page, "stripe.confirmPayment({elements, redirect: 'if_required'})")["error"]
    assert (error["type"], error["code"]) == ("validation_error", "incomplete_number")
    expect(frame.locator("[name=number]")).to_have_attribute("aria-invalid", "true")
    assert not site.requests("/confirm")


def test_a_decline_marks_the_field(site: Site, page: Page) -> None:
    page.expected_errors.append("status of 402")  # type: ignore[attr-defined]
    frame = open_element(site, page, {"clientSecret": intent(site).client_secret})
    fill(frame, "4000000000000127")
    error = call(page, "stripe.confirmPayment({elements, redirect: 'if_required'})")["error"]
    assert (error["code"], error["param"]) == ("incorrect_cvc", "cvc")
    expect(frame.locator("[name=cvc]")).to_have_attribute("aria-invalid", "true")


def test_an_unmounted_element_cannot_pay(site: Site, page: Page) -> None:
    made = intent(site)
    open_element(site, page, {"clientSecret": made.client_secret}, script="payment.unmount();")
    rejected = call(page, "stripe.confirmPayment({elements, confirmParams: {return_url: back}})")["rejected"]
    assert rejected == (
        "IntegrationError: Invalid value for stripe.confirmPayment(): elements should have a mounted Payment Element "
        "or Express Checkout Element."
    )
    assert not site.requests("/confirm")


def test_elements_of_another_stripe_object_cannot_pay(site: Site, page: Page) -> None:
    made = intent(site)
    frame = open_element(site, page, {"clientSecret": made.client_secret}, pk=site.twin.publishable_key)
    fill(frame)
    other = "Stripe(pk).confirmPayment({elements, redirect: 'if_required'})"
    assert call(page, other)["rejected"].startswith("IntegrationError")
    assert not site.requests("/confirm")
    assert call(page, "stripe.confirmPayment({elements, redirect: 'if_required'})")["paymentIntent"]


def test_a_deferred_intent_is_made_after_submit(site: Site, page: Page) -> None:
    frame = open_element(site, page, {"mode": "payment", "amount": 1099, "currency": "usd"})
    fill(frame)
    made = site.client.v1.payment_intents.create({"amount": 1099, "currency": "usd"})
    confirm = (
        f"stripe.confirmPayment({{elements, clientSecret: '{made.client_secret}', redirect: 'if_required'}})"
    )
    assert "elements.submit() must be called" in call(page, confirm)["rejected"]
    assert call(page, "elements.submit()") == {"selectedPaymentMethod": "card"}
    assert call(page, confirm)["paymentIntent"]["status"] == "succeeded"


def test_a_confirmation_token_carries_the_details_to_the_server(site: Site, page: Page) -> None:
    frame = open_element(site, page, {"mode": "payment", "amount": 1099, "currency": "usd"})
    fill(frame)
    call(page, "elements.submit()")
    token = call(page, "stripe.createConfirmationToken({elements, params: {return_url: back}})")[
        "confirmationToken"
    ]
    assert token["payment_method_preview"]["card"]["last4"] == "4242"
    paid = site.client.v1.payment_intents.create(
        {"amount": 1099, "currency": "usd", "confirm": True, "confirmation_token": token["id"]}
    )
    assert paid.status == "succeeded"


def test_a_setup_saves_the_card(site: Site, page: Page) -> None:
    customer = site.client.v1.customers.create({})
    made = site.client.v1.setup_intents.create({"customer": customer.id})
    frame = open_element(site, page, {"clientSecret": made.client_secret})
    expect(frame.locator(".terms")).to_be_visible()
    fill(frame)
    result = call(page, "stripe.confirmSetup({elements, redirect: 'if_required'})")["setupIntent"]
    assert result["status"] == "succeeded"
    assert len(site.client.v1.payment_methods.list({"customer": customer.id}).data) == 1


@pytest.mark.parametrize(
    ("answer", "status"), [("Authorize Test Payment", "succeeded"), ("Fail Test Payment", "failed")]
)
def test_a_redirect_method_comes_back_with_its_outcome(
    site: Site, page: Page, answer: str, status: str
) -> None:
    made = site.client.v1.payment_intents.create(
        {"amount": 900, "currency": "eur", "allowed_payment_method_types": ["card", "bancontact", "ideal"]}
    )
    frame = open_element(site, page, {"clientSecret": made.client_secret})
    frame.locator('[data-testid="bancontact"]').click()
    frame.locator("[name=name]").fill("Ada Lovelace")
    page.evaluate("void stripe.confirmPayment({elements, confirmParams: {return_url: back}})")
    page.get_by_role("button", name=answer).click()
    page.wait_for_url("**/done?*")
    assert f"redirect_status={status}" in page.url and "order=7&" in page.url
    after = site.client.v1.payment_intents.retrieve(made.id)
    assert after.status == ("succeeded" if status == "succeeded" else "requires_payment_method")


def test_the_amount_can_change_before_paying(site: Site, page: Page) -> None:
    open_element(site, page, {"mode": "payment", "amount": 1000, "currency": "usd"})
    page.wait_for_function("window.seen.some(([t]) => t === 'ready')")
    page.evaluate("elements.update({amount: 2000})")
    with pytest.raises(Exception, match="whole number"):
        page.evaluate("elements.update({amount: 1.5})")


def test_appearance_changes_the_look(site: Site, page: Page) -> None:
    appearance = {
        "theme": "night",
        "variables": {"colorPrimary": "#ff8800", "borderRadius": "3px"},
        "rules": {".Label": {"textTransform": "uppercase"}, "body{}": {"color": "red"}},
    }
    frame = open_element(site, page, {"clientSecret": intent(site).client_secret, "appearance": appearance})
    expect(frame.locator("label[for=Field-numberInput]")).to_have_css("text-transform", "uppercase")
    expect(frame.locator("[name=number]")).to_have_css("border-radius", "3px")
    page.evaluate("elements.update({appearance: {theme: 'flat'}})")
    expect(frame.locator("label[for=Field-numberInput]")).to_have_css("text-transform", "none")


def test_layout_can_be_an_accordion_that_collapses(site: Site, page: Page) -> None:
    made = site.client.v1.payment_intents.create(
        {"amount": 900, "currency": "eur", "allowed_payment_method_types": ["card", "ideal"]}
    )
    layout = {"type": "accordion", "defaultCollapsed": True, "radios": True}
    frame = open_element(site, page, {"clientSecret": made.client_secret}, {"layout": layout})
    expect(frame.locator("[name=number]")).to_have_count(0)
    frame.locator('[data-value="card"]').click()
    expect(frame.locator("[name=number]")).to_be_visible()
    page.evaluate("payment.collapse()")
    expect(frame.locator("[name=number]")).to_have_count(0)
    page.wait_for_function("window.seen.at(-1)[1].collapsed === true")


def test_a_customer_session_shows_saves_and_removes_cards(site: Site, page: Page) -> None:
    customer = site.client.v1.customers.create({})
    site.client.v1.payment_methods.attach("pm_card_mastercard", {"customer": customer.id})
    kept = site.client.v1.payment_methods.list({"customer": customer.id}).data[0]
    site.client.v1.payment_methods.update(kept.id, {"allow_redisplay": "always"})
    features: Any = {
        "payment_method_redisplay": "enabled", "payment_method_save": "enabled", "payment_method_remove": "enabled",
        "payment_method_save_usage": "off_session",
    }  # fmt: skip
    session = site.client.v1.customer_sessions.create(
        {"customer": customer.id, "components": {"payment_element": {"enabled": True, "features": features}}}
    )
    made = intent(site, customer=customer.id)
    options = {"clientSecret": made.client_secret, "customerSessionClientSecret": session.client_secret}
    frame = open_element(site, page, options)
    expect(frame.get_by_label("Mastercard ending in 4444")).to_be_checked()
    frame.locator('[data-testid="card"]').click()
    frame.get_by_label("Save these details for next time").check()
    fill(frame)
    assert (
        call(page, "stripe.confirmPayment({elements, redirect: 'if_required'})")["paymentIntent"]["status"]
        == "succeeded"
    )
    saved = site.client.v1.payment_methods.list({"customer": customer.id}).data
    assert [(m.card.last4, m.allow_redisplay) for m in saved] == [("4242", "always"), ("4444", "always")]


def test_link_recognises_a_wallet_and_pays_from_it(site: Site, page: Page) -> None:
    made = intent(site)
    script = (
        "const email = elements.create('linkAuthentication'); email.mount('#email');"
        "window.mails = []; email.on('change', (e) => window.mails.push(e));"
    )
    page.expected_errors.append("status of 400")  # type: ignore[attr-defined]
    frame = open_element(site, page, {"clientSecret": made.client_secret}, script=script)
    mail = page.frame_locator('iframe[title*="Secure email input frame"]')
    mail.locator("[name=email]").fill("ada+link@example.test")
    mail.locator("[name=code]").fill("123456")
    expect(mail.get_by_text("This code is not right.")).to_be_visible()
    mail.locator("[name=code]").fill("000000")
    expect(frame.get_by_label("Visa ending in 4242")).to_be_checked()
    assert page.evaluate("window.mails.at(-1).value.email") == "ada+link@example.test"
    paid = call(page, "stripe.confirmPayment({elements, redirect: 'if_required'})")["paymentIntent"]
    assert paid["status"] == "succeeded"
    method = site.client.v1.charges.list().data[0].payment_method_details
    assert method.type == "link"


def test_link_can_be_joined_while_paying(site: Site, page: Page) -> None:
    frame = open_element(site, page, {"clientSecret": intent(site).client_secret})
    fill(frame)
    frame.locator('label[for="payment-linkOptInInput"]').click()
    frame.locator("[name=linkEmail]").fill("new@example.test")
    frame.locator("[name=linkPhone]").fill("2015550123")
    assert (
        call(page, "stripe.confirmPayment({elements, redirect: 'if_required'})")["paymentIntent"]["status"]
        == "succeeded"
    )
    found = site.twin.request(
        "POST", "/v1/consumers/sessions/lookup", {"email_address": "new@example.test"}
    ).json()
    assert found["exists"] is True


def test_the_address_element_fills_shipping_and_billing(site: Site, page: Page) -> None:
    made = intent(site)
    script = (
        "const address = elements.create('address', {mode: 'shipping', allowedCountries: ['US', 'CA'],"
        " fields: {phone: 'always'}});"
        "address.mount('#address');"
    )
    frame = open_element(site, page, {"clientSecret": made.client_secret}, script=script)
    where = page.frame_locator('iframe[title="Secure address input frame"]')
    assert call(page, "address.getValue()")["complete"] is False
    where.locator("[name=name]").fill("Ada Lovelace")
    where.locator("[name=country]").select_option("US")
    where.locator("[name=addressLine1]").fill("1 Field Lane")
    where.locator("[name=locality]").fill("Springfield")
    where.locator("[name=administrativeArea]").select_option("IL")
    where.locator("[name=postalCode]").fill("62701")
    where.locator("[name=phone]").fill("+1 201 555 0123")
    value = call(page, "address.getValue()")
    assert value["complete"] is True and value["value"]["address"]["state"] == "IL"
    fill(frame)
    call(page, "stripe.confirmPayment({elements, redirect: 'if_required'})")
    shipping = site.client.v1.payment_intents.retrieve(made.id).shipping
    assert (shipping.name, shipping.address.postal_code, shipping.phone) == (
        "Ada Lovelace",
        "62701",
        "+1 201 555 0123",
    )


def test_express_checkout_pays_from_the_test_wallet(site: Site, page: Page) -> None:
    script = (
        "const express = elements.create('expressCheckout', {emailRequired: true, shippingAddressRequired: true,"
        " shippingRates: [{id: 'post', displayName: 'Post', amount: 500}]}); window.heard = [];"
        "express.on('ready', (e) => heard.push(['ready', e.availablePaymentMethods]));"
        "express.on('click', (e) => { heard.push(['click', e.expressPaymentType]); e.resolve(); });"
        "express.on('shippingaddresschange', (e) => { heard.push(['address', e.address.country]);"
        " elements.update({amount: 1500});"
        " e.resolve({shippingRates: [{id: 'ship', displayName: 'Ship', amount: 1000}]}); });"
        "express.on('confirm', async (e) => { heard.push(['confirm', e.billingDetails.email]); await elements.submit();"
        " window.result = await stripe.confirmPayment({elements, clientSecret: secret, redirect: 'if_required'}); });"
        "express.mount('#email');"
    )
    made = site.client.v1.payment_intents.create({"amount": 1500, "currency": "usd"})
    open_element(
        site,
        page,
        {"mode": "payment", "amount": 1000, "currency": "usd"},
        script=script,
        secret=made.client_secret,
    )
    page.frame_locator('iframe[title="Secure payment button frame"]').get_by_test_id(
        "google_pay-button"
    ).click()
    sheet = page.frame_locator('iframe[title="Test wallet"]')
    sheet.get_by_label("Ackerweg 3, Berlin, DE").check()
    expect(sheet.get_by_label("Ship ·")).to_be_checked()
    expect(sheet.get_by_test_id("wallet-total")).to_contain_text("$15.00")
    sheet.get_by_test_id("wallet-pay").click()
    page.wait_for_function("window.result !== undefined")
    assert page.evaluate("window.result.paymentIntent.status") == "succeeded"
    heard = page.evaluate("window.heard")
    assert [kind for kind, _ in heard] == ["ready", "click", "address", "confirm"]
    assert heard[0][1]["googlePay"] is True and heard[3][1] == "wallet@example.test"
    assert site.client.v1.payment_intents.retrieve(made.id).shipping.address.city == "Berlin"
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_split_card_fields_work_together(site: Site, page: Page) -> None:
    made = intent(site)
    script = site.script(
        "const elements = stripe.elements(); const parts = {};"
        "for (const t of ['cardNumber', 'cardExpiry', 'cardCvc']) {"
        " parts[t] = elements.create(t); parts[t].mount('#' + t); }",
        secret=made.client_secret,
    )
    body = '<div id="cardNumber"></div><div id="cardExpiry"></div><div id="cardCvc"></div>'
    page.goto(site.shop.page("/split", body, script, head=site.stripe_js))
    page.frame_locator('iframe[title="Secure card number input frame"]').locator("[name=cardnumber]").fill(
        "378282246310005"
    )
    page.frame_locator('iframe[title="Secure expiration date input frame"]').locator("[name=exp-date]").fill(
        "1234"
    )
    cvc = page.frame_locator('iframe[title="Secure CVC input frame"]').locator("[name=cvc]")
    cvc.fill("123")
    confirm = "stripe.confirmCardPayment(secret, {payment_method: {card: parts.cardNumber}})"
    assert call(page, confirm)["error"]["code"] == "incomplete_cvc"
    cvc.fill("1234")
    assert call(page, confirm)["paymentIntent"]["status"] == "succeeded"


def test_an_iban_makes_a_debit(site: Site, page: Page) -> None:
    made = site.client.v1.payment_intents.create(
        {"amount": 900, "currency": "eur", "allowed_payment_method_types": ["sepa_debit"]}
    )
    script = site.script(
        "const iban = stripe.elements().create('iban', {supportedCountries: ['SEPA']}); iban.mount('#iban');",
        secret=made.client_secret,
    )
    page.goto(site.shop.page("/iban", '<div id="iban"></div>', script, head=site.stripe_js))
    field = page.frame_locator('iframe[title*="IBAN"]').locator("[name=iban]")
    field.fill("DE89370400440532013001")
    confirm = (
        "stripe.confirmSepaDebitPayment(secret, {payment_method: {sepa_debit: iban,"
        " billing_details: {name: 'Ada', email: 'ada@example.test'}}})"
    )
    assert call(page, confirm)["error"]["code"] == "invalid_iban"
    field.fill("DE89370400440532013000")
    expect(field).to_have_value("DE89 3704 0044 0532 0130 00")
    assert call(page, confirm)["paymentIntent"]["status"] == "processing"


def test_an_intent_that_is_paid_cannot_be_shown_again(site: Site, page: Page) -> None:
    page.expected_errors.append("status of 400")  # type: ignore[attr-defined]
    made = intent(
        site,
        payment_method="pm_card_visa",
        confirm=True,
        automatic_payment_methods={"enabled": True, "allow_redirects": "never"},
    )
    open_element(site, page, {"clientSecret": made.client_secret})
    page.wait_for_function("window.seen.some(([t]) => t === 'loaderror')")
    error = json.loads(page.evaluate("JSON.stringify(window.seen.find(([t]) => t === 'loaderror')[1].error)"))
    assert error["code"] == "payment_intent_unexpected_state"
