"""An MCP client on the tool server's socket, as harnesses use it."""

import asyncio
import json
import re
import socket
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, types

from tests.tools.apart import run_apart
from tests.tools.plain import PlainSandbox
from trialbalance.tools import Documentation, ToolsError, ToolServer
from trialbalance.tools.transport import LINE_LIMIT, connection_streams


@pytest.fixture
def server(tmp_path: Path, stripe: Documentation) -> Iterator[ToolServer]:
    with start(tmp_path, stripe) as server:
        yield server


def start(tmp_path: Path, documentation: Documentation, **options: Any) -> ToolServer:
    return ToolServer.start(
        PlainSandbox(tmp_path),
        tmp_path / "tools.sock",
        events=tmp_path / "events.jsonl",
        browser=lambda: Path("/usr/bin/chromium"),
        documentation=lambda: documentation,
        **options,
    )


@asynccontextmanager
async def connect(server: ToolServer) -> AsyncIterator[ClientSession]:
    reader, writer = await asyncio.open_unix_connection(server.socket_path, limit=LINE_LIMIT)
    async with connection_streams(reader, writer) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield session


def talk(server: ToolServer, story: Callable[[ClientSession], Awaitable[None]]) -> None:
    async def run() -> None:
        async with connect(server) as session:
            await story(session)

    run_apart(run)


def text(result: Any) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def test_tools_are_listed_with_what_they_take(server: ToolServer) -> None:
    async def story(session: ClientSession) -> None:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert list(tools) == [
            "terminal",
            "browser_navigate",
            "browser_back",
            "browser_snapshot",
            "browser_click",
            "browser_type",
            "browser_press_key",
            "browser_select_option",
            "browser_screenshot",
            "browser_evaluate",
            "browser_wait_for",
            "browser_tabs",
            "browser_console",
            "browser_close",
            "docs_search",
            "docs_read",
        ]
        assert tools["terminal"].input_schema == {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "Shell command or script (bash)"},
                "timeout": {"type": "number", "description": "Seconds, at most 3600", "default": 120},
            },
            "required": ["command"],
            "additionalProperties": False,
        }
        assert all(tool.description for tool in tools.values())
        size = sum(len(tool.model_dump_json(exclude_none=True)) for tool in tools.values())
        assert size < 8_000  # the agent pays for it with every call

    talk(server, story)


def test_the_terminal_is_the_trials_and_outlives_a_connection(server: ToolServer, tmp_path: Path) -> None:
    async def one(session: ClientSession) -> None:
        result = await session.call_tool("terminal", {"command": "mkdir deep; cd deep; X=1; exit 2"})
        assert text(result).startswith("[exit code 2]") and not result.is_error

    async def two(session: ClientSession) -> None:
        assert text(await session.call_tool("terminal", {"command": "echo $PWD $X"})).startswith(
            f"{tmp_path}/deep 1\n"
        )

    talk(server, one)
    talk(server, two)
    calls = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [(call["seq"], call["tool"], call["arguments"]["command"]) for call in calls] == [
        (1, "terminal", "mkdir deep; cd deep; X=1; exit 2"),
        (2, "terminal", "echo $PWD $X"),
    ]


def test_documentation_is_found_and_read(server: ToolServer) -> None:
    async def story(session: ClientSession) -> None:
        found = text(await session.call_tool("docs_search", {"query": "create a refund", "limit": "3"}))
        assert found.startswith("3 results; docs_read shows one in full.\n- ")
        assert "'POST /v1/refunds' (RefundService.create)" in found
        page = text(await session.call_tool("docs_read", {"id": "POST /v1/checkout/sessions"}))
        assert page.startswith("# POST /v1/checkout/sessions\n") and len(page) < 21_000
        long = text(await session.call_tool("docs_read", {"id": "payment_method"}))
        assert "characters more: read on with offset 20000]" in long or len(long) < 20_000
        assert text(await session.call_tool("docs_search", {"query": "zzzz"})).startswith("Nothing found.")
        missing = await session.call_tool("docs_read", {"id": "gadget"})
        assert missing.is_error and "docs_search gives the ids" in text(missing)

    talk(server, story)


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("teleport", {}, "there is no tool 'teleport'; there are terminal, browser_navigate"),
        ("terminal", {}, "terminal: Object missing required field `command`"),
        ("terminal", {"command": "x", "cwd": "/"}, "terminal: Object contains unknown field `cwd`"),
        (
            "terminal",
            {"command": "true", "timeout": "soon"},
            "terminal: Expected `float`, got `str` - at `timeout`",
        ),
        ("browser_tabs", {"action": "fly"}, "browser_tabs: Invalid enum value 'fly' - at `action`"),
        ("browser_wait_for", {}, "exactly one of text, text_gone and seconds"),
    ],
)
def test_wrong_calls_are_errors_that_the_agent_can_read(
    server: ToolServer, tool: str, arguments: dict[str, Any], said: str
) -> None:
    async def story(session: ClientSession) -> None:
        result = await session.call_tool(tool, arguments)
        assert result.is_error and said in text(result)

    talk(server, story)


def test_a_fault_of_the_sandbox_does_not_end_the_session(tmp_path: Path, stripe: Documentation) -> None:
    class Broken(PlainSandbox):
        def exec(self, *args: Any, **options: Any) -> Any:
            raise OSError("the sandbox is closed")

    async def story(session: ClientSession) -> None:
        result = await session.call_tool("terminal", {"command": "true"})
        assert result.is_error and text(result) == "terminal failed: OSError: the sandbox is closed"

    with ToolServer.start(
        Broken(tmp_path), tmp_path / "t.sock", events=tmp_path / "e.jsonl", browser=lambda: Path("x")
    ) as server:
        talk(server, story)


@pytest.mark.browser
def test_a_picture_comes_as_an_image(server: ToolServer, tmp_path: Path) -> None:
    async def story(session: ClientSession) -> None:
        await session.call_tool("browser_navigate", {"url": "data:text/html,<h1>Hi</h1>"})
        (content,) = (await session.call_tool("browser_screenshot", {})).content
        assert isinstance(content, types.ImageContent) and content.mime_type == "image/png"

    talk(server, story)
    last = json.loads((tmp_path / "events.jsonl").read_text().splitlines()[-1])
    assert last["images"] == 1 and last["result"] == "" and last["ok"] is True


@pytest.mark.browser
def test_every_browser_tool_does_what_it_is_called(server: ToolServer) -> None:
    page = "data:text/html,<title>T</title><button ondblclick='document.title=2'>B</button><input><select><option>x</select>"

    async def story(session: ClientSession) -> None:
        async def call(name: str, **arguments: Any) -> str:
            result = await session.call_tool(f"browser_{name}", arguments)
            assert not result.is_error, text(result)
            return text(result)

        seen = await call("navigate", url=page)
        button, field, choice = (re.findall(rf"- {role}[^\n]*\[ref=(\w+)\]", seen)[0] for role in ROLES)
        assert "Title: 2" in await call("click", target=button, double=True)
        assert ": words" in await call("type", target=field, text="words", submit=True, slowly=True)
        assert "Pressed End." in await call("press_key", key="End")
        assert "Chose x in" in await call("select_option", target=choice, values=["x"])
        assert (await call("snapshot", target=button)).count("ref=") == 1
        assert "Value: 3" in await call("evaluate", expression="1 + 2")
        assert "'B' is there." in await call("wait_for", text="B")
        assert "'C' is gone." in await call("wait_for", text_gone="C")
        assert "Waited 0.01 s." in await call("wait_for", seconds=0.01)
        assert "Tab 2 (shown)" in await call("tabs", action="new")
        assert "Title: 2" in await call("tabs", action="select", index=1)
        assert "Page: about:blank" in await call("back")
        assert await call("console") == "The console is empty."
        assert await call("close") == "Closed the browser."

    talk(server, story)


ROLES = ("button", "textbox", "combobox")


def test_stopping_ends_a_command_that_is_running(tmp_path: Path, stripe: Documentation) -> None:
    server = start(tmp_path, stripe)

    async def run() -> None:
        with pytest.raises(Exception):  # noqa: B017 - the connection ends under the call
            async with connect(server) as session:
                call = asyncio.create_task(session.call_tool("terminal", {"command": "touch on; sleep 1000"}))
                while not (tmp_path / "on").exists():
                    await asyncio.sleep(0)
                await asyncio.to_thread(server.stop)
                await asyncio.wait_for(call, 20)

    run_apart(run)
    server.stop()
    assert not server.socket_path.exists()
    last = json.loads((tmp_path / "events.jsonl").read_text().splitlines()[-1])
    assert last["ok"] is False and last["result"] == "cancelled"


def test_harnesses_reach_it_through_socat(server: ToolServer) -> None:
    """goose and others know only stdio servers: they start socat."""
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    with subprocess.Popen(
        ["socat", "-", f"UNIX-CONNECT:{server.socket_path}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as socat:
        assert socat.stdin is not None and socat.stdout is not None
        socat.stdin.write(json.dumps(request) + "\n")
        socat.stdin.flush()
        answer = json.loads(socat.stdout.readline())
        socat.stdin.close()
    assert answer["result"]["serverInfo"]["name"] == "trialbalance"


def test_lines_that_are_no_json_do_not_end_the_connection(server: ToolServer) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(server.socket_path))
        file = client.makefile("rw")
        file.write("nonsense\n" + json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"}) + "\n")
        file.flush()
        assert '"id":2' in file.readline()


def test_tools_can_be_chosen(tmp_path: Path, stripe: Documentation) -> None:
    async def story(session: ClientSession) -> None:
        assert [tool.name for tool in (await session.list_tools()).tools] == ["docs_search", "docs_read"]

    with start(tmp_path, stripe, groups=("docs",)) as server:
        talk(server, story)
    with pytest.raises(ToolsError, match="there are no tools shell; choose from terminal, browser, docs"):
        start(tmp_path, stripe, groups=("shell",))


def test_a_path_that_is_too_long_is_explained(tmp_path: Path, stripe: Documentation) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    with pytest.raises(ToolsError, match=r"tool socket .*: AF_UNIX path too long"):
        start(folder, stripe)
