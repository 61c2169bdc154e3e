"""What tries a task: goose, the task's own solution, and nothing at all."""

from trialbalance.agents.agent import Agent, AgentContext, AgentOutcome, Limits, Status, Usage
from trialbalance.agents.errors import AgentBroken, AgentError, AgentUnavailable, UnknownAgent
from trialbalance.agents.registry import agent_names, get_agent
from trialbalance.agents.trajectory import (
    InvalidTrajectory,
    Trajectory,
    read_trajectory,
    write_trajectory,
)
from trialbalance.gateway import ModelSpec

__all__ = [
    "Agent",
    "AgentBroken",
    "AgentContext",
    "AgentError",
    "AgentOutcome",
    "AgentUnavailable",
    "InvalidTrajectory",
    "Limits",
    "ModelSpec",
    "Status",
    "Trajectory",
    "UnknownAgent",
    "Usage",
    "agent_names",
    "get_agent",
    "read_trajectory",
    "write_trajectory",
]
