"""OpenAI's chat completions, which most compatible servers and goose speak.

Source: https://platform.openai.com/docs/api-reference/chat
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
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "refusal",
}
_FINISH: dict[Stop, str] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "length": "length",
    "refusal": "content_filter",
}


class ChatCompletions:
    """POST /v1/chat/completions."""

    name = "chat-completions"
    provider: Literal["openai", "anthropic"] = "openai"
    path = "/chat/completions"
    history = "messages"

    def conversation(self, body: Json) -> Conversation:
        """Read a request."""
        if not isinstance(body.get("messages"), list):
            raise BadRequest("chat-completions: the request has no list `messages`")
        system: list[str] = []
        messages: list[Message] = []
        for item in objects(body["messages"]):
            content = read_content(item.get("content"))
            role = text(item.get("role"))
            if role in ("system", "developer"):
                system.append(content.text)
            elif role == "tool":
                result = ToolResult(text(item.get("tool_call_id")), content.text, content.images)
                messages.append(Message("tool", results=(result,)))
            elif role == "assistant":
                messages.append(Message("assistant", content.text, calls=_calls(item)))
            else:
                messages.append(Message("user", content.text, content.images))
        tools = (text(mapping(tool.get("function")).get("name")) for tool in objects(body.get("tools")))
        return Conversation(
            model=text(body.get("model")),
            system="\n\n".join(system),
            messages=tuple(messages),
            tools=tuple(name for name in tools if name),
            stream=bool(body.get("stream")),
        )

    def turn(self, response: Json) -> Turn:
        """Read a whole response."""
        choices = objects(response.get("choices"))
        choice = choices[0] if choices else {}
        message = mapping(choice.get("message"))
        refusal = text(message.get("refusal"))
        stop = _STOPS.get(text(choice.get("finish_reason")), "stop")
        return Turn(
            id=text(response.get("id")),
            model=text(response.get("model")),
            text=read_content(message.get("content")).text or refusal,
            reasoning=text(message.get("reasoning_content")) or text(message.get("reasoning")),
            calls=_calls(message),
            stop="refusal" if refusal else stop,
            usage=_usage(mapping(response.get("usage"))),
        )

    def assemble(self, events: Iterable[sse.Event]) -> Json:
        """Join the deltas of a stream."""
        whole: Json = {"object": "chat.completion"}
        message: Json = {"role": "assistant", "content": None}
        calls: dict[int, Json] = {}
        finish: str | None = None
        for event in events:
            chunk = event.json()
            if chunk is None:
                continue
            whole.update({key: chunk[key] for key in ("id", "created", "model") if chunk.get(key)})
            if isinstance(chunk.get("usage"), dict):
                whole["usage"] = chunk["usage"]
            for choice in objects(chunk.get("choices")):
                finish = choice.get("finish_reason") or finish
                _join(message, calls, mapping(choice.get("delta")))
        if calls:
            message["tool_calls"] = [calls[index] for index in sorted(calls)]
        whole["choices"] = [{"index": 0, "message": message, "finish_reason": finish}]
        return whole

    def fault(self, event: sse.Event) -> StreamFault | None:
        """Compatible servers put `{"error": {...}}` into the stream."""
        error = (event.json() or {}).get("error")
        if not error:
            return None
        return StreamFault(
            text(mapping(error).get("type")), text(mapping(error).get("message")) or str(error)
        )

    def response(self, turn: Turn, body: Json) -> Json:
        """Write a turn."""
        message: Json = {"role": "assistant", "content": turn.text or None}
        if turn.reasoning:
            message["reasoning_content"] = turn.reasoning
        if turn.calls:
            message["tool_calls"] = [_call(call) for call in turn.calls]
        choice = {"index": 0, "message": message, "finish_reason": _FINISH[turn.stop]}
        head = {"id": turn.id, "object": "chat.completion", "created": 0, "model": turn.model}
        return {**head, "choices": [choice], "usage": _write_usage(turn.usage)}

    def stream(self, turn: Turn, body: Json) -> bytes:
        """Write a turn as chunks."""
        head = {"id": turn.id, "object": "chat.completion.chunk", "created": 0, "model": turn.model}

        def chunk(delta: Json, finish: str | None = None) -> bytes:
            return sse.encode({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

        out = [chunk({"role": "assistant", "content": ""})]
        out += [chunk({"reasoning_content": piece}) for piece in pieces(turn.reasoning)]
        out += [chunk({"content": piece}) for piece in pieces(turn.text)]
        for index, call in enumerate(turn.calls):
            opened = _call(call)
            opened["function"]["arguments"] = ""
            out.append(chunk({"tool_calls": [{"index": index, **opened}]}))
            for piece in pieces(call.arguments_json):
                out.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
        out.append(chunk({}, _FINISH[turn.stop]))
        if mapping(body.get("stream_options")).get("include_usage"):
            out.append(sse.encode({**head, "choices": [], "usage": _write_usage(turn.usage)}))
        return b"".join([*out, sse.encode("[DONE]")])

    def error(self, refusal: CallRefused) -> Json:
        """Write an error."""
        return {
            "error": {"message": refusal.message, "type": refusal.kind, "param": None, "code": refusal.kind}
        }

    def prepare(self, body: Json, model: str) -> Json:
        """Without `include_usage` a stream would not say what it cost."""
        prepared = {**body, "model": model}
        if body.get("stream"):
            prepared["stream_options"] = {**mapping(body.get("stream_options")), "include_usage": True}
        return prepared


def _calls(message: Json) -> tuple[ToolCall, ...]:
    calls = []
    for item in objects(message.get("tool_calls")):
        function = mapping(item.get("function"))
        arguments = decode_arguments(text(function.get("arguments")))
        calls.append(ToolCall(text(item.get("id")), text(function.get("name")), arguments))
    return tuple(calls)


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments_json},
    }


def _join(message: Json, calls: dict[int, Json], delta: Json) -> None:
    for key, value in delta.items():
        if key == "tool_calls":
            for item in objects(value):
                _join_call(calls, item)
        elif key != "role" and isinstance(value, str):
            message[key] = (message.get(key) or "") + value


def _join_call(calls: dict[int, Json], item: Json) -> None:
    index = count(item.get("index"))
    call = calls.setdefault(index, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
    function = mapping(item.get("function"))
    call["id"] = text(item.get("id")) or call["id"]
    call["function"]["name"] += text(function.get("name"))
    call["function"]["arguments"] += text(function.get("arguments"))


def _usage(usage: Json) -> Usage:
    return Usage(
        prompt_tokens=count(usage.get("prompt_tokens")),
        completion_tokens=count(usage.get("completion_tokens")),
        cached_tokens=count(mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
    )


def _write_usage(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    }
