"""The arithmetic of quotes: what is due at once, what comes with every period.

Source: https://docs.stripe.com/quotes/overview
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing import discounting
from trialbalance.twin.billing.discounts import Discount
from trialbalance.twin.billing.pricing import Line, PricedLine, Totals, amount_of, total_lines
from trialbalance.twin.billing.tax import of_tax_rate
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call


def rows_of(call: Call, quote: JsonObject, *, at_once: bool) -> list[JsonObject]:
    """The quote's rows that are billed at once (without metered and trial ones), or the recurring ones."""
    trial = bool(quote["subscription_data"]["trial_period_days"])
    found = []
    for row in quote["_rows"]:
        recurring = call.get("price", row["price"])["recurring"]
        if at_once:
            if recurring is None or (recurring["usage_type"] == "licensed" and not trial):
                found.append(row)
        elif recurring is not None:
            found.append(row)
    return found


def total(call: Call, quote: JsonObject, rows: list[JsonObject]) -> Totals:
    """The totals of rows under the quote's discounts and tax rates."""
    currency = quote["currency"]
    default = quote["default_tax_rates"] or []
    lines = []
    for row in rows:
        price = call.get("price", row["price"])
        metered = price["recurring"] is not None and price["recurring"]["usage_type"] == "metered"
        rates = row["tax_rates"] or default
        lines.append(
            Line(
                amount=0 if metered else amount_of(price, row["quantity"], currency=currency),
                product=price["product"],
                discounts=values(call, row["discounts"], currency),
                rates=tuple(of_tax_rate(call.get("tax_rate", rate)) for rate in rates),
            )
        )
    customer = call.find("customer", quote["customer"])
    exempt = customer["tax_exempt"] if customer else None
    return total_lines(lines, values(call, quote["discounts"], currency), exempt=exempt)


def values(call: Call, identifiers: list[str], currency: str) -> tuple[Discount, ...]:
    """Stored discounts as arithmetic."""
    return discounting.values(call, identifiers, currency)


def details(call: Call, totals: Totals) -> JsonObject:
    """`total_details` with its breakdown."""
    taxes = [
        {
            "amount": tax.amount,
            "rate": call.get("tax_rate", name),
            "taxability_reason": None,
            "taxable_amount": None,
        }
        for name, tax in totals.by_rate().items()
    ]
    discounts = [
        {"amount": amount, "discount": call.get(discounting.KIND, name)}
        for name, amount in totals.by_discount().items()
    ]
    return {
        "amount_discount": totals.discount,
        "amount_shipping": 0,
        "amount_tax": totals.tax + totals.inclusive_tax,
        "breakdown": {"discounts": discounts, "taxes": taxes},
    }


def plain_details(found: JsonObject) -> JsonObject:
    """`total_details` without the breakdown, which appears on expansion only."""
    return {name: value for name, value in found.items() if name != "breakdown"}


def item_of(call: Call, quote: JsonObject, row: JsonObject, line: PricedLine) -> JsonObject:
    """A row as a line item."""
    from trialbalance.twin.billing.items import public
    from trialbalance.twin.billing.lines import name_of

    price = call.get("price", row["price"])
    return call.new(
        "item",
        None,
        id=row["id"],
        amount_discount=sum(d.amount for d in line.deductions),
        amount_subtotal=line.amount,
        amount_tax=line.tax + line.inclusive_tax,
        amount_total=line.total,
        currency=quote["currency"],
        description=name_of(call, price["product"]),
        price=public(price),
        quantity=row["quantity"],
    )


def items_of(call: Call, quote: JsonObject, rows: list[JsonObject]) -> list[JsonObject]:
    """Rows as line items, in order."""
    totals = total(call, quote, rows)
    return [item_of(call, quote, row, line) for row, line in zip(rows, totals.lines, strict=True)]


def refresh(call: Call, quote: JsonObject) -> None:
    """Compute an edited quote's amounts."""
    now = total(call, quote, rows_of(call, quote, at_once=True))
    recurring = rows_of(call, quote, at_once=False)
    found: dict[str, Any] = {
        "recurring": None,
        "upfront": {
            "amount_subtotal": now.amount,
            "amount_total": now.total,
            "total_details": details(call, now),
        },
    }
    if recurring:
        later = total(call, quote, recurring)
        every = call.get("price", recurring[0]["price"])["recurring"]
        found["recurring"] = {
            "amount_subtotal": later.amount,
            "amount_total": later.total,
            "interval": every["interval"],
            "interval_count": every["interval_count"],
            "total_details": details(call, later),
        }
    quote["computed"] = found
    quote["amount_subtotal"] = now.amount
    quote["amount_total"] = now.total
    quote["total_details"] = plain_details(details(call, now))
