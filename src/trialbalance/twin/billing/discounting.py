"""Discount objects: a coupon at work on a customer, a subscription, an item or an invoice.

Source: https://docs.stripe.com/api/discounts
Source: https://docs.stripe.com/billing/subscriptions/coupons
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trialbalance.twin.billing.calendar import shift
from trialbalance.twin.billing.discounts import CouponCurrency, Discount, of_coupon
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import coupons, promotion_codes
from trialbalance.twin.wire.call import Call
from trialbalance.twin.wire.validate import Params

KIND = "discount"


LIMIT = 20
"""So many discounts an object can have."""


def apply(
    call: Call,
    given: Any,
    *,
    path: str,
    currency: str | None,
    customer: str | None,
    now: int,
    amount: int | None = None,
    known: Iterable[str] = (),
    redeem: bool = True,
    **owner: str | None,
) -> list[str]:
    """The ids of the discounts that a `discounts` parameter means; new ones are made for coupons and codes.

    `known` are discounts that the object has already: the same coupon keeps its discount. `owner`: subscription,
    subscription_item, invoice or invoice_item. `amount` is compared with a promotion code's minimum.

    Raises:
        InvalidRequest: a coupon that is spent or of another currency, a promotion code that may not be redeemed.
    """
    if given in ("", None):
        return []
    if len(given) > LIMIT:
        raise InvalidRequest(f"You can apply at most {LIMIT} discounts.", param=path)
    result: list[str] = []
    used: set[str] = set()
    existing = {call.get(KIND, d)["_coupon"]: d for d in known if call.find(KIND, d)}
    for position, item in enumerate(given):
        where = f"{path}[{position}]"
        sent = [name for name in ("coupon", "promotion_code", "discount") if item.get(name)]
        if len(sent) != 1:
            raise InvalidRequest(
                "You must provide exactly one of `coupon`, `discount`, or `promotion_code` in each element of "
                f"`{path}`.",
                param=where,
            )
        if "discount" in sent:
            kept = call.get(KIND, item["discount"], param=f"{where}[discount]")
            _once(used, kept["_coupon"], where)
            result.append(kept["id"])
            continue
        code = None
        if "promotion_code" in sent:
            named = call.get("promotion_code", item["promotion_code"], param=f"{where}[promotion_code]")
            if named["_coupon"] in existing:
                _once(used, named["_coupon"], where)
                result.append(existing[named["_coupon"]])
                continue
            code = promotion_codes.check(
                call,
                item["promotion_code"],
                customer,
                amount,
                currency or "",
                param=f"{where}[promotion_code]",
            )
            coupon = call.get("coupon", code["_coupon"])
        else:
            coupon = call.get("coupon", item["coupon"], param=f"{where}[coupon]")
        _once(used, coupon["id"], where)
        if coupon["id"] in existing:
            result.append(existing[coupon["id"]])
            continue
        if not coupon["valid"]:
            raise InvalidRequest(
                f"Coupon expired: {coupon['id']}", param=f"{where}[{sent[0]}]", code="coupon_expired"
            )
        if currency is not None:
            _in_currency(coupon, currency, f"{where}[{sent[0]}]")
        made = make(
            call, coupon, now=now, customer=customer, promotion_code=code, end=_end_of(item, now), **owner
        )
        if redeem:
            coupons.redeem(call, coupon["id"])
            if code is not None:
                promotion_codes.redeem(call, code["id"])
        result.append(made["id"])
    if len(set(result)) != len(result):
        raise InvalidRequest("The same discount cannot be applied twice.", param=path)
    return result


def _once(used: set[str], coupon: str, where: str) -> None:
    """Refuse a coupon that another element stands for already.

    Source: https://docs.stripe.com/billing/subscriptions/coupons#restrictions-2
    """
    if coupon in used:
        raise InvalidRequest("The same coupon cannot be applied more than once.", param=where)
    used.add(coupon)


def _end_of(item: Params, now: int) -> int | None:
    end = item.get("discount_end") or item.get("end")
    if not isinstance(end, Params):
        return None
    if end.get("timestamp") is not None:
        return int(end["timestamp"])
    duration = end.get("duration")
    if duration:
        return shift(now, duration["interval"], duration["interval_count"])
    return None


def _in_currency(coupon: JsonObject, currency: str, param: str) -> None:
    try:
        of_coupon(coupon, currency)
    except CouponCurrency:
        raise InvalidRequest(
            f"The coupon `{coupon['id']}` cannot be applied: its currency `{coupon['currency']}` does not match "
            f"`{currency}`.",
            param=param,
        ) from None


def make(
    call: Call,
    coupon: JsonObject,
    *,
    now: int,
    customer: str | None,
    promotion_code: JsonObject | None = None,
    end: int | None = None,
    **owner: str | None,
) -> JsonObject:
    """Store a discount that a coupon gives from `now` on."""
    if end is None and coupon["duration"] == "repeating":
        end = shift(now, "month", coupon["duration_in_months"])
    discount = call.new(
        KIND,
        "di",
        customer=customer,
        end=end,
        promotion_code=promotion_code["id"] if promotion_code else None,
        source={"coupon": coupon["id"], "type": "coupon"},
        start=now,
        **owner,
    )
    discount["_coupon"] = coupon["id"]
    discount["_duration"] = coupon["duration"]
    discount["_terms"] = {
        "id": coupon["id"],
        "amount_off": coupon["amount_off"],
        "currency": coupon["currency"],
        "percent_off": coupon["percent_off"],
        "_applies_to": coupon["_applies_to"],
        "_currency_options": coupon["_currency_options"],
    }
    return call.insert(discount)


def value(call: Call, identifier: str, currency: str) -> Discount | None:
    """The arithmetic of a stored discount; None when it has no amount in the currency."""
    discount = call.get(KIND, identifier)
    try:
        return of_coupon(discount["_terms"], currency, id=identifier)
    except CouponCurrency:
        return None


def values(call: Call, identifiers: Iterable[str], currency: str) -> tuple[Discount, ...]:
    """The arithmetic of several discounts, in order."""
    found = (value(call, identifier, currency) for identifier in identifiers)
    return tuple(discount for discount in found if discount is not None)


def active(call: Call, identifiers: Iterable[str], at: int) -> list[str]:
    """Those of the discounts that are still running at `at` and not used up."""
    result = []
    for identifier in identifiers:
        discount = call.find(KIND, identifier)
        if discount is None or discount.get("_used"):
            continue
        if discount["end"] is not None and discount["end"] <= at:
            continue
        result.append(identifier)
    return result


def use(call: Call, identifier: str) -> bool:
    """Note that a discount was taken; a one-time one is used up and leaves its subscription. Returns whether it is."""
    discount = call.get(KIND, identifier)
    if discount["_duration"] != "once":
        return False
    edited = call.edit(KIND, identifier)
    edited["_used"] = True
    drop(call, edited)
    return True


def drop(call: Call, discount: JsonObject) -> None:
    """Take a discount off the subscription, item or customer that has it, and tell."""
    identifier = discount["id"]
    found = False
    item = call.find("subscription_item", discount["subscription_item"])
    if item is not None and identifier in item["discounts"]:
        call.edit("subscription_item", item["id"])["discounts"].remove(identifier)
        found = True
    subscription = call.find("subscription", discount["subscription"])
    if subscription is not None:
        edited = call.edit("subscription", subscription["id"])
        if identifier in edited["discounts"]:
            edited["discounts"] = [name for name in edited["discounts"] if name != identifier]
            found = True
        for shown in edited["items"]["data"]:
            if identifier in shown["discounts"]:
                shown["discounts"] = [name for name in shown["discounts"] if name != identifier]
    customer = call.find("customer", discount["customer"])
    if customer is not None and (customer["discount"] or {}).get("id") == identifier:
        call.edit("customer", customer["id"])["discount"] = None
        found = True
    if found:
        call.emit("customer.discount.deleted", discount)


def drop_expired(call: Call, identifiers: Iterable[str], at: int) -> None:
    """Drop those discounts whose time is over."""
    for identifier in list(identifiers):
        discount = call.find(KIND, identifier)
        if discount is not None and discount["end"] is not None and discount["end"] <= at:
            drop(call, discount)


def tell(call: Call, before: Iterable[str], after: Iterable[str]) -> None:
    """Emit what came and what went."""
    old, new = list(before), list(after)
    for identifier in old:
        if identifier not in new:
            call.emit("customer.discount.deleted", call.get(KIND, identifier))
    for identifier in new:
        if identifier not in old:
            call.emit("customer.discount.created", call.get(KIND, identifier))


def of_customer(call: Call, customer: JsonObject, at: int) -> list[str]:
    """The customer's own discount, when it is running: it applies where nothing else does.

    Source: https://docs.stripe.com/billing/subscriptions/coupons#customers
    """
    discount = customer["discount"]
    if not discount:
        return []
    return active(call, [discount["id"] if isinstance(discount, dict) else discount], at)
