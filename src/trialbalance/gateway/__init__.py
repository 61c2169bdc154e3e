"""The recording proxy between an agent and its model: keeps the key, meters, records and replays."""

from trialbalance.gateway.calls import Call, CallError, read_calls
from trialbalance.gateway.conversation import Conversation, Message, ToolCall, ToolResult, Turn, Usage
from trialbalance.gateway.errors import GatewayError, ModelSpecError, ReplayError
from trialbalance.gateway.gateway import Gateway
from trialbalance.gateway.meter import CallLimits, Totals
from trialbalance.gateway.model import ModelSpec
from trialbalance.gateway.prices import Prices
from trialbalance.gateway.recorder import Answered
from trialbalance.gateway.replay import load_replay
from trialbalance.gateway.upstream import Patience, Upstream

__all__ = [
    "Answered",
    "Call",
    "CallError",
    "CallLimits",
    "Conversation",
    "Gateway",
    "GatewayError",
    "Message",
    "ModelSpec",
    "ModelSpecError",
    "Patience",
    "Prices",
    "ReplayError",
    "ToolCall",
    "ToolResult",
    "Totals",
    "Turn",
    "Upstream",
    "Usage",
    "load_replay",
    "read_calls",
]
