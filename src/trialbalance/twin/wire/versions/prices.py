"""What changed in prices and plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.versions.base import VersionChange

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call


class MetersReplaceUsageRecords(VersionChange):
    """Prices and plans named how usage records are aggregated; with meters there is nothing to name."""

    version = "2025-03-31.basil"
    description = (
        "Removes `aggregate_usage` of prices and plans with the usage-records billing it belonged to"
    )
    source = "https://docs.stripe.com/changelog/basil/2025-03-31/deprecate-legacy-usage-based-billing"
    kinds = ("price", "plan")

    def response(self, call: Call, obj: JsonObject) -> None:
        if obj["object"] == "plan":
            _put(obj, "aggregate_usage", None)
        elif obj.get("recurring"):
            _put(obj["recurring"], "aggregate_usage", None)


class PlansHideTiers(VersionChange):
    """A plan showed its tiers without being asked."""

    version = "2020-08-27"
    description = "Plans no longer include `tiers` unless they are expanded"
    source = "https://docs.stripe.com/upgrades#2020-08-27"
    kinds = ("plan",)

    def response(self, call: Call, obj: JsonObject) -> None:
        stored = call.find("price", obj["id"])
        if "tiers" not in obj:
            _put(obj, "tiers", stored.get("_tiers") if stored else None)


def _put(obj: JsonObject, name: str, value: object) -> None:
    obj[name] = value
    ordered: JsonObject = {n: obj[n] for n in ("id", "object") if n in obj}
    ordered |= {n: obj[n] for n in sorted(obj) if n not in ordered}
    obj.clear()
    obj.update(ordered)
