"""Plans: the older face of recurring prices. One stored price answers under both names.

Source: https://docs.stripe.com/api/plans
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.wire.call import Call, endpoint, included
from trialbalance.twin.wire.validate import Params


def of_price(price: JsonObject) -> JsonObject:
    """The plan that a recurring price is."""
    recurring = price["recurring"]
    transform = price["transform_quantity"]
    return {
        "id": price["id"],
        "object": "plan",
        "active": price["active"],
        "amount": price["unit_amount"],
        "amount_decimal": price["unit_amount_decimal"],
        "billing_scheme": price["billing_scheme"],
        "created": price["created"],
        "currency": price["currency"],
        "interval": recurring["interval"],
        "interval_count": recurring["interval_count"],
        "livemode": price["livemode"],
        "metadata": dict(price["metadata"]),
        "meter": recurring["meter"],
        "nickname": price["nickname"],
        "product": price["product"],
        "tiers_mode": price["tiers_mode"],
        "transform_usage": dict(transform) if transform else None,
        "trial_period_days": recurring["trial_period_days"],
        "usage_type": recurring["usage_type"],
    }


def _find(call: Call) -> JsonObject:
    identifier = call.path["plan"]
    price = call.find("price", identifier)
    if price is None or not price["recurring"]:
        raise NotFound("plan", identifier, param="plan", in_path=True)
    return price


@endpoint("POST /v1/plans")
def create(call: Call) -> JsonObject:
    """A new plan, and with it a recurring price of the same id."""
    from trialbalance.twin.resources import prices, products

    params = call.params
    given = params.get("product")
    if given is None:
        raise InvalidRequest("Missing required param: product.", param="product", code="parameter_missing")
    if isinstance(given, Params):
        product = products.make(call, given, path="product")
        call.emit("product.created", product)
    else:
        product = call.get("product", given, param="product")
    identifier = params.get("id")
    if identifier and call.find("price", identifier):
        raise InvalidRequest("Plan already exists.", code="resource_already_exists")
    price = prices.build(
        call, product["id"], _as_price(params), id=identifier or call.new_id("plan"), active=True
    )
    prices.announce(call, price)
    return of_price(price)


def _as_price(params: Params) -> Params:
    """A plan's parameters under the names of a price's."""
    names = {
        "amount": "unit_amount",
        "amount_decimal": "unit_amount_decimal",
        "transform_usage": "transform_quantity",
    }
    result = Params()
    recurring = Params()
    for name in dict.keys(params):
        if name in ("product", "id", "expand"):
            continue
        target = (
            recurring
            if name in ("interval", "interval_count", "meter", "trial_period_days", "usage_type")
            else result
        )
        dict.__setitem__(target, names.get(name, name), params[name])
    dict.__setitem__(result, "recurring", recurring)
    return result


@endpoint("GET /v1/plans/{plan}")
def retrieve(call: Call) -> JsonObject:
    """One plan."""
    return of_price(_find(call))


@endpoint("POST /v1/plans/{plan}")
def update(call: Call) -> JsonObject:
    """Change a plan's activity, nickname, product, metadata or trial days; its amounts stay."""
    price = call.edit("price", _find(call)["id"])
    product = call.params.get("product")
    if product:
        call.get("product", product, param="product")
    before = of_price(price)
    call.assign(price, "active", "nickname", "product")
    if "trial_period_days" in call.params:
        price["recurring"]["trial_period_days"] = call.params["trial_period_days"]
    call.merge_metadata(price)
    plan = of_price(price)
    previous: dict[str, Any] = {name: value for name, value in before.items() if plan[name] != value}
    if previous:
        call.emit("plan.updated", plan, previous=previous)
        call.emit("price.updated", price)
    return plan


@endpoint("DELETE /v1/plans/{plan}")
def delete(call: Call) -> JsonObject:
    """Delete a plan and its price; subscriptions on it go on."""
    price = call.edit("price", _find(call)["id"])
    price["active"] = False
    call.delete("price", price["id"])
    plan = of_price(price)
    call.emit("plan.deleted", plan)
    call.emit("price.deleted", price)
    return call.deleted_stub(plan)


@endpoint("GET /v1/plans")
def list_(call: Call) -> JsonObject:
    """Plans, newest first."""
    return call.list(
        "price",
        where={
            "active": call.params.get("active"),
            "product": call.params.get("product"),
            "type": "recurring",
        },
        show=of_price,
    )


@included("plan", "tiers")
def _show_tiers(call: Call, plan: JsonObject) -> Any:
    stored = call.find("price", plan["id"])
    return stored.get("_tiers") if stored else None
