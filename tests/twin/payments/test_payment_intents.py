"""PaymentIntents: every transition and every refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import stripe

from tests.twin.payments.pay import NO_REDIRECTS, books, charge_of, error_of, event_types, pay
from trialbalance.twin import Twin

At = Callable[[str], stripe.StripeClient]


@pytest.fixture
def customer(client: stripe.StripeClient) -> Any:
    return client.v1.customers.create({"email": "ada@example.test"})


@pytest.fixture
def saved(client: stripe.StripeClient, customer: Any) -> Any:
    return client.v1.payment_methods.attach("pm_card_visa", {"customer": customer.id})


def test_a_new_intent_offers_dynamic_payment_methods(client: stripe.StripeClient) -> None:
    intent = client.v1.payment_intents.create({"amount": 4900, "currency": "usd", "metadata": {"p": "1"}})
    assert intent.status == "requires_payment_method"
    assert intent.automatic_payment_methods is not None
    assert intent.automatic_payment_methods.to_dict() == {"enabled": True, "allow_redirects": "always"}
    assert intent.capture_method == "automatic_async"
    assert intent.payment_method_types == ["card", "link"]
    assert intent.client_secret is not None
    assert intent.client_secret.startswith(f"{intent.id}_secret_")
    assert intent.amount_details is not None and intent.amount_details.to_dict() == {"tip": {}}


def test_confirming_at_creation(client: stripe.StripeClient, customer: Any, saved: Any, twin: Twin) -> None:
    before = len(event_types(twin))
    intent = pay(client, 4900, saved.id, customer=customer.id, description="order 7")
    assert (intent.status, intent.amount_received) == ("succeeded", 4900)
    assert event_types(twin, before) == [
        "payment_intent.created",
        "charge.succeeded",
        "payment_intent.succeeded",
    ]
    charge = charge_of(client, intent)
    assert (charge.amount, charge.captured, charge.paid, charge.description) == (4900, True, True, "order 7")
    assert charge.payment_method_details.card.amount_authorized == 4900
    assert event_types(twin, before)[-1] == "charge.updated"
    books(twin)


def test_asynchronous_capture_posts_the_money_a_moment_later(client: stripe.StripeClient) -> None:
    intent = pay(client, expand=["latest_charge"])
    assert intent.latest_charge.balance_transaction is None
    again = client.v1.charges.retrieve(intent.latest_charge.id, {"expand": ["balance_transaction"]})
    assert isinstance(again.balance_transaction, stripe.BalanceTransaction)
    assert (again.balance_transaction.amount, again.balance_transaction.fee) == (1000, 59)
    assert again.balance_transaction.available_on == 1767225600 + 7 * 86400


def test_synchronous_capture_posts_it_at_once(client: stripe.StripeClient) -> None:
    intent = pay(client, capture_method="automatic", expand=["latest_charge"])
    assert intent.latest_charge.balance_transaction.startswith("txn_")


def test_from_creation_over_update_to_confirmation(client: stripe.StripeClient) -> None:
    intent = client.v1.payment_intents.create(
        {"amount": 1500, "currency": "usd", "automatic_payment_methods": NO_REDIRECTS}
    )
    intent = client.v1.payment_intents.update(intent.id, {"amount": 1600, "payment_method": "pm_card_visa"})
    assert (intent.status, intent.amount) == ("requires_confirmation", 1600)
    intent = client.v1.payment_intents.confirm(intent.id)
    assert (intent.status, intent.amount_received) == ("succeeded", 1600)


def test_confirmation_without_a_payment_method(client: stripe.StripeClient, customer: Any) -> None:
    bare = client.v1.payment_intents.create({"amount": 800, "currency": "usd"})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.confirm(bare.id)
    error = error_of(caught)
    assert error["code"] == "payment_intent_unexpected_state"
    assert error["payment_intent"]["id"] == bare.id
    assert error["message"].endswith("payment method or ConfirmationToken.")
    owned = client.v1.payment_intents.create({"amount": 800, "currency": "usd", "customer": customer.id})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.confirm(owned.id)
    assert f"To confirm the PaymentIntent with {customer.id}" in error_of(caught)["message"]


def test_a_saved_method_needs_its_customer(client: stripe.StripeClient, saved: Any) -> None:
    intent = client.v1.payment_intents.create(
        {"amount": 1500, "currency": "usd", "automatic_payment_methods": NO_REDIRECTS}
    )
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.confirm(intent.id, {"payment_method": saved.id})
    error = error_of(caught)
    assert (error["code"], error["param"]) == ("parameter_missing", "source")
    other = client.v1.customers.create()
    intent = client.v1.payment_intents.create(
        {"amount": 1500, "currency": "usd", "customer": other.id, "automatic_payment_methods": NO_REDIRECTS}
    )
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.confirm(intent.id, {"payment_method": saved.id})
    error = error_of(caught)
    assert error["param"] == "payment_method" and "code" not in error
    assert error["payment_intent"]["status"] == "requires_payment_method"


def test_manual_capture_in_part(client: stripe.StripeClient, twin: Twin) -> None:
    before = len(event_types(twin))
    intent = pay(client, 6500, capture_method="manual")
    assert (intent.status, intent.amount_capturable) == ("requires_capture", 6500)
    charge = charge_of(client, intent)
    assert (charge.captured, charge.paid, charge.balance_transaction) == (False, True, None)
    assert charge.payment_method_details.card.capture_before == charge.created + 7 * 86400
    captured = client.v1.payment_intents.capture(intent.id, {"amount_to_capture": 5000})
    assert (captured.status, captured.amount_received, captured.amount_capturable) == ("succeeded", 5000, 0)
    charge = charge_of(client, intent)
    assert (charge.amount, charge.amount_captured, charge.amount_refunded) == (6500, 5000, 0)
    assert charge.balance_transaction is not None
    assert event_types(twin, before) == [
        "payment_intent.created",
        "charge.succeeded",
        "payment_intent.amount_capturable_updated",
        "charge.captured",
        "payment_intent.succeeded",
    ]
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.capture(intent.id)
    assert "remainder of the authorized amount has been released" in error_of(caught)["message"]
    books(twin)


@pytest.mark.parametrize(
    ("amount", "code", "param"),
    [
        (9999, "amount_too_large", None),
        (-100, None, "amount_to_capture"),
        (0, "parameter_invalid_integer", "amount"),
    ],
)
def test_wrong_amounts_to_capture(
    amount: int, code: str | None, param: str | None, client: stripe.StripeClient
) -> None:
    intent = pay(client, 5000, capture_method="manual")
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.capture(intent.id, {"amount_to_capture": amount})
    error = error_of(caught)
    assert (error.get("code"), error.get("param")) == (code, param)
    assert error["payment_intent"]["status"] == "requires_capture"


def test_capture_needs_an_authorization(client: stripe.StripeClient) -> None:
    intent = client.v1.payment_intents.create({"amount": 4900, "currency": "usd"})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.capture(intent.id)
    assert error_of(caught)["message"] == (
        "This PaymentIntent could not be captured because it has a status of requires_payment_method. Only a "
        "PaymentIntent with one of the following statuses may be captured: requires_capture."
    )


def test_capture_in_several_parts(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(
        client,
        3000,
        capture_method="manual",
        payment_method_options={"card": {"request_multicapture": "if_available"}},
    )
    first = client.v1.payment_intents.capture(intent.id, {"amount_to_capture": 1000, "final_capture": False})
    assert (first.status, first.amount_received, first.amount_capturable) == ("requires_capture", 1000, 2000)
    last = client.v1.payment_intents.capture(intent.id, {"amount_to_capture": 1500})
    assert (last.status, last.amount_received, last.amount_capturable) == ("succeeded", 2500, 0)
    rows = client.v1.balance_transactions.list({"source": str(intent.latest_charge)})
    assert [row.amount for row in rows.data] == [1500, 1000]
    books(twin)


def test_multicapture_must_be_asked_for(client: stripe.StripeClient) -> None:
    intent = pay(client, 3000, capture_method="manual")
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.capture(intent.id, {"amount_to_capture": 1000, "final_capture": False})
    assert error_of(caught)["param"] == "final_capture"


def test_overcapture(client: stripe.StripeClient) -> None:
    intent = pay(
        client,
        1000,
        capture_method="manual",
        payment_method_options={"card": {"request_overcapture": "if_available"}},
    )
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_intents.capture(intent.id, {"amount_to_capture": 1201})
    assert client.v1.payment_intents.capture(intent.id, {"amount_to_capture": 1200}).amount_received == 1200


def test_incremental_authorization(client: stripe.StripeClient) -> None:
    plain = pay(client, 1000, capture_method="manual")
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_intents.increment_authorization(plain.id, {"amount": 1500})
    intent = pay(
        client,
        1000,
        capture_method="manual",
        payment_method_options={"card": {"request_incremental_authorization": "if_available"}},
    )
    raised = client.v1.payment_intents.increment_authorization(intent.id, {"amount": 1500})
    assert (raised.amount, raised.amount_capturable) == (1500, 1500)
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_intents.increment_authorization(intent.id, {"amount": 1500})
    assert client.v1.payment_intents.capture(intent.id).amount_received == 1500


def test_an_authorization_expires_after_seven_days(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, 1000, capture_method="manual")
    twin.advance(twin.now() + 7 * 86400)
    expired = client.v1.payment_intents.retrieve(intent.id)
    assert (expired.status, expired.cancellation_reason) == ("canceled", "automatic")
    charge = charge_of(client, intent)
    assert (charge.refunded, charge.amount_refunded) == (True, 1000)
    assert event_types(twin)[-2:] == ["charge.expired", "payment_intent.canceled"]
    books(twin)


def test_canceling(client: stripe.StripeClient) -> None:
    intent = client.v1.payment_intents.create({"amount": 1200, "currency": "usd"})
    gone = client.v1.payment_intents.cancel(intent.id, {"cancellation_reason": "abandoned"})
    assert (gone.status, gone.cancellation_reason, gone.canceled_at) == (
        "canceled",
        "abandoned",
        gone.created,
    )
    for act in (client.v1.payment_intents.cancel, client.v1.payment_intents.capture):
        with pytest.raises(stripe.InvalidRequestError) as caught:
            act(intent.id)
        assert "status of canceled" in error_of(caught)["message"]
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_amex"})
    assert error_of(caught)["param"] == "payment_method"


def test_canceling_releases_an_authorization(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, 1000, capture_method="manual")
    client.v1.payment_intents.cancel(intent.id)
    charge = charge_of(client, intent)
    assert (charge.captured, charge.refunded, charge.amount_refunded) == (False, True, 1000)
    refund = client.v1.refunds.list({"charge": charge.id}).data[0]
    assert refund.balance_transaction is None
    assert event_types(twin)[-2:] == ["charge.refunded", "payment_intent.canceled"]
    books(twin)


def test_what_is_paid_cannot_be_canceled_or_confirmed(client: stripe.StripeClient) -> None:
    intent = pay(client)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.cancel(intent.id)
    assert error_of(caught)["message"] == (
        "You cannot cancel this PaymentIntent because it has a status of succeeded. Only a PaymentIntent with one of "
        "the following statuses may be canceled: requires_payment_method, requires_capture, "
        "requires_reauthorization, requires_confirmation, requires_action, expired, processing."
    )
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_mastercard"})
    assert error_of(caught)["message"] == (
        "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed."
    )


def test_updates_after_success(client: stripe.StripeClient) -> None:
    intent = pay(client, 4900)
    changed = client.v1.payment_intents.update(intent.id, {"metadata": {"u": "v"}, "description": "after"})
    assert (changed.description, changed.metadata.to_dict()) == ("after", {"u": "v"})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.update(intent.id, {"amount": 9999})
    error = error_of(caught)
    assert (error["code"], error["param"]) == ("payment_intent_unexpected_state", "amount")
    assert error["payment_intent"]["description"] == "after"


@pytest.mark.parametrize(
    ("amount", "currency", "code"),
    [
        (0, "usd", "parameter_invalid_integer"),
        (49, "usd", "amount_too_small"),
        (100_000_000, "usd", "amount_too_large"),
        (29, "gbp", "amount_too_small"),
        (49, "jpy", "amount_too_small"),
        (17_499, "huf", "amount_too_small"),
    ],
)
def test_amounts_that_are_refused(amount: int, currency: str, code: str, client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.create({"amount": amount, "currency": currency})
    assert (error_of(caught)["code"], error_of(caught)["param"]) == (code, "amount")


@pytest.mark.parametrize(
    ("amount", "currency"), [(50, "usd"), (99_999_999, "usd"), (30, "gbp"), (50, "jpy"), (1000, "kwd")]
)
def test_amounts_that_are_taken(amount: int, currency: str, client: stripe.StripeClient) -> None:
    assert client.v1.payment_intents.create({"amount": amount, "currency": currency}).amount == amount


@pytest.mark.parametrize(
    ("amount", "currency"), [(1001, "kwd"), (1005, "bhd"), (6350, "isk"), (12_345, "tnd"), (180_050, "ugx")]
)
def test_decimals_that_a_currency_does_not_use(
    amount: int, currency: str, client: stripe.StripeClient, twin: Twin
) -> None:
    """Three-decimal amounts end in zero, and there are no fractions of a króna."""
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.create({"amount": amount, "currency": currency})
    assert error_of(caught)["param"] == "amount" and "evenly divisible" in error_of(caught)["message"]
    step = 100 if currency in ("isk", "ugx") else 10
    paid = pay(client, amount // step * step, currency=currency)
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.refunds.create({"payment_intent": paid.id, "amount": 101})
    assert client.v1.refunds.create({"payment_intent": paid.id, "amount": 100}).amount == 100
    books(twin)


def test_unknown_currencies_are_refused(client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.create({"amount": 1000, "currency": "xxd"})
    assert error_of(caught)["param"] == "currency"


def test_a_return_url_is_needed_where_redirects_may_come(client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.create(
            {"amount": 1000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
        )
    error = error_of(caught)
    assert error["param"] == "return_url" and "payment_intent" not in error
    assert client.v1.payment_intents.list().data == []
    paid = client.v1.payment_intents.create(
        {
            "amount": 1000,
            "currency": "usd",
            "payment_method": "pm_card_visa",
            "confirm": True,
            "return_url": "https://shop.test/done",
        }
    )
    assert paid.status == "succeeded"


def test_payment_method_types_are_gone(client: stripe.StripeClient, at_version: At) -> None:
    params: Any = {"amount": 1000, "currency": "usd", "payment_method_types": ["card"]}
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.create(params)
    assert error_of(caught)["code"] == "payment_method_types_no_longer_supported"
    older = at_version("2026-08-26.dahlia").v1.payment_intents.create(params)
    assert older.payment_method_types == ["card"] and older.automatic_payment_methods is None


def test_allowed_and_excluded_types(client: stripe.StripeClient) -> None:
    allowed = client.v1.payment_intents.create(
        {
            "amount": 1000,
            "currency": "eur",
            "allowed_payment_method_types": ["card", "ideal", "us_bank_account"],
        }
    )
    assert allowed.payment_method_types == ["card", "ideal"]
    excluded = client.v1.payment_intents.create(
        {"amount": 1000, "currency": "usd", "excluded_payment_method_types": ["card"]}
    )
    assert excluded.payment_method_types == ["link"]
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_intents.create(
            {
                "amount": 1000,
                "currency": "usd",
                "allowed_payment_method_types": ["card"],
                "excluded_payment_method_types": ["link"],
            }
        )


@pytest.mark.parametrize("name", ["off_session", "return_url", "mandate_data", "error_on_requires_action"])
def test_what_only_a_confirmation_uses(name: str, client: stripe.StripeClient) -> None:
    value: Any = {
        "off_session": True,
        "return_url": "https://shop.test",
        "mandate_data": {"customer_acceptance": {"type": "offline"}},
        "error_on_requires_action": True,
    }[name]
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.create({"amount": 1000, "currency": "usd", name: value})  # type: ignore[misc]
    assert error_of(caught)["param"] == name


def test_setup_future_usage_attaches_the_method(client: stripe.StripeClient, customer: Any) -> None:
    intent = pay(client, 1000, customer=customer.id, setup_future_usage="off_session")
    method = client.v1.payment_methods.retrieve(intent.payment_method)
    assert method.customer == customer.id
    assert pay(client, 1000, method.id, customer=customer.id, off_session=True).status == "succeeded"


def test_without_it_the_method_stays_loose(client: stripe.StripeClient, customer: Any) -> None:
    intent = pay(client, 1000, customer=customer.id)
    assert client.v1.payment_methods.retrieve(intent.payment_method).customer is None


def test_charges_take_over_the_intent(client: stripe.StripeClient, customer: Any) -> None:
    intent = pay(
        client,
        customer=customer.id,
        metadata={"order": "7"},
        receipt_email="ada@example.test",
        statement_descriptor_suffix="ORDER 7",
        shipping={"name": "Ada", "address": {"line1": "1 Main St", "country": "US"}},
        transfer_group="group",
        payment_details={"order_reference": "o7"},
    )
    charge = charge_of(client, intent)
    assert charge.metadata.to_dict() == {"order": "7"}
    assert charge.receipt_email == "ada@example.test"
    assert charge.calculated_statement_descriptor.endswith("* ORDER 7")
    assert charge.shipping.address.line1 == "1 Main St"
    assert (charge.transfer_group, charge.customer) == ("group", customer.id)
    assert intent.payment_details.order_reference == "o7"


def test_error_on_requires_action(client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.CardError) as caught:
        pay(client, card="pm_card_authenticationRequired", error_on_requires_action=True)
    error = error_of(caught)
    assert (error["code"], error["decline_code"]) == ("authentication_required", "authentication_not_handled")


def test_amount_details(client: stripe.StripeClient) -> None:
    item: Any = {"product_name": "Tea", "quantity": 2, "unit_cost": 500}
    intent = client.v1.payment_intents.create(
        {
            "amount": 1100,
            "currency": "usd",
            "amount_details": {"line_items": [item], "shipping": {"amount": 100}},
        }
    )
    lines = client.v1.payment_intents.amount_details_line_items.list(intent.id)
    assert [(line.product_name, line.quantity) for line in lines.data] == [("Tea", 2)]
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.create(
            {
                "amount": 1101,
                "currency": "usd",
                "amount_details": {"line_items": [item], "shipping": {"amount": 100}},
            }
        )
    assert error_of(caught)["param"] == "amount_details"


def test_lists_and_search(client: stripe.StripeClient, customer: Any) -> None:
    mine = [pay(client, 1000 + i, customer=customer.id, metadata={"n": str(i)}) for i in range(4)]
    pay(client)
    page = client.v1.payment_intents.list({"customer": customer.id, "limit": 3})
    assert [i.id for i in page.data] == [i.id for i in reversed(mine[1:])] and page.has_more
    found = client.v1.payment_intents.search({"query": "metadata['n']:'2' AND status:'succeeded'"})
    assert [i.id for i in found.data] == [mine[2].id]
    charges = client.v1.charges.list({"payment_intent": mine[0].id})
    assert [c.id for c in charges.data] == [mine[0].latest_charge]


def test_missing_objects(client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.retrieve("pi_nope")
    assert caught.value.http_status == 404
    assert error_of(caught)["message"] == "No such payment_intent: 'pi_nope'"
    assert error_of(caught)["param"] == "intent"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.create({"amount": 500, "currency": "usd", "customer": "cus_nope"})
    assert (caught.value.http_status, error_of(caught)["param"]) == (400, "customer")
