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
    """The part of a period that an item's present price counts: since the price changed, if it did.

    Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#usage-based-pricing
    """
    return Period(min(max(period.start, item.get("_counts_from", 0)), period.end), period.end)


def billed_before(item: JsonObject, period: Period) -> JsonObject:
    """What thresholds billed of a period already: `units`, their `amount`, and until when (`at`)."""
    known: JsonObject = item.get("_billed") or {}
    if known.get("start") == period.start:
        return known
    return {"start": period.start, "units": 0, "amount": 0, "at": period.start}


def remember(item: JsonObject, period: Period, units: int, amount: int) -> None:
    """Note in an edited item that so much of a period is billed."""
    item["_billed"] = {"start": period.start, "units": units, "amount": amount, "at": period.end}


def bill(call: Call, invoice: JsonObject, subscription: JsonObject, item: JsonObject, period: Period) -> None:
    """Put the usage of a period on a draft; tiers get a line each, and what thresholds billed is taken off."""
    units = quantity(call, subscription, item, period)
    before = billed_before(item, period)
    for amount, count, description in owed(call, subscription, item, units, before):
        line = lines.of_subscription_item(
            call,
            invoice["id"],
            subscription,
            item,
            amount=amount,
            quantity=count,
            period=Period(max(period.start, before["at"]), period.end),
        )
        line["description"] = description or line["description"]
        line["_metered"] = {"start": period.start, "end": period.end, "before": before}
        invoicing.add_line(call, invoice, line)


def recount(call: Call, invoice: JsonObject) -> None:
    """Count the usage on a draft anew: events for its period may arrive until it is finalized.

    Source: https://docs.stripe.com/billing/subscriptions/usage-based/recording-usage
    """
    stored = totals.lines_of(call, invoice)
    groups: dict[tuple[str, int, int], list[JsonObject]] = {}
    for line in stored:
        if line.get("_metered") and line.get("_subscription_item"):
            counted = line["_metered"]
            key = (line["_subscription_item"], counted["start"], counted["end"])
            groups.setdefault(key, []).append(line)
    subscription = call.find("subscription", invoice.get("_subscription"))
    if not groups or subscription is None:
        return
    for (identifier, start, end), old in groups.items():
        table = call.ledger.table(call.account, items.KIND)
        item = table.objects.get(identifier) or table.deleted[identifier]
        units = quantity(call, subscription, item, Period(start, end))
        item = {**item, "_billed": old[0]["_metered"]["before"]}
        fresh = owed(call, subscription, item, units, item["_billed"])
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


def owed(
    call: Call, subscription: JsonObject, item: JsonObject, units: int, before: JsonObject
) -> list[tuple[int, int, str | None]]:
    """Amount, quantity and words of each line for what a period's usage costs beyond what was billed before.

    Tiers go on where a threshold invoice left them. Units under volume tiers may become cheaper when more are used:
    all are listed, and what was billed before is taken off.

    Source: https://docs.stripe.com/billing/subscriptions/usage-based/thresholds#thresholds-and-tiered-pricing
    """
    whole = priced(call, subscription, item, units)
    if not before["units"] and not before["amount"]:
        return whole
    price = items.stored_price(call, item)
    total = sum(amount for amount, _, _ in whole)
    if price["billing_scheme"] == "tiered" and price["tiers_mode"] == "volume":
        if total == before["amount"]:
            return []
        return [*whole, (-before["amount"], 1, "Amount previously billed")]
    if price["billing_scheme"] != "tiered":
        return [(total - before["amount"], units - before["units"], None)]
    found: list[tuple[int, int, str | None]] = []
    old = priced(call, subscription, item, before["units"])
    for place, (amount, count, words) in enumerate(whole):
        known = old[place] if place < len(old) else (0, 0, None)
        if (amount, count) != known[:2]:
            found.append((amount - known[0], count - known[1], _counted(words, count, count - known[1])))
    rest = total - before["amount"] - sum(entry[0] for entry in found)
    if rest and found:
        found[-1] = (found[-1][0] + rest, *found[-1][1:])
    return found or [(total - before["amount"], units - before["units"], None)]


def _counted(words: str | None, before: int, now: int) -> str | None:
    """A tier's description with another number of units in front."""
    return f"{now}{words.removeprefix(str(before))}" if words else None


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
        gather_item(call, subscription, item, now + 1)


def gather_item(call: Call, subscription: JsonObject, item: JsonObject, until: int) -> None:
    """Turn one item's usage before a second that was not billed yet into pending items; none for a licensed item."""
    if not items.metered(item):
        return
    customer = call.get("customer", subscription["customer"])
    period = open_period(item, Period(item["current_period_start"], min(until, item["current_period_end"])))
    units = quantity(call, subscription, item, period)
    before = billed_before(item, period)
    price = items.stored_price(call, item)
    currency = subscription["currency"]
    for amount, count, description in owed(call, subscription, item, units, before):
        made = invoice_items.make(
            call,
            customer,
            amount=amount,
            currency=currency,
            pricing=lines.pricing_of(price, currency),
            quantity=count,
            description=description or lines.describe(call, price, count, currency),
            period={"end": period.end, "start": max(period.start, before["at"])},
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


def settle_change(
    call: Call, subscription: JsonObject, item: JsonObject, *, now: int, removed: bool, prorate: bool
) -> None:
    """A metered item gets another price, or leaves: in flexible billing what it counted so far waits for an invoice.

    Classic billing forgets it: only what is reported after a new price is billed. Usage records go over to the new
    price.

    Source: https://docs.stripe.com/billing/subscriptions/billing-mode/compare#usage-based-pricing
    """
    recorded = items.metered(item) and item["price"]["recurring"]["meter"] is None
    if not items.metered(item) or (recorded and not removed):
        return
    flexible = subscription["billing_mode"]["type"] == "flexible"
    if flexible and (prorate or not removed):
        gather_item(call, subscription, item, now + 1 if removed else now)
    if not removed:
        edited = call.edit(items.KIND, item["id"])
        edited["_counts_from"] = now
