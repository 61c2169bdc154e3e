"""One scenario for every move from one state to another that the documentation draws.

A scenario makes an object, yields its id in the state before, and goes on until the state after. What is not reached
is listed with its reason, so that a new state of the contract makes this fail until somebody has looked at it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
import stripe

from tests.twin import sdk
from tests.twin.payments.marketplace import acting, ready
from tests.twin.payments.pay import NO_REDIRECTS, books, pay
from tests.twin.payments.test_rails import authorise, magic, start
from tests.twin.payments.test_three_d_secure import complete
from trialbalance.contract import load
from trialbalance.twin import Twin

Steps = Iterator[str]
ALWAYS = "pm_card_threeDSecure2Required"
DECLINED = "pm_card_chargeDeclined"


class World(NamedTuple):
    """A twin, a client of the newest version, and one that may name payment method types."""

    twin: Twin
    client: stripe.StripeClient
    old: stripe.StripeClient

    def later(self, seconds: int = 200) -> None:
        """Let time pass."""
        self.twin.advance(self.twin.now() + seconds)


class Move(NamedTuple):
    """From one status of a kind of object to another."""

    kind: str
    before: str
    after: str


SCENARIOS: dict[Move, Callable[[World], Steps]] = {}


def moves(kind: str, before: str, after: str) -> Callable[[Callable[[World], Steps]], None]:
    """Register the scenario of a move."""

    def register(scenario: Callable[[World], Steps]) -> None:
        move = Move(kind, before, after)
        assert move not in SCENARIOS, move
        SCENARIOS[move] = scenario

    return register


def bare(world: World, **over: Any) -> Any:
    """An intent that nobody has confirmed."""
    return world.client.v1.payment_intents.create(
        {"amount": 1000, "currency": "usd", "automatic_payment_methods": NO_REDIRECTS, **over}
    )


def refused(act: Callable[[], Any]) -> None:
    """What the card network declines."""
    with pytest.raises(stripe.CardError):
        act()


# PaymentIntents. Source: https://docs.stripe.com/payments/paymentintents/lifecycle

PI = "payment_intent"


@moves(PI, "requires_payment_method", "requires_confirmation")
def _(world: World) -> Steps:
    intent = bare(world)
    yield intent.id
    world.client.v1.payment_intents.update(intent.id, {"payment_method": "pm_card_visa"})


@moves(PI, "requires_payment_method", "requires_action")
def _(world: World) -> Steps:
    intent = bare(world)
    yield intent.id
    world.client.v1.payment_intents.confirm(intent.id, {"payment_method": ALWAYS})


@moves(PI, "requires_payment_method", "requires_capture")
def _(world: World) -> Steps:
    intent = bare(world, capture_method="manual")
    yield intent.id
    world.client.v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_visa"})


@moves(PI, "requires_payment_method", "processing")
def _(world: World) -> Steps:
    intent = world.old.v1.payment_intents.create(
        {"amount": 5000, "currency": "eur", "payment_method_types": ["sepa_debit"]}
    )
    yield intent.id
    world.old.v1.payment_intents.confirm(
        intent.id,
        {
            "payment_method": "pm_sepaDebit_successDelayed_de",
            "mandate_data": {"customer_acceptance": {"type": "offline"}},
        },
    )


@moves(PI, "requires_payment_method", "succeeded")
def _(world: World) -> Steps:
    intent = bare(world)
    yield intent.id
    world.client.v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_visa"})


@moves(PI, "requires_payment_method", "canceled")
def _(world: World) -> Steps:
    intent = bare(world)
    yield intent.id
    world.client.v1.payment_intents.cancel(intent.id)


@moves(PI, "requires_confirmation", "requires_payment_method")
def _(world: World) -> Steps:
    intent = bare(world, payment_method=DECLINED)
    yield intent.id
    refused(lambda: world.client.v1.payment_intents.confirm(intent.id))


@moves(PI, "requires_confirmation", "requires_action")
def _(world: World) -> Steps:
    intent = bare(world, payment_method=ALWAYS)
    yield intent.id
    world.client.v1.payment_intents.confirm(intent.id)


@moves(PI, "requires_confirmation", "requires_capture")
def _(world: World) -> Steps:
    intent = bare(world, payment_method="pm_card_visa", capture_method="manual")
    yield intent.id
    world.client.v1.payment_intents.confirm(intent.id)


@moves(PI, "requires_confirmation", "processing")
def _(world: World) -> Steps:
    intent = magic(world.old, "sepa_debit", "pm_sepaDebit_successDelayed_de", confirm=False, mandate_data="")
    yield intent.id
    world.old.v1.payment_intents.confirm(
        intent.id, {"mandate_data": {"customer_acceptance": {"type": "offline"}}}
    )


@moves(PI, "requires_confirmation", "succeeded")
def _(world: World) -> Steps:
    intent = bare(world, payment_method="pm_card_visa")
    yield intent.id
    world.client.v1.payment_intents.confirm(intent.id)


@moves(PI, "requires_confirmation", "canceled")
def _(world: World) -> Steps:
    intent = bare(world, payment_method="pm_card_visa")
    yield intent.id
    world.client.v1.payment_intents.cancel(intent.id)


@moves(PI, "requires_action", "requires_payment_method")
def _(world: World) -> Steps:
    intent = pay(world.client, card=ALWAYS)
    yield intent.id
    complete(world.twin, intent, "failed")


@moves(PI, "requires_action", "requires_confirmation")
def _(world: World) -> Steps:
    intent = pay(world.client, card=ALWAYS, confirmation_method="manual")
    yield intent.id
    complete(world.twin, intent)


@moves(PI, "requires_action", "requires_capture")
def _(world: World) -> Steps:
    intent = pay(world.client, card=ALWAYS, capture_method="manual")
    yield intent.id
    complete(world.twin, intent)


@moves(PI, "requires_action", "processing")
def _(world: World) -> Steps:
    intent = start(world.old, "sofort")
    yield intent.id
    authorise(world.twin, intent)


@moves(PI, "requires_action", "succeeded")
def _(world: World) -> Steps:
    intent = pay(world.client, card=ALWAYS)
    yield intent.id
    complete(world.twin, intent)


@moves(PI, "requires_action", "canceled")
def _(world: World) -> Steps:
    intent = pay(world.client, card=ALWAYS)
    yield intent.id
    world.client.v1.payment_intents.cancel(intent.id, {"cancellation_reason": "requested_by_customer"})


@moves(PI, "processing", "succeeded")
def _(world: World) -> Steps:
    intent = magic(world.old, "sepa_debit", "pm_sepaDebit_successDelayed_de")
    yield intent.id
    world.later()


@moves(PI, "processing", "requires_payment_method")
def _(world: World) -> Steps:
    intent = magic(world.old, "sepa_debit", "pm_sepaDebit_failedDelayed_de")
    yield intent.id
    world.later()


@moves(PI, "processing", "canceled")
def _(world: World) -> Steps:
    intent = magic(world.old, "sepa_debit", "pm_sepaDebit_successDelayed_de")
    yield intent.id
    world.old.v1.payment_intents.cancel(intent.id)
    world.later()


@moves(PI, "requires_capture", "succeeded")
def _(world: World) -> Steps:
    intent = pay(world.client, capture_method="manual")
    yield intent.id
    world.client.v1.payment_intents.capture(intent.id)


@moves(PI, "requires_capture", "canceled")
def _(world: World) -> Steps:
    intent = pay(world.client, capture_method="manual")
    yield intent.id
    world.later(7 * 86_400)


# Charges. Source: https://docs.stripe.com/api/charges/object


@moves("charge", "pending", "succeeded")
def _(world: World) -> Steps:
    yield str(magic(world.old, "sepa_debit", "pm_sepaDebit_successDelayed_de").latest_charge)
    world.later()


@moves("charge", "pending", "failed")
def _(world: World) -> Steps:
    yield str(magic(world.old, "sepa_debit", "pm_sepaDebit_failedDelayed_de").latest_charge)
    world.later()


# SetupIntents. Source: https://docs.stripe.com/payments/paymentintents/lifecycle


SI = "setup_intent"


def setup(world: World, **over: Any) -> Any:
    """A setup intent without redirects."""
    return world.client.v1.setup_intents.create({"automatic_payment_methods": NO_REDIRECTS, **over})


@moves(SI, "requires_payment_method", "requires_confirmation")
def _(world: World) -> Steps:
    intent = setup(world)
    yield intent.id
    world.client.v1.setup_intents.update(intent.id, {"payment_method": "pm_card_visa"})


@moves(SI, "requires_payment_method", "requires_action")
def _(world: World) -> Steps:
    intent = setup(world)
    yield intent.id
    world.client.v1.setup_intents.confirm(intent.id, {"payment_method": ALWAYS})


@moves(SI, "requires_payment_method", "succeeded")
def _(world: World) -> Steps:
    intent = setup(world)
    yield intent.id
    world.client.v1.setup_intents.confirm(intent.id, {"payment_method": "pm_card_visa"})


@moves(SI, "requires_payment_method", "canceled")
def _(world: World) -> Steps:
    intent = setup(world)
    yield intent.id
    world.client.v1.setup_intents.cancel(intent.id)


@moves(SI, "requires_confirmation", "requires_payment_method")
def _(world: World) -> Steps:
    intent = setup(world, payment_method=DECLINED)
    yield intent.id
    refused(lambda: world.client.v1.setup_intents.confirm(intent.id))


@moves(SI, "requires_confirmation", "requires_action")
def _(world: World) -> Steps:
    intent = setup(world, payment_method=ALWAYS)
    yield intent.id
    world.client.v1.setup_intents.confirm(intent.id)


@moves(SI, "requires_confirmation", "succeeded")
def _(world: World) -> Steps:
    intent = setup(world, payment_method="pm_card_visa")
    yield intent.id
    world.client.v1.setup_intents.confirm(intent.id)


@moves(SI, "requires_confirmation", "canceled")
def _(world: World) -> Steps:
    intent = setup(world, payment_method="pm_card_visa")
    yield intent.id
    world.client.v1.setup_intents.cancel(intent.id)


@moves(SI, "requires_action", "requires_payment_method")
def _(world: World) -> Steps:
    intent = setup(world, payment_method=ALWAYS, confirm=True)
    yield intent.id
    complete(world.twin, intent, "failed")


@moves(SI, "requires_action", "succeeded")
def _(world: World) -> Steps:
    intent = setup(world, payment_method=ALWAYS, confirm=True)
    yield intent.id
    complete(world.twin, intent)


@moves(SI, "requires_action", "canceled")
def _(world: World) -> Steps:
    intent = setup(world, payment_method=ALWAYS, confirm=True)
    yield intent.id
    world.client.v1.setup_intents.cancel(intent.id)


# Refunds. Source: https://docs.stripe.com/refunds


def cash_refund(world: World) -> Any:
    """A refund that asks the customer for a bank account."""
    customer = world.client.v1.customers.create()
    world.client.v1.test_helpers.customers.fund_cash_balance(customer.id, {"amount": 900, "currency": "usd"})
    return world.client.v1.refunds.create(
        {
            "origin": "customer_balance",
            "customer": customer.id,
            "currency": "usd",
            "amount": 900,
            "instructions_email": "ada@example.test",
        }
    )


@moves("refund", "pending", "succeeded")
def _(world: World) -> Steps:
    charge = str(pay(world.client, card="pm_card_pendingRefund").latest_charge)
    yield world.client.v1.refunds.create({"charge": charge}).id
    world.later()


@moves("refund", "succeeded", "failed")
def _(world: World) -> Steps:
    charge = str(pay(world.client, card="pm_card_refundFail").latest_charge)
    yield world.client.v1.refunds.create({"charge": charge}).id
    world.later()


@moves("refund", "requires_action", "canceled")
def _(world: World) -> Steps:
    refund = cash_refund(world)
    yield refund.id
    world.client.v1.refunds.cancel(refund.id)


@moves("refund", "requires_action", "failed")
def _(world: World) -> Steps:
    refund = cash_refund(world)
    yield refund.id
    world.client.v1.test_helpers.refunds.expire(refund.id)


# Disputes. Source: https://docs.stripe.com/disputes/how-disputes-work


def dispute(world: World, card: str = "createDispute", text: str | None = None) -> str:
    """A dispute, answered when there is something to say."""
    intent = pay(world.client, card=f"pm_card_{card}")
    found = world.client.v1.disputes.list({"payment_intent": intent.id}).data[0].id
    if text:
        world.client.v1.disputes.update(found, {"evidence": {"uncategorized_text": text}})
    return found


@moves("dispute", "needs_response", "under_review")
def _(world: World) -> Steps:
    found = dispute(world)
    yield found
    world.client.v1.disputes.update(found, {"evidence": {"product_description": "tea"}})


@moves("dispute", "needs_response", "lost")
def _(world: World) -> Steps:
    found = dispute(world)
    yield found
    world.client.v1.disputes.close(found)


@moves("dispute", "under_review", "won")
def _(world: World) -> Steps:
    yield dispute(world, text="winning_evidence")


@moves("dispute", "under_review", "lost")
def _(world: World) -> Steps:
    yield dispute(world, text="losing_evidence")


@moves("dispute", "warning_needs_response", "warning_under_review")
def _(world: World) -> Steps:
    found = dispute(world, "createDisputeInquiry")
    yield found
    world.client.v1.disputes.update(found, {"evidence": {"product_description": "tea"}})


@moves("dispute", "warning_needs_response", "warning_closed")
def _(world: World) -> Steps:
    found = dispute(world, "createDisputeInquiry")
    yield found
    world.client.v1.disputes.close(found)


@moves("dispute", "warning_under_review", "warning_closed")
def _(world: World) -> Steps:
    yield dispute(world, "createDisputeInquiry", "winning_evidence")


@moves("dispute", "warning_under_review", "needs_response")
def _(world: World) -> Steps:
    yield dispute(world, "createDisputeInquiry", "escalate_inquiry_evidence")


# Payouts and top-ups. Source: https://docs.stripe.com/api/payouts/object and https://docs.stripe.com/api/topups/object


def funded(world: World) -> None:
    pay(world.client, 9000, card="pm_card_bypassPending")


@moves("payout", "pending", "paid")
def _(world: World) -> Steps:
    funded(world)
    yield world.client.v1.payouts.create({"amount": 5000, "currency": "usd"}).id
    world.later(4 * 86_400)


@moves("payout", "pending", "canceled")
def _(world: World) -> Steps:
    funded(world)
    payout = world.client.v1.payouts.create({"amount": 5000, "currency": "usd"})
    yield payout.id
    world.client.v1.payouts.cancel(payout.id)


@moves("payout", "in_transit", "paid")
def _(world: World) -> Steps:
    world.client.v1.balance_settings.update({"payments": {"payouts": {"schedule": {"interval": "daily"}}}})
    funded(world)
    for _ in range(5):
        world.later(86_400)
        if world.client.v1.payouts.list().data:
            break
    yield world.client.v1.payouts.list().data[0].id
    world.later(4 * 86_400)


@moves("topup", "pending", "succeeded")
def _(world: World) -> Steps:
    yield world.client.v1.topups.create({"amount": 2000, "currency": "usd", "source": "btok_us_verified"}).id
    world.later()


@moves("topup", "pending", "failed")
def _(world: World) -> Steps:
    yield world.client.v1.topups.create(
        {"amount": 2000, "currency": "usd", "source": "btok_us_verified_noAccount"}
    ).id
    world.later()


@moves("topup", "pending", "canceled")
def _(world: World) -> Steps:
    topup = world.client.v1.topups.create({"amount": 2000, "currency": "usd"})
    yield topup.id
    world.client.v1.topups.cancel(topup.id)


# Sources of older versions. Source: https://docs.stripe.com/sources


@moves("source", "chargeable", "consumed")
def _(world: World) -> Steps:
    old = sdk.client(world.twin, version="2019-02-11")
    source = old.v1.sources.create({"type": "card", "token": "tok_visa", "usage": "single_use"})
    yield source.id
    old.v1.charges.create({"amount": 1000, "currency": "usd", "source": source.id})


# Registrations for taxes. Source: https://docs.stripe.com/api/tax/registrations


def registration(world: World, **when: Any) -> str:
    return world.client.v1.tax.registrations.create(
        {"country": "IE", "country_options": {"ie": {"type": "standard"}}, "active_from": "now", **when}
    ).id


@moves("tax.registration", "scheduled", "active")
def _(world: World) -> Steps:
    yield registration(world, active_from=world.twin.now() + 1000)
    world.later(1001)


@moves("tax.registration", "active", "expired")
def _(world: World) -> Steps:
    yield registration(world, expires_at=world.twin.now() + 1000)
    world.later(1001)


@pytest.mark.parametrize("move", sorted(SCENARIOS), ids=lambda move: ":".join(move))
def test_a_move(move: Move, twin: Twin, at_version: Callable[[str], stripe.StripeClient]) -> None:
    world = World(twin, sdk.client(twin), at_version("2024-06-20"))
    steps = SCENARIOS[move](world)
    identifier = next(steps)
    told = len(list(twin.store.all(twin.account, "event")))

    def status() -> str:
        found = twin.store.find(twin.account, move.kind, identifier)
        assert found is not None
        return str(found["status"])

    assert status() == move.before
    assert next(steps, None) is None
    twin.run_due()
    assert status() == move.after
    events = list(twin.store.all(twin.account, "event"))[told:]
    about = [e["type"] for e in events if e["data"]["object"].get("id") == identifier]
    assert about or move.kind in UNTOLD or move.after == "requires_confirmation", "nobody was told"
    books(twin)


UNTOLD = {"source", "tax.registration"}
"""Kinds whose moves have no event, or an event of another kind."""


# Payouts that fail at the bank need a bank of a test number, which only connected accounts have


def test_a_payout_that_fails(client: stripe.StripeClient, twin: Twin) -> None:
    bank = {
        "object": "bank_account",
        "country": "US",
        "currency": "usd",
        "routing_number": "110000000",
        "account_number": "000111111116",
    }
    account = ready(
        client,
        external_account=bank,
        settings={"payouts": {"schedule": {"interval": "manual"}}},
    )
    there = acting(twin, account)
    pay(there, 9000, card="pm_card_bypassPending")
    payout = there.v1.payouts.create({"amount": 5000, "currency": "usd"})
    assert payout.status == "pending"
    twin.advance(twin.now() + 4 * 86_400)
    assert there.v1.payouts.retrieve(payout.id).status == "failed"
    books(twin)


# Completeness

NOT_REACHED = {
    ("dispute", "appeal_needs_response"): "appeals begin at the bank, and no test value makes one",
    ("dispute", "appeal_under_review"): "appeals begin at the bank, and no test value makes one",
    ("dispute", "prevented"): "prevention is a service that is switched on in the Dashboard",
    (
        "setup_intent",
        "processing",
    ): "every setup of the twin's payment methods ends at once or waits for the customer",
    ("topup", "reversed"): "banks call top-ups back, and no test value makes them",
}
"""States of the contract that no call of a user can lead to, and why."""


@pytest.mark.parametrize("kind", sorted({move.kind for move in SCENARIOS}))
def test_every_state_is_reached_or_has_a_reason(kind: str) -> None:
    node: Any = load().objects[kind]["status"]
    states = set(node["enum"]) if isinstance(node, dict) and "enum" in node else set()
    reached = {s for move in SCENARIOS if move.kind == kind for s in (move.before, move.after)}
    missing = {state for other, state in NOT_REACHED if other == kind}
    assert states - reached == missing if states else not missing
    assert not states or reached <= states
