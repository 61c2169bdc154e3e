"""Usage alerts.

Source: https://docs.stripe.com/api/billing/alert
"""

from __future__ import annotations

from trialbalance.twin.billing import alerting
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint

KIND = alerting.KIND


@endpoint("POST /v1/billing/alerts")
def create(call: Call) -> JsonObject:
    """A new, active alert on a meter, for all customers or one."""
    params = call.params
    threshold = params.plain("usage_threshold")
    if not threshold:
        raise InvalidRequest(
            "Missing required param: usage_threshold.", param="usage_threshold", code="parameter_missing"
        )
    call.get("billing.meter", threshold["meter"], param="usage_threshold[meter]")
    for position, entry in enumerate(threshold.get("filters") or ()):
        call.get("customer", entry["customer"], param=f"usage_threshold[filters][{position}][customer]")
    alert = call.new(
        KIND,
        "alrt_test",
        alert_type=params["alert_type"],
        status="active",
        title=params["title"],
        usage_threshold={
            "filters": threshold.get("filters") or [],
            "gte": threshold["gte"],
            "meter": threshold["meter"],
            "recurrence": threshold["recurrence"],
        },
    )
    call.insert(alert)
    alerting.register(call, alert)
    return alert


@endpoint("GET /v1/billing/alerts/{id}")
def retrieve(call: Call) -> JsonObject:
    """One alert."""
    return call.get(KIND, call.path["id"])


@endpoint("GET /v1/billing/alerts")
def list_(call: Call) -> JsonObject:
    """Alerts, newest first."""
    meter = call.params.get("meter")
    return call.list(
        KIND,
        where={"alert_type": call.params.get("alert_type")},
        keep=lambda alert: meter in (None, alert["usage_threshold"]["meter"]),
    )


def _move(call: Call, status: str) -> JsonObject:
    alert = call.edit(KIND, call.path["id"])
    if alert["status"] == "archived":
        raise InvalidRequest("This alert is archived and cannot be changed.")
    alert["status"] = status
    return alert


@endpoint("POST /v1/billing/alerts/{id}/activate")
def activate(call: Call) -> JsonObject:
    """Let an alert be told again."""
    return _move(call, "active")


@endpoint("POST /v1/billing/alerts/{id}/deactivate")
def deactivate(call: Call) -> JsonObject:
    """Silence an alert."""
    return _move(call, "inactive")


@endpoint("POST /v1/billing/alerts/{id}/archive")
def archive(call: Call) -> JsonObject:
    """Silence an alert for good."""
    return _move(call, "archived")
