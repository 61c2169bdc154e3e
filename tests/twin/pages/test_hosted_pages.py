"""Hosted pages beside Checkout: invoices, the portal, payment links, recoveries, receipts, vouchers."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.twin.pages.site import CARD, Site
from tests.twin.pages.test_checkout_page import PAY, create
from tests.twin.pages.test_checkout_page import fill as fill_checkout

pytestmark = pytest.mark.browser


def fill(page: Page, card: str = CARD) -> None:
    page.locator("#cardNumber").fill(card)
    page.locator("#cardExpiry").fill("12 / 34")
    page.locator("#cardCvc").fill("123")
    page.locator("#billingName").fill("Ada Lovelace")
    page.locator("#billingCountry").select_option("United States")
    page.locator("#billingPostalCode").fill("94110")


def invoice(site: Site) -> Any:
    customer = site.client.v1.customers.create({"email": "ada@example.test", "name": "Ada"})
    made = site.client.v1.invoices.create(
        {"customer": customer.id, "collection_method": "send_invoice", "days_until_due": 14}
    )
    site.client.v1.invoice_items.create(
        {
            "customer": customer.id,
            "invoice": made.id,
            "amount": 2500,
            "currency": "usd",
            "description": "Ploughing",
        }
    )
    return site.client.v1.invoices.finalize_invoice(made.id)


def test_an_invoice_is_paid_on_its_page(site: Site, page: Page) -> None:
    page.expected_errors.append("status of 402")  # type: ignore[attr-defined]
    made = invoice(site)
    page.goto(made.hosted_invoice_url)
    expect(page.get_by_test_id("invoice-amount")).to_have_text("$25.00")
    expect(page.get_by_text("Ploughing")).to_be_visible()
    fill(page, "4000000000000002")
    page.get_by_test_id("hosted-invoice-pay-button").click()
    expect(page.get_by_test_id("form-error")).to_have_text("Your card was declined.")
    page.locator("#cardNumber").fill("4000002760003184")
    page.get_by_test_id("hosted-invoice-pay-button").click()
    outer = page.frame_locator("iframe[src*=three-ds]")
    outer.frame_locator("#challengeFrame").get_by_role("button", name="Complete").click()
    expect(page.get_by_test_id("invoice-status")).to_have_text("Paid")
    assert site.client.v1.invoices.retrieve(made.id).status == "paid"
    document = page.request.get(made.invoice_pdf)
    assert document.body().startswith(b"%PDF-1.4") and b"Ploughing" in document.body()


def test_unknown_addresses_say_so(site: Site, page: Page) -> None:
    page.expected_errors.append("status of 404")  # type: ignore[attr-defined]
    for path in (
        f"/i/{site.twin.account}/test_none",
        "/p/session/test_none",
        "/receipts/payment/ch_none-x",
        "/r/test_none",
    ):
        answer = page.goto(site.url + path)
        assert answer is not None and answer.status == 404
        expect(page.get_by_test_id("state-missing")).to_be_visible()


def subscribed(site: Site) -> tuple[Any, Any, list[Any]]:
    """A customer with a monthly subscription, and the prices of a plan."""
    product = site.client.v1.products.create({"name": "Seed box"})
    prices = [
        site.client.v1.prices.create(
            {
                "product": product.id,
                "currency": "usd",
                "unit_amount": amount,
                "recurring": {"interval": "month"},
            }
        )
        for amount in (1000, 3000)
    ]
    customer = site.client.v1.customers.create(
        {"email": "ada@example.test", "payment_method": "pm_card_visa"}
    )
    card = site.client.v1.payment_methods.list({"customer": customer.id}).data[0]
    site.client.v1.customers.update(customer.id, {"invoice_settings": {"default_payment_method": card.id}})
    subscription = site.client.v1.subscriptions.create(
        {"customer": customer.id, "items": [{"price": prices[0].id}]}
    )
    return customer, subscription, prices


def portal(site: Site, customer: Any, prices: list[Any], **session: Any) -> Any:
    features: Any = {
        "customer_update": {"enabled": True, "allowed_updates": ["name", "email", "address"]},
        "invoice_history": {"enabled": True},
        "payment_method_update": {"enabled": True},
        "subscription_cancel": {
            "enabled": True,
            "mode": "at_period_end",
            "cancellation_reason": {"enabled": True, "options": ["too_expensive", "unused"]},
        },
        "subscription_update": {
            "enabled": True,
            "default_allowed_updates": ["price", "quantity"],
            "proration_behavior": "always_invoice",
            "products": [{"product": prices[0].product, "prices": [price.id for price in prices]}],
        },
    }
    configuration = site.client.v1.billing_portal.configurations.create(
        {"features": features, "business_profile": {"headline": "Hill Farm billing"}}
    )
    site.shop.page("/account", "<h1>Account</h1>")
    return site.client.v1.billing_portal.sessions.create(
        {
            "customer": customer.id,
            "configuration": configuration.id,
            "return_url": f"{site.shop.url}/account",
            **session,
        }
    )


def test_the_portal_cancels_and_renews(site: Site, page: Page) -> None:
    customer, subscription, prices = subscribed(site)
    page.goto(portal(site, customer, prices).url)
    expect(page.get_by_text("Hill Farm billing")).to_be_visible()
    expect(page.get_by_text("$10.00 per month")).to_be_visible()
    page.get_by_role("button", name="Cancel subscription").click()
    page.get_by_label("It costs too much").check()
    page.get_by_test_id("confirm").click()
    expect(page.get_by_text("Ends on")).to_be_visible()
    found = site.client.v1.subscriptions.retrieve(subscription.id)
    assert (found.cancel_at_period_end, found.cancellation_details.feedback) == (True, "too_expensive")
    page.get_by_role("button", name="Keep subscription").click()
    expect(page.get_by_text("Renews on")).to_be_visible()
    assert site.client.v1.subscriptions.retrieve(subscription.id).cancel_at_period_end is False
    page.get_by_role("link", name="Return to").click()
    page.wait_for_url("**/account")


def test_the_portal_switches_after_a_preview(site: Site, page: Page) -> None:
    customer, subscription, prices = subscribed(site)
    page.goto(portal(site, customer, prices).url)
    page.get_by_role("button", name="Update subscription").click()
    expect(page.get_by_test_id("confirm")).to_be_disabled()
    page.get_by_label("$30.00 per month").check()
    expect(page.get_by_test_id("preview")).to_contain_text("$20.00")
    page.get_by_test_id("confirm").click()
    expect(page.get_by_text("$30.00 per month")).to_be_visible()
    found = site.client.v1.subscriptions.retrieve(subscription.id)
    assert found["items"].data[0].price.id == prices[1].id
    assert site.client.v1.invoices.list({"subscription": found.id}).data[0].total == 2000


def test_the_portal_keeps_cards_and_details(site: Site, page: Page) -> None:
    customer, _, prices = subscribed(site)
    page.goto(portal(site, customer, prices).url)
    page.get_by_role("button", name="Add payment method").click()
    fill(page, "5555555555554444")
    page.get_by_test_id("confirm").click()
    methods = page.get_by_test_id("payment-methods")
    expect(methods.get_by_text("Mastercard ending in 4444")).to_be_visible()
    default = site.client.v1.customers.retrieve(customer.id).invoice_settings.default_payment_method
    assert site.client.v1.payment_methods.retrieve(default).card.last4 == "4444"
    methods.get_by_role("button", name="Remove Visa").click()
    expect(methods.get_by_text("Visa ending in 4242")).to_have_count(0)
    page.get_by_role("button", name="Update information").click()
    page.get_by_label("Full name").fill("Ada King")
    page.get_by_test_id("confirm").click()
    expect(page.get_by_text("Ada King")).to_be_visible()
    assert site.client.v1.customers.retrieve(customer.id).name == "Ada King"
    expect(page.get_by_test_id("invoice-history").get_by_text("Paid")).to_be_visible()


def test_a_flow_goes_straight_to_its_matter_and_back(site: Site, page: Page) -> None:
    customer, subscription, prices = subscribed(site)
    flow = {
        "type": "subscription_cancel",
        "subscription_cancel": {"subscription": subscription.id},
        "after_completion": {"type": "redirect", "redirect": {"return_url": f"{site.shop.url}/account"}},
    }
    page.goto(portal(site, customer, prices, flow_data=flow).url)
    page.get_by_test_id("confirm").click()
    page.wait_for_url("**/account")
    assert site.client.v1.subscriptions.retrieve(subscription.id).cancel_at_period_end is True


def test_features_that_are_off_are_off_for_everybody(site: Site, page: Page) -> None:
    customer, subscription, _ = subscribed(site)
    configuration = site.client.v1.billing_portal.configurations.create(
        {"features": {"invoice_history": {"enabled": True}}}
    )
    session = site.client.v1.billing_portal.sessions.create(
        {"customer": customer.id, "configuration": configuration.id, "return_url": site.shop.url}
    )
    page.goto(session.url)
    expect(page.get_by_test_id("subscriptions")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel subscription")).to_have_count(0)
    path = f"/v1/billing_portal/pages/{session.url.rsplit('/', 1)[-1]}/cancel"
    refused = site.twin.request(
        "POST", path, {"subscription": subscription.id}, key=site.twin.publishable_key
    )
    assert refused.json()["error"]["code"] == "portal_feature_disabled"


def test_a_payment_link_opens_a_session_for_each_visitor(site: Site, page: Page) -> None:
    price = site.client.v1.prices.create(
        {"currency": "usd", "unit_amount": 700, "product_data": {"name": "Peas"}}
    )
    link = site.client.v1.payment_links.create(
        {
            "line_items": [{"price": price.id, "quantity": 1}],
            "restrictions": {"completed_sessions": {"limit": 1}},
            "after_completion": {
                "type": "hosted_confirmation",
                "hosted_confirmation": {"custom_message": "Plant them in March."},
            },
        }
    )
    page.goto(f"{link.url}?prefilled_email=ada%40example.test&client_reference_id=row7")
    expect(page.locator("#email")).to_have_value("ada@example.test")
    fill(page)
    page.locator(PAY).click()
    expect(page.get_by_text("Plant them in March.")).to_be_visible()
    session = site.client.v1.checkout.sessions.list({"payment_link": link.id}).data[0]
    assert (session.payment_status, session.client_reference_id) == ("paid", "row7")
    assert site.client.v1.payment_links.retrieve(link.id).restrictions.completed_sessions.count == 1
    page.expected_errors.append("status of 400")  # type: ignore[attr-defined]
    page.goto(link.url)
    expect(page.get_by_test_id("state-inactive")).to_be_visible()


def test_an_expired_session_can_be_recovered(site: Site, page: Page) -> None:
    session = create(site, after_expiration={"recovery": {"enabled": True, "allow_promotion_codes": True}})
    expired = site.client.v1.checkout.sessions.expire(session.id)
    page.goto(expired.after_expiration.recovery.url)
    expect(page.get_by_test_id("amount-due")).to_have_text("$30.00")
    expect(page.get_by_test_id("promotion-code-open")).to_be_visible()
    fill_checkout(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    found = site.client.v1.checkout.sessions.list({"status": "complete"}).data[0]
    assert found.recovered_from == session.id


def test_a_charge_has_a_receipt(site: Site, page: Page) -> None:
    page.goto(create(site).url)
    fill_checkout(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    page.goto(site.client.v1.charges.list().data[0].receipt_url)
    expect(page.get_by_test_id("receipt-amount")).to_have_text("$30.00")
    expect(page.get_by_text("Seed potatoes × 2")).to_be_visible()


def test_an_offer_keeps_a_customer(site: Site, page: Page) -> None:
    customer, subscription, prices = subscribed(site)
    coupon = site.client.v1.coupons.create({"percent_off": 20, "duration": "once"})
    flow = {
        "type": "subscription_cancel",
        "subscription_cancel": {
            "subscription": subscription.id,
            "retention": {"type": "coupon_offer", "coupon_offer": {"coupon": coupon.id}},
        },
        "after_completion": {
            "type": "hosted_confirmation",
            "hosted_confirmation": {"custom_message": "Thank you for staying."},
        },
    }
    page.goto(portal(site, customer, prices, flow_data=flow).url)
    expect(page.get_by_test_id("offer")).to_contain_text("Stay with Seed box and get 20% off.")
    page.get_by_role("button", name="Stay and take the offer").click()
    expect(page.get_by_test_id("state-done")).to_contain_text("Thank you for staying.")
    found = site.client.v1.subscriptions.retrieve(subscription.id, {"expand": ["discounts"]})
    assert (found.status, found.cancel_at_period_end) == ("active", False)
    assert [discount.source.coupon for discount in found.discounts] == [coupon.id]


@pytest.mark.parametrize(
    "kind", ["payment_method_update", "subscription_update", "subscription_update_confirm"]
)
def test_flows_open_at_their_matter(site: Site, page: Page, kind: str) -> None:
    customer, subscription, prices = subscribed(site)
    item = subscription["items"].data[0].id
    details = {
        "subscription_update": {"subscription": subscription.id},
        "subscription_update_confirm": {
            "subscription": subscription.id,
            "items": [{"id": item, "price": prices[1].id, "quantity": 1}],
        },
    }
    flow: dict[str, Any] = {"type": kind, **({kind: details[kind]} if kind in details else {})}
    page.goto(portal(site, customer, prices, flow_data=flow).url)
    if kind == "payment_method_update":
        fill(page, "5555555555554444")
    elif kind == "subscription_update":
        page.get_by_label("$30.00 per month").check()
    if kind != "payment_method_update":
        expect(page.get_by_test_id("preview")).to_contain_text("$20.00")
    page.get_by_test_id("confirm").click()
    expect(page.get_by_test_id("subscriptions")).to_be_visible()
    if kind == "payment_method_update":
        assert len(site.client.v1.payment_methods.list({"customer": customer.id}).data) == 2
    else:
        after = site.client.v1.subscriptions.retrieve(subscription.id)
        assert after["items"].data[0].price.id == prices[1].id


def test_quantities_stay_within_the_configuration(site: Site, page: Page) -> None:
    page.expected_errors.append("status of 400")  # type: ignore[attr-defined]
    customer, subscription, prices = subscribed(site)
    made = portal(site, customer, prices)
    row = {"product": prices[0].product, "prices": [price.id for price in prices]}
    limits = {"enabled": True, "minimum": 1, "maximum": 5}
    site.client.v1.billing_portal.configurations.update(
        made.configuration,
        {"features": {"subscription_update": {"products": [{**row, "adjustable_quantity": limits}]}}},
    )
    page.goto(made.url)
    page.get_by_role("button", name="Update subscription").click()
    page.get_by_label("Quantity").fill("9")
    page.get_by_label("Quantity").blur()
    expect(page.get_by_test_id("form-error")).to_have_text("The quantity must be between 1 and 5.")
    page.get_by_label("Quantity").fill("3")
    page.get_by_label("Quantity").blur()
    expect(page.get_by_test_id("preview")).to_contain_text("$20.00")
    page.get_by_test_id("confirm").click()
    expect(page.get_by_test_id("subscriptions")).to_be_visible()
    assert site.client.v1.subscriptions.retrieve(subscription.id)["items"].data[0].quantity == 3
