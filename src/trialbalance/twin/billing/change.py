"""A change of a subscription as plain JSON: what is wanted of its items, and what that means for its cycle and its trial.

One that waits for its payment can be kept and applied later; `updating` applies it.
"""

from __future__ import annotations

from typing import TypedDict

from trialbalance.twin.billing import items, starting
from trialbalance.twin.errors import JsonObject
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


def trial_change(subscription: JsonObject, change: Change, now: int) -> str | None:
    """What a change does to the trial: `end`, `start` (or extend), or None."""
    end = change.get("trial_end")
    if end is None:
        return None
    if end == "now":
        return "end" if starting.trialing(subscription, now) else None
    return "start"


def keeps_its_items(old_items: list[JsonObject], wanted: list[ItemChange]) -> bool:
    """Whether a change leaves prices and quantities as they are."""
    by_id = {item["id"]: item for item in old_items}
    return all("id" in item and not differs(by_id[item["id"]], item) for item in wanted)


def resets(call: Call, subscription: JsonObject, wanted: list[ItemChange]) -> bool:
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


def differs(item: JsonObject, change: ItemChange) -> bool:
    """Whether a change gives an item another price or quantity, or ends it."""
    if change.get("deleted"):
        return True
    if "price" in change and change["price"] != item["price"]["id"]:
        return True
    return "quantity" in change and change["quantity"] != item.get("quantity")
