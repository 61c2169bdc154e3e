"""The tool server of a trial: MCP on a unix socket of the host, working on the trial's sandbox."""

import asyncio
import base64
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mcp import types
from mcp.server import Server, ServerRequestContext

from trialbalance.tools.browser import Browser, Screenshot
from trialbalance.tools.documentation import Documentation
from trialbalance.tools.errors import ToolFailure, ToolsError
from trialbalance.tools.event_log import EventLog
from trialbalance.tools.sandbox import Sandbox
from trialbalance.tools.terminal import Terminal
from trialbalance.tools.toolbox import GROUPS, Group, Toolbox
from trialbalance.tools.transport import LINE_LIMIT, connection_streams

_SECONDS = 30.0
_INSTRUCTIONS = (
    "Tools to work on a project: a terminal and a browser on the project's machine, and documentation."
)


class ToolServer:
    """A running tool server, and a context manager: it serves from a thread of its own until `stop()`.

    The terminal, the browser and its tabs belong to the trial, not to a connection.
    """

    def __init__(self, socket_path: Path, toolbox: Toolbox, browser: Browser, log: EventLog) -> None:
        self.socket_path = socket_path
        self._toolbox, self._browser, self._log = toolbox, browser, log
        self._loop = asyncio.new_event_loop()
        self._connections: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Server | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, name="tools", daemon=True)
        self._thread.start()
        try:
            self._do(self._listen())
        except OSError as error:
            self.stop()
            raise ToolsError(f"tool socket {socket_path}: {error.strerror or error}") from None

    @classmethod
    def start(
        cls,
        sandbox: Sandbox,
        socket_path: Path,
        *,
        events: Path,
        browser: Callable[[], Path],
        groups: Sequence[Group] = GROUPS,
        documentation: Callable[[], Documentation] = Documentation.open,
    ) -> "ToolServer":
        """Serve on `socket_path` (a path of at most 107 bytes), log every call to `events`.

        `browser` gives the program that starts Chromium, when one is first needed.
        """
        terminal, chromium = Terminal(sandbox), Browser(browser)
        toolbox = Toolbox(terminal, chromium, documentation, groups)
        return cls(socket_path, toolbox, chromium, EventLog(events))

    def stop(self) -> None:
        """Close the browser and every connection; harmless when called again."""
        if self._loop.is_closed():
            return
        with suppress(FutureTimeout):
            self._do(self._shut())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_SECONDS)
        self._loop.close()
        self._log.close()
        self.socket_path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _do(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_SECONDS)

    async def _listen(self) -> None:
        self.socket_path.unlink(missing_ok=True)
        self._listener = await asyncio.start_unix_server(self._accept, self.socket_path, limit=LINE_LIMIT)
        self.socket_path.chmod(0o666)

    async def _shut(self) -> None:
        if self._listener is not None:
            self._listener.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._browser.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._loop.shutdown_default_executor()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        server: Server[Any] = Server(
            "trialbalance",
            version=version("trialbalance"),
            instructions=_INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        async with connection_streams(reader, writer) as streams:
            await server.run(streams.read, streams.write, server.create_initialization_options())

    async def _list(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        tools = [
            types.Tool(name=tool.name, description=tool.description, input_schema=tool.schema)
            for tool in self._toolbox.tools.values()
        ]
        return types.ListToolsResult(tools=tools)

    async def _call(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        arguments = params.arguments or {}
        started = time.monotonic()
        picture, failed = None, False
        try:
            answer = await self._toolbox.call(params.name, arguments)
        except ToolFailure as failure:
            text, failed = str(failure), True
        except asyncio.CancelledError:
            self._log.tool_call(
                params.name, arguments, started=started, ok=False, result="cancelled", images=0
            )
            raise
        except Exception as error:  # a fault of ours or of the sandbox must not end the agent's session
            text, failed = f"{params.name} failed: {type(error).__name__}: {error}", True
        else:
            picture = answer if isinstance(answer, Screenshot) else None
            text = "" if isinstance(answer, Screenshot) else answer
        self._log.tool_call(
            params.name, arguments, started=started, ok=not failed, result=text, images=1 if picture else 0
        )
        content: list[Any] = [types.TextContent(type="text", text=text)] if text or not picture else []
        if picture is not None:
            data = base64.b64encode(picture.png).decode()
            content.append(types.ImageContent(type="image", data=data, mime_type="image/png"))
        return types.CallToolResult(content=content, is_error=failed)
