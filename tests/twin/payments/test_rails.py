"""Payment methods that are not cards: redirects, codes, debits, vouchers, transfers, and how each ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import stripe

from tests.twin.payments.pay import books, charge_of, error_of, event_types, pay
from trialbalance.twin import Twin
from trialbalance.twin.rails import details as rail_details
from trialbalance.twin.rails import sepa
from trialbalance.twin.rails.flow import AT_ONCE
from trialbalance.twin.rails.table import RAILS
from trialbalance.twin.resources import three_d_secure

ADDRESS: Any = {"line1": "1 Main", "city": "Berlin", "postal_code": "10115", "country": "DE", "state": "BE"}
DETAILS: dict[str, Any] = {
    "sepa_debit": {"iban": "DE89370400440532013000"},
    "bacs_debit": {"account_number": "00012345", "sort_code": "108800"},
    "au_becs_debit": {"account_number": "000123456", "bsb_number": "000000"},
    "acss_debit": {"account_number": "000123456789", "institution_number": "000", "transit_number": "11000"},
    "us_bank_account": {
        "account_number": "000123456789", "routing_number": "110000000", "account_holder_type": "individual",
    },
    "nz_bank_account": {"bank_code": "11", "branch_code": "0000", "account_number": "0000000", "suffix": "010"},
    "boleto": {"tax_id": "00000000000"},
    "p24": {"bank": "blik"},
    "fpx": {"bank": "maybank2u"},
    "sofort": {"country": "DE"},
    "blik": {},
}  # fmt: skip
OPTIONS: dict[str, Any] = {
    "acss_debit": {"mandate_options": {"payment_schedule": "sporadic", "transaction_type": "personal"}},
    "wechat_pay": {"client": "web"},
    "blik": {"code": "123456"},
    "customer_balance": {"funding_type": "bank_transfer", "bank_transfer": {"type": "us_bank_transfer"}},
}
PREFERRED = {"customer_balance": "usd"}
BY_FLOW: dict[str, list[str]] = {}
for _type, _rail in RAILS.items():
    if _rail.creatable and _rail.flow not in ("external", "terminal"):
        BY_FLOW.setdefault(_rail.flow, []).append(_type)


@pytest.fixture
def old(at_version: Callable[[str], stripe.StripeClient]) -> stripe.StripeClient:
    """A client of a version that names its payment method types."""
    return at_version("2024-06-20")


def start(client: stripe.StripeClient, type: str, *, email: str = "ada@example.test", **over: Any) -> Any:
    """A confirmed payment by a new payment method of a type."""
    rail = RAILS[type]
    currency = PREFERRED.get(type) or (sorted(rail.currencies)[0] if rail.currencies else "usd")
    data = {
        "type": type,
        type: over.pop("details", DETAILS.get(type, {})),
        "billing_details": {"name": "Ada", "email": email, "address": ADDRESS, "phone": "+4915112345678"},
    }
    params: dict[str, Any] = {
        "amount": 10_000,
        "currency": currency,
        "payment_method_types": [type],
        "payment_method_data": data,
        "confirm": True,
        "return_url": "https://shop.example/done",
        "mandate_data": {"customer_acceptance": {"type": "offline"}} if rail.mandate else "",
        **over,
    }
    if not params["mandate_data"]:
        del params["mandate_data"]
    if type in OPTIONS:
        params["payment_method_options"] = {type: OPTIONS[type]}
    return client.v1.payment_intents.create(params)  # type: ignore[arg-type]


def open_source(twin: Twin, intent: Any) -> str:
    """The authorisation that waits for the customer."""
    found = [
        o["id"]
        for o in twin.store.all(twin.account, three_d_secure.KIND)
        if o["intent"] == intent.id and o["state"] == "pending"
    ]
    return str(found[-1])


def authorise(twin: Twin, intent: Any, outcome: str = "succeeded") -> None:
    """What the test page does."""
    answer = twin.request(
        "POST",
        "/v1/3ds2/challenge_complete",
        form={
            "source": open_source(twin, intent),
            "client_secret": intent.client_secret,
            "outcome": outcome,
        },
        key=twin.publishable_key,
    )
    assert answer.status == 200, answer.body


def magic(client: stripe.StripeClient, type: str, identifier: str, **over: Any) -> Any:
    """A confirmed payment by a published test payment method."""
    return client.v1.payment_intents.create(
        {
            "amount": 10_000,
            "currency": sorted(RAILS[type].currencies)[0],
            "payment_method_types": [type],
            "payment_method": identifier,
            "mandate_data": {"customer_acceptance": {"type": "offline"}},
            "confirm": True,
            **over,
        }
    )


# Redirects and codes


@pytest.mark.parametrize("type", [*BY_FLOW["redirect"], *BY_FLOW["qr"]])
def test_authorised_on_another_page(old: stripe.StripeClient, twin: Twin, type: str) -> None:
    intent = start(old, type)
    assert intent.status == "requires_action" and intent.next_action is not None
    authorise(twin, intent)
    if RAILS[type].delay:
        assert old.v1.payment_intents.retrieve(intent.id).status == "processing"
        twin.advance(twin.now() + RAILS[type].delay)
    paid = old.v1.payment_intents.retrieve(intent.id)
    assert paid.status == "succeeded"
    charge = charge_of(old, paid)
    assert charge.payment_method_details.type == type and charge.balance_transaction
    books(twin)


@pytest.mark.parametrize("type", [*BY_FLOW["redirect"], *BY_FLOW["qr"]])
def test_refused_on_another_page(old: stripe.StripeClient, twin: Twin, type: str) -> None:
    intent = start(old, type)
    authorise(twin, intent, "failed")
    failed = old.v1.payment_intents.retrieve(intent.id)
    assert failed.status == "requires_payment_method" and failed.last_payment_error is not None
    assert failed.last_payment_error.code == (
        "payment_method_customer_decline" if type == "klarna" else "payment_intent_authentication_failure"
    )
    assert (failed.payment_method, failed.latest_charge) == (None, None)
    assert event_types(twin)[-1] == "payment_intent.payment_failed"


def test_a_redirect_needs_somewhere_to_return_to(old: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        start(old, "ideal", return_url=None)
    assert error_of(caught)["param"] == "return_url"


@pytest.mark.parametrize("type", ["klarna", "afterpay_clearpay", "affirm", "paypal"])
def test_held_and_captured(old: stripe.StripeClient, twin: Twin, type: str) -> None:
    intent = start(old, type, capture_method="manual")
    authorise(twin, intent)
    assert old.v1.payment_intents.retrieve(intent.id).status == "requires_capture"
    assert old.v1.payment_intents.capture(intent.id, {"amount_to_capture": 6000}).amount_received == 6000
    books(twin)


def test_what_cannot_be_held(old: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError):
        start(old, "ideal", capture_method="manual")


@pytest.mark.parametrize("type", ["ideal", "bancontact"])
def test_saving_a_redirect_makes_a_debit(old: stripe.StripeClient, twin: Twin, type: str) -> None:
    customer = old.v1.customers.create()
    intent = start(old, type, customer=customer.id, setup_future_usage="off_session")
    authorise(twin, intent)
    saved = old.v1.payment_methods.list({"customer": customer.id, "type": "sepa_debit"}).data
    assert len(saved) == 1
    again = old.v1.payment_intents.create(
        {
            "amount": 2000,
            "currency": "eur",
            "customer": customer.id,
            "payment_method": saved[0].id,
            "payment_method_types": ["sepa_debit"],
            "off_session": True,
            "confirm": True,
        }
    )
    assert again.status == "processing"
    assert old.v1.payment_intents.retrieve(again.id).status == "succeeded"
    books(twin)


@pytest.mark.parametrize("type", sorted({*BY_FLOW["redirect"], *BY_FLOW["debit"]} - {"sofort"}))
def test_only_its_currencies(old: stripe.StripeClient, type: str) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        start(old, type, currency="kwd", amount=10_000)
    assert "currenc" in error_of(caught)["message"]


# Debits


@pytest.mark.parametrize("type", BY_FLOW["debit"])
def test_debits_are_processing_first(old: stripe.StripeClient, twin: Twin, type: str) -> None:
    intent = start(old, type)
    assert intent.status == "processing"
    charge = old.v1.charges.retrieve(str(intent.latest_charge))
    assert (intent.latest_charge, charge.payment_method_details.type) == (charge.id, type)  # type: ignore[union-attr]
    paid = old.v1.payment_intents.retrieve(intent.id)
    assert paid.status == "succeeded" and paid.amount_received == 10_000
    types = event_types(twin)
    assert types.index("payment_intent.processing") < types.index("payment_intent.succeeded")
    books(twin)


ACCOUNTS = [
    *(("us_bank_account", {"account_number": n}, o) for n, o in rail_details.US_BANK.items()),
    *(("acss_debit", {"account_number": n}, o) for n, o in rail_details.ACSS.items()),
    *(("bacs_debit", {"account_number": n}, o) for n, o in rail_details.BACS.items()),
    *(("au_becs_debit", {"account_number": n}, o) for n, o in rail_details.BECS.items()),
    ("nz_bank_account", {"account_number": "2222227"}, "insufficient_funds"),
    ("nz_bank_account", {"account_number": "1111113"}, "account_closed"),
]
"""Every published test account of a debit, but SEPA's, and how a payment from it ends."""


@pytest.mark.parametrize(
    ("type", "account", "outcome"), ACCOUNTS, ids=[f"{t}-{a['account_number']}" for t, a, _ in ACCOUNTS]
)
def test_published_accounts(
    old: stripe.StripeClient, twin: Twin, type: str, account: dict[str, str], outcome: str
) -> None:
    """At once, after three minutes, never, refused at confirmation, failed at the bank, or disputed."""

    def debit() -> Any:
        made = start(old, type, details={**DETAILS[type], **account})
        if made.status == "requires_action":
            assert made.next_action.type == "verify_with_microdeposits"
            made = old.v1.payment_intents.verify_microdeposits(made.id, {"amounts": [32, 45]})
        return made

    if outcome == "microdeposits_fail":
        with pytest.raises(stripe.CardError) as caught:
            debit()
        assert error_of(caught)["code"] == "payment_method_microdeposit_failed"
        assert old.v1.payment_intents.list().data[0].status == "requires_payment_method"
        return
    if outcome in AT_ONCE:
        refused = debit()
        assert refused.status == "requires_payment_method"
        assert refused.last_payment_error.decline_code == outcome
        assert charge_of(old, refused).failure_code == outcome
        books(twin)
        return
    intent = debit()
    assert intent.status == "processing"
    twin.run_due()
    late = outcome.endswith("_delayed")
    if late or outcome == "processing":
        assert old.v1.payment_intents.retrieve(intent.id).status == "processing"
        twin.advance(twin.now() + (181 if late else 30 * 86_400))
    ended = old.v1.payment_intents.retrieve(intent.id)
    charge = charge_of(old, ended)
    kind = outcome.removesuffix("_delayed")
    if kind in ("success", "dispute"):
        assert (ended.status, charge.status, charge.paid) == ("succeeded", "succeeded", True)
        assert charge.disputed == (kind == "dispute")
    elif kind == "processing":
        assert (ended.status, charge.status, charge.paid) == ("processing", "pending", False)
    else:
        assert ended.status == "requires_payment_method"
        assert ended.last_payment_error is not None
        assert ended.last_payment_error.code == "payment_intent_payment_attempt_failed"
        assert ended.last_payment_error.decline_code == kind
        assert (charge.status, charge.paid, charge.failure_code) == ("failed", False, kind)
        assert charge.balance_transaction is None
        assert "charge.failed" in event_types(twin)
    books(twin)


def test_debits_that_take_three_minutes(old: stripe.StripeClient, twin: Twin) -> None:
    intent = start(old, "bacs_debit", details={"account_number": "90012345", "sort_code": "108800"})
    assert old.v1.payment_intents.retrieve(intent.id).status == "processing"
    twin.advance(twin.now() + 181)
    assert old.v1.payment_intents.retrieve(intent.id).status == "succeeded"


@pytest.mark.parametrize("country", sorted(sepa.IBANS))
@pytest.mark.parametrize("scenario", sorted(sepa.SCENARIOS))
def test_published_sepa_accounts(old: stripe.StripeClient, twin: Twin, scenario: str, country: str) -> None:
    outcome = sepa.SCENARIOS[scenario]
    name = f"pm_sepaDebit_{scenario}_{country}"
    if outcome.startswith("charge_exceeds"):
        with pytest.raises(stripe.CardError) as caught:
            magic(old, "sepa_debit", name)
        assert error_of(caught)["decline_code"] == outcome
        return
    intent = magic(old, "sepa_debit", name)
    if outcome.endswith("_delayed"):
        assert old.v1.payment_intents.retrieve(intent.id).status == "processing"
        twin.advance(twin.now() + 181)
    ended = old.v1.payment_intents.retrieve(intent.id)
    charge = charge_of(old, ended)
    if scenario in ("success", "successDelayed", "disputed"):
        assert ended.status == "succeeded"
        assert charge.disputed == (scenario == "disputed")
    else:
        assert ended.status == "requires_payment_method"
        assert charge.failure_code == outcome.removesuffix("_delayed")
    by_number = start(
        old, "sepa_debit", details={"iban": sepa.IBANS[country][list(sepa.SCENARIOS).index(scenario)]}
    )
    assert by_number.status == intent.status
    books(twin)


@pytest.mark.parametrize("iban", ["DE91370400440000055555", "AT511904300000066666"])
def test_unusable_sepa_accounts(old: stripe.StripeClient, iban: str) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        start(old, "sepa_debit", details={"iban": iban})
    assert error_of(caught)["code"].startswith("sepa_debit_")


def test_debits_that_are_disputed(old: stripe.StripeClient, twin: Twin) -> None:
    disputed = start(old, "au_becs_debit", details={"account_number": "666666660", "bsb_number": "000000"})
    charge = charge_of(old, old.v1.payment_intents.retrieve(disputed.id))
    assert charge.disputed
    books(twin)


@pytest.mark.parametrize(
    ("type", "details"),
    [
        ("sepa_debit", {"iban": "DE00000000000000000000"}),
        ("bacs_debit", {"account_number": "99999999", "sort_code": "108800"}),
        ("us_bank_account", {"account_number": "123", "routing_number": "110000000"}),
        ("au_becs_debit", {"account_number": "000123456", "bsb_number": "1"}),
    ],
)
def test_details_that_are_wrong(old: stripe.StripeClient, type: str, details: dict[str, str]) -> None:
    with pytest.raises(stripe.InvalidRequestError):
        start(old, type, details=details)


# Accounts that are verified


@pytest.mark.parametrize("proof", [{"amounts": [32, 45]}, {"descriptor_code": "SM11AA"}])
def test_microdeposits(old: stripe.StripeClient, twin: Twin, proof: Any) -> None:
    intent = start(old, "us_bank_account")
    assert intent.next_action.type == "verify_with_microdeposits"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        old.v1.payment_intents.verify_microdeposits(intent.id, {"amounts": [1, 2]})
    assert error_of(caught)["code"] == "payment_method_microdeposit_verification_amounts_mismatch"
    done = old.v1.payment_intents.verify_microdeposits(intent.id, proof)
    assert done.status == "processing"
    assert old.v1.payment_intents.retrieve(intent.id).status == "succeeded"
    books(twin)


@pytest.mark.parametrize(
    ("amounts", "code"),
    [
        ([10, 11], "payment_method_microdeposit_verification_attempts_exceeded"),
        ([40, 41], "payment_method_microdeposit_verification_timeout"),
    ],
)
def test_microdeposits_that_end_the_attempt(old: stripe.StripeClient, amounts: list[int], code: str) -> None:
    intent = start(old, "us_bank_account")
    with pytest.raises(stripe.CardError) as caught:
        old.v1.payment_intents.verify_microdeposits(intent.id, {"amounts": amounts})
    assert error_of(caught)["code"] == code
    assert old.v1.payment_intents.retrieve(intent.id).status == "requires_payment_method"


@pytest.mark.parametrize("name", sorted(rail_details.US_MAGIC))
def test_published_bank_accounts_by_name(old: stripe.StripeClient, twin: Twin, name: str) -> None:
    """A test payment method is verified already, and ends as the account with its number does."""
    outcome = rail_details.US_BANK[rail_details.US_MAGIC[name]]
    if outcome in (*AT_ONCE, "microdeposits_fail"):
        with pytest.raises(stripe.CardError):
            magic(old, "us_bank_account", name)
        return
    intent = magic(old, "us_bank_account", name)
    assert intent.status == "processing"
    ended = old.v1.payment_intents.retrieve(intent.id)
    charge = charge_of(old, ended)
    assert (ended.status, charge.disputed) == (
        {"success": "succeeded", "dispute": "succeeded", "processing": "processing"}.get(
            outcome, "requires_payment_method"
        ),
        outcome == "dispute",
    )
    if ended.status == "requires_payment_method":
        assert charge.failure_code == outcome
    books(twin)


def test_saving_a_bank_account(old: stripe.StripeClient) -> None:
    customer = old.v1.customers.create()
    intent = old.v1.setup_intents.create(
        {
            "customer": customer.id,
            "payment_method_types": ["us_bank_account"],
            "payment_method_data": {
                "type": "us_bank_account",
                "us_bank_account": DETAILS["us_bank_account"],
                "billing_details": {"name": "Ada"},
            },
            "mandate_data": {"customer_acceptance": {"type": "offline"}},
            "confirm": True,
        }
    )
    assert intent.next_action is not None and intent.next_action.type == "verify_with_microdeposits"
    done = old.v1.setup_intents.verify_microdeposits(intent.id, {"amounts": [32, 45]})
    assert done.status == "succeeded" and done.mandate is not None
    assert old.v1.mandates.retrieve(str(done.mandate)).status == "active"


# Vouchers


@pytest.mark.parametrize("type", BY_FLOW["voucher"])
def test_vouchers_are_paid_later(old: stripe.StripeClient, twin: Twin, type: str) -> None:
    intent = start(old, type)
    assert intent.status == "requires_action"
    assert intent.next_action.type == f"{type}_display_details"
    assert old.v1.payment_intents.retrieve(intent.id).status == "requires_action"
    twin.advance(twin.now() + 181)
    assert old.v1.payment_intents.retrieve(intent.id).status == "succeeded"
    books(twin)


@pytest.mark.parametrize("type", BY_FLOW["voucher"])
@pytest.mark.parametrize(
    ("email", "at_once", "later"),
    [
        ("succeed_immediately", "succeeded", "succeeded"),
        ("fill_never", "requires_action", "requires_action"),
        ("expire_immediately", "requires_payment_method", "requires_payment_method"),
        ("expire_with_delay", "requires_action", "requires_payment_method"),
        ("anything_else", "requires_action", "succeeded"),
    ],
)
def test_the_test_address_says_how_a_voucher_ends(
    old: stripe.StripeClient, twin: Twin, type: str, email: str, at_once: str, later: str
) -> None:
    intent = start(old, type, email=f"{email}@example.test")
    assert intent.status == "requires_action"
    assert old.v1.payment_intents.retrieve(intent.id).status == at_once
    twin.advance(twin.now() + 181)
    ended = old.v1.payment_intents.retrieve(intent.id)
    assert ended.status == later
    if later == "requires_payment_method":
        assert ended.last_payment_error is not None
        assert ended.last_payment_error.code == "payment_intent_payment_attempt_expired"
    books(twin)


@pytest.mark.parametrize("type", sorted(t for t, rail in RAILS.items() if rail.refund == "pending"))
def test_refunds_that_take_their_time(old: stripe.StripeClient, twin: Twin, type: str) -> None:
    """Methods whose refunds are pending first: three minutes later the money is there."""
    intent = start(old, type)
    if RAILS[type].flow in ("redirect", "qr"):
        authorise(twin, intent)
    elif RAILS[type].flow == "verify":
        old.v1.payment_intents.verify_microdeposits(intent.id, {"amounts": [32, 45]})
    twin.advance(twin.now() + 181)
    refund = old.v1.refunds.create({"payment_intent": intent.id})
    assert refund.status == "pending"
    twin.advance(twin.now() + 181)
    assert old.v1.refunds.retrieve(refund.id).status == "succeeded"
    books(twin)


@pytest.mark.parametrize(
    "type", sorted({t for f in ("redirect", "voucher", "notify", "transfer") for t in BY_FLOW[f]})
)
def test_nobody_is_there_to_act(old: stripe.StripeClient, twin: Twin, type: str) -> None:
    """`error_on_requires_action` fails whatever would wait for the customer."""
    customer = old.v1.customers.create()
    with pytest.raises(stripe.CardError) as caught:
        start(old, type, customer=customer.id, error_on_requires_action=True)
    error = error_of(caught)
    assert error["code"] == "payment_intent_action_required"
    assert error["payment_intent"]["status"] == "requires_payment_method"
    twin.advance(twin.now() + 400)
    assert old.v1.payment_intents.retrieve(error["payment_intent"]["id"]).status == "requires_payment_method"
    books(twin)


def test_a_voucher_cannot_be_refunded_by_itself(old: stripe.StripeClient, twin: Twin) -> None:
    intent = start(old, "oxxo", email="succeed_immediately@example.test")
    paid = old.v1.payment_intents.retrieve(intent.id)
    with pytest.raises(stripe.InvalidRequestError):
        old.v1.refunds.create({"payment_intent": paid.id})
    books(twin)


# Approved on a phone


@pytest.mark.parametrize("type", BY_FLOW["notify"])
def test_approved_on_a_phone(old: stripe.StripeClient, twin: Twin, type: str) -> None:
    intent = start(old, type)
    assert intent.status == "requires_action"
    twin.advance(twin.now() + 400)
    assert old.v1.payment_intents.retrieve(intent.id).status == "succeeded"
    refused = start(old, type, email="fail@example.test")
    twin.advance(twin.now() + 400)
    assert old.v1.payment_intents.retrieve(refused.id).status == "requires_payment_method"
    books(twin)


# Link and bank transfers


def test_link(client: stripe.StripeClient, twin: Twin) -> None:
    intent = pay(client, card="pm_link")
    assert intent.status == "succeeded"
    assert charge_of(client, intent).payment_method_details.type == "link"
    books(twin)


def test_bank_transfers(old: stripe.StripeClient, twin: Twin) -> None:
    customer = old.v1.customers.create()
    intent = start(old, "customer_balance", customer=customer.id)
    assert intent.next_action.type == "display_bank_transfer_instructions"
    assert intent.next_action.display_bank_transfer_instructions.amount_remaining == 10_000
    old.v1.test_helpers.customers.fund_cash_balance(customer.id, {"amount": 4000, "currency": "usd"})
    part = old.v1.payment_intents.retrieve(intent.id)
    assert part.status == "requires_action"
    old.v1.test_helpers.customers.fund_cash_balance(customer.id, {"amount": 7000, "currency": "usd"})
    assert old.v1.payment_intents.retrieve(intent.id).status == "succeeded"
    cash = old.v1.customers.cash_balance.retrieve(customer.id).to_dict()
    assert cash["available"] == {"usd": 1000}
    rows = old.v1.customers.cash_balance_transactions.list(customer.id).data
    assert sum(row.net_amount for row in rows) == 1000
    books(twin)


def test_cash_that_is_there_pays_at_once(old: stripe.StripeClient, twin: Twin) -> None:
    customer = old.v1.customers.create()
    old.v1.test_helpers.customers.fund_cash_balance(customer.id, {"amount": 12_000, "currency": "usd"})
    assert start(old, "customer_balance", customer=customer.id).status == "succeeded"
    instructions = old.v1.customers.funding_instructions.create(
        customer.id,
        {"bank_transfer": {"type": "us_bank_transfer"}, "currency": "usd", "funding_type": "bank_transfer"},
    )
    assert instructions.bank_transfer.financial_addresses
    books(twin)


def test_a_payment_by_cash_is_refunded_to_the_cash_balance(old: stripe.StripeClient, twin: Twin) -> None:
    customer = old.v1.customers.create()
    old.v1.test_helpers.customers.fund_cash_balance(customer.id, {"amount": 10_000, "currency": "usd"})
    intent = start(old, "customer_balance", customer=customer.id)
    refund = old.v1.refunds.create({"payment_intent": intent.id, "amount": 4000}).to_dict()
    assert refund["destination_details"] == {"customer_cash_balance": {}, "type": "customer_cash_balance"}
    cash = old.v1.customers.cash_balance.retrieve(customer.id).to_dict()
    assert cash["available"] == {"usd": 4000}
    row = old.v1.customers.cash_balance_transactions.list(customer.id).data[0].to_dict()
    assert (row["type"], row["net_amount"]) == ("refunded_from_payment", 4000)
    assert row["refunded_from_payment"] == {"refund": refund["id"]}
    books(twin)


def test_cash_goes_back_to_the_bank(client: stripe.StripeClient, twin: Twin) -> None:
    customer = client.v1.customers.create()
    client.v1.test_helpers.customers.fund_cash_balance(customer.id, {"amount": 9000, "currency": "usd"})
    back: Any = {"origin": "customer_balance", "customer": customer.id, "currency": "usd"}
    refund = client.v1.refunds.create({**back, "amount": 2000})
    assert (refund.status, refund.charge, refund.pending_reason) == ("pending", None, "processing")
    twin.advance(twin.now() + 181)
    assert client.v1.refunds.retrieve(refund.id).status == "succeeded"
    asked = [
        client.v1.refunds.create({**back, "amount": 1000, "instructions_email": "ada@example.test"})
        for _ in range(3)
    ]
    action = asked[0].to_dict()["next_action"]
    assert (asked[0].status, action["type"]) == ("requires_action", "display_details")
    assert action["display_details"]["email_sent"]["email_sent_to"] == "ada@example.test"
    assert client.v1.refunds.cancel(asked[0].id).status == "canceled"
    assert client.v1.test_helpers.refunds.expire(asked[1].id).status == "failed"
    twin.advance(action["display_details"]["expires_at"])
    assert client.v1.refunds.retrieve(asked[2].id).status == "failed"
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.refunds.cancel(asked[2].id)
    assert client.v1.customers.cash_balance.retrieve(customer.id).to_dict()["available"] == {"usd": 7000}
    rows = client.v1.customers.cash_balance_transactions.list(customer.id).data
    assert [row.type for row in rows] == [
        *["return_canceled"] * 3,
        *["return_initiated"] * 4,
        "funded",
    ]
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.create({**back, "amount": 7001})
    assert error_of(caught)["code"] == "insufficient_funds"
    books(twin)


def test_cash_of_a_canceled_payment_returns(old: stripe.StripeClient, twin: Twin) -> None:
    customer = old.v1.customers.create()
    old.v1.test_helpers.customers.fund_cash_balance(customer.id, {"amount": 4000, "currency": "usd"})
    intent = start(old, "customer_balance", customer=customer.id)
    assert intent.status == "requires_action"
    old.v1.payment_intents.cancel(intent.id)
    row = old.v1.customers.cash_balance_transactions.list(customer.id).data[0].to_dict()
    assert (row["type"], row["ending_balance"]) == ("unapplied_from_payment", 4000)
    assert row["unapplied_from_payment"] == {"payment_intent": intent.id}
    books(twin)


def test_cash_is_applied_by_hand(old: stripe.StripeClient, twin: Twin) -> None:
    """With manual reconciliation money waits until it is applied, in parts or in full."""
    customer = old.v1.customers.create()
    old.v1.customers.cash_balance.update(customer.id, {"settings": {"reconciliation_mode": "manual"}})
    intent = start(old, "customer_balance", customer=customer.id)
    old.v1.test_helpers.customers.fund_cash_balance(customer.id, {"amount": 12_000, "currency": "usd"})
    assert old.v1.payment_intents.retrieve(intent.id).status == "requires_action"
    part = old.v1.payment_intents.apply_customer_balance(intent.id, {"amount": 4000, "currency": "usd"})
    assert part.status == "requires_action"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        old.v1.payment_intents.apply_customer_balance(intent.id, {"amount": 9000, "currency": "usd"})
    assert error_of(caught)["code"] == "insufficient_funds"
    done = old.v1.payment_intents.apply_customer_balance(intent.id)
    assert (done.status, done.amount_received) == ("succeeded", 10_000)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        old.v1.payment_intents.apply_customer_balance(intent.id)
    assert error_of(caught)["code"] == "payment_intent_unexpected_state"
    assert old.v1.customers.cash_balance.retrieve(customer.id).to_dict()["available"] == {"usd": 2000}
    books(twin)
