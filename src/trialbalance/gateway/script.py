"""A model written by hand: a YAML file of turns, for trials that need no provider at all.

```yaml
schema_version: 1
model: scripted            # the name that the agent sees
turns:
  - text: I start the server.            # said by the model
    calls:
      - tool: terminal                   # the tool's name, with or without the harness's prefix
        arguments: {command: "npm start > /tmp/log 2>&1 & sleep 1; tail /tmp/log"}
  - expect: 'listening on'               # must be in the tool results, else the replay has diverged
    capture:                             # values from the newest tool results
      card: 'textbox "Card number" \\[ref=(\\w+)\\]'
    calls:
      - tool: browser_type
        arguments: {target: "@{card}", text: "4242424242424242"}
  - text: Done.
```
A turn may also have `reasoning`, `stop: length | refusal`, `usage: {prompt_tokens, completion_tokens,
cached_tokens}` and, in place of an answer, `error: {status, message}`: what a failing provider says.
`@{name}` stands for a captured value, `@@{` for the characters themselves. A capture is a regular expression;
its first group counts, else the whole match; the last match in the newest results wins.
"""

import re
from pathlib import Path
from typing import Any

import msgspec
import yaml

from trialbalance.gateway.conversation import Stop, Usage
from trialbalance.gateway.errors import ReplayError

_REFERENCE = re.compile(r"(@?)@\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ScriptedCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool to call."""

    tool: str
    arguments: dict[str, Any] = {}


class ScriptedError(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A provider's failure."""

    status: int
    message: str


class ScriptedTurn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer; see the module."""

    text: str = ""
    reasoning: str = ""
    expect: str | list[str] = []
    capture: dict[str, str] = {}
    calls: list[ScriptedCall] = []
    stop: Stop | None = None
    usage: Usage | None = None
    error: ScriptedError | None = None

    @property
    def expected(self) -> list[str]:
        """The expressions that the newest tool results must match."""
        return [self.expect] if isinstance(self.expect, str) else self.expect


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole script. `aside` answers requests that offer no tools (session titles, summaries): no turn is used."""

    turns: list[ScriptedTurn]
    schema_version: int = 1
    model: str = "scripted"
    aside: str = "Trial"


def load_script(path: Path) -> Script:
    """Read and check a script; raises `ReplayError` that names the place."""
    try:
        document = yaml.safe_load(path.read_text())
    except OSError as error:
        raise ReplayError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ReplayError(f"{path}: the file is not UTF-8 text") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ReplayError(f"{path}:{line}: not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise ReplayError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(document, dict) or "turns" not in document:
        raise ReplayError(f"{path}: a script is a mapping with a list `turns`; see docs/agents.md")
    try:
        script = msgspec.convert(document, Script)
    except msgspec.ValidationError as error:
        raise ReplayError(f"{path}: {_place(str(error))}") from None
    if script.schema_version != 1:
        raise ReplayError(f"{path}: schema_version {script.schema_version} is not known; write 1")
    _check(path, script)
    return script


def fill(value: Any, captured: dict[str, str]) -> Any:
    """The value with every `@{name}` in it replaced."""
    if isinstance(value, str):
        return _REFERENCE.sub(lambda match: _filled(match, captured), value)
    if isinstance(value, dict):
        return {key: fill(item, captured) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, captured) for item in value]
    return value


def _filled(match: re.Match[str], captured: dict[str, str]) -> str:
    if match.group(1):
        return match.group(0)[1:]
    return captured[match.group(2)]


def _check(path: Path, script: Script) -> None:
    if not script.turns:
        raise ReplayError(f"{path}: `turns` is empty; the model must say something")
    known: set[str] = set()
    for number, turn in enumerate(script.turns, 1):
        where = f"{path}: turn {number}"
        for expression in [*turn.expected, *turn.capture.values()]:
            try:
                re.compile(expression)
            except re.error as error:
                raise ReplayError(f"{where}: {expression!r} is no regular expression: {error}") from None
        for name in turn.capture:
            if not _NAME.fullmatch(name):
                raise ReplayError(f"{where}: capture {name!r}: use letters, digits and _ only")
            known.add(name)
        if number == 1 and (turn.capture or turn.expected):
            raise ReplayError(f"{where}: no tool result comes before it, so it can expect or capture nothing")
        if turn.error is not None and (turn.calls or turn.text):
            raise ReplayError(f"{where}: `error` stands alone; put text and calls into another turn")
        if turn.error is not None and not 400 <= turn.error.status <= 599:
            raise ReplayError(f"{where}: error status {turn.error.status} is no HTTP error; write 400 to 599")
        if turn.error is None and not turn.calls and not turn.text and turn.stop is None:
            raise ReplayError(f"{where}: it says nothing; give it `text`, `calls` or `error`")
        for name in sorted(_references([turn.text, *(call.arguments for call in turn.calls)])):
            if name not in known:
                raise ReplayError(
                    f"{where}: @{{{name}}} is captured by no turn up to here (write @@{{ for a plain @{{)"
                )


def _references(value: Any) -> set[str]:
    if isinstance(value, str):
        return {match.group(2) for match in _REFERENCE.finditer(value) if not match.group(1)}
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return set().union(*(_references(item) for item in value))
    return set()


def _place(message: str) -> str:
    """`$.turns[2].calls[0]` counts from 0; people count turns from 1."""
    said, _, path = message.partition(" - at `$")
    path = path.rstrip("`").removeprefix(".")
    path = re.sub(r"\bturns\[(\d+)\]", lambda match: f"turn {int(match.group(1)) + 1}", path)
    return f"{path}: {said}" if path else said
