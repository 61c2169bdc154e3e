"""Tax settings, registrations, calculations, transactions, and payments that record them."""

from __future__ import annotations

from typing import Any

import pytest
import stripe
from hypothesis import given
from hypothesis import strategies as st

from tests.twin.payments.pay import error_of, event_types, pay
from trialbalance.twin import Twin
from trialbalance.twin.taxes import engine, rates
from trialbalance.twin.taxes.rates import Place

TEXAS: Any = {
    "line1": "3201 North Dallas Avenue", "city": "Lancaster", "state": "TX", "postal_code": "75134", "country": "US",
}  # fmt: skip


@pytest.fixture
def seller(client: stripe.StripeClient) -> stripe.StripeClient:
    """A client whose account has an office in California and collects in Texas."""
    client.v1.tax.settings.update(
        {
            "head_office": {
                "address": {"country": "US", "state": "CA", "postal_code": "94107", "line1": "1 Main"}
            }
        }
    )
    register(client, "US", us={"state": "TX", "type": "state_sales_tax"})
    return client


def register(client: stripe.StripeClient, country: str, **options: Any) -> Any:
    """A registration that is active now."""
    return client.v1.tax.registrations.create(
        {"country": country, "country_options": options, "active_from": "now"}  # type: ignore[typeddict-item]
    )


def calculate(client: stripe.StripeClient, address: Any = TEXAS, amount: int = 1000, **over: Any) -> Any:
    """A calculation of one line."""
    line = {"amount": amount, "reference": "1", **over.pop("line", {})}
    details = {"address": address, "address_source": "shipping", **over.pop("details", {})}
    return client.v1.tax.calculations.create(
        {"currency": "usd", "line_items": [line], "customer_details": details, **over}  # type: ignore[typeddict-item]
    )


def test_taxes_need_a_head_office(client: stripe.StripeClient) -> None:
    settings = client.v1.tax.settings.retrieve().to_dict()
    assert settings["status"] == "pending"
    assert settings["status_details"] == {"pending": {"missing_fields": ["head_office"]}}
    with pytest.raises(stripe.InvalidRequestError) as caught:
        calculate(client)
    assert error_of(caught)["code"] == "stripe_tax_inactive"


def test_a_calculation(seller: stripe.StripeClient) -> None:
    found = seller.v1.tax.calculations.create(
        {
            "currency": "usd",
            "line_items": [
                {"amount": 1000, "reference": "1", "tax_behavior": "exclusive"},
                {"amount": 2000, "reference": "2", "quantity": 2},
            ],
            "shipping_cost": {"amount": 1000, "tax_behavior": "exclusive", "tax_code": "txcd_92010001"},
            "customer_details": {"address": TEXAS, "address_source": "shipping"},
            "expand": ["line_items.data.tax_breakdown", "shipping_cost.tax_breakdown"],
        }
    ).to_dict()
    assert found["tax_amount_exclusive"] == 63 + 125 + 63
    assert found["amount_total"] == 4000 + 251
    assert found["expires_at"] - found["tax_date"] == 90 * 24 * 3600
    assert found["customer_details"]["taxability_override"] == "none"
    lines = found["line_items"]["data"]
    assert [line["amount_tax"] for line in lines] == [63, 125]
    assert lines[0]["tax_breakdown"] == [
        {
            "amount": 63,
            "jurisdiction": {"country": "US", "display_name": "Texas", "level": "state", "state": "TX"},
            "sourcing": "destination",
            "tax_rate_details": {
                "display_name": "Sales Tax",
                "percentage_decimal": "6.25",
                "tax_type": "sales_tax",
            },
            "taxability_reason": "standard_rated",
            "taxable_amount": 1000,
        }
    ]
    assert found["shipping_cost"]["tax_breakdown"][0]["amount"] == 63
    assert [(b["amount"], b["taxability_reason"]) for b in found["tax_breakdown"]] == [
        (251, "standard_rated")
    ]
    again = seller.v1.tax.calculations.retrieve(found["id"]).to_dict()
    assert "tax_breakdown" not in again["line_items"]["data"][0]
    assert [x.id for x in seller.v1.tax.calculations.line_items.list(found["id"]).data] == [
        x["id"] for x in lines
    ]


def test_calculations_expire(seller: stripe.StripeClient, twin: Twin) -> None:
    found = calculate(seller)
    twin.advance(twin.now() + 90 * 24 * 3600)
    with pytest.raises(stripe.InvalidRequestError):
        seller.v1.tax.calculations.retrieve(found.id)


@pytest.mark.parametrize(
    ("address", "over", "reason", "tax"),
    [
        ({"country": "US", "state": "NY", "postal_code": "10001"}, {}, "not_collecting", 0),
        ({"country": "US", "state": "OR", "postal_code": "97201"}, {}, "not_subject_to_tax", 0),
        ({"country": "BR"}, {}, "not_supported", 0),
        (TEXAS, {"line": {"tax_code": "txcd_00000000"}}, "product_exempt", 0),
        (TEXAS, {"details": {"taxability_override": "customer_exempt"}}, "customer_exempt", 0),
        (TEXAS, {}, "standard_rated", 63),
    ],
)
def test_reasons(seller: stripe.StripeClient, address: Any, over: Any, reason: str, tax: int) -> None:
    found = calculate(seller, address, **over).to_dict()
    assert [part["taxability_reason"] for part in found["tax_breakdown"]] == [reason]
    assert found["tax_amount_exclusive"] == tax


def test_value_added_taxes(seller: stripe.StripeClient) -> None:
    register(seller, "DE", de={"type": "standard", "standard": {"place_of_supply_scheme": "standard"}})
    germany: Any = {"country": "DE", "city": "Berlin"}
    gross = calculate(seller, germany, 11900, line={"tax_behavior": "inclusive"})
    assert (gross.amount_total, gross.tax_amount_inclusive, gross.tax_amount_exclusive) == (11900, 1900, 0)
    business = calculate(
        seller, germany, details={"tax_ids": [{"type": "eu_vat", "value": "DE123456789"}]}
    ).to_dict()
    assert business["tax_breakdown"][0]["taxability_reason"] == "reverse_charge"
    france: Any = {"country": "FR"}
    assert calculate(seller, france).tax_amount_exclusive == 0
    register(seller, "IE", ie={"type": "oss_union"})
    assert calculate(seller, france).tax_amount_exclusive == 200


def test_canada_has_two_taxes(seller: stripe.StripeClient) -> None:
    register(seller, "CA", ca={"type": "standard"})
    quebec: Any = {"country": "CA", "state": "QC", "postal_code": "H2Y1C6"}
    assert calculate(seller, quebec, 10_000).tax_amount_exclusive == 500
    register(seller, "CA", ca={"type": "province_standard", "province_standard": {"province": "QC"}})
    both = calculate(seller, quebec, 10_000).to_dict()
    assert both["tax_amount_exclusive"] == 500 + 998
    assert [part["tax_rate_details"]["tax_type"] for part in both["tax_breakdown"]] == ["gst", "qst"]


def test_customers_and_products_tell_too(seller: stripe.StripeClient) -> None:
    customer = seller.v1.customers.create({"address": TEXAS, "tax_exempt": "exempt"})
    product = seller.v1.products.create({"name": "Hose", "tax_code": "txcd_99999999"})
    found = seller.v1.tax.calculations.create(
        {
            "currency": "usd",
            "customer": customer.id,
            "line_items": [{"amount": 1000, "reference": "1", "product": product.id}],
        }
    ).to_dict()
    assert found["customer"] == customer.id
    assert found["tax_breakdown"][0]["taxability_reason"] == "customer_exempt"
    assert found["line_items"]["data"][0]["tax_code"] == "txcd_99999999"


def test_refused_calculations(seller: stripe.StripeClient) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"address": {"country": "US"}}, "customer_tax_location_invalid"),
        ({"line": {"tax_code": "books"}}, "resource_missing"),
        ({"line": {"product": "prod_nope"}}, "resource_missing"),
        ({"details": {"address": None}}, "customer_tax_location_invalid"),
    ]
    for over, code in cases:
        over = dict(over)
        if over.get("details", {}).get("address", 1) is None:
            with pytest.raises(stripe.InvalidRequestError) as caught:
                seller.v1.tax.calculations.create(
                    {
                        "currency": "usd",
                        "line_items": [{"amount": 1, "reference": "1"}],
                        "customer_details": {},
                    }
                )
        else:
            with pytest.raises(stripe.InvalidRequestError) as caught:
                calculate(seller, over.pop("address", TEXAS), **over)
        assert error_of(caught)["code"] == code


def test_registrations_begin_and_end(seller: stripe.StripeClient, twin: Twin) -> None:
    later = seller.v1.tax.registrations.create(
        {
            "country": "US",
            "country_options": {"us": {"state": "NY", "type": "state_sales_tax"}},
            "active_from": twin.now() + 100,
            "expires_at": twin.now() + 200,
        }
    )
    assert later.status == "scheduled"
    assert [r.id for r in seller.v1.tax.registrations.list({"status": "scheduled"}).data] == [later.id]
    twin.advance(twin.now() + 100)
    assert seller.v1.tax.registrations.retrieve(later.id).status == "active"
    with pytest.raises(stripe.InvalidRequestError):
        seller.v1.tax.registrations.update(later.id, {"active_from": "now"})
    twin.advance(twin.now() + 100)
    assert seller.v1.tax.registrations.retrieve(later.id).status == "expired"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        register(seller, "US", us={"type": "state_sales_tax"})
    assert error_of(caught)["code"] == "parameter_missing"
    with pytest.raises(stripe.InvalidRequestError):
        register(seller, "DE", fr={"type": "oss_union"})


def test_transactions_and_reversals(seller: stripe.StripeClient) -> None:
    calculation = calculate(seller, amount=1000, shipping_cost={"amount": 200})
    done = seller.v1.tax.transactions.create_from_calculation(
        {
            "calculation": calculation.id,
            "reference": "order_1",
            "metadata": {"a": "1"},
            "expand": ["line_items"],
        }
    ).to_dict()
    line = done["line_items"]["data"][0]
    assert (done["type"], line["amount"], line["amount_tax"]) == ("transaction", 1000, 63)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        seller.v1.tax.transactions.create_from_calculation(
            {"calculation": calculation.id, "reference": "order_1"}
        )
    assert error_of(caught)["param"] == "reference"
    part = seller.v1.tax.transactions.create_reversal(
        {
            "mode": "partial",
            "original_transaction": done["id"],
            "reference": "refund_1",
            "line_items": [
                {"original_line_item": line["id"], "amount": -400, "amount_tax": -25, "reference": "r1"}
            ],
            "expand": ["line_items"],
        }
    ).to_dict()
    assert part["reversal"] == {"original_transaction": done["id"]}
    assert part["line_items"]["data"][0]["reversal"] == {"original_line_item": line["id"]}
    with pytest.raises(stripe.InvalidRequestError):
        seller.v1.tax.transactions.create_reversal(
            {"mode": "partial", "original_transaction": done["id"], "reference": "r2", "flat_amount": -1000}
        )
    rest = seller.v1.tax.transactions.create_reversal(
        {
            "mode": "full",
            "original_transaction": done["id"],
            "reference": "refund_2",
            "expand": ["line_items"],
        }
    ).to_dict()
    last = rest["line_items"]["data"][0]
    assert (last["amount"], last["amount_tax"]) == (-600, -38)
    assert rest["shipping_cost"]["amount"] == -200
    listed = seller.v1.tax.transactions.line_items.list(done["id"]).data
    assert [item.id for item in listed] == [line["id"]]


def test_a_payment_records_its_calculation(seller: stripe.StripeClient, twin: Twin) -> None:
    calculation = calculate(seller)
    intent = pay(seller, 1063, hooks={"inputs": {"tax": {"calculation": calculation.id}}})
    found = seller.v1.tax.associations.find({"payment_intent": intent.id}).to_dict()
    assert found["calculation"] == calculation.id
    attempt = found["tax_transaction_attempts"][0]
    assert (attempt["source"], attempt["status"]) == (intent.id, "committed")
    done = seller.v1.tax.transactions.retrieve(attempt["committed"]["transaction"])
    assert done.reference == intent.id
    refund = seller.v1.refunds.create({"payment_intent": intent.id, "amount": 500})
    attempts = seller.v1.tax.associations.find({"payment_intent": intent.id}).to_dict()[
        "tax_transaction_attempts"
    ]
    assert attempts[1]["source"] == refund.id
    reversal = seller.v1.tax.transactions.retrieve(
        attempts[1]["committed"]["transaction"], {"expand": ["line_items"]}
    ).to_dict()
    line = reversal["line_items"]["data"][0]
    assert line["amount"] + line["amount_tax"] == -500
    seller.v1.refunds.create({"payment_intent": intent.id})
    with pytest.raises(stripe.InvalidRequestError):
        seller.v1.tax.associations.find({"payment_intent": "pi_nope"})
    assert "tax.settings.updated" in event_types(twin)


def test_tax_codes(client: stripe.StripeClient) -> None:
    assert client.v1.tax_codes.retrieve("txcd_10000000").name.startswith("General")
    assert len(client.v1.tax_codes.list().data) == 10
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.tax_codes.retrieve("txcd_12345678")


@given(
    st.integers(0, 10**8),
    st.booleans(),
    st.sampled_from([Place("US", "TX"), Place("DE"), Place("CA", "QC"), Place("CA", "ON"), Place("JP")]),
)
def test_parts_add_up(amount: int, inclusive: bool, place: Place) -> None:
    options = {
        "US": ("US", {"type": "state_sales_tax", "state": "TX"}),
        "DE": ("DE", {"type": "standard"}),
        "JP": ("JP", {"type": "standard"}),
        "CA": ("CA", {"type": "standard"}),
    }
    registrations = [options[place.country]]
    if place.country == "CA":
        registrations.append(("CA", {"type": "province_standard", "province_standard": {"province": "QC"}}))
    parts = engine.tax(
        amount,
        inclusive=inclusive,
        code="txcd_10000000",
        seller=engine.Seller("US", tuple(registrations)),
        buyer=engine.Buyer(place),
    )
    total = sum(part.amount for part in parts)
    percent = sum(float(rate.percent) for rate in rates.rates_of(place) or [])
    expected = amount * percent / (100 + percent) if inclusive else amount * percent / 100
    assert abs(total - expected) <= len(parts)
    if inclusive:
        assert all(part.taxable + total == amount for part in parts)
