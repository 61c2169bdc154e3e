"""Every dialect reads what providers and agents send, and reads back what it writes."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialbalance.gateway.conversation import ToolCall, Turn, Usage
from trialbalance.gateway.dialects import DIALECTS, Dialect, dialect_at, dialect_named
from trialbalance.gateway.errors import BadRequest, LimitReached, ReplayError
from trialbalance.gateway.sse import EventReader

each_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)

arguments = st.dictionaries(
    st.text(min_size=1, max_size=8), st.one_of(st.text(), st.integers(-9, 9), st.booleans())
)
calls = st.lists(
    st.builds(ToolCall, st.uuids().map(str), st.sampled_from(["terminal", "trial__click"]), arguments)
)
turns = st.builds(
    Turn,
    id=st.just("turn-1"),
    model=st.just("m"),
    text=st.text(max_size=500),
    calls=calls.map(tuple),
    usage=st.builds(
        lambda plain, cached, said: Usage(plain + cached, said, cached),
        st.integers(0, 999),
        st.integers(0, 999),
        st.integers(0, 999),
    ),
).map(lambda turn: msgspec.structs.replace(turn, stop="tool_calls" if turn.calls else "stop"))


def streamed(dialect: Dialect, turn: Turn, body: dict[str, Any], cut: int) -> Turn:
    """The turn after a journey through the dialect's stream, delivered in pieces of `cut` bytes."""
    reader, raw = EventReader(), dialect.stream(turn, body)
    events = [event for start in range(0, len(raw), cut) for event in reader.feed(raw[start : start + cut])]
    return dialect.turn(dialect.assemble([*events, *reader.finish()]))


@each_dialect
@given(turn=turns)
def test_a_turn_survives_a_response(dialect: Dialect, turn: Turn) -> None:
    assert dialect.turn(dialect.response(turn, {})) == turn


@each_dialect
@given(turn=turns, cut=st.integers(1, 64))
def test_a_turn_survives_a_stream_however_it_is_cut(dialect: Dialect, turn: Turn, cut: int) -> None:
    assert streamed(dialect, turn, {"stream": True, "stream_options": {"include_usage": True}}, cut) == turn


@each_dialect
@pytest.mark.parametrize("stop", ["length", "refusal"])
def test_why_the_model_stopped_survives(dialect: Dialect, stop: Any) -> None:
    turn = Turn(id="t", model="m", text="I cannot", stop=stop, usage=Usage(3, 2))
    assert dialect.turn(dialect.response(turn, {})) == turn
    assert streamed(dialect, turn, {"stream_options": {"include_usage": True}}, 10) == turn


REQUESTS: dict[str, dict[str, Any]] = {
    "chat-completions": {
        "model": "m",
        "stream": True,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {}}],
            },
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "function": {"name": "t__run", "arguments": '{"command":"ls"}'}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
        ],
        "tools": [{"type": "function", "function": {"name": "t__run"}}],
    },
    "responses": {
        "model": "m",
        "stream": True,
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Look"}, {"type": "input_image"}]},
            {"type": "reasoning", "summary": []},
            {
                "type": "function_call",
                "call_id": "c1",
                "namespace": "t",
                "name": "run",
                "arguments": '{"command":"ls"}',
            },
            {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
        ],
        "tools": [{"type": "namespace", "name": "t", "tools": [{"type": "function", "name": "run"}]}],
    },
    "messages": {
        "model": "m",
        "stream": True,
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Look"}, {"type": "image", "source": {}}]},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c1", "name": "t__run", "input": {"command": "ls"}}],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "c1",
                        "content": [{"type": "text", "text": "a.txt"}],
                    }
                ],
            },
        ],
        "tools": [{"name": "t__run"}],
    },
}


@each_dialect
def test_the_same_conversation_reads_the_same_in_every_dialect(dialect: Dialect) -> None:
    assert dialect.conversation(REQUESTS[dialect.name]) == DIALECTS[0].conversation(
        REQUESTS["chat-completions"]
    )


@each_dialect
def test_a_request_without_messages_is_refused_by_name(dialect: Dialect) -> None:
    with pytest.raises(BadRequest, match=f"{dialect.name}: the request has no"):
        dialect.conversation({"model": "m"})


@each_dialect
def test_errors_are_written_where_clients_look_for_them(dialect: Dialect) -> None:
    written = dialect.error(LimitReached("token_limit", "this trial has used its tokens"))
    assert written["error"]["message"] == "this trial has used its tokens"


def test_codex_tools_in_a_namespace_are_called_by_both_names() -> None:
    turn = Turn(id="r", model="m", calls=(ToolCall("c1", "t__run", {"command": "ls"}),), stop="tool_calls")
    item = dialect_named("responses").response(turn, REQUESTS["responses"])["output"][0]
    assert (item["namespace"], item["name"]) == ("t", "run")


def test_arguments_that_are_no_json_stay_as_they_are() -> None:
    chat = dialect_named("chat-completions")
    function = {"name": "run", "arguments": '{"command": '}
    response = {"choices": [{"message": {"tool_calls": [{"id": "c", "function": function}]}}]}
    (call,) = chat.turn(response).calls
    assert call.arguments == '{"command": ' and call.arguments_object == {"_raw": '{"command": '}


def test_anthropic_prompt_tokens_include_the_cache() -> None:
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_read_input_tokens": 80,
        "cache_creation_input_tokens": 7,
    }
    assert dialect_named("messages").turn({"content": [], "usage": usage}).usage == Usage(97, 5, 80, 7)


def test_responses_without_a_last_event_keep_the_finished_items() -> None:
    reader = EventReader()
    item = '{"type":"function_call","call_id":"c","name":"run","arguments":"{}"}'
    raw = f'event: response.output_item.done\ndata: {{"type":"response.output_item.done","item":{item}}}\n\n'
    responses = dialect_named("responses")
    assert responses.turn(responses.assemble(reader.feed(raw.encode()))).calls[0].name == "run"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("chat-completions", '{"error":{"type":"overloaded_error","message":"busy"}}'),
        (
            "responses",
            '{"type":"response.failed","response":{"error":{"code":"overloaded_error","message":"busy"}}}',
        ),
        ("messages", '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}'),
    ],
)
def test_an_error_inside_a_stream_is_noticed(name: str, data: str) -> None:
    (event,) = EventReader().feed(f"data: {data}\n\n".encode())
    assert dialect_named(name).fault(event) == ("overloaded_error", "busy")


def test_dialects_are_found_by_path_and_by_name() -> None:
    assert [dialect_at(path) for path in ("/v1/chat/completions", "/chat/completions")] == [DIALECTS[0]] * 2
    assert dialect_at("/v1/embeddings") is None
    with pytest.raises(
        ReplayError, match="dialect 'gemini' is none of chat-completions, responses, messages"
    ):
        dialect_named("gemini")
