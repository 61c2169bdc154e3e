"""Every call of a tool, as a line of the trial's `events.jsonl`.

```
{"schema_version": "1", "at": 1796047931.301, "event": "tool_call", "seq": 3, "tool": "terminal",
 "arguments": {…}, "seconds": 0.041, "ok": true, "result": "…", "images": 0}
```
Results longer than 4,000 characters keep their beginning and end; the agent saw the whole. Other programs may
append to the same file: a line is written with one call.
"""

import os
import threading
import time
from pathlib import Path
from typing import Any

import msgspec

SCHEMA = "1"
_LONGEST = 4_000


class EventLog:
    """Appends tool calls; it may be used from any thread."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        self._lock = threading.Lock()
        self._seq = 0

    def tool_call(
        self, tool: str, arguments: dict[str, Any], *, started: float, ok: bool, result: str, images: int
    ) -> None:
        """Record a finished call; `started` is the `time.monotonic()` at which it began."""
        seconds = time.monotonic() - started
        with self._lock:
            self._seq += 1
            entry = {
                "schema_version": SCHEMA,
                "at": round(time.time() - seconds, 3),
                "event": "tool_call",
                "seq": self._seq,
                "tool": tool,
                "arguments": arguments,
                "seconds": round(seconds, 3),
                "ok": ok,
                "result": _shorten(result),
                "images": images,
            }
            os.write(self._file, msgspec.json.encode(entry) + b"\n")

    def close(self) -> None:
        """Nothing can be written afterwards."""
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1


def _shorten(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters …]\n{text[-half:]}"
