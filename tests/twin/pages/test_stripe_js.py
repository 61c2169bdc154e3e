"""Stripe.js as a whole: every method the npm packages know, keys, wrong use, and loaders of 2023 to today."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.twin.pages.bundle import ROOT, bundle
from tests.twin.pages.site import CARD, Site, serve_as_stripe
from tests.twin.pages.test_card_element import call

pytestmark = pytest.mark.browser
PACKAGES = {"stripe-js-2023": "v3", "stripe-js-2024": "v3", "@stripe/stripe-js": "endive"}
"""npm packages, oldest first, and the script that each loads."""
METHOD = re.compile(r"^  ([a-zA-Z]\w*)\s*(?:\(|: \()", re.MULTILINE)
installed = pytest.mark.skipif(
    not all((ROOT / name).is_dir() for name in PACKAGES), reason="npm packages are not installed (npm ci)"
)


def declared(package: str) -> set[str]:
    """Methods of the `Stripe` interface as a package types it."""
    folder = ROOT / package
    files = [
        *folder.glob("dist/stripe-js/stripe.d.ts"),
        *folder.glob("dist/index.d.ts"),
        *folder.rglob("stripe.d.ts"),
    ]
    for file in files:
        text = file.read_text()
        start = text.find("export interface Stripe {")
        if start >= 0:
            return set(METHOD.findall(text[start : text.index("\n}", start)]))
    raise AssertionError(f"{package} declares no Stripe interface")


@installed
@pytest.mark.parametrize("package", PACKAGES)
def test_every_declared_method_is_there(site: Site, page: Page, package: str) -> None:
    names = declared(package)
    assert len(names) > 60
    script = "v3/" if PACKAGES[package] == "v3" else f"{PACKAGES[package]}/stripe.js"
    head = f'<script src="{site.url}/{script}"></script>'
    page.goto(site.shop.page("/all", "", site.script(""), head=head))
    missing = page.evaluate(
        "names => names.filter((name) => typeof stripe[name] !== 'function')", sorted(names)
    )
    assert missing == []


def test_what_is_not_built_says_so(site: Site, page: Page) -> None:
    page.goto(site.shop.page("/none", "", site.script(""), head=site.stripe_js))
    rejected = call(page, "stripe.verifyIdentity('vs_1_secret_2')")["rejected"]
    assert (
        rejected
        == "IntegrationError: stripe.verifyIdentity() belongs to Identity, which is not built in this twin."
    )


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("sk_test_123", "You should not use your secret key with Stripe.js."),
        ("rk_test_123", "You should not use your secret key with Stripe.js."),
        ("pk_live_123", "Live keys are refused"),
        ("", "Missing value for Stripe()"),
        (7, "apiKey should be a string"),
    ],
)
def test_wrong_keys_are_refused_loudly(site: Site, page: Page, key: object, message: str) -> None:
    page.goto(site.shop.page("/key", "", "", head=site.stripe_js))
    told = page.evaluate(
        "key => { try { Stripe(key); return 'made'; } catch (e) { return `${e.name}: ${e.message}`; } }", key
    )
    assert told.startswith("IntegrationError: ") and message in told
    assert not site.requests("/v1/")


WRONG = {
    "elements.create('crad')": "A valid Element name must be provided.",
    "elements.create('payment')": "must pass a clientSecret or mode",
    "elements.create('address', {mode: 'home'})": "mode should be 'shipping' or 'billing'",
    "elements.create('card').mount('#nowhere')": "applies to no DOM elements",
    "stripe.elements({mode: 'payment', amount: 1.5, currency: 'usd'})": "amount should be a whole number",
    "stripe.elements({clientSecret: 'pi_1'})": "clientSecret should be a client secret",
    "stripe.confirmCardPayment('pi_123')": "value should be a client secret of a PaymentIntent",
    "stripe.confirmPayment()": "options should be an object",
    "stripe.redirectToCheckout({lineItems: []})": "needs a sessionId",
    "stripe.retrieveSetupIntent('pi_1_secret_2')": "SetupIntent",
}


@pytest.mark.parametrize("code", WRONG)
def test_wrong_use_is_a_typed_error(site: Site, page: Page, code: str) -> None:
    page.goto(
        site.shop.page("/wrong", "", site.script("const elements = stripe.elements();"), head=site.stripe_js)
    )
    told = page.evaluate(
        f"(async () => {{ try {{ await {code}; return 'done'; }} catch (e) {{ return `${{e.name}}: ${{e.message}}`; }} }})()"
    )
    assert told.startswith("IntegrationError: ") and WRONG[code] in told
    assert not site.requests("/v1/")


@installed
@pytest.mark.parametrize("package", PACKAGES)
def test_loaders_of_every_year_pay(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory, package: str
) -> None:
    with serve_as_stripe(tmp_path_factory.mktemp("names")) as (site, arguments):
        browser = chromium.browser_type.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", *arguments]
        )
        page = browser.new_context(ignore_https_errors=True, locale="en-US").new_page()
        page.set_default_timeout(20_000)
        intent = site.client.v1.payment_intents.create({"amount": 900, "currency": "usd"})
        values = {"pk": site.twin.publishable_key, "secret": intent.client_secret, "name": package}
        constants = "".join(f"const {name} = {json.dumps(value)};" for name, value in values.items())
        site.shop.scripts["/bundle.js"] = bundle(package)
        script = constants + (
            "window.ready = require(name).loadStripe(pk).then((stripe) => { window.stripe = stripe;"
            "const elements = stripe.elements(); window.card = elements.create('card'); window.card.mount('#card'); });"
        )
        page.goto(
            site.shop.page(
                "/load", '<div id="card"></div>', script, head='<script src="/bundle.js"></script>'
            )
        )
        page.evaluate("window.ready")
        loaded = page.evaluate(
            "[...document.scripts].map((s) => s.src).find((s) => s.includes('js.stripe.com'))"
        )
        assert (f"/{PACKAGES[package]}" in loaded) or "/v3" in loaded
        frame = page.frame_locator('iframe[name^="__privateStripeFrame"]')
        for name, value in (("cardnumber", CARD), ("exp-date", "1234"), ("cvc", "123"), ("postal", "94110")):
            frame.locator(f"[name={name}]").fill(value)
        expect(frame.locator("[name=postal]")).to_have_value("94110")
        pay = "stripe.confirmCardPayment(secret, {payment_method: {card: window.card}}).then((r) => r.paymentIntent.status)"
        assert page.evaluate(pay) == "succeeded"
        browser.close()
