"""Which agents there are."""

import pytest

from trialbalance.agents import UnknownAgent, agent_names, get_agent


def test_the_agents_that_can_run() -> None:
    assert agent_names() == ("goose", "nop", "reference")
    assert [get_agent(name).name for name in agent_names()] == list(agent_names())


@pytest.mark.parametrize("name", ["codex", "claude-code", "opencode"])
def test_agents_of_later_say_so(name: str) -> None:
    with pytest.raises(
        UnknownAgent, match=f"agent '{name}' is not built yet; choose from goose, nop, reference"
    ):
        get_agent(name)


def test_unknown_agents_are_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownAgent, match="agent 'gose' is not known; choose from goose, nop, reference"):
        get_agent("gose")
