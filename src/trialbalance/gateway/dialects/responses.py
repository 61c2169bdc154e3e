"""OpenAI's responses API, which Codex and goose (with some models) speak.

Source: https://platform.openai.com/docs/api-reference/responses
"""

from collections.abc import Iterable
from typing import Literal

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

_RESULTS = ("function_call_output", "custom_tool_call_output")


class Responses:
    """POST /v1/responses."""

    name = "responses"
    provider: Literal["openai", "anthropic"] = "openai"
    path = "/responses"
    history = "input"

    def conversation(self, body: Json) -> Conversation:
        """Read a request; an `input` that is plain text is one message of the user."""
        given = body.get("input")
        if not isinstance(given, str | list):
            raise BadRequest("responses: the request has no `input`")
        system = [text(body.get("instructions"))]
        messages: list[Message] = []
        for item in [{"role": "user", "content": given}] if isinstance(given, str) else objects(given):
            message = _message(item)
            if message is not None and message.role == "system":
                system.append(message.text)
            elif message is not None:
                messages.append(message)
        return Conversation(
            model=text(body.get("model")),
            system="\n\n".join(part for part in system if part),
            messages=tuple(messages),
            tools=tuple(_tools(body)),
            stream=bool(body.get("stream")),
        )

    def turn(self, response: Json) -> Turn:
        """Read a whole response."""
        texts: list[str] = []
        reasoning: list[str] = []
        calls: list[ToolCall] = []
        refused = False
        for item in objects(response.get("output")):
            kind = item.get("type")
            if kind == "message":
                for part in objects(item.get("content")):
                    refused = refused or part.get("type") == "refusal"
                    texts.append(text(part.get("text")) or text(part.get("refusal")))
            elif kind == "reasoning":
                reasoning += [text(part.get("text")) for part in objects(item.get("summary"))]
            elif kind in ("function_call", "custom_tool_call"):
                calls.append(_read_call(item))
        return Turn(
            id=text(response.get("id")),
            model=text(response.get("model")),
            text="".join(texts),
            reasoning="\n".join(reasoning),
            calls=tuple(calls),
            stop=_stop(response, bool(calls), refused),
            usage=_usage(mapping(response.get("usage"))),
        )

    def assemble(self, events: Iterable[sse.Event]) -> Json:
        """The last event carries the whole response; before it, the finished items do."""
        whole: Json = {"object": "response", "output": []}
        items: list[Json] = []
        for event in events:
            data = event.json() or {}
            kind = text(data.get("type")) or event.name
            if kind == "response.output_item.done":
                items.append(mapping(data.get("item")))
            elif isinstance(data.get("response"), dict):
                whole = data["response"]
        if not whole.get("output"):
            whole = {**whole, "output": items}
        return whole

    def fault(self, event: sse.Event) -> StreamFault | None:
        """`error` and `response.failed` events."""
        data = event.json() or {}
        kind = text(data.get("type")) or event.name
        if kind == "response.failed":
            error = mapping(mapping(data.get("response")).get("error"))
        elif kind == "error":
            error = mapping(data.get("error")) or data
        else:
            return None
        return StreamFault(
            text(error.get("code")) or text(error.get("type")), text(error.get("message")) or kind
        )

    def response(self, turn: Turn, body: Json) -> Json:
        """Write a turn."""
        spaces = _namespaces(body)
        output: list[Json] = []
        if turn.reasoning:
            summary = [{"type": "summary_text", "text": turn.reasoning}]
            output.append({"type": "reasoning", "id": f"rs_{turn.id}", "summary": summary})
        if turn.text or not turn.calls:
            part = {"type": "output_text", "text": turn.text, "annotations": []}
            if turn.stop == "refusal":
                part = {"type": "refusal", "refusal": turn.text}
            head = {"type": "message", "id": f"msg_{turn.id}", "role": "assistant", "status": "completed"}
            output.append({**head, "content": [part]})
        output += [_write_call(call, spaces) for call in turn.calls]
        incomplete = {"reason": "max_output_tokens"} if turn.stop == "length" else None
        return {
            "id": turn.id,
            "object": "response",
            "created_at": 0,
            "status": "incomplete" if incomplete else "completed",
            "incomplete_details": incomplete,
            "error": None,
            "model": turn.model,
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": _write_usage(turn.usage),
        }

    def stream(self, turn: Turn, body: Json) -> bytes:
        """Write a turn as events."""
        whole = self.response(turn, body)
        events: list[Json] = [
            {
                "type": "response.created",
                "response": {**whole, "status": "in_progress", "output": [], "usage": None},
            }
        ]
        for index, item in enumerate(whole["output"]):
            events += _item_events(index, item)
        events.append({"type": f"response.{whole['status']}", "response": whole})
        return b"".join(
            sse.encode({**event, "sequence_number": number}, event["type"])
            for number, event in enumerate(events)
        )

    def error(self, refusal: CallRefused) -> Json:
        """Write an error."""
        return {
            "error": {"message": refusal.message, "type": refusal.kind, "param": None, "code": refusal.kind}
        }

    def prepare(self, body: Json, model: str) -> Json:
        """Usage always comes with the last event."""
        return {**body, "model": model}


def _message(item: Json) -> Message | None:
    kind = text(item.get("type")) or "message"
    if kind in _RESULTS:
        content = read_content(item.get("output"))
        return Message("tool", results=(ToolResult(text(item.get("call_id")), content.text, content.images),))
    if kind in ("function_call", "custom_tool_call"):
        return Message("assistant", calls=(_read_call(item),))
    if kind != "message":
        return None
    content = read_content(item.get("content"))
    role = text(item.get("role"))
    if role in ("system", "developer"):
        return Message("system", content.text)
    if role == "assistant":
        return Message("assistant", content.text)
    return Message("user", content.text, content.images)


def _tools(body: Json) -> list[str]:
    names: list[str] = []
    for tool in objects(body.get("tools")):
        name = text(tool.get("name")) or text(tool.get("type"))
        if tool.get("type") == "namespace":
            names += [f"{name}__{text(inner.get('name'))}" for inner in objects(tool.get("tools"))]
        elif name:
            names.append(name)
    return names


def _namespaces(body: Json) -> dict[str, tuple[str, str]]:
    """Tools that must be called by namespace and name: Codex offers MCP tools so."""
    return {
        f"{text(tool.get('name'))}__{text(inner.get('name'))}": (
            text(tool.get("name")),
            text(inner.get("name")),
        )
        for tool in objects(body.get("tools"))
        if tool.get("type") == "namespace"
        for inner in objects(tool.get("tools"))
    }


def _read_call(item: Json) -> ToolCall:
    name = text(item.get("name"))
    if text(item.get("namespace")):
        name = f"{item['namespace']}__{name}"
    arguments = decode_arguments(text(item.get("arguments")) or text(item.get("input")))
    return ToolCall(text(item.get("call_id")), name, arguments)


def _write_call(call: ToolCall, spaces: dict[str, tuple[str, str]]) -> Json:
    item: Json = {
        "type": "function_call",
        "id": f"fc_{call.id}",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments_json,
        "status": "completed",
    }
    if call.name in spaces:
        item["namespace"], item["name"] = spaces[call.name]
    return item


def _item_events(index: int, item: Json) -> list[Json]:
    events: list[Json] = [{"type": "response.output_item.added", "output_index": index, "item": item}]
    if item["type"] == "message" and item["content"][0]["type"] == "output_text":
        place = {"item_id": item["id"], "output_index": index, "content_index": 0}
        for piece in pieces(item["content"][0]["text"]):
            events.append({"type": "response.output_text.delta", **place, "delta": piece})
    return [*events, {"type": "response.output_item.done", "output_index": index, "item": item}]


def _stop(response: Json, calls: bool, refused: bool) -> Stop:
    reason = text(mapping(response.get("incomplete_details")).get("reason"))
    if refused or reason == "content_filter":
        return "refusal"
    if reason == "max_output_tokens":
        return "length"
    return "tool_calls" if calls else "stop"


def _usage(usage: Json) -> Usage:
    return Usage(
        prompt_tokens=count(usage.get("input_tokens")),
        completion_tokens=count(usage.get("output_tokens")),
        cached_tokens=count(mapping(usage.get("input_tokens_details")).get("cached_tokens")),
    )


def _write_usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.prompt_tokens,
        "input_tokens_details": {"cached_tokens": usage.cached_tokens},
        "output_tokens": usage.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.total_tokens,
    }
