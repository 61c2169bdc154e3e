"""goose's own account of its work."""

import json
from typing import Any

from trialbalance.agents.goose.stream import read_stream
from trialbalance.agents.transcript import Notice, Picture, ToolAnswer


def message(role: str, *content: dict[str, Any], id: str | None = None) -> str:
    return json.dumps(
        {"type": "message", "message": {"id": id, "role": role, "created": 1, "content": content}}
    )


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def response(id: str, *content: dict[str, Any], error: bool = False) -> dict[str, Any]:
    value = {"content": list(content), "isError": error}
    return {"type": "toolResponse", "id": id, "toolResult": {"status": "success", "value": value}}


def test_answers_of_tools_are_found_by_call_with_pictures() -> None:
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    lines = [
        message("assistant", {"type": "toolRequest", "id": "c1"}, id="a1"),
        message("user", response("c1", text("one"), text("two"), image)),
        message(
            "user", {"type": "toolResponse", "id": "c2", "toolResult": {"status": "error", "error": "gone"}}
        ),
        '{"type":"complete","total_tokens":3}',
    ]
    transcript = read_stream(lines, frozenset({"a1"}))
    assert transcript.take_answer("c1") == ToolAnswer("one\ntwo", (Picture("image/png", "aGk="),))
    assert transcript.take_answer("c1") is None
    assert transcript.take_answer("c2") == ToolAnswer("gone")
    assert transcript.notices == [] and transcript.complaint == ""


def test_gooses_own_words_are_told_apart_from_the_models() -> None:
    lines = [
        "Warning: Failed to start extension 'trial'",
        message("assistant", text("I "), id="a1"),
        message("assistant", text("work."), id="a1"),
        message("assistant", text("Compac"), id="g1"),
        message("assistant", text("ting."), id="g1"),
        message("assistant", {"type": "systemNotification", "msg": "Please add credits."}),
        message("assistant", text("Ran into this error.")),
        "",
    ]
    transcript = read_stream(lines, frozenset({"a1"}))
    assert transcript.notices == [
        Notice(1, "Compacting."),
        Notice(1, "Please add credits."),
        Notice(1, "Ran into this error."),
    ]
    assert transcript.remarks == ["Warning: Failed to start extension 'trial'"]
    assert transcript.complaint == "Ran into this error."


def test_lines_of_any_other_shape_do_no_harm() -> None:
    lines = [
        "[]",
        "3",
        '{"message": 4}',
        '{"message": {"content": [5, {"type": "text"}], "role": "assistant"}}',
    ]
    assert read_stream(lines, frozenset()).notices == []
