"""Which items may be on one subscription: how many, no price twice, intervals that fit.

Source: https://docs.stripe.com/billing/subscriptions/quantities
Source: https://docs.stripe.com/billing/subscriptions/mixed-interval
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialbalance.twin.billing import items, prorating
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call

if TYPE_CHECKING:
    from trialbalance.twin.billing.change import ItemChange

DAYS = {"day": 1, "week": 7}
MONTHS = {"month": 1, "year": 12}


def check(
    call: Call, subscription: JsonObject, old_items: list[JsonObject], wanted: list[ItemChange]
) -> None:
    """Refuse a change that leaves no items, the same price twice, or too many items."""
    left: dict[str, str] = {item["id"]: item["price"]["id"] for item in old_items}
    for number, item in enumerate(wanted):
        identifier = item.get("id", f"new{number}")
        if item.get("deleted"):
            left.pop(identifier, None)
        elif "price" in item:
            left[identifier] = item["price"]
    if not left:
        raise InvalidRequest(
            "A subscription must have at least one active plan. To remove the last item, cancel the subscription "
            "instead.",
            param="items",
        )
    if len(left) > items.LIMIT:
        raise InvalidRequest(f"A subscription can have at most {items.LIMIT} items.", param="items")
    doubles = [price for price in left.values() if list(left.values()).count(price) > 1]
    if doubles:
        raise InvalidRequest(
            f"Cannot add multiple subscription items with the same plan: {doubles[0]}", param="items"
        )
    held = {item["price"]["id"]: item["price"] for item in old_items}  # a plan may have been deleted since
    refuse_mixed_intervals(
        subscription, [held.get(name) or call.get("price", name) for name in left.values()]
    )


def refuse_mixed_intervals(subscription: JsonObject, prices: list[JsonObject]) -> None:
    """In classic mode all items share one interval; in flexible mode each is a multiple of the shortest.

    Source: https://docs.stripe.com/billing/subscriptions/mixed-interval#interval-alignment
    """
    found = {(price["recurring"]["interval"], price["recurring"]["interval_count"]) for price in prices}
    if prorating.flexible(subscription):
        if not intervals_fit(found):
            raise InvalidRequest(
                "The prices' recurring intervals cannot be combined on one subscription: every interval must be a "
                "multiple of the shortest one. See "
                "https://docs.stripe.com/billing/subscriptions/mixed-interval#interval-alignment.",
                param="items",
            )
        return
    if len(found) > 1:
        raise InvalidRequest(
            "All prices on a subscription must have the same `recurring.interval` and `recurring.interval_count`. "
            "If you meant to update an existing subscription item instead of creating a new one, make sure to "
            "include the subscription item ID in your request. See examples at "
            "https://stripe.com/docs/billing/subscriptions/upgrade-downgrade.",
            param="items",
        )


def intervals_fit(found: set[tuple[str, int]]) -> bool:
    """Whether every interval is a multiple of the shortest; a week is 7 days, a year 12 months, a day fits all.

    Source: https://docs.stripe.com/billing/subscriptions/mixed-interval#interval-alignment
    """
    days = {DAYS[name] * count for name, count in found if name in DAYS}
    months = {MONTHS[name] * count for name, count in found if name in MONTHS}
    if days and months and min(days) != 1:
        return False
    shortest = min(days or months, default=1)
    return all(length % shortest == 0 for length in days or months)
