"""Discounts of a session: given by the merchant or entered as a promotion code by the customer.

Source: https://docs.stripe.com/payments/checkout/discounts
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.checkout import lines, totals
from trialbalance.twin.currencies import shown
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources.promotion_codes import has_transactions
from trialbalance.twin.wire.call import Call


def coupon_id(promotion_code: JsonObject) -> str:
    """The coupon of a promotion code."""
    coupon = promotion_code["promotion"]["coupon"]
    return str(coupon["id"] if isinstance(coupon, dict) else coupon)


def give(call: Call, session: JsonObject, entries: list[Any]) -> None:
    """Apply the `discounts` parameter: at most one coupon or promotion code."""
    if len(entries) > 1:
        raise InvalidRequest("You can specify a maximum of 1 discount.", param="discounts")
    session["_discounts"] = []
    for position, entry in enumerate(entries):
        path = f"discounts[{position}]"
        coupon, code = entry.get("coupon"), entry.get("promotion_code")
        if bool(coupon) == bool(code):
            raise InvalidRequest(
                f"You must specify exactly one of `{path}[coupon]` and `{path}[promotion_code]`.", param=path
            )
        if code:
            found = call.find("promotion_code", code)
            if found is None:
                raise NotFound("promotion_code", code, param=f"{path}[promotion_code]")
            problem = refusal(call, session, found)
            if problem:
                raise InvalidRequest(problem, param=f"{path}[promotion_code]", code="promotion_code_invalid")
            coupon = coupon_id(found)
        stored = call.find("coupon", coupon)
        if stored is None:
            raise NotFound("coupon", coupon, param=f"{path}[coupon]")
        if not stored["valid"]:
            raise InvalidRequest(f"Coupon expired: {coupon}", param=f"{path}[coupon]", code="coupon_expired")
        put(call, session, coupon, code)


def put(call: Call, session: JsonObject, coupon: str, code: str | None) -> None:
    """Make one coupon the session's discount."""
    session["_discounts"] = [{"coupon": coupon, "id": call.new_id("di"), "promotion_code": code}]
    session["discounts"] = [{"coupon": None if code else coupon, "promotion_code": code}]


def enter(call: Call, session: JsonObject, code: str) -> None:
    """Apply a code that the customer typed.

    Raises:
        InvalidRequest: with `code` promotion_code_invalid and a message for the customer.
    """
    if not session["allow_promotion_codes"]:
        raise InvalidRequest("This session does not accept promotion codes.", param="promotion_code")
    found = by_code(call, code, session["customer"])
    problem = refusal(call, session, found)
    if problem:
        raise InvalidRequest(problem, param="promotion_code", code="promotion_code_invalid")
    put(call, session, coupon_id(found), found["id"])


def by_code(call: Call, code: str, customer: str | None) -> JsonObject:
    """The active promotion code that a customer typed.

    Raises:
        InvalidRequest: with `code` promotion_code_invalid: there is none, or it is somebody else's.
    """
    wanted = code.strip().upper()
    matching = [
        found
        for found in call.ledger.all(call.account, "promotion_code")
        if found["code"].upper() == wanted and found["active"] and found["customer"] in (None, customer)
    ]
    if not matching:
        raise InvalidRequest("This code is invalid.", param="promotion_code", code="promotion_code_invalid")
    return matching[-1]


def remove(session: JsonObject) -> None:
    """Take the discount away again."""
    session["_discounts"] = []
    session["discounts"] = []


def refusal(call: Call, session: JsonObject, found: JsonObject) -> str | None:
    """Why a promotion code may not be used here, in words for the customer, or None.

    Source: https://docs.stripe.com/payments/checkout/discounts#configure-promotion-codes
    """
    coupon = call.find("coupon", coupon_id(found))
    if not found["active"] or coupon is None or not coupon["valid"]:
        return "This code is invalid."
    if found["expires_at"] is not None and call.now >= found["expires_at"]:
        return "This code has expired."
    if found["max_redemptions"] is not None and found["times_redeemed"] >= found["max_redemptions"]:
        return "This code has already been redeemed."
    if found["customer"] is not None and found["customer"] != session["customer"]:
        return "This code is invalid."
    applies = (coupon.get("_applies_to") or coupon.get("applies_to") or {}).get("products")
    items = lines.of_session(call, session)
    if applies and not any(item["price"]["product"] in applies for item in items):
        return "This code does not apply to the items in your order."
    if coupon["percent_off"] is None and not _in_currency(coupon, session["currency"]):
        return "This code cannot be used with this currency."
    rules = found["restrictions"]
    if (
        rules["first_time_transaction"]
        and session["customer"]
        and has_transactions(call, session["customer"])
    ):
        return "This code is only valid for first-time customers."
    minimum = _minimum(rules, session["currency"])
    if minimum == -1:
        return "This code cannot be used with this currency."
    if minimum:
        subtotal = sum(totals._amount(call, item, session["currency"]) for item in items)
        if subtotal < minimum:
            return f"This code requires a minimum order of {shown(minimum, session['currency'])}."
    return None


def _in_currency(coupon: JsonObject, currency: str) -> bool:
    options = coupon.get("_currency_options") or coupon.get("currency_options") or {}
    return coupon["currency"] == currency or currency in options


def _minimum(rules: JsonObject, currency: str) -> int:
    """The least order, 0 for none, -1 where it is set for other currencies only."""
    if rules["minimum_amount"] is None:
        return 0
    if rules["minimum_amount_currency"] == currency:
        return int(rules["minimum_amount"])
    option = (rules.get("currency_options") or {}).get(currency)
    return int(option["minimum_amount"]) if option else -1
