"""A conversation with a model, free of any provider's dialect.

Every dialect reads its requests into a `Conversation` and its responses into a `Turn`, and writes a
`Turn` back; so a recording made in one dialect can be served in another.
"""

from collections.abc import Collection
from typing import Any, Literal

import msgspec

Role = Literal["system", "user", "assistant", "tool"]
Stop = Literal["stop", "tool_calls", "length", "refusal"]


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one call or of many.

    `prompt_tokens` counts everything that was sent; `cached_tokens` (read from the provider's cache) and
    `cache_write_tokens` (written to it) are parts of it.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """Prompt and completion together: what a token limit counts."""
        return self.prompt_tokens + self.completion_tokens

    def plus(self, other: "Usage") -> "Usage":
        """The sum of two."""
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
        )


class ToolCall(msgspec.Struct, frozen=True):
    """The model asks for a tool. `arguments` is an object, or the raw text where it was no JSON object."""

    id: str
    name: str
    arguments: dict[str, Any] | str

    @property
    def arguments_json(self) -> str:
        """The arguments as the JSON text that the OpenAI dialects carry."""
        if isinstance(self.arguments, str):
            return self.arguments
        return msgspec.json.encode(self.arguments).decode()

    @property
    def arguments_object(self) -> dict[str, Any]:
        """The arguments as an object; text that is none comes under the key `_raw`."""
        if isinstance(self.arguments, str):
            return {"_raw": self.arguments}
        return self.arguments


def decode_arguments(text: str) -> dict[str, Any] | str:
    """Tool arguments from JSON text; what is not a JSON object stays text."""
    try:
        value = msgspec.json.decode(text or "{}")
    except msgspec.DecodeError:
        return text
    return value if isinstance(value, dict) else text


class ToolResult(msgspec.Struct, frozen=True):
    """What a tool answered; images are only counted."""

    call_id: str
    text: str
    images: int = 0


class Message(msgspec.Struct, frozen=True):
    """One message. Tool results always have a message of role `tool` of their own."""

    role: Role
    text: str = ""
    images: int = 0
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


class Conversation(msgspec.Struct, frozen=True):
    """What an agent sent: the system prompt, the messages so far and the names of the tools on offer."""

    model: str
    system: str = ""
    messages: tuple[Message, ...] = ()
    tools: tuple[str, ...] = ()
    stream: bool = False

    def new_results(self, calls: Collection[str] = ()) -> tuple[ToolResult, ...]:
        """The tool results since the model last spoke, and those of `calls`, ids of its last turn.

        Some agents tell a turn with several calls as several turns, each call followed by its result.
        """
        results: list[ToolResult] = []
        spoken = False
        for message in reversed(self.messages):
            spoken = spoken or message.role == "assistant"
            results[:0] = [result for result in message.results if not spoken or result.call_id in calls]
        return tuple(results)

    def tool_of(self, call_id: str) -> str:
        """The name of the tool that a call id stands for; empty where it is unknown."""
        for message in reversed(self.messages):
            for call in message.calls:
                if call.id == call_id:
                    return call.name
        return ""


class Turn(msgspec.Struct, frozen=True):
    """One answer of the model."""

    id: str
    model: str
    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = "stop"
    usage: Usage = Usage()
