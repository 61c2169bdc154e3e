# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-48b3f36a5fc1: keep out of training data
"""What callers ask of the back office, in order."""

from __future__ import annotations

from collections.abc import Iterator

from trialbalance.grading.history import DAY
from trialbalance.grading.side_by_side import Call, Names

from kiln_world import START, Drawn

NOW = START + 2 * DAY
LATER = START + 34 * DAY
"""When the second round is asked: the benches of the first have begun a new period."""


def first_round(drawn: Drawn, names: Names) -> Iterator[Call]:
    """Everything that is asked at first: reading, then what makes no sense, then changes."""
    for sale in drawn.sales.values():
        yield Call("sale", "GET", f"/sales/{sale.number}")
    yield Call("takings", "GET", f"/takings?from={_day(2)}&to={_day(2)}")
    yield Call("long takings", "GET", f"/takings?from={_day(1)}&to={_day(1)}")
    yield Call("takings", "GET", f"/takings?from={_day(-9)}&to={_day(-7)}")
    for name in names:
        if name.startswith("invoice: "):
            yield Call("invoice", "GET", f"/invoices/{{{name}}}")
        if name.startswith("payment: "):
            yield Call("payment", "GET", f"/payments/{{{name}}}")
    yield Call("payment", "GET", "/payments/{sale: declined}")
    yield Call("payment", "GET", "/payments/{sale: paid}")
    yield Call("statement", "GET", "/studios/{studio: no card}/statement")
    yield Call("statement", "GET", "/studios/{studio: broke}/statement")
    yield Call("long statement", "GET", "/studios/{studio: school}/statement")
    for name in names:
        if name.startswith("bench: ") and "more" not in name:
            yield Call("bench", "GET", f"/benches/{{{name}}}")
            yield Call("next", "GET", f"/benches/{{{name}}}/next")
    yield Call("list", "GET", "/benches")
    yield Call("list", "GET", "/benches?after={bench: more 30}")
    yield Call("list", "GET", "/benches?after={bench: more 2}")
    yield from _unknown()
    yield from _refunds(drawn)
    yield from _paying()
    yield from _firings(drawn)
    yield Call("end", "POST", "/benches/{bench: to end}/end", {"when": "now"})
    yield Call("end", "POST", "/benches/{bench: to end later}/end", {"when": "period end"})
    yield Call("end", "GET", "/benches/{bench: to end}")


def second_round() -> Iterator[Call]:
    """What is asked a month later."""
    for name in ("plain", "with a kiln", "busy", "idle", "only a kiln", "ending"):
        yield Call("later", "GET", f"/benches/{{bench: {name}}}", keep=f"bill: {name}", at=("last_invoice", "invoice"))
    for name in ("with a kiln", "busy", "idle", "only a kiln"):
        yield Call("bill", "GET", f"/invoices/{{bill: {name}}}")
        yield Call("counted", "GET", f"/benches/{{bench: {name}}}/firings")
    yield Call("reported", "POST", "/benches/{bench: busy}/firings", {"count": 5, "reference": "k-90", "at": LATER - 3600})
    yield Call("refused report", "POST", "/benches/{bench: busy}/firings", {"count": 5, "reference": "k-91", "at": NOW})
    yield Call("counted", "GET", "/benches/{bench: busy}/firings")
    yield Call("next with firings", "GET", "/benches/{bench: busy}/next")


def _day(number: int) -> str:
    """A day of April or the one before, counted from the clock's start."""
    return f"2026-04-{11 + number:02}"


def _unknown() -> Iterator[Call]:
    """Things that there are not, or not any more, and requests that make no sense."""
    bench = "/benches/sub_1nothingnothing00000"
    yield Call("unknown", "GET", "/sales/S-0000")
    yield Call("unknown", "POST", "/sales/S-0000/refunds", {})
    yield Call("unknown", "GET", "/invoices/in_1nothingnothing000000")
    yield Call("unknown", "POST", "/invoices/in_1nothingnothing000000/pay", {"how": "card"})
    yield Call("unknown", "GET", "/payments/pi_3nothingnothing000000")
    yield Call("unknown", "GET", "/studios/cus_nothing0000000/statement")
    yield Call("unknown", "GET", bench)
    yield Call("unknown", "GET", f"{bench}/next")
    yield Call("unknown", "GET", f"{bench}/firings")
    yield Call("unknown", "POST", f"{bench}/firings", {"count": 1, "reference": "k-1"})
    yield Call("unknown", "POST", f"{bench}/end", {"when": "now"})
    yield Call("unknown", "POST", f"{bench}/end", {"when": "period end"})
    yield Call("unknown", "GET", "/benches?after=sub_1nothingnothing00000")
    yield Call("unknown", "GET", "/takings?from=yesterday&to=2026-04-11")
    yield Call("unknown", "POST", "/benches/{bench: plain}/end", {"when": "soon"})
    yield Call("unknown", "POST", "/invoices/{invoice: long}/pay", {"how": "shells"})
    yield Call("gone", "GET", "/studios/{studio: gone}/statement")
    yield Call("gone", "POST", "/benches/{bench: ended}/end", {"when": "now"})
    yield Call("gone", "POST", "/benches/{bench: ended}/end", {"when": "period end"})


def _refunds(drawn: Drawn) -> Iterator[Call]:
    part, whole = drawn.sales["to refund"], drawn.sales["to refund wholly"]
    yield Call("refund", "POST", f"/sales/{part.number}/refunds", {"amount": part.amount // 3})
    yield Call("refund", "POST", f"/sales/{part.number}/refunds", {"amount": part.amount})
    yield Call("refund", "POST", f"/sales/{part.number}/refunds", {})
    yield Call("refund", "POST", f"/sales/{part.number}/refunds", {"amount": 1})
    yield Call("refund", "POST", f"/sales/{whole.number}/refunds", {})
    for name in ("all back", "declined", "open", "cancelled"):
        yield Call("refund", "POST", f"/sales/{drawn.sales[name].number}/refunds", {})
    yield Call("sale", "GET", f"/sales/{part.number}")


def _paying() -> Iterator[Call]:
    yield Call("pay", "POST", "/invoices/{invoice: pay by card}/pay", {"how": "card"})
    yield Call("pay", "POST", "/invoices/{invoice: pay by card}/pay", {"how": "card"})
    yield Call("pay", "POST", "/invoices/{invoice: pay by bank}/pay", {"how": "bank"})
    yield Call("pay", "POST", "/invoices/{invoice: pay in part}/pay", {"how": "card"})
    yield Call("pay", "POST", "/invoices/{invoice: in part}/pay", {"how": "card"})
    yield Call("refused payment", "POST", "/invoices/{invoice: pay without card}/pay", {"how": "card"})
    yield Call("refused payment", "POST", "/invoices/{invoice: pay declined}/pay", {"how": "card"})
    yield Call("refused payment", "POST", "/invoices/{invoice: draft}/pay", {"how": "card"})
    yield Call("refused payment", "POST", "/invoices/{invoice: void}/pay", {"how": "bank"})


def _firings(drawn: Drawn) -> Iterator[Call]:
    one, two, three, four, *_ = drawn.counts
    kiln, busy = "/benches/{bench: with a kiln}/firings", "/benches/{bench: busy}/firings"
    yield Call("counted", "GET", kiln)
    yield Call("reported", "POST", kiln, {"count": one, "reference": "k-1"})
    yield Call("reported", "POST", busy, {"count": two, "reference": "k-1"})
    yield Call("reported", "POST", busy, {"count": three, "reference": "k-2", "at": NOW - DAY})
    yield Call("reported", "POST", busy, {"count": three, "reference": "k-3", "at": NOW - DAY})
    yield Call("reported", "POST", "/benches/{bench: only a kiln}/firings", {"count": four, "reference": "k-4", "at": START})
    yield Call("counted", "GET", kiln)
    yield Call("counted", "GET", busy)
    yield Call("counted", "GET", "/benches/{bench: idle}/firings")
    yield Call("repeated", "POST", kiln, {"count": one, "reference": "k-1"})
    yield Call("repeated", "POST", busy, {"count": three, "reference": "k-2", "at": NOW - DAY})
    yield Call("repeated", "POST", kiln, {"count": one + 1, "reference": "k-1"})
    yield Call("repeated", "GET", kiln)
    yield Call("repeated", "GET", busy)
    yield Call("next with firings", "GET", "/benches/{bench: busy}/next")
    yield Call("next with firings", "GET", "/benches/{bench: only a kiln}/next")
    yield Call("refused report", "POST", kiln, {"count": 1, "reference": "k-5", "at": START - 3600})
    yield Call("refused report", "POST", kiln, {"count": 1, "reference": "k-6", "at": NOW + 7200})
    yield Call("refused report", "POST", "/benches/{bench: ended}/firings", {"count": 1, "reference": "k-7"})
    yield Call("refused report", "POST", "/benches/{bench: plain}/firings", {"count": 1, "reference": "k-8"})
    yield Call("refused report", "GET", "/benches/{bench: plain}/firings")
    yield Call("refused report", "POST", kiln, {"count": 0, "reference": "k-9"})
    yield Call("refused report", "POST", kiln, {"count": 2})
    yield Call("refused report", "POST", kiln, {"count": 2, "reference": "k-10", "at": "noon"})
    yield Call("refused report", "GET", kiln)


assert START % DAY == 10 * 3600, "the days of the takings are those of the clock"
