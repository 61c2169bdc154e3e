# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-1a9c407a40bb: keep out of training data
"""What callers ask of the back office, in order."""

from __future__ import annotations

from collections.abc import Iterator

from trialbalance.grading.history import DAY
from trialbalance.grading.side_by_side import Call, Names

from lane_world import START, Drawn


def all_calls(drawn: Drawn, names: Names) -> Iterator[Call]:
    """Everything that is asked, reading first."""
    yield from _repairs(drawn)
    yield from _accounts(names)
    yield from _hires(names)
    yield from _unknown()
    yield from _refunds(drawn)
    yield from _paying()
    yield from _hiring()


def _day(number: int) -> str:
    return f"2026-03-{2 + number:02}"


def _repairs(drawn: Drawn) -> Iterator[Call]:
    for tag in drawn.tags.values():
        yield Call("repair", "GET", f"/repairs/{tag.number}")
    yield Call("day book", "GET", f"/day-book?from={_day(2)}&to={_day(2)}")
    yield Call("long day book", "GET", f"/day-book?from={_day(1)}&to={_day(1)}")
    yield Call("day book", "GET", f"/day-book?from={_day(7)}&to={_day(8)}")


def _accounts(names: Names) -> Iterator[Call]:
    for name, value in names.items():
        if name.startswith("account: ") and value.startswith("in_"):
            yield Call("invoice", "GET", f"/invoices/{{{name}}}")
        if name.startswith("account: ") and value.startswith("pi_"):
            yield Call("payment", "GET", f"/payments/{{{name}}}")
    yield Call("payment", "GET", "/payments/{repair: declined}")
    yield Call("payment", "GET", "/payments/{repair: paid}")
    yield Call("statement", "GET", "/accounts/{account: no card}/statement")
    yield Call("statement", "GET", "/accounts/{account: broke}/statement")
    yield Call("long statement", "GET", "/accounts/{account: school}/statement")
    yield Call("gone", "GET", "/accounts/{account: gone}/statement")


def _hires(names: Names) -> Iterator[Call]:
    for name, value in names.items():
        if name.startswith("hire: ") and value.startswith("sub_") and "more" not in name:
            yield Call("hire", "GET", f"/hires/{{{name}}}")
            yield Call("next", "GET", f"/hires/{{{name}}}/next")
    yield Call("listing", "GET", "/hires")
    yield Call("listing", "GET", "/hires?after={hire: more 30}")
    yield Call("listing", "GET", "/hires?after={hire: more 2}")
    for code in ("LEARN", "SEASON", "MONEYOFF", "TOOLATE", "STOPPED"):
        yield Call("code", "GET", f"/codes/{code}")


def _unknown() -> Iterator[Call]:
    """Things that there are not, or not any more, and requests that make no sense."""
    yield Call("unknown", "GET", "/repairs/R-0000")
    yield Call("unknown", "POST", "/repairs/R-0000/refunds", {})
    yield Call("unknown", "GET", "/invoices/in_1nothingnothing000000")
    yield Call("unknown", "POST", "/invoices/in_1nothingnothing000000/pay", {"how": "card"})
    yield Call("unknown", "GET", "/payments/pi_3nothingnothing000000")
    yield Call("unknown", "GET", "/accounts/cus_nothing0000000/statement")
    yield Call("unknown", "GET", "/hires/sub_1nothingnothing00000")
    yield Call("unknown", "GET", "/hires/sub_1nothingnothing00000/next")
    yield Call("unknown", "GET", "/hires?after=sub_1nothingnothing00000")
    yield Call("unknown", "POST", "/hires/sub_1nothingnothing00000/quantity", {"quantity": 2})
    yield Call("unknown", "POST", "/hires/sub_1nothingnothing00000/end", {"when": "now"})
    yield Call("unknown", "POST", "/hires/sub_1nothingnothing00000/end", {"when": "period end"})
    yield Call("unknown", "POST", "/hires/sub_1nothingnothing00000/discount", {"code": "LEARN"})
    yield Call("unknown", "DELETE", "/hires/sub_1nothingnothing00000/discount")
    yield Call("unknown", "GET", "/codes/NEVER")
    yield Call("unknown", "POST", "/hires/{hire: plain}/discount", {"code": "NEVER"})
    yield Call("unknown", "POST", "/hires", {"account": "cus_nothing0000000", "instrument": "X", "price": "{hire: month}"})
    yield Call("unknown", "POST", "/hires", {"account": "{hire: player}", "instrument": "X", "price": "price_1nothing0000000000"})
    yield Call("gone", "POST", "/hires", {"account": "{hire: gone}", "instrument": "X", "price": "{hire: month}"})
    yield Call("gone", "POST", "/hires/{hire: plain}/discount", {"code": "TOOLATE"})
    yield Call("gone", "POST", "/hires/{hire: plain}/discount", {"code": "STOPPED"})
    yield Call("gone", "POST", "/hires", {"account": "{hire: player}", "instrument": "X", "price": "{hire: month}", "code": "TOOLATE"})
    yield Call("gone", "POST", "/hires/{hire: ended}/end", {"when": "now"})
    yield Call("gone", "POST", "/hires/{hire: ended}/end", {"when": "period end"})
    yield Call("gone", "POST", "/hires/{hire: ended}/quantity", {"quantity": 2})
    yield Call("gone", "DELETE", "/hires/{hire: plain}/discount")
    yield Call("unknown", "GET", "/day-book?from=yesterday&to=2026-03-02")
    yield Call("unknown", "POST", "/hires/{hire: plain}/end", {"when": "soon"})
    yield Call("unknown", "POST", "/hires/{hire: plain}/quantity", {"quantity": 0})
    yield Call("unknown", "POST", "/invoices/{account: long}/pay", {"how": "shells"})


def _refunds(drawn: Drawn) -> Iterator[Call]:
    part, whole = drawn.tags["to refund"], drawn.tags["to refund wholly"]
    yield Call("refund", "POST", f"/repairs/{part.number}/refunds", {"amount": part.amount // 3})
    yield Call("refund", "POST", f"/repairs/{part.number}/refunds", {"amount": part.amount})
    yield Call("refund", "POST", f"/repairs/{part.number}/refunds", {})
    yield Call("refund", "POST", f"/repairs/{part.number}/refunds", {"amount": 1})
    yield Call("refund", "POST", f"/repairs/{whole.number}/refunds", {})
    for name in ("all back", "declined", "open", "cancelled"):
        yield Call("refund", "POST", f"/repairs/{drawn.tags[name].number}/refunds", {})
    yield Call("repair", "GET", f"/repairs/{part.number}")
    yield Call("day book", "GET", f"/day-book?from={_day(2)}&to={_day(2)}")


def _paying() -> Iterator[Call]:
    yield Call("pay", "POST", "/invoices/{account: pay by card}/pay", {"how": "card"})
    yield Call("pay", "POST", "/invoices/{account: pay by card}/pay", {"how": "card"})
    yield Call("pay", "POST", "/invoices/{account: pay by bank}/pay", {"how": "bank"})
    yield Call("pay", "POST", "/invoices/{account: pay in part}/pay", {"how": "card"})
    yield Call("pay", "POST", "/invoices/{account: in part}/pay", {"how": "card"})
    yield Call("refused payment", "POST", "/invoices/{account: pay without card}/pay", {"how": "card"})
    yield Call("refused payment", "POST", "/invoices/{account: pay declined}/pay", {"how": "card"})
    yield Call("refused payment", "POST", "/invoices/{account: draft}/pay", {"how": "card"})
    yield Call("refused payment", "POST", "/invoices/{account: void}/pay", {"how": "bank"})
    yield Call("statement", "GET", "/accounts/{account: broke}/statement")


def _hiring() -> Iterator[Call]:
    new = {"account": "{hire: player}", "instrument": "Saltarelle Bouebe", "price": "{hire: month}"}
    yield Call("start", "POST", "/hires", {**new, "quantity": 2}, "new", ("hire",))
    yield Call("start", "POST", "/hires", {**new, "code": "LEARN"}, "new with code", ("hire",))
    yield Call("start", "POST", "/hires", {**new, "account": "{hire: other}", "code": "MONEYOFF"}, "new with money off", ("hire",))
    yield Call("start", "POST", "/hires", {**new, "price": "{hire: year}"}, "new year", ("hire",))
    yield Call("refused payment", "POST", "/hires", {**new, "account": "{hire: broke}"})
    for name in ("new", "new with code", "new with money off", "new year"):
        yield Call("next after start", "GET", f"/hires/{{{name}}}/next")
    yield Call("change", "POST", "/hires/{hire: to change}/quantity", {"quantity": 5})
    yield Call("next after change", "GET", "/hires/{hire: to change}/next")
    yield Call("change", "POST", "/hires/{new with code}/quantity", {"quantity": 3})
    yield Call("next after change", "GET", "/hires/{new with code}/next")
    yield Call("discount", "POST", "/hires/{hire: to discount}/discount", {"code": "SEASON"})
    yield Call("next after discount", "GET", "/hires/{hire: to discount}/next")
    yield Call("discount", "POST", "/hires/{hire: with LEARN}/discount", {"code": "SEASON"})
    yield Call("discount", "DELETE", "/hires/{hire: to undiscount}/discount")
    yield Call("next after discount", "GET", "/hires/{hire: to undiscount}/next")
    yield Call("end", "POST", "/hires/{hire: to end}/end", {"when": "now"})
    yield Call("end", "POST", "/hires/{hire: to end later}/end", {"when": "period end"})
    yield Call("end", "GET", "/hires/{hire: to end later}/next")
    yield Call("end", "GET", "/hires/{hire: to end}")


assert START % DAY == 9 * 3600, "the days of the day book are those of the clock"
