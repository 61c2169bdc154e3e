"""A customer with a browser: Chromium in the app's own network, with a clean profile."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Playwright,
    sync_playwright,
)
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from trialbalance.grading import payment_form
from trialbalance.grading.app import App
from trialbalance.grading.errors import Failed, GraderFault
from trialbalance.grading.evidence import Evidence
from trialbalance.grading.locate import Finder, by_role, field, visible_text, wait_for
from trialbalance.grading.log import Log
from trialbalance.grading.payment_form import VISA, Card, Outcome
from trialbalance.tasks import Environment

SECONDS = 15.0
_Result = TypeVar("_Result")
_STRIPE_SITE = re.compile(r"(^|\.)stripe\.(com|network)$")


class Shopper:
    """What a customer does in a browser. Controls are found by role and accessible name, in the page and in
    all its frames. Each step waits for its condition; at the deadline it is `Failed`, with a screenshot. A
    browser of ours that dies is a `GraderFault`, and so is a page of our twin that breaks.
    """

    def __init__(
        self, environment: Environment, app: App | None, evidence: Evidence, log: Log, screenshots: Path
    ) -> None:
        self._environment = environment
        self._app = app
        self._evidence = evidence
        self._log = log
        self._screenshots = screenshots
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._context: BrowserContext | None = None
        self._page: Page | None = None
        self._shots = 0
        self._visits = 0
        self._received: list[str] = []
        self._console: list[str] = []
        self._broken: list[str] = []

    # Where the browser is

    @property
    def page(self) -> Page:
        """Playwright's page, for what the methods here cannot do."""
        if self._page is None:
            self._guard("opening a browser", self._open_browser)
        assert self._page is not None
        return self._page

    @property
    def url(self) -> str:
        """The page's address."""
        return self.page.url

    def open(self, path: str = "/", seconds: float = 30.0) -> None:
        """Go to a path of the app (which is started first) or to a whole URL, and wait until it has loaded."""
        url = path
        if path.startswith("/"):
            if self._app is None:
                raise GraderFault("the task has no app, so a path leads nowhere; give a whole URL")
            self._app.start()
            url = self._app.url + path
        self._evidence.add("browser", open=path)
        page = self.page

        def go() -> None:
            try:
                page.goto(url, timeout=seconds * 1000, wait_until="load")
            except PlaywrightTimeout:
                raise self._failed(f"{path} did not load within {seconds:g} seconds") from None
            except Error as error:
                reason = error.message.splitlines()[0]
                if self._app is not None and path.startswith("/"):
                    raise self._app.explain(
                        f"{path} did not open in the browser: {_net_error(reason)}"
                    ) from None
                raise self._failed(f"{path} did not open in the browser: {_net_error(reason)}") from None

        self._guard(f"open {path}", go)

    def wait_for_url(self, part: str | re.Pattern[str], seconds: float = SECONDS) -> str:
        """Wait until the page's address contains a text or matches a pattern; returns the address."""
        pattern = part if isinstance(part, re.Pattern) else re.compile(re.escape(part))
        shown = pattern.pattern if isinstance(part, re.Pattern) else part

        def look() -> str | None:
            return self.page.url if pattern.search(self.page.url) else None

        found = self._until(look, f"the page's address does not become {shown}", seconds)
        self._evidence.add("browser", arrived=shown)
        return found

    def new_visitor(self) -> None:
        """Forget cookies and storage, as another person would come."""
        self._guard("a new visitor", self._open_context)
        self._evidence.add("browser", visitor="new")

    # What it does

    def click(self, name: str | re.Pattern[str], role: Any = "button", seconds: float = SECONDS) -> None:
        """Press a control."""
        shown = _shown(name)
        control = self.require([by_role(role, name)], f"there is no {role} “{shown}” to press", seconds)
        self._evidence.add("browser", click=shown, role=role)
        self._act(f"pressing “{shown}”", lambda: control.click(timeout=seconds * 1000))

    def fill(self, name: str | re.Pattern[str], value: str, seconds: float = SECONDS) -> None:
        """Type a value into a field, in place of what is there."""
        shown = _shown(name)
        control = self.require([field(name)], f"there is no field “{shown}” to fill", seconds)
        self._evidence.add("browser", fill=shown, value=value)
        self._act(f"filling “{shown}”", lambda: control.fill(value, timeout=seconds * 1000))

    def choose(self, name: str | re.Pattern[str], option: str, seconds: float = SECONDS) -> None:
        """Choose an option of a list by its label, or a radio button when the option is one."""
        shown = _shown(name)
        self._evidence.add("browser", choose=option, of=shown)
        finders = [by_role("combobox", name), by_role("listbox", name), field(name), by_role("radio", option)]
        control = self.require(finders, f"there is no choice “{shown}”", seconds)

        def act() -> None:
            if control.evaluate("node => node.tagName") == "SELECT":
                control.select_option(label=option, timeout=seconds * 1000)
            else:
                control.check(timeout=seconds * 1000)

        self._act(f"choosing “{option}” of “{shown}”", act)

    def tick(self, name: str | re.Pattern[str], on: bool = True, seconds: float = SECONDS) -> None:
        """Tick a box, or clear it."""
        shown = _shown(name)
        control = self.require([by_role("checkbox", name)], f"there is no box “{shown}” to tick", seconds)
        self._evidence.add("browser", tick=shown, on=on)
        self._act(f"ticking “{shown}”", lambda: control.set_checked(on, timeout=seconds * 1000))

    def fill_card(
        self,
        card: str = VISA,
        *,
        expiry: str = "12 / 34",
        cvc: str = "123",
        postal: str = "90210",
        seconds: float = SECONDS,
    ) -> None:
        """Fill the card form that is shown: Card Element, Payment Element, or Checkout's. Then press the
        app's button.
        """
        payment_form.fill_card(self, Card(card, expiry, cvc, postal), seconds)

    def pay(
        self,
        card: str = VISA,
        *,
        email: str | None = None,
        name: str | None = "Test Customer",
        expiry: str = "12 / 34",
        cvc: str = "123",
        postal: str = "90210",
        seconds: float = 30.0,
    ) -> Outcome:
        """Fill and send the Checkout page that is shown, hosted or embedded. Returns `left` when the
        customer was taken on, `refused` when the form shows an error, `challenge` when the bank asks first:
        then `approve()` or `reject()`.
        """
        payment_form.fill_card(self, Card(card, expiry, cvc, postal), seconds)
        payment_form.fill_buyer(self, email, name)
        return payment_form.submit(self, seconds)

    def approve(self, seconds: float = SECONDS) -> None:
        """Approve the 3-D Secure challenge that is shown."""
        payment_form.answer_challenge(self, True, seconds)

    def reject(self, seconds: float = SECONDS) -> None:
        """Reject the 3-D Secure challenge that is shown."""
        payment_form.answer_challenge(self, False, seconds)

    # What it sees

    def see(self, text: str | re.Pattern[str], seconds: float = SECONDS) -> None:
        """Wait until a text (white space and case aside) or a pattern is visible somewhere."""
        shown = _shown(text)
        self._until(lambda: self._shows(text), f"the page does not show “{shown}”", seconds)
        self._evidence.add("browser", sees=shown)

    def not_see(self, text: str | re.Pattern[str]) -> None:
        """`Failed` when a text is visible now."""
        shown = _shown(text)
        if self._guard(f"not_see {shown}", lambda: self._shows(text)):
            raise self._failed(f"the page shows “{shown}”")
        self._evidence.add("browser", does_not_see=shown)

    def text(self) -> str:
        """What a person can read now, in all frames."""
        return self._guard("reading the page", lambda: visible_text(self.page))

    # Controls by finders (see `locate`), for forms that these methods do not know

    def find(self, finders: list[Finder], seconds: float = 0.0) -> Locator | None:
        """The first visible control of several finders, or None."""
        return self._guard("looking", lambda: wait_for(self.page, finders, seconds))

    def require(self, finders: list[Finder], problem: str, seconds: float = SECONDS) -> Locator:
        """The first visible control of several finders; `Failed` with `problem` when there is none in time."""
        control = self._guard(problem, lambda: wait_for(self.page, finders, seconds))
        if control is None:
            raise self._failed(problem)
        return control

    def press(self, control: Locator, what: str, seconds: float = SECONDS) -> None:
        """Press a control that was found."""
        self._evidence.add("browser", click=what)
        self._act(f"pressing {what}", lambda: control.click(timeout=seconds * 1000))

    def type_into(self, control: Locator, what: str, value: str, seconds: float = SECONDS) -> None:
        """Fill a control that was found."""
        self._evidence.add("browser", fill=what, value=value)
        self._act(f"filling {what}", lambda: control.fill(value, timeout=seconds * 1000))

    def wait_until(
        self, condition: Callable[[], _Result | None], what: str, seconds: float = SECONDS
    ) -> _Result:
        """Wait until a condition about the page is true; `Failed` with a screenshot at the deadline."""
        return self._until(condition, f"{what}: not so within {seconds:g} seconds", seconds)

    def screenshot(self, name: str) -> None:
        """Keep a picture of the page under grader/screenshots."""
        self._picture(re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "page")

    @property
    def console_errors(self) -> list[str]:
        """Errors that pages wrote to the console, and exceptions nobody caught."""
        return list(self._console)

    def received(self) -> str:
        """Every text that the app has sent to this browser so far: pages, scripts, data. Ends the visit."""
        self._guard("collecting what was received", self._open_context)
        self._evidence.add("browser", received=True)
        return "\n".join(self._received)

    def close(self) -> None:
        """End the browser; called when the check is over, in the thread that used it."""
        for end in (
            self._context.close if self._context else None,
            self._browser.close if self._browser else None,
            self._playwright.stop if self._playwright else None,
        ):
            try:
                if end is not None:
                    end()
            except Exception as error:
                self._log.write(f"closing the browser: {error!r}")
        self._context = self._browser = self._playwright = self._page = None

    # How

    def _open_browser(self) -> None:
        launcher = self._environment.sandbox.browser()
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(
            **launcher.launch_options(), headless=True, timeout=60_000
        )
        self._open_context()

    def _open_context(self) -> None:
        if self._browser is None:
            self._open_browser()
            return
        if self._context is not None:
            self._context.close()
            self._read_har()
        self._visits += 1
        app = self._app.url if self._app is not None else "http://127.0.0.1"
        self._context = self._browser.new_context(
            viewport={"width": 1280, "height": 900},
            locale="en-US",
            timezone_id="UTC",
            record_har_path=self._har(),
            record_har_content="embed",
            record_har_url_filter=re.compile(re.escape(app)),
        )
        self._context.on("response", self._note_response)
        self._context.on("console", self._note_message)
        self._context.on("weberror", lambda error: self._note_console("error", str(error.error)))
        self._page = self._context.new_page()
        self._context.on("page", self._follow)

    def _follow(self, page: Page) -> None:
        self._page = page  # a page that opens in a new tab is where the customer is now

    def _note_response(self, response: Any) -> None:
        parts = urlsplit(response.url)
        if response.status >= 500 and _STRIPE_SITE.search(parts.hostname or ""):
            self._broken.append(f"{parts.hostname}{parts.path} answered {response.status}")
        self._log.write(f"browser: {response.request.method} {response.url[:300]} -> {response.status}")

    def _note_message(self, message: ConsoleMessage) -> None:
        where = urlsplit(str(message.location.get("url", "")))
        expected = message.text.startswith("Failed to load resource") and (
            where.path == "/favicon.ico" or _STRIPE_SITE.search(where.hostname or "")
        )  # the browser's own question, or a refusal of the API, which pages are made to handle
        self._note_console("note" if expected else message.type, message.text)

    def _note_console(self, kind: str, text: str) -> None:
        self._log.write(f"console {kind}: {text[:500]}")
        if kind == "error":
            self._console.append(text)

    def _har(self) -> Path:
        return self._environment.scratch / f"visit-{self._visits:02}.har"

    def _read_har(self) -> None:
        path = self._har()
        if not path.is_file():
            return
        for entry in json.loads(path.read_text("utf-8"))["log"]["entries"]:
            content = entry["response"].get("content", {})
            if content.get("encoding") != "base64":
                self._received.append(str(content.get("text", "")))

    def _act(self, what: str, action: Callable[[], object]) -> None:
        def act() -> None:
            try:
                action()
            except PlaywrightTimeout:
                raise self._failed(f"{what} was not possible") from None

        self._guard(what, act)

    def _until(self, condition: Callable[[], _Result | None], problem: str, seconds: float) -> _Result:
        deadline = time.monotonic() + seconds
        while True:
            found = self._guard(problem, condition)
            if found:
                return found
            if time.monotonic() > deadline:
                raise self._failed(problem)
            self._guard(problem, lambda: self.page.wait_for_timeout(50))

    def _shows(self, text: str | re.Pattern[str]) -> bool:
        shown = visible_text(self.page)
        if isinstance(text, re.Pattern):
            return text.search(shown) is not None
        return " ".join(text.lower().split()) in " ".join(shown.lower().split())

    def _guard(self, what: str, action: Callable[[], _Result]) -> _Result:
        """Run a step; a browser that died is our fault, a step that the page did not allow is the app's."""
        try:
            return action()
        except Error as error:
            reason = error.message.splitlines()[0] if error.message else type(error).__name__
            if self._browser is None or not self._browser.is_connected() or "crashed" in reason.lower():
                raise GraderFault(f"{what}: the browser died: {reason}") from error
            raise self._failed(f"{what}: {reason}") from error

    def _failed(self, problem: str) -> Failed:
        """The failure to raise, with a screenshot; `GraderFault` when a page of the twin broke on the way."""
        self._picture("failed")
        if self._broken:
            raise GraderFault(f"{problem}; but a page of the twin broke: {self._broken[-1]}")
        return Failed(problem)

    def _picture(self, name: str) -> None:
        if self._page is None:
            return
        self._shots += 1
        self._screenshots.mkdir(parents=True, exist_ok=True)
        path = self._screenshots / f"{self._shots:02}-{name}.png"
        try:
            self._page.screenshot(path=path, timeout=10_000)
            self._log.write(f"screenshot {path.name} of {self._page.url}")
        except Error as error:
            self._log.write(f"no screenshot: {error.message.splitlines()[0]}")


def _shown(name: str | re.Pattern[str]) -> str:
    return name.pattern if isinstance(name, re.Pattern) else name


def _net_error(reason: str) -> str:
    match = re.search(r"net::(ERR_[A-Z_]+)", reason)
    return match[1] if match else reason
