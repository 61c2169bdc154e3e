# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-ebdce9c694c4: keep out of training data
"""What the quay's Stripe account holds in a grade: drawn once, then made twice, on the twin of either app.

Everything is made in the old API version, as the quay itself made it over the years. Only the price of ice differs:
the account of the desk as it was records usage, the account of the upgraded one has a meter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from trialbalance.grading import Draw
from trialbalance.grading.history import BROKE, DAY, History, Sale, SaleDraw, Seed
from trialbalance.grading.side_by_side import Ask, Names

OLD, NEW = "2020-08-27", "2026-07-29.dahlia"
START = 1_778_580_000  # where the twin's clock stands in task.toml: 2026-05-12T10:00:00Z
FISH = ("Cod", "Saithe", "Haddock", "Halibut", "Red king crab", "Wolffish")


@dataclass(frozen=True)
class Drawn:
    """Everything that is drawn for a grade."""

    lots: dict[str, Sale]
    fresh: tuple[Sale, ...]
    amounts: tuple[int, ...]
    kitchen: str
    vat: int
    share: int
    many: int
    ice: int
    event: str
    payload: tuple[str, str]
    crates: tuple[int, ...]


def draw_all(draw: Draw) -> Drawn:
    """Everything at once."""
    drawing = SaleDraw(draw, "L", FISH, 9000, 900_000)
    lots = drawing.every_kind()
    tries = ([drawing.good[1]], [drawing.declined[1], drawing.good[2]], ["pm_card_authenticationRequired"])
    fresh = tuple(drawing.sale(cards) for cards in tries)
    return Drawn(
        lots,
        fresh,
        tuple(draw.amount(20_000, 600_000) for _ in range(30)),
        draw.choice(("Café Skjær", "Nordlys Kro", "Brygga 4", "The Lantern Room")),
        draw.choice((12, 15, 25)),
        draw.integer(20, 45),
        draw.integer(101, 108),
        draw.integer(15, 60) * 10,
        f"ice_{draw.word()}_{draw.integer(10, 99)}",
        (draw.choice(("kitchen", "buyer", "who")), draw.choice(("crates", "boxes", "n"))),
        tuple(draw.integer(5, 30) for _ in range(8)),
    )


def make_all(ask: Ask, seed: Seed, advance: Callable[[int], Any], drawn: Drawn, *, metered: bool) -> Names:
    """Fill an account; the clock ends two days later."""
    names: Names = {}
    history = History(ask, seed, OLD, "nok")
    _lockers(history, drawn, names, metered)
    for name, lot in drawn.lots.items():
        names[f"lot: {name}"] = history.sell(lot, lot=lot.number, fish=lot.what)
    _invoices(history, drawn, names)
    _days(history, advance, drawn)
    return names


def _invoices(history: History, drawn: Drawn, names: Names) -> None:
    """Kitchens, and an invoice of every kind, with the receipts of what paid them."""
    amounts = iter(drawn.amounts)
    kitchen = names["kitchen: big"] = history.customer(drawn.kitchen)
    broke = names["kitchen: broke"] = history.customer("Empty Net", BROKE)
    cash = names["kitchen: no card"] = history.customer("Notes Only", None)
    rate = history.ask("POST", "/v1/tax_rates", display_name="MVA", percentage=drawn.vat, inclusive=False)["id"]
    price = history.price(history.product("Fillets"), next(amounts))
    history.ask("POST", "/v1/invoiceitems", customer=kitchen, price=price, quantity=3)
    invoices = history.invoices(kitchen, amounts, days_until_due=20)
    invoices.every_kind(drawn.share, rate, broke, cash)
    paid = dict(invoices.parts)
    paid.update({f"of {name}": invoices.payment_of(name) for name in ("by card", "part and card", "declined")})
    paid.update({f"of a lot that is {name}": names[f"lot: {name}"] for name in ("paid", "declined")})
    invoices.drafts(drawn.many)
    gone = names["kitchen: gone"] = history.customer("Moved To Bergen")
    invoices.bill("of the gone", gone)
    history.ask("DELETE", f"/v1/customers/{gone}")
    names.update({f"invoice: {name}": made for name, made in invoices.made.items()})
    for name, intent in paid.items():
        names[f"receipt: {name}"] = history.ask("GET", "/v1/charges", payment_intent=intent, limit=1)["data"][0]["id"]


def _days(history: History, advance: Callable[[int], Any], drawn: Drawn) -> None:
    """Three days: more payments than fit on a page, of every kind, among those of the days around."""
    customer = history.customer("A week of everything")
    price = history.price(history.product("Chest"), drawn.amounts[0], interval="year")
    sold = {"lot": "L-{number}", "fish": "Cod"}
    history.busy_day(1, 2, customer, drawn.amounts, **sold)
    advance(START + DAY)
    history.ask("POST", "/v1/subscriptions", customer=customer, items=[{"price": price}], metadata={"place": "Chest 1"})
    history.busy_day(2, drawn.many, customer, drawn.amounts, **sold)
    advance(START + 2 * DAY)
    history.busy_day(3, 3, customer, drawn.amounts, **sold)


def _lockers(history: History, drawn: Drawn, names: Names, metered: bool) -> None:
    """More lockers than fit on several pages, and one of every kind on top."""
    who_key, value_key = drawn.payload
    meter = history.ask(
        "POST", "/v1/billing/meters", display_name="Ice", event_name=drawn.event, version=NEW,
        default_aggregation={"formula": "sum"}, value_settings={"event_payload_key": value_key},
        customer_mapping={"type": "by_id", "event_payload_key": who_key},
    )["id"]  # fmt: skip
    names["meter"] = meter
    store, ice = history.product("A locker"), history.product("A crate of ice")
    month = names["price: month"] = history.price(store, drawn.amounts[3], interval="month")
    week = names["price: week"] = history.price(store, drawn.amounts[4], interval="week")
    shelf = history.price(store, 4000, interval="month")
    crate = history.price(ice, drawn.ice, interval="month", usage_type="metered", **({"meter": meter} if metered else {}))

    def locker(name: str, *items: dict[str, Any], **form: Any) -> str:
        who = names[f"buyer: {name}"] = history.customer(f"Buyer {name}")
        found = history.ask("POST", "/v1/subscriptions", customer=who, items=list(items), metadata={"place": f"Row {name}"}, **form)
        names[f"locker: {name}"] = found["id"]
        return str(found["id"])

    iced = {"price": crate}
    locker("plain", {"price": month, "quantity": 2})
    locker("by the week", {"price": week})
    locker("with shelves", {"price": month}, {"price": shelf, "quantity": 3})
    locker("begun before", {"price": month}, backdate_start_date=START - 50 * DAY, proration_behavior="none")
    locker("ending", {"price": month}, cancel_at_period_end=True)
    locker("on trial", {"price": month}, trial_period_days=20)
    locker("with ice", {"price": month}, iced)
    locker("busy", {"price": month}, {"price": shelf, "quantity": 2}, iced)
    locker("idle", {"price": month}, iced)
    locker("only ice", iced)
    locker("to end", {"price": month}, iced)
    locker("to end later", {"price": month})
    history.ask("DELETE", f"/v1/subscriptions/{locker('ended', {'price': month}, iced)}")
    names["buyer: broke"] = history.customer("Buyer broke", BROKE)
    rack = {"customer": names["buyer: plain"], "items": [{"price": shelf}], "trial_period_days": 60}
    more = history.subscriptions([{**rack, "metadata": {"place": f"Rack {number}"}} for number in range(drawn.many)])
    names.update({f"locker: more {number}": made for number, made in enumerate(more)})
