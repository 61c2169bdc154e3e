"""Posting what is in the outbox: in the server's event loop, or at once from a test.

Endpoints are called without following redirects and without the environment's proxies. Answers in 20
seconds or the attempt failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx

from trialbalance.twin.webhooks.deliveries import Outgoing, record, take

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin

TIMEOUT = 20.0
PARALLEL = 16


def deliver_now(twin: Twin, client: httpx.Client | None = None) -> int:
    """Post everything in the outbox, one after the other; returns how many attempts were made."""
    made = 0
    owned = client is None
    client = client or httpx.Client(timeout=TIMEOUT, trust_env=False)
    try:
        while outgoing := take(twin):
            for item in outgoing:
                try:
                    answer = client.post(item.url, content=item.payload, headers=item.headers)
                    record(twin, item.account, item.delivery, answer.status_code, answer.text)
                except httpx.HTTPError as problem:
                    record(twin, item.account, item.delivery, None, f"{type(problem).__name__}: {problem}")
                made += 1
    finally:
        if owned:
            client.close()
    return made


class Sender:
    """The server's sender: one task that wakes up when there is something to post."""

    def __init__(self, current: Callable[[], Twin], *, proxy: str | None = None) -> None:
        self.current = current
        self.wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._client = httpx.AsyncClient(timeout=TIMEOUT, trust_env=False, proxy=proxy)
        self._gate = asyncio.Semaphore(PARALLEL)
        self._posting: set[asyncio.Task[None]] = set()

    def wake_up(self) -> None:
        """Say that there is something to post; callable from any thread."""
        self._loop.call_soon_threadsafe(self.wake.set)

    async def run(self) -> None:
        """Post until cancelled."""
        self.current().wake = self.wake_up
        try:
            while True:
                await self.wake.wait()
                self.wake.clear()
                twin = self.current()
                with twin.lock:
                    items = take(twin)
                for item in items:
                    await self._gate.acquire()
                    task = asyncio.create_task(self._post(twin, item))
                    self._posting.add(task)
                    task.add_done_callback(self._posting.discard)
        finally:
            for task in list(self._posting):
                task.cancel()
            await self._client.aclose()

    async def _post(self, twin: Twin, item: Outgoing) -> None:
        try:
            if item.delay:
                await asyncio.sleep(item.delay)
            try:
                answer = await self._client.post(item.url, content=item.payload, headers=item.headers)
                status, text = answer.status_code, answer.text
            except httpx.HTTPError as problem:
                status, text = None, f"{type(problem).__name__}: {problem}"
            except (httpx.InvalidURL, UnicodeError) as problem:
                status, text = None, f"invalid URL: {problem}"
            with twin.lock:
                record(twin, item.account, item.delivery, status, text)
        finally:
            self._gate.release()
