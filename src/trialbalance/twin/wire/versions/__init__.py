"""Every breaking change the twin carries requests and responses across. `trialbalance twin versions` lists them."""

from __future__ import annotations

import importlib
import pkgutil

from trialbalance.twin.wire.versions.base import KNOWN, VersionChange, Versions

__all__ = ["KNOWN", "VersionChange", "Versions", "all_changes"]


def all_changes() -> list[VersionChange]:
    """One instance of every change class in this package's modules."""
    changes: list[VersionChange] = []
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        if module.name == "base":
            continue
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        for name in sorted(vars(loaded)):
            item = vars(loaded)[name]
            if isinstance(item, type) and issubclass(item, VersionChange) and item is not VersionChange:
                changes.append(item())
    return changes
