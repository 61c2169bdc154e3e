# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-24dcf72ba39b: keep out of training data
"""Ledgers to draw: rows with one kind of dirt each, rows about prices and guests, and what has to become of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from trialbalance.grading import Draw

from observatory import Session, Year

COLUMNS = ("booking", "session", "night", "booked", "guest", "email", "seats", "amount", "state")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
NBSP = "\u00a0"


@dataclass(frozen=True)
class Row:
    """A row as it is written, what it has to become, and its kind. `reason` is the column for which it is rejected."""

    kind: str
    cells: dict[str, str]
    expected: dict[str, Any]
    reason: str = ""

    @property
    def ref(self) -> str:
        """What the booking is called."""
        return str(self.expected["ref"])

    @property
    def each(self) -> int:
        """The price of a seat."""
        return int(self.expected["amount"]) // int(self.expected["seats"])


@dataclass(frozen=True)
class LedgerFile:
    """A file: its text, its rows, and the lines on which they begin."""

    text: str
    rows: tuple[Row, ...]
    lines: tuple[int, ...]

    def of(self, *kinds: str) -> list[Row]:
        """The good rows of some kinds; of each booking the last one."""
        last = {row.ref: row for row in self.rows if not row.reason}
        return [row for row in last.values() if row.kind in kinds]

    def rejected(self) -> dict[int, str]:
        """Line and reason of each bad row."""
        return {line: row.reason for row, line in zip(self.rows, self.lines, strict=True) if row.reason}


def money(amount: int, currency: str) -> str:
    """An amount as a careful person writes it."""
    if currency == "jpy":
        return f"{amount} JPY"
    return f"{amount // 100}.{amount % 100:02} {currency.upper()}"


class Writer:
    """Draws rows."""

    def __init__(self, draw: Draw, year: Year, first: int) -> None:
        self.draw = draw
        self.year = year
        self.number = first

    def row(
        self, kind: str, *, session: Session | None = None, currency: str = "", each: int = 0, reason: str = "",
        then: Any = None, **cells: str,
    ) -> Row:  # fmt: skip
        """A clean row but for `cells`; `then` is what its dirty columns become."""
        draw = self.draw
        self.number += draw.integer(1, 3)
        chosen = session or draw.choice((self.year.plain, self.year.other))
        coin = currency or draw.choice(("eur", "gbp", "chf"))
        person = draw.person()
        seats = draw.integer(2, 5)
        amount = (each or draw.integer(1001, 9999)) * seats
        night = f"2026-{draw.integer(3, 11):02}-{draw.integer(13, 28)}"
        booked = f"2025-{draw.integer(1, 12):02}-{draw.integer(13, 28)}"
        state = draw.choice(("paid", "open"))
        clean = {
            "booking": f"NR-{self.number}",
            "session": chosen.code,
            "night": night,
            "booked": booked,
            "guest": person.name,
            "email": person.email,
            "seats": str(seats),
            "amount": money(amount, coin),
            "state": state,
        }
        expected = {
            "ref": clean["booking"],
            "source": "ledger",
            "session": chosen.code,
            "night": night,
            "booked": booked,
            "guest": person.name,
            "email": person.email,
            "seats": seats,
            "currency": coin,
            "amount": amount,
            "state": state,
        }
        # What is written in a clean way becomes what it says.
        plain = {name: cells[name] for name in ("night", "booked", "guest", "email", "state") if name in cells}
        return Row(kind, {**clean, **cells}, {**expected, **plain, **(then or {})}, reason)


def again(row: Row, *, then: Any = None, **cells: str) -> Row:
    """A row written again further down."""
    return replace(row, cells={**row.cells, **cells}, expected={**row.expected, **(then or {})})


def whole_file(draw: Draw, year: Year, known: str) -> LedgerFile:
    """Every kind of row in one file; `known` is the address of somebody who is the shop's customer already."""
    write = Writer(draw, year, draw.integer(1000, 4000))
    loose = [
        *_bookings(write), *_sessions(write), *_days(write), *_guests(write), *_amounts(write), *_states(write),
        *_quoted(write), *_bad(write), *_people(write, known), *_plain(write), *_cancelled(write),
    ]  # fmt: skip
    rows = draw.shuffled(loose)
    middle = len(rows) // 2
    return written([*rows[:middle], *_priced(write), *rows[middle:], *_repeated(write, rows)], COLUMNS)


def _bookings(write: Writer) -> list[Row]:
    rows = []
    for shape in ("nr{}", "NR {}", " nr-{} ", "Nr-{}"):
        row = write.row("booking")
        rows.append(again(row, booking=shape.format(row.ref[3:])))
    return rows


def _sessions(write: Writer) -> list[Row]:
    year = write.year
    shapes = (
        (year.plain, year.plain.code.lower()),
        (year.other, f" {year.other.name.upper()}"),
        (year.plain, year.plain.name.lower().replace(" ", "  ")),
        (year.retired, year.retired.code),
        (year.retired, f"{year.retired.name} "),
    )
    return [write.row("session", session=session, then={"session": session.code}, **{"session_": text}) for session, text in shapes]


def _days(write: Writer) -> list[Row]:
    draw = write.draw
    rows = []
    for shape in ("{d}.{m}.{y}", "{d:02}/{m:02}/{y}", "{d} {short} {y}", "{d} {long} {y}", "{d} {lower} {y}", "{d:02}.{m:02}.{y}"):
        month = draw.integer(1, 11)
        day = draw.integer(month + 1, 12)  # no other day when read month first
        name = MONTHS[month - 1]
        parts = {"d": day, "m": month, "short": name[:3], "long": name, "lower": name[:3].lower()}
        rows.append(
            write.row(
                "day", night=shape.format(y=2026, **parts), booked=shape.format(y=2025, **parts),
                then={"night": f"2026-{month:02}-{day:02}", "booked": f"2025-{month:02}-{day:02}"},
            )  # fmt: skip
        )
    rows.append(write.row("day", night="29/02/2028", booked="31 Dec 2025", then={"night": "2028-02-29", "booked": "2025-12-31"}))
    return rows


def _guests(write: Writer) -> list[Row]:
    draw = write.draw
    one, two, three = (draw.person() for _ in range(3))
    first, last = one.name.split()
    return [
        write.row("guest", guest=f"  {first}   {last} ", email=f" {one.email.upper()} ", then={"guest": one.name, "email": one.email}),
        write.row("guest", guest=two.name.replace(" ", NBSP * 2), email=two.email.title(), then={"guest": two.name, "email": two.email}),
        write.row("guest", guest=f"\t{three.name}", email="  ", then={"guest": three.name, "email": None}),
    ]


def _amounts(write: Writer) -> list[Row]:
    draw = write.draw
    a, b, c = draw.integer(1, 9), draw.integer(100, 999), draw.integer(11, 99)
    shapes: tuple[tuple[str, int, str], ...] = (
        (f"€{c}", c * 100, "eur"),
        (f"{c} €", c * 100, "eur"),
        (f"£ {c}.{a}{a}", c * 100 + 11 * a, "gbp"),
        (f"gbp{c},{a}0", c * 100 + 10 * a, "gbp"),
        (f"€{a}.{b},{c}", (a * 1000 + b) * 100 + c, "eur"),
        (f"{a},{b}.{c} EUR", (a * 1000 + b) * 100 + c, "eur"),
        (f"CHF {a}'{b}.{c}", (a * 1000 + b) * 100 + c, "chf"),
        (f"chf {a}.{b}", (a * 1000 + b) * 100, "chf"),
        (f"{a}{NBSP}{b},{c} Chf", (a * 1000 + b) * 100 + c, "chf"),
        (f"¥{c},{b}", c * 1000 + b, "jpy"),
        (f"{a} {b} jpy", a * 1000 + b, "jpy"),
        (f"{a}.{b} JPY", a * 1000 + b, "jpy"),
        (f"¥{b}.00", b, "jpy"),
    )
    return [
        write.row("amount", currency=currency, seats="1", amount=text, then={"seats": 1, "amount": amount})
        for text, amount, currency in shapes
    ]


def _states(write: Writer) -> list[Row]:
    shapes = (("Paid", "paid"), ("PAID ", "paid"), (" open", "open"), ("OPEN", "open"), ("Cancelled ", "cancelled"))
    return [write.row("state", state=text, then={"state": state}) for text, state in shapes]


def _quoted(write: Writer) -> list[Row]:
    last = [write.draw.person().name.split()[1] for _ in range(3)]
    texts = (f"{last[0]}, family of", f'the "{last[1]}" club', f'say "{last[2]}", twice: ""')
    rows = [write.row("quoted", guest=text) for text in texts]
    broken = write.row("quoted", guest="First\nand Last")
    return [*rows, again(broken, then={"guest": "First and Last"})]


def _bad(write: Writer) -> list[Row]:
    cases: tuple[tuple[str, dict[str, str]], ...] = (
        ("booking", {"booking": str(write.draw.integer(5000, 9000))}),
        ("booking", {"booking": ""}),
        ("session", {"session": "NO-SUCH-SESSION"}),
        ("night", {"night": "31/04/2026"}),
        ("night", {"night": "when it is clear"}),
        ("booked", {"booked": "29.2.2025"}),
        ("booked", {"booked": ""}),
        ("guest", {"guest": f" {NBSP} "}),
        ("email", {"email": "nobody at example.test"}),
        ("email", {"email": "@example.test"}),
        ("seats", {"seats": "0"}),
        ("seats", {"seats": "a few"}),
        ("seats", {"seats": "2.5"}),
        ("amount", {"amount": "$30"}),
        ("amount", {"amount": "30"}),
        ("amount", {"amount": "€0.00"}),
        ("amount", {"amount": "¥1200.50", "seats": "1"}),
        ("amount", {"amount": "100.00 EUR", "seats": "3"}),
        ("amount", {"amount": ""}),
        ("state", {"state": "maybe"}),
        ("state", {"state": ""}),
        ("session", {"session": "?", "amount": "$30", "state": ""}),
        ("night", {"night": "", "seats": "none", "email": "no"}),
    )
    return [write.row("bad", reason=reason, **_cells(cells)) for reason, cells in cases]


def _cells(cells: dict[str, str]) -> dict[str, str]:
    return {("session_" if name == "session" else name): text for name, text in cells.items()}


def _people(write: Writer, known: str) -> list[Row]:
    """The same guests in several ways, guests without an address, and a customer of the shop."""
    draw = write.draw
    one, two = draw.person(), draw.person()
    club, choir = f"Club of {draw.integer(1950, 1999)}", f"Choir of {draw.integer(1950, 1999)}"
    return [
        write.row("people", guest=one.name, email=one.email, currency="eur"),
        write.row("people", guest=one.name, email=f" {one.email.upper()}", currency="gbp", then={"email": one.email}),
        write.row("people", guest=one.name, email=one.email.title(), currency="eur", then={"email": one.email}),
        write.row("people", guest=two.name, email=two.email),
        write.row("people", guest=club, email="", then={"email": None}),
        write.row("people", guest=club, email=" ", then={"email": None}),
        write.row("nameless", guest=choir, email="", then={"email": None}),
        write.row("nameless", guest=choir.upper(), email="", then={"email": None}),
        write.row("known", guest=draw.person().name, email=known.title(), state="open", currency="eur", then={"email": known}),
        write.row("known", guest=draw.person().name, email=known, state="paid", currency="eur"),
    ]


def _plain(write: Writer) -> list[Row]:
    states = ("paid", "paid", "paid", "open", "open", "open")
    coins = ("eur", "gbp", "jpy", "chf", "jpy", "eur")
    return [write.row("plain", state=state, currency=coin) for state, coin in zip(states, coins, strict=True)]


def _cancelled(write: Writer) -> list[Row]:
    session = write.year.cancelled
    return [write.row("cancelled", session=session, state="cancelled") for _ in range(2)]


def _priced(write: Writer) -> list[Row]:
    """Sessions whose prices changed: today's is neither the first, nor the last, nor the highest."""
    year = write.year
    low, today, high, earlier = sorted(write.draw.shuffled(range(2101, 9000, 7))[:4])
    yen, new_yen = 100 * write.draw.integer(21, 40) + 7, 100 * write.draw.integer(41, 60) + 3

    def sold(session: Session, currency: str, each: int, booked: str) -> Row:
        return write.row("priced", session=session, currency=currency, each=each, booked=booked)

    return [
        sold(year.priced, "eur", low, "2025-02-28"),
        sold(year.priced, "eur", high, "2025-12-24"),
        sold(year.priced, "eur", today, "2025-12-24"),
        sold(year.priced, "eur", earlier, "2025-12-23"),
        sold(year.priced, "eur", low, "2025-11-30"),
        sold(year.priced, "jpy", new_yen, "2026-01-02"),
        sold(year.priced, "jpy", yen, "2025-10-31"),
        sold(year.priced, "jpy", new_yen, "2025-12-31"),
        sold(year.abroad, "chf", high, "2025-09-30"),
        sold(year.abroad, "gbp", high, "2025-09-30"),
        sold(year.abroad, "gbp", low, "2025-05-31"),
    ]


def _repeated(write: Writer, rows: Sequence[Row]) -> list[Row]:
    """Bookings written again: the same, corrected, twice corrected, and once in a way that cannot be read."""
    plain, fixed, twice, spoiled = (write.row("repeated", state="open") for _ in range(4))
    return [
        plain, fixed, twice, spoiled, plain,
        again(fixed, booking=fixed.ref.lower(), state="paid", then={"state": "paid"}),
        again(twice, night="2026-12-24", then={"night": "2026-12-24"}),
        again(twice, night="2026-12-31", guest="Quite Another", then={"night": "2026-12-31", "guest": "Quite Another"}),
        replace(again(spoiled, night="soon"), reason="night", kind="bad"),
    ]  # fmt: skip


def windows_file(draw: Draw, year: Year) -> LedgerFile:
    """A byte order mark, Windows line ends, other columns in another order, empty lines."""
    write = Writer(draw, year, draw.integer(10_000, 14_000))
    rows = [write.row("windows") for _ in range(3)]
    columns = draw.shuffled((*COLUMNS, "taken by", "remark"))
    return written(rows, columns, mark=True, end="\r\n", gaps=True)


def newer_file(draw: Draw, year: Year, file: LedgerFile) -> tuple[LedgerFile, list[Row], list[Row], list[Row]]:
    """A month later: some open bookings are paid, some cancelled, and there are new ones, at a new price.

    The file, and its newly paid, newly cancelled and new rows.
    """
    open_rows = [row for row in file.of("plain") if row.expected["state"] == "open"]
    paid = [again(open_rows[0], state="paid", then={"state": "paid"})]
    cancelled = [again(open_rows[1], state="cancelled", then={"state": "cancelled"})]
    write = Writer(draw, year, draw.integer(20_000, 24_000))
    each = draw.integer(9_001, 9_900)
    new = [
        write.row("new", session=year.priced, currency="eur", each=each, booked="2026-01-30"),
        write.row("new", session=year.abroad, currency="jpy", each=each, booked="2026-01-29"),
    ]
    changed = {row.ref: row for row in (*paid, *cancelled)}
    rows = [changed.get(row.ref, row) for row in file.rows if not row.reason]
    return written([*rows, *new], COLUMNS), paid, cancelled, new


def clean_file(draw: Draw, year: Year, count: int) -> LedgerFile:
    """Clean rows, in every state and currency, of fewer guests than bookings."""
    write = Writer(draw, year, draw.integer(30_000, 34_000))
    people = [draw.person() for _ in range(count // 2)]
    coins = {"eur": draw.integer(1001, 4999), "gbp": draw.integer(1001, 4999), "jpy": draw.integer(1001, 4999)}
    rows = []
    for index in range(count):
        person, coin = people[index % len(people)], list(coins)[index % 3]
        state = "cancelled" if index == count - 1 else ("paid", "open")[index % 2]
        rows.append(
            write.row(
                "clean", session=(year.plain, year.other)[index % 2], currency=coin, each=coins[coin], guest=person.name,
                email=person.email, state=state,
            )  # fmt: skip
        )
    return written(rows, COLUMNS)


def written(
    rows: Sequence[Row], columns: Sequence[str], *, mark: bool = False, end: str = "\n", gaps: bool = False
) -> LedgerFile:
    """The rows as a file."""
    text = ("\ufeff" if mark else "") + ",".join(columns) + end
    line = 2
    lines = []
    for row in rows:
        if gaps:
            text += end
            line += 1
        lines.append(line)
        cells = {**row.cells, "session": row.cells.get("session_", row.cells["session"])}
        record = ",".join(_cell(cells.get(column, "x")) for column in columns)
        text += record + end
        line += record.count("\n") + 1
    return LedgerFile(text, tuple(rows), tuple(lines))


def _cell(text: str) -> str:
    if any(char in text for char in ',"\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
