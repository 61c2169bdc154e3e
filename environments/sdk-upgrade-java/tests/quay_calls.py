# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-d2bff420f047: keep out of training data
"""What callers ask of the quay desk, in order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

from trialbalance.grading.history import DAY
from trialbalance.grading.side_by_side import Call, Names

from quay_world import START, Drawn

HOUR = 3600
NOW = START + 2 * DAY
LATER = START + 34 * DAY
"""When the second round is asked: the lockers of the first have begun a new period."""


def first_round(drawn: Drawn, names: Names) -> Iterator[Call]:
    """Everything that is asked at first: reading, then what makes no sense, then changes."""
    for lot in drawn.lots.values():
        yield Call("lot", "GET", f"/lots/{lot.number}")
    yield Call("till", "GET", f"/till?from={_day(2)}&to={_day(2)}")
    yield Call("long till", "GET", f"/till?from={_day(1)}&to={_day(1)}")
    yield Call("till", "GET", f"/till?from={_day(-9)}&to={_day(-7)}")
    for name in names:
        if name.startswith("invoice: "):
            yield Call("invoice", "GET", f"/invoices/{{{name}}}")
        if name.startswith("receipt: "):
            yield Call("receipt", "GET", f"/receipts/{{{name}}}")
    yield Call("account", "GET", "/kitchens/{kitchen: no card}/account")
    yield Call("account", "GET", "/kitchens/{kitchen: broke}/account")
    yield Call("long account", "GET", "/kitchens/{kitchen: big}/account")
    for name in names:
        if name.startswith("locker: ") and "more" not in name:
            yield Call("locker", "GET", f"/lockers/{{{name}}}")
            yield Call("next", "GET", f"/lockers/{{{name}}}/next")
    yield Call("list", "GET", "/lockers")
    yield Call("list", "GET", "/lockers?after={locker: more 30}")
    yield Call("list", "GET", "/lockers?after={locker: more 2}")
    yield from _unknown()
    yield from _selling(drawn)
    yield from _returns(drawn)
    yield from _paying()
    yield from _letting()
    yield from _ice(drawn)
    yield Call("end", "POST", "/lockers/{locker: to end}/end", {"when": "now"})
    yield Call("end", "POST", "/lockers/{locker: to end later}/end", {"when": "period end"})
    yield Call("end", "GET", "/lockers/{locker: to end}")


def second_round(drawn: Drawn) -> Iterator[Call]:
    """What is asked a month later."""
    busy = "/lockers/{locker: busy}/ice"
    for name in ("plain", "by the week", "with ice", "busy", "idle", "only ice", "ending"):
        kept = {"keep": f"bill: {name}", "at": ("last_invoice", "invoice")}
        yield Call("later", "GET", f"/lockers/{{locker: {name}}}", **kept)
    for name in ("with ice", "busy", "idle", "only ice"):
        yield Call("bill", "GET", f"/invoices/{{bill: {name}}}")
        yield Call("counted", "GET", f"/lockers/{{locker: {name}}}/ice")
    yield Call("told", "PUT", f"{busy}/{_hour(LATER)}", {"crates": drawn.crates[5]})
    yield Call("told", "PUT", f"{busy}/{_hour(LATER - HOUR)}", {"crates": drawn.crates[6]})
    yield Call("refused ice", "PUT", f"{busy}/{_hour(NOW)}", {"crates": 5})
    yield Call("counted", "GET", busy)
    yield Call("next with ice", "GET", "/lockers/{locker: busy}/next")


def _day(number: int) -> str:
    """A day, counted from the clock's start."""
    return datetime.fromtimestamp(START + number * DAY, timezone.utc).strftime("%Y-%m-%d")


def _hour(moment: int) -> str:
    return datetime.fromtimestamp(moment, timezone.utc).strftime("%Y-%m-%dT%H")


def _unknown() -> Iterator[Call]:
    """Things that there are not, or not any more, and requests that make no sense."""
    locker = "/lockers/sub_1nothingnothing00000"
    sold = {"lot": "L-9999", "fish": "Cod", "amount": 9000, "card": "pm_card_visa"}
    yield Call("unknown", "GET", "/lots/L-0000")
    yield Call("unknown", "POST", "/lots/L-0000/returns", {})
    yield Call("unknown", "POST", "/lots/L-0000/payments", {"card": "pm_card_visa"})
    yield Call("unknown", "POST", "/lots", {**sold, "amount": "9000"})
    yield Call("unknown", "POST", "/lots", {**sold, "fish": ""})
    yield Call("unknown", "GET", "/invoices/in_1nothingnothing000000")
    yield Call("unknown", "POST", "/invoices/in_1nothingnothing000000/pay", {"how": "card"})
    yield Call("unknown", "GET", "/receipts/ch_3nothingnothing000000")
    yield Call("unknown", "GET", "/kitchens/cus_nothing0000000/account")
    yield Call("unknown", "GET", locker)
    yield Call("unknown", "GET", f"{locker}/next")
    yield Call("unknown", "GET", f"{locker}/ice")
    yield Call("unknown", "PUT", f"{locker}/ice/{_hour(NOW)}", {"crates": 1})
    yield Call("unknown", "POST", f"{locker}/end", {"when": "now"})
    yield Call("unknown", "POST", f"{locker}/end", {"when": "period end"})
    yield Call("unknown", "GET", "/lockers?after=sub_1nothingnothing00000")
    yield Call("unknown", "POST", "/lockers", {"kitchen": "cus_nothing0000000", "place": "A1", "price": "{price: month}", "shelves": 1})
    yield Call("unknown", "POST", "/lockers", {"kitchen": "{kitchen: big}", "place": "A1", "price": "price_1nothing000000", "shelves": 1})
    yield Call("unknown", "POST", "/lockers", {"kitchen": "{kitchen: big}", "place": "A1", "price": "{price: month}", "shelves": 41})
    yield Call("unknown", "GET", "/till?from=yesterday&to=2026-05-12")
    yield Call("unknown", "POST", "/lockers/{locker: plain}/end", {"when": "soon"})
    yield Call("unknown", "POST", "/invoices/{invoice: long}/pay", {"how": "fish"})
    yield Call("gone", "GET", "/kitchens/{kitchen: gone}/account")
    yield Call("gone", "POST", "/lockers", {"kitchen": "{kitchen: gone}", "place": "A1", "price": "{price: month}", "shelves": 1})
    yield Call("gone", "POST", "/lockers/{locker: ended}/end", {"when": "now"})
    yield Call("gone", "POST", "/lockers/{locker: ended}/end", {"when": "period end"})


def _selling(drawn: Drawn) -> Iterator[Call]:
    good, declined, asking = drawn.fresh
    for lot in drawn.fresh:
        yield Call("sold", "POST", "/lots", {"lot": lot.number, "fish": lot.what, "amount": lot.amount, "card": lot.cards[0]})
        yield Call("sold", "GET", f"/lots/{lot.number}")
    yield Call("sold", "POST", "/lots", {"lot": good.number, "fish": good.what, "amount": good.amount, "card": "pm_card_visa"})
    yield Call("sold", "POST", f"/lots/{declined.number}/payments", {"card": declined.cards[1]})
    yield Call("sold", "POST", f"/lots/{declined.number}/payments", {"card": declined.cards[1]})
    yield Call("sold", "POST", f"/lots/{asking.number}/payments", {"card": "pm_card_visa"})
    yield Call("sold", "POST", f"/lots/{drawn.lots['cancelled'].number}/payments", {"card": "pm_card_visa"})
    yield Call("sold", "POST", f"/lots/{drawn.lots['open'].number}/payments", {"card": declined.cards[0]})
    yield Call("sold", "POST", f"/lots/{drawn.lots['open'].number}/payments", {"card": "pm_nothing000000"})


def _returns(drawn: Drawn) -> Iterator[Call]:
    part, whole = drawn.lots["to refund"], drawn.lots["to refund wholly"]
    yield Call("return", "POST", f"/lots/{part.number}/returns", {"amount": part.amount // 3})
    yield Call("return", "POST", f"/lots/{part.number}/returns", {"amount": part.amount})
    yield Call("return", "POST", f"/lots/{part.number}/returns", {"amount": "all"})
    yield Call("return", "POST", f"/lots/{part.number}/returns", {})
    yield Call("return", "POST", f"/lots/{part.number}/returns", {"amount": 1})
    yield Call("return", "POST", f"/lots/{whole.number}/returns", {})
    for name in ("all back", "declined", "open", "cancelled"):
        yield Call("return", "POST", f"/lots/{drawn.lots[name].number}/returns", {})
    yield Call("lot", "GET", f"/lots/{part.number}")


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


def _letting() -> Iterator[Call]:
    for price, shelves in (("month", 3), ("week", 1)):
        wanted = {"kitchen": "{kitchen: big}", "place": f"By the {price}", "price": f"{{price: {price}}}", "shelves": shelves}
        yield Call("let", "POST", "/lockers", wanted, keep=f"let: {price}", at=("locker",))
        yield Call("next after letting", "GET", f"/lockers/{{let: {price}}}/next")
    yield Call("let", "POST", "/lockers", {"kitchen": "{buyer: broke}", "place": "B2", "price": "{price: month}", "shelves": 1})


def _ice(drawn: Drawn) -> Iterator[Call]:
    one, two, three, four, *_ = drawn.crates
    iced, busy, only = ("/lockers/{locker: %s}/ice" % name for name in ("with ice", "busy", "only ice"))
    hour, before, first = _hour(NOW), _hour(NOW - HOUR), _hour(START)
    yield Call("counted", "GET", iced)
    yield Call("told", "PUT", f"{iced}/{hour}", {"crates": one})
    yield Call("told", "PUT", f"{busy}/{hour}", {"crates": two})
    yield Call("told", "PUT", f"{busy}/{before}", {"crates": three})
    yield Call("told", "PUT", f"{only}/{first}", {"crates": four})
    yield Call("told", "PUT", f"{only}/{before}", {"crates": 500})
    yield Call("counted", "GET", iced)
    yield Call("counted", "GET", "/lockers/{locker: idle}/ice")
    yield Call("corrected", "PUT", f"{iced}/{hour}", {"crates": one + 7})
    yield Call("corrected", "PUT", f"{busy}/{before}", {"crates": three - 3})
    yield Call("corrected", "PUT", f"{busy}/{before}", {"crates": three - 3})
    yield Call("corrected", "PUT", f"{busy}/{before}", {"crates": three + 1})
    yield Call("corrected", "PUT", f"{only}/{before}", {"crates": 0})
    yield Call("corrected", "GET", busy)
    yield Call("next with ice", "GET", "/lockers/{locker: busy}/next")
    yield Call("next with ice", "GET", "/lockers/{locker: only ice}/next")
    yield Call("refused ice", "PUT", f"{iced}/{_hour(START - HOUR)}", {"crates": 1})
    yield Call("refused ice", "PUT", f"{iced}/{_hour(NOW + 2 * HOUR)}", {"crates": 1})
    yield Call("refused ice", "PUT", "/lockers/{locker: ended}/ice/%s" % hour, {"crates": 1})
    yield Call("refused ice", "PUT", "/lockers/{locker: plain}/ice/%s" % hour, {"crates": 1})
    yield Call("refused ice", "GET", "/lockers/{locker: plain}/ice")
    yield Call("refused ice", "PUT", f"{iced}/{hour}", {"crates": 501})
    yield Call("refused ice", "PUT", f"{iced}/{hour}", {"crates": 1.5})
    yield Call("refused ice", "PUT", f"{iced}/{hour}", {})
    yield Call("refused ice", "PUT", f"{iced}/noon", {"crates": 1})
    yield Call("refused ice", "GET", iced)


assert START % HOUR == 0, "the hours of the ice are those of the clock"
