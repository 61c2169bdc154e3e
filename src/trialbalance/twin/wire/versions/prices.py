"""What changed in prices and plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.versions.base import VersionChange

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call


class MetersReplaceUsageRecords(VersionChange):
    """Usage was recorded for subscription items. Prices and plans named how; with meters there is nothing to name."""

    version = "2025-03-31.basil"
    description = (
        "Removes `aggregate_usage` of prices and plans with the usage-records billing it belonged to"
    )
    source = "https://docs.stripe.com/changelog/basil/2025-03-31/deprecate-legacy-usage-based-billing"
    kinds = ("price", "plan")
    removes = (
        "POST /v1/subscription_items/{item}/usage_records",
        "GET /v1/subscription_items/{item}/usage_record_summaries",
    )

    def response(self, call: Call, obj: JsonObject) -> None:
        target = obj if obj["object"] == "plan" else obj.get("recurring")
        if target:
            recorded = target.get("usage_type") == "metered" and not target.get("meter")
            _put(target, "aggregate_usage", "sum" if recorded else None)


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
