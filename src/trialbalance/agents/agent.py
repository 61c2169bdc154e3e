"""What an agent is given, what it does and how it ended."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from trialbalance.agents.trajectory import Trajectory
from trialbalance.gateway import ModelSpec, Totals
from trialbalance.sandbox import Sandbox

Status = Literal[
    "completed",
    "timeout",
    "turn_limit",
    "token_limit",
    "refused",
    "context_exhausted",
    "agent_error",
    "provider_error",
]
"""How an agent ended. All are graded but `provider_error`, which makes the trial invalid: the model's provider failed
after all retries, or a replay left its recording."""


class Limits(msgspec.Struct, frozen=True):
    """The most that an agent may use; None is no limit. Tokens are prompt and completion tokens of all calls."""

    seconds: float | None = None
    turns: int | None = None
    tokens: int | None = None


class Usage(msgspec.Struct, frozen=True):
    """What it used of its model; `cost_usd` is None where a price is not known."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None

    @classmethod
    def of(cls, totals: Totals) -> "Usage":
        """From the gateway's meter."""
        usage = totals.usage
        return cls(usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens, totals.cost_usd)


@dataclass(frozen=True)
class AgentContext:
    """One trial, as an agent sees it.

    `sandbox` is the project's machine with the project in /app. Logs go below `trial_dir` (`agent/`, `gateway/`,
    `events.jsonl`). An agent with a model gets either `model` or a `replay`; `solution` is only for `reference`.
    """

    instruction: str
    trial_dir: Path
    sandbox: Sandbox
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    model: ModelSpec | None = None
    replay: Path | None = None
    solution: Path | None = None


@dataclass(frozen=True)
class AgentOutcome:
    """How it ended. `message` is one line for people; `turns` are answers of the model.

    The trajectory is also written to `agent/trajectory.json`; an agent without a model has none.
    """

    status: Status
    message: str = ""
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    trajectory: Trajectory | None = None


class Agent(Protocol):
    """What tries a task."""

    @property
    def name(self) -> str:
        """As on the command line."""

    def run(self, context: AgentContext) -> AgentOutcome:
        """Try the task. Everything the agent started in places of its own is gone when this returns or raises.

        Raises `AgentError`, and `GatewayError`, `ToolsError` or `SandboxError` when our side fails.
        """
