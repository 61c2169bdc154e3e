"""How an agent ended, judged from what passed between it and its model. An exit code is never believed."""

from collections.abc import Sequence
from typing import NamedTuple

from trialbalance.agents.agent import Status
from trialbalance.gateway import Answered, CallError

_LIMITS: dict[str, Status] = {"turn_limit": "turn_limit", "token_limit": "token_limit"}
_PROVIDER = frozenset({"invalid_request", "stream"})


class Verdict(NamedTuple):
    """A status and, in one line, why."""

    status: Status
    message: str


def judge(
    answered: Sequence[Answered],
    *,
    halt: CallError | None,
    turns: int | None,
    overdue: float | None,
    killed_by: int | None = None,
    complaint: str = "",
) -> Verdict:
    """The verdict on an agent that has ended.

    `halt` is why no further call could succeed, `turns` the limit, `overdue` the seconds after which it was stopped
    for the time limit, `killed_by` the signal that ended its program by itself, `complaint` the last thing that the
    program said of itself.
    """
    if halt is not None:
        return Verdict(_LIMITS.get(halt.kind, "provider_error"), halt.message)
    if overdue is not None:
        return Verdict("timeout", f"it was still working after {overdue:g} s")
    if not answered:
        return Verdict("agent_error", f"it ended without asking its model{_said(complaint)}")
    last = answered[-1]
    if last.call.error is not None:
        return _after_error(last.call.error)
    if last.turn is None:
        return Verdict("agent_error", f"it ended without an answer of its model{_said(complaint)}")
    if last.turn.stop == "refusal":
        return Verdict("refused", f"the model refused: {_line(last.turn.text) or 'it gave no reason'}")
    if killed_by is not None:
        return Verdict("agent_error", f"its program was ended by signal {killed_by}{_said(complaint)}")
    if last.turn.calls:
        made = sum(one.turn is not None for one in answered)
        if turns is not None and made >= turns:
            return Verdict("turn_limit", f"it used its {turns} turns")
        wanted = ", ".join(call.name for call in last.turn.calls)
        return Verdict("agent_error", f"it ended although the model had called {wanted}{_said(complaint)}")
    return Verdict("completed", _line(last.turn.text))


def _after_error(error: CallError) -> Verdict:
    if error.kind == "context_length":
        return Verdict("context_exhausted", error.message)
    return Verdict("provider_error" if error.kind in _PROVIDER else "agent_error", error.message)


def _said(complaint: str) -> str:
    return f"; it said: {_line(complaint)}" if complaint.strip() else ""


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 300 else flat[:299] + "…"
