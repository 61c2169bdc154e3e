"""Promotion codes: what a customer types to get a coupon, with limits of their own.

Source: https://docs.stripe.com/api/promotion_codes
"""

from __future__ import annotations

import re

from trialbalance.twin.billing.calendar import shift
from trialbalance.twin.currencies import check_currency
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import coupons
from trialbalance.twin.resources.prices import check_key
from trialbalance.twin.wire.call import Call, due, endpoint, included

CODE = re.compile(r"[a-zA-Z0-9\-_]+\Z")
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


@endpoint("POST /v1/promotion_codes")
def create(call: Call) -> JsonObject:
    """A new code for a coupon; active codes are unique, without regard to case, per customer."""
    params = call.params
    promotion = params["promotion"]
    if promotion["type"] == "coupon" and not promotion.get("coupon"):
        raise InvalidRequest(
            "You must pass promotion.coupon when passing promotion", param="promotion.coupon"
        )
    coupon = call.get("coupon", promotion["coupon"], param="promotion[coupon]")
    customer = params.get("customer")
    if customer:
        call.get("customer", customer, param="customer")
    code = params.get("code")
    if code is not None:
        if not CODE.match(code):
            raise InvalidRequest(
                "This value must match the regex pattern. (/\\A[a-zA-Z0-9\\-_]+\\z/ does not match for the value "
                f"{code}).",
                param="code",
            )
        _unique(call, code, customer)
    else:
        code = call.twin.ids.random(8, ALPHABET)
    expires_at, limit = params.get("expires_at"), params.get("max_redemptions")
    if expires_at is not None:
        coupons.in_future(call, expires_at, "expires_at")
        if expires_at > shift(call.now, "year", 5):
            raise InvalidRequest(
                "Invalid timestamp: can be no more than five years in the future.", param="expires_at"
            )
        if coupon["redeem_by"] is not None and expires_at > coupon["redeem_by"]:
            raise InvalidRequest("`expires_at` cannot be after the coupon's `redeem_by`.", param="expires_at")
    else:
        expires_at = coupon["redeem_by"]
    if limit is not None and coupon["max_redemptions"] is not None and limit > coupon["max_redemptions"]:
        raise InvalidRequest(
            "`max_redemptions` cannot be greater than the coupon's `max_redemptions`.",
            param="max_redemptions",
        )
    active = params.get("active", True)
    if active and not coupon["valid"]:
        raise InvalidRequest(
            f"The coupon `{coupon['id']}` is no longer valid: a promotion code for it cannot be active.",
            param="promotion[coupon]",
        )
    restrictions, options = _restrictions(call)
    made = call.new(
        "promotion_code",
        "promo",
        active=active,
        code=code,
        customer=customer,
        customer_account=params.get("customer_account"),
        expires_at=expires_at,
        max_redemptions=limit,
        promotion={"coupon": coupon["id"], "type": "coupon"},
        restrictions=restrictions,
        times_redeemed=0,
    )
    made["_currency_options"] = options
    made["_coupon"] = coupon["id"]
    call.merge_metadata(made)
    call.insert(made)
    if expires_at is not None:
        call.schedule(expires_at, "promotion_code.expire", made["id"], timeline="")
    call.emit("promotion_code.created", made)
    return made


def _unique(call: Call, code: str, customer: str | None, *, but: str | None = None) -> None:
    for other in call.ledger.all(call.account, "promotion_code"):
        if (
            other["active"]
            and other["id"] != but
            and other["code"].lower() == code.lower()
            and (other["customer"] == customer or not other["customer"] or not customer)
        ):
            raise InvalidRequest(f"An active promotion code with `code: {code}` already exists.")


def _restrictions(call: Call) -> tuple[JsonObject, JsonObject]:
    sent = call.params.get("restrictions")
    shown: JsonObject = {
        "first_time_transaction": False,
        "minimum_amount": None,
        "minimum_amount_currency": None,
    }
    if not sent:
        return shown, {}
    shown["first_time_transaction"] = sent.get("first_time_transaction", False)
    amount, currency = sent.get("minimum_amount"), sent.get("minimum_amount_currency")
    if (amount is None) != (currency is None):
        missing = "minimum_amount_currency" if currency is None else "minimum_amount"
        raise InvalidRequest(
            "You must pass both minimum_amount and minimum_amount_currency, or neither.",
            param=f"restrictions[{missing}]",
        )
    if amount is not None:
        shown["minimum_amount"] = amount
        shown["minimum_amount_currency"] = check_currency(currency, "restrictions[minimum_amount_currency]")
    options = sent.plain("currency_options") or {}
    for code in options:
        check_key(code, "restrictions[currency_options]")
    return shown, options


@endpoint("GET /v1/promotion_codes/{promotion_code}")
def retrieve(call: Call) -> JsonObject:
    """One promotion code."""
    return call.get("promotion_code", call.path["promotion_code"], param="promotion_code")


@endpoint("POST /v1/promotion_codes/{promotion_code}")
def update(call: Call) -> JsonObject:
    """Switch a code on or off, change its metadata, add minimum amounts in other currencies."""
    code = call.edit("promotion_code", call.path["promotion_code"], param="promotion_code")
    if call.params.get("active") is True and not code["active"]:
        coupon = call.find("coupon", code["_coupon"])
        spent = code["max_redemptions"] is not None and code["times_redeemed"] >= code["max_redemptions"]
        expired = code["expires_at"] is not None and code["expires_at"] <= call.now
        if coupon is None or not coupon["valid"] or spent or expired:
            raise InvalidRequest(
                "This promotion code cannot be activated: it has expired, has been redeemed as often as it may, or "
                "its coupon is no longer valid.",
                param="active",
            )
        _unique(call, code["code"], code["customer"], but=code["id"])
    call.assign(code, "active")
    restrictions = call.params.get("restrictions")
    if restrictions:
        for key in restrictions.plain("currency_options") or {}:
            check_key(key, "restrictions[currency_options]")
        code["_currency_options"] = {
            **code["_currency_options"],
            **(restrictions.plain("currency_options") or {}),
        }
    call.merge_metadata(code)
    if call.changes(code):
        call.emit("promotion_code.updated", code)
    return code


@endpoint("GET /v1/promotion_codes")
def list_(call: Call) -> JsonObject:
    """Promotion codes, newest first."""
    params = call.params
    wanted = params.get("code")
    return call.list(
        "promotion_code",
        where={
            "active": params.get("active"),
            "promotion.coupon": params.get("coupon"),
            "customer": params.get("customer"),
            "customer_account": params.get("customer_account"),
        },
        keep=(lambda code: code["code"].lower() == wanted.lower()) if wanted else None,
    )


@due("promotion_code.expire")
def expire(call: Call, target: str, arguments: JsonObject) -> None:
    """A code's last second has passed."""
    code = call.edit("promotion_code", target)
    if code["active"]:
        code["active"] = False
        call.emit("promotion_code.updated", code)


def redeem(call: Call, identifier: str) -> None:
    """Count one redemption; a code that reaches its limit is switched off."""
    code = call.edit("promotion_code", identifier)
    code["times_redeemed"] += 1
    if code["max_redemptions"] is not None and code["times_redeemed"] >= code["max_redemptions"]:
        code["active"] = False


def coupon_deleted(call: Call, coupon: str) -> None:
    """Switch the codes of a deleted coupon off for good.

    Source: https://docs.stripe.com/billing/subscriptions/coupons#delete-coupons
    """
    for code in list(call.ledger.all(call.account, "promotion_code")):
        if code["_coupon"] == coupon and code["active"]:
            edited = call.edit("promotion_code", code["id"])
            edited["active"] = False
            call.emit("promotion_code.updated", edited)


def check(
    call: Call, identifier: str, customer: str | None, amount: int | None, currency: str, *, param: str
) -> JsonObject:
    """The promotion code, if it may be redeemed by `customer` for a purchase of `amount`.

    An `amount` of None means a place where codes with a minimum cannot be redeemed: items, and later changes.

    Raises:
        InvalidRequest: inactive, for another customer, below the minimum amount, or not the first transaction.

    Source: https://docs.stripe.com/billing/subscriptions/coupons#promotion-codes
    """
    code = call.get("promotion_code", identifier, param=param)
    coupon = call.find("coupon", code["_coupon"])
    if not code["active"] or coupon is None or not coupon["valid"]:
        raise InvalidRequest(
            f"This promotion code `{code['code']}` cannot be redeemed because it is no longer active.",
            param=param,
        )
    if code["customer"] and code["customer"] != customer:
        raise InvalidRequest(
            "This promotion code cannot be redeemed because it is restricted to another customer.",
            param=param,
        )
    minimum = minimum_amount(code, currency)
    limited = code["restrictions"]["minimum_amount"] is not None
    if limited and amount is None:
        raise InvalidRequest(
            "This promotion code cannot be redeemed because codes with a minimum amount only apply to the first "
            "payment of a subscription, an invoice or a Checkout Session.",
            param=param,
        )
    if limited and (minimum is None or (amount or 0) < minimum):
        raise InvalidRequest(
            "This promotion code cannot be redeemed because the minimum amount is not reached.", param=param
        )
    if code["restrictions"]["first_time_transaction"] and customer and has_transactions(call, customer):
        raise InvalidRequest(
            "This promotion code cannot be redeemed because the associated customer has prior transactions.",
            param=param,
        )
    return code


def minimum_amount(code: JsonObject, currency: str) -> int | None:
    """The minimum purchase in a currency; None when the code has none in it."""
    restrictions = code["restrictions"]
    if restrictions["minimum_amount_currency"] == currency:
        return int(restrictions["minimum_amount"])
    option = code["_currency_options"].get(currency)
    return int(option["minimum_amount"]) if option else None


def has_transactions(call: Call, customer: str) -> bool:
    """Whether a customer ever began a payment, paid an invoice, or had a trial. An open session's own payment is none.

    Source: https://docs.stripe.com/billing/subscriptions/coupons#limit-by-first-time-order
    """
    for intent in call.ledger.all(call.account, "payment_intent", customer=customer):
        if intent["status"] == "succeeded" or not intent.get("_session"):
            return True
    if any(s["trial_start"] for s in call.ledger.all(call.account, "subscription", customer=customer)):
        return True
    return any(
        invoice["status"] == "paid" and invoice["amount_paid"] > 0
        for invoice in call.ledger.all(call.account, "invoice", customer=customer)
    )


@included("promotion_code.restrictions", "currency_options")
def _show_options(call: Call, code: JsonObject) -> JsonObject:
    stored = call.find("promotion_code", code["id"]) or {"_currency_options": {}}
    return dict(stored["_currency_options"])
