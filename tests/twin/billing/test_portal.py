"""The customer portal's configurations and sessions; payment links; entitlements; feedback options."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import World, refused, types
from trialbalance.twin import Twin


@pytest.fixture
def world(client: Any) -> World:
    return World(client, clock=False)


class TestPortal:
    def test_without_settings(self, world: World) -> None:
        """Source: mozilla/fxa#13245, scosman/CMSaasStarter#55 (A60)."""
        portal = world.v1.billing_portal
        first = refused(lambda: portal.sessions.create({"customer": world.customer}))
        assert (first.http_status, first.error.type) == (400, "invalid_request_error")
        made = portal.configurations.create({"features": {"invoice_history": {"enabled": True}}})
        assert (made.is_default, made.features.invoice_history.enabled) == (False, True)
        given = {"customer": world.customer, "configuration": made.id}
        assert str(refused(lambda: portal.sessions.create(given)).user_message) == (
            "Your PortalConfiguration does not have a `default_return_url`, and you did not provide a `return_url`."
        )
        session = portal.sessions.create({**given, "return_url": "https://shop.example.test/account"})
        assert "/p/session/test_" in session.url
        assert (session.flow, session.customer) == (None, world.customer)

    def test_features_are_filled_and_changed(self, world: World) -> None:
        """Source: https://docs.stripe.com/api/customer_portal/configurations/create"""
        configurations = world.v1.billing_portal.configurations
        made = configurations.create(
            {
                "features": {
                    "subscription_cancel": {"enabled": True, "mode": "immediately"},
                    "customer_update": {"enabled": True, "allowed_updates": ["email"]},
                },
                "default_return_url": "https://shop.example.test/",
                "login_page": {"enabled": True},
            }
        )
        assert made.features.subscription_cancel.mode == "immediately"
        assert made.features.subscription_cancel.cancellation_reason.options == []
        assert made.features.subscription_update.enabled is False
        assert made.login_page.url
        changed = configurations.update(
            made.id, {"active": False, "features": {"subscription_cancel": {"enabled": False}}}
        )
        assert (changed.active, changed.features.subscription_cancel.mode) == (False, "immediately")
        assert changed.features.customer_update.allowed_updates == ["email"]
        assert [c.id for c in configurations.list({"active": False}).data] == [made.id]
        wrong = {"features": {"subscription_update": {"enabled": True}}}
        assert refused(lambda: configurations.create(wrong)).http_status == 400

    def test_flows_go_to_features_that_are_on(self, world: World) -> None:
        """Source: https://docs.stripe.com/customer-management/portal-deep-links"""
        subscription = world.subscribe(world.price())
        portal = world.v1.billing_portal
        made = portal.configurations.create(
            {
                "features": {"payment_method_update": {"enabled": True}},
                "default_return_url": "https://a.test/",
            }
        )
        given = {"customer": world.customer, "configuration": made.id}
        flow = {"type": "subscription_cancel", "subscription_cancel": {"subscription": subscription.id}}
        error = refused(lambda: portal.sessions.create({**given, "flow_data": flow}))
        assert "feature in the portal configuration is disabled" in str(error.user_message)
        portal.configurations.update(made.id, {"features": {"subscription_cancel": {"enabled": True}}})
        session = portal.sessions.create({**given, "flow_data": flow})
        assert session.flow.type == "subscription_cancel"
        assert session.flow.subscription_cancel.subscription == subscription.id
        assert session.flow.after_completion.type == "portal_homepage"
        missing = {"type": "subscription_cancel", "subscription_cancel": {"subscription": "sub_x"}}
        error = refused(lambda: portal.sessions.create({**given, "flow_data": missing}))
        assert error.error.param == "flow_data[subscription_cancel][subscription]"


class TestPaymentLinks:
    def test_a_link_for_one_payment(self, world: World, twin: Twin) -> None:
        """Source: https://docs.stripe.com/api/payment-link/create"""
        link = world.v1.payment_links.create(
            {
                "line_items": [{"price": world.price(2500, None), "quantity": 2}],
                "after_completion": {"type": "redirect", "redirect": {"url": "https://a.test/thanks"}},
                "metadata": {"a": "1"},
            }
        )
        assert "/test_" in link.url
        assert (link.active, link.currency, link.customer_creation) == (True, "usd", "if_required")
        assert (link.after_completion.redirect.url, link.subscription_data) == ("https://a.test/thanks", None)
        (line,) = world.v1.payment_links.line_items.list(link.id).data
        assert (line.amount_total, line.description) == (5000, "Seed box")
        assert types(twin)[-1] == "payment_link.created"
        off = world.v1.payment_links.update(link.id, {"active": False})
        assert off.active is False
        assert world.v1.payment_links.list({"active": True}).data == []

    def test_a_link_for_a_subscription(self, world: World) -> None:
        """Source: https://docs.stripe.com/api/payment-link/create"""
        link = world.v1.payment_links.create(
            {
                "line_items": [{"price": world.price(), "quantity": 1}],
                "subscription_data": {"trial_period_days": 7},
            }
        )
        assert (link.customer_creation, link.invoice_creation) == ("always", None)
        assert link.subscription_data.trial_period_days == 7
        error = refused(
            lambda: world.v1.payment_links.create(
                {
                    "line_items": [{"price": world.price(), "quantity": 1}],
                    "payment_intent_data": {"description": "x"},
                }
            )
        )
        assert error.error.param == "payment_intent_data"

    def test_a_link_opens_a_session(self, world: World, twin: Twin) -> None:
        """Source: https://docs.stripe.com/payment-links/create"""
        from trialbalance.twin.resources import payment_links

        made = world.v1.payment_links.create(
            {
                "line_items": [
                    {
                        "price": world.price(2500, None),
                        "quantity": 2,
                        "adjustable_quantity": {"enabled": True, "maximum": 5},
                    }
                ],
                "phone_number_collection": {"enabled": True},
            }
        )
        with twin.act() as call:
            link = payment_links.by_token(call, made.url.rsplit("/", 1)[1])
            assert link is not None
            given = payment_links.session_params(call, link)
        session = world.v1.checkout.sessions.create(given)
        assert (session.mode, session.amount_total) == ("payment", 5000)
        assert session.phone_number_collection.enabled is True


class TestEntitlements:
    def test_a_subscription_gives_its_products_features(self, world: World, twin: Twin) -> None:
        """Source: https://docs.stripe.com/billing/entitlements"""
        feature = world.v1.entitlements.features.create({"name": "Export", "lookup_key": "export"})
        again = {"name": "Other", "lookup_key": "export"}
        assert refused(lambda: world.v1.entitlements.features.create(again)).http_status == 400
        attached = world.v1.products.features.create(world.product, {"entitlement_feature": feature.id})
        assert attached.entitlement_feature.lookup_key == "export"
        active = world.v1.entitlements.active_entitlements
        assert active.list({"customer": world.customer}).data == []
        subscription = world.subscribe(world.price())
        (entry,) = active.list({"customer": world.customer}).data
        assert (entry.feature, entry.lookup_key) == (feature.id, "export")
        assert active.retrieve(entry.id).id == entry.id
        told = twin.request("GET", "/v1/events", {"type": "entitlements.active_entitlement_summary.updated"})
        (event,) = told.json()["data"]
        assert event["data"]["object"]["entitlements"]["data"][0]["lookup_key"] == "export"
        world.v1.subscriptions.cancel(subscription.id)
        assert active.list({"customer": world.customer}).data == []
        world.v1.products.features.delete(world.product, attached.id)
        assert world.v1.products.features.list(world.product).data == []
        archived = world.v1.entitlements.features.update(feature.id, {"active": False})
        assert [f.id for f in world.v1.entitlements.features.list({"archived": True}).data] == [archived.id]


def test_feedback_options(world: World) -> None:
    """Source: https://docs.stripe.com/api/billing/feedback-options"""
    options = world.v1.billing.feedback_options
    made = options.create({"description": "Moved away"})
    subscription = world.subscribe(world.price())
    canceled = world.v1.subscriptions.cancel(
        subscription.id, {"cancellation_details": {"feedback_option": made.id, "comment": "bye"}}
    )
    assert canceled.cancellation_details.feedback_option == made.id
    assert canceled.cancellation_details.comment == "bye"
    assert options.deactivate(made.id).status == "inactive"
    assert options.list({"status": "active"}).data == []
