"""Knows when a page has come to rest after something was done to it."""

import asyncio
from contextlib import suppress
from typing import Any

from playwright.async_api import BrowserContext, Request

_QUIET_SECONDS = 0.15
_LONGEST_SECONDS = 5.0
_COUNTED = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})


class Settling:
    """Counts the requests that an action sets off. At rest is a page when none is under way and for a moment none
    has begun; streams that never end are not waited for longer than some seconds."""

    def __init__(self) -> None:
        self._open: set[Request] = set()
        self._changed = asyncio.Event()
        self._watching = False

    def watch(self, context: BrowserContext) -> None:
        """Count the requests of every page of a context."""
        context.on("request", self._began)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._ended)

    def begin(self) -> None:
        """Something is about to be done: what was under way before does not count."""
        self._open.clear()
        self._watching = True

    async def end(self) -> None:
        """Wait for rest."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_SECONDS):
                while not await self._quiet():
                    pass

    async def _quiet(self) -> bool:
        """Wait until the number of open requests changes; true when it did not, and there are none."""
        self._changed.clear()
        try:
            async with asyncio.timeout(None if self._open else _QUIET_SECONDS):
                await self._changed.wait()
        except TimeoutError:
            return True
        return False

    def _began(self, request: Request) -> None:
        if self._watching and request.resource_type in _COUNTED:
            self._open.add(request)
            self._changed.set()

    def _ended(self, request: Any) -> None:
        if request in self._open:
            self._open.discard(request)
            self._changed.set()
