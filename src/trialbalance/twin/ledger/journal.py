"""The append-only record of everything that happened: requests, pages, deliveries, control.

One JSON object a line when it goes to a file. Card numbers and security codes are masked before they
reach it; API keys are shown by their ends.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

_ENCODER = msgspec.json.Encoder()


class Journal:
    """Entries in memory, and on disk when a path is given. `seq` counts from 1."""

    def __init__(self, path: Path | None = None, *, limit: int | None = None) -> None:
        self.path = path
        self.entries: list[dict[str, Any]] = []
        self.limit = limit
        self.seq = 0
        self._file: BinaryIO | None = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
            self.append("start", 0, schema_version=1)

    def append(self, kind: str, at: int, *, encoded: bytes | None = None, **fields: Any) -> dict[str, Any]:
        """Add one entry and return it. `encoded`: the JSON of a `response` that was encoded already."""
        self.seq += 1
        entry = {"seq": self.seq, "at": at, "kind": kind, **fields}
        self.entries.append(entry)
        if self.limit and len(self.entries) > 2 * self.limit:
            del self.entries[: -self.limit]
        if self._file is not None:
            line = {**entry, "response": msgspec.Raw(encoded)} if encoded is not None else entry
            self._file.write(_ENCODER.encode(line) + b"\n")
        return entry

    def since(self, seq: int) -> list[dict[str, Any]]:
        """Entries after `seq`, oldest first."""
        if not self.entries or seq < self.entries[0]["seq"]:
            return list(self.entries)
        return self.entries[seq - self.entries[0]["seq"] + 1 :]

    def close(self) -> None:
        """Close the file; entries stay readable."""
        if self._file is not None:
            self._file.close()
            self._file = None


SECRET_FIELDS = frozenset({"cvc", "account_number", "client_secret"})


def mask(value: Any, name: str = "") -> Any:
    """Parameters with card numbers, security codes and bank accounts hidden but for their ends."""
    if isinstance(value, dict):
        return {key: mask(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [mask(item, name) for item in value]
    if isinstance(value, str):
        if name == "number" and len(value) > 4:
            return "*" * (len(value) - 4) + value[-4:]
        if name == "cvc":
            return "***"
        if name == "account_number":
            return "*" * max(len(value) - 4, 0) + value[-4:]
    return value


@lru_cache(maxsize=256)
def mask_key(key: str) -> str:
    """An API key as messages and journals show it: its kind and its last four characters."""
    parts = key.split("_")
    head = "_".join(parts[:2]) + "_" if len(parts) > 2 else key[:4]
    return f"{head}{'*' * max(len(key) - len(head) - 4, 0)}{key[-4:]}" if len(key) > len(head) + 4 else key
