"""`gateway/calls.jsonl`: every call of a trial's model, one line each, in the order they came.

```
{"schema_version": "1", "seq": 1, "at": 1796047931.3, "dialect": "chat-completions", "model": "gpt-5",
 "request": {…}, "elided": {"seq": 1, "messages": 12} or null, "response": {…} or null,
 "usage": {"prompt_tokens": …, "completion_tokens": …, "cached_tokens": …, "cache_write_tokens": …},
 "cost_usd": 0.0123 or null, "latency": 1.204, "status": 200, "attempts": 1,
 "error": {"kind": "rate_limit", "message": "…"} or null, "notes": ["…"]}
```
A conversation is sent again with every call. Messages that an earlier line's request already begins with are
left out: `elided` says from which line the first `messages` of them come, and `read_calls` puts them back.
No header and no key is ever written.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from trialbalance.gateway.conversation import Usage
from trialbalance.gateway.dialects import Dialect, dialect_named
from trialbalance.gateway.errors import Refusal, ReplayError

SCHEMA = "1"


class CallError(msgspec.Struct, frozen=True):
    """Why a call was answered with an error."""

    kind: Refusal
    message: str


class Elided(msgspec.Struct, frozen=True):
    """The first `messages` messages are those of the request in line `seq`."""

    seq: int
    messages: int


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call. `at` is Unix seconds, `latency` seconds until the answer was complete."""

    schema_version: str = SCHEMA
    seq: int
    at: float
    dialect: str
    model: str
    request: dict[str, Any]
    elided: Elided | None = None
    response: dict[str, Any] | None
    usage: Usage = Usage()
    cost_usd: float | None = None
    latency: float
    status: int
    attempts: int = 1
    error: CallError | None = None
    notes: tuple[str, ...] = ()


class CallLog:
    """Writes calls as they happen; each line is on disk before the agent has the answer's end."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file = path.open("wb")
        self._last: Call | None = None

    def write(self, call: Call, dialect: Dialect) -> None:
        """Append one call."""
        line = call
        if self._last is not None and self._last.dialect == call.dialect:
            line = _elide(call, self._last, dialect.history)
        self._last = call
        self._file.write(msgspec.json.encode(line) + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Nothing can be written afterwards."""
        self._file.close()


def read_calls(path: Path) -> Iterator[Call]:
    """The calls of a log with their requests whole; raises `ReplayError` with the line that is wrong."""
    earlier: dict[int, Call] = {}
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ReplayError(f"{path}: {error.strerror or error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        call = _restore(_decode(line, f"{path}:{number}"), earlier, f"{path}:{number}")
        earlier[call.seq] = call
        yield call


def _decode(line: bytes, where: str) -> Call:
    try:
        call = msgspec.json.decode(line, type=Call)
    except msgspec.DecodeError as error:
        raise ReplayError(f"{where}: not a recorded call: {error}") from None
    if call.schema_version != SCHEMA:
        raise ReplayError(
            f"{where}: schema_version {call.schema_version!r} is not known; upgrade trialbalance"
        )
    try:
        dialect_named(call.dialect)
    except ReplayError as error:
        raise ReplayError(f"{where}: {error}") from None
    return call


def _elide(call: Call, last: Call, history: str) -> Call:
    messages, before = call.request.get(history), last.request.get(history)
    if not isinstance(messages, list) or not isinstance(before, list):
        return call
    same = 0
    for ours, theirs in zip(messages, before, strict=False):
        if ours != theirs:
            break
        same += 1
    if same == 0:
        return call
    request = {**call.request, history: messages[same:]}
    return msgspec.structs.replace(call, request=request, elided=Elided(last.seq, same))


def _restore(call: Call, earlier: dict[int, Call], where: str) -> Call:
    if call.elided is None:
        return call
    history = dialect_named(call.dialect).history
    source = earlier.get(call.elided.seq)
    before = source.request.get(history) if source is not None else None
    kept = call.request.get(history)
    if not isinstance(before, list) or not isinstance(kept, list) or len(before) < call.elided.messages:
        raise ReplayError(f"{where}: the messages it takes from call {call.elided.seq} are not there")
    request = {**call.request, history: before[: call.elided.messages] + kept}
    return msgspec.structs.replace(call, request=request, elided=None)
