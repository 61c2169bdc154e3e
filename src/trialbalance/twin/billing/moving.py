"""Items whose price or quantity changes inside a running period: credits for what is unused, debits for the rest.

Source: https://docs.stripe.com/billing/subscriptions/prorations
"""

from __future__ import annotations

from typing import NamedTuple

from trialbalance.twin.billing import items, prorating
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.billing.change import ItemChange, differs
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call


class Moved(NamedTuple):
    """An item whose price or quantity changes: its state before, and what is credited for it."""

    before: JsonObject
    credits: list[prorating.Part]
    cycle: Period


def moved_items(
    call: Call,
    subscription: JsonObject,
    old_items: list[JsonObject],
    wanted: list[ItemChange],
    *,
    everything: bool,
    at: int,
) -> list[Moved]:
    """The items that are credited, with their credits, computed before anything changes."""
    by_id = {item["id"]: item for item in old_items}
    found = []
    changes = {item["id"]: item for item in wanted if "id" in item}
    for item in old_items:
        change = changes.get(item["id"])
        if not everything and (change is None or not differs(item, change)):
            continue
        cycle = items.measured(subscription, item)
        credits = (
            []
            if items.metered(item)
            else prorating.credit_parts(call, subscription, item, old_items, cycle, at)
        )
        found.append(Moved(by_id[item["id"]], credits, Period(at, item["current_period_end"])))
    return found


def prorate(
    call: Call,
    subscription: JsonObject,
    moved: list[Moved],
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
    rows: list[tuple[Moved | None, str | None]] = [
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


def write_credits(call: Call, subscription: JsonObject, moved: list[Moved], *, at: int) -> None:
    """Pending items for what is unused, where a new cycle begins and nothing is debited."""
    customer = call.get("customer", subscription["customer"])
    for row in reversed(moved):
        _credit(call, subscription, customer, row, at)


def _credit(call: Call, subscription: JsonObject, customer: JsonObject, row: Moved, at: int) -> None:
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
