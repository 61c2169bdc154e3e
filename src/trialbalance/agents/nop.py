"""The agent that does nothing: what it scores, a task gives away."""

from trialbalance.agents.agent import AgentContext, AgentOutcome


class Nop:
    """Leaves the project as it is."""

    name = "nop"

    def run(self, context: AgentContext) -> AgentOutcome:
        """Do nothing."""
        return AgentOutcome("completed", "did nothing, as it should")
