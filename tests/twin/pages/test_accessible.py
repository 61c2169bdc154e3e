"""axe-core finds no serious or critical violation on any page of the twin, in any of its states.

Each case opens one page in one configuration; every document of the twin on it, framed or not, is examined.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.twin.pages.bundle import ROOT
from tests.twin.pages.connect import embed, layer, over, pay, seller, session
from tests.twin.pages.site import CARD, Site
from tests.twin.pages.test_checkout_page import PAY, create, fill
from tests.twin.pages.test_checkout_page import embed as embed_checkout
from tests.twin.pages.test_cross_sells_and_upsells import Catalog
from tests.twin.pages.test_hosted_pages import invoice, portal, subscribed
from tests.twin.pages.test_portal_features import configure, visit
from trialbalance.twin.billing import dashboard

AXE = ROOT / "axe-core" / "axe.min.js"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed (npm ci)"),
]
Case = Callable[[Site, Page], Any]
CASES: dict[str, Case] = {}
NARROW, DARK = {"viewport": {"width": 320, "height": 640}}, {"color_scheme": "dark"}


def case(name: str) -> Callable[[Case], Case]:
    """Register what opens one configuration."""

    def register(found: Case) -> Case:
        CASES[name] = found
        return found

    return register


@cache
def axe() -> str:
    return AXE.read_text()


def violations(page: Page, site: Site) -> list[str]:
    """What axe-core calls serious or critical in the twin's own documents."""
    found = []
    for frame in page.frames:
        if not frame.url.startswith(site.url):
            continue
        frame.evaluate(axe())
        told = frame.evaluate(
            "axe.run(document, {resultTypes: ['violations'], iframes: false}).then((r) => r.violations)"
        )
        found += [
            f"{frame.url.split('?')[0][len(site.url) : 60]} {rule['id']} ({rule['impact']}): {node['html'][:200]}"
            for rule in told
            if rule["impact"] in ("serious", "critical")
            for node in rule["nodes"]
        ]
    return found


EVERYTHING: dict[str, Any] = {
    "allow_promotion_codes": True,
    "billing_address_collection": "required",
    "consent_collection": {"promotions": "auto", "terms_of_service": "required"},
    "custom_fields": [
        {"key": "note", "label": {"type": "custom", "custom": "Note"}, "type": "text", "optional": True},
        {
            "key": "size",
            "label": {"type": "custom", "custom": "Size"},
            "type": "dropdown",
            "dropdown": {"options": [{"label": "Small", "value": "s"}, {"label": "Large", "value": "l"}]},
        },
    ],
    "custom_text": {"submit": {"message": "We ship on Fridays."}},
    "line_items": [
        {
            "price_data": {"currency": "usd", "unit_amount": 1500, "product_data": {"name": "Seed potatoes"}},
            "quantity": 2,
            "adjustable_quantity": {"enabled": True},
        }
    ],
    "phone_number_collection": {"enabled": True},
    "shipping_address_collection": {"allowed_countries": ["US", "DE", "JP"]},
    "shipping_options": [
        {
            "shipping_rate_data": {
                "display_name": name,
                "type": "fixed_amount",
                "fixed_amount": {"amount": amount, "currency": "usd"},
            }
        }
        for name, amount in (("Post", 0), ("Courier", 1200))
    ],
    "tax_id_collection": {"enabled": True},
}
MONTHLY = {
    "price_data": {
        "currency": "eur",
        "unit_amount": 900,
        "product_data": {"name": "Seed box"},
        "recurring": {"interval": "month"},
    },
    "quantity": 1,
}


def opened(site: Site, page: Page, **params: Any) -> Any:
    """The hosted page of a new session, ready."""
    made = create(site, **params)
    page.goto(made.url)
    page.locator(PAY).wait_for()
    return made


@case("checkout")
def _checkout(site: Site, page: Page) -> None:
    opened(site, page)


@case("checkout, everything asked")
def _everything(site: Site, page: Page) -> None:
    opened(site, page, **EVERYTHING)


@case("checkout, everything wrong")
def _wrong(site: Site, page: Page) -> None:
    opened(site, page, **EVERYTHING)
    page.locator(PAY).click()
    page.locator('[aria-invalid="true"]').first.wait_for()


@case("checkout, a wrong promotion code")
def _promotion(site: Site, page: Page) -> None:
    opened(site, page, allow_promotion_codes=True)
    page.get_by_test_id("promotion-code-open").click()
    page.locator("#promotionCode").fill("NOPE")
    page.get_by_test_id("promotion-code-apply").click()
    page.locator("#promotionCode-error").wait_for()


@case("checkout, declined")
def _declined(site: Site, page: Page) -> None:
    opened(site, page)
    fill(page, "4000000000000002")
    page.locator(PAY).click()
    page.get_by_test_id("form-error").wait_for()


@case("checkout, 3-D Secure")
def _challenge(site: Site, page: Page) -> None:
    opened(site, page)
    fill(page, "4000002760003184")
    page.locator(PAY).click()
    outer = page.frame_locator("iframe[name*=__privateStripeFrame][src*=three-ds]")
    outer.frame_locator("iframe#challengeFrame").get_by_role("button", name="Complete").wait_for()


@case("checkout, Link")
def _link(site: Site, page: Page) -> None:
    opened(site, page)
    page.locator("#email").fill("ada+link@example.test")
    page.locator("#email").blur()
    page.get_by_text("Enter the code").wait_for()


@case("checkout, subscription with a trial")
def _trial(site: Site, page: Page) -> None:
    opened(site, page, mode="subscription", line_items=[MONTHLY], subscription_data={"trial_period_days": 14})


@case("checkout, setup")
def _setup(site: Site, page: Page) -> None:
    opened(site, page, mode="setup", line_items=None, currency="usd")


@case("checkout, many methods")
def _methods(site: Site, page: Page) -> None:
    item = {
        "price_data": {"currency": "eur", "unit_amount": 1500, "product_data": {"name": "Bulbs"}},
        "quantity": 1,
    }
    opened(site, page, line_items=[item], locale="de")


@case("checkout, in Japanese")
def _japanese(site: Site, page: Page) -> None:
    opened(site, page, **EVERYTHING, locale="ja")


@case("checkout, dark and yellow by its merchant")
def _branded(site: Site, page: Page) -> None:
    colours = {"background_color": "#101820", "button_color": "#fee715", "border_style": "pill"}
    opened(site, page, branding_settings=colours, allow_promotion_codes=True)


@case("checkout, white buttons by its merchant")
def _white(site: Site, page: Page) -> None:
    opened(site, page, branding_settings={"background_color": "#ffffff", "button_color": "#ffffff"})


@case("checkout, expired")
def _expired(site: Site, page: Page) -> None:
    made = create(site)
    site.client.v1.checkout.sessions.expire(made.id)
    page.goto(made.url)
    page.get_by_test_id("state-expired").wait_for()


@case("checkout, embedded")
def _embedded(site: Site, page: Page) -> None:
    _, address = embed_checkout(site)
    page.goto(address)
    page.frame_locator('iframe[name="embedded-checkout"]').locator(PAY).wait_for()


@case("a page that is away")
def _away(site: Site, page: Page) -> None:
    method = {"payment_method_data": {"type": "ideal"}, "allowed_payment_method_types": ["ideal"]}
    made = site.client.v1.payment_intents.create(
        {"amount": 900, "currency": "eur", "confirm": True, "return_url": "https://shop.example", **method}  # type: ignore[typeddict-item]
    )
    assert made.next_action is not None and made.next_action.redirect_to_url is not None
    page.goto(str(made.next_action.redirect_to_url.url))
    page.get_by_role("button").first.wait_for()


def elements(site: Site, page: Page, script: str, ready: str, **values: Any) -> None:
    """A page of a shop with elements; `ready` is what must be there in one of the frames."""
    divs = "".join(f'<div id="{name}"></div>' for name in ("one", "two", "three", "four"))
    page.goto(site.shop.page("/elements", divs, site.script(script, **values), head=site.stripe_js))
    for _ in range(300):
        if any(f.locator(ready).count() for f in page.frames if f.url.startswith(site.url)):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"no frame shows {ready}")


def payment_element(site: Site, page: Page, **options: Any) -> None:
    layout = options.pop("layout", None)
    intent = site.client.v1.payment_intents.create({"amount": 2599, "currency": "eur"})
    elements(
        site,
        page,
        "const group = stripe.elements({clientSecret: secret, ...options});"
        "const payment = group.create('payment', layout ? {layout} : {}); payment.mount('#one');",
        "[name=number], [data-testid=card], [data-value=card]",
        secret=intent.client_secret,
        options=options,
        layout=layout,
    )


@case("payment element")
def _payment_element(site: Site, page: Page) -> None:
    payment_element(site, page)


@case("payment element, flat")
def _flat(site: Site, page: Page) -> None:
    payment_element(site, page, appearance={"theme": "flat"})


@case("payment element, night")
def _night(site: Site, page: Page) -> None:
    payment_element(site, page, appearance={"theme": "night"})
    for frame in page.frames:  # a shop that asks for the night is dark itself, which frames let through
        frame.evaluate("document.documentElement.style.background = '#10161a'")


@case("payment element, accordion")
def _accordion(site: Site, page: Page) -> None:
    payment_element(site, page, layout={"type": "accordion"})


@case("card element")
def _card(site: Site, page: Page) -> None:
    elements(site, page, "stripe.elements().create('card').mount('#one');", "[name=cardnumber]")


@case("split card elements and IBAN")
def _split(site: Site, page: Page) -> None:
    script = """const group = stripe.elements();
      group.create('cardNumber').mount('#one'); group.create('cardExpiry').mount('#two');
      group.create('cardCvc').mount('#three');
      group.create('iban', {supportedCountries: ['SEPA']}).mount('#four');"""
    elements(site, page, script, "[name=iban]")


@case("address, link and express elements")
def _address(site: Site, page: Page) -> None:
    script = """const group = stripe.elements({mode: 'payment', amount: 900, currency: 'usd'});
      group.create('linkAuthentication').mount('#one'); group.create('address', {mode: 'shipping'}).mount('#two');
      group.create('expressCheckout').mount('#three');"""
    elements(site, page, script, "[name=addressLine1]")


@case("invoice")
def _invoice(site: Site, page: Page) -> None:
    page.goto(invoice(site).hosted_invoice_url)
    page.get_by_role("button").first.wait_for()


@case("portal")
def _portal(site: Site, page: Page) -> None:
    customer, _, prices = subscribed(site)
    page.goto(portal(site, customer, prices).url)
    page.get_by_role("heading").first.wait_for()


@case("portal, canceling")
def _canceling(site: Site, page: Page) -> None:
    _portal(site, page)
    page.get_by_role("button", name="Cancel subscription").click()
    page.get_by_label("It costs too much").wait_for()


@case("portal, a new card")
def _new_card(site: Site, page: Page) -> None:
    _portal(site, page)
    page.get_by_role("button", name="Add payment method").click()
    page.get_by_test_id("add-method").wait_for()


@case("portal, pausing")
def _pausing(site: Site, page: Page) -> None:
    customer, _, _ = subscribed(site)
    page.goto(visit(site, customer, configure(site, subscription_pause=None)).url)
    page.get_by_role("button", name="Pause subscription").click()
    page.get_by_label("1 month").wait_for()


@case("portal, details and a tax number")
def _details(site: Site, page: Page) -> None:
    customer, _, _ = subscribed(site)
    rules = {"allowed_updates": ["address", "email", "name", "phone", "shipping", "tax_id"]}
    page.goto(visit(site, customer, configure(site, customer_update=rules)).url)
    page.get_by_role("button", name="Update information").click()
    page.locator("[name=taxId]").wait_for()


@case("portal, logging in")
def _logging_in(site: Site, page: Page) -> None:
    made = site.client.v1.billing_portal.configurations.create(
        {"features": {"invoice_history": {"enabled": True}}, "login_page": {"enabled": True}}
    )
    page.goto(str(made.login_page.url))
    page.get_by_test_id("confirm").click()
    expect(page.get_by_label("Email")).to_be_focused()


@case("checkout, a cross-sell and an upsell")
def _offers(site: Site, page: Page) -> None:
    catalog = Catalog(site.client)
    dashboard.write(
        site.twin,
        {"upsells": {catalog.monthly: catalog.yearly}, "cross_sells": {catalog.box: catalog.setup}},
    )
    opened(site, page, mode="subscription", line_items=catalog.line())
    page.get_by_role("switch").wait_for()


@case("payment link")
def _payment_link(site: Site, page: Page) -> None:
    price = site.client.v1.prices.create(
        {"currency": "usd", "unit_amount": 900, "product_data": {"name": "Rake"}}
    )
    link = site.client.v1.payment_links.create({"line_items": [{"price": price.id, "quantity": 1}]})
    page.goto(link.url)
    page.locator(PAY).wait_for()


@case("receipt")
def _receipt(site: Site, page: Page) -> None:
    intent = {"amount": 900, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    methods = {"automatic_payment_methods": {"enabled": True, "allow_redirects": "never"}}
    site.client.v1.payment_intents.create({**intent, **methods})  # type: ignore[typeddict-item]
    page.goto(str(site.client.v1.charges.list().data[0].receipt_url))
    page.get_by_role("heading").first.wait_for()


@case("hosted onboarding")
def _hosted_onboarding(site: Site, page: Page) -> None:
    account = site.client.v1.accounts.create({"type": "express"})
    link = {"account": account.id, "type": "account_onboarding"}
    urls = {"refresh_url": "https://shop.example/again", "return_url": "https://shop.example/back"}
    page.goto(site.client.v1.account_links.create({**link, **urls}).url)  # type: ignore[typeddict-item]


@case("connect: payments")
def _payments(site: Site, page: Page) -> None:
    account = seller(site)
    for number in range(11):
        pay(site, account, 1000 + number)
    pay(site, account, 7700, "pm_card_createDispute")
    embed(site, page, "put(connect.create('payments'));", [session(site, account)])
    layer(page, "payments").get_by_role("button", name="Next").wait_for()


@case("connect: payment over the page")
def _payment(site: Site, page: Page) -> None:
    _payments(site, page)
    layer(page, "payments").get_by_role("row").nth(2).click()
    over(page, "payments").get_by_role("button", name="Refund").click()
    over(page, "payments").get_by_label("Reason").wait_for()


@case("connect: payouts and account")
def _payouts(site: Site, page: Page) -> None:
    account = seller(site)
    pay(site, account, 9000, "pm_card_bypassPending")
    names = ("payouts", "account-management", "disputes-list", "documents", "payouts-list")
    script = f"for (const name of {json.dumps(names)}) put(connect.create(name));"
    embed(site, page, script, [session(site, account)])
    for name in names:
        expect(layer(page, name).locator('.component[data-state="ready"]')).to_be_visible()


@case("connect: onboarding")
def _onboarding(site: Site, page: Page) -> None:
    account = site.client.v1.accounts.create({"type": "express", "country": "US"})
    script = "put(connect.create('notification-banner')); put(connect.create('account-onboarding'));"
    embed(site, page, script, [session(site, account)])
    frame = layer(page, "account-onboarding")
    frame.get_by_role("button", name="Add information").click()
    for _ in range(2):
        frame.get_by_role("button", name="Continue").click()
    frame.get_by_label("First name").wait_for()


def examine(chromium: Browser, site: Site, name: str, **look: Any) -> None:
    """Open a case in a browser of some look, and fail with what axe-core found."""
    context = chromium.new_context(**{"locale": "en-US", "viewport": {"width": 1280, "height": 900}, **look})
    context.set_default_timeout(20_000)
    page = context.new_page()
    try:
        CASES[name](site, page)
        assert violations(page, site) == []
    finally:
        context.close()


@pytest.mark.parametrize("name", CASES)
def test_nothing_serious(chromium: Browser, site: Site, name: str) -> None:
    examine(chromium, site, name)


@pytest.mark.parametrize("look", [NARROW, DARK], ids=["narrow", "dark"])
@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith(("card", "split"))])
@pytest.mark.slow
def test_nothing_serious_in_another_look(
    chromium: Browser, site: Site, name: str, look: dict[str, Any]
) -> None:
    examine(chromium, site, name, **look)


def test_axe_would_find_it(chromium: Browser, site: Site) -> None:
    """The examination itself: a page of the twin that is made worse fails."""
    page = chromium.new_page()
    opened(site, page)
    page.evaluate("document.querySelector('label[for=cardNumber]').remove()")
    page.evaluate("document.querySelector('#cardNumber').removeAttribute('placeholder')")
    assert any("#" not in text and "label" in text for text in violations(page, site)), CARD[:4]
    page.close()
