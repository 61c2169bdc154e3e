"""The published table of test cards, row by row."""

from __future__ import annotations

import pytest
import stripe

from tests.twin.payments.pay import error_of, pay
from trialbalance.twin import Twin
from trialbalance.twin.cards import network
from trialbalance.twin.cards.declines import DECLINES
from trialbalance.twin.cards.table import CARDS, NAMES, TestCard

PAYS = sorted(
    name
    for name, number in NAMES.items()
    if CARDS[number].decline is None
    and CARDS[number].authentication in ("unenrolled", "unsupported", "on_request")
)
DECLINES_AT_CHARGE = sorted(
    name
    for name, number in NAMES.items()
    if CARDS[number].decline is not None
    and (CARDS[number].authentication == "unenrolled" or CARDS[number].lookup_error)
)
CHALLENGES = sorted(
    name
    for name, number in NAMES.items()
    if CARDS[number].authentication in ("always", "unless_set_up", "set_up")
    and not CARDS[number].lookup_error
)


@pytest.mark.parametrize("number", sorted(CARDS))
def test_every_number_is_a_card_number(number: str) -> None:
    assert network.luhn(number)
    assert network.identify(number) is CARDS[number]


@pytest.mark.parametrize("number", sorted(CARDS))
def test_every_number_makes_its_payment_method(number: str, browser_client: stripe.StripeClient) -> None:
    """What a browser may type: the method shows what the table says, and nothing is checked before a charge."""
    card = CARDS[number]
    method = browser_client.v1.payment_methods.create(
        {"type": "card", "card": {"number": number, "exp_month": 12, "exp_year": 2034, "cvc": "123"}}
    )
    shown = method.to_dict()["card"]
    assert (shown["brand"], shown["country"], shown["funding"], shown["last4"]) == (
        card.brand,
        card.country,
        card.funding,
        card.last4,
    )
    assert shown["networks"]["available"] == list(card.networks or (card.brand,))
    assert shown["checks"]["cvc_check"] == "unchecked"
    assert shown["three_d_secure_usage"] == {"supported": card.authentication != "unsupported"}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_token_is_its_card(name: str, client: stripe.StripeClient) -> None:
    """`tok_visa` and its like are used again and again, and are the cards of `pm_card_visa` and its like."""
    card = CARDS[NAMES[name]]
    token = client.v1.tokens.retrieve(f"tok_{name}").to_dict()
    assert (token["id"], token["type"], token["used"]) == (f"tok_{name}", "card", False)
    assert (token["card"]["last4"], token["card"]["funding"]) == (card.last4, card.funding)
    for _ in range(2):
        method = client.v1.payment_methods.create({"type": "card", "card": {"token": f"tok_{name}"}})
        assert method.card is not None
        assert (method.card.brand, method.card.last4, method.card.country) == (
            card.brand,
            card.last4,
            card.country,
        )
    outcome = _outcome(client, method.id)
    assert outcome == _outcome(client, f"pm_card_{name}")


def _outcome(client: stripe.StripeClient, method: str) -> tuple[str, str | None]:
    """How a payment with a method ends: the intent's status and the refusal's code."""
    try:
        return str(pay(client, 2000, method).status), None
    except stripe.CardError as error:
        return str(error.json_body["error"]["payment_intent"]["status"]), error.code


def test_the_published_names_are_all_there() -> None:
    published = (
        "visa visa_debit mastercard mastercard_debit mastercard_prepaid amex discover diners jcb "
        "unionpay visa_chargeDeclined visa_chargeDeclinedInsufficientFunds "
        "visa_chargeDeclinedLostCard visa_chargeDeclinedStolenCard chargeDeclinedExpiredCard "
        "chargeDeclinedIncorrectCvc chargeDeclinedProcessingError "
        "visa_chargeDeclinedVelocityLimitExceeded chargeCustomerFail radarBlock riskLevelHighest "
        "riskLevelElevated cvcCheckFail avsZipFail avsLine1Fail avsFail avsUnchecked createDispute "
        "createDisputeProductNotReceived createDisputeInquiry createIssuerFraudRecord "
        "createMultipleDisputes createCe3EligibleDispute createComplianceDispute pendingRefund "
        "refundFail bypassPending bypassPendingInternational authenticationRequiredOnSetup "
        "authenticationRequired authenticationRequiredSetupForOffSession "
        "authenticationRequiredChargeDeclinedInsufficientFunds threeDSecure2Required "
        "threeDSecureRequiredChargeDeclined threeDSecureRequiredProcessingError threeDSecureOptional "
        "threeDSecureOptionalProcessingError amex_threeDSecureNotSupported us gb jp br de in"
    )
    assert set(published.split()) <= set(NAMES)


@pytest.mark.parametrize("name", PAYS)
def test_cards_that_pay(name: str, client: stripe.StripeClient) -> None:
    intent = pay(client, 2000, f"pm_card_{name}", expand=["latest_charge"])
    card = CARDS[NAMES[name]]
    assert intent.status == "succeeded"
    details = intent.latest_charge.payment_method_details.card
    assert (details.brand, details.country, details.funding, details.last4) == (
        card.brand,
        card.country,
        card.funding,
        card.last4,
    )
    assert intent.latest_charge.outcome.risk_level == card.risk


@pytest.mark.parametrize("name", DECLINES_AT_CHARGE)
def test_cards_that_decline(name: str, client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.CardError) as caught:
        pay(client, 2000, f"pm_card_{name}")
    error = error_of(caught)
    card = CARDS[NAMES[name]]
    decline = DECLINES[str(card.decline)]
    for field, value in decline.error().items():
        assert error[field] == value
    assert error["charge"].startswith("ch_")
    intent = client.v1.payment_intents.retrieve(error["payment_intent"]["id"])
    assert intent.status == "requires_payment_method"
    assert intent.payment_method is None
    assert intent.last_payment_error is not None
    assert intent.last_payment_error.code == decline.code
    charge = client.v1.charges.retrieve(error["charge"])
    assert (charge.status, charge.paid, charge.failure_code) == ("failed", False, decline.code)
    assert charge.outcome is not None
    assert charge.outcome.type == ("blocked" if decline.blocked else "issuer_declined")


@pytest.mark.parametrize("name", CHALLENGES)
def test_cards_that_ask_for_authentication(name: str, client: stripe.StripeClient) -> None:
    intent = pay(client, 2000, f"pm_card_{name}")
    assert intent.status == "requires_action"
    assert intent.next_action.type == "use_stripe_sdk"
    assert intent.latest_charge is None


@pytest.mark.parametrize("name", sorted(n for n, c in NAMES.items() if not CARDS[c].attaches))
def test_declined_cards_cannot_be_attached(name: str, client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create()
    with pytest.raises(stripe.CardError) as caught:
        client.v1.payment_methods.attach(f"pm_card_{name}", {"customer": customer.id})
    error = error_of(caught)
    assert error["code"] == DECLINES[str(CARDS[NAMES[name]].decline)].code
    assert error["param"] == ""
    assert client.v1.payment_methods.list({"customer": customer.id}).data == []


@pytest.mark.parametrize(
    "name",
    ["chargeCustomerFail", "visa_chargeCustomerFailLostCard", "visa_chargeCustomerFailStolenCard"],
)
def test_decline_after_attaching(name: str, client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create()
    method = client.v1.payment_methods.attach(f"pm_card_{name}", {"customer": customer.id})
    assert method.customer == customer.id
    with pytest.raises(stripe.CardError):
        pay(client, 2000, method.id, customer=customer.id, off_session=True)


@pytest.mark.parametrize("name", ["visa", "amex", "mastercard_prepaid", "jp", "gb_debit"])
def test_tokens_and_names_are_the_same_card(name: str, client: stripe.StripeClient) -> None:
    token = client.v1.payment_methods.create({"type": "card", "card": {"token": f"tok_{name}"}})
    customer = client.v1.customers.create()
    named = client.v1.payment_methods.attach(f"pm_card_{name}", {"customer": customer.id})
    assert token.card is not None and named.card is not None
    assert token.card.fingerprint == named.card.fingerprint
    assert token.card.checks is not None and token.card.checks.cvc_check == "unchecked"
    assert named.card.checks is not None and named.card.checks.cvc_check == "pass"


def test_fingerprints_differ_between_accounts() -> None:
    assert network.fingerprint("4242424242424242", Twin(seed=1).account) != network.fingerprint(
        "4242424242424242", Twin(seed=2).account
    )


@pytest.mark.parametrize(
    ("card", "line1", "postal", "cvc"),
    [
        ("4242424242424242", "pass", "pass", "pass"),
        ("4000000000000010", "fail", "fail", "pass"),
        ("4000000000000028", "fail", "pass", "pass"),
        ("4000000000000036", "pass", "fail", "pass"),
        ("4000000000000044", "unavailable", "unavailable", "pass"),
        ("4000000000000101", "pass", "pass", "fail"),
    ],
)
def test_checks_of_what_was_given(
    card: str, line1: str, postal: str, cvc: str, client: stripe.StripeClient
) -> None:
    method = client.v1.payment_methods.create(
        {
            "type": "card",
            "card": {"number": card, "exp_month": 12, "exp_year": 2034, "cvc": "123"},
            "billing_details": {"address": {"line1": "1 Main St", "postal_code": "12345"}},
        }
    )
    intent = pay(client, 2000, method.id, expand=["latest_charge"])
    checks = intent.latest_charge.payment_method_details.card.checks
    assert (checks.address_line1_check, checks.address_postal_code_check, checks.cvc_check) == (
        line1,
        postal,
        cvc,
    )


def test_without_a_security_code_it_is_not_checked(client: stripe.StripeClient) -> None:
    method = client.v1.payment_methods.create(
        {"type": "card", "card": {"number": "4000000000000127", "exp_month": 12, "exp_year": 2034}}
    )
    assert pay(client, 2000, method.id).status == "succeeded"


@pytest.mark.parametrize(
    ("change", "code", "param"),
    [
        ({"number": "4242424242424241"}, "incorrect_number", "number"),
        ({"number": "4242"}, "incorrect_number", "number"),
        ({"number": "4539578763621486"}, "card_declined", "number"),
        ({"exp_month": 13}, "invalid_expiry_month", "exp_month"),
        ({"exp_year": 1995}, "invalid_expiry_year", "exp_year"),
        ({"exp_year": 2025}, "invalid_expiry_year", "exp_year"),
        ({"cvc": "99"}, "invalid_cvc", "cvc"),
    ],
)
def test_invalid_data(
    change: dict[str, object], code: str, param: str, browser_client: stripe.StripeClient
) -> None:
    card = {"number": "4242424242424242", "exp_month": 12, "exp_year": 2034, "cvc": "123", **change}
    with pytest.raises(stripe.CardError) as caught:
        browser_client.v1.payment_methods.create({"type": "card", "card": card})  # type: ignore[typeddict-item]
    assert error_of(caught)["code"] == code
    assert error_of(caught)["param"] == param


def test_a_card_is_what_the_table_says() -> None:
    card = CARDS["378282246310005"]
    assert isinstance(card, TestCard)
    assert (card.brand, card.authentication) == ("amex", "unsupported")
    network.check_cvc("1234", card.brand)


@pytest.mark.parametrize("number", sorted(n for n, card in CARDS.items() if card.captcha))
@pytest.mark.parametrize("outcome", ["succeeded", "failed"])
def test_a_puzzle_before_the_payment(
    number: str, outcome: str, client: stripe.StripeClient, twin: Twin
) -> None:
    """Confirmed in a browser, the customer has to answer first; confirmed on the server, nobody is asked."""
    intent = client.v1.payment_intents.create({"amount": 2000, "currency": "usd"})
    form = {
        "client_secret": intent.client_secret,
        "payment_method_data": {
            "type": "card",
            "card": {"number": number, "exp_month": 12, "exp_year": 34, "cvc": "123"},
        },
        "return_url": "https://shop.example/done",
    }
    asked = twin.request(
        "POST", f"/v1/payment_intents/{intent.id}/confirm", form=form, key=twin.publishable_key
    ).json()
    assert asked["status"] == "requires_action"
    action = asked["next_action"]["use_stripe_sdk"]
    assert (asked["next_action"]["type"], action["type"]) == (
        "use_stripe_sdk",
        "intent_confirmation_challenge",
    )
    twin.request(
        "POST",
        "/v1/3ds2/challenge_complete",
        form={
            "source": action["three_d_secure_2_source"],
            "client_secret": intent.client_secret,
            "outcome": outcome,
        },
        key=twin.publishable_key,
    )
    ended = client.v1.payment_intents.retrieve(intent.id, {"expand": ["latest_charge"]})
    if outcome == "failed":
        assert (ended.status, ended.latest_charge) == ("requires_payment_method", None)
        return
    assert ended.status == "succeeded"
    charge = ended.to_dict()["latest_charge"]
    assert charge["payment_method_details"]["card"]["three_d_secure"] is None
    server = client.v1.payment_methods.create(
        {"type": "card", "card": {"number": number, "exp_month": 12, "exp_year": 2034, "cvc": "123"}}
    )
    assert pay(client, 2000, server.id).status == "succeeded"
