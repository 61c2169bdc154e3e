"""A subscription changes: items, prices, quantities, the anchor, the trial; prorations and what is billed at once.

A change is plain JSON (see `Change`), so that one that waits for its payment can be kept and applied later. What it says
is read in `change`, its parts are carried out in `item_changes`, `moving`, `trialing`, `restarting` and `charging`.

Source: https://docs.stripe.com/billing/subscriptions/change-price
Source: https://docs.stripe.com/billing/subscriptions/prorations
"""

from __future__ import annotations

from trialbalance.twin.billing import combining, items, prorating, starting
from trialbalance.twin.billing.change import Change, ItemChange, keeps_its_items, resets, trial_change
from trialbalance.twin.billing.charging import collect, invoice_pending
from trialbalance.twin.billing.item_changes import settle_usage, write_items
from trialbalance.twin.billing.moving import moved_items, prorate
from trialbalance.twin.billing.restarting import begin_again, move_cycle
from trialbalance.twin.billing.trialing import bill_trial, may_begin, stretch, write_trial
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.ledger.store import copy_json
from trialbalance.twin.wire.call import Call


def apply(
    call: Call, subscription: JsonObject, change: Change, *, now: int, bill: bool = True
) -> JsonObject | None:
    """Change an edited subscription; returns the draft that must be billed at once, announced, or None.

    With `bill` false only the state changes: the money was dealt with before.
    """
    behavior = change.get("behavior", "create_prorations")
    at = change.get("at", now)
    old_items = [copy_json(item) for item in items.of(call, subscription)]
    wanted = change.get("items", [])
    combining.check(call, subscription, old_items, wanted)
    trial = trial_change(subscription, change, now)
    trialing = starting.trialing(subscription, now)
    asked = trial is None and change.get("anchor") == "now"
    reset = trial == "end" or asked
    if not trialing and trial is None and not prorating.flexible(subscription):
        reset = reset or resets(call, subscription, wanted)
    quiet = asked and not trialing and behavior != "always_invoice" and keeps_its_items(old_items, wanted)
    quiet = quiet and prorating.flexible(subscription)
    prorates = behavior != "none" and not trialing and subscription["status"] not in ("incomplete", "paused")
    moved = moved_items(call, subscription, old_items, wanted, everything=reset or trial == "start", at=at)
    if not (bill and prorates):
        moved = [m._replace(credits=[]) for m in moved]
    if bill and not trialing:
        settle_usage(call, subscription, old_items, wanted, now=now, prorate=behavior != "none")
    write_items(call, subscription, wanted, now=now)
    items.show(call, subscription)
    write_trial(call, subscription, change, trial, now=now)
    if trial == "end" and not may_begin(call, subscription, now):
        return None
    if quiet:
        move_cycle(call, subscription, now=now, bill=bill)
        prorate(call, subscription, moved, wanted, at=now, debit=bill and prorates)
        items.show(call, subscription)
        return None
    if reset:
        return begin_again(call, subscription, moved, change, now=now, at=at, bill=bill)
    if trial == "start":
        stretch(call, subscription, now=now)
    prorate(call, subscription, moved, wanted, at=at, debit=bill and prorates and trial is None)
    items.show(call, subscription)
    if bill and trial == "start" and not trialing:
        return bill_trial(call, subscription, change, now=now)
    for identifier in change.get("extra", []):
        from trialbalance.twin.billing import pending

        pending.add(call, call.get("invoiceitem", identifier))
    if not bill:
        return None
    if behavior == "always_invoice":
        return invoice_pending(call, subscription, now=now)
    return None


__all__ = ["Change", "ItemChange", "apply", "collect", "invoice_pending"]
