"""Usage records and their summaries; basil removed them in favor of meters.

Source: https://docs.stripe.com/api/usage_records/create?api-version=2024-10-28.acacia
Source: https://docs.stripe.com/api/usage-record-summary/object?api-version=2024-10-28.acacia
Source: https://docs.stripe.com/changelog/basil/2025-03-31/deprecate-legacy-usage-based-billing
"""

from __future__ import annotations

from trialbalance.twin.billing import items, recording, totals
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import subscription_items
from trialbalance.twin.wire.call import Call, own_endpoint

_RECORD = {
    "hash": {
        "action": {"enum": ["increment", "set"]},
        "expand": {"array": "str"},
        "quantity": "int",
        "timestamp": {"union": [{"enum": ["now"]}, "int"]},
    },
    "required": ["quantity"],
}
_PAGE = {
    "hash": {"ending_before": "str", "expand": {"array": "str"}, "limit": "int", "starting_after": "str"}
}


@own_endpoint("POST /v1/subscription_items/{item}/usage_records", _RECORD)
def create(call: Call) -> JsonObject:
    """Write down what was used: now, or at a moment of the current period.

    The wordings of refusals are not documented.
    """
    item = _recorded(call)
    subscription = call.get("subscription", item["subscription"])
    if subscription["status"] in ("canceled", "incomplete_expired"):
        raise InvalidRequest("Cannot create usage records for a subscription that is canceled.")
    now = call.now_of(subscription)
    given = call.params.get("timestamp", "now")
    at = now if given == "now" else given
    if at > now:
        raise InvalidRequest(
            "Cannot create the usage record with this timestamp because it is in the future.",
            param="timestamp",
        )
    if at < item["current_period_start"]:
        raise InvalidRequest(
            "Cannot create the usage record with this timestamp because timestamps must be after the "
            f"subscription's last invoice period (or current period start date), {item['current_period_start']}.",
            param="timestamp",
        )
    quantity = call.params["quantity"]
    if quantity < 0:
        raise InvalidRequest("This value must be greater than or equal to 0.", param="quantity")
    overwrite = call.params.get("action", "increment") == "set"
    return {
        "id": call.new_id("mbur"),
        "object": "usage_record",
        "livemode": False,
        "quantity": recording.record(call, item["id"], at, quantity, overwrite=overwrite),
        "subscription_item": item["id"],
        "timestamp": at,
    }


@own_endpoint("GET /v1/subscription_items/{item}/usage_record_summaries", _PAGE)
def summaries(call: Call) -> JsonObject:
    """What was used in each period, newest first; the first one has not ended yet."""
    item = _recorded(call)
    billed: dict[Period, str] = {}
    for line in call.ledger.all(call.account, totals.LINE):
        if line.get("_metered") and line.get("_subscription_item") == item["id"]:
            billed[Period(line["period"]["start"], line["period"]["end"])] = line["invoice"]
    billed.setdefault(items.period_of(item), "")
    found = [
        {
            "id": f"sis_{item['id'][3:]}{period.start:010}",
            "object": "usage_record_summary",
            "invoice": invoice or None,
            "livemode": False,
            "period": {"end": period.end, "start": period.start},
            "subscription_item": item["id"],
            "total_usage": recording.total(call, item, period),
        }
        for period, invoice in sorted(billed.items(), reverse=True)
    ]
    return call.page_of(found, url=f"/v1/subscription_items/{item['id']}/usage_record_summaries")


def _recorded(call: Call) -> JsonObject:
    """The item, when its usage is recorded rather than metered."""
    item = subscription_items.found(call)
    if not items.metered(item):
        raise InvalidRequest(f"The subscription item {item['id']} is not on a metered price.")
    if item["price"]["recurring"]["meter"] is not None:
        raise InvalidRequest(
            f"The price of the subscription item {item['id']} is backed by a meter; report usage with meter events."
        )
    return item
