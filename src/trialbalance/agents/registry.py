"""Which agents there are."""

from collections.abc import Callable

from trialbalance.agents.agent import Agent
from trialbalance.agents.errors import UnknownAgent
from trialbalance.agents.goose import Goose
from trialbalance.agents.nop import Nop
from trialbalance.agents.reference import Reference

_AGENTS: dict[str, Callable[[], Agent]] = {"goose": Goose, "nop": Nop, "reference": Reference}
_LATER = ("claude-code", "codex", "opencode")


def agent_names() -> tuple[str, ...]:
    """The names of the agents that can run, sorted."""
    return tuple(sorted(_AGENTS))


def get_agent(name: str) -> Agent:
    """The agent of that name; raises `UnknownAgent` that lists those there are."""
    make = _AGENTS.get(name)
    if make is None:
        problem = "is not built yet" if name in _LATER else "is not known"
        raise UnknownAgent(f"agent {name!r} {problem}; choose from {', '.join(agent_names())}")
    return make()
