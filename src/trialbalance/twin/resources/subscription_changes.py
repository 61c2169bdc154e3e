"""Subscriptions change: update, cancel, resume, pause, migrate.

Source: https://docs.stripe.com/billing/subscriptions/change
"""

from __future__ import annotations

from trialbalance.twin.billing import (
    cycling,
    discounting,
    ending,
    intervals,
    items,
    lifetimes,
    pausing,
    pending_updates,
    resuming,
    scheduling,
    states,
    updating,
)
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import subscription_fields as fields
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.validate import Params

KIND = "subscription"
AFTER_THE_END = frozenset({"metadata", "cancellation_details", "expand"})
"""What a canceled subscription may still change."""
COPIED_TO_A_SCHEDULE = (
    "discounts",
    "default_tax_rates",
    "trial_end",
    "application_fee_percent",
    "automatic_tax",
)
"""What splits the current phase of a schedule when it is changed on the subscription itself.

Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules#subscription-schedule-sub-updates
"""
PENDING_ALLOWED = frozenset(
    {
        "add_invoice_items",
        "billing_cycle_anchor",
        "expand",
        "items",
        "off_session",
        "payment_behavior",
        "proration_behavior",
        "proration_date",
        "trial_end",
        "trial_from_plan",
    }
)
"""What an update that waits for its payment may change.

Source: https://docs.stripe.com/billing/subscriptions/pending-updates-reference
"""


@endpoint("POST /v1/subscriptions/{subscription_exposed_id}")
def update(call: Call) -> JsonObject:
    """Change a subscription; prorations, an invoice and a payment follow as asked.

    Source: https://docs.stripe.com/api/subscriptions/update
    """
    params = call.params
    subscription = call.edit(KIND, call.path["subscription_exposed_id"])
    if subscription["status"] in states.ENDED:
        return _update_ended(call, subscription)
    now = call.now_of(subscription)
    behavior = params.get("payment_behavior", "allow_incomplete")
    params.ignore("off_session")
    if behavior == "pending_if_incomplete":
        _refuse_unpendable(params)
    change = read_change(call, subscription, params, now=now)
    _write_fields(call, subscription, params, now)
    carry_out(call, subscription, change, now=now, behavior=behavior, params=params)
    return subscription


def carry_out(
    call: Call,
    subscription: JsonObject,
    change: updating.Change,
    *,
    now: int,
    behavior: str,
    params: Params | None = None,
) -> None:
    """Make a change of an edited subscription, tell of it and collect what it costs."""
    invoice: JsonObject | None = None
    settled = True
    with call.hold_events():
        if moves(change) and behavior == "pending_if_incomplete":
            invoice = pending_updates.try_out(call, subscription, change, now=now)
        elif moves(change):
            invoice = updating.apply(call, subscription, change, now=now)
            settled = invoice is None
        if params is not None:
            write_end(call, subscription, params, now)
        planned = params is not None and any(name in params for name in COPIED_TO_A_SCHEDULE)
        if subscription["schedule"] and (planned or change.get("items")):
            scheduling.split(call, subscription, now)
        cycling.plan(call, subscription)
        if call.changes(subscription):
            call.emit("customer.subscription.updated", subscription)
        if not settled and invoice is not None:
            updating.collect(call, subscription, invoice, behavior=behavior, now=now)


def moves(change: updating.Change) -> bool:
    """Whether a change touches items, cycle or trial at all; a proration date alone does not."""
    return bool(
        change.get("items") or change.get("anchor") == "now" or "trial_end" in change or change.get("extra")
    )


def read_change(call: Call, subscription: JsonObject, params: Params, *, now: int) -> updating.Change:
    """The change of items, cycle and trial that an update's (or a preview's) parameters mean."""
    change = updating.Change(behavior=params.get("proration_behavior", "create_prorations"))
    if params.get("items"):
        change["items"] = fields.item_changes(call, params["items"], subscription, now=now)
    anchor = params.get("billing_cycle_anchor")
    if anchor:
        change["anchor"] = anchor["type"] if isinstance(anchor, Params) else anchor
    at = params.get("proration_date")
    if at is not None:
        check_date(subscription, at)
        change["at"] = at
    end = params.get("trial_end")
    if params.get("trial_from_plan"):
        end = fields.trial_end(
            call, params, [call.get("price", i["price"]["id"]) for i in items.of(call, subscription)], now
        )
    if end is not None:
        change["trial_end"] = end if end == "now" else fields.future(call, int(end), now, "trial_end")
    if params.get("add_invoice_items"):
        extra = fields.extra_items(call, params, subscription, now=now)
        change["extra"] = [item["id"] for item in extra]
    return change


def check_date(subscription: JsonObject, at: int) -> None:
    starts = min(item["current_period_start"] for item in subscription["items"]["data"])
    ends = max(item["current_period_end"] for item in subscription["items"]["data"])
    if not starts <= at <= ends:
        raise InvalidRequest(
            "The `proration_date` must be within the current billing period of the subscription.",
            param="proration_date",
        )


def _update_ended(call: Call, subscription: JsonObject) -> JsonObject:
    sent = [name for name in dict.keys(call.params) if name not in AFTER_THE_END]
    if sent or subscription["status"] == "incomplete_expired":
        call.params.ignore(*dict.keys(call.params))
        raise InvalidRequest(
            "A canceled subscription can only update its cancellation_details and metadata.",
            code="invalid_canceled_subscription_fields",
        )
    call.merge_metadata(subscription)
    _cancellation(subscription, call.params)
    if call.changes(subscription):
        call.emit("customer.subscription.updated", subscription)
    return subscription


def _cancellation(subscription: JsonObject, params: Params) -> None:
    given = params.plain("cancellation_details")
    if given:
        details = dict(subscription["cancellation_details"])
        for name in ("comment", "feedback", "feedback_option"):
            if name in given:
                details[name] = given[name] or None
        subscription["cancellation_details"] = details


def _refuse_unpendable(params: Params) -> None:
    for name in dict.keys(params):
        if name not in PENDING_ALLOWED:
            raise InvalidRequest(
                f"The parameter `{name}` cannot be set when `payment_behavior` is `pending_if_incomplete`. See "
                "https://stripe.com/docs/billing/subscriptions/pending-updates-reference for the supported ones.",
                param=name,
            )


def _write_fields(call: Call, subscription: JsonObject, params: Params, now: int) -> None:
    """Everything that moves neither money nor time."""
    call.unsupported("billing_schedules")
    method = params.get("collection_method", subscription["collection_method"])
    fields.check_collection(method, params, params.get("days_until_due") or subscription["days_until_due"])
    if method != subscription["collection_method"]:
        subscription["collection_method"] = method
        if method == "charge_automatically":
            subscription["days_until_due"] = None
    fields.describe(call, subscription, params)
    _cancellation(subscription, params)
    if "discounts" in params:
        _write_discounts(call, subscription, params, now)
    if "pending_invoice_item_interval" in params:
        intervals.check(subscription)
        intervals.plan(call, subscription, now)
    if "pause_collection" in params:
        pausing.pause_collection(call, subscription, params.plain("pause_collection") or None, now=now)


def _write_discounts(call: Call, subscription: JsonObject, params: Params, now: int) -> None:
    before = list(subscription["discounts"])
    subscription["discounts"] = discounting.apply(
        call,
        params["discounts"],
        path="discounts",
        currency=subscription["currency"],
        customer=subscription["customer"],
        now=now,
        known=before,
        subscription=subscription["id"],
    )
    discounting.tell(call, before, subscription["discounts"])


def write_end(call: Call, subscription: JsonObject, params: Params, now: int) -> None:
    """`cancel_at` and `cancel_at_period_end`."""
    at, at_end = params.get("cancel_at"), params.get("cancel_at_period_end")
    if at and at_end:
        raise InvalidRequest(
            "You may only specify one of these parameters: cancel_at, cancel_at_period_end.",
            param="cancel_at",
        )
    if subscription["status"] in states.ENDED:
        return
    if subscription["schedule"]:
        from trialbalance.twin.resources import subscription_schedules

        sent = [name for name in ("cancel_at", "cancel_at_period_end") if params.get(name)]
        subscription_schedules.managed(subscription, sent)
    prorate = params.get("proration_behavior", "create_prorations") != "none"
    if at == "max_billed_until":
        at = "max_period_end"
    if isinstance(at, str) and at.isdigit():
        at = int(at)
    if at:
        if isinstance(at, int):
            fields.future(call, at, now, "cancel_at")
        ending.plan_end(subscription, at, now=now)
        lifetimes.cut_trial(call, subscription, now=now)
        lifetimes.fit(call, subscription, now=now, prorate=prorate)
    elif at_end:
        if not subscription["cancel_at_period_end"]:
            ending.plan_end(subscription, "min_period_end", now=now, at_period_end=True)
    elif (at == "" or at_end is False) and (
        subscription["cancel_at_period_end"] or (at == "" and subscription["cancel_at"] is not None)
    ):
        ending.unplan_end(subscription)
        lifetimes.fit(call, subscription, now=now, prorate=prorate)


@endpoint("DELETE /v1/subscriptions/{subscription_exposed_id}")
def cancel(call: Call) -> JsonObject:
    """Cancel at once.

    Source: https://docs.stripe.com/api/subscriptions/cancel
    """
    subscription = _running(call, call.path["subscription_exposed_id"])
    params = call.params
    given = params.plain("cancellation_details") or {}
    details = dict(subscription["cancellation_details"])
    for name in ("comment", "feedback", "feedback_option"):
        if name in given:
            details[name] = given[name] or None
    subscription["cancellation_details"] = details
    ending.end(
        call,
        subscription,
        now=call.now_of(subscription),
        reason="cancellation_requested",
        prorate=bool(params.get("prorate")),
        invoice_now=bool(params.get("invoice_now")),
    )
    return subscription


def _running(call: Call, identifier: str) -> JsonObject:
    """An editable subscription that has not ended.

    Raises:
        NotFound: none of that id, or it has ended.
    """
    subscription = call.edit(KIND, identifier)
    if subscription["status"] in states.ENDED:
        raise NotFound(KIND, identifier, in_path=True)
    return subscription


@endpoint("POST /v1/subscriptions/{subscription}/resume")
def resume(call: Call) -> JsonObject:
    """Go on after a pause.

    Source: https://docs.stripe.com/api/subscriptions/resume
    """
    subscription = _running(call, call.path["subscription"])
    params = call.params
    if subscription["status"] != "paused":
        raise InvalidRequest(
            "You can only resume subscriptions that are paused. This subscription has a status of "
            f"`{subscription['status']}`."
        )
    anchor = params.get("billing_cycle_anchor")
    behavior = params.get("payment_behavior", "resume_on_payment_attempt")
    now = call.now_of(subscription)
    params.ignore("proration_date")
    resuming.resume(
        call,
        subscription,
        now=now,
        anchor=anchor["type"] if isinstance(anchor, Params) else anchor or "now",
        proration=params.get("proration_behavior", "create_prorations"),
        wait=behavior == "resume_on_payment_success",
    )
    return subscription


@endpoint("POST /v1/subscriptions/{subscription}/pause")
def pause(call: Call) -> JsonObject:
    """Stop a running subscription until it is resumed.

    Source: https://docs.stripe.com/api/subscriptions/pause
    """
    subscription = _running(call, call.path["subscription"])
    params = call.params
    params.ignore("type")
    if subscription["status"] not in ("active", "past_due", "unpaid"):
        raise InvalidRequest(f"You cannot pause a subscription with a status of `{subscription['status']}`.")
    _refuse_unpausable(subscription)
    bill = params.plain("bill_for") or {}
    pausing.pause(
        call,
        subscription,
        now=call.now_of(subscription),
        usage=(bill.get("outstanding_usage_through") or {"type": "now"})["type"],
        unused=(bill.get("unused_time_from") or {"type": "now"})["type"],
        invoice=params.get("invoicing_behavior", "pending_invoice_item") == "invoice",
    )
    return subscription


def _refuse_unpausable(subscription: JsonObject) -> None:
    """Refuse to pause what bills in classic mode, sends its invoices, or follows a schedule.

    Source: https://docs.stripe.com/billing/subscriptions/pause
    """
    if subscription["billing_mode"]["type"] != "flexible":
        raise InvalidRequest("You can only pause subscriptions with `billing_mode[type]=flexible`.")
    if subscription["collection_method"] == "send_invoice":
        raise InvalidRequest("You cannot pause a subscription with `collection_method=send_invoice`.")
    if subscription["schedule"]:
        raise InvalidRequest(
            f"You cannot pause a subscription that is attached to a schedule: {subscription['schedule']}."
        )


@endpoint("POST /v1/subscriptions/{subscription}/migrate")
def migrate(call: Call) -> JsonObject:
    """Bill in flexible mode from now on; there is no way back.

    Source: https://docs.stripe.com/billing/subscriptions/billing-mode#migrate
    """
    subscription = _running(call, call.path["subscription"])
    mode = call.params["billing_mode"]
    details = mode.plain("flexible") or {}
    mode.ignore("type")
    if mode["type"] != "flexible":
        raise InvalidRequest("A subscription can only be migrated to `flexible`.", param="billing_mode[type]")
    subscription["billing_mode"] = {
        "flexible": {"proration_discounts": details.get("proration_discounts", "included")},
        "type": "flexible",
        "updated_at": call.now_of(subscription),
    }
    call.emit("customer.subscription.updated", subscription)
    return subscription
