"""What every dialect can do."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, Protocol

from trialbalance.gateway.conversation import Conversation, Turn
from trialbalance.gateway.errors import CallRefused
from trialbalance.gateway.sse import Event

Json = dict[str, Any]


class StreamFault(NamedTuple):
    """A provider's error that came inside a stream which had begun well."""

    type: str
    message: str


class Dialect(Protocol):
    """One way of talking to a model over HTTP."""

    @property
    def name(self) -> str:
        """As written in the call log: `chat-completions`, `responses`, `messages`."""

    @property
    def provider(self) -> Literal["openai", "anthropic"]:
        """Which kind of provider speaks it."""

    @property
    def path(self) -> str:
        """The path below the API's root, `/v1` left out."""

    @property
    def history(self) -> str:
        """The field of a request that holds the messages."""

    def conversation(self, body: Json) -> Conversation:
        """Read a request; raises `BadRequest`."""

    def turn(self, response: Json) -> Turn:
        """Read a whole response."""

    def assemble(self, events: Iterable[Event]) -> Json:
        """The whole response that a stream's events spell."""

    def fault(self, event: Event) -> StreamFault | None:
        """The error that an event reports, if it does."""

    def response(self, turn: Turn, body: Json) -> Json:
        """Write a turn as a whole response to this request."""

    def stream(self, turn: Turn, body: Json) -> bytes:
        """Write a turn as the events of a stream."""

    def error(self, refusal: CallRefused) -> Json:
        """Write an error as the provider would."""

    def prepare(self, body: Json, model: str) -> Json:
        """The request as it goes to the provider: the trial's model, and usage asked for."""
