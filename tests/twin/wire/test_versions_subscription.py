"""One subscription, read at five versions: each shows exactly its own fields, also of what hangs on it.

Source: https://docs.stripe.com/changelog/basil (periods, discount, payment intents and line details moved)
Source: https://docs.stripe.com/changelog/2024-04-10/renames-rendering-options-invoicing
Source: https://docs.stripe.com/changelog/clover (a discount names its source instead of its coupon)
"""

from __future__ import annotations

from typing import Any

import pytest
import stripe

from trialbalance.twin import Twin

OLD = ("2022-08-01", "2024-06-20")
BASIL, CLOVER = "2025-03-31.basil", "2025-09-30.clover"
NEWEST = "2026-10-28.endive"
VERSIONS = (*OLD, BASIL, CLOVER, NEWEST)

SUBSCRIPTION = """
    application application_fee_percent automatic_tax billing_cycle_anchor billing_cycle_anchor_config billing_mode
    billing_schedules billing_thresholds cancel_at cancel_at_period_end canceled_at cancellation_details
    collection_method created currency customer customer_account days_until_due default_payment_method default_source
    default_tax_rates description discounts ended_at id invoice_settings items latest_invoice livemode
    managed_payments metadata next_pending_invoice_item_invoice object on_behalf_of pause_collection payment_settings
    pending_invoice_item_interval pending_setup_intent pending_update plan quantity schedule start_date status
    status_details test_clock transfer_data trial_end trial_settings trial_start
"""
ITEM = """
    billing_thresholds created current_period_end current_period_start current_trial discounts id metadata object plan
    price quantity subscription tax_rates
"""
PLAN = """
    active amount amount_decimal billing_scheme created currency id interval interval_count livemode metadata meter
    nickname object product tiers_mode transform_usage trial_period_days usage_type
"""
DISCOUNT = """
    checkout_session customer customer_account end id invoice invoice_item object promotion_code start subscription
    subscription_item
"""
INVOICE = """
    account_country account_name account_tax_ids amount_due amount_overpaid amount_paid amount_remaining
    amount_shipping application attempt_count attempted auto_advance automatic_tax automatically_finalizes_at
    billing_reason collection_method created currency custom_fields customer customer_account customer_address
    customer_email customer_name customer_phone customer_shipping customer_tax_exempt customer_tax_ids
    default_payment_method default_source default_tax_rates description discounts due_date effective_at ending_balance
    footer from_invoice hosted_invoice_url id invoice_pdf issuer last_finalization_error latest_revision lines livemode
    metadata next_payment_attempt number object on_behalf_of parent payment_settings period_end period_start
    post_payment_credit_notes_amount pre_payment_credit_notes_amount receipt_number rendering shipping_cost
    shipping_details starting_balance statement_descriptor status status_details status_transitions subtotal
    subtotal_excluding_tax test_clock total total_discount_amounts total_excluding_tax total_pretax_credit_amounts
    total_taxes webhooks_delivered_at
"""
LINE = """
    amount currency description discount_amounts discountable discounts id invoice livemode metadata object parent
    period pretax_credit_amounts pricing quantity quantity_decimal subtotal taxes
"""
BEFORE_BASIL = {
    "subscription": "current_period_end current_period_start discount",
    "plan": "aggregate_usage",
    "invoice": """
        application_fee_amount charge discount paid paid_out_of_band payment_intent quote subscription
        subscription_details tax total_tax_amounts transfer_data
    """,
    "line": """
        amount_excluding_tax plan price proration proration_details subscription subscription_item tax_amounts
        tax_rates type unit_amount_excluding_tax
    """,
}
"""What each object had until 2025-03-31.basil."""
COMMON = {
    "subscription": SUBSCRIPTION,
    "item": ITEM,
    "plan": PLAN,
    "discount": DISCOUNT,
    "invoice": INVOICE,
    "line": LINE,
}


@pytest.fixture
def subscription(client: stripe.StripeClient) -> str:
    """A discounted subscription whose first invoice is paid."""
    card = {"default_payment_method": "pm_card_visa"}
    customer = client.v1.customers.create({"payment_method": "pm_card_visa", "invoice_settings": card}).id
    price = client.v1.prices.create(
        {
            "currency": "usd",
            "unit_amount": 1000,
            "recurring": {"interval": "month"},
            "product_data": {"name": "Plan"},
        }
    ).id
    coupon = client.v1.coupons.create({"percent_off": 10, "duration": "forever"}).id
    made = client.v1.subscriptions.create(
        {"customer": customer, "items": [{"price": price}], "discounts": [{"coupon": coupon}]}
    )
    return made.id


def read(twin: Twin, subscription: str, version: str) -> dict[str, Any]:
    form = {"expand": ["discounts", "latest_invoice"]}
    answer = twin.request("GET", f"/v1/subscriptions/{subscription}", form, version=version)
    assert (answer.status, answer.headers["stripe-version"]) == (200, version)
    found: dict[str, Any] = answer.json()
    return found


def parts(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The subscription and what hangs on it."""
    item, invoice = found["items"]["data"][0], found["latest_invoice"]
    return {
        "subscription": found,
        "item": item,
        "plan": item["plan"],
        "discount": found["discounts"][0],
        "invoice": invoice,
        "line": invoice["lines"]["data"][0],
    }


def expected(name: str, version: str) -> set[str]:
    fields = set(COMMON[name].split())
    if version in OLD:
        fields |= set(BEFORE_BASIL.get(name, "").split())
    if name == "invoice" and version == "2022-08-01":
        fields = fields - {"rendering"} | {"rendering_options"}
    if name == "discount":
        fields.add("source" if version in (CLOVER, NEWEST) else "coupon")
    return fields


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", list(COMMON))
def test_exactly_the_fields_of_a_version(twin: Twin, subscription: str, version: str, name: str) -> None:
    """Source: https://docs.stripe.com/changelog"""
    assert set(parts(read(twin, subscription, version))[name]) == expected(name, version)


def test_what_moved_says_the_same(twin: Twin, subscription: str) -> None:
    """Source: https://docs.stripe.com/changelog/basil"""
    shown = {version: read(twin, subscription, version) for version in VERSIONS}
    newest = shown[NEWEST]
    (item,) = newest["items"]["data"]
    (line,) = newest["latest_invoice"]["lines"]["data"]
    for version in OLD:
        old = shown[version]
        (old_line,) = old["latest_invoice"]["lines"]["data"]
        assert old["current_period_start"] == item["current_period_start"]
        assert old["current_period_end"] == item["current_period_end"]
        assert old["discount"]["coupon"]["id"] == newest["discounts"][0]["source"]["coupon"]
        assert old["latest_invoice"]["subscription"] == subscription
        assert old["latest_invoice"]["paid"] is True
        assert old_line["price"]["id"] == line["pricing"]["price_details"]["price"]
        assert old_line["subscription_item"] == item["id"]
    for version in VERSIONS:
        assert shown[version]["latest_invoice"]["total"] == 900
        assert shown[version]["id"] == subscription
