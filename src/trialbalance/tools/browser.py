"""The agent's browser: Chromium in the sandbox's network, seen as a tree of roles, names and refs.

A page is shown as Playwright's accessibility snapshot, frames of other origins included. Every element that can
be acted on has a ref (`e12`, in a frame `f1e3`); refs are those of the newest snapshot.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.async_api import Browser as Chromium
from playwright.async_api import (
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Error,
    Locator,
    Page,
    Playwright,
    ViewportSize,
    async_playwright,
)

from trialbalance.tools.errors import ToolFailure
from trialbalance.tools.settle import Settling

ACTION_SECONDS = 10.0
NAVIGATION_SECONDS = 30.0
SNAPSHOT_LIMIT = 40_000
"""Characters of a snapshot that the agent sees."""

_CONSOLE_LIMIT = 200
_WAIT_SECONDS = 30.0
_VIEWPORT: ViewportSize = {"width": 1280, "height": 900}


class Screenshot(NamedTuple):
    """A picture of a page, as PNG."""

    png: bytes


class Browser:
    """One browser with its tabs, started at the first use. All of it runs in one event loop."""

    def __init__(self, executable: Callable[[], Path]) -> None:
        self._executable = executable
        self._lock = asyncio.Lock()
        self._driver: Playwright | None = None
        self._chromium: Chromium | None = None
        self._context: BrowserContext | None = None
        self._page: Page | None = None
        self._settling = Settling()
        self._notes: list[str] = []
        self._console: list[str] = []

    # What the agent can do; each answers with what the page looks like afterwards.

    async def navigate(self, url: str) -> str:
        """Open an address in the current tab."""
        address = url if re.match(r"[a-z]+://|about:|data:", url) else f"http://{url}"
        if not address.startswith(("http://", "https://", "about:", "data:")):
            raise ToolFailure(
                f"{url}: only http and https addresses are opened here; read files in the terminal"
            )

        async def go(page: Page) -> str:
            await page.goto(address, wait_until="domcontentloaded", timeout=NAVIGATION_SECONDS * 1000)
            return f"Opened {address}."

        return await self._act(go)

    async def back(self) -> str:
        """Go back in the tab's history."""

        async def go(page: Page) -> str:
            gone = await page.go_back(wait_until="domcontentloaded", timeout=NAVIGATION_SECONDS * 1000)
            return "Went back." if gone is not None else "There is no page to go back to."

        return await self._act(go)

    async def snapshot(self, target: str | None = None) -> str:
        """Look at the page, or at one element of it."""

        async def look(page: Page) -> str:
            return ""

        return await self._act(look, part=target)

    async def click(self, target: str, double: bool = False) -> str:
        """Click an element."""

        async def go(page: Page) -> str:
            element = await self._element(page, target)
            if double:
                await element.dblclick(timeout=ACTION_SECONDS * 1000)
            else:
                await element.click(timeout=ACTION_SECONDS * 1000)
            return f"Clicked {target}."

        return await self._act(go)

    async def type(self, target: str, text: str, submit: bool = False, slowly: bool = False) -> str:
        """Put text into a field, in place of what is there; `slowly` presses key after key."""

        async def go(page: Page) -> str:
            element = await self._element(page, target)
            if slowly:
                await element.clear(timeout=ACTION_SECONDS * 1000)
                await element.press_sequentially(text, timeout=ACTION_SECONDS * 1000 + 100 * len(text))
            else:
                await element.fill(text, timeout=ACTION_SECONDS * 1000)
            if submit:
                await element.press("Enter", timeout=ACTION_SECONDS * 1000)
            return f"Typed into {target}{' and pressed Enter' if submit else ''}."

        return await self._act(go)

    async def press(self, key: str) -> str:
        """Press a key, or keys together: `Enter`, `Tab`, `Control+a`."""

        async def go(page: Page) -> str:
            await page.keyboard.press(key)
            return f"Pressed {key}."

        return await self._act(go)

    async def select(self, target: str, values: list[str]) -> str:
        """Choose options of a list by value or by label."""

        async def go(page: Page) -> str:
            element = await self._element(page, target)
            chosen = await element.select_option(values, timeout=ACTION_SECONDS * 1000)
            return f"Chose {', '.join(chosen)} in {target}."

        return await self._act(go)

    async def wait_for(self, text: str | None, gone: str | None, seconds: float | None) -> str:
        """Wait until a text is to be seen anywhere on the page, is gone from everywhere, or some time has passed."""
        if sum(wish is not None for wish in (text, gone, seconds)) != 1:
            raise ToolFailure("give exactly one of text, text_gone and seconds")
        if seconds is not None and not 0 <= seconds <= 60:
            raise ToolFailure(f"seconds {seconds:g}: wait at most 60 seconds at a time")

        async def go(page: Page) -> str:
            if seconds is not None:
                await asyncio.sleep(seconds)
                return f"Waited {seconds:g} s."
            wanted = text if text is not None else gone or ""
            try:
                await _await_text(page, wanted, shown=text is not None)
            except TimeoutError:
                still = "not there" if text is not None else "still there"
                raise Error(f"{wanted!r} is {still} after {_WAIT_SECONDS:g} s") from None
            return f"{wanted!r} is {'there' if text is not None else 'gone'}."

        return await self._act(go)

    async def evaluate(self, expression: str) -> str:
        """The value of a JavaScript expression, or of a function's call, in the page."""

        async def go(page: Page) -> str:
            value = await page.evaluate(expression)
            return f"Value: {json.dumps(value, ensure_ascii=False, default=str)}"

        return await self._act(go)

    async def screenshot(self, target: str | None = None, full_page: bool = False) -> Screenshot:
        """A picture of what can be seen, of the whole page, or of one element."""
        async with self._lock:
            page = await self._current()
            try:
                if target is not None:
                    element = await self._element(page, target)
                    return Screenshot(await element.screenshot(timeout=ACTION_SECONDS * 1000))
                return Screenshot(await page.screenshot(full_page=full_page, timeout=ACTION_SECONDS * 1000))
            except Error as error:
                raise ToolFailure(f"no screenshot: {_reason(error)}") from None

    async def tabs(self, action: Literal["list", "new", "select", "close"], index: int | None) -> str:
        """List the tabs, open one, go to one or close one; tabs count from 1."""

        async def go(page: Page) -> str:
            pages = page.context.pages
            if action == "list":
                return ""
            if action == "new":
                self._page = await page.context.new_page()
                return "Opened a new tab."
            number = index if index is not None else (pages.index(page) + 1 if action == "close" else 0)
            if not 1 <= number <= len(pages):
                raise ToolFailure(f"there is no tab {number}; tabs are 1 to {len(pages)}")
            if action == "close":
                await pages[number - 1].close()
                if not page.is_closed():
                    return f"Closed tab {number}."
                self._page = next(iter(reversed(page.context.pages)), None) or await page.context.new_page()
                return f"Closed tab {number}."
            self._page = pages[number - 1]
            await self._page.bring_to_front()
            return f"Went to tab {number}."

        return await self._act(go)

    async def console(self) -> str:
        """What pages have written to the console since the browser started."""
        async with self._lock:
            if self._context is None:
                return "The browser has not been used yet."
            return "\n".join(self._console) or "The console is empty."

    async def close(self) -> str:
        """Close the browser; the next use starts a fresh one, without cookies."""
        async with self._lock:
            was_open = self._chromium is not None
            await self._shut()
            return "Closed the browser." if was_open else "The browser was not open."

    # How it is done.

    async def _act(self, action: Callable[[Page], Awaitable[str]], part: str | None = None) -> str:
        async with self._lock:
            page = await self._current()
            failure = ""
            self._settling.begin()
            try:
                said = await action(page)
            except Error as error:
                said, failure = "", _reason(error)
            await self._settling.end()
            shown = await self._show(part)
            if failure:
                raise ToolFailure(f"{failure}\n\n{shown}")
            return f"{said}\n\n{shown}".strip()

    async def _current(self) -> Page:
        if self._chromium is not None and not self._chromium.is_connected():
            self._notes.append("The browser had crashed; this is a fresh one, without cookies.")
            await self._shut()
        if self._context is None:
            self._context = await self._launch()
        if self._page is None or self._page.is_closed():
            self._page = next(iter(reversed(self._context.pages)), None) or await self._context.new_page()
        return self._page

    async def _launch(self) -> BrowserContext:
        try:
            self._driver = self._driver or await async_playwright().start()
            self._chromium = await self._driver.chromium.launch(
                executable_path=self._executable(), headless=True, args=["--no-sandbox"], timeout=60_000
            )
            context = await self._chromium.new_context(viewport=_VIEWPORT, locale="en-US", timezone_id="UTC")
        except Error as error:
            await self._shut()
            raise ToolFailure(f"the browser does not start: {_reason(error)}") from None
        context.on("page", self._opened)
        context.on("console", self._said)
        context.on("dialog", self._asked)
        context.on("weberror", lambda error: self._log(f"[uncaught] {error.error}"))
        self._settling.watch(context)
        return context

    async def _shut(self) -> None:
        chromium, driver = self._chromium, self._driver
        self._chromium = self._context = self._page = self._driver = None
        self._settling = Settling()
        for stop in (chromium.close if chromium else None, driver.stop if driver else None):
            if stop is not None:
                try:
                    await asyncio.wait_for(stop(), 10)
                except (Error, TimeoutError):
                    continue  # it is gone already

    def _opened(self, page: Page) -> None:
        if self._page is not None:
            self._notes.append("A new tab was opened and is shown now.")
        self._page = page
        page.on("crash", lambda _: self._notes.append("The page crashed; navigate again."))
        page.on("download", lambda item: self._notes.append(f"A download began: {item.suggested_filename}."))

    def _said(self, message: ConsoleMessage) -> None:
        self._log(f"[{message.type}] {message.text}")

    def _log(self, line: str) -> None:
        self._console.append(line[:2000])
        del self._console[:-_CONSOLE_LIMIT]

    async def _asked(self, dialog: Dialog) -> None:
        self._notes.append(f"The page asked ({dialog.type}): {dialog.message!r}; it was accepted.")
        await dialog.accept()

    async def _element(self, page: Page, target: str) -> Locator:
        ref = target.strip().removeprefix("ref=").removeprefix("[ref=").removesuffix("]")
        element = page.get_by_ref(ref)
        try:
            count = await element.count()
        except Error:
            count = 0
        if count == 0:
            raise ToolFailure(
                f"no element has the ref {ref!r}; look at the newest snapshot and take one from there"
            )
        return element

    async def _show(self, part: str | None) -> str:
        page = await self._current()
        errors = sum(line.startswith(("[error]", "[uncaught]")) for line in self._console)
        lines = [f"Page: {page.url}", f"Title: {await _title(page)}"]
        if len(page.context.pages) > 1:
            lines += [
                f"Tab {number}{' (shown)' if tab is page else ''}: {tab.url}"
                for number, tab in enumerate(page.context.pages, 1)
            ]
        lines += self._notes
        if errors:
            lines.append(f"Console: {errors} error{'s' if errors > 1 else ''}; browser_console shows them.")
        self._notes.clear()
        tree = await self._tree(page, part)
        return "\n".join([*lines, "Snapshot:", "```yaml", tree, "```"])

    async def _tree(self, page: Page, part: str | None) -> str:
        for attempt in (1, 2, 3):
            try:
                if part is not None:
                    tree = await (await self._element(page, part)).aria_snapshot(mode="ai", timeout=5_000)
                else:
                    tree = await page.aria_snapshot(mode="ai", timeout=5_000)
                break
            except Error as error:  # the page went elsewhere while it was looked at
                if attempt == 3:
                    return f"(no snapshot: {_reason(error)})"
                await self._settling.end()
        if len(tree) <= SNAPSHOT_LIMIT:
            return tree
        left = len(tree) - SNAPSHOT_LIMIT
        return f"{tree[:SNAPSHOT_LIMIT]}\n# … {left} characters more; browser_snapshot with a target shows a part"


async def _title(page: Page) -> str:
    try:
        return await page.title()
    except Error:
        return ""


async def _await_text(page: Page, text: str, *, shown: bool) -> None:
    """Wait for a text in any frame."""
    async with asyncio.timeout(_WAIT_SECONDS):
        while True:
            seen = False
            for frame in page.frames:
                try:
                    seen = seen or await frame.get_by_text(text).filter(visible=True).count() > 0
                except Error:
                    continue  # the frame went away
            if seen == shown:
                return
            await asyncio.sleep(0.1)


def _reason(error: Error) -> str:
    """Playwright's message without its call log."""
    return error.message.split("Call log:")[0].strip()
