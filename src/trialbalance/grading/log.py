"""log.txt of a grade: what drivers did, with bodies, ports and times; for people, and never part of the
score.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import TracebackType

_MAX_TEXT = 20_000


class Log:
    """Lines in a file, each with the seconds since the grade began."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w", encoding="utf-8", errors="replace")
        self._begun = time.monotonic()
        self._lock = threading.Lock()

    def write(self, text: str) -> None:
        """Add a line, or an indented block of lines."""
        if len(text) > _MAX_TEXT:
            text = text[:_MAX_TEXT] + f"… ({len(text)} characters)"
        lines = text.rstrip("\n").splitlines() or [""]
        stamp = f"{time.monotonic() - self._begun:8.2f} "
        with self._lock:
            if self._file.closed:
                return
            self._file.write(stamp + lines[0] + "\n")
            self._file.writelines(" " * len(stamp) + line + "\n" for line in lines[1:])
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
