# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-11d18b7a0b48: keep out of training data
"""What the checks know of Kilnbook: plans to draw, setting it up, its people, paying instalments, and what Stripe has."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from playwright.sync_api import Error as PlaywrightError
from trialbalance.grading import App, Draw, Failed, GraderTwin, Mark, Session, Shopper
from trialbalance.grading.state import objects_of

VERSION = "2025-08-27.basil"
"""The account's API version: how Stripe renders the events it sends."""
PLANS = "/app/var/drawn-plans.json"
WEBHOOK = "/api/stripe/webhook"
SENT = (
    "checkout.session.completed",
    "checkout.session.expired",
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
    "invoice.paid",
)
"""What the webhook endpoint is sent."""
HOUR, DAY = 3600, 86_400
NOTHING = (None, None)
"""Plan and status of a team without a plan."""
MADE = ("customer", "checkout.session", "subscription", "invoice", "payment_intent")
"""What a purchase makes at Stripe."""

_WRITE = "import pathlib, sys; p = pathlib.Path(sys.argv[1]); p.parent.mkdir(exist_ok=True); p.write_text(sys.argv[2], 'utf-8')"
_READY = 'for i in $(seq 100); do "$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)/pg_isready" -q -h 127.0.0.1 && exit 0; sleep 0.1; done; exit 1'
_FETCH = (
    """([path, init]) => fetch(path, init).then(async (answer) => [answer.status, await answer.text()])"""
)

Object = dict[str, Any]
Standing = tuple[Any, Any]
Entries = list[tuple[str, str]]


# Plans


@dataclass(frozen=True)
class Plan:
    """A plan of the drawn file."""

    code: str
    name: str
    amount: int
    interval: str
    trial_days: int
    kilns: int
    instalments: int = 1

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
            **({"instalments": 2} if self.instalments == 2 else {}),
        }

    @property
    def halves(self) -> tuple[int, int]:
        """The two instalments."""
        return (self.amount + 1) // 2, self.amount // 2


@dataclass(frozen=True)
class Offer:
    """Plans that no agent has seen: two in instalments, of which `odd` cannot be halved; `plain` with a trial; `gone`,
    which is taken off sale.
    """

    currency: str
    odd: Plan
    even: Plan
    plain: Plan
    gone: Plan

    def document(self, *plans: Plan) -> Object:
        """A plans file."""
        return {"currency": self.currency, "plans": [plan.entry() for plan in plans]}


def draw_offer(draw: Draw) -> Offer:
    """Four plans."""
    words = [draw.word() for _ in range(4)]
    kilns = draw.shuffled([3, 5, 8, 13])
    number = draw.integer(11, 60)
    names = [
        f"{word.title()} & {draw.choice(('Sons', 'Ash', 'Slip', 'Glaze'))} {number + at}"
        for at, word in enumerate(words)
    ]
    codes = [f"{word}-{number + at}" for at, word in enumerate(words)]
    half = draw.integer(10_001, 45_000)
    return Offer(
        currency=draw.choice(("gbp", "usd", "chf")),
        odd=Plan(
            codes[0], names[0], 2 * half + 1, draw.choice(("month", "year")), 0, kilns[0], instalments=2
        ),
        even=Plan(codes[1], names[1], 2 * draw.integer(4_000, 9_000), "month", 0, kilns[1], instalments=2),
        plain=Plan(codes[2], names[2], draw.amount(900, 4_000), "month", draw.integer(5, 25), kilns[2]),
        gone=Plan(codes[3], names[3], draw.amount(900, 4_000), "month", 0, kilns[3], instalments=2),
    )


def shown(amount: int) -> str:
    """The figures of an amount as Kilnbook's pages write it."""
    cents = f".{amount % 100:02}" if amount % 100 else ""
    return f"{amount // 100:,}{cents}"


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
    sync(app, offer.document(offer.odd, offer.even, offer.plain, offer.gone))
    return offer


def stop_deliveries(twin: GraderTwin) -> None:
    """Disable the account's webhook endpoints."""
    for endpoint in twin.stripe.v1.webhook_endpoints.list().data:
        twin.stripe.v1.webhook_endpoints.update(endpoint.id, {"disabled": True})


def sync(app: App, document: Mapping[str, Any]) -> None:
    """Write a plans file and have it taken over."""
    done = app.run(
        ["/usr/bin/python3", "-I", "-c", _WRITE, PLANS, json.dumps(document, ensure_ascii=False, indent=2)]
    )
    if done.exit_code != 0:
        raise Failed(f"{PLANS} could not be written", stderr=done.stderr[-500:])
    command(app, "stripe:sync")


def command(app: App, name: str) -> None:
    """Run one of the project's commands on the drawn plans."""
    done = app.run(["/usr/bin/env", f"PLANS_PATH={PLANS}", "npm", "run", "--silent", name])
    if done.exit_code != 0:
        raise Failed(f"npm run {name} ended with exit code {done.exit_code}", stderr=done.stderr[-500:])


def execute(app: App, *statements: str) -> None:
    """Run SQL on Kilnbook's database."""
    steps = [part for statement in statements for part in ("-c", statement)]
    place = ["-h", "127.0.0.1", "-U", "postgres", "-d", "kilnbook"]
    done = app.run(["psql", "-X", "-q", *place, "-v", "ON_ERROR_STOP=1", *steps])
    if done.exit_code != 0:
        raise Failed("the database does not take a change", stderr=done.stderr[-500:])


def price_of(twin: GraderTwin, plan: Plan) -> str:
    """The id of the price that Stripe has for a plan."""
    data = twin.stripe.v1.prices.list({"lookup_keys": [f"kilnbook_{plan.code}"], "active": True}).data
    if not data or data[0].unit_amount != plan.amount:
        raise Failed("stripe:sync has not told Stripe the price of every plan", plan=plan.code)
    return str(data[0].id)


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
        self.session.call("POST", "/api/sign-in", json={"email": self.email, "password": self.password})
        return self

    def member(self, app: App, draw: Draw) -> Person:
        """Somebody this owner adds to the studio."""
        other = new_person(app, draw)
        body = {"name": other.name, "email": other.email, "password": other.password}
        self.session.call("POST", "/api/members", json=body, status=201)
        return other.sign_in()

    def team(self) -> Object:
        """The team as `/api/me` shows it."""
        body = self.session.call("GET", "/api/me")
        team = body.get("team") if isinstance(body, dict) else None
        if not isinstance(team, dict):
            raise Failed("GET /api/me has no team")
        return team

    def purchase(self) -> Object | None:
        """The purchase that is under way, as `/api/me` shows it."""
        purchase = self.team().get("purchase")
        if purchase is not None and not isinstance(purchase, dict):
            raise Failed("the purchase of GET /api/me is neither null nor an object", purchase=purchase)
        return purchase

    def standing(self) -> Standing:
        """Plan and status of the subscription."""
        team = self.team()
        return team.get("plan"), team.get("subscriptionStatus")

    def activity(self) -> Entries:
        """Action and detail of what has happened, oldest first."""
        body = self.session.call("GET", "/api/activity")
        try:
            return [(str(entry["action"]), str(entry["detail"])) for entry in reversed(body["activity"])]
        except (KeyError, TypeError):
            raise Failed("GET /api/activity has no list of actions with details") from None

    def comes_back(self, session: Mapping[str, Any]) -> None:
        """The way back from Checkout."""
        self.session.get("/api/checkout/return", params={"session_id": session["id"]})


def new_person(app: App, draw: Draw) -> Person:
    """Somebody who has no account yet."""
    drawn = draw.person()
    return Person(app, drawn.name, drawn.email, f"kiln {draw.integer(10_000_000, 99_999_999)}")


def new_owner(app: App, draw: Draw) -> Person:
    """Somebody with a studio of their own."""
    return new_person(app, draw).sign_up(f"{draw.email().split('@')[0]} Guild")


def password_hash(password: str, salt: bytes) -> str:
    """As Kilnbook has always stored passwords."""
    return f"{salt.hex()}.{hashlib.scrypt(password.encode(), salt=salt, n=16384, r=8, p=1, dklen=32).hex()}"


def sign_up_in_browser(shopper: Shopper, person: Person, studio: str) -> None:
    """Open a studio, so that the browser is signed in."""
    shopper.open("/")
    body = {"name": person.name, "email": person.email, "password": person.password, "team": studio}
    init = {"method": "POST", "headers": {"content-type": "application/json"}, "body": json.dumps(body)}
    try:
        status, _ = shopper.page.evaluate(_FETCH, ["/api/sign-up", init])
    except PlaywrightError as error:
        if shopper.page.is_closed():
            raise
        raise Failed("signing up does not answer", reason=error.message.splitlines()[0]) from None
    if status != 201:
        raise Failed(f"POST /api/sign-up answered the browser with {status}")
    person.sign_in()


# Buying


@dataclass(frozen=True)
class Asked:
    """An answer of `POST /api/checkout`, the session it leads to, and how many things were made at Stripe."""

    status: int
    body: str
    session: Object | None
    made: dict[str, int]

    @property
    def checkout(self) -> Object:
        """The session; `Failed` when the answer leads to none."""
        if self.session is None:
            raise Failed("POST /api/checkout does not lead to a Checkout Session", status=self.status)
        return self.session

    @property
    def instalment(self) -> Object:
        """The session, when it is one for a single payment."""
        if self.checkout["mode"] != "payment":
            raise Failed(
                "the Checkout for a plan in instalments is not one for a payment", mode=self.checkout["mode"]
            )
        return self.checkout

    @property
    def told(self) -> bool:
        """Whether the answer is an error as everywhere: with a code and a message."""
        try:
            error = json.loads(self.body)["error"]
            return bool(str(error["code"]) and str(error["message"]))
        except (ValueError, KeyError, TypeError):
            return False


def ask(twin: GraderTwin, session: Session, plan: str, **request: Any) -> Asked:
    """`POST /api/checkout` as the page does it, or with other `data`, `json` or `params`."""
    mark = twin.mark()
    answer = session.post("/api/checkout", **(request or {"data": {"plan": plan}}))
    found = _session_of(twin, answer) if answer.status_code == 303 else None
    return Asked(answer.status_code, answer.text[:3000], found, made_since(twin, mark))


def made_since(twin: GraderTwin, mark: Mark) -> dict[str, int]:
    """How many things of a purchase were made at Stripe since a mark."""
    state = twin.state()
    made = {kind: sum(one["id"] not in mark.ids for one in objects_of(state, kind)) for kind in MADE}
    return {kind: number for kind, number in made.items() if number}


def _session_of(twin: GraderTwin, answer: httpx.Response) -> Object | None:
    """The session whose page an answer leads to."""
    where = answer.headers.get("location", "")
    found = re.search(r"cs_test_\w+", where)
    if not where.startswith("https://checkout.stripe.com/") or found is None:
        return None
    known = [one["id"] for one in twin.created("checkout.session")]
    return session_of(twin, found.group()) if found.group() in known else None


def pay(twin: GraderTwin, asked: Asked, token: str = "tok_visa") -> Object:
    """Pay a session as its page would; returns it."""
    session = asked.checkout
    answer = try_to_pay(twin, session, token)
    if answer.status_code != 200:
        raise Failed("Checkout's page does not take the payment", reason=answer.text[:300])
    return session_of(twin, session["id"])


def try_to_pay(twin: GraderTwin, session: Mapping[str, Any], token: str = "tok_visa") -> httpx.Response:
    """What Checkout's page answers when somebody pays."""
    method = twin.stripe.v1.payment_methods.create({"type": "card", "card": {"token": token}})
    form = {
        "payment_method": method.id,
        "customer_details[email]": "buyer@example.test",
        "customer_details[name]": "A Buyer",
    }
    return httpx.post(
        f"{twin.url}/v1/payment_pages/{session['id']}/confirm",
        data=form,
        auth=(twin.secret_key, ""),
        trust_env=False,
        timeout=30,
    )


# What Stripe has, and says


def read(twin: GraderTwin, path: str, **params: Any) -> Object:
    """An object as the account's version has it."""
    answer = twin.client(version=VERSION).raw_request("get", path, **params)
    found: Object = json.loads(answer.body)
    return found


def session_of(twin: GraderTwin, identifier: str) -> Object:
    """A Checkout Session."""
    return read(twin, f"/v1/checkout/sessions/{identifier}")


def customers_of(twin: GraderTwin, email: str) -> list[str]:
    """The Stripe customers with an e-mail address."""
    return [one["id"] for one in twin.created("customer") if one["email"] == email]


def subscriptions_of(twin: GraderTwin, email: str) -> list[Object]:
    """The subscriptions of customers with an e-mail address, oldest first, whatever their status."""
    found: list[Object] = []
    for customer in customers_of(twin, email):
        found += read(twin, "/v1/subscriptions", customer=customer, status="all", limit=100)["data"]
    return sorted(found, key=lambda one: one["created"])


def statuses_of(twin: GraderTwin, email: str) -> list[str]:
    """The statuses of their subscriptions."""
    return sorted(one["status"] for one in subscriptions_of(twin, email))


def left(twin: GraderTwin, email: str) -> dict[str, int]:
    """How many things of somebody are waiting or can be paid at Stripe."""
    customers = customers_of(twin, email)
    sessions = [
        one
        for one in twin.created("checkout.session")
        if one["customer"] in customers or email in (one["customer_email"], _typed(one))
    ]
    return {
        "open Checkouts": sum(one["status"] == "open" for one in sessions),
        "open invoices": sum(
            one["customer"] in customers and one["status"] in ("open", "draft")
            for one in twin.created("invoice")
        ),
        "waiting subscriptions": sum(status == "incomplete" for status in statuses_of(twin, email)),
    }


def _typed(session: Mapping[str, Any]) -> Any:
    return (session["customer_details"] or {}).get("email")


@dataclass(frozen=True)
class Bought:
    """A subscription that somebody has bought, and how its first invoice was paid."""

    status: str
    price: list[tuple[str, int]]
    customer: str
    invoice: Object
    payments: list[tuple[str, int, str]]
    """Status, amount and payment intent of the invoice's payments that are not canceled, in the order they came."""


def bought(twin: GraderTwin, email: str) -> Bought:
    """The one subscription of somebody that has not ended, with its first invoice; `Failed` when there is none."""
    living = [one for one in subscriptions_of(twin, email) if one["status"] in ("active", "trialing")]
    if len(living) != 1:
        raise Failed(
            f"there are {len(living)} running subscriptions of a buyer who has paid both instalments, not one",
            statuses=statuses_of(twin, email),
        )
    (subscription,) = living
    own = read(twin, "/v1/invoices", subscription=subscription["id"], limit=100)["data"]
    first = min(own, key=lambda one: (one["created"], one["billing_reason"] != "subscription_create"))
    rows = read(twin, "/v1/invoice_payments", invoice=first["id"], limit=100)["data"]
    payments = [
        (row["status"], row["amount_paid"] or 0, str(row["payment"].get("payment_intent")))
        for row in reversed(rows)
        if row["status"] != "canceled"
    ]
    items = [(item["price"]["id"], item["quantity"]) for item in subscription["items"]["data"]]
    return Bought(subscription["status"], items, str(subscription["customer"]), first, payments)


def given_back(twin: GraderTwin, session: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Status and amount of what was given back of a paid session."""
    data = read(twin, "/v1/refunds", payment_intent=str(session["payment_intent"]), limit=100)["data"]
    return [(one["status"], one["amount"]) for one in data]


def events(twin: GraderTwin, known: Iterable[str] = ()) -> list[Object]:
    """What has happened at Stripe and is sent to the webhook, oldest first, without the events `known`."""
    skipped = set(known)
    found = read(twin, "/v1/events", limit=100, types=list(SENT))["data"]
    return [event for event in reversed(found) if event["id"] not in skipped]


class Post:
    """Stripe's events on their way to Kilnbook: each is delivered once, unless it is sent again on purpose."""

    def __init__(self, app: App, twin: GraderTwin) -> None:
        self.app, self.twin = app, twin
        self.known: list[str] = []

    def waiting(self) -> list[Object]:
        """Events that have not been delivered."""
        return events(self.twin, self.known)

    def skip(self) -> None:
        """Let nobody hear of what has happened so far."""
        self.known += [event["id"] for event in self.waiting()]

    def deliver(self) -> list[int]:
        """Send what is new; the statuses of the answers."""
        return [self.send(event) for event in self.waiting()]

    def send(self, event: Object) -> int:
        """Send one event, again or for the first time."""
        self.known.append(event["id"])
        return self.app.send_event(WEBHOOK, event).status_code


def sell_glaze(twin: GraderTwin, reference: str, plan: Plan, currency: str) -> Object:
    """The glaze shop sells something for as much as a second instalment, with an order number that is one of our teams'
    numbers too; the session.
    """
    line: Any = {
        "price_data": {
            "currency": currency,
            "unit_amount": plan.halves[1],
            "product_data": {"name": "Celadon"},
        },
        "quantity": 1,
    }
    session = twin.stripe.v1.checkout.sessions.create(
        {
            "mode": "payment",
            "line_items": [line],
            "client_reference_id": reference,
            "metadata": {
                "order": reference,
                "team": reference,
                "team_id": reference,
                "plan": plan.code,
                "instalment": "2",
            },
            "success_url": "https://glaze-shop.example.test/thanks",
        }
    )
    made = session_of(twin, session.id)
    return pay(twin, Asked(303, "", made, {}))


def shows_plan(shopper: Shopper, name: str) -> None:
    """Wait until the studio page shows a plan."""
    place = shopper.page.locator('[data-testid="plan-name"]')
    shopper.wait_until(
        lambda: "/studio" in shopper.page.url and place.count() == 1 and place.inner_text() == name,
        f"the studio shows the plan {name}",
        30,
    )


# The trial's own purchase


def require_browser_payment(trial: Any, session: Mapping[str, Any]) -> None:
    """`Failed` unless the session was paid on Checkout's page in a browser that came from Kilnbook."""
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
