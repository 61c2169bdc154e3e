"""A recorded trial, served back: the same answers in the same order, while the conversation is the same."""

from pathlib import Path

import msgspec

from trialbalance.gateway.calls import read_calls
from trialbalance.gateway.conversation import Conversation
from trialbalance.gateway.dialects import dialect_named
from trialbalance.gateway.digest import difference
from trialbalance.gateway.errors import CallRefused, ReplayDiverged, ReplayError
from trialbalance.gateway.model import Provider
from trialbalance.gateway.reply import Reply

_OURS = ("turn_limit", "token_limit", "replay_diverged", "bad_request")


class RecordedModel:
    """Serves `calls.jsonl`. Calls that the gateway itself refused are left out: limits apply afresh."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._calls = [
            call for call in read_calls(path) if call.error is None or call.error.kind not in _OURS
        ]
        if not self._calls:
            raise ReplayError(f"{path}: no model call is recorded in it")
        self._next = 0

    @property
    def model(self) -> str:
        """The model of the recording."""
        return self._calls[0].model

    @property
    def provider(self) -> Provider:
        """The kind of provider that was recorded: a conversation is the same only in the same kind of dialect."""
        return dialect_named(self._calls[0].dialect).provider

    def answer(self, conversation: Conversation) -> Reply:
        """The next recorded turn, if the conversation is the one that it was an answer to."""
        if self._next >= len(self._calls):
            count = len(self._calls)
            raise ReplayDiverged(
                f"the recording {self._path.name} ends after call {count}, the agent makes another"
            )
        call = self._calls[self._next]
        dialect = dialect_named(call.dialect)
        recorded = dialect.conversation(call.request)
        parted = difference(recorded, conversation)
        if parted is not None:
            raise ReplayDiverged(
                f"the replay of {self._path.name} left the recording at call {call.seq}, {parted}"
            )
        self._next += 1
        if call.error is not None:
            raise CallRefused(call.error.kind, f"{call.error.message} (recorded)", call.status)
        turn = dialect.turn(call.response or {})
        turn = msgspec.structs.replace(turn, model=turn.model or call.model, usage=call.usage)
        return Reply(turn, call.cost_usd, _remarks(recorded, conversation))


def _remarks(recorded: Conversation, given: Conversation) -> tuple[str, ...]:
    found = []
    if recorded.system != given.system:
        found.append("the system prompt differs from the recorded one")
    if set(recorded.tools) != set(given.tools):
        changed = sorted(set(recorded.tools) ^ set(given.tools))
        found.append(f"the tools on offer differ from the recorded ones: {', '.join(changed)}")
    return tuple(found)
