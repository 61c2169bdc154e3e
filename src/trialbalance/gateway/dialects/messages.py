"""Anthropic's messages API, which Claude Code and goose (with Claude models) speak.

Source: https://docs.claude.com/en/api/messages and https://docs.claude.com/en/docs/build-with-claude/streaming
"""

from collections.abc import Iterable
from typing import Any, Literal

from trialbalance.gateway import sse
from trialbalance.gateway.conversation import (
    Conversation,
    Message,
    Stop,
    ToolCall,
    ToolResult,
    Turn,
    Usage,
    decode_arguments,
)
from trialbalance.gateway.dialects.content import count, mapping, objects, pieces, read_content, text
from trialbalance.gateway.dialects.dialect import Json, StreamFault
from trialbalance.gateway.errors import BadRequest, CallRefused

_STOPS: dict[str, Stop] = {
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_REASONS: dict[Stop, str] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "refusal": "refusal",
}
_ERRORS = {
    "authentication": "authentication_error",
    "quota": "billing_error",
    "rate_limit": "rate_limit_error",
    "overloaded": "overloaded_error",
    "turn_limit": "permission_error",
    "token_limit": "permission_error",
    "replay_diverged": "permission_error",
    "bad_request": "invalid_request_error",
    "invalid_request": "invalid_request_error",
    "context_length": "invalid_request_error",
}


class Messages:
    """POST /v1/messages."""

    name = "messages"
    provider: Literal["openai", "anthropic"] = "anthropic"
    path = "/messages"
    history = "messages"

    def conversation(self, body: Json) -> Conversation:
        """Read a request. A user message that holds tool results becomes messages of role `tool` and, if it
        also says something, one of the user."""
        if not isinstance(body.get("messages"), list):
            raise BadRequest("messages: the request has no list `messages`")
        messages: list[Message] = []
        for item in objects(body["messages"]):
            messages += _messages(item)
        return Conversation(
            model=text(body.get("model")),
            system=read_content(body.get("system")).text,
            messages=tuple(messages),
            tools=tuple(text(tool.get("name")) for tool in objects(body.get("tools")) if tool.get("name")),
            stream=bool(body.get("stream")),
        )

    def turn(self, response: Json) -> Turn:
        """Read a whole response."""
        blocks = objects(response.get("content"))
        return Turn(
            id=text(response.get("id")),
            model=text(response.get("model")),
            text="".join(text(block.get("text")) for block in blocks if block.get("type") == "text"),
            reasoning="\n".join(text(block["thinking"]) for block in blocks if "thinking" in block),
            calls=tuple(_call(block) for block in blocks if block.get("type") == "tool_use"),
            stop=_STOPS.get(text(response.get("stop_reason")), "stop"),
            usage=_usage(mapping(response.get("usage"))),
        )

    def assemble(self, events: Iterable[sse.Event]) -> Json:
        """Join the blocks of a stream."""
        whole: Json = {"type": "message", "role": "assistant"}
        blocks: dict[int, Json] = {}
        partial: dict[int, str] = {}
        for event in events:
            data = event.json() or {}
            kind = text(data.get("type")) or event.name
            if kind == "message_start":
                whole.update(mapping(data.get("message")))
            elif kind == "content_block_start":
                blocks[count(data.get("index"))] = dict(mapping(data.get("content_block")))
            elif kind == "content_block_delta":
                index = count(data.get("index"))
                _join(blocks.setdefault(index, {}), partial, index, mapping(data.get("delta")))
            elif kind == "message_delta":
                whole.update(mapping(data.get("delta")))
                whole["usage"] = {**mapping(whole.get("usage")), **mapping(data.get("usage"))}
        for index, json_text in partial.items():
            arguments = decode_arguments(json_text)
            blocks[index]["input"] = arguments if isinstance(arguments, dict) else {"_raw": arguments}
        whole["content"] = [blocks[index] for index in sorted(blocks)]
        return whole

    def fault(self, event: sse.Event) -> StreamFault | None:
        """`error` events."""
        data = event.json() or {}
        if (text(data.get("type")) or event.name) != "error":
            return None
        error = mapping(data.get("error"))
        return StreamFault(text(error.get("type")), text(error.get("message")) or "error in the stream")

    def response(self, turn: Turn, body: Json) -> Json:
        """Write a turn."""
        return {
            "id": turn.id,
            "type": "message",
            "role": "assistant",
            "model": turn.model,
            "content": _blocks(turn),
            "stop_reason": _REASONS[turn.stop],
            "stop_sequence": None,
            "usage": _write_usage(turn.usage),
        }

    def stream(self, turn: Turn, body: Json) -> bytes:
        """Write a turn as events."""
        whole = self.response(turn, body)
        started = {
            **whole,
            "content": [],
            "stop_reason": None,
            "usage": {**whole["usage"], "output_tokens": 1},
        }
        events: list[Json] = [{"type": "message_start", "message": started}]
        for index, block in enumerate(whole["content"]):
            events += _block_events(index, block)
        delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        output = {"output_tokens": turn.usage.completion_tokens}
        events += [{"type": "message_delta", "delta": delta, "usage": output}, {"type": "message_stop"}]
        return b"".join(sse.encode(event, event["type"]) for event in events)

    def error(self, refusal: CallRefused) -> Json:
        """Write an error."""
        kind = _ERRORS.get(refusal.kind, "api_error")
        return {"type": "error", "error": {"type": kind, "message": refusal.message}}

    def prepare(self, body: Json, model: str) -> Json:
        """Usage always comes with the stream."""
        return {**body, "model": model}


def _messages(item: Json) -> list[Message]:
    content = item.get("content")
    blocks = objects(content)
    calls = tuple(_call(block) for block in blocks if block.get("type") == "tool_use")
    said = read_content(content if isinstance(content, str) else _spoken(blocks))
    if item.get("role") == "assistant":
        return [Message("assistant", said.text, calls=calls)]
    found: list[Message] = []
    for block in blocks:
        if block.get("type") == "tool_result":
            inner = read_content(block.get("content"))
            result = ToolResult(text(block.get("tool_use_id")), inner.text, inner.images)
            found.append(Message("tool", results=(result,)))
    if said.text or said.images:
        found.append(Message("user", said.text, said.images))
    return found


def _spoken(blocks: list[Json]) -> list[Json]:
    return [block for block in blocks if block.get("type") in ("text", "image")]


def _call(block: Json) -> ToolCall:
    return ToolCall(text(block.get("id")), text(block.get("name")), mapping(block.get("input")))


def _join(block: Json, partial: dict[int, str], index: int, delta: Json) -> None:
    if delta.get("type") == "input_json_delta":
        partial[index] = partial.get(index, "") + text(delta.get("partial_json"))
        return
    for key in ("text", "thinking", "signature"):
        if key in delta:
            block[key] = text(block.get(key)) + text(delta[key])


def _blocks(turn: Turn) -> list[Json]:
    blocks: list[Json] = []
    if turn.text or not turn.calls:
        blocks.append({"type": "text", "text": turn.text})
    for call in turn.calls:
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments_object})
    return blocks


def _block_events(index: int, block: Json) -> list[Json]:
    if block["type"] == "text":
        start: dict[str, Any] = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
    else:
        start = {**block, "input": {}}
        whole = ToolCall(block["id"], block["name"], block["input"]).arguments_json
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces(whole)]
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def _usage(usage: Json) -> Usage:
    read, written = (
        count(usage.get("cache_read_input_tokens")),
        count(usage.get("cache_creation_input_tokens")),
    )
    return Usage(
        prompt_tokens=count(usage.get("input_tokens")) + read + written,
        completion_tokens=count(usage.get("output_tokens")),
        cached_tokens=read,
        cache_write_tokens=written,
    )


def _write_usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.prompt_tokens - usage.cached_tokens - usage.cache_write_tokens,
        "output_tokens": usage.completion_tokens,
        "cache_read_input_tokens": usage.cached_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
    }
