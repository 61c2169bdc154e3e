"""Every page tells the journal what its customer did: that it was opened, edited, refused, sent, and what came of it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.twin.pages.site import CARD, Site
from tests.twin.pages.test_card_element import call, mount, type_card
from tests.twin.pages.test_checkout_page import PAY, create, fill
from tests.twin.pages.test_hosted_pages import fill as fill_invoice
from tests.twin.pages.test_hosted_pages import invoice, portal, subscribed
from tests.twin.pages.test_payment_element import fill as fill_element
from tests.twin.pages.test_payment_element import intent, open_element

pytestmark = pytest.mark.browser
DECLINED = "4000000000000002"


def told(site: Site, page: str, session: str | None) -> list[str]:
    """The events of one page and session, repeats of edits left out."""
    names: list[str] = []
    for entry in list(site.twin.journal.entries):
        same = entry["kind"] == "page" and entry["page"] == page and entry["session"] == session
        if same and not (entry["event"] == "edit" and names[-1:] == ["edit"]):
            names.append(entry["event"])
    return names


def settled(site: Site, page: Page, name: str, session: str | None, last: str) -> list[str]:
    """The events, once the last one is there."""
    for _ in range(200):
        if told(site, name, session)[-1:] == [last]:
            break
        page.wait_for_timeout(25)
    return told(site, name, session)


def secrets_stay(site: Site, *numbers: str) -> None:
    """No card number is in the journal, however it was sent."""
    text = str(list(site.twin.journal.entries))
    assert not [number for number in numbers if number in text or number[:12] in text]


def test_checkout(site: Site, page: Page) -> None:
    page.expected_errors.append("402")  # type: ignore[attr-defined]
    session = create(site)
    page.goto(session.url)
    page.locator(PAY).click()
    fill(page, DECLINED)
    page.locator(PAY).click()
    expect(page.get_by_test_id("form-error")).to_be_visible()
    page.locator("#cardNumber").fill(CARD)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    assert told(site, "checkout", session.id) == [
        "document", "load", "validation", "edit", "submit", "refused", "edit", "submit", "complete",
    ]  # fmt: skip
    secrets_stay(site, CARD, DECLINED)


def test_the_payment_element(site: Site, page: Page) -> None:
    page.expected_errors.append("402")  # type: ignore[attr-defined]
    made = intent(site)
    frame = open_element(site, page, {"clientSecret": made.client_secret})
    confirm = "stripe.confirmPayment({elements, redirect: 'if_required'})"
    fill_element(frame, "4242424242424241")
    assert call(page, confirm)["error"]["code"] == "invalid_number"
    fill_element(frame, DECLINED)
    assert call(page, confirm)["error"]["code"] == "card_declined"
    fill_element(frame)
    assert call(page, confirm)["paymentIntent"]["status"] == "succeeded"
    seen = settled(site, page, "elements", made.id, "complete")
    assert [event for event in seen if event != "edit"] == [
        "load", "validation", "submit", "refused", "submit", "complete",
    ]  # fmt: skip
    assert "edit" in seen
    mine: list[dict[str, Any]] = [
        e for e in site.twin.journal.entries if e["kind"] == "page" and e["session"] == made.id
    ]
    assert {entry["embedder"] for entry in mine} == {site.shop.url}
    secrets_stay(site, CARD, DECLINED)


def test_the_card_element(site: Site, page: Page) -> None:
    made = intent(site)
    frame = mount(site, page, secret=made.client_secret)
    confirm = "stripe.confirmCardPayment(secret, {payment_method: {card}})"
    assert call(page, confirm)["error"]["code"] == "incomplete_number"
    type_card(frame)
    assert call(page, confirm)["paymentIntent"]["status"] == "succeeded"
    assert settled(site, page, "elements", made.id, "complete") == ["submit", "complete"]
    assert told(site, "elements", None)[:3] == ["load", "validation", "edit"]
    secrets_stay(site, CARD)


def test_the_invoice(site: Site, page: Page) -> None:
    made = invoice(site)
    page.goto(made.hosted_invoice_url)
    page.get_by_test_id("hosted-invoice-pay-button").click()
    fill_invoice(page)
    page.get_by_test_id("hosted-invoice-pay-button").click()
    expect(page.get_by_test_id("invoice-status")).to_have_text("Paid")
    assert told(site, "invoice", made.id) == ["document", "load", "validation", "edit", "submit", "complete"]
    secrets_stay(site, CARD)


def test_the_portal(site: Site, page: Page) -> None:
    customer, _, prices = subscribed(site)
    session = portal(site, customer, prices)
    page.goto(session.url)
    page.get_by_role("heading").first.wait_for()
    assert settled(site, page, "portal", session.id, "load") == ["document", "load"]


def test_plain_pages(site: Site) -> None:
    account = site.client.v1.accounts.create({"type": "express", "country": "US"})
    link = site.client.v1.account_links.create(
        {
            "account": account.id,
            "type": "account_onboarding",
            "refresh_url": "https://shop.example/again",
            "return_url": "https://shop.example/back",
        }
    )
    came = {"Referer": "https://shop.example/sell?secret=1"}
    with httpx.Client(trust_env=False) as browser:
        browser.get(link.url, headers=came)
        browser.post(link.url, data={"first_name": "Ada"}, headers=came)
    assert told(site, "onboarding", account.id) == ["document", "submit", "complete"]
    assert {e["referrer"] for e in site.twin.journal.entries if e["kind"] == "page"} == {
        "https://shop.example"
    }
