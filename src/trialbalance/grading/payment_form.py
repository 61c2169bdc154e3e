"""Card forms as a customer fills them: the Checkout page, hosted or embedded, and Elements inside the app's
own page.

Fields are found by the autocomplete token that browsers use for them, then by their label.
Source: https://docs.stripe.com/payments/checkout and https://docs.stripe.com/js/element
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from playwright.sync_api import Locator, Page

from trialbalance.grading.locate import Finder, by_role, css, field, first

if TYPE_CHECKING:
    from trialbalance.grading.shopper import Shopper

VISA = "4242424242424242"
Outcome = Literal["left", "refused", "challenge"]

_NUMBER = [css('[autocomplete="cc-number"]', '[name="cardnumber"]'), field(re.compile("card number", re.I))]
_EXPIRY = [css('[autocomplete="cc-exp"]', '[name="exp-date"]'), field(re.compile(r"expir|mm ?/ ?yy", re.I))]
_CVC = [css('[autocomplete="cc-csc"]', '[name="cvc"]'), field(re.compile(r"cvc|cvv|security code", re.I))]
_HOLDER = [
    css('[autocomplete="cc-name"]', '[name="billingName"]'),
    field(re.compile("name on card|cardholder", re.I)),
]
_EMAIL = [css('[type="email"]', '[autocomplete="email"]'), field(re.compile("^e-?mail", re.I))]
_POSTAL = [
    css('[autocomplete~="postal-code"]', '[name="postal"]'),
    field(re.compile(r"zip|postal|postcode", re.I)),
]
_SUBMIT = [
    css('[data-testid="hosted-payment-submit-button"]'),
    by_role(
        "button", re.compile(r"^(pay|subscribe|start trial|donate|book|save|complete|place order)", re.I)
    ),
]
_ALERT = [css('[role="alert"]')]
_CHALLENGE = [by_role("button", re.compile(r"^complete( authentication)?$|^authorize", re.I))]
_REFUSE = [by_role("button", re.compile(r"^fail( authentication)?$", re.I))]


@dataclass(frozen=True)
class Card:
    """What is typed into a card form."""

    number: str = VISA
    expiry: str = "12 / 34"
    cvc: str = "123"
    postal: str = "90210"


def fill_card(shopper: Shopper, card: Card, seconds: float) -> None:
    """Fill number, expiry, security code and, where it is asked for, postal code."""
    number = shopper.require(_NUMBER, "there is no card number field", seconds)
    _type(shopper, "card number", number, card.number)
    for what, finders, value in (("expiry", _EXPIRY, card.expiry), ("security code", _CVC, card.cvc)):
        _type(shopper, what, shopper.require(finders, f"there is no {what} field", seconds), value)
    _fill_if_asked(shopper, "postal code", _POSTAL, card.postal)


def fill_buyer(shopper: Shopper, email: str | None, name: str | None) -> None:
    """Fill the e-mail address and the name, where they are asked for and not filled in yet."""
    if email is not None:
        _fill_if_asked(shopper, "e-mail", _EMAIL, email)
    if name is not None:
        _fill_if_asked(shopper, "name on card", _HOLDER, name)


def submit(shopper: Shopper, seconds: float) -> Outcome:
    """Press the form's own button and wait until the customer has left, was refused, or is challenged."""
    button = shopper.require(_SUBMIT, "there is no button to pay with", seconds)
    before = shopper.page.url
    frames = len(shopper.page.frames)
    shopper.press(button, "pay", seconds)
    return shopper.wait_until(
        lambda: _outcome(shopper.page, before, frames), "paying comes to an end", seconds
    )


def answer_challenge(shopper: Shopper, approve: bool, seconds: float) -> None:
    """Approve or reject a 3-D Secure challenge, and wait until it is gone."""
    finders = _CHALLENGE if approve else _REFUSE
    what = "approve" if approve else "reject"
    button = shopper.require(finders, f"there is no 3-D Secure challenge to {what}", seconds)
    shopper.press(button, f"{what} the challenge", seconds)
    shopper.wait_until(lambda: first(shopper.page, finders) is None, "the challenge ends", seconds)


def _outcome(page: Page, before: str, frames: int) -> Outcome | None:
    if page.url != before:
        return "left"
    if first(page, _CHALLENGE) is not None:
        return "challenge"
    alert = first(page, _ALERT)
    if alert is not None and alert.inner_text().strip():
        return "refused"
    if first(page, _SUBMIT) is None and len(page.frames) < frames:
        return "left"
    return None


def _type(shopper: Shopper, what: str, control: Locator, value: str) -> None:
    shopper.type_into(control, what, value)


def _fill_if_asked(shopper: Shopper, what: str, finders: list[Finder], value: str) -> None:
    control = shopper.find(finders)
    if control is not None and control.is_enabled() and not control.input_value():
        shopper.type_into(control, what, value)
