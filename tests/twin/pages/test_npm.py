"""The unmodified npm packages `@stripe/stripe-js` and `@stripe/react-stripe-js`, in React's strict mode.

Those of today with React 19, and those of November 2023 with React 18.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.twin.pages.bundle import ROOT, bundle, installed
from tests.twin.pages.site import CARD, Site, serve_as_stripe

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not installed(), reason="npm packages are not installed (npm ci)"),
]

OLD = (
    ("@stripe/react-stripe-js", "react-stripe-js-2023"),
    ("@stripe/stripe-js", "stripe-js-2023-11"),
    ("react", "react-18"),
    ("react-dom", "react-dom-18"),
)
"""Packages and the folders of their releases of November 2023."""
AGES = pytest.mark.parametrize(
    "aliases",
    [
        pytest.param((), id="today"),
        pytest.param(
            OLD,
            id="2023",
            marks=pytest.mark.skipif(
                not all((ROOT / folder).is_dir() for _, folder in OLD),
                reason="npm packages are not installed (npm ci)",
            ),
        ),
    ],
)
VERSIONS = {(): "19", OLD: "18.2.0"}
"""How React's version starts, by age."""

Aliases = tuple[tuple[str, str], ...]

ITEM = {
    "price_data": {"currency": "usd", "unit_amount": 1500, "product_data": {"name": "Seed potatoes"}},
    "quantity": 1,
}
HEAD = """
const React = require('react'); const {createRoot} = require('react-dom/client');
const {loadStripe} = require('@stripe/stripe-js'); const kit = require('@stripe/react-stripe-js');
const stripePromise = loadStripe(pk); const h = React.createElement;
const show = (node) => createRoot(document.getElementById('app')).render(h(React.StrictMode, null, node));
"""


@pytest.fixture
def react(chromium: Browser, tmp_path: Path) -> Iterator[tuple[Site, Page]]:
    """A twin under Stripe's names and a page with React and Stripe's packages."""
    with serve_as_stripe(tmp_path) as (site, arguments):
        browser = chromium.browser_type.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", *arguments]
        )
        page = browser.new_context(ignore_https_errors=True, locale="en-US").new_page()
        page.set_default_timeout(20_000)
        problems: list[str] = []
        page.on(
            "console",
            lambda m: (
                problems.append(f"{m.text} {m.location['url']}") if m.type in ("error", "warning") else None
            ),
        )
        page.on("pageerror", lambda error: problems.append(str(error)))
        yield site, page
        browser.close()
        assert not problems


def show(site: Site, page: Page, script: str, *packages: str, aliases: Aliases = (), **values: Any) -> None:
    code = bundle(
        "react",
        "react-dom/client",
        "@stripe/stripe-js",
        "@stripe/react-stripe-js",
        *packages,
        aliases=aliases,
    )
    constants = {"pk": site.twin.publishable_key, **values}
    before = "".join(f"const {name} = {json.dumps(value)};" for name, value in constants.items())
    site.shop.scripts["/bundle.js"] = code
    page.goto(
        site.shop.page(
            "/react",
            '<div id="app"></div>',
            before + HEAD + script,
            head='<script src="/bundle.js"></script>',
        )
    )
    assert page.evaluate("React.version").startswith(VERSIONS[aliases])


@AGES
def test_elements_in_react(react: tuple[Site, Page], aliases: Aliases) -> None:
    site, page = react
    intent = site.client.v1.payment_intents.create({"amount": 900, "currency": "usd"})
    show(
        site,
        page,
        """
        const Form = () => {
          const stripe = kit.useStripe(); const elements = kit.useElements(); const [text, setText] = React.useState('');
          const pay = async (event) => { event.preventDefault();
            const result = await stripe.confirmPayment({elements, redirect: 'if_required'});
            setText(result.error ? result.error.message : result.paymentIntent.status); };
          return h('form', {onSubmit: pay}, h(kit.PaymentElement, {onReady: () => { window.isReady = true; }}),
            h('button', {disabled: !stripe}, 'Pay'), h('p', {id: 'out'}, text));
        };
        show(h(kit.Elements, {stripe: stripePromise, options: {clientSecret: secret}}, h(Form)));
        """,
        aliases=aliases,
        secret=intent.client_secret,
    )
    frame = page.frame_locator('iframe[title="Secure payment input frame"]')
    frame.locator("[name=number]").fill(CARD)
    frame.locator("[name=expiry]").fill("1234")
    frame.locator("[name=cvc]").fill("123")
    frame.locator("[name=postalCode]").fill("94110")
    page.get_by_role("button", name="Pay").click()
    expect(page.locator("#out")).to_have_text("succeeded")
    assert page.evaluate("window.isReady") is True
    assert page.locator('iframe[title="Secure payment input frame"]').count() == 1
    assert site.client.v1.payment_intents.retrieve(intent.id).amount_received == 900


@AGES
def test_the_card_element_in_react(react: tuple[Site, Page], aliases: Aliases) -> None:
    site, page = react
    intent = site.client.v1.payment_intents.create({"amount": 700, "currency": "usd"})
    show(
        site,
        page,
        """
        const Form = () => {
          const stripe = kit.useStripe(); const elements = kit.useElements(); const [text, setText] = React.useState('');
          const save = async () => {
            const card = elements.getElement(kit.CardElement);
            const {paymentMethod} = await stripe.createPaymentMethod({type: 'card', card});
            setText(paymentMethod.card.last4); };
          const pay = async () => {
            const card = elements.getElement(kit.CardElement);
            const {paymentIntent} = await stripe.confirmCardPayment(secret, {payment_method: {card}});
            setText(paymentIntent.status); };
          return h('div', null, h(kit.CardElement), h('button', {onClick: save}, 'Save'),
            h('button', {onClick: pay}, 'Pay'), h('p', {id: 'out'}, text));
        };
        show(h(kit.Elements, {stripe: stripePromise}, h(Form)));
        """,
        aliases=aliases,
        secret=intent.client_secret,
    )
    frame = page.frame_locator('iframe[name^="__privateStripeFrame"]')
    for name, value in (("cardnumber", CARD), ("exp-date", "1234"), ("cvc", "123"), ("postal", "94110")):
        frame.locator(f"[name={name}]").fill(value)
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#out")).to_have_text("4242")
    page.get_by_role("button", name="Pay").click()
    expect(page.locator("#out")).to_have_text("succeeded")
    assert site.client.v1.payment_intents.retrieve(intent.id).amount_received == 700


@AGES
def test_embedded_checkout_in_react(react: tuple[Site, Page], aliases: Aliases) -> None:
    """Since 2024 the provider may fetch the client secret itself; before, it had to be given."""
    site, page = react
    session = site.client.v1.checkout.sessions.create(
        {
            "mode": "payment",
            "ui_mode": "embedded_page",
            "redirect_on_completion": "never",
            "line_items": [ITEM],  # type: ignore[list-item]
        }
    )
    show(
        site,
        page,
        """
        const App = () => { const [done, setDone] = React.useState(false);
          const options = React.useMemo(() => ({...(old ? {clientSecret: secret} :
            {fetchClientSecret: async () => secret}), onComplete: () => setDone(true)}), []);
          if (done) return h('h1', null, 'Thank you');
          return h(kit.EmbeddedCheckoutProvider, {stripe: stripePromise, options}, h(kit.EmbeddedCheckout)); };
        show(h(App));
        """,
        aliases=aliases,
        old=bool(aliases),
        secret=session.client_secret,
    )
    frame = page.frame_locator('iframe[name="embedded-checkout"]')
    frame.locator("#email").fill("ada@example.test")
    frame.locator("#cardNumber").fill(CARD)
    frame.locator("#cardExpiry").fill("12 / 34")
    frame.locator("#cardCvc").fill("123")
    frame.locator("#billingName").fill("Ada")
    frame.locator("#billingPostalCode").fill("94110")
    frame.get_by_test_id("hosted-payment-submit-button").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert page.locator('iframe[name="embedded-checkout"]').count() == 0
    assert site.client.v1.checkout.sessions.retrieve(session.id).payment_status == "paid"


def test_checkout_hooks_in_react(react: tuple[Site, Page]) -> None:
    site, page = react
    session = site.client.v1.checkout.sessions.create(
        {
            "mode": "payment",
            "ui_mode": "elements",
            "return_url": f"{site.shop.url}/done",
            "line_items": [ITEM],  # type: ignore[list-item]
        }
    )
    show(
        site,
        page,
        """
        const checkout = require('@stripe/react-stripe-js/checkout');
        const Pay = () => { const state = checkout.useCheckoutElements(); const [text, setText] = React.useState('');
          if (state.type === 'loading') return h('p', null, 'Loading');
          if (state.type === 'error') return h('p', null, state.error.message);
          const session = state.checkout;
          const go = async () => { await session.updateEmail('ada@example.test');
            const result = await session.confirm({redirect: 'if_required'}); setText(result.type); };
          return h('div', null, h('p', {id: 'total'}, session.total.total.amount), h(checkout.PaymentElement),
            h('button', {onClick: go}, 'Pay'), h('p', {id: 'out'}, text)); };
        show(h(checkout.CheckoutElementsProvider, {stripe: stripePromise, options: {clientSecret: secret}}, h(Pay)));
        """,
        "@stripe/react-stripe-js/checkout",
        secret=session.client_secret,
    )
    expect(page.locator("#total")).to_have_text("$15.00")
    frame = page.frame_locator('iframe[title="Secure payment input frame"]')
    for name, value in (("number", CARD), ("expiry", "1234"), ("cvc", "123"), ("postalCode", "94110")):
        frame.locator(f"[name={name}]").fill(value)
    page.get_by_role("button", name="Pay").click()
    expect(page.locator("#out")).to_have_text("success")
    assert site.client.v1.checkout.sessions.retrieve(session.id).payment_status == "paid"


def test_a_second_embedded_page_must_wait_for_the_first_to_go(react: tuple[Site, Page]) -> None:
    site, page = react
    session = site.client.v1.checkout.sessions.create(
        {
            "mode": "payment",
            "ui_mode": "embedded_page",
            "redirect_on_completion": "never",
            "line_items": [ITEM],  # type: ignore[list-item]
        }
    )
    show(
        site,
        page,
        "window.wait = stripePromise.then((s) => { window.stripe = s; });",
        secret=session.client_secret,
    )
    page.evaluate("window.wait")
    page.evaluate("stripe.initEmbeddedCheckout({clientSecret: secret}).then((c) => { window.one = c; })")
    again = "stripe.initEmbeddedCheckout({clientSecret: secret}).then(() => 'made', (e) => e.name + ': ' + e.message)"
    assert page.evaluate(again) == "IntegrationError: You cannot have multiple Embedded Checkout objects."
    page.evaluate("window.one.destroy()")
    page.evaluate("stripe.createEmbeddedCheckoutPage({clientSecret: secret}).then((c) => c.mount('#app'))")
    expect(page.frame_locator('iframe[name="embedded-checkout"]').locator("#email")).to_be_visible()
    assert page.locator('iframe[name="embedded-checkout"]').count() == 1
