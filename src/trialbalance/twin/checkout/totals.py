"""Amounts of a session: lines, discounts, shipping and taxes, refreshed whenever one of them changes.

Source: https://docs.stripe.com/api/checkout/sessions/object#checkout_session_object-total_details
"""

from __future__ import annotations

from trialbalance.twin.billing.calendar import period_at
from trialbalance.twin.billing.discounts import CouponCurrency, Discount, of_coupon
from trialbalance.twin.billing.pricing import Line, PricedLine, Totals, amount_of, total_lines
from trialbalance.twin.billing.proration import prorate
from trialbalance.twin.billing.tax import Rate, of_tax_rate
from trialbalance.twin.checkout import autotax, lines
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import subscription_fields
from trialbalance.twin.wire.call import Call
from trialbalance.twin.wire.validate import Params


def refresh(call: Call, session: JsonObject) -> None:
    """Compute a session's amounts anew and write them into it and its lines (both private copies)."""
    if session["mode"] == "setup":
        return
    autotax.refresh(call, session)
    items = lines.all_of_session(call, session)
    currency = session["currency"]
    shown = [item for item in items if item["quantity"] != 0]
    first = first_period(call, session, shown)
    stored = [
        Line(
            amount=first.get(item["id"], 0)
            if lines.recurring(item["price"])
            else _amount(call, item, currency),
            product=item["price"]["product"],
            rates=_rates(call, item, session),
        )
        for item in shown
    ]
    discounts = applied(call, session)
    exempt = (session["customer_details"] or {}).get("tax_exempt")
    totals = total_lines(stored, discounts, exempt=exempt)
    for item, line in zip(shown, totals.lines, strict=True):
        _write(call, item["id"], line, currency)
    for item in items:
        if item["quantity"] == 0:
            _write(call, item["id"], PricedLine(0, (), (), ()), currency)
    shipping = _shipping(call, session, exempt)
    session["amount_subtotal"] = totals.amount
    session["amount_total"] = totals.total + (shipping.total if shipping else 0)
    session["total_details"] = {
        "amount_discount": totals.discount,
        "amount_shipping": shipping.amount if shipping else 0,
        "amount_tax": totals.tax + totals.inclusive_tax + (_tax(shipping) if shipping else 0),
    }
    session["_breakdown"] = _breakdown(session, totals, shipping)


def first_period(call: Call, session: JsonObject, items: list[JsonObject]) -> dict[str, int]:
    """What the recurring lines cost on the first invoice: nothing in a trial, a part up to a later anchor.

    Source: https://docs.stripe.com/payments/checkout/billing-cycle
    """
    recurring = [item for item in items if lines.recurring(item["price"])]
    if trial_days(session) is not None:
        return {}
    data = session.get("_subscription_data") or {}
    anchor = anchor_of(call, session)
    if anchor is None:
        return {item["id"]: _amount(call, item, session["currency"]) for item in recurring}
    if data.get("proration_behavior") == "none":
        return {}
    found = {}
    for item in recurring:
        whole = _amount(call, item, session["currency"])
        rule = item["price"]["recurring"]
        period = period_at(anchor, rule["interval"], rule["interval_count"], call.now)
        found[item["id"]] = prorate(whole, period, call.now)
    return found


def anchor_of(call: Call, session: JsonObject) -> int | None:
    """The billing cycle anchor that was asked for, as a second or by its day of the month."""
    data = session.get("_subscription_data") or {}
    if data.get("billing_cycle_anchor_config"):
        return subscription_fields.anchor_from_config(Params(data["billing_cycle_anchor_config"]), call.now)
    anchor = data.get("billing_cycle_anchor")
    return int(anchor) if anchor is not None else None


def renewal(call: Call, session: JsonObject, price: JsonObject) -> int | None:
    """When the first whole period of a recurring price begins, where an anchor puts it off; else None."""
    anchor = anchor_of(call, session)
    if anchor is None or trial_days(session) is not None:
        return None
    rule = price["recurring"]
    return period_at(anchor, rule["interval"], rule["interval_count"], call.now).end


def next_period(call: Call, session: JsonObject) -> JsonObject:
    """What a whole period of the recurring lines will cost, with the discounts that last beyond the first invoice."""
    items = [item for item in lines.of_session(call, session) if lines.recurring(item["price"])]
    stored = [
        Line(
            amount=_amount(call, item, session["currency"]),
            product=item["price"]["product"],
            rates=_rates(call, item, session),
        )
        for item in items
    ]
    lasting = [
        found
        for entry, found in zip(session.get("_discounts") or (), applied(call, session), strict=True)
        if call.get("coupon", entry["coupon"])["duration"] != "once"
    ]
    exempt = (session["customer_details"] or {}).get("tax_exempt")
    found = total_lines(stored, lasting, exempt=exempt)
    return {
        "discount": found.discount,
        "subtotal": found.amount,
        "tax_exclusive": found.tax,
        "tax_inclusive": found.inclusive_tax,
        "total": found.total,
    }


def trial_days(session: JsonObject) -> int | None:
    """Whole days of trial that a subscription session grants, or None; `trial_end` counts as one."""
    data = session.get("_subscription_data") or {}
    if data.get("trial_end"):
        return max(1, int(data["trial_end"] - session["created"]) // 86_400)
    days = data.get("trial_period_days")
    return days if isinstance(days, int) and days > 0 else None


def applied(call: Call, session: JsonObject) -> list[Discount]:
    """The session's discounts as values.

    Raises:
        InvalidRequest: an amount-off coupon of another currency.
    """
    found = []
    for entry in session.get("_discounts") or ():
        coupon = call.get("coupon", entry["coupon"], param="discounts[0][coupon]")
        try:
            found.append(of_coupon(coupon, session["currency"], id=entry["id"]))
        except CouponCurrency:
            raise InvalidRequest(
                f"The coupon `{coupon['id']}` cannot be used with the currency `{session['currency']}`.",
                param="discounts[0][coupon]",
            ) from None
    return found


def _amount(call: Call, item: JsonObject, currency: str) -> int:
    price = item["price"]
    if lines.metered(price):
        return 0
    stored = call.find("price", price["id"]) or price
    return amount_of(stored, item["quantity"], currency=currency, chosen=item.get("_chosen_amount"))


def _rates(call: Call, item: JsonObject, session: JsonObject) -> tuple[Rate, ...]:
    return tuple(
        of_tax_rate(call.get("tax_rate", name, param="tax_rates")) for name in rates_of(call, item, session)
    )


def rates_of(call: Call, item: JsonObject, session: JsonObject) -> list[str]:
    """The tax rates on a line: by automatic tax, its own, or the subscription's."""
    if session["automatic_tax"]["enabled"]:
        return autotax.rates_for(call, session, item["price"])
    names = list(item["_tax_rates"])
    if not names and lines.recurring(item["price"]):
        names = list((session.get("_subscription_data") or {}).get("default_tax_rates") or ())
    return names


def _tax(line: PricedLine) -> int:
    return line.tax + line.inclusive_tax


def _write(call: Call, identifier: str, line: PricedLine, currency: str) -> None:
    item = call.edit("item", identifier)
    item["currency"] = currency
    item["amount_subtotal"] = line.amount
    item["amount_discount"] = sum(d.amount for d in line.deductions)
    item["amount_tax"] = _tax(line)
    item["amount_total"] = line.total
    item["_discounts"] = [[d.discount, d.amount] for d in line.deductions]
    item["_taxes"] = [[t.rate, t.amount, t.taxable, t.reason] for t in line.taxes]


def _shipping(call: Call, session: JsonObject, exempt: str | None) -> PricedLine | None:
    chosen = session.get("_shipping_rate")
    if chosen is None:
        session["shipping_cost"] = None
        return None
    rate = call.get("shipping_rate", chosen, param="shipping_options")
    amount = amount_of_rate(rate, session["currency"])
    names = autotax.rates_for_shipping(call, session, rate) if session["automatic_tax"]["enabled"] else []
    rates = tuple(of_tax_rate(call.get("tax_rate", name)) for name in names)
    line = total_lines([Line(amount=amount, rates=rates)], exempt=exempt).lines[0]
    session["shipping_cost"] = {
        "amount_subtotal": line.amount,
        "amount_tax": _tax(line),
        "amount_total": line.total,
        "shipping_rate": chosen,
    }
    return line


def amount_of_rate(rate: JsonObject, currency: str) -> int:
    """What a shipping rate costs in a currency.

    Raises:
        InvalidRequest: the rate has no amount in it.
    """
    fixed = rate.get("fixed_amount") or {}
    if fixed.get("currency") == currency:
        return int(fixed["amount"])
    options = fixed.get("currency_options") or rate.get("_currency_options") or {}
    if currency in options:
        return int(options[currency]["amount"])
    raise InvalidRequest(
        f"The shipping rate `{rate['id']}` does not support the currency `{currency}`.",
        param="shipping_options",
    )


def _breakdown(session: JsonObject, totals: Totals, shipping: PricedLine | None) -> JsonObject:
    taxes = {name: tax.amount for name, tax in totals.by_rate().items()}
    taxable = {name: tax.taxable for name, tax in totals.by_rate().items()}
    reasons = {name: tax.reason for name, tax in totals.by_rate().items()}
    for tax in shipping.taxes if shipping else ():
        taxes[tax.rate] = taxes.get(tax.rate, 0) + tax.amount
        taxable[tax.rate] = taxable.get(tax.rate, 0) + tax.taxable
        reasons.setdefault(tax.rate, tax.reason)
    return {
        "discounts": [[name, amount] for name, amount in totals.by_discount().items()],
        "taxes": [[name, amount, taxable[name], reasons[name]] for name, amount in taxes.items()],
    }
