"""What the Dashboard lets Checkout offer: a product beside the order, and a price for a longer time.

Source: https://docs.stripe.com/payments/checkout/upsells
Source: https://docs.stripe.com/payments/checkout/cross-sells
"""

from __future__ import annotations

from typing import Any

import pytest
import stripe
from playwright.sync_api import Page, expect

from tests.twin.pages.site import Site
from tests.twin.pages.test_checkout_page import PAY, embed, fill
from tests.twin.pages.test_checkout_page import create as open_page
from tests.twin.pages.test_subscription_sessions import create, pay
from trialbalance.twin import Twin
from trialbalance.twin.billing import dashboard

MONTH = {"interval": "month"}
YEAR = {"interval": "year"}


def price(client: stripe.StripeClient, amount: int, product: str, **more: Any) -> str:
    """A price of a product, by id."""
    given = {"currency": "usd", "unit_amount": amount, "product": product, **more}
    return client.v1.prices.create(given).id  # type: ignore[arg-type]


class Catalog:
    """A box by the month or the year, and things that go with it."""

    def __init__(self, client: stripe.StripeClient) -> None:
        self.client = client
        self.box = self.product("Seed box")
        self.monthly = price(client, 10_000, self.box, recurring=MONTH)
        self.yearly = price(client, 100_000, self.box, recurring=YEAR)
        self.setup = self.product("Raised bed", "Built once")
        self.once = price(client, 4_500, self.setup)

    def product(self, name: str, about: str = "Ours") -> str:
        """A product by id."""
        return self.client.v1.products.create({"name": name, "description": about}).id

    def line(self, quantity: int = 1) -> list[dict[str, Any]]:
        """The monthly box as the lines of a session."""
        return [{"price": self.monthly, "quantity": quantity}]


@pytest.fixture
def catalog(client: stripe.StripeClient) -> Catalog:
    return Catalog(client)


def ask(twin: Twin, session: Any, **params: Any) -> Any:
    """What the page asks for, as the page asks it."""
    return twin.request("POST", f"/v1/payment_pages/{session.id}", params, key=twin.publishable_key)


def shown(twin: Twin, session: Any) -> Any:
    """The page of a session."""
    return twin.request("GET", f"/v1/payment_pages/{session.id}", {}, key=twin.publishable_key).json()


def test_an_upsell_becomes_the_line_and_the_subscription(
    twin: Twin, client: stripe.StripeClient, catalog: Catalog
) -> None:
    held = dashboard.write(twin, {"upsells": {catalog.monthly: catalog.yearly}})
    assert held["upsells"] == {catalog.monthly: catalog.yearly}
    session = create(client, line_items=catalog.line(2))
    offer = shown(twin, session)["upsell"]
    assert (offer["amount"], offer["chosen"]) == (200_000, False)
    assert (offer["saved"], offer["saved_percent"]) == (40_000, 16)
    taken = ask(twin, session, upsell=True).json()
    assert (taken["amount_total"], taken["upsell"]["chosen"]) == (200_000, True)
    assert taken["subscription"]["interval"] == "year"
    back = ask(twin, session, upsell=False).json()
    assert (back["amount_total"], back["upsell"]["chosen"]) == (20_000, False)
    ask(twin, session, upsell=True)
    session = client.v1.checkout.sessions.retrieve(session.id)
    assert pay(twin, client, session).json()["status"] == "complete"
    (line,) = client.v1.checkout.sessions.line_items.list(session.id).data
    assert (line.price.id, line.quantity, line.amount_total) == (catalog.yearly, 2, 200_000)
    done = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["subscription", "invoice"]})
    (item,) = done.subscription["items"].data
    assert (item.price.id, item.quantity, done.invoice.total) == (catalog.yearly, 2, 200_000)
    completed = client.v1.events.list({"type": "checkout.session.completed"}).data[0].data.object
    assert completed["amount_total"] == 200_000


def test_a_cross_sell_is_one_more_line(twin: Twin, client: stripe.StripeClient, catalog: Catalog) -> None:
    dashboard.write(
        twin,
        {"upsells": {catalog.monthly: catalog.yearly}, "cross_sells": {catalog.box: catalog.setup}},
    )
    session = create(client, line_items=catalog.line())
    (offer,) = shown(twin, session)["cross_sells"]
    assert (offer["amount"], offer["chosen"]) == (4_500, False)
    added = ask(twin, session, cross_sell={"product": catalog.setup, "quantity": 1}, upsell=True).json()
    assert (added["amount_total"], added["cross_sells"][0]["chosen"]) == (104_500, True)
    assert added["line_items"][1]["adjustable_quantity"] is None
    ask(twin, session, cross_sell={"product": catalog.setup, "quantity": 1})
    assert len(client.v1.checkout.sessions.line_items.list(session.id).data) == 2
    removed = ask(twin, session, cross_sell={"product": catalog.setup, "quantity": 0}).json()
    assert (removed["amount_total"], removed["cross_sells"][0]["chosen"]) == (100_000, False)
    ask(twin, session, cross_sell={"product": catalog.setup, "quantity": 1})
    session = client.v1.checkout.sessions.retrieve(session.id)
    assert pay(twin, client, session).json()["status"] == "complete"
    lines = client.v1.checkout.sessions.line_items.list(session.id).data
    assert [(line.price.id, line.quantity) for line in lines] == [(catalog.yearly, 1), (catalog.once, 1)]
    done = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["subscription", "invoice"]})
    assert (done.invoice.total, len(done.subscription["items"].data)) == (104_500, 1)


def test_what_is_not_offered_is_refused(twin: Twin, client: stripe.StripeClient, catalog: Catalog) -> None:
    plain = create(client, line_items=catalog.line())
    dashboard.write(
        twin,
        {"upsells": {catalog.monthly: catalog.yearly}, "cross_sells": {catalog.box: catalog.setup}},
    )
    offered = create(client, line_items=catalog.line())
    for session, param, wish in (
        (plain, "upsell", {"upsell": True}),
        (plain, "cross_sell[product]", {"cross_sell": {"product": catalog.setup, "quantity": 1}}),
        (offered, "cross_sell[product]", {"cross_sell": {"product": catalog.box, "quantity": 1}}),
        (offered, "cross_sell[quantity]", {"cross_sell": {"product": catalog.setup, "quantity": 2}}),
    ):
        refused = ask(twin, session, **wish)
        assert (refused.status, refused.json()["error"]["param"]) == (400, param)
        assert client.v1.checkout.sessions.retrieve(session.id).amount_total == 10_000


def test_an_offer_taken_away_is_gone_from_new_sessions_only(
    twin: Twin, client: stripe.StripeClient, catalog: Catalog
) -> None:
    offers = {"upsells": {catalog.monthly: catalog.yearly}, "cross_sells": {catalog.box: catalog.setup}}
    dashboard.write(twin, offers)
    before = create(client, line_items=catalog.line())
    held = dashboard.write(twin, {"upsells": {catalog.monthly: None}, "cross_sells": {catalog.box: None}})
    assert (held["upsells"], held["cross_sells"]) == ({}, {})
    after = create(client, line_items=catalog.line())
    assert shown(twin, before)["upsell"] and shown(twin, before)["cross_sells"]
    assert shown(twin, after)["upsell"] is None and shown(twin, after)["cross_sells"] == []


def test_a_session_must_fit_an_upsell(twin: Twin, client: stripe.StripeClient, catalog: Catalog) -> None:
    dashboard.write(twin, {"upsells": {catalog.monthly: catalog.yearly}})
    other = price(client, 500, catalog.product("Club"), recurring=MONTH)
    several = create(client, line_items=[*catalog.line(), {"price": other, "quantity": 1}])
    optional = create(client, line_items=catalog.line(), optional_items=[{"price": other, "quantity": 1}])
    elements = create(client, line_items=catalog.line(), ui_mode="elements", success_url=None,
                      return_url="https://shop.example/ok")  # fmt: skip
    mixed = create(client, line_items=[*catalog.line(), {"price": catalog.once, "quantity": 1}])
    assert [bool(shown(twin, session)["upsell"]) for session in (several, optional, mixed)] == [
        False, False, True,
    ]  # fmt: skip
    refused = ask(twin, elements, upsell=True, client_secret=elements.client_secret)
    assert refused.json()["error"]["param"] == "upsell"
    client.v1.prices.update(catalog.yearly, {"active": False})
    assert shown(twin, mixed)["upsell"] is None


def test_a_cross_sell_must_fit_the_order(twin: Twin, client: stripe.StripeClient, catalog: Catalog) -> None:
    club = catalog.product("Club")
    monthly = price(client, 500, club, recurring=MONTH)
    dashboard.write(twin, {"cross_sells": {catalog.box: club, catalog.setup: club}})
    by_year = [{"price": catalog.yearly, "quantity": 1}]
    once = [{"price": catalog.once, "quantity": 1}]
    fits = create(client, line_items=catalog.line())
    assert ask(twin, fits, cross_sell={"product": club, "quantity": 1}).json()["amount_total"] == 10_500
    for params in (
        {"line_items": by_year},
        {"line_items": once, "mode": "payment"},
        {"line_items": [*catalog.line(), {"price": monthly, "quantity": 1}]},
        {"line_items": catalog.line(), "automatic_tax": {"enabled": True}},
    ):
        if "automatic_tax" in params:
            client.v1.tax.settings.update({"head_office": {"address": {"country": "DE"}}})
        assert shown(twin, create(client, **params))["cross_sells"] == []
    dashboard.write(twin, {"upsells": {catalog.monthly: catalog.yearly}})
    assert shown(twin, create(client, line_items=catalog.line()))["cross_sells"] == []
    price(client, 900, club, recurring=MONTH)
    dashboard.write(twin, {"upsells": {catalog.monthly: None}})
    assert shown(twin, create(client, line_items=catalog.line()))["cross_sells"] == []


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda c: {"upsells": {c.monthly: c.once}}, "is not recurring"),
        (lambda c: {"upsells": {c.monthly: c.monthly}}, "the same price"),
        (lambda c: {"upsells": {c.monthly: "price_none"}}, "no price 'price_none'"),
        (
            lambda c: {"upsells": {c.monthly: price(c.client, 1, c.product("X"), recurring=YEAR)}},
            "their `product` differs",
        ),
        (
            lambda c: {
                "upsells": {c.monthly: price(c.client, 1, c.box, recurring=YEAR, tax_behavior="inclusive")}
            },
            "their `tax_behavior` differs",
        ),
        (lambda c: {"cross_sells": {c.setup: c.setup}}, "its own cross-sell"),
        (lambda c: {"cross_sells": {c.setup: c.box}}, "one single active price"),
        (lambda c: {"cross_sells": {"prod_none": c.setup}}, "no product 'prod_none'"),
        (lambda c: {"cross_sells": [c.box]}, "'cross_sells' must be an object"),
    ],
)
def test_the_dashboard_offers_only_what_fits(twin: Twin, catalog: Catalog, make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        dashboard.write(twin, make(catalog))
    assert dashboard.write(twin, {})["upsells"] == dashboard.write(twin, {})["cross_sells"] == {}


def test_savings_are_counted_where_they_can_be(
    twin: Twin, client: stripe.StripeClient, catalog: Catalog
) -> None:
    weekly = price(client, 2_600, catalog.box, recurring={"interval": "week"})
    dear = price(client, 130_000, catalog.box, recurring=YEAR)
    dashboard.write(twin, {"upsells": {weekly: catalog.monthly, catalog.monthly: dear}})
    uneven = create(client, line_items=[{"price": weekly, "quantity": 1}])
    assert shown(twin, uneven)["upsell"]["saved"] is None
    nothing = create(client, line_items=catalog.line())
    assert shown(twin, nothing)["upsell"]["saved"] is None


def test_an_order_changed_after_a_decline_is_charged_as_it_stands(
    twin: Twin, client: stripe.StripeClient, catalog: Catalog
) -> None:
    coupon = client.v1.coupons.create({"percent_off": 50, "duration": "once", "max_redemptions": 1})
    dashboard.write(twin, {"upsells": {catalog.monthly: catalog.yearly}})
    session = create(client, line_items=catalog.line(), discounts=[{"coupon": coupon.id}])
    assert pay(twin, client, session, "tok_chargeCustomerFail").status == 402
    ask(twin, session, upsell=True)
    session = client.v1.checkout.sessions.retrieve(session.id)
    assert pay(twin, client, session).json()["status"] == "complete"
    done = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["invoice"]})
    assert done.amount_total == done.invoice.amount_paid == 50_000
    assert [charge.amount for charge in client.v1.charges.list().data if charge.paid] == [50_000]
    found = client.v1.subscriptions.list({"status": "all"}).data
    assert [subscription.status for subscription in found] == ["active", "incomplete_expired"]
    assert client.v1.coupons.retrieve(coupon.id).times_redeemed == 1


@pytest.mark.browser
def test_a_customer_switches_to_a_year_and_adds_a_bed(site: Site, page: Page) -> None:
    catalog = Catalog(site.client)
    dashboard.write(
        site.twin,
        {"upsells": {catalog.monthly: catalog.yearly}, "cross_sells": {catalog.box: catalog.setup}},
    )
    session = open_page(site, mode="subscription", line_items=catalog.line())
    page.goto(session.url)
    switch = page.get_by_role("switch", name="Pay $1,000.00 per year")
    expect(switch).not_to_be_checked()
    expect(page.get_by_test_id("upsell")).to_contain_text("Save $200.00")
    switch.focus()
    page.keyboard.press("Space")
    expect(page.get_by_test_id("amount-due")).to_have_text("$1,000.00")
    expect(page.get_by_test_id("renewal")).to_have_text("per year")
    expect(switch).to_be_checked()
    expect(switch).to_be_focused()
    page.get_by_role("button", name="Add Raised bed").click()
    expect(page.get_by_test_id("amount-due")).to_have_text("$1,045.00")
    page.get_by_role("button", name="Remove Raised bed").click()
    expect(page.get_by_test_id("amount-due")).to_have_text("$1,000.00")
    page.get_by_role("button", name="Add Raised bed").click()
    expect(page.get_by_test_id("line-items").locator("li")).to_have_count(2)
    fill(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    assert site.client.v1.checkout.sessions.retrieve(session.id).amount_total == 104_500
    told = [
        (entry["event"], entry["detail"])
        for entry in site.twin.journal.entries
        if entry["kind"] == "page" and entry["event"] in ("upsell", "cross_sell")
    ]
    assert told[0] == ("upsell", {"chosen": True, "outcome": "ok"})
    assert [event for event, _ in told] == ["upsell", "cross_sell", "cross_sell", "cross_sell"]
    assert told[1][1]["product"] == catalog.setup


@pytest.mark.browser
def test_an_embedded_page_offers_them_too_in_its_language(site: Site, page: Page) -> None:
    catalog = Catalog(site.client)
    dashboard.write(site.twin, {"upsells": {catalog.monthly: catalog.yearly}})
    _, address = embed(site, mode="subscription", line_items=catalog.line(100), locale="de")
    page.goto(address)
    frame = page.frame_locator('iframe[name="embedded-checkout"]')
    offer = frame.get_by_test_id("upsell")
    expect(offer).to_contain_text("pro Jahr zahlen")
    expect(offer).to_contain_text("16% sparen")
    frame.get_by_role("switch").check()
    expect(frame.get_by_role("switch")).to_be_checked()
    expect(frame.get_by_test_id("amount-due")).to_contain_text("100.000,00")
