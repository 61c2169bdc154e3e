"""Line items of a session: stored as `item` objects, each knowing its session and its place.

Source: https://docs.stripe.com/api/checkout/sessions/line_items
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.ledger.store import copy_json
from trialbalance.twin.resources import prices
from trialbalance.twin.wire.call import Call
from trialbalance.twin.wire.validate import Params

MOST_LINES = 100


def price_of(call: Call, entry: dict[str, Any], path: str) -> JsonObject:
    """The price an entry of `line_items` names or describes; `price_data` makes an inactive price of its own.

    Source: https://docs.stripe.com/payments/accept-a-payment?platform=web&ui=checkout#create-product-prices-upfront
    """
    named, inline = entry.get("price"), entry.get("price_data")
    if named and inline:
        raise InvalidRequest(
            f"You may only specify one of these parameters: {path}[price], {path}[price_data].",
            param=f"{path}[price]",
            code="parameters_exclusive",
        )
    if named:
        price = call.find("price", named)
        if price is None:
            raise NotFound("price", named, param=f"{path}[price]")
        if not price["active"]:
            raise InvalidRequest(
                "The price specified is inactive. This field only accepts active prices.",
                param=f"{path}[price]",
            )
        product = call.find("product", price["product"])
        if product is not None and not product["active"]:
            raise InvalidRequest(
                f"The price specified, `{named}`, belongs to an inactive product, `{product['id']}`. "
                "Activate the product to use this price.",
                param=f"{path}[price]",
            )
        return price
    if not inline:
        raise InvalidRequest(
            f"Missing required param: {path}[price].", param=f"{path}[price]", code="parameter_missing"
        )
    return inline_price(call, dict(inline), f"{path}[price_data]")


def inline_price(call: Call, data: dict[str, Any], path: str) -> JsonObject:
    """The inactive price (and product) that `price_data` describes."""
    if data.get("unit_amount") is None and data.get("unit_amount_decimal") is None:
        raise InvalidRequest(
            f"Missing required param: {path}[unit_amount].",
            param=f"{path}[unit_amount]",
            code="parameter_missing",
        )
    return prices.inline(call, _params(data), path=path)


def _params(data: dict[str, Any]) -> Params:
    return Params(
        {name: _params(value) if isinstance(value, dict) else value for name, value in data.items()}
    )


@contextmanager
def usable(call: Call, items: list[JsonObject]) -> Iterator[None]:
    """Inside: the prices of lines count as active, as they did when the session was made.

    Prices made from `price_data` are never active on their own.
    """
    idle = [
        call.edit("price", item["price"]["id"])
        for item in items
        if not (call.find("price", item["price"]["id"]) or {"active": True})["active"]
    ]
    for price in idle:
        price["active"] = True
    try:
        yield
    finally:
        for price in idle:
            price["active"] = False


def product_of(call: Call, price: JsonObject) -> JsonObject:
    """The product of a price, also a deleted one."""
    found = call.find("product", price["product"])
    if found is None:
        found = call.ledger.table(call.account, "product").deleted.get(price["product"])
    return found or {"id": price["product"], "name": "", "description": None, "images": []}


def recurring(price: JsonObject) -> bool:
    """Whether a price repeats."""
    return price.get("recurring") is not None


def metered(price: JsonObject) -> bool:
    """Whether a price is billed by usage."""
    return recurring(price) and price["recurring"]["usage_type"] == "metered"


def add(
    call: Call, session: JsonObject, entry: dict[str, Any], path: str, *, optional: bool = False
) -> JsonObject:
    """Store one line of a session and return it; amounts come from `totals.refresh`."""
    price = price_of(call, entry, path)
    quantity = entry.get("quantity")
    adjustable = _adjustable(entry.get("adjustable_quantity"), path)
    if metered(price):
        if quantity is not None:
            raise InvalidRequest(
                f"You may not specify a quantity for the metered price `{price['id']}`.",
                param=f"{path}[quantity]",
            )
    elif quantity is None:
        raise InvalidRequest(
            f"Missing required param: {path}[quantity].", param=f"{path}[quantity]", code="parameter_missing"
        )
    elif quantity < 1 and not (adjustable and adjustable["enabled"]):
        raise InvalidRequest(
            "This value must be greater than or equal to 1.",
            param=f"{path}[quantity]",
            code="parameter_invalid_integer",
        )
    for position, rate in enumerate(entry.get("tax_rates") or ()):
        if call.find("tax_rate", rate) is None:
            raise NotFound("tax_rate", rate, param=f"{path}[tax_rates][{position}]")
    item = call.new(
        "item",
        "li",
        adjustable_quantity=adjustable,
        amount_discount=0,
        amount_subtotal=0,
        amount_tax=0,
        amount_total=0,
        currency=session["currency"] or price["currency"],
        description=product_of(call, price)["name"],
        metadata=dict(entry.get("metadata") or {}),
        price=copy_json(price),
        quantity=quantity,
    )
    item["_session"] = session["id"]
    item["_tax_rates"] = list(entry.get("tax_rates") or ())
    item["_optional"] = optional
    item["_inline"] = "price_data" in entry
    call.insert(item)
    session["_lines"].append(item["id"])
    return item


def _adjustable(given: dict[str, Any] | None, path: str) -> JsonObject | None:
    if given is None:
        return None
    minimum, maximum = given.get("minimum"), given.get("maximum")
    if given["enabled"]:
        minimum = 0 if minimum is None else minimum
        maximum = 99 if maximum is None else maximum
        if maximum > 999_999:
            raise InvalidRequest(
                "This value must be less than or equal to 999999.",
                param=f"{path}[adjustable_quantity][maximum]",
                code="parameter_invalid_integer",
            )
        if minimum > maximum:
            raise InvalidRequest(
                "The minimum adjustable quantity cannot be greater than the maximum.",
                param=f"{path}[adjustable_quantity][minimum]",
            )
    return {"enabled": given["enabled"], "maximum": maximum, "minimum": minimum}


def of_session(call: Call, session: JsonObject) -> list[JsonObject]:
    """The stored lines of a session in their order, those with a quantity of 0 left out. Not to be changed."""
    found = (call.find("item", identifier) for identifier in session.get("_lines", ()))
    return [item for item in found if item is not None and item["quantity"] != 0]


def all_of_session(call: Call, session: JsonObject) -> list[JsonObject]:
    """Also the lines a customer set to 0."""
    found = (call.find("item", identifier) for identifier in session.get("_lines", ()))
    return [item for item in found if item is not None]


def in_currency(call: Call, session: JsonObject) -> str:
    """The one currency of a session's prices.

    Raises:
        InvalidRequest: prices of several currencies.
    """
    chosen: str | None = session["currency"]
    for position, item in enumerate(all_of_session(call, session)):
        price = item["price"]
        options = (call.find("price", price["id"]) or price).get("_currency_options") or {}
        if chosen is None:
            chosen = price["currency"]
        elif price["currency"] != chosen and chosen not in options:
            raise InvalidRequest(
                f"The price specified only supports `{price['currency']}`. This doesn't match the expected "
                f"currency: `{chosen}`.",
                param=f"line_items[{position}]",
            )
    return chosen or "usd"
