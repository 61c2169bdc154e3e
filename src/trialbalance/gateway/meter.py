"""What a trial has used of its model so far, and what it may still use."""

import msgspec

from trialbalance.gateway.conversation import Usage
from trialbalance.gateway.errors import LimitReached


class CallLimits(msgspec.Struct, frozen=True):
    """The most that a trial may ask of its model; None is no limit.

    A turn is one answer of the model. Tokens are prompt and completion tokens of all calls together.
    """

    turns: int | None = None
    tokens: int | None = None


class Totals(msgspec.Struct, frozen=True):
    """Everything used; `cost_usd` is None as soon as one call's price is not known."""

    turns: int = 0
    usage: Usage = Usage()
    cost_usd: float | None = 0.0


class Meter:
    """Adds up calls and says when a limit is reached."""

    def __init__(self, limits: CallLimits) -> None:
        self._limits = limits
        self._totals = Totals()

    @property
    def totals(self) -> Totals:
        """What was used so far."""
        return self._totals

    def check(self) -> None:
        """Raises `LimitReached` when no further call is allowed."""
        turns, tokens = self._limits.turns, self._limits.tokens
        if turns is not None and self._totals.turns >= turns:
            raise LimitReached(
                "turn_limit", f"this trial has used its {turns} turns; no further model call is made"
            )
        used = self._totals.usage.total_tokens
        if tokens is not None and used >= tokens:
            raise LimitReached(
                "token_limit", f"this trial has used {used} of its {tokens} tokens; no call is made"
            )

    def add(self, usage: Usage, cost_usd: float | None) -> None:
        """Count one answered call."""
        old = self._totals
        cost = None if old.cost_usd is None or cost_usd is None else round(old.cost_usd + cost_usd, 9)
        self._totals = Totals(turns=old.turns + 1, usage=old.usage.plus(usage), cost_usd=cost)
