# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-19489311c224: keep out of training data
"""What the pottery's Stripe account holds in a grade: drawn once, then made twice, on the twin of either app.

Everything is made in the old API version, as the pottery itself made it over the years. Only the price of firings
differs: the account of the service as it was records usage, the account of the upgraded one has a meter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

OLD, NEW = "2022-08-01", "2026-10-28.endive"
START = 1_775_901_600  # where the twin's clock stands in task.toml: 2026-04-11T10:00:00Z
DAY = 86_400
CARDS = ("pm_card_visa", "pm_card_mastercard", "pm_card_amex")
DECLINES = ("pm_card_visa_chargeDeclined", "pm_card_chargeDeclinedInsufficientFunds", "pm_card_chargeDeclinedExpiredCard")


class Draws(Protocol):
    """The part of `Draw` that is needed."""

    def integer(self, low: int, high: int) -> int: ...
    def amount(self, low: int = 500, high: int = 20_000) -> int: ...
    def choice(self, options: Any) -> Any: ...
    def shuffled(self, items: Any) -> list[Any]: ...
    def word(self) -> str: ...


Ask = Callable[..., dict[str, Any]]
"""`ask(method, path, **form)`: the object, or the error's object when Stripe declined."""
Seed = Callable[[dict[str, Any]], Any]
"""Plays many requests at once."""
Names = dict[str, str]
"""What is called what: the same on both twins."""


@dataclass(frozen=True)
class Sale:
    """What was sold, the cards that were tried for it, and what was given back."""

    number: str
    what: str
    amount: int
    cards: tuple[str, ...] = ()
    refunds: tuple[int, ...] = ()
    cancelled: bool = False


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


def draw_all(draw: Draws) -> Drawn:
    """Everything at once."""
    first = draw.integer(1000, 8000)
    numbers = iter(f"S-{first + step}" for step in draw.shuffled(range(60)))

    def sale(cards: tuple[str, ...] = (), share: tuple[int, ...] = (), cancelled: bool = False) -> Sale:
        amount = draw.amount(4000, 90_000)
        refunds = tuple(amount * part // 100 for part in share)
        if sum(share) == 100:
            refunds = (*refunds[:-1], amount - sum(refunds[:-1]))
        what = draw.choice(("A jug", "Six bowls", "Throwing, four evenings", "A tall vase", "Raku, one day"))
        return Sale(next(numbers), what, amount, cards, refunds, cancelled)

    one, two = draw.shuffled(DECLINES)[:2]
    good = draw.shuffled(CARDS)
    sales = {
        "paid": sale((good[0],)),
        "second try": sale((one, two, good[1])),
        "partly back": sale((one, good[2]), (draw.integer(10, 30), draw.integer(10, 30))),
        "all back": sale((good[0],), (40, 60)),
        "many back": sale((good[1],), (3,) * 12),
        "declined": sale((one,)),
        "declined often": sale((one, two) * 6),
        "open": sale(),
        "cancelled": sale(cancelled=True),
        "to refund": sale((two, good[0])),
        "to refund wholly": sale((good[2],)),
        "flaky": sale((good[0],)),
    }
    return Drawn(
        sales,
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
    _benches(ask, seed, drawn, names, metered)
    _sales(ask, drawn, names)
    _invoices(ask, seed, drawn, names)
    _days(ask, seed, advance, drawn, names)
    return names


def _step(path: str, **form: Any) -> dict[str, Any]:
    return {"path": path, "form": form, "version": OLD}


def _intent(ask: Ask, amount: int, **form: Any) -> str:
    made = ask("POST", "/v1/payment_intents", amount=amount, currency="gbp", payment_method_types=["card"], **form)
    return str(made["id"])


def _pay(ask: Ask, intent: str, card: str = "pm_card_visa") -> None:
    ask("POST", f"/v1/payment_intents/{intent}/confirm", payment_method=card)


def _customer(ask: Ask, name: str, card: str | None = "pm_card_visa") -> str:
    settings: dict[str, Any] = {}
    if card:
        settings = {"payment_method": card, "invoice_settings": {"default_payment_method": card}}
    return str(ask("POST", "/v1/customers", name=name, metadata={"known_as": name}, **settings)["id"])


def _sales(ask: Ask, drawn: Drawn, names: Names) -> None:
    for name, sale in drawn.sales.items():
        intent = names[f"sale: {name}"] = _intent(ask, sale.amount, metadata={"sale": sale.number, "what": sale.what})
        for card in sale.cards:
            _pay(ask, intent, card)
        for amount in sale.refunds:
            ask("POST", "/v1/refunds", payment_intent=intent, amount=amount)
        if sale.cancelled:
            ask("POST", f"/v1/payment_intents/{intent}/cancel")


def _invoices(ask: Ask, seed: Seed, drawn: Drawn, names: Names) -> None:
    """Studios, and an invoice of every kind."""
    amounts = iter(drawn.amounts)
    school = names["studio: school"] = _customer(ask, drawn.school)
    broke = names["studio: broke"] = _customer(ask, "Glaze and Daze", "pm_card_chargeCustomerFail")
    cash = names["studio: no card"] = _customer(ask, "Cash Only Crafts", None)
    rate = ask("POST", "/v1/tax_rates", display_name="VAT", percentage=drawn.vat, inclusive=False)["id"]
    product = ask("POST", "/v1/products", name="Clay")["id"]
    price = ask("POST", "/v1/prices", product=product, currency="gbp", unit_amount=next(amounts))["id"]

    def bill(name: str, who: str = school, items: int = 1, finalize: bool = True, **form: Any) -> str:
        for position in range(items):
            amount = next(amounts) if not position else 500 + position
            ask("POST", "/v1/invoiceitems", customer=who, currency="gbp", amount=amount, description=f"{name} {position + 1}")
        made = ask(
            "POST", "/v1/invoices", customer=who, currency="gbp", auto_advance=False,
            collection_method="send_invoice", days_until_due=30, pending_invoice_items_behavior="include", **form,
        )["id"]  # fmt: skip
        if finalize:
            ask("POST", f"/v1/invoices/{made}/finalize")
        names[f"invoice: {name}"] = made
        return str(made)

    def attach(invoice: str, percent: int = drawn.share, rest: bool = False) -> str:
        total = int(ask("GET", f"/v1/invoices/{invoice}")["total"])
        part = total * percent // 100
        intent = _intent(ask, total - part if rest else part, customer=school)
        _pay(ask, intent)
        ask("POST", f"/v1/invoices/{invoice}/attach_payment", payment_intent=intent)
        return intent

    ask("POST", "/v1/invoiceitems", customer=school, price=price, quantity=3)
    ask("POST", f"/v1/invoices/{bill('by card', default_tax_rates=[rate])}/pay")
    ask("POST", f"/v1/invoices/{bill('by bank')}/pay", paid_out_of_band=True)
    names["payment: a part"] = attach(bill("in part"))
    two = bill("in two parts")
    names["payment: the first part"] = attach(two)
    names["payment: the second part"] = attach(two, rest=True)
    mixed = bill("part and card")
    names["payment: a part before a card"] = attach(mixed)
    ask("POST", f"/v1/invoices/{mixed}/pay")
    rest = bill("part and bank")
    attach(rest)
    ask("POST", f"/v1/invoices/{rest}/pay", paid_out_of_band=True)
    bill("long", items=14)
    bill("nothing", items=0)
    ask("POST", f"/v1/invoices/{bill('void')}/void")
    bill("draft", finalize=False)
    ask("POST", f"/v1/invoices/{bill('declined', broke)}/pay")
    for name in ("pay by card", "pay by bank"):
        bill(name)
    attach(bill("pay in part"))
    bill("pay without card", cash)
    bill("pay declined", broke)
    for name in ("by card", "part and card", "declined", "in part"):
        intent = ask("GET", f"/v1/invoices/{names[f'invoice: {name}']}")["payment_intent"]
        names[f"payment: of {name}"] = intent
    draft = _step("/v1/invoices", customer=school, currency="gbp", auto_advance=False, pending_invoice_items_behavior="exclude")
    seed({"requests": [draft] * drawn.many})
    gone = names["studio: gone"] = _customer(ask, "Gone To Crete")
    bill("of the gone", gone)
    ask("DELETE", f"/v1/customers/{gone}")


def _days(ask: Ask, seed: Seed, advance: Callable[[int], Any], drawn: Drawn, names: Names) -> None:
    """Three days: more payments than fit on a page, of every kind, among those of the days around."""
    customer = _customer(ask, "A week of everything")
    price = ask(
        "POST", "/v1/prices", currency="gbp", unit_amount=drawn.amounts[0], recurring={"interval": "year"},
        product_data={"name": "Shelf"},
    )["id"]  # fmt: skip

    def some(day: int, counter: int) -> None:
        payments = []
        for number in range(counter):
            about = {"sale": f"S-{day}{number:03}", "what": "A cup"} if number % 3 == 0 else {}
            payments.append(
                _step(
                    "/v1/payment_intents", amount=drawn.amounts[number % 30] + number, currency="gbp",
                    payment_method_types=["card"], confirm=True, payment_method="pm_card_visa", metadata=about,
                )  # fmt: skip
            )
        seed({"requests": payments})
        intent = _intent(ask, drawn.amounts[1])
        _pay(ask, intent, DECLINES[0])
        _pay(ask, intent)
        ask("POST", "/v1/refunds", payment_intent=intent, amount=drawn.amounts[1] // 3)
        ask("POST", "/v1/invoiceitems", customer=customer, currency="gbp", amount=drawn.amounts[2] + day, description="Glaze")
        invoice = ask("POST", "/v1/invoices", customer=customer, auto_advance=False, pending_invoice_items_behavior="include")["id"]
        part = _intent(ask, drawn.amounts[2] // 4, customer=customer)
        _pay(ask, part)
        ask("POST", f"/v1/invoices/{invoice}/finalize")
        ask("POST", f"/v1/invoices/{invoice}/attach_payment", payment_intent=part)
        ask("POST", f"/v1/invoices/{invoice}/pay")

    some(1, 2)
    advance(START + DAY)
    ask("POST", "/v1/subscriptions", customer=customer, items=[{"price": price}], metadata={"place": "Shelf 1"})
    some(2, drawn.many)
    advance(START + 2 * DAY)
    some(3, 3)


def _benches(ask: Ask, seed: Seed, drawn: Drawn, names: Names, metered: bool) -> None:
    """More benches than fit on several pages, and one of every kind on top."""
    meter = ask(
        "POST", "/v1/billing/meters", display_name="Kiln", event_name=drawn.event, version=NEW,
        default_aggregation={"formula": "sum"}, value_settings={"event_payload_key": "firings"},
        customer_mapping={"type": "by_id", "event_payload_key": drawn.potter},
    )["id"]  # fmt: skip
    names["meter"] = meter
    made = ask("POST", "/v1/products", name="A bench")["id"]
    fired = ask("POST", "/v1/products", name="A firing")["id"]
    month = ask("POST", "/v1/prices", product=made, currency="gbp", unit_amount=drawn.amounts[3], recurring={"interval": "month"})["id"]
    tray = ask("POST", "/v1/prices", product=made, currency="gbp", unit_amount=400, recurring={"interval": "month"})["id"]
    usage: dict[str, Any] = {"interval": "month", "usage_type": "metered"}
    if metered:
        usage["meter"] = meter
    firing = ask("POST", "/v1/prices", product=fired, currency="gbp", unit_amount=drawn.firing, recurring=usage)["id"]

    def bench(name: str, *items: dict[str, Any], card: str = "pm_card_visa", **form: Any) -> str:
        who = names[f"potter: {name}"] = _customer(ask, f"Potter {name}", card)
        found = ask("POST", "/v1/subscriptions", customer=who, items=list(items), metadata={"place": f"Place {name}"}, **form)
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
    ask("DELETE", f"/v1/subscriptions/{bench('ended', {'price': month}, kiln)}")
    more = [
        _step(
            "/v1/subscriptions", customer=names["potter: plain"], items=[{"price": tray}], trial_period_days=60,
            metadata={"place": f"Shelf {number}"},
        )  # fmt: skip
        for number in range(drawn.many)
    ]
    found = seed({"requests": [{**step, "as": f"more{number}"} for number, step in enumerate(more)]})
    for number in range(drawn.many):
        names[f"bench: more {number}"] = found[f"more{number}"]["id"]
