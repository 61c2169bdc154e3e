"""Coroutines of a test in a thread of their own.

The main thread of a test process may hold a running loop: Playwright's synchronous interface, once started for a
browser test, keeps one until the session ends.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run_apart(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a story to its end in a new thread with a new loop; what it raises is raised here."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(story())).result()
