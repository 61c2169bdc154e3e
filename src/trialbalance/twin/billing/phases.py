"""Phases of subscription schedules: read, put in a row, and turned into what a subscription is made or changed with.

Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing import items
from trialbalance.twin.billing.calendar import shift
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import prices
from trialbalance.twin.wire.call import Call
from trialbalance.twin.wire.validate import Params

LIMIT = 10
"""So many current and future phases a schedule can have."""
KEPT = (
    "application_fee_percent",
    "collection_method",
    "default_payment_method",
    "on_behalf_of",
)
PLAIN = ("automatic_tax", "billing_thresholds", "transfer_data")


def read(
    call: Call, given: list[Params], *, start: int, now: int, known: list[JsonObject] | None = None
) -> list[JsonObject]:
    """The phases that a schedule's `phases` mean; each begins where the one before it ends.

    Raises:
        InvalidRequest: no end, gaps, too many phases, a wrong item.
    """
    if not given:
        raise InvalidRequest("Missing required param: phases.", param="phases", code="parameter_missing")
    found: list[JsonObject] = []
    at = start
    anchor = start
    for position, params in enumerate(given):
        where = f"phases[{position}]"
        asked = params.get("start_date")
        begins = now if asked == "now" else int(asked) if asked is not None else at
        if found and begins != at:
            raise InvalidRequest(
                f"The start date of phase {position} must be the end date of the phase before it ({at}).",
                param=f"{where}[start_date]",
            )
        if not found:
            anchor = begins
        phase = _phase(call, params, begins, now=now, anchor=anchor, where=where)
        if phase["billing_cycle_anchor"] == "phase_start":
            anchor = begins
        found.append(phase)
        at = phase["end_date"]
    if len([phase for phase in found if phase["end_date"] > now]) > LIMIT:
        raise InvalidRequest(
            f"A schedule can have at most {LIMIT} current and future phases.", param="phases"
        )
    return found


def _phase(call: Call, params: Params, start: int, *, now: int, anchor: int, where: str) -> JsonObject:
    rows = [_item(call, item, f"{where}[items][{i}]") for i, item in enumerate(params.get("items") or [])]
    if not rows:
        raise InvalidRequest(
            f"Missing required param: {where}[items].", param=f"{where}[items]", code="parameter_missing"
        )
    first = call.get("price", rows[0]["price"])
    currency = params.get("currency") or first["currency"]
    phase: JsonObject = {
        "add_invoice_items": [
            _extra(call, item, f"{where}[add_invoice_items][{i}]")
            for i, item in enumerate(params.get("add_invoice_items") or [])
        ],
        "billing_cycle_anchor": params.get("billing_cycle_anchor"),
        "currency": currency,
        "default_tax_rates": _rates(call, params, f"{where}[default_tax_rates]"),
        "description": params.get("description") or None,
        "discounts": _discounts(call, params, where),
        "end_date": _end(call, params, start, first, now=now, anchor=anchor, where=where),
        "invoice_settings": params.plain("invoice_settings") or None,
        "items": rows,
        "metadata": params.plain("metadata") or {},
        "proration_behavior": params.get("proration_behavior", "create_prorations"),
        "start_date": start,
        "trial_end": _trial(params, where),
    }
    for name in KEPT:
        phase[name] = params.get(name)
    for name in PLAIN:
        phase[name] = params.plain(name) or None
    if phase["automatic_tax"]:
        phase["automatic_tax"] = {"disabled_reason": None, "liability": None, **phase["automatic_tax"]}
    if phase["transfer_data"]:
        phase["transfer_data"] = {"amount_percent": None, **phase["transfer_data"]}
    if phase["invoice_settings"] is not None:
        phase["invoice_settings"] = {
            "account_tax_ids": None,
            "custom_fields": None,
            "days_until_due": None,
            "description": None,
            "footer": None,
            "issuer": None,
            **phase["invoice_settings"],
        }
    if params.get("trial"):
        phase["trial_end"] = phase["end_date"]
    if phase["trial_end"] is not None and phase["trial_end"] > phase["end_date"]:
        raise InvalidRequest("The trial of a phase must end within the phase.", param=f"{where}[trial_end]")
    return {name: phase[name] for name in sorted(phase)}


def _trial(params: Params, where: str) -> int | None:
    end = params.get("trial_end")
    if end is not None and params.get("trial"):
        raise InvalidRequest(
            "You may only specify one of these parameters: trial, trial_end.", param=f"{where}[trial_end]"
        )
    return int(end) if end is not None else None


def _end(
    call: Call, params: Params, start: int, first: JsonObject, *, now: int, anchor: int, where: str
) -> int:
    """When a phase ends: a date, a duration, or one period of its first price."""
    end, duration = params.get("end_date"), params.get("duration")
    if end is not None and duration is not None:
        raise InvalidRequest(
            "You may only specify one of these parameters: duration, end_date.", param=f"{where}[duration]"
        )
    if end is not None:
        at = now if end == "now" else int(end)
        if at <= start:
            raise InvalidRequest(
                "The end date of a phase must be after its start date.", param=f"{where}[end_date]"
            )
        return at
    recurring = first["recurring"]
    interval = duration["interval"] if duration else recurring["interval"]
    count = duration.get("interval_count", 1) if duration else recurring["interval_count"]
    return shift(start, interval, count, day=_day(anchor, start))


def _day(anchor: int, start: int) -> int | None:
    """The day of the month to aim at, so that an anchor on the 31st comes back to the 31st.

    Source: https://docs.stripe.com/changelog/clover/2025-09-30/billing-cycle-anchor-resets-during-phase-computation
    """
    from datetime import UTC, datetime

    origin, moment = datetime.fromtimestamp(anchor, UTC), datetime.fromtimestamp(start, UTC)
    if origin.day > 28 and origin.day > moment.day >= 28 and origin.time() == moment.time():
        return origin.day
    return None


def _item(call: Call, params: Params, where: str) -> JsonObject:
    price = items.price_for(call, params, where)
    quantity = params.get("quantity")
    row: JsonObject = {
        "billing_thresholds": params.plain("billing_thresholds") or None,
        "discounts": _discounts(call, params, where),
        "metadata": params.plain("metadata") or {},
        "plan": price["id"],
        "price": price["id"],
        "tax_rates": _rates(call, params, f"{where}[tax_rates]"),
    }
    if price["recurring"]["usage_type"] == "licensed":
        row["quantity"] = 1 if quantity is None else quantity
    return {name: row[name] for name in sorted(row)}


def _extra(call: Call, params: Params, where: str) -> JsonObject:
    if params.get("price_data"):
        price = prices.inline(call, params["price_data"], path=f"{where}[price_data]", negative=True)
    else:
        price = call.get("price", params.get("price") or "", param=f"{where}[price]")
    if price["recurring"] is not None:
        raise InvalidRequest(
            "The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`.",
            param=f"{where}[price]",
        )
    return {
        "discountable": params.get("discountable"),
        "discounts": _discounts(call, params, where),
        "metadata": params.plain("metadata") or {},
        "period": params.plain("period")
        or {
            "end": {"timestamp": None, "type": "min_item_period_end"},
            "start": {"timestamp": None, "type": "phase_start"},
        },
        "price": price["id"],
        "quantity": params.get("quantity", 1),
        "tax_rates": _rates(call, params, f"{where}[tax_rates]"),
    }


def _rates(call: Call, params: Params, where: str) -> list[JsonObject]:
    name = where.rsplit("[", 1)[1].rstrip("]")
    return [
        call.get("tax_rate", rate, param=f"{where}[{i}]") for i, rate in enumerate(params.get(name) or ())
    ]


def _discounts(call: Call, params: Params, where: str) -> list[JsonObject]:
    found = []
    for position, entry in enumerate(params.get("discounts") or ()):
        sent = entry if isinstance(entry, dict) else {}
        at = f"{where}[discounts][{position}]"
        if entry.get("coupon"):
            call.get("coupon", entry["coupon"], param=f"{at}[coupon]")
        if entry.get("promotion_code"):
            call.get("promotion_code", entry["promotion_code"], param=f"{at}[promotion_code]")
        found.append({name: sent.get(name) for name in ("coupon", "discount", "promotion_code")})
    return found


def of_subscription(subscription: JsonObject) -> JsonObject:
    """The phase that a running subscription is in.

    Source: https://docs.stripe.com/api/subscription_schedules/create#create_subscription_schedule-from_subscription
    """
    data = subscription["items"]["data"]
    days = subscription["days_until_due"]
    phase: JsonObject = {
        "add_invoice_items": [],
        "application_fee_percent": subscription["application_fee_percent"],
        "automatic_tax": subscription["automatic_tax"],
        "billing_cycle_anchor": None,
        "billing_thresholds": subscription["billing_thresholds"],
        "collection_method": subscription["collection_method"],
        "currency": subscription["currency"],
        "default_payment_method": subscription["default_payment_method"],
        "default_tax_rates": subscription["default_tax_rates"],
        "description": subscription["description"],
        "discounts": [
            {"coupon": None, "discount": discount, "promotion_code": None}
            for discount in subscription["discounts"]
        ],
        "end_date": min(item["current_period_end"] for item in data),
        "invoice_settings": {**subscription["invoice_settings"], "days_until_due": days}
        if days is not None
        else None,
        "items": [_item_of(item) for item in data],
        "metadata": dict(subscription["metadata"]),
        "on_behalf_of": subscription["on_behalf_of"],
        "proration_behavior": "create_prorations",
        "start_date": max(item["current_period_start"] for item in data),
        "transfer_data": subscription["transfer_data"],
        "trial_end": subscription["trial_end"] if subscription["status"] == "trialing" else None,
    }
    return {name: phase[name] for name in sorted(phase)}


def _item_of(item: JsonObject) -> JsonObject:
    row: JsonObject = {
        "billing_thresholds": item["billing_thresholds"],
        "discounts": [
            {"coupon": None, "discount": discount, "promotion_code": None} for discount in item["discounts"]
        ],
        "metadata": dict(item["metadata"]),
        "plan": item["price"]["id"],
        "price": item["price"]["id"],
        "tax_rates": item["tax_rates"] or [],
    }
    if "quantity" in item:
        row["quantity"] = item["quantity"]
    return {name: row[name] for name in sorted(row)}


def as_params(value: Any) -> Any:
    """Plain JSON as parameters, as if a client had sent it; nulls are left out."""
    if isinstance(value, dict):
        return Params({name: as_params(item) for name, item in value.items() if item is not None})
    if isinstance(value, list):
        return [as_params(item) for item in value]
    return value


def item_params(row: JsonObject) -> JsonObject:
    """One item of a phase as a subscription's item parameter; a price of its own may be inactive."""
    given: JsonObject = {
        "_planned": True,
        "price": row["price"],
        "metadata": row["metadata"],
        "tax_rates": [rate["id"] for rate in row["tax_rates"]],
    }
    if "quantity" in row:
        given["quantity"] = row["quantity"]
    if row["discounts"]:
        given["discounts"] = row["discounts"]
    if row["billing_thresholds"]:
        given["billing_thresholds"] = row["billing_thresholds"]
    return given


def settings(schedule: JsonObject, phase: JsonObject) -> JsonObject:
    """What a phase and, below it, the schedule's defaults say about the subscription, as its parameters."""
    defaults = schedule["default_settings"]

    def of(name: str) -> Any:
        value = phase.get(name)
        return defaults.get(name) if value is None else value

    invoice = {**(defaults["invoice_settings"] or {}), **(phase["invoice_settings"] or {})}
    days = invoice.pop("days_until_due", None)
    given: JsonObject = {
        "collection_method": of("collection_method") or "charge_automatically",
        "description": of("description"),
        "default_payment_method": of("default_payment_method"),
        "on_behalf_of": of("on_behalf_of"),
        "application_fee_percent": of("application_fee_percent"),
        "transfer_data": of("transfer_data"),
        "billing_thresholds": of("billing_thresholds"),
        "default_tax_rates": [rate["id"] for rate in phase["default_tax_rates"] or ()],
        "metadata": phase["metadata"],
        "invoice_settings": {name: value for name, value in invoice.items() if value is not None},
    }
    if given["collection_method"] == "send_invoice":
        given["days_until_due"] = days if days is not None else 30
    tax = of("automatic_tax")
    if tax and tax["enabled"]:
        given["automatic_tax"] = {"enabled": True}
    return given
