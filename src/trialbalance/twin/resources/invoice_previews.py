"""Previews: what the next invoice will be, or what a change would come to. Nothing of it is kept.

Source: https://docs.stripe.com/api/invoices/create_preview
"""

from __future__ import annotations

from trialbalance.twin.billing import (
    cycling,
    discounting,
    ending,
    invoicing,
    pausing,
    pending,
    preview,
    resuming,
    scheduling,
    states,
    updating,
)
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import (
    invoice_items,
    subscription_changes,
    subscription_schedules,
    subscriptions,
)
from trialbalance.twin.resources import subscription_fields as fields
from trialbalance.twin.resources.invoices import automatic_tax
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.validate import Params


@endpoint("POST /v1/invoices/create_preview")
def create_preview(call: Call) -> JsonObject:
    """The invoice that would come, shown without making it."""
    params = call.params
    if not any(
        params.get(name)
        for name in ("customer", "customer_account", "customer_details", "subscription", "schedule")
    ):
        raise InvalidRequest(
            "You must provide either a `customer`, `customer_details`, `subscription` or `schedule` to preview an "
            "invoice."
        )
    with preview.rehearsal(call):
        invoice = _compute(call, params)
        _decorate(call, invoice, params)
        return preview.show(call, invoice)


def _compute(call: Call, params: Params) -> JsonObject:
    """Inside the rehearsal: the invoice."""
    if params.get("schedule") or params.get("schedule_details"):
        return _scheduled(call, params)
    subscription = _subscription(call, params)
    customer = _customer(call, params, subscription)
    _add_items(call, params, customer, subscription)
    recurring = params.get("preview_mode") == "recurring"
    if subscription is not None:
        return _changed(call, params, subscription, recurring)
    details = params.get("subscription_details")
    if details and details.get("items"):
        return _new(call, params, details, customer, recurring)
    return _one_off(call, params, customer)


def _scheduled(call: Call, params: Params) -> JsonObject:
    """The next invoice under a schedule: a new one, or one that is there, with changes."""
    details = params.get("schedule_details") or Params()
    if params.get("schedule"):
        schedule = call.edit(scheduling.KIND, params["schedule"], param="schedule")
        now = call.now_of(schedule)
        subscription_schedules.change(call, schedule, details, now)
    else:
        dict.__setitem__(details, "customer", _customer(call, params, None)["id"])
        schedule = subscription_schedules.build(call, details)
        now = call.now_of(schedule)
    start = schedule["phases"][0]["start_date"]
    if schedule["status"] == "not_started":
        invoice = subscription_schedules.begin(call, schedule, now=max(now, start), pay=False)
    else:
        invoice = None
    if invoice is None and schedule["subscription"]:
        subscription = call.edit("subscription", schedule["subscription"])
        recurring = params.get("preview_mode") == "recurring"
        invoice = preview.renewal(call, subscription, recurring=recurring)
    if invoice is None:
        raise preview.nothing(schedule["customer"])
    return invoice


def _subscription(call: Call, params: Params) -> JsonObject | None:
    """The subscription that is meant: the named one, else the customer's that renews first."""
    if params.get("subscription"):
        found = call.edit(states.KIND, params["subscription"], param="subscription")
        if params.get("customer") and found["customer"] != params["customer"]:
            raise InvalidRequest(
                f"The subscription {found['id']} does not belong to the customer {params['customer']}.",
                param="subscription",
            )
        return found
    details = params.get("subscription_details")
    if (details and details.get("items")) or not params.get("customer"):
        return None
    running = [
        subscription
        for subscription in call.ledger.all(call.account, states.KIND, customer=params["customer"])
        if subscription["status"] in ("active", "trialing", "past_due")
    ]
    if not running:
        return None
    first = min(
        running, key=lambda subscription: (cycling.next_renewal(subscription), subscription["created"])
    )
    return call.edit(states.KIND, first["id"])


def _customer(call: Call, params: Params, subscription: JsonObject | None) -> JsonObject:
    """The customer, with what `customer_details` says about it; a made-up one when there are only details."""
    identifier = params.get("customer") or (subscription["customer"] if subscription else None)
    details = params.plain("customer_details") or {}
    if identifier:
        if call.find("customer", identifier) is None:
            call.get("customer", identifier, param="customer")
        customer = call.edit("customer", identifier)
    else:
        customer = call.new("customer", "cus", balance=0, invoice_settings={}, tax_exempt="none")
        customer["invoice_settings"] = {"default_payment_method": None}
        customer["next_invoice_sequence"] = 1
        customer["invoice_prefix"] = "PREVIEW"
        call.insert(customer)
    for name in ("address", "shipping", "tax_exempt"):
        if name in details:
            customer[name] = details[name] or (None if name != "tax_exempt" else "none")
    return customer


def _add_items(call: Call, params: Params, customer: JsonObject, subscription: JsonObject | None) -> None:
    """`invoice_items`: more pending items, or other amounts for those that wait."""
    for position, item in enumerate(params.get("invoice_items") or []):
        where = f"invoice_items[{position}]"
        if item.get("invoiceitem"):
            known = call.edit("invoiceitem", item["invoiceitem"], param=f"{where}[invoiceitem]")
            for name in ("description", "discountable"):
                if name in item:
                    known[name] = item[name]
            if item.get("amount") is not None:
                known["amount"] = item["amount"]
            if item.get("quantity") is not None or item.get("unit_amount") is not None:
                known["quantity"] = item.get("quantity", known["quantity"])
                unit = item.get("unit_amount")
                if unit is not None:
                    known["amount"] = unit * known["quantity"]
            continue
        found = invoice_items.priced_preview(call, item, customer, where)
        made = invoice_items.make(
            call,
            customer,
            **found,
            description=item.get("description") or found.get("description"),
            period=item.plain("period"),
            subscription=subscription["id"] if subscription else None,
            discountable=item.get("discountable"),
        )
        if item.get("tax_rates"):
            made["tax_rates"] = fields.tax_rates(call, item["tax_rates"], f"{where}[tax_rates]")
        if item.get("discounts"):
            made["discounts"] = discounting.apply(
                call,
                item["discounts"],
                path=f"{where}[discounts]",
                currency=made["currency"],
                customer=customer["id"],
                now=call.now_of(customer),
                redeem=False,
            )
        call.merge_metadata(made, item)
        item.ignore("tax_behavior", "tax_code")


def _changed(call: Call, params: Params, subscription: JsonObject, recurring: bool) -> JsonObject:
    """The invoice of a change of a running subscription, or its next renewal."""
    details = params.get("subscription_details") or Params()
    now = call.now_of(subscription)
    if details.get("cancel_now"):
        details.ignore("proration_date")
        ending.credit_unused(call, subscription, details.get("proration_date", now))
        invoice = ending.bill_pending(call, subscription, now)
        if invoice is None:
            raise preview.nothing(subscription["customer"])
        return invoice
    if details.get("resume_at"):
        invoice = resuming.draft(call, subscription, now)
        if invoice is None:
            raise preview.nothing(subscription["customer"])
        return invoice
    if details.get("pause"):
        return _paused(call, subscription, details["pause"], now)
    _write(call, subscription, details, now)
    change = subscription_changes.read_change(call, subscription, details, now=now)
    if subscription_changes.moves(change):
        at_once = updating.apply(call, subscription, change, now=change.get("at", now))
        if at_once is not None:
            return at_once
    if "cancel_at" in details or "cancel_at_period_end" in details:
        subscription_changes.write_end(call, subscription, details, now)
        if subscription["cancel_at"] is not None:
            invoice = ending.bill_pending(call, subscription, now)
            if invoice is not None:
                return invoice
    invoice = preview.renewal(call, subscription, recurring=recurring)
    if invoice is None:
        raise preview.nothing(subscription["customer"])
    return invoice


def _paused(call: Call, subscription: JsonObject, given: Params, now: int) -> JsonObject:
    wish = given.plain("bill_for") or {}
    given.ignore("type", "invoicing_behavior")
    pausing.settle(
        call,
        subscription,
        now=now,
        usage_through=(wish.get("outstanding_usage_through") or {"type": "now"})["type"],
        unused=(wish.get("unused_time_from") or {"type": "now"})["type"],
    )
    invoice = ending.bill_pending(call, subscription, now, reason="subscription_update")
    if invoice is None:
        raise preview.nothing(subscription["customer"])
    return invoice


def _write(call: Call, subscription: JsonObject, details: Params, now: int) -> None:
    if "default_tax_rates" in details:
        subscription["default_tax_rates"] = fields.tax_rates(
            call, details["default_tax_rates"], "subscription_details[default_tax_rates]"
        )
    call.merge_metadata(subscription, details)
    mode = details.plain("billing_mode")
    if mode:
        subscription["billing_mode"] = _mode(mode, now)
    details.ignore("start_date")


def _mode(mode: JsonObject, now: int) -> JsonObject:
    flexible = mode["type"] == "flexible"
    shown = (mode.get("flexible") or {}).get("proration_discounts", "included")
    return {
        "flexible": {"proration_discounts": shown} if flexible else None,
        "type": mode["type"],
        "updated_at": now if flexible else None,
    }


def _new(call: Call, params: Params, details: Params, customer: JsonObject, recurring: bool) -> JsonObject:
    """The first invoice of a subscription that does not exist, or with `recurring` one of its later ones."""
    now = call.now_of(customer)
    start = details.get("start_date")
    if start is not None:
        dict.__setitem__(details, "backdate_start_date", start)
    anchor = details.get("billing_cycle_anchor")
    if isinstance(anchor, Params):
        stamp = anchor.get("timestamp") if anchor["type"] == "timestamp" else None
        dict.__setitem__(details, "billing_cycle_anchor", stamp)
        if stamp is None:
            dict.__delitem__(details, "billing_cycle_anchor")
    for name in ("currency", "discounts"):
        if params.get(name):
            dict.__setitem__(details, name, params[name])
    details.ignore("proration_date", "cancel_now", "resume_at")
    subscription = subscriptions.make(call, details, customer, now=now)
    invoice = subscriptions.begin(call, subscription, details, now=now, pay=False)
    if invoice is None or recurring:
        subscription["status"] = "active"
        invoice = preview.renewal(call, subscription, recurring=recurring)
    if invoice is None:
        raise preview.nothing(customer["id"])
    return invoice


def _one_off(call: Call, params: Params, customer: JsonObject) -> JsonObject:
    """The customer's pending items as a manual invoice."""
    waiting = pending.of(call, customer["id"])
    currency = params.get("currency") or customer["currency"] or (waiting[0]["currency"] if waiting else None)
    found = [item for item in waiting if item["currency"] == currency]
    if not found:
        raise preview.nothing(customer["id"])
    now = call.now_of(customer)
    invoice = invoicing.draft(
        call, customer, currency=str(currency), reason="manual", now=now, period=Period(now, now)
    )
    invoicing.take_items(call, invoice, found)
    return invoice


def _decorate(call: Call, invoice: JsonObject, params: Params) -> None:
    """What the preview's own parameters say about the invoice."""
    customer = call.get("customer", invoice["customer"])
    if "discounts" in params:
        kept = invoice["discounts"]
        invoice["discounts"] = discounting.apply(
            call,
            params["discounts"],
            path="discounts",
            currency=invoice["currency"],
            customer=customer["id"],
            now=call.now_of(customer),
            known=kept,
            redeem=False,
        )
    if params.get("automatic_tax"):
        automatic_tax(invoice, params["automatic_tax"], customer)
    if params.get("issuer"):
        invoice["issuer"] = params.plain("issuer")
    if "on_behalf_of" in params:
        invoice["on_behalf_of"] = params["on_behalf_of"] or None
    params.ignore("currency", "preview_mode")
