"""Prorations of subscription items: credits for time not used, debits for time to come.

Classic billing credits what the item's current price and discounts would cost for the rest of the period, each item
for itself. Flexible billing credits the rest of what was really debited for it, line by line. Debits are the new
price for the rest of the period; in flexible billing discounts are shared between the items as on an invoice.
Both round half a cent down.

Source: https://docs.stripe.com/billing/subscriptions/prorations
Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from trialbalance.twin.billing import discounting, items, lines
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.billing.discounts import Deduction, apply_discounts
from trialbalance.twin.billing.proration import prorate
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.resources import invoice_items
from trialbalance.twin.wire.call import Call


class Part(NamedTuple):
    """A prorated amount: gross, its discounts, where it came from."""

    gross: int
    deductions: tuple[Deduction, ...]
    invoice: str | None = None
    line: str | None = None
    item: str | None = None
    tax_rates: tuple[str, ...] | None = None

    @property
    def net(self) -> int:
        """After discounts."""
        return self.gross - sum(d.amount for d in self.deductions)


def flexible(subscription: JsonObject) -> bool:
    """Whether a subscription bills in flexible mode."""
    return bool(subscription["billing_mode"]["type"] == "flexible")


def itemized(subscription: JsonObject) -> bool:
    """Whether prorations show gross amounts and their discounts apart."""
    mode = subscription["billing_mode"].get("flexible") or {}
    return bool(mode.get("proration_discounts") == "itemized")


def day_of(at: int) -> str:
    """`21 Oct 2026`, as descriptions write it."""
    moment = datetime.fromtimestamp(at, UTC)
    return f"{moment.day} {moment.strftime('%b %Y')}"


def describe(call: Call, word: str, product: str, quantity: int | None, at: int) -> str:
    """`Unused time on 3 × Seed box after 21 Oct 2026`."""
    name = lines.name_of(call, product)
    times = f"{quantity} × " if quantity is not None and quantity != 1 else ""
    return f"{word} time on {times}{name} after {day_of(at)}"


def discounts_of(call: Call, subscription: JsonObject, at: int) -> list[str]:
    """The subscription's discounts that are running."""
    return discounting.active(call, subscription["discounts"], at)


def shares(
    call: Call, subscription: JsonObject, of: list[JsonObject], at: int
) -> list[tuple[Deduction, ...]]:
    """What the discounts of items and subscription take off each item's whole period."""
    currency = subscription["currency"]
    amounts = [items.amount(call, item, currency) for item in of]
    products = [item["price"]["product"] for item in of]
    taken: list[list[Deduction]] = []
    left = []
    for item, value, product in zip(of, amounts, products, strict=True):
        running = discounting.active(call, item["discounts"] or (), at)
        own = apply_discounts([value], [product], [True], discounting.values(call, running, currency))[0]
        taken.append(own)
        left.append(value - sum(d.amount for d in own))
    shared = apply_discounts(
        left,
        products,
        [True] * len(of),
        discounting.values(call, discounts_of(call, subscription, at), currency),
    )
    return [tuple(own + ours) for own, ours in zip(taken, shared, strict=True)]


def deductions_of(
    call: Call, subscription: JsonObject, item: JsonObject, others: list[JsonObject], at: int
) -> tuple[Deduction, ...]:
    """An item's discounts for a whole period: among all items in flexible mode, alone in classic mode."""
    if not subscription["discounts"] and not item["discounts"]:
        return ()
    if not flexible(subscription):
        return shares(call, subscription, [item], at)[0]
    everyone = [other for other in others if other["id"] != item["id"] and not items.metered(other)]
    position = next((i for i, other in enumerate(others) if other["id"] == item["id"]), len(everyone))
    everyone.insert(min(position, len(everyone)), item)
    found = shares(call, subscription, everyone, at)
    return found[everyone.index(item)]


def _prorated(
    gross: int, deductions: tuple[Deduction, ...], period: Period, at: int
) -> tuple[int, tuple[Deduction, ...]]:
    """The prorated gross and discounts, so that their difference is the prorated net."""
    net = gross - sum(d.amount for d in deductions)
    whole = prorate(gross, period, at)
    if not deductions:
        return whole, ()
    wanted = whole - prorate(net, period, at)
    parts = [prorate(d.amount, period, at) for d in deductions]
    parts[-1] += wanted - sum(parts)
    return whole, tuple(d._replace(amount=part) for d, part in zip(deductions, parts, strict=True))


def debit_part(
    call: Call,
    subscription: JsonObject,
    item: JsonObject,
    others: list[JsonObject],
    cycle: Period,
    at: int,
) -> Part:
    """The price of the time from `at` to the end of a cycle."""
    gross = items.amount(call, item, subscription["currency"])
    deductions = deductions_of(call, subscription, item, others, at)
    return Part(*_prorated(gross, deductions, cycle, at))


def credit_parts(
    call: Call,
    subscription: JsonObject,
    item: JsonObject,
    others: list[JsonObject],
    cycle: Period,
    at: int,
) -> list[Part]:
    """What is given back for the time from `at` to the end of the item's period; amounts are negative."""
    if not flexible(subscription):
        gross = items.amount(call, item, subscription["currency"])
        deductions = deductions_of(call, subscription, item, others, at)
        whole, taken = _prorated(-gross, tuple(d._replace(amount=-d.amount) for d in deductions), cycle, at)
        last = item["_debits"][-1] if item["_debits"] else {}
        return [Part(whole, taken, last.get("invoice"), last.get("line"))]
    found = []
    for debit in item["_debits"]:
        gross, deductions, rates = _debited(call, debit)
        span = Period(debit["start"], debit["end"])
        whole, taken = _prorated(-gross, tuple(d._replace(amount=-d.amount) for d in deductions), span, at)
        found.append(Part(whole, taken, debit.get("invoice"), debit.get("line"), debit.get("item"), rates))
    return found


def _debited(call: Call, debit: JsonObject) -> tuple[int, tuple[Deduction, ...], tuple[str, ...] | None]:
    """Gross amount, discounts and tax rates of what was debited."""
    if debit.get("cut"):
        kept = tuple(Deduction(*pair) for pair in debit["deductions"])
        return debit["amount"], kept, tuple(debit["rates"]) if debit["rates"] else None
    line = call.find(lines.KIND, debit.get("line"))
    if line is None:
        item = call.find(invoice_items.KIND, debit.get("item"))
        line = call.find(lines.KIND, item.get("_line")) if item is not None else None
        if line is None:
            given = tuple(Deduction(*pair) for pair in debit.get("deductions", ()))
            return debit.get("amount", 0), given, None
    taken = tuple(Deduction(d["discount"], d["amount"]) for d in line["discount_amounts"])
    rates = tuple(tax["tax_rate_details"]["tax_rate"] for tax in line["taxes"]) or None
    return line["amount"], taken, rates


def _billed(call: Call, part: Part) -> JsonObject | None:
    """The line or pending item that a credit gives back: its price counts, whatever the item's price is by now."""
    if part.line is not None:
        return call.find(lines.KIND, part.line)
    return call.find(invoice_items.KIND, part.item) if part.item is not None else None


def write(
    call: Call,
    subscription: JsonObject,
    customer: JsonObject,
    item: JsonObject,
    part: Part,
    *,
    word: str,
    quantity: int | None,
    period: Period,
    at: int,
) -> JsonObject:
    """Store a pending invoice item for a prorated amount."""
    apart = itemized(subscription)
    amount = part.gross if apart else part.net
    price, product = item["price"]["id"], item["price"]["product"]
    credited = None
    if part.line is not None and word == "Unused":
        credited = {
            "invoice_line_item_details": {
                "invoice": part.invoice,
                "invoice_line_items": [part.line],
            },
            "type": "invoice_line_items",
        }
    elif part.item is not None and word == "Unused":
        credited = {"invoice_item": part.item, "type": "invoice_item"}
    billed = _billed(call, part) if credited is not None and flexible(subscription) else None
    if billed is not None:
        details = billed["pricing"]["price_details"]
        price, product = details["price"], details["product"]
        # Its plan may have been deleted since.
        known = item["price"] if item["price"]["id"] == price else call.find("price", price)
        if known is not None and known["billing_scheme"] == "per_unit":
            quantity = billed["quantity"]
    amounts = [{"amount": d.amount, "discount": d.discount} for d in part.deductions]
    made = invoice_items.make(
        call,
        customer,
        amount=amount,
        currency=subscription["currency"],
        pricing={
            "price_details": {"price": price, "product": product},
            "type": "price_details",
            "unit_amount_decimal": None,
        },
        quantity=1 if quantity is None else quantity,
        description=describe(call, word, product, quantity, at),
        period={"end": period.end, "start": period.start},
        discountable=False,
        proration=True,
        parent={
            "subscription_details": {
                "subscription": subscription["id"],
                "subscription_item": item["id"],
            },
            "type": "subscription_details",
        },
        subscription=subscription["id"],
        net_amount=part.net,
        proration_details={
            "credited_items": credited,
            "discount_amounts": amounts if apart else [{**entry, "amount": 0} for entry in amounts],
        },
    )
    if apart and amounts:
        made["_itemized"] = amounts
    made["discounts"] = [d.discount for d in part.deductions]
    rates = part.tax_rates
    if rates is None:
        own = [rate["id"] for rate in item["tax_rates"] or ()]
        rates = tuple(own or [rate["id"] for rate in subscription["default_tax_rates"]])
    made["_default_taxes"] = list(rates) or None
    call.emit("invoiceitem.created", made)
    return made


def debit_of(item: JsonObject, period: Period, part: Part) -> JsonObject:
    """What `_debits` remembers of a pending debit."""
    return {
        "item": item["id"],
        "start": period.start,
        "end": period.end,
        "amount": part.gross,
        "deductions": [list(d) for d in part.deductions],
    }


def cut(call: Call, debit: JsonObject, credit: Part, at: int) -> JsonObject:
    """What is left of a debit after the time from `at` on was credited."""
    gross, deductions, rates = _debited(call, debit)
    return {
        **debit,
        "cut": True,
        "end": at,
        "amount": gross + credit.gross,
        "deductions": [
            [d.discount, d.amount + back.amount]
            for d, back in zip(deductions, credit.deductions, strict=True)
        ],
        "rates": list(rates) if rates else None,
    }
