"""A script plays a model: its answers may use what the tools answered."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.gateway.conftest import Chat
from trialbalance.gateway import Gateway, Usage

Start = Callable[..., Gateway]

SCRIPT = r"""
turns:
  - text: I start.
    calls:
      - {tool: terminal, arguments: {command: create}}
      - {tool: terminal, arguments: {command: show}}
  - expect: ['^exit code 0$', 'created']
    capture: {session: 'id=(cs_\w+)', word: 'created'}
    calls:
      - {tool: terminal, arguments: {command: "pay @{session}"}}
  - text: Paid @{session} (@{word}).
    usage: {prompt_tokens: 70, completion_tokens: 3, cached_tokens: 60}
"""

USER = {"role": "user", "content": "Go."}
CALLED = {"role": "assistant", "content": "I start.", "tool_calls": []}


def results(*texts: str, turn: int = 1) -> list[dict[str, Any]]:
    return [
        {"role": "tool", "tool_call_id": f"call_{turn}_{n}", "content": text}
        for n, text in enumerate(texts, 1)
    ]


@pytest.fixture
def scripted(gateway: Start, tmp_path: Path) -> Callable[[str], Gateway]:
    def start(text: str = SCRIPT) -> Gateway:
        path = tmp_path / "script.yaml"
        path.write_text(text)
        return gateway(replay=path)

    return start


def test_turns_follow_one_another_with_captured_values(scripted: Callable[..., Gateway], chat: Chat) -> None:
    running = scripted()
    first = chat(running, USER).json()["choices"][0]
    assert first["finish_reason"] == "tool_calls" and first["message"]["content"] == "I start."
    assert [call["function"]["name"] for call in first["message"]["tool_calls"]] == ["trial__terminal"] * 2
    assert [call["id"] for call in first["message"]["tool_calls"]] == ["call_1_1", "call_1_2"]
    heard = results("exit code 0\ncreated id=cs_old", "exit code 0\nid=cs_new")
    second = chat(running, USER, CALLED, *heard).json()["choices"][0]["message"]
    assert second["tool_calls"][0]["function"]["arguments"] == '{"command":"pay cs_new"}'
    third = chat(running, USER, CALLED, *heard, CALLED, *results("paid", turn=2)).json()
    assert third["choices"][0]["message"]["content"] == "Paid cs_new (created)."
    assert running.answered[2].call.usage == Usage(70, 3, 60)
    assert "ends after turn 3" in chat(running, USER).text


def test_only_results_since_the_last_turn_are_heard(scripted: Callable[..., Gateway], chat: Chat) -> None:
    running = scripted()
    chat(running, USER)
    old = results("exit code 0\ncreated id=cs_old", turn=0)
    answer = chat(running, USER, CALLED, *old, CALLED, *results("exit code 1\nfailed badly"))
    assert answer.status_code == 403
    assert "turn 2 of the script script.yaml expects '^exit code 0$'" in answer.text
    assert "but the tools answered: exit code 1 failed badly" in answer.text
    assert running.halt is not None and running.halt.kind == "replay_diverged"


def test_a_turn_that_is_told_call_by_call_is_heard_whole(
    scripted: Callable[..., Gateway], chat: Chat
) -> None:
    running = scripted()
    chat(running, USER)
    created, shown = results("exit code 0\ncreated id=cs_1", "nothing to see")
    told = [USER, CALLED, created, {**CALLED, "content": None}, shown]
    second = chat(running, *told).json()["choices"][0]["message"]
    assert second["tool_calls"][0]["function"]["arguments"] == '{"command":"pay cs_1"}'


def test_a_capture_that_finds_nothing_says_so(scripted: Callable[..., Gateway], chat: Chat) -> None:
    running = scripted()
    chat(running, USER)
    assert "captures session with" in chat(running, USER, CALLED, *results("exit code 0\ncreated")).text


def test_a_tool_that_is_not_offered_is_named(scripted: Callable[..., Gateway], chat: Chat) -> None:
    running = scripted("turns: [{calls: [{tool: teleport}]}]")
    assert (
        "calls 'teleport', but the agent offers no such tool; on offer: trial__terminal" in chat(running).text
    )


def test_an_ambiguous_tool_is_refused(scripted: Callable[..., Gateway], chat: Chat) -> None:
    tools = [{"function": {"name": name}} for name in ("a__run", "b__run")]
    running = scripted("turns: [{calls: [{tool: run}]}]")
    assert "several tools end so; on offer: a__run, b__run" in chat(running, tools=tools).text


def test_requests_without_tools_use_no_turn(scripted: Callable[..., Gateway], chat: Chat) -> None:
    running = scripted()
    assert chat(running, tools=None).json()["choices"][0]["message"]["content"] == "Trial"
    assert chat(running).json()["choices"][0]["message"]["content"] == "I start."


def test_a_script_can_fail_like_a_provider(scripted: Callable[..., Gateway], chat: Chat) -> None:
    running = scripted("turns: [{error: {status: 529, message: busy}}]")
    assert chat(running).status_code == 529
    assert running.halt is not None and running.halt.kind == "overloaded"


def test_a_script_can_refuse(scripted: Callable[..., Gateway], chat: Chat) -> None:
    running = scripted("turns: [{text: I will not., stop: refusal}]")
    assert chat(running).json()["choices"][0]["finish_reason"] == "content_filter"


def test_a_script_speaks_every_dialect(scripted: Callable[..., Gateway]) -> None:
    running = scripted()
    body = {"model": "m", "messages": [USER], "tools": [{"name": "mcp__trial__terminal"}], "stream": True}
    assert '"name":"mcp__trial__terminal"' in httpx.post(f"{running.url}/v1/messages", json=body).text


def test_tokens_are_estimated_the_same_on_every_run(scripted: Callable[..., Gateway], chat: Chat) -> None:
    clock = {"role": "user", "content": "<info-msg>It is 10:00</info-msg>Go."}
    first, second = scripted(), scripted()
    chat(first, clock)
    chat(second, {"role": "user", "content": "<info-msg>It is 2027-01-01 11:11:11</info-msg>Go."})
    assert first.usage().usage == second.usage().usage
    assert first.usage().usage.prompt_tokens == 0 and first.usage().usage.completion_tokens > 10
    assert first.usage().cost_usd is None
