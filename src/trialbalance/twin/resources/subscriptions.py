"""Subscriptions: make and read. How they change is in `subscription_changes`, how they are found in `subscription_lists`.

Source: https://docs.stripe.com/api/subscriptions
"""

from __future__ import annotations

from trialbalance.twin import currencies
from trialbalance.twin.billing import (
    auto_tax,
    combining,
    discounting,
    intervals,
    items,
    segments,
    starting,
    states,
)
from trialbalance.twin.billing.calendar import Period, period_at, shift
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import customer_balance_transactions, prices
from trialbalance.twin.resources import subscription_fields as fields
from trialbalance.twin.wire.call import Call, endpoint, included
from trialbalance.twin.wire.lists import embedded
from trialbalance.twin.wire.validate import Params

KIND = "subscription"
LIMIT = 500
"""So many running subscriptions a customer can have."""
ON_CLOCK = 3
"""The same for a customer on a test clock."""


@endpoint("POST /v1/subscriptions")
def create(call: Call) -> JsonObject:
    """A new subscription, billed for the first time.

    Source: https://docs.stripe.com/api/subscriptions/create
    """
    params = call.params
    given = params.get("customer") or params.get("customer_account")
    if not given:
        raise InvalidRequest("Missing required param: customer.", param="customer", code="parameter_missing")
    if call.find("customer", given) is None:
        raise NotFound("customer", given, param="customer", in_path=True)
    customer = call.get("customer", given)
    behavior = params.get("payment_behavior", "allow_incomplete")
    if behavior == "pending_if_incomplete":
        raise InvalidRequest(
            "Setting `payment_behavior` to `pending_if_incomplete` has no effect when creating a subscription.",
            param="payment_behavior",
        )
    params.ignore("off_session")
    now = call.now_of(customer)
    subscription = make(call, params, customer, now=now)
    begin(call, subscription, params, now=now, behavior=behavior)
    return subscription


def begin(
    call: Call,
    subscription: JsonObject,
    params: Params,
    *,
    now: int,
    behavior: str = "allow_incomplete",
    pay: bool = True,
) -> JsonObject | None:
    """Bill an inserted subscription for the first time, as the parameters of its creation say."""
    start = starting.Start(
        now=now,
        backdate=params.get("backdate_start_date"),
        prorate=params.get("proration_behavior", "create_prorations") != "none",
        payment_behavior=behavior,
        extra=fields.extra_items(call, params, subscription, now=now),
        pay=pay,
    )
    if not start.prorate:
        subscription["_parts"] = False
    invoice = starting.begin(call, subscription, start)
    if pay and subscription["pending_invoice_item_interval"]:
        intervals.check(subscription)
        intervals.plan(call, subscription, now)
    return invoice


def make(
    call: Call, params: Params, customer: JsonObject, *, now: int, fields_of: JsonObject | None = None
) -> JsonObject:
    """Store a subscription with its items; nothing is billed yet.

    `params` as of the create endpoint, also for the subscriptions that sessions, quotes and schedules make.

    Raises:
        InvalidRequest: whatever is wrong with the parameters.
    """
    given = params.get("items")
    if not given:
        raise InvalidRequest("Missing required param: items.", param="items", code="parameter_missing")
    if len(given) > items.LIMIT:
        raise InvalidRequest(f"A subscription can have at most {items.LIMIT} items.", param="items")
    call.unsupported("billing_schedules")
    _room(call, customer)
    method = params.get("collection_method", "charge_automatically")
    fields.check_collection(method, params, params.get("days_until_due"))
    prices_of = [_price(call, item, f"items[{i}]") for i, item in enumerate(given)]
    currency = _currency(call, params, customer, prices_of)
    _distinct(prices_of)
    trial_end = fields.trial_end(call, params, prices_of, now)
    mode = params.plain("billing_mode") or {"type": "flexible"}
    flexible = mode["type"] == "flexible"
    subscription = call.new(
        KIND,
        "sub",
        automatic_tax={"disabled_reason": None, "enabled": False, "liability": None},
        billing_cycle_anchor=now,
        billing_mode={
            "flexible": {
                "proration_discounts": (mode.get("flexible") or {}).get("proration_discounts", "included")
            }
            if flexible
            else None,
            "type": mode["type"],
            "updated_at": now if flexible else None,
        },
        billing_schedules=[],
        cancel_at_period_end=False,
        cancellation_details={"comment": None, "feedback": None, "feedback_option": None, "reason": None},
        collection_method=method,
        created=now,
        currency=currency,
        customer=customer["id"],
        default_tax_rates=[],
        discounts=[],
        invoice_settings={
            "account_tax_ids": None,
            "custom_fields": None,
            "description": None,
            "footer": None,
            "issuer": {"type": "self"},
        },
        managed_payments={"enabled": False},
        payment_settings={
            "payment_method_options": None,
            "payment_method_types": None,
            "save_default_payment_method": "off",
        },
        start_date=now,
        status="incomplete",
        test_clock=customer["test_clock"],
        trial_settings={
            "end_behavior": {"billing_cycle_anchor": "now", "missing_payment_method": "create_invoice"}
        },
    )
    subscription["_items"] = []
    subscription["_last_period_end"] = now
    subscription["items"] = {"object": "list", "data": []}
    subscription |= fields_of or {}
    fields.describe(call, subscription, params)
    if subscription["automatic_tax"]["enabled"]:
        auto_tax.require(customer)
    if trial_end is not None:
        subscription["trial_start"], subscription["trial_end"] = now, trial_end
    _anchor(call, subscription, params, prices_of, trial_end, now)
    subscription = _ordered(subscription)
    call.insert(subscription)
    combining.refuse_mixed_intervals(subscription, prices_of)
    _add_items(call, subscription, params, given, now)
    _discount(call, subscription, params, now)
    items.show(call, subscription)
    _end(call, subscription, params, now)
    if customer["currency"] is None:
        customer_balance_transactions.fix_currency(call.edit("customer", customer["id"]), currency)
    return subscription


def _room(call: Call, customer: JsonObject) -> None:
    """Refuse more running subscriptions than a customer can have; on a test clock they are few.

    Source: https://docs.stripe.com/billing/testing/test-clocks#limitations
    """
    limit = ON_CLOCK if customer["test_clock"] else LIMIT
    found = call.ledger.all(call.account, KIND, customer=customer["id"])
    if sum(1 for subscription in found if subscription["status"] not in states.ENDED) >= limit:
        where = " on a test clock" if customer["test_clock"] else ""
        raise InvalidRequest(f"A customer{where} can have at most {limit} subscriptions.", param="customer")


def _ordered(subscription: JsonObject) -> JsonObject:
    """The fields in the API's order, with those that follow from the items."""
    full = {**subscription, "plan": None, "quantity": None}
    head = {name: full[name] for name in ("id", "object")}
    return head | {name: full[name] for name in sorted(full) if name not in head}


def _price(call: Call, item: Params, path: str) -> JsonObject:
    if item.get("price_data"):
        made = prices.inline(call, item["price_data"], path=f"{path}[price_data]")
        del item["price_data"]
        item["price"] = made["id"]
    item.ignore("price_data")
    if item.get("current_trial"):
        call.unsupported("current_trial")
    return items.price_for(call, item, path)


def _distinct(prices_of: list[JsonObject]) -> None:
    seen = set()
    for price in prices_of:
        if price["id"] in seen:
            raise InvalidRequest(
                "Cannot create a Subscription with multiple Subscription Items with the same Price: "
                f"{price['id']}",
                param="plan",
            )
        seen.add(price["id"])


def _currency(call: Call, params: Params, customer: JsonObject, prices_of: list[JsonObject]) -> str:
    """The subscription's currency; every price must have an amount in it, and the customer no other one.

    Source: https://docs.stripe.com/billing/customer#currency
    """
    asked = params.get("currency")
    currency: str
    if asked:
        currency = currencies.check_currency(asked)
    else:
        currency = prices_of[0]["currency"]
        own = customer["currency"]
        if own and own != currency and all(_has(price, own) for price in prices_of):
            currency = own
    for position, price in enumerate(prices_of):
        items.check_currency(price, currency, f"items[{position}]")
    check_customer_currency(call, customer, currency)
    return currency


def _has(price: JsonObject, currency: str) -> bool:
    return bool(currency == price["currency"] or currency in price["_currency_options"])


def check_customer_currency(call: Call, customer: JsonObject, currency: str) -> None:
    """Refuse a second currency while the customer has something running in another.

    Source: https://docs.stripe.com/billing/customer#currency
    """
    own = customer["currency"]
    if not own or own == currency:
        return
    if customer["balance"] or _busy(call, customer):
        raise InvalidRequest(
            "You cannot combine currencies on a single customer. This customer has an active subscription, "
            f"subscription schedule, discount, quote, or invoice item with currency {own}."
        )
    call.edit("customer", customer["id"])["currency"] = currency


def _busy(call: Call, customer: JsonObject) -> bool:
    from trialbalance.twin.billing import pending

    if pending.of(call, customer["id"]):
        return True
    for subscription in call.ledger.all(call.account, KIND, customer=customer["id"]):
        if subscription["status"] not in states.ENDED:
            return True
    return False


def _anchor(
    call: Call,
    subscription: JsonObject,
    params: Params,
    prices_of: list[JsonObject],
    trial_end: int | None,
    now: int,
) -> None:
    """Write anchor and start date.

    Source: https://docs.stripe.com/billing/subscriptions/billing-cycle
    """
    given, config = params.get("billing_cycle_anchor"), params.get("billing_cycle_anchor_config")
    if given is not None and config:
        raise InvalidRequest(
            "You may only specify one of these parameters: billing_cycle_anchor, billing_cycle_anchor_config.",
            param="billing_cycle_anchor",
        )
    backdate = params.get("backdate_start_date")
    if backdate is not None:
        if backdate > now:
            raise InvalidRequest(
                "The `backdate_start_date` must be in the past.", param="backdate_start_date"
            )
        subscription["start_date"] = backdate
    since = trial_end or now
    if config:
        rules = [price["recurring"] for price in prices_of]
        months = min(
            rule["interval_count"] * {"month": 1, "year": 12}.get(rule["interval"], 1) for rule in rules
        )
        anchor = fields.anchor_from_config(config, since, months=months)
        subscription["billing_cycle_anchor_config"] = {
            name: config.get(name) for name in ("day_of_month", "hour", "minute", "month", "second")
        }
        subscription["billing_cycle_anchor"] = anchor
        subscription["_anchor_day"] = config["day_of_month"]
        return
    if given is None:
        subscription["billing_cycle_anchor"] = trial_end or (now if backdate is None else backdate)
        return
    if given < now:
        fields.future(call, given, now, "billing_cycle_anchor")
    if trial_end is not None and given < trial_end:
        raise InvalidRequest(
            "The `billing_cycle_anchor` cannot be before the end of the trial.", param="billing_cycle_anchor"
        )
    for price in prices_of:
        recurring = price["recurring"]
        natural = shift(since, recurring["interval"], recurring["interval_count"])
        if given > natural:
            raise InvalidRequest(
                f"`billing_cycle_anchor` cannot be later than next natural billing date ({natural}) for plan",
                param="billing_cycle_anchor",
            )
    subscription["billing_cycle_anchor"] = given


def _add_items(call: Call, subscription: JsonObject, params: Params, given: list[Params], now: int) -> None:
    trial_end = subscription["trial_end"]
    for position, item in enumerate(given):
        change = fields.item_change(
            call,
            item,
            f"items[{position}]",
            customer=subscription["customer"],
            currency=subscription["currency"],
            now=min(now, subscription["start_date"]),
        )
        price = call.get("price", change["price"])
        made = items.make(
            call,
            subscription,
            price,
            quantity=change.get("quantity"),
            period=_first_period(subscription, price, trial_end, now),
            now=now,
        )
        for name in ("metadata", "discounts", "tax_rates", "billing_thresholds"):
            if name in change:
                made[name] = change[name]
        for identifier in made["discounts"]:
            discount = call.edit(discounting.KIND, identifier)
            discount["subscription"] = subscription["id"]
            discount["subscription_item"] = made["id"]


def _first_period(subscription: JsonObject, price: JsonObject, trial_end: int | None, now: int) -> Period:
    if trial_end is not None:
        return Period(now, trial_end)
    if subscription["start_date"] < now:
        recurring = price["recurring"]
        cycle = period_at(
            subscription["billing_cycle_anchor"], recurring["interval"], recurring["interval_count"], now
        )
        return Period(max(cycle.start, subscription["start_date"]), cycle.end)
    return segments.period_from(subscription, price, now)


def _discount(call: Call, subscription: JsonObject, params: Params, now: int) -> None:
    if not params.get("discounts"):
        params.ignore("discounts")
        return
    found = items.of(call, subscription)
    amount = sum(
        items.amount(call, item, subscription["currency"]) for item in found if not items.metered(item)
    )
    subscription["discounts"] = discounting.apply(
        call,
        params["discounts"],
        path="discounts",
        currency=subscription["currency"],
        customer=subscription["customer"],
        now=min(now, subscription["start_date"]),
        amount=amount,
        subscription=subscription["id"],
    )
    discounting.tell(call, [], subscription["discounts"])


def _end(call: Call, subscription: JsonObject, params: Params, now: int) -> None:
    """`cancel_at` and `cancel_at_period_end` of a new subscription; a period that reaches further ends there."""
    from trialbalance.twin.billing import ending

    at, at_end = params.get("cancel_at"), params.get("cancel_at_period_end")
    if at and at_end:
        raise InvalidRequest(
            "You may only specify one of these parameters: cancel_at, cancel_at_period_end.",
            param="cancel_at",
        )
    if not at and not at_end:
        return
    ending.plan_end(subscription, at if at else "min_period_end", now=now, at_period_end=bool(at_end))
    fields.future(call, subscription["cancel_at"], now, "cancel_at")
    if subscription["trial_end"] is not None:
        return
    for stored in items.of(call, subscription):
        if stored["current_period_end"] > subscription["cancel_at"]:
            call.edit(items.KIND, stored["id"])["current_period_end"] = subscription["cancel_at"]
    items.show(call, subscription)


@endpoint("GET /v1/subscriptions/{subscription_exposed_id}")
def retrieve(call: Call) -> JsonObject:
    """One subscription, also a canceled one."""
    return fresh(call, call.get(KIND, call.path["subscription_exposed_id"]))


def fresh(call: Call, subscription: JsonObject) -> JsonObject:
    """A subscription whose items show their prices as they are now."""
    data = subscription["items"]["data"]
    for item in data:
        price = call.find("price", item["price"]["id"])
        if price is not None and items.public(price) != item["price"]:
            break
    else:
        return subscription
    shown = {**subscription, "items": {**subscription["items"], "data": [dict(item) for item in data]}}
    for item in shown["items"]["data"]:
        price = call.find("price", item["price"]["id"])
        if price is not None:
            items.use_price(item, price)
    shown["plan"] = shown["items"]["data"][0]["plan"] if len(data) == 1 else None
    return shown


@endpoint("DELETE /v1/subscriptions/{subscription_exposed_id}/discount")
def delete_discount(call: Call) -> JsonObject:
    """Take the subscription's discounts away.

    Source: https://docs.stripe.com/api/discounts/subscription_delete
    """
    subscription = call.edit(KIND, call.path["subscription_exposed_id"])
    if not subscription["discounts"]:
        raise NotFound("discount", subscription["id"])
    removed = [call.get(discounting.KIND, identifier) for identifier in subscription["discounts"]]
    subscription["discounts"] = []
    for discount in removed:
        call.emit("customer.discount.deleted", discount)
    call.emit("customer.subscription.updated", subscription)
    return {**removed[0], "deleted": True}


@included("customer", "subscriptions")
def _of_customer(call: Call, customer: JsonObject) -> JsonObject:
    """The customer's subscriptions that have not ended, newest first.

    Source: https://docs.stripe.com/api/customers/object#customer_object-subscriptions
    """
    found = [
        subscription
        for subscription in call.ledger.all(call.account, KIND, customer=customer["id"])
        if subscription["status"] not in states.ENDED
    ]
    found.reverse()
    return embedded(found, f"/v1/customers/{customer['id']}/subscriptions", total=True)
