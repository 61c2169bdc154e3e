"""Between an agent and a provider: pass through, keep the key, try again, meter, record."""

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.gateway.conftest import Chat
from tests.gateway.provider import FakeProvider, canned_json, canned_stream
from trialbalance.gateway import CallLimits, Gateway, GatewayError, Patience, Upstream, Usage, read_calls

Start = Callable[..., Gateway]
StartProvider = Callable[..., FakeProvider]

ANSWER: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "gpt-5-2025-08-07",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
    "usage": {
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 600},
    },
}
CHUNKS: list[Any] = [
    {"id": "c1", "model": "gpt-5", "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]},
    {"id": "c1", "choices": [{"index": 0, "delta": {"content": "Hi "}}]},
    {"id": "c1", "choices": [{"index": 0, "delta": {"content": "there"}, "finish_reason": "stop"}]},
    {"id": "c1", "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2}},
    "[DONE]",
]


def error(message: str, status: int, **headers: str) -> Any:
    return canned_json({"error": {"message": message, "type": "x"}}, status, **headers)


def test_the_provider_gets_our_key_and_our_model_and_the_agent_gets_the_answer(
    provider: StartProvider, gateway: Start, chat: Chat
) -> None:
    upstream = provider(canned_json(ANSWER))
    answer = chat(gateway(provider=upstream))
    assert answer.json() == ANSWER
    (asked,) = upstream.asked
    assert asked.path == "/v1/chat/completions" and asked.body["model"] == "gpt-5"
    assert asked.headers["authorization"] == "Bearer sk-secret-key" and "x-agent" not in asked.headers


def test_a_stream_passes_through_unchanged_and_is_recorded_whole(
    provider: StartProvider, gateway: Start, chat: Chat, tmp_path: Path
) -> None:
    sent = canned_stream(*CHUNKS)
    running = gateway(provider=provider(sent))
    assert chat(running, stream=True).content == sent.body
    running.stop()
    (call,) = read_calls(tmp_path / "gateway" / "calls.jsonl")
    assert call.response is not None and call.response["choices"][0]["message"]["content"] == "Hi there"
    assert call.usage == Usage(10, 2) and call.status == 200 and call.error is None and call.attempts == 1


def test_usage_is_asked_for_even_where_the_agent_does_not(provider: StartProvider, gateway: Start) -> None:
    upstream = provider(canned_stream(*CHUNKS))
    body = {"model": "m", "stream": True, "messages": []}
    httpx.post(f"{gateway(provider=upstream).url}/chat/completions", json=body)
    assert upstream.asked[0].body["stream_options"] == {"include_usage": True}


def test_tokens_and_cost_are_metered(provider: StartProvider, gateway: Start, chat: Chat) -> None:
    running = gateway(provider=provider(canned_json(ANSWER)))
    chat(running)
    chat(running)
    totals = running.usage()
    assert totals.turns == 2 and totals.usage == Usage(2000, 200, 1200)
    assert totals.cost_usd == pytest.approx(2 * (400 * 1.25 + 600 * 0.125 + 100 * 10) / 1e6)


def test_the_cost_of_a_model_without_a_price_is_unknown_not_zero(
    provider: StartProvider, tmp_path: Path, chat: Chat
) -> None:
    upstream = Upstream(provider(canned_json(ANSWER)).url, "k", "openai", "llama-of-ours")
    with Gateway.start(record=tmp_path / "calls.jsonl", upstream=upstream) as running:
        chat(running)
        assert running.usage().cost_usd is None
    assert next(read_calls(tmp_path / "calls.jsonl")).cost_usd is None


def test_no_key_is_ever_written_even_when_the_provider_echoes_it(
    provider: StartProvider, gateway: Start, chat: Chat, tmp_path: Path
) -> None:
    running = gateway(provider=provider(error("Incorrect API key provided: sk-secret-key", 401)))
    answer = chat(running)
    running.stop()
    assert "sk-secret-key" not in answer.text and "***" in answer.text
    written = (tmp_path / "gateway" / "calls.jsonl").read_text()
    assert "sk-secret-key" not in written and "sk-agent" not in written
    assert "sk-secret-key" not in repr(Upstream("u", "sk-secret-key", "openai", "m"))


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_passing_failures_are_tried_again(
    provider: StartProvider, gateway: Start, chat: Chat, status: int
) -> None:
    upstream = provider(error("busy", status), error("busy", status, retry_after="0"), canned_json(ANSWER))
    running = gateway(provider=upstream)
    assert chat(running).json() == ANSWER
    assert len(upstream.asked) == 3 and running.answered[0].call.attempts == 3 and running.halt is None


@pytest.mark.parametrize(
    ("message", "status", "kind", "tries"),
    [
        ("busy", 529, "overloaded", 3),
        ("slow down", 429, "rate_limit", 3),
        ("You exceeded your current quota", 429, "quota", 1),
        ("no such key", 401, "authentication", 1),
        ("oops", 500, "server", 3),
    ],
)
def test_lasting_failures_are_named_and_halt_the_gateway(
    provider: StartProvider, gateway: Start, chat: Chat, message: str, status: int, kind: str, tries: int
) -> None:
    upstream = provider(error(message, status))
    running = gateway(provider=upstream)
    answer = chat(running)
    assert answer.status_code == status and message in answer.json()["error"]["message"]
    assert running.halted.is_set() and running.halt is not None and running.halt.kind == kind
    assert len(upstream.asked) == tries
    assert chat(running).status_code == 403 and len(upstream.asked) == tries  # nothing more is asked


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("This model's maximum context length is 8192 tokens.", "context_length"),
        ("prompt is too long: 250000 tokens > 200000 maximum", "context_length"),
        ("Unsupported parameter: temperature", "invalid_request"),
    ],
)
def test_what_an_agent_may_mend_itself_does_not_halt(
    provider: StartProvider, gateway: Start, chat: Chat, message: str, kind: str
) -> None:
    running = gateway(provider=provider(error(message, 400), canned_json(ANSWER)))
    assert chat(running).status_code == 400
    assert running.answered[0].call.error is not None and running.answered[0].call.error.kind == kind
    assert running.halt is None and chat(running).status_code == 200


def test_a_dead_provider_is_a_connection_failure(gateway: Start, chat: Chat, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    running = gateway(upstream=Upstream(address, "k", "openai", "m", Patience(attempts=2, first=0)))
    answer = chat(running)
    assert answer.status_code == 502 and f"{address} cannot be reached" in answer.json()["error"]["message"]
    assert (
        running.halt is not None
        and running.halt.kind == "connection"
        and "tried 2 times" in running.halt.message
    )


def test_a_stream_that_breaks_off_is_noted(provider: StartProvider, gateway: Start, chat: Chat) -> None:
    running = gateway(provider=provider(canned_stream(*CHUNKS[:2], cut=True)))
    last = chat(running, stream=True).text.strip().splitlines()[-1]
    assert "stream broke off" in json.loads(last.removeprefix("data: "))["error"]["message"]
    (answered,) = running.answered
    assert answered.call.error is not None and answered.call.error.kind == "stream"
    assert answered.turn is not None and answered.turn.text == "Hi "


def test_an_error_inside_a_stream_is_noted(provider: StartProvider, gateway: Start, chat: Chat) -> None:
    fault = {"error": {"type": "overloaded_error", "message": "busy"}}
    running = gateway(provider=provider(canned_stream(CHUNKS[0], fault)))
    chat(running, stream=True)
    assert running.halt is not None and running.halt.kind == "overloaded"


def test_an_error_sent_with_status_200_is_an_error(
    provider: StartProvider, gateway: Start, chat: Chat
) -> None:
    running = gateway(
        provider=provider(canned_json({"error": {"code": 402, "message": "Insufficient credits"}}))
    )
    assert chat(running).status_code == 402
    assert running.halt is not None and running.halt.kind == "quota"


def test_turns_are_limited(provider: StartProvider, gateway: Start, chat: Chat) -> None:
    running = gateway(provider=provider(canned_json(ANSWER)), limits=CallLimits(turns=2))
    assert [chat(running).status_code for _ in range(3)] == [200, 200, 403]
    assert running.halt is not None and running.halt.kind == "turn_limit" and running.usage().turns == 2
    assert "used its 2 turns" in running.halt.message


def test_tokens_are_limited(provider: StartProvider, gateway: Start, chat: Chat) -> None:
    running = gateway(provider=provider(canned_json(ANSWER)), limits=CallLimits(tokens=2000))
    assert [chat(running).status_code for _ in range(3)] == [200, 200, 403]
    assert running.halt is not None and running.halt.kind == "token_limit"
    assert "2200 of its 2000 tokens" in running.halt.message


def test_the_anthropic_dialect_carries_its_own_headers(provider: StartProvider, gateway: Start) -> None:
    answer = {"id": "m", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn", "usage": {}}
    upstream = provider(canned_json(answer))
    running = gateway(provider=upstream, kind="anthropic")
    headers = {"anthropic-beta": "x-2026", "x-api-key": "agent"}
    httpx.post(f"{running.url}/v1/messages", json={"model": "m", "messages": []}, headers=headers)
    got = upstream.asked[0].headers
    assert (got["x-api-key"], got["anthropic-beta"]) == ("sk-secret-key", "x-2026")
    assert got["anthropic-version"] == "2023-06-01" and "authorization" not in got
    assert running.answered[0].call.notes == ("the provider reported no tokens for this call",)


def test_an_agent_in_the_wrong_dialect_is_told(provider: StartProvider, gateway: Start) -> None:
    running = gateway(provider=provider(canned_json(ANSWER)))
    answer = httpx.post(f"{running.url}/v1/messages", json={"messages": []})
    assert answer.status_code == 400
    assert "speaks messages, but gpt-5 is served by a provider of the openai kind" in answer.text


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [(b"{", {}, 400), (b"[]", {}, 400), (b"{}", {"content-encoding": "zstd"}, 415), (b"{}", {}, 400)],
)
def test_requests_that_cannot_be_read_are_refused_and_recorded(
    provider: StartProvider, gateway: Start, content: bytes, headers: dict[str, str], status: int
) -> None:
    running = gateway(provider=provider(canned_json(ANSWER)))
    answer = httpx.post(f"{running.url}/v1/chat/completions", content=content, headers=headers)
    assert answer.status_code == status and answer.json()["error"]["type"] == "bad_request"
    assert running.answered[0].call.error is not None and running.halt is None


def test_other_paths(provider: StartProvider, gateway: Start) -> None:
    running = gateway(provider=provider(canned_json(ANSWER)))
    assert httpx.get(f"{running.url}/v1/models").json()["data"][0]["id"] == "gpt-5"
    assert httpx.head(f"{running.url}/").status_code == 200
    assert httpx.get(f"{running.url}/v1/files").status_code == 404
    assert httpx.post(f"{running.url}/v1/messages/count_tokens", json={"a": 1}).json() == {"input_tokens": 1}
    assert "speaks /v1/chat/completions" in httpx.post(f"{running.url}/v1/embeddings", json={}).text


def test_a_long_conversation_is_written_once_and_read_whole(
    provider: StartProvider, gateway: Start, chat: Chat, tmp_path: Path
) -> None:
    running = gateway(provider=provider(canned_json(ANSWER)))
    messages = [{"role": "user", "content": "x" * 1000}]
    for number in range(4):
        chat(running, *messages)
        messages += [{"role": "assistant", "content": "Hi"}, {"role": "user", "content": f"again {number}"}]
    running.stop()
    path = tmp_path / "gateway" / "calls.jsonl"
    assert path.read_text().count("x" * 1000) == 1
    assert [json.loads(line)["elided"] for line in path.read_text().splitlines()] == [
        None,
        {"seq": 1, "messages": 1},
        {"seq": 2, "messages": 3},
        {"seq": 3, "messages": 5},
    ]
    assert [call.request["messages"] for call in read_calls(path)] == [
        messages[: 1 + 2 * n] for n in range(4)
    ]


def test_a_gateway_needs_exactly_one_source(tmp_path: Path) -> None:
    with pytest.raises(GatewayError, match=r"either a provider .* or a replay file"):
        Gateway.start(record=tmp_path / "calls.jsonl")


def test_a_gateway_serves_on_a_socket_that_it_is_given(
    tmp_path: Path, chat: Chat, provider: StartProvider
) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    upstream = Upstream(provider(canned_json(ANSWER)).url, "k", "openai", "m")
    with Gateway.start(record=tmp_path / "calls.jsonl", upstream=upstream, listener=listener) as running:
        assert running.url == f"http://127.0.0.1:{listener.getsockname()[1]}"
        assert chat(running).status_code == 200
    with pytest.raises(httpx.ConnectError):
        chat(running)
