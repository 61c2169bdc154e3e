"""Stripe's API reference, searchable offline: the docstrings of the pinned official SDK."""

from trialbalance.tools.documentation.entry import Entry
from trialbalance.tools.documentation.index import Documentation, Found

__all__ = ["Documentation", "Entry", "Found"]
