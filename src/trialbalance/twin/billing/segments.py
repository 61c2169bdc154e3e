"""Periods on invoices: a whole one, the part of one until an anchor or an end that lies ahead, and past ones.

Source: https://docs.stripe.com/billing/subscriptions/billing-cycle
Source: https://docs.stripe.com/billing/subscriptions/backdating
"""

from __future__ import annotations

from trialbalance.twin.billing import invoicing, items, lines, prorating
from trialbalance.twin.billing.calendar import Period, period_at, shift
from trialbalance.twin.billing.discounts import Deduction
from trialbalance.twin.billing.proration import prorate
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call


def period_from(subscription: JsonObject, price: JsonObject, start: int) -> Period:
    """The period of a price that begins at `start`: to the end of its cycle, or of the subscription."""
    cycle = items.cycle_of(subscription, price, start)
    end = subscription["cancel_at"]
    return Period(start, cycle.end if end is None or end <= start else min(cycle.end, end))


def part_of(gross: int, part: Period, whole: Period) -> int:
    """The price of a part of a period, by seconds."""
    return prorate(gross, Period(part.end - whole.seconds, part.end), part.start)


def bill(
    call: Call, invoice: JsonObject, subscription: JsonObject, item: JsonObject, *, parts: bool = True
) -> None:
    """The line of an edited licensed item for its current period, whole or in part.

    With `parts` false a period that is not whole is free.
    """
    period = items.period_of(item)
    cycle = items.cycle_of(subscription, item["price"], period.start)
    if period == cycle or (period.start == cycle.start and not parts):
        whole(call, invoice, subscription, item)
    elif parts:
        stub(call, invoice, subscription, item, period, cycle)


def whole(call: Call, invoice: JsonObject, subscription: JsonObject, item: JsonObject) -> JsonObject:
    """The line of an edited licensed item for its current period at the full price."""
    period = items.period_of(item)
    line = lines.of_subscription_item(
        call,
        invoice["id"],
        subscription,
        item,
        amount=items.amount(call, item, subscription["currency"]),
        quantity=item["quantity"],
        period=period,
    )
    invoicing.add_line(call, invoice, line)
    item["_debits"] = [debit(line, invoice, period)]
    return line


def debit(line: JsonObject, invoice: JsonObject, period: Period) -> JsonObject:
    """What an item remembers of a line that paid for its period."""
    return {"line": line["id"], "invoice": invoice["id"], "start": period.start, "end": period.end}


def stub(
    call: Call,
    invoice: JsonObject,
    subscription: JsonObject,
    item: JsonObject,
    period: Period,
    cycle: Period,
) -> None:
    """The line of an edited licensed item for a part of a cycle."""
    others = items.of(call, subscription)
    imagined = Period(period.end - cycle.seconds, period.end)
    part = prorating.debit_part(call, subscription, item, others, imagined, period.start)
    line = _prorated(call, invoice, subscription, item, part.gross, period, part.deductions)
    item["_debits"] = [debit(line, invoice, period)]


def _prorated(
    call: Call,
    invoice: JsonObject,
    subscription: JsonObject,
    item: JsonObject,
    gross: int,
    period: Period,
    deductions: tuple[Deduction, ...],
) -> JsonObject:
    apart = prorating.itemized(subscription)
    net = gross - sum(d.amount for d in deductions)
    line = lines.of_subscription_item(
        call,
        invoice["id"],
        subscription,
        item,
        amount=gross if apart else net,
        quantity=item["quantity"],
        period=period,
    )
    line["description"] = prorating.describe(
        call, "Remaining", item["price"]["product"], item["quantity"], period.start
    )
    line["discountable"] = False
    line["parent"]["subscription_item_details"]["proration"] = True
    line["pricing"] = {**line["pricing"], "unit_amount_decimal": None}
    line["discounts"] = []
    if apart and deductions:
        line["discount_amounts"] = [{"amount": d.amount, "discount": d.discount} for d in deductions]
        line["_itemized"] = True
    return invoicing.add_line(call, invoice, line)


def backdated(
    call: Call, invoice: JsonObject, subscription: JsonObject, item: JsonObject, since: int
) -> None:
    """The lines of an item whose service began in the past, up to the end of its current period.

    Flexible billing writes a line for each period, classic billing one for all that is past. A part of a period at
    the beginning is measured against a whole one that would have begun at `since`.

    Source: https://docs.stripe.com/billing/subscriptions/backdating
    """
    period = items.period_of(item)
    others = items.of(call, subscription)
    priced = []
    for span, full in _past(subscription, item, since, period.start):
        imagined = Period(span.end - full.seconds, span.end)
        part = prorating.debit_part(call, subscription, item, others, imagined, span.start)
        priced.append((span, part.gross, part.deductions))
    if priced and not prorating.flexible(subscription):
        taken: dict[str, int] = {}
        for _, _, deductions in priced:
            for entry in deductions:
                taken[entry.discount] = taken.get(entry.discount, 0) + entry.amount
        total = sum(gross for _, gross, _ in priced)
        merged = tuple(Deduction(name, amount) for name, amount in taken.items())
        priced = [(Period(since, period.start), total, merged)]
    for span, gross, deductions in priced:
        _prorated(call, invoice, subscription, item, gross, span, deductions)
    cycle = items.cycle_of(subscription, item["price"], period.start)
    if period == cycle:
        whole(call, invoice, subscription, item)
    else:
        stub(call, invoice, subscription, item, period, _imagined(item, period.start))


def used_before(
    call: Call, invoice: JsonObject, subscription: JsonObject, item: JsonObject, since: int
) -> None:
    """The lines of a metered item's usage before its current period: for each period, in classic billing one for all.

    Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#backdate-subscriptions
    """
    from trialbalance.twin.billing import usage

    spans = [span for span, _ in _past(subscription, item, since, item["current_period_start"])]
    if spans and not prorating.flexible(subscription):
        spans = [Period(since, item["current_period_start"])]
    for span in reversed(spans):
        if usage.quantity(call, subscription, item, span):
            usage.bill(call, invoice, subscription, item, span)


def _past(subscription: JsonObject, item: JsonObject, since: int, until: int) -> list[tuple[Period, Period]]:
    """The spans between two seconds, each with the whole period it is measured against."""
    interval, count = items.every(item)
    found = []
    at = since
    while at < until:
        cycle = period_at(
            subscription["billing_cycle_anchor"], interval, count, at, day=subscription.get("_anchor_day")
        )
        full = cycle if cycle.start == at else _imagined(item, at)
        found.append((Period(at, min(cycle.end, until)), full))
        at = cycle.end
    return found


def _imagined(item: JsonObject, start: int) -> Period:
    interval, count = items.every(item)
    return Period(start, shift(start, interval, count))
