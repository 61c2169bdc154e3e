"""Disputes: from the test card to won, lost, escalated and expired."""

from __future__ import annotations

from typing import Any

import pytest
import stripe

from tests.twin.payments.pay import books, charge_of, error_of, event_types, pay
from trialbalance.twin import Twin


def disputed(client: stripe.StripeClient, card: str = "createDispute", amount: int = 1000) -> Any:
    """The dispute of a fresh payment."""
    intent = pay(client, amount, f"pm_card_{card}")
    return client.v1.disputes.list({"payment_intent": intent.id}).data[0]


def test_a_fraudulent_dispute(client: stripe.StripeClient, twin: Twin) -> None:
    customer = client.v1.customers.create({"email": "ada@example.test", "description": "Ada"})
    intent = pay(client, 1000, "pm_card_createDispute", customer=customer.id, description="tea")
    dispute = client.v1.disputes.list({"charge": intent.latest_charge}).data[0]
    assert (dispute.status, dispute.reason, dispute.amount) == ("needs_response", "fraudulent", 1000)
    row = dispute.balance_transactions[0]
    assert (row.amount, row.fee, row.net) == (-1000, 1500, -2500)
    assert (row.type, row.reporting_category) == ("adjustment", "dispute")
    assert dispute.is_charge_refundable is False
    assert dispute.payment_method_details is not None and dispute.payment_method_details.card is not None
    assert dispute.payment_method_details.card.network_reason_code == "10.4"
    assert dispute.evidence.customer_email_address == "ada@example.test"
    assert dispute.evidence.customer_name == "Ada"
    assert dispute.evidence.product_description == "tea"
    assert dispute.evidence_details.due_by == (dispute.created // 86400 + 9) * 86400 - 1
    charge = charge_of(client, intent)
    assert (charge.disputed, charge["dispute"]) == (True, dispute.id)
    types = event_types(twin)
    assert types.index("charge.dispute.created") < types.index("charge.dispute.funds_withdrawn")
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.create({"charge": charge.id, "amount": 100})
    assert error_of(caught)["code"] == "charge_disputed"
    books(twin)


def test_winning(client: stripe.StripeClient, twin: Twin) -> None:
    dispute = disputed(client)
    answered = client.v1.disputes.update(dispute.id, {"evidence": {"uncategorized_text": "winning_evidence"}})
    assert answered.status == "under_review"
    assert (answered.evidence_details.has_evidence, answered.evidence_details.submission_count) == (True, 1)
    won = client.v1.disputes.retrieve(dispute.id)
    assert (won.status, won.is_charge_refundable) == ("won", True)
    assert [row.amount for row in won.balance_transactions] == [-1000, 1000]
    assert won.balance_transactions[1].reporting_category == "dispute_reversal"
    assert event_types(twin)[-2:] == ["charge.dispute.closed", "charge.dispute.funds_reinstated"]
    assert client.v1.refunds.create({"charge": str(dispute.charge), "amount": 100}).status == "succeeded"
    books(twin)


def test_losing(client: stripe.StripeClient, twin: Twin) -> None:
    dispute = disputed(client)
    answered = client.v1.disputes.update(dispute.id, {"evidence": {"uncategorized_text": "losing_evidence"}})
    assert answered.status == "under_review"
    lost = client.v1.disputes.retrieve(dispute.id)
    assert (lost.status, lost.is_charge_refundable, len(lost.balance_transactions)) == ("lost", False, 1)
    for act in (
        lambda: client.v1.disputes.close(dispute.id),
        lambda: client.v1.disputes.update(dispute.id, {}),
    ):
        with pytest.raises(stripe.InvalidRequestError) as caught:
            act()
        assert error_of(caught)["message"] == "This dispute is already closed"
    books(twin)


def test_staging_evidence_without_submitting(client: stripe.StripeClient) -> None:
    dispute = disputed(client)
    staged = client.v1.disputes.update(
        dispute.id, {"evidence": {"customer_name": "Ada"}, "submit": False, "metadata": {"k": "v"}}
    )
    assert (staged.status, staged.evidence_details.submission_count) == ("needs_response", 0)
    assert staged.evidence_details.has_evidence
    sent = client.v1.disputes.update(dispute.id, {"submit": True})
    assert (sent.status, sent.evidence_details.submission_count) == ("under_review", 1)


def test_giving_in(client: stripe.StripeClient, twin: Twin) -> None:
    dispute = disputed(client)
    assert client.v1.disputes.close(dispute.id).status == "lost"
    assert event_types(twin)[-1] == "charge.dispute.closed"


def test_silence_loses(client: stripe.StripeClient, twin: Twin) -> None:
    dispute = disputed(client)
    twin.advance(dispute.evidence_details.due_by + 1)
    lost = client.v1.disputes.retrieve(dispute.id)
    assert (lost.status, lost.evidence_details.past_due) == ("lost", True)
    books(twin)


def test_product_not_received(client: stripe.StripeClient) -> None:
    dispute = disputed(client, "createDisputeProductNotReceived")
    assert dispute.reason == "product_not_received"
    assert dispute.payment_method_details.card.network_reason_code == "13.1"


def test_an_inquiry_takes_nothing(client: stripe.StripeClient, twin: Twin) -> None:
    inquiry = disputed(client, "createDisputeInquiry")
    assert (inquiry.status, inquiry.balance_transactions) == ("warning_needs_response", [])
    assert inquiry.is_charge_refundable
    assert inquiry.payment_method_details.card.case_type == "inquiry"
    answered = client.v1.disputes.update(inquiry.id, {"evidence": {"uncategorized_text": "anything"}})
    assert answered.status == "warning_under_review"
    assert client.v1.refunds.create({"charge": str(inquiry.charge)}).status == "succeeded"
    books(twin)


def test_an_inquiry_escalates(client: stripe.StripeClient, twin: Twin) -> None:
    inquiry = disputed(client, "createDisputeInquiry")
    client.v1.disputes.update(inquiry.id, {"evidence": {"uncategorized_text": "escalate_inquiry_evidence"}})
    now = client.v1.disputes.retrieve(inquiry.id)
    assert (now.status, len(now.balance_transactions), now.is_charge_refundable) == (
        "needs_response",
        1,
        False,
    )
    books(twin)


def test_an_inquiry_closes(client: stripe.StripeClient) -> None:
    inquiry = disputed(client, "createDisputeInquiry")
    client.v1.disputes.update(inquiry.id, {"evidence": {"uncategorized_text": "winning_evidence"}})
    assert client.v1.disputes.retrieve(inquiry.id).status == "warning_closed"


def test_multiple_disputes(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, 1001, "pm_card_createMultipleDisputes")
    found = client.v1.disputes.list({"payment_intent": intent.id}).data
    assert sorted(d.amount for d in found) == [500, 501]
    books(twin)


@pytest.mark.parametrize(
    ("card", "reason", "eligible"),
    [
        ("createCe3EligibleDispute", "fraudulent", "visa_compelling_evidence_3"),
        ("createComplianceDispute", "noncompliant", "visa_compliance"),
    ],
)
def test_enhanced_disputes(card: str, reason: str, eligible: str, client: stripe.StripeClient) -> None:
    dispute = disputed(client, card)
    assert (dispute.reason, dispute.enhanced_eligibility_types) == (reason, [eligible])


def test_an_early_fraud_warning(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, card="pm_card_createIssuerFraudRecord")
    warning = client.v1.radar.early_fraud_warnings.list({"charge": intent.latest_charge}).data[0]
    assert warning.actionable and warning.payment_intent == intent.id
    assert client.v1.disputes.list().data == []
    client.v1.refunds.create({"charge": intent.latest_charge})
    assert not client.v1.radar.early_fraud_warnings.retrieve(warning.id).actionable
    assert "radar.early_fraud_warning.created" in event_types(twin)


def test_a_held_payment_is_disputed_when_captured(client: stripe.StripeClient) -> None:
    intent = pay(client, 4400, "pm_card_createDispute", capture_method="manual")
    assert client.v1.disputes.list({"charge": intent.latest_charge}).data == []
    client.v1.payment_intents.capture(intent.id)
    dispute = client.v1.disputes.list({"charge": intent.latest_charge}).data[0]
    assert dispute.balance_transactions[0].status == "pending"


def test_older_paths(client: stripe.StripeClient, twin: Twin) -> None:
    dispute = disputed(client)
    path = f"/v1/charges/{dispute.charge}/dispute"
    assert twin.request("GET", path).json()["id"] == dispute.id
    assert twin.request("POST", path, form={"metadata": {"k": "v"}}).json()["metadata"] == {"k": "v"}
    assert twin.request("POST", f"{path}/close").json()["status"] == "lost"
    clean = charge_of(client, pay(client))
    none = twin.request("GET", f"/v1/charges/{clean.id}/dispute")
    assert (none.status, none.json()["error"]["message"]) == (404, f"No dispute for charge: {clean.id}")
    listed = twin.request("GET", "/v1/disputes", form={"charge": str(dispute.charge)}).json()
    assert listed["count"] == 1


def test_the_books_quirk_of_dispute_sources(client: stripe.StripeClient) -> None:
    dispute = disputed(client)
    assert client.v1.balance_transactions.list({"source": dispute.id}).data == []
    row = client.v1.balance_transactions.retrieve(dispute.balance_transactions[0].id, {"expand": ["source"]})
    assert isinstance(row.source, stripe.Dispute) and row.source.id == dispute.id


def test_missing(client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.disputes.retrieve("du_nope")
    assert (caught.value.http_status, error_of(caught)["param"]) == (404, "dispute")
