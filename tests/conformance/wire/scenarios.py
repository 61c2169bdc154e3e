"""The wire's scenarios through an official Python SDK, written so that versions 5 to 16 run it unchanged."""

from __future__ import annotations

import os
import time
from typing import Any

import stripe

from tests.conformance.shared.suite import refused, run

stripe.api_base = os.environ["TWIN_URL"]
stripe.api_key = os.environ["SECRET_KEY"]
stripe.max_network_retries = 0
if os.environ.get("STRIPE_VERSION"):
    stripe.api_version = os.environ["STRIPE_VERSION"]


def pay(**more: Any) -> Any:
    form = {
        "amount": 2000,
        "currency": "usd",
        "payment_method": "pm_card_visa",
        "confirm": True,
        "capture_method": "automatic",
        "return_url": "https://shop.example/done",
    }
    return stripe.PaymentIntent.create(**{**form, **more})


def create_and_retrieve() -> None:
    made = stripe.Customer.create(name="Zoë & Co", address={"line1": "1 Mill Lane", "country": "GB"})
    read = stripe.Customer.retrieve(made.id)
    assert read.name == "Zoë & Co" and read.address.line1 == "1 Mill Lane"


def metadata_merges_and_unsets() -> None:
    made = stripe.Customer.create(metadata={"a": "1", "b": "2"})
    changed = stripe.Customer.modify(made.id, metadata={"a": "", "c": "3"})
    assert dict(
        changed.metadata.items() if hasattr(changed.metadata, "items") else changed.metadata.to_dict()
    ) == {
        "b": "2",
        "c": "3",
    }
    emptied = stripe.Customer.modify(made.id, metadata="")
    assert (
        len(emptied.metadata) == 0 if hasattr(emptied.metadata, "__len__") else not emptied.metadata.to_dict()
    )


def pages_visit_every_object_once() -> None:
    made = [stripe.Product.create(name=f"page {n}").id for n in range(13)]
    seen = [p.id for p in stripe.Product.list(limit=5).auto_paging_iter() if p.id in made]
    assert seen == made[::-1]
    back = stripe.Product.list(limit=2, ending_before=seen[5])
    assert [p.id for p in back.data] == [seen[3], seen[4]]


def expand_reaches_into_lists() -> None:
    price = stripe.Price.create(
        unit_amount=500, currency="usd", product_data={"name": "Mug"}, expand=["product"]
    )
    assert price.product.name == "Mug"
    assert stripe.Price.list(product=price.product.id, expand=["data.product"]).data[0].product.name == "Mug"
    refused(
        "InvalidRequestError", lambda: stripe.Price.retrieve(price.id, expand=["nonsense"]), param="expand"
    )


def search_finds() -> None:
    made = stripe.Customer.create(name="Search Me", metadata={"shelf": "python-7"})
    found = stripe.Customer.search(query="metadata['shelf']:'python-7'")
    assert [c.id for c in found.data] == [made.id]
    stripe.Customer.delete(made.id)


def unknown_parameter() -> None:
    refused(
        "InvalidRequestError",
        lambda: stripe.Customer.create(emial="x"),
        code="parameter_unknown",
        param="emial",
        http_status=400,
    )


def missing_object() -> None:
    refused(
        "InvalidRequestError",
        lambda: stripe.Customer.retrieve("cus_none"),
        code="resource_missing",
        param="id",
        http_status=404,
    )


def bad_key() -> None:
    refused(
        "AuthenticationError",
        lambda: stripe.Customer.list(api_key="sk_test_wrongwrongwrong"),
        http_status=401,
    )


def publishable_key_may_not() -> None:
    refused(
        "PermissionError",
        lambda: stripe.Customer.list(api_key=os.environ["PUBLISHABLE_KEY"]),
        http_status=403,
    )


def deleted_stub() -> None:
    made = stripe.Customer.create()
    gone = stripe.Customer.delete(made.id)
    assert gone.deleted is True and gone.id == made.id
    assert stripe.Customer.retrieve(made.id).deleted is True


def idempotent_replay() -> None:
    key = f"python-{stripe.VERSION if hasattr(stripe, 'VERSION') else ''}-{time.time()}"
    first = stripe.Customer.create(name="once", idempotency_key=key)
    again = stripe.Customer.create(name="once", idempotency_key=key)
    assert again.id == first.id
    assert again.last_response.headers["idempotent-replayed"] == "true"
    refused("IdempotencyError", lambda: stripe.Customer.create(name="twice", idempotency_key=key))


def payment_succeeds() -> None:
    intent = pay(metadata={"order": "7"}, expand=["latest_charge.balance_transaction"])
    assert intent.status == "succeeded"
    assert intent.latest_charge.payment_method_details.card.last4 == "4242"
    assert intent.latest_charge.balance_transaction.amount == 2000


def card_declined() -> None:
    error = refused(
        "CardError",
        lambda: pay(payment_method="pm_card_visa_chargeDeclinedInsufficientFunds"),
        code="card_declined",
        decline_code="insufficient_funds",
        http_status=402,
    )
    assert error.error.payment_intent.status == "requires_payment_method"


def authentication_required() -> None:
    intent = pay(payment_method="pm_card_threeDSecure2Required")
    assert intent.status == "requires_action" and intent.next_action.type == "redirect_to_url"


def refund() -> None:
    intent = pay()
    assert stripe.Refund.create(payment_intent=intent.id, amount=500).status == "succeeded"
    refused(
        "InvalidRequestError",
        lambda: stripe.Refund.create(payment_intent=intent.id, amount=1600),
        param="amount",
    )
    stripe.Refund.create(payment_intent=intent.id)
    refused(
        "InvalidRequestError",
        lambda: stripe.Refund.create(payment_intent=intent.id),
        code="charge_already_refunded",
    )


def nested_arrays() -> None:
    customer = stripe.Customer.create(
        payment_method="pm_card_visa", invoice_settings={"default_payment_method": "pm_card_visa"}
    )
    price = stripe.Price.create(
        unit_amount=1000, currency="usd", recurring={"interval": "month"}, product_data={"name": "Plan"}
    )
    items = [{"price": price.id, "quantity": 3, "metadata": {"seat": "a"}}]
    made = stripe.Subscription.create(customer=customer.id, items=items)
    assert made.status == "active"
    item = made["items"].data[0]
    assert item.quantity == 3 and item.metadata["seat"] == "a"


def webhook_signature() -> None:
    payload, header = os.environ["WEBHOOK_PAYLOAD"], os.environ["WEBHOOK_HEADER"]
    secret = os.environ["WEBHOOK_SECRET"]
    assert stripe.Webhook.construct_event(payload, header, secret).type == "customer.created"
    refused(
        "SignatureVerificationError", lambda: stripe.Webhook.construct_event(payload + " ", header, secret)
    )


def retries_through_a_lock_timeout() -> None:
    stripe.max_network_retries = 2
    try:
        assert stripe.Coupon.create(percent_off=10, duration="once").percent_off == 10
    finally:
        stripe.max_network_retries = 0


def rate_limited() -> None:
    refused("RateLimitError", lambda: stripe.Coupon.retrieve("limited"), http_status=429)


SCENARIOS = [
    create_and_retrieve,
    metadata_merges_and_unsets,
    pages_visit_every_object_once,
    expand_reaches_into_lists,
    search_finds,
    unknown_parameter,
    missing_object,
    bad_key,
    publishable_key_may_not,
    deleted_stub,
    idempotent_replay,
    payment_succeeds,
    card_declined,
    authentication_required,
    refund,
    nested_arrays,
    webhook_signature,
    retries_through_a_lock_timeout,
    rate_limited,
]

run(SCENARIOS)
