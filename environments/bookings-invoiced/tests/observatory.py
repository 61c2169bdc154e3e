# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-50473919612b: keep out of training data
"""What the checks know of the observatory: sessions to draw, a fresh desk, migrating, buying, and what Stripe holds."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from trialbalance.grading import App, Database, Draw, Failed, GraderTwin

Json = dict[str, Any]

VISA = "pm_card_visa"
MIGRATE = "scripts/migrate.ts"
BASIL, ACACIA = "2025-08-27.basil", "2025-02-24.acacia"
COLUMNS = (
    "ref", "source", "session", "night", "guest", "email", "seats", "currency", "amount", "state", "stripe_customer",
    "stripe_invoice",
)  # fmt: skip
DAY = 86_400


@dataclass(frozen=True)
class Session:
    """A kind of evening."""

    code: str
    name: str
    seats: int
    retired: bool = False

    def document(self) -> Json:
        """The session as `load-sessions.ts` reads it."""
        entry: Json = {"code": self.code, "name": self.name, "seats": self.seats}
        return {**entry, "retired": True} if self.retired else entry


@dataclass(frozen=True)
class Year:
    """The sessions of a year: two that anything may be written about, two with a history of prices, one that nobody kept a
    booking of, one of earlier years.
    """

    plain: Session
    other: Session
    priced: Session
    abroad: Session
    cancelled: Session
    retired: Session

    @property
    def sessions(self) -> tuple[Session, ...]:
        """All of them."""
        return (self.plain, self.other, self.priced, self.abroad, self.cancelled, self.retired)

    def document(self) -> str:
        """The file that `load-sessions.ts` reads."""
        return json.dumps([session.document() for session in self.sessions], ensure_ascii=False)


def draw_year(draw: Draw) -> Year:
    """Sessions that no agent has seen; by code they stand in another order than by name."""
    names = [product.name for product in draw.products(6)]
    codes = [f"{draw.word().upper()}-{draw.integer(100, 999)}" for _ in names]
    made = [
        Session(code, f"{name} Night", draw.integer(5, 9), retired=index == 5)
        for index, (code, name) in enumerate(zip(codes, names, strict=True))
    ]
    return Year(*made)


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
class Books:
    """Both sides at one moment: the rows of `bookings`, and what the account holds, the shop's things left out.

    Objects have the shape of `BASIL`; `outside` are the ids of invoices that were paid out of band.
    """

    rows: list[Json]
    products: list[Json]
    prices: list[Json]
    customers: list[Json]
    invoices: list[Json]
    items: list[Json]
    outside: frozenset[str]
    charged: list[str]

    def row(self, ref: str) -> Json:
        """The row of a booking; `Failed` when it is not there exactly once."""
        found = [row for row in self.rows if row["ref"] == ref]
        if len(found) != 1:
            raise Failed(f"the database has a booking {len(found)} times, not once")
        return found[0]

    def invoices_of(self, ref: str) -> list[Json]:
        """The invoices that name a booking."""
        return [item for item in self.invoices if (item["metadata"] or {}).get("booking") == ref]

    def invoice(self, ref: str) -> Json:
        """The one invoice of a booking."""
        found = self.invoices_of(ref)
        if len(found) != 1:
            raise Failed(f"a booking has {len(found)} invoices, not one", statuses=[item["status"] for item in found])
        return found[0]

    def product(self, session: Session) -> Json:
        """The one product of a session."""
        found = [item for item in self.products if item["metadata"].get("session") == session.code]
        if len(found) != 1:
            raise Failed(f"a session has {len(found)} products, not one")
        return found[0]

    def prices_of(self, session: Session) -> list[tuple[str, int]]:
        """The prices of a session's product as (currency, amount), sorted."""
        id = self.product(session)["id"]
        return sorted((item["currency"], item["unit_amount"]) for item in self.prices if item["product"] == id)

    def line(self, invoice: Json) -> Json:
        """The one line of an invoice, as its session's code, price of a seat and seats."""
        lines = invoice["lines"]["data"]
        if len(lines) != 1:
            raise Failed(f"an invoice has {len(lines)} lines, not one")
        details = (lines[0]["pricing"] or {}).get("price_details") or {}
        price = next((item for item in self.prices if item["id"] == details.get("price")), None)
        product = next((item for item in self.products if price and item["id"] == price["product"]), None)
        return {
            "session": product["metadata"].get("session") if product else None,
            "each": price["unit_amount"] if price else None,
            "seats": lines[0]["quantity"],
            "amount": lines[0]["amount"],
        }


@dataclass
class Desk:
    """The app on an empty database, with drawn sessions and a drawn token for the office."""

    app: App
    twin: GraderTwin
    database: Database
    draw: Draw
    year: Year
    token: str
    shop: set[str] = field(default_factory=set)
    sent: int = 0

    def script(self, *argv: str) -> tuple[int, str, str]:
        """One of the project's scripts."""
        done = self.app.run(["node", "--import", "tsx", *argv], timeout=300)
        return done.exit_code, done.stdout, done.stderr

    def put(self, path: str, text: str) -> None:
        """Write a file below /app, inside the sandbox."""
        place = shlex.quote(path)
        done = self.app.run(["sh", "-c", f"mkdir -p var && printf %s \"$1\" > {place}", "put", text])
        if done.exit_code != 0:
            raise Failed(f"{path} cannot be written below /app")

    def keep_shop(self) -> None:
        """Whatever Stripe holds now is the shop's."""
        state = self.twin.state()
        self.shop = {item["id"] for kind in state["accounts"][state["account"]].values() for item in kind}

    def books(self) -> Books:
        """Look at both sides."""
        columns = ", ".join(f"{name}::text AS {name}" if name == "night" else name for name in COLUMNS)
        rows = self.database.rows(f"SELECT {columns} FROM bookings ORDER BY ref")
        v1 = self.twin.client(version=BASIL).v1
        old = self.twin.client(version=ACACIA).v1

        def mine(found: Any) -> list[Json]:
            return [item.to_dict() for item in found.auto_paging_iter() if item.id not in self.shop]

        outside = {item["id"] for item in mine(old.invoices.list({"limit": 100})) if item.get("paid_out_of_band")}
        charges = mine(v1.charges.list({"limit": 100}))
        return Books(
            rows=rows,
            products=mine(v1.products.list({"limit": 100})),
            prices=mine(v1.prices.list({"limit": 100})),
            customers=mine(v1.customers.list({"limit": 100})),
            invoices=mine(v1.invoices.list({"limit": 100})),
            items=mine(v1.invoice_items.list({"limit": 100})),
            outside=frozenset(outside),
            charged=[item["id"] for item in charges if item["paid"]],
        )

    @property
    def office(self) -> dict[str, str]:
        """The office's headers."""
        return {"authorization": f"Bearer {self.token}"}

    def request(self, session: Session, currency: str, pay: str = "card", **more: Any) -> Json:
        """What the page sends: a fresh attempt of a fresh person, unless `more` says otherwise."""
        self.sent += 1
        person = self.draw.person()
        request = {
            "request_id": f"attempt-{self.draw.integer(10**6, 10**7)}-{self.sent}",
            "session": session.code,
            "night": self.draw.choice(("2026-05-31", "2026-12-31", "2028-02-29", "2026-09-30", "2027-01-01")),
            "seats": 3,
            "currency": currency,
            "guest": person.name,
            "email": person.email,
            "pay": pay,
        }
        if pay == "card":
            request["payment_method"] = VISA
        return {**request, **more}

    def send(self, request: Json) -> Answer:
        """Send a purchase as it is."""
        response = self.app.post("/api/bookings", json=request)
        return Answer(response.status_code, decoded(response))

    def booked(self, request: Json) -> Answer:
        """A purchase that has to work for anything else to be seen."""
        answer = self.send(request)
        if answer.status != 201:
            raise Failed("a good request does not make a booking", status=answer.status, code=answer.code)
        return answer

    def look_up(self, ref: object, headers: Mapping[str, str] | None = None) -> Answer:
        """Ask for a booking as the office, unless `headers` say otherwise."""
        asked = self.office if headers is None else dict(headers)
        response = self.app.get(f"/api/bookings/{ref}", headers=asked)
        return Answer(response.status_code, decoded(response))


def decoded(response: httpx.Response) -> Json:
    """The JSON object of an answer, or an empty one."""
    try:
        body = json.loads(response.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def set_up(app: App, twin: GraderTwin, database: Database, draw: Draw) -> Desk:
    """A desk with an empty database and drawn sessions; the app is not started yet."""
    app.start_services()
    psql = ["/usr/bin/psql", "-X", "-q", "-h", "127.0.0.1", "-U", "nightjar", "-d", "postgres", "-v", "ON_ERROR_STOP=1"]
    empty = ("DROP DATABASE IF EXISTS nightjar WITH (FORCE)", "CREATE DATABASE nightjar TEMPLATE template0")
    done = app.run([*psql, *(part for sql in empty for part in ("-c", sql))])
    if done.exit_code != 0:
        raise Failed("there is no database to be made on the PostgreSQL server", said=done.stderr[:200])
    year = draw_year(draw)
    desk = Desk(app, twin, database, draw, year, f"{draw.word()}-{draw.integer(10**7, 10**8)}")
    desk.put("var/other-sessions.json", year.document())
    code, _, _ = desk.script("scripts/load-sessions.ts", "var/other-sessions.json")
    if code != 0:
        raise Failed("scripts/load-sessions.ts does not load other sessions any more", exit_code=code)
    return desk


def differing(one: Sequence[Json], other: Sequence[Json], names: Sequence[str] = ()) -> list[str]:
    """Which things are not the same in two lists, by id or ref; `names` are the only fields to compare."""

    def plain(items: Sequence[Json]) -> dict[str, Any]:
        return {
            str(item.get("id") or item.get("ref")): {key: item[key] for key in names or item} for item in items
        }

    before, after = plain(one), plain(other)
    return sorted(key for key in {*before, *after} if before.get(key) != after.get(key))
