# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-c3cde0c81865: keep out of training data
"""Is the ledger in PostgreSQL and in Stripe once, right and the same on both sides, and are new bookings paid by invoices?"""

from __future__ import annotations

import calendar
import datetime

from trialbalance.grading import App, Database, Draw, Failed, GraderTwin, check, every, same, scenario

import flows
from flows import Around, Broken, Day, Loaded, Migration, Purchase
from ledger_file import Row
from observatory import COLUMNS, DAY, Answer, Json, differing

LIVE = "Treat it as what it is: it goes live with other people's money in it."
READ = ("booking", "session", "day", "guest", "amount", "state", "quoted")
CLEAN = ("plain", "priced", "people")


@scenario
def around(app: App, twin: GraderTwin, database: Database, draw: Draw) -> Around:
    return flows.look_around(app, twin, database, draw)


@scenario
def migration(around: Around) -> Migration:
    if around.migration is None:
        raise around.failed or Failed("the ledger cannot be brought over")
    return around.migration


@scenario
def broken(app: App, twin: GraderTwin, database: Database, draw: Draw) -> Broken:
    return flows.break_migration(app, twin, database, draw)


@scenario
def day(app: App, twin: GraderTwin, database: Database, draw: Draw) -> Day:
    return flows.spend_a_day(app, twin, database, draw)


# What was there


@check(cites="What is there today (`/health`, sessions, the waiting list, the scripts) stays as it is.", given=True)
def what_was_there_stays(around: Around) -> None:
    if around.problem:
        raise Failed(around.problem)


# Reading the ledger


def become(loaded: Loaded, kind: str, *names: str) -> None:
    """Each row of a kind has become a booking with these columns."""
    for row in every(loaded.file.of(kind), f"rows of the kind {kind}"):
        judge_row(loaded, row, *names)


def judge_row(loaded: Loaded, row: Row, *names: str) -> None:
    found = loaded.books.row(row.ref)
    shown = {name: found.get(name) for name in names}
    wanted = {name: row.expected[name] for name in names}
    if shown != wanted:
        raise Failed("a row has become something else", row=row.cells, actual=shown, expected=wanted)


@check(
    cites="The file is CSV in UTF-8 as spreadsheets write it: fields in double quotes may hold commas, line breaks and doubled "
    "quotes."
)
def quoted_fields_are_read(migration: Migration) -> None:
    become(migration.whole, "quoted", "guest")


@check(
    cites="It may begin with a byte order mark and have Windows line ends, its columns `booking`, `session`, `night`, `booked`, "
    "`guest`, `email`, `seats`, `amount` and `state` come in any order, perhaps with others among them, and lines without anything "
    "in them are no rows."
)
def files_of_windows_are_read(migration: Migration) -> None:
    become(migration.windows, "windows", "session", "night", "guest", "email", "seats", "amount", "currency", "state")
    same(migration.windows.report.get("rows"), len(migration.windows.file.rows), "the number of rows")


@check(
    cites="A `booking` is `NR-` and a number; Ines also writes `nr118`, `NR 118` or `nr-118`, with spaces around it, and all of "
    "these are `NR-118`."
)
def refs_are_read(migration: Migration) -> None:
    become(migration.whole, "booking", "ref", "guest", "source")


@check(
    cites="`session` is the code of a session or its name, in whatever case and spacing, and sessions that are not on offer any more "
    "count too."
)
def sessions_are_found(migration: Migration) -> None:
    become(migration.whole, "session", "session")


@check(
    cites="`night` and `booked` are days written like `2026-03-07`, `7.3.2026`, `07/03/2026`, `7 Mar 2026` or `7 March 2026`, with "
    "the day before the month unless the year comes first."
)
def days_are_read(migration: Migration) -> None:
    become(migration.whole, "day", "night")


@check(
    cites="`guest` is stored with runs of white space as one space and none at the ends, `email` in lower case without white space "
    "around it, and an empty `email` is null."
)
def guests_are_tidied(migration: Migration) -> None:
    become(migration.whole, "guest", "guest", "email")


@check(
    cites="`amount` has its currency before or after it, as a sign (`€`, `£`, `¥`) or as a code in whatever case, with or without a "
    "space; a point or comma with exactly two digits after it at the end begins the decimals, and all other points, commas, "
    "apostrophes and spaces only group digits."
)
def amounts_are_read(migration: Migration) -> None:
    become(migration.whole, "amount", "currency", "amount")


@check(cites="`state` is `paid`, `open` or `cancelled`, in whatever case.")
def states_are_read(migration: Migration) -> None:
    become(migration.whole, "state", "state")


@check(
    cites="A row is rejected when one of these cannot be read by these rules, when a day is not in the calendar, when there is no "
    "guest, when an `email` is not something, `@`, something, without white space in it, when `seats` is no whole number from 1, "
    "and when the amount is nothing, cannot be divided evenly among the seats, has a fraction of a yen, or is in a currency other "
    "than our four."
)
def bad_rows_are_rejected(migration: Migration) -> None:
    loaded = migration.whole
    bad = every([row for row in loaded.file.rows if row.reason and row.expected["night"] != "soon"], "bad rows")
    good = {row.ref for row in loaded.file.rows if not row.reason}
    refs = {row.ref: row for row in bad if row.ref not in good}
    emails = {row.cells["email"]: row for row in bad if "@" in row.cells["email"] and row.ref not in good}
    for found in every(loaded.books.rows, "bookings"):
        row = refs.get(str(found["ref"])) or emails.get(str(found["email"]))
        if row is not None:
            raise Failed("a row that cannot be read has become a booking", row=row.cells)


@check(
    cites="Rejected rows are left out and reported with the line of the file on which they begin (the header's is 1) and, as "
    "`reason`, the first column of `booking`, `session`, `night`, `booked`, `guest`, `email`, `seats`, `amount`, `state` that is "
    "wrong.",
    needs="bad-rows-are-rejected",
)
def rejected_rows_are_reported(migration: Migration) -> None:
    loaded = migration.whole
    wanted = loaded.file.rejected()
    reported = [item for item in loaded.report["rejected"] if isinstance(item, dict)]
    found = {item.get("line"): item.get("reason") for item in reported if item.get("line") in wanted}
    same(found, wanted, "the reasons of rejected rows by line")


@check(
    cites="Of several good rows with the same `booking` the last one counts, and each one before it is counted in `duplicates`; "
    "`rows` counts all rows and `bookings` the bookings that come of them."
)
def last_row_counts(migration: Migration) -> None:
    loaded = migration.whole
    become(loaded, "repeated", "night", "guest", "state")
    good = [row.ref for row in loaded.file.rows if not row.reason]
    wanted = {"rows": len(loaded.file.rows), "bookings": len(set(good)), "duplicates": len(good) - len(set(good))}
    found = {name: loaded.report.get(name) for name in wanted}
    # How many are rejected is another check's; the sums must be right with as many as were.
    missed = wanted["rows"] - len(good) - len(loaded.report["rejected"])
    wanted["bookings"] += missed
    same(found, wanted, "the report")


@check(
    cites="A file that cannot be read or lacks one of the columns changes nothing, and the script exits with 1 and says why on "
    "stderr."
)
def broken_files_change_nothing(migration: Migration) -> None:
    for code, stderr in every(migration.broken, "broken files"):
        same(code, 1, "the exit code for a broken file")
        if not stderr:
            raise Failed("nothing on stderr for a broken file")
    same(_changes(migration.newer, migration.after_broken), [], "what a broken file has changed")


def _changes(loaded: Loaded, after: flows.Books) -> list[str]:
    """Everything that differs on either side."""
    before = loaded.books
    return [
        *differing(before.rows, after.rows, COLUMNS),
        *differing(before.products, after.products, ("id", "name", "active", "metadata")),
        *differing(before.prices, after.prices, ("id", "product", "currency", "unit_amount", "lookup_key", "active")),
        *differing(before.customers, after.customers, ("id", "name", "email", "metadata")),
        *differing(before.invoices, after.invoices, ("id", "status", "total", "currency", "effective_at", "due_date", "metadata")),
        *differing(before.items, after.items, ("id", "invoice")),
    ]


# What is in Stripe


@check(
    cites="Each session of a booking is one product that has the session's name, and the session's code in its metadata as `session`."
)
def sessions_are_products(migration: Migration) -> None:
    books, year = migration.whole.books, migration.desk.year
    for session in (year.plain, year.other, year.priced, year.abroad, year.retired):
        same(books.product(session)["name"], session.name, "the name of a product")


@check(
    cites="What a seat costs is the booking's amount divided by its seats, and each different price of a seat of a session in a "
    "currency is one price of that session's product."
)
def seats_have_prices(migration: Migration) -> None:
    loaded, year = migration.whole, migration.desk.year
    for session in (year.priced, year.abroad):
        sold = {(row.expected["currency"], row.each) for row in loaded.file.of("priced") if row.expected["session"] == session.code}
        same(loaded.books.prices_of(session), sorted(sold), "the prices of a session")


def today(rows: list[Row], code: str) -> dict[str, int]:
    """What a seat of a session costs today in each currency, of clean rows in their order."""
    latest: dict[str, Row] = {}
    for row in rows:
        coin = row.expected["currency"]
        if row.expected["session"] == code and (coin not in latest or row.expected["booked"] >= latest[coin].expected["booked"]):
            latest[coin] = row
    return {coin: row.each for coin, row in latest.items()}


def looked_up(loaded: Loaded, code: str) -> dict[str, int]:
    """The prices that have a session's lookup keys."""
    prefix = f"{code}-".lower()
    named = [item for item in loaded.books.prices if str(item["lookup_key"]).startswith(prefix)]
    wrong = [item["lookup_key"] for item in named if item["lookup_key"] != prefix + item["currency"]]
    if wrong:
        raise Failed("a lookup key names another currency", found=wrong)
    return {item["currency"]: item["unit_amount"] for item in named}


@check(
    cites="What a seat costs today in a currency is what it cost in the booking with the latest `booked`, the one furthest down when "
    "several are of that day; that price has the session's code and the currency as its lookup key, like `deep-sky-eur`."
)
def todays_price_is_named(migration: Migration) -> None:
    loaded, year = migration.whole, migration.desk.year
    for session in (year.priced, year.abroad):
        wanted = today(every(loaded.file.of("priced"), "priced rows"), session.code)
        same(looked_up(loaded, session.code), wanted, "today's prices of a session, by their lookup keys")


@check(
    cites="Guests with the same `email` are one customer, and so are guests without one who have the same name, in whatever case; "
    "the customer has that name and `email`."
)
def guests_are_one_customer(migration: Migration) -> None:
    loaded = migration.whole
    groups: dict[str, list[Row]] = {}
    for row in every(loaded.file.of("people", "nameless"), "rows of people"):
        groups.setdefault(str(row.expected["email"] or row.expected["guest"].lower()), []).append(row)
    owners = {}
    for key, rows in groups.items():
        found = {str(loaded.books.invoice(row.ref)["customer"]) for row in rows}
        same(len(found), 1, "the number of customers of one guest")
        owners[key] = found.pop()
        customer = next((item for item in loaded.books.customers if item["id"] == owners[key]), None)
        if customer is None:
            raise Failed("the invoice of a guest is to a customer of the shop")
        same(customer["email"], rows[0].expected["email"], "the e-mail address of a customer")
        same(str(customer["name"]).lower(), rows[0].expected["guest"].lower(), "the name of a customer")
    same(len(set(owners.values())), len(owners), "the number of customers of different guests")
    emails = [item["email"] for item in loaded.books.customers if item["email"]]
    same(sorted({email for email in emails if emails.count(email) > 1}), [], "the addresses of several customers")


@check(cites="Where Stripe has a customer with that `email` already, it is the guest's, and its name and metadata stay as they are.")
def customers_of_before_are_used(migration: Migration) -> None:
    loaded, known = migration.whole, migration.known
    for row in every(loaded.file.of("known"), "bookings of somebody who is a customer already"):
        same(loaded.books.invoice(row.ref)["customer"], known["id"], "the customer of somebody who was one already")
    names = ("name", "email", "metadata")
    same([migration.known_after.get(name) for name in names], [known[name] for name in names], "the customer of before")


@check(
    cites="Each booking is one invoice to its guest, in its currency, with the booking's `ref` in its metadata as `booking` and one "
    "line, its seats at the price of a seat."
)
def bookings_are_invoices(migration: Migration) -> None:
    loaded = migration.whole
    for row in every(loaded.file.of("plain", "priced", "known"), "clean rows"):
        invoice = loaded.books.invoice(row.ref)
        same(invoice["currency"], row.expected["currency"], "the currency of an invoice")
        same(invoice["total"], row.expected["amount"], "the total of an invoice")
        wanted = {"session": row.expected["session"], "each": row.each, "seats": row.expected["seats"], "amount": row.expected["amount"]}
        same(loaded.books.line(invoice), wanted, "the line of an invoice")
    refs = [(item["metadata"] or {}).get("booking") for item in loaded.books.invoices]
    known = {row["ref"] for row in loaded.books.rows}
    same([ref for ref in refs if ref not in known or refs.count(ref) > 1], [], "invoices of no booking, or of one that has another")
    same(migration.shop_changed, [], "what of the shop's has changed")


@check(cites="An invoice is dated by `effective_at`: the beginning, in UTC, of the day the booking was `booked`.")
def invoices_are_dated(migration: Migration) -> None:
    loaded = migration.whole
    for row in every(loaded.file.of("plain", "priced"), "clean rows"):
        day = datetime.date.fromisoformat(row.expected["booked"])
        same(loaded.books.invoice(row.ref)["effective_at"], calendar.timegm(day.timetuple()), "the date of an invoice")


@check(cites="The invoice of a paid booking is paid out of band, and no card is charged for it.")
def paid_bookings_are_paid_out_of_band(migration: Migration) -> None:
    loaded = migration.whole
    paid = [row for row in loaded.file.of("plain", "priced", "known") if row.expected["state"] == "paid"]
    for row in every(paid, "paid rows"):
        invoice = loaded.books.invoice(row.ref)
        same(invoice["status"], "paid", "the status of a paid booking's invoice")
        if invoice["id"] not in loaded.books.outside:
            raise Failed("the invoice of a paid booking was not paid out of band")
    same(loaded.books.charged, [], "the charges of the migration")


@check(
    cites="The invoice of an open booking is open, and Stripe asks the guest to pay it within 30 days (`send_invoice`, 30 "
    "`days_until_due`)."
)
def open_bookings_are_to_be_paid(migration: Migration) -> None:
    loaded = migration.whole
    unpaid = [row for row in loaded.file.of("plain", "priced", "known") if row.expected["state"] == "open"]
    for row in every(unpaid, "open rows"):
        to_be_paid(loaded.books.invoice(row.ref), 30)


def to_be_paid(invoice: Json, days: int) -> None:
    """An invoice that a guest is asked to pay."""
    names = ("status", "collection_method")
    same({name: invoice[name] for name in names}, {"status": "open", "collection_method": "send_invoice"}, "an open invoice")
    same((invoice["due_date"] or 0) - invoice["created"], days * DAY, "the seconds until an open invoice is due")


@check(cites="Cancelled bookings are in the database only: no invoice, product, price or customer is made for them.")
def cancelled_bookings_are_not_billed(migration: Migration) -> None:
    loaded, year = migration.whole, migration.desk.year
    emails = {item["email"] for item in loaded.books.customers}
    for row in every(loaded.file.of("cancelled"), "cancelled rows"):
        found = loaded.books.row(row.ref)
        same([found[name] for name in ("state", "stripe_invoice")], ["cancelled", None], "a cancelled booking")
        same(loaded.books.invoices_of(row.ref), [], "the invoices of a cancelled booking")
        same(row.expected["email"] in emails, False, "whether a customer was made for a cancelled booking")
    products = [item["id"] for item in loaded.books.products if year.cancelled.name == item["name"]]
    same(products, [], "the products of a session of which all bookings are cancelled")


@check(
    cites="The database tells the same as Stripe: each booking has the ids of its customer and of its invoice, and what they cost "
    "and whether they are paid is the same on both sides."
)
def both_sides_agree(migration: Migration) -> None:
    for loaded in (migration.whole, migration.newer):
        bookings = [row for row in loaded.books.rows if row["stripe_invoice"] or row["state"] != "cancelled"]
        for row in every(bookings, "bookings with an invoice"):
            invoice = next((item for item in loaded.books.invoices if item["id"] == row["stripe_invoice"]), None)
            if invoice is None:
                raise Failed("a booking does not have the id of an invoice in Stripe", stripe_invoice=row["stripe_invoice"])
            status = {"paid": "paid", "open": "open", "cancelled": "void"}[row["state"]]
            wanted = {"customer": row["stripe_customer"], "currency": row["currency"], "total": row["amount"], "status": status}
            same({name: invoice[name] for name in wanted}, wanted, "the invoice of a row")
            same((invoice["metadata"] or {}).get("booking"), row["ref"], "the booking of a row's invoice")
        known = {row["stripe_invoice"] for row in bookings}
        strange = [item["status"] for item in loaded.books.invoices if item["id"] not in known]
        same(strange, [], "the invoices of which the database knows nothing")


# Again and again


@check(cites="Running it again with the same file makes nothing new and changes nothing, in the database or in Stripe.")
def twice_is_once(migration: Migration) -> None:
    same(_changes(migration.whole, migration.again.books), [], "what a second run has changed")


@check(
    cites="When it was killed, at whatever moment, or the line to Stripe broke, running it again finishes the work, and all is as if "
    "it had run once: nothing is there twice, half done or left over."
)
def killed_runs_are_finished(broken: Broken) -> None:
    books = broken.books
    same(broken.code, 0, "the exit code of the last run")
    rows = every([row for row in broken.file.of("clean") if row.expected["state"] != "cancelled"], "rows")
    same(len(books.rows), len(broken.file.rows), "the number of bookings")
    for row in rows:
        invoice = books.invoice(row.ref)
        same((invoice["status"], invoice["total"]), (row.expected["state"], row.expected["amount"]), "an invoice after killed runs")
        same(books.line(invoice)["seats"], row.expected["seats"], "the seats of an invoice after killed runs")
        same(books.row(row.ref)["stripe_invoice"], invoice["id"], "the invoice of a booking after killed runs")
    same(len(books.invoices), len(rows), "the number of invoices after killed runs")
    same([item["id"] for item in books.items if not item["invoice"]], [], "the items of no invoice after killed runs")
    emails = sorted({row.expected["email"] for row in rows})
    same(sorted(str(item["email"]) for item in books.customers), emails, "the customers after killed runs")
    sessions = sorted({row.expected["session"] for row in rows})
    same(sorted(item["metadata"].get("session", "none") for item in books.products), sessions, "the products after killed runs")
    sold = {(row.expected["session"], row.expected["currency"], row.each) for row in rows}
    same(len(books.prices), len(sold), "the number of prices after killed runs")


@check(
    cites="Ines goes on with her ledger until the switch, so it runs again with newer files, in which there are new bookings, and "
    "open ones have become paid, or cancelled: then their invoice is paid out of band, or void."
)
def newer_files_are_followed(migration: Migration) -> None:
    loaded, before = migration.newer, migration.whole.books
    for row in every(migration.paid, "newly paid rows"):
        invoice = loaded.books.invoice(row.ref)
        same((invoice["id"], invoice["status"]), (before.invoice(row.ref)["id"], "paid"), "the invoice of a newly paid booking")
        same(invoice["id"] in loaded.books.outside, True, "whether a newly paid booking was paid out of band")
        same(loaded.books.row(row.ref)["state"], "paid", "the state of a newly paid booking")
    for row in every(migration.cancelled, "newly cancelled rows"):
        invoice = loaded.books.invoice(row.ref)
        same((invoice["id"], invoice["status"]), (before.invoice(row.ref)["id"], "void"), "the invoice of a newly cancelled booking")
        same(loaded.books.row(row.ref)["state"], "cancelled", "the state of a newly cancelled booking")
    for row in every(migration.new, "new rows"):
        same(loaded.books.invoice(row.ref)["total"], row.expected["amount"], "the total of a new booking's invoice")
        found = looked_up(loaded, row.expected["session"]).get(row.expected["currency"])
        same(found, row.each, "today's price after a newer booking")


# Buying


def bought(purchase: Purchase, what: str, *statuses: int) -> Purchase:
    """A purchase that was answered with a booking."""
    if purchase.status not in (statuses or (201,)):
        raise Failed(f"{what} is not answered with a booking", status=purchase.status, code=purchase.code)
    return purchase


def invoice_of(day: Day, purchase: Answer) -> Json:
    """The one invoice of a purchase, found by its id."""
    id = purchase.body.get("stripe_invoice")
    found = next((item for item in day.books.invoices if item["id"] == id), None)
    if found is None:
        raise Failed("a booking does not have the id of an invoice in Stripe")
    return found


def amount_of(day: Day, purchase: Purchase) -> int:
    """What a purchase has to cost."""
    return day.prices[purchase.request["currency"]] * int(purchase.request["seats"])


@check(
    cites="A purchase costs what a seat costs today in that currency, times the seats, whatever else the request says about amounts, "
    "prices or invoices."
)
def the_server_knows_the_price(day: Day) -> None:
    for purchase in every(day.lies, "requests that say too much"):
        bought(purchase, "a request that says too much")
        amount = amount_of(day, purchase)
        same((purchase.body.get("amount"), purchase.body.get("currency")), (amount, purchase.request["currency"]), "the booking")
        same(invoice_of(day, purchase)["total"], amount, "the total of the invoice")


@check(
    cites="With `card` an invoice with one line, the seats at that price, is paid with the card at once, and the booking is `paid`."
)
def cards_pay_at_once(day: Day) -> None:
    for purchase in (day.card, day.yen):
        bought(purchase, "paying by card")
        invoice = invoice_of(day, purchase)
        same(purchase.body.get("state"), "paid", "the state of the booking")
        same((invoice["status"], invoice["total"]), ("paid", amount_of(day, purchase)), "the invoice that a card pays")
        same(invoice["id"] in day.books.outside, False, "whether it was paid out of band")
        line = day.books.line(invoice)
        wanted = {"session": purchase.request["session"], "seats": purchase.request["seats"], "amount": amount_of(day, purchase)}
        same({name: line[name] for name in wanted}, wanted, "the line of the invoice")
        asked = {name: purchase.request[name] for name in ("session", "night", "seats", "currency", "guest", "email")}
        same({name: purchase.body.get(name) for name in asked}, asked, "the booking")
        same([name for name in (*COLUMNS, "invoice_url") if name not in purchase.body], [], "the fields that the booking lacks")


@check(
    cites="With `invoice` such an invoice is open, Stripe asks the guest to pay it within 14 days in the same way, and the booking is "
    "`open`."
)
def invoices_are_to_be_paid(day: Day) -> None:
    purchase = bought(day.invoice, "buying on invoice")
    invoice = invoice_of(day, purchase)
    to_be_paid(invoice, 14)
    same(invoice["total"], amount_of(day, purchase), "the total of the invoice")
    same(purchase.body.get("state"), "open", "the state of the booking")
    same(purchase.body.get("invoice_url"), invoice["hosted_invoice_url"], "the address of the invoice's page")


@check(cites="The invoice of a purchase has the booking's `ref` in its metadata as `booking`, and the booking is in the database.")
def purchases_are_on_both_sides(day: Day) -> None:
    for purchase in (day.card, day.invoice):
        ref = str(bought(purchase, "a purchase").body.get("ref"))
        same((invoice_of(day, purchase)["metadata"] or {}).get("booking"), ref, "the booking of an invoice")
        row = day.books.row(ref)
        names = [name for name in COLUMNS if name != "state"]
        same({name: row[name] for name in names}, {name: purchase.body.get(name) for name in names}, "the row of a booking")
        same(row["source"], "web", "the source of a booking")


@check(cites="Whoever is a customer already by `email`, in whatever case, is that customer again.")
def guests_stay_their_customer(day: Day) -> None:
    purchase = bought(day.again, "a guest of the ledger")
    wanted = day.books.row(day.guest.ref)["stripe_customer"]
    same(purchase.body.get("stripe_customer"), wanted, "the customer of a guest of the ledger")
    same(invoice_of(day, purchase)["customer"], wanted, "the customer of the invoice")


def answered(answer: Answer, status: int, code: str, what: str) -> None:
    """An error with this status and code."""
    same((answer.status, answer.code), (status, code), what)


@check(
    cites="`400` with code `invalid_request` answers a request that lacks a field, a session that is unknown or not on offer, a "
    "currency in which no seat of it was ever sold, a day that is not in the calendar, seats that are no whole number from 1 to the "
    "session's `seats`, an `email` as wrong as above, or another `pay`, and nothing is made in Stripe."
)
def wrong_requests_are_refused(day: Day) -> None:
    for what, purchase in every(list(day.wrong.items()), "wrong requests"):
        answered(purchase, 400, "invalid_request", what)
    same(day.wrong_writes, [], "what wrong requests have asked of Stripe")


@check(
    cites="`402` with code `card_declined` answers a card that the bank declines, and `402` with code `authentication_required` one "
    "whose bank wants the customer to confirm, since we have no page for that yet."
)
def refusals_are_told(day: Day) -> None:
    for what, purchase in every(list(day.refused.items()), "refused cards"):
        answered(purchase, 402, "card_declined", f"a declined card: {what}")
    for what, purchase in every(list(day.cautious.items()), "cautious cards"):
        answered(purchase, 402, "authentication_required", what)


@check(cites="A refused card leaves nothing behind: no booking, and no invoice or item that could still be paid.")
def refused_cards_leave_nothing(day: Day) -> None:
    refused = [purchase for purchase in (*day.refused.values(), *day.cautious.values()) if purchase.status == 402]
    known = {row["stripe_invoice"] for row in day.books.rows}
    left = [item for item in day.books.invoices if item["id"] not in known and item["status"] not in ("void", "uncollectible")]
    emails = {purchase.request["email"] for purchase in every(refused, "refused cards")} - {day.guest.expected["email"]}
    of_refused = [item["status"] for item in left if item["customer_email"] in emails | {day.guest.expected["email"]}]
    same(of_refused, [], "the invoices that refused cards have left")
    same([item["id"] for item in day.pending], [], "the items that wait for an invoice")
    same([row["ref"] for row in day.books.rows if row["email"] in emails], [], "the bookings of refused cards")


@check(
    cites="The same `request_id` again, later or at the same moment, is the same purchase: there is one booking and one invoice, the "
    "card is charged once, and it is answered with that booking, by `200` or `201`."
)
def the_same_request_is_one_purchase(day: Day) -> None:
    bought(day.first, "a purchase")
    for answer in (day.second, *day.together):
        if answer.status not in (200, 201):
            raise Failed("a repeated request is not answered with its booking", status=answer.status, code=answer.code)
    same(day.second.body.get("ref"), day.first.body.get("ref"), "the booking of a repeated request")
    same(len({answer.body.get("ref") for answer in day.together}), 1, "the number of bookings of one request sent at once")
    for request in (day.first.request, day.racing):
        _one_of(day, request)


def _one_of(day: Day, request: Json) -> None:
    """One booking, one invoice and one charge of whoever sent a request."""
    same(len([row for row in day.books.rows if row["email"] == request["email"]]), 1, "the number of bookings of one request")
    paid = [item for item in day.books.invoices if item["customer_email"] == request["email"]]
    same([item["status"] for item in paid], ["paid"], "the invoices of one request")


@check(
    cites="`502` with code `stripe_unavailable` answers a purchase while Stripe cannot be reached, and there is no booking; the page "
    "then sends the same request again later, which works, and even when Stripe had taken the money before the line broke, it is "
    "not taken twice."
)
def broken_lines_take_nothing_twice(day: Day) -> None:
    answered(day.away, 502, "stripe_unavailable", "a purchase while Stripe is away")
    if day.lost.status not in (200, 201):  # another way to pay does not notice
        answered(day.lost, 502, "stripe_unavailable", "a purchase whose answer was lost")
    same((day.away_known, day.lost_known), (False, False), "whether there are bookings although Stripe could not be reached")
    for purchase in (day.away_again, day.lost_again):
        bought(purchase, "the same request later", 200, 201)
        _one_of(day, purchase.request)


@check(
    cites="`GET /api/bookings/:ref` shows the `state` that the booking has in Stripe at that moment, such as `paid` once the guest has "
    "paid, or `cancelled` once somebody has voided the invoice; a booking that is not there is `404` with code `not_found`."
)
def bookings_are_shown_as_they_are(day: Day) -> None:
    for what, (answer, state) in every(list(day.looks.items()), "bookings looked up"):
        same((answer.status, answer.body.get("state")), (200, state), f"a booking: {what}")
    answered(day.unknown, 404, "not_found", "a booking that is not there")
    shown = day.looks["an open one of the ledger"][0].body
    row = day.books.row(day.ledger_ref)
    names = [name for name in COLUMNS if name != "state"]
    same({name: shown.get(name) for name in names}, {name: row[name] for name in names}, "a booking of the ledger")
    same(shown.get("invoice_url"), invoice_of(day, day.looks["an open one of the ledger"][0])["hosted_invoice_url"], "its invoice's page")


@check(
    cites="It is for the office only, by the `OFFICE_TOKEN` as for the waiting list: without it `401` with code `unauthorized`."
)
def only_the_office_looks(day: Day) -> None:
    for what, answer in every(list(day.strangers.items()), "requests of strangers"):
        answered(answer, 401, "unauthorized", what)


# What a careful engineer does unasked: reported, and nothing else.


@check(cites=LIVE, required=False)
def what_is_made_has_idempotency_keys(migration: Migration, day: Day) -> None:
    same(migration.keyless, [], "what the migration makes without an idempotency key")
    same(day.keyless, [], "what a purchase makes without an idempotency key")


@check(cites=LIVE, required=False)
def secrets_are_not_logged(day: Day, broken: Broken) -> None:
    for what, secret in day.secrets.items():
        if secret in day.log:
            raise Failed(f"{what} is in the app's log")
    same(broken.secret in broken.log, False, "whether the migration prints the secret key")
    names = [day.card.request["payment_method"], day.card.request["email"]]
    same([name for name in names if name in day.log], [], "what the log tells of guests")


@check(cites=LIVE, required=False)
def new_code_has_tests(around: Around) -> None:
    every(around.tests, "tests that speak of bookings or the ledger")
