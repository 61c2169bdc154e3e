"""Settings that only the Dashboard has: what follows failed payments, when drafts finalize, the default portal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.twin.billing.world import DAY, START, World
from trialbalance.twin import Twin
from trialbalance.twin.billing import dashboard

HOUR = 3600
MAY = START + 30 * DAY


@pytest.mark.parametrize("wish", ["cancel", "unpaid", "past_due"])
def test_what_follows_when_all_tries_failed(client: Any, twin: Twin, wish: str) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/overview#settings"""
    held = dashboard.write(twin, {"billing": {"after_retries": wish, "retry_days": [1, 2]}})
    assert (held["billing"]["after_retries"], held["billing"]["finalize_after"]) == (wish, 3600)
    world = World(client)
    subscription = world.subscribe(world.price())
    world.pay_with("pm_card_chargeCustomerFail")
    world.advance(MAY + 3 * DAY)
    assert world.read(subscription).status == {"cancel": "canceled"}.get(wish, wish)
    assert world.invoices(subscription)[-1].attempt_count == 3
    world.advance(MAY + 33 * DAY)
    drafts = [invoice for invoice in world.invoices(subscription) if invoice.status == "draft"]
    assert len(drafts) == (1 if wish == "unpaid" else 0)


def test_drafts_may_wait_longer(client: Any, twin: Twin) -> None:
    """Source: https://docs.stripe.com/invoicing/integration/automatic-advancement-collection"""
    dashboard.write(twin, {"billing": {"finalize_after": 2 * DAY}})
    world = World(client)
    subscription = world.subscribe(world.price())
    world.advance(MAY + DAY)
    assert world.invoices(subscription)[-1].status == "draft"
    world.advance(MAY + 3 * DAY)
    assert world.invoices(subscription)[-1].status == "paid"


def test_a_default_portal(client: Any, twin: Twin) -> None:
    """Source: https://docs.stripe.com/customer-management/configure-portal"""
    world = World(client, clock=False)
    features = {"features": {"invoice_history": {"enabled": True}}, "default_return_url": "https://a.test/"}
    held = dashboard.write(twin, {"portal": features})
    session = world.v1.billing_portal.sessions.create({"customer": world.customer})
    assert session.configuration == held["portal"]
    again = dashboard.write(twin, {"portal": features})
    defaults = world.v1.billing_portal.configurations.list({"is_default": True}).data
    assert [found.id for found in defaults] == [again["portal"]]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"colour": 1}, "'colour' cannot be set here"),
        ({"billing": {"speed": 1}}, "there is no billing setting 'speed'"),
        ({"billing": {"after_retries": "forget"}}, "must be one of cancel, unpaid, past_due, not 'forget'"),
        ({"billing": {"retry_days": [3, 1]}}, "a list of rising numbers of days"),
        ({"billing": {"finalize_after": -1}}, "a whole number of at least 0"),
    ],
)
def test_what_is_refused(twin: Twin, wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        dashboard.write(twin, wrong)


def test_a_wrong_portal_changes_nothing(twin: Twin) -> None:
    with pytest.raises(ValueError, match="portal: Received unknown parameter"):
        dashboard.write(twin, {"portal": {"features": {"nonsense": 1}}})
    assert twin.request("GET", "/v1/billing_portal/configurations").json()["data"] == []
