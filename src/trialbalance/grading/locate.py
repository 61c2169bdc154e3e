"""Find a control by what a person sees, in the page and in all its frames."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from playwright.sync_api import Error, Frame, Locator, Page

_INTERVAL = 0.05
_FIELD_ROLES: tuple[Any, ...] = ("textbox", "searchbox", "spinbutton", "combobox")

Finder = Callable[[Frame], list[Locator]]


def by_role(role: Any, name: str | re.Pattern[str]) -> Finder:
    """A control by its role and accessible name: the exact name first, then a part of it."""

    def find(frame: Frame) -> list[Locator]:
        if isinstance(name, re.Pattern):
            return [frame.get_by_role(role, name=name)]
        return [frame.get_by_role(role, name=name, exact=True), frame.get_by_role(role, name=name)]

    return find


def field(name: str | re.Pattern[str]) -> Finder:
    """Something to type into, by its label, accessible name or placeholder."""

    def find(frame: Frame) -> list[Locator]:
        exact = [] if isinstance(name, re.Pattern) else [frame.get_by_label(name, exact=True)]
        roles = [frame.get_by_role(role, name=name) for role in _FIELD_ROLES]
        return [*exact, *roles, frame.get_by_label(name), frame.get_by_placeholder(name)]

    return find


def css(*selectors: str) -> Finder:
    """Controls by CSS selectors, in order of preference."""
    return lambda frame: [frame.locator(selector) for selector in selectors]


def visible(page: Page, finders: Sequence[Finder]) -> Iterator[Locator]:
    """Everything visible that the finders find now, in order of preference, then of frames."""
    for finder in finders:
        for frame in page.frames:
            try:
                for locator in finder(frame):
                    for index in range(min(locator.count(), 20)):
                        one = locator.nth(index)
                        if one.is_visible():
                            yield one
            except Error:
                continue  # a frame that went away while it was being looked at


def first(page: Page, finders: Sequence[Finder]) -> Locator | None:
    """The first visible thing, or None."""
    return next(visible(page, finders), None)


def wait_for(page: Page, finders: Sequence[Finder], seconds: float) -> Locator | None:
    """The first visible thing as soon as there is one, or None at the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        found = first(page, finders)
        if found is not None or time.monotonic() > deadline:
            return found
        page.wait_for_timeout(_INTERVAL * 1000)


def visible_text(page: Page) -> str:
    """What a person can read, in the page and in its visible frames."""
    parts = []
    for frame in page.frames:
        try:
            if frame.parent_frame is not None and not frame.frame_element().is_visible():
                continue
            parts.append(frame.locator("body").inner_text(timeout=2000))
        except Error:
            continue
    return "\n".join(parts)
