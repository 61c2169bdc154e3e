"""What a client says about a subscription, checked and written into it; shared by create, update, previews, schedules.

Source: https://docs.stripe.com/api/subscriptions/create
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from trialbalance.twin.billing import discounting, items, updating
from trialbalance.twin.billing.calendar import shift
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import invoice_items, payment_methods, prices
from trialbalance.twin.wire.call import Call
from trialbalance.twin.wire.validate import Params

KIND = "subscription"


def describe(call: Call, subscription: JsonObject, params: Params) -> None:
    """The fields that are simply kept."""
    for name in ("description", "on_behalf_of", "application_fee_percent", "default_source"):
        if name in params:
            value = params[name]
            subscription[name] = None if value == "" else value
    if "default_payment_method" in params:
        given = params["default_payment_method"]
        if given:
            method = payment_methods.resolve(call, given, param="default_payment_method")
            owner = method["customer"]
            if owner != subscription["customer"]:
                raise InvalidRequest(
                    f"The customer does not have a payment method with the ID {given}. The payment method must be "
                    "attached to the customer.",
                    param="default_payment_method",
                    code="resource_missing",
                )
            given = method["id"]
        subscription["default_payment_method"] = given or None
    if "default_tax_rates" in params:
        subscription["default_tax_rates"] = tax_rates(call, params["default_tax_rates"], "default_tax_rates")
    if "days_until_due" in params:
        subscription["days_until_due"] = params["days_until_due"]
    for name in ("transfer_data", "billing_thresholds", "pending_invoice_item_interval"):
        if name in params:
            value = params.plain(name) or None
            if name == "pending_invoice_item_interval" and value:
                value = {"interval": value["interval"], "interval_count": value.get("interval_count", 1)}
            if name == "billing_thresholds" and value:
                value = {
                    "amount_gte": value.get("amount_gte"),
                    "reset_billing_cycle_anchor": value.get("reset_billing_cycle_anchor"),
                }
            if name == "transfer_data" and value:
                value = {"amount_percent": value.get("amount_percent"), "destination": value["destination"]}
            subscription[name] = value
    if params.get("automatic_tax"):
        tax = params["automatic_tax"]
        subscription["automatic_tax"] = {
            "disabled_reason": None,
            "enabled": tax["enabled"],
            "liability": (tax.plain("liability") or {"type": "self"}) if tax["enabled"] else None,
        }
        tax.ignore("liability")
    if params.get("invoice_settings"):
        given = params.plain("invoice_settings")
        settings = {**subscription["invoice_settings"]}
        for name, value in given.items():
            settings[name] = value or None
        subscription["invoice_settings"] = settings
    if params.get("payment_settings"):
        given = params.plain("payment_settings")
        subscription["payment_settings"] = {
            **subscription["payment_settings"],
            **{name: value or None for name, value in given.items()},
        }
    if params.get("trial_settings"):
        behavior = params["trial_settings"]["end_behavior"]
        subscription["trial_settings"] = {
            "end_behavior": {
                "billing_cycle_anchor": behavior.get("billing_cycle_anchor", "now"),
                "missing_payment_method": behavior.get(
                    "missing_payment_method",
                    subscription["trial_settings"]["end_behavior"]["missing_payment_method"],
                ),
            }
        }
    call.merge_metadata(subscription, params)


def check_collection(method: str, params: Params, days: int | None) -> None:
    """`days_until_due` belongs to `send_invoice`."""
    if method == "charge_automatically" and params.get("days_until_due") is not None:
        raise InvalidRequest(
            "You can only specify 'days_until_due' if invoice collection method is 'send_invoice'."
        )
    if method == "send_invoice" and days is None:
        raise InvalidRequest(
            "If invoice collection method is 'send_invoice', you must specify 'days_until_due'."
        )


def tax_rates(call: Call, given: Any, path: str) -> list[JsonObject]:
    """The tax rate objects of a list of ids."""
    return [call.get("tax_rate", name, param=f"{path}[{i}]") for i, name in enumerate(given or ())]


def future(call: Call, at: int, now: int, path: str) -> int:
    """Refuse a time that has passed, or that lies more than five years ahead."""
    if at <= now:
        raise InvalidRequest(
            f"The parameter `{path}` expects a unix timestamp representing a date and time in the future. You "
            f"specified the value `{at}` which is in the past.",
            param=path,
        )
    if at > shift(now, "year", 5):
        raise InvalidRequest("Invalid timestamp: can be no more than five years in the future.", param=path)
    return at


def trial_end(call: Call, params: Params, prices_of: list[JsonObject], now: int) -> int | None:
    """When a new subscription's trial ends: `trial_end`, `trial_period_days` or the plan's own days."""
    end, days = params.get("trial_end"), params.get("trial_period_days")
    if params.get("trial_from_plan"):
        if end is not None or days is not None:
            raise InvalidRequest(
                "You cannot set `trial_end` or `trial_period_days` when `trial_from_plan=true`."
            )
        found = [p["recurring"]["trial_period_days"] or 0 for p in prices_of]
        days = max(found, default=0)
    if end is not None and days is not None:
        raise InvalidRequest(
            "You may only specify one of these parameters: trial_end, trial_period_days.", param="trial_end"
        )
    if end == "now" or (end is None and not days):
        return None
    if end is not None:
        return future(call, int(end), now, "trial_end")
    if days > 730:
        raise InvalidRequest(
            "Trial periods cannot be longer than 730 days (two years).", param="trial_period_days"
        )
    return now + int(days) * 86_400


def anchor_from_config(config: Params, now: int, *, months: int = 1) -> int:
    """The second that a `billing_cycle_anchor_config` describes, for a cycle of so many months.

    A month may be too short for the day: the cycle then begins on its last day, and the anchor lies in the first
    month of the cycle that is long enough.

    Source: https://docs.stripe.com/billing/subscriptions/billing-cycle#setting-up-billing-cycle-anchor-dates
    """
    day = config["day_of_month"]
    first = _next_day(config, now)
    found = first
    for number in range(1, LONGEST_SEARCH):
        if datetime.fromtimestamp(found, UTC).day == day:
            return found
        found = shift(first, "month", months * number, day=day)
    return first


LONGEST_SEARCH = 100
"""So many cycles ahead a month that is long enough is looked for: 8 years of months hold every leap day."""


def _next_day(config: Params, now: int) -> int:
    from calendar import monthrange

    moment = datetime.fromtimestamp(now, UTC)
    day, month = config["day_of_month"], config.get("month")
    hour = config.get("hour", moment.hour)
    minute = config.get("minute", 0 if config.get("hour") is not None else moment.minute)
    second = config.get(
        "second", 0 if config.get("minute") is not None or config.get("hour") is not None else moment.second
    )
    if not 1 <= day <= 31 or (month is not None and not 1 <= month <= 12):
        raise InvalidRequest(
            "The day of the month must be 1 to 31 and the month 1 to 12.", param="billing_cycle_anchor_config"
        )
    year, at_month = moment.year, month or moment.month
    while True:
        last = monthrange(year, at_month)[1]
        found = datetime(year, at_month, min(day, last), hour, minute, second, tzinfo=UTC)
        if int(found.timestamp()) > now:
            return int(found.timestamp())
        if month is not None:
            year += 1
        else:
            year, at_month = (year + 1, 1) if at_month == 12 else (year, at_month + 1)


def item_change(
    call: Call,
    params: Params,
    path: str,
    *,
    customer: str,
    currency: str | None,
    now: int,
    known: JsonObject | None = None,
) -> updating.ItemChange:
    """What one element of `items` means, with its price looked up."""
    change = updating.ItemChange()
    if known is not None:
        change["id"] = known["id"]
    if params.get("deleted"):
        if known is None:
            raise InvalidRequest("An item that is deleted needs an `id`.", param=items.under(path, "id"))
        change["deleted"] = True
        change["clear_usage"] = bool(params.get("clear_usage"))
        params.ignore("price", "plan", "quantity")
        return change
    params.ignore("clear_usage")
    if params.get("price") or params.get("plan") or params.get("price_data"):
        price = items.price_for(call, params, path)
        if currency is not None:
            items.check_currency(price, currency, path)
        change["price"] = price["id"]
        if price["recurring"]["usage_type"] == "metered" and params.get("quantity") is not None:
            raise InvalidRequest(
                "You cannot set the quantity for a metered plan.", param=items.under(path, "quantity")
            )
    elif known is None:
        raise InvalidRequest(
            f"Missing required param: {items.under(path, 'price')}.",
            param=items.under(path, "price"),
            code="parameter_missing",
        )
    if params.get("quantity") is not None:
        if params["quantity"] < 0:
            raise InvalidRequest(
                f"This value must be greater than or equal to 0 (it currently is '{params['quantity']}').",
                param=items.under(path, "quantity"),
            )
        change["quantity"] = params["quantity"]
    elif known is not None and change.get("price", known["price"]["id"]) != known["price"]["id"]:
        _reset_quantity(call, known, change)
    if "metadata" in params:
        holder: JsonObject = {"metadata": (known or {}).get("metadata") or {}}
        call.merge_metadata(holder, params)
        change["metadata"] = holder["metadata"]
    if "tax_rates" in params:
        change["tax_rates"] = tax_rates(call, params["tax_rates"], items.under(path, "tax_rates"))
    if "discounts" in params:
        change["discounts"] = discounting.apply(
            call,
            params["discounts"],
            path=items.under(path, "discounts"),
            currency=currency,
            customer=customer,
            now=now,
            known=(known or {}).get("discounts") or (),
            subscription_item=known["id"] if known else None,
        )
    if "billing_thresholds" in params:
        change["billing_thresholds"] = params.plain("billing_thresholds") or None
    return change


def _reset_quantity(call: Call, known: JsonObject, change: updating.ItemChange) -> None:
    """Another price puts the quantity back to 1 unless it is sent along.

    Source: https://docs.stripe.com/billing/subscriptions/change-price#update-subscription
    """
    price = call.get("price", change["price"])
    if price["recurring"]["usage_type"] == "licensed" and known.get("quantity") not in (None, 1):
        change["quantity"] = 1


def item_changes(
    call: Call, given: list[Params], subscription: JsonObject, *, now: int, path: str = "items"
) -> list[updating.ItemChange]:
    """The changes that an update's `items` mean.

    Raises:
        NotFound: an item that is not the subscription's.
    """
    found = []
    for position, params in enumerate(given):
        where = f"{path}[{position}]"
        known = None
        if params.get("id"):
            identifier = params["id"]
            if identifier not in subscription["_items"]:
                error = NotFound("subscription_item", identifier, param=f"{where}[id]")
                error.message = f"No such subscription_item: '{identifier}'"
                raise error
            known = call.get("subscription_item", identifier)
        found.append(
            item_change(
                call,
                params,
                where,
                customer=subscription["customer"],
                currency=subscription["currency"],
                now=now,
                known=known,
            )
        )
    return found


def extra_items(call: Call, params: Params, subscription: JsonObject, *, now: int) -> tuple[JsonObject, ...]:
    """The one-time items of `add_invoice_items`, stored but not waiting.

    Source: https://docs.stripe.com/billing/invoices/subscription#first-invoice-extra
    """
    given = params.get("add_invoice_items") or []
    if len(given) > 20:
        raise InvalidRequest("You may pass up to 20 items.", param="add_invoice_items")
    customer = call.get("customer", subscription["customer"])
    made = []
    for position, item in enumerate(given):
        where = f"add_invoice_items[{position}]"
        found = one_time(call, item, subscription["currency"], where)
        period = _extra_period(item, subscription, now)
        stored = invoice_items.make(
            call,
            customer,
            amount=found["amount"],
            currency=subscription["currency"],
            pricing=found["pricing"],
            quantity=found["quantity"],
            description=found["description"],
            period=period,
            discountable=item.get("discountable"),
            subscription=subscription["id"],
            waits=False,
        )
        if "tax_rates" in item:
            stored["tax_rates"] = tax_rates(call, item["tax_rates"], f"{where}[tax_rates]")
        if "discounts" in item:
            stored["discounts"] = discounting.apply(
                call,
                item["discounts"],
                path=f"{where}[discounts]",
                currency=subscription["currency"],
                customer=customer["id"],
                now=now,
                invoice_item=stored["id"],
            )
        call.merge_metadata(stored, item)
        call.emit("invoiceitem.created", stored)
        made.append(stored)
    return tuple(made)


def one_time(call: Call, item: Params, currency: str, where: str) -> JsonObject:
    """Amount, pricing, quantity and words of a one-time price in `add_invoice_items`."""
    from trialbalance.twin.billing.lines import name_of, pricing_of
    from trialbalance.twin.billing.pricing import amount_of

    if item.get("price_data"):
        price = prices.inline(call, item["price_data"], path=f"{where}[price_data]", negative=True)
    else:
        if not item.get("price"):
            raise InvalidRequest(
                f"Missing required param: {where}[price].", param=f"{where}[price]", code="parameter_missing"
            )
        price = call.get("price", item["price"], param=f"{where}[price]")
    if price["recurring"] is not None:
        raise InvalidRequest(
            "The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`.",
            param=f"{where}[price]",
        )
    items.check_currency(price, currency, where)
    quantity = item.get("quantity", 1)
    return {
        "amount": amount_of(price, quantity, currency=currency),
        "pricing": pricing_of(price, currency),
        "quantity": quantity,
        "description": name_of(call, price["product"]),
    }


def _extra_period(item: Params, subscription: JsonObject, now: int) -> JsonObject:
    given = item.get("period")
    if given is None:
        return {"end": now, "start": now}
    ends = [i["current_period_end"] for i in subscription["items"]["data"]] or [now]
    starts = [i["current_period_start"] for i in subscription["items"]["data"]] or [now]
    start, end = given["start"], given["end"]
    first = {"now": now, "max_item_period_start": max(starts), "phase_start": now}.get(start["type"])
    last = {"min_item_period_end": min(ends), "phase_end": min(ends)}.get(end["type"])
    return {
        "end": last if last is not None else end["timestamp"],
        "start": first if first is not None else start["timestamp"],
    }
