"""Subscription schedules.

Source: https://docs.stripe.com/api/subscription_schedules
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing import cycling, ending, phases, scheduling, starting, states
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import subscription_fields, subscriptions
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.validate import Params

KIND = scheduling.KIND
ALIVE = ("not_started", "active")
DEFAULTS: JsonObject = {
    "application_fee_percent": None,
    "automatic_tax": {"disabled_reason": None, "enabled": False, "liability": None},
    "billing_cycle_anchor": "automatic",
    "billing_thresholds": None,
    "collection_method": "charge_automatically",
    "default_payment_method": None,
    "description": None,
    "invoice_settings": {
        "account_tax_ids": None,
        "custom_fields": None,
        "days_until_due": None,
        "description": None,
        "footer": None,
        "issuer": {"type": "self"},
    },
    "on_behalf_of": None,
    "transfer_data": None,
}
FROM_SUBSCRIPTION_ONLY = (
    "customer",
    "customer_account",
    "default_settings",
    "end_behavior",
    "phases",
    "start_date",
)


@endpoint("POST /v1/subscription_schedules")
def create(call: Call) -> JsonObject:
    """A schedule for a new subscription, or around one that runs (`from_subscription`)."""
    call.unsupported("pause_schedules")
    if call.params.get("from_subscription"):
        return _around(call)
    schedule = build(call, call.params)
    now = call.now_of(schedule)
    if schedule["phases"][0]["start_date"] <= now:
        begin(call, schedule, now=now)
    else:
        scheduling.plan(call, schedule, now)
    call.emit("subscription_schedule.created", schedule)
    return schedule


def build(call: Call, params: Params) -> JsonObject:
    """Store a schedule that has not begun."""
    given = params.get("customer") or params.get("customer_account")
    if not given:
        raise InvalidRequest("Missing required param: customer.", param="customer", code="parameter_missing")
    customer = call.get("customer", given, param="customer")
    now = call.now_of(customer)
    start = params.get("start_date")
    if start is None:
        rows = params.get("phases") or []
        first = rows[0].get("start_date") if rows else None
        start = first if first is not None else "now"
    start = now if start == "now" else int(start)
    mode = params.plain("billing_mode") or {"type": "flexible"}
    flexible = mode["type"] == "flexible"
    schedule = call.new(
        KIND,
        "sub_sched",
        billing_mode={
            "flexible": {
                "proration_discounts": (mode.get("flexible") or {}).get("proration_discounts", "included")
            }
            if flexible
            else None,
            "type": mode["type"],
            "updated_at": now if flexible else None,
        },
        created=now,
        customer=customer["id"],
        default_settings=_defaults(call, params, DEFAULTS),
        end_behavior=_end_behavior(params, "release"),
        phases=phases.read(call, params.get("phases") or [], start=start, now=now),
        pause_schedules=[],
        status="not_started",
        test_clock=customer["test_clock"],
    )
    call.merge_metadata(schedule, params)
    return call.insert(schedule)


def _defaults(call: Call, params: Params, before: JsonObject) -> JsonObject:
    given = params.plain("default_settings") or {}
    kept: JsonObject = {**before, "invoice_settings": dict(before["invoice_settings"])}
    for name, value in given.items():
        if name == "invoice_settings":
            kept["invoice_settings"] |= value
        elif name == "automatic_tax":
            kept["automatic_tax"] = {"disabled_reason": None, "liability": None, **value}
        else:
            kept[name] = value or None
    if kept["default_payment_method"]:
        call.get(
            "payment_method",
            kept["default_payment_method"],
            param="default_settings[default_payment_method]",
        )
    return kept


def _end_behavior(params: Params, default: str) -> str:
    wish = params.get("end_behavior", default)
    if wish in ("none", "renew"):
        raise InvalidRequest(
            f"The end behavior `{wish}` is no longer supported: use `release` or `cancel`.",
            param="end_behavior",
        )
    return str(wish)


def begin(call: Call, schedule: JsonObject, *, now: int, pay: bool = True) -> JsonObject | None:
    """Make the subscription of an edited schedule; returns its first invoice."""
    number = scheduling.index_at(schedule, now)
    if number is None:
        raise InvalidRequest("All phases of the schedule lie in the past.", param="phases")
    phase = schedule["phases"][number]
    customer = call.get("customer", schedule["customer"])
    params = phases.as_params(_creation(schedule, number, now))
    subscription = subscriptions.make(call, params, customer, now=now, fields_of={"schedule": schedule["id"]})
    schedule["subscription"] = subscription["id"]
    schedule["status"] = "active"
    if number == len(schedule["phases"]) - 1 and schedule["end_behavior"] == "cancel":
        subscription["cancel_at"] = phase["end_date"]
    scheduling.show_phase(schedule, now)
    extra = subscription_fields.extra_items(call, params, subscription, now=now)
    backdate = params.get("backdate_start_date")
    invoice = starting.begin(
        call,
        subscription,
        starting.Start(
            now=now,
            backdate=backdate,
            prorate=phase["proration_behavior"] != "none",
            extra=extra,
            pay=pay,
            later=True,
        ),
    )
    if pay:
        scheduling.plan(call, schedule, now)
    return invoice


def _creation(schedule: JsonObject, number: int, now: int) -> JsonObject:
    """A phase as the parameters that make its subscription."""
    phase = schedule["phases"][number]
    given = phases.settings(schedule, phase)
    given["items"] = [phases.item_params(row) for row in phase["items"]]
    given["currency"] = phase["currency"]
    given["billing_mode"] = {
        "type": schedule["billing_mode"]["type"],
        "flexible": schedule["billing_mode"]["flexible"],
    }
    if phase["discounts"]:
        given["discounts"] = phase["discounts"]
    if phase["trial_end"] is not None and phase["trial_end"] > now:
        given["trial_end"] = phase["trial_end"]
    first = schedule["phases"][0]["start_date"]
    if first < now:
        given["backdate_start_date"] = first
    if phase["add_invoice_items"]:
        given["add_invoice_items"] = [
            {**row, "tax_rates": [rate["id"] for rate in row["tax_rates"]]}
            for row in phase["add_invoice_items"]
        ]
    return given


def _around(call: Call) -> JsonObject:
    """A schedule around a running subscription: one phase, which is its current period."""
    params = call.params
    sent = [name for name in FROM_SUBSCRIPTION_ONLY if params.get(name)]
    if sent:
        raise InvalidRequest(
            f"You cannot set `{sent[0]}` when creating a schedule with `from_subscription`.", param=sent[0]
        )
    subscription = call.edit("subscription", params["from_subscription"], param="from_subscription")
    if subscription["schedule"]:
        raise InvalidRequest(
            "You cannot migrate a subscription that is already attached to a schedule: "
            f"{subscription['schedule']}.",
            param="from_subscription",
        )
    if subscription["status"] in (*states.ENDED, "incomplete"):
        raise InvalidRequest(
            f"You cannot migrate a subscription with a status of `{subscription['status']}`.",
            param="from_subscription",
        )
    now = call.now_of(subscription)
    schedule = call.new(
        KIND,
        "sub_sched",
        billing_mode=dict(subscription["billing_mode"]),
        created=now,
        customer=subscription["customer"],
        default_settings={
            **DEFAULTS,
            "collection_method": subscription["collection_method"],
            "default_payment_method": subscription["default_payment_method"],
        },
        end_behavior="release",
        pause_schedules=[],
        phases=[phases.of_subscription(subscription)],
        status="active",
        subscription=subscription["id"],
        test_clock=subscription["test_clock"],
    )
    params.ignore("billing_mode")
    call.merge_metadata(schedule)
    call.insert(schedule)
    scheduling.show_phase(schedule, now)
    subscription["schedule"] = schedule["id"]
    scheduling.plan(call, schedule, now)
    call.emit("subscription_schedule.created", schedule)
    call.emit("customer.subscription.updated", subscription)
    return schedule


@endpoint("GET /v1/subscription_schedules/{schedule}")
def retrieve(call: Call) -> JsonObject:
    """One schedule."""
    return call.get(KIND, call.path["schedule"])


@endpoint("GET /v1/subscription_schedules")
def list_(call: Call) -> JsonObject:
    """Schedules, newest first; `scheduled` leaves only those that have not begun."""
    params = call.params
    where: JsonObject = {"customer": params.get("customer") or params.get("customer_account")}
    for name in ("canceled_at", "completed_at", "released_at"):
        if name in params or params.get(name) is not None:
            where[name] = params.plain(name)
    if params.get("scheduled"):
        where["status"] = "not_started"
    return call.list(KIND, where=where)


def _alive(call: Call, verb: str) -> JsonObject:
    """The path's schedule, editable, while it can still be changed."""
    schedule = call.edit(KIND, call.path["schedule"])
    if schedule["status"] not in ALIVE:
        raise InvalidRequest(
            f"You cannot {verb} a subscription schedule that is currently in the `{schedule['status']}` status. It "
            "must be in the `not_started` or `active` status."
        )
    return schedule


@endpoint("POST /v1/subscription_schedules/{schedule}")
def update(call: Call) -> JsonObject:
    """Change phases, defaults, end behaviour; what changes of the current phase changes the subscription now."""
    schedule = _alive(call, "update")
    call.unsupported("pause_schedules")
    now = call.now_of(schedule)
    change(call, schedule, call.params, now)
    call.merge_metadata(schedule)
    _mark_end(call, schedule, now)
    scheduling.show_phase(schedule, now)
    scheduling.plan(call, schedule, now)
    call.emit("subscription_schedule.updated", schedule)
    return schedule


def change(call: Call, schedule: JsonObject, params: Params, now: int) -> None:
    """Write defaults, end behaviour and phases into an edited schedule, also for a preview."""
    if params.get("default_settings"):
        schedule["default_settings"] = _defaults(call, params, schedule["default_settings"])
    if params.get("end_behavior"):
        schedule["end_behavior"] = _end_behavior(params, schedule["end_behavior"])
    behavior = params.get("proration_behavior")
    if params.get("phases"):
        _rewrite(call, schedule, params["phases"], behavior, now)
    elif params.get("default_settings") and schedule["status"] == "active":
        _reenter(call, schedule, behavior, now)


def _rewrite(call: Call, schedule: JsonObject, given: list[Params], behavior: str | None, now: int) -> None:
    """Replace the current and the future phases; past ones stay."""
    number = scheduling.index_at(schedule, now) if schedule["status"] == "active" else None
    past = [phase for phase in schedule["phases"] if phase["end_date"] <= now and number is not None]
    known = {phase["start_date"] for phase in past}
    while given and given[0].get("start_date") not in (None, "now") and int(given[0]["start_date"]) in known:
        given[0].plain("items")
        given[0].ignore(*dict.keys(given[0]))
        given = given[1:]
    current = schedule["phases"][number] if number is not None else None
    start = current["start_date"] if current else schedule["phases"][0]["start_date"]
    asked = given[0].get("start_date") if given else None
    if current is not None and asked not in (None, "now") and int(asked) != start:
        raise InvalidRequest(
            "You can not modify the start date of the current phase.", param="phases[0][start_date]"
        )
    if current is None and asked is not None:
        start = now if asked == "now" else int(asked)
    if current is not None and asked == "now":
        given[0]["start_date"] = start
    fresh = phases.read(call, given, start=start, now=now)
    schedule["phases"] = past + fresh
    if current is None:
        if fresh[0]["start_date"] <= now and schedule["status"] == "not_started":
            begin(call, schedule, now=now)
        return
    place = scheduling.index_at(schedule, now)
    schedule["_phase"] = place if place is not None else len(past)
    if place is None or schedule["phases"][place] != current:
        _reenter(call, schedule, behavior, now)


def _reenter(call: Call, schedule: JsonObject, behavior: str | None, now: int) -> None:
    """Let the (changed) current phase rule the subscription."""
    subscription = call.edit("subscription", schedule["subscription"])
    place = scheduling.index_at(schedule, now)
    if place is None:
        scheduling.catch_up(call, subscription, now)
        return
    scheduling.enter(call, schedule, subscription, place, now, behavior=behavior)
    cycling.plan(call, subscription)


def _mark_end(call: Call, schedule: JsonObject, now: int) -> None:
    """The subscription shows the end that the last phase brings."""
    if schedule["status"] != "active" or not schedule["subscription"]:
        return
    subscription = call.edit("subscription", schedule["subscription"])
    number = scheduling.index_at(schedule, now)
    last = number is not None and number == len(schedule["phases"]) - 1
    wanted = schedule["phases"][-1]["end_date"] if last and schedule["end_behavior"] == "cancel" else None
    if subscription["cancel_at"] != wanted and not subscription["cancel_at_period_end"]:
        subscription["cancel_at"] = wanted
        cycling.plan(call, subscription)
        call.emit("customer.subscription.updated", subscription)


@endpoint("POST /v1/subscription_schedules/{schedule}/release")
def release(call: Call) -> JsonObject:
    """Let the subscription go on without the schedule.

    Source: https://docs.stripe.com/api/subscription_schedules/release
    """
    schedule = _alive(call, "release")
    keep = bool(call.params.get("preserve_cancel_date"))
    now = call.now_of(schedule)
    schedule["status"] = "released"
    schedule["released_at"] = now
    schedule["current_phase"] = None
    if schedule["subscription"]:
        subscription = call.edit("subscription", schedule["subscription"])
        scheduling.let_go(schedule, subscription)
        if not keep:
            subscription["cancel_at"] = None
        cycling.plan(call, subscription)
        call.emit("customer.subscription.updated", subscription)
    scheduling.plan(call, schedule, now)
    call.emit("subscription_schedule.released", schedule)
    return schedule


@endpoint("POST /v1/subscription_schedules/{schedule}/cancel")
def cancel(call: Call) -> JsonObject:
    """End schedule and subscription now.

    Source: https://docs.stripe.com/api/subscription_schedules/cancel
    """
    schedule = _alive(call, "cancel")
    params = call.params
    prorate, bill = params.get("prorate", True), params.get("invoice_now", True)
    now = call.now_of(schedule)
    schedule["status"] = "canceled"
    schedule["canceled_at"] = now
    schedule["current_phase"] = None
    if schedule["subscription"]:
        subscription = call.edit("subscription", schedule["subscription"])
        if subscription["status"] not in states.ENDED:
            ending.end(
                call,
                subscription,
                now=now,
                reason="cancellation_requested",
                prorate=bool(prorate),
                invoice_now=bool(bill),
            )
    scheduling.plan(call, schedule, now)
    call.emit("subscription_schedule.canceled", schedule)
    return schedule


def managed(subscription: JsonObject, sent: Any) -> None:
    """Refuse to change by hand when a subscription ends, while a schedule decides that.

    Raises:
        InvalidRequest: one of `sent` is the schedule's business.
    """
    if subscription["schedule"] and sent:
        raise InvalidRequest(
            f"The subscription is managed by the subscription schedule `{subscription['schedule']}`, and updating any "
            "cancelation behavior directly is not allowed. Please update the schedule instead.",
            param=sent[0],
        )
