"""The Checkout page speaks thirteen languages and writes amounts as they do, in currencies of 0, 2 and 3 decimals."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.twin.pages.site import Site
from tests.twin.pages.test_checkout_page import PAY, create, fill
from trialbalance.twin.pages.assets import STATIC

LANGUAGES = ["da", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "sv", "zh"]
SAME_EVERYWHERE = {
    "bankCode", "blikCode", "branchCode", "bsb", "cvc", "iban", "institution", "routing", "sortCode", "suffix", "transit",
    "zip",
}  # fmt: skip
"""Names of one country's banks and codes, which are not translated."""


def words(language: str) -> dict[str, str]:
    """A language's table: plain `key: 'text'` pairs, read as they are written."""
    text = (STATIC / "ui" / "words" / f"{language}.js").read_text()
    pairs = re.findall(r"(\w+): (?:'((?:[^'\\]|\\.)*)'|\"([^\"]*)\"),", text)
    return {key: (single or double).replace("\\'", "'") for key, single, double in pairs}


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_every_language_says_everything_with_the_same_values(language: str) -> None:
    english, other = words("en"), words(language)
    assert len(english) > 200
    assert english.keys() - other.keys() == SAME_EVERYWHERE
    assert not other.keys() - english.keys()
    values = re.compile(r"\{(\w+)\}")
    assert {k: set(values.findall(v)) for k, v in other.items()} == {
        k: set(values.findall(v)) for k, v in english.items() if k in other
    }
    assert all(text.strip() for text in other.values())


SEEN = {
    "da": ("Betal", "30,00 kr."), "de": ("Bezahlen", "30,00 €"), "en": ("Pay", "$30.00"), "es": ("Pagar", "30,00 €"),
    "fr": ("Payer", "30,00 €"), "it": ("Paga", "30,00 €"), "ja": ("支払う", "￥3,000"), "ko": ("결제", "₩3,000"),
    "nl": ("Betalen", "€ 30,00"), "pl": ("Zapłać", "30,00 zł"), "pt": ("Pagar", "R$ 30,00"), "sv": ("Betala", "30,00 kr"),
    "zh": ("付款", "¥30.00"),
}  # fmt: skip
CURRENCIES = {
    "da": "dkk",
    "en": "usd",
    "ja": "jpy",
    "ko": "krw",
    "pl": "pln",
    "pt": "brl",
    "sv": "sek",
    "zh": "cny",
}


def item(currency: str, amount: int) -> list[dict[str, Any]]:
    data = {"currency": currency, "unit_amount": amount, "product_data": {"name": "Seed potatoes"}}
    return [{"price_data": data, "quantity": 1}]


@pytest.mark.browser
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_in_a_language(site: Site, page: Page, language: str) -> None:
    button, amount = SEEN[language]
    session = create(site, locale=language, line_items=item(CURRENCIES.get(language, "eur"), 3000))
    page.goto(session.url)
    expect(page.locator(PAY)).to_have_text(button)
    shown = page.get_by_test_id("amount-due").inner_text().replace("\u00a0", " ").replace("\u202f", " ")
    assert shown == amount
    expect(page.locator("html")).to_have_attribute("lang", language)
    english = [text for text in words("en").values() if len(text) > 12 and "{" not in text]
    if language != "en":
        body = page.locator("body").inner_text()
        assert not [text for text in english if text in body]


@pytest.mark.browser
def test_the_browser_decides_where_the_session_says_auto(site: Site, chromium: Browser) -> None:
    session = create(site, locale="auto")
    context = chromium.new_context(locale="fr-CA")
    page = context.new_page()
    page.goto(session.url)
    expect(page.locator(PAY)).to_have_text("Payer")
    context.close()


@pytest.mark.browser
def test_a_decline_is_told_in_the_pages_language(site: Site, page: Page) -> None:
    page.expected_errors.append("status of 402")  # type: ignore[attr-defined]
    page.goto(create(site, locale="de").url)
    fill_german(page)
    page.locator(PAY).click()
    expect(page.get_by_test_id("form-error")).to_have_text("Ihre Karte ist nicht ausreichend gedeckt.")


def fill_german(page: Page) -> None:
    page.locator("#email").fill("ada@example.test")
    page.locator("#cardNumber").fill("4000000000009995")
    page.locator("#cardExpiry").fill("12 / 34")
    page.locator("#cardCvc").fill("123")
    page.locator("#billingName").fill("Ada Lovelace")
    page.locator("#billingCountry").select_option("DE")


@pytest.mark.browser
@pytest.mark.parametrize(
    ("currency", "unit", "shown", "charged"),
    [("jpy", 1500, "¥1,500", 1500), ("usd", 1500, "$15.00", 1500), ("kwd", 1500, "KWD 1.500", 1500)],
)
def test_currencies_with_no_two_and_three_decimals(
    site: Site, page: Page, currency: str, unit: int, shown: str, charged: int
) -> None:
    session = create(site, line_items=item(currency, unit))
    page.goto(session.url)
    assert page.get_by_test_id("amount-due").inner_text().replace("\u00a0", " ") == shown
    fill(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    charge = site.client.v1.charges.list().data[0]
    assert (charge.amount, charge.currency) == (charged, currency)


def test_the_tables_are_scripts_that_a_browser_reads_alike() -> None:
    """What `words` reads is what JavaScript reads."""
    code = "import w from './de.js'; console.log(JSON.stringify(w))"
    made = subprocess.run(
        ["node", "--input-type=module", "-e", code],
        cwd=STATIC / "ui" / "words",
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(made.stdout) == words("de")
