"""What changed in coupons, promotion codes and discounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.versions.base import VersionChange

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call


def full_coupon(call: Call, identifier: str | None) -> JsonObject | None:
    """The coupon's public fields, also those of a deleted one."""
    if identifier is None:
        return None
    table = call.ledger.table(call.account, "coupon")
    coupon = table.objects.get(identifier) or table.deleted.get(identifier)
    return {k: v for k, v in coupon.items() if k[:1] != "_"} if coupon else None


class PromotionCodesNameAPromotion(VersionChange):
    """A promotion code held its whole coupon, and was made with `coupon`."""

    version = "2025-09-30.clover"
    description = "Replaces `coupon` of promotion codes with `promotion[type]` and `promotion[coupon]`"
    source = "https://docs.stripe.com/changelog/clover/2025-09-30/discount-source"
    kinds = ("promotion_code",)
    endpoints = ("POST /v1/promotion_codes",)

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        if "coupon" not in params and "promotion" not in params:
            raise InvalidRequest("Missing required param: coupon.", param="coupon", code="parameter_missing")
        if "coupon" in params:
            coupon = params.pop("coupon")
            if call.find("coupon", coupon) is None:
                raise InvalidRequest(f"No such coupon: '{coupon}'", param="coupon", code="resource_missing")
            params["promotion"] = {"type": "coupon", "coupon": coupon}

    def response(self, call: Call, obj: JsonObject) -> None:
        promotion = obj.pop("promotion", None)
        if promotion is not None:
            found = promotion["coupon"]
            obj["coupon"] = found if isinstance(found, dict) else full_coupon(call, found)
            _sort(obj)


class DiscountsNameASource(VersionChange):
    """A discount held its whole coupon."""

    version = "2025-09-30.clover"
    description = "Replaces `discount.coupon` with `discount.source[coupon]`, which is an id until expanded"
    source = "https://docs.stripe.com/changelog/clover/2025-09-30/discount-source"
    kinds = ("discount",)

    def response(self, call: Call, obj: JsonObject) -> None:
        origin = obj.pop("source", None)
        if origin is not None:
            found = origin["coupon"]
            obj["coupon"] = found if isinstance(found, dict) else full_coupon(call, found)
            _sort(obj)


class CustomersHaveACoupon(VersionChange):
    """A customer was given a discount with `coupon` or `promotion_code`."""

    version = "2025-03-31.basil"
    description = "Removes `coupon` and `promotion_code` from the parameters of customers"
    source = "https://docs.stripe.com/changelog/basil/2025-03-31/remove-coupon-and-promotion-code"
    accepts: ClassVar[dict[str, dict[str, Any]]] = {
        name: {"coupon": {"empty": "str"}, "promotion_code": {"empty": "str"}}
        for name in ("POST /v1/customers", "POST /v1/customers/{customer}")
    }


def _sort(obj: JsonObject) -> None:
    head: JsonObject = {n: obj[n] for n in ("id", "object") if n in obj}
    rest = {n: obj[n] for n in sorted(obj) if n not in head}
    obj.clear()
    obj.update(head)
    obj.update(rest)
