"""One module per API resource. Importing a module registers its endpoints."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin

PACKAGES = (
    "trialbalance.twin.resources",
    "trialbalance.twin.billing",
    "trialbalance.twin.cards",
    "trialbalance.twin.rails",
    "trialbalance.twin.webhooks",
    "trialbalance.twin.pages",
)
_prepares: list[Callable[[Twin], None]] = []
_loaded = False


def load() -> None:
    """Import every module that registers endpoints or due actions, once, in order of name."""
    global _loaded
    if _loaded:
        return
    _loaded = True
    for package in PACKAGES:
        module = importlib.import_module(package)
        for item in sorted(pkgutil.iter_modules(module.__path__), key=lambda m: m.name):
            found = getattr(importlib.import_module(f"{package}.{item.name}"), "prepare", None)
            if found is not None:
                _prepares.append(found)


def prepare(twin: Twin) -> None:
    """Let every resource module that has a `prepare(twin)` set up a new twin (default objects, listeners)."""
    for found in _prepares:
        found(twin)
