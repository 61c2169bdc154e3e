"""Subscriptions as the recorded test-mode API answered (2026-08-26.dahlia): fields, errors, small movements.

The facts come from recorded answers; the requests and words of these tests are our own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World, refused
from trialbalance.twin import Twin

MONTH = 30 * DAY
FIELDS = [
    "application", "application_fee_percent", "automatic_tax", "billing_cycle_anchor",
    "billing_cycle_anchor_config", "billing_mode", "billing_schedules", "billing_thresholds", "cancel_at",
    "cancel_at_period_end", "canceled_at", "cancellation_details", "collection_method", "created", "currency",
    "customer", "customer_account", "days_until_due", "default_payment_method", "default_source",
    "default_tax_rates", "description", "discounts", "ended_at", "invoice_settings", "items", "latest_invoice",
    "livemode", "managed_payments", "metadata", "next_pending_invoice_item_invoice", "on_behalf_of",
    "pause_collection", "payment_settings", "pending_invoice_item_interval", "pending_setup_intent",
    "pending_update", "plan", "quantity", "schedule", "start_date", "status", "test_clock", "transfer_data",
    "trial_end", "trial_settings", "trial_start",
]  # fmt: skip
ITEM_FIELDS = [
    "billing_thresholds", "created", "current_period_end", "current_period_start", "current_trial", "discounts",
    "metadata", "plan", "price", "quantity", "subscription", "tax_rates",
]  # fmt: skip


@pytest.fixture
def world(at_version: Callable[[str], Any]) -> World:
    return World(at_version("2026-08-26.dahlia"))


@pytest.fixture
def poor(at_version: Callable[[str], Any]) -> World:
    """A customer without anything to charge."""
    return World(at_version("2026-08-26.dahlia"), card=None)


class TestShape:
    def test_the_fields_of_a_plain_subscription(self, world: World, twin: Twin) -> None:
        made = world.subscribe(world.price())
        shown = twin.request("GET", f"/v1/subscriptions/{made.id}", version="2026-08-26.dahlia").json()
        extra = {"status_details"}  # newer than the recording
        assert [n for n in shown if n not in {"id", "object", *extra}] == FIELDS
        (item,) = shown["items"]["data"]
        assert [n for n in item if n not in ("id", "object")] == ITEM_FIELDS
        assert shown["items"]["url"] == f"/v1/subscription_items?subscription={made.id}"
        assert shown["items"]["total_count"] == 1
        assert shown["billing_mode"] == {
            "flexible": {"proration_discounts": "included"},
            "type": "flexible",
            "updated_at": START,
        }
        assert shown["cancellation_details"] == {
            "comment": None, "feedback": None, "feedback_option": None, "reason": None,
        }  # fmt: skip
        assert shown["invoice_settings"]["issuer"] == {"type": "self"}
        assert shown["payment_settings"] == {
            "payment_method_options": None,
            "payment_method_types": None,
            "save_default_payment_method": "off",
        }
        end_behavior = shown["trial_settings"]["end_behavior"]
        assert end_behavior["missing_payment_method"] == "create_invoice"
        assert (shown["plan"]["id"], shown["quantity"]) == (item["price"]["id"], 1)
        assert (shown["managed_payments"], shown["discounts"]) == ({"enabled": False}, [])

    def test_two_items_have_no_plan_at_the_top(self, world: World, twin: Twin) -> None:
        made = world.subscribe(world.price(), world.price(2000))
        shown = twin.request("GET", f"/v1/subscriptions/{made.id}").json()
        assert (shown["plan"], shown["quantity"]) == (None, None)


class TestCreate:
    def test_nothing_to_charge(self, poor: World) -> None:
        price = poor.price()
        error = refused(lambda: poor.subscribe(price))
        assert (error.http_status, error.code, error.error.param) == (400, "resource_missing", None)
        assert str(error.user_message).startswith(
            "This customer has no attached payment source or default payment method. Please consider adding"
        )
        assert poor.v1.subscriptions.list({"customer": poor.customer, "status": "all"}).data == []
        sent = poor.subscribe(price, collection_method="send_invoice", days_until_due=30)
        assert sent.status == "active"

    def test_a_trial_without_a_card_asks_for_one(self, poor: World) -> None:
        made = poor.subscribe(poor.price(), trial_period_days=7, expand=["latest_invoice"])
        assert made.pending_setup_intent.startswith("seti_")
        assert made.latest_invoice.amount_due == 0

    def test_a_card_that_needs_its_holder(self, poor: World) -> None:
        poor.pay_with("pm_card_authenticationRequired")
        price = poor.price()
        assert poor.subscribe(price).status == "incomplete"
        error = refused(lambda: poor.subscribe(price, payment_behavior="error_if_incomplete"))
        assert (error.http_status, error.code) == (402, "subscription_payment_intent_requires_action")
        assert str(error.user_message).startswith(
            "Payment for this subscription requires additional user action, but the requested payment behavior "
            "doesn't save the invoice or PaymentIntent."
        )
        assert error.error.doc_url is None
        assert len(poor.v1.subscriptions.list({"customer": poor.customer, "status": "all"}).data) == 1

    @pytest.mark.parametrize(
        ("change", "param", "message"),
        [
            (
                {"payment_behavior": "pending_if_incomplete"},
                "payment_behavior",
                "Setting `payment_behavior` to `pending_if_incomplete` has no effect when creating a subscription.",
            ),
            (
                {"days_until_due": 30},
                None,
                "You can only specify 'days_until_due' if invoice collection method is 'send_invoice'.",
            ),
            (
                {"trial_end": 1000},
                "trial_end",
                "The parameter `trial_end` expects a unix timestamp representing a date and time in the future. You "
                "specified the value `1000` which is in the past.",
            ),
            (
                {"trial_end": START + DAY, "trial_from_plan": True},
                None,
                "You cannot set `trial_end` or `trial_period_days` when `trial_from_plan=true`.",
            ),
            (
                {"payment_behavior": "later"},
                "payment_behavior",
                "Invalid payment_behavior: must be one of allow_incomplete, error_if_incomplete, "
                "pending_if_incomplete, or default_incomplete",
            ),
            ({"items": []}, "items", "Missing required param: items."),
            ({"items": [{"price": "price_nope"}]}, "items[0][price]", "No such price: 'price_nope'"),
        ],
    )
    def test_what_is_refused(
        self, world: World, change: dict[str, Any], param: str | None, message: str
    ) -> None:
        given = {"customer": world.customer, "items": [{"price": world.price()}], **change}
        error = refused(lambda: world.v1.subscriptions.create(given))
        assert error.http_status == 400
        assert (error.error.param, error.user_message) == (param, message)

    def test_an_unknown_customer_is_not_found(self, world: World) -> None:
        given = {"customer": "cus_nope", "items": [{"price": world.price()}]}
        error = refused(lambda: world.v1.subscriptions.create(given))
        assert (error.http_status, error.error.param) == (404, "customer")

    def test_the_same_price_twice(self, world: World) -> None:
        price = world.price()
        error = refused(lambda: world.subscribe(price, price))
        assert error.error.param == "plan"
        assert error.user_message == (
            f"Cannot create a Subscription with multiple Subscription Items with the same Price: {price}"
        )

    def test_unknown_status_names_all(self, world: World) -> None:
        error = refused(lambda: world.v1.subscriptions.list({"status": "dead"}))
        assert str(error.user_message).endswith(
            "must be one of active, past_due, unpaid, canceled, incomplete, incomplete_expired, trialing, paused, "
            "all, or ended"
        )


class TestLater:
    def test_cancel_at_period_end(self, world: World) -> None:
        made = world.subscribe(world.price())
        ending = world.v1.subscriptions.update(made.id, {"cancel_at_period_end": True})
        assert ending.cancellation_details.reason == "cancellation_requested"
        going = world.v1.subscriptions.update(made.id, {"cancel_at_period_end": False})
        assert going.cancellation_details.reason is None

    def test_a_trial_is_ended_by_hand(self, world: World) -> None:
        made = world.subscribe(world.price(), trial_period_days=14)
        world.advance(START + 3 * DAY)
        ended = world.v1.subscriptions.update(made.id, {"trial_end": "now", "expand": ["latest_invoice"]})
        assert (ended.status, ended.billing_cycle_anchor, ended.trial_end) == (
            "active", world.now, world.now - 1)  # fmt: skip
        item = ended["items"].data[0]
        assert (item.current_period_start, item.current_period_end) == (world.now, world.now + 30 * DAY)
        assert ended.latest_invoice.total == 1000

    def test_a_trial_ended_without_a_card_pauses(self, poor: World) -> None:
        settings = {"end_behavior": {"missing_payment_method": "pause"}}
        made = poor.subscribe(poor.price(), trial_period_days=14, trial_settings=settings)
        poor.advance(START + 3 * DAY)
        paused = poor.v1.subscriptions.update(made.id, {"trial_end": "now"})
        assert (paused.status, paused.billing_cycle_anchor) == ("paused", poor.now)
        assert paused.trial_end == poor.now - 1
        item = paused["items"].data[0]
        assert (item.current_period_start, item.current_period_end) == (START, poor.now)
        assert paused.latest_invoice == made.latest_invoice
        resumed = poor.v1.subscriptions.resume(made.id)
        assert resumed.status == "paused"
        assert resumed.latest_invoice != made.latest_invoice
        waiting = resumed.pending_update
        assert waiting.expires_at == poor.now + 82800
        assert (waiting.subscription_items, waiting.billing_cycle_anchor, waiting.trial_end) == (
            None, None, None)  # fmt: skip
        again = resumed["items"].data[0]
        assert (again.current_period_start, again.current_period_end) == (START, poor.now)

    def test_a_canceled_subscription(self, world: World) -> None:
        made = world.subscribe(world.price())
        canceled = world.v1.subscriptions.cancel(made.id)
        assert (canceled.status, canceled.canceled_at, canceled.ended_at) == ("canceled", START, START)
        assert (canceled.cancel_at, canceled.cancellation_details.reason) == (None, "cancellation_requested")
        for act in (world.v1.subscriptions.cancel, world.v1.subscriptions.resume):
            error = refused(lambda act=act: act(made.id))
            assert (error.http_status, error.error.param) == (404, "id")
            assert error.user_message == f"No such subscription: '{made.id}'"
        changed = world.v1.subscriptions.update(
            made.id, {"metadata": {"a": "1"}, "cancellation_details": {"comment": "bye"}}
        )
        assert changed.cancellation_details.comment == "bye"
        error = refused(lambda: world.v1.subscriptions.update(made.id, {"description": "x"}))
        assert (error.code, error.error.param) == ("invalid_canceled_subscription_fields", None)
        assert error.user_message == (
            "A canceled subscription can only update its cancellation_details and metadata."
        )

    def test_items_of_their_own(self, world: World) -> None:
        made = world.subscribe(world.price())
        error = refused(lambda: world.v1.subscription_items.retrieve("si_nope"))
        assert (error.http_status, error.code, error.error.param) == (404, None, None)
        assert error.user_message == "Invalid subscription_item id: si_nope"
        error = refused(lambda: world.v1.subscription_items.list({}))
        assert error.user_message == "Missing required param: subscription."
        second = world.v1.subscription_items.create({"subscription": made.id, "price": world.price(500)})
        listed = world.v1.subscription_items.list({"subscription": made.id})
        assert [item.id for item in listed.data] == [world.item(made), second.id]
        assert listed.url == f"/v1/subscription_items?subscription={made.id}"
        changed = world.v1.subscription_items.update(second.id, {"quantity": 3, "metadata": {"a": "1"}})
        assert (changed.quantity, changed.metadata["a"]) == (3, "1")
        assert world.v1.subscription_items.delete(second.id).deleted is True
        error = refused(lambda: world.v1.subscription_items.delete(world.item(made)))
        assert error.http_status == 400

    def test_lists(self, world: World) -> None:
        price, other = world.price(), world.price(2000)
        first, second = world.subscribe(price), world.subscribe(other)
        world.v1.subscriptions.cancel(first.id)

        def listed(**where: Any) -> list[str]:
            given = {"customer": world.customer, **where}
            return [s.id for s in world.v1.subscriptions.list(given).data]

        assert listed() == [second.id]
        assert listed(status="all") == [second.id, first.id]
        assert listed(status="canceled") == listed(status="ended") == [first.id]
        assert listed(price=other) == [second.id]
        assert listed(price=price) == []
        assert listed(current_period_end={"gt": START + 40 * DAY}) == []
        assert listed(current_period_end={"gte": START + 30 * DAY}) == [second.id]
        assert listed(collection_method="send_invoice") == []
