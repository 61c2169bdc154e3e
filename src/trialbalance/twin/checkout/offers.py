"""Cross-sells and upsells: what a merchant's Dashboard lets Checkout offer beside the order.

No API sets them; the control plane's `POST /dashboard` does. A session knows the offers of the day it was made, and
shows those that fit it: an offer taken away later is gone from new sessions only. The customer takes an offer, and may
give it back; the session's line items say which.

Chosen by us, where no page tells: a line that is upsold keeps its id; with `managed_payments` there are no cross-sells,
for the twin does not know which products are eligible; savings are told as a percentage when the amount is longer than
eight characters, rounded down.

Source: https://docs.stripe.com/payments/checkout/upsells
Source: https://docs.stripe.com/payments/checkout/cross-sells
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from trialbalance.twin.billing.pricing import CurrencyMissing, amount_of, terms
from trialbalance.twin.checkout import lines
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.ledger.store import copy_json
from trialbalance.twin.resources import tax_settings
from trialbalance.twin.wire.call import Call

UPSELL, CROSS_SELL = "upsell", "cross_sell"
PAGES = ("hosted_page", "embedded_page")
LENGTHS = {"day": ("day", 1), "week": ("day", 7), "month": ("month", 1), "year": ("month", 12)}
"""Intervals that can be counted in one another."""


class Upsell(NamedTuple):
    """The offer to pay for longer: the line, the price it was made with, the other price, whether it is taken."""

    item: JsonObject
    base: JsonObject
    target: JsonObject
    chosen: bool


def set_upsell(call: Call, price: str, target: str | None) -> None:
    """Offer `target` wherever `price` is bought; None ends it.

    Raises:
        ValueError: one of the prices does not fit, with the reason.
    """
    if target is not None:
        base, other = call.find("price", price), call.find("price", target)
        for name, found in ((price, base), (target, other)):
            if found is None:
                raise ValueError(f"upsells: there is no price {name!r}")
        assert base is not None and other is not None
        problem = unfit(base, other)
        if problem:
            raise ValueError(f"upsells: {target!r} cannot be the upsell of {price!r}: {problem}")
    _keep(call, UPSELL, price, target)


def set_cross_sell(call: Call, product: str, target: str | None) -> None:
    """Offer the product `target` beside `product`; None ends it.

    Raises:
        ValueError: one of the products does not fit, with the reason.
    """
    if target is not None:
        for name in (product, target):
            if call.find("product", name) is None:
                raise ValueError(f"cross_sells: there is no product {name!r}")
        if product == target:
            raise ValueError("cross_sells: a product cannot be its own cross-sell")
        if single_price(call, target) is None:
            raise ValueError(
                f"cross_sells: {target!r} must be active and have one single active price, of a fixed amount"
            )
    _keep(call, CROSS_SELL, product, target)


def _keep(call: Call, kind: str, name: str, target: str | None) -> None:
    stored = call.ledger.edit(call.account, kind, name)
    if stored is None:
        call.insert({"id": name, "object": kind, "to": target})
    else:
        stored["to"] = target


def held(call: Call, kind: str) -> dict[str, str]:
    """The offers of a kind in force: `{from: to}`."""
    return {found["id"]: found["to"] for found in call.ledger.all(call.account, kind) if found["to"]}


def unfit(base: JsonObject, target: JsonObject) -> str | None:
    """Why a price cannot be the upsell of another; None: it can.

    Source: https://docs.stripe.com/payments/checkout/upsells
    """
    if base["id"] == target["id"]:
        return "they are the same price"
    for price in (base, target):
        if not lines.recurring(price):
            return f"`{price['id']}` is not recurring"
        if lines.metered(price):
            return f"`{price['id']}` is metered"
    if not target["active"]:
        return "it is not active"
    for name in ("product", "currency", "tax_behavior", "transform_quantity"):
        if base.get(name) != target.get(name):
            return f"their `{name}` differs"
    bounds = [[tier["up_to"] for tier in price.get("_tiers") or ()] for price in (base, target)]
    if bounds[0] != bounds[1]:
        return "the `up_to` of their `tiers` differs"
    return None


def single_price(call: Call, product: str) -> JsonObject | None:
    """The one active price of an active product, if it can be bought once at a fixed amount."""
    found = call.find("product", product)
    prices = [price for price in call.ledger.all(call.account, "price", product=product) if price["active"]]
    if found is None or not found["active"] or len(prices) != 1:
        return None
    return None if prices[0].get("custom_unit_amount") or lines.metered(prices[0]) else prices[0]


def note(call: Call, session: JsonObject) -> None:
    """The session learns what its lines offer; what it knows already stays."""
    if session["ui_mode"] not in PAGES:
        return
    known = session.setdefault("_offers", {UPSELL: {}, CROSS_SELL: {}})
    upsells, cross_sells = held(call, UPSELL), held(call, CROSS_SELL)
    for item in lines.all_of_session(call, session):
        price = item["price"]
        if price["id"] in upsells:
            known[UPSELL].setdefault(price["id"], upsells[price["id"]])
        if price["product"] in cross_sells:
            known[CROSS_SELL].setdefault(price["product"], cross_sells[price["product"]])


def upsell(call: Call, session: JsonObject) -> Upsell | None:
    """The offer to pay for longer, where the session has exactly one recurring price and an upsell fits it.

    Source: https://docs.stripe.com/payments/checkout/upsells#checkout-flow
    """
    repeating = [item for item in lines.of_session(call, session) if lines.recurring(item["price"])]
    optional = [call.get("price", row["price"]) for row in session.get("optional_items") or ()]
    if session["mode"] != "subscription" or len(repeating) != 1 or any(map(lines.recurring, optional)):
        return None
    item = repeating[0]
    origin = item.get("_upsold_from") or item["price"]["id"]
    wanted = session.get("_offers", {}).get(UPSELL, {}).get(origin)
    base, target = call.find("price", origin), call.find("price", wanted)
    if base is None or target is None or unfit(base, target) or not _sold_in(target, session["currency"]):
        return None
    return Upsell(item, base, target, origin != item["price"]["id"])


def take_upsell(call: Call, session: JsonObject, chosen: bool) -> None:
    """The customer pays for longer, or goes back to what the order began with.

    Raises:
        InvalidRequest: nothing of the kind is offered.
    """
    offer = upsell(call, session)
    if offer is None:
        raise InvalidRequest("There is no upsell for this session.", param="upsell")
    item = call.edit("item", offer.item["id"])
    item["price"] = copy_json(offer.target if chosen else offer.base)
    item["_upsold_from"] = offer.base["id"] if chosen else None


def savings(offer: Upsell, currency: str) -> tuple[int, int] | None:
    """What one cycle of the longer price saves, as an amount and a whole percentage; None: nothing to speak of.

    Source: https://docs.stripe.com/payments/checkout/upsells#checkout-flow
    """
    (unit, length), (other, longer) = _length(offer.base), _length(offer.target)
    if unit != other:
        return None
    quantity = offer.item["quantity"]
    usual = amount_of(offer.base, quantity, currency=currency) * Fraction(longer, length)
    saved = usual - amount_of(offer.target, quantity, currency=currency)
    return (int(saved), int(saved * 100 / usual)) if saved >= 1 else None


def _length(price: JsonObject) -> tuple[str, int]:
    unit, times = LENGTHS[price["recurring"]["interval"]]
    return unit, times * int(price["recurring"]["interval_count"])


def cross_sells(call: Call, session: JsonObject) -> list[tuple[JsonObject, bool]]:
    """The prices of the products offered beside the order, each once, and whether it was added."""
    items = lines.of_session(call, session)
    bought = {item["price"]["product"] for item in items if not item.get("_cross_sell")}
    added = {item["price"]["product"]: item["price"] for item in items if item.get("_cross_sell")}
    known = session.get("_offers", {}).get(CROSS_SELL, {})
    found: dict[str, tuple[JsonObject, bool]] = {}
    for source, product in known.items():
        if product in added:
            found[product] = (added[product], True)
        elif source in bought and product not in bought:
            price = single_price(call, product)
            if price is not None and _fits(call, session, price):
                found[product] = (price, False)
    return list(found.values())


def take_cross_sell(call: Call, session: JsonObject, product: str, quantity: int) -> None:
    """The customer adds one of a product that is offered, or takes it out again.

    Raises:
        InvalidRequest: it is not offered, or another quantity than 0 or 1.
    """
    offers = {price["product"]: (price, added) for price, added in cross_sells(call, session)}
    if product not in offers:
        raise InvalidRequest("This product is not offered here.", param="cross_sell[product]")
    if quantity not in (0, 1):
        raise InvalidRequest("The quantity must be between 0 and 1.", param="cross_sell[quantity]")
    price, added = offers[product]
    if quantity and not added:
        item = lines.add(call, session, {"price": price["id"], "quantity": 1}, "cross_sell")
        item["_cross_sell"] = True
    elif added and not quantity:
        session["_lines"] = [
            name
            for name in session["_lines"]
            if not (
                (item := call.get("item", name)).get("_cross_sell") and item["price"]["product"] == product
            )
        ]


def _fits(call: Call, session: JsonObject, price: JsonObject) -> bool:
    """Whether a price can join the session's order.

    Source: https://docs.stripe.com/payments/checkout/cross-sells
    """
    if not _sold_in(price, session["currency"]) or (session.get("managed_payments") or {}).get("enabled"):
        return False
    if session["automatic_tax"]["enabled"]:
        settled = price.get("tax_behavior") in ("inclusive", "exclusive")
        if not settled and tax_settings.current(call)["defaults"]["tax_behavior"] is None:
            return False
    if not lines.recurring(price):
        return True
    others = [i["price"] for i in lines.of_session(call, session) if lines.recurring(i["price"])]
    return (
        session["mode"] == "subscription"
        and upsell(call, session) is None
        and {_rhythm(other) for other in others} == {_rhythm(price)}
    )


def _rhythm(price: JsonObject) -> tuple[str, int]:
    return price["recurring"]["interval"], price["recurring"]["interval_count"]


def _sold_in(price: JsonObject, currency: str) -> bool:
    try:
        terms(price, currency)
    except CurrencyMissing:
        return False
    return True
