"""What answers in a model's place."""

from typing import NamedTuple, Protocol

from trialbalance.gateway.conversation import Conversation, Turn
from trialbalance.gateway.model import Provider


class Reply(NamedTuple):
    """What a replay answers: a turn, what it cost when it was real, and remarks for the call log."""

    turn: Turn
    cost_usd: float | None
    notes: tuple[str, ...] = ()


class Replay(Protocol):
    """Something that answers in a model's place."""

    @property
    def model(self) -> str:
        """The name of the model it stands for."""

    @property
    def provider(self) -> Provider:
        """The kind of provider that an agent should believe to speak with."""

    def answer(self, conversation: Conversation) -> Reply:
        """The next turn; raises `CallRefused`."""
