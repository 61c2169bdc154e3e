"""Coupons: a percentage or an amount off, once, for some months or for ever.

Source: https://docs.stripe.com/api/coupons
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.currencies import check_currency
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources.prices import check_key
from trialbalance.twin.wire.call import Call, due, endpoint, included
from trialbalance.twin.wire.validate import Params


@endpoint("POST /v1/coupons")
def create(call: Call) -> JsonObject:
    """A new coupon. Its terms never change afterwards."""
    params = call.params
    identifier = params.get("id")
    if identifier and call.find("coupon", identifier):
        raise InvalidRequest("Coupon already exists.", code="resource_already_exists")
    percent, amount = params.get("percent_off"), params.get("amount_off")
    if percent is None and amount is None:
        raise InvalidRequest("Must provide percent_off or amount_off.", code="parameter_missing")
    if percent is not None and amount is not None:
        raise InvalidRequest("Received both percent_off and amount_off parameters. Please pass in only one.")
    if amount is not None and not params.get("currency"):
        raise InvalidRequest("You must pass currency when passing amount_off", param="currency")
    if percent is not None and params.get("currency_options"):
        raise InvalidRequest(
            "You may only specify one of these parameters: currency_options, percent_off.",
            param="currency_options",
        )
    if percent is not None:
        _within(percent, 0.01, 100.0, "percent_off")
    if amount is not None:
        _within(amount, 1, None, "amount_off")
    duration, months = params.get("duration", "once"), params.get("duration_in_months")
    if duration == "repeating" and months is None:
        raise InvalidRequest(
            "The duration_in_months param must be set when creating a coupon with a repeating duration",
            param="duration",
        )
    if months is not None:
        if duration != "repeating":
            raise InvalidRequest(
                "The duration_in_months param can only be set when creating a coupon with a repeating duration",
                param="duration_in_months",
            )
        _within(months, 1, 60, "duration_in_months")
    redeem_by, limit = params.get("redeem_by"), params.get("max_redemptions")
    if redeem_by is not None:
        in_future(call, redeem_by, "redeem_by")
    if limit is not None:
        _within(limit, 1, None, "max_redemptions")
    coupon = call.new(
        "coupon",
        None,
        id=identifier or call.twin.ids.random(8),
        amount_off=amount,
        currency=check_currency(params["currency"]) if amount is not None else None,
        duration=duration,
        duration_in_months=months,
        max_redemptions=limit,
        name=params.get("name"),
        percent_off=percent,
        redeem_by=redeem_by,
        times_redeemed=0,
        valid=True,
    )
    if amount is None:
        params.ignore("currency")
    call.merge_metadata(coupon)
    applies = params.plain("applies_to")
    for position, product in enumerate((applies or {}).get("products", [])):
        call.get("product", product, param=f"applies_to[products][{position}]")
    coupon["_applies_to"] = applies
    coupon["_currency_options"] = _options(params)
    call.insert(coupon)
    if redeem_by is not None:
        call.schedule(redeem_by, "coupon.expire", coupon["id"], timeline="")
    call.emit("coupon.created", coupon)
    return coupon


def _within(value: float, low: float, high: float | None, path: str) -> None:
    if value < low:
        raise InvalidRequest(
            f"This value must be greater than or equal to {low} (it currently is '{value}').", param=path
        )
    if high is not None and value > high:
        raise InvalidRequest(
            f"This value must be less than or equal to {high} (it currently is '{value}').", param=path
        )


def in_future(call: Call, at: int, path: str) -> None:
    """Refuse a time that has passed."""
    if at <= call.now:
        raise InvalidRequest(
            f"The parameter `{path}` expects a unix timestamp representing a date and time in the future. You "
            f"specified the value `{at}` which is in the past.",
            param=path,
        )


def _options(params: Params) -> JsonObject:
    sent = params.plain("currency_options") or {}
    for code, option in sent.items():
        check_key(code, "currency_options")
        _within(option["amount_off"], 1, None, f"currency_options[{code}][amount_off]")
    return dict(sent)


@endpoint("GET /v1/coupons/{coupon}")
def retrieve(call: Call) -> JsonObject:
    """One coupon; a deleted one is gone."""
    return call.get("coupon", call.path["coupon"], param="coupon")


@endpoint("POST /v1/coupons/{coupon}")
def update(call: Call) -> JsonObject:
    """Change a coupon's name, metadata, or add currencies."""
    coupon = call.edit("coupon", call.path["coupon"], param="coupon")
    call.assign(coupon, "name")
    call.merge_metadata(coupon)
    if call.params.get("currency_options"):
        if coupon["amount_off"] is None:
            raise InvalidRequest(
                "You can only set currency_options on an amount_off coupon.", param="currency_options"
            )
        coupon["_currency_options"] = {**coupon["_currency_options"], **_options(call.params)}
    if call.changes(coupon):
        call.emit("coupon.updated", coupon)
    return coupon


@endpoint("DELETE /v1/coupons/{coupon}")
def delete(call: Call) -> JsonObject:
    """Delete a coupon: nobody can redeem it any more; who has it keeps it."""
    from trialbalance.twin.resources import promotion_codes

    coupon = call.edit("coupon", call.path["coupon"], param="coupon")
    coupon["valid"] = False
    call.delete("coupon", coupon["id"])
    call.emit("coupon.deleted", coupon)
    promotion_codes.coupon_deleted(call, coupon["id"])
    return call.deleted_stub(coupon)


@endpoint("GET /v1/coupons")
def list_(call: Call) -> JsonObject:
    """Coupons, newest first."""
    return call.list("coupon")


@due("coupon.expire")
def expire(call: Call, target: str, arguments: JsonObject) -> None:
    """A coupon's last day to be redeemed has passed."""
    coupon = call.edit("coupon", target) if call.find("coupon", target) else None
    if coupon is not None and coupon["valid"]:
        coupon["valid"] = False
        call.emit("coupon.updated", coupon)


def redeem(call: Call, coupon: str) -> None:
    """Count one redemption; a coupon that reaches its limit is no longer valid."""
    if call.find("coupon", coupon) is None:
        return
    edited = call.edit("coupon", coupon)
    edited["times_redeemed"] += 1
    if edited["max_redemptions"] is not None and edited["times_redeemed"] >= edited["max_redemptions"]:
        edited["valid"] = False


@included("coupon", "applies_to")
def _show_applies_to(call: Call, coupon: JsonObject) -> Any:
    stored = call.find("coupon", coupon["id"])
    return stored.get("_applies_to") if stored else None


@included("coupon", "currency_options")
def _show_options(call: Call, coupon: JsonObject) -> Any:
    stored = call.find("coupon", coupon["id"])
    if not stored or stored["amount_off"] is None:
        return None
    options = {stored["currency"]: {"amount_off": stored["amount_off"]}, **stored["_currency_options"]}
    return {code: options[code] for code in sorted(options)}
