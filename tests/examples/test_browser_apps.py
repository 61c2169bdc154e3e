"""The small web applications of `examples/`, each with its own server, driven in Chromium as their users would."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import stripe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.twin.payments.marketplace import details
from trialbalance.twin.process import TwinProcess

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
CARD = "4242424242424242"
Start = Callable[..., str]

pytestmark = pytest.mark.browser
needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not (ROOT / "node_modules/express").exists(),
    reason="node or its packages are missing; run scripts/bootstrap.sh",
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page whose console stays free of errors, but for the declined card and the icon that no example has."""
    page = chromium.new_page(locale="en-US")
    page.set_default_timeout(30_000)
    problems: list[str] = []
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    page.close()
    expected = ("status of 402", "status of 404")
    assert [text for text in problems if not any(part in text for part in expected)] == []


@pytest.fixture
def twin() -> Iterator[TwinProcess]:
    with TwinProcess.start(seed=9) as process:
        yield process


@pytest.fixture
def start(twin: TwinProcess) -> Iterator[Start]:
    """Start an example; answers its address."""
    running: list[subprocess.Popen[str]] = []

    def run(path: str, **more: str) -> str:
        given = {
            "PORT": "0",
            "STRIPE_API_BASE": twin.url,
            "STRIPE_JS_BASE": twin.url,
            "STRIPE_PUBLISHABLE_KEY": twin.publishable_key,
            "STRIPE_SECRET_KEY": twin.secret_key,
        }
        program = sys.executable if path.endswith(".py") else "node"
        process = subprocess.Popen(
            [program, str(EXAMPLES / path)],
            env={**os.environ, **given, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        running.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        opened = re.search(r"http://\S+", line)
        assert opened, line + (process.stdout.read() if process.poll() is not None else "")
        return opened[0]

    yield run
    for process in running:
        process.kill()
        process.communicate()


def client(twin: TwinProcess) -> stripe.StripeClient:
    return stripe.StripeClient(twin.secret_key, base_addresses={"api": twin.url})


def test_the_flask_shop_is_paid_by_its_own_page(twin: TwinProcess, start: Start, page: Page) -> None:
    shop = start("flask_vanilla/app.py")
    page.goto(shop)
    page.get_by_role("button", name="Buy beans for 4.50 EUR").click()
    frame = page.frame_locator('iframe[title="Secure payment input frame"]')
    card = frame.locator('[data-testid="card"]').or_(frame.locator("[name=number]")).first
    card.click()
    for name, value in (("number", "4000000000000002"), ("expiry", "1234"), ("cvc", "123")):
        frame.locator(f"[name={name}]").fill(value)
    frame.locator("[name=country]").select_option("DE")
    page.get_by_role("button", name="Pay now").click()
    expect(page.get_by_role("alert").filter(has_text="declined")).to_be_visible()
    frame.locator("[name=number]").fill(CARD)
    page.get_by_role("button", name="Pay now").click()
    page.wait_for_url("**/thanks?*")
    expect(page.locator("#status")).to_have_text("succeeded")
    for _ in range(200):
        orders = httpx.get(f"{shop}/orders", trust_env=False).json()
        if set(orders.values()) == {"paid"}:
            break
    assert list(orders.values()) == ["paid"]
    intent = client(twin).v1.payment_intents.retrieve(next(iter(orders)))
    assert (intent.amount, intent.status, intent.metadata["item"]) == (450, "succeeded", "beans")
    forged = httpx.post(f"{shop}/webhook", json={"type": "payment_intent.succeeded"}, trust_env=False)
    assert forged.status_code == 400


@needs_node
def test_the_react_desk_lets_only_the_owner_refund(twin: TwinProcess, start: Start, page: Page) -> None:
    api = client(twin)
    seller = api.v1.accounts.create(details())
    paid = api.v1.payment_intents.create(
        {
            "amount": 4200,
            "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
            "confirm": True,
            "currency": "usd",
            "payment_method": "pm_card_visa",
        },
        {"stripe_account": seller.id},
    )
    page.goto(start("express_react/server.mjs", SELLER_ACCOUNT=seller.id))
    rows = page.frame_locator('[data-testid="stripe-connect-ui-layer-stripe-connect-payments"]').get_by_role(
        "row"
    )
    sheet = page.frame_locator('[data-testid="stripe-connect-accessory-layer-stripe-connect-payments"]')
    page.get_by_role("button", name="Sign in as clerk").click()
    rows.nth(1).click()
    expect(sheet.get_by_role("heading", name="$42.00")).to_be_visible()
    expect(sheet.get_by_role("button", name="Refund")).to_have_count(0)
    sheet.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Sign in as owner").click()
    rows.nth(1).click()
    sheet.get_by_role("button", name="Refund").click()
    sheet.get_by_role("button", name="Refund").click()
    expect(sheet.locator(".status")).to_have_text("Refunded")
    options: Any = {"stripe_account": seller.id}
    charge = api.v1.charges.retrieve(str(paid.latest_charge), {}, options)
    assert charge.refunded


@needs_node
def test_the_vue_page_sells_a_subscription(twin: TwinProcess, start: Start, page: Page) -> None:
    page.goto(start("vue_checkout/server.mjs"))
    page.get_by_role("button", name="A small box").click()
    frame = page.frame_locator('iframe[name="embedded-checkout"]')
    expect(frame.get_by_test_id("amount-due")).to_have_text("€12.00")
    page.get_by_role("button", name="A large box").click()
    expect(frame.get_by_test_id("amount-due")).to_have_text("€21.00")
    for selector, value in (
        ("#email", "ada@example.test"),
        ("#cardNumber", CARD),
        ("#cardExpiry", "12 / 34"),
        ("#cardCvc", "123"),
        ("#billingName", "Ada"),
        ("#billingPostalCode", "94110"),
    ):
        frame.locator(selector).fill(value)
    frame.get_by_test_id("hosted-payment-submit-button").click()
    expect(page.locator("#result")).to_have_text("Your order is complete and paid.")
    bought = client(twin).v1.subscriptions.list().data
    assert [(found.status, found["items"].data[0].price.unit_amount) for found in bought] == [
        ("active", 2100)
    ]
