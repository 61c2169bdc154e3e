"""Direct charges, destination charges, separate transfers; their fees, refunds and reversals."""

from __future__ import annotations

from typing import Any

import pytest
import stripe

from tests.twin import sdk
from tests.twin.payments.marketplace import acting, ready
from tests.twin.payments.pay import books, charge_of, error_of, event_types, pay
from trialbalance.twin import Twin
from trialbalance.twin.config import TwinConfig


def fund(client: stripe.StripeClient, amount: int = 100_000) -> None:
    """Money that is available at once."""
    pay(client, amount, card="pm_card_bypassPending")


def balance_of(client: stripe.StripeClient) -> tuple[int, int]:
    """Available and pending dollars."""
    found = client.v1.balance.retrieve()
    return found.available[0].amount, found.pending[0].amount


def test_direct_charge(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    there = acting(twin, account)
    intent = pay(there, 1000, application_fee_amount=120)
    charge = there.v1.charges.retrieve(
        str(intent.latest_charge), {"expand": ["balance_transaction", "application_fee"]}
    ).to_dict()
    assert intent.application == charge["application"] and charge["application"].startswith("ca_")
    row = charge["balance_transaction"]
    assert (row["amount"], row["fee"], row["net"]) == (1000, 179, 821)
    assert [(line["type"], line["amount"]) for line in row["fee_details"]] == [
        ("application_fee", 120),
        ("stripe_fee", 59),
    ]
    fee = client.v1.application_fees.retrieve(charge["application_fee"]["id"]).to_dict()
    assert (fee["account"], fee["amount"], fee["charge"]) == (account.id, 120, charge["id"])
    assert fee["fee_source"] == {"charge": charge["id"], "type": "charge"}
    assert "application_fee.created" in event_types(twin)
    earned = client.v1.balance_transactions.retrieve(fee["balance_transaction"])
    assert (earned.type, earned.amount, earned.reporting_category) == (
        "application_fee",
        120,
        "platform_earning",
    )
    assert client.v1.application_fees.list({"charge": charge["id"]}).data[0].id == fee["id"]
    books(twin)


def test_application_fee_stays_unless_asked_for(client: stripe.StripeClient, twin: Twin) -> None:
    """Case A40."""
    there = acting(twin, ready(client))
    charge = charge_of(there, pay(there, 1000, application_fee_amount=120))
    there.v1.refunds.create({"charge": charge.id, "amount": 500})
    assert client.v1.application_fees.retrieve(charge.application_fee).amount_refunded == 0
    refund = there.v1.refunds.create(
        {
            "charge": charge.id,
            "amount": 500,
            "refund_application_fee": True,
            "expand": ["balance_transaction"],
        }
    ).to_dict()
    fee = client.v1.application_fees.retrieve(charge.application_fee)
    assert (fee.amount_refunded, fee.refunded) == (60, False)
    assert refund["balance_transaction"]["fee"] == -60
    assert "application_fee.refunded" in event_types(twin)
    books(twin)


def test_refunding_a_fee_by_itself(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    there = acting(twin, account)
    charge = charge_of(there, pay(there, 1000, application_fee_amount=100))
    before = sum(balance_of(there))
    refund = client.v1.application_fees.refunds.create(
        charge.application_fee, {"amount": 30, "metadata": {"why": "kind"}}
    )
    assert client.v1.application_fees.refunds.retrieve(charge.application_fee, refund.id).amount == 30
    client.v1.application_fees.refunds.create(charge.application_fee)
    fee = client.v1.application_fees.retrieve(charge.application_fee)
    assert (fee.refunded, fee.amount_refunded, fee.refunds.total_count) == (True, 100, 2)  # type: ignore[attr-defined]
    assert sum(balance_of(there)) == before + 100
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.application_fees.refunds.create(charge.application_fee)
    changed = client.v1.application_fees.refunds.update(
        charge.application_fee, refund.id, {"metadata": {"a": "1"}}
    )
    assert changed.to_dict()["metadata"] == {"why": "kind", "a": "1"}
    listed = client.v1.application_fees.refunds.list(charge.application_fee)
    assert [r.amount for r in listed.data] == [70, 30]
    books(twin)


def test_destination_charge(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    intent = pay(client, 1000, transfer_data={"destination": account.id})
    charge = client.v1.charges.retrieve(
        str(intent.latest_charge), {"expand": ["transfer", "balance_transaction"]}
    ).to_dict()
    assert charge["destination"] == account.id
    assert charge["transfer_data"] == {"amount": None, "destination": account.id}
    assert charge["transfer_group"] == f"group_{intent.id}"
    transfer = charge["transfer"]
    assert transfer["id"].startswith("tr_3")
    assert (transfer["amount"], transfer["source_transaction"], transfer["source_type"]) == (
        1000,
        charge["id"],
        "card",
    )
    payment = acting(twin, account).v1.charges.retrieve(transfer["destination_payment"]).to_dict()
    assert payment["id"].startswith("py_1")
    assert payment["payment_method_details"] == {"stripe_account": {}, "type": "stripe_account"}
    assert (payment["source_transfer"], payment["outcome"], payment["amount"]) == (transfer["id"], None, 1000)
    assert payment["source"]["id"] == twin.account
    assert balance_of(acting(twin, account)) == (0, 1000)
    assert "transfer.created" in event_types(twin)
    books(twin)


def test_destination_charge_with_a_fee(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    intent = pay(client, 1000, transfer_data={"destination": account.id}, application_fee_amount=123)
    charge = client.v1.charges.retrieve(str(intent.latest_charge), {"expand": ["transfer"]}).to_dict()
    assert charge["application_fee_amount"] == 123
    fee = client.v1.application_fees.retrieve(charge["application_fee"])
    payment = charge["transfer"]["destination_payment"]
    assert (fee.charge, fee.originating_transaction, fee.account) == (payment, charge["id"], account.id)
    row = acting(twin, account).v1.balance_transactions.list({"source": payment}).data[0]
    assert (row.amount, row.fee, row.net) == (1000, 123, 877)
    assert sum(balance_of(acting(twin, account))) == 877
    assert sum(balance_of(client)) == 1000 - 59 - 1000 + 123
    books(twin)


def test_partial_refunds_of_a_destination_charge(client: stripe.StripeClient, twin: Twin) -> None:
    """Case A39."""
    account = ready(client)
    intent = pay(client, 1200, transfer_data={"destination": account.id, "amount": 880})
    charge = charge_of(client, intent)
    first = client.v1.refunds.create({"charge": charge.id, "amount": 200})
    assert first.transfer_reversal is None
    assert client.v1.transfers.retrieve(charge.transfer).amount_reversed == 0
    second = client.v1.refunds.create(
        {"charge": charge.id, "amount": 500, "reverse_transfer": True, "refund_application_fee": True}
    )
    transfer = client.v1.transfers.retrieve(charge.transfer)
    reversal = transfer.reversals.data[0]
    assert (transfer.amount_reversed, transfer.reversed, reversal.amount) == (367, False, 367)
    assert (second.transfer_reversal, reversal.source_refund) == (reversal.id, second.id)
    returned = acting(twin, account).v1.refunds.retrieve(str(reversal.destination_payment_refund)).to_dict()
    assert (returned["transfer_reversal"], returned["source_transfer_reversal"]) == (reversal.id, reversal.id)
    assert "destination_details" not in returned
    client.v1.refunds.create({"charge": charge.id, "reverse_transfer": True})
    assert client.v1.transfers.retrieve(charge.transfer).amount_reversed == 733
    books(twin)


def test_recorded_conversion_of_a_destination_charge() -> None:
    """A Canadian platform, a payment in dollars of the United States: settled, transferred and reversed in its own."""
    twin = Twin(
        seed=1, config=TwinConfig(seed=1, country="CA", currency="cad", frozen=True, clock=1_790_541_684)
    )
    client = sdk.client(twin)
    account = ready(client)
    intent = pay(client, 1000, transfer_data={"destination": account.id}, on_behalf_of=account.id)
    charge = client.v1.charges.retrieve(
        str(intent.latest_charge), {"expand": ["transfer", "balance_transaction"]}
    ).to_dict()
    settled = charge["balance_transaction"]
    assert settled["currency"] == "cad" and settled["available_on"] == 1_791_072_000
    assert [line["description"] for line in settled["fee_details"]] == [
        "Stripe processing fees",
        "Stripe currency conversion fee",
    ]
    assert (charge["transfer"]["amount"], charge["transfer"]["currency"]) == (settled["amount"], "cad")
    assert charge["on_behalf_of"] == account.id
    client.v1.refunds.create({"charge": charge["id"], "amount": 300, "reverse_transfer": True})
    client.v1.refunds.create({"charge": charge["id"], "amount": 500, "reverse_transfer": True})
    shown = client.v1.transfers.retrieve(charge["transfer"]["id"])
    share = settled["amount"] * 8 / 10
    assert abs(shown.amount_reversed - share) <= 0.5
    books(twin)


def test_a_full_refund_returns_fee_and_transfer(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    charge = charge_of(
        client, pay(client, 999, transfer_data={"destination": account.id}, application_fee_amount=100)
    )
    client.v1.refunds.create(
        {"charge": charge.id, "amount": 333, "reverse_transfer": True, "refund_application_fee": True}
    )
    client.v1.refunds.create({"charge": charge.id, "reverse_transfer": True, "refund_application_fee": True})
    assert client.v1.transfers.retrieve(charge.transfer).reversed
    assert client.v1.application_fees.retrieve(charge.application_fee).refunded
    assert sum(balance_of(acting(twin, account))) == 0
    books(twin)


def test_a_returned_fee_is_available_when_its_payment_is(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client, settings={"payouts": {"schedule": {"interval": "manual"}}})
    there = acting(twin, account)
    charge = charge_of(
        client, pay(client, 1000, transfer_data={"destination": account.id}, application_fee_amount=123)
    )
    client.v1.refunds.create({"charge": charge.id, "reverse_transfer": True, "refund_application_fee": True})
    assert balance_of(there) == (0, 0)
    row = there.v1.balance_transactions.list({"type": "adjustment"}).data[0]
    assert (row.amount, row.status) == (123, "pending")
    with pytest.raises(stripe.InvalidRequestError) as caught:
        there.v1.payouts.create({"amount": 100, "currency": "usd"})
    assert error_of(caught)["code"] == "balance_insufficient"
    direct = charge_of(there, pay(there, 1000, application_fee_amount=100))
    client.v1.application_fees.refunds.create(direct.application_fee)
    assert balance_of(there) == (0, 1000 - 59)
    books(twin)
    twin.advance(row.available_on)
    assert balance_of(there) == (1000 - 59, 0)
    client.v1.application_fees.refunds.create(
        charge_of(
            there, pay(there, 1000, card="pm_card_bypassPending", application_fee_amount=50)
        ).application_fee
    )
    assert balance_of(there) == (2 * (1000 - 59), 0)
    books(twin)


def test_separate_transfer(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    fund(client)
    transfer = client.v1.transfers.create(
        {
            "amount": 700,
            "currency": "usd",
            "destination": account.id,
            "transfer_group": "12345",
            "metadata": {"order": "1"},
        }
    ).to_dict()
    assert transfer["transfer_group"] == "12345" and transfer["source_type"] == "card"
    assert transfer["reversals"] == {
        "object": "list",
        "data": [],
        "has_more": False,
        "total_count": 0,
        "url": f"/v1/transfers/{transfer['id']}/reversals",
    }
    assert balance_of(acting(twin, account)) == (700, 0)
    assert [t.id for t in client.v1.transfers.list({"destination": account.id}).data] == [transfer["id"]]
    assert client.v1.transfers.list({"transfer_group": "x"}).data == []
    updated = client.v1.transfers.update(transfer["id"], {"description": "Rent", "metadata": {"order": ""}})
    assert (updated.description, updated.to_dict()["metadata"]) == ("Rent", {})
    books(twin)


def test_reversals(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    fund(client)
    transfer = client.v1.transfers.create({"amount": 700, "currency": "usd", "destination": account.id})
    part = client.v1.transfers.reversals.create(transfer.id, {"amount": 200, "metadata": {"a": "1"}})
    assert client.v1.transfers.reversals.retrieve(transfer.id, part.id).amount == 200
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.transfers.reversals.create(transfer.id, {"amount": 501})
    assert error_of(caught)["param"] == "amount"
    client.v1.transfers.reversals.create(transfer.id)
    shown = client.v1.transfers.retrieve(transfer.id)
    assert (shown.reversed, shown.amount_reversed) == (True, 700)
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.transfers.reversals.create(transfer.id)
    client.v1.transfers.reversals.update(transfer.id, part.id, {"metadata": {"b": "2"}})
    listed = client.v1.transfers.reversals.list(transfer.id).data
    assert [r.amount for r in listed] == [500, 200]
    assert event_types(twin).count("transfer.reversed") == 2
    books(twin)


def test_a_reversal_needs_the_money_to_be_there(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    fund(client)
    transfer = client.v1.transfers.create({"amount": 700, "currency": "usd", "destination": account.id})
    acting(twin, account).v1.payouts.create({"amount": 700, "currency": "usd"})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.transfers.reversals.create(transfer.id)
    assert error_of(caught)["code"] == "balance_insufficient"
    books(twin)


def test_transfer_from_a_charge(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    intent = pay(client, 1000)
    charge = charge_of(client, intent)
    transfer = client.v1.transfers.create(
        {"amount": 600, "currency": "usd", "destination": account.id, "source_transaction": charge.id}
    )
    assert transfer.transfer_group == f"group_{charge.id}"
    assert balance_of(acting(twin, account)) == (0, 600)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.transfers.create(
            {"amount": 401, "currency": "usd", "destination": account.id, "source_transaction": charge.id}
        )
    assert "must not exceed" in error_of(caught)["message"]
    rest = client.v1.transfers.create(
        {"currency": "usd", "destination": account.id, "source_transaction": charge.id}
    )
    assert rest.amount == 400
    books(twin)


def test_transfers_that_are_refused(client: stripe.StripeClient) -> None:
    account = ready(client)
    poor = client.v1.accounts.create({"type": "custom", "capabilities": {"transfers": {"requested": True}}})
    cases: list[tuple[dict[str, Any], str | None, str | None]] = [
        ({"amount": 700, "destination": account.id}, "balance_insufficient", None),
        ({"amount": 700, "destination": "acct_nope"}, "resource_missing", "destination"),
        ({"amount": 700, "destination": poor.id}, "insufficient_capabilities_for_transfer", "destination"),
        ({"amount": 0, "destination": account.id}, "parameter_invalid_integer", "amount"),
        ({"destination": account.id}, "parameter_missing", "amount"),
    ]
    for params, code, param in cases:
        with pytest.raises(stripe.InvalidRequestError) as caught:
            client.v1.transfers.create({"currency": "usd", **params})  # type: ignore[typeddict-item]
        assert (error_of(caught).get("code"), error_of(caught).get("param")) == (code, param)


@pytest.mark.parametrize(
    ("params", "param"),
    [
        ({"application_fee_amount": 10}, "application_fee_amount"),
        ({"transfer_data": {"destination": "acct_nope"}}, "transfer_data[destination]"),
        ({"on_behalf_of": "acct_nope"}, "on_behalf_of"),
    ],
)
def test_payments_that_are_refused(client: stripe.StripeClient, params: dict[str, Any], param: str) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.create({"amount": 1000, "currency": "usd", **params})  # type: ignore[typeddict-item]
    assert error_of(caught)["param"] == param


def test_fees_do_not_exceed_the_payment(client: stripe.StripeClient) -> None:
    account = ready(client)
    base: Any = {"amount": 1000, "currency": "usd", "transfer_data": {"destination": account.id}}
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.create({**base, "application_fee_amount": 1001})
    assert error_of(caught)["param"] == "application_fee_amount"
    base["transfer_data"]["amount"] = 500
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.create({**base, "application_fee_amount": 10})
    assert error_of(caught)["code"] == "parameters_exclusive"
    base["transfer_data"]["amount"] = 1001
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_intents.create(base)


def test_refunds_without_a_transfer_or_fee_are_refused(client: stripe.StripeClient, twin: Twin) -> None:
    charge = charge_of(client, pay(client))
    for name in ("reverse_transfer", "refund_application_fee"):
        with pytest.raises(stripe.InvalidRequestError) as caught:
            client.v1.refunds.create({"charge": charge.id, name: True})  # type: ignore[misc]
        assert error_of(caught)["param"] == name
    assert client.v1.refunds.list().data == []
    books(twin)


def test_the_platform_pays_fees_when_it_controls_them(client: stripe.StripeClient, twin: Twin) -> None:
    account = client.v1.accounts.create(
        {
            "controller": {"fees": {"payer": "application"}, "losses": {"payments": "application"},
                           "stripe_dashboard": {"type": "express"}},
            "country": "US",
        }
    )  # fmt: skip
    there = acting(twin, account)
    pay(there, 1000)
    assert sum(balance_of(there)) == 1000
    assert sum(balance_of(client)) == -59
    books(twin)


def test_manual_capture_with_a_fee_of_its_own(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    intent = pay(
        client,
        1000,
        capture_method="manual",
        transfer_data={"destination": account.id},
        application_fee_amount=100,
    )
    assert charge_of(client, intent).to_dict().get("transfer") is None
    client.v1.payment_intents.capture(intent.id, {"amount_to_capture": 600, "application_fee_amount": 50})
    charge = charge_of(client, intent)
    assert client.v1.transfers.retrieve(charge.transfer).amount == 600
    assert client.v1.application_fees.retrieve(charge.application_fee).amount == 50
    books(twin)
