"""The browser shows pages as trees with refs, acts by ref, and survives what pages do."""

import asyncio
import re
import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from tests.tools.apart import run_apart
from tests.tools.site import Site
from trialbalance.tools import ToolFailure
from trialbalance.tools.browser import Browser

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)"),
]
Visit = Callable[[Browser], Awaitable[None]]


def visit(story: Visit) -> None:
    """Run a story with a browser of its own."""

    async def run() -> None:
        browser = Browser(lambda: Path(CHROMIUM or ""))
        try:
            await story(browser)
        finally:
            await browser.close()

    run_apart(run)


def ref(page: str, element: str) -> str:
    """The ref of an element in a snapshot."""
    found = re.search(re.escape(element) + r"[^\n]*?\[ref=(\w+)\]", page)
    assert found is not None, page
    return found.group(1)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


def test_a_frame_of_another_origin_is_seen_and_filled(site: Site) -> None:
    async def story(browser: Browser) -> None:
        page = await browser.navigate(site.url)
        assert page.startswith(f"Opened {site.url}.\n\nPage: {site.url}\nTitle: Shop\nSnapshot:\n```yaml\n")
        card = ref(page, 'textbox "Card number"')
        assert re.fullmatch(r"f\d+e\d+", card)
        after = await browser.type(card, "4242")
        assert "Got 4242" in after and 'textbox "Card number"' in after

    visit(story)


def test_an_action_answers_with_the_page_after_what_it_set_off(site: Site) -> None:
    async def story(browser: Browser) -> None:
        page = await browser.navigate(site.url)
        site.release.clear()
        asyncio.get_running_loop().call_later(0.4, site.release.set)
        assert "Paid" in await browser.click(ref(page, 'button "Pay"'))
        after = await browser.click(ref(page, 'link "Second"'))
        assert "Title: Second" in after and 'heading "Second page"' in after
        assert "Title: Shop" in await browser.back()

    visit(story)


def test_keyboard_lists_and_fields(site: Site) -> None:
    async def story(browser: Browser) -> None:
        page = await browser.navigate(site.url)
        chosen = await browser.select(ref(page, 'combobox "Size"'), ["Large"])
        assert chosen.startswith("Chose l in") and 'option "Large" [selected]' in chosen
        typed = await browser.type(ref(page, 'textbox "Name"'), "Ada", submit=True, slowly=True)
        assert 'textbox "Name" [active]' in typed and ": Ada" in typed and "A d a Enter" in typed
        assert "Tab" in await browser.press("Tab")
        assert (await browser.snapshot(ref(page, 'combobox "Size"'))).count("ref=") == 1

    visit(story)


def test_dialogs_new_tabs_and_errors_of_the_page_are_told(site: Site) -> None:
    async def story(browser: Browser) -> None:
        assert await browser.console() == "The browser has not been used yet."
        page = await browser.navigate(site.url)
        assert "The page asked (alert): 'Sure?'; it was accepted." in await browser.click(ref(page, '"Ask"'))
        broken = await browser.click(ref(page, 'button "Break"'))
        assert "Console: 2 errors; browser_console shows them." in broken
        assert await browser.console() == "[error] bad news\n[uncaught] boom"
        opened = await browser.click(ref(page, 'button "Open"'))
        assert "A new tab was opened and is shown now." in opened and "Title: Second" in opened
        assert f"Tab 1: {site.url}\nTab 2 (shown): {site.url}second" in opened
        assert "Title: Shop" in await browser.tabs("select", 1)
        assert "Title: Shop" in await browser.tabs("close", 2)
        assert "Tab 2 (shown): about:blank" in await browser.tabs("new", None)
        assert "Title: Shop" in await browser.tabs("close", None)
        with pytest.raises(ToolFailure, match="there is no tab 7; tabs are 1 to 1"):
            await browser.tabs("select", 7)
        assert "Page: about:blank" in await browser.tabs("close", None)  # the last tab leaves an empty one

    visit(story)


def test_waiting_for_text_in_any_frame(site: Site) -> None:
    async def story(browser: Browser) -> None:
        page = await browser.navigate(site.url)
        await browser.type(ref(page, 'textbox "Card number"'), "99")
        assert "'Got 99' is there." in await browser.wait_for("Got 99", None, None)
        assert "'Nowhere' is gone." in await browser.wait_for(None, "Nowhere", None)
        assert "Waited 0.1 s." in await browser.wait_for(None, None, 0.1)
        for wishes in ((None, None, None), ("a", "b", None)):
            with pytest.raises(ToolFailure, match="exactly one of text, text_gone and seconds"):
                await browser.wait_for(*wishes)
        with pytest.raises(ToolFailure, match="at most 60 seconds"):
            await browser.wait_for(None, None, 61)

    visit(story)


def test_text_that_never_comes_is_told_with_the_page(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialbalance.tools.browser._WAIT_SECONDS", 0.3)

    async def story(browser: Browser) -> None:
        await browser.navigate(site.url)
        with pytest.raises(ToolFailure, match=r"'Never' is not there after 0.3 s\n\nPage: "):
            await browser.wait_for("Never", None, None)

    visit(story)


def test_pictures_are_png_and_values_are_json(site: Site) -> None:
    async def story(browser: Browser) -> None:
        page = await browser.navigate(site.url)
        whole = await browser.screenshot(full_page=True)
        part = await browser.screenshot(ref(page, 'button "Pay"'))
        assert whole.png.startswith(b"\x89PNG") and part.png.startswith(b"\x89PNG")
        assert len(part.png) < len(whole.png)
        assert (await browser.evaluate("() => ({title: document.title})")).startswith(
            'Value: {"title": "Shop"}\n'
        )
        with pytest.raises(ToolFailure, match="SyntaxError"):
            await browser.evaluate("nope(")
        with pytest.raises(ToolFailure, match="no element has the ref 'e999'"):
            await browser.screenshot("e999")

    visit(story)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:9/", "ERR_CONNECTION_REFUSED|ERR_UNSAFE_PORT"),
        ("file:///etc/passwd", "only http and https addresses"),
        ("chrome://version", "only http and https addresses"),
    ],
)
def test_addresses_that_cannot_be_opened(url: str, said: str) -> None:
    async def story(browser: Browser) -> None:
        with pytest.raises(ToolFailure, match=said):
            await browser.navigate(url)

    visit(story)


def test_an_old_ref_is_explained(site: Site) -> None:
    async def story(browser: Browser) -> None:
        page = await browser.navigate(site.url)
        old = ref(page, 'button "Pay"')
        await browser.navigate(f"{site.url}second")
        with pytest.raises(ToolFailure, match="look at the newest snapshot"):
            await browser.click(old)

    visit(story)


def test_a_crashed_browser_is_started_again(site: Site) -> None:
    async def story(browser: Browser) -> None:
        await browser.navigate(site.url)
        assert browser._chromium is not None
        await browser._chromium.close()
        page = await browser.navigate(site.url)
        assert "The browser had crashed; this is a fresh one" in page and "Title: Shop" in page

    visit(story)


def test_a_browser_that_does_not_start_is_explained(tmp_path: Path) -> None:
    async def run() -> None:
        browser = Browser(lambda: tmp_path / "none")
        with pytest.raises(ToolFailure, match=r"the browser does not start: .*none"):
            await browser.snapshot()
        assert await browser.close() == "The browser was not open."

    run_apart(run)
