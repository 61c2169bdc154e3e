# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-cbb86f287b93: keep out of training data
"""Exports of the phone book to draw: rows with one kind of dirt each, and what has to become of them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trialbalance.grading import Draw

from outfitter import Season, Trip

COLUMNS = ("ref", "trip", "day", "guest", "email", "party", "paid", "remark")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
NBSP, THIN = "\u00a0", "\u202f"


@dataclass(frozen=True)
class Row:
    """A row as it is written, what it has to become, and which kind of dirt it bears.

    `reason` is the column for which it has to be rejected; then nothing is expected.
    """

    kind: str
    cells: dict[str, str]
    expected: dict[str, Any]
    reason: str = ""

    @property
    def ref(self) -> str:
        """The number it has in the list."""
        return str(self.expected["ref"])


@dataclass(frozen=True)
class PhoneFile:
    """A file: its text, its rows, and the lines on which they begin."""

    text: str
    rows: tuple[Row, ...]
    lines: tuple[int, ...]

    def of(self, kind: str) -> list[Row]:
        """The good rows of one kind."""
        return [row for row in self.rows if row.kind == kind and not row.reason]

    def rejected(self) -> dict[int, str]:
        """Line and reason of each bad row."""
        return {line: row.reason for row, line in zip(self.rows, self.lines, strict=True) if row.reason}


class Writer:
    """Draws rows."""

    def __init__(self, draw: Draw, season: Season, first: int) -> None:
        self.draw = draw
        self.season = season
        self.number = first

    def row(self, kind: str, *, trip: Trip | None = None, reason: str = "", then: Any = None, **cells: str) -> Row:
        """A clean row but for `cells`; `then` is what its dirty columns become (fields of the booking)."""
        self.number += self.draw.integer(1, 3)
        chosen = trip or self.draw.choice(self.season.on_sale)
        person = self.draw.person()
        people = self.draw.integer(1, 8)
        day = f"2026-{self.draw.integer(3, 11):02}-{self.draw.integer(13, 28)}"
        clean = {
            "ref": f"PH-{self.number}",
            "trip": chosen.code,
            "day": day,
            "guest": person.name,
            "email": person.email,
            "party": str(people),
            "paid": "",
            "remark": "",
        }
        expected = {
            "ref": clean["ref"],
            "trip": chosen.code,
            "date": day,
            "name": person.name,
            "email": person.email,
            "people": people,
            "currency": chosen.currency,
            "paid": 0,
            "remark": None,
        }
        return Row(kind, {**clean, **cells}, {**expected, **(then or {})}, reason)

    def again(self, row: Row, *, then: Any = None, **cells: str) -> Row:
        """A row written again further down, perhaps corrected."""
        return Row(row.kind, {**row.cells, **cells}, {**row.expected, **(then or {})})


def dirty_file(draw: Draw, season: Season) -> PhoneFile:
    """Every kind of dirt in one file, in a random order."""
    write = Writer(draw, season, draw.integer(1000, 4000))
    rows = [
        *_refs(write), *_trips(write), *_days(write), *_guests(write), *_emails(write), *_parties(write),
        *_currencies(write), *_amounts(write), *_nothing(write), *_remarks(write), *_quoted(write),
        *_bad(write),
    ]  # fmt: skip
    return written(draw.shuffled(rows), COLUMNS)


def _refs(write: Writer) -> list[Row]:
    rows = []
    for shape in ("ph{}", "PH {}", " ph-{} ", "Ph-{}"):
        row = write.row("ref")
        number = row.ref[3:]
        rows.append(Row("ref", {**row.cells, "ref": shape.format(number)}, row.expected))
    return rows


def _trips(write: Writer) -> list[Row]:
    season = write.season
    trips = [write.draw.choice(season.on_sale) for _ in range(3)]
    shapes = [
        (trips[0], trips[0].code.lower()),
        (trips[1], f" {trips[1].name.upper()}"),
        (trips[2], trips[2].name.lower().replace(" ", "  ")),
        (season.retired, season.retired.code),
        (season.retired, f"{season.retired.name} "),
    ]
    return [_retitled(write, trip, text) for trip, text in shapes]


def _retitled(write: Writer, trip: Trip, text: str) -> Row:
    row = write.row("trip", trip=trip)
    return Row("trip", {**row.cells, "trip": text}, row.expected)


def _days(write: Writer) -> list[Row]:
    draw = write.draw
    rows = []

    def add(text: str, year: int, month: int, day: int) -> None:
        rows.append(write.row("day", day=text, then={"date": f"{year}-{month:02}-{day:02}"}))

    for shape in ("{d:02}/{m:02}/{y}", "{d}.{m}.{y}", "{d}-{m}-{s:02}", "{d}/{m}/{s:02}", "{y}-{m:02}-{d:02}"):
        month = draw.integer(1, 11)
        day = draw.integer(month + 1, 12)  # no other day when read month first
        year = draw.choice((2026, 2027))
        add(shape.format(d=day, m=month, y=year, s=year % 100), year, month, day)
    for shape in (
        "{d} {short} {y}", "{d}{th} {long} {y}", "{weekday} {d} {long} {y}", "{long} {d}, {y}", "{d} {upper} {y}",
        "{d} {lower} {s:02}",
    ):  # fmt: skip
        month, day = draw.integer(1, 12), draw.integer(1, 28)
        name = MONTHS[month - 1]
        date = datetime.date(2026, month, day)
        add(
            shape.format(
                d=day, y=2026, s=26, long=name, short=name[:3], upper=name.upper(), lower=name[:3].lower(),
                th=_ordinal(day), weekday=date.strftime("%a"),
            ),
            2026, month, day,
        )  # fmt: skip
    add("29/02/2028", 2028, 2, 29)
    add("31 Dec 2026", 2026, 12, 31)
    return rows


def _ordinal(day: int) -> str:
    if day in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _guests(write: Writer) -> list[Row]:
    rows = []
    for shape in ("  {first}   {last} ", "{first}\t{last}", f"{{first}}{NBSP}{NBSP}{{last}}{NBSP}", "{last}, {first}",
                  f"{{last}} ,{NBSP}{{first}}"):  # fmt: skip
        first, last = write.draw.person().name.split()
        rows.append(
            write.row("guest", guest=shape.format(first=first, last=last), then={"name": f"{first} {last}"})
        )
    return rows


def _emails(write: Writer) -> list[Row]:
    one = write.draw.email()
    return [
        write.row("email", email=f" {one.upper()} ", then={"email": one}),
        write.row("email", email="", then={"email": None}),
    ]


def _parties(write: Writer) -> list[Row]:
    draw = write.draw
    a, b, c = (draw.integer(1, 4) for _ in range(3))
    shapes = {
        f"{a}+{b}": a + b,
        f"{b} + {c}": b + c,
        f"{c} pers.": c,
        f"{a}+{c} (kids)": a + c,
        f" {a + b}": a + b,
    }
    return [write.row("party", party=text, then={"people": people}) for text, people in shapes.items()]


def _currencies(write: Writer) -> list[Row]:
    draw = write.draw
    season = write.season
    rows = []
    shapes = (
        ("£{}", "gbp"), ("{} £", "gbp"), ("€ {}", "eur"), ("{}€", "eur"), ("kr {}", "nok"), ("{} kr", "nok"),
        ("¥{}", "jpy"), ("{} jpy", "jpy"), ("Eur{}", "eur"), ("{} NOK", "nok"), ("GBP {}", "gbp"),
    )  # fmt: skip
    for shape, currency in shapes:
        amount = draw.integer(11, 99)
        minor = amount if currency == "jpy" else amount * 100
        other = draw.choice([trip for trip in season.on_sale if trip.currency != currency])
        rows.append(
            write.row(
                "currency", trip=other, paid=shape.format(amount), then={"paid": minor, "currency": currency}
            )
        )
    bare = draw.integer(11, 99)
    rows.append(write.row("currency", trip=season.part, paid=str(bare), then={"paid": bare * 100}))
    rows.append(write.row("currency", trip=season.yen, paid=str(bare), then={"paid": bare}))
    return rows


def _amounts(write: Writer) -> list[Row]:
    draw = write.draw
    a, b, c = draw.integer(1, 9), draw.integer(100, 999), draw.integer(11, 99)
    shapes: tuple[tuple[str, int, str], ...] = (
        (f"€{a}.{b},{c}", (a * 1000 + b) * 100 + c, "eur"),
        (f"{a},{b}.{c // 10} EUR", (a * 1000 + b) * 100 + c // 10 * 10, "eur"),
        (f"NOK {a}{NBSP}{b}", (a * 1000 + b) * 100, "nok"),
        (f"NOK {a} {b},{c}", (a * 1000 + b) * 100 + c, "nok"),
        (f"£{a}.{b}", (a * 1000 + b) * 100, "gbp"),
        (f"£{a},{b}", (a * 1000 + b) * 100, "gbp"),
        (f"{a}'{b}.{c} GBP", (a * 1000 + b) * 100 + c, "gbp"),
        (f"{a}.{b}.{b},{c // 10} kr", (a * 10**6 + b * 1000 + b) * 100 + c // 10 * 10, "nok"),
        (f"{c},{a} €", c * 100 + a * 10, "eur"),
        (f"¥{c},{b}", c * 1000 + b, "jpy"),
        (f"¥{a}{THIN}{b}", a * 1000 + b, "jpy"),
    )
    return [
        write.row("amount", trip=_in(write.season, currency), paid=text, then={"paid": amount})
        for text, amount, currency in shapes
    ]


def _in(season: Season, currency: str) -> Trip:
    return next(trip for trip in season.on_sale if trip.currency == currency)


def _nothing(write: Writer) -> list[Row]:
    season = write.season
    return [
        write.row("nothing", trip=trip, paid=text, then={"paid": 0, "currency": trip.currency})
        for trip, text in ((season.part, ""), (season.yen, "-"), (season.whole, " - "))
    ]


def _remarks(write: Writer) -> list[Row]:
    word = write.draw.word()
    return [
        write.row("remark", remark=f"  asks about {word} ", then={"remark": f"asks about {word}"}),
        write.row("remark", remark="   ", then={"remark": None}),
    ]


def _quoted(write: Writer) -> list[Row]:
    word = write.draw.word()
    texts = (
        f"{word}, and a dog", f'the "{word}" cabin', f"first {word}\nthen home", f'says: "{word}",\n"no" twice',
    )  # fmt: skip
    return [write.row("quoted", remark=text, then={"remark": text}) for text in texts]


def _bad(write: Writer) -> list[Row]:
    season = write.season
    cases: tuple[tuple[str, dict[str, str]], ...] = (
        ("ref", {"ref": str(write.draw.integer(5000, 9000))}),
        ("ref", {"ref": ""}),
        ("trip", {"trip": "NO-SUCH-TRIP"}),
        ("day", {"day": "31/04/2026"}),
        ("day", {"day": "29 Feb 2027"}),
        ("day", {"day": "2026-13-01"}),
        ("day", {"day": "when it snows"}),
        ("guest", {"guest": f" {NBSP} "}),
        ("email", {"email": "nobody at example.test"}),
        ("email", {"email": "@example.test"}),
        ("party", {"party": "0"}),
        ("party", {"party": "a few"}),
        ("paid", {"paid": "$30"}),
        ("paid", {"paid": "-£5"}),
        ("paid", {"paid": "€ -12,50"}),
        ("paid", {"paid": "¥1200.50"}),
        ("paid", {"paid": "CHF 40"}),
        ("trip", {"paid": "$30", "trip": "?", "party": ""}),
        ("day", {"party": "none", "day": "", "email": "no"}),
    )
    return [write.row("bad", trip=season.part, reason=reason, **cells) if "trip" not in cells
            else _misnamed(write, reason, cells) for reason, cells in cases]  # fmt: skip


def _misnamed(write: Writer, reason: str, cells: dict[str, str]) -> Row:
    row = write.row("bad", reason=reason)
    return Row("bad", {**row.cells, **cells}, row.expected, reason)


def windows_file(draw: Draw, season: Season) -> PhoneFile:
    """A byte order mark, Windows line ends, other columns in another order, empty lines."""
    write = Writer(draw, season, draw.integer(10_000, 14_000))
    rows = [write.row("windows") for _ in range(4)]
    columns = draw.shuffled((*COLUMNS, "taken", "by"))
    return written(rows, columns, mark=True, end="\r\n", gaps=True)


def repeated_file(draw: Draw, season: Season) -> PhoneFile:
    """Rows written again: the same, corrected, and twice corrected; and one that cannot be read."""
    write = Writer(draw, season, draw.integer(20_000, 24_000))
    plain, same, fixed, twice = (write.row("repeated") for _ in range(4))
    day, other = "2026-11-02", "2027-01-31"
    rows = [
        plain,
        same,
        fixed,
        twice,
        same,
        write.again(fixed, ref=fixed.ref.lower(), day=day, then={"date": day}),
        write.again(twice, party="9", then={"people": 9}),
        write.again(twice, day=other, party="1", then={"date": other, "people": 1}),
        write.row("repeated", reason="ref", ref="?"),
    ]
    return written(rows, COLUMNS)


def later_file(file: PhoneFile) -> tuple[PhoneFile, Row, Row]:
    """A week later: one booking of a repeated file has moved, another is gone. The file, the moved and the gone row."""
    gone, moved = file.rows[0], file.rows[1]
    day = "2026-12-24"
    new = Row(moved.kind, {**moved.cells, "day": day, "remark": "moved"}, {**moved.expected, "date": day, "remark": "moved"})
    rest = [row for row in file.rows if row.expected["ref"] not in (gone.ref, moved.ref)]
    return written([*rest, new], COLUMNS), new, gone


def plain_file(draw: Draw, season: Season, count: int) -> PhoneFile:
    """Clean rows."""
    write = Writer(draw, season, draw.integer(30_000, 34_000))
    paid = draw.integer(21, 80)
    trip = _in(season, "eur")
    return written([write.row("plain", trip=trip, paid=f"€{paid}", then={"paid": paid * 100}) for _ in range(count)], COLUMNS)


def written(
    rows: Sequence[Row], columns: Sequence[str], *, mark: bool = False, end: str = "\n", gaps: bool = False
) -> PhoneFile:
    """The rows as a file."""
    text = ("\ufeff" if mark else "") + ",".join(columns) + end
    line = 2
    lines = []
    for row in rows:
        if gaps:
            text += end
            line += 1
        lines.append(line)
        record = ",".join(_cell(row.cells.get(column, "x")) for column in columns)
        text += record + end
        line += record.count("\n") + 1
    return PhoneFile(text, tuple(rows), tuple(lines))


def _cell(text: str) -> str:
    if any(char in text for char in ',"\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
