"""Subscription schedules at work: a phase begins, the next takes over, the last one ends.

A phase that ends with a billing period takes over before the renewal, which then bills the new items. One that ends
inside a period is an ordinary change of the subscription with the new phase's proration behaviour.

Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules
"""

from __future__ import annotations

from trialbalance.twin.billing import (
    cycling,
    discounting,
    items,
    phases,
    states,
    updating,
    usage,
)
from trialbalance.twin.billing.calendar import DAY, Period
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, due

KIND = "subscription_schedule"
SUBSCRIPTION = "subscription"
EXPIRING = 7 * DAY


def index_at(schedule: JsonObject, now: int) -> int | None:
    """The phase that holds `now`; None when all are over or none has begun."""
    for number, phase in enumerate(schedule["phases"]):
        if phase["start_date"] <= now < phase["end_date"]:
            return number
    return None


def show_phase(schedule: JsonObject, now: int) -> None:
    """Write the current phase into an edited schedule."""
    number = index_at(schedule, now) if schedule["status"] == "active" else None
    phase = schedule["phases"][number] if number is not None else None
    schedule["_phase"] = number if number is not None else schedule.get("_phase")
    schedule["current_phase"] = (
        {"end_date": phase["end_date"], "start_date": phase["start_date"]} if phase else None
    )


def plan(call: Call, schedule: JsonObject, now: int) -> None:
    """Plan an edited schedule's start or its next change of phase."""
    key = schedule["_key"] = schedule.get("_key", 0) + 1
    line, target = call.clock_of(schedule), schedule["id"]
    if schedule["status"] == "not_started":
        call.schedule(schedule["phases"][0]["start_date"], "schedule.start", target, timeline=line, key=key)
        return
    if schedule["status"] != "active" or schedule["current_phase"] is None:
        return
    call.schedule(schedule["current_phase"]["end_date"], "schedule.phase", target, timeline=line, key=key)
    early = schedule["phases"][-1]["end_date"] - EXPIRING
    if early > now:
        call.schedule(early, "schedule.expiring", target, timeline=line, end=early + EXPIRING)


@due("schedule.start")
def _start(call: Call, target: str, arguments: JsonObject) -> None:
    from trialbalance.twin.resources import subscription_schedules

    found = call.find(KIND, target)
    if found is None or found["_key"] != arguments["key"] or found["status"] != "not_started":
        return
    schedule = call.edit(KIND, target)
    subscription_schedules.begin(call, schedule, now=call.now_of(schedule))
    call.emit("subscription_schedule.updated", schedule)


@due("schedule.phase")
def _next(call: Call, target: str, arguments: JsonObject) -> None:
    found = call.find(KIND, target)
    if found is None or found["_key"] != arguments["key"] or found["status"] != "active":
        return
    subscription = call.find(SUBSCRIPTION, found["subscription"])
    if subscription is None or subscription["status"] in states.ENDED:
        return
    edited = call.edit(SUBSCRIPTION, subscription["id"])
    if catch_up(call, edited, call.now_of(edited)):
        cycling.plan(call, edited)


@due("schedule.expiring")
def _expiring(call: Call, target: str, arguments: JsonObject) -> None:
    found = call.find(KIND, target)
    if found is None or found["status"] != "active":
        return
    if found["phases"][-1]["end_date"] == arguments["end"]:
        call.emit("subscription_schedule.expiring", found)


def catch_up(call: Call, subscription: JsonObject, now: int) -> bool:
    """Let the phase that holds `now` take over an edited subscription; returns whether it still runs.

    Called before a renewal and at the end of each phase.
    """
    identifier = subscription["schedule"]
    if not identifier:
        return True
    schedule = call.edit(KIND, identifier)
    number = index_at(schedule, now)
    if number is not None and number == schedule["_phase"]:
        return True
    if number is None:
        return _finish(call, schedule, subscription, now)
    before = {"current_phase": schedule["current_phase"]}
    enter(call, schedule, subscription, number, now)
    show_phase(schedule, now)
    plan(call, schedule, now)
    call.emit("subscription_schedule.updated", schedule, previous=before)
    return True


def _finish(call: Call, schedule: JsonObject, subscription: JsonObject, now: int) -> bool:
    """All phases are over: the subscription ends with its schedule, or is released from it and goes on."""
    from trialbalance.twin.billing import ending

    schedule["current_phase"] = None
    if schedule["end_behavior"] == "cancel":
        schedule["status"], schedule["completed_at"] = "completed", now
        ending.end_as_planned(call, subscription, now=now)
        call.emit("subscription_schedule.completed", schedule)
        return False
    schedule["status"], schedule["released_at"] = "released", now
    let_go(schedule, subscription)
    call.emit("subscription_schedule.released", schedule)
    call.emit("customer.subscription.updated", subscription, previous={"schedule": schedule["id"]})
    return True


SPLIT = ("proration_behavior", "billing_cycle_anchor", "description", "metadata")
"""What the new part of a split phase has from the old one."""


def split(call: Call, subscription: JsonObject, now: int) -> None:
    """An edited subscription was changed directly: the rest of its schedule's current phase is a phase of its own.

    Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#subscription-schedule-sub-updates
    """
    schedule = call.edit(KIND, subscription["schedule"])
    number = index_at(schedule, now)
    if schedule["status"] != "active" or number is None:
        return
    old = schedule["phases"][number]
    fresh = {
        **phases.of_subscription(subscription),
        **{name: old[name] for name in SPLIT},
        "start_date": now,
        "end_date": old["end_date"],
    }
    if old["start_date"] == now:
        schedule["phases"] = [*schedule["phases"][:number], fresh, *schedule["phases"][number + 1 :]]
    else:
        ended = {**old, "end_date": now}
        rest = schedule["phases"][number + 1 :]
        schedule["phases"] = [*schedule["phases"][:number], ended, fresh, *rest]
    show_phase(schedule, now)
    plan(call, schedule, now)
    call.emit("subscription_schedule.updated", schedule)


def let_go(schedule: JsonObject, subscription: JsonObject) -> None:
    """Part an edited subscription from its edited schedule."""
    schedule["released_subscription"] = subscription["id"]
    schedule["subscription"] = None
    subscription["schedule"] = None


def enter(
    call: Call,
    schedule: JsonObject,
    subscription: JsonObject,
    number: int,
    now: int,
    *,
    behavior: str | None = None,
) -> None:
    """Let phase `number` rule an edited subscription from now on."""
    phase = schedule["phases"][number]
    _write(call, schedule, subscription, phase, now)
    extra = _extras(call, subscription, phase, now)
    at_boundary = all(item["current_period_end"] <= now for item in items.of(call, subscription))
    if at_boundary:
        _swap(call, subscription, phase, now)
        for item in extra:
            from trialbalance.twin.billing import pending

            pending.add(call, item)
    else:
        _change(call, schedule, subscription, phase, now, behavior, [item["id"] for item in extra])
    last = number == len(schedule["phases"]) - 1
    if last and schedule["end_behavior"] == "cancel":
        subscription["cancel_at"] = phase["end_date"]
    elif subscription["cancel_at"] is not None and not subscription["cancel_at_period_end"]:
        subscription["cancel_at"] = None


def _write(call: Call, schedule: JsonObject, subscription: JsonObject, phase: JsonObject, now: int) -> None:
    from trialbalance.twin.resources import subscription_fields

    given = phases.settings(schedule, phase)
    method = given.pop("collection_method")
    subscription["collection_method"] = method
    if method == "charge_automatically":
        subscription["days_until_due"] = None
    subscription_fields.describe(call, subscription, phases.as_params(given))
    wanted = phases.as_params({"discounts": phase["discounts"]})
    before = list(subscription["discounts"])
    subscription["discounts"] = discounting.apply(
        call,
        wanted["discounts"],
        path="discounts",
        currency=subscription["currency"],
        customer=subscription["customer"],
        now=now,
        known=before,
        subscription=subscription["id"],
    )
    discounting.tell(call, before, subscription["discounts"])


def _extras(call: Call, subscription: JsonObject, phase: JsonObject, now: int) -> tuple[JsonObject, ...]:
    from trialbalance.twin.resources import subscription_fields

    if not phase["add_invoice_items"]:
        return ()
    rows = []
    for row in phase["add_invoice_items"]:
        given = {**row, "tax_rates": [rate["id"] for rate in row["tax_rates"]]}
        given["discounts"] = given["discounts"] or None
        rows.append(given)
    params = phases.as_params({"add_invoice_items": rows})
    return subscription_fields.extra_items(call, params, subscription, now=now)


def matched(
    call: Call, subscription: JsonObject, phase: JsonObject
) -> list[tuple[JsonObject | None, JsonObject | None]]:
    """Pairs of the subscription's items and a phase's rows: by price first, then in order; None has no partner."""
    left = items.of(call, subscription)
    pairs: list[tuple[JsonObject | None, JsonObject | None]] = []
    rows = []
    for row in phase["items"]:
        same = next((item for item in left if item["price"]["id"] == row["price"]), None)
        if same is None:
            rows.append(row)
        else:
            left.remove(same)
            pairs.append((same, row))
    for row in rows:
        pairs.append((left.pop(0) if left else None, row))
    pairs += [(item, None) for item in left]
    return pairs


def _change(
    call: Call,
    schedule: JsonObject,
    subscription: JsonObject,
    phase: JsonObject,
    now: int,
    behavior: str | None,
    extra: list[str],
) -> None:
    """A phase that begins inside a period: an ordinary change."""
    from trialbalance.twin.resources import subscription_fields

    changes = []
    for item, row in matched(call, subscription, phase):
        if row is None:
            assert item is not None
            changes.append(updating.ItemChange(id=item["id"], deleted=True))
            continue
        changes.append(
            subscription_fields.item_change(
                call,
                phases.as_params(phases.item_params(row)),
                "items",
                customer=subscription["customer"],
                currency=subscription["currency"],
                now=now,
                known=item,
            )
        )
    change = updating.Change(items=changes, behavior=behavior or phase["proration_behavior"], extra=extra)
    if phase["billing_cycle_anchor"] == "phase_start" and phase["start_date"] == now:
        change["anchor"] = "now"
    if phase["trial_end"] is not None and phase["trial_end"] > now:
        if phase["trial_end"] != subscription["trial_end"]:
            change["trial_end"] = phase["trial_end"]
    elif subscription["status"] == "trialing":
        change["trial_end"] = "now"
    invoice = updating.apply(call, subscription, change, now=now)
    call.emit("customer.subscription.updated", subscription)
    if invoice is not None:
        cycling.after_renewal(call, subscription, invoice, now=now)


def _swap(call: Call, subscription: JsonObject, phase: JsonObject, now: int) -> None:
    """A phase that begins where a period ends: other items, which the renewal that follows bills.

    What metered items counted in the old period is billed with it.
    """
    starts = [item["current_period_start"] for item in items.of(call, subscription)]
    reset = phase["billing_cycle_anchor"] == "phase_start"
    for stored, row in matched(call, subscription, phase):
        if stored is not None and (row is None or row["price"] != stored["price"]["id"]):
            usage.gather_item(call, subscription, stored, now)
        if stored is not None and row is None:
            items.remove(call, subscription, call.edit(items.KIND, stored["id"]))
            continue
        assert row is not None
        price = call.get("price", row["price"])
        if stored is None:
            item = items.make(
                call,
                subscription,
                price,
                quantity=row.get("quantity"),
                period=Period(min(starts, default=now), now),
                now=now,
            )
            item["_unbilled"] = True
        else:
            item = call.edit(items.KIND, stored["id"])
            if items.every(item) != (
                price["recurring"]["interval"],
                price["recurring"]["interval_count"],
            ):
                reset = True
            if item["price"]["id"] != price["id"]:
                item["_unbilled"] = True
            items.use_price(item, price)
        if "quantity" in row:
            item["quantity"] = row["quantity"]
        item["metadata"] = dict(row["metadata"])
        item["tax_rates"] = list(row["tax_rates"])
        item["_debits"] = []
    if reset:
        subscription["billing_cycle_anchor"] = now
        subscription["_anchor_day"] = None
    if phase["trial_end"] is not None and phase["trial_end"] > now:
        subscription["trial_start"] = subscription["trial_start"] or now
        subscription["trial_end"] = phase["trial_end"]
        subscription["status"] = "trialing"
        subscription["billing_cycle_anchor"] = phase["trial_end"]
    items.show(call, subscription)


def subscription_ended(call: Call, subscription: JsonObject, now: int) -> None:
    """A subscription that a schedule drives was canceled."""
    schedule = call.edit(KIND, subscription["schedule"])
    if schedule["status"] not in ("active", "not_started"):
        return
    planned = subscription["cancel_at"] is not None and subscription["cancel_at"] <= now
    if planned and schedule["end_behavior"] == "cancel":
        schedule["status"] = "completed"
        schedule["completed_at"] = now
        schedule["current_phase"] = None
        call.emit("subscription_schedule.completed", schedule)
        return
    schedule["status"] = "canceled"
    schedule["canceled_at"] = now
    schedule["current_phase"] = None
    reason = subscription["cancellation_details"]["reason"]
    name = "aborted" if reason == "payment_failed" else "canceled"
    call.emit(f"subscription_schedule.{name}", schedule)
