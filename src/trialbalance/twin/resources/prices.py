"""Prices: per unit, decimal, tiered, packaged, chosen by the customer, once or recurring, in several currencies.

A price's amounts never change after creation. Tiers and other currencies are kept under `_tiers` and
`_currency_options`: the API shows them only when they are expanded.

Source: https://docs.stripe.com/api/prices
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing.money import decimal_text, fraction
from trialbalance.twin.currencies import check_currency
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import plans
from trialbalance.twin.wire.call import Call, endpoint, included
from trialbalance.twin.wire.search import search
from trialbalance.twin.wire.validate import Params

USAGE_RECORDS = "POST /v1/subscription_items/{item}/usage_records"
"""Where usage cannot be recorded for an item any more, a metered price must have a meter.

Source: https://docs.stripe.com/changelog/basil/2025-03-31/deprecate-legacy-usage-based-billing
"""
LONGEST = {"day": 1095, "week": 156, "month": 36, "year": 3}
"""The longest interval of each kind: three years."""
SEARCH_FIELDS = {
    "active": "string",
    "currency": "string",
    "lookup_key": "string",
    "metadata": "metadata",
    "product": "string",
    "type": "string",
}


@endpoint("POST /v1/prices")
def create(call: Call) -> JsonObject:
    """A new price on a product, or with a new product (`product_data`)."""
    from trialbalance.twin.resources import products

    params = call.params
    if "product" in params and dict.get(params, "product_data"):
        raise InvalidRequest(
            "You may only specify one of these parameters: product, product_data.", param="product"
        )
    if "product" in params:
        product = call.get("product", params["product"], param="product")["id"]
    elif dict.get(params, "product_data"):
        made = products.make(call, params["product_data"], path="product_data")
        call.emit("product.created", made)
        product = made["id"]
    else:
        raise InvalidRequest("You must specify either `product` or `product_data` when creating a price.")
    price = build(call, product, params)
    announce(call, price)
    return price


def build(
    call: Call,
    product: str,
    params: Params,
    *,
    path: str = "",
    active: bool = True,
    id: str | None = None,
    negative: bool = False,
) -> JsonObject:
    """Store a price from `params`: those of the endpoint, a `default_price_data` or a `price_data` hash.

    Emits nothing: see `announce`. `path` prefixes the names in errors. `negative`: whether it may be a credit.
    """

    def at(name: str) -> str:
        return f"{path}[{name}]" if path else name

    currency = check_currency(params["currency"], at("currency"))
    recurring = _recurring(call, params.get("recurring"), at("recurring"))
    scheme = params.get("billing_scheme", "per_unit")
    price = call.new(
        "price",
        "price",
        active=params.get("active", active),
        billing_scheme=scheme,
        currency=currency,
        nickname=params.get("nickname"),
        product=product,
        recurring=recurring,
        tax_behavior=params.get("tax_behavior", "unspecified"),
        tiers_mode=params.get("tiers_mode"),
        type="recurring" if recurring else "one_time",
    )
    if id is not None:
        price["id"] = id
    call.merge_metadata(price, params)
    amounts = _amounts(params, at, scheme, negative=negative)
    price["_tiers"] = amounts.pop("tiers")
    price |= amounts
    if scheme == "tiered":
        if not recurring:
            raise InvalidRequest(
                "Prices with `type=one_time` are not supported with tiered billing.", param="interval"
            )
        if not params.get("tiers_mode"):
            raise InvalidRequest(
                "Prices with `billing_scheme=tiered` require the parameter `tiers_mode`.",
                param=at("tiers_mode"),
            )
    transform = params.plain("transform_quantity")
    if transform:
        if scheme == "tiered":
            raise InvalidRequest(
                "You cannot set `transform_quantity` on a price with `billing_scheme=tiered`.",
                param=at("transform_quantity"),
            )
        _at_least(transform["divide_by"], 1, at("transform_quantity[divide_by]"))
        price["transform_quantity"] = transform
    price["_currency_options"] = _options(params, at, scheme, currency)
    _take_lookup_key(call, price, params)
    return call.insert(price)


def announce(call: Call, price: JsonObject) -> None:
    """The events of a new price; a recurring one is a plan as well.

    Source: https://docs.stripe.com/api/events/types
    """
    if price["recurring"]:
        call.emit("plan.created", plans.of_price(price))
    call.emit("price.created", price)


def _recurring(call: Call, params: Params | None, path: str) -> JsonObject | None:
    if not params:
        return None
    interval, count = params["interval"], params.get("interval_count", 1)
    _at_least(count, 1, f"{path}[interval_count]")
    if count > LONGEST[interval]:
        raise InvalidRequest(
            "A price's interval cannot exceed three years: interval_count must be at most "
            f"{LONGEST[interval]} for interval={interval}.",
            param=f"{path}[interval_count]",
        )
    usage, meter = params.get("usage_type", "licensed"), params.get("meter")
    if usage == "metered" and not meter and call.twin.versions.gone(call.version, USAGE_RECORDS):
        raise InvalidRequest(
            "Starting with Stripe version `2025-03-31.basil`, metered prices must be backed by meters."
        )
    if meter:
        if usage != "metered":
            raise InvalidRequest(
                "You can only set `recurring[meter]` on prices with `recurring[usage_type]=metered`.",
                param=f"{path}[meter]",
            )
        found = call.get("billing.meter", meter, param=f"{path}[meter]")
        if found["status"] != "active":
            raise InvalidRequest(f"The meter `{meter}` is inactive.", param=f"{path}[meter]")
    return {
        "interval": interval,
        "interval_count": count,
        "meter": meter,
        "trial_period_days": params.get("trial_period_days"),
        "usage_type": usage,
    }


def _at_least(value: int, limit: int, path: str) -> None:
    if value < limit:
        raise InvalidRequest(
            f"This value must be greater than or equal to {limit} (it currently is '{value}').", param=path
        )


def _decimal(
    params: Params, name: str, path: str, *, negative: bool = False
) -> tuple[int | None, str | None]:
    """`name` or `name_decimal` as whole minor units (null when there is a fraction) and as decimal text."""
    whole, exact = params.get(name), params.get(f"{name}_decimal")
    if whole is not None and exact is not None:
        raise InvalidRequest(
            f"You may only specify one of these parameters: {name}, {name}_decimal.", param=path
        )
    if whole is None and exact is None:
        return None, None
    text = decimal_text(exact if exact is not None else whole)
    if text.startswith("-") and not negative:
        raise InvalidRequest(
            f"This value must be greater than or equal to 0 (it currently is '{text}').", param=path
        )
    if len(text.partition(".")[2]) > 12:
        raise InvalidRequest(
            "Invalid decimal: at most 12 decimal places are allowed.", param=f"{path}_decimal"
        )
    numerator, denominator = fraction(text)
    return (numerator if denominator == 1 else None), text


def _amounts(params: Params, at: Any, scheme: str, *, negative: bool = False) -> JsonObject:
    """`unit_amount`, `unit_amount_decimal`, `custom_unit_amount` and `tiers` of a hash."""
    custom = params.get("custom_unit_amount")
    tiers = params.get("tiers")
    whole, text = _decimal(params, "unit_amount", at("unit_amount"), negative=negative)
    result: JsonObject = {
        "unit_amount": whole,
        "unit_amount_decimal": text,
        "custom_unit_amount": None,
        "tiers": None,
    }
    if custom is not None and custom["enabled"]:
        if text is not None:
            raise InvalidRequest(
                "You may only specify one of these parameters: custom_unit_amount, unit_amount.",
                param=at("custom_unit_amount"),
            )
        result["custom_unit_amount"] = {
            "maximum": custom.get("maximum"),
            "minimum": custom.get("minimum"),
            "preset": custom.get("preset"),
        }
        return result
    if scheme == "tiered":
        if text is not None:
            raise InvalidRequest(
                "You cannot set `unit_amount` on a price with `billing_scheme=tiered`.",
                param=at("unit_amount"),
            )
        if not tiers:
            raise InvalidRequest(
                "Prices with `billing_scheme=tiered` require the parameter `tiers`.", param=at("tiers")
            )
        result["tiers"] = _tiers(tiers, at("tiers"))
        return result
    if tiers:
        raise InvalidRequest(
            "You can only set `tiers` on a price with `billing_scheme=tiered`.", param=at("tiers")
        )
    if text is None:
        raise InvalidRequest("Prices require an `unit_amount` or `unit_amount_decimal` parameter to be set.")
    return result


def _tiers(tiers: list[Params], path: str) -> list[JsonObject]:
    result: list[JsonObject] = []
    below = 0
    for position, tier in enumerate(tiers):
        up_to = tier["up_to"]
        limit = None if up_to == "inf" else int(up_to)
        last = position == len(tiers) - 1
        if last != (limit is None):
            raise InvalidRequest(
                "The last tier must have `up_to=inf`, and no other tier may.",
                param=f"{path}[{position}][up_to]",
            )
        if limit is not None and limit <= below and not (position == 0 and limit == 0):
            raise InvalidRequest(
                "Tiers must be in ascending order of `up_to`.", param=f"{path}[{position}][up_to]"
            )
        unit, unit_text = _decimal(tier, "unit_amount", f"{path}[{position}][unit_amount]")
        flat, flat_text = _decimal(tier, "flat_amount", f"{path}[{position}][flat_amount]")
        if unit_text is None and flat_text is None:
            raise InvalidRequest(
                "Each tier needs a `unit_amount` or a `flat_amount`.", param=f"{path}[{position}]"
            )
        result.append(
            {
                "flat_amount": flat,
                "flat_amount_decimal": flat_text,
                "unit_amount": unit,
                "unit_amount_decimal": unit_text,
                "up_to": limit,
            }
        )
        below = limit or below
    return result


def _options(params: Params, at: Any, scheme: str, own: str) -> JsonObject:
    """Amounts in other currencies.

    Source: https://docs.stripe.com/products-prices/how-products-and-prices-work#multiple-currencies
    """
    options: JsonObject = {}
    sent = params.get("currency_options") or Params()
    for code in dict.keys(sent):
        check_key(code, at("currency_options"))
        option = sent[code]
        if code == own:
            raise InvalidRequest(
                f"`currency_options` cannot hold the price's own currency `{own}`.",
                param=at("currency_options"),
            )

        def inside(name: str, code: str = code) -> str:
            return f"{at('currency_options')}[{code}][{name}]"

        options[code] = {
            **_amounts(option, inside, scheme),
            "tax_behavior": option.get("tax_behavior", "unspecified"),
        }
    return options


def check_key(code: str, path: str) -> str:
    """A currency as a key of a map: it must be lower case and exist."""
    if code != code.lower():
        raise InvalidRequest(
            f"Currencies must be lowercase when used as keys in a map. Use `{code.lower()}` instead of `{code}`.",
            param=path,
        )
    return check_currency(code, path)


def _take_lookup_key(call: Call, price: JsonObject, params: Params) -> None:
    """Give a price its lookup key; another holder keeps it unless `transfer_lookup_key`.

    Source: https://docs.stripe.com/products-prices/manage-prices#lookup-keys
    """
    key, transfer = params.get("lookup_key"), params.get("transfer_lookup_key", False)
    if not key or key == price["lookup_key"]:
        return
    holder = next(call.ledger.all(call.account, "price", lookup_key=key), None)
    if holder is not None and holder["id"] != price["id"]:
        if not transfer:
            raise InvalidRequest(
                f"A price (`{holder['id']}`) already uses that lookup key.", param="lookup_key"
            )
        loser = call.edit("price", holder["id"])
        loser["lookup_key"] = None
        call.ledger.reindex(call.account, "price", loser)
        call.emit("price.updated", loser)
    price["lookup_key"] = key


@endpoint("GET /v1/prices/{price}")
def retrieve(call: Call) -> JsonObject:
    """One price."""
    return call.get("price", call.path["price"], param="price")


@endpoint("POST /v1/prices/{price}")
def update(call: Call) -> JsonObject:
    """Change what may change: active, nickname, metadata, lookup key, tax behaviour once, other currencies."""
    price = call.edit("price", call.path["price"], param="price")
    params = call.params
    if params.get("active") is False and price["active"]:
        product = call.find("product", price["product"])
        if product is not None and product["default_price"] == price["id"]:
            raise InvalidRequest(
                "This price cannot be archived because it is the default price of its product.",
                param="active",
            )
    call.assign(price, "active", "nickname")
    behavior = params.get("tax_behavior")
    if behavior and behavior != price["tax_behavior"]:
        if price["tax_behavior"] in ("inclusive", "exclusive"):
            raise InvalidRequest(
                "You cannot change the tax behavior of a price once it is `inclusive` or `exclusive`.",
                param="tax_behavior",
            )
        price["tax_behavior"] = behavior
    if "lookup_key" in params and params["lookup_key"] == "":
        price["lookup_key"] = None
        params.ignore("transfer_lookup_key")
    else:
        _take_lookup_key(call, price, params)
    if dict.get(params, "currency_options"):
        price["_currency_options"] = {
            **price["_currency_options"],
            **_options(params, lambda name: name, price["billing_scheme"], price["currency"]),
        }
    elif "currency_options" in params:
        price["_currency_options"] = {}
    call.merge_metadata(price)
    previous = call.changes(price)
    if previous:
        if price["recurring"] and {"active", "nickname", "metadata"} & set(previous):
            shown: JsonObject = {n: previous[n] for n in ("active", "nickname", "metadata") if n in previous}
            call.emit("plan.updated", plans.of_price(price), previous=shown)
        call.emit("price.updated", price, previous=previous)
    return price


@endpoint("GET /v1/prices")
def list_(call: Call) -> JsonObject:
    """Prices, newest first."""
    params = call.params
    where: JsonObject = {name: params.get(name) for name in ("active", "currency", "product", "type")}
    recurring = params.get("recurring") or Params()
    where |= {f"recurring.{name}": recurring.get(name) for name in ("interval", "meter", "usage_type")}
    keys = params.plain("lookup_keys")
    if keys is not None and len(keys) > 10:
        raise InvalidRequest("You can pass at most 10 lookup_keys.", param="lookup_keys")
    if keys is not None and len(keys) == 1:
        where["lookup_key"] = keys[0]
    return call.list(
        "price",
        where=where,
        keep=lambda price: "_hidden" not in price and (keys is None or price["lookup_key"] in keys),
    )


@endpoint("GET /v1/prices/search")
def search_(call: Call) -> JsonObject:
    """Prices that answer a query.

    Source: https://docs.stripe.com/search#query-fields-for-prices
    """
    return search(call, "price", SEARCH_FIELDS, keep=lambda price: "_hidden" not in price)


@included("price", "tiers")
def _show_tiers(call: Call, price: JsonObject) -> Any:
    stored = call.find("price", price["id"])
    return stored.get("_tiers") if stored else None


@included("price", "currency_options")
def _show_options(call: Call, price: JsonObject) -> JsonObject:
    """All currencies of a price, its own among them."""
    stored = call.find("price", price["id"]) or price
    own = {
        name: stored[name]
        for name in ("custom_unit_amount", "tax_behavior", "unit_amount", "unit_amount_decimal")
    }
    if stored.get("_tiers"):
        own["tiers"] = stored["_tiers"]
    options = {stored["currency"]: own}
    for code, option in (stored.get("_currency_options") or {}).items():
        options[code] = {n: v for n, v in sorted(option.items()) if n != "tiers" or v is not None}
    return {code: options[code] for code in sorted(options)}


def inline(call: Call, data: Params, *, path: str, negative: bool = False) -> JsonObject:
    """The inactive price that a `price_data` hash makes, on an existing product or on a new one.

    `negative`: whether its amount may be a credit, as that of an invoice item may.

    Source: https://docs.stripe.com/products-prices/pricing-models#inline-pricing
    """
    from trialbalance.twin.resources import products

    if "product" in data and dict.get(data, "product_data"):
        raise InvalidRequest(
            "You may only specify one of these parameters: product, product_data.", param=f"{path}[product]"
        )
    if "product" in data:
        product = call.get("product", data["product"], param=f"{path}[product]")
    elif dict.get(data, "product_data"):
        product = products.make(call, data["product_data"], path=f"{path}[product_data]")
        call.emit("product.created", product)
    else:
        raise InvalidRequest(
            f"You must specify either `product` or `product_data` when creating a price in `{path}`.",
            param=path,
        )
    price = build(call, product["id"], data, path=path, active=False, negative=negative)
    announce(call, price)
    return price
