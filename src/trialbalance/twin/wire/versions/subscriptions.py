"""What changed in how subscriptions, their schedules and their invoices are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from trialbalance.twin.wire.versions.base import VersionChange

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call

CREATE = "POST /v1/subscriptions"
UPDATE = "POST /v1/subscriptions/{subscription_exposed_id}"
CANCEL = "DELETE /v1/subscriptions/{subscription_exposed_id}"
RESUME = "POST /v1/subscriptions/{subscription}/resume"
PREVIEW = "POST /v1/invoices/create_preview"
SCHEDULE = "POST /v1/subscription_schedules"
RESCHEDULE = "POST /v1/subscription_schedules/{schedule}"
ITEM = "POST /v1/subscription_items"
CHANGE_ITEM = "POST /v1/subscription_items/{item}"
DELETE_ITEM = "DELETE /v1/subscription_items/{item}"


def rows(value: Any) -> Iterator[dict[str, Any]]:
    """The hashes of a list parameter, which may have come as a hash with digits."""
    found = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for row in found:
        if isinstance(row, dict):
            yield row


class AnchorsHaveAType(VersionChange):
    """`billing_cycle_anchor` was a word, and in previews a word or a time."""

    version = "2026-09-30.endive"
    description = "`billing_cycle_anchor` of updates, resumptions and previews is a hash with a type"
    source = "https://docs.stripe.com/changelog/endive/2026-09-30/polymorphic-billing-cycle-anchor"
    endpoints = (UPDATE, RESUME, PREVIEW)

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        holder = params
        if endpoint == PREVIEW:
            details = params.get("subscription_details")
            holder = details if isinstance(details, dict) else {}
        given = holder.get("billing_cycle_anchor")
        if given in (None, "") or isinstance(given, dict):
            return
        if str(given).isdigit() and endpoint == PREVIEW:
            holder["billing_cycle_anchor"] = {"type": "timestamp", "timestamp": given}
        else:
            holder["billing_cycle_anchor"] = {"type": given}


class ResumingTriesOnce(VersionChange):
    """A resumed subscription stayed paused until its invoice was paid."""

    version = "2026-09-30.endive"
    description = "Resuming a subscription is done with the first payment attempt unless asked otherwise"
    source = "https://docs.stripe.com/api/subscriptions/resume#resume_subscription-payment_behavior"
    endpoints = (RESUME,)

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        params.setdefault("payment_behavior", "resume_on_payment_success")


class FlexibleBillingByDefault(VersionChange):
    """Subscriptions billed in classic mode unless asked otherwise."""

    version = "2025-09-30.clover"
    description = "New subscriptions bill in flexible mode by default"
    source = "https://docs.stripe.com/changelog/clover/2025-09-30/billing-mode-flexible-default"
    endpoints = (
        CREATE,
        SCHEDULE,
        PREVIEW,
        "POST /v1/checkout/sessions",
        "POST /v1/quotes",
        "POST /v1/payment_links",
    )

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        classic = {"type": "classic"}
        if endpoint in (CREATE, SCHEDULE):
            if not params.get("from_subscription"):
                params.setdefault("billing_mode", classic)
        elif endpoint == PREVIEW:
            details = params.get("subscription_details")
            if isinstance(details, dict) and details.get("items") and not params.get("subscription"):
                details.setdefault("billing_mode", classic)
            planned = params.get("schedule_details")
            if isinstance(planned, dict) and not params.get("schedule"):
                planned.setdefault("billing_mode", classic)
        elif endpoint == "POST /v1/quotes" or self._recurs(call, params, endpoint):
            self._nested(params, classic)

    @staticmethod
    def _nested(params: dict[str, Any], classic: dict[str, Any]) -> None:
        data = params.setdefault("subscription_data", {})
        if isinstance(data, dict):
            data.setdefault("billing_mode", classic)

    @staticmethod
    def _recurs(call: Call, params: dict[str, Any], endpoint: str) -> bool:
        if endpoint != "POST /v1/payment_links":
            return params.get("mode") == "subscription"
        for row in rows(params.get("line_items")):
            price = call.find("price", row.get("price"))
            if (price is not None and price["recurring"]) or (row.get("price_data") or {}).get("recurring"):
                return True
        return False


class PhasesHaveDurations(VersionChange):
    """A schedule's phase said for how many periods it goes on."""

    version = "2025-09-30.clover"
    description = "Replaces `iterations` of schedule phases with `duration`"
    source = "https://docs.stripe.com/changelog/clover/2025-09-30/remove-iterations-parameter"
    endpoints = (SCHEDULE, RESCHEDULE, PREVIEW)

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        holder = params.get("schedule_details") if endpoint == PREVIEW else params
        for phase in rows(holder.get("phases") if isinstance(holder, dict) else None):
            count = phase.pop("iterations", None)
            if count is not None:
                interval, times = self._interval(call, phase)
                phase["duration"] = {"interval": interval, "interval_count": int(count) * times}

    @staticmethod
    def _interval(call: Call, phase: dict[str, Any]) -> tuple[str, int]:
        """Interval and count of the phase's first price."""
        for item in rows(phase.get("items")):
            price = call.find("price", item.get("price") or item.get("plan"))
            recurring = (
                price["recurring"] if price is not None else (item.get("price_data") or {}).get("recurring")
            )
            if recurring:
                return recurring["interval"], int(recurring.get("interval_count", 1))
        return "month", 1


class PlansAtTheTop(VersionChange):
    """A subscription with one plan was made and changed with `plan` and `quantity`, without `items`."""

    version = "2025-03-31.basil"
    description = "Removes `plan` and `quantity` from the parameters of subscriptions; `items` has them"
    source = "https://docs.stripe.com/billing/subscriptions/multiple-products#single-product"
    endpoints = (CREATE, UPDATE)
    accepts: ClassVar[dict[str, dict[str, Any]]] = {
        name: {"plan": "str", "quantity": "int"} for name in (CREATE, UPDATE)
    }

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        if params.get("items"):
            return
        given = {name: params.pop(name) for name in ("plan", "quantity") if name in params}
        if not given:
            return
        item = {"price" if name == "plan" else name: value for name, value in given.items()}
        if endpoint == UPDATE:
            subscription = call.find("subscription", call.path["subscription_exposed_id"])
            if subscription is not None:
                item["id"] = subscription["_items"][0]
        params["items"] = [item]


class PendingItemsLeftOut(VersionChange):
    """A new invoice took the customer's pending items unless told not to."""

    version = "2022-08-01"
    description = "`pending_invoice_items_behavior` of new invoices is `exclude` by default"
    source = "https://docs.stripe.com/upgrades#2022-08-01"
    endpoints = ("POST /v1/invoices",)

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        if not params.get("from_invoice"):
            params.setdefault("pending_invoice_items_behavior", "include")


class ProrationBehaviorReplacesProrate(VersionChange):
    """Whether to prorate was yes or no."""

    version = "2020-08-27"
    description = "Replaces `prorate` of subscriptions and their items with `proration_behavior`"
    source = "https://docs.stripe.com/upgrades#2020-08-27"
    endpoints = (CREATE, UPDATE, ITEM, CHANGE_ITEM, DELETE_ITEM)
    accepts: ClassVar[dict[str, dict[str, Any]]] = {
        name: {"prorate": "bool"} for name in (CREATE, UPDATE, ITEM, CHANGE_ITEM, DELETE_ITEM)
    }

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        given = params.pop("prorate", None)
        if given is not None:
            wanted = str(given).lower() == "true"
            params.setdefault("proration_behavior", "create_prorations" if wanted else "none")


class CollectionMethodReplacesBilling(VersionChange):
    """`collection_method` of subscriptions and invoices was called `billing`."""

    version = "2019-10-17"
    description = "Renames `billing` of subscriptions and invoices to `collection_method`"
    source = "https://docs.stripe.com/changelog/2019-10-17"
    kinds = ("subscription", "invoice")
    endpoints = (CREATE, UPDATE, "POST /v1/invoices", "POST /v1/invoices/{invoice}")
    accepts: ClassVar[dict[str, dict[str, Any]]] = {
        name: {"billing": "str"}
        for name in (CREATE, UPDATE, "POST /v1/invoices", "POST /v1/invoices/{invoice}")
    }

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        if "billing" in params:
            params["collection_method"] = params.pop("billing")

    def response(self, call: Call, obj: dict[str, Any]) -> None:
        obj["billing"] = obj.pop("collection_method", None)


class FailedFirstPayments(VersionChange):
    """A subscription whose first payment failed was not made at all."""

    version = "2019-03-14"
    description = "A failed first payment leaves the subscription incomplete instead of refusing the request"
    source = "https://docs.stripe.com/changelog/2019-03-14"
    endpoints = (CREATE,)

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        params.setdefault("payment_behavior", "error_if_incomplete")
