"""The simulated card network: reads card data, checks it, and answers an authorization.

Pure functions: what a card does follows from its number, its data and the circumstances, and from nothing else.
Source: https://docs.stripe.com/testing and https://docs.stripe.com/payments/3d-secure/authentication-flow
"""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import blake2b
from typing import NamedTuple

from trialbalance.twin.cards.declines import DECLINES, Decline
from trialbalance.twin.cards.table import CARDS, TestCard
from trialbalance.twin.errors import CardError
from trialbalance.twin.ledger.ids import ALPHABET


class Circumstances(NamedTuple):
    """Under which a charge or a setup is attempted."""

    now: int
    off_session: bool = False
    set_up: bool = False
    authenticated: bool = False
    requested: str = "automatic"
    moto: bool = False
    cvc_given: bool = True
    browser: bool = False


class Verdict(NamedTuple):
    """`approved`, `declined` (with the decline), `authenticate` or `captcha` (a puzzle for the customer).

    `attempted`: 3-D Secure was asked in vain.
    """

    kind: str
    decline: Decline | None = None
    attempted: str | None = None


APPROVED = Verdict("approved")
AUTHENTICATE = Verdict("authenticate")
CAPTCHA = Verdict("captcha")


def luhn(number: str) -> bool:
    """Whether the check digit is right."""
    total = 0
    for position, digit in enumerate(reversed(number)):
        value = int(digit)
        if position % 2:
            value = value * 2 - 9 if value > 4 else value * 2
        total += value
    return total % 10 == 0


def identify(number: str, *, param: str = "number") -> TestCard:
    """The test card with this number; spaces and dashes are ignored.

    Raises:
        CardError: not a card number, or not a test card's.
    """
    digits = number.replace(" ", "").replace("-", "")
    if not (digits.isascii() and digits.isdigit()) or not 12 <= len(digits) <= 19 or not luhn(digits):
        raise refusal("incorrect_number", param=param)
    card = CARDS.get(digits)
    if card is None:
        raise refusal("test_mode_live_card", param=param)
    return card


def check_expiry(month: int, year: int, now: int) -> int:
    """The full year of an expiry date that lies ahead.

    Raises:
        CardError: no such month, or the date lies behind.
    """
    if not 1 <= month <= 12:
        raise _invalid("invalid_expiry_month", "Your card's expiration month is invalid.", "exp_month")
    full = year + 2000 if 0 <= year < 100 else year
    today = datetime.fromtimestamp(now, UTC)
    if not today.year - 50 <= full <= today.year + 50 or full < today.year:
        raise _invalid("invalid_expiry_year", "Your card's expiration year is invalid.", "exp_year")
    if full == today.year and month < today.month:
        raise _invalid("invalid_expiry_month", "Your card's expiration month is invalid.", "exp_month")
    return full


def check_cvc(cvc: str, brand: str) -> None:
    """Refuse a security code of the wrong length.

    Raises:
        CardError: not three digits (American Express: three or four).
    """
    lengths = (3, 4) if brand == "amex" else (3,)
    if not (cvc.isascii() and cvc.isdigit()) or len(cvc) not in lengths:
        raise _invalid("invalid_cvc", "Your card's security code is invalid.", "cvc")


def expired(month: int, year: int, now: int) -> bool:
    """Whether the card's last month is over."""
    today = datetime.fromtimestamp(now, UTC)
    return (year, month) < (today.year, today.month)


def demands_authentication(card: TestCard, at: Circumstances) -> bool:
    """Whether 3-D Secure must be passed first."""
    if at.moto or at.authenticated:
        return False
    if card.authentication == "always":
        return True
    if card.authentication == "unless_set_up":
        return not (at.off_session and at.set_up)
    if card.authentication == "set_up":
        return not at.off_session
    return card.authentication == "on_request" and asked(at) and not at.off_session


def asked(at: Circumstances) -> bool:
    """Whether the merchant asked for 3-D Secure."""
    return at.requested in ("any", "challenge")


def authorize(card: TestCard, at: Circumstances, *, exp_month: int, exp_year: int) -> Verdict:
    """The issuer's answer to a charge."""
    if expired(exp_month, exp_year, at.now):
        return Verdict("declined", DECLINES["expired_card"])
    if card.risk == "highest":
        return Verdict("declined", DECLINES["fraudulent"])
    if card.captcha and at.browser and not at.authenticated:
        return CAPTCHA
    if demands_authentication(card, at):
        if card.lookup_error and card.authentication == "always":
            return Verdict("declined", DECLINES["generic_decline"])
        if card.lookup_error:
            return Verdict("approved", attempted="processing_error")
        if at.off_session:
            return Verdict("declined", DECLINES["authentication_required"])
        return AUTHENTICATE
    if card.decline == "incorrect_cvc" and not at.cvc_given:
        return APPROVED
    if card.decline is not None:
        return Verdict("declined", DECLINES[card.decline])
    if asked(at) and card.authentication == "unenrolled" and not at.off_session:
        return Verdict("approved", attempted="attempt_acknowledged")
    return APPROVED


def verify(card: TestCard, at: Circumstances, *, exp_month: int, exp_year: int) -> Verdict:
    """The issuer's answer to saving a card without a charge (attach, setup)."""
    if expired(exp_month, exp_year, at.now):
        return Verdict("declined", DECLINES["expired_card"])
    if card.decline == "incorrect_cvc" and not at.cvc_given:
        return APPROVED
    if card.decline is not None and not card.attaches:
        return Verdict("declined", DECLINES[card.decline])
    return APPROVED


def setup(card: TestCard, at: Circumstances, *, exp_month: int, exp_year: int) -> Verdict:
    """The issuer's answer to a SetupIntent: 3-D Secure where the card wants it, then as `verify`."""
    plain = at._replace(off_session=False)
    if card.authentication != "set_up" and demands_authentication(card, plain):
        if card.lookup_error:
            return Verdict("declined", DECLINES["generic_decline"])
        return AUTHENTICATE
    return verify(card, at, exp_month=exp_month, exp_year=exp_year)


def fingerprint(number: str, account: str) -> str:
    """The same for one number on one account, different on every other account.

    Source: https://docs.stripe.com/api/payment_methods/object#payment_method_object-card-fingerprint
    """
    value = int.from_bytes(blake2b(f"{account}:{number}".encode(), digest_size=16).digest(), "big")
    text = ""
    for _ in range(16):
        value, digit = divmod(value, 62)
        text += ALPHABET[digit]
    return text


def network_transaction_id(number: str, account: str) -> str:
    """Fifteen digits, the same for every charge of one number on one account."""
    value = int.from_bytes(blake2b(f"ntid:{account}:{number}".encode(), digest_size=8).digest(), "big")
    return f"{value % 10**15:015d}"


def refusal(reason: str, *, param: str | None = None) -> CardError:
    """A card error that happens before any charge."""
    decline = DECLINES[reason]
    fields = decline.error()
    error = CardError(
        decline.message,
        param=param if param is not None else decline.param,
        code=decline.code,
        **{name: fields[name] for name in EXTRAS if name in fields},
    )
    error.commit = False
    return error


EXTRAS = ("advice_code", "decline_code", "network_advice_code", "network_decline_code")
"""Fields of a card error beyond type, message, code and param."""


def _invalid(code: str, message: str, param: str) -> CardError:
    error = CardError(message, param=param, code=code)
    error.commit = False
    return error
