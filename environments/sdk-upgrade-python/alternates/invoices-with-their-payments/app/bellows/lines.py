"""What invoices, previews and hires have in common: lines and discounts."""

from __future__ import annotations

from collections.abc import Iterable

import stripe


def lines_of(lines: Iterable) -> list[dict]:
    """The lines of an invoice; each price is asked for once."""
    prices: dict[str, stripe.Price] = {}

    def price_of(line):
        details = line.pricing.price_details if line.pricing else None
        if details is None:
            return None
        if isinstance(details.price, stripe.Price):
            return details.price
        if details.price not in prices:
            prices[details.price] = stripe.Price.retrieve(details.price)
        return prices[details.price]

    return [_line_of(line, price_of(line)) for line in lines]


def _line_of(line, price) -> dict:
    parent = line.parent
    kind = parent.type if parent else None
    details = None
    if kind == "subscription_item_details":
        details = parent.subscription_item_details
    elif kind == "invoice_item_details":
        details = parent.invoice_item_details
    return {
        "text": line.description,
        "kind": "hire" if kind == "subscription_item_details" else "item",
        "amount": line.amount,
        "quantity": line.quantity,
        "price": price.id if price else None,
        "each": price.unit_amount if price else None,
        "every": price.recurring.interval if price and price.recurring else None,
        "hire": details.subscription if details else None,
        "change": bool(details.proration) if details else False,
        "tax": [
            {"amount": tax.amount, "included": tax.tax_behavior == "inclusive"} for tax in line.taxes or []
        ],
        "from": line.period.start,
        "to": line.period.end,
    }


def discount_of(discounts) -> dict | None:
    """What a discount takes off, and until when. There was room for one only, and there still is."""
    if not discounts or len(discounts) != 1:
        return None
    (discount,) = discounts
    coupon = discount.source.coupon
    return {
        "name": coupon.name,
        "percent": coupon.percent_off,
        "amount": coupon.amount_off,
        "duration": coupon.duration,
        "until": discount.end,
    }
