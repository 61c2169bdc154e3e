"""Server-sent events, read piece by piece and written whole."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec


class Event(NamedTuple):
    """One event: its name (empty where none was given) and its data."""

    name: str
    data: str

    def json(self) -> dict[str, Any] | None:
        """The data as a JSON object; None for `[DONE]` and for anything else that is none."""
        try:
            value = msgspec.json.decode(self.data)
        except msgspec.DecodeError:
            return None
        return value if isinstance(value, dict) else None


class EventReader:
    """Takes bytes as they come and gives the events that are complete.

    An event ends at an empty line; lines may end in LF, CRLF or CR. Comments and ids are skipped.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._name = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Events completed by this chunk."""
        text = (self._rest + chunk).replace(b"\r\n", b"\n")
        held = b""
        if text.endswith(b"\r"):  # may be the first half of CRLF
            text, held = text[:-1], b"\r"
        *lines, rest = text.replace(b"\r", b"\n").split(b"\n")
        self._rest = rest + held
        for line in lines:
            event = self._line(line.decode("utf-8", "replace"))
            if event is not None:
                yield event

    def finish(self) -> Iterator[Event]:
        """The last event, where the stream ended without an empty line."""
        yield from self.feed(b"\n\n")

    def _line(self, line: str) -> Event | None:
        if not line:
            event = Event(self._name, "\n".join(self._data)) if self._data else None
            self._name, self._data = "", []
            return event
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        return None


def encode(value: dict[str, Any] | str, name: str = "") -> bytes:
    """One event as bytes."""
    data = value.encode() if isinstance(value, str) else msgspec.json.encode(value)
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + data + b"\n\n"
