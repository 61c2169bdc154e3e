"""Subscriptions: lists and searches.

Source: https://docs.stripe.com/api/subscriptions/list
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing import states
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.resources.subscriptions import fresh
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.search import search
from trialbalance.twin.wire.validate import Params

KIND = "subscription"
SEARCH_FIELDS = {
    "created": "numeric",
    "metadata": "metadata",
    "status": "string",
    "canceled_at": "numeric",
}


@endpoint("GET /v1/subscriptions")
def list_(call: Call) -> JsonObject:
    """Subscriptions, newest first: those that are not canceled, unless a status is asked for.

    Those on a test clock only show for a named customer or clock.
    """
    params = call.params
    status = params.get("status")
    wanted = {name: _range(params.get(name)) for name in ("current_period_start", "current_period_end")}
    price = params.get("price") or params.get("plan")
    if params.get("price"):
        call.get("price", params["price"], param="price")
    clock = params.get("test_clock")
    customer = params.get("customer") or params.get("customer_account")
    if params.get("plan"):
        params.ignore("plan")
    tax = params.get("automatic_tax")
    enabled = tax["enabled"] if tax else None

    def keep(subscription: JsonObject) -> bool:
        if not _in_status(subscription, status):
            return False
        if clock is None and customer is None and subscription["test_clock"] is not None:
            return False
        data = subscription["items"]["data"]
        if price is not None and all(item["price"]["id"] != price for item in data):
            return False
        if enabled is not None and subscription["automatic_tax"]["enabled"] != enabled:
            return False
        for name, test in wanted.items():
            if test is not None and not any(_within(item[name], test) for item in data):
                return False
        return True

    where = {
        "customer": customer,
        "collection_method": params.get("collection_method"),
        "test_clock": clock,
    }
    return call.list(KIND, where=where, keep=keep, show=lambda subscription: fresh(call, subscription))


def _in_status(subscription: JsonObject, status: str | None) -> bool:
    if status == "all":
        return True
    if status == "ended":
        return subscription["status"] in states.ENDED
    if status is None:
        return bool(subscription["status"] not in states.ENDED)
    return bool(subscription["status"] == status)


def _range(given: Any) -> dict[str, int] | None:
    if given is None:
        return None
    if isinstance(given, Params):
        return {name: int(given[name]) for name in list(given)}
    return {"gte": int(given), "lte": int(given)}


def _within(value: int, test: dict[str, int]) -> bool:
    return (
        value > test.get("gt", value - 1)
        and value >= test.get("gte", value)
        and value < test.get("lt", value + 1)
        and value <= test.get("lte", value)
    )


@endpoint("GET /v1/subscriptions/search")
def search_(call: Call) -> JsonObject:
    """Subscriptions that answer a query.

    Source: https://docs.stripe.com/search#query-fields-for-subscriptions
    """
    return search(call, KIND, SEARCH_FIELDS)
