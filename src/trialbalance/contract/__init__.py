"""What the payment API promises, compiled from the official SDK: see `compile` and `model`."""

from trialbalance.contract.model import Contract, Endpoint, load

__all__ = ["Contract", "Endpoint", "load"]
