"""A customer's own discount: given by `coupon` or `promotion_code` in versions before basil, and kept since.

Source: https://docs.stripe.com/billing/subscriptions/coupons#customers
Source: https://docs.stripe.com/changelog/basil/2025-03-31/remove-coupon-and-promotion-code
"""

from __future__ import annotations

from trialbalance.twin.billing import discounting
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import coupons, promotion_codes
from trialbalance.twin.wire.call import Call


def write(call: Call, customer: JsonObject) -> None:
    """Give an edited customer the discount that the request names, or take it away.

    Raises:
        InvalidRequest: no such coupon or code, or it may not be redeemed.
    """
    params = call.params
    sent = [name for name in ("coupon", "promotion_code") if params.get(name) is not None]
    if not sent:
        return
    call.exclusive("coupon", "promotion_code")
    before = customer["discount"]
    customer["discount"] = None
    if before is not None:
        call.emit("customer.discount.deleted", before)
    name, value = sent[0], params[sent[0]]
    if not value:
        return
    code = None
    if name == "promotion_code":
        code = promotion_codes.check(call, value, customer["id"], 0, customer["currency"] or "", param=name)
        coupon = call.get("coupon", code["_coupon"])
    else:
        coupon = call.get("coupon", value, param="coupon")
    if not coupon["valid"]:
        raise InvalidRequest(f"Coupon expired: {coupon['id']}", param=name, code="coupon_expired")
    now = call.now_of(customer)
    made = discounting.make(call, coupon, now=now, customer=customer["id"], promotion_code=code)
    coupons.redeem(call, coupon["id"])
    if code is not None:
        promotion_codes.redeem(call, code["id"])
    customer["discount"] = {field: item for field, item in made.items() if field[:1] != "_"}
    call.emit("customer.discount.created", made)
