"""A subscription's status: what moves it, and who is told.

    incomplete ──first payment──> active | trialing        incomplete ──23 hours──> incomplete_expired
    active <──payment / failure──> past_due ──retries fail──> canceled | unpaid | past_due
    trialing ──end──> active | paused | canceled           paused ──resume──> active

Source: https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses
"""

from __future__ import annotations

from trialbalance.twin.billing import collection, invoicing
from trialbalance.twin.billing.settings import settings
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, due, reacts

KIND = "subscription"
ENDED = ("canceled", "incomplete_expired")
HOUR = 3600
NO_METHOD = "trial_end_without_payment_method"


def move(call: Call, subscription: JsonObject, status: str) -> None:
    """Change an edited subscription's status and tell of it."""
    before = subscription["status"]
    if before == status:
        return
    subscription["status"] = status
    call.emit("customer.subscription.updated", subscription, previous={"status": before})


def stop(subscription: JsonObject, reason: str, now: int) -> None:
    """Make an edited subscription paused, for one of the reasons of `status_details`.

    Source: https://docs.stripe.com/api/subscriptions/object#subscription_object-status_details
    """
    subscription["status"] = "paused"
    subscription["status_details"] = {
        "paused": {"subscription": {"type": reason}, "transitioned_at": now, "type": "subscription"}
    }


def expire_later(call: Call, subscription: JsonObject, now: int) -> None:
    """Give an incomplete subscription its 23 hours.

    Source: https://docs.stripe.com/billing/subscriptions/overview#incomplete
    """
    at = now + settings(call).incomplete_hours * HOUR
    call.schedule(at, "subscription.expire", subscription["id"], timeline=call.clock_of(subscription))


@due("subscription.expire")
def _expire(call: Call, target: str, arguments: JsonObject) -> None:
    """The 23 hours are over: the open invoice is voided, or only left alone when part of it was paid.

    Source: https://docs.stripe.com/api/invoices/void
    """
    found = call.find(KIND, target)
    if found is None or found["status"] != "incomplete":
        return
    subscription = call.edit(KIND, target)
    now = call.now_of(subscription)
    invoice = call.find(invoicing.KIND, subscription["latest_invoice"])
    subscription["ended_at"] = now
    subscription["canceled_at"] = now
    move(call, subscription, "incomplete_expired")
    if invoice is not None and invoice["status"] == "open" and invoice["amount_paid"] == 0:
        invoicing.void(call, call.edit(invoicing.KIND, invoice["id"]), now=now)


@reacts("invoice.paid")
def _paid(call: Call, invoice: JsonObject) -> None:
    identifier = invoice.get("_subscription")
    if identifier is None or call.find(KIND, identifier) is None:
        return
    subscription = call.edit(KIND, identifier)
    if subscription.get("_starting"):
        return
    if subscription["pending_update"] and subscription.get("_pending_invoice") == invoice["id"]:
        from trialbalance.twin.billing import pending_updates

        pending_updates.apply(call, subscription)
        return
    status = subscription["status"]
    if status == "incomplete":
        if invoice["id"] == subscription["latest_invoice"]:
            remember_method(call, subscription, invoice)
            move(call, subscription, "trialing" if _on_trial(call, subscription) else "active")
    elif status in ("past_due", "unpaid") and _all_paid(call, subscription, invoice):
        move(call, subscription, "trialing" if _on_trial(call, subscription) else "active")
    _forgive_customer(call, subscription)


def _on_trial(call: Call, subscription: JsonObject) -> bool:
    end = subscription["trial_end"]
    return end is not None and end > call.now_of(subscription)


def _all_paid(call: Call, subscription: JsonObject, invoice: JsonObject) -> bool:
    """Whether the newest invoice is settled: paying it is what makes a subscription active again."""
    latest = call.find(invoicing.KIND, subscription["latest_invoice"])
    return latest is None or latest["id"] == invoice["id"] or latest["status"] not in ("open", "draft")


def remember_method(call: Call, subscription: JsonObject, invoice: JsonObject) -> None:
    """`save_default_payment_method=on_subscription`: the method of the first payment becomes the default.

    Source: https://docs.stripe.com/api/subscriptions/create#create_subscription-payment_settings
    """
    if subscription["payment_settings"]["save_default_payment_method"] != "on_subscription":
        return
    for payment in collection.payments_of(call, invoice):
        intent = call.find("payment_intent", payment.get("_intent"))
        if intent is not None and intent["status"] == "succeeded" and intent["payment_method"]:
            subscription["default_payment_method"] = intent["payment_method"]


def _forgive_customer(call: Call, subscription: JsonObject) -> None:
    customer = call.find("customer", subscription["customer"])
    if customer is not None and customer["delinquent"]:
        edited = call.edit("customer", customer["id"])
        edited["delinquent"] = False
        call.emit("customer.updated", edited, previous={"delinquent": True})


@reacts("invoice.payment_failed")
def _failed(call: Call, invoice: JsonObject) -> None:
    """A payment failed: past due at once; when no further try is planned, what the settings say.

    Source: https://docs.stripe.com/billing/revenue-recovery/smart-retries#failed-payments
    """
    identifier = invoice.get("_subscription")
    if identifier is None or call.find(KIND, identifier) is None:
        return
    subscription = call.edit(KIND, identifier)
    if subscription["status"] not in ("active", "trialing", "past_due"):
        return
    move(call, subscription, "past_due")
    if invoice["collection_method"] == "charge_automatically":
        _blame_customer(call, subscription)
    planned = invoice["next_payment_attempt"] is not None
    exhausted = invoice["attempt_count"] > len(settings(call).retry_days)
    if not planned and exhausted and invoice["auto_advance"]:
        give_up(call, subscription, invoice)


@reacts("invoice.payment_action_required")
def _action(call: Call, invoice: JsonObject) -> None:
    identifier = invoice.get("_subscription")
    if identifier is None or call.find(KIND, identifier) is None:
        return
    if invoice["billing_reason"] == "subscription_create":
        return
    subscription = call.edit(KIND, identifier)
    if subscription["status"] == "active" and not subscription["pending_update"]:
        move(call, subscription, "past_due")


def _blame_customer(call: Call, subscription: JsonObject) -> None:
    customer = call.find("customer", subscription["customer"])
    if customer is not None and not customer["delinquent"]:
        edited = call.edit("customer", customer["id"])
        edited["delinquent"] = True
        call.emit("customer.updated", edited, previous={"delinquent": False})


def give_up(call: Call, subscription: JsonObject, invoice: JsonObject) -> None:
    """All tries failed.

    Source: https://docs.stripe.com/billing/subscriptions/overview#settings
    """
    choice = settings(call).after_retries
    if choice == "cancel":
        from trialbalance.twin.billing import ending

        ending.end(call, subscription, now=call.now_of(subscription), reason="payment_failed")
    elif choice == "unpaid":
        move(call, subscription, "unpaid")
        edited = call.edit(invoicing.KIND, invoice["id"])
        edited["auto_advance"] = False


@reacts("invoice.overdue")
def _overdue(call: Call, invoice: JsonObject) -> None:
    identifier = invoice.get("_subscription")
    if identifier is not None and call.find(KIND, identifier) is not None:
        subscription = call.edit(KIND, identifier)
        if subscription["status"] == "active":
            move(call, subscription, "past_due")


@reacts("invoice.voided", "invoice.marked_uncollectible")
def _settled(call: Call, invoice: JsonObject) -> None:
    """Voiding or writing off the newest invoice settles a past-due subscription; voiding the first one ends it.

    Source: https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses
    """
    identifier = invoice.get("_subscription")
    if identifier is None or call.find(KIND, identifier) is None:
        return
    subscription = call.edit(KIND, identifier)
    if subscription["latest_invoice"] != invoice["id"]:
        return
    if subscription["status"] in ("active", "past_due", "unpaid"):
        _look_back(call, subscription, invoice)
    elif subscription["status"] == "incomplete" and invoice["status"] == "void":
        now = call.now_of(subscription)
        subscription["ended_at"] = now
        subscription["canceled_at"] = now
        move(call, subscription, "incomplete_expired")


def _look_back(call: Call, subscription: JsonObject, settled: JsonObject) -> None:
    """The newest invoice is settled: the newest of the others that decides says what becomes of the subscription.

    Source: https://docs.stripe.com/billing/invoices/subscription#void-an-invoice-generated-by-a-subscription
    """
    now = call.now_of(subscription)
    own = list(call.ledger.all(call.account, invoicing.KIND, _subscription=subscription["id"]))
    for invoice in reversed(own if settled["status"] == "void" else ()):
        if invoice["status"] in ("paid", "uncollectible"):
            break
        if invoice["status"] != "open":
            continue
        if invoice["collection_method"] == "send_invoice":
            if invoice["due_date"] is not None and invoice["due_date"] <= now:
                move(call, subscription, "past_due")
                return
        elif invoice["attempt_count"] > len(settings(call).retry_days):
            move(call, subscription, "past_due")
            give_up(call, subscription, invoice)
            return
    move(call, subscription, "active")


@reacts("payment_method.detached")
def _method_gone(call: Call, method: JsonObject) -> None:
    """A payment method that leaves its customer is no longer the default of the customer's subscriptions.

    Source: https://docs.stripe.com/api/payment_methods/detach
    """
    owner = call.changes(method).get("customer")
    if owner is None:
        return
    for found in list(call.ledger.all(call.account, KIND, customer=owner)):
        if found["default_payment_method"] == method["id"]:
            subscription = call.edit(KIND, found["id"])
            subscription["default_payment_method"] = None
            call.emit("customer.subscription.updated", subscription)
