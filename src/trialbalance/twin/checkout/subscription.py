"""The subscription behind a session in subscription mode.

It is made at the first attempt to pay, incomplete, and its first invoice is paid with what the customer chose; a
decline leaves it incomplete for the next attempt. When the customer changes the order in between, what was made for
the old one is given up, and the next attempt makes another. The session completes when the subscription becomes
active, when a trial's payment method is set up, or when a delayed payment is on its way.

Source: https://docs.stripe.com/payments/checkout/build-subscriptions
Source: https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing import collection
from trialbalance.twin.billing.states import ENDED
from trialbalance.twin.checkout import completion, lines, promotion, totals
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, reacts
from trialbalance.twin.wire.inner import perform

COPIED = (
    "application_fee_percent",
    "billing_cycle_anchor",
    "billing_cycle_anchor_config",
    "billing_mode",
    "default_tax_rates",
    "description",
    "invoice_settings",
    "metadata",
    "on_behalf_of",
    "pending_invoice_item_interval",
    "proration_behavior",
    "transfer_data",
    "trial_end",
    "trial_period_days",
    "trial_settings",
)
"""Parameters of `subscription_data` that the subscription takes as they are."""


def subscribe(call: Call, session: JsonObject, choice: completion.Choice) -> None:
    """Make the subscription, or go on with the one of an earlier attempt, and pay or set up."""
    found = _made(call, session)
    invoice = call.find("invoice", found["latest_invoice"])
    if invoice is not None and invoice["status"] == "open" and invoice["amount_remaining"] > 0:
        intent = collection.intent_of(call, invoice)
        call.edit("payment_intent", intent)["_session"] = session["id"]
        completion.confirm_payment(call, session, intent, choice)
        return
    setup = found["pending_setup_intent"]
    if setup and choice.payment_method:
        call.edit("setup_intent", setup)["_session"] = session["id"]
        perform(
            call,
            "POST /v1/setup_intents/{intent}/confirm",
            {
                "mandate_data": completion.mandate(call, choice),
                "payment_method": choice.payment_method,
                "payment_method_options": choice.options,
                "return_url": choice.return_url,
                "use_stripe_sdk": True,
            },
            intent=setup,
        )
        return
    if session["payment_method_collection"] == "always":
        choice.needed()
    finish(call, session, found)


def _made(call: Call, session: JsonObject) -> JsonObject:
    """The subscription to the order as it stands: of an earlier attempt, or made now."""
    wanted = _wanted(call, session)
    earlier = call.find("subscription", session.get("_subscription"))
    if earlier is not None and session.get("_subscribed") == wanted and earlier["status"] not in ENDED:
        return earlier
    if earlier is not None:
        _give_up(call, session, earlier)
    return call.get("subscription", _make(call, session, wanted)["id"])


def _give_up(call: Call, session: JsonObject, subscription: JsonObject) -> None:
    """End what was made for an order that the customer has changed since: nobody pays it, and no code is used up."""
    invoice = call.find("invoice", subscription["latest_invoice"])
    if subscription["status"] == "incomplete" and invoice is not None and invoice["status"] == "open":
        perform(call, "POST /v1/invoices/{invoice}/void", invoice=invoice["id"])
    elif subscription["status"] not in ENDED:
        perform(
            call,
            "DELETE /v1/subscriptions/{subscription_exposed_id}",
            subscription_exposed_id=subscription["id"],
        )
    for entry in (session.get("_subscribed") or {}).get("discounts") or ():
        code = call.find("promotion_code", entry.get("promotion_code"))
        if code is not None:
            _unused(call, "promotion_code", code["id"], "active")
        _unused(call, "coupon", promotion.coupon_id(code) if code else entry["coupon"], "valid")


def _unused(call: Call, kind: str, identifier: str, usable: str) -> None:
    """One redemption less; what was spent by it alone can be used again."""
    found = call.find(kind, identifier)
    if found is None or not found["times_redeemed"]:
        return
    edited = call.edit(kind, identifier)
    if edited["max_redemptions"] is not None and edited["times_redeemed"] >= edited["max_redemptions"]:
        edited[usable] = True
    edited["times_redeemed"] -= 1


def _wanted(call: Call, session: JsonObject) -> JsonObject:
    """The parameters of the subscription to the order as it stands."""
    data = session["_subscription_data"]
    recurring: list[JsonObject] = []
    once: list[JsonObject] = []
    for item in lines.of_session(call, session):
        row: dict[str, Any] = {"price": item["price"]["id"]}
        if item["quantity"] is not None:
            row["quantity"] = item["quantity"]
        rates = totals.rates_of(call, item, session)
        if rates:
            row["tax_rates"] = rates
        if lines.recurring(item["price"]):
            recurring.append({**row, "metadata": item["metadata"] or None})
        else:
            once.append(row)
    discounts = [
        {"promotion_code": entry["promotion_code"]}
        if entry["promotion_code"]
        else {"coupon": entry["coupon"]}
        for entry in session["_discounts"]
    ]
    return {
        "add_invoice_items": once or None,
        "automatic_tax": {"enabled": True} if session["automatic_tax"]["enabled"] else None,
        "currency": session["currency"],
        "customer": session["customer"],
        "discounts": discounts or None,
        "items": [{name: value for name, value in row.items() if value is not None} for row in recurring],
        "payment_behavior": "default_incomplete",
        "payment_settings": {
            "payment_method_types": session["payment_method_types"],
            "save_default_payment_method": "on_subscription",
        },
        **{name: data[name] for name in COPIED if name in data},
    }


def _make(call: Call, session: JsonObject, params: JsonObject) -> JsonObject:
    with lines.usable(call, lines.of_session(call, session)):
        made = perform(call, "POST /v1/subscriptions", params)
    session["_subscription"], session["_subscribed"] = made["id"], params
    subscription = call.edit("subscription", made["id"])
    subscription["_session"] = session["id"]
    return subscription


def finish(call: Call, session: JsonObject, subscription: JsonObject) -> None:
    """The session is complete: it names its subscription and the first invoice."""
    session["subscription"] = subscription["id"]
    session["invoice"] = subscription["latest_invoice"]
    status = "paid"
    if subscription["status"] == "trialing" and not session["amount_total"]:
        status = "no_payment_required"
    elif session["amount_total"] and subscription["status"] == "incomplete":
        status = "unpaid"
    completion.complete(call, session, status)


def set_up(call: Call, session: JsonObject, intent: JsonObject) -> None:
    """A trial's (or a free start's) payment method is saved: it becomes the subscription's default."""
    subscription = call.edit("subscription", session["_subscription"])
    subscription["default_payment_method"] = intent["payment_method"]
    subscription["pending_setup_intent"] = None
    finish(call, session, subscription)


@reacts("invoice.payment_succeeded")
def activated(call: Call, invoice: JsonObject) -> None:
    """The first invoice was paid: the last of its events completes the session."""
    subscription = call.find("subscription", invoice.get("_subscription"))
    identifier = (subscription or {}).get("_session")
    session = call.find(completion.KIND, identifier) if identifier else None
    if session is None or subscription is None or session["status"] != "open":
        return
    if (
        subscription["status"] in ("active", "trialing")
        and session.get("_subscription") == subscription["id"]
    ):
        finish(call, call.edit(completion.KIND, session["id"]), subscription)
