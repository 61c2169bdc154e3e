# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-76d6ff489b67: keep out of training data
"""What the checks drive: each flow once, written down as plain values and judged elsewhere."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

from trialbalance.grading import App, Draw, Failed, GraderTwin, same
from trialbalance.grading.journal import endpoint_of

import phone_file
from outfitter import Answer, Desk, Json, Sale, Season, decoded, find, set_up
from phone_file import PhoneFile, Row

DECLINED = "pm_card_visa_chargeDeclined"
POOR = "pm_card_visa_chargeDeclinedInsufficientFunds"
EXPIRED = "pm_card_chargeDeclinedExpiredCard"
CAUTIOUS = "pm_card_authenticationRequired"
DISPUTED = "pm_card_createDispute"
VERSION = "2025-02-24.acacia"
LOADER = "scripts/load-phone-bookings.js"
_ABOUT_TESTS = ("grep", "-rliE", "/api/bookings|refund|load-phone-bookings")
AWAY = [{"fault": "reset_before", "endpoint": "* /v1/*"}]
LATE = [{"fault": "slow", "endpoint": "* /v1/*", "delay": 0.3}]
"""Every answer comes late, so that what is asked at the same moment really overlaps."""


@dataclass(frozen=True)
class Day:
    """Everything that is done on the interface, on one desk."""

    office: Office
    sales: Sales
    refusals: Refusals
    repeats: Repeats


def spend_a_day(app: App, twin: GraderTwin, draw: Draw) -> Day:
    """One flow after the other, on a fresh desk."""
    desk = set_up(app, twin, draw)
    desk.start()
    office = run_office(desk)
    sales = sell(desk)
    desk.look()
    refusals = refuse(desk)
    desk.look()
    return Day(office, sales, refusals, repeat(desk))


@dataclass(frozen=True)
class Around:
    """What is wrong with what was there before, tests of what is new, and the phone book, or why there is none."""

    problem: str
    tests: list[str]
    phonebook: Phonebook | None
    failed: Failed | None


def look_around(app: App, twin: GraderTwin, draw: Draw) -> Around:
    """Use what was there before, then load the phone book, on a fresh desk."""
    desk = set_up(app, twin, draw)
    desk.start()
    try:
        _use_what_was_there(desk)
    except Failed as failure:
        problem = failure.message
    else:
        problem = ""
    found = app.run([*_ABOUT_TESTS, "--include=*test*", "--exclude-dir=node_modules", "."])
    tests = sorted(found.stdout.split())
    try:
        return Around(problem, tests, load_phonebook(desk), None)
    except Failed as failure:
        return Around(problem, tests, None, failure)


def _use_what_was_there(desk: Desk) -> None:
    app = desk.app
    trip = desk.season.part
    for people in (2, trip.group_from):
        quote = app.call("GET", f"/api/trips/{trip.code}/quote", params={"people": people})
        wanted = {"trip": trip.code, "people": people, "currency": trip.currency, "total": trip.total(people)}
        same({name: quote.get(name) for name in wanted}, wanted, "the quote")
    page = app.get("/").text
    for other in desk.season.on_sale:
        if other.name not in page:
            raise Failed("the front page does not show a trip")
    person = desk.draw.person()
    enquiry = {"trip": trip.code, "people": 2, "name": person.name, "email": person.email, "message": "Dogs?"}
    app.call("POST", "/api/enquiries", json=enquiry, status=201)
    app.call("GET", "/api/enquiries", status=401)
    found = app.call("GET", "/api/enquiries", headers=desk.office)["enquiries"]
    same([item.get("email") for item in found], [person.email], "the enquiries")
    code, stdout, _ = desk.script("scripts/enquiries-report.js")
    if code != 0 or person.email not in stdout:
        raise Failed("the report of enquiries does not show one")


# The phone book


@dataclass(frozen=True)
class Loaded:
    """A file, what the script said, and the phone bookings by ref afterwards."""

    file: PhoneFile
    report: Json
    bookings: dict[str, Json]
    all: list[Json]

    def booking(self, row: Row) -> Json:
        """The booking of a row; `Failed` when it is not there."""
        if row.ref not in self.bookings:
            raise Failed("a good row of the file is not in the list", row=row.cells)
        return self.bookings[row.ref]


@dataclass(frozen=True)
class Phonebook:
    """Several files, loaded one after the other into one database."""

    dirty: Loaded
    windows: Loaded
    repeated: Loaded
    again: Loaded
    later: Loaded
    moved: Row
    gone: Row
    broken: list[tuple[int, str]]
    before_broken: list[Json]
    after_broken: list[Json]


def load_phonebook(desk: Desk) -> Phonebook:
    """Load every drawn file."""
    draw = desk.draw
    dirty = _load(desk, phone_file.dirty_file(draw, desk.season))
    windows = _load(desk, phone_file.windows_file(draw, desk.season))
    repeated = _load(desk, phone_file.repeated_file(draw, desk.season))
    again = _load(desk, repeated.file)
    file, moved, gone = phone_file.later_file(repeated.file)
    later = _load(desk, file)
    plain = phone_file.plain_file(draw, desk.season, 2)
    before = desk.list()
    desk.put("var/short.csv", plain.text.replace("party", "people", 1))
    broken = []
    for name in ("var/short.csv", "var/nowhere.csv"):
        code, _, stderr = desk.script(LOADER, name)
        broken.append((code, stderr.strip()))
    return Phonebook(dirty, windows, repeated, again, later, moved, gone, broken, before, desk.list())


def _load(desk: Desk, file: PhoneFile) -> Loaded:
    desk.put("var/phone.csv", file.text)
    code, stdout, _ = desk.script(LOADER, "var/phone.csv")
    if code != 0:
        raise Failed(f"{LOADER} ended with exit code {code}")
    try:
        report = json.loads(stdout)
    except ValueError:
        raise Failed(f"{LOADER} does not print one line of JSON and nothing else", stdout=stdout[:200]) from None
    if not isinstance(report, dict) or not isinstance(report.get("rejected"), list):
        raise Failed(f"{LOADER} does not print a report as it is given", stdout=stdout[:200])
    bookings = desk.list()
    return Loaded(file, report, {str(item.get("ref")): item for item in bookings}, bookings)


# Selling


@dataclass(frozen=True)
class Sales:
    """One purchase of each sort."""

    season: Season
    trips: Json
    full: Sale
    yen: Sale
    group: Sale
    part: Sale
    exact: Sale
    whole: Sale
    saved: Sale
    lies: list[Sale]
    same: list[Sale]
    same_email: str
    untidy: Sale
    untidy_name: str
    untidy_email: str
    wrong: dict[str, Sale]
    wrong_writes: list[str]
    unknown_card: Sale
    keyless: list[str]
    kept: dict[str, tuple[str, object, str]]


def sell(desk: Desk) -> Sales:
    """Sell every sort of trip in every way."""
    app = desk.app
    twin = desk.twin
    draw = desk.draw
    season = desk.season
    trips = app.call("GET", "/api/trips")
    wrong_day = draw.choice(("2026-06-31", "2027-02-29", "2026-11-31"))
    greedy = {"amount": 100, "price": 50, "total": 100, "currency": "jpy", "deposit_percent": 1, "due": 50, "paid": 50}
    same_email = draw.email()
    mark = twin.mark()
    person = draw.person()
    first, last = person.name.split()
    full = desk.booked(season.part, people=3)
    part = desk.buy(season.part, "deposit", people=2)
    saved = desk.buy(season.nothing, "deposit", people=4)
    before_wrong = twin.mark()
    wrong = {
        **{f"no {name}": _without(desk, name) for name in full.request},
        "unknown trip": desk.send({**desk.request(season.part), "trip": "NO-SUCH-TRIP"}),
        "retired trip": desk.buy(season.retired),
        "no such day": desk.buy(season.part, date=wrong_day),
        "nobody": desk.buy(season.part, people=0),
        "too many": desk.buy(season.part, people=season.part.max_party + 1),
        "half a person": desk.buy(season.part, people=1.5),
        "wrong e-mail": desk.buy(season.part, email="nobody at example.test"),
        "another pay": desk.buy(season.part, "later"),
    }
    wrong_writes = [endpoint_of(entry) for entry in twin.requests("POST", since=before_wrong)]
    return Sales(
        season=season,
        trips=trips if isinstance(trips, dict) else {},
        full=full,
        yen=desk.buy(season.yen, people=3),
        group=desk.buy(season.part, people=6),
        part=part,
        exact=desk.buy(season.exact, "deposit", people=1),
        whole=desk.buy(season.whole, "deposit", people=2),
        saved=saved,
        lies=[desk.buy(season.part, people=2, **greedy), desk.buy(season.whole, "deposit", people=2, **greedy)],
        same=[
            desk.buy(season.part, "deposit", email=same_email),
            desk.buy(season.exact, "deposit", email=same_email.upper()),
        ],
        same_email=same_email,
        untidy=desk.buy(season.part, name=f" {last}, \u00a0 {first} ", email=f" {person.email.upper()} "),
        untidy_name=person.name,
        untidy_email=person.email,
        wrong=wrong,
        wrong_writes=wrong_writes,
        unknown_card=desk.buy(season.part, payment_method="pm_1Nobody0Has0Seen0This"),
        keyless=[
            f"POST {entry['path']}"
            for entry in twin.requests("POST", since=mark)
            if entry["path"] in ("/v1/payment_intents", "/v1/setup_intents", "/v1/refunds") and not entry["idempotency_key"]
        ],
        kept={
            "a deposit": _kept(twin, part, part.payments),
            "a card for later": _kept(twin, saved, saved.setups),
        },
    )


def _kept(twin: GraderTwin, sale: Sale, intents: list[Json]) -> tuple[str, object, str]:
    """What is wrong with the card that a booking has kept, and the customer's and the booking's e-mail addresses."""
    wanted = str(sale.request["email"])
    done = next((item for item in intents if item["status"] == "succeeded"), None)
    if done is None:
        return "there is no intent that succeeded", None, wanted
    problem = off_session(twin, done)
    if problem:
        return problem, None, wanted
    return "", twin.stripe.v1.customers.retrieve(done["customer"]).email, wanted


def _without(desk: Desk, name: str) -> Sale:
    request = desk.request(desk.season.part)
    del request[name]
    return desk.send(request)


def off_session(twin: GraderTwin, intent: Json) -> str:
    """Charge the rest to the card that an intent has kept, with nobody at the screen; what is wrong, or nothing."""
    customer, card = intent.get("customer"), intent.get("payment_method")
    if not customer:
        return "the card is kept on no customer"
    try:
        made = twin.client(version=VERSION).v1.payment_intents.create(
            {
                "amount": 12_345,
                "currency": "gbp",
                "customer": customer,
                "payment_method": str(card),
                "payment_method_types": ["card"],
                "off_session": True,
                "confirm": True,
            }
        )
    except Exception as error:
        return f"the kept card cannot be charged later ({type(error).__name__})"
    return "" if made.status == "succeeded" else f"a later payment becomes {made.status}"


# Refused cards


@dataclass(frozen=True)
class Refusals:
    """Cards that are refused, by a name; and a customer of before who is refused this time."""

    declined: dict[str, Sale]
    cautious: dict[str, Sale]
    listed: list[Json]
    customers: list[str]
    known: Sale
    known_refused: Sale
    known_problem: str


def refuse(desk: Desk) -> Refusals:
    """Try to pay with cards that no bank lets through."""
    twin = desk.twin
    draw = desk.draw
    season = desk.season
    declined = {
        "full": desk.buy(season.part, payment_method=POOR),
        "full, expired": desk.buy(season.part, payment_method=EXPIRED),
        "deposit": desk.buy(season.part, "deposit", payment_method=DECLINED),
        "card only": desk.buy(season.nothing, "deposit", payment_method=DECLINED),
    }
    cautious = {
        "full": desk.buy(season.part, payment_method=CAUTIOUS),
        "deposit": desk.buy(season.part, "deposit", payment_method=CAUTIOUS),
        "card only": desk.buy(season.nothing, "deposit", payment_method=CAUTIOUS),
    }
    listed = desk.list()
    there = twin.state()
    customers = [str(item.get("email")) for item in there["accounts"][there["account"]].get("customer", [])]
    email = draw.email()
    known = desk.booked(season.part, "deposit", email=email)
    known_refused = desk.buy(season.exact, "deposit", email=email, payment_method=DECLINED)
    problem = off_session(twin, known.payment())
    return Refusals(declined, cautious, listed, customers, known, known_refused, problem)


# Repeating, and lines that break


@dataclass(frozen=True)
class Repeats:
    """The same purchase again: later, at the same moment, and after Stripe could not be reached."""

    first: Sale
    second: Sale
    together: list[Answer]
    together_taken: int
    away: Sale
    away_listed: list[Json]
    away_again: Sale
    lost: Sale
    lost_listed: list[Json]
    lost_again: Sale
    lost_taken: int
    listed: list[Json]
    crashed: list[Json]
    refund_away: Answer
    refund_after: Answer
    refunds: int
    log: str
    secrets: dict[str, str]


def repeat(desk: Desk) -> Repeats:
    """Repeat purchases, break lines, and crash the server."""
    app = desk.app
    twin = desk.twin
    season = desk.season
    first = desk.booked(season.part)
    second = desk.send(first.request)

    racing = desk.request(season.exact, "deposit")
    desk.look()
    twin.faults(LATE)
    answers = app.together([("POST", "/api/bookings", {"json": racing})] * 3)
    twin.faults([])
    together = [Answer(answer.status_code, decoded(answer)) for answer in answers]
    together_taken = len([item for item in desk.look()["payment_intent"] if item["amount_received"]])

    twin.faults(AWAY)
    away = desk.buy(season.part, "deposit")
    twin.faults([])
    away_listed = desk.list()
    away_again = desk.send(away.request)

    twin.faults([{"fault": "reset_after", "endpoint": "POST /v1/payment_intents"}])
    lost = desk.buy(season.part)
    twin.faults([])
    lost_listed = desk.list()
    lost_again = desk.send(lost.request)
    made = {item["id"] for sale in (lost, lost_again) for item in sale.payments}
    lost_taken = len([id for id in made if twin.stripe.v1.payment_intents.retrieve(id).amount_received])

    listed = desk.list()
    app.kill()
    app.restart()
    crashed = desk.list()

    desk.look()
    twin.faults(AWAY)
    refund_away = desk.refund(first.id)
    twin.faults([])
    refund_after = desk.refund(first.id)
    refunds = len(desk.look()["refund"])
    return Repeats(
        first, second, together, together_taken, away, away_listed, away_again, lost, lost_listed, lost_again,
        lost_taken, listed, crashed, refund_away, refund_after, refunds, app.log(),
        {"the secret key": twin.secret_key, "the office's token": desk.token},
    )  # fmt: skip


# The list and refunds


@dataclass(frozen=True)
class Refunded:
    """A refund that was asked for: the answers, and the refunds that Stripe has of that payment as (amount, status)."""

    sale: Sale
    answers: list[Answer]
    refunds: list[tuple[int, str]]


@dataclass(frozen=True)
class Office:
    """What the office sees and does."""

    phone: Row
    phone_id: str
    sales: dict[str, Sale]
    plain: list[Json]
    part_back: int
    later: list[Json]
    repriced: list[Json]
    full: Refunded
    rest: Refunded
    deposit: Refunded
    race: Refunded
    disputed: Refunded
    phone_refund: Answer
    saved_refund: Answer
    unknown: Answer
    strangers: dict[str, Answer]
    stranger_refunds: int
    unsettled: Refunded


def run_office(desk: Desk) -> Office:
    """Sell, let things happen in Stripe's dashboard, look at the list, and give money back."""
    app = desk.app
    twin = desk.twin
    draw = desk.draw
    season = desk.season
    sales = {
        "paid": desk.booked(season.part, date="2026-08-14"),
        "deposit_paid": desk.booked(season.exact, "deposit", date="2026-05-02", people=1),
        "card_saved": desk.booked(season.nothing, "deposit", date="2026-12-31"),
        "partly back": desk.booked(season.whole, date="2027-01-01"),
        "all back": desk.booked(season.part, date="2026-04-30"),
        "disputed": desk.booked(season.part, date="2026-07-03", payment_method=DISPUTED),
        "race": desk.booked(season.part, date="2026-06-06"),
        "lost line": desk.booked(season.whole, date="2026-06-07"),
    }
    file = phone_file.plain_file(draw, season, 3)
    try:
        _load(desk, file)
    except Failed:
        pass  # the phone book's own checks tell of it
    phone = file.rows[0]
    plain = desk.list()
    phone_id = next((str(item.get("id")) for item in plain if item.get("ref") == phone.ref), "none")

    # What the neighbours do in the same account, and what the office does in the dashboard.
    twin.seed({"requests": [_of_the_shop(number) for number in range(110)]})
    partly = sales["partly back"]
    part_back = draw.amount(500, 3000)
    _dashboard(twin, partly, part_back)
    _dashboard(twin, sales["all back"], None)
    twin.advance(twin.now() + 7200)
    later = desk.list()

    dearer = dataclasses.replace(
        season, **{
            field.name: dataclasses.replace(trip, price=trip.price + 1100, deposit_percent=50)
            for field, trip in zip(dataclasses.fields(season), season.trips, strict=True)
        },
    )  # fmt: skip
    desk.load_trips(dearer)
    repriced = desk.list()
    desk.load_trips(season)

    desk.look()
    strangers = {}
    for name, headers in (("nobody", {}), ("a wrong token", {"authorization": "Bearer of-bad-news"})):
        response = app.get("/api/bookings", headers=headers)
        strangers[f"list, {name}"] = Answer(response.status_code, decoded(response))
        strangers[f"refund, {name}"] = desk.refund(sales["paid"].id, headers)
    stranger_refunds = len(_refunds(twin, sales["paid"]))

    full = _refunded(desk, sales["paid"], 2)
    rest = _refunded(desk, partly, 1)
    deposit = _refunded(desk, sales["deposit_paid"], 1)
    disputed = _refunded(desk, sales["disputed"], 1)
    race = sales["race"]
    requests = [("POST", f"/api/bookings/{race.id}/refund", {"headers": desk.office})] * 5
    twin.faults(LATE)
    raced = [Answer(answer.status_code, decoded(answer)) for answer in app.together(requests)]
    twin.faults([])
    phone_refund = desk.refund(phone_id)
    saved_refund = desk.refund(sales["card_saved"].id)
    unknown = desk.refund("no-such-booking")

    twin.faults([{"fault": "reset_after", "endpoint": "POST /v1/refunds", "count": 1}])
    unsettled = _refunded(desk, sales["lost line"], 1)
    twin.faults([])
    return Office(
        phone, phone_id, sales, plain, part_back, later, repriced, full, rest, deposit,
        Refunded(race, raced, _refunds(twin, race)), disputed, phone_refund, saved_refund, unknown, strangers,
        stranger_refunds, unsettled,
    )  # fmt: skip


def _refunded(desk: Desk, sale: Sale, times: int) -> Refunded:
    answers = [desk.refund(sale.id) for _ in range(times)]
    return Refunded(sale, answers, _refunds(desk.twin, sale))


def _refunds(twin: GraderTwin, sale: Sale) -> list[tuple[int, str]]:
    payment = sale.payment()["id"]
    return [(item["amount"], item["status"]) for item in twin.created("refund") if item["payment_intent"] == payment]


def _dashboard(twin: GraderTwin, sale: Sale, amount: int | None) -> None:
    asked: dict[str, Any] = {"payment_intent": sale.payment()["id"]}
    if amount is not None:
        asked["amount"] = amount
    twin.stripe.v1.refunds.create(asked)  # type: ignore[arg-type]


def _of_the_shop(number: int) -> Json:
    return {
        "method": "POST",
        "path": "/v1/payment_intents",
        "form": {"amount": 500 + number, "currency": "gbp", "payment_method_types": ["card"]},
    }


def status_of(bookings: list[Json], sale: Sale) -> object:
    """The status that a list shows of a purchase."""
    return find(bookings, sale.id).get("status")
