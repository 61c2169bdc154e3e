"""The languages of the pages: the same keys and the same blanks as English, and a page in each."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.twin.pages.site import Site
from tests.twin.pages.test_checkout_page import PAY, create
from trialbalance.twin.pages.assets import STATIC

ENTRY = re.compile(r"(\w+): (?:'([^']*)'|\"([^\"]*)\")")
BLANK = re.compile(r"\{\w+\}")
LANGUAGES = ("de", "fr")


def words(language: str) -> dict[str, str]:
    """The table of a language."""
    text = (STATIC / "ui/words" / f"{language}.js").read_text("utf-8")
    return {key: one or other for key, one, other in ENTRY.findall(text)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_fills_the_blanks_of_english(language: str) -> None:
    english, table = words("en"), words(language)
    assert len(table) > 120
    assert set(table) <= set(english)
    for key, text in table.items():
        assert sorted(BLANK.findall(text)) == sorted(BLANK.findall(english[key])), key


@pytest.mark.browser
@pytest.mark.parametrize(
    ("locale", "button", "total"),
    [("de", "Zahlen", "30,00"), ("fr", "Payer", "30,00"), ("fr-CA", "Payer", "30,00"), ("ja", "Pay", "$30.00")],
)
def test_the_page_speaks_the_sessions_language(
    site: Site, page: Page, locale: str, button: str, total: str
) -> None:
    page.goto(create(site, locale=locale).url)
    expect(page.locator(PAY)).to_have_text(button)
    expect(page.get_by_test_id("amount-due")).to_contain_text(total)


@pytest.mark.browser
def test_a_card_is_saved_where_no_currency_is_known(site: Site, page: Page) -> None:
    session = site.client.v1.checkout.sessions.create(
        {"mode": "setup", "payment_method_types": ["card"], "success_url": f"{site.shop.url}/ok"},
        {"stripe_version": "2026-03-25.dahlia"},
    )
    page.goto(str(session.url))
    expect(page.locator(PAY)).to_have_text("Save card")
