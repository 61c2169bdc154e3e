"""Products: what is sold; prices say for how much.

Source: https://docs.stripe.com/api/products
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import prices
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.search import search
from trialbalance.twin.wire.validate import Params

MAX_FEATURES = 15
MAX_IMAGES = 8
SEARCH_FIELDS = {
    "active": "string",
    "description": "token",
    "metadata": "metadata",
    "name": "token",
    "shippable": "string",
    "url": "token",
}


@endpoint("POST /v1/products")
def create(call: Call) -> JsonObject:
    """A new product, with its first price when `default_price_data` is given."""
    product = make(call, call.params)
    data = call.params.get("default_price_data")
    if data is not None:
        price = prices.build(call, product["id"], data, path="default_price_data")
        product["default_price"] = price["id"]
        call.emit("product.created", product)
        prices.announce(call, price)
    else:
        call.emit("product.created", product)
    return product


def make(call: Call, params: Params, *, path: str = "") -> JsonObject:
    """Store a product from `params`, those of the endpoint or a `product_data` hash; emits nothing."""
    prefix = f"{path}[%s]" if path else "%s"
    identifier = params.get("id")
    if identifier and call.find("product", identifier):
        raise InvalidRequest("Product already exists.", code="resource_already_exists")
    product = call.new(
        "product",
        "prod",
        active=params.get("active", True),
        images=[],
        marketing_features=[],
        name=params["name"],
        type=params.get("type", "service"),
        updated=call.now,
    )
    if identifier:
        product["id"] = identifier
    product["attributes"] = []
    _assign(product, params, prefix)
    call.merge_metadata(product, params)
    return call.insert(_ordered(product))


def _assign(product: JsonObject, params: Params, prefix: str) -> None:
    for name in ("description", "shippable", "unit_label", "url", "statement_descriptor"):
        if dict.__contains__(params, name):
            value = params.get(name)
            product[name] = None if value == "" else value
    descriptor = product["statement_descriptor"]
    if descriptor is not None and (len(descriptor) > 22 or any(c in descriptor for c in "<>\\'\"*")):
        raise InvalidRequest(
            "The statement descriptor must be at most 22 characters and cannot contain <, >, \\, ', \" or *.",
            param=prefix % "statement_descriptor",
        )
    for name, limit in (("images", MAX_IMAGES), ("marketing_features", MAX_FEATURES)):
        if dict.__contains__(params, name):
            value = params.plain(name) or []
            if len(value) > limit:
                raise InvalidRequest(
                    f"Array {name} exceeded maximum {limit} allowed elements.", param=prefix % name
                )
            product[name] = value
    if dict.__contains__(params, "package_dimensions"):
        product["package_dimensions"] = params.plain("package_dimensions") or None
    _assign_tax(product, params)


def _assign_tax(product: JsonObject, params: Params) -> None:
    """`tax_code` and `tax_details[tax_code]` are one thing under two names."""
    sent: Any = None
    if dict.__contains__(params, "tax_details"):
        sent = params.plain("tax_details") or {}
    if dict.__contains__(params, "tax_code"):
        sent = {**(sent or {}), "tax_code": params.get("tax_code")}
    if sent is None:
        return
    details = dict(product.get("tax_details") or {"performance_location": None, "tax_code": None})
    details |= {name: value or None for name, value in sent.items()}
    product["tax_code"] = details["tax_code"]
    product["tax_details"] = details if any(details.values()) else None


def _ordered(obj: JsonObject) -> JsonObject:
    return {n: obj[n] for n in ("id", "object", *sorted(set(obj) - {"id", "object"}))}


@endpoint("GET /v1/products/{id}")
def retrieve(call: Call) -> JsonObject:
    """One product; a deleted one is gone."""
    return call.get("product", call.path["id"])


@endpoint("POST /v1/products/{id}")
def update(call: Call) -> JsonObject:
    """Change a product; `default_price` must be one of its own active prices."""
    product = call.edit("product", call.path["id"])
    call.assign(product, "active", "name")
    _assign(product, call.params, "%s")
    chosen = call.params.get("default_price")
    if chosen:
        price = call.get("price", chosen, param="default_price")
        if price["product"] != product["id"]:
            raise InvalidRequest(
                f"The price `{chosen}` belongs to another product and cannot be the default price of this one.",
                param="default_price",
            )
        if not price["active"]:
            raise InvalidRequest(
                f"The price `{chosen}` is inactive and cannot be the default price.", param="default_price"
            )
        product["default_price"] = chosen
    call.merge_metadata(product)
    product["updated"] = call.now
    before = call.ledger.before(call.account, "product", product["id"]) or {}
    if any(before.get(name) != value for name, value in product.items() if name != "updated"):
        previous = call.changes(product)
        previous.pop("updated", None)
        call.emit("product.updated", product, previous=previous)
    return product


@endpoint("DELETE /v1/products/{id}")
def delete(call: Call) -> JsonObject:
    """Delete a product that has no prices."""
    product = call.edit("product", call.path["id"])
    if next(call.ledger.all(call.account, "price", product=product["id"]), None) is not None:
        raise InvalidRequest("This product cannot be deleted because it has one or more user-created prices.")
    product["active"] = False
    call.delete("product", product["id"])
    call.emit("product.deleted", product)
    return call.deleted_stub(product)


@endpoint("GET /v1/products")
def list_(call: Call) -> JsonObject:
    """Products, newest first."""
    ids = call.params.plain("ids") if "ids" in call.params else None
    return call.list(
        "product",
        where={name: call.params.get(name) for name in ("active", "shippable", "type", "url")},
        keep=lambda product: "_hidden" not in product and (ids is None or product["id"] in ids),
    )


@endpoint("GET /v1/products/search")
def search_(call: Call) -> JsonObject:
    """Products that answer a query.

    Source: https://docs.stripe.com/search#query-fields-for-products
    """
    return search(call, "product", SEARCH_FIELDS, keep=lambda product: "_hidden" not in product)
