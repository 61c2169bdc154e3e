# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-8ad5631a379b: keep out of training data
"""What the workshop's Stripe account holds in a grade: drawn once, then made twice, on the twin of either app.

Everything is made in the old API version, as the workshop itself made it over the years.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from trialbalance.grading import Draw
from trialbalance.grading.history import BROKE, DAY, History, Sale, SaleDraw, Seed
from trialbalance.grading.side_by_side import Ask, Names

OLD = "2022-08-01"
START = 1_772_442_000  # where the twin's clock stands in task.toml: 2026-03-02T09:00:00Z
INSTRUMENTS = ("Hohner Corona", "Castagnari Lilly", "Saltarelle Bouebe", "Wheatstone No. 21")


# Invoices


@dataclass(frozen=True)
class Bills:
    """Drawn amounts and names of what is invoiced."""

    school: str
    amounts: tuple[int, ...]
    tax: int
    percent: int
    share: int
    drafts: int


def draw_bills(draw: Draw) -> Bills:
    """Amounts of their own for every invoice."""
    school = draw.choice(("Scoil Bhríde", "Gaelscoil na Mara", "Kilnagross Band", "Inver Céilí Club"))
    amounts = tuple(draw.amount(3000, 60_000) for _ in range(30))
    return Bills(school, amounts, draw.choice((9, 13, 21)), draw.choice((10, 15, 25)), draw.integer(20, 45), draw.integer(101, 109))


def make_accounts(history: History, bills: Bills) -> Names:
    """Customers, an invoice of every kind, and their payments."""
    amounts = iter(bills.amounts)
    ask = history.ask
    names: Names = {}
    school = names["school"] = history.customer(bills.school)
    broke = names["broke"] = history.customer("Broke Band", BROKE)
    cash = names["no card"] = history.customer("Cash Only", None)
    rate = ask("POST", "/v1/tax_rates", display_name="VAT", percentage=bills.tax, inclusive=False)["id"]
    coupon = ask("POST", "/v1/coupons", name="School week", percent_off=bills.percent, duration="once")["id"]
    product = history.product("Tuning")
    ask("POST", "/v1/invoiceitems", customer=school, price=history.price(product, next(amounts)), quantity=3)
    invoices = history.invoices(school, amounts)
    invoices.every_kind(bills.share, rate, broke, cash)
    invoices.bill("with discount", discounts=[{"coupon": coupon}])
    invoices.bill("flaky")
    monthly = history.price(product, next(amounts), interval="month")
    hire = ask("POST", "/v1/subscriptions", customer=school, items=[{"price": monthly, "quantity": 2}], metadata={"instrument": INSTRUMENTS[-1]})
    names["hire"] = hire["id"]
    invoices.made["of a hire"] = hire["latest_invoice"]
    ask("POST", f"/v1/subscriptions/{hire['id']}", items=[{"id": hire["items"]["data"][0]["id"], "quantity": 3}], proration_behavior="always_invoice")
    invoices.made["of a change"] = ask("GET", "/v1/invoices", subscription=hire["id"], limit=1)["data"][0]["id"]
    invoices.drafts(bills.drafts)
    for name in ("by card", "with discount", "part and card", "of a hire", "declined", "in part"):
        invoices.parts[f"payment of {name}"] = invoices.payment_of(name)
    repair = names["repair"] = history.intent(next(amounts), metadata={"repair": "R-0001", "instrument": INSTRUMENTS[0]})
    history.pay(repair)
    gone = names["gone"] = history.customer("Gone Away")
    invoices.bill("of the gone", gone)
    ask("DELETE", f"/v1/customers/{gone}")
    return {**names, **invoices.made, **invoices.parts}


# The day book


def make_days(history: History, advance: Callable[[int], Any], bills: Bills) -> None:
    """Three days: more payments than fit on a page, of every kind, among those of the days around."""
    customer = history.customer(bills.school)
    price = history.price(history.product("Hire"), bills.amounts[0], interval="month")
    mended = {"repair": "R-{number}", "instrument": INSTRUMENTS[0]}
    history.busy_day(1, 2, customer, bills.amounts, **mended)
    advance(START + DAY)
    history.ask("POST", "/v1/subscriptions", customer=customer, items=[{"price": price}])
    history.busy_day(2, bills.drafts, customer, bills.amounts, **mended)
    advance(START + 2 * DAY)
    history.busy_day(3, 3, customer, bills.amounts, **mended)


# Hires


@dataclass(frozen=True)
class Hires:
    """Drawn prices, discounts and how many hires there are."""

    monthly: int
    yearly: int
    percent: int
    amount: int
    many: int
    quantity: int


def draw_hires(draw: Draw) -> Hires:
    """Prices are multiples of 20, so that percentages and half months need no rounding."""
    return Hires(
        draw.integer(60, 200) * 20, draw.integer(600, 900) * 20, draw.choice((10, 20, 25)), draw.integer(20, 40) * 20,
        draw.integer(101, 108), draw.integer(2, 4),
    )  # fmt: skip


def make_hires(history: History, hires: Hires) -> Names:
    """More hires than fit on several pages, and one of every kind on top."""
    ask = history.ask
    names: Names = {}

    def code(name: str, coupon: str, **form: Any) -> str:
        made = names[f"id of {name}"] = ask("POST", "/v1/promotion_codes", coupon=coupon, code=name, **form)["id"]
        return str(made)

    player = names["player"] = history.customer("player")
    other = names["other"] = history.customer("other", "pm_card_mastercard")
    names["broke"] = history.customer("broke", BROKE)
    gone = names["gone"] = history.customer("gone")
    month = names["month"] = history.price(history.product("month"), hires.monthly, interval="month")
    year = names["year"] = history.price(history.product("year"), hires.yearly, interval="year")
    strap = names["strap"] = history.price(history.product("strap"), 500, interval="month")
    ask("POST", "/v1/coupons", id="ever", name="Learners", percent_off=hires.percent, duration="forever")
    ask("POST", "/v1/coupons", id="season", name="Season", percent_off=hires.percent + 5, duration="repeating", duration_in_months=3)
    ask("POST", "/v1/coupons", id="off", name="Money off", amount_off=hires.amount, currency="eur", duration="once")
    code("LEARN", "ever")
    code("SEASON", "season")
    code("MONEYOFF", "off", expires_at=START + 5 * DAY)
    code("TOOLATE", "ever", expires_at=START + DAY)
    ask("POST", f"/v1/promotion_codes/{code('STOPPED', 'ever')}", active=False)

    def hire(name: str, who: str, items: list[dict[str, Any]], **form: Any) -> dict[str, Any]:
        made = ask("POST", "/v1/subscriptions", customer=who, items=items, metadata={"instrument": f"Instrument {name}"}, **form)
        names[name] = made["id"]
        return made

    hire("plain", player, [{"price": month, "quantity": hires.quantity}])
    hire("by the year", player, [{"price": year}])
    hire("two things", player, [{"price": month}, {"price": strap, "quantity": 2}])
    hire("with LEARN", other, [{"price": month}], promotion_code=names["id of LEARN"])
    hire("with SEASON", other, [{"price": month}], promotion_code=names["id of SEASON"])
    hire("with MONEYOFF", other, [{"price": month}], promotion_code=names["id of MONEYOFF"])
    hire("begun before", player, [{"price": month}], backdate_start_date=START - 50 * DAY, proration_behavior="none")
    hire("ending", player, [{"price": month}], cancel_at_period_end=True)
    hire("ended", player, [{"price": month}])
    ask("DELETE", f"/v1/subscriptions/{names['ended']}")
    hire("on trial", player, [{"price": month}], trial_period_days=20)
    for name in ("to change", "to discount", "to undiscount", "to end", "to end later"):
        hire(name, player, [{"price": month, "quantity": 2}], **({"promotion_code": names["id of LEARN"]} if name == "to undiscount" else {}))
    form = {"customer": other, "items": [{"price": strap}], "trial_period_days": 30}
    more = history.subscriptions([{**form, "metadata": {"instrument": f"Strap {number}"}} for number in range(hires.many)])
    names.update({f"more {number}": made for number, made in enumerate(more)})
    ask("DELETE", f"/v1/customers/{gone}")
    return names


# All of it


@dataclass(frozen=True)
class Drawn:
    """Everything that is drawn for a grade."""

    tags: dict[str, Sale]
    bills: Bills
    hires: Hires


def draw_all(draw: Draw) -> Drawn:
    """Everything at once."""
    tags = SaleDraw(draw, "R", INSTRUMENTS, 4000, 90_000).every_kind()
    return Drawn(tags, draw_bills(draw), draw_hires(draw))


def make_all(ask: Ask, seed: Seed, advance: Callable[[int], Any], drawn: Drawn) -> Names:
    """Fill an account; the clock ends two days later. The answer says what is called what."""
    history = History(ask, seed, OLD, "eur", {"payment_method_types": ["card"]})
    names = {f"hire: {name}": made for name, made in make_hires(history, drawn.hires).items()}
    for name, tag in drawn.tags.items():
        names[f"repair: {name}"] = history.sell(tag, repair=tag.number, instrument=tag.what)
    names.update({f"account: {name}": made for name, made in make_accounts(history, drawn.bills).items()})
    make_days(history, advance, drawn.bills)
    return names
