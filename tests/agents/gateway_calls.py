"""Calls as the gateway would have recorded them."""

from typing import Any

from trialbalance.gateway import Answered, Call, CallError, ToolCall, Turn, Usage

TOOLS = [{"type": "function", "function": {"name": "trial__terminal"}}]


def answer(*calls: str, text: str = "", stop: Any = None, **changes: Any) -> Answered:
    """An answer of the model; every argument is the id of a call that it makes."""
    asked = tuple(ToolCall(id, "trial__terminal", {"command": id}) for id in calls)
    usage = Usage(100, 10, 50, 5)
    turn = Turn("a", "m-1", text, "", asked, stop or ("tool_calls" if calls else "stop"), usage)
    return Answered(call(usage=usage, response={}, **changes), turn)


def failure(kind: Any, message: str = "went wrong", **changes: Any) -> Answered:
    """A call that brought an error."""
    return Answered(call(error=CallError(kind, message), status=500, **changes), None)


def call(**changes: Any) -> Call:
    """A recorded call."""
    fields: dict[str, Any] = {
        "seq": 1,
        "at": 1796047931.0,
        "dialect": "chat-completions",
        "model": "m",
        "request": {"messages": [], "tools": TOOLS},
        "response": None,
        "latency": 2.0,
        "status": 200,
        "cost_usd": 0.5,
    }
    return Call(**{**fields, **changes})
