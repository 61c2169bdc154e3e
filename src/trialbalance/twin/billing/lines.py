"""Invoice lines: made from invoice items, from subscription items, or previewed without being stored.

Source: https://docs.stripe.com/api/invoice-line-item/object
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin import currencies
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.billing.money import decimal_text
from trialbalance.twin.billing.pricing import terms
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call

KIND = "line_item"


def blank(call: Call, invoice: str | None, **fields: Any) -> JsonObject:
    """A line with everything empty that is not given; not stored."""
    line = call.new(
        KIND,
        "il",
        discount_amounts=[],
        discountable=True,
        discounts=[],
        invoice=invoice,
        metadata={},
        pretax_credit_amounts=[],
        subtotal=fields["amount"],
        taxes=[],
        **fields,
    )
    line["quantity_decimal"] = None if line["quantity"] is None else decimal_text(line["quantity"])
    return line


def of_item(call: Call, invoice: str | None, item: JsonObject) -> JsonObject:
    """The line of an invoice item."""
    details = (item["parent"] or {}).get("subscription_details")
    proration = item["proration"]
    credited = ((item.get("proration_details") or {}).get("credited_items") or {}).get(
        "invoice_line_item_details"
    )
    if details is not None and details["subscription_item"]:
        parent = {
            "invoice_item_details": None,
            "subscription_item_details": {
                "invoice_item": item["id"],
                "proration": proration,
                "proration_details": {"credited_items": credited},
                "subscription": details["subscription"],
                "subscription_item": details["subscription_item"],
            },
            "type": "subscription_item_details",
        }
    else:
        parent = {
            "invoice_item_details": {
                "invoice_item": item["id"],
                "proration": proration,
                "proration_details": {"credited_items": credited},
                "subscription": item.get("_subscription"),
            },
            "subscription_item_details": None,
            "type": "invoice_item_details",
        }
    line = blank(
        call,
        invoice,
        amount=item["amount"],
        currency=item["currency"],
        description=item["description"],
        parent=parent,
        period=dict(item["period"]),
        pricing=item["pricing"],
        quantity=item["quantity"],
    )
    line["discountable"] = item["discountable"]
    line["discounts"] = list(item["discounts"] or ())
    line["metadata"] = dict(item["metadata"] or {}) or _of_subscription(call, details)
    line["quantity_decimal"] = item["quantity_decimal"]
    line["_item"] = item["id"]
    if item.get("_metered"):
        line["_metered"] = True
    line["_tax_rates"] = [rate["id"] for rate in item["tax_rates"]] or None
    if item.get("_default_taxes"):
        line["_tax_rates"] = item["_default_taxes"]
    if item.get("_itemized"):
        line["discount_amounts"] = item["_itemized"]
        line["_itemized"] = True
    return line


def _of_subscription(call: Call, details: JsonObject | None) -> JsonObject:
    """The metadata that a line of a subscription item has from its subscription; other lines have none.

    Source: https://docs.stripe.com/billing/invoices/subscription#subscription-metadata
    """
    found = (
        call.find("subscription", details["subscription"])
        if details and details["subscription_item"]
        else None
    )
    return dict(found["metadata"]) if found is not None else {}


def of_subscription_item(
    call: Call,
    invoice: str | None,
    subscription: JsonObject,
    item: JsonObject,
    *,
    amount: int,
    quantity: int,
    period: Period,
    trial: bool = False,
) -> JsonObject:
    """The line of a subscription item for one period."""
    price = stored(call, item["price"])
    line = blank(
        call,
        invoice,
        amount=amount,
        currency=subscription["currency"],
        description=describe(call, price, quantity, subscription["currency"])
        if not trial
        else describe_trial(call, subscription, price, quantity),
        parent={
            "invoice_item_details": None,
            "subscription_item_details": {
                "invoice_item": None,
                "proration": False,
                "proration_details": {"credited_items": None},
                "subscription": subscription["id"],
                "subscription_item": item["id"],
            },
            "type": "subscription_item_details",
        },
        period={"end": period.end, "start": period.start},
        pricing=pricing_of(price, subscription["currency"]),
        quantity=quantity,
    )
    line["discounts"] = list(item["discounts"] or ())
    line["metadata"] = dict(subscription["metadata"])
    line["_tax_rates"] = [rate["id"] for rate in item["tax_rates"] or ()] or None
    line["_subscription_item"] = item["id"]
    return line


def stored(call: Call, price: JsonObject) -> JsonObject:
    """A price with its tiers and currencies, also when it was deleted meanwhile; an item shows it without them."""
    table = call.ledger.table(call.account, "price")
    found: JsonObject | None = table.objects.get(price["id"]) or table.deleted.get(price["id"])
    return found or price


def pricing_of(price: JsonObject, currency: str | None = None) -> JsonObject:
    """The `pricing` hash of a line or an invoice item."""
    return {
        "price_details": {"price": price["id"], "product": price["product"]},
        "type": "price_details",
        "unit_amount_decimal": terms(price, currency)["unit_amount_decimal"],
    }


def name_of(call: Call, product: str) -> str:
    """A product's name, also of a deleted one."""
    table = call.ledger.table(call.account, "product")
    found = table.objects.get(product) or table.deleted.get(product)
    return found["name"] if found else product


def describe(call: Call, price: JsonObject, quantity: int, currency: str) -> str:
    """`2 × Seed box (at $10.00 / month)`.

    Source: https://docs.stripe.com/billing/invoices/subscription
    """
    name = name_of(call, price["product"])
    recurring = price["recurring"]
    if recurring is None:
        return name
    every = recurring["interval"]
    if recurring["interval_count"] > 1:
        every = f"every {recurring['interval_count']} {every}s"
    if price["billing_scheme"] == "tiered":
        return f"{quantity} × {name} (Tier 1 at {_first_tier(call, price, currency)} / {every})"
    unit = terms(price, currency)["unit_amount_decimal"] or "0"
    transform = price["transform_quantity"]
    per = f" per {transform['divide_by']}" if transform else ""
    return f"{quantity} × {name} (at {money(unit, currency)}{per} / {every})"


def _first_tier(call: Call, price: JsonObject, currency: str) -> str:
    first = (terms(stored(call, price), currency)["tiers"] or [{}])[0]
    return money(first.get("unit_amount_decimal") or first.get("flat_amount_decimal") or "0", currency)


def describe_trial(call: Call, subscription: JsonObject, price: JsonObject, quantity: int) -> str:
    """The line of a trial, in the words of the subscription's billing mode."""
    name = name_of(call, price["product"])
    if subscription["billing_mode"]["type"] == "classic":
        return f"Trial period for {name}"
    return f"Free trial for {quantity} × {name}"


def money(amount: str, currency: str) -> str:
    """A decimal amount of minor units as lines show it: `$10.00`, `$0.0005`."""
    from decimal import Decimal

    places = currencies.decimals(currency)
    value = Decimal(amount).scaleb(-places)
    text = format(value, "f")
    whole, _, part = text.partition(".")
    part = part.rstrip("0").ljust(places, "0")
    number = f"{int(whole):,}" + (f".{part}" if part else "")
    symbol = currencies.SYMBOLS.get(currency)
    return f"{symbol}{number}" if symbol else f"{number} {currency.upper()}"
