"""Shipping rates: what delivery costs and how long it takes, offered by Checkout and used by invoices.

Source: https://docs.stripe.com/api/shipping_rates
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.currencies import check_currency
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint, included
from trialbalance.twin.wire.validate import plain

KIND = "shipping_rate"


@endpoint("POST /v1/shipping_rates")
def create(call: Call) -> JsonObject:
    """A new rate of a fixed amount."""
    params = call.params
    fixed = params.plain("fixed_amount")
    if not fixed:
        raise InvalidRequest(
            "Missing required param: fixed_amount.", param="fixed_amount", code="parameter_missing"
        )
    currency = check_currency(fixed["currency"], "fixed_amount[currency]")
    check_amount(fixed["amount"], "fixed_amount[amount]")
    rate = call.new(
        KIND,
        "shr",
        active=True,
        delivery_estimate=estimate(params.plain("delivery_estimate")),
        display_name=params["display_name"],
        fixed_amount={"amount": fixed["amount"], "currency": currency},
        tax_behavior=params.get("tax_behavior") or "unspecified",
        type=params.get("type") or "fixed_amount",
    )
    rate["_currency_options"] = options(fixed.get("currency_options") or {})
    rate["_currency_options"][currency] = {"amount": fixed["amount"], "tax_behavior": rate["tax_behavior"]}
    call.assign(rate, "tax_code")
    call.merge_metadata(rate)
    return call.insert(rate)


@endpoint("GET /v1/shipping_rates/{shipping_rate_token}")
def retrieve(call: Call) -> JsonObject:
    """One rate."""
    return call.get(KIND, call.path["shipping_rate_token"], param="shipping_rate_token")


@endpoint("POST /v1/shipping_rates/{shipping_rate_token}")
def update(call: Call) -> JsonObject:
    """Archive a rate, change its metadata, or add currencies; its amount never changes."""
    rate = call.edit(KIND, call.path["shipping_rate_token"], param="shipping_rate_token")
    call.assign(rate, "active")
    given = plain(call.params.get("fixed_amount") or {})
    for currency, option in options(given.get("currency_options") or {}).items():
        kept = rate["_currency_options"].get(currency, {})
        rate["_currency_options"][currency] = {**kept, **option}
    behavior = call.params.get("tax_behavior")
    if behavior:
        if rate["tax_behavior"] not in ("unspecified", behavior):
            raise InvalidRequest(
                "Once specified as either `inclusive` or `exclusive`, `tax_behavior` cannot be changed.",
                param="tax_behavior",
            )
        rate["tax_behavior"] = behavior
    call.merge_metadata(rate)
    return rate


@endpoint("GET /v1/shipping_rates")
def list_(call: Call) -> JsonObject:
    """Rates, newest first."""
    currency = call.params.get("currency")
    return call.list(
        KIND,
        where={"active": call.params.get("active")},
        keep=(lambda rate: rate["fixed_amount"]["currency"] == currency) if currency else None,
    )


@included(KIND, "fixed_amount.currency_options")
def currency_options(call: Call, rate: JsonObject) -> JsonObject:
    """`expand[]=fixed_amount.currency_options`."""
    found: JsonObject = call.get(KIND, rate["id"])["_currency_options"]
    return found


def options(given: dict[str, Any]) -> JsonObject:
    """`currency_options` in the object's shape."""
    made: JsonObject = {}
    for currency, option in given.items():
        path = f"fixed_amount[currency_options][{currency}]"
        if "amount" in option:
            check_amount(option["amount"], f"{path}[amount]")
        made[check_currency(currency, path)] = {
            "amount": option.get("amount"),
            "tax_behavior": option.get("tax_behavior") or "unspecified",
        }
    return made


def estimate(given: JsonObject | None) -> JsonObject | None:
    """A delivery estimate with both bounds, null where open."""
    if not given:
        return None
    return {"maximum": given.get("maximum"), "minimum": given.get("minimum")}


def check_amount(amount: int, param: str) -> None:
    """Refuse a negative amount."""
    if amount < 0:
        raise InvalidRequest(
            "This value must be greater than or equal to 0.", param=param, code="parameter_invalid_integer"
        )
