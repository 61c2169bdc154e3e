# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-d3e085428055: keep out of training data
"""Does the desk take, show and give back the right money?  Each flow is driven once and judged by several checks."""

from __future__ import annotations

from trialbalance.grading import App, Draw, Failed, GraderTwin, check, every, same, scenario

import flows
from flows import Around, Day, Loaded, Office, Phonebook, Refusals, Repeats, Sales
from outfitter import SHOWN, Answer, Sale, Trip, find, missing_fields
from phone_file import Row

LIVE = "Treat it as what it is: it goes live with other people's money in it."
SELL_STATUS = {"paid": "paid", "deposit_paid": "deposit_paid", "card_saved": "card_saved", "partly back": "paid"}


@scenario
def around(app: App, twin: GraderTwin, draw: Draw) -> Around:
    return flows.look_around(app, twin, draw)


@scenario
def phonebook(around: Around) -> Phonebook:
    if around.phonebook is None:
        raise around.failed or Failed("the phone book cannot be loaded")
    return around.phonebook


@scenario
def day(app: App, twin: GraderTwin, draw: Draw) -> Day:
    return flows.spend_a_day(app, twin, draw)


@scenario
def sales(day: Day) -> Sales:
    return day.sales


@scenario
def refusals(day: Day) -> Refusals:
    return day.refusals


@scenario
def repeats(day: Day) -> Repeats:
    return day.repeats


@scenario
def office(day: Day) -> Office:
    return day.office


# What was there


@check(
    cites="What is there today (`/`, `/health`, quotes, enquiries, the scripts) stays as it is.",
    given=True,
)
def what_was_there_stays(around: Around) -> None:
    if around.problem:
        raise Failed(around.problem)


# The phone book


def become(loaded: Loaded, kind: str, *names: str) -> None:
    """Each row of a kind has become a booking with these fields."""
    for row in every(loaded.file.of(kind), f"rows of the kind {kind}"):
        judge_row(loaded, row, *names)


def judge_row(loaded: Loaded, row: Row, *names: str) -> None:
    booking = loaded.booking(row)
    shown = {name: booking.get(name) for name in names}
    wanted = {name: row.expected[name] for name in names}
    if shown != wanted:
        raise Failed("a row has become something else", row=row.cells, actual=shown, expected=wanted)


@check(
    cites="The file is CSV in UTF-8 as spreadsheets write it: fields in double quotes may hold commas, line breaks and doubled "
    "quotes."
)
def quoted_fields_are_read(phonebook: Phonebook) -> None:
    become(phonebook.dirty, "quoted", "remark")


@check(
    cites="It may begin with a byte order mark and have Windows line ends, its columns `ref`, `trip`, `day`, `guest`, `email`, "
    "`party`, `paid` and `remark` come in any order, perhaps with others among them, and lines without anything in them are no "
    "rows."
)
def files_of_windows_are_read(phonebook: Phonebook) -> None:
    become(phonebook.windows, "windows", "date", "name", "email", "people", "paid")
    same(phonebook.windows.report.get("rows"), len(phonebook.windows.file.rows), "the number of rows")


@check(
    cites="A `ref` is `PH-` and a number; Mairi also writes `ph1042`, `PH 1042` or `ph-1042`, with spaces around it, and all of "
    "these are `PH-1042`."
)
def refs_are_read(phonebook: Phonebook) -> None:
    become(phonebook.dirty, "ref", "ref", "name")


@check(
    cites="`trip` is the code of a trip or its name, in whatever case and spacing, and trips that are not on sale any more count "
    "too."
)
def trips_are_found(phonebook: Phonebook) -> None:
    become(phonebook.dirty, "trip", "trip", "currency")


@check(
    cites="`day` is a day written like `2026-07-04`, `04/07/2026`, `4.7.2026`, `4-7-26`, `4 Jul 2026`, `4th July 2026`, `Sat 4 "
    "July 2026` or `July 4, 2026`: numbers come day first unless the year does, years of two digits are 20xx, and months have "
    "English names or their first three letters, in whatever case."
)
def days_are_read(phonebook: Phonebook) -> None:
    become(phonebook.dirty, "day", "date")


@check(
    cites="`guest` is a name: runs of white space of any kind, no-break spaces among them, become one space, none is left at the "
    "ends, and `Byrne, Ada` is `Ada Byrne`."
)
def guests_are_tidied(phonebook: Phonebook) -> None:
    become(phonebook.dirty, "guest", "name")


@check(
    cites="`email` is stored in lower case without white space around it; an empty one is `null`, and one that is not something, "
    "`@`, something, without white space in it, is wrong."
)
def emails_are_tidied(phonebook: Phonebook) -> None:
    become(phonebook.dirty, "email", "email")


@check(
    cites="`party` is a whole number such as `4`, or several to be added, such as `2+2` or `2 + 1`, and words after it (`4 "
    "pers.`, `2+2 (kids)`) mean nothing."
)
def parties_are_counted(phonebook: Phonebook) -> None:
    become(phonebook.dirty, "party", "people")


@check(
    cites="`paid` is an amount with the currency before or after it, as a sign (`£`, `€`, `¥`, `kr`) or as a code in whatever "
    "case, with or without a space; without either it is in the trip's currency."
)
def currencies_are_read(phonebook: Phonebook) -> None:
    become(phonebook.dirty, "currency", "currency", "paid")


@check(
    cites="In an amount, a point or comma with exactly one or two digits after it at the end begins the decimals, and all other "
    "points, commas, apostrophes and spaces of any kind only group digits: `€1.250,50`, `1,250.5 EUR`, `NOK 1 250`, `¥12,000`."
)
def amounts_are_read(phonebook: Phonebook) -> None:
    become(phonebook.dirty, "amount", "currency", "paid")


@check(cites="An empty `paid`, or only a dash, is 0 in the trip's currency.")
def nothing_paid_is_zero(phonebook: Phonebook) -> None:
    become(phonebook.dirty, "nothing", "paid", "currency")


@check(cites="`remark` is stored without white space at the ends; an empty one is `null`.")
def remarks_are_tidied(phonebook: Phonebook) -> None:
    become(phonebook.dirty, "remark", "remark")


@check(
    cites="A row is rejected when its `ref`, `trip`, `day`, `guest`, `email`, `party` or `paid` cannot be read by these rules, is "
    "a day that is not in the calendar, a name or party of nothing, a negative amount, an amount with a fraction of a yen, or in "
    "a currency other than our four."
)
def bad_rows_are_rejected(phonebook: Phonebook) -> None:
    loaded = phonebook.dirty
    bad = every([row for row in loaded.file.rows if row.reason], "bad rows")
    refs = {row.ref: row for row in bad}
    emails = {row.cells["email"]: row for row in bad if "@" in row.cells["email"]}
    for booking in every(loaded.all, "bookings"):
        row = refs.get(str(booking.get("ref"))) or emails.get(str(booking.get("email")))
        if row is not None:
            raise Failed("a row that cannot be read has become a booking", row=row.cells)


@check(
    cites="Rejected rows load nothing and are reported with the line of the file on which they begin (the header's is 1) and, as "
    "`reason`, the first column of `ref`, `trip`, `day`, `guest`, `email`, `party`, `paid` that is wrong.",
    needs="bad-rows-are-rejected",
)
def rejected_rows_are_reported(phonebook: Phonebook) -> None:
    loaded = phonebook.dirty
    wanted = loaded.file.rejected()
    reported = [item for item in loaded.report["rejected"] if isinstance(item, dict)]
    found = {item.get("line"): item.get("reason") for item in reported if item.get("line") in wanted}
    same(found, wanted, "the reasons of rejected rows by line")


@check(
    cites="Of several good rows with the same `ref` the last one counts, since Mairi corrects by writing a row again further down, "
    "and each one before it is counted in `duplicates`; `rows` counts all rows and `loaded` the bookings loaded."
)
def last_row_counts(phonebook: Phonebook) -> None:
    loaded = phonebook.repeated
    last = {row.ref: row for row in loaded.file.of("repeated")}
    for row in every(list(last.values()), "refs"):
        judge_row(loaded, row, "date", "people", "name")
    good = len(loaded.file.of("repeated"))
    wanted = {"rows": len(loaded.file.rows), "loaded": len(last), "duplicates": good - len(last)}
    same({name: loaded.report.get(name) for name in wanted}, wanted, "the report")


@check(
    cites="Loading is safe to repeat: a booking that was loaded before keeps its `id` and takes over what the file says now, and "
    "bookings that are not in the file stay."
)
def loading_again_is_safe(phonebook: Phonebook) -> None:
    first, again, later = phonebook.repeated, phonebook.again, phonebook.later
    ids = {ref: booking.get("id") for ref, booking in first.bookings.items()}
    for loaded in (again, later):
        same(len(loaded.all), len(first.all), "the number of bookings after loading again")
        same({ref: booking.get("id") for ref, booking in loaded.bookings.items()}, ids, "the ids after loading again")
    judge_row(later, phonebook.moved, "date", "remark")
    judge_row(later, phonebook.gone, "date", "name")


@check(
    cites="A file that cannot be read or lacks one of the columns loads nothing, and the script exits with 1 and says why on "
    "stderr."
)
def broken_files_load_nothing(phonebook: Phonebook) -> None:
    for code, stderr in every(phonebook.broken, "broken files"):
        same(code, 1, "the exit code for a broken file")
        if not stderr:
            raise Failed("nothing on stderr for a broken file")
    same(len(phonebook.after_broken), len(phonebook.before_broken), "the number of bookings after a broken file")


# Booking


def booked(sale: Sale, what: str) -> Sale:
    """A purchase that was answered with a booking."""
    if sale.status != 201:
        raise Failed(f"{what} is not answered with 201", status=sale.status, code=sale.code)
    return sale


def shown(sale: Sale, **wanted: object) -> None:
    """The answered booking has these values."""
    same({name: sale.body.get(name) for name in wanted}, wanted, "the booking")


@check(cites="`GET /api/trips` lists the trips on sale, each with the price for one person, ordered by `code`.")
def trips_are_listed(sales: Sales) -> None:
    names = ("code", "name", "currency", "price", "deposit_percent", "max_party")
    listed = sales.trips.get("trips")
    if not isinstance(listed, list):
        raise Failed("GET /api/trips does not answer with trips")
    wanted = [
        {name: getattr(trip, name) for name in names}
        for trip in sorted(sales.season.on_sale, key=lambda trip: trip.code)
    ]
    same([{name: item.get(name) for name in names} for item in listed], wanted, "the trips")


@check(cites="With `full` the whole price is taken at once, with a PaymentIntent, and the booking is `paid`.")
def full_price_is_taken(sales: Sales) -> None:
    for sale, trip in ((sales.full, sales.season.part), (sales.yen, sales.season.yen)):
        total = trip.total(sale.request["people"])
        booked(sale, "paying in full")
        same(sale.taken(), [(total, trip.currency)], "what was taken")
        shown(sale, currency=trip.currency, total=total, paid=total, status="paid", refunded=0, source="web", ref=None,
              trip=trip.code, date=sale.request["date"], people=sale.request["people"])  # fmt: skip
        same(missing_fields(sale.body), [], "the fields that the booking lacks")


@check(
    cites="The whole price is what our quotes say for that party, groups included, in the trip's currency."
)
def groups_pay_the_quoted_price(sales: Sales) -> None:
    trip, sale = sales.season.part, booked(sales.group, "a group")
    total = trip.total(sale.request["people"])
    same(sale.taken(), [(total, trip.currency)], "what was taken of a group")
    shown(sale, total=total, paid=total)


@check(
    cites="With `deposit` the trip's `deposit_percent` of the whole price is taken, rounded up to a whole smallest unit; the "
    "booking is `deposit_paid`, or `paid` if that is everything."
)
def deposits_are_taken(sales: Sales) -> None:
    season = sales.season
    cases: tuple[tuple[Sale, Trip, str], ...] = (
        (sales.part, season.part, "deposit_paid"),
        (sales.exact, season.exact, "deposit_paid"),
        (sales.whole, season.whole, "paid"),
    )
    for sale, trip, status in cases:
        people = sale.request["people"]
        booked(sale, "a deposit")
        same(sale.taken(), [(trip.deposit(people), trip.currency)], "what was taken as a deposit")
        shown(sale, total=trip.total(people), paid=trip.deposit(people), status=status)


@check(
    cites="Where the deposit is nothing, no payment is made; the card is set up for later with a SetupIntent, and the booking is "
    "`card_saved`."
)
def card_is_set_up_for_later(sales: Sales) -> None:
    sale, trip = booked(sales.saved, "a deposit of nothing"), sales.season.nothing
    sale.setup()
    same([item["status"] for item in sale.payments], [], "the PaymentIntents where nothing is due")
    total = trip.total(sale.request["people"])
    shown(sale, total=total, paid=0, status="card_saved", currency=trip.currency)


@check(
    cites="As long as something remains to be paid, the card is kept on a Stripe customer with the booking's `email`, so that the "
    "rest can be charged when nobody is at the screen."
)
def card_is_kept_for_the_rest(sales: Sales) -> None:
    for what, (problem, email, wanted) in every(list(sales.kept.items()), "bookings with something to be paid"):
        if problem:
            raise Failed(f"{what}: {problem}")
        same(email, wanted, f"the e-mail address of the customer: {what}")


@check(cites="A card of which nothing more is wanted is not kept on any customer.")
def paid_cards_are_not_kept(sales: Sales) -> None:
    for sale in (sales.full, sales.group, sales.whole):
        payment = sale.payment()
        kept = payment["setup_future_usage"]
        if payment["customer"] and kept:
            raise Failed("the card is kept although all is paid", setup_future_usage=kept)
        same([item["status"] for item in sale.setups], [], "the SetupIntents of what is all paid")


@check(cites="Whoever books again with the same e-mail address, in whatever case, is the same Stripe customer.")
def one_customer_for_an_address(sales: Sales) -> None:
    customers = {str(sale.payment()["customer"]) for sale in sales.same}
    same(len(customers), 1, "the number of customers of one e-mail address")
    made = [item for sale in sales.same for item in sale.customers]
    same(len(made), 1, "the number of customers that were made for one e-mail address")


@check(
    cites="Every PaymentIntent and SetupIntent has the booking's `id` in its metadata as `booking`, and the trip's code as `trip`."
)
def intents_name_the_booking(sales: Sales) -> None:
    for sale, intent in (
        (sales.full, sales.full.payment()), (sales.part, sales.part.payment()), (sales.saved, sales.saved.setup()),
    ):  # fmt: skip
        named = {name: intent["metadata"].get(name) for name in ("booking", "trip")}
        same(named, {"booking": sale.id, "trip": sale.request["trip"]}, "the metadata")


@check(
    cites="Only the server decides what is paid: whatever else the request says about amounts, prices, percentages or currencies "
    "changes nothing."
)
def only_the_server_decides(sales: Sales) -> None:
    for sale, trip in zip(every(sales.lies, "requests with amounts in them"), (sales.season.part, sales.season.whole), strict=True):
        total = due = trip.total(sale.request["people"])
        booked(sale, "a request that says too much")
        same(sale.taken(), [(due, trip.currency)], "what was taken of a request that says something else")
        shown(sale, total=total, paid=due, currency=trip.currency)


@check(cites="`name` and `email` of a web booking are tidied up as in the phone book.")
def web_bookings_are_tidied(sales: Sales) -> None:
    booked(sales.untidy, "an untidy name")
    shown(sales.untidy, name=sales.untidy_name, email=sales.untidy_email)


@check(
    cites="`400` with code `invalid_request` answers a request that lacks a field, an unknown or retired trip, a day that is not "
    "in the calendar, a party that is no whole number from 1 to `max_party`, an e-mail address as wrong as above, or another "
    "`pay`, and nothing of it reaches Stripe."
)
def wrong_requests_are_refused(sales: Sales) -> None:
    for what, sale in every(list(sales.wrong.items()), "wrong requests"):
        answered(sale, 400, "invalid_request", what)
    same(sales.wrong_writes, [], "what of wrong requests reached Stripe")


def answered(answer: Answer, status: int, code: str, what: str) -> None:
    """An error with this status and code."""
    same((answer.status, answer.code), (status, code), what)


@check(cites="A `payment_method` that Stripe does not know is answered with `400` and code `invalid_request` too.")
def unknown_cards_are_refused(sales: Sales) -> None:
    answered(sales.unknown_card, 400, "invalid_request", "an unknown payment method")


@check(
    cites="The same `request_id` again, later or at the same moment, is the same purchase: the card is charged once, there is one "
    "booking, and it is answered with that booking, by `200` or `201`."
)
def the_same_request_is_one_purchase(repeats: Repeats) -> None:
    for answer in (repeats.second, *repeats.together):
        if answer.status not in (200, 201):
            raise Failed("a repeated request is not answered with its booking", status=answer.status, code=answer.code)
    same(repeats.second.body.get("id"), repeats.first.id, "the booking of a repeated request")
    same(repeats.second.taken(), [], "what was taken by a repeated request")
    ids = {answer.body.get("id") for answer in repeats.together}
    same(len(ids), 1, "the number of bookings of one request sent three times at once")
    same(repeats.together_taken, 1, "the number of payments of one request sent three times at once")
    for id in (repeats.first.id, *map(str, ids)):
        find(repeats.listed, id)


@check(
    cites="`502` with code `stripe_unavailable` answers a purchase while Stripe cannot be reached, and there is no booking; the "
    "page then sends the same request again later, which works, and even when Stripe had taken the money before the line broke, "
    "it is not taken twice."
)
def broken_lines_take_nothing_twice(repeats: Repeats) -> None:
    answered(repeats.away, 502, "stripe_unavailable", "a purchase while Stripe is away")
    answered(repeats.lost, 502, "stripe_unavailable", "a purchase whose answer was lost")
    for listed, sale in ((repeats.away_listed, repeats.away), (repeats.lost_listed, repeats.lost)):
        emails = [item.get("email") for item in every(listed, "bookings")]
        if sale.request["email"] in emails:
            raise Failed("there is a booking although Stripe could not be reached")
    for sale in (repeats.away_again, repeats.lost_again):
        if sale.status not in (200, 201):
            raise Failed("the same request does not work later", status=sale.status, code=sale.code)
        find(repeats.listed, sale.id)
    same(len(repeats.away_again.taken()), 1, "the number of payments once Stripe is back")
    same(repeats.lost_taken, 1, "the number of payments of a request whose answer was lost")


@check(cites="Bookings survive a crash of the server.")
def bookings_survive_a_crash(repeats: Repeats) -> None:
    names = ("id", *SHOWN)
    before = [[item.get(name) for name in names] for item in every(repeats.listed, "bookings")]
    after = [[item.get(name) for name in names] for item in repeats.crashed]
    same(sorted(map(repr, after)), sorted(map(repr, before)), "the list after a crash")


# Refused cards


@check(
    cites="`402` with code `card_declined` answers a card that the bank declines, with Stripe's `decline_code` in the error "
    "beside `code`, and so it is for cards that are only to be kept."
)
def declines_are_told(refusals: Refusals) -> None:
    wanted = {"full": "insufficient_funds", "full, expired": "expired_card", "deposit": "generic_decline",
              "card only": "generic_decline"}  # fmt: skip
    for what, sale in refusals.declined.items():
        answered(sale, 402, "card_declined", f"a declined card: {what}")
        same(sale.body["error"].get("decline_code"), wanted[what], f"the decline code: {what}")


@check(
    cites="A card whose bank wants the customer to confirm is answered with `402` and code `authentication_required`, since we "
    "have no page for that yet."
)
def confirmation_is_refused(refusals: Refusals) -> None:
    for what, sale in refusals.cautious.items():
        answered(sale, 402, "authentication_required", f"a card that wants confirmation: {what}")


@check(
    cites="A refused card leaves nothing behind: no booking, no PaymentIntent or SetupIntent that could still be completed, and no "
    "Stripe customer that was not there before."
)
def refused_cards_leave_nothing(refusals: Refusals) -> None:
    refused = [sale for sale in (*refusals.declined.values(), *refusals.cautious.values()) if sale.status == 402]
    for sale in every(refused, "refused cards"):
        same(sale.left_open(), [], f"the intents that are left open by {sale.request['payment_method']}")
    emails = {sale.request["email"] for sale in refused}
    same([item for item in refusals.listed if item.get("email") in emails], [], "the bookings of refused cards")
    same(sorted(emails & set(refusals.customers)), [], "the customers of refused cards")


@check(cites="A Stripe customer of earlier bookings is still there after a refused card.")
def earlier_customers_stay(refusals: Refusals) -> None:
    same(refusals.known_refused.status, 402, "the status of a refused card of an earlier customer")
    if refusals.known_problem:
        raise Failed(f"after a refused card of an earlier customer: {refusals.known_problem}")


# The list


@check(
    cites=(
        "It has all bookings, from the web and from the phone.",
        "`200` and `{\"bookings\": […]}`, earliest `date` first",
    )
)
def list_has_all_bookings(office: Office) -> None:
    listed = office.plain
    dates = [str(item.get("date")) for item in every(listed, "bookings")]
    same(dates, sorted(dates), "the order of the days")
    for sale in office.sales.values():
        booking = find(listed, sale.id)
        names = [name for name in SHOWN if name not in ("status", "refundable")]
        same([booking.get(name) for name in names], [sale.body.get(name) for name in names], "a web booking in the list")
    booking = find(listed, office.phone_id)
    names = ("ref", "trip", "date", "name", "email", "people", "paid", "currency")
    same({name: booking.get(name) for name in names}, {name: office.phone.expected[name] for name in names}, "a phone booking")
    same({name: booking.get(name) for name in ("source", "total", "refunded")},
         {"source": "phone", "total": None, "refunded": 0}, "a phone booking")  # fmt: skip
    same([name for item in listed for name in missing_fields(item)], [], "the fields that bookings lack")
    same(len(listed), len(office.sales) + 3, "the number of bookings")


@check(
    cites="What has happened in Stripe since, such as a refund or a dispute in Stripe's dashboard, shows in the list as soon as it "
    "is asked for again."
)
def list_tells_what_happened_since(office: Office) -> None:
    for name, wanted in (
        ("partly back", office.part_back),
        ("all back", office.sales["all back"].body.get("paid")),
        ("paid", 0),
    ):
        sale = office.sales[name]
        same(find(office.later, sale.id).get("refunded"), wanted, f"what went back: {name}")
        same(find(office.later, sale.id).get("paid"), sale.body.get("paid"), f"what was taken: {name}")


@check(
    cites="`status` is `phone` for phone bookings, otherwise `disputed` once the payment has been disputed, `refunded` once "
    "everything that was taken went back, and until then what it was when the booking was made."
)
def list_has_the_status(office: Office) -> None:
    wanted = {**SELL_STATUS, "all back": "refunded", "disputed": "disputed"}
    for name, status in wanted.items():
        same(flows.status_of(office.later, office.sales[name]), status, f"the status of {name}")
    same(find(office.later, office.phone_id).get("status"), "phone", "the status of a phone booking")


@check(cites="`refundable` is true when a refund by us would give back something.")
def list_knows_what_is_refundable(office: Office) -> None:
    wanted = {"paid": True, "deposit_paid": True, "card_saved": False, "partly back": True, "all back": False,
              "disputed": False}  # fmt: skip
    for name, refundable in wanted.items():
        same(find(office.later, office.sales[name].id).get("refundable"), refundable, f"refundable of {name}")
    same(find(office.later, office.phone_id).get("refundable"), False, "refundable of a phone booking")


@check(cites="Prices that change later change no booking.")
def prices_of_bookings_stay(office: Office) -> None:
    names = ("total", "paid", "currency", "status")
    for sale in office.sales.values():
        before, after = find(office.later, sale.id), find(office.repriced, sale.id)
        same([after.get(name) for name in names], [before.get(name) for name in names], "a booking after new prices")


# Refunds


def gave_back(answer: Answer, sale: Sale, what: str) -> None:
    """A refund that was answered with the booking as it is then."""
    paid = sale.body.get("paid")
    if answer.status != 200:
        raise Failed(f"{what} is not answered with 200", status=answer.status, code=answer.code)
    found = {name: answer.body.get(name) for name in ("id", "status", "paid", "refunded", "refundable")}
    wanted = {"id": sale.body.get("id"), "status": "refunded", "paid": paid, "refunded": paid, "refundable": False}
    same(found, wanted, what)


@check(
    cites="A refund gives back, to the card it came from, whatever of the payment has not gone back yet, and answers with status "
    "`refunded` and the right `refunded`."
)
def refund_gives_back(office: Office) -> None:
    for what, refunded in (("a refund", office.full), ("the rest", office.rest), ("a deposit", office.deposit)):
        gave_back(refunded.answers[0], refunded.sale, what)
        amounts = [amount for amount, status in refunded.refunds if status == "succeeded"]
        same(sum(amounts), refunded.sale.body.get("paid"), f"what Stripe gave back: {what}")


@check(cites="Phone bookings are not refundable: `409` with code `not_refundable`.")
def phone_bookings_are_not_refundable(office: Office) -> None:
    answered(office.phone_refund, 409, "not_refundable", "a refund of a phone booking")


@check(cites="Where nothing was taken, there is nothing to give back: `409` with code `nothing_to_refund`.")
def nothing_is_not_given_back(office: Office) -> None:
    answered(office.saved_refund, 409, "nothing_to_refund", "a refund where nothing was taken")


@check(cites="A second refund is refused: `409` with code `already_refunded`.")
def second_refund_is_refused(office: Office) -> None:
    answered(office.full.answers[1], 409, "already_refunded", "a second refund")
    same(len(office.full.refunds), 1, "the number of refunds after a second one")


@check(cites="A payment that has been disputed is not refunded: `409` with code `disputed`.")
def disputed_payments_are_not_refunded(office: Office) -> None:
    answered(office.disputed.answers[0], 409, "disputed", "a refund of a disputed payment")
    same(office.disputed.refunds, [], "the refunds of a disputed payment")


@check(
    cites="When several refunds of one booking are asked for at the same moment, exactly one answers `200`, the others answer "
    "`409` with code `already_refunded`, and the money goes back once."
)
def racing_refunds_give_back_once(office: Office) -> None:
    race = office.race
    found = sorted((answer.status, str(answer.code)) for answer in race.answers)
    wanted = [(200, "None")] + [(409, "already_refunded")] * (len(race.answers) - 1)
    same(found, wanted, "the answers to refunds at the same moment")
    same(race.refunds, [(race.sale.body.get("paid"), "succeeded")], "the refunds in Stripe")


@check(cites="A booking that is not there is `404` with code `not_found`.")
def unknown_bookings_are_not_found(office: Office) -> None:
    answered(office.unknown, 404, "not_found", "a refund of a booking that is not there")


@check(
    cites="`502` with code `stripe_unavailable` answers a refund while Stripe cannot be reached, and the booking can be refunded "
    "afterwards."
)
def refund_works_after_an_outage(repeats: Repeats) -> None:
    answered(repeats.refund_away, 502, "stripe_unavailable", "a refund while Stripe is away")
    gave_back(repeats.refund_after, repeats.first, "a refund once Stripe is back")
    same(repeats.refunds, 1, "the number of refunds in Stripe")


@check(
    cites="The list and refunds are for the office only, by the `OFFICE_TOKEN` as for the enquiries: without it `401` with code "
    "`unauthorized`, and nothing happens."
)
def only_the_office_lists_and_refunds(office: Office) -> None:
    for what, answer in every(list(office.strangers.items()), "requests of strangers"):
        answered(answer, 401, "unauthorized", what)
    same(office.stranger_refunds, 0, "the refunds that strangers caused")


# What a careful engineer does unasked: reported, and nothing else.


@check(cites=LIVE, required=False)
def a_lost_answer_is_asked_for_again(office: Office) -> None:
    gave_back(office.unsettled.answers[0], office.unsettled.sale, "a refund whose first answer was lost")
    same(len(office.unsettled.refunds), 1, "the number of refunds after a lost answer")


@check(cites=LIVE, required=False)
def money_moves_with_idempotency_keys(sales: Sales) -> None:
    same(sales.keyless, [], "the requests without an idempotency key")


@check(cites=LIVE, required=False)
def secrets_are_not_logged(repeats: Repeats) -> None:
    for what, secret in repeats.secrets.items():
        if secret in repeats.log:
            raise Failed(f"{what} is in the app's log")
    names = [repeats.first.request["payment_method"], repeats.first.request["email"]]
    same([name for name in names if name in repeats.log], [], "what the log tells of customers")


@check(cites=LIVE, required=False)
def new_code_has_tests(around: Around) -> None:
    every(around.tests, "tests that speak of bookings, refunds or the phone book")
