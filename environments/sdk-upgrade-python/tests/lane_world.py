# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-8ad5631a379b: keep out of training data
"""What the workshop's Stripe account holds in a grade: drawn once, then made twice, on the twin of either app.

Everything is made in the old API version, as the workshop itself made it over the years.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

OLD = "2022-08-01"
START = 1_772_442_000  # where the twin's clock stands in task.toml: 2026-03-02T09:00:00Z
DAY = 86_400
CARDS = {"visa": "pm_card_visa", "mastercard": "pm_card_mastercard", "amex": "pm_card_amex"}
DECLINES = ("pm_card_visa_chargeDeclined", "pm_card_chargeDeclinedInsufficientFunds", "pm_card_chargeDeclinedExpiredCard")


class Draws(Protocol):
    """The part of `Draw` that is needed."""

    def integer(self, low: int, high: int) -> int: ...
    def amount(self, low: int = 500, high: int = 20_000) -> int: ...
    def choice(self, options: Any) -> Any: ...
    def shuffled(self, items: Any) -> list[Any]: ...


Ask = Callable[..., dict[str, Any]]
"""`ask(method, path, **form)`: the object, or the error's object when Stripe declined."""
Seed = Callable[[dict[str, Any]], Any]
"""Plays many requests at once."""


def _step(path: str, **form: Any) -> dict[str, Any]:
    return {"path": path, "form": form, "version": OLD}


def _card_payment(amount: int, **form: Any) -> dict[str, Any]:
    return _step(
        "/v1/payment_intents", amount=amount, currency="eur", payment_method_types=["card"], confirm=True,
        payment_method="pm_card_visa", **form,
    )  # fmt: skip


@dataclass
class World:
    """Names of what was made, the same on both twins."""

    names: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> str:
        return self.names[name]


def _intent(ask: Ask, amount: int, **form: Any) -> str:
    made = ask("POST", "/v1/payment_intents", amount=amount, currency="eur", payment_method_types=["card"], **form)
    return str(made["id"])


def _pay(ask: Ask, intent: str, method: str = "pm_card_visa") -> None:
    ask("POST", f"/v1/payment_intents/{intent}/confirm", payment_method=method)


# Repairs


@dataclass(frozen=True)
class Tag:
    """A repair that is drawn: its number and price, the cards that were tried, and what was given back."""

    number: str
    instrument: str
    amount: int
    cards: tuple[str, ...] = ()
    refunds: tuple[int, ...] = ()
    cancelled: bool = False


def draw_tags(draw: Draws) -> dict[str, Tag]:
    """A repair of every kind."""
    first = draw.integer(1000, 8000)
    numbers = iter(f"R-{first + step}" for step in draw.shuffled(range(60)))

    def tag(cards: tuple[str, ...] = (), share: tuple[int, ...] = (), cancelled: bool = False) -> Tag:
        amount = draw.amount(4000, 90_000)
        refunds = tuple(amount * part // 100 for part in share)
        if sum(share) == 100:
            refunds = (*refunds[:-1], amount - sum(refunds[:-1]))
        instrument = draw.choice(("Hohner Corona", "Castagnari Lilly", "Saltarelle Bouebe", "Wheatstone No. 21"))
        return Tag(next(numbers), instrument, amount, cards, refunds, cancelled)

    one, two = draw.shuffled(DECLINES)[:2]
    good = draw.shuffled(list(CARDS.values()))
    return {
        "paid": tag((good[0],)),
        "second try": tag((one, two, good[1])),
        "partly back": tag((one, good[2]), (draw.integer(10, 30), draw.integer(10, 30))),
        "all back": tag((good[0],), (40, 60)),
        "many back": tag((good[1],), (3,) * 12),
        "declined": tag((one,)),
        "declined often": tag((one, two) * 6),
        "open": tag(),
        "cancelled": tag(cancelled=True),
        "to refund": tag((two, good[0])),
        "to refund wholly": tag((good[2],)),
        "flaky": tag((good[0],)),
    }


def make_repairs(ask: Ask, tags: dict[str, Tag]) -> World:
    """The payments of the repairs."""
    world = World()
    for name, tag in tags.items():
        about = {"repair": tag.number, "instrument": tag.instrument}
        intent = world.names[name] = _intent(ask, tag.amount, metadata=about)
        for card in tag.cards:
            _pay(ask, intent, card)
        for amount in tag.refunds:
            ask("POST", "/v1/refunds", payment_intent=intent, amount=amount)
        if tag.cancelled:
            ask("POST", f"/v1/payment_intents/{intent}/cancel")
    return world


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


def draw_bills(draw: Draws) -> Bills:
    """Amounts of their own for every invoice."""
    school = draw.choice(("Scoil Bhríde", "Gaelscoil na Mara", "Kilnagross Band", "Inver Céilí Club"))
    amounts = tuple(draw.amount(3000, 60_000) for _ in range(30))
    return Bills(school, amounts, draw.choice((9, 13, 21)), draw.choice((10, 15, 25)), draw.integer(20, 45), draw.integer(101, 109))


def make_accounts(ask: Ask, seed: Seed, bills: Bills) -> World:
    """Customers and an invoice of every kind."""
    world = World()
    amounts = iter(bills.amounts)

    def customer(name: str, card: str | None, **form: Any) -> str:
        settings: dict[str, Any] = {}
        if card:
            settings = {"payment_method": card, "invoice_settings": {"default_payment_method": card}}
        made = ask("POST", "/v1/customers", name=name, metadata={"known_as": name}, **settings, **form)
        return str(made["id"])

    school = world.names["school"] = customer(bills.school, "pm_card_visa")
    broke = world.names["broke"] = customer("Broke Band", "pm_card_chargeCustomerFail")
    cash = world.names["no card"] = customer("Cash Only", None)
    rate = ask("POST", "/v1/tax_rates", display_name="VAT", percentage=bills.tax, inclusive=False)["id"]
    coupon = ask("POST", "/v1/coupons", name="School week", percent_off=bills.percent, duration="once")["id"]
    product = ask("POST", "/v1/products", name="Tuning")["id"]
    price = ask("POST", "/v1/prices", product=product, currency="eur", unit_amount=next(amounts))["id"]

    def bill(name: str, who: str = school, items: int = 1, finalize: bool = True, **form: Any) -> str:
        for position in range(items):
            what = f"{name} {position + 1}"
            ask("POST", "/v1/invoiceitems", customer=who, currency="eur", amount=next(amounts) if not position else 500 + position, description=what)
        made = ask(
            "POST", "/v1/invoices", customer=who, currency="eur", auto_advance=False,
            collection_method="send_invoice", days_until_due=30, pending_invoice_items_behavior="include", **form,
        )["id"]  # fmt: skip
        if finalize:
            ask("POST", f"/v1/invoices/{made}/finalize")
        world.names[name] = made
        return str(made)

    def attach(invoice: str, amount: int, who: str = school) -> str:
        intent = _intent(ask, amount, customer=who)
        _pay(ask, intent)
        ask("POST", f"/v1/invoices/{invoice}/attach_payment", payment_intent=intent)
        return intent

    def total(invoice: str) -> int:
        return int(ask("GET", f"/v1/invoices/{invoice}")["total"])

    ask("POST", "/v1/invoiceitems", customer=school, price=price, quantity=3)
    bill("by card", default_tax_rates=[rate])
    ask("POST", f"/v1/invoices/{world['by card']}/pay")
    bill("by bank")
    ask("POST", f"/v1/invoices/{world['by bank']}/pay", paid_out_of_band=True)
    part = bill("in part")
    world.names["part"] = attach(part, total(part) * bills.share // 100)
    two = bill("in two parts")
    world.names["first part"] = attach(two, total(two) * bills.share // 100)
    world.names["second part"] = attach(two, total(two) - total(two) * bills.share // 100)
    mixed = bill("part and card")
    world.names["part of mixed"] = attach(mixed, total(mixed) * bills.share // 100)
    ask("POST", f"/v1/invoices/{mixed}/pay")
    rest = bill("part and bank")
    attach(rest, total(rest) * bills.share // 100)
    ask("POST", f"/v1/invoices/{rest}/pay", paid_out_of_band=True)
    bill("with discount", discounts=[{"coupon": coupon}])
    bill("long", items=14)
    bill("nothing", items=0)
    bill("void")
    ask("POST", f"/v1/invoices/{world['void']}/void")
    bill("draft", finalize=False)
    bill("declined", broke)
    ask("POST", f"/v1/invoices/{world['declined']}/pay")
    for name in ("pay by card", "pay by bank", "flaky"):
        bill(name)
    bill("pay in part")
    attach(world["pay in part"], total(world["pay in part"]) * bills.share // 100)
    bill("pay without card", cash)
    bill("pay declined", broke)
    monthly = ask("POST", "/v1/prices", product=product, currency="eur", unit_amount=next(amounts), recurring={"interval": "month"})["id"]
    hire = ask("POST", "/v1/subscriptions", customer=school, items=[{"price": monthly, "quantity": 2}], metadata={"instrument": "Wheatstone No. 21"})
    world.names["hire"] = hire["id"]
    world.names["of a hire"] = hire["latest_invoice"]
    ask("POST", f"/v1/subscriptions/{hire['id']}", items=[{"id": hire["items"]["data"][0]["id"], "quantity": 3}], proration_behavior="always_invoice")
    found = ask("GET", "/v1/invoices", subscription=hire["id"], limit=1)["data"][0]
    world.names["of a change"] = found["id"]
    draft = _step("/v1/invoices", customer=school, currency="eur", auto_advance=False, pending_invoice_items_behavior="exclude")
    seed({"requests": [draft] * bills.drafts})
    for name in ("by card", "with discount", "part and card", "of a hire", "declined", "in part"):
        intent = ask("GET", f"/v1/invoices/{world[name]}")["payment_intent"]
        world.names[f"payment of {name}"] = intent
    repair = world.names["repair"] = _intent(ask, next(amounts), metadata={"repair": "R-0001", "instrument": "Hohner Corona"})
    _pay(ask, repair)
    gone = world.names["gone"] = customer("Gone Away", "pm_card_visa")
    bill("of the gone", gone)
    ask("DELETE", f"/v1/customers/{gone}")
    return world


# The day book


def make_day(ask: Ask, seed: Seed, advance: Callable[[int], Any], bills: Bills) -> World:
    """Three days: more payments than fit on a page, of every kind, among those of the days around."""
    world = World()
    customer = ask(
        "POST", "/v1/customers", name=bills.school, payment_method="pm_card_visa",
        invoice_settings={"default_payment_method": "pm_card_visa"}, metadata={"known_as": bills.school},
    )["id"]  # fmt: skip
    product = ask("POST", "/v1/products", name="Hire")["id"]
    price = ask("POST", "/v1/prices", product=product, currency="eur", unit_amount=bills.amounts[0], recurring={"interval": "month"})["id"]

    def some(day: int, counter: int) -> None:
        payments = []
        for number in range(counter):
            amount = bills.amounts[number % len(bills.amounts)] + number
            about = {"repair": f"R-{day}{number:03}", "instrument": "Hohner Corona"} if number % 3 == 0 else {}
            payments.append(_card_payment(amount, metadata=about))
        seed({"requests": payments})
        intent = _intent(ask, bills.amounts[1])
        _pay(ask, intent, DECLINES[0])
        _pay(ask, intent)
        ask("POST", "/v1/refunds", payment_intent=intent, amount=bills.amounts[1] // 3)
        ask("POST", "/v1/invoiceitems", customer=customer, currency="eur", amount=bills.amounts[2] + day, description="Tuning")
        invoice = ask("POST", "/v1/invoices", customer=customer, auto_advance=False, pending_invoice_items_behavior="include")["id"]
        part = _intent(ask, bills.amounts[2] // 4, customer=customer)
        _pay(ask, part)
        ask("POST", f"/v1/invoices/{invoice}/finalize")
        ask("POST", f"/v1/invoices/{invoice}/attach_payment", payment_intent=part)
        ask("POST", f"/v1/invoices/{invoice}/pay")

    some(1, 2)
    advance(START + DAY)
    ask("POST", "/v1/subscriptions", customer=customer, items=[{"price": price}])
    some(2, bills.drafts)
    advance(START + 2 * DAY)
    some(3, 3)
    return world


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


def draw_hires(draw: Draws) -> Hires:
    """Prices are multiples of 20, so that percentages and half months need no rounding."""
    return Hires(
        draw.integer(60, 200) * 20, draw.integer(600, 900) * 20, draw.choice((10, 20, 25)), draw.integer(20, 40) * 20,
        draw.integer(101, 108), draw.integer(2, 4),
    )  # fmt: skip


def make_hires(ask: Ask, seed: Seed, hires: Hires) -> World:
    """More hires than fit on several pages, and one of every kind on top."""
    world = World()

    def customer(name: str, card: str) -> str:
        settings = {"payment_method": card, "invoice_settings": {"default_payment_method": card}}
        made = ask("POST", "/v1/customers", name=name, metadata={"known_as": name}, **settings)
        world.names[name] = made["id"]
        return str(made["id"])

    def price(name: str, amount: int, interval: str) -> str:
        made = ask(
            "POST", "/v1/prices", currency="eur", unit_amount=amount, recurring={"interval": interval},
            product_data={"name": name},
        )["id"]  # fmt: skip
        world.names[name] = made
        return str(made)

    def code(name: str, coupon: str, **form: Any) -> str:
        world.names[f"id of {name}"] = made = ask("POST", "/v1/promotion_codes", coupon=coupon, code=name, **form)["id"]
        return str(made)

    player, other = customer("player", "pm_card_visa"), customer("other", "pm_card_mastercard")
    customer("broke", "pm_card_chargeCustomerFail")
    gone = customer("gone", "pm_card_visa")
    month, year = price("month", hires.monthly, "month"), price("year", hires.yearly, "year")
    strap = price("strap", 500, "month")
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
        world.names[name] = made["id"]
        return made

    hire("plain", player, [{"price": month, "quantity": hires.quantity}])
    hire("by the year", player, [{"price": year}])
    hire("two things", player, [{"price": month}, {"price": strap, "quantity": 2}])
    hire("with LEARN", other, [{"price": month}], promotion_code=world["id of LEARN"])
    hire("with SEASON", other, [{"price": month}], promotion_code=world["id of SEASON"])
    hire("with MONEYOFF", other, [{"price": month}], promotion_code=world["id of MONEYOFF"])
    hire("begun before", player, [{"price": month}], backdate_start_date=START - 50 * DAY, proration_behavior="none")
    hire("ending", player, [{"price": month}], cancel_at_period_end=True)
    hire("ended", player, [{"price": month}])
    ask("DELETE", f"/v1/subscriptions/{world['ended']}")
    hire("on trial", player, [{"price": month}], trial_period_days=20)
    for name in ("to change", "to discount", "to undiscount", "to end", "to end later"):
        hire(name, player, [{"price": month, "quantity": 2}], **({"promotion_code": world["id of LEARN"]} if name == "to undiscount" else {}))
    more = [
        _step("/v1/subscriptions", customer=other, items=[{"price": strap}], metadata={"instrument": f"Strap {number}"}, trial_period_days=30)
        for number in range(hires.many)
    ]
    made = seed({"requests": [{**step, "as": f"more{number}"} for number, step in enumerate(more)]})
    for number in range(hires.many):
        world.names[f"more {number}"] = made[f"more{number}"]["id"]
    ask("DELETE", f"/v1/customers/{gone}")
    return world


# All of it


@dataclass(frozen=True)
class Drawn:
    """Everything that is drawn for a grade."""

    tags: dict[str, Tag]
    bills: Bills
    hires: Hires


def draw_all(draw: Draws) -> Drawn:
    """Everything at once."""
    return Drawn(draw_tags(draw), draw_bills(draw), draw_hires(draw))


def make_all(ask: Ask, seed: Seed, advance: Callable[[int], Any], drawn: Drawn) -> dict[str, str]:
    """Fill an account; the clock ends two days later. The answer says what is called what."""
    return {
        **{f"hire: {name}": value for name, value in make_hires(ask, seed, drawn.hires).names.items()},
        **{f"repair: {name}": value for name, value in make_repairs(ask, drawn.tags).names.items()},
        **{f"account: {name}": value for name, value in make_accounts(ask, seed, drawn.bills).names.items()},
        **{f"day: {name}": value for name, value in make_day(ask, seed, advance, drawn.bills).names.items()},
    }
