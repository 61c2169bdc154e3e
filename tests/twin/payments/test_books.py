"""The books balance after any sequence of operations, and nothing illegal happens on the way."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import stripe
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.twin import sdk
from tests.twin.payments import marketplace
from tests.twin.payments.pay import NO_REDIRECTS, books, pay
from trialbalance.twin import Twin

CARDS = (
    "pm_card_visa",
    "pm_card_bypassPending",
    "pm_card_visa_chargeDeclined",
    "pm_card_chargeDeclinedInsufficientFunds",
    "pm_card_threeDSecure2Required",
    "pm_card_createDispute",
    "pm_card_createDisputeInquiry",
    "pm_card_pendingRefund",
    "pm_card_refundFail",
    "pm_card_riskLevelElevated",
    "pm_card_fr",
)
STATES: dict[str, set[str]] = {
    "requires_payment_method": {"requires_confirmation", "requires_action", "requires_capture", "succeeded", "canceled",
                                "processing"},
    "requires_confirmation": {"requires_payment_method", "requires_action", "requires_capture", "succeeded", "canceled",
                              "processing"},
    "requires_action": {"requires_payment_method", "requires_confirmation", "requires_capture", "succeeded", "canceled",
                        "processing"},
    "requires_capture": {"succeeded", "canceled"},
    "processing": {"succeeded", "requires_payment_method", "canceled"},
    "succeeded": set(),
    "canceled": set(),
}  # fmt: skip
"""Where a PaymentIntent may go from each status."""
CODES = {
    "payment_intent_unexpected_state", "charge_already_refunded", "charge_disputed", "amount_too_large", "card_declined",
    "parameter_invalid_integer", "balance_insufficient", "authentication_required", "charge_not_refundable", None,
    "amount_too_small", "resource_missing", "charge_invalid_parameter", "instant_payouts_unsupported",
    "charge_already_captured", "insufficient_funds", "payouts_not_allowed",
}  # fmt: skip
"""What an illegal call may be refused with."""


class Payments(RuleBasedStateMachine):
    """Random operations on one platform and one connected account."""

    def __init__(self) -> None:
        super().__init__()
        self.twin = Twin(seed=7)
        self.client = sdk.client(self.twin)
        self.seen: dict[str, str] = {}

    @initialize()
    def open_account(self) -> None:
        self.account = marketplace.ready(self.client)
        self.there = marketplace.acting(self.twin, self.account)
        pay(self.client, 50_000, card="pm_card_bypassPending")

    def _try(self, action: Any, *args: Any, **options: Any) -> Any:
        try:
            return action(*args, **options)
        except stripe.StripeError as error:
            assert error.http_status in (400, 402, 404), error
            assert error.code in CODES, f"{error.code}: {error.user_message}"
            return None

    def _pick(self, kind: str, position: int, account: str | None = None) -> str | None:
        ids = list(self.twin.store.table(account or self.twin.account, kind).objects)
        return ids[position % len(ids)] if ids else None

    @rule(
        amount=st.integers(50, 5000),
        card=st.sampled_from(CARDS),
        manual=st.booleans(),
        confirm=st.booleans(),
        how=st.sampled_from(("plain", "direct", "destination", "fee")),
        currency=st.sampled_from(("usd", "usd", "eur", "jpy")),
    )
    def create(self, amount: int, card: str, manual: bool, confirm: bool, how: str, currency: str) -> None:
        params: dict[str, Any] = {
            "amount": amount,
            "currency": currency,
            "payment_method": card,
            "confirm": confirm,
            "capture_method": "manual" if manual else "automatic_async",
            "automatic_payment_methods": NO_REDIRECTS,
        }
        client = self.client
        if how == "direct":
            client = self.there
            params["application_fee_amount"] = amount // 10
        elif how != "plain":
            params["transfer_data"] = {"destination": self.account.id}
            if how == "fee":
                params["application_fee_amount"] = amount // 7
            else:
                params["transfer_data"]["amount"] = amount // 2
        self._try(client.v1.payment_intents.create, params)

    @rule(position=st.integers(0, 50), card=st.sampled_from(CARDS))
    def confirm(self, position: int, card: str) -> None:
        found = self._pick("payment_intent", position)
        if found:
            self._try(self.client.v1.payment_intents.confirm, found, {"payment_method": card})

    @rule(position=st.integers(0, 50), part=st.integers(1, 110), final=st.booleans())
    def capture(self, position: int, part: int, final: bool) -> None:
        found = self._pick("payment_intent", position)
        if found:
            amount = self.twin.store.find(self.twin.account, "payment_intent", found) or {}
            self._try(
                self.client.v1.payment_intents.capture,
                found,
                {"amount_to_capture": amount["amount"] * part // 100},
            )

    @rule(position=st.integers(0, 50))
    def cancel(self, position: int) -> None:
        found = self._pick("payment_intent", position)
        if found:
            self._try(self.client.v1.payment_intents.cancel, found)

    @rule(
        position=st.integers(0, 50),
        amount=st.none() | st.integers(1, 3000),
        reverse=st.booleans(),
        fee=st.booleans(),
        direct=st.booleans(),
    )
    def refund(self, position: int, amount: int | None, reverse: bool, fee: bool, direct: bool) -> None:
        found = self._pick("charge", position, self.account.id if direct else None)
        if not found:
            return
        params: dict[str, Any] = {"charge": found}
        if amount is not None:
            params["amount"] = amount
        if reverse:
            params["reverse_transfer"] = True
        if fee:
            params["refund_application_fee"] = True
        self._try((self.there if direct else self.client).v1.refunds.create, params)

    @rule(
        position=st.integers(0, 20),
        evidence=st.sampled_from(("winning_evidence", "losing_evidence", "close")),
    )
    def dispute(self, position: int, evidence: str) -> None:
        found = self._pick("dispute", position)
        if not found:
            return
        if evidence == "close":
            self._try(self.client.v1.disputes.close, found)
        else:
            self._try(
                self.client.v1.disputes.update,
                found,
                {"evidence": {"uncategorized_text": evidence}, "submit": True},
            )

    @rule(amount=st.integers(1, 8000), position=st.none() | st.integers(0, 50))
    def transfer(self, amount: int, position: int | None) -> None:
        params: dict[str, Any] = {"amount": amount, "currency": "usd", "destination": self.account.id}
        charge = self._pick("charge", position) if position is not None else None
        if charge:
            params["source_transaction"] = charge
        self._try(self.client.v1.transfers.create, params)

    @rule(position=st.integers(0, 20), amount=st.none() | st.integers(1, 3000))
    def reverse(self, position: int, amount: int | None) -> None:
        found = self._pick("transfer", position)
        if found:
            self._try(
                self.client.v1.transfers.reversals.create, found, {} if amount is None else {"amount": amount}
            )

    @rule(position=st.integers(0, 20), amount=st.none() | st.integers(1, 300))
    def return_fee(self, position: int, amount: int | None) -> None:
        found = self._pick("application_fee", position)
        if found:
            self._try(
                self.client.v1.application_fees.refunds.create,
                found,
                {} if amount is None else {"amount": amount},
            )

    @rule(amount=st.integers(1, 9000), direct=st.booleans(), instant=st.booleans())
    def pay_out(self, amount: int, direct: bool, instant: bool) -> None:
        params: dict[str, Any] = {"amount": amount, "currency": "usd"}
        if instant:
            params["method"] = "instant"
        self._try((self.there if direct else self.client).v1.payouts.create, params)

    @rule(position=st.integers(0, 20))
    def cancel_payout(self, position: int) -> None:
        found = self._pick("payout", position)
        if found:
            self._try(self.client.v1.payouts.cancel, found)

    @rule(amount=st.integers(1, 9000), good=st.booleans())
    def top_up(self, amount: int, good: bool) -> None:
        source = "btok_us_verified" if good else "btok_us_verified_noAccount"
        self._try(self.client.v1.topups.create, {"amount": amount, "currency": "usd", "source": source})

    @rule(seconds=st.sampled_from((1, 200, 3600, 86_400, 8 * 86_400)))
    def wait(self, seconds: int) -> None:
        self.twin.advance(self.twin.now() + seconds)

    @invariant()
    def the_books_balance(self) -> None:
        self.twin.run_due()
        books(self.twin)

    @invariant()
    def every_step_is_legal(self) -> None:
        for account in (self.twin.account, getattr(self, "account", None) and self.account.id):
            for intent in self.twin.store.all(account or "", "payment_intent"):
                before = self.seen.get(intent["id"], intent["status"])
                now = intent["status"]
                assert now == before or now in _reachable(before), f"{before} -> {now}"
                self.seen[intent["id"]] = now
                assert intent["amount_received"] <= intent["amount"]
                assert (intent["status"] == "requires_capture") <= (intent["amount_capturable"] > 0)
            for charge in self.twin.store.all(account or "", "charge"):
                assert 0 <= charge["amount_refunded"] <= charge["amount"]
                assert charge["amount_captured"] <= charge["amount"]


def _reachable(status: str) -> set[str]:
    """Statuses that one call can lead to, through others on the way."""
    found: set[str] = set()
    todo = [status]
    while todo:
        for following in STATES[todo.pop()] - found:
            found.add(following)
            todo.append(following)
    return found


def _run(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        Payments,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_random_operations() -> None:
    _run(20, 25)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_five_hundred_random_sequences() -> None:
    _run(500, 30)


# At once


def _at_once(count: int, action: Any) -> list[Any]:
    """Run an action from many threads; answers or errors, in no order."""

    def run(_: int) -> Any:
        try:
            return action()
        except stripe.StripeError as error:
            return error

    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(run, range(count)))


def test_fifty_full_refunds_at_once(client: stripe.StripeClient, twin: Twin) -> None:
    charge = str(pay(client, 1000).latest_charge)
    results = _at_once(50, lambda: client.v1.refunds.create({"charge": charge}))
    done = [r for r in results if not isinstance(r, Exception)]
    refused = [r for r in results if isinstance(r, stripe.StripeError)]
    assert len(done) == 1 and len(refused) == 49
    assert {error.code for error in refused} == {"charge_already_refunded"}
    assert client.v1.charges.retrieve(charge).amount_refunded == 1000
    books(twin)


def test_fifty_partial_refunds_at_once(client: stripe.StripeClient, twin: Twin) -> None:
    charge = str(pay(client, 1000).latest_charge)
    results = _at_once(50, lambda: client.v1.refunds.create({"charge": charge, "amount": 300}))
    assert sum(not isinstance(r, Exception) for r in results) == 3
    assert client.v1.charges.retrieve(charge).amount_refunded == 900
    books(twin)


def test_fifty_confirms_at_once(client: stripe.StripeClient, twin: Twin) -> None:
    intent = client.v1.payment_intents.create(
        {
            "amount": 1000,
            "currency": "usd",
            "payment_method": "pm_card_visa",
            "automatic_payment_methods": NO_REDIRECTS,
        }
    )
    results = _at_once(50, lambda: client.v1.payment_intents.confirm(intent.id))
    refused = [r for r in results if isinstance(r, stripe.StripeError)]
    assert len(refused) == 49
    assert {error.code for error in refused} == {"payment_intent_unexpected_state"}
    assert len(client.v1.charges.list({"payment_intent": intent.id}).data) == 1
    books(twin)


def test_replaying_a_decline(client: stripe.StripeClient, twin: Twin) -> None:
    """Case A53."""

    def attempt(amount: int) -> Any:
        return twin.request(
            "POST",
            "/v1/payment_intents",
            form={
                "amount": amount,
                "currency": "usd",
                "payment_method": "pm_card_visa_chargeDeclined",
                "confirm": "true",
                "automatic_payment_methods": {"enabled": "true", "allow_redirects": "never"},
            },
            idempotency_key="K",
        )

    first, second = attempt(1000), attempt(1000)
    assert (first.status, second.status) == (402, 402)
    assert first.json() == second.json() and second.headers["idempotent-replayed"] == "true"
    assert len(client.v1.charges.list().data) == 1
    other = attempt(2000)
    assert (other.status, other.json()["error"]["type"]) == (400, "idempotency_error")
    assert "K" in other.json()["error"]["message"]
    read = twin.request("GET", "/v1/charges", idempotency_key="K")
    assert read.status == 200 and "idempotent-replayed" not in read.headers
