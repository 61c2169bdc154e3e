"""The core payment journeys through the official Python SDK."""

from __future__ import annotations

import os
import time
from functools import cache
from typing import Any

import stripe

from tests.conformance.shared.suite import Inbox, authenticate, equal, refused, run

KEY = os.environ["SECRET_KEY"]
client = stripe.StripeClient(KEY, base_addresses={"api": os.environ["TWIN_URL"]}, max_network_retries=0)
v1: Any = client.v1
NO_REDIRECTS = {"enabled": True, "allow_redirects": "never"}
RETURN = "https://shop.example/done"

DECLINES = [
    ("visa_chargeDeclined", "card_declined", "generic_decline"),
    ("visa_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"),
    ("visa_chargeDeclinedLostCard", "card_declined", "lost_card"),
    ("visa_chargeDeclinedStolenCard", "card_declined", "stolen_card"),
    ("chargeDeclinedExpiredCard", "expired_card", "expired_card"),
    ("chargeDeclinedIncorrectCvc", "incorrect_cvc", "incorrect_cvc"),
    ("chargeDeclinedProcessingError", "processing_error", "processing_error"),
    ("visa_chargeDeclinedVelocityLimitExceeded", "card_declined", "card_velocity_exceeded"),
    ("radarBlock", "card_declined", "fraudulent"),
    ("chargeCustomerFail", "card_declined", "generic_decline"),
    ("visa_chargeCustomerFailLostCard", "card_declined", "lost_card"),
    ("visa_chargeCustomerFailStolenCard", "card_declined", "stolen_card"),
]


def pay(amount: int = 2000, card: str = "pm_card_visa", options: Any = None, **more: Any) -> Any:
    form = {
        "amount": amount,
        "currency": "usd",
        "payment_method": card,
        "confirm": True,
        "capture_method": "automatic",
        "automatic_payment_methods": NO_REDIRECTS,
        **more,
    }
    return v1.payment_intents.create(form, options)


def customer_with(card: str) -> tuple[str, str]:
    customer = v1.customers.create({"email": "ada@example.test"}).id
    return customer, v1.payment_methods.attach(card, {"customer": customer}).id


@cache
def connected() -> str:
    """An account that may charge and be paid out."""
    account = v1.accounts.create(
        {
            "type": "custom",
            "country": "US",
            "business_type": "individual",
            "capabilities": {"card_payments": {"requested": True}, "transfers": {"requested": True}},
            "business_profile": {
                "name": "Mill Lane Books",
                "mcc": "5734",
                "url": "https://accessible.stripe.com",
            },
            "individual": {
                "first_name": "Jenny",
                "last_name": "Rosen",
                "email": "jenny@example.test",
                "phone": "0000000000",
                "dob": {"day": 1, "month": 1, "year": 1901},
                "address": {
                    "line1": "address_full_match",
                    "city": "San Francisco",
                    "state": "CA",
                    "postal_code": "94107",
                    "country": "US",
                },
                "id_number": "000000000",
            },
            "external_account": {
                "object": "bank_account",
                "country": "US",
                "currency": "usd",
                "account_number": "000123456789",
                "routing_number": "110000000",
            },
            "tos_acceptance": {"date": 1_767_000_000, "ip": "192.0.2.7"},
        }
    )
    return account.id


def there() -> Any:
    return {"stripe_account": connected()}


def accept_a_payment() -> None:
    inbox = Inbox(client, "payment_intent.created", "payment_intent.succeeded", "charge.succeeded")
    intent = v1.payment_intents.create(
        {
            "amount": 1999,
            "currency": "eur",
            "automatic_payment_methods": NO_REDIRECTS,
            "metadata": {"order": "7"},
        }
    )
    equal((intent.status, intent.amount_received), ("requires_payment_method", 0))
    paid = v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_mastercard"})
    equal((paid.status, paid.amount_received), ("succeeded", 1999))
    event = inbox.wait("payment_intent.succeeded")
    told = event.data.object
    equal((told.id, told.status, told.metadata["order"]), (intent.id, "succeeded", "7"))
    again = v1.events.retrieve(event.id)
    equal((again.type, again.data.object.id), ("payment_intent.succeeded", intent.id))


def confirm_twice() -> None:
    intent = pay()
    error = refused(
        "InvalidRequestError",
        lambda: v1.payment_intents.confirm(intent.id),
        code="payment_intent_unexpected_state",
        http_status=400,
    )
    equal(error.error.payment_intent.status, "succeeded")
    equal(len(v1.charges.list({"payment_intent": intent.id}).data), 1)


def save_a_card_and_charge_off_session() -> None:
    customer = v1.customers.create({"email": "ada@example.test"}).id
    setup = v1.setup_intents.create(
        {"customer": customer, "usage": "off_session", "automatic_payment_methods": NO_REDIRECTS}
    )
    equal(setup.status, "requires_payment_method")
    setup = v1.setup_intents.confirm(setup.id, {"payment_method": "pm_card_visa"})
    equal(setup.status, "succeeded")
    (card,) = v1.payment_methods.list({"customer": customer, "type": "card"}).data
    equal((card.id, card.customer), (setup.payment_method, customer))
    paid = pay(1500, card.id, customer=customer, off_session=True)
    equal((paid.status, paid.payment_method), ("succeeded", card.id))


def off_session_authentication_and_recovery() -> None:
    customer, card = customer_with("pm_card_authenticationRequired")
    error = refused(
        "CardError",
        lambda: pay(1500, card, customer=customer, off_session=True),
        code="authentication_required",
        decline_code="authentication_required",
        http_status=402,
    )
    intent = error.error.payment_intent
    equal(intent.status, "requires_payment_method")
    equal(intent.last_payment_error.payment_method.id, card)
    recovered = v1.payment_intents.confirm(intent.id, {"payment_method": card, "return_url": RETURN})
    equal((recovered.status, recovered.next_action.type), ("requires_action", "redirect_to_url"))
    authenticate(recovered)
    (only,) = v1.payment_intents.list({"customer": customer}).data
    equal((only.id, only.status, only.amount_received), (intent.id, "succeeded", 1500))


def manual_capture() -> None:
    held = pay(capture_method="manual")
    equal((held.status, held.amount_capturable, held.amount_received), ("requires_capture", 2000, 0))
    equal(v1.charges.retrieve(held.latest_charge).captured, False)
    taken = v1.payment_intents.capture(held.id)
    equal((taken.status, taken.amount_capturable, taken.amount_received), ("succeeded", 0, 2000))
    charge = v1.charges.retrieve(held.latest_charge, {"expand": ["balance_transaction"]})
    equal((charge.captured, charge.balance_transaction.amount), (True, 2000))


def partial_capture() -> None:
    held = pay(capture_method="manual")
    refused(
        "InvalidRequestError",
        lambda: v1.payment_intents.capture(held.id, {"amount_to_capture": 2001}),
        code="amount_too_large",
        http_status=400,
    )
    taken = v1.payment_intents.capture(
        held.id, {"amount_to_capture": 1500, "expand": ["latest_charge.balance_transaction"]}
    )
    equal((taken.status, taken.amount, taken.amount_received), ("succeeded", 2000, 1500))
    charge = taken.latest_charge
    equal((charge.amount_captured, charge.balance_transaction.amount), (1500, 1500))


def cancel_an_authorization() -> None:
    held = pay(capture_method="manual")
    gone = v1.payment_intents.cancel(held.id, {"cancellation_reason": "requested_by_customer"})
    equal((gone.status, gone.cancellation_reason), ("canceled", "requested_by_customer"))
    equal(v1.charges.retrieve(held.latest_charge).refunded, True)
    refused(
        "InvalidRequestError",
        lambda: v1.payment_intents.capture(held.id),
        code="payment_intent_unexpected_state",
    )


def decline_on_confirm() -> None:
    intent = v1.payment_intents.create(
        {
            "amount": 100,
            "currency": "eur",
            "payment_method": "pm_card_visa_chargeDeclinedInsufficientFunds",
            "automatic_payment_methods": NO_REDIRECTS,
            "capture_method": "manual",
        }
    )
    equal(intent.status, "requires_confirmation")
    error = refused(
        "CardError",
        lambda: v1.payment_intents.confirm(intent.id),
        code="card_declined",
        decline_code="insufficient_funds",
        advice_code="try_again_later",
        network_decline_code="51",
        http_status=402,
    )
    failed = v1.payment_intents.retrieve(intent.id, {"expand": ["latest_charge"]})
    equal((failed.status, failed.payment_method), ("requires_payment_method", None))
    equal((failed.latest_charge.id, failed.latest_charge.status), (error.error.charge, "failed"))
    equal(failed.last_payment_error.code, "card_declined")
    retried = v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_visa"})
    equal((retried.status, retried.last_payment_error), ("requires_capture", None))


def decline_codes() -> None:
    for card, code, decline_code in DECLINES:
        error = refused("CardError", lambda card=card: pay(card=f"pm_card_{card}"), http_status=402)
        equal((card, error.code, error.error.decline_code), (card, code, decline_code))
        equal(error.error.payment_intent.status, "requires_payment_method")


def refund_in_parts() -> None:
    intent = pay()
    part = v1.refunds.create({"payment_intent": intent.id, "amount": 500, "reason": "requested_by_customer"})
    equal((part.status, part.amount, part.reason), ("succeeded", 500, "requested_by_customer"))
    charge = v1.charges.retrieve(intent.latest_charge)
    equal((charge.amount_refunded, charge.refunded), (500, False))
    rest = v1.refunds.create({"charge": intent.latest_charge})
    equal(rest.amount, 1500)
    charge = v1.charges.retrieve(intent.latest_charge)
    equal((charge.amount_refunded, charge.refunded), (2000, True))
    equal([r.id for r in v1.refunds.list({"charge": charge.id}).data], [rest.id, part.id])


def refund_too_much() -> None:
    charge = pay(1000).latest_charge
    error = refused(
        "InvalidRequestError",
        lambda: v1.refunds.create({"charge": charge, "amount": 1100}),
        param="amount",
        code=None,
    )
    equal(error.user_message, "Refund amount ($11.00) is greater than charge amount ($10.00)")
    v1.refunds.create({"charge": charge, "amount": 500})
    error = refused("InvalidRequestError", lambda: v1.refunds.create({"charge": charge, "amount": 600}))
    equal(error.user_message, "Refund amount ($6.00) is greater than unrefunded amount on charge ($5.00)")
    v1.refunds.create({"charge": charge})
    refused(
        "InvalidRequestError",
        lambda: v1.refunds.create({"charge": charge, "amount": 100}),
        code="charge_already_refunded",
    )
    refused(
        "InvalidRequestError",
        lambda: v1.refunds.create({"charge": pay().latest_charge, "amount": -1}),
        code="parameter_invalid_integer",
        param="amount",
    )


def dispute_lost() -> None:
    inbox = Inbox(client, "charge.dispute.created", "charge.dispute.closed")
    charge = pay(1000, "pm_card_createDispute").latest_charge
    inbox.wait("charge.dispute.created")
    (dispute,) = v1.disputes.list({"charge": charge}).data
    equal((dispute.status, dispute.reason, dispute.amount), ("needs_response", "fraudulent", 1000))
    (row,) = dispute.balance_transactions
    equal((row.amount, row.fee, row.net, row.type), (-1000, 1500, -2500, "adjustment"))
    answered = v1.disputes.update(dispute.id, {"evidence": {"uncategorized_text": "losing_evidence"}})
    equal(answered.status, "under_review")
    inbox.wait("charge.dispute.closed")
    lost = v1.disputes.retrieve(dispute.id)
    equal((lost.status, lost.is_charge_refundable, len(lost.balance_transactions)), ("lost", False, 1))


def dispute_won() -> None:
    inbox = Inbox(client, "charge.dispute.created", "charge.dispute.closed")
    charge = pay(1000, "pm_card_createDisputeProductNotReceived").latest_charge
    inbox.wait("charge.dispute.created")
    (dispute,) = v1.disputes.list({"charge": charge}).data
    equal(dispute.reason, "product_not_received")
    evidence = {"uncategorized_text": "winning_evidence", "customer_name": "Ada"}
    staged = v1.disputes.update(dispute.id, {"evidence": evidence, "submit": False})
    equal((staged.status, staged.evidence_details.submission_count), ("needs_response", 0))
    equal(v1.disputes.update(dispute.id, {"submit": True}).status, "under_review")
    inbox.wait("charge.dispute.closed")
    won = v1.disputes.retrieve(dispute.id)
    equal((won.status, [row.amount for row in won.balance_transactions]), ("won", [-1000, 1000]))


def customer_cards() -> None:
    customer, visa = customer_with("pm_card_visa")
    mastercard = v1.payment_methods.attach("pm_card_mastercard", {"customer": customer}).id
    changed = v1.customers.update(customer, {"invoice_settings": {"default_payment_method": mastercard}})
    equal(changed.invoice_settings.default_payment_method, mastercard)
    kept = v1.customers.payment_methods.list(customer, {"type": "card"}).data
    equal([(m.id, m.card.brand) for m in kept], [(mastercard, "mastercard"), (visa, "visa")])
    refused(
        "CardError",
        lambda: v1.payment_methods.attach("pm_card_chargeDeclined", {"customer": customer}),
        code="card_declined",
    )
    equal(v1.payment_methods.detach(visa).customer, None)
    equal([m.id for m in v1.payment_methods.list({"customer": customer}).data], [mastercard])
    refused("InvalidRequestError", lambda: pay(card=visa, customer=customer), http_status=400)
    v1.payment_methods.detach(mastercard)
    equal(v1.customers.retrieve(customer).invoice_settings.default_payment_method, None)


def onboard_a_connected_account() -> None:
    inbox = Inbox(client, "account.updated", connect=True)
    made = connected()
    equal(inbox.wait("account.updated").account, made)
    account = v1.accounts.retrieve(made)
    equal((account.charges_enabled, account.payouts_enabled, account.details_submitted), (True, True, True))
    due = account.requirements
    equal((account.capabilities.transfers, due.currently_due, due.pending_verification), ("active", [], []))


def direct_charge_with_a_fee() -> None:
    charge = pay(1000, application_fee_amount=120, options=there()).latest_charge
    fee = v1.application_fees.list({"charge": charge}).data[0]
    equal((fee.amount, fee.account), (120, connected()))
    v1.refunds.create({"charge": charge, "amount": 500}, there())
    equal(v1.application_fees.retrieve(fee.id).amount_refunded, 0)
    v1.refunds.create({"charge": charge, "amount": 500, "refund_application_fee": True}, there())
    fee = v1.application_fees.retrieve(fee.id)
    equal((fee.amount_refunded, fee.refunded), (60, False))


def destination_charge_with_a_fee() -> None:
    intent = pay(
        1000,
        application_fee_amount=123,
        transfer_data={"destination": connected()},
        expand=["latest_charge.transfer"],
    )
    transfer = intent.latest_charge.transfer
    equal((transfer.amount, transfer.destination), (1000, connected()))
    (row,) = v1.balance_transactions.list({"source": transfer.destination_payment}, there()).data
    equal((row.amount, row.fee, row.net), (1000, 123, 877))
    fee = v1.application_fees.retrieve(intent.latest_charge.application_fee)
    equal((fee.amount, fee.originating_transaction), (123, intent.latest_charge.id))


def destination_charge_refunded_in_part() -> None:
    charge = pay(1200, transfer_data={"destination": connected(), "amount": 880}).latest_charge
    transfer = v1.charges.retrieve(charge).transfer
    equal(v1.refunds.create({"charge": charge, "amount": 200}).transfer_reversal, None)
    equal(v1.transfers.retrieve(transfer).amount_reversed, 0)
    form = {"charge": charge, "amount": 500, "reverse_transfer": True, "refund_application_fee": True}
    refund = v1.refunds.create(form)
    shown = v1.transfers.retrieve(transfer)
    (reversal,) = shown.reversals.data
    equal((shown.amount_reversed, shown.reversed, reversal.amount), (367, False, 367))
    equal((refund.transfer_reversal, reversal.source_refund), (reversal.id, refund.id))


def payouts() -> None:
    pay(100_000, "pm_card_bypassPending", options=there())
    before = v1.balance.retrieve({}, there()).available[0].amount
    refused(
        "InvalidRequestError",
        lambda: v1.payouts.create({"amount": before + 1, "currency": "usd"}, there()),
        code="balance_insufficient",
    )
    equal(v1.payouts.list({}, there()).data, [])
    payout = v1.payouts.create({"amount": 5000, "currency": "usd"}, there())
    equal((payout.status, payout.amount, payout.automatic), ("pending", 5000, False))
    equal(v1.balance.retrieve({}, there()).available[0].amount, before - 5000)
    equal(v1.payouts.cancel(payout.id, {}, there()).status, "canceled")
    equal(v1.balance.retrieve({}, there()).available[0].amount, before)


def balance_transactions_and_fees() -> None:
    pending = v1.balance.retrieve().pending[0].amount
    charge = pay(10_000).latest_charge
    (row,) = v1.balance_transactions.list({"source": charge}).data
    equal((row.type, row.amount, row.fee, row.net, row.status), ("charge", 10_000, 320, 9680, "pending"))
    equal(v1.balance.retrieve().pending[0].amount, pending + 9680)
    foreign = pay(10_000, "pm_card_gb", expand=["latest_charge.balance_transaction"])
    equal(foreign.latest_charge.balance_transaction.fee, 470)
    refund = v1.refunds.create({"charge": charge, "expand": ["balance_transaction"]})
    back = refund.balance_transaction
    equal((back.type, back.amount, back.fee), ("refund", -10_000, 0))


def idempotent_retries() -> None:
    customer, card = customer_with("pm_card_visa")
    once = {"idempotency_key": f"python-{time.time_ns()}"}
    first = pay(1500, card, customer=customer, options=once)
    again = pay(1500, card, customer=customer, options=once)
    equal(again.id, first.id)
    equal(len(v1.charges.list({"customer": customer}).data), 1)
    refused("IdempotencyError", lambda: pay(1600, card, customer=customer, options=once), http_status=400)
    declined = {"idempotency_key": f"python-declined-{time.time_ns()}"}
    errors = [
        refused("CardError", lambda: pay(card="pm_card_chargeDeclined", options=declined), http_status=402)
        for _ in range(2)
    ]
    equal(errors[1].http_body, errors[0].http_body)
    equal(errors[1].headers["idempotent-replayed"], "true")


def stripe_account_isolation() -> None:
    customer = v1.customers.create({"name": "Ada"}, there()).id
    error = refused(
        "InvalidRequestError",
        lambda: v1.customers.retrieve(customer),
        code="resource_missing",
        param="id",
        http_status=404,
    )
    equal(error.user_message, f"No such customer: '{customer}'")
    equal(v1.customers.retrieve(customer, {}, there()).name, "Ada")
    refused(
        "PermissionError",
        lambda: v1.customers.list({}, {"stripe_account": "acct_1Nobody"}),
        code="account_invalid",
        http_status=403,
    )


SCENARIOS = [
    accept_a_payment,
    confirm_twice,
    save_a_card_and_charge_off_session,
    off_session_authentication_and_recovery,
    manual_capture,
    partial_capture,
    cancel_an_authorization,
    decline_on_confirm,
    decline_codes,
    refund_in_parts,
    refund_too_much,
    dispute_lost,
    dispute_won,
    customer_cards,
    onboard_a_connected_account,
    direct_charge_with_a_fee,
    destination_charge_with_a_fee,
    destination_charge_refunded_in_part,
    payouts,
    balance_transactions_and_fees,
    idempotent_retries,
    stripe_account_isolation,
]

run(SCENARIOS)
