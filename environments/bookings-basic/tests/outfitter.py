# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-f7d83436b58c: keep out of training data
"""What the checks know of the company: trips to draw, a fresh desk to set up, buying, listing and refunding."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from trialbalance.grading import App, Draw, Failed, GraderTwin

Json = dict[str, Any]

VISA = "pm_card_visa"
TRIPS = "var/other-trips.json"
SHOWN = (
    "source", "ref", "trip", "date", "people", "name", "email", "currency", "total", "paid", "refunded", "status",
    "refundable", "remark",
)  # fmt: skip
_PERCENTS = (7, 14, 28, 29, 55, 56, 57, 58)


# Trips


@dataclass(frozen=True)
class Trip:
    """A trip; `price` is for one person, in minor units."""

    code: str
    name: str
    currency: str
    price: int
    max_party: int
    deposit_percent: int
    group_from: int = 0
    group_percent: int = 0
    retired: bool = False

    def total(self, people: int) -> int:
        """What a party pays: half a unit of the group's discount is rounded up."""
        full = self.price * people
        if not self.group_from or people < self.group_from:
            return full
        return full - (2 * full * self.group_percent + 100) // 200

    def deposit(self, people: int) -> int:
        """What a party pays at once, rounded up."""
        return -(-self.total(people) * self.deposit_percent // 100)

    def document(self) -> Json:
        """The trip as `load-trips.js` reads it."""
        digits = 0 if self.currency == "jpy" else 2
        price = f"{self.price // 10**digits}" + (f".{self.price % 100:02}" if digits else "")
        entry: Json = {
            "code": self.code,
            "name": self.name,
            "currency": self.currency,
            "price": price,
            "max_party": self.max_party,
            "deposit_percent": self.deposit_percent,
        }
        if self.group_from:
            entry["group"] = {"from": self.group_from, "percent": self.group_percent}
        if self.retired:
            entry["retired"] = True
        return entry


@dataclass(frozen=True)
class Season:
    """Trips of every sort: a part now, all now, nothing now; groups; yen; one whose deposit floats go wrong; retired."""

    part: Trip
    whole: Trip
    nothing: Trip
    yen: Trip
    exact: Trip
    retired: Trip

    @property
    def trips(self) -> tuple[Trip, ...]:
        """All of them."""
        return (self.part, self.whole, self.nothing, self.yen, self.exact, self.retired)

    @property
    def on_sale(self) -> tuple[Trip, ...]:
        """Those that can be had."""
        return self.trips[:-1]

    def document(self) -> str:
        """The file that `load-trips.js` reads."""
        return json.dumps([trip.document() for trip in self.trips], ensure_ascii=False)


def draw_season(draw: Draw) -> Season:
    """Trips that no agent has seen. By code they stand in another order than by name."""
    names = sorted(product.name for product in draw.products(6))
    letters = "FEDCBA"  # the names are sorted the other way round
    codes = [f"{letter}{draw.word().upper()}-{draw.integer(100, 999)}" for letter in letters]
    order = draw.shuffled(range(6))
    titles = [(codes[index], names[index]) for index in order]
    price, percent = draw.choice(
        [
            (price, percent)
            for price in range(6000, 9000, 50)
            for percent in _PERCENTS
            if price * percent % 100 == 0 and math.ceil(price * (percent / 100)) != price * percent // 100
        ]
    )
    coin = draw.shuffled(("gbp", "eur", "nok"))
    part = draw.choice(
        [
            Trip(*titles[0], coin[0], amount, 9, percent, 5, 15)
            for amount in range(5003, 9000, 7)
            for percent in (23, 31, 37)
            if amount * 2 * percent % 100 in range(10, 50) and amount * 6 * 15 % 100 >= 50
        ]
    )
    return Season(
        part=part,
        whole=Trip(*titles[1], coin[1], draw.amount(6000, 9000), 6, 100),
        nothing=Trip(*titles[2], coin[2], draw.amount(6000, 9000), 8, 0),
        yen=Trip(*titles[3], "jpy", draw.integer(5001, 9999), 4, draw.integer(20, 40)),
        exact=Trip(*titles[4], coin[1], price, 5, percent),
        retired=Trip(*titles[5], coin[2], draw.amount(6000, 9000), 5, 50, retired=True),
    )


def draw_day(draw: Draw) -> str:
    """A day of the season, month ends and leap days among them."""
    return draw.choice(
        ("2026-05-31", "2026-12-31", "2028-02-29", "2026-09-30", "2027-01-01")
        + tuple(f"2026-{month:02}-{day:02}" for month in (4, 7, 8) for day in (3, 14, 29))
    )


# The desk


@dataclass
class Desk:
    """The app on a database of its own, with drawn trips and a drawn token for the office."""

    app: App
    twin: GraderTwin
    draw: Draw
    season: Season
    token: str
    database: str
    sent: int = 0
    known: set[str] = field(default_factory=set)

    def script(self, *argv: str) -> tuple[int, str, str]:
        """One of the project's scripts on this desk's database."""
        done = self.app.run(["env", f"DATABASE_PATH={self.database}", "node", *argv])
        return done.exit_code, done.stdout, done.stderr

    def put(self, path: str, text: str) -> None:
        """Write a file below /app, inside the sandbox."""
        place = shlex.quote(path)
        done = self.app.run(["sh", "-c", f"mkdir -p var && printf %s \"$1\" > {place}", "put", text])
        if done.exit_code != 0:
            raise Failed(f"{path} cannot be written below /app")

    def load_trips(self, season: Season) -> None:
        """Give the company these trips."""
        self.put(TRIPS, season.document())
        code, _, _ = self.script("scripts/load-trips.js", TRIPS)
        if code != 0:
            raise Failed("scripts/load-trips.js does not load other trips any more", exit_code=code)

    def start(self) -> None:
        """Start the app on this desk."""
        self.app.start({"DATABASE_PATH": self.database, "OFFICE_TOKEN": self.token})

    @property
    def office(self) -> dict[str, str]:
        """The office's headers."""
        return {"authorization": f"Bearer {self.token}"}

    def request(self, trip: Trip, pay: str = "full", **more: Any) -> Json:
        """What the page sends: a fresh attempt of a fresh person, unless `more` says otherwise."""
        self.sent += 1
        person = self.draw.person()
        return {
            "request_id": f"attempt-{self.draw.integer(10**6, 10**7)}-{self.sent}",
            "trip": trip.code,
            "date": draw_day(self.draw),
            "people": 2,
            "name": person.name,
            "email": person.email,
            "pay": pay,
            "payment_method": VISA,
            **more,
        }

    def buy(self, trip: Trip, pay: str = "full", **more: Any) -> Sale:
        """Send a purchase, and see what came of it."""
        return self.send(self.request(trip, pay, **more))

    def send(self, request: Json) -> Sale:
        """Send a purchase as it is, and see what came of it here and in Stripe."""
        response = self.app.post("/api/bookings", json=request)
        made = self.look()
        return Sale(
            request=request,
            status=response.status_code,
            body=decoded(response),
            payments=made["payment_intent"],
            setups=made["setup_intent"],
            customers=made["customer"],
        )

    def look(self) -> dict[str, list[Json]]:
        """The objects that Stripe has got since the last look, by kind."""
        state = self.twin.state()
        kinds = state["accounts"][state["account"]]
        made = {}
        for kind in ("payment_intent", "setup_intent", "customer", "refund"):
            made[kind] = [item for item in kinds.get(kind, []) if item["id"] not in self.known]
            self.known.update(item["id"] for item in made[kind])
        return made

    def booked(self, trip: Trip, pay: str = "full", **more: Any) -> Sale:
        """A purchase that has to work for anything else to be seen."""
        sale = self.buy(trip, pay, **more)
        if sale.status != 201:
            raise Failed("a good card does not make a booking", status=sale.status, code=sale.code)
        return sale

    def list(self) -> list[Json]:
        """The office's list."""
        answer = self.app.call("GET", "/api/bookings", headers=self.office)
        found = answer.get("bookings") if isinstance(answer, dict) else None
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            raise Failed("GET /api/bookings does not answer with a list of bookings")
        return found

    def refund(self, booking: object, headers: Mapping[str, str] | None = None) -> Answer:
        """Ask for a refund."""
        response = self.app.post(
            f"/api/bookings/{booking}/refund", headers=self.office if headers is None else dict(headers)
        )
        return Answer(response.status_code, decoded(response))


@dataclass(frozen=True)
class Answer:
    """A status and the JSON with it; an empty object when it was none."""

    status: int
    body: Json

    @property
    def code(self) -> object:
        """The code of an error."""
        error = self.body.get("error")
        return error.get("code") if isinstance(error, dict) else None


@dataclass(frozen=True)
class Sale(Answer):
    """A purchase: what was sent, what was answered, and what Stripe holds of it."""

    request: Json = field(default_factory=dict)
    payments: list[Json] = field(default_factory=list)
    setups: list[Json] = field(default_factory=list)
    customers: list[Json] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The booking's id."""
        return str(self.body.get("id"))

    def taken(self) -> list[tuple[int, str]]:
        """What was really taken: amounts and currencies."""
        return [(item["amount_received"], item["currency"]) for item in self.payments if item["amount_received"]]

    def payment(self) -> Json:
        """The one PaymentIntent that succeeded; `Failed` without."""
        done = [item for item in self.payments if item["status"] == "succeeded"]
        if len(done) != 1:
            raise Failed(f"the purchase has {len(done)} PaymentIntents that succeeded, not one")
        return done[0]

    def setup(self) -> Json:
        """The one SetupIntent that succeeded; `Failed` without."""
        done = [item for item in self.setups if item["status"] == "succeeded"]
        if len(done) != 1:
            raise Failed(f"the purchase has {len(done)} SetupIntents that succeeded, not one")
        return done[0]

    def left_open(self) -> list[str]:
        """Intents that could still be completed."""
        over = {"payment_intent": ("canceled",), "setup_intent": ("canceled", "succeeded")}
        return [
            f"{item['object']} {item['status']}"
            for item in (*self.payments, *self.setups)
            if item["status"] not in over[item["object"]]
        ]


def decoded(response: httpx.Response) -> Json:
    """The JSON object of an answer, or an empty one."""
    try:
        body = json.loads(response.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def set_up(app: App, twin: GraderTwin, draw: Draw) -> Desk:
    """A fresh desk with drawn trips; the app is not started yet."""
    season = draw_season(draw)
    token = f"{draw.word()}-{draw.integer(10**7, 10**8)}"
    desk = Desk(app, twin, draw, season, token, f"/app/var/{draw.word()}-desk.db")
    desk.load_trips(season)
    return desk


def find(bookings: Sequence[Json], id: str) -> Json:
    """A booking of the list by its id; `Failed` when it is not there exactly once."""
    found = [item for item in bookings if item.get("id") == id]
    if len(found) != 1:
        raise Failed(f"the list has the booking {len(found)} times, not once")
    return found[0]


def missing_fields(booking: Json) -> list[str]:
    """Fields that a booking is shown without."""
    return [name for name in ("id", *SHOWN) if name not in booking]
