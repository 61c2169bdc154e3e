"""A subscription changes: items, prices, quantities, the anchor, the trial; prorations and what is billed at once.

A change is plain JSON (see `Change`), so that one that waits for its payment can be kept and applied later.

Source: https://docs.stripe.com/billing/subscriptions/change-price
Source: https://docs.stripe.com/billing/subscriptions/prorations
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypedDict

from trialbalance.twin.billing import (
    collection,
    combining,
    cycling,
    invoicing,
    items,
    prorating,
    segments,
    starting,
    states,
)
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.ledger.store import copy_json
from trialbalance.twin.wire.call import Call


class ItemChange(TypedDict, total=False):
    """What becomes of one item; without `id` it is a new one."""

    id: str
    price: str
    quantity: int
    deleted: bool
    clear_usage: bool
    metadata: JsonObject
    discounts: list[str]
    tax_rates: list[JsonObject]
    billing_thresholds: JsonObject | None


class Change(TypedDict, total=False):
    """A change of a subscription.

    items: what becomes of items. anchor: "now" or "unchanged". behavior: proration behaviour. at: proration date.
    trial_end: "now", a second, or absent. payment: payment behaviour. extra: ids of one-time items.
    """

    items: list[ItemChange]
    anchor: str
    behavior: str
    at: int
    trial_end: int | str
    payment: str
    extra: list[str]


class _Moved(NamedTuple):
    """An item whose price or quantity changes: its state before, and what is credited for it."""

    before: JsonObject
    credits: list[prorating.Part]
    cycle: Period


def apply(
    call: Call, subscription: JsonObject, change: Change, *, now: int, bill: bool = True
) -> JsonObject | None:
    """Change an edited subscription; returns the draft that must be billed at once, announced, or None.

    With `bill` false only the state changes: the money was dealt with before.
    """
    behavior = change.get("behavior", "create_prorations")
    at = change.get("at", now)
    old_items = [copy_json(item) for item in items.of(call, subscription)]
    wanted = change.get("items", [])
    combining.check(call, subscription, old_items, wanted)
    trial = _trial_change(subscription, change, now)
    trialing = starting.trialing(subscription, now)
    asked = trial is None and change.get("anchor") == "now"
    reset = trial == "end" or asked
    if not trialing and trial is None and not prorating.flexible(subscription):
        reset = reset or _resets(call, subscription, wanted)
    quiet = asked and not trialing and behavior != "always_invoice" and _keeps_its_items(old_items, wanted)
    quiet = quiet and prorating.flexible(subscription)
    prorates = behavior != "none" and not trialing and subscription["status"] not in ("incomplete", "paused")
    moved = _moved(call, subscription, old_items, wanted, everything=reset or trial == "start", at=at)
    if not (bill and prorates):
        moved = [m._replace(credits=[]) for m in moved]
    if bill and not trialing:
        _settle_usage(call, subscription, old_items, wanted, now=now, prorate=behavior != "none")
    _write_items(call, subscription, wanted, now=now)
    items.show(call, subscription)
    _write_trial(call, subscription, change, trial, now=now)
    if trial == "end" and not _may_begin(call, subscription, now):
        return None
    if quiet:
        _move_cycle(call, subscription, now=now, bill=bill)
        _prorate(call, subscription, moved, wanted, at=now, debit=bill and prorates)
        items.show(call, subscription)
        return None
    if reset:
        return _begin_again(call, subscription, moved, change, now=now, at=at, bill=bill)
    if trial == "start":
        _stretch(call, subscription, now=now)
    _prorate(call, subscription, moved, wanted, at=at, debit=bill and prorates and trial is None)
    items.show(call, subscription)
    if bill and trial == "start" and not trialing:
        return _bill_trial(call, subscription, change, now=now)
    for identifier in change.get("extra", []):
        from trialbalance.twin.billing import pending

        pending.add(call, call.get("invoiceitem", identifier))
    if not bill:
        return None
    if behavior == "always_invoice":
        return invoice_pending(call, subscription, now=now)
    return None


def _trial_change(subscription: JsonObject, change: Change, now: int) -> str | None:
    """`end`, `start` or None."""
    end = change.get("trial_end")
    if end is None:
        return None
    if end == "now":
        return "end" if starting.trialing(subscription, now) else None
    return "start"


def _keeps_its_items(old_items: list[JsonObject], wanted: list[ItemChange]) -> bool:
    """Whether a change leaves prices and quantities as they are."""
    by_id = {item["id"]: item for item in old_items}
    return all("id" in item and not _differs(by_id[item["id"]], item) for item in wanted)


def _resets(call: Call, subscription: JsonObject, wanted: list[ItemChange]) -> bool:
    """Whether the cycle of a classic subscription begins again by itself: another interval, or from free to paid.

    In flexible billing the anchor moves only when somebody asks for it.

    Source: https://docs.stripe.com/billing/subscriptions/change-price#immediate-payment
    Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#reset-the-billing-cycle-anchor
    """
    old = items.of(call, subscription)
    by_id = {item["id"]: item for item in old}
    currency = subscription["currency"]
    for item in wanted:
        before = by_id.get(item.get("id", ""))
        if before is None or "price" not in item or item.get("deleted"):
            continue
        price = call.get("price", item["price"])
        recurring = price["recurring"]
        if (recurring["interval"], recurring["interval_count"]) != items.every(before):
            return True
    free = all(not items.metered(item) and items.amount(call, item, currency) == 0 for item in old)
    return free and any(_costs(call, currency, item) for item in wanted)


def _costs(call: Call, currency: str, item: ItemChange) -> bool:
    if item.get("deleted") or "price" not in item:
        return False
    price = call.get("price", item["price"])
    if price["recurring"]["usage_type"] == "metered":
        return False
    return items.amount(call, {"price": price, "quantity": item.get("quantity", 1)}, currency) > 0


def _moved(
    call: Call,
    subscription: JsonObject,
    old_items: list[JsonObject],
    wanted: list[ItemChange],
    *,
    everything: bool,
    at: int,
) -> list[_Moved]:
    """The items that are credited, with their credits, computed before anything changes."""
    by_id = {item["id"]: item for item in old_items}
    found = []
    changes = {item["id"]: item for item in wanted if "id" in item}
    for item in old_items:
        change = changes.get(item["id"])
        if not everything and (change is None or not _differs(item, change)):
            continue
        cycle = items.measured(subscription, item)
        credits = (
            []
            if items.metered(item)
            else prorating.credit_parts(call, subscription, item, old_items, cycle, at)
        )
        found.append(_Moved(by_id[item["id"]], credits, Period(at, item["current_period_end"])))
    return found


def _differs(item: JsonObject, change: ItemChange) -> bool:
    if change.get("deleted"):
        return True
    if "price" in change and change["price"] != item["price"]["id"]:
        return True
    return "quantity" in change and change["quantity"] != item.get("quantity")


def _settle_usage(
    call: Call,
    subscription: JsonObject,
    old_items: list[JsonObject],
    wanted: list[ItemChange],
    *,
    now: int,
    prorate: bool,
) -> None:
    """What metered items counted at the price that they lose."""
    from trialbalance.twin.billing import usage

    by_id = {item["id"]: item for item in old_items}
    for change in wanted:
        item = by_id.get(change.get("id", ""))
        if item is None or not items.metered(item):
            continue
        removed = bool(change.get("deleted"))
        if removed and change.get("clear_usage"):
            continue
        if removed or change.get("price", item["price"]["id"]) != item["price"]["id"]:
            usage.settle_change(call, subscription, item, now=now, removed=removed, prorate=prorate)


def _write_items(call: Call, subscription: JsonObject, wanted: list[ItemChange], *, now: int) -> None:
    for change in wanted:
        if "id" not in change:
            price = call.get("price", change["price"])
            trialing = starting.trialing(subscription, now)
            end = segments.period_from(subscription, price, now).end
            cycle = items.cycle_of(subscription, price, now)
            period = Period(now, subscription["trial_end"]) if trialing else Period(cycle.start, end)
            made = items.make(
                call, subscription, price, quantity=change.get("quantity"), period=period, now=now
            )
            _write_fields(made, change)
            made["_new"] = True
            continue
        item = call.edit(items.KIND, change["id"], param="items")
        if change.get("deleted"):
            items.remove(call, subscription, item)
            continue
        if "price" in change:
            every = items.every(item)
            items.use_price(item, call.get("price", change["price"]))
            if items.every(item) != every and not starting.trialing(subscription, now):
                cycle = items.cycle_of(subscription, item["price"], now)
                end = segments.period_from(subscription, item["price"], now).end
                item["current_period_start"], item["current_period_end"] = cycle.start, end
        if "quantity" in change:
            if items.metered(item):
                raise InvalidRequest(
                    "You cannot set the quantity of an item with a metered price.", param="items"
                )
            item["quantity"] = change["quantity"]
        _write_fields(item, change)


def _write_fields(item: JsonObject, change: ItemChange) -> None:
    given: dict[str, Any] = dict(change)
    for name in ("metadata", "discounts", "tax_rates", "billing_thresholds"):
        if name in given:
            item[name] = given[name]


def _write_trial(
    call: Call, subscription: JsonObject, change: Change, trial: str | None, *, now: int
) -> None:
    if trial == "end":
        subscription["trial_end"] = max(subscription["trial_start"] or now, now - 1)
        subscription["billing_cycle_anchor"] = now
        subscription["_anchor_day"] = None
    elif trial == "start":
        end = change["trial_end"]
        assert isinstance(end, int)
        if not starting.trialing(subscription, now):
            first = subscription["trial_start"]
            subscription["trial_start"] = now if prorating.flexible(subscription) else first or now
        subscription["trial_end"] = end
        subscription["billing_cycle_anchor"] = end
        subscription["_anchor_day"] = None
        subscription["status"] = "trialing"
        cycling.plan_trial(call, subscription, now)


def _may_begin(call: Call, subscription: JsonObject, now: int) -> bool:
    """Ending a trial by hand asks the same question as its end: is there anything to charge?"""
    from trialbalance.twin.billing import ending

    wish = subscription["trial_settings"]["end_behavior"]["missing_payment_method"]
    if (
        wish == "create_invoice"
        or subscription["collection_method"] == "send_invoice"
        or cycling.has_method(call, subscription)
    ):
        return True
    for item in items.of(call, subscription):
        call.edit(items.KIND, item["id"])["current_period_end"] = now
    items.show(call, subscription)
    if wish == "cancel":
        ending.end(call, subscription, now=now, reason=None)
    else:
        states.stop(subscription, states.NO_METHOD, now)
        call.emit("customer.subscription.paused", subscription)
    return False


def _stretch(call: Call, subscription: JsonObject, *, now: int) -> None:
    """A trial that begins or is extended becomes the current period of every item."""
    for item in items.of(call, subscription):
        edited = call.edit(items.KIND, item["id"])
        if starting.trialing(subscription, now) and edited["current_period_end"] != subscription["trial_end"]:
            if edited["_debits"]:
                edited["current_period_start"] = now
            edited["current_period_end"] = subscription["trial_end"]
        edited["_debits"] = []
    items.show(call, subscription)


def _begin_again(
    call: Call,
    subscription: JsonObject,
    moved: list[_Moved],
    change: Change,
    *,
    now: int,
    at: int,
    bill: bool,
) -> JsonObject | None:
    """A new cycle from now: credits for the old one, whole periods of the new one, billed at once."""
    subscription["billing_cycle_anchor"] = now
    subscription["_anchor_day"] = None
    if subscription["status"] == "trialing":
        if subscription["trial_end"] is not None and subscription["trial_end"] > now:
            subscription["trial_end"] = now
        subscription["status"] = "active"
    advance = []
    for stored in items.of(call, subscription):
        item = call.edit(items.KIND, stored["id"])
        old = items.period_of(item)
        item["current_period_start"], item["current_period_end"] = segments.period_from(
            subscription, item["price"], now
        )
        item.pop("_new", None)
        item["_debits"] = []
        advance.append((item, Period(old.start, min(old.end, now))))
    items.show(call, subscription)
    if not bill:
        return None
    leave = _left_waiting(call, subscription, change)
    _write_credits(call, subscription, moved, at=at)
    for identifier in change.get("extra", []):
        from trialbalance.twin.billing import pending

        pending.add(call, call.get("invoiceitem", identifier))
    invoice = cycling.bill(
        call,
        subscription,
        advance,
        now=now,
        reason="subscription_update",
        period=Period(now, now),
        leave=leave,
    )
    assert invoice is not None
    if not invoice["_lines"]:
        call.delete(invoicing.KIND, invoice["id"])
        return None
    invoicing.announce(call, invoice)
    return invoice


def _left_waiting(call: Call, subscription: JsonObject, change: Change) -> frozenset[str]:
    """What a new cycle's invoice leaves alone: in classic billing with `always_invoice`, all that waited before.

    Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#pending-invoice-items
    """
    if prorating.flexible(subscription) or change.get("behavior") != "always_invoice":
        return frozenset()
    waiting = invoicing.pending_for(
        call, subscription["customer"], subscription["currency"], subscription["id"]
    )
    return frozenset(item["id"] for item in waiting)


def _bill_trial(call: Call, subscription: JsonObject, change: Change, *, now: int) -> JsonObject:
    """The invoice of a running subscription that goes on trial: nothing for the trial, and what waits.

    Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#change-the-billing-period-using-a-trial-period
    """
    from trialbalance.twin.billing import lines, pending

    for identifier in change.get("extra", []):
        pending.add(call, call.get("invoiceitem", identifier))
    customer = call.get("customer", subscription["customer"])
    invoice = cycling.open_draft(
        call, subscription, customer, now=now, reason="subscription_update", period=Period(now, now)
    )
    waiting = invoicing.pending_for(call, customer["id"], subscription["currency"], subscription["id"])
    invoicing.take_items(call, invoice, waiting)
    span = Period(now, subscription["trial_end"])
    for item in reversed(items.of(call, subscription)):
        if items.metered(item):
            continue
        count = item["quantity"]
        line = lines.of_subscription_item(
            call, invoice["id"], subscription, item, amount=0, quantity=count, period=span, trial=True
        )
        invoicing.add_line(call, invoice, line)
    subscription["latest_invoice"] = invoice["id"]
    subscription["_last_period_end"] = now
    invoicing.announce(call, invoice)
    return invoice


def _move_cycle(call: Call, subscription: JsonObject, *, now: int, bill: bool) -> None:
    """A new cycle from now without an invoice: usage up to now waits for the next one.

    Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#reset-the-billing-period-to-the-current-time
    """
    from trialbalance.twin.billing import usage

    for stored in items.of(call, subscription):
        if bill:
            usage.gather_item(call, subscription, stored, now)
    subscription["billing_cycle_anchor"] = now
    subscription["_anchor_day"] = None
    for stored in items.of(call, subscription):
        item = call.edit(items.KIND, stored["id"])
        item["current_period_start"], item["current_period_end"] = segments.period_from(
            subscription, item["price"], now
        )
        item["_debits"] = []


def _prorate(
    call: Call,
    subscription: JsonObject,
    moved: list[_Moved],
    wanted: list[ItemChange],
    *,
    at: int,
    debit: bool,
) -> None:
    """Pending items for what changed inside the running period, so that credits are listed before debits."""
    customer = call.get("customer", subscription["customer"])
    everyone = items.of(call, subscription)
    present = {item["id"] for item in everyone}
    fresh = [item["id"] for item in everyone if item.get("_new")]
    rows: list[tuple[_Moved | None, str | None]] = [
        (m, m.before["id"] if m.before["id"] in present else None) for m in moved
    ]
    rows += [(None, identifier) for identifier in fresh]
    for row, identifier in reversed(rows):
        if identifier is not None:
            item = call.edit(items.KIND, identifier)
            item.pop("_new", None)
            if debit and not items.metered(item):
                cycle = items.measured(subscription, item)
                part = prorating.debit_part(call, subscription, item, everyone, cycle, at)
                span = Period(at, item["current_period_end"])
                made = prorating.write(
                    call,
                    subscription,
                    customer,
                    item,
                    part,
                    word="Remaining",
                    quantity=item["quantity"],
                    period=span,
                    at=at,
                )
                item["_debits"] = [prorating.debit_of(made, span, part)]
        if row is not None:
            _credit(call, subscription, customer, row, at)


def _write_credits(call: Call, subscription: JsonObject, moved: list[_Moved], *, at: int) -> None:
    customer = call.get("customer", subscription["customer"])
    for row in reversed(moved):
        _credit(call, subscription, customer, row, at)


def _credit(call: Call, subscription: JsonObject, customer: JsonObject, row: _Moved, at: int) -> None:
    for part in reversed(row.credits):
        prorating.write(
            call,
            subscription,
            customer,
            row.before,
            part,
            word="Unused",
            quantity=row.before.get("quantity"),
            period=row.cycle,
            at=at,
        )


def invoice_pending(
    call: Call, subscription: JsonObject, *, now: int, reason: str = "subscription_update"
) -> JsonObject | None:
    """An announced draft of the pending items; None when there are none."""
    customer = call.get("customer", subscription["customer"])
    waiting = invoicing.pending_for(call, customer["id"], subscription["currency"], subscription["id"])
    if not waiting:
        return None
    invoice = cycling.open_draft(
        call,
        subscription,
        customer,
        now=now,
        reason=reason,
        period=Period(subscription["_last_period_end"], now),
    )
    invoicing.take_items(call, invoice, waiting)
    subscription["latest_invoice"] = invoice["id"]
    subscription["_last_period_end"] = now
    invoicing.announce(call, invoice)
    return invoice


def collect(call: Call, subscription: JsonObject, invoice: JsonObject, *, behavior: str, now: int) -> bool:
    """Finalize and charge the invoice of a change once; returns whether it is settled. It never tries again by itself.

    Source: https://docs.stripe.com/billing/invoices/subscription#new-subscription-invoices

    Raises:
        CardError: the payment failed and `error_if_incomplete`.
        InvalidRequest: there is nothing to charge and `error_if_incomplete`.
    """
    invoice["auto_advance"] = False
    invoicing.finalize(call, invoice, now=now)
    if invoice["status"] != "open":
        return True
    if invoice["collection_method"] == "send_invoice":
        call.emit("invoice.sent", invoice)
        return True
    if subscription["pause_collection"] is not None:
        return True
    if behavior == "default_incomplete":
        collection.open_payment(call, invoice)
        if subscription["status"] == "active":
            states.move(call, subscription, "past_due")
        return False
    method = collection.method_for(call, invoice)
    if method is None:
        if behavior == "error_if_incomplete":
            raise InvalidRequest(starting.NO_METHOD, code="resource_missing")
        collection.start(call, invoice, now=now)
        return False
    if behavior == "pending_if_incomplete":
        invoice["auto_advance"] = False
    outcome = collection.attempt(call, invoice, method)
    if outcome.status == "succeeded":
        return True
    if behavior == "error_if_incomplete":
        starting.refuse(call, invoice, outcome)
    return False
