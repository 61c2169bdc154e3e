"""Stripe.js with the classic Card Element, as pages of 2018 to today use it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.twin.pages.site import CARD, Site
from tests.twin.pages.test_checkout_page import PAY, create

pytestmark = pytest.mark.browser

BODY = '<form id="form"><label for="card">Card</label><div id="card"></div><button>Pay</button></form>'


def mount(site: Site, page: Page, script: str = "", **values: Any) -> FrameLocator:
    setup = (
        "const elements = stripe.elements(); const card = elements.create('card'); window.seen = [];"
        "for (const type of ['ready', 'focus', 'blur', 'change']) card.on(type, (e) => window.seen.push([type, e]));"
        "card.mount('#card');"
    )
    page.goto(site.shop.page("/card", BODY, site.script(setup + script, **values), head=site.stripe_js))
    return page.frame_locator('iframe[name^="__privateStripeFrame"]')


def type_card(frame: FrameLocator, number: str = CARD) -> None:
    frame.locator("[name=cardnumber]").press_sequentially(number)
    frame.locator("[name=exp-date]").press_sequentially("1234")
    frame.locator("[name=cvc]").press_sequentially("123")
    frame.locator("[name=postal]").press_sequentially("94110")


def call(page: Page, expression: str) -> Any:
    """The value an expression of the page resolves to, or {"rejected": message}."""
    return json.loads(
        page.evaluate(
            f"(async () => {{ try {{ return JSON.stringify(await ({expression})); }}"
            " catch (e) { return JSON.stringify({rejected: e.name + ': ' + e.message}); } })()"
        )
    )


def test_a_card_is_typed_formatted_and_reported(site: Site, page: Page) -> None:
    frame = mount(site, page)
    number = frame.locator("[name=cardnumber]")
    number.press_sequentially("42424242")
    expect(number).to_have_value("4242 4242")
    number.press_sequentially("42424242")
    expect(frame.locator("[name=exp-date]")).to_be_focused()
    page.keyboard.type("1234")
    expect(frame.locator("[name=exp-date]")).to_have_value("12 / 34")
    page.keyboard.type("123")
    page.keyboard.type("94110")
    page.wait_for_function("window.seen.some(([type, e]) => type === 'change' && e.complete)")
    seen = page.evaluate("window.seen")
    assert [kind for kind, _ in seen if kind != "change"][:2] == ["ready", "focus"]
    changes = [event for kind, event in seen if kind == "change"]
    assert changes[-1] == {
        "elementType": "card", "brand": "visa", "complete": True, "empty": False, "error": None,
        "value": {"postalCode": "94110"},
    }  # fmt: skip
    assert any(event["brand"] == "visa" and not event["complete"] for event in changes)
    classes = (page.locator("#card").get_attribute("class") or "").split()
    assert sorted(classes) == ["StripeElement", "StripeElement--complete", "StripeElement--focus"]


def test_a_wrong_number_is_an_error_of_the_element(site: Site, page: Page) -> None:
    frame = mount(site, page)
    type_card(frame, "4242424242424241")
    page.wait_for_function("window.seen.at(-1)[1].error !== undefined")
    error = page.evaluate("window.seen.filter(([t]) => t === 'change').at(-1)[1].error")
    assert (error["code"], error["type"]) == ("invalid_number", "validation_error")
    assert "StripeElement--invalid" in (page.locator("#card").get_attribute("class") or "")
    result = call(page, "stripe.createPaymentMethod('card', card)")
    assert result["error"]["code"] == "invalid_number"
    assert not site.requests("/v1/payment_methods")


@pytest.mark.parametrize(
    "expression",
    [
        "stripe.createPaymentMethod('card', card, {billing_details: {name: 'Ada'}})",
        "stripe.createPaymentMethod({type: 'card', card: card, billing_details: {name: 'Ada'}})",
    ],
)
def test_payment_methods_are_made_in_both_spellings(site: Site, page: Page, expression: str) -> None:
    type_card(mount(site, page))
    made = call(page, expression)["paymentMethod"]
    assert made["card"]["last4"] == "4242"
    assert made["billing_details"]["name"] == "Ada"
    assert made["billing_details"]["address"]["postal_code"] == "94110"


def test_a_token_is_made(site: Site, page: Page) -> None:
    type_card(mount(site, page))
    token = call(page, "stripe.createToken(card, {name: 'Ada'})")["token"]
    assert token["id"].startswith("tok_") and token["card"]["name"] == "Ada"
    assert token["card"]["address_zip"] == "94110"


def test_the_card_number_never_reaches_the_shops_page(site: Site, page: Page) -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.frame.url} {request.post_data or ''}"))
    page.add_init_script(
        "window.heard = []; addEventListener('message', (e) => heard.push(JSON.stringify(e.data)))"
    )
    type_card(mount(site, page))
    call(page, "stripe.createPaymentMethod('card', card)")
    assert any(CARD in text for text in sent)
    assert all("/elements-inner-card" in text.split(" ")[0] for text in sent if CARD in text)
    assert CARD not in page.evaluate("window.heard.join()")
    assert page.frames[0].evaluate("document.documentElement.outerHTML").find(CARD) == -1


def test_a_payment_is_confirmed_once_however_often_asked(site: Site, page: Page) -> None:
    intent = site.client.v1.payment_intents.create({"amount": 2000, "currency": "usd"})
    type_card(mount(site, page, secret=intent.client_secret))
    confirm = "stripe.confirmCardPayment(secret, {payment_method: {card, billing_details: {name: 'Ada'}}})"
    assert call(page, confirm)["paymentIntent"]["status"] == "succeeded"
    assert call(page, confirm)["paymentIntent"]["status"] == "succeeded"
    assert len(site.client.v1.charges.list().data) == 1
    found = call(page, "stripe.retrievePaymentIntent(secret)")["paymentIntent"]
    assert found["id"] == intent.id


def test_a_decline_resolves_to_an_error_with_the_intent(site: Site, page: Page) -> None:
    page.expected_errors.append("status of 402")  # type: ignore[attr-defined]
    intent = site.client.v1.payment_intents.create({"amount": 2000, "currency": "usd"})
    type_card(mount(site, page, secret=intent.client_secret), "4000000000009995")
    error = call(page, "stripe.confirmCardPayment(secret, {payment_method: {card}})")["error"]
    assert (error["code"], error["decline_code"]) == ("card_declined", "insufficient_funds")
    assert error["payment_intent"]["status"] == "requires_payment_method"


@pytest.mark.parametrize(("answer", "status"), [("Complete", "succeeded"), ("Fail", None)])
def test_the_bank_asks_in_the_shops_page(site: Site, page: Page, answer: str, status: str | None) -> None:
    intent = site.client.v1.payment_intents.create({"amount": 2000, "currency": "usd"})
    type_card(mount(site, page, secret=intent.client_secret), "4000002760003184")
    page.evaluate(
        "window.result = null; void stripe.confirmCardPayment(secret, {payment_method: {card}}).then((r) => { result = r })"
    )
    outer = page.frame_locator("iframe[name*=__privateStripeFrame][src*=three-ds]")
    outer.frame_locator("iframe#challengeFrame").get_by_role("button", name=answer).click()
    page.wait_for_function("window.result !== null")
    result = page.evaluate("window.result")
    if status:
        assert result["paymentIntent"]["status"] == status
    else:
        assert result["error"]["code"] == "payment_intent_authentication_failure"
        assert result["error"]["payment_intent"]["status"] == "requires_payment_method"
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("Stripe()", "apiKey should be a string"),
        ("Stripe('sk_test_123456789012345678901234')", "secret key"),
        ("Stripe('rk_test_123456789012345678901234')", "secret key"),
        ("elements.create('card')", "Can only create one Element of type card"),
        ("elements.create('carrot')", "valid Element name"),
        ("stripe.createToken({})", "card Element"),
        ("stripe.confirmCardPayment('pi_123')", "client secret"),
        ("elements.create('cardX') || 1", "valid Element name"),
        ("Stripe(pk).elements().create('card').mount('#nowhere')", "applies to no DOM elements"),
    ],
)
def test_wrong_use_is_an_integration_error(site: Site, page: Page, expression: str, words: str) -> None:
    mount(site, page, pk=site.twin.publishable_key)
    rejected = call(page, expression)["rejected"]
    assert rejected.startswith("IntegrationError: ") and words in rejected


def test_an_unmounted_element_has_no_data(site: Site, page: Page) -> None:
    type_card(mount(site, page))
    page.evaluate("card.unmount()")
    assert "still mounted" in call(page, "stripe.createPaymentMethod('card', card)")["rejected"]
    assert page.locator("#card").get_attribute("class") == ""
    page.evaluate("card.mount('#card')")
    expect(page.frame_locator("#card iframe").locator("[name=cardnumber]")).to_have_value("")
    page.evaluate("card.destroy()")
    assert "already been destroyed" in call(page, "card.mount('#card')")["rejected"]


def test_options_change_what_is_shown(site: Site, page: Page) -> None:
    frame = mount(
        site, page, "card.update({hidePostalCode: true, style: {base: {color: 'rgb(10, 20, 30)'}}});"
    )
    expect(frame.locator("[name=postal]")).to_be_hidden()
    expect(frame.locator("[name=cardnumber]")).to_have_css("color", "rgb(10, 20, 30)")
    page.evaluate("card.update({disabled: true})")
    expect(frame.locator("[name=cardnumber]")).to_be_disabled()


def test_old_pages_redirect_with_a_session(site: Site, page: Page) -> None:
    session = site.client.v1.checkout.sessions.create(
        {
            "mode": "payment",
            "success_url": "https://shop.example",
            "line_items": [
                {
                    "price_data": {"currency": "usd", "unit_amount": 900, "product_data": {"name": "Peas"}},
                    "quantity": 1,
                }
            ],
        }
    )
    mount(site, page, "window.go = () => stripe.redirectToCheckout({sessionId: id});", id=session.id)
    page.evaluate("void window.go()")
    expect(page.get_by_test_id("amount-due")).to_have_text("$9.00")


@pytest.mark.parametrize(
    ("path", "version"),
    [("/v3/", 3), ("/v3", 3), ("/basil/stripe.js", "basil"), ("/endive/stripe.js", "endive")],
)
def test_every_release_is_served(site: Site, page: Page, path: str, version: int | str) -> None:
    page.goto(site.shop.page("/v", "", head=f'<script src="{site.url}{path}"></script>'))
    assert page.evaluate("window.Stripe.version") == version


def test_the_element_and_the_bank_speak_the_language_of_the_page(site: Site, page: Page) -> None:
    intent = site.client.v1.payment_intents.create({"amount": 1200, "currency": "eur"})
    script = (
        "const stripe = Stripe(key, {locale: 'de'});"
        "const card = stripe.elements().create('card'); window.said = null;"
        "card.on('change', (event) => { window.said = event.error && event.error.message; });"
        "card.mount('#card'); window.pay = () => stripe.confirmCardPayment(secret, {payment_method: {card}});"
    )
    constants = (
        f"const key = {json.dumps(site.twin.publishable_key)}, secret = {json.dumps(intent.client_secret)};"
    )
    page.goto(site.shop.page("/karte", BODY, constants + script, head=site.stripe_js))
    frame = page.frame_locator('iframe[name^="__privateStripeFrame"]')
    number = frame.get_by_label("Kredit- oder Debitkartennummer")
    expect(number).to_have_attribute("placeholder", "Kartennummer")
    expect(frame.locator("[name=exp-date]")).to_have_attribute("placeholder", "MM / JJ")
    number.press_sequentially("4000002500003156")
    page.wait_for_function("window.said === 'Ihre Kartennummer ist ungültig.'")
    number.fill("")
    type_card(frame, "4000002500003155")
    page.evaluate("void window.pay()")
    bank = page.frame_locator("iframe[src*='three-ds-2-challenge']").frame_locator("iframe#challengeFrame")
    expect(bank.get_by_role("heading")).to_have_text("Bestätigen Sie bei Ihrer Bank")
    expect(bank.get_by_text("12,00 €")).to_be_visible()
    bank.get_by_role("button", name="Abschließen").click()
    expect(page.locator("iframe[src*='three-ds-2-challenge']")).to_have_count(0)
    assert site.client.v1.payment_intents.retrieve(intent.id).status == "succeeded"


def test_the_page_of_a_redirect_speaks_the_language_of_the_checkout(site: Site, page: Page) -> None:
    data = {"currency": "eur", "unit_amount": 1500, "product_data": {"name": "Kartoffeln"}}
    found = site.client.v1.payment_method_configurations.list().data[0]
    on: Any = {"bancontact": {"display_preference": {"preference": "on"}}}
    site.client.v1.payment_method_configurations.update(found.id, on)
    page.goto(create(site, locale="fr", line_items=[{"price_data": data, "quantity": 1}]).url)
    page.locator("#email").fill("ada@example.test")
    page.get_by_test_id("bancontact-accordion-item").click()
    page.get_by_label("Nom complet").fill("Ada Lovelace")
    page.locator(PAY).click()
    title = "Confirmez auprès de votre prestataire de paiement"
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    page.get_by_role("button", name="Autoriser le paiement de test").click()
    page.wait_for_url("**/ok*")


def test_how_to_pay_later_is_told_in_the_language_of_the_checkout(site: Site, page: Page) -> None:
    data = {"currency": "eur", "unit_amount": 1500, "product_data": {"name": "Patatas"}}
    found = site.client.v1.payment_method_configurations.list().data[0]
    on: Any = {"multibanco": {"display_preference": {"preference": "on"}}}
    site.client.v1.payment_method_configurations.update(found.id, on)
    page.goto(create(site, locale="es", line_items=[{"price_data": data, "quantity": 1}]).url)
    page.locator("#email").fill("ada@example.test")
    page.get_by_test_id("multibanco-accordion-item").click()
    page.locator(PAY).click()
    told = page.frame_locator("iframe[src*='payment-instructions']")
    expect(told.get_by_role("heading", name="Cómo pagar")).to_be_visible()
    told.get_by_role("button", name="Cerrar").click()
    page.wait_for_url("**/ok*")
