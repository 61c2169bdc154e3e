"""Usage alerts: told once per customer when what a meter counted since the alert began reaches its threshold.

Source: https://docs.stripe.com/billing/subscriptions/usage-based/alerts
"""

from __future__ import annotations

from decimal import Decimal

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call

KIND = "billing.alert"
REGISTER = "meter_alerts"
"""Per meter: the ids of its alerts."""


def register(call: Call, alert: JsonObject) -> None:
    """Let an alert hear of its meter's events."""
    meter = alert["usage_threshold"]["meter"]
    found = call.ledger.edit(call.account, REGISTER, meter)
    if found is None:
        found = call.insert({"id": meter, "object": REGISTER, "alerts": []})
    found["alerts"].append(alert["id"])


def check(call: Call, meter: JsonObject, customer: JsonObject, value: Decimal) -> None:
    """A customer's usage grew by `value`: tell the alerts that are reached by it."""
    register = call.find(REGISTER, meter["id"])
    if register is None:
        return
    for identifier in register["alerts"]:
        alert = call.get(KIND, identifier)
        if alert["status"] != "active" or not _means(alert, customer["id"]):
            continue
        edited = call.edit(KIND, identifier)
        seen = edited.setdefault("_seen", {})
        total = Decimal(seen.get(customer["id"], "0")) + value
        if meter["default_aggregation"]["formula"] == "last":
            total = value
        seen[customer["id"]] = str(total)
        told = edited.setdefault("_told", [])
        if total >= alert["usage_threshold"]["gte"] and customer["id"] not in told:
            told.append(customer["id"])
            triggered = call.new(
                "billing.alert_triggered",
                None,
                alert={name: field for name, field in edited.items() if name[:1] != "_"},
                created=call.now_of(customer),
                customer=customer["id"],
                value=int(total),
            )
            call.emit("billing.alert.triggered", triggered)


def _means(alert: JsonObject, customer: str) -> bool:
    filters = alert["usage_threshold"]["filters"]
    return not filters or any(entry["customer"] == customer for entry in filters)
