"""Test clocks: a time line of its own for customers and everything of theirs, that a test moves forward.

Advancing answers `advancing` at once; the work runs right after the answer, in order of time, so that the next
request finds the clock `ready`. Objects that billing makes live on their customer's clock; payments carry the
twin's own time.

Source: https://docs.stripe.com/billing/testing/test-clocks
"""

from __future__ import annotations

from trialbalance.twin.billing.calendar import DAY, shift
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, due, endpoint

KIND = "test_helpers.test_clock"
KEPT = 30 * DAY
"""A clock deletes itself this long after it was made."""
CUSTOMERS = 3
"""So many customers a clock can have."""
INTERVALS = 2
"""A clock moves at most so many of the shortest subscription interval at a time."""


@endpoint("POST /v1/test_helpers/test_clocks")
def create(call: Call) -> JsonObject:
    """A new clock that stands at `frozen_time`."""
    clock = call.new(
        KIND,
        "clock",
        deletes_after=call.now + KEPT,
        frozen_time=call.params["frozen_time"],
        name=call.params.get("name"),
        status="ready",
        status_details={},
    )
    call.insert(clock)
    call.schedule(clock["deletes_after"], "test_clock.delete", clock["id"])
    call.emit("test_helpers.test_clock.created", clock)
    return clock


@endpoint("GET /v1/test_helpers/test_clocks/{test_clock}")
def retrieve(call: Call) -> JsonObject:
    """One clock."""
    return call.get(KIND, call.path["test_clock"], param="test_clock")


@endpoint("GET /v1/test_helpers/test_clocks")
def list_(call: Call) -> JsonObject:
    """Clocks, newest first."""
    return call.list(KIND)


@endpoint("POST /v1/test_helpers/test_clocks/{test_clock}/advance")
def advance(call: Call) -> JsonObject:
    """Start to move a clock forward.

    At most two of the shortest subscription interval, or two years without subscriptions.

    Source: https://docs.stripe.com/api/test_clocks/advance
    """
    clock = call.edit(KIND, call.path["test_clock"], param="test_clock")
    target, now = call.params["frozen_time"], clock["frozen_time"]
    if clock["status"] != "ready":
        raise InvalidRequest("Test clock advancement underway - cannot perform modifications.")
    if target <= now:
        raise InvalidRequest(
            f"The test clock must be advanced to a time after its current frozen time: {target} is not after {now}.",
            param="frozen_time",
        )
    furthest = _furthest(call, clock["id"], now)
    if target > furthest:
        raise InvalidRequest(
            "Cannot advance a test clock more than two intervals of its shortest subscription, or two years, at a "
            f"time: {target} is after {furthest}.",
            param="frozen_time",
        )
    clock["status"] = "advancing"
    clock["status_details"] = {"advancing": {"target_frozen_time": target}}
    call.emit("test_helpers.test_clock.advancing", clock)
    twin, account, identifier = call.twin, call.account, clock["id"]

    def move() -> None:
        twin.run_clock(identifier, target)
        with twin.act(account) as later:
            moved = later.edit(KIND, identifier)
            moved["frozen_time"] = target
            moved["status"] = "ready"
            moved["status_details"] = {}
            later.emit("test_helpers.test_clock.ready", moved)

    twin.afterwards.append(move)
    return clock


def _furthest(call: Call, clock: str, now: int) -> int:
    """The last second a clock may be moved to."""
    furthest = shift(now, "year", 2)
    for customer in call.ledger.all(call.account, "customer", test_clock=clock):
        for subscription in call.ledger.all(call.account, "subscription", customer=customer["id"]):
            if subscription["status"] in ("canceled", "incomplete_expired"):
                continue
            for item in subscription["items"]["data"]:
                recurring = item["price"]["recurring"]
                span = shift(now, recurring["interval"], INTERVALS * recurring["interval_count"])
                furthest = min(furthest, span)
    return furthest


@endpoint("DELETE /v1/test_helpers/test_clocks/{test_clock}")
def delete(call: Call) -> JsonObject:
    """Delete a clock with its customers; their subscriptions are canceled.

    Source: https://docs.stripe.com/billing/testing/test-clocks/api-advanced-usage#delete-a-test-clock
    """
    return call.deleted_stub(_delete(call, call.path["test_clock"]))


@due("test_clock.delete")
def _too_old(call: Call, target: str, arguments: JsonObject) -> None:
    if call.find(KIND, target) is not None:
        _delete(call, target)


def _delete(call: Call, identifier: str) -> JsonObject:
    clock = call.delete(KIND, identifier, param="test_clock")
    for customer in list(call.ledger.all(call.account, "customer", test_clock=clock["id"])):
        call.delete("customer", customer["id"])
        call.emit("customer.deleted", customer)
    call.emit("test_helpers.test_clock.deleted", clock)
    return clock


def make_room(call: Call, clock: str) -> None:
    """Refuse one customer more than a clock can have."""
    customers = call.ledger.all(call.account, "customer", test_clock=clock)
    if sum(1 for _ in customers) > CUSTOMERS:
        raise InvalidRequest(f"A test clock can have at most {CUSTOMERS} customers.", param="test_clock")
