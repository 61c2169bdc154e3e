"""One scenario for every documented error code that a payment integration can meet.

The list of codes is the contract's. Codes of other parts stand in the tests of those parts; what the twin never answers
with is listed with its reason, so that a new code of the contract makes this fail until somebody has looked at it.
Source: https://docs.stripe.com/error-codes
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import stripe

from tests.twin import sdk
from tests.twin.payments.marketplace import BANK, acting, details, ready
from tests.twin.payments.pay import NO_REDIRECTS, books, error_of, pay
from tests.twin.payments.test_rails import DETAILS, authorise, magic, start
from tests.twin.payments.test_three_d_secure import complete
from trialbalance.contract import load
from trialbalance.twin import Twin
from trialbalance.twin.config import TwinConfig

Act = Callable[["World"], Any]
ALWAYS = "pm_card_threeDSecure2Required"


class World(NamedTuple):
    """A twin, and clients of the newest version, of one that may name types, and of the sources era."""

    twin: Twin
    client: stripe.StripeClient
    old: stripe.StripeClient
    ancient: stripe.StripeClient
    browser: stripe.StripeClient


SCENARIOS: dict[str, Act] = {}


def error(code: str) -> Callable[[Act], Act]:
    """Register what must fail with a code, or answer the code that an object keeps."""

    def register(act: Act) -> Act:
        assert code not in SCENARIOS, code
        SCENARIOS[code] = act
        return act

    return register


def intent(client: stripe.StripeClient, **over: Any) -> Any:
    """An intent that nobody has confirmed."""
    return client.v1.payment_intents.create(
        {"amount": 1000, "currency": "usd", "automatic_payment_methods": NO_REDIRECTS, **over}
    )


def card(**over: Any) -> Any:
    """A card as a browser sends it."""
    return {
        "type": "card",
        "card": {"number": "4242424242424242", "exp_month": 12, "exp_year": 2034, "cvc": "123", **over},
    }


# Requests


@error("parameter_missing")
def _missing(world: World) -> Any:
    return world.client.v1.payment_intents.create({"amount": 1000})  # type: ignore[typeddict-item]


@error("parameter_unknown")
def _unknown(world: World) -> Any:
    return world.client.v1.customers.create({"nickname": "Ada"})  # type: ignore[typeddict-unknown-key]


@error("parameter_invalid_empty")
def _empty(world: World) -> Any:
    return world.client.v1.payment_intents.create({"amount": "", "currency": "usd"})  # type: ignore[typeddict-item]


@error("parameter_invalid_integer")
def _integer(world: World) -> Any:
    return world.client.v1.payment_intents.create({"amount": "ten", "currency": "usd"})  # type: ignore[typeddict-item]


@error("parameters_exclusive")
def _exclusive(world: World) -> Any:
    account = ready(world.client)
    return intent(
        world.client,
        transfer_data={"destination": account.id, "amount": 500},
        application_fee_amount=10,
    )


@error("invalid_characters")
def _characters(world: World) -> Any:
    return intent(world.client, statement_descriptor_suffix="SHOP <1>")


@error("email_invalid")
def _email(world: World) -> Any:
    return world.client.v1.customers.create({"email": "nobody"})


@error("url_invalid")
def _url(world: World) -> Any:
    return intent(world.client, payment_method="pm_card_visa", confirm=True, return_url="shop")


@error("country_code_invalid")
def _country(world: World) -> Any:
    return world.client.v1.customers.create({"address": {"country": "Germany"}})


@error("tax_id_invalid")
def _tax_id(world: World) -> Any:
    customer = world.client.v1.customers.create()
    return world.client.v1.customers.tax_ids.create(customer.id, {"type": "eu_vat", "value": "12"})


@error("resource_missing")
def _resource(world: World) -> Any:
    return world.client.v1.payment_intents.retrieve("pi_no")


@error("resource_already_exists")
def _exists(world: World) -> Any:
    for _ in range(2):
        world.client.v1.radar.value_lists.create({"alias": "vip", "name": "VIP", "item_type": "email"})


@error("secret_key_required")
def _key(world: World) -> Any:
    return world.browser.v1.customers.list()


# Amounts


@error("amount_too_small")
def _small(world: World) -> Any:
    return intent(world.client, amount=49)


@error("amount_too_large")
def _large(world: World) -> Any:
    return intent(world.client, amount=100_000_000)


# Cards


@error("incorrect_number")
def _number(world: World) -> Any:
    return world.browser.v1.payment_methods.create(card(number="4242424242424241"))


@error("invalid_expiry_month")
def _month(world: World) -> Any:
    return world.browser.v1.payment_methods.create(card(exp_month=13))


@error("invalid_expiry_year")
def _year(world: World) -> Any:
    return world.browser.v1.payment_methods.create(card(exp_year=1995))


@error("invalid_cvc")
def _cvc(world: World) -> Any:
    return world.browser.v1.payment_methods.create(card(cvc="99"))


@error("card_declined")
def _declined(world: World) -> Any:
    return pay(world.client, card="pm_card_chargeDeclined")


@error("expired_card")
def _expired(world: World) -> Any:
    return pay(world.client, card="pm_card_chargeDeclinedExpiredCard")


@error("incorrect_cvc")
def _wrong_cvc(world: World) -> Any:
    return pay(world.client, card="pm_card_chargeDeclinedIncorrectCvc")


@error("processing_error")
def _processing(world: World) -> Any:
    return pay(world.client, card="pm_card_chargeDeclinedProcessingError")


@error("authentication_required")
def _off_session(world: World) -> Any:
    return pay(world.client, card=ALWAYS, off_session=True)


@error("token_already_used")
def _token(world: World) -> Any:
    token = world.browser.v1.tokens.create({"card": card()["card"]})
    for _ in range(2):
        world.client.v1.payment_methods.create({"type": "card", "card": {"token": token.id}})


# PaymentIntents and SetupIntents


@error("payment_intent_unexpected_state")
def _state(world: World) -> Any:
    return world.client.v1.payment_intents.capture(pay(world.client).id)


@error("payment_intent_authentication_failure")
def _authentication(world: World) -> Any:
    made = pay(world.client, card=ALWAYS)
    complete(world.twin, made, "failed")
    return _last(world, made)


@error("payment_intent_action_required")
def _action(world: World) -> Any:
    return start(world.old, "ideal", error_on_requires_action=True)


@error("payment_intent_incompatible_payment_method")
def _incompatible(world: World) -> Any:
    return world.client.v1.payment_intents.create(
        {"amount": 1000, "currency": "usd", "allowed_payment_method_types": ["ideal"]}
    )


@error("payment_intent_mandate_invalid")
def _mandate(world: World) -> Any:
    return start(world.old, "sepa_debit", mandate_data="")


@error("payment_intent_payment_attempt_failed")
def _attempt_failed(world: World) -> Any:
    return _last(world, magic(world.old, "sepa_debit", "pm_sepaDebit_failed_de"))


@error("payment_intent_payment_attempt_expired")
def _attempt_expired(world: World) -> Any:
    return _last(world, start(world.old, "oxxo", email="expire_immediately@example.test"))


@error("payment_method_customer_decline")
def _customer_declined(world: World) -> Any:
    made = start(world.old, "klarna")
    authorise(world.twin, made, "failed")
    return _last(world, made)


@error("setup_intent_unexpected_state")
def _setup_state(world: World) -> Any:
    made = world.client.v1.setup_intents.create()
    for _ in range(2):
        world.client.v1.setup_intents.cancel(made.id)


@error("setup_intent_authentication_failure")
def _setup_authentication(world: World) -> Any:
    made = world.client.v1.setup_intents.create(
        {"payment_method": ALWAYS, "confirm": True, "automatic_payment_methods": NO_REDIRECTS}
    )
    complete(world.twin, made, "failed")
    return (world.client.v1.setup_intents.retrieve(made.id).to_dict()["last_setup_error"] or {}).get("code")


@error("setup_intent_mandate_invalid")
def _setup_mandate(world: World) -> Any:
    return world.old.v1.setup_intents.create(
        {
            "payment_method_types": ["sepa_debit"],
            "payment_method_data": {
                "type": "sepa_debit",
                "sepa_debit": {"iban": DETAILS["sepa_debit"]["iban"]},
                "billing_details": {"name": "Ada", "email": "ada@example.test"},
            },
            "confirm": True,
        }
    )


def _last(world: World, made: Any) -> str | None:
    """The code that an intent keeps of its last attempt."""
    found = world.client.v1.payment_intents.retrieve(made.id).to_dict()["last_payment_error"] or {}
    return found.get("code")


# Bank accounts


@error("intent_invalid_state")
def _deposits_state(world: World) -> Any:
    return world.client.v1.payment_intents.verify_microdeposits(
        intent(world.client).id, {"amounts": [32, 45]}
    )


def deposits(world: World, **proof: Any) -> Any:
    """The answer to what was seen on the statement."""
    made = start(world.old, "us_bank_account")
    return world.old.v1.payment_intents.verify_microdeposits(made.id, proof)  # type: ignore[arg-type]


for _proof, _code in (
    ({"amounts": [1, 2]}, "amounts_mismatch"),
    ({"amounts": [32]}, "amounts_invalid"),
    ({"amounts": [10, 11]}, "attempts_exceeded"),
    ({"descriptor_code": "SM00AA"}, "descriptor_code_mismatch"),
    ({"amounts": [40, 41]}, "timeout"),
):
    error(f"payment_method_microdeposit_verification_{_code}")(
        lambda world, proof=_proof: deposits(world, **proof)  # type: ignore[misc]
    )


@error("payment_method_microdeposit_failed")
def _deposits_failed(world: World) -> Any:
    bank = {**DETAILS["us_bank_account"], "account_number": "000666666661"}
    return start(world.old, "us_bank_account", details=bank)


def failed_debit(name: str) -> Act:
    """The failure code of the charge of a debit by a test account."""

    def act(world: World) -> Any:
        made = magic(world.old, "us_bank_account", f"pm_usBankAccount_{name}")
        ended = world.old.v1.payment_intents.retrieve(made.id)
        return world.old.v1.charges.retrieve(str(ended.latest_charge)).failure_code

    return act


for _name, _code in (
    ("accountClosed", "account_closed"),
    ("noAccount", "no_account"),
    ("insufficientFunds", "insufficient_funds"),
    ("debitNotAuthorized", "debit_not_authorized"),
):
    error(_code)(failed_debit(_name))


@error("charge_exceeds_source_limit")
def _limit(world: World) -> Any:
    with pytest.raises(stripe.CardError) as caught:
        magic(world.old, "sepa_debit", "pm_sepaDebit_exceedsWeeklyVolumeLimit_de")
    return world.old.v1.charges.retrieve(error_of(caught)["charge"]).failure_code


@error("account_number_invalid")
def _account_number(world: World) -> Any:
    return world.client.v1.tokens.create({"bank_account": {**_bank(), "account_number": "1"}})


@error("routing_number_invalid")
def _routing_number(world: World) -> Any:
    return world.client.v1.tokens.create({"bank_account": {**_bank(), "routing_number": "12"}})


def _bank() -> Any:
    return {name: value for name, value in BANK.items() if name != "object"}


def _saved_bank(world: World) -> tuple[str, str]:
    """A customer of the sources era with a bank account that is not verified."""
    customer = world.ancient.v1.customers.create().id
    token = world.ancient.v1.tokens.create({"bank_account": _bank()})
    return customer, str(world.ancient.v1.customers.payment_sources.create(customer, {"source": token.id}).id)


@error("bank_account_exists")
def _bank_twice(world: World) -> Any:
    customer, _ = _saved_bank(world)
    token = world.ancient.v1.tokens.create({"bank_account": _bank()})
    return world.ancient.v1.customers.payment_sources.create(customer, {"source": token.id})


@error("bank_account_unverified")
def _unverified(world: World) -> Any:
    customer, bank = _saved_bank(world)
    return world.ancient.v1.charges.create(
        {"amount": 1000, "currency": "usd", "customer": customer, "source": bank}
    )


@error("bank_account_verification_failed")
def _not_verified(world: World) -> Any:
    customer, bank = _saved_bank(world)
    answer = world.twin.request(
        "POST",
        f"/v1/customers/{customer}/sources/{bank}/verify",
        form={"amounts": [1, 2]},
        version="2019-02-11",
    )
    return answer.json()["error"]["code"]


# Charges and refunds


@error("missing")
def _nothing_saved(world: World) -> Any:
    customer = world.client.v1.customers.create()
    return world.client.v1.charges.create({"amount": 1000, "currency": "usd", "customer": customer.id})


@error("invalid_source_usage")
def _consumed(world: World) -> Any:
    source = world.ancient.v1.sources.create({"type": "card", "token": "tok_visa", "usage": "single_use"})
    for _ in range(2):
        world.ancient.v1.charges.create({"amount": 1000, "currency": "usd", "source": source.id})


@error("charge_already_captured")
def _captured(world: World) -> Any:
    return world.client.v1.charges.capture(str(pay(world.client).latest_charge))


@error("charge_expired_for_capture")
def _too_late(world: World) -> Any:
    charge = world.ancient.v1.charges.create(
        {"amount": 1000, "currency": "usd", "source": "tok_visa", "capture": False}
    )
    world.twin.advance(world.twin.now() + 8 * 86_400)
    return world.ancient.v1.charges.capture(charge.id)


@error("charge_already_refunded")
def _refunded(world: World) -> Any:
    charge = str(pay(world.client).latest_charge)
    for _ in range(2):
        world.client.v1.refunds.create({"charge": charge})


@error("charge_disputed")
def _disputed(world: World) -> Any:
    made = pay(world.client, card="pm_card_createDispute")
    return world.client.v1.refunds.create({"charge": made.latest_charge})


@error("charge_invalid_parameter")
def _failed_charge(world: World) -> Any:
    with pytest.raises(stripe.CardError) as caught:
        pay(world.client, card="pm_card_chargeDeclined")
    return world.client.v1.refunds.create({"charge": error_of(caught)["charge"]})


@error("charge_not_refundable")
def _pending_charge(world: World) -> Any:
    made = magic(world.old, "sepa_debit", "pm_sepaDebit_successDelayed_de")
    return world.old.v1.refunds.create({"charge": str(made.latest_charge)})


# Connect, payouts, taxes


@error("account_invalid")
def _account(world: World) -> Any:
    return world.client.v1.accounts.retrieve("acct_no")


@error("account_country_invalid_address")
def _business_abroad(world: World) -> Any:
    return world.client.v1.accounts.create(
        {
            "type": "custom",
            "country": "US",
            "business_type": "company",
            "company": {"address": {"line1": "1 Main", "city": "Berlin", "country": "DE"}},
        }
    )


@error("country_unsupported")
def _no_accounts_there(world: World) -> Any:
    return world.client.v1.accounts.create({"type": "custom", "country": "KP"})


@error("invalid_card_type")
def _credit_card(world: World) -> Any:
    account = ready(world.client)
    return world.client.v1.accounts.external_accounts.create(account.id, {"external_account": "tok_visa"})


@error("balance_insufficient")
def _poor(world: World) -> Any:
    return world.client.v1.payouts.create({"amount": 100, "currency": "usd"})


@error("payouts_not_allowed")
def _not_ready(world: World) -> Any:
    account = world.client.v1.accounts.create(
        details(business_profile={"name": "Rosen Goods", "url": "https://accessible.stripe.com"})
    )
    return acting(world.twin, account).v1.payouts.create({"amount": 100, "currency": "usd"})


@error("instant_payouts_unsupported")
def _slow_card(world: World) -> Any:
    account = ready(world.client)
    there = acting(world.twin, account)
    pay(there, 50_000, card="pm_card_bypassPending")
    slow = world.client.v1.accounts.external_accounts.create(
        account.id, {"external_account": "tok_visa_debit_us_instantPayoutUnsupported"}
    )
    return there.v1.payouts.create(
        {"amount": 10_000, "currency": "usd", "method": "instant", "destination": slow.id}
    )


@error("stripe_tax_inactive")
def _no_head_office(world: World) -> Any:
    return world.client.v1.tax.calculations.create(
        {
            "currency": "usd",
            "line_items": [{"amount": 100, "reference": "tea"}],
            "customer_details": {"address": {"country": "US"}, "address_source": "billing"},
        }
    )


@error("customer_tax_location_invalid")
def _no_place(world: World) -> Any:
    world.client.v1.tax.settings.update(
        {
            "head_office": {"address": {"country": "US", "state": "CA", "postal_code": "94107"}},
            "defaults": {"tax_code": "txcd_10000000", "tax_behavior": "exclusive"},
        }
    )
    return world.client.v1.tax.calculations.create(
        {
            "currency": "usd",
            "line_items": [{"amount": 100, "reference": "tea"}],
            "customer_details": {
                "address": {"country": "US", "postal_code": ""},
                "address_source": "billing",
            },
        }
    )


@pytest.mark.parametrize("code", sorted(SCENARIOS))
def test_an_error(code: str) -> None:
    twin = Twin(config=TwinConfig(seed=1, clock=1_767_225_600, frozen=True))
    world = World(
        twin,
        sdk.client(twin),
        sdk.client(twin, version="2024-06-20"),
        sdk.client(twin, version="2019-02-11"),
        sdk.client(twin, key=twin.publishable_key),
    )
    try:
        kept = SCENARIOS[code](world)
    except stripe.StripeError as caught:
        told: dict[str, Any] = caught.json_body["error"]  # type: ignore[index]
        assert told["code"] == code, caught
        assert told["doc_url"] == f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}"
    else:
        assert kept == code
    books(twin)


# Completeness

ELSEWHERE = {
    "api_key_expired": "wire/test_keys.py",
    "idempotency_key_in_use": "wire/test_idempotency.py",
    "invalid_canceled_subscription_fields": "billing/test_recorded_subscriptions.py",
    "invoice_upcoming_none": "billing/test_upcoming_invoices.py",
    "lock_timeout": "test_server.py",
    "rate_limit": "test_server.py",
}
"""Codes that other tests show, and where."""
BILLING = """
    billing_invalid_mandate invoice_no_customer_line_items invoice_no_payment_method_types
    invoice_no_subscription_line_items invoice_not_editable invoice_on_behalf_of_not_editable
    invoice_payment_intent_requires_action service_period_coupon_with_metered_tiered_item_unsupported
    subscription_update_trial_after_billing_cycle_anchor customer_max_subscriptions coupon_expired
"""
"""Codes of invoices and subscriptions, which are in the care of the tests of billing."""
NOT_ANSWERED = {
    "of products that are not built": """
        cardholder_phone_number_required financial_account_balance_does_not_support_currency
        financial_account_capability_not_enabled financial_account_capability_restricted
        financial_connections_account_inactive financial_connections_account_pending_account_numbers
        financial_connections_account_unavailable_account_numbers financial_connections_consent_locale_invalid
        financial_connections_consent_locale_unsupported financial_connections_no_successful_transaction_refresh
        forwarding_api_inactive forwarding_api_invalid_parameter forwarding_api_retryable_upstream_error
        forwarding_api_upstream_connection_error forwarding_api_upstream_connection_timeout
        forwarding_api_upstream_error payment_evaluation_on_api_version_not_supported
        progressive_onboarding_limit_exceeded return_intent_already_processed storer_capability_missing
        storer_capability_not_active terminal_location_country_unsupported terminal_reader_busy
        terminal_reader_hardware_fault terminal_reader_invalid_location_for_activation
        terminal_reader_invalid_location_for_payment terminal_reader_offline terminal_reader_timeout
        three_d_secure_authentication_not_supported three_d_secure_authentication_upstream_error
        anomalous_money_movement_request approval_required smart_disputes_not_available
    """,
    "of things that are gone: orders, SKUs, Bitcoin, the old Alipay": """
        alipay_upgrade_required bitcoin_upgrade_required out_of_inventory product_inactive shipping_calculation_failed
        sku_inactive status_transition_invalid
    """,
    "of live mode, of accounts that are not activated, or of the connection": """
        livemode_mismatch payment_method_invalid_parameter_testmode platform_account_required platform_api_key_expired
        testmode_charges_only tls_version_unsupported
    """,
    "of banks, providers and networks, and no test value makes them do it": """
        acss_debit_session_incomplete bank_account_declined bank_account_restricted bank_account_unusable
        card_decline_rate_limit_exceeded charge_exceeds_transaction_limit expired_payment_method
        india_recurring_payment_mandate_canceled payment_method_bank_account_blocked
        payment_method_microdeposit_processing_error payment_method_not_available payment_method_provider_decline
        payment_method_provider_timeout payment_method_restricted refer_to_customer sepa_unsupported_account
        setup_attempt_failed token_card_network_invalid
    """,
    "of settings, limits and permissions that a test account does not have": """
        action_blocked application_fees_not_allowed capability_not_active customer_max_payment_methods
        dispute_evidence_page_limit_exceeded instant_payouts_config_disabled instant_payouts_currency_disabled
        instant_payouts_limit_exceeded not_allowed_on_standard_account ownership_declaration_not_allowed
        payment_intent_rate_limit_exceeded payment_method_configuration_failures payment_method_unactivated
        payouts_limit_exceeded request_blocked transfers_not_allowed
    """,
    "only where Radar's rules ask for it": "incorrect_address incorrect_postal_code incorrect_zip",
    "answered with a more special code or, as recorded, with none": """
        authentication_failure balance_invalid_parameter bank_account_bad_routing_numbers
        capture_charge_authorization_expired capture_unauthorized_payment clearing_code_unsupported
        customer_session_expired intent_verification_method_missing invalid_charge_amount
        invalid_mandate_reference_prefix_format invalid_number invalid_tax_location parameter_invalid_string_blank
        parameter_invalid_string_empty payment_intent_invalid_parameter
        payment_intent_konbini_rejected_confirmation_number payment_method_bank_account_already_verified
        payment_method_billing_details_address_missing payment_method_currency_mismatch
        payment_method_invalid_parameter payment_method_unexpected_state payment_method_unsupported_type
        payout_reconciliation_not_ready postal_code_invalid refund_disputed_payment setup_intent_invalid_parameter
        setup_intent_mobile_wallet_unsupported setup_intent_setup_attempt_expired shipping_address_invalid
        siret_invalid state_unsupported tax_id_prohibited token_in_use transfer_source_balance_parameters_mismatch
        account_error_country_change_requires_additional_steps account_information_mismatch
        account_token_required_for_v2_account failed_tax_calculation taxes_calculation_failed
    """,
}
"""Codes of the contract that the twin never answers with, by the reason."""


def test_every_code_is_shown_or_has_a_reason() -> None:
    documented = _codes(load().objects["payment_intent"]["last_payment_error"])
    reasons = [code for codes in NOT_ANSWERED.values() for code in codes.split()]
    told = [*SCENARIOS, *ELSEWHERE, *BILLING.split(), *reasons]
    assert len(told) == len(set(told)), sorted(code for code in set(told) if told.count(code) > 1)
    assert set(told) - documented == set()
    assert documented - set(told) == set()


def _codes(node: Any) -> set[str]:
    """The values of the error code in the contract's type of an error."""
    while "object" not in node:
        node = node["null"]
    code = node["object"]["code"]
    return set(code["null"]["enum"] if "null" in code else code["enum"])


@pytest.mark.parametrize("code", sorted(ELSEWHERE))
def test_other_codes_are_shown_where_it_says(code: str) -> None:
    assert code in (Path(__file__).parents[1] / ELSEWHERE[code]).read_text(encoding="utf-8")


@pytest.mark.parametrize("code", sorted(code for codes in NOT_ANSWERED.values() for code in codes.split()))
def test_what_is_not_answered_is_nowhere_in_the_code(code: str) -> None:
    for module in (Path(__file__).parents[3] / "src" / "trialbalance" / "twin").rglob("*.py"):
        assert f'"{code}"' not in module.read_text(encoding="utf-8"), module
