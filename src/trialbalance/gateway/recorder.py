"""Keeps what the gateway did: on disk for ever, in memory while the trial runs."""

import threading
import time
from typing import NamedTuple

import msgspec

from trialbalance.gateway.calls import Call, CallError, CallLog
from trialbalance.gateway.conversation import Turn, Usage
from trialbalance.gateway.dialects import Dialect, Json

_WHOLE = 5
_HALTING = frozenset(
    {
        "turn_limit",
        "token_limit",
        "replay_diverged",
        "authentication",
        "quota",
        "rate_limit",
        "overloaded",
        "server",
        "timeout",
        "connection",
    }
)
"""After these nothing that the agent does can help; too long a context or a broken stream it may mend itself."""


class OpenCall:
    """A call that is being answered."""

    def __init__(self, dialect: Dialect, model: str) -> None:
        self.dialect, self.model = dialect, model
        self.body: Json = {}
        self.attempts = 1
        self.notes: list[str] = []
        self.at = time.time()
        self.started = time.monotonic()


class Answered(NamedTuple):
    """A finished call with the turn that it brought; None where it brought none.

    In memory only the first calls of a trial keep their requests and responses: conversations add up.
    """

    call: Call
    turn: Turn | None


class Recorder:
    """Writes finished calls, and notices when no further call can succeed."""

    def __init__(self, log: CallLog) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._answered: list[Answered] = []
        self.halted = threading.Event()
        self.halt: CallError | None = None

    @property
    def answered(self) -> tuple[Answered, ...]:
        """Every finished call so far, in order."""
        with self._lock:
            return tuple(self._answered)

    def finish(
        self,
        open_call: OpenCall,
        *,
        status: int,
        response: Json | None = None,
        turn: Turn | None = None,
        cost_usd: float | None = None,
        error: CallError | None = None,
    ) -> None:
        """Record a call that has been answered."""
        call = Call(
            seq=len(self._answered) + 1,
            at=round(open_call.at, 3),
            dialect=open_call.dialect.name,
            model=open_call.model,
            request=open_call.body,
            response=response,
            usage=turn.usage if turn is not None else Usage(),
            cost_usd=cost_usd,
            latency=round(time.monotonic() - open_call.started, 3),
            status=status,
            attempts=open_call.attempts,
            error=error,
            notes=tuple(open_call.notes),
        )
        self._log.write(call, open_call.dialect)
        if len(self._answered) >= _WHOLE:
            call = msgspec.structs.replace(call, request={}, response=None)
        with self._lock:
            self._answered.append(Answered(call, turn))
        if error is not None and error.kind in _HALTING and self.halt is None:
            self.halt = error
            self.halted.set()

    def close(self) -> None:
        """Nothing can be recorded afterwards."""
        self._log.close()
