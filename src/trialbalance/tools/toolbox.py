"""The tools an agent gets: what they are called, what they take and what they do."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from trialbalance.tools.browser import Browser, Screenshot
from trialbalance.tools.documentation import Documentation
from trialbalance.tools.errors import ToolFailure, ToolsError
from trialbalance.tools.terminal import DEFAULT_SECONDS, LONGEST_SECONDS, Terminal

Answer = str | Screenshot
Group = Literal["terminal", "browser", "docs"]
GROUPS: tuple[Group, ...] = ("terminal", "browser", "docs")

_PAGE = 20_000
_Ref = Annotated[
    str, Meta(description="The element's ref in the newest snapshot, e.g. e12 or, in a frame, f1e3")
]


class Arguments(Struct, forbid_unknown_fields=True):
    """Base of all arguments."""


class RunCommand(Arguments):
    """Arguments of `terminal`."""

    command: Annotated[str, Meta(description="Shell command or script (bash)")]
    timeout: Annotated[float, Meta(description=f"Seconds, at most {LONGEST_SECONDS}")] = DEFAULT_SECONDS


class Nothing(Arguments):
    """No arguments."""


class Navigate(Arguments):
    """Arguments of `browser_navigate`."""

    url: Annotated[str, Meta(description="Address to open, e.g. http://localhost:4242/")]


class Look(Arguments):
    """Arguments of `browser_snapshot`."""

    target: Annotated[str | None, Meta(description="Ref of an element to look at alone")] = None


class Click(Arguments):
    """Arguments of `browser_click`."""

    target: _Ref
    double: Annotated[bool, Meta(description="Click twice")] = False


class Type(Arguments):
    """Arguments of `browser_type`."""

    target: _Ref
    text: Annotated[str, Meta(description="Text to put into the field, in place of what is there")]
    submit: Annotated[bool, Meta(description="Press Enter afterwards")] = False
    slowly: Annotated[bool, Meta(description="Press key after key, for fields that watch the keyboard")] = (
        False
    )


class Press(Arguments):
    """Arguments of `browser_press_key`."""

    key: Annotated[str, Meta(description="A key or keys together: Enter, Tab, Escape, ArrowDown, Control+a")]


class Select(Arguments):
    """Arguments of `browser_select_option`."""

    target: _Ref
    values: Annotated[list[str], Meta(description="Values or labels of the options to choose")]


class Picture(Arguments):
    """Arguments of `browser_screenshot`."""

    target: Annotated[str | None, Meta(description="Ref of an element to picture alone")] = None
    full_page: Annotated[bool, Meta(description="The whole page, not only what can be seen")] = False


class Evaluate(Arguments):
    """Arguments of `browser_evaluate`."""

    expression: Annotated[
        str, Meta(description="JavaScript expression or function, e.g. () => document.title")
    ]


class Wait(Arguments):
    """Arguments of `browser_wait_for`."""

    text: Annotated[str | None, Meta(description="Text that has to appear, in any frame")] = None
    text_gone: Annotated[str | None, Meta(description="Text that has to disappear")] = None
    seconds: Annotated[float | None, Meta(description="Time to wait, at most 60 seconds")] = None


class Tabs(Arguments):
    """Arguments of `browser_tabs`."""

    action: Annotated[Literal["list", "new", "select", "close"], Meta(description="What to do")]
    index: Annotated[int | None, Meta(description="Which tab to select or close, counted from 1")] = None


class Search(Arguments):
    """Arguments of `docs_search`."""

    query: Annotated[
        str, Meta(description="Words, or the name of an endpoint, parameter, object, field or event")
    ]
    limit: Annotated[int, Meta(description="Most results", ge=1, le=30)] = 8


class Read(Arguments):
    """Arguments of `docs_read`."""

    id: Annotated[
        str, Meta(description="Id of a search result, e.g. POST /v1/refunds, subscription, coupon.duration")
    ]
    offset: Annotated[int, Meta(description="Character to go on from, for long pages", ge=0)] = 0


class Tool(Struct, frozen=True):
    """One tool. `call` gets its arguments already checked."""

    name: str
    description: str
    arguments: type[Arguments]
    call: Callable[[Any], Awaitable[Answer]]

    @property
    def schema(self) -> dict[str, Any]:
        """Its arguments as JSON Schema."""
        schema = msgspec.json.schema(self.arguments)
        found: dict[str, Any] = dict(schema["$defs"][self.arguments.__name__])
        for field in found["properties"].values():
            if "enum" in field:
                field["type"] = "string"  # some providers refuse a field without a type
        return {key: value for key, value in found.items() if key not in ("title", "description")}


class Toolbox:
    """All tools of one trial."""

    def __init__(
        self,
        terminal: Terminal,
        browser: Browser,
        documentation: Callable[[], Documentation],
        groups: Sequence[Group],
    ) -> None:
        unknown = sorted(set(groups) - set(GROUPS))
        if unknown:
            raise ToolsError(f"there are no tools {', '.join(unknown)}; choose from {', '.join(GROUPS)}")
        self._documentation = documentation
        made: list[Tool] = []
        if "terminal" in groups:
            made += _terminal_tools(terminal)
        if "browser" in groups:
            made += _browser_tools(browser)
        if "docs" in groups:
            made += self._documentation_tools()
        self.tools = {tool.name: tool for tool in made}

    async def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Call a tool; raises `ToolFailure` for the agent to read."""
        tool = self.tools.get(name)
        if tool is None:
            raise ToolFailure(f"there is no tool {name!r}; there are {', '.join(self.tools)}")
        try:
            checked = msgspec.convert(arguments, tool.arguments, strict=False)
        except msgspec.ValidationError as error:
            raise ToolFailure(f"{name}: {error}".replace(" - at `$.", " - at `")) from None
        return await tool.call(checked)

    def _documentation_tools(self) -> list[Tool]:
        async def search(given: Search) -> Answer:
            found = await asyncio.to_thread(lambda: self._documentation().search(given.query, given.limit))
            if not found:
                return "Nothing found. Try fewer or other words."
            lines = [f"{len(found)} results; docs_read shows one in full."]
            for item in found:
                detail = f" ({item.detail[:120]})" if item.detail else ""
                lines.append(f"- {item.kind} {item.id!r}{detail}" + (f": {item.text}" if item.text else ""))
            return "\n".join(lines)

        async def read(given: Read) -> Answer:
            page = await asyncio.to_thread(lambda: self._documentation().read(given.id))
            if page is None:
                raise ToolFailure(f"there is no page {given.id!r}; docs_search gives the ids")
            part = page[given.offset : given.offset + _PAGE]
            end = given.offset + len(part)
            more = (
                f"\n[{len(page) - end} characters more: read on with offset {end}]" if end < len(page) else ""
            )
            return part + more

        return [
            Tool(
                "docs_search",
                "Search Stripe's API reference (endpoints, parameters, objects, fields, events).",
                Search,
                search,
            ),
            Tool("docs_read", "Read one page of Stripe's API reference.", Read, read),
        ]


def _terminal_tools(terminal: Terminal) -> list[Tool]:
    async def run(given: RunCommand) -> Answer:
        try:
            return str(await asyncio.to_thread(terminal.run, given.command, given.timeout))
        except asyncio.CancelledError:  # the agent no longer waits for it
            await asyncio.to_thread(terminal.interrupt)
            raise

    description = (
        "Run a bash command in the project's machine and see its output and exit code. The directory, variables and"
        " functions are kept between commands; it starts in /app. There is no keyboard: programs must not ask."
        " Start servers in the background with & and their output in a file."
    )
    return [Tool("terminal", description, RunCommand, run)]


def _browser_tools(browser: Browser) -> list[Tool]:
    async def navigate(given: Navigate) -> Answer:
        return await browser.navigate(given.url)

    async def back(given: Nothing) -> Answer:
        return await browser.back()

    async def snapshot(given: Look) -> Answer:
        return await browser.snapshot(given.target)

    async def click(given: Click) -> Answer:
        return await browser.click(given.target, given.double)

    async def type_text(given: Type) -> Answer:
        return await browser.type(given.target, given.text, given.submit, given.slowly)

    async def press(given: Press) -> Answer:
        return await browser.press(given.key)

    async def select(given: Select) -> Answer:
        return await browser.select(given.target, given.values)

    async def screenshot(given: Picture) -> Answer:
        return await browser.screenshot(given.target, given.full_page)

    async def evaluate(given: Evaluate) -> Answer:
        return await browser.evaluate(given.expression)

    async def wait(given: Wait) -> Answer:
        return await browser.wait_for(given.text, given.text_gone, given.seconds)

    async def tabs(given: Tabs) -> Answer:
        return await browser.tabs(given.action, given.index)

    async def console(given: Nothing) -> Answer:
        return await browser.console()

    async def close(given: Nothing) -> Answer:
        return await browser.close()

    return [
        Tool(
            "browser_navigate",
            "Open an address and see the page as a tree of elements with refs.",
            Navigate,
            navigate,
        ),
        Tool("browser_back", "Go back to the page before.", Nothing, back),
        Tool("browser_snapshot", "See the page, or one element of it, with its frames.", Look, snapshot),
        Tool("browser_click", "Click an element and see the page afterwards.", Click, click),
        Tool("browser_type", "Fill a field and see the page afterwards.", Type, type_text),
        Tool("browser_press_key", "Press a key and see the page afterwards.", Press, press),
        Tool("browser_select_option", "Choose in a list and see the page afterwards.", Select, select),
        Tool("browser_screenshot", "See a picture of the page.", Picture, screenshot),
        Tool("browser_evaluate", "Evaluate JavaScript in the page.", Evaluate, evaluate),
        Tool("browser_wait_for", "Wait for a text to appear or disappear, or for some time.", Wait, wait),
        Tool("browser_tabs", "List, open, select or close tabs.", Tabs, tabs),
        Tool("browser_console", "Read what pages wrote to the console.", Nothing, console),
        Tool("browser_close", "Close the browser; the next use starts afresh.", Nothing, close),
    ]
