"""What invoices, previews and hires have in common: lines and discounts."""

from __future__ import annotations


def line_of(line) -> dict:
    """A line of an invoice."""
    price = line.price
    return {
        "text": line.description,
        "kind": "hire" if line.type == "subscription" else "item",
        "amount": line.amount,
        "quantity": line.quantity,
        "price": price.id if price else None,
        "each": price.unit_amount if price else None,
        "every": price.recurring.interval if price and price.recurring else None,
        "hire": line.get("subscription"),
        "change": line.proration,
        "tax": [{"amount": tax.amount, "included": tax.inclusive} for tax in line.tax_amounts],
        "from": line.period.start,
        "to": line.period.end,
    }


def discount_of(discount) -> dict | None:
    """What a discount takes off, and until when."""
    if discount is None:
        return None
    coupon = discount.coupon
    return {
        "name": coupon.name,
        "percent": coupon.percent_off,
        "amount": coupon.amount_off,
        "duration": coupon.duration,
        "until": discount.end,
    }
