"""The real goose, in a sandbox of its own, with our tools and its model behind the gateway."""

from trialbalance.agents.goose.goose import Goose
from trialbalance.agents.goose.program import Program, find_goose

__all__ = ["Goose", "Program", "find_goose"]
