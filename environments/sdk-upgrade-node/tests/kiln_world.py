# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-19489311c224: keep out of training data
"""What the pottery's Stripe account holds in a grade: drawn once, then made twice, on the twin of either app.

Everything is made in the old API version, as the pottery itself made it over the years. Only the price of firings
differs: the account of the service as it was records usage, the account of the upgraded one has a meter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from trialbalance.grading import Draw
from trialbalance.grading.history import BROKE, DAY, History, Sale, SaleDraw, Seed
from trialbalance.grading.side_by_side import Ask, Names

OLD, NEW = "2022-08-01", "2026-10-28.endive"
START = 1_775_901_600  # where the twin's clock stands in task.toml: 2026-04-11T10:00:00Z
SOLD = ("A jug", "Six bowls", "Throwing, four evenings", "A tall vase", "Raku, one day")


@dataclass(frozen=True)
class Drawn:
    """Everything that is drawn for a grade."""

    sales: dict[str, Sale]
    amounts: tuple[int, ...]
    school: str
    vat: int
    share: int
    many: int
    firing: int
    event: str
    potter: str
    counts: tuple[int, ...]


def draw_all(draw: Draw) -> Drawn:
    """Everything at once."""
    return Drawn(
        SaleDraw(draw, "S", SOLD, 4000, 90_000).every_kind(),
        tuple(draw.amount(3000, 60_000) for _ in range(30)),
        draw.choice(("Harbour Primary", "St Ninian's High", "Two Rivers Studio", "Kelp Street Arts")),
        draw.choice((5, 12, 20)),
        draw.integer(20, 45),
        draw.integer(101, 108),
        draw.integer(15, 60) * 10,
        f"kiln_{draw.word()}_{draw.integer(10, 99)}",
        draw.choice(("potter", "customer", "who")),
        tuple(draw.integer(2, 12) for _ in range(8)),
    )


def make_all(ask: Ask, seed: Seed, advance: Callable[[int], Any], drawn: Drawn, *, metered: bool) -> Names:
    """Fill an account; the clock ends two days later."""
    names: Names = {}
    history = History(ask, seed, OLD, "gbp", {"payment_method_types": ["card"]})
    _benches(history, drawn, names, metered)
    for name, sale in drawn.sales.items():
        names[f"sale: {name}"] = history.sell(sale, sale=sale.number, what=sale.what)
    _invoices(history, drawn, names)
    _days(history, advance, drawn)
    return names


def _invoices(history: History, drawn: Drawn, names: Names) -> None:
    """Studios, and an invoice of every kind."""
    amounts = iter(drawn.amounts)
    school = names["studio: school"] = history.customer(drawn.school)
    broke = names["studio: broke"] = history.customer("Glaze and Daze", BROKE)
    cash = names["studio: no card"] = history.customer("Cash Only Crafts", None)
    rate = history.ask("POST", "/v1/tax_rates", display_name="VAT", percentage=drawn.vat, inclusive=False)["id"]
    price = history.price(history.product("Clay"), next(amounts))
    history.ask("POST", "/v1/invoiceitems", customer=school, price=price, quantity=3)
    invoices = history.invoices(school, amounts)
    invoices.every_kind(drawn.share, rate, broke, cash)
    for name in ("by card", "part and card", "declined", "in part"):
        invoices.parts[f"of {name}"] = invoices.payment_of(name)
    invoices.drafts(drawn.many)
    gone = names["studio: gone"] = history.customer("Gone To Crete")
    invoices.bill("of the gone", gone)
    history.ask("DELETE", f"/v1/customers/{gone}")
    names.update({f"invoice: {name}": made for name, made in invoices.made.items()})
    names.update({f"payment: {name}": made for name, made in invoices.parts.items()})


def _days(history: History, advance: Callable[[int], Any], drawn: Drawn) -> None:
    """Three days: more payments than fit on a page, of every kind, among those of the days around."""
    customer = history.customer("A week of everything")
    price = history.price(history.product("Shelf"), drawn.amounts[0], interval="year")
    sold = {"sale": "S-{number}", "what": "A cup"}
    history.busy_day(1, 2, customer, drawn.amounts, **sold)
    advance(START + DAY)
    history.ask("POST", "/v1/subscriptions", customer=customer, items=[{"price": price}], metadata={"place": "Shelf 1"})
    history.busy_day(2, drawn.many, customer, drawn.amounts, **sold)
    advance(START + 2 * DAY)
    history.busy_day(3, 3, customer, drawn.amounts, **sold)


def _benches(history: History, drawn: Drawn, names: Names, metered: bool) -> None:
    """More benches than fit on several pages, and one of every kind on top."""
    meter = history.ask(
        "POST", "/v1/billing/meters", display_name="Kiln", event_name=drawn.event, version=NEW,
        default_aggregation={"formula": "sum"}, value_settings={"event_payload_key": "firings"},
        customer_mapping={"type": "by_id", "event_payload_key": drawn.potter},
    )["id"]  # fmt: skip
    names["meter"] = meter
    made, fired = history.product("A bench"), history.product("A firing")
    month = history.price(made, drawn.amounts[3], interval="month")
    tray = history.price(made, 400, interval="month")
    firing = history.price(fired, drawn.firing, interval="month", usage_type="metered", **({"meter": meter} if metered else {}))

    def bench(name: str, *items: dict[str, Any], **form: Any) -> str:
        who = names[f"potter: {name}"] = history.customer(f"Potter {name}")
        found = history.ask("POST", "/v1/subscriptions", customer=who, items=list(items), metadata={"place": f"Place {name}"}, **form)
        names[f"bench: {name}"] = found["id"]
        return str(found["id"])

    kiln = {"price": firing}
    bench("plain", {"price": month, "quantity": 2})
    bench("with trays", {"price": month}, {"price": tray, "quantity": 3})
    bench("begun before", {"price": month}, backdate_start_date=START - 50 * DAY, proration_behavior="none")
    bench("ending", {"price": month}, cancel_at_period_end=True)
    bench("on trial", {"price": month}, trial_period_days=20)
    bench("with a kiln", {"price": month}, kiln)
    bench("busy", {"price": month}, {"price": tray, "quantity": 2}, kiln)
    bench("idle", {"price": month}, kiln)
    bench("only a kiln", kiln)
    bench("to end", {"price": month}, kiln)
    bench("to end later", {"price": month})
    history.ask("DELETE", f"/v1/subscriptions/{bench('ended', {'price': month}, kiln)}")
    shelf = {"customer": names["potter: plain"], "items": [{"price": tray}], "trial_period_days": 60}
    more = history.subscriptions([{**shelf, "metadata": {"place": f"Shelf {number}"}} for number in range(drawn.many)])
    names.update({f"bench: more {number}": made for number, made in enumerate(more)})
