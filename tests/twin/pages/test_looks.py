"""Every configuration of `looks` opens without an error and fits its window; its picture is kept for people to look at.

Pictures go to `build/looks` (or the folder that `TRIALBALANCE_LOOKS` names), which continuous integration keeps.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.twin.pages.looks import LOOKS, Look, shown

FOLDER = Path(os.environ.get("TRIALBALANCE_LOOKS") or Path(__file__).parents[3] / "build" / "looks")
DOCS = Path(__file__).parents[3] / "docs" / "pages.md"


def test_there_are_enough_and_all_are_described() -> None:
    described = DOCS.read_text()
    assert len(LOOKS) >= 24
    assert [look.name for look in LOOKS if f"`{look.name}`" not in described] == []


@pytest.mark.browser
@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.name)
def test_a_page_looks_right(chromium: Browser, look: Look) -> None:
    with shown(chromium, look) as (page, problems):
        FOLDER.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(FOLDER / f"{look.name}.png"), full_page=True, animations="disabled")
        assert not problems
        assert page.evaluate("document.documentElement.scrollWidth") <= look.size[0]
        assert page.locator("h1").count() == 1 or not look.ready
