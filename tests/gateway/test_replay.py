"""A recorded trial is served back while the conversation is the same, in any dialect."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.gateway.conftest import Chat
from tests.gateway.provider import FakeProvider, canned_json, canned_stream
from trialbalance.gateway import CallLimits, Gateway, ReplayError, load_replay

Start = Callable[..., Gateway]

USER = {"role": "user", "content": "List the files."}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "trial__terminal", "arguments": '{"command":"ls"}'},
        }
    ],
}


def result(text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "c1", "content": text}


def completion(message: dict[str, Any], finish: str, tokens: int) -> dict[str, Any]:
    usage = {"prompt_tokens": tokens, "completion_tokens": 10}
    return {
        "id": f"chatcmpl-{tokens}",
        "model": "gpt-5",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage,
    }


@pytest.fixture
def recording(gateway: Start, provider: Callable[..., FakeProvider], chat: Chat, tmp_path: Path) -> Path:
    """Two calls, recorded before a provider: a tool call, then an answer in a stream."""
    spoken = {
        "id": "c2",
        "model": "gpt-5",
        "choices": [{"delta": {"content": "One file."}, "finish_reason": "stop"}],
    }
    usage = {"id": "c2", "choices": [], "usage": {"prompt_tokens": 200, "completion_tokens": 10}}
    path = tmp_path / "recorded" / "calls.jsonl"
    upstream = provider(
        canned_json(completion(CALL, "tool_calls", 100)), canned_stream(spoken, usage, "[DONE]")
    )
    running = gateway(provider=upstream, record=path)
    chat(running, USER)
    chat(running, USER, CALL, result("a.txt\n2026-11-30 10:00:00 took 3.1s pid=411"), stream=True)
    running.stop()
    return path


def test_the_same_conversation_gets_the_same_answers_tokens_and_cost(
    recording: Path, gateway: Start, chat: Chat
) -> None:
    running = gateway(replay=recording)
    first = chat(running, USER).json()
    assert first["choices"][0]["message"]["tool_calls"] == CALL["tool_calls"]
    second = chat(running, USER, CALL, result("a.txt\n2027-01-02 11:11:11 took 4 s pid=7")).json()
    assert second["choices"][0]["message"]["content"] == "One file." and second["id"] == "c2"
    totals = running.usage()
    assert totals.turns == 2 and totals.usage.prompt_tokens == 300
    assert totals.cost_usd == pytest.approx((300 * 1.25 + 20 * 10) / 1e6)


def test_a_recording_can_be_served_in_another_dialect(recording: Path, gateway: Start) -> None:
    running = gateway(replay=recording)
    body: dict[str, Any] = {"model": "m", "messages": [USER], "tools": [{"name": "trial__terminal"}]}
    answer = httpx.post(f"{running.url}/v1/messages", json=body).json()
    assert answer["content"] == [
        {"type": "tool_use", "id": "c1", "name": "trial__terminal", "input": {"command": "ls"}}
    ]
    body = {"model": "m", "stream": True, "tools": [{"type": "function", "name": "trial__terminal"}]}
    body["input"] = [
        USER,
        {
            "type": "function_call",
            "call_id": "c1",
            "name": "trial__terminal",
            "arguments": '{"command":"ls"}',
        },
        {
            "type": "function_call_output",
            "call_id": "c1",
            "output": "a.txt\n2026-11-30 10:00:00 took 1ms pid=1",
        },
    ]
    stream = httpx.post(f"{running.url}/v1/responses", json=body).text
    assert '"type":"response.output_text.delta"' in stream and "One file." in stream


def test_a_replay_can_be_recorded_and_replayed_again(
    recording: Path, gateway: Start, chat: Chat, tmp_path: Path
) -> None:
    again = tmp_path / "again.jsonl"
    running = gateway(replay=recording, record=again)
    chat(running, USER)
    chat(running, USER, CALL, result("a.txt\n2026-12-01 took 2 s pid=1"))
    running.stop()
    third = gateway(replay=again, record=tmp_path / "third.jsonl")
    assert chat(third, USER).json()["choices"][0]["message"]["tool_calls"] == CALL["tool_calls"]


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        (
            [{"role": "user", "content": "List the folders."}],
            "call 1, part 1 (user's text): recorded 'List the files.'",
        ),
        ([], "call 1, part 1: recorded was the user's text, now there is nothing"),
        ([USER, CALL], "call 1, part 2: recorded was nothing, now there is the call of terminal"),
        ([CALL], "call 1, part 1: recorded was the user's text, now it is the call of terminal"),
    ],
)
def test_a_replay_that_diverges_says_where(
    recording: Path, gateway: Start, messages: list[dict[str, Any]], said: str
) -> None:
    running = gateway(replay=recording)
    answer = httpx.post(f"{running.url}/v1/chat/completions", json={"messages": messages})
    assert answer.status_code == 403 and said in answer.json()["error"]["message"]
    assert running.halt is not None and running.halt.kind == "replay_diverged"


def test_a_tool_result_that_differs_is_a_divergence(recording: Path, gateway: Start, chat: Chat) -> None:
    running = gateway(replay=recording)
    chat(running, USER)
    message = chat(running, USER, CALL, result("b.txt")).json()["error"]["message"]
    assert (
        "call 2, part 3 (result of terminal): recorded 'a.txt <date> took <duration> pid=<pid>', now 'b.txt'"
        in message
    )


def test_a_replay_ends_where_the_recording_ends(recording: Path, gateway: Start, chat: Chat) -> None:
    running = gateway(replay=recording)
    messages = [USER, CALL, result("a.txt\n2026-12-01 took 2 s pid=1")]
    chat(running, USER)
    chat(running, *messages)
    assert "ends after call 2" in chat(running, *messages).json()["error"]["message"]


def test_a_changed_harness_is_noted_but_no_divergence(recording: Path, gateway: Start, chat: Chat) -> None:
    running = gateway(replay=recording)
    other = [{"type": "function", "function": {"name": "trial__other"}}]
    assert chat(running, {"role": "system", "content": "New"}, USER, tools=other).status_code == 200
    assert running.answered[0].call.notes == (
        "the system prompt differs from the recorded one",
        "the tools on offer differ from the recorded ones: trial__other, trial__terminal",
    )


def test_limits_apply_afresh_to_a_replay(recording: Path, gateway: Start, chat: Chat, tmp_path: Path) -> None:
    limited = tmp_path / "limited.jsonl"
    running = gateway(replay=recording, limits=CallLimits(turns=1), record=limited)
    assert [chat(running, USER).status_code for _ in range(2)] == [200, 403]
    running.stop()
    assert len(limited.read_text().splitlines()) == 2
    assert load_replay(limited).model == "gpt-5"  # the refused call is not part of the replay


def test_a_recorded_provider_failure_is_served_again(
    gateway: Start, provider: Callable[..., FakeProvider], chat: Chat, tmp_path: Path
) -> None:
    path = tmp_path / "failed.jsonl"
    running = gateway(provider=provider(canned_json({"error": {"message": "no key"}}, 401)), record=path)
    chat(running, USER)
    running.stop()
    replayed = gateway(replay=path)
    answer = chat(replayed, USER)
    assert answer.status_code == 401 and "no key (recorded)" in answer.text
    assert replayed.halt is not None and replayed.halt.kind == "authentication"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no model call is recorded in it"),
        ("{nonsense\n", "calls.jsonl:1: not a recorded call"),
        ('{"seq": 1}\n', "calls.jsonl:1: not a recorded call: Object missing required field `at`"),
    ],
)
def test_a_bad_recording_is_one_line_with_the_place(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text(content)
    with pytest.raises(ReplayError) as caught:
        load_replay(path)
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema_version": "9"}, ":1: schema_version '9' is not known; upgrade trialbalance"),
        ({"dialect": "gemini"}, ":1: dialect 'gemini' is none of chat-completions, responses, messages"),
        ({"elided": {"seq": 7, "messages": 2}}, ":1: the messages it takes from call 7 are not there"),
    ],
)
def test_a_recording_of_another_kind_is_refused(recording: Path, change: dict[str, Any], said: str) -> None:
    line = json.loads(recording.read_text().splitlines()[0]) | change
    recording.write_text(json.dumps(line))
    with pytest.raises(ReplayError, match=said):
        load_replay(recording)


def test_other_files_are_no_replays(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(ReplayError, match=r"a recording \(calls.jsonl\) or a script \(.yaml\)"):
        load_replay(tmp_path / "a.txt")
    with pytest.raises(ReplayError, match="there is no such file"):
        load_replay(tmp_path / "b.yaml")
