"""Events: what is told of a change, what it says that was different before, and for how long it is kept.

`Call.emit` is how everything else tells of a change; `webhooks` delivers what was told.

Source: https://docs.stripe.com/api/events
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.ledger.store import copy_json
from trialbalance.twin.wire.call import REACTIONS, Call

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin

EVENTS_KEPT = 30 * 86_400
"""Seconds for which events are kept, at least."""
RETIRE_EVERY = 4096
"""Old events are looked for after so many new ones."""


class Events:
    """The events of one twin."""

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        self._told = 0

    def emit(self, call: Call, type: str, obj: JsonObject, previous: JsonObject | None) -> JsonObject:
        """See `Call.emit`."""
        data: JsonObject = {"object": call.copy_of(obj)}
        if previous is None and type.endswith(".updated") and "id" in obj:
            previous = self.changes(call, obj)
        if previous is not None:
            data["previous_attributes"] = copy_json(previous)
        if call.held is not None:
            call.held.append((type, data))
            event: JsonObject = {"type": type, "data": data}
        else:
            event = self.record(call, type, data)
        for reaction in REACTIONS.get(type, ()):
            reaction(call, obj)
        return event

    def record(self, call: Call, type: str, data: JsonObject) -> JsonObject:
        """Store one event and plan its deliveries."""
        event: JsonObject = {
            "id": call.new_id("evt"),
            "object": "event",
            "api_version": self._twin.version_of(call.account),
            "created": call.now,
            "data": data,
            "livemode": False,
            "pending_webhooks": 0,
            "request": {"id": call.request_id, "idempotency_key": call.idempotency_key},
            "type": type,
        }
        if call.account != self._twin.account:
            event["account"] = call.account
        call.insert(event)
        event["pending_webhooks"] = sum(plan(call, event) for plan in self._twin.planners)
        call.events.append(event)
        return event

    def changes(self, call: Call, obj: JsonObject) -> JsonObject:
        """The old values of what the open transaction changed of `obj`."""
        before = self._twin.store.before(call.account, obj["object"], obj["id"])
        return differences(before, obj) if before is not None else {}

    def retire(self, account: str, told: int) -> None:
        """Once in a while, forget events older than thirty days: the API keeps them no longer.

        Source: https://docs.stripe.com/api/events
        """
        self._told += told
        if self._told >= RETIRE_EVERY:
            self._told = 0
            self._twin.store.table(account, "event").retire(self._twin.now() - EVENTS_KEPT)


def differences(before: JsonObject, after: JsonObject) -> JsonObject:
    """The old values of what changed: nested hashes show only their changed keys, lists are whole.

    Source: https://docs.stripe.com/api/events/object#event_object-data-previous_attributes
    """
    differing = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    changed: JsonObject = {}
    for name in sorted(differing):
        if name.startswith("_"):
            continue
        old, new = before.get(name), after.get(name)
        if name == "metadata" and isinstance(old, dict) and isinstance(new, dict):
            changed[name] = {
                key: old.get(key) for key in sorted({*old, *new}) if old.get(key) != new.get(key)
            }
        elif isinstance(old, dict) and isinstance(new, dict) and "object" not in old:
            changed[name] = differences(old, new)
        else:
            changed[name] = old
    return changed


__all__ = ["EVENTS_KEPT", "RETIRE_EVERY", "Events", "differences"]
