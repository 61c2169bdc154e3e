# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-b3244616ec6f: keep out of training data
"""What the flows of the grader bring home, and what is done in a browser on the way."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Frame
from trialbalance.grading import App, Draw, Failed, GraderTwin, Shopper, payment_form
from trialbalance.grading.locate import by_role, css

import deckle
from deckle import Asked, Object, Seller, Shop

WIDTHS = (1280, 390)

_LAYER = '[data-testid^="stripe-connect-ui-layer-stripe-connect-{}"]'
_GEOMETRY = """(name) => {
  const panel = document.querySelector('[data-testid="panel"]');
  const frame = document.querySelector(`[data-testid^="stripe-connect-ui-layer-stripe-connect-${name}"]`);
  if (!panel || !frame) return null;
  const box = panel.getBoundingClientRect(), style = getComputedStyle(panel), inner = frame.getBoundingClientRect();
  const side = (edge) => parseFloat(style[`padding${edge}`]) + parseFloat(style[`border${edge}Width`]);
  const root = document.documentElement;
  return {
    left: Math.round(inner.left - box.left - side('Left')), right: Math.round(box.right - side('Right') - inner.right),
    sideways: root.scrollWidth - root.clientWidth, width: Math.round(inner.width),
  };
}"""
_GIVEN = """(names) => {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name)]));
}"""


@dataclass(frozen=True)
class Lie:
    """A request that says more than it should, and what came of it."""

    how: str
    asked: Asked


@dataclass(frozen=True)
class SignUp:
    """A shop that was opened, and the accounts that Stripe has for it then."""

    seller: Seller
    accounts: list[Object]


@dataclass(frozen=True)
class Trouble:
    """Signing up while Stripe refuses or does not answer: the answers, and how it is afterwards."""

    status: int
    sign_in: int
    again: int
    accounts: int


@dataclass(frozen=True)
class Desk:
    """What Deckle Row's interface did of one day, without a browser."""

    signed_up: SignUp
    troubles: dict[str, Trouble]
    twice: list[Asked]
    later: Asked
    later_accounts: list[Object]
    kept: Asked
    kept_accounts: int
    signed_out: dict[str, Asked]
    closed: Asked
    own: Asked
    again: Asked
    own_account: str
    lies: list[Lie]
    down: dict[str, Asked]
    refunds: dict[str, int]
    refunded: int
    answered: int
    dispute_status: str
    policies: list[str]


def tell_lies(twin: GraderTwin, seller: Seller, victim: str, number: str) -> list[Lie]:
    """Ask for an account session as somebody who would like another's, or to do more in it."""
    flat = {
        "account": victim, "account_id": victim, "accountId": victim, "stripe_account": victim, "stripeAccount": victim,
        "seller": number, "seller_id": number, "sellerId": number, "id": number, "shop": number, "refund_management": "true",
        "refunds": "true", "components[payments][enabled]": "true", "components[payments][features][refund_management]": "true",
        "components[payouts][enabled]": "true", "component": "payouts", "features": "refund_management",
    }  # fmt: skip
    features = {"refund_management": True, "dispute_management": False, "refunds": True}
    payments = {"enabled": True, "features": features}
    nested: Object = {
        **flat,
        "seller": {"id": int(number), "stripe_account": victim},
        "features": features,
        "payments": payments,
        "components": {"payments": payments, "payouts": {"enabled": True}, "payment_details": payments},
        "refund_management": True,
    }
    headers = {
        "stripe-account": victim,
        "x-stripe-account": victim,
        "x-seller": number,
        "x-seller-id": number,
    }
    sent: tuple[tuple[str, Object], ...] = (
        ("JSON", {"json": nested}),
        ("form", {"data": flat}),
        ("query", {"params": flat}),
        ("headers", {"headers": headers}),
        ("cookies", {"headers": {**seller.login(), "x-seller": number}}),
    )
    found = []
    for how, request in sent:
        if how == "cookies":
            cookie = request["headers"]["cookie"]
            request["headers"]["cookie"] = (
                f"{cookie}; account={victim}; stripe_account={victim}; seller={number}; seller_id={number}"
            )
        session = seller.app.session() if how == "cookies" else seller.session
        found.append(Lie(how, deckle.ask(twin, session, **request)))
    return found


def in_trouble(app: App, twin: GraderTwin, shop: Shop, fault: str) -> Trouble:
    """Sign up while Stripe opens no accounts, and again when it does."""
    seller = Seller(app, shop)
    twin.faults([{"fault": fault, "endpoint": "POST /v1/accounts", "count": None}])
    try:
        status = seller.session.post("/api/sign-up", json=seller.form).status_code
    finally:
        twin.faults([])
    form = {"email": shop.email, "password": shop.password}
    sign_in = app.session().post("/api/sign-in", json=form).status_code
    again = app.session().post("/api/sign-up", json=seller.form).status_code
    return Trouble(status, sign_in, again, len(deckle.accounts_of(twin, shop.email)))


def at_the_same_moment(app: App, twin: GraderTwin, seller: Seller) -> list[Asked]:
    """Two account sessions for a shop without an account, asked for together while Stripe takes its time."""
    request = ("POST", deckle.SESSION, {"headers": seller.login()})
    mark = twin.mark()
    twin.faults([{"fault": "slow", "endpoint": "POST /v1/accounts", "delay": 1.0, "count": None}])
    try:
        answers = app.together([request, request])
    finally:
        twin.faults([])
    return [deckle.asked(twin, answer, mark) for answer in answers]


# In the browser


@dataclass
class Tab:
    """What two sellers saw of the Payments tab, one after the other in the same window."""

    brand: dict[str, str]
    first: Shop
    second: Shop
    onboarding: dict[str, bool] = field(default_factory=dict)
    exchanged: bool = False
    payments: dict[str, bool] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    geometry: dict[int, Object] = field(default_factory=dict)
    an_hour_later: str = ""
    after_sign_out: dict[str, bool] = field(default_factory=dict)
    next_seller: str = ""
    next_sees_first: bool = False
    problem: str = ""
    received: str = ""
    secrets: dict[str, str] = field(default_factory=dict)


def attempt(work: Callable[[], object]) -> str:
    """Do something that may not work; what went wrong, or nothing."""
    try:
        work()
    except Failed as failure:
        return failure.message
    return ""


def component(shopper: Shopper, name: str, seconds: float = 20.0) -> Frame:
    """The frame of a component, when it has been drawn; wherever it is on the page."""
    layer = css(_LAYER.format(name))
    shopper.require([layer], f"the component {name} does not appear", seconds)

    def drawn() -> Frame | None:
        for one in shopper.page.frames:
            try:
                element = one.frame_element() if one.parent_frame else None
                known = element.get_attribute("data-testid") if element else None
                if (known or "").startswith(_LAYER.format(name).split('"')[1]) and one.locator(
                    "[data-state=ready]"
                ).count():
                    return one
            except PlaywrightError:
                continue
        return None

    return shopper.wait_until(drawn, f"the component {name} is drawn", seconds)


def within(shopper: Shopper, place: str, name: str) -> bool:
    """Whether a component is inside an element of ours."""
    return shopper.page.locator(f'[data-testid="{place}"] {_LAYER.format(name)}').count() == 1


def sign_up(shopper: Shopper, shop: Shop) -> None:
    """Open a shop by the form."""
    shopper.open("/sign-up")
    fill(
        shopper, "sign-up", {"shop": shop.name, "email": shop.email, "password": shop.password}, shop.country
    )
    shopper.require([css('[data-testid="sign-out"]')], "signing up does not sign in", 20)


def sign_in(shopper: Shopper, shop: Shop, link: bool = True) -> None:
    """Come back, by the link of the page that is open."""
    if link:
        shopper.click("Sign in", role="link")
    else:
        shopper.open("/sign-in")
    fill(shopper, "sign-in", {"email": shop.email, "password": shop.password})
    shopper.require([css('[data-testid="sign-out"]')], "signing in does not work", 20)


def fill(shopper: Shopper, form: str, values: dict[str, str], country: str = "") -> None:
    """Fill a form and send it."""
    for name, value in values.items():
        control = shopper.require(
            [css(f'[data-testid="{form}"] [name="{name}"]')], f"there is no field {name}"
        )
        shopper.type_into(control, name, value)
    if country:
        shopper.page.locator(f'[data-testid="{form}"] [name="country"]').select_option(country)
    shopper.press(shopper.require([css(f'[data-testid="{form}"] button')], f"{form} has no button"), form)


def go_to_tab(shopper: Shopper) -> None:
    """Press the tab, or open its page when there is none to press."""
    tab = shopper.find([css('[data-testid="tab-payments"]')], 10)
    if tab is None:
        shopper.open("/dashboard/payments")
    else:
        shopper.press(tab, "the Payments tab")


def onboard_by_hand(shopper: Shopper) -> None:
    """Tell Stripe everything, step by step, with its test values."""
    frame = component(shopper, "account-onboarding")
    for text in ("Add information", *["Continue"] * 4, "Agree and submit"):
        button = frame.get_by_role("button", name=text, exact=True)
        shopper.wait_until(lambda one=button: one.count() == 1, f"onboarding has a button “{text}”")
        heading = frame.locator("h2").inner_text()
        shopper.press(button, text)
        if text != "Agree and submit":
            moved = lambda old=heading: frame.locator("h2").inner_text() != old  # noqa: E731
            shopper.wait_until(moved, f"“{text}” leads on")


def geometry(shopper: Shopper, name: str) -> dict[int, Object]:
    """Where a component is in the panel, at each width of the window."""
    found: dict[int, Object] = {}
    for width in WIDTHS:
        shopper.page.set_viewport_size({"width": width, "height": 900})
        shopper.page.wait_for_timeout(300)
        found[width] = shopper.page.evaluate(_GEOMETRY, name) or {}
        shopper.screenshot(f"payments {width}")
    shopper.page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    return found


def given_to(frame: Frame) -> dict[str, str]:
    """The appearance that a component was given, as its frame has it."""
    found: dict[str, str] = frame.evaluate(_GIVEN, list(deckle.ROLES))
    return found


def shows(frame: Frame, text: str) -> bool:
    """Whether a component shows an amount or a word."""
    return text in frame.locator("body").inner_text()


def amount(shop: Shop) -> str:
    """An amount as the component shows it in English, without its currency."""
    return f"{shop.amount / 100:,.2f}"


class Tokens:
    """What components asked Stripe with, so far."""

    def __init__(self, shopper: Shopper) -> None:
        self.seen: list[str] = []
        shopper.page.on("request", self._note)

    def _note(self, request: Any) -> None:
        if "/v1/embedded/" not in request.url:
            return
        text = urlsplit(request.url).query + "&" + (request.post_data or "")
        for token in parse_qs(text).get("session", []) + re.findall(r"ast_\w+", text):
            if token not in self.seen:
                self.seen.append(token)


def is_closed(shopper: Shopper, twin: GraderTwin, token: str) -> None:
    """`Failed` unless Stripe soon answers a session's token no more."""
    shopper.wait_until(
        lambda: deckle.embedded(twin, "GET", "payments", token, "payments").status_code >= 400,
        "the account session is closed",
        5,
    )


@dataclass(frozen=True)
class Bought:
    """What a buyer did, and what came of it."""

    shop: Shop
    payments: list[Object]
    paid: bool
    orders: list[Object]


def buy(shopper: Shopper, shop: Shop, draw: Draw) -> bool:
    """Buy a shop's item on the market; whether the buyer was told that it is paid."""
    shopper.open("/")
    shopper.press(shopper.require([by_role("link", shop.item)], "the item is not on the market"), "the item")
    shopper.press(shopper.require([css('[data-testid="buy"]')], "the item cannot be bought"), "buy")
    person = draw.person()
    shopper.wait_for_url("stripe.com", 30)
    payment_form.fill_card(shopper, payment_form.Card(), 20)
    payment_form.fill_buyer(shopper, person.email, person.name)
    shopper.screenshot("checkout")
    submit = css('[data-testid="hosted-payment-submit-button"]')
    shopper.press(shopper.require([submit], "Checkout has no button to pay with"), "pay")
    return shopper.find([css('[data-testid="order-paid"]')], 30) is not None
