"""Entitlements: the features that a customer's running subscriptions give, through their products.

Source: https://docs.stripe.com/billing/entitlements
"""

from __future__ import annotations

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, reacts

FEATURE = "entitlements.feature"
PRODUCT_FEATURE = "product_feature"
ACTIVE = "entitlements.active_entitlement"
SUMMARY = "entitlements.active_entitlement_summary"
GRANTING = ("active", "trialing", "past_due")


def of(call: Call, customer: str) -> list[JsonObject]:
    """A customer's active entitlements, oldest first."""
    return list(call.ledger.all(call.account, ACTIVE, customer=customer))


def wanted(call: Call, customer: str) -> list[str]:
    """The features that the customer's subscriptions give now, in the order in which they are found."""
    found: list[str] = []
    for subscription in call.ledger.all(call.account, "subscription", customer=customer):
        if subscription["status"] not in GRANTING:
            continue
        for item in subscription["items"]["data"]:
            for entry in call.ledger.all(call.account, PRODUCT_FEATURE, product=item["price"]["product"]):
                if entry["_feature"] not in found:
                    found.append(entry["_feature"])
    return found


@reacts("customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted")
def refresh(call: Call, subscription: JsonObject) -> None:
    """A subscription changed: give and take entitlements, and tell when they differ."""
    if not any(True for _ in call.ledger.all(call.account, PRODUCT_FEATURE)):
        return
    customer = subscription["customer"]
    now = wanted(call, customer)
    before = {entry["_feature"]: entry for entry in of(call, customer)}
    if set(now) == set(before):
        return
    for feature, entry in before.items():
        if feature not in now:
            call.ledger.delete(call.account, ACTIVE, entry["id"])
    for feature in now:
        if feature not in before:
            known = call.get(FEATURE, feature)
            entry = call.new(ACTIVE, "ent_test", feature=feature, lookup_key=known["lookup_key"])
            entry["_feature"] = feature
            entry["customer"] = customer
            call.insert(entry)
    call.emit(f"{SUMMARY}.updated", summary(call, customer))


def shown(entry: JsonObject) -> JsonObject:
    """An entitlement as the API shows it."""
    return {name: value for name, value in entry.items() if name != "customer" and name[:1] != "_"}


def summary(call: Call, customer: str) -> JsonObject:
    """What the event about a customer's entitlements holds."""
    entries = [shown(entry) for entry in of(call, customer)]
    return {
        "object": SUMMARY,
        "customer": customer,
        "entitlements": {
            "object": "list",
            "data": entries[:10],
            "has_more": len(entries) > 10,
            "url": f"/v1/customer/{customer}/entitlements",
        },
        "livemode": False,
    }
