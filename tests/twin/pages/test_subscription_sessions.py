"""Checkout Sessions in subscription and setup mode, completed as a page completes them.

Source: https://docs.stripe.com/payments/checkout/build-subscriptions
"""

from __future__ import annotations

from typing import Any

import pytest
import stripe

from trialbalance.twin import Twin

MONTH: dict[str, Any] = {
    "price_data": {
        "currency": "usd",
        "unit_amount": 1000,
        "recurring": {"interval": "month"},
        "product_data": {"name": "Box"},
    },
    "quantity": 1,
}
ONCE: dict[str, Any] = {
    "price_data": {"currency": "usd", "unit_amount": 1500, "product_data": {"name": "Crate"}},
    "quantity": 1,
}


def create(client: stripe.StripeClient, **params: Any) -> Any:
    settings = {
        "mode": "subscription",
        "line_items": [MONTH],
        "success_url": "https://shop.example/ok",
        **params,
    }
    return client.v1.checkout.sessions.create(settings)  # type: ignore[arg-type]


def pay(twin: Twin, client: stripe.StripeClient, session: Any, token: str = "tok_visa") -> Any:
    """Confirm as the page does: publishable key, details, payment method."""
    method = client.v1.payment_methods.create(
        {"type": "card", "card": {"token": token}, "billing_details": {"name": "Ada"}}
    )
    return twin.request(
        "POST",
        f"/v1/payment_pages/{session.id}/confirm",
        {
            "customer_details": {"email": "ada@example.test", "name": "Ada"},
            "payment_method": method.id,
            "expected_amount": session.amount_total,
        }
        if session.mode != "setup"
        else {"customer_details": {"email": "ada@example.test"}, "payment_method": method.id},
        key=twin.publishable_key,
    )


def test_a_subscription_begins_with_the_payment(twin: Twin, client: stripe.StripeClient) -> None:
    session = create(client, subscription_data={"metadata": {"plan": "box"}})
    assert (session.subscription, session.customer_creation) == (None, "always")
    assert pay(twin, client, session).json()["status"] == "complete"
    done = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["subscription", "invoice"]})
    assert (done.status, done.payment_status, done.payment_intent) == ("complete", "paid", None)
    assert done.subscription.status == "active"
    assert done.subscription.metadata.to_dict() == {"plan": "box"}
    assert done.subscription.default_payment_method is not None
    assert (done.invoice.status, done.invoice.total) == ("paid", 1000)
    customer = client.v1.customers.retrieve(done.customer)
    assert customer.email == "ada@example.test"
    kinds = [event.type for event in client.v1.events.list({"limit": 60}).data]
    assert kinds[0] == "checkout.session.completed"
    assert kinds.count("customer.subscription.created") == 1


def test_a_one_time_item_is_billed_once(twin: Twin, client: stripe.StripeClient) -> None:
    session = create(client, line_items=[MONTH, ONCE])
    assert session.amount_total == 2500
    pay(twin, client, session)
    done = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["subscription", "invoice"]})
    assert (done.invoice.total, len(done.invoice.lines.data)) == (2500, 2)
    assert len(done.subscription["items"].data) == 1
    twin.advance(done.subscription["items"].data[0].current_period_end + 2 * 3600)
    newest = client.v1.invoices.list({"subscription": done.subscription.id}).data[0]
    assert (newest.total, newest.status) == (1000, "paid")


def test_a_trial_saves_the_card_and_takes_nothing(twin: Twin, client: stripe.StripeClient) -> None:
    session = create(client, subscription_data={"trial_period_days": 14})
    assert session.amount_total == 0
    pay(twin, client, session)
    done = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["subscription"]})
    assert (done.status, done.payment_status) == ("complete", "no_payment_required")
    assert (done.subscription.status, done.subscription.pending_setup_intent) == ("trialing", None)
    assert done.subscription.default_payment_method is not None
    assert not client.v1.charges.list().data


def test_a_trial_without_a_card_is_possible_where_allowed(twin: Twin, client: stripe.StripeClient) -> None:
    session = create(
        client,
        payment_method_collection="if_required",
        subscription_data={
            "trial_period_days": 14,
            "trial_settings": {"end_behavior": {"missing_payment_method": "cancel"}},
        },
    )
    answer = twin.request(
        "POST",
        f"/v1/payment_pages/{session.id}/confirm",
        {"customer_details": {"email": "ada@example.test"}, "expected_amount": 0},
        key=twin.publishable_key,
    )
    assert answer.json()["status"] == "complete"
    done = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["subscription"]})
    assert done.subscription.status == "trialing"


def test_a_decline_leaves_the_session_open_and_one_subscription(
    twin: Twin, client: stripe.StripeClient
) -> None:
    session = create(client)
    declined = pay(twin, client, session, "tok_chargeCustomerFail")
    assert declined.status == 402
    assert client.v1.checkout.sessions.retrieve(session.id).status == "open"
    assert pay(twin, client, session).json()["status"] == "complete"
    assert [s.status for s in client.v1.subscriptions.list({"status": "all"}).data] == ["active"]


def test_discounts_and_taxes_reach_the_invoice(twin: Twin, client: stripe.StripeClient) -> None:
    rate = client.v1.tax_rates.create({"display_name": "VAT", "percentage": 20, "inclusive": False})
    coupon = client.v1.coupons.create({"percent_off": 25, "duration": "repeating", "duration_in_months": 3})
    client.v1.promotion_codes.create({"promotion": {"type": "coupon", "coupon": coupon.id}, "code": "SPRING"})
    session = create(client, allow_promotion_codes=True, subscription_data={"default_tax_rates": [rate.id]})
    path = f"/v1/payment_pages/{session.id}"
    page = twin.request("POST", path, {"promotion_code": "spring"}, key=twin.publishable_key).json()
    assert (page["amount_total"], page["total_details"]["amount_tax"]) == (900, 150)
    session = client.v1.checkout.sessions.retrieve(session.id)
    pay(twin, client, session)
    done = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["invoice", "subscription"]})
    assert done.invoice.total == done.amount_total == 900
    assert client.v1.promotion_codes.list().data[0].times_redeemed == 1
    assert client.v1.coupons.retrieve(coupon.id).times_redeemed == 1


def test_a_customer_keeps_one_currency(twin: Twin, client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create({"email": "a@example.test"})
    euro = {**MONTH, "price_data": {**MONTH["price_data"], "currency": "eur"}}
    pay(twin, client, create(client, customer=customer.id, line_items=[euro]))
    with pytest.raises(stripe.InvalidRequestError, match="currency"):
        create(client, customer=customer.id)


def test_a_setup_session_saves_a_card(twin: Twin, client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create({"email": "ada@example.test"})
    session = client.v1.checkout.sessions.create(
        {
            "mode": "setup",
            "customer": customer.id,
            "currency": "usd",
            "success_url": "https://shop.example/ok",
        }
    )
    assert pay(twin, client, session).json()["status"] == "complete"
    done = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["setup_intent"]})
    assert (done.status, done.payment_status) == ("complete", "no_payment_required")
    assert done.setup_intent.status == "succeeded"
    assert len(client.v1.payment_methods.list({"customer": customer.id}).data) == 1


@pytest.mark.parametrize(("behavior", "amount"), [("create_prorations", 1000), ("none", 0)])
def test_a_later_anchor_bills_a_part_first(
    twin: Twin, client: stripe.StripeClient, behavior: str, amount: int
) -> None:
    dear = {**MONTH, "price_data": {**MONTH["price_data"], "unit_amount": 3100}}
    anchor = twin.now() + 10 * 86_400
    session = create(
        client,
        line_items=[dear],
        subscription_data={"billing_cycle_anchor": anchor, "proration_behavior": behavior},
    )
    assert session.amount_total == amount
    assert pay(twin, client, session).json()["status"] == "complete"
    done = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["subscription.latest_invoice"]})
    assert done.subscription.billing_cycle_anchor == anchor
    invoice = done.subscription.latest_invoice
    assert (invoice.total if invoice else 0) == amount


def test_a_payment_may_leave_a_paid_invoice(twin: Twin, client: stripe.StripeClient) -> None:
    rate = client.v1.tax_rates.create({"display_name": "VAT", "percentage": 20, "inclusive": False})
    coupon = client.v1.coupons.create({"amount_off": 500, "currency": "usd", "duration": "once"})
    session = create(
        client,
        mode="payment",
        line_items=[{**ONCE, "quantity": 2, "tax_rates": [rate.id]}],
        discounts=[{"coupon": coupon.id}],
        invoice_creation={
            "enabled": True,
            "invoice_data": {"description": "Thank you", "metadata": {"order": "7"}},
        },
    )
    assert session.amount_total == 3000
    assert pay(twin, client, session).json()["status"] == "complete"
    done = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["invoice"]})
    assert (done.invoice.status, done.invoice.total, done.invoice.description) == ("paid", 3000, "Thank you")
    assert done.invoice.metadata.to_dict() == {"order": "7"}
    assert done.customer == done.invoice.customer
    assert len(client.v1.charges.list().data) == 1


def test_an_anchor_says_when_whole_periods_begin(twin: Twin, client: stripe.StripeClient) -> None:
    anchor = twin.now() + 10 * 86_400
    by_second = create(client, subscription_data={"billing_cycle_anchor": anchor})
    shown = twin.request("GET", f"/v1/payment_pages/{by_second.id}", key=twin.publishable_key).json()
    assert shown["subscription"]["renews"] == anchor
    assert shown["amount_total"] < shown["subscription"]["next"]["total"] == 1000
    plain = create(client)
    shown = twin.request("GET", f"/v1/payment_pages/{plain.id}", key=twin.publishable_key).json()
    assert shown["subscription"]["renews"] is None
