"""MCP over a unix socket: one JSON-RPC message a line, as over standard input and output.

A harness that knows only stdio servers starts `socat - UNIX-CONNECT:PATH`.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.shared.message import SessionMessage

LINE_LIMIT = 64 * 1024 * 1024
"""Bytes of one message: pictures come as text."""


class Streams(NamedTuple):
    """What an MCP server reads from and writes to."""

    read: MemoryObjectReceiveStream[SessionMessage | Exception]
    write: MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def connection_streams(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> AsyncIterator[Streams]:
    """The streams of one connection; they end when the other side hangs up."""
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)

    async def receive() -> None:
        async with incoming:
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError, ValueError):
                while line := await reader.readline():
                    await incoming.send(_decode(line))

    async def send() -> None:
        async with outgoing:
            with suppress(ConnectionError):
                async for message in outgoing:
                    text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    writer.write(text.encode() + b"\n")
                    await writer.drain()

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(receive)
            group.start_soon(send)
            yield Streams(read, write)
            group.cancel_scope.cancel()
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


def _decode(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error
