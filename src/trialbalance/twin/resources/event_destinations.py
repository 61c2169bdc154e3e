"""Event destinations and v2 events: JSON in, JSON out, thin or snapshot payloads.

Source: https://docs.stripe.com/api/v2/core/event_destinations
"""

from __future__ import annotations

from trialbalance.twin.errors import InvalidRequest, JsonObject, NotBuilt, NotFound
from trialbalance.twin.resources.webhook_endpoints import check_url
from trialbalance.twin.webhooks.thin import iso, thin_event
from trialbalance.twin.wire.call import Call, endpoint

KIND = "v2.core.event_destination"


def _shown(call: Call, destination: JsonObject, *, secret: bool = False) -> JsonObject:
    """As the API shows it: `webhook_endpoint` parts only when `include` asks for them."""
    wanted = call.params.plain("include") or []
    hook = destination["webhook_endpoint"]
    shown = {
        "url": hook["url"] if "webhook_endpoint.url" in wanted else None,
        "signing_secret": destination["_secret"]
        if secret and "webhook_endpoint.signing_secret" in wanted
        else None,
    }
    return {**destination, "webhook_endpoint": shown if any(shown.values()) else None}


@endpoint("POST /v2/core/event_destinations")
def create(call: Call) -> JsonObject:
    """A new destination of type `webhook_endpoint`."""
    if call.params["type"] != "webhook_endpoint":
        raise NotBuilt(f"event destinations of type {call.params['type']}", param="type")
    hook = call.params.get("webhook_endpoint")
    if not hook:
        raise InvalidRequest("webhook_endpoint is required for this type", param="webhook_endpoint")
    url = hook["url"]
    check_url(url)
    payload = call.params["event_payload"]
    now = iso(call.now)
    made: JsonObject = {
        "id": call.new_id("ed_test"),
        "object": KIND,
        "created": now,
        "description": call.params.get("description") or "",
        "enabled_events": call.params.plain("enabled_events"),
        "event_payload": payload,
        "events_from": call.params.plain("events_from") or ["self"],
        "livemode": False,
        "metadata": call.params.plain("metadata") or {},
        "name": call.params["name"],
        "snapshot_api_version": call.params.get("snapshot_api_version")
        or (call.twin.version_of(call.account) if payload == "snapshot" else None),
        "status": "enabled",
        "status_details": None,
        "type": "webhook_endpoint",
        "updated": now,
        "webhook_endpoint": {"url": url},
        "_secret": f"whsec_{call.twin.ids.random(32)}",
    }
    call.insert(made)
    return _shown(call, made, secret=True)


@endpoint("GET /v2/core/event_destinations/{id}")
def retrieve(call: Call) -> JsonObject:
    """One destination."""
    return _shown(call, call.get(KIND, call.path["id"]))


@endpoint("GET /v2/core/event_destinations")
def list_(call: Call) -> JsonObject:
    """Destinations, newest first, in v2's page shape."""
    shown = [_shown(call, d) for d in call.ledger.all(call.account, KIND)][::-1]
    return _page(call, shown)


@endpoint("POST /v2/core/event_destinations/{id}")
def update(call: Call) -> JsonObject:
    """Change name, events, URL, metadata."""
    changed = call.edit(KIND, call.path["id"])
    call.assign(changed, "description", "enabled_events", "name")
    if "webhook_endpoint" in call.params or dict.__contains__(call.params, "webhook_endpoint"):
        url = call.params["webhook_endpoint"]["url"]
        check_url(url)
        changed["webhook_endpoint"] = {"url": url}
    for key, value in (call.params.plain("metadata") or {}).items():
        if value in ("", None):
            changed["metadata"].pop(key, None)
        else:
            changed["metadata"][key] = value
    changed["updated"] = iso(call.now)
    return _shown(call, changed)


@endpoint("DELETE /v2/core/event_destinations/{id}")
def delete(call: Call) -> JsonObject:
    """Remove a destination."""
    gone = call.delete(KIND, call.path["id"])
    return {"id": gone["id"], "object": KIND}


@endpoint("POST /v2/core/event_destinations/{id}/disable")
def disable(call: Call) -> JsonObject:
    """Stop sending to it."""
    changed = call.edit(KIND, call.path["id"])
    changed["status"], changed["status_details"] = "disabled", {"disabled": {"reason": "user"}}
    return _shown(call, changed)


@endpoint("POST /v2/core/event_destinations/{id}/enable")
def enable(call: Call) -> JsonObject:
    """Send to it again."""
    changed = call.edit(KIND, call.path["id"])
    changed["status"], changed["status_details"] = "enabled", None
    return _shown(call, changed)


@endpoint("GET /v2/core/events/{id}")
def retrieve_event(call: Call) -> JsonObject:
    """One event in its thin shape."""
    event = call.find("event", call.path["id"])
    if event is None:
        raise NotFound("event", call.path["id"])
    return thin_event(call.twin, event)


@endpoint("GET /v2/core/events")
def list_events(call: Call) -> JsonObject:
    """Events in their thin shape, by the object they are about and by type."""
    wanted = call.params.get("object_id")
    types = call.params.plain("types")
    found = []
    for event in call.ledger.all(call.account, "event"):
        if wanted and event["data"]["object"].get("id") != wanted:
            continue
        if types and f"v1.{event['type']}" not in types:
            continue
        found.append(thin_event(call.twin, event))
    return _page(call, found[::-1])


def _page(call: Call, objects: list[JsonObject]) -> JsonObject:
    limit = max(1, min(100, int(call.params.get("limit", 20))))
    start = int(call.params.get("page", 0) or 0) if "page" in call.params else 0
    more = start + limit < len(objects)
    path = call.path_name
    return {
        "data": objects[start : start + limit],
        "next_page_url": f"{path}?page={start + limit}&limit={limit}" if more else None,
        "previous_page_url": None,
    }
