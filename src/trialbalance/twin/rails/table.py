"""The payment method types beyond cards: flow, currencies, delays, what may be saved, captured, refunded.

`flow` says what the customer has to do after a confirmation:
    redirect    authorise on another page; the payment succeeds, fails, or (with a `delay`) is processing first
    qr          scan a code: as redirect, but the page shows the code
    debit       nothing: processing, then the bank's answer after `delay` seconds
    verify      as debit, but the account must be verified first (micro-deposits)
    voucher     pay later with displayed details; `delay` seconds until the money is there
    transfer    fund a cash balance by bank transfer
    notify      approve on a phone: as redirect, answered by the test e-mail or after `delay`
    wallet      nothing: behaves as a card that never asks
Source: https://docs.stripe.com/payments/payment-methods/payment-method-support
"""

from __future__ import annotations

from dataclasses import dataclass, field

EUR = frozenset({"eur"})
LATER = 180
"""How long a delayed test payment takes: three minutes.

Source: https://docs.stripe.com/payments/bacs-debit/accept-a-payment#test-integration
"""


@dataclass(frozen=True, slots=True)
class Rail:
    """One payment method type.

    Attributes:
        reusable: may be attached to a customer through the attach endpoint.
        saved_by_setup: may be saved by a SetupIntent or `setup_future_usage`.
        saves_as: saving makes a payment method of this type instead.
        manual_capture: `capture_method=manual` is possible.
        refund: "instant", "pending" (done after three minutes) or "no".
        mandate: saving or debiting needs a mandate.
    """

    type: str
    flow: str = "redirect"
    currencies: frozenset[str] = field(default_factory=frozenset)
    delay: int = 0
    reusable: bool = False
    saved_by_setup: bool = False
    saves_as: str | None = None
    manual_capture: bool = False
    refund: str = "instant"
    mandate: bool = False
    creatable: bool = True

    def takes(self, currency: str) -> bool:
        """Whether the type can be charged in a currency."""
        return not self.currencies or currency in self.currencies


def _of(*codes: str) -> frozenset[str]:
    return frozenset(codes)


_BNPL = _of("usd", "cad", "eur", "gbp", "aud", "nzd", "sek", "nok", "dkk", "chf", "pln", "czk", "ron")
_WALLETS = _of(
    "cny", "usd", "eur", "gbp", "cad", "aud", "hkd", "jpy", "sgd", "myr", "nzd", "chf", "dkk", "nok", "sek"
)

RAILS: dict[str, Rail] = {
    rail.type: rail
    for rail in (
        Rail("acss_debit", "verify", _of("cad", "usd"), LATER, saved_by_setup=True, mandate=True),
        Rail("affirm", currencies=_of("usd", "cad"), manual_capture=True),
        Rail("afterpay_clearpay", currencies=_of("usd", "cad", "gbp", "aud", "nzd", "eur"), manual_capture=True),
        Rail("alipay", currencies=_WALLETS),
        Rail("alma", currencies=EUR, manual_capture=True),
        Rail("amazon_pay", currencies=_of("usd", "eur", "gbp", "aud", "chf", "dkk", "hkd", "jpy", "nok", "nzd", "sek",
             "zar"), saved_by_setup=True, reusable=True, manual_capture=True, mandate=True),
        Rail("au_becs_debit", "debit", _of("aud"), LATER, reusable=True, saved_by_setup=True, mandate=True),
        Rail("bacs_debit", "debit", _of("gbp"), LATER, saved_by_setup=True, mandate=True),
        Rail("bancontact", currencies=EUR, saved_by_setup=True, saves_as="sepa_debit", mandate=True),
        Rail("billie", currencies=_of("eur", "gbp", "sek", "nok"), manual_capture=True),
        Rail("bizum", currencies=EUR),
        Rail("blik", "notify", _of("pln")),
        Rail("boleto", "voucher", _of("brl"), LATER, reusable=True, saved_by_setup=True, refund="no", mandate=True),
        Rail("cashapp", "qr", _of("usd"), reusable=True, saved_by_setup=True, manual_capture=True, mandate=True),
        Rail("crypto", currencies=_of("usd"), refund="pending"),
        Rail("customer_balance", "transfer", _of("eur", "gbp", "jpy", "mxn", "usd")),
        Rail("eps", currencies=EUR),
        Rail("fpx", currencies=_of("myr")),
        Rail("giropay", currencies=EUR),
        Rail("grabpay", currencies=_of("sgd", "myr")),
        Rail("ideal", currencies=EUR, saved_by_setup=True, saves_as="sepa_debit", mandate=True),
        Rail("kakao_pay", currencies=_of("krw"), reusable=True, saved_by_setup=True, manual_capture=True, mandate=True),
        Rail("klarna", currencies=_BNPL, saved_by_setup=True, reusable=True, manual_capture=True, mandate=True),
        Rail("konbini", "voucher", _of("jpy"), LATER, refund="pending"),
        Rail("kr_card", currencies=_of("krw"), reusable=True, saved_by_setup=True, manual_capture=True, mandate=True),
        Rail("link", "wallet", reusable=True, saved_by_setup=True, manual_capture=True, mandate=True),
        Rail("mb_way", "notify", EUR),
        Rail("mobilepay", currencies=_of("dkk", "eur", "nok", "sek"), manual_capture=True),
        Rail("multibanco", "voucher", EUR, LATER),
        Rail("naver_pay", currencies=_of("krw"), reusable=True, saved_by_setup=True, manual_capture=True, mandate=True),
        Rail("nz_bank_account", "debit", _of("nzd"), LATER, reusable=True, saved_by_setup=True, mandate=True),
        Rail("oxxo", "voucher", _of("mxn"), LATER, refund="no"),
        Rail("p24", currencies=_of("eur", "pln")),
        Rail("pay_by_bank", currencies=_of("gbp", "eur")),
        Rail("payco", currencies=_of("krw"), manual_capture=True),
        Rail("paynow", "qr", _of("sgd")),
        Rail("paypal", currencies=_of("eur", "gbp", "usd", "chf", "czk", "dkk", "nok", "pln", "sek", "aud", "cad",
             "hkd", "nzd", "sgd"), reusable=True, saved_by_setup=True, manual_capture=True, mandate=True),
        Rail("paypay", currencies=_of("jpy")),
        Rail("payto", "notify", _of("aud"), LATER, saved_by_setup=True, mandate=True),
        Rail("pix", "qr", _of("brl"), saved_by_setup=True),
        Rail("promptpay", "qr", _of("thb"), refund="pending"),
        Rail("revolut_pay", currencies=_of("gbp", "eur", "ron", "huf", "pln", "dkk"), reusable=True,
             saved_by_setup=True, manual_capture=True, mandate=True),
        Rail("samsung_pay", currencies=_of("krw"), manual_capture=True),
        Rail("satispay", currencies=EUR, manual_capture=True, saved_by_setup=True),
        Rail("scalapay", currencies=EUR, manual_capture=True),
        Rail("sepa_debit", "debit", EUR, LATER, reusable=True, saved_by_setup=True, mandate=True),
        Rail("sequra", currencies=EUR),
        Rail("sofort", currencies=EUR, delay=LATER, saved_by_setup=True, saves_as="sepa_debit", mandate=True),
        Rail("sunbit", currencies=_of("usd")),
        Rail("swish", "qr", _of("sek")),
        Rail("twint", currencies=_of("chf")),
        Rail("upi", "notify", _of("inr"), saved_by_setup=True, mandate=True),
        Rail("us_bank_account", "verify", _of("usd"), LATER, reusable=True, saved_by_setup=True, refund="pending",
             mandate=True),
        Rail("wechat_pay", "qr", _WALLETS),
        Rail("zip", currencies=_of("aud", "usd")),
        Rail("card_present", "terminal", creatable=False),
        Rail("interac_present", "terminal", _of("cad"), creatable=False),
        Rail("custom", "external"),
    )
}  # fmt: skip

REDIRECTS = frozenset(t for t, rail in RAILS.items() if rail.flow in ("redirect", "qr"))
"""Types that may send the customer to another page: excluded by `allow_redirects=never`."""
