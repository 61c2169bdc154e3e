# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-58ce9ac738c5: keep out of training data
"""What the checks drive: each flow once, written down as plain values and judged elsewhere."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from trialbalance.grading import App, Database, Draw, Failed, GraderTwin, eventually, same
from trialbalance.grading.journal import endpoint_of

import ledger_file
from ledger_file import LedgerFile, Row
from observatory import BASIL, MIGRATE, Answer, Books, Desk, Json, Session, decoded, set_up

DECLINED = "pm_card_visa_chargeDeclined"
LATER_DECLINED = "pm_card_chargeCustomerFail"
CAUTIOUS = "pm_card_authenticationRequired"
AWAY = [{"fault": "reset_before", "endpoint": "* /v1/*"}]
LATE = [{"fault": "slow", "endpoint": "* /v1/*", "delay": 0.2}]
"""Every answer comes late, so that what is asked at the same moment really overlaps."""
_ABOUT_TESTS = ("grep", "-rliE", "/api/bookings|migrat|ledger", "--include=*test*", "--exclude-dir=node_modules", ".")
_STEPS = (
    ("POST /v1/customers", "customer", 2),
    ("POST /v1/invoices", "invoice", 2),
    ("POST /v1/invoiceitems", "invoiceitem", 4),
)
"""After which request the migration is killed: its endpoint, what it makes, and how many of them go through before."""


@dataclass(frozen=True)
class Around:
    """What is wrong with what was there before, tests of what is new, and the migration, or why there is none."""

    problem: str
    tests: list[str]
    migration: Migration | None
    failed: Failed | None


@dataclass(frozen=True)
class Loaded:
    """A file, what the script said of it, and both sides afterwards."""

    file: LedgerFile
    report: Json
    books: Books


@dataclass(frozen=True)
class Migration:
    """Several ledgers, one after the other, into one database and one account."""

    desk: Desk
    known: Json
    known_after: Json
    shop_changed: list[str]
    whole: Loaded
    again: Loaded
    windows: Loaded
    newer: Loaded
    paid: list[Row]
    cancelled: list[Row]
    new: list[Row]
    broken: list[tuple[int, str]]
    after_broken: Books
    keyless: list[str]


def look_around(app: App, twin: GraderTwin, database: Database, draw: Draw) -> Around:
    """Use what was there before, then bring the ledger over, on a fresh desk beside a busy shop."""
    desk = set_up(app, twin, database, draw)
    desk.app.start({"OFFICE_TOKEN": desk.token})
    try:
        _use_what_was_there(desk)
    except Failed as failure:
        problem = failure.message
    else:
        problem = ""
    tests = sorted(app.run(_ABOUT_TESTS).stdout.split())
    try:
        return Around(problem, tests, run_migration(desk), None)
    except Failed as failure:
        return Around(problem, tests, None, failure)


def _use_what_was_there(desk: Desk) -> None:
    app = desk.app
    year = desk.year
    listed = app.call("GET", "/api/sessions")["sessions"]
    wanted = sorted((session.code, session.name, session.seats) for session in year.sessions if not session.retired)
    same([(item.get("code"), item.get("name"), item.get("seats")) for item in listed], wanted, "the sessions")
    app.call("GET", f"/api/sessions/{year.retired.code}", status=404)
    person = desk.draw.person()
    entry = {"session": year.plain.code, "name": person.name, "email": person.email, "note": "any Friday"}
    app.call("POST", "/api/waiting", json=entry, status=201)
    app.call("GET", "/api/waiting", status=401)
    found = app.call("GET", "/api/waiting", headers=desk.office)["waiting"]
    same([item.get("email") for item in found], [person.email], "the waiting list")
    code, stdout, _ = desk.script("scripts/waiting-report.ts")
    if code != 0 or person.email not in stdout:
        raise Failed("the report of the waiting list does not show who waits")


# The ledger


def run_migration(desk: Desk) -> Migration:
    """Bring every drawn ledger over."""
    draw, twin, year = desk.draw, desk.twin, desk.year
    person = draw.person()
    known = open_shop(desk, person.email)
    shop = _objects(twin)
    mark = twin.mark()
    whole = load(desk, ledger_file.whole_file(draw, year, person.email))
    made = ("/v1/customers", "/v1/invoices", "/v1/invoiceitems", "/v1/products", "/v1/prices")
    keyless = [endpoint_of(entry) for entry in asked(twin, mark) if entry["path"] in made and not entry["idempotency_key"]]
    again = load(desk, whole.file)
    windows = load(desk, ledger_file.windows_file(draw, year))
    file, paid, cancelled, new = ledger_file.newer_file(draw, year, whole.file)
    newer = load(desk, file)
    desk.put("var/short.csv", whole.file.text.replace("booked", "noted", 1))
    broken = []
    for name in ("var/short.csv", "var/nowhere.csv"):
        code, _, stderr = desk.script(MIGRATE, name)
        broken.append((code, stderr.strip()))
    after = desk.books()
    there = _objects(twin)
    changed = sorted(id for id, item in shop.items() if id != known["id"] and there.get(id) != item)
    return Migration(
        desk, known, there.get(known["id"], {}), changed, whole, again, windows, newer, paid, cancelled, new, broken, after,
        sorted(set(keyless)),
    )  # fmt: skip


def asked(twin: GraderTwin, since: Any) -> list[Json]:
    """What the app has posted since a mark. In which order is chance where it asks for several things at once, so that the
    list is no evidence.
    """
    return twin.journal(since).requests("POST")


def open_shop(desk: Desk, email: str) -> Json:
    """Give the account to a shop as well; its customer with this address has a card and something still to be invoiced."""
    name, poster = desk.draw.person().name, desk.year.plain.name
    requests: list[Json] = [
        {"path": "/v1/customers", "form": {"name": name, "email": email, "metadata": {"shop": "red torches"}}, "as": "known"},
        {"path": "/v1/payment_methods/pm_card_visa/attach", "form": {"customer": "$known.id"}, "as": "card"},
        {"path": "/v1/customers/$known.id", "form": {"invoice_settings": {"default_payment_method": "$card.id"}}},
        {"path": "/v1/invoiceitems", "form": {"customer": "$known.id", "amount": 1900, "currency": "eur"}},
        {"path": "/v1/products", "form": {"name": poster, "default_price_data": {"currency": "eur", "unit_amount": 1500}}},
    ]
    requests += [
        {"path": "/v1/customers", "form": {"name": f"Shop guest {number}", "email": f"guest{number}@shop.test"}}
        for number in range(103)
    ]
    requests += [{"path": "/v1/products", "form": {"name": f"Poster {number}"}} for number in range(101)]
    made = desk.twin.seed({"requests": requests})
    desk.keep_shop()
    return dict(_objects(desk.twin)[made["known"]["id"]])


def _objects(twin: GraderTwin) -> dict[str, Json]:
    state = twin.state()
    kinds = state["accounts"][state["account"]]
    return {item["id"]: item for kind in ("customer", "product", "price", "invoiceitem") for item in kinds.get(kind, [])}


def load(desk: Desk, file: LedgerFile) -> Loaded:
    """Bring one ledger over, and look at both sides; `Failed` when the script does not say what it did."""
    desk.put("var/ledger.csv", file.text)
    code, stdout, _ = desk.script(MIGRATE, "var/ledger.csv")
    if code != 0:
        raise Failed(f"{MIGRATE} ended with exit code {code}")
    try:
        report = json.loads(stdout)
    except ValueError:
        raise Failed(f"{MIGRATE} does not print one line of JSON and nothing else", stdout=stdout[:200]) from None
    if not isinstance(report, dict) or not isinstance(report.get("rejected"), list):
        raise Failed(f"{MIGRATE} does not print a report as it is given", stdout=stdout[:200])
    return Loaded(file, report, desk.books())


# Killed, and lines that break


@dataclass(frozen=True)
class Broken:
    """A ledger whose migration was killed several times and lost its line, and was run again to the end."""

    file: LedgerFile
    year_sessions: list[Session]
    killed: int
    code: int
    books: Books
    log: str
    secret: str


def break_migration(app: App, twin: GraderTwin, database: Database, draw: Draw) -> Broken:
    """Kill the migration after requests whose answers never came, lose lines, then let it finish."""
    desk = set_up(app, twin, database, draw)
    file = ledger_file.clean_file(draw, desk.year, 20)
    desk.put("var/ledger.csv", file.text)
    killed = sum(_killed(desk, *step) for step in _STEPS)
    twin.faults([{"fault": "reset_after", "endpoint": "POST /v1/invoices", "skip": 2}])
    code, said, complaint = desk.script(MIGRATE, "var/ledger.csv")
    twin.faults([])
    if code not in (0, 1):
        raise Failed(f"{MIGRATE} ended with exit code {code} when the line to Stripe broke")
    code, stdout, stderr = desk.script(MIGRATE, "var/ledger.csv")
    return Broken(file, list(desk.year.sessions), killed, code, desk.books(), said + complaint + stdout + stderr, twin.secret_key)


def _killed(desk: Desk, endpoint: str, kind: str, skip: int) -> bool:
    """Run the migration, and kill it when the answer to a request does not come; whether it got there."""
    twin, app = desk.twin, desk.app
    wanted = _count(twin, kind) + skip + 1
    done = app.files / "var/migrated"
    twin.faults([{"fault": "timeout_after", "endpoint": endpoint, "skip": skip, "count": 1}])
    command = f"node --import tsx {MIGRATE} var/ledger.csv; echo > var/migrated"
    app.run(
        ["sh", "-c", 'rm -f var/migrated; setsid sh -c "$1" > var/migration.log 2>&1 & echo $! > var/migration.pid', "run", command]
    )
    eventually(lambda: done.exists() or _count(twin, kind) >= wanted, f"{MIGRATE} to end or to be killed", seconds=300)
    ended = done.exists()
    app.run(["sh", "-c", "kill -9 -$(cat var/migration.pid) 2> var/kill.log; true"])
    twin.faults([])
    return not ended


def _count(twin: GraderTwin, kind: str) -> int:
    state = twin.state()
    return len(state["accounts"][state["account"]].get(kind, []))


# Buying


@dataclass(frozen=True)
class Purchase(Answer):
    """A purchase: what was sent, and what was answered."""

    request: Json


@dataclass(frozen=True)
class Day:
    """Everything that is done on the interface, on one desk, and both sides in the evening."""

    prices: dict[str, int]
    card: Purchase
    yen: Purchase
    invoice: Purchase
    lies: list[Purchase]
    guest: Row
    again: Purchase
    wrong: dict[str, Purchase]
    wrong_writes: list[str]
    refused: dict[str, Purchase]
    cautious: dict[str, Purchase]
    first: Purchase
    second: Purchase
    together: list[Answer]
    racing: Json
    away: Purchase
    away_known: bool
    away_again: Purchase
    lost: Purchase
    lost_known: bool
    lost_again: Purchase
    ledger_ref: str
    looks: dict[str, tuple[Answer, str]]
    unknown: Answer
    strangers: dict[str, Answer]
    books: Books
    pending: list[Json]
    keyless: list[str]
    log: str
    secrets: dict[str, str]


def spend_a_day(app: App, twin: GraderTwin, database: Database, draw: Draw) -> Day:
    """Bring a clean ledger over, then buy in every way."""
    desk = set_up(app, twin, database, draw)
    year = desk.year
    file = ledger_file.clean_file(draw, year, 8)
    load(desk, file)
    prices = {row.expected["currency"]: row.each for row in file.of("clean") if row.expected["session"] == year.plain.code}
    coin = "eur" if "eur" in prices else min(prices)
    app.start({"OFFICE_TOKEN": desk.token})
    mark = twin.mark()

    def buy(pay: str = "card", **more: Any) -> Purchase:
        request = desk.request(year.plain, more.pop("currency", coin), pay, **more)
        return _sent(desk, request)

    greedy = {
        "amount": 100, "price": 50, "total": 100, "unit_amount": 1, "invoice": "in_1", "customer": "cus_1", "stripe_price": "price_1",
    }  # fmt: skip
    card = buy(seats=2)
    yen = buy(seats=4, currency="jpy")
    invoice = buy("invoice")
    lies = [buy(**greedy), buy("invoice", **greedy)]
    guest = next(row for row in file.of("clean") if row.expected["state"] != "cancelled")
    again = buy("invoice", email=f" {str(guest.expected['email']).upper()} ", guest=str(guest.expected["guest"]))
    before = twin.mark()
    wrong = _wrong(desk, coin)
    wrong_writes = [endpoint_of(entry) for entry in asked(twin, before)]
    refused = {
        "at once": buy(payment_method=DECLINED),
        "when charged": buy(payment_method=LATER_DECLINED),
        "a guest of before": buy(payment_method=LATER_DECLINED, email=guest.expected["email"]),
    }
    cautious = {"a card that wants confirmation": buy(payment_method=CAUTIOUS)}

    first = buy()
    second = _sent(desk, first.request)
    racing = desk.request(year.plain, coin)
    twin.faults(LATE)
    answers = app.together([("POST", "/api/bookings", {"json": racing})] * 3)
    twin.faults([])
    together = [Answer(answer.status_code, decoded(answer)) for answer in answers]

    twin.faults(AWAY)
    away = buy()
    twin.faults([])
    away_known = _known(desk, away)
    away_again = _sent(desk, away.request)
    twin.faults([{"fault": "reset_after", "endpoint": "POST /v1/invoices/{invoice}/pay"}])
    lost = buy()
    twin.faults([])
    lost_known = lost.status != 201 and _known(desk, lost)
    lost_again = _sent(desk, lost.request)

    looks, ledger_ref = _look_ups(desk, file, card, buy("invoice"), buy("invoice"))
    strangers = {
        name: desk.look_up(ledger_ref, headers)
        for name, headers in (("nobody", {}), ("a wrong token", {"authorization": "Bearer of-bad-news"}))
    }
    unknown = desk.look_up("NR-0")
    books = desk.books()
    writes = ("/v1/invoices", "/v1/invoiceitems", "/v1/customers")
    keyless = [
        endpoint_of(entry)
        for entry in asked(twin, mark)
        if (entry["path"] in writes or entry["path"].endswith("/pay")) and not entry["idempotency_key"]
    ]
    return Day(
        prices={**prices, "": prices[coin]}, card=card, yen=yen, invoice=invoice, lies=lies, guest=guest, again=again, wrong=wrong,
        wrong_writes=wrong_writes, refused=refused, cautious=cautious, first=first, second=second, together=together,
        racing=racing, away=away, away_known=away_known, away_again=away_again, lost=lost, lost_known=lost_known,
        lost_again=lost_again, ledger_ref=ledger_ref, looks=looks, unknown=unknown, strangers=strangers, books=books,
        pending=[item for item in books.items if not item["invoice"]], keyless=sorted(set(keyless)), log=app.log(),
        secrets={"the secret key": twin.secret_key, "the office's token": desk.token},
    )  # fmt: skip


def _sent(desk: Desk, request: Json) -> Purchase:
    answer = desk.send(request)
    return Purchase(answer.status, answer.body, request)


def _known(desk: Desk, purchase: Purchase) -> bool:
    """Whether there is a booking of whoever sent a purchase."""
    email = str(purchase.request["email"])
    return bool(desk.database.rows("SELECT ref FROM bookings WHERE email = :email", email=email))


def _wrong(desk: Desk, coin: str) -> dict[str, Purchase]:
    year = desk.year
    good = desk.request(year.plain, coin)
    cases: dict[str, Json] = {
        "unknown session": {"session": "NO-SUCH-SESSION"},
        "session not on offer": {"session": year.retired.code},
        "never sold in this currency": {"currency": "chf"},
        "another currency": {"currency": "usd"},
        "a session never sold": {"session": year.priced.code},
        "no such day": {"night": "2026-06-31"},
        "not a day": {"night": "31.5.2026"},
        "nobody": {"seats": 0},
        "too many": {"seats": year.plain.seats + 1},
        "half a seat": {"seats": 1.5},
        "wrong e-mail": {"email": "nobody at example.test"},
        "another pay": {"pay": "later"},
    }
    found = {what: _sent(desk, {**good, "request_id": f"wrong-{number}", **more}) for number, (what, more) in enumerate(cases.items())}
    for name in good:
        lacking = {key: value for key, value in good.items() if key != name}
        found[f"no {name}"] = _sent(desk, {**lacking, **({} if name == "request_id" else {"request_id": f"no-{name}"})})
    return found


def _look_ups(
    desk: Desk, file: LedgerFile, card: Purchase, paid: Purchase, voided: Purchase
) -> tuple[dict[str, tuple[Answer, str]], str]:
    """Look bookings up after things have happened to their invoices; each answer with the state it must have."""
    invoices = desk.twin.client(version=BASIL).v1.invoices
    rows = {state: next(row.ref for row in file.of("clean") if row.expected["state"] == state) for state in ("paid", "open", "cancelled")}
    owed = desk.database.rows("SELECT stripe_invoice FROM bookings WHERE ref = :ref", ref=rows["open"])
    looks = {"an open one of the ledger": (desk.look_up(rows["open"]), "open")}
    for purchase in (paid, voided):
        looks[f"open, {len(looks)}"] = (desk.look_up(purchase.body.get("ref")), "open")
    ids = [str(item) for item in (paid.body.get("stripe_invoice"), voided.body.get("stripe_invoice"), *(row["stripe_invoice"] for row in owed))]
    there = {item.id for item in invoices.list({"limit": 100}).auto_paging_iter() if item.status == "open"}
    for number, id in enumerate(ids):
        if id not in there:
            raise Failed("an open booking has no open invoice in Stripe")
        if number == 1:
            invoices.void_invoice(id)
        else:
            invoices.pay(id, {"paid_out_of_band": True})
    looks["paid since"] = (desk.look_up(paid.body.get("ref")), "paid")
    looks["voided since"] = (desk.look_up(voided.body.get("ref")), "cancelled")
    looks["of the ledger, paid since"] = (desk.look_up(rows["open"]), "paid")
    looks["paid by card"] = (desk.look_up(card.body.get("ref")), "paid")
    looks["paid in the ledger"] = (desk.look_up(rows["paid"]), "paid")
    looks["cancelled in the ledger"] = (desk.look_up(rows["cancelled"]), "cancelled")
    return looks, rows["open"]
