"""Subscription items: what a subscription is made of, each with its own current period.

Items are stored for themselves; the subscription shows copies. What was billed for an item's current period is kept
with it (`_debits`), so that a credit can be taken of exactly what was charged.

Source: https://docs.stripe.com/api/subscription_items
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing import lines
from trialbalance.twin.billing.calendar import Period, period_at
from trialbalance.twin.billing.pricing import CurrencyMissing, amount_of, terms
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import plans, prices
from trialbalance.twin.wire.call import Call
from trialbalance.twin.wire.validate import Params

KIND = "subscription_item"
LIMIT = 20
"""So many items a subscription can have."""


def public(price: JsonObject) -> JsonObject:
    """A price as an item shows it."""
    return {name: value for name, value in price.items() if name[:1] != "_"}


def metered(item: JsonObject) -> bool:
    """Whether an item is billed for usage after its period."""
    return bool(item["price"]["recurring"]["usage_type"] == "metered")


def every(item: JsonObject) -> tuple[str, int]:
    """An item's interval and count."""
    recurring = item["price"]["recurring"]
    return recurring["interval"], recurring["interval_count"]


def period_of(item: JsonObject) -> Period:
    """An item's current period."""
    return Period(item["current_period_start"], item["current_period_end"])


def stored_price(call: Call, item: JsonObject) -> JsonObject:
    """The item's price with its tiers and currencies, also when it was deleted meanwhile."""
    return lines.stored(call, item["price"])


def amount(call: Call, item: JsonObject, currency: str, *, quantity: int | None = None) -> int:
    """What a whole period of a licensed item costs."""
    count = item.get("quantity") if quantity is None else quantity
    return amount_of(stored_price(call, item), 1 if count is None else count, currency=currency)


def of(call: Call, subscription: JsonObject) -> list[JsonObject]:
    """A subscription's stored items, oldest first."""
    return [call.get(KIND, identifier) for identifier in subscription["_items"]]


def under(path: str, name: str) -> str:
    """The full name of a parameter below `path`, or at the top."""
    return f"{path}[{name}]" if path else name


def price_for(call: Call, params: Params, path: str) -> JsonObject:
    """The stored price that an item's `price`, `plan` or `price_data` means.

    Raises:
        InvalidRequest: no such price, inactive, or not recurring.
    """
    if params.get("price_data"):
        return prices.inline(call, params["price_data"], path=under(path, "price_data"))
    name = "price" if params.get("price") else "plan"
    identifier = params.get("price") or params.get("plan")
    if not identifier:
        raise InvalidRequest(
            f"Missing required param: {under(path, 'price')}.",
            param=under(path, "price"),
            code="parameter_missing",
        )
    if name == "plan" and call.find("price", identifier) is None:
        raise InvalidRequest(f"No such plan: '{identifier}'", param="plan", code="resource_missing")
    price = call.get("price", identifier, param=under(path, "price"))
    if price["recurring"] is None:
        raise InvalidRequest(
            "The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.",
            param=under(path, "price"),
        )
    if not price["active"] and not params.get("_planned"):
        raise InvalidRequest(
            "The price specified is inactive. This field only accepts active prices.",
            param=under(path, "price"),
        )
    return price


def check_currency(price: JsonObject, currency: str, path: str) -> None:
    """Refuse a price that has no amount in the subscription's currency."""
    try:
        terms(price, currency)
    except CurrencyMissing:
        supported = ", ".join(sorted({price["currency"], *price["_currency_options"]}))
        raise InvalidRequest(
            f"The price specified only supports `{supported}`. This doesn't match the expected currency: "
            f"`{currency}`.",
            param=under(path, "price"),
        ) from None


def make(
    call: Call,
    subscription: JsonObject,
    price: JsonObject,
    *,
    quantity: int | None,
    period: Period,
    now: int,
    **fields: Any,
) -> JsonObject:
    """Store a new item of a subscription (edited), at its end."""
    item = call.new(
        KIND,
        "si",
        created=now,
        current_period_end=period.end,
        current_period_start=period.start,
        discounts=[],
        plan=plans.of_price(price),
        price=public(price),
        subscription=subscription["id"],
        tax_rates=[],
    )
    if price["recurring"]["usage_type"] == "licensed":
        item["quantity"] = 1 if quantity is None else quantity
    item |= fields
    item["_debits"] = []
    item = {n: item[n] for n in ("id", "object", *sorted(set(item) - {"id", "object"}))}
    call.insert(item)
    subscription["_items"].append(item["id"])
    return item


def use_price(item: JsonObject, price: JsonObject) -> None:
    """Give an edited item another price."""
    item["price"] = public(price)
    item["plan"] = plans.of_price(price)
    if price["recurring"]["usage_type"] == "metered":
        item.pop("quantity", None)
    else:
        item.setdefault("quantity", 1)


def remove(call: Call, subscription: JsonObject, item: JsonObject) -> None:
    """Take an item out of an edited subscription."""
    subscription["_items"].remove(item["id"])
    call.delete(KIND, item["id"])


def show(call: Call, subscription: JsonObject) -> None:
    """Write an edited subscription's items, and `plan` and `quantity` where there is one item, into it."""
    found = of(call, subscription)
    subscription["items"] = {
        "object": "list",
        "data": found,
        "has_more": False,
        "total_count": len(found),
        "url": f"/v1/subscription_items?subscription={subscription['id']}",
    }
    single = found[0] if len(found) == 1 else None
    subscription["plan"] = single["plan"] if single else None
    subscription["quantity"] = single.get("quantity") if single else None


def cycle_of(subscription: JsonObject, price: JsonObject, at: int) -> Period:
    """The whole cycle of a price that holds `at`, by the subscription's anchor."""
    recurring = price["recurring"]
    return period_at(
        subscription["billing_cycle_anchor"],
        recurring["interval"],
        recurring["interval_count"],
        at,
        day=subscription.get("_anchor_day"),
    )


def measured(subscription: JsonObject, item: JsonObject) -> Period:
    """The whole cycle that an item's current period is a part of, laid so that both end together."""
    cycle = cycle_of(subscription, item["price"], item["current_period_start"])
    end = item["current_period_end"]
    return Period(end - cycle.seconds, end)
