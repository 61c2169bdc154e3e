"""Subscription items as a resource of their own: each change is a change of the subscription.

Source: https://docs.stripe.com/api/subscription_items
"""

from __future__ import annotations

from trialbalance.twin.billing import items, updating
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import subscription_changes
from trialbalance.twin.resources import subscription_fields as fields
from trialbalance.twin.wire.call import Call, endpoint

KIND = items.KIND


@endpoint("POST /v1/subscription_items")
def create(call: Call) -> JsonObject:
    """Add an item to a subscription."""
    params = call.params
    subscription = _open(call, call.edit("subscription", params["subscription"], param="subscription"))
    before = set(subscription["_items"])
    now = call.now_of(subscription)
    change = fields.item_change(
        call,
        params,
        "",
        customer=subscription["customer"],
        currency=subscription["currency"],
        now=now,
    )
    _carry_out(call, subscription, change, now)
    made = next((name for name in subscription["_items"] if name not in before), None)
    if made is None:
        waiting = subscription["pending_update"]["subscription_items"]
        pending: JsonObject = waiting[-1]
        return pending
    return call.get(KIND, made)


@endpoint("GET /v1/subscription_items/{item}")
def retrieve(call: Call) -> JsonObject:
    """One item."""
    return found(call)


@endpoint("POST /v1/subscription_items/{item}")
def update(call: Call) -> JsonObject:
    """Change an item's price, quantity, discounts, tax rates or metadata."""
    item = found(call)
    subscription = _open(call, call.edit("subscription", item["subscription"]))
    now = call.now_of(subscription)
    change = fields.item_change(
        call,
        call.params,
        "",
        customer=subscription["customer"],
        currency=subscription["currency"],
        now=now,
        known=item,
    )
    call.params.ignore("off_session")
    _carry_out(call, subscription, change, now)
    return call.get(KIND, item["id"])


@endpoint("DELETE /v1/subscription_items/{item}")
def delete(call: Call) -> JsonObject:
    """Remove an item; a subscription keeps at least one."""
    item = found(call)
    subscription = _open(call, call.edit("subscription", item["subscription"]))
    change = updating.ItemChange(
        id=item["id"], deleted=True, clear_usage=bool(call.params.get("clear_usage"))
    )
    _carry_out(call, subscription, change, call.now_of(subscription))
    return call.deleted_stub(item)


@endpoint("GET /v1/subscription_items")
def list_(call: Call) -> JsonObject:
    """A subscription's items, oldest first."""
    identifier = call.params["subscription"]
    subscription = call.get("subscription", identifier, param="subscription")
    return call.page_of(items.of(call, subscription), url=f"/v1/subscription_items?subscription={identifier}")


def found(call: Call) -> JsonObject:
    """The item that the path names.

    Raises:
        InvalidRequest: 404, there is none.
    """
    identifier = call.path["item"]
    item = call.find(KIND, identifier)
    if item is None:
        error = InvalidRequest(f"Invalid subscription_item id: {identifier}")
        error.status = 404
        raise error
    return item


def _open(call: Call, subscription: JsonObject) -> JsonObject:
    if subscription["status"] in ("canceled", "incomplete_expired"):
        raise InvalidRequest(
            "A canceled subscription can only update its cancellation_details and metadata.",
            code="invalid_canceled_subscription_fields",
        )
    return subscription


def _carry_out(call: Call, subscription: JsonObject, item: updating.ItemChange, now: int) -> None:
    params = call.params
    change = updating.Change(items=[item], behavior=params.get("proration_behavior", "create_prorations"))
    if params.get("proration_date") is not None:
        subscription_changes.check_date(subscription, params["proration_date"])
        change["at"] = params["proration_date"]
    behavior = params.get("payment_behavior", "allow_incomplete")
    subscription_changes.carry_out(call, subscription, change, now=now, behavior=behavior)
