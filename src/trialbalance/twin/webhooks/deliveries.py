"""Deliveries: one per event and endpoint, with their attempts, retried with back-off on the twin's clock.

A delivery is planned in the transaction of its event, so an event and its deliveries are kept or lost
together. Sending happens outside: `Outbox.take` hands out payloads, `record` takes the endpoint's answer.
In test mode the API retries three times over a few hours; the exact times are not published, ours are
10 minutes, 1 hour and 3 hours after the attempt before.
Source: https://docs.stripe.com/webhooks#automatic-retries
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, due
from trialbalance.twin.wire.versions.base import Rendered

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin
from trialbalance.twin.webhooks.signing import signature_header

RETRY_DELAYS = (600, 3600, 3 * 3600)
KIND = "_delivery"
MAX_ANSWER = 2000


class Outgoing(NamedTuple):
    """One attempt to make: where to post what."""

    delivery: str
    account: str
    url: str
    payload: bytes
    headers: dict[str, str]
    delay: float


class Disruption(NamedTuple):
    """What the control plane asked deliveries to suffer, seeded and off by default.

    `duplicate`: share of deliveries sent twice; `shuffle`: out of order; `delay`: seconds before each.
    """

    duplicate: float = 0.0
    shuffle: bool = False
    delay: float = 0.0


def prepare(twin: Twin) -> None:
    """Give a new twin its outbox."""
    twin.outbox = []
    twin.disruption = Disruption()
    twin.planners.append(plan)


def wants(enabled: list[str], type: str) -> bool:
    """Whether an endpoint's `enabled_events` cover an event type."""
    return "*" in enabled or type in enabled


def endpoints_of(call: Call, event: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """The endpoints an event goes to, as (owning account, endpoint).

    An endpoint of the account itself gets its own events; one with `connect=true` on the platform gets the
    connected accounts' events and not the platform's own.
    Source: https://docs.stripe.com/connect/webhooks
    """
    platform = call.twin.account
    for owner in dict.fromkeys((call.account, platform)):
        for endpoint in call.ledger.all(owner, "webhook_endpoint"):
            if endpoint["status"] != "enabled" or not wants(endpoint["enabled_events"], event["type"]):
                continue
            if bool(endpoint.get("_connect")) == (owner != call.account):
                yield owner, endpoint
        for destination in call.ledger.all(owner, "v2.core.event_destination"):
            if destination["status"] != "enabled" or destination["type"] != "webhook_endpoint":
                continue
            thin = destination["event_payload"] == "thin"
            name = f"v1.{event['type']}" if thin else event["type"]
            source = (destination.get("events_from") or ["self"])[0]
            other = source in ("other_accounts", "@accounts")
            if wants(destination["enabled_events"], name) and other == (owner != call.account):
                yield owner, destination


def plan(call: Call, event: JsonObject) -> int:
    """Plan the deliveries of a new event; returns how many are pending."""
    count = 0
    for owner, endpoint in endpoints_of(call, event):
        identifier = f"wd_{call.twin.ids.random(24)}"
        call.ledger.insert(
            owner,
            KIND,
            {
                "id": identifier,
                "object": KIND,
                "event": event["id"],
                "event_account": call.account,
                "endpoint": endpoint["id"],
                "endpoint_kind": endpoint["object"],
                "type": event["type"],
                "url": endpoint.get("url") or endpoint["webhook_endpoint"]["url"],
                "status": "pending",
                "created": call.now,
                "next_attempt": call.now,
                "attempts": [],
            },
        )
        _queue(call.twin, owner, identifier)
        count += 1
    return count


def _queue(twin: Twin, owner: str, identifier: str) -> None:
    item = (owner, identifier)
    twin.outbox.append(item)
    twin.store.undo(lambda: twin.outbox.remove(item) if item in twin.outbox else None)


@due("webhook.deliver")
def deliver_again(call: Call, target: str, arguments: JsonObject) -> None:
    """A retry has fallen due."""
    delivery = call.find(KIND, target)
    if delivery is not None and delivery["status"] == "pending":
        _queue(call.twin, call.account, target)


def take(twin: Twin) -> list[Outgoing]:
    """Everything that is to be posted now, signed, in order; empties the outbox."""
    waiting, twin.outbox = twin.outbox, []
    outgoing = []
    disruption: Disruption = twin.disruption
    for owner, identifier in waiting:
        made = _outgoing(twin, owner, identifier, disruption)
        if made is None:
            continue
        outgoing.append(made)
        if disruption.duplicate and twin.ids.integer(1, 1000) <= disruption.duplicate * 1000:
            outgoing.append(made)
    if disruption.shuffle:
        outgoing = sorted(outgoing, key=lambda _: twin.ids.integer(0, 1 << 30))
    return outgoing


def _outgoing(twin: Twin, owner: str, identifier: str, disruption: Disruption) -> Outgoing | None:
    delivery = twin.store.find(owner, KIND, identifier)
    if delivery is None or delivery["status"] != "pending":
        return None
    endpoint = twin.store.find(owner, delivery["endpoint_kind"], delivery["endpoint"])
    event = twin.store.find(delivery["event_account"], "event", delivery["event"])
    if endpoint is None or event is None or endpoint["status"] != "enabled":
        return None
    payload = payload_for(twin, endpoint, event, delivery["event_account"])
    # The receiver compares this second with its own wall clock, so it is the wall clock's, not the twin's.
    header = signature_header(payload, endpoint["_secret"], int(time.time()))
    return Outgoing(
        identifier,
        owner,
        delivery["url"],
        payload,
        {
            "Content-Type": "application/json; charset=utf-8",
            "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
            "Stripe-Signature": header,
            "Accept": "*/*; q=0.5, application/xml",
            "Cache-Control": "no-cache",
        },
        disruption.delay,
    )


def payload_for(twin: Twin, endpoint: JsonObject, event: JsonObject, account: str) -> bytes:
    """An event as one endpoint gets it: in the endpoint's API version, or thin.

    Source: https://docs.stripe.com/webhooks/versioning
    """
    if endpoint["object"] == "v2.core.event_destination" and endpoint["event_payload"] == "thin":
        from trialbalance.twin.webhooks.thin import thin_event

        return msgspec.json.encode(thin_event(twin, event))
    version = endpoint.get("api_version") or endpoint.get("snapshot_api_version") or event["api_version"]
    shown = render_event(twin, account, event, version)
    return msgspec.json.format(msgspec.json.encode(shown), indent=2)


def render_event(twin: Twin, account: str, event: JsonObject, version: str) -> JsonObject:
    """An event whose `data` and `api_version` are those of `version`."""
    call = Call(twin, account, version=version)
    shown: JsonObject = twin.versions.render(call, version, event)
    shown["api_version"] = version
    return Rendered(shown)


def record(twin: Twin, account: str, identifier: str, status: int | None, answer: str) -> None:
    """Take one attempt's outcome: `status` is the HTTP status, None when nothing answered.

    2xx delivers; anything else is retried by `RETRY_DELAYS`, then failed. Redirects count as failures.
    """
    call = Call(twin, account, source="webhook")
    twin.store.begin()
    delivery = twin.store.edit(account, KIND, identifier)
    if delivery is None:
        twin.store.rollback()
        return
    delivered = status is not None and 200 <= status < 300
    delivery["attempts"].append({"at": twin.now(), "status": status, "answer": answer[:MAX_ANSWER]})
    made = len(delivery["attempts"])
    if delivered:
        if delivery["status"] == "pending":
            _settle(twin, delivery)
        delivery["status"], delivery["next_attempt"] = "delivered", None
    elif delivery["status"] == "pending":
        if made <= len(RETRY_DELAYS):
            delivery["next_attempt"] = twin.now() + RETRY_DELAYS[made - 1]
            call.schedule(delivery["next_attempt"], "webhook.deliver", identifier, timeline="")
        else:
            delivery["status"], delivery["next_attempt"] = "failed", None
    twin.store.commit()
    twin.journal.append(
        "webhook",
        twin.now(),
        delivery=identifier,
        event=delivery["event"],
        type=delivery["type"],
        url=delivery["url"],
        attempt=made,
        status=status,
        outcome=delivery["status"],
        answer=answer[:MAX_ANSWER],
    )


def _settle(twin: Twin, delivery: JsonObject) -> None:
    event = twin.store.edit(delivery["event_account"], "event", delivery["event"])
    if event is not None and event["pending_webhooks"] > 0:
        event["pending_webhooks"] -= 1


def all_deliveries(twin: Twin) -> list[JsonObject]:
    """Every delivery of every account, oldest first, for the inspector and the control plane."""
    found: list[Any] = []
    for (_, kind), table in twin.store.tables.items():
        if kind == KIND:
            found += [table.objects[i] for i in table.order if i in table.objects]
    return sorted(found, key=lambda d: d["created"])


def redeliver(twin: Twin, event: str) -> int:
    """Send an event once more to every endpoint that had it, whatever became of it; returns how many."""
    count = 0
    for (owner, kind), table in twin.store.tables.items():
        if kind != KIND:
            continue
        for delivery in [d for d in table.objects.values() if d["event"] == event]:
            twin.store.begin()
            changed = twin.store.edit(owner, KIND, delivery["id"])
            if changed is not None:
                changed["status"] = "pending"
                _queue(twin, owner, delivery["id"])
                count += 1
            twin.store.commit()
    if twin.wake is not None:
        twin.wake()
    return count
