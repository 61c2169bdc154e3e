"""The dialects that agents speak to the gateway."""

from trialbalance.gateway.dialects.chat_completions import ChatCompletions
from trialbalance.gateway.dialects.dialect import Dialect, Json, StreamFault
from trialbalance.gateway.dialects.messages import Messages
from trialbalance.gateway.dialects.responses import Responses
from trialbalance.gateway.errors import ReplayError

DIALECTS: tuple[Dialect, ...] = (ChatCompletions(), Responses(), Messages())


def dialect_at(path: str) -> Dialect | None:
    """The dialect spoken at a path, with or without `/v1`; None where none is."""
    bare = path.removeprefix("/v1")
    return next((dialect for dialect in DIALECTS if dialect.path == bare), None)


def dialect_named(name: str) -> Dialect:
    """The dialect of a call log's entry; raises `ReplayError` where there is none of that name."""
    for dialect in DIALECTS:
        if dialect.name == name:
            return dialect
    raise ReplayError(f"dialect {name!r} is none of {', '.join(dialect.name for dialect in DIALECTS)}")


__all__ = ["DIALECTS", "Dialect", "Json", "StreamFault", "dialect_at", "dialect_named"]
