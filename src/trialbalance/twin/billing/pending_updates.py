"""Updates that wait for their payment: the subscription stays as it is until the invoice is paid, at most 23 hours.

Source: https://docs.stripe.com/billing/subscriptions/pending-updates
"""

from __future__ import annotations

from trialbalance.twin.billing import cycling, invoicing, items, updating
from trialbalance.twin.billing.settings import settings
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.ledger.store import copy_json
from trialbalance.twin.wire.call import Call, due

KIND = "subscription"
NAMES = (
    "billing_cycle_anchor",
    "cancel_at_period_end",
    "discount",
    "discounts",
    "metadata",
    "subscription_items",
    "trial_end",
    "trial_from_plan",
)


def blank(expires_at: int) -> JsonObject:
    """A pending update that changes nothing (yet)."""
    return dict.fromkeys(sorted((*NAMES, "expires_at"))) | {"expires_at": expires_at}


def try_out(call: Call, subscription: JsonObject, change: updating.Change, *, now: int) -> JsonObject | None:
    """Apply a change only if its invoice is paid at once; else keep it as pending. Returns the invoice."""
    before = copy_json(subscription)
    kept = [copy_json(item) for item in items.of(call, subscription)]
    invoice = updating.apply(call, subscription, change, now=now)
    if invoice is None:
        return None
    shown = copy_json(subscription)
    settled = updating.collect(call, subscription, invoice, behavior="pending_if_incomplete", now=now)
    if settled:
        return invoice
    _restore(call, subscription, before, kept)
    expires = now + settings(call).incomplete_hours * 3600
    waiting = blank(expires)
    waiting["subscription_items"] = copy_json(shown["items"]["data"])
    if change.get("anchor") == "now" or shown["billing_cycle_anchor"] != before["billing_cycle_anchor"]:
        waiting["billing_cycle_anchor"] = shown["billing_cycle_anchor"]
    if "trial_end" in change:
        waiting["trial_end"] = shown["trial_end"]
    subscription["pending_update"] = waiting
    subscription["latest_invoice"] = invoice["id"]
    subscription["_pending_change"] = dict(change)
    subscription["_pending_invoice"] = invoice["id"]
    subscription["_last_period_end"] = shown["_last_period_end"]
    line = call.clock_of(subscription)
    call.schedule(
        expires, "subscription.drop_pending", subscription["id"], timeline=line, invoice=invoice["id"]
    )
    return invoice


def _restore(call: Call, subscription: JsonObject, before: JsonObject, kept: list[JsonObject]) -> None:
    """Put an edited subscription and its items back to what they were."""
    old = {item["id"]: item for item in kept}
    for identifier in list(subscription["_items"]):
        if identifier not in old:
            call.delete(items.KIND, identifier)
    for identifier, item in old.items():
        if call.find(items.KIND, identifier) is None:
            call.insert(item)
        else:
            edited = call.edit(items.KIND, identifier)
            edited.clear()
            edited.update(item)
    subscription.clear()
    subscription.update(before)
    items.show(call, subscription)


def apply(call: Call, subscription: JsonObject) -> None:
    """The invoice of a pending update is paid: make the change.

    Source: https://docs.stripe.com/billing/subscriptions/pending-updates#handle-successful-payment
    """
    change = subscription.pop("_pending_change", None)
    invoice = subscription.pop("_pending_invoice", None)
    subscription["pending_update"] = None
    now = call.now_of(subscription)
    if change is not None:
        updating.apply(call, subscription, change, now=now, bill=False)
        _bind(call, subscription, invoice)
    elif subscription["status"] == "paused":
        from trialbalance.twin.billing import resuming

        resuming.finish(call, subscription, now=now)
    cycling.plan(call, subscription)
    call.emit("customer.subscription.pending_update_applied", subscription)
    call.emit("customer.subscription.updated", subscription)


def _bind(call: Call, subscription: JsonObject, invoice: str | None) -> None:
    """Let the items remember the lines of the paid invoice as what was debited for them."""
    found = call.find(invoicing.KIND, invoice)
    if found is None:
        return
    for identifier in found["_lines"]:
        line = call.get("line_item", identifier)
        details = (line["parent"] or {}).get("subscription_item_details") or {}
        item = details.get("subscription_item")
        if isinstance(item, str) and item in subscription["_items"] and line["amount"] >= 0:
            edited = call.edit(items.KIND, item)
            edited["_debits"] = [
                {
                    "line": line["id"],
                    "invoice": invoice,
                    "start": line["period"]["start"],
                    "end": line["period"]["end"],
                }
            ]


@due("subscription.drop_pending")
def _drop(call: Call, target: str, arguments: JsonObject) -> None:
    """Nobody paid in time: the update is dropped and its invoice voided."""
    found = call.find(KIND, target)
    if found is None or found.get("_pending_invoice") != arguments["invoice"]:
        return
    subscription = call.edit(KIND, target)
    before = subscription["pending_update"]
    subscription["pending_update"] = None
    subscription.pop("_pending_change", None)
    subscription.pop("_pending_invoice", None)
    invoice = call.edit(invoicing.KIND, arguments["invoice"])
    if invoice["status"] in ("open", "uncollectible") and not invoice["amount_paid"]:
        invoicing.void(call, invoice, now=call.now_of(subscription))
    call.emit("customer.subscription.pending_update_expired", subscription)
    call.emit("customer.subscription.updated", subscription, previous={"pending_update": before})
