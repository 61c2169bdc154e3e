"""Payouts, top-ups and balance settings: money that leaves and enters Stripe."""

from __future__ import annotations

from typing import Any

import pytest
import stripe

from tests.twin.payments.marketplace import BANK, acting, ready
from tests.twin.payments.pay import books, error_of, event_types, pay
from trialbalance.twin import Twin

DAY = 24 * 3600


def fund(client: stripe.StripeClient, amount: int = 100_000) -> None:
    """Money that is available at once."""
    pay(client, amount, card="pm_card_bypassPending")


def available(client: stripe.StripeClient) -> int:
    """What is available in dollars."""
    return client.v1.balance.retrieve().available[0].amount


def days(twin: Twin, count: int) -> None:
    """Let days pass."""
    twin.advance(twin.now() + count * DAY)


def test_a_payout_by_hand(client: stripe.StripeClient, twin: Twin) -> None:
    fund(client)
    before = available(client)
    payout = client.v1.payouts.create(
        {"amount": 5000, "currency": "usd", "description": "Rent", "metadata": {"a": "1"}}
    ).to_dict()
    assert (payout["status"], payout["automatic"], payout["method"], payout["type"]) == (
        "pending",
        False,
        "standard",
        "bank_account",
    )
    assert payout["arrival_date"] == twin.now() // DAY * DAY + DAY
    assert (payout["reconciliation_status"], payout["metadata"]) == ("not_applicable", {"a": "1"})
    assert available(client) == before - 5000
    row = client.v1.balance_transactions.list({"payout": payout["id"]}).data[0]
    assert (row.type, row.amount, row.source) == ("payout", -5000, payout["id"])
    days(twin, 1)
    paid = client.v1.payouts.retrieve(payout["id"])
    assert paid.status == "paid" and paid.trace_id is not None and paid.trace_id.status == "supported"
    assert [t for t in event_types(twin) if t.startswith("payout.")] == ["payout.created", "payout.paid"]
    assert [p.id for p in client.v1.payouts.list({"status": "paid"}).data] == [payout["id"]]
    assert client.v1.payouts.list({"arrival_date": {"gt": paid.arrival_date}}).data == []
    books(twin)


def test_more_than_the_balance(client: stripe.StripeClient, twin: Twin) -> None:
    """Case A41."""
    account = ready(client)
    there = acting(twin, account)
    assert available(there) == 0
    before = len(list(twin.store.all(account.id, "event")))
    with pytest.raises(stripe.InvalidRequestError) as caught:
        there.v1.payouts.create({"amount": 500_000, "currency": "usd"})
    error = error_of(caught)
    assert (caught.value.http_status, error["type"], error["code"]) == (
        400,
        "invalid_request_error",
        "balance_insufficient",
    )
    assert there.v1.payouts.list().data == []
    assert len(list(twin.store.all(account.id, "event"))) == before


@pytest.mark.parametrize(
    ("params", "code", "param", "message"),
    [
        (
            {"amount": -100, "currency": "cad"},
            "parameter_invalid_integer",
            "amount",
            "This value must be greater than or equal to 1.",
        ),
        (
            {"amount": 0, "currency": "cad"},
            "parameter_invalid_integer",
            "amount",
            "This value must be greater than or equal to 1.",
        ),
        ({"currency": "cad"}, "parameter_missing", "amount", "Missing required param: amount."),
        (
            {"amount": 1000, "currency": "xxd"},
            None,
            "currency",
            "Invalid currency: xxd. Stripe currently supports",
        ),
    ],
)
def test_recorded_refusals(
    client: stripe.StripeClient, params: Any, code: str | None, param: str, message: str
) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payouts.create(params)
    error = error_of(caught)
    assert (error.get("code"), error["param"]) == (code, param)
    assert error["message"].startswith(message)


def test_recorded_unknown_payouts(client: stripe.StripeClient) -> None:
    payouts = client.v1.payouts
    for attempt in (payouts.retrieve, payouts.cancel, payouts.reverse):
        with pytest.raises(stripe.InvalidRequestError) as caught:
            attempt("po_nope")
        error = error_of(caught)
        assert (caught.value.http_status, error["param"]) == (404, "payout")
        assert error["message"] == "No such payout: 'po_nope'"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.balance_transactions.list({"payout": "po_nope"})
    assert (caught.value.http_status, error_of(caught)["param"]) == (400, "payout")
    assert client.v1.balance_transactions.list({"type": "bogus_type"}).data == []


@pytest.mark.parametrize("currency", ["huf", "twd"])
def test_payouts_in_whole_forints(client: stripe.StripeClient, currency: str) -> None:
    """Two-decimal amounts are charged, but only whole ones are paid out by hand."""
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payouts.create({"amount": 20_050, "currency": currency})
    assert error_of(caught)["param"] == "amount"


def test_cancelling(client: stripe.StripeClient, twin: Twin) -> None:
    fund(client)
    before = available(client)
    payout = client.v1.payouts.create({"amount": 5000, "currency": "usd"})
    assert client.v1.payouts.cancel(payout.id).status == "canceled"
    assert available(client) == before
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payouts.cancel(payout.id)
    days(twin, 3)
    assert client.v1.payouts.retrieve(payout.id).status == "canceled"
    books(twin)


def test_reversing(client: stripe.StripeClient, twin: Twin) -> None:
    fund(client)
    payout = client.v1.payouts.create({"amount": 5000, "currency": "usd"})
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payouts.reverse(payout.id)
    days(twin, 1)
    before = available(client)
    back = client.v1.payouts.reverse(payout.id)
    assert (back.original_payout, back.amount) == (payout.id, -5000)
    assert client.v1.payouts.retrieve(payout.id).reversed_by == back.id
    assert available(client) == before + 5000
    books(twin)


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("000111111116", "no_account"),
        ("000111111113", "account_closed"),
        ("000222222227", "insufficient_funds"),
        ("000333333335", "debit_not_authorized"),
        ("000444444440", "invalid_currency"),
    ],
)
def test_failing_bank_accounts(client: stripe.StripeClient, twin: Twin, number: str, code: str) -> None:
    account = ready(
        client,
        external_account=BANK | {"account_number": number},
        settings={"payouts": {"schedule": {"interval": "manual"}}},
    )
    there = acting(twin, account)
    fund(there)
    before = available(there)
    payout = there.v1.payouts.create({"amount": 5000, "currency": "usd"})
    days(twin, 1)
    failed = there.v1.payouts.retrieve(payout.id)
    assert (failed.status, failed.failure_code) == ("failed", code)
    assert failed.failure_message
    row = there.v1.balance_transactions.retrieve(str(failed.failure_balance_transaction))
    assert (row.type, row.amount) == ("payout_failure", 5000)
    assert available(there) == before
    bank = client.v1.accounts.external_accounts.list(account.id).data[0]
    assert bank.to_dict()["status"] == "errored"
    assert "payout.failed" in [e.type for e in there.v1.events.list({"limit": 100}).data]
    books(twin)


def test_cards_and_instant_payouts(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    there = acting(twin, account)
    fund(there)
    cards = {
        name: client.v1.accounts.external_accounts.create(
            account.id, {"external_account": f"tok_visa_debit_us_{name}"}
        ).id
        for name in ("transferSuccess", "transferFail", "instantPayoutUnsupported")
    }
    before = available(there)
    good = there.v1.payouts.create(
        {"amount": 10_000, "currency": "usd", "method": "instant", "destination": cards["transferSuccess"]}
    )
    assert (good.status, good.type) == ("paid", "card")
    assert available(there) == before - 10_000 - 100
    bad = there.v1.payouts.create(
        {"amount": 10_000, "currency": "usd", "method": "instant", "destination": cards["transferFail"]}
    )
    assert (bad.status, bad.failure_code) == ("failed", "could_not_process")
    assert available(there) == before - 10_000 - 100
    with pytest.raises(stripe.InvalidRequestError) as caught:
        there.v1.payouts.create(
            {
                "amount": 10_000,
                "currency": "usd",
                "method": "instant",
                "destination": cards["instantPayoutUnsupported"],
            }
        )
    assert error_of(caught)["code"] == "instant_payouts_unsupported"
    books(twin)


def test_accounts_that_may_not_be_paid_out(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client, business_profile={"name": "Rosen Goods", "url": "https://accessible.stripe.com"})
    there = acting(twin, account)
    fund(there)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        there.v1.payouts.create({"amount": 100, "currency": "usd"})
    assert error_of(caught)["code"] == "payouts_not_allowed"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payouts.create({"amount": 100, "currency": "usd", "destination": "ba_nope"})
    assert error_of(caught)["param"] == "destination"


def test_daily_payouts_of_connected_accounts(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    there = acting(twin, account)
    charge = str(pay(there, 1000).latest_charge)
    days(twin, 1)
    assert there.v1.payouts.list().data == []
    days(twin, 2)
    assert there.v1.payouts.list().data == []  # the third of January 2026 is a Saturday
    days(twin, 1)
    payout = there.v1.payouts.list().data[0]
    assert (payout.amount, payout.automatic, payout.status) == (941, True, "in_transit")
    rows = there.v1.balance_transactions.list({"payout": payout.id}).data
    assert {row.source for row in rows} == {payout.id, charge}
    days(twin, 4)
    landed = there.v1.payouts.retrieve(payout.id)
    assert (landed.status, landed.reconciliation_status) == ("paid", "completed")
    types = [e.type for e in there.v1.events.list({"type": "payout.*", "limit": 100}).data]
    assert sorted(types) == ["payout.created", "payout.paid", "payout.reconciliation_completed"]
    with pytest.raises(stripe.InvalidRequestError):
        there.v1.payouts.cancel(payout.id)
    books(twin)


def test_schedules(client: stripe.StripeClient, twin: Twin) -> None:
    manual = ready(client, settings={"payouts": {"schedule": {"interval": "manual"}}})
    weekly = ready(
        client, settings={"payouts": {"schedule": {"interval": "weekly", "weekly_anchor": "thursday"}}}
    )
    monthly = ready(client, settings={"payouts": {"schedule": {"interval": "monthly", "monthly_anchor": 31}}})
    for account in (manual, weekly, monthly):
        fund(acting(twin, account), 1000)
    days(twin, 40)
    sent = {
        name: [p.created // DAY * DAY for p in acting(twin, account).v1.payouts.list().data]
        for name, account in (("manual", manual), ("weekly", weekly), ("monthly", monthly))
    }
    start = 1_767_225_600  # Thursday, the first of January 2026
    assert sent == {"manual": [], "weekly": [start + 7 * DAY], "monthly": [start + 30 * DAY]}
    books(twin)


def test_balance_settings(client: stripe.StripeClient, twin: Twin) -> None:
    own = client.v1.balance_settings.retrieve().to_dict()
    assert own["payments"]["payouts"]["schedule"] == {"interval": "manual"}
    changed = client.v1.balance_settings.update(
        {
            "payments": {
                "debit_negative_balances": True,
                "payouts": {
                    "schedule": {"interval": "weekly", "weekly_payout_days": ["friday"]},
                    "minimum_balance_by_currency": {"usd": 500},
                    "statement_descriptor": "SHOP PAYOUT",
                },
                "settlement_timing": {"delay_days_override": 9},
            }
        }
    ).to_dict()["payments"]
    assert changed["payouts"]["schedule"] == {"interval": "weekly", "weekly_payout_days": ["friday"]}
    assert changed["settlement_timing"] == {"delay_days": 9, "delay_days_override": 9}
    assert "balance_settings.updated" in event_types(twin)
    fund(client, 1000)
    days(twin, 2)
    payout = client.v1.payouts.list().data[0]
    assert (payout.amount, payout.statement_descriptor) == (941 - 500, "SHOP PAYOUT")
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.balance_settings.update({"payments": {"payouts": {"schedule": {"interval": "monthly"}}}})
    books(twin)


def test_balance_settings_of_a_connected_account(client: stripe.StripeClient, twin: Twin) -> None:
    account = ready(client)
    there = acting(twin, account)
    there.v1.balance_settings.update({"payments": {"payouts": {"schedule": {"interval": "manual"}}}})
    shown = client.v1.accounts.retrieve(account.id).to_dict()["settings"]["payouts"]
    assert shown["schedule"]["interval"] == "manual"
    assert there.v1.balance_settings.retrieve().payments.payouts.status == "enabled"  # type: ignore[union-attr]


def test_topups(client: stripe.StripeClient, twin: Twin) -> None:
    topup = client.v1.topups.create(
        {"amount": 2000, "currency": "usd", "source": "btok_us_verified", "description": "Float"}
    )
    assert (topup.status, topup.balance_transaction) == ("pending", None)
    assert topup.source is not None and topup.source.type == "ach_debit"
    twin.advance(twin.now() + 200)
    done = client.v1.topups.retrieve(topup.id)
    assert done.status == "succeeded" and available(client) == 2000
    assert client.v1.topups.update(topup.id, {"metadata": {"a": "1"}}).to_dict()["metadata"] == {"a": "1"}
    assert [t.id for t in client.v1.topups.list({"status": "succeeded"}).data] == [topup.id]
    assert client.v1.topups.list({"amount": {"gt": 2000}}).data == []
    books(twin)


def test_topups_that_fail_or_are_canceled(client: stripe.StripeClient, twin: Twin) -> None:
    bad = client.v1.topups.create(
        {"amount": 2000, "currency": "usd", "source": "btok_us_verified_insufficientFunds"}
    )
    gone = client.v1.topups.create({"amount": 2000, "currency": "usd"})
    assert client.v1.topups.cancel(gone.id).status == "canceled"
    twin.advance(twin.now() + 200)
    failed = client.v1.topups.retrieve(bad.id)
    assert (failed.status, failed.failure_code) == ("failed", "insufficient_funds")
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.topups.cancel(bad.id)
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.topups.create({"amount": 2000, "currency": "eur"})
    assert available(client) == 0
    assert {"topup.failed", "topup.canceled", "topup.created"} <= set(event_types(twin))
    books(twin)
