"""Fixtures for browser tests: Debian's Chromium, a served twin, and pages that must stay free of errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.twin.pages.site import Site, serve


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One headless Chromium for a module: Playwright holds the thread's loop while it runs, which others need."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def site() -> Iterator[Site]:
    """A fresh twin, seed 1, frozen at 2026-01-01, with a shop beside it."""
    with serve() as found:
        yield found


@pytest.fixture
def page(chromium: Browser, site: Site) -> Iterator[Page]:
    """A page of a fresh profile; console errors and uncaught exceptions fail the test.

    `page.expected_errors` lists parts of messages that a test provokes on purpose.
    """
    context = chromium.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
    context.set_default_timeout(20_000)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    expected: list[str] = []
    page.expected_errors = expected  # type: ignore[attr-defined]
    yield page
    context.close()
    left = [text for text in problems if not any(part in text for part in expected)]
    assert not left, f"the browser's console has errors: {left}"
