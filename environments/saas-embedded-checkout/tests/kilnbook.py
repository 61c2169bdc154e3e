# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-d8f8108ff204: keep out of training data
"""What the checks know of Kilnbook: plans to draw, setting it up, its people, paying in Checkout, and what Stripe has."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import httpx
from playwright.sync_api import Error as PlaywrightError
from trialbalance.grading import (
    App,
    Draw,
    Failed,
    GraderTwin,
    Mark,
    Session,
    Shopper,
    eventually,
    payment_form,
)
from trialbalance.grading.locate import css

VERSION = "2025-04-30.basil"
"""The account's API version: how Stripe renders the events it sends."""
PLANS = "/app/var/drawn-plans.json"
WEBHOOK = "/api/stripe/webhook"
SENT = (
    "checkout.session.completed",
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
)
"""What the webhook endpoint is sent."""
DAY = 86_400

_SUBMIT = css('[data-testid="hosted-payment-submit-button"]')
_CARD = css('[name="cardNumber"]', "#cardNumber")
_WRITE = "import pathlib, sys; p = pathlib.Path(sys.argv[1]); p.parent.mkdir(exist_ok=True); p.write_text(sys.argv[2], 'utf-8')"
_READY = 'for i in $(seq 100); do "$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)/pg_isready" -q -h 127.0.0.1 && exit 0; sleep 0.1; done; exit 1'
_FETCH = (
    """([path, init]) => fetch(path, init).then(async (answer) => [answer.status, await answer.text()])"""
)

Object = dict[str, Any]


# Plans and promotions


@dataclass(frozen=True)
class Plan:
    """A plan of the drawn file. Amounts are multiples of 100, so that every percentage is exact."""

    code: str
    name: str
    amount: int
    interval: str
    trial_days: int
    kilns: int

    def entry(self) -> Object:
        """The plan as the plans file has it."""
        return {
            "code": self.code,
            "name": self.name,
            "blurb": f"{self.name}, for a studio of its own.",
            "highlights": [f"{self.kilns} kilns"],
            "kilns": self.kilns,
            "unit_amount": self.amount,
            "interval": self.interval,
            "trial_days": self.trial_days,
        }


@dataclass(frozen=True)
class Promotion:
    """A promotion of the drawn file; `plans` are codes of plans."""

    code: str
    duration: str
    percent: int | None = None
    amount: int | None = None
    months: int | None = None
    limit: int | None = None
    plans: tuple[str, ...] = ()

    def entry(self) -> Object:
        """The promotion as the plans file has it."""
        terms = {
            "percent_off": self.percent,
            "amount_off": self.amount,
            "duration_in_months": self.months,
            "max_redemptions": self.limit,
        }
        known = {name: value for name, value in terms.items() if value is not None}
        return {"code": self.code, "duration": self.duration, "plans": list(self.plans), **known}

    def off(self, amount: int) -> int:
        """What it takes off an amount."""
        return amount * self.percent // 100 if self.percent is not None else min(amount, self.amount or 0)


@dataclass(frozen=True)
class Offer:
    """Plans and promotions that no agent has seen.

    `plans`: one without a trial, two with different ones, and one that is taken off sale later. `narrow` is good for the
    first plan only, `wide` for all, `dear` for the second and third; `changing` gets other terms later, `leaving` leaves.
    """

    currency: str
    plans: tuple[Plan, ...]
    narrow: Promotion
    wide: Promotion
    dear: Promotion
    changing: Promotion
    leaving: Promotion

    @property
    def promotions(self) -> tuple[Promotion, ...]:
        """All of them."""
        return (self.narrow, self.wide, self.dear, self.changing, self.leaving)

    def document(self, plans: Iterable[Plan], promotions: Iterable[Promotion]) -> Object:
        """A plans file."""
        return {
            "currency": self.currency,
            "plans": [plan.entry() for plan in plans],
            "promotions": [promotion.entry() for promotion in promotions],
        }

    @property
    def first(self) -> Object:
        """The file to begin with."""
        return self.document(self.plans, self.promotions)

    @property
    def changed(self) -> Promotion:
        """`changing`, with its later terms."""
        return replace(self.changing, percent=(self.changing.percent or 0) + 15)

    @property
    def second(self) -> Object:
        """The file as it is later: without the last plan and `leaving`, and with `changing` changed."""
        return self.document(self.plans[:-1], (self.narrow, self.wide, self.dear, self.changed))


def draw_offer(draw: Draw) -> Offer:
    """Four plans and five promotions."""
    words = [draw.word() for _ in range(4)]
    trials = (0, draw.integer(5, 16), draw.integer(20, 40), draw.integer(2, 4))
    kilns = draw.shuffled([3, 5, 8, 13])
    plans = tuple(
        Plan(
            code=f"{word}-{number}",
            name=f"{word.title()} & {draw.choice(('Sons', 'Ash', 'Slip', 'Glaze'))} {number}",
            amount=amount * 100,
            interval=interval,
            trial_days=days,
            kilns=room,
        )
        for number, (word, amount, interval, days, room) in enumerate(
            zip(
                words,
                (draw.integer(11, 29), draw.integer(31, 59), draw.integer(300, 900), draw.integer(61, 99)),
                ("month", "month", "year", "month"),
                trials,
                kilns,
                strict=True,
            ),
            draw.integer(11, 60),
        )
    )
    codes = [draw.coupon().code for _ in range(5)]
    percents = [draw.integer(2, 12) * 5 for _ in range(3)]
    return Offer(
        currency=draw.choice(("gbp", "usd", "chf")),
        plans=plans,
        narrow=Promotion(
            codes[0], "repeating", percent=percents[0], months=draw.integer(2, 6), plans=(plans[0].code,)
        ),
        wide=Promotion(codes[1], "once", amount=draw.integer(2, 9) * 100, limit=draw.integer(20, 90)),
        dear=Promotion(codes[2], "forever", percent=percents[1], plans=(plans[1].code, plans[2].code)),
        changing=Promotion(codes[3], "once", percent=percents[2]),
        leaving=Promotion(codes[4], "forever", percent=50),
    )


# Setting Kilnbook up


def ready(app: App) -> None:
    """PostgreSQL answers."""
    app.start_services()
    if app.run(["sh", "-c", _READY]).exit_code != 0:
        raise Failed("PostgreSQL does not answer")


def set_up(app: App, twin: GraderTwin, draw: Draw, deliveries: bool = False) -> Offer:
    """Kilnbook with an empty database and drawn plans that Stripe knows; the server is not started yet.

    Unless `deliveries` are wanted, Stripe sends no event by itself: the checks do.
    """
    if not deliveries:
        stop_deliveries(twin)
    offer = draw_offer(draw)
    ready(app)
    command(app, "db:reset")
    sync(app, offer.first)
    return offer


def stop_deliveries(twin: GraderTwin) -> None:
    """Disable the account's webhook endpoints."""
    for endpoint in twin.stripe.v1.webhook_endpoints.list().data:
        twin.stripe.v1.webhook_endpoints.update(endpoint.id, {"disabled": True})


def sync(app: App, document: Mapping[str, Any]) -> None:
    """Write a plans file and have it taken over."""
    put(app, PLANS, json.dumps(document, ensure_ascii=False, indent=2))
    command(app, "stripe:sync")


def command(app: App, name: str) -> None:
    """Run one of the project's commands on the drawn plans."""
    done = app.run(["/usr/bin/env", f"PLANS_PATH={PLANS}", "npm", "run", "--silent", name])
    if done.exit_code != 0:
        raise Failed(f"npm run {name} ended with exit code {done.exit_code}", stderr=done.stderr[-500:])


def put(app: App, path: str, text: str) -> None:
    """Write a file in the app's sandbox."""
    done = app.run(["/usr/bin/python3", "-I", "-c", _WRITE, path, text])
    if done.exit_code != 0:
        raise Failed(f"{path} could not be written", stderr=done.stderr[-500:])


def execute(app: App, *statements: str) -> None:
    """Run SQL on Kilnbook's database."""
    steps = [part for statement in statements for part in ("-c", statement)]
    psql = [
        "psql",
        "-X",
        "-q",
        "-h",
        "127.0.0.1",
        "-U",
        "postgres",
        "-d",
        "kilnbook",
        "-v",
        "ON_ERROR_STOP=1",
    ]
    done = app.run([*psql, *steps])
    if done.exit_code != 0:
        raise Failed("the database does not take a change", stderr=done.stderr[-500:])


def prices_of(twin: GraderTwin, offer: Offer) -> dict[str, str]:
    """The id of the price that Stripe has for each plan on sale, by the plan's code; `Failed` when one is missing."""
    found = {}
    for plan in offer.plans:
        data = twin.stripe.v1.prices.list({"lookup_keys": [f"kilnbook_{plan.code}"], "active": True}).data
        if not data or data[0].unit_amount != plan.amount:
            raise Failed("stripe:sync has not told Stripe the price of every plan", plan=plan.code)
        found[plan.code] = data[0].id
    return found


# People


class Person:
    """Somebody with an account, without a browser."""

    def __init__(self, app: App, name: str, email: str, password: str) -> None:
        self.app, self.name, self.email, self.password = app, name, email, password
        self.session: Session = app.session()

    def sign_up(self, studio: str) -> Person:
        """Open a studio."""
        body = {"name": self.name, "email": self.email, "password": self.password, "team": studio}
        self.session.call("POST", "/api/sign-up", json=body, status=201)
        return self

    def sign_in(self) -> Person:
        """Come back."""
        body = {"email": self.email, "password": self.password}
        self.session.call("POST", "/api/sign-in", json=body)
        return self

    def member(self, app: App, draw: Draw) -> Person:
        """Somebody this owner adds to the studio."""
        other = new_person(app, draw)
        body = {"name": other.name, "email": other.email, "password": other.password}
        self.session.call("POST", "/api/members", json=body, status=201)
        return other.sign_in()

    def team(self) -> Object:
        """The team as `/api/me` shows it."""
        return dict(self.session.call("GET", "/api/me")["team"])

    def standing(self) -> tuple[Any, Any]:
        """Plan and status of the subscription."""
        team = self.team()
        return team.get("plan"), team.get("subscriptionStatus")

    def activity(self) -> list[tuple[str, str]]:
        """Action and detail of what has happened, oldest first."""
        entries = self.session.call("GET", "/api/activity")["activity"]
        return [(entry["action"], entry["detail"]) for entry in reversed(entries)]


def new_person(app: App, draw: Draw) -> Person:
    """Somebody who has no account yet."""
    drawn = draw.person()
    return Person(app, drawn.name, drawn.email, f"kiln {draw.integer(10_000_000, 99_999_999)}")


def new_owner(app: App, draw: Draw) -> Person:
    """Somebody with a studio of their own."""
    return new_person(app, draw).sign_up(f"{draw.word().title()} Street Potters")


def password_hash(password: str, salt: bytes) -> str:
    """As Kilnbook has always stored passwords."""
    return f"{salt.hex()}.{hashlib.scrypt(password.encode(), salt=salt, n=16384, r=8, p=1, dklen=32).hex()}"


def browser_fetch(shopper: Shopper, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
    """One request of JSON from within the page, with the browser's cookies; the decoded answer."""
    init: Object = {"method": method, "headers": {"content-type": "application/json"}}
    if body is not None:
        init["body"] = json.dumps(body)
    try:
        status, text = shopper.page.evaluate(_FETCH, [path, init])
    except PlaywrightError as error:
        if shopper.page.is_closed():
            raise
        raise Failed(f"{path} does not answer the browser", reason=error.message.splitlines()[0]) from None
    if status >= 400:
        raise Failed(f"{method} {path} answered the browser with {status}")
    try:
        return json.loads(text) if text else None
    except ValueError:
        raise Failed(f"{method} {path} answered the browser with no JSON") from None


def sign_up_in_browser(shopper: Shopper, person: Person, studio: str) -> None:
    """Open a studio, so that the browser is signed in."""
    shopper.open("/")
    body = {"name": person.name, "email": person.email, "password": person.password, "team": studio}
    browser_fetch(shopper, "POST", "/api/sign-up", body)
    person.sign_in()


# Buying


@dataclass(frozen=True)
class Asked:
    """An answer of `POST /api/checkout/session`, and the session that was made."""

    status: int
    body: str
    session: Object | None
    made: int

    def made_session(self) -> Object:
        """The session; `Failed` when none was made."""
        if self.session is None:
            raise Failed("POST /api/checkout/session made no Checkout Session", status=self.status)
        return self.session

    @property
    def told(self) -> bool:
        """Whether the answer is an error as everywhere: with a code and a message."""
        try:
            error = json.loads(self.body)["error"]
            return bool(str(error["code"]) and str(error["message"]))
        except (ValueError, KeyError, TypeError):
            return False


def ask(twin: GraderTwin, session: Session, plan: str, **request: Any) -> Asked:
    """`POST /api/checkout/session` as the page does it, or with another `json`, `data` or `params`."""
    mark = twin.mark()
    answer = session.post("/api/checkout/session", **(request or {"json": {"plan": plan}}))
    found = twin.created("checkout.session", since=mark)
    if found or answer.status_code >= 300:
        return Asked(answer.status_code, answer.text[:3000], found[-1] if found else None, len(found))
    return Asked(answer.status_code, answer.text[:3000], _handed_out_again(twin, answer), 0)


def _handed_out_again(twin: GraderTwin, answer: httpx.Response) -> Object | None:
    """A session of before, when the answer has its client secret."""
    try:
        secret = answer.json()["clientSecret"]
    except (ValueError, KeyError, TypeError):
        return None
    return next((one for one in twin.created("checkout.session") if str(secret).startswith(one["id"])), None)


def pay_by_script(twin: GraderTwin, asked: Asked) -> Object:
    """Pay a session as its page would; the subscription that came of it, in the account's version."""
    session = asked.made_session()
    method = twin.stripe.v1.payment_methods.create({"type": "card", "card": {"token": "tok_visa"}})
    form = {
        "payment_method": method.id,
        "customer_details[email]": "buyer@example.test",
        "customer_details[name]": "A Buyer",
    }
    _page(twin, f"{session['id']}/confirm", form)
    subscription = read(twin, f"/v1/checkout/sessions/{session['id']}")["subscription"]
    if not subscription:
        raise Failed("no subscription came of the session")
    return subscription_of(twin, str(subscription))


@dataclass(frozen=True)
class Typed:
    """What came of typing a promotion code into Checkout."""

    taken: bool
    off: int


def type_codes(twin: GraderTwin, price: str, codes: Iterable[str]) -> dict[str, Typed]:
    """Type promotion codes into a Checkout of ours for a price, one after the other."""
    line: Any = {"price": price, "quantity": 1}
    session = twin.stripe.v1.checkout.sessions.create(
        {
            "mode": "subscription",
            "line_items": [line],
            "allow_promotion_codes": True,
            "success_url": "http://127.0.0.1:4242/studio",
        }
    )
    found = {}
    for code in codes:
        answer = _page(twin, session.id, {"promotion_code": code}, allowed=(200, 400))
        details = read(twin, f"/v1/checkout/sessions/{session.id}")["total_details"] or {}
        found[code] = Typed(answer.status_code == 200, int(details.get("amount_discount") or 0))
        if answer.status_code == 200:
            _page(twin, session.id, {"promotion_code": ""})
    return found


def _page(
    twin: GraderTwin, path: str, form: Mapping[str, str], allowed: tuple[int, ...] = (200,)
) -> httpx.Response:
    answer = httpx.post(
        f"{twin.url}/v1/payment_pages/{path}",
        data=dict(form),
        auth=(twin.secret_key, ""),
        trust_env=False,
        timeout=30,
    )
    if answer.status_code not in allowed:
        raise Failed("Checkout's page refuses the session", reason=answer.text[:300])
    return answer


# In the browser


def open_checkout(shopper: Shopper, plan: str) -> None:
    """Open a plan's page and wait until Stripe's Checkout is there."""
    shopper.open(f"/checkout/{plan}")
    checkout_appears(shopper)


def checkout_appears(shopper: Shopper) -> None:
    """Wait until Stripe's card form is there, embedded or not."""
    shopper.require([_CARD], "Checkout's card form does not appear", 25)


def enter_code(shopper: Shopper, code: str) -> None:
    """Type a promotion code into Checkout as a buyer does."""
    opener = shopper.find([css('[data-testid="promotion-code-open"]')], 5)
    if opener is not None:
        shopper.press(opener, "add a promotion code")
    control = shopper.require(
        [css('[name="promotionCode"]')], "Checkout has no place for a promotion code", 5
    )
    shopper.type_into(control, "promotion code", code)
    shopper.press(
        shopper.require([css('[data-testid="promotion-code-apply"]')], "no button to apply it"), "apply"
    )
    shopper.require([css(f'[aria-label*="{code}"]')], "Checkout does not take the promotion code", 10)


def fill_checkout(shopper: Shopper, person: Person) -> None:
    """Fill everything that Checkout asks for."""
    payment_form.fill_card(shopper, payment_form.Card(), 15)
    payment_form.fill_buyer(shopper, person.email, person.name)


def press_pay(shopper: Shopper) -> None:
    """Press Checkout's own button."""
    shopper.press(shopper.require([_SUBMIT], "Checkout has no button to pay with"), "pay")


def pay_and_close(shopper: Shopper, app: App, twin: GraderTwin, person: Person) -> Object:
    """Pay, with the window closed before Kilnbook hears of it; returns the completed session."""
    fill_checkout(shopper, person)
    window = shopper.page
    window.route(f"{app.url}/**", lambda route: route.abort())
    press_pay(shopper)
    session = eventually(lambda: next(iter(completed(twin)), None), "the payment goes through", 30)
    # The shopper goes on in another window. The first stays, cut off from Kilnbook for good: what is under way in a
    # window when it is left or closed may still arrive.
    window.context.new_page()
    return session


def settle(shopper: Shopper) -> None:
    """Wait until the page has asked for all it wants."""
    try:
        shopper.page.wait_for_load_state("networkidle", timeout=10_000)
    except PlaywrightError as error:
        if shopper.page.is_closed() or "Timeout" not in error.message:
            raise


def shows_plan(shopper: Shopper, name: str) -> None:
    """Wait until the studio page shows a plan."""
    place = shopper.page.locator('[data-testid="plan-name"]')
    shopper.wait_until(
        lambda: (
            urlsplit(shopper.page.url).path == "/studio" and place.count() == 1 and place.inner_text() == name
        ),
        f"the studio shows the plan {name}",
        30,
    )


def paying_page(shopper: Shopper, plan: str) -> dict[str, bool]:
    """Whether the card form is in a frame inside our element, on our page."""
    page = shopper.page
    place = page.locator('[data-testid="checkout"]')
    foreign = [frame for frame in page.frames if (urlsplit(frame.url).hostname or "").endswith("stripe.com")]
    card = any(
        frame.locator('[name="cardNumber"], #cardNumber').count() for frame in foreign if frame.parent_frame
    )
    where = urlsplit(page.url)
    return {
        "on our page": where.path == f"/checkout/{plan}" and where.hostname == "127.0.0.1",
        "Checkout in the element": place.count() == 1 and place.locator("iframe").count() > 0 and card,
    }


# What Stripe has, and says


def read(twin: GraderTwin, path: str, **params: Any) -> Object:
    """An object as the account's version has it."""
    answer = twin.client(version=VERSION).raw_request("get", path, **params)
    found: Object = json.loads(answer.body)
    return found


def subscription_of(twin: GraderTwin, subscription: str) -> Object:
    """A subscription in the account's version, with its discounts."""
    return read(twin, f"/v1/subscriptions/{subscription}", expand=["discounts"])


def completed(twin: GraderTwin) -> list[Object]:
    """The Checkout Sessions that were completed, newest first."""
    return [one for one in reversed(twin.created("checkout.session")) if one["status"] == "complete"]


def active_codes(twin: GraderTwin) -> dict[str, list[Object]]:
    """The promotion codes that can be used, with their coupons, by code."""
    data = read(twin, "/v1/promotion_codes", limit=100, active="true", expand=["data.coupon.applies_to"])[
        "data"
    ]
    found: dict[str, list[Object]] = {}
    for one in data:
        found.setdefault(str(one["code"]).upper(), []).append(one)
    return found


def events(twin: GraderTwin) -> list[Object]:
    """What has happened at Stripe and is sent to the webhook, oldest first."""
    found = read(twin, "/v1/events", limit=100, types=list(SENT))["data"]
    return list(reversed(found))


def deliver(app: App, twin: GraderTwin, known: Iterable[str] = ()) -> list[int]:
    """Send the webhook what has happened, signed, except for the events `known`; returns the statuses."""
    skipped = set(known)
    wanted = [event for event in events(twin) if event["id"] not in skipped]
    return [app.send_event(WEBHOOK, event).status_code for event in wanted]


def customers_of(twin: GraderTwin, email: str) -> list[str]:
    """The Stripe customers with an e-mail address."""
    return [one["id"] for one in twin.created("customer") if one["email"] == email]


def sell_magazine(twin: GraderTwin, reference: str, email: str) -> str:
    """The glaze shop's magazine sells a subscription, with an order number that is one of our teams' numbers too; the
    subscription's id.
    """
    stripe = twin.stripe.v1
    product = stripe.products.create({"name": "The Glaze Review"})
    price = stripe.prices.create(
        {"product": product.id, "unit_amount": 700, "currency": "eur", "recurring": {"interval": "month"}}
    )
    session = stripe.checkout.sessions.create(
        {
            "mode": "subscription",
            "line_items": [{"price": price.id, "quantity": 1}],
            "client_reference_id": reference,
            "customer_email": email,
            "success_url": "https://glaze-shop.example.test/thanks",
        }
    )
    made: Object = {"id": session.id}
    return str(pay_by_script(twin, Asked(200, "", made, 1))["id"])


# The trial's own purchase


def require_browser_payment(trial: Any, session: Mapping[str, Any]) -> None:
    """`Failed` unless the session was paid on Checkout's page, embedded in Kilnbook's, in a browser."""
    pages = [
        entry
        for entry in trial.journal.entries
        if entry.get("kind") == "page" and entry.get("session") == session["id"]
    ]
    if not {"load", "submit"} <= {str(entry.get("event")) for entry in pages}:
        raise Failed("the session was never opened and paid in a browser")
    origins = sorted({str(entry.get("referrer") or "") for entry in pages})
    if not any(re.match(r"https?://(127\.0\.0\.1|localhost):4242(/|$)", origin) for origin in origins):
        raise Failed("the session was not opened from Kilnbook on port 4242", referrers=origins)


def mark_ids(twin: GraderTwin, mark: Mark) -> dict[str, int]:
    """How many products, prices, coupons and promotion codes were made since a mark."""
    return {
        kind: len(twin.created(kind, since=mark)) for kind in ("product", "price", "coupon", "promotion_code")
    }
