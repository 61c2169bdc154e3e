"""Difficulties beside Checkout: invoices, the portal, the elements. A naive script fails, a careful one gets through."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Error, FrameLocator, Page, expect

from tests.twin.pages.site import CARD, Site
from tests.twin.pages.test_adversity import told
from tests.twin.pages.test_card_element import mount
from tests.twin.pages.test_hosted_pages import invoice, portal, subscribed
from tests.twin.pages.test_payment_element import intent, open_element
from trialbalance.twin.pages.adversity import CARD as CARD_FRAME
from trialbalance.twin.pages.adversity import KINDS, PAYMENT, Adversity

browser = pytest.mark.browser
EXPRESS = "elements-inner-express-checkout"
SOON = 5_000
DELAY = 0.4
BILLING = {
    "[name=cardNumber]": CARD,
    "[name=cardExpiry]": "12 / 34",
    "[name=cardCvc]": "123",
    "[name=billingName]": "Ada Lovelace",
    "[name=billingPostalCode]": "94110",
}
PAYMENT_FIELDS = {"[name=number]": CARD, "[name=expiry]": "12 / 34", "[name=cvc]": "123",
                  "[name=postalCode]": "94110"}  # fmt: skip
CARD_FIELDS = {"[name=cardnumber]": CARD, "[name=exp-date]": "12 / 34", "[name=cvc]": "123",
               "[name=postal]": "94110"}  # fmt: skip


class Scene(NamedTuple):
    """Where a customer stands: the form, its fields, how to press, whether it is done, and whether money moved."""

    form: Page | FrameLocator
    fields: dict[str, str]
    press: Callable[[], None]
    done: Callable[[], bool]
    paid: Callable[[], bool]


def an_invoice(site: Site, page: Page) -> Scene:
    made = invoice(site)
    page.goto(made.hosted_invoice_url)
    return Scene(
        page,
        BILLING,
        lambda: page.get_by_test_id("hosted-invoice-pay-button").click(timeout=SOON),
        lambda: page.get_by_test_id("invoice-status").filter(has_text="Paid").is_visible(),
        lambda: site.client.v1.invoices.retrieve(made.id).status == "paid",
    )


def a_portal(site: Site, page: Page) -> Scene:
    customer, _, prices = subscribed(site)
    page.goto(portal(site, customer, prices, flow_data={"type": "payment_method_update"}).url)
    return Scene(
        page,
        BILLING,
        lambda: page.get_by_test_id("confirm").click(timeout=SOON),
        lambda: page.get_by_test_id("subscriptions").is_visible(),
        lambda: len(site.client.v1.payment_methods.list({"customer": customer.id}).data) == 2,
    )


def a_payment_element(site: Site, page: Page) -> Scene:
    made = intent(site)
    script = (
        "const button = document.createElement('button'); button.type = 'button'; button.id = 'pay';"
        "button.textContent = 'Pay'; document.body.append(button);"
        "button.onclick = async () => { const { error } = await elements.submit(); if (error) return;"
        "const result = await stripe.confirmPayment({elements, redirect: 'if_required'});"
        "if (result.paymentIntent) document.title = result.paymentIntent.status; };"
    )
    form = open_element(site, page, {"clientSecret": made.client_secret}, script=script)
    return Scene(
        form,
        PAYMENT_FIELDS,
        lambda: page.locator("#pay").click(timeout=SOON),
        lambda: page.title() == "succeeded",
        lambda: site.client.v1.payment_intents.retrieve(made.id).status == "succeeded",
    )


def a_card_element(site: Site, page: Page) -> Scene:
    made = intent(site)
    script = (
        "document.querySelector('#form').onsubmit = async (event) => { event.preventDefault();"
        "const result = await stripe.confirmCardPayment(secret, {payment_method: {card}});"
        "if (result.paymentIntent) document.title = result.paymentIntent.status; };"
    )
    form = mount(site, page, script, secret=made.client_secret)
    return Scene(
        form,
        CARD_FIELDS,
        lambda: page.get_by_role("button", name="Pay").click(timeout=SOON),
        lambda: page.title() == "succeeded",
        lambda: site.client.v1.payment_intents.retrieve(made.id).status == "succeeded",
    )


SCENES: dict[str, Callable[[Site, Page], Scene]] = {
    "invoice": an_invoice,
    "portal": a_portal,
    PAYMENT: a_payment_element,
    CARD_FRAME: a_card_element,
}
CASES = [
    pytest.param(name, kind, marks=[pytest.mark.slow] if name == "portal" else [], id=f"{name}-{kind}")
    for name in SCENES
    for kind, pages in KINDS.items()
    if pages and name in pages and (name, kind) != (PAYMENT, "missed_click")
]


def naive(scene: Scene) -> None:
    """Type every field once, in order, press once, and trust that it worked."""
    scene.form.locator(next(iter(scene.fields))).wait_for()
    for selector, value in scene.fields.items():
        scene.form.locator(selector).click(timeout=SOON)
        scene.form.locator(selector).press_sequentially(value, timeout=SOON)
    scene.press()


def careful(page: Page, scene: Scene) -> None:
    """Look before every step, as a person does."""
    page.set_default_timeout(2_000)
    for _ in range(60):
        with contextlib.suppress(Error):  # what was there a moment ago may be gone: look again
            if scene.done():
                return
            step(scene)
        page.wait_for_timeout(150)
    raise AssertionError("a careful customer did not get through")


def step(scene: Scene) -> None:
    """One thing that a person would do now."""
    dismiss = scene.form.get_by_role("button", name="Not now")
    reload = scene.form.get_by_role("button", name="Refresh")
    if dismiss.is_visible():
        dismiss.click()
    elif reload.is_visible():
        reload.click()
        scene.form.locator(next(iter(scene.fields))).wait_for()
    elif not fill_missing(scene):
        scene.press()


def fill_missing(scene: Scene) -> bool:
    """Click and type into the first field that does not hold what it should."""
    for selector, value in scene.fields.items():
        field = scene.form.locator(selector)
        if field.input_value().replace(" ", "") != value.replace(" ", ""):
            field.click()
            field.press("Control+a")
            field.press_sequentially(value)
            field.press("Tab")
            return True
    return False


def arrived(site: Site, page: Page, event: str, kind: str) -> None:
    """Wait until the journal has heard of it, once and of nothing else."""
    for _ in range(200):
        if told(site, event):
            break
        page.wait_for_timeout(25)
    assert told(site, event) == [kind]


@browser
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_naive_script_fails(site: Site, page: Page, name: str, kind: str) -> None:
    site.twin.adversity.set([{"adversity": kind, "page": name, "delay": 60}])
    scene = SCENES[name](site, page)
    if kind == "intercepting_modal":
        with pytest.raises(Error):
            naive(scene)
    else:
        naive(scene)
    arrived(site, page, "adversity", kind)
    assert told(site, "adversity_recovered") == []
    assert not scene.paid()


@browser
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_careful_one_gets_through(site: Site, page: Page, name: str, kind: str) -> None:
    site.twin.adversity.set([{"adversity": kind, "page": name, "delay": DELAY}])
    scene = SCENES[name](site, page)
    careful(page, scene)
    assert scene.paid()
    arrived(site, page, "adversity_recovered", kind)
    assert told(site, "adversity") == [kind]


@browser
def test_a_click_on_a_payment_method_misses(site: Site, page: Page) -> None:
    found = site.client.v1.payment_method_configurations.list().data[0]
    on: Any = {"bancontact": {"display_preference": {"preference": "on"}}}
    site.client.v1.payment_method_configurations.update(found.id, on)
    site.twin.adversity.set([{"adversity": "missed_click", "page": PAYMENT}])
    made = intent(site, currency="eur", automatic_payment_methods={"enabled": True})
    frame = open_element(site, page, {"clientSecret": made.client_secret})
    tab = frame.get_by_role("tab", name="Bancontact")
    tab.click()
    arrived(site, page, "adversity", "missed_click")
    expect(tab).to_have_attribute("aria-selected", "false")
    tab.click()
    expect(tab).to_have_attribute("aria-selected", "true")
    arrived(site, page, "adversity_recovered", "missed_click")


@browser
def test_a_click_on_express_checkout_misses(site: Site, page: Page) -> None:
    site.twin.adversity.set([{"adversity": "missed_click", "page": EXPRESS}])
    made = intent(site)
    script = (
        "window.clicks = []; const express = elements.create('expressCheckout');"
        "express.on('click', (e) => { clicks.push(e.expressPaymentType); e.resolve(); });"
        "express.on('confirm', async () => { await elements.submit();"
        "const result = await stripe.confirmPayment({elements, clientSecret: secret, redirect: 'if_required'});"
        "if (result.paymentIntent) document.title = result.paymentIntent.status; });"
        "express.mount('#email');"
    )
    settings = {"mode": "payment", "amount": made.amount, "currency": made.currency}
    open_element(site, page, settings, script=script, secret=made.client_secret)
    button = page.frame_locator('iframe[title="Secure payment button frame"]').get_by_test_id(
        "google_pay-button"
    )
    pay = page.frame_locator('iframe[title="Test wallet"]').get_by_test_id("wallet-pay")
    button.click()
    arrived(site, page, "adversity", "missed_click")
    assert page.evaluate("clicks") == [], "a script that clicks once has not opened the wallet"
    expect(pay).to_have_count(0)
    button.click()
    arrived(site, page, "adversity_recovered", "missed_click")
    pay.click()
    expect(page).to_have_title("succeeded")
    assert page.evaluate("clicks") == ["google_pay"]
    assert site.client.v1.payment_intents.retrieve(made.id).status == "succeeded"


@browser
def test_a_dialog_comes_with_the_portal_s_first_view(site: Site, page: Page) -> None:
    site.twin.adversity.set([{"adversity": "intercepting_modal", "page": "portal"}])
    customer, subscription, prices = subscribed(site)
    page.goto(portal(site, customer, prices).url)
    page.get_by_role("button", name="Cancel subscription").click()
    with pytest.raises(Error):
        page.get_by_test_id("confirm").click(timeout=800)
    page.get_by_role("button", name="Not now").click()
    page.get_by_test_id("confirm").click()
    expect(page.get_by_text("Ends on")).to_be_visible()
    assert site.client.v1.subscriptions.retrieve(subscription.id).cancel_at_period_end


@pytest.mark.parametrize(
    ("kind", "page"),
    [
        ("expired_session", PAYMENT),
        ("intercepting_modal", CARD_FRAME),
        ("rerender", CARD_FRAME),
        ("missed_click", CARD_FRAME),
        ("late_validation", "ui-layer"),
        ("slow_frame", "portal"),
        ("slow_frame", "nonsense"),
        ("focus_lost", "receipt"),
    ],
)
def test_what_makes_no_sense_somewhere_is_refused_by_name(kind: str, page: str) -> None:
    adversity = Adversity(1)
    with pytest.raises(ValueError, match=rf"{kind} strikes .*, not '{page}'"):
        adversity.set([{"adversity": kind, "page": page}])
