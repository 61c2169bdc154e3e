"""A client that speaks every dialect, and providers to talk to."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.gateway.provider import Canned, FakeProvider
from trialbalance.gateway import Gateway, Patience, Upstream

Chat = Callable[..., httpx.Response]

TOOLS = [{"type": "function", "function": {"name": "trial__terminal", "parameters": {}}}]


@pytest.fixture
def stack() -> Any:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def provider(stack: ExitStack) -> Callable[..., FakeProvider]:
    """Start a fake provider with these answers."""

    def start(*answers: Canned) -> FakeProvider:
        return stack.enter_context(FakeProvider(*answers))

    return start


@pytest.fixture
def gateway(stack: ExitStack, tmp_path: Path) -> Callable[..., Gateway]:
    """Start a gateway; `provider` is a fake one to stand before."""

    def start(*, provider: FakeProvider | None = None, kind: Any = "openai", **options: Any) -> Gateway:
        if provider is not None:
            options["upstream"] = Upstream(
                provider.url, "sk-secret-key", kind, "gpt-5", Patience(attempts=3, first=0), timeout=5
            )
        options.setdefault("record", tmp_path / "gateway" / "calls.jsonl")
        return stack.enter_context(Gateway.start(**options))

    return start


@pytest.fixture
def chat() -> Chat:
    """Ask a gateway by chat completions."""

    def ask(
        gateway: Gateway, *messages: dict[str, Any], stream: bool = False, tools: Any = TOOLS
    ) -> httpx.Response:
        body: dict[str, Any] = {
            "model": "whatever",
            "messages": list(messages) or [{"role": "user", "content": "Hello"}],
        }
        if tools:
            body["tools"] = tools
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        headers = {"authorization": "Bearer sk-agent", "x-agent": "1"}
        return httpx.post(f"{gateway.url}/v1/chat/completions", json=body, headers=headers, timeout=10)

    return ask
