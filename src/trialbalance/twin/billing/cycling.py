"""The clock of a subscription: trial reminders, coming invoices, trial ends, renewals, ends at a date.

One due action is planned for the next thing that happens; it plans the one after it. A subscription that changed
meanwhile has another key, and the old action does nothing.

Source: https://docs.stripe.com/billing/subscriptions/billing-cycle
"""

from __future__ import annotations

from trialbalance.twin.billing import auto_tax, collection, discounting, invoicing, items, segments, states
from trialbalance.twin.billing.calendar import DAY, Period
from trialbalance.twin.billing.settings import settings
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, due

KIND = "subscription"


def plan(call: Call, subscription: JsonObject) -> None:
    """Plan an edited subscription's next renewal, or its end."""
    key = subscription["_key"] = subscription.get("_key", 0) + 1
    if subscription["status"] in states.ENDED or subscription["status"] == "paused":
        return
    line = call.clock_of(subscription)
    target = subscription["id"]
    at = next_renewal(subscription)
    end = subscription["cancel_at"]
    if end is not None and end <= at:
        call.schedule(end, "subscription.end", target, timeline=line, key=key)
        if end < at:
            return
    call.schedule(at, "subscription.cycle", target, timeline=line, key=key)
    if end is None or end > at:
        early = at - settings(call).upcoming_days * DAY
        if early > call.now_of(subscription):
            call.schedule(early, "subscription.upcoming", target, timeline=line, key=key)


def next_renewal(subscription: JsonObject) -> int:
    """When the first of the current periods ends."""
    return int(min(item["current_period_end"] for item in subscription["items"]["data"]))


def plan_trial(call: Call, subscription: JsonObject, now: int) -> None:
    """Plan the reminder three days before a trial ends.

    Source: https://docs.stripe.com/billing/subscriptions/trials#trial-will-end
    """
    end = subscription["trial_end"]
    at = max(now, end - settings(call).trial_days * DAY)
    call.schedule(
        at, "subscription.trial_will_end", subscription["id"], timeline=call.clock_of(subscription), end=end
    )


def _current(call: Call, target: str, arguments: JsonObject) -> JsonObject | None:
    found = call.find(KIND, target)
    if found is None or found.get("_key") != arguments["key"] or found["status"] in states.ENDED:
        return None
    return call.edit(KIND, target)


@due("subscription.trial_will_end")
def _trial_will_end(call: Call, target: str, arguments: JsonObject) -> None:
    found = call.find(KIND, target)
    if found is not None and found["status"] == "trialing" and found["trial_end"] == arguments["end"]:
        call.emit("customer.subscription.trial_will_end", found)


@due("subscription.upcoming")
def _upcoming(call: Call, target: str, arguments: JsonObject) -> None:
    from trialbalance.twin.billing import preview

    found = call.find(KIND, target)
    if found is None or found.get("_key") != arguments["key"]:
        return
    if found["status"] not in ("active", "trialing", "past_due"):
        return
    invoice = preview.next_invoice(call, target)
    if invoice is not None:
        shown = {name: value for name, value in invoice.items() if name != "id"}
        call.emit("invoice.upcoming", shown)


@due("subscription.end")
def _end(call: Call, target: str, arguments: JsonObject) -> None:
    from trialbalance.twin.billing import ending

    subscription = _current(call, target, arguments)
    if subscription is not None:
        ending.end_as_planned(call, subscription, now=call.now_of(subscription))


@due("subscription.cycle")
def _cycle(call: Call, target: str, arguments: JsonObject) -> None:
    subscription = _current(call, target, arguments)
    if subscription is not None:
        renew(call, subscription, now=call.now_of(subscription))


def renew(call: Call, subscription: JsonObject, *, now: int) -> JsonObject | None:
    """Begin the next period of what is due by `now` and bill it; returns the invoice."""
    if subscription["schedule"]:
        from trialbalance.twin.billing import scheduling

        if not scheduling.catch_up(call, subscription, now):
            return None
    if subscription["status"] == "trialing":
        if subscription["trial_end"] is not None and subscription["trial_end"] > now:
            _go_on_trial(call, subscription, now)
            return None
        if not _end_trial(call, subscription, now):
            return None
    discounting.drop_expired(call, subscription["discounts"], now)
    before = _shown(subscription)
    status = subscription["status"]
    advance = []
    for item in items.of(call, subscription):
        if item["current_period_end"] > now:
            continue
        edited = call.edit(items.KIND, item["id"])
        old = items.period_of(edited)
        fresh = segments.period_from(subscription, edited["price"], now)
        edited["current_period_start"], edited["current_period_end"] = fresh
        advance.append((edited, old))
    if subscription["status"] == "trialing":
        subscription["status"] = "active"
    items.show(call, subscription)
    invoice = bill(call, subscription, advance, now=now, reason="subscription_cycle")
    previous = {name: value for name, value in before.items() if subscription[name] != value}
    if status != subscription["status"]:
        previous["status"] = status
    call.emit("customer.subscription.updated", subscription, previous=previous)
    if invoice is not None:
        invoicing.announce(call, invoice)
        after_renewal(call, subscription, invoice, now=now)
    plan(call, subscription)
    return invoice


def _go_on_trial(call: Call, subscription: JsonObject, now: int) -> None:
    """A phase of a schedule put an edited subscription on trial: its period is the trial."""
    for item in items.of(call, subscription):
        edited = call.edit(items.KIND, item["id"])
        edited.pop("_unbilled", None)
        edited["current_period_start"] = now
        edited["current_period_end"] = subscription["trial_end"]
    items.show(call, subscription)
    call.emit("customer.subscription.updated", subscription)
    plan_trial(call, subscription, now)
    plan(call, subscription)


def _shown(subscription: JsonObject) -> JsonObject:
    return {"items": subscription["items"], "latest_invoice": subscription["latest_invoice"]}


def _end_trial(call: Call, subscription: JsonObject, now: int) -> bool:
    """What happens when a trial ends; returns whether billing begins.

    Source: https://docs.stripe.com/billing/subscriptions/trials/free-trials#create-free-trials-without-payment
    """
    from trialbalance.twin.billing import ending

    wish = subscription["trial_settings"]["end_behavior"]["missing_payment_method"]
    automatic = subscription["collection_method"] == "charge_automatically"
    if wish == "create_invoice" or not automatic or has_method(call, subscription):
        return True
    if wish == "cancel":
        ending.end(call, subscription, now=now, reason=None)
        return False
    pause(call, subscription, now=now)
    return False


def has_method(call: Call, subscription: JsonObject) -> bool:
    """Whether there is anything to charge."""
    stand_in: JsonObject = {
        "default_payment_method": None,
        "default_source": None,
        "customer": subscription["customer"],
        "_subscription": subscription["id"],
    }
    return collection.method_for(call, stand_in) is not None


def pause(call: Call, subscription: JsonObject, *, now: int) -> None:
    """A trial ended without a payment method: nothing is billed until somebody resumes.

    Source: https://docs.stripe.com/billing/subscriptions/overview#paused
    """
    before = subscription["status"]
    states.stop(subscription, states.NO_METHOD, now)
    call.emit("customer.subscription.updated", subscription, previous={"status": before})
    call.emit("customer.subscription.paused", subscription)
    plan(call, subscription)


def bill(
    call: Call,
    subscription: JsonObject,
    advance: list[tuple[JsonObject, Period]],
    *,
    now: int,
    reason: str,
    period: Period | None = None,
    pending: bool = True,
    leave: frozenset[str] = frozenset(),
) -> JsonObject | None:
    """A draft with the pending items, the periods that begin and the usage of those that ended.

    `advance`: items (edited, already in their new period) with their old periods; `pending`: whether what waits is
    billed too, but for the items in `leave`. None when there is nothing to bill. The draft is not announced yet.
    """
    from trialbalance.twin.billing import usage

    customer = call.get("customer", subscription["customer"])
    invoice = open_draft(
        call,
        subscription,
        customer,
        now=now,
        reason=reason,
        period=period or Period(subscription["_last_period_end"], now),
    )
    if pending:
        waiting = invoicing.pending_for(call, customer["id"], subscription["currency"], subscription["id"])
        invoicing.take_items(call, invoice, [item for item in waiting if item["id"] not in leave])
    for item, old in reversed(advance):
        if items.metered(item):
            if not item.pop("_unbilled", False):
                usage.bill(call, invoice, subscription, item, usage.open_period(item, old))
        else:
            segments.bill(call, invoice, subscription, item, parts=subscription.get("_parts", True))
    subscription["latest_invoice"] = invoice["id"]
    subscription["_last_period_end"] = now
    return invoice


def open_draft(
    call: Call, subscription: JsonObject, customer: JsonObject, *, now: int, reason: str, period: Period
) -> JsonObject:
    """An empty draft with everything that a subscription's invoices have from it."""
    method = subscription["collection_method"]
    days = subscription["days_until_due"]
    invoice = invoicing.draft(
        call,
        customer,
        currency=subscription["currency"],
        reason=reason,
        now=now,
        period=period,
        subscription=subscription,
        collection_method=method,
        due_date=now + (days or 0) * DAY if method == "send_invoice" else None,
        discounts=discounting.active(call, subscription["discounts"], now)
        or discounting.of_customer(call, customer, now),
        default_tax_rates=subscription["default_tax_rates"],
    )
    settings_of = subscription["invoice_settings"]
    for name in ("account_tax_ids", "custom_fields", "description", "footer"):
        invoice[name] = settings_of[name]
    invoice["issuer"] = settings_of["issuer"]
    invoice["on_behalf_of"] = subscription["on_behalf_of"]
    chosen = subscription["payment_settings"]
    invoice["payment_settings"]["payment_method_types"] = chosen["payment_method_types"]
    invoice["payment_settings"]["payment_method_options"] = chosen["payment_method_options"]
    if subscription["automatic_tax"]["enabled"]:
        invoice["automatic_tax"] = {
            "disabled_reason": None,
            "enabled": True,
            "liability": subscription["automatic_tax"]["liability"] or {"type": "self"},
            "provider": "stripe",
            "status": auto_tax.state(customer),
        }
    _share(invoice, subscription)
    return invoice


def _share(invoice: JsonObject, subscription: JsonObject) -> None:
    """Remember what part of the payment goes elsewhere."""
    if subscription["application_fee_percent"] is not None:
        invoice["_fee_percent"] = subscription["application_fee_percent"]
    if subscription["transfer_data"] is not None:
        invoice["_transfer"] = dict(subscription["transfer_data"])


def after_renewal(call: Call, subscription: JsonObject, invoice: JsonObject, *, now: int) -> None:
    """How a renewal's draft goes on: by itself after an hour, unless collection is paused or given up.

    Source: https://docs.stripe.com/billing/subscriptions/pause-payment
    """
    paused = subscription["pause_collection"]
    if subscription["status"] == "unpaid":
        return
    if paused is None:
        invoice["auto_advance"] = True
        invoicing.plan(call, invoice)
        return
    if paused["behavior"] == "keep_as_draft":
        return
    invoicing.finalize(call, invoice, now=now, charge=False)
    if invoice["status"] != "open":
        return
    if paused["behavior"] == "void":
        invoicing.void(call, invoice, now=now)
    else:
        invoicing.mark_uncollectible(call, invoice, now=now, reason="subscription_paused")


@due("subscription.collect_again")
def _collect_again(call: Call, target: str, arguments: JsonObject) -> None:
    """`pause_collection[resumes_at]` has come."""
    found = call.find(KIND, target)
    if found is None or not found["pause_collection"]:
        return
    if found["pause_collection"]["resumes_at"] != arguments["resumes"]:
        return
    subscription = call.edit(KIND, target)
    before = subscription["pause_collection"]
    subscription["pause_collection"] = None
    call.emit("customer.subscription.updated", subscription, previous={"pause_collection": before})
