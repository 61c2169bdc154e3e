"""What a change makes of items: new ones, others, none; and what metered ones counted before."""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing import items, segments, starting
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.billing.change import ItemChange
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call


def settle_usage(
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


def write_items(call: Call, subscription: JsonObject, wanted: list[ItemChange], *, now: int) -> None:
    """Make, change and remove items; new ones have `_new` until they are billed or prorated.

    Raises:
        InvalidRequest: a quantity for a metered price.
    """
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
