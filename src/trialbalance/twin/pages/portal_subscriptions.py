"""What customers do with their subscriptions in the portal: switch, pause, cancel, stay, come back.

Chosen by us, where no page tells: a promotion code takes the place of the discounts that the subscription has; the
customer resumes, and a pause for a chosen time ends, with a payment (`resume_on_payment_success`).

Source: https://docs.stripe.com/customer-management
Source: https://docs.stripe.com/api/customer_portal/configurations/create
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing.calendar import shift
from trialbalance.twin.billing.pricing import amount_of
from trialbalance.twin.checkout import promotion
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.pages.portal_pages import (
    feature,
    fits_session,
    page,
    portal_endpoint,
    retention,
    session_of,
)
from trialbalance.twin.wire.call import Call, due
from trialbalance.twin.wire.inner import perform

ITEM: Any = {"hash": {"id": "str", "price": "str", "quantity": "int"}, "required": ["id"]}
DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
RESUME = "billing_portal.resume"
UPDATE = "POST /v1/subscriptions/{subscription_exposed_id}"


def _own(call: Call, customer: JsonObject) -> JsonObject:
    found = call.get("subscription", call.params["subscription"], param="subscription")
    session, _ = session_of(call)
    if found["customer"] != customer["id"] or not fits_session(session, found):
        raise NotFound("subscription", found["id"], param="subscription")
    return found


def _update(call: Call, found: JsonObject, params: JsonObject) -> JsonObject:
    return perform(call, UPDATE, params, subscription_exposed_id=found["id"])


@portal_endpoint("POST", "/cancel", subscription="str", feedback="str", feedback_option="str", comment="str")
def cancel(call: Call) -> JsonObject:
    """End a subscription, now or at the end of its period, as the configuration says.

    Source: https://docs.stripe.com/customer-management/cancellation-page
    """
    customer, rules = feature(call, "subscription_cancel")
    found = _own(call, customer)
    given = _reasons(call, rules["cancellation_reason"])
    if rules["mode"] == "at_period_end":
        _update(call, found, {"cancel_at_period_end": True, "cancellation_details": given or None})
    else:
        perform(
            call,
            "DELETE /v1/subscriptions/{subscription_exposed_id}",
            {
                "cancellation_details": given or None,
                "prorate": rules["proration_behavior"] != "none" or None,
            },
            subscription_exposed_id=found["id"],
        )
    return page(call)


def _reasons(call: Call, rules: JsonObject) -> JsonObject:
    """What the customer says about leaving, if the configuration asks."""
    names = ("comment", "feedback", "feedback_option")
    given = {name: call.params.get(name) for name in names if call.params.get(name)}
    if given and not rules["enabled"]:
        raise InvalidRequest("Reasons are not asked for here.", param=next(iter(given)))
    for name, offered in (("feedback", rules["options"]), ("feedback_option", rules["feedback_options"])):
        if name in given and given[name] not in (offered or ()):
            raise InvalidRequest("This reason is not offered here.", param=name)
    return given


@portal_endpoint("POST", "/stay", subscription="str")
def stay(call: Call) -> JsonObject:
    """Take the coupon that the flow offers to whoever stays.

    Source: https://docs.stripe.com/customer-management/portal-deep-links#retention-strategy
    """
    customer, _ = feature(call, "subscription_cancel")
    found = _own(call, customer)
    offer = retention(call)
    if offer is None:
        raise InvalidRequest("There is no offer here.", code="portal_feature_disabled")
    _update(call, found, {"discounts": [{"coupon": offer["id"]}]})
    return page(call)


@portal_endpoint("POST", "/renew", subscription="str")
def renew(call: Call) -> JsonObject:
    """Take a planned cancellation back."""
    customer, _ = feature(call, "subscription_cancel")
    _update(call, _own(call, customer), {"cancel_at_period_end": False})
    return page(call)


@portal_endpoint("POST", "/pause", subscription="str", interval="str", interval_count="int")
def pause(call: Call) -> JsonObject:
    """Pause a subscription, without an end or for one of the times that the configuration offers.

    Source: https://docs.stripe.com/api/subscriptions/pause
    """
    customer, rules = feature(call, "subscription_pause")
    found = _own(call, customer)
    interval, count = call.params.get("interval"), call.params.get("interval_count")
    resumes = None
    if rules["duration"]["type"] == "interval_options":
        asked = {"interval": interval, "interval_count": count}
        if asked not in rules["duration"]["interval_options"]:
            raise InvalidRequest("This duration is not offered here.", param="interval")
        resumes = shift(call.now_of(found), str(interval), int(count or 1))
    elif interval or count:
        raise InvalidRequest("The pause has no end here.", param="interval")
    perform(call, "POST /v1/subscriptions/{subscription}/pause", {}, subscription=found["id"])
    call.edit("subscription", found["id"])["_resumes_at"] = resumes
    if resumes is not None:
        call.schedule(resumes, RESUME, found["id"], timeline=call.clock_of(found), until=resumes)
    return page(call)


@portal_endpoint("POST", "/resume", subscription="str")
def resume(call: Call) -> JsonObject:
    """End a pause that the customer asked for.

    Source: https://docs.stripe.com/api/subscriptions/resume
    """
    customer, _ = feature(call, "subscription_pause")
    found = _own(call, customer)
    reason = ((found.get("status_details") or {}).get("paused") or {}).get("subscription") or {}
    if reason.get("type") != "pause_requested":
        raise InvalidRequest("This subscription cannot be resumed here.", param="subscription")
    _resume(call, found)
    return page(call)


def _resume(call: Call, found: JsonObject) -> None:
    perform(
        call,
        "POST /v1/subscriptions/{subscription}/resume",
        {"payment_behavior": "resume_on_payment_success"},
        subscription=found["id"],
    )
    call.edit("subscription", found["id"])["_resumes_at"] = None


@due(RESUME)
def _resume_in_time(call: Call, target: str, arguments: JsonObject) -> None:
    """The time that the customer chose is over."""
    found = call.find("subscription", target)
    if found is not None and found["status"] == "paused" and found.get("_resumes_at") == arguments["until"]:
        _resume(call, found)


@portal_endpoint("POST", "/preview", subscription="str", items={"array": ITEM}, promotion_code="str")
def preview(call: Call) -> JsonObject:
    """What a switch would cost: today, and from the next period on; or when it will begin."""
    customer, rules = feature(call, "subscription_update")
    found = _own(call, customer)
    change = _change(call, rules, found)
    if _is_put_off(call, rules, change["items"]):
        return _later(call, found, change["items"])
    discounts = change.pop("discounts", None)
    made = perform(
        call,
        "POST /v1/invoices/create_preview",
        {
            "customer": customer["id"],
            "discounts": discounts,
            "subscription": found["id"],
            "subscription_details": change,
        },
    )
    lines = made["lines"]["data"]
    return {
        "object": "portal_preview",
        "amount_due": made["amount_due"],
        "changes_at": None,
        "currency": made["currency"],
        "lines": [{name: line[name] for name in ("amount", "description")} for line in lines],
        "period_end": made["period_end"],
        "total": made["total"],
    }


def _later(call: Call, found: JsonObject, items: list[JsonObject]) -> JsonObject:
    """The preview of a change at the end of the period: nothing today, whole periods from then on."""
    lines = []
    for row in items:
        held = call.get("subscription_item", row["id"])
        price = call.get("price", row.get("price") or _price_of(call, held)["id"])
        quantity = row.get("quantity") or held.get("quantity") or 1
        product = call.find("product", price["product"]) or {"name": ""}
        amount = amount_of(price, quantity, currency=found["currency"])
        lines.append({"amount": amount, "description": f"{quantity} × {product['name']}"})
    return {
        "object": "portal_preview",
        "amount_due": 0,
        "changes_at": _period_end(call, found),
        "currency": found["currency"],
        "lines": lines,
        "period_end": _period_end(call, found),
        "total": sum(line["amount"] for line in lines),
    }


def _period_end(call: Call, found: JsonObject) -> int:
    ends = (call.get("subscription_item", name)["current_period_end"] for name in found["_items"])
    return int(max(ends))


def _change(call: Call, rules: JsonObject, found: JsonObject) -> JsonObject:
    """The parameters of a switch, as far as the configuration allows it."""
    change: JsonObject = {
        "items": _items(call, rules, found),
        "proration_behavior": rules["proration_behavior"],
    }
    if found["status"] == "trialing" and rules["trial_update_behavior"] == "end_trial":
        change["trial_end"] = "now"
    elif rules["billing_cycle_anchor"] == "now":
        change["billing_cycle_anchor"] = {"type": "now"}
    discounts = _discounts(call, rules, found)
    if discounts:
        change["discounts"] = discounts
    return change


def _discounts(call: Call, rules: JsonObject, found: JsonObject) -> list[JsonObject]:
    """The code that the customer entered, or what the flow gives to whoever confirms."""
    code = call.params.get("promotion_code")
    if not code:
        session, _ = session_of(call)
        flow = (session["flow"] or {}).get("subscription_update_confirm") or {}
        if flow.get("subscription") != found["id"]:
            return []
        return [
            {name: entry[name] for name in ("coupon", "promotion_code") if entry[name]}
            for entry in flow["discounts"] or ()
        ]
    if "promotion_code" not in rules["default_allowed_updates"]:
        raise InvalidRequest("Promotion codes cannot be used here.", param="promotion_code")
    return [{"promotion_code": promotion.by_code(call, code, found["customer"])["id"]}]


def _price_of(call: Call, item: JsonObject) -> JsonObject:
    return item["price"] if isinstance(item["price"], dict) else call.get("price", item["price"])


def _items(call: Call, rules: JsonObject, found: JsonObject) -> list[JsonObject]:
    """The asked items, if the configuration allows them."""
    if len(found["_items"]) > 1:
        raise InvalidRequest("Subscriptions with several items cannot be updated here.", param="items")
    allowed = {name: row for row in rules["products"] or () for name in row["prices"]}
    items = []
    for position, row in enumerate(call.params.plain("items")):
        path = f"items[{position}]"
        if row["id"] not in found["_items"]:
            raise NotFound("subscription_item", row["id"], param=f"{path}[id]")
        held = call.get("subscription_item", row["id"])
        before = _price_of(call, held)
        if row.get("price") is not None and row["price"] not in allowed:
            raise InvalidRequest("This price is not offered here.", param=f"{path}[price]")
        if row.get("price") not in (None, before["id"]) and "price" not in rules["default_allowed_updates"]:
            raise InvalidRequest("The plan cannot be changed here.", param=f"{path}[price]")
        if row.get("quantity") not in (None, held.get("quantity")):
            price = row.get("price") or before["id"]
            _check_quantity(allowed.get(price), rules, row["quantity"], f"{path}[quantity]")
        kept = {"quantity": held["quantity"]} if "quantity" in held else {}
        items.append({**kept, **{name: value for name, value in row.items() if value is not None}})
    return items


def _check_quantity(product: JsonObject | None, rules: JsonObject, quantity: int, path: str) -> None:
    """Within what the configuration says of the product.

    Source: https://docs.stripe.com/api/customer_portal/configurations/create
    """
    if "quantity" not in rules["default_allowed_updates"]:
        raise InvalidRequest("The quantity cannot be changed here.", param=path)
    limits = (product or {}).get("adjustable_quantity") or {}
    least, most = max(limits.get("minimum") or 1, 1), limits.get("maximum")
    if quantity < least or (limits.get("enabled") and most is not None and quantity > most):
        bound = f"between {least} and {most}" if most is not None else f"at least {least}"
        raise InvalidRequest(f"The quantity must be {bound}.", param=path)


def _is_put_off(call: Call, rules: JsonObject, items: list[JsonObject]) -> bool:
    """Whether the configuration puts a change off to the end of the period.

    Source: https://docs.stripe.com/api/customer_portal/configurations/create
    """
    conditions = {row["type"] for row in rules["schedule_at_period_end"]["conditions"] or ()}
    for row in items if conditions else ():
        item = call.get("subscription_item", row["id"])
        held = _price_of(call, item)
        wanted = call.get("price", row["price"]) if row.get("price") else held
        before = amount_of(held, item.get("quantity") or 1)
        after = amount_of(wanted, row.get("quantity") or item.get("quantity") or 1)
        if "decreasing_item_amount" in conditions and after < before:
            return True
        if "shortening_interval" in conditions and _length(wanted) < _length(held):
            return True
    return False


def _length(price: JsonObject) -> int:
    rule = price["recurring"]
    return DAYS[rule["interval"]] * int(rule["interval_count"])


@portal_endpoint("POST", "/switch", subscription="str", items={"array": ITEM}, promotion_code="str")
def switch(call: Call) -> JsonObject:
    """Move to another price or quantity: now, or at the end of the period where the configuration says so.

    Source: https://docs.stripe.com/customer-management/configure-portal
    """
    customer, rules = feature(call, "subscription_update")
    found = _own(call, customer)
    change = _change(call, rules, found)
    if found["schedule"]:
        perform(
            call,
            "POST /v1/subscription_schedules/{schedule}/release",
            schedule=found["schedule"],
        )
    if _is_put_off(call, rules, change["items"]):
        _put_off(call, found, change)
        return page(call)
    if change["proration_behavior"] == "always_invoice":
        change["payment_behavior"] = "error_if_incomplete"
    _update(call, found, change)
    return page(call)


def _put_off(call: Call, found: JsonObject, change: JsonObject) -> None:
    """A schedule that makes the change when the period is over, and lets go of the subscription then.

    Source: https://docs.stripe.com/billing/subscriptions/subscription-schedules
    """
    schedule = perform(call, "POST /v1/subscription_schedules", {"from_subscription": found["id"]})
    (row,) = change["items"]
    held = call.get("subscription_item", row["id"])
    price = _price_of(call, held)
    quantity = {"quantity": held["quantity"]} if held.get("quantity") is not None else {}
    wanted = call.get("price", row.get("price") or price["id"])
    later: JsonObject = {"price": wanted["id"]}
    if row.get("quantity") is not None:
        later["quantity"] = row["quantity"]
    now, rule = schedule["phases"][0], wanted["recurring"]
    trial = {"trial_end": found["trial_end"]} if found["status"] == "trialing" else {}
    discounts = {"discounts": change["discounts"]} if "discounts" in change else {}
    perform(
        call,
        "POST /v1/subscription_schedules/{schedule}",
        {
            "end_behavior": "release",
            "phases": [
                {
                    "items": [{"price": price["id"], **quantity}],
                    "start_date": now["start_date"],
                    "end_date": _period_end(call, found),
                    **trial,
                },
                {
                    "duration": {"interval": rule["interval"], "interval_count": rule["interval_count"]},
                    **discounts,
                    "items": [later],
                    "proration_behavior": "none",
                },
            ],
        },
        schedule=schedule["id"],
    )
