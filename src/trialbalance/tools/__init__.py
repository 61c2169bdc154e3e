"""The MCP server an agent gets: a terminal, a browser and Stripe's API reference, on the trial's sandbox."""

from trialbalance.tools.documentation import Documentation
from trialbalance.tools.errors import ToolFailure, ToolsError
from trialbalance.tools.server import ToolServer
from trialbalance.tools.terminal import Terminal
from trialbalance.tools.toolbox import GROUPS, Group

__all__ = ["GROUPS", "Documentation", "Group", "Terminal", "ToolFailure", "ToolServer", "ToolsError"]
