"""Usage on invoices: what a meter counted or what was recorded in a period, priced when the period is over.

Source: https://docs.stripe.com/billing/subscriptions/usage-based/how-it-works
"""

from __future__ import annotations

from trialbalance.twin.billing import invoicing, items, lines, metering, recording, totals
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.billing.pricing import amount_of, terms, tier_parts
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.resources import invoice_items
from trialbalance.twin.wire.call import Call


def quantity(call: Call, subscription: JsonObject, item: JsonObject, period: Period) -> int:
    """The whole units that an item's meter shows for a period, or that were recorded for the item."""
    meter = item["price"]["recurring"]["meter"]
    if meter is None:
        return recording.total(call, item, period)
    return metering.total(call, meter, subscription["customer"], period)


def open_period(item: JsonObject, period: Period) -> Period:
    """The part of a period whose usage was not billed yet: a threshold may have billed its beginning."""
    return Period(min(max(period.start, item.get("_used_until", 0)), period.end), period.end)


def bill(call: Call, invoice: JsonObject, subscription: JsonObject, item: JsonObject, period: Period) -> None:
    """Put the usage of a period that has ended on a draft; tiers get a line each."""
    units = quantity(call, subscription, item, period)
    for amount, count, description in priced(call, subscription, item, units):
        line = lines.of_subscription_item(
            call, invoice["id"], subscription, item, amount=amount, quantity=count, period=period
        )
        line["description"] = description or line["description"]
        line["_metered"] = True
        invoicing.add_line(call, invoice, line)


def recount(call: Call, invoice: JsonObject) -> None:
    """Count the usage on a draft anew: events for its period may arrive until it is finalized.

    Source: https://docs.stripe.com/billing/subscriptions/usage-based/recording-usage
    """
    stored = totals.lines_of(call, invoice)
    groups: dict[tuple[str, int, int], list[JsonObject]] = {}
    for line in stored:
        if line.get("_metered") and line.get("_subscription_item"):
            period = line["period"]
            key = (line["_subscription_item"], period["start"], period["end"])
            groups.setdefault(key, []).append(line)
    subscription = call.find("subscription", invoice.get("_subscription"))
    if not groups or subscription is None:
        return
    for (identifier, start, end), old in groups.items():
        table = call.ledger.table(call.account, items.KIND)
        item = table.objects.get(identifier) or table.deleted[identifier]
        units = quantity(call, subscription, item, Period(start, end))
        fresh = priced(call, subscription, item, units)
        if [(line["amount"], line["quantity"]) for line in old] == [entry[:2] for entry in fresh]:
            continue
        place = invoice["_lines"].index(old[0]["id"])
        for line in old:
            invoice["_lines"].remove(line["id"])
            call.delete(totals.LINE, line["id"])
        kept = invoice["_lines"][place:]
        del invoice["_lines"][place:]
        bill(call, invoice, subscription, item, Period(start, end))
        invoice["_lines"] += kept


def priced(
    call: Call, subscription: JsonObject, item: JsonObject, units: int
) -> list[tuple[int, int, str | None]]:
    """Amount, quantity and words of each line that usage makes."""
    price = items.stored_price(call, item)
    currency = subscription["currency"]
    whole = amount_of(price, units, currency=currency)
    if price["billing_scheme"] != "tiered" or price["tiers_mode"] != "graduated":
        return [(whole, units, None)]
    parts = tier_parts(terms(price, currency)["tiers"] or [], units, "graduated")
    if len(parts) < 2:
        return [(whole, units, None)]
    found: list[tuple[int, int, str | None]] = []
    name = lines.name_of(call, price["product"])
    every = price["recurring"]["interval"]
    for number, part in enumerate(parts, 1):
        unit = lines.money(part.unit_amount, currency)
        found.append((part.amount, part.units, f"{part.units} × {name} (Tier {number} at {unit} / {every})"))
    rest = whole - sum(entry[0] for entry in found)
    last = found[-1]
    found[-1] = (last[0] + rest, last[1], last[2])
    return found


def gather(call: Call, subscription: JsonObject, now: int) -> None:
    """Turn the usage that was not billed yet into pending items: the subscription ends."""
    for item in items.of(call, subscription):
        gather_item(call, subscription, item, now)


def gather_item(call: Call, subscription: JsonObject, item: JsonObject, now: int) -> None:
    """Turn one item's usage that was not billed yet into pending items; nothing for a licensed item."""
    if not items.metered(item):
        return
    customer = call.get("customer", subscription["customer"])
    period = open_period(item, Period(item["current_period_start"], min(now, item["current_period_end"])))
    units = quantity(call, subscription, item, period)
    price = items.stored_price(call, item)
    currency = subscription["currency"]
    for amount, count, description in priced(call, subscription, item, units):
        made = invoice_items.make(
            call,
            customer,
            amount=amount,
            currency=currency,
            pricing=lines.pricing_of(price, currency),
            quantity=count,
            description=description or lines.describe(call, price, count, currency),
            period={"end": period.end, "start": period.start},
            parent={
                "subscription_details": {
                    "subscription": subscription["id"],
                    "subscription_item": item["id"],
                },
                "type": "subscription_details",
            },
            subscription=subscription["id"],
        )
        made["_metered"] = True
        call.emit("invoiceitem.created", made)
