"""Webhook endpoints: where events are posted.

Source: https://docs.stripe.com/api/webhook_endpoints
"""

from __future__ import annotations

from urllib.parse import urlsplit

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint

MOST = 16
"""An account has at most 16 endpoints in test mode."""


def check_url(url: str) -> None:
    """Refuse what is no absolute http(s) URL."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidRequest(
            "Invalid URL: URLs must be absolute and begin with https:// or http://.", param="url"
        )


@endpoint("POST /v1/webhook_endpoints")
def create(call: Call) -> JsonObject:
    """A new endpoint; only this answer shows the signing secret."""
    url = str(call.params["url"])
    check_url(url)
    if sum(1 for _ in call.ledger.all(call.account, "webhook_endpoint")) >= MOST:
        raise InvalidRequest(f"You have reached the maximum of {MOST} test webhook endpoints.")
    events = call.params.plain("enabled_events")
    if not events:
        raise InvalidRequest(
            "Invalid array: enabled_events needs at least one event.", param="enabled_events"
        )
    made = call.new(
        "webhook_endpoint",
        "we",
        api_version=call.params.get("api_version"),
        description=call.params.get("description") or None,
        enabled_events=events,
        status="enabled",
        url=url,
    )
    made.pop("secret", None)
    made["_secret"] = f"whsec_{call.twin.ids.random(32)}"
    made["_connect"] = bool(call.params.get("connect"))
    if made["_connect"]:
        made["application"] = None
    call.merge_metadata(made)
    call.insert(made)
    return {**made, "secret": made["_secret"]}


@endpoint("GET /v1/webhook_endpoints/{webhook_endpoint}")
def retrieve(call: Call) -> JsonObject:
    """One endpoint, without its secret."""
    return call.get("webhook_endpoint", call.path["webhook_endpoint"], param="webhook_endpoint_id")


@endpoint("POST /v1/webhook_endpoints/{webhook_endpoint}")
def update(call: Call) -> JsonObject:
    """Change URL, events, description; disable or enable."""
    changed = call.edit("webhook_endpoint", call.path["webhook_endpoint"], param="webhook_endpoint_id")
    if "url" in call.params:
        check_url(str(call.params["url"]))
    call.assign(changed, "url", "description")
    if dict.__contains__(call.params, "enabled_events"):
        events = call.params.plain("enabled_events")
        if not events:
            raise InvalidRequest(
                "Invalid array: enabled_events needs at least one event.", param="enabled_events"
            )
        changed["enabled_events"] = events
    if "disabled" in call.params:
        changed["status"] = "disabled" if call.params["disabled"] else "enabled"
    call.merge_metadata(changed)
    return changed


@endpoint("GET /v1/webhook_endpoints")
def list_(call: Call) -> JsonObject:
    """Endpoints, newest first."""
    return call.list("webhook_endpoint")


@endpoint("DELETE /v1/webhook_endpoints/{webhook_endpoint}")
def delete(call: Call) -> JsonObject:
    """Remove an endpoint; its pending deliveries are never made."""
    return call.deleted_stub(
        call.delete("webhook_endpoint", call.path["webhook_endpoint"], param="webhook_endpoint_id")
    )
