"""Each difficulty makes a naive script fail, and lets one pass that does what a person would do."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Error, FrameLocator, Page, expect

from tests.twin.pages.site import CARD, Site
from tests.twin.pages.test_card_element import mount
from tests.twin.pages.test_checkout_page import PAY, create, embed
from trialbalance.twin import Twin
from trialbalance.twin.control import ControlPlane
from trialbalance.twin.pages.adversity import KINDS, Adversity
from trialbalance.twin.pages.assets import STATIC

FIELDS = {
    "#email": "ada@example.test",
    "#cardNumber": CARD,
    "#cardExpiry": "12 / 34",
    "#cardCvc": "123",
    "#billingName": "Ada Lovelace",
    "#billingPostalCode": "94110",
}
SOON = 4_000
CHECKOUT = [kind for kind, pages in KINDS.items() if pages is not None and "checkout" in pages]
browser = pytest.mark.browser


def naive(form: Page | FrameLocator) -> None:
    """Type every field once, in order, press once, and trust that it worked."""
    for selector, value in FIELDS.items():
        form.locator(selector).click(timeout=SOON)
        form.locator(selector).press_sequentially(value, timeout=SOON)
    form.locator(PAY).click(timeout=SOON)


def careful(page: Page, done: Callable[[], bool]) -> None:
    """Look before every step: close what is in the way, load again when told to, fill in what is missing, press again."""
    page.set_default_timeout(3_000)
    for _ in range(60):
        if done():
            return
        with contextlib.suppress(Error):  # what was there a moment ago may be gone: look again
            step(page)
        page.wait_for_timeout(250)
    raise AssertionError("a careful customer did not get through")


def step(page: Page) -> None:
    """One thing that a person would do now."""
    reload, dismiss = page.get_by_role("button", name="Refresh"), page.get_by_role("button", name="Not now")
    if dismiss.is_visible():
        dismiss.click()
    elif reload.is_visible():
        reload.click()
        page.locator(PAY).wait_for()
    elif not fill_missing(page) and page.locator(f"{PAY}:enabled").count():
        page.locator(PAY).click()


def fill_missing(page: Page) -> bool:
    """Click and type into the first field that does not hold what it should."""
    for selector, value in FIELDS.items():
        field = page.locator(selector)
        if not field.is_visible():
            return False
        if field.input_value().replace(" ", "") != value.replace(" ", ""):
            field.click()
            field.press("Control+a")
            field.press_sequentially(value)
            field.press("Tab")
            return True
    return False


def told(site: Site, event: str) -> list[str]:
    """Kinds of the page events of a name, in the journal."""
    return [
        entry["detail"]["kind"]
        for entry in list(site.twin.journal.entries)
        if entry["kind"] == "page" and entry["event"] == event
    ]


@browser
@pytest.mark.parametrize("kind", CHECKOUT)
def test_a_naive_script_does_not_pay(site: Site, page: Page, kind: str) -> None:
    site.twin.adversity.set([{"adversity": kind}])
    session = create(site)
    page.goto(session.url)
    with pytest.raises(Error):
        naive(page)
        page.wait_for_url("**/ok*", timeout=SOON)
    assert site.client.v1.checkout.sessions.retrieve(session.id).payment_status == "unpaid"
    assert told(site, "adversity") == [kind]
    assert told(site, "adversity_recovered") == []


@browser
@pytest.mark.parametrize("kind", CHECKOUT)
def test_a_careful_one_pays(site: Site, page: Page, kind: str) -> None:
    site.twin.adversity.set([{"adversity": kind, "delay": 0.5}])
    session = create(site)
    page.goto(session.url)
    careful(page, lambda: "/ok" in page.url)
    assert site.client.v1.checkout.sessions.retrieve(session.id).payment_status == "paid"
    assert told(site, "adversity") == [kind]
    assert told(site, "adversity_recovered") == [kind]
    assert len(site.client.v1.payment_intents.list().data) == 1


@browser
def test_all_of_them_at_once_can_be_got_over(site: Site, page: Page) -> None:
    site.twin.adversity.set([{"adversity": kind, "delay": 0.5} for kind in CHECKOUT])
    session = create(site)
    page.goto(session.url)
    careful(page, lambda: "/ok" in page.url)
    assert site.client.v1.checkout.sessions.retrieve(session.id).payment_status == "paid"


@browser
def test_a_slow_frame_wants_patience(site: Site, page: Page) -> None:
    site.twin.adversity.set([{"adversity": "slow_frame", "page": "checkout", "delay": 2}])
    _, address = embed(site, redirect_on_completion="never", return_url=None)
    page.goto(address, wait_until="commit")
    frame = page.frame_locator('iframe[name="embedded-checkout"]')
    with pytest.raises(Error):
        frame.locator("#email").click(timeout=800)
    frame.locator("#email").click()
    expect(frame.locator("#email")).to_be_focused()
    page.wait_for_function("true")
    assert told(site, "adversity") == ["slow_frame"]
    for _ in range(100):
        if told(site, "adversity_recovered"):
            break
        page.wait_for_timeout(50)
    assert told(site, "adversity_recovered") == ["slow_frame"]


@browser
def test_the_card_element_loses_the_focus(site: Site, page: Page) -> None:
    site.twin.adversity.set([{"adversity": "focus_lost", "page": "elements-inner-card"}])
    frame = mount(site, page)
    number = frame.locator("[name=cardnumber]")
    number.press_sequentially(CARD)
    assert number.input_value().replace(" ", "") != CARD
    number.click()
    number.press("End")
    number.press_sequentially(CARD[len(number.input_value().replace(" ", "")) :])
    assert number.input_value().replace(" ", "") == CARD


@browser
def test_nothing_strikes_unless_asked(site: Site, page: Page) -> None:
    session = create(site)
    page.goto(session.url)
    naive(page)
    page.wait_for_url("**/ok*")
    assert told(site, "adversity") == []
    assert "adversity" not in page.content()


def test_the_control_plane_sets_rules_and_refuses_wrong_ones() -> None:
    twin = Twin(seed=3)
    plane = ControlPlane(twin, "token")
    headers = [(b"authorization", b"Bearer token")]
    scope: Any = {"method": "POST", "path": "/adversity", "headers": headers}
    good = b'{"rules": [{"adversity": "rerender", "probability": 0.5, "count": null}]}'
    assert plane._answer(scope, good) == (200, {"rules": 1})
    for wrong, word in (
        (b'{"rules": [{"adversity": "gremlins"}]}', "gremlins"),
        (b'{"rules": [{"adversity": "rerender", "often": 1}]}', "unknown often"),
        (b'{"rules": [{"adversity": "rerender", "page": "receipt"}]}', "receipt"),
        (b'{"rules": [{"adversity": "rerender", "count": 0}]}', "count"),
        (b'{"rules": [{"adversity": "rerender", "probability": 2}]}', "probability"),
    ):
        status, answer = plane._answer(scope, wrong)
        assert status == 400 and word in answer["error"]
    assert len(twin.adversity.rules) == 1
    assert [e["action"] for e in twin.journal.entries if e["kind"] == "control"] == ["adversity"]


def test_the_seed_decides() -> None:
    def run(seed: int) -> list[Any]:
        adversity = Adversity(seed)
        adversity.set([{"adversity": kind, "probability": 0.5, "count": None} for kind in KINDS])
        return [adversity.draw("checkout", framed=True) for _ in range(20)]

    assert run(1) == run(1) != run(2)
    struck = {item["kind"] for drawn in run(1) for item in drawn}
    assert struck == set(KINDS)


def test_rules_skip_and_run_out() -> None:
    adversity = Adversity(1)
    adversity.set([{"adversity": "missed_click", "skip": 1, "count": 2}])
    drawn = [bool(adversity.draw("checkout", framed=False)) for _ in range(5)]
    assert drawn == [False, True, True, False, False]
    assert adversity.draw("elements-inner-card", framed=True) == []


SAID = STATIC / "ui" / "difficulties.js"


def test_difficulties_speak_the_languages_of_the_pages() -> None:
    found = dict(re.findall(r"^  (\w\w): \{\n(.*?)^  \},", SAID.read_text("utf-8"), re.MULTILINE | re.DOTALL))
    tables = {language: dict(re.findall(r"(\w+): '(.+)',", text)) for language, text in found.items()}
    assert tables.keys() == {path.stem for path in (STATIC / "ui" / "words").glob("*.js")}
    assert {frozenset(table) for table in tables.values()} == {frozenset(tables["en"])}
    for language, table in tables.items():
        assert language == "en" or not set(table.values()) & set(tables["en"].values())


@browser
def test_a_german_customer_is_told_in_german(site: Site, page: Page) -> None:
    rules = [{"adversity": kind, "delay": 0.2} for kind in ("intercepting_modal", "late_validation")]
    site.twin.adversity.set(rules)
    page.goto(create(site, locale="de").url)
    page.locator("#email").fill(FIELDS["#email"])
    dialog = page.get_by_role("dialog", name="Neues zur Bestellung")
    dialog.get_by_role("button", name="Jetzt nicht").click()
    for selector, value in FIELDS.items():
        page.locator(selector).fill(value)
    page.locator(PAY).click()
    alert = page.get_by_test_id("adversity-late_validation")
    expect(alert).to_contain_text("Klicken Sie noch einmal auf die Schaltfläche.")
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
