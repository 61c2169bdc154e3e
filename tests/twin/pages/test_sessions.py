"""Checkout Sessions through the official SDK: what is created, refused, shown, expired.

Source: https://docs.stripe.com/api/checkout/sessions
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import stripe

from trialbalance.twin import Twin

ITEM = {
    "price_data": {"currency": "usd", "unit_amount": 1500, "product_data": {"name": "Seed potatoes"}},
    "quantity": 1,
}
HOSTED: dict[str, Any] = {
    "mode": "payment",
    "success_url": "https://shop.example/ok?s={CHECKOUT_SESSION_ID}",
    "line_items": [ITEM],
}


def create(client: stripe.StripeClient, **params: Any) -> Any:
    return client.v1.checkout.sessions.create({**HOSTED, **params})


def refused(action: Callable[[], Any]) -> stripe.InvalidRequestError:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        action()
    return caught.value


def test_an_open_payment_session_has_the_recorded_shape(client: stripe.StripeClient) -> None:
    session = create(client)
    assert session.id.startswith("cs_test_a1") and len(session.id) == 66
    assert session.status == "open"
    assert session.payment_status == "unpaid"
    assert session.payment_intent is None
    assert session.amount_total == 1500
    assert session.payment_method_collection == "if_required"
    assert session.invoice_creation.enabled is False
    assert session.success_url == HOSTED["success_url"]
    assert session.expires_at == session.created + 86_400
    assert session.total_details.to_dict() == {"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0}
    assert session.customer_creation == "if_required"
    assert session.discounts == []
    assert session.url.startswith(f"http://127.0.0.1:12111/c/pay/{session.id}#")
    assert "_lines" not in session


def test_urls_have_stripes_names_where_the_site_is_stripe() -> None:
    from tests.twin import sdk
    from trialbalance.twin.config import TwinConfig

    twin = Twin(config=TwinConfig(seed=1, clock=1_767_225_600, frozen=True, site="stripe"))
    session = create(sdk.client(twin))
    assert session.url.startswith(f"https://checkout.stripe.com/c/pay/{session.id}#fid")


def test_a_setup_session_asks_for_no_payment(client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create({"email": "ada@example.test"})
    session = client.v1.checkout.sessions.create(
        {"mode": "setup", "customer": customer.id, "currency": "usd", "success_url": "https://shop.example"}
    )
    assert (session.status, session.payment_status) == ("open", "no_payment_required")
    assert session.amount_total is None and session.amount_subtotal is None
    assert session.total_details is None and session.discounts is None
    assert session.payment_intent is None
    assert session.setup_intent.startswith("seti_")
    assert session.payment_method_collection == "always"
    assert session.expires_at == session.created + 86_400
    assert session.customer_details.email == "ada@example.test"


def test_a_setup_session_needs_a_currency_unless_methods_are_named(
    client: stripe.StripeClient, at_version: Callable[[str], stripe.StripeClient]
) -> None:
    bare: Any = {"mode": "setup", "success_url": "https://shop.example"}
    error = refused(lambda: client.v1.checkout.sessions.create(bare))
    assert error.param == "currency"
    older = at_version("2026-08-26.dahlia")
    named = older.v1.checkout.sessions.create({**bare, "payment_method_types": ["card"]})
    assert named.currency is None and named.payment_method_types == ["card"]


@pytest.mark.parametrize("offset", [20 * 60, 25 * 3600])
def test_expiry_is_between_half_an_hour_and_a_day(
    twin: Twin, client: stripe.StripeClient, offset: int
) -> None:
    error = refused(lambda: create(client, expires_at=twin.now() + offset))
    assert error.param == "expires_at"
    assert create(client, expires_at=twin.now() + 31 * 60).expires_at == twin.now() + 31 * 60


def test_a_session_expires_by_hand_once(client: stripe.StripeClient) -> None:
    session = create(client)
    expired = client.v1.checkout.sessions.expire(session.id)
    assert (expired.status, expired.url) == ("expired", None)
    assert client.v1.events.list({"type": "checkout.session.expired"}).data[0].data.object["id"] == session.id
    refused(lambda: client.v1.checkout.sessions.expire(session.id))


def test_a_session_expires_by_itself(twin: Twin, client: stripe.StripeClient) -> None:
    session = create(client)
    twin.advance(session.expires_at - 1)
    assert client.v1.checkout.sessions.retrieve(session.id).status == "open"
    twin.advance(session.expires_at)
    assert client.v1.checkout.sessions.retrieve(session.id).status == "expired"


def test_lines_come_on_request_and_as_a_list(client: stripe.StripeClient) -> None:
    other = {**ITEM, "quantity": 3, "price_data": {**ITEM["price_data"], "unit_amount": 250}}
    session = create(client, line_items=[ITEM, other], expand=["line_items"])
    assert [line.amount_total for line in session.line_items.data] == [1500, 750]
    assert session.amount_subtotal == 2250
    listed = client.v1.checkout.sessions.line_items.list(session.id, {"limit": 1})
    assert listed.has_more and listed.data[0].description == "Seed potatoes"
    assert listed.data[0].price.unit_amount == 1500 and listed.data[0].price.active is False
    assert "line_items" not in client.v1.checkout.sessions.retrieve(session.id)


def test_a_discount_shows_in_total_lines_and_breakdown(client: stripe.StripeClient) -> None:
    coupon = client.v1.coupons.create({"amount_off": 500, "currency": "usd", "duration": "once"})
    lines = [{**ITEM, "price_data": {**ITEM["price_data"], "unit_amount": amount}} for amount in (1000, 2000)]
    session = create(
        client,
        line_items=lines,
        discounts=[{"coupon": coupon.id}],
        expand=["line_items.data.discounts", "total_details.breakdown"],
    )
    assert session.amount_total == 2500
    assert [line.amount_discount for line in session.line_items.data] == [166, 334]
    assert [line.discounts[0].amount for line in session.line_items.data] == [166, 334]
    assert session.total_details.breakdown.discounts[0].amount == 500
    assert session.discounts[0].coupon == coupon.id


def test_taxes_come_after_discounts(client: stripe.StripeClient) -> None:
    rate = client.v1.tax_rates.create({"display_name": "VAT", "percentage": 20, "inclusive": False})
    coupon = client.v1.coupons.create({"amount_off": 500, "currency": "usd", "duration": "once"})
    line = {**ITEM, "price_data": {**ITEM["price_data"], "unit_amount": 1000}, "tax_rates": [rate.id]}
    session = create(
        client, line_items=[line], discounts=[{"coupon": coupon.id}], expand=["line_items.data.taxes"]
    )
    assert (session.amount_subtotal, session.total_details.amount_tax, session.amount_total) == (
        1000,
        100,
        600,
    )
    assert session.line_items.data[0].taxes[0].rate.id == rate.id


def test_shipping_options_choose_the_first(client: stripe.StripeClient) -> None:
    rate = client.v1.shipping_rates.create(
        {"display_name": "Post", "type": "fixed_amount", "fixed_amount": {"amount": 700, "currency": "usd"}}
    )
    inline = {
        "shipping_rate_data": {
            "display_name": "Courier",
            "type": "fixed_amount",
            "fixed_amount": {"amount": 1900, "currency": "usd"},
        }
    }
    session = create(client, shipping_options=[{"shipping_rate": rate.id}, inline])
    assert session.amount_total == 2200
    assert session.shipping_cost.shipping_rate == rate.id
    assert [option.shipping_amount for option in session.shipping_options] == [700, 1900]


@pytest.mark.parametrize(
    ("params", "param"),
    [
        ({"mode": None}, "mode"),
        ({"line_items": None}, "line_items"),
        ({"success_url": None}, "success_url"),
        ({"line_items": [{"price": "price_none", "quantity": 1}]}, "line_items[0][price]"),
        ({"line_items": [{**ITEM, "quantity": 0}]}, "line_items[0][quantity]"),
        ({"customer_email": "a@example.test", "customer": "cus_x"}, "customer"),
        ({"customer": "cus_none"}, "customer"),
        ({"return_url": "https://shop.example"}, "return_url"),
        ({"ui_mode": "embedded_page"}, "success_url"),
        ({"discounts": [{"coupon": "none"}]}, "discounts[0][coupon]"),
        ({"allow_promotion_codes": True, "discounts": [{"coupon": "none"}]}, "allow_promotion_codes"),
        ({"subscription_data": {"trial_period_days": 3}}, "subscription_data"),
    ],
)
def test_wrong_parameters_are_refused_by_name(
    client: stripe.StripeClient, params: dict[str, Any], param: str
) -> None:
    asked = {name: value for name, value in {**HOSTED, **params}.items() if value is not None}
    assert refused(lambda: client.v1.checkout.sessions.create(asked)).param == param  # type: ignore[arg-type]


def test_recurring_prices_need_subscription_mode(client: stripe.StripeClient) -> None:
    monthly = {**ITEM, "price_data": {**ITEM["price_data"], "recurring": {"interval": "month"}}}
    assert "recurring price" in str(refused(lambda: create(client, line_items=[monthly])))
    assert "at least one recurring" in str(refused(lambda: create(client, mode="subscription")))
    session = create(client, mode="subscription", line_items=[monthly, ITEM])
    assert (session.amount_total, session.payment_method_collection) == (3000, "always")


def test_too_small_a_total_is_refused(client: stripe.StripeClient) -> None:
    tiny = {**ITEM, "price_data": {**ITEM["price_data"], "unit_amount": 30}}
    assert refused(lambda: create(client, line_items=[tiny])).code == "amount_too_small"


def test_old_names_of_ui_mode_belong_to_old_versions(
    client: stripe.StripeClient, at_version: Callable[[str], stripe.StripeClient]
) -> None:
    back: dict[str, Any] = {**HOSTED, "return_url": "https://shop.example/r"}
    del back["success_url"]
    old = at_version("2025-09-30.clover")
    session = old.v1.checkout.sessions.create({**back, "ui_mode": "embedded"})
    assert (session.ui_mode, session.url) == ("embedded", None)
    assert session.client_secret.startswith(f"{session.id}_secret_")
    assert client.v1.checkout.sessions.retrieve(session.id).ui_mode == "embedded_page"
    refused(lambda: client.v1.checkout.sessions.create({**back, "ui_mode": "embedded"}))  # type: ignore[typeddict-item]
    refused(lambda: old.v1.checkout.sessions.create({**back, "ui_mode": "embedded_page"}))
    assert create(old).ui_mode == "hosted"


def test_before_2022_08_the_intent_is_there_from_the_start(
    at_version: Callable[[str], stripe.StripeClient],
) -> None:
    session = create(at_version("2020-08-27"))
    assert session.payment_intent.startswith("pi_")
    assert session.customer_creation == "always"
    intent = at_version("2020-08-27").v1.payment_intents.retrieve(session.payment_intent)
    assert (intent.amount, intent.status) == (1500, "requires_payment_method")


def test_old_lines_carry_their_own_amounts(at_version: Callable[[str], stripe.StripeClient]) -> None:
    line: Any = {"name": "Basket", "amount": 900, "currency": "usd", "quantity": 2}
    session = create(
        at_version("2018-11-08"), line_items=[line], payment_method_types=["card"], mode="payment"
    )
    assert session.amount_total == 1800


def test_lists_filter(client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create({"email": "ada@example.test"})
    mine = create(client, customer=customer.id)
    create(client)
    assert [s.id for s in client.v1.checkout.sessions.list({"customer": customer.id}).data] == [mine.id]
    by_mail = client.v1.checkout.sessions.list({"customer_details": {"email": "ada@example.test"}})
    assert [s.id for s in by_mail.data] == [mine.id]
    assert len(client.v1.checkout.sessions.list({"status": "open"}).data) == 2


def test_metadata_can_change_always_and_lines_while_open(client: stripe.StripeClient) -> None:
    session = create(client, expand=["line_items"])
    changed = client.v1.checkout.sessions.update(
        session.id,
        {"metadata": {"order": "7"}, "line_items": [{"id": session.line_items.data[0].id, "quantity": 4}]},
    )
    assert (changed.amount_total, changed.metadata.to_dict()) == (6000, {"order": "7"})
    client.v1.checkout.sessions.expire(session.id)
    assert (
        client.v1.checkout.sessions.update(session.id, {"metadata": {"order": ""}}).metadata.to_dict() == {}
    )
    refused(lambda: client.v1.checkout.sessions.update(session.id, {"line_items": [ITEM]}))  # type: ignore[list-item]


def test_a_session_is_paid_as_the_command_line_tool_pays_it(client: stripe.StripeClient, twin: Twin) -> None:
    session = create(client)
    assert twin.request("GET", f"/v1/payment_pages/{session.id}").json()["amount_total"] == 1500
    method = client.v1.payment_methods.create(
        {"type": "card", "card": {"token": "tok_visa"}, "billing_details": {"email": "ada@example.test"}}
    )
    path = f"/v1/payment_pages/{session.id}/confirm"
    wrong = twin.request("POST", path, {"payment_method": method.id, "expected_amount": 1400})
    assert (wrong.status, wrong.json()["error"]["code"]) == (400, "checkout_amount_mismatch")
    assert twin.request("POST", path, {"payment_method": method.id, "expected_amount": 1500}).status == 200
    paid = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent"]})
    assert (paid.status, paid.payment_status, paid.url, paid.customer) == ("complete", "paid", None, None)
    assert (paid.payment_intent.status, paid.payment_intent.amount_received) == ("succeeded", 1500)
    assert paid.customer_details.email == "ada@example.test"
    kinds = [event.type for event in client.v1.events.list({"limit": 20}).data]
    assert kinds.count("checkout.session.completed") == 1
    refused(lambda: client.v1.checkout.sessions.expire(session.id))
    found = client.v1.checkout.sessions.list({"payment_intent": paid.payment_intent.id}).data
    assert [s.id for s in found] == [session.id]


def test_a_page_outside_needs_the_client_secret(client: stripe.StripeClient, twin: Twin) -> None:
    session = client.v1.checkout.sessions.create(
        {
            "mode": "payment",
            "ui_mode": "embedded_page",
            "line_items": [ITEM],
            "return_url": "https://shop.example",
        }  # type: ignore[list-item]
    )
    path = f"/v1/payment_pages/{session.id}"
    assert twin.request("GET", path, key=twin.publishable_key).status == 400
    opened = twin.request("GET", path, {"client_secret": session.client_secret}, key=twin.publishable_key)
    assert opened.status == 200


def test_the_page_shows_prices_of_several_currencies_in_the_sessions(
    twin: Twin, client: stripe.StripeClient
) -> None:
    product = client.v1.products.create({"name": "Bowl"})
    price = client.v1.prices.create(
        {
            "product": product.id,
            "currency": "usd",
            "unit_amount": 1000,
            "currency_options": {"eur": {"unit_amount": 900}},
        }
    )
    session = client.v1.checkout.sessions.create(
        {
            "mode": "payment",
            "currency": "eur",
            "line_items": [{"price": price.id, "quantity": 2}],
            "optional_items": [{"price": price.id, "quantity": 1}],
            "success_url": "https://shop.example/ok",
        }
    )
    page = twin.request("GET", f"/v1/payment_pages/{session.id}", key=twin.publishable_key).json()
    assert page["amount_total"] == 1800
    for item in (*page["line_items"], *page["optional_items"]):
        assert (item["price"]["currency"], item["price"]["unit_amount_decimal"]) == ("eur", "900")
