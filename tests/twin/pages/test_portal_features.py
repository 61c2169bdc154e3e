"""Every feature of a portal configuration: on the page, and refused by the server where it is off or not offered."""

from __future__ import annotations

from typing import Any

import pytest
import stripe
from playwright.sync_api import Page, expect

from tests.twin.pages.site import Site
from tests.twin.pages.test_hosted_pages import subscribed
from trialbalance.twin.control import ControlPlane

DAY = 86_400
browser = pytest.mark.browser


def configure(site: Site, **features: Any) -> str:
    """A configuration with these features on, by id."""
    made = {name: {"enabled": True, **(rules or {})} for name, rules in features.items()}
    return site.client.v1.billing_portal.configurations.create({"features": made}).id  # type: ignore[typeddict-item]


def update_of(prices: list[Any], **rules: Any) -> dict[str, Any]:
    """Rules of `subscription_update` that allow the plan's prices."""
    return {
        "default_allowed_updates": ["price", "quantity", "promotion_code"],
        "products": [{"product": prices[0].product, "prices": [price.id for price in prices]}],
        "proration_behavior": "none",
        **rules,
    }


def visit(site: Site, customer: Any, configuration: str, **more: Any) -> Any:
    """A session for a customer."""
    site.shop.page("/account", "<h1>Account</h1>")
    given = {
        "customer": customer.id,
        "configuration": configuration,
        "return_url": f"{site.shop.url}/account",
        **more,
    }
    return site.client.v1.billing_portal.sessions.create(given)  # type: ignore[arg-type]


def ask(site: Site, session: Any, path: str = "", **params: Any) -> Any:
    """What the page would ask; without a path, all that it shows."""
    address = f"/v1/billing_portal/pages/{session.url.rsplit('/', 1)[-1]}{path}"
    return site.twin.request("POST" if path else "GET", address, params, key=site.twin.publishable_key)


@browser
def test_a_customer_pauses_for_a_month_and_comes_back(site: Site, page: Page) -> None:
    customer, subscription, _ = subscribed(site)
    session = visit(site, customer, configure(site, subscription_pause=None))
    page.goto(session.url)
    page.get_by_role("button", name="Pause subscription").click()
    expect(page.get_by_label("1 month")).to_be_checked()
    page.get_by_test_id("confirm").click()
    expect(page.get_by_test_id("subscriptions")).to_contain_text("Paused until February 1, 2026")
    paused = site.client.v1.subscriptions.retrieve(subscription.id)
    assert (paused.status, paused.status_details.paused.subscription.type) == ("paused", "pause_requested")
    page.get_by_role("button", name="Resume subscription").click()
    expect(page.get_by_role("button", name="Pause subscription")).to_be_visible()
    assert site.client.v1.subscriptions.retrieve(subscription.id).status == "active"
    assert [event for event in site.events(session.id) if event in ("pause", "resume")] == ["pause", "resume"]


def test_a_pause_ends_by_itself(site: Site) -> None:
    customer, subscription, _ = subscribed(site)
    duration = {
        "type": "interval_options",
        "interval_options": [{"interval": "week", "interval_count": 2}, {"interval": "month"}],
    }
    session = visit(site, customer, configure(site, subscription_pause={"duration": duration}))
    refused = ask(site, session, "/pause", subscription=subscription.id, interval="year", interval_count=1)
    assert refused.json()["error"]["param"] == "interval"
    asked = {"subscription": subscription.id, "interval": "week", "interval_count": 2}
    assert ask(site, session, "/pause", **asked).status == 200
    site.twin.advance(site.twin.now() + 13 * DAY)
    assert site.client.v1.subscriptions.retrieve(subscription.id).status == "paused"
    site.twin.advance(site.twin.now() + DAY)
    assert site.client.v1.subscriptions.retrieve(subscription.id).status == "active"


def test_a_pause_without_an_end(site: Site) -> None:
    customer, subscription, _ = subscribed(site)
    rules = {"duration": {"type": "indefinite"}}
    session = visit(site, customer, configure(site, subscription_pause=rules))
    refused = ask(site, session, "/pause", subscription=subscription.id, interval="week", interval_count=1)
    assert refused.json()["error"]["param"] == "interval"
    shown = ask(site, session, "/pause", subscription=subscription.id).json()["subscriptions"][0]
    assert (shown["status"], shown["resumes_at"], shown["resumable"]) == ("paused", None, True)


@browser
def test_a_flow_opens_at_the_pause(site: Site, page: Page) -> None:
    customer, subscription, _ = subscribed(site)
    flow = {
        "type": "subscription_pause",
        "subscription_pause": {"subscription": subscription.id},
        "after_completion": {"type": "redirect", "redirect": {"return_url": f"{site.shop.url}/account"}},
    }
    page.goto(visit(site, customer, configure(site, subscription_pause=None), flow_data=flow).url)
    expect(page.get_by_test_id("pause")).to_contain_text("While Seed box is paused")
    page.get_by_test_id("confirm").click()
    page.wait_for_url("**/account")
    assert site.client.v1.subscriptions.retrieve(subscription.id).status == "paused"


@browser
def test_a_promotion_code_counts_with_a_switch(site: Site, page: Page) -> None:
    page.expected_errors.append("status of 400")  # type: ignore[attr-defined]
    customer, subscription, prices = subscribed(site)
    coupon = site.client.v1.coupons.create({"percent_off": 50, "duration": "forever"})
    code = site.client.v1.promotion_codes.create(
        {"promotion": {"type": "coupon", "coupon": coupon.id}, "code": "HALF"}
    )
    rules = update_of(prices, proration_behavior="always_invoice", billing_cycle_anchor="now")
    page.goto(visit(site, customer, configure(site, subscription_update=rules)).url)
    page.get_by_role("button", name="Update subscription").click()
    page.get_by_label("$30.00 per month").check()
    expect(page.get_by_test_id("preview")).to_contain_text("$20.00")
    page.get_by_label("Promotion code").fill("nothing")
    page.get_by_test_id("promotion-code-apply").click()
    expect(page.get_by_test_id("form-error")).to_have_text("This code is invalid.")
    page.get_by_label("Promotion code").fill("half")
    page.get_by_test_id("promotion-code-apply").click()
    expect(page.get_by_test_id("preview")).to_contain_text("$5.00")
    page.get_by_test_id("confirm").click()
    expect(page.get_by_test_id("subscriptions")).to_be_visible()
    after = site.client.v1.subscriptions.retrieve(
        subscription.id, {"expand": ["discounts", "latest_invoice"]}
    )
    assert [discount.promotion_code for discount in after.discounts] == [code.id]
    assert (after["items"].data[0].price.id, after.latest_invoice.total) == (prices[1].id, 500)


@pytest.mark.parametrize(
    ("allowed", "wish", "param"),
    [
        (["quantity"], {"price": 1}, "items[0][price]"),
        (["price"], {"quantity": 3}, "items[0][quantity]"),
        (["price"], {"promotion_code": "HALF"}, "promotion_code"),
    ],
)
def test_only_allowed_updates_are_made(site: Site, allowed: list[str], wish: Any, param: str) -> None:
    customer, subscription, prices = subscribed(site)
    rules = update_of(prices, default_allowed_updates=allowed)
    session = visit(site, customer, configure(site, subscription_update=rules))
    item: dict[str, Any] = {"id": subscription["items"].data[0].id}
    code = wish.pop("promotion_code", None)
    item |= {"price": prices[1].id} if "price" in wish else wish
    params = {"items": [item], "subscription": subscription.id, **({"promotion_code": code} if code else {})}
    for path in ("/preview", "/switch"):
        refused = ask(site, session, path, **params)
        assert (refused.status, refused.json()["error"]["param"]) == (400, param)


def test_a_flow_gives_its_discount_to_whoever_confirms(site: Site) -> None:
    customer, subscription, prices = subscribed(site)
    coupon = site.client.v1.coupons.create({"amount_off": 500, "currency": "usd", "duration": "once"})
    item = {"id": subscription["items"].data[0].id, "price": prices[1].id}
    flow = {
        "type": "subscription_update_confirm",
        "subscription_update_confirm": {
            "subscription": subscription.id,
            "items": [item],
            "discounts": [{"coupon": coupon.id}],
        },
    }
    session = visit(site, customer, configure(site, subscription_update=update_of(prices)), flow_data=flow)
    assert ask(site, session, "/switch", subscription=subscription.id, items=[item]).status == 200
    after = site.client.v1.subscriptions.retrieve(subscription.id, {"expand": ["discounts"]})
    assert [discount.source.coupon for discount in after.discounts] == [coupon.id]


@browser
def test_a_cheaper_plan_may_wait_for_the_end_of_the_period(site: Site, page: Page) -> None:
    customer, subscription, prices = subscribed(site)
    site.client.v1.subscriptions.update(
        subscription.id,
        {"items": [{"id": subscription["items"].data[0].id, "price": prices[1].id}],
         "proration_behavior": "none"},
    )  # fmt: skip
    wait = {"conditions": [{"type": "decreasing_item_amount"}]}
    rules = update_of(prices, schedule_at_period_end=wait)
    page.goto(visit(site, customer, configure(site, subscription_update=rules)).url)
    page.get_by_role("button", name="Update subscription").click()
    page.get_by_label("$10.00 per month").check()
    expect(page.get_by_test_id("preview")).to_contain_text("Changes on February 1, 2026")
    page.get_by_test_id("confirm").click()
    expect(page.get_by_test_id("subscriptions")).to_contain_text("Changes on February 1, 2026")
    now = site.client.v1.subscriptions.retrieve(subscription.id)
    assert now["items"].data[0].price.id == prices[1].id
    site.twin.advance(now["items"].data[0].current_period_end + 2 * 3600)
    after = site.client.v1.subscriptions.retrieve(subscription.id, {"expand": ["latest_invoice"]})
    assert (after["items"].data[0].price.id, after.latest_invoice.total) == (prices[0].id, 1000)


@pytest.mark.parametrize(("behavior", "status"), [("end_trial", "active"), ("continue_trial", "trialing")])
def test_an_update_may_end_the_trial(site: Site, behavior: str, status: str) -> None:
    customer, _, prices = subscribed(site)
    trial = site.client.v1.subscriptions.create(
        {"customer": customer.id, "items": [{"price": prices[0].id}], "trial_period_days": 10}
    )
    rules = update_of(prices, trial_update_behavior=behavior)
    session = visit(site, customer, configure(site, subscription_update=rules))
    item = {"id": trial["items"].data[0].id, "price": prices[1].id}
    assert ask(site, session, "/preview", subscription=trial.id, items=[item]).status == 200
    assert ask(site, session, "/switch", subscription=trial.id, items=[item]).status == 200
    assert site.client.v1.subscriptions.retrieve(trial.id).status == status


@browser
def test_reasons_of_ones_own_and_a_comment(site: Site, page: Page) -> None:
    customer, subscription, _ = subscribed(site)
    moved = site.client.v1.billing.feedback_options.create({"description": "We sold the garden"})
    reasons = {"enabled": True, "options": ["unused"], "feedback_options": [moved.id]}
    cancel = {"mode": "immediately", "cancellation_reason": reasons}
    session = visit(site, customer, configure(site, subscription_cancel=cancel))
    for wrong in ({"feedback": "too_complex"}, {"feedback_option": "bfo_test_none"}):
        refused = ask(site, session, "/cancel", subscription=subscription.id, **wrong)
        assert refused.json()["error"]["param"] == next(iter(wrong))
    page.goto(session.url)
    page.get_by_role("button", name="Cancel subscription").click()
    page.get_by_label("We sold the garden").check()
    page.get_by_label("Anything else").fill("Thank you!")
    page.get_by_test_id("confirm").click()
    expect(page.get_by_test_id("cancel")).to_have_count(0)
    details = site.client.v1.subscriptions.retrieve(subscription.id).cancellation_details
    assert (details.feedback, details.feedback_option, details.comment) == (None, moved.id, "Thank you!")


@browser
def test_customers_change_where_things_go_and_add_a_tax_number(site: Site, page: Page) -> None:
    customer, _, _ = subscribed(site)
    rules = {"allowed_updates": ["shipping", "tax_id"]}
    session = visit(site, customer, configure(site, customer_update=rules))
    page.goto(session.url)
    page.get_by_role("button", name="Update information").click()
    page.locator("[name=shippingName]").fill("Grace Hopper")
    page.locator("[name=shippingAddressLine1]").fill("2 Hill Road")
    page.locator("[name=shippingLocality]").fill("Springfield")
    page.locator("[name=shippingAdministrativeArea]").select_option("IL")
    page.locator("[name=shippingPostalCode]").fill("62701")
    page.locator("[name=taxIdCountry]").select_option("DE")
    page.locator("[name=taxId]").fill("DE12")
    page.get_by_test_id("confirm").click()
    expect(page.locator("[name=taxId]")).to_be_focused()
    page.locator("[name=taxId]").fill("DE123456789")
    page.get_by_test_id("confirm").click()
    expect(page.get_by_test_id("billing-information")).to_contain_text("2 Hill Road")
    expect(page.get_by_test_id("billing-information")).to_contain_text("DE123456789")
    after = site.client.v1.customers.retrieve(customer.id)
    assert (after.shipping.name, after.shipping.address.state) == ("Grace Hopper", "IL")
    refused = ask(site, session, "/customer", name="Somebody")
    assert refused.json()["error"]["param"] == "name"


@browser
def test_the_login_page_mails_a_link(site: Site, page: Page) -> None:
    customer, _, _ = subscribed(site)
    site.client.v1.customers.create({"email": "ada@example.test"})
    made = site.client.v1.billing_portal.configurations.create(
        {"features": {"invoice_history": {"enabled": True}}, "login_page": {"enabled": True}}
    )
    page.goto(f"{made.login_page.url}?prefilled_email=ada%40example.test")
    expect(page.get_by_label("Email")).to_have_value("ada@example.test")
    page.get_by_label("Email").fill("ada")
    page.get_by_test_id("confirm").click()
    expect(page.get_by_label("Email")).to_be_focused()
    page.get_by_label("Email").fill("ADA@example.test")
    page.get_by_test_id("confirm").click()
    expect(page.get_by_test_id("state-sent")).to_contain_text("If ADA@example.test belongs to a customer")
    plane = ControlPlane(site.twin, "token")
    scope: Any = {"method": "GET", "path": "/mail", "headers": [(b"authorization", b"Bearer token")]}
    status, answer = plane._answer(scope, b"")
    (mail,) = answer["mail"]
    assert (status, mail["to"], mail["subject"]) == (200, "ada@example.test", "Your billing at Test account")
    page.goto(mail["url"])
    expect(page.get_by_test_id("subscriptions")).to_contain_text("Seed box")
    kinds = [event.type for event in site.client.v1.events.list({"limit": 3}).data]
    assert "billing_portal.session.created" in kinds
    assert customer.id in [
        session["customer"] for session in site.twin.store.all(site.twin.account, "billing_portal.session")
    ]


def test_a_login_page_tells_nobody_who_is_a_customer(site: Site) -> None:
    subscribed(site)
    made = site.client.v1.billing_portal.configurations.create(
        {"features": {"invoice_history": {"enabled": True}}, "login_page": {"enabled": True}}
    )
    path = f"/v1/billing_portal/logins/{made.login_page.url.rsplit('/', 1)[-1]}"

    def login(email: str) -> Any:
        return site.twin.request("POST", path, {"email": email}, key=site.twin.publishable_key)

    known, unknown = login("ada@example.test"), login("eve@example.test")
    assert known.status == unknown.status == 200 and known.json() == unknown.json()
    mails = [entry for entry in site.twin.journal.entries if entry["kind"] == "mail"]
    assert [entry["to"] for entry in mails] == ["ada@example.test"]
    site.client.v1.billing_portal.configurations.update(made.id, {"login_page": {"enabled": False}})
    assert login("ada@example.test").status == 404


@browser
def test_an_expired_link_can_be_renewed_where_the_merchant_says_so(site: Site, page: Page) -> None:
    page.expected_errors += ["status of 400", "status of 404"]  # type: ignore[attr-defined]
    customer, _, _ = subscribed(site)
    configuration = configure(site, invoice_history=None)
    final = visit(site, customer, configuration)
    later = site.twin.now() + 3 * DAY
    after = {"type": "customer_login", "customer_login": {"expires_at": later}}
    session = visit(site, customer, configuration, after_expiration=after)
    site.twin.advance(site.twin.now() + DAY)
    page.goto(session.url)
    page.get_by_role("button", name="Send link").click()
    expect(page.get_by_test_id("state-expired")).to_contain_text("Check your email")
    (mail,) = [entry for entry in site.twin.journal.entries if entry["kind"] == "mail"]
    page.goto(mail["url"])
    expect(page.get_by_test_id("subscriptions")).to_be_visible()
    page.goto(final.url)
    expect(page.get_by_test_id("state-missing")).to_be_visible()
    site.twin.advance(later)
    assert ask(site, session).status == 404


def test_a_session_for_one_business_shows_only_its_own(site: Site) -> None:
    customer, subscription, _ = subscribed(site)
    account = site.client.v1.accounts.create({"type": "custom", "country": "US"}).id
    configuration = configure(site, subscription_cancel=None, invoice_history=None)
    session = visit(site, customer, configuration, on_behalf_of=account)
    shown = ask(site, session).json()
    assert (shown["subscriptions"], shown["invoices"]) == ([], [])
    assert ask(site, session, "/cancel", subscription=subscription.id).status in (400, 404)
    assert site.client.v1.subscriptions.retrieve(subscription.id).cancel_at_period_end is False


@pytest.mark.parametrize(
    ("features", "param"),
    [
        (
            {"subscription_cancel": {"enabled": True, "proration_behavior": "always_invoice"}},
            "features[subscription_cancel][proration_behavior]",
        ),
        (
            {"subscription_cancel": {"enabled": True, "proration_behavior": "create_prorations"}},
            "features[subscription_cancel][proration_behavior]",
        ),
        (
            {
                "subscription_pause": {
                    "enabled": True,
                    "duration": {
                        "type": "interval_options",
                        "interval_options": [{"interval": "year", "interval_count": 4}],
                    },
                }
            },
            "features[subscription_pause][duration][interval_options][0]",
        ),
        (
            {
                "payment_method_update": {"enabled": True, "payment_method_configuration": "pmc_none"},
            },
            "payment_method_configuration",
        ),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(site: Site, features: Any, param: str) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refused:
        site.client.v1.billing_portal.configurations.create({"features": features})
    assert refused.value.param == param


@pytest.mark.parametrize(
    ("wrong", "param"),
    [
        ({"items": [{"price": "other"}]}, "items][0][price]"),
        ({"items": [{}, {}]}, "items]"),
        ({"discounts": [{"coupon": "none"}]}, "discounts][0][coupon]"),
        ({"discounts": [{"coupon": "a", "promotion_code": "b"}]}, "discounts][0]"),
    ],
)
def test_a_flow_to_confirm_is_checked_when_it_is_made(site: Site, wrong: Any, param: str) -> None:
    customer, subscription, prices = subscribed(site)
    other = site.client.v1.prices.create(
        {
            "product": prices[0].product,
            "currency": "usd",
            "unit_amount": 1,
            "recurring": {"interval": "month"},
        }
    ).id
    item = {"id": subscription["items"].data[0].id, "price": prices[1].id}
    given = {"subscription": subscription.id, "items": [item], **wrong}
    given["items"] = [
        {**item, **({"price": other} if row.get("price") == "other" else {})} for row in given["items"]
    ]
    flow = {"type": "subscription_update_confirm", "subscription_update_confirm": given}
    with pytest.raises(stripe.InvalidRequestError) as refused:
        visit(site, customer, configure(site, subscription_update=update_of(prices)), flow_data=flow)
    assert refused.value.param == f"flow_data[subscription_update_confirm][{param}"


def test_a_flow_to_details_needs_its_feature(site: Site) -> None:
    customer, _, _ = subscribed(site)
    with pytest.raises(stripe.InvalidRequestError, match=r"customer update feature .* is disabled"):
        visit(site, customer, configure(site, invoice_history=None), flow_data={"type": "customer_update"})


@browser
@pytest.mark.parametrize("locale", ["de", None])
def test_the_portal_speaks_the_language_of_its_customer(site: Site, page: Page, locale: str | None) -> None:
    customer, _, _ = subscribed(site)
    site.client.v1.customers.update(customer.id, {"preferred_locales": ["fr"]})
    more = {"locale": locale} if locale else {}
    page.goto(visit(site, customer, configure(site, subscription_pause=None), **more).url)
    button = {"de": "Abo pausieren", None: "Suspendre l’abonnement"}[locale]
    expect(page.get_by_role("button", name=button)).to_be_visible()
