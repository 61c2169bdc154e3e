"""The published test cards: what each number is and how it behaves.

Every number has its `pm_card_…` and `tok_…` names. Behaviours are read by `network`, `resources/disputes`,
`resources/refunds` and `resources/balance_transactions`.
Source: https://docs.stripe.com/testing
"""

from __future__ import annotations

from dataclasses import dataclass

from trialbalance.twin.cards import payouts
from trialbalance.twin.cards.countries import BY_COUNTRY


@dataclass(frozen=True, slots=True)
class TestCard:
    """One test number.

    Attributes:
        decline: how every charge is declined (a key of `declines.DECLINES`).
        attaches: whether it can be attached to a customer although charges are declined.
        authentication: when 3-D Secure is demanded: "never" asked for although supported (`unenrolled`),
            "on_request" (only when the merchant asks), "unless_set_up" and "set_up" (off-session payments pass once
            set up, or always), "always", or "unsupported".
        lookup_error: 3-D Secure itself fails with a processing error.
        cvc_fails, line1, postal: what the issuer's checks answer when the data is given.
        risk: Radar's level. dispute: what happens to a paid charge. refund: "pending" or "failed" later.
        bypass_pending: funds are available at once. captcha: a browser's confirmation asks the customer for a
            puzzle first.
        trigger: what a charge does to the connected account it is for: "next_requirements", "charge_block",
            "payout_block".
    """

    __test__ = False

    number: str
    brand: str
    country: str = "US"
    funding: str = "credit"
    decline: str | None = None
    attaches: bool = True
    authentication: str = "unenrolled"
    lookup_error: bool = False
    cvc_fails: bool = False
    line1: str = "pass"
    postal: str = "pass"
    risk: str = "normal"
    dispute: str | None = None
    refund: str | None = None
    bypass_pending: bool = False
    captcha: bool = False
    networks: tuple[str, ...] = ()
    product: str | None = None
    trigger: str | None = None

    @property
    def last4(self) -> str:
        """The last four digits."""
        return self.number[-4:]


def _visa(number: str, **behaviour: object) -> TestCard:
    return TestCard(number, "visa", **behaviour)  # type: ignore[arg-type]


def _declined(number: str, decline: str) -> TestCard:
    return TestCard(number, "visa", decline=decline, attaches=False)


_ROWS: tuple[tuple[TestCard, tuple[str, ...]], ...] = (
    # By brand
    (_visa("4242424242424242"), ("visa",)),
    (_visa("4012888888881881"), ()),
    (_visa("4111111111111111"), ()),
    (_visa("4000056655665556", funding="debit"), ("visa_debit",)),
    (TestCard("5555555555554444", "mastercard"), ("mastercard",)),
    (TestCard("2223003122003222", "mastercard"), ()),
    (TestCard("5200828282828210", "mastercard", funding="debit"), ("mastercard_debit",)),
    (TestCard("5105105105105100", "mastercard", funding="prepaid"), ("mastercard_prepaid",)),
    (
        TestCard("378282246310005", "amex", authentication="unsupported"),
        ("amex", "amex_threeDSecureNotSupported"),
    ),
    (TestCard("371449635398431", "amex", authentication="unsupported"), ()),
    (TestCard("6011111111111117", "discover"), ("discover",)),
    (TestCard("6011000990139424", "discover"), ()),
    (TestCard("6011981111111113", "discover", funding="debit"), ()),
    (TestCard("3056930009020004", "diners"), ("diners",)),
    (TestCard("30569309025904", "diners"), ()),
    (TestCard("38520000023237", "diners"), ()),
    (TestCard("36227206271667", "diners"), ()),
    (TestCard("6555900000604105", "discover"), ()),
    (TestCard("3566002020360505", "jcb", "JP"), ("jcb",)),
    (TestCard("3530111333300000", "jcb", "JP"), ()),
    (TestCard("6200000000000005", "unionpay", "CN"), ("unionpay",)),
    (TestCard("6200000000000047", "unionpay", "CN", funding="debit"), ()),
    (TestCard("6205500000000000004", "unionpay", "CN"), ()),
    (_visa("4000002500001001", country="FR", networks=("cartes_bancaires", "visa")), ("visa_cartesBancaires",)),
    (
        TestCard("5555552500001001", "mastercard", "FR", networks=("cartes_bancaires", "mastercard")),
        ("mastercard_cartesBancaires",),
    ),
    (
        _visa("4000050360000001", country="AU", funding="debit", networks=("eftpos_au", "visa")),
        ("visa_debit_eftposAuCoBranded",),
    ),
    (
        TestCard("5555050360000080", "mastercard", "AU", "debit", networks=("eftpos_au", "mastercard")),
        ("mastercard_debit_eftposAuCoBranded",),
    ),
    (TestCard("5062210000000009", "unknown", "MX"), ()),
    (
        _visa("4000051230000072", funding="debit", product="hsa_fsa"),
        ("debit_visaFsaProductCode", "debit_visaHsaProductCode"),
    ),
    (
        TestCard("5200828282828897", "mastercard", funding="debit", product="fsa"),
        ("mastercard_debit_mastercardFsaProductCode",),
    ),
    # Declined payments
    (_declined("4000000000000002", "generic_decline"), ("visa_chargeDeclined", "chargeDeclined")),
    (
        _declined("4000000000009995", "insufficient_funds"),
        ("visa_chargeDeclinedInsufficientFunds", "chargeDeclinedInsufficientFunds",
         "visa_debit_chargeDeclinedInsufficientFunds"),
    ),
    (_declined("4000000000009987", "lost_card"), ("visa_chargeDeclinedLostCard", "chargeDeclinedLostCard")),
    (_declined("4000000000009979", "stolen_card"), ("visa_chargeDeclinedStolenCard", "chargeDeclinedStolenCard")),
    (
        _declined("4000000000000069", "expired_card"),
        ("chargeDeclinedExpiredCard", "visa_chargeDeclinedExpiredCard"),
    ),
    (
        _declined("4000000000000127", "incorrect_cvc"),
        ("chargeDeclinedIncorrectCvc", "visa_chargeDeclinedIncorrectCvc"),
    ),
    (
        _declined("4000000000000119", "processing_error"),
        ("chargeDeclinedProcessingError", "visa_chargeDeclinedProcessingError"),
    ),
    (
        _declined("4000000000006975", "card_velocity_exceeded"),
        ("visa_chargeDeclinedVelocityLimitExceeded", "chargeDeclinedVelocityLimitExceeded"),
    ),
    (
        _visa("4000000000000341", decline="generic_decline"),
        ("chargeCustomerFail", "visa_chargeCustomerFail"),
    ),
    # These two are published as names only; the numbers are ours.
    (_visa("4000000000000333", decline="lost_card"), ("visa_chargeCustomerFailLostCard",)),
    (_visa("4000000000000325", decline="stolen_card"), ("visa_chargeCustomerFailStolenCard",)),
    # Fraud prevention
    (
        _visa("4100000000000019", risk="highest", decline="fraudulent"),
        ("radarBlock", "chargeDeclinedFraudulent", "visa_chargeDeclinedFraudulent"),
    ),
    (_visa("4000000000004954", risk="highest", decline="fraudulent"), ("riskLevelHighest",)),
    (_visa("4000000000009235", risk="elevated"), ("riskLevelElevated",)),
    (_visa("4000000000000101", cvc_fails=True), ("cvcCheckFail",)),
    (_visa("4000000000000036", postal="fail"), ("avsZipFail",)),
    (_visa("4000058400307872", cvc_fails=True, risk="elevated"), ("cvcCheckFailElevatedRisk",)),
    (_visa("4000058400306072", postal="fail", risk="elevated"), ("avsZipFailElevatedRisk",)),
    (_visa("4000000000000028", line1="fail"), ("avsLine1Fail",)),
    (_visa("4000000000000010", line1="fail", postal="fail"), ("avsFail",)),
    (_visa("4000000000000044", line1="unavailable", postal="unavailable"), ("avsUnchecked",)),
    # Disputes
    (_visa("4000000000000259", dispute="fraudulent"), ("createDispute", "visa_createDispute")),
    (
        _visa("4000000000002685", dispute="product_not_received"),
        ("createDisputeProductNotReceived", "visa_createDisputeProductNotReceived"),
    ),
    (_visa("4000000000001976", dispute="inquiry"), ("createDisputeInquiry", "visa_createDisputeInquiry")),
    (_visa("4000000000005423", dispute="early_fraud_warning"), ("createIssuerFraudRecord",)),
    (_visa("4000000404000079", dispute="multiple"), ("createMultipleDisputes",)),
    (_visa("4000000404000038", dispute="visa_ce3"), ("createCe3EligibleDispute",)),
    (_visa("4000008400000779", dispute="visa_compliance"), ("createComplianceDispute",)),
    # Refunds and balance
    (_visa("4000000000007726", refund="pending"), ("pendingRefund",)),
    (_visa("4000000000005126", refund="failed"), ("refundFail",)),
    (_visa("4000000000000077", bypass_pending=True), ("bypassPending",)),
    (_visa("4000003720000278", country="IE", bypass_pending=True), ("bypassPendingInternational",)),
    (_visa("4000000000000093"), ("domesticPricing",)),
    # 3-D Secure
    (
        _visa("4000002500003155", country="FR", authentication="unless_set_up"),
        ("authenticationRequiredOnSetup",),
    ),
    (_visa("4000002760003184", country="DE", authentication="always"), ("authenticationRequired",)),
    (
        _visa("4000003800000446", country="IT", authentication="set_up"),
        ("authenticationRequiredSetupForOffSession",),
    ),
    (
        _visa("4000008260003178", country="GB", authentication="unless_set_up", decline="insufficient_funds"),
        ("authenticationRequiredChargeDeclinedInsufficientFunds",),
    ),
    (
        _visa("4000000000003220", country="IE", authentication="always"),
        ("threeDSecure2Required",),
    ),
    (_visa("4000000000003063", authentication="always"), ("threeDSecureRequired",)),
    (
        _visa("4000008400001629", authentication="always", decline="generic_decline"),
        ("threeDSecureRequiredChargeDeclined",),
    ),
    (
        _visa("4000008400001280", authentication="always", decline="generic_decline", lookup_error=True),
        ("threeDSecureRequiredProcessingError",),
    ),
    (_visa("4000000000003055", authentication="on_request"), ("threeDSecureOptional",)),
    (
        _visa("4000000000003097", authentication="on_request", lookup_error=True),
        ("threeDSecureOptionalProcessingError",),
    ),
    (_visa("4000582600000094", country="GB", authentication="always"), ()),
    (_visa("4000582600000045", country="GB", authentication="always"), ()),
    (_visa("4000582600000102", country="GB", authentication="always"), ()),
    (_visa("4000582600000110", country="GB", authentication="always"), ()),
    # Connected accounts
    (_visa("4000000000004202", trigger="next_requirements"), ("visa_triggerNextRequirements",)),
    (_visa("4000000000004210", trigger="charge_block"), ("visa_triggerChargeBlock",)),
    (_visa("4000000000004236", trigger="payout_block"), ("visa_triggerPayoutBlock",)),
    (_visa("4000000000001208", captcha=True), ()),
    (_visa("4000000000003725", captcha=True), ()),
)  # fmt: skip

CARDS: dict[str, TestCard] = {card.number: card for card, _ in _ROWS}
"""Test cards by number."""
NAMES: dict[str, str] = {name: card.number for card, names in _ROWS for name in names}
"""Numbers by the name after `pm_card_` and `tok_`."""

for _name, _number, _brand, _country, _funding in BY_COUNTRY:
    CARDS.setdefault(_number, TestCard(_number, _brand, _country, _funding))
    NAMES.setdefault(_name, _number)
for _name, _number, _brand, _country in payouts.rows():
    CARDS.setdefault(_number, TestCard(_number, _brand, _country, "debit"))
    NAMES.setdefault(_name, _number)


def by_payment_method(name: str) -> TestCard | None:
    """The card of `pm_card_visa` and its like."""
    number = NAMES.get(name[8:]) if name.startswith("pm_card_") else None
    return CARDS[number] if number else None


def by_token(name: str) -> TestCard | None:
    """The card of `tok_visa` and its like."""
    number = NAMES.get(name[4:]) if name.startswith("tok_") else None
    return CARDS[number] if number else None
