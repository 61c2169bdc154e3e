"""An invoice's amounts, computed anew from its lines: discounts, taxes, totals, what is due.

Source: https://docs.stripe.com/api/invoices/object
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trialbalance.twin import currencies
from trialbalance.twin.billing import auto_tax, discounting
from trialbalance.twin.billing.balance import settle
from trialbalance.twin.billing.discounts import Deduction
from trialbalance.twin.billing.pricing import Line, PricedLine, Totals, total_lines
from trialbalance.twin.billing.tax import Rate, Tax, of_tax_rate
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call

LINE = "line_item"
SHOWN = 10
"""So many lines an invoice shows by itself."""


def lines_of(call: Call, invoice: JsonObject) -> list[JsonObject]:
    """The stored lines of an invoice, in order."""
    return [call.get(LINE, identifier) for identifier in invoice["_lines"]]


def refresh(call: Call, invoice: JsonObject, *, customer: JsonObject | None = None) -> Totals:
    """Compute an edited draft's amounts and write them into it and its lines."""
    lines = lines_of(call, invoice)
    totals = compute(call, invoice, lines)
    shown = []
    for line, priced in zip(lines, totals.lines, strict=False):
        if differs(line, priced):
            line = call.edit(LINE, line["id"])
            write_line(line, priced)
        shown.append(line)
    invoice["lines"] = listed(invoice, shown)
    write(invoice, totals, shown)
    owner = customer or call.find("customer", invoice["customer"])
    balance = balance_for(owner, invoice["currency"]) if owner else 0
    if invoice["status"] == "draft":
        invoice["starting_balance"] = balance
        due = settle(invoice["total"], balance, currencies.minimum(invoice["currency"])).amount_due
        invoice["amount_due"] = due
        invoice["amount_remaining"] = due - invoice["amount_paid"]
    return totals


def balance_for(customer: JsonObject, currency: str) -> int:
    """The balance that an invoice in a currency may use: none, when the customer's is in another.

    Source: https://docs.stripe.com/invoicing/multi-currency-customers
    """
    return int(customer["balance"]) if customer["currency"] in (None, currency) else 0


def listed(invoice: JsonObject, lines: Sequence[JsonObject]) -> JsonObject:
    """The list of lines inside an invoice."""
    return {
        "object": "list",
        "data": list(lines[:SHOWN]),
        "has_more": len(lines) > SHOWN,
        "total_count": len(lines),
        "url": f"/v1/invoices/{invoice['id']}/lines" if invoice.get("id") else "/v1/invoices/upcoming/lines",
    }


def compute(call: Call, invoice: JsonObject, lines: Sequence[JsonObject]) -> Totals:
    """The arithmetic of lines (stored or not) under an invoice's discounts and taxes; shipping is the last line."""
    currency = invoice["currency"]
    default = tuple(of_tax_rate(rate) for rate in invoice["default_tax_rates"])
    automatic = invoice["automatic_tax"]["enabled"]
    values = [
        Line(
            amount=line["amount"],
            product=((line["pricing"] or {}).get("price_details") or {}).get("product"),
            discountable=line["discountable"],
            discounts=discounting.values(call, line["discounts"], currency),
            rates=auto_tax.rates(call, invoice, line) if automatic else rates_of(call, line, default),
            taxes=given_taxes(line),
            taken=taken_of(line),
            credit=sum(entry["amount"] for entry in line["pretax_credit_amounts"]),
        )
        for line in lines
    ]
    shipping = invoice.get("_shipping")
    if shipping:
        rates = tuple(of_tax_rate(call.get("tax_rate", name)) for name in shipping.get("tax_rates", ()))
        values.append(Line(amount=shipping["amount"], discountable=False, rates=rates))
    shared = discounting.values(call, invoice["discounts"], currency)
    order = _order(lines, len(values))
    totals = total_lines([values[i] for i in order], shared, exempt=invoice["customer_tax_exempt"])
    placed = dict(zip(order, totals.lines, strict=True))
    return totals._replace(lines=tuple(placed[i] for i in range(len(values))))


def taken_of(line: JsonObject) -> tuple[Deduction, ...] | None:
    """The discounts of a proration that shows them apart."""
    if not line.get("_itemized"):
        return None
    return tuple(Deduction(entry["discount"], entry["amount"]) for entry in line["discount_amounts"])


def _order(lines: Sequence[JsonObject], count: int) -> list[int]:
    """The order in which lines share discounts: subscription items are listed newest first, but share oldest first.

    Source: https://docs.stripe.com/billing/subscriptions/prorations (the example with an amount-off coupon)
    """
    own = [i for i, line in enumerate(lines) if line.get("_subscription_item")]
    swapped = dict(zip(own, reversed(own), strict=True))
    return [swapped.get(i, i) for i in range(count)]


def rates_of(call: Call, line: JsonObject, default: tuple[Rate, ...]) -> tuple[Rate, ...]:
    """The tax rates of a line: its own, else the invoice's default ones."""
    own = line.get("_tax_rates")
    if own is None:
        return default
    return tuple(of_tax_rate(call.get("tax_rate", name)) for name in own)


def given_taxes(line: JsonObject) -> tuple[Tax, ...] | None:
    """The taxes that a client computed itself (`tax_amounts`), if it did."""
    given = line.get("_tax_amounts")
    if given is None:
        return None
    return tuple(Tax(t["rate"], t["amount"], t["inclusive"], t["taxable"], t["reason"]) for t in given)


def tax_entry(tax: Tax) -> JsonObject:
    """One tax as lines and totals show it."""
    reason = tax.reason if tax.reason in ("customer_exempt", "reverse_charge") else "not_available"
    return {
        "amount": tax.amount,
        "tax_behavior": "inclusive" if tax.inclusive else "exclusive",
        "tax_rate_details": {"tax_rate": tax.rate},
        "taxability_reason": reason,
        "taxable_amount": tax.taxable,
        "type": "tax_rate_details",
    }


def _line_fields(priced: PricedLine) -> dict[str, Any]:
    return {
        "discount_amounts": [{"amount": d.amount, "discount": d.discount} for d in priced.deductions],
        "taxes": [tax_entry(tax) for tax in priced.taxes],
        "subtotal": priced.amount,
    }


def differs(line: JsonObject, priced: PricedLine) -> bool:
    """Whether a line shows other amounts than these."""
    if not priced.own and not priced.shared and not priced.taxes:
        return bool(line["discount_amounts"] or line["taxes"]) or line["subtotal"] != priced.amount
    return any(line[name] != value for name, value in _line_fields(priced).items())


def write_line(line: JsonObject, priced: PricedLine) -> None:
    """Put a line's discounts and taxes into it."""
    line |= _line_fields(priced)


def write(invoice: JsonObject, totals: Totals, lines: Sequence[JsonObject] = ()) -> None:
    """Put totals into an invoice."""
    invoice["subtotal"] = totals.subtotal
    invoice["subtotal_excluding_tax"] = totals.subtotal_excluding_tax
    invoice["total"] = totals.total
    invoice["total_excluding_tax"] = totals.total_excluding_tax
    invoice["total_discount_amounts"] = [
        {"amount": amount, "discount": name} for name, amount in totals.by_discount().items()
    ]
    credits: JsonObject = {}
    for line in lines:
        for entry in line["pretax_credit_amounts"]:
            known = credits.setdefault(entry["credit_balance_transaction"], {**entry, "amount": 0})
            known["amount"] += entry["amount"]
    invoice["total_pretax_credit_amounts"] = list(credits.values())
    invoice["total_taxes"] = [tax_entry(tax) for tax in totals.by_rate().values()]
    invoice["_tax"] = totals.tax + totals.inclusive_tax
    shipping = invoice.get("_shipping")
    if shipping:
        freight = totals.lines[-1]
        invoice["amount_shipping"] = freight.amount
        invoice["subtotal"] -= freight.amount
        invoice["subtotal_excluding_tax"] -= freight.amount - freight.inclusive_tax
        invoice["shipping_cost"] = {
            "amount_subtotal": freight.amount,
            "amount_tax": freight.tax + freight.inclusive_tax,
            "amount_total": freight.total,
            "shipping_rate": shipping["shipping_rate"],
        }
    else:
        invoice["amount_shipping"] = 0
        invoice["shipping_cost"] = None
