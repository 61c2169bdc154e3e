# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-ebdce9c694c4: keep out of training data
"""What the quay's Stripe account holds in a grade: drawn once, then made twice, on the twin of either app.

Everything is made in the old API version, as the quay itself made it over the years. Only the price of ice differs:
the account of the desk as it was records usage, the account of the upgraded one has a meter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from trialbalance.grading.side_by_side import Ask, Names

OLD, NEW = "2020-08-27", "2026-07-29.dahlia"
START = 1_778_580_000  # where the twin's clock stands in task.toml: 2026-05-12T10:00:00Z
DAY = 86_400
CARDS = ("pm_card_visa", "pm_card_mastercard", "pm_card_amex")
DECLINES = ("pm_card_visa_chargeDeclined", "pm_card_chargeDeclinedInsufficientFunds", "pm_card_chargeDeclinedExpiredCard")
FISH = ("Cod", "Saithe", "Haddock", "Halibut", "Red king crab", "Wolffish")


class Draws(Protocol):
    """The part of `Draw` that is needed."""

    def integer(self, low: int, high: int) -> int: ...
    def amount(self, low: int = 500, high: int = 20_000) -> int: ...
    def choice(self, options: Any) -> Any: ...
    def shuffled(self, items: Any) -> list[Any]: ...
    def word(self) -> str: ...


Seed = Callable[[dict[str, Any]], Any]
"""Plays many requests at once."""


@dataclass(frozen=True)
class Lot:
    """A lot, the cards that were tried for it, and what was given back."""

    number: str
    fish: str
    amount: int
    cards: tuple[str, ...] = ()
    returns: tuple[int, ...] = ()
    cancelled: bool = False


@dataclass(frozen=True)
class Drawn:
    """Everything that is drawn for a grade."""

    lots: dict[str, Lot]
    fresh: tuple[Lot, ...]
    amounts: tuple[int, ...]
    kitchen: str
    vat: int
    share: int
    many: int
    ice: int
    event: str
    payload: tuple[str, str]
    crates: tuple[int, ...]


def draw_all(draw: Draws) -> Drawn:
    """Everything at once."""
    first = draw.integer(1000, 8000)
    numbers = iter(f"L-{first + step}" for step in draw.shuffled(range(60)))

    def lot(cards: tuple[str, ...] = (), share: tuple[int, ...] = (), cancelled: bool = False) -> Lot:
        amount = draw.amount(9000, 900_000)
        returns = tuple(amount * part // 100 for part in share)
        if sum(share) == 100:
            returns = (*returns[:-1], amount - sum(returns[:-1]))
        return Lot(next(numbers), draw.choice(FISH), amount, cards, returns, cancelled)

    one, two = draw.shuffled(DECLINES)[:2]
    good = draw.shuffled(CARDS)
    lots = {
        "paid": lot((good[0],)),
        "second try": lot((one, two, good[1])),
        "partly back": lot((one, good[2]), (draw.integer(10, 30), draw.integer(10, 30))),
        "all back": lot((good[0],), (40, 60)),
        "many back": lot((good[1],), (3,) * 12),
        "declined": lot((one,)),
        "declined often": lot((one, two) * 6),
        "open": lot(),
        "cancelled": lot(cancelled=True),
        "to return": lot((two, good[0])),
        "to return wholly": lot((good[2],)),
        "flaky": lot((good[0],)),
    }
    fresh = (lot((good[1],)), lot((two, good[2])), lot(("pm_card_authenticationRequired",)))
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
    _lockers(ask, seed, drawn, names, metered)
    _lots(ask, drawn, names)
    _invoices(ask, seed, drawn, names)
    _days(ask, seed, advance, drawn, names)
    return names


def _step(path: str, **form: Any) -> dict[str, Any]:
    return {"path": path, "form": form, "version": OLD}


def _intent(ask: Ask, amount: int, **form: Any) -> str:
    return str(ask("POST", "/v1/payment_intents", amount=amount, currency="nok", **form)["id"])


def _pay(ask: Ask, intent: str, card: str = "pm_card_visa") -> None:
    ask("POST", f"/v1/payment_intents/{intent}/confirm", payment_method=card)


def _customer(ask: Ask, name: str, card: str | None = "pm_card_visa") -> str:
    settings: dict[str, Any] = {}
    if card:
        settings = {"payment_method": card, "invoice_settings": {"default_payment_method": card}}
    return str(ask("POST", "/v1/customers", name=name, metadata={"known_as": name}, **settings)["id"])


def _lots(ask: Ask, drawn: Drawn, names: Names) -> None:
    for name, lot in drawn.lots.items():
        intent = names[f"lot: {name}"] = _intent(ask, lot.amount, metadata={"lot": lot.number, "fish": lot.fish})
        for card in lot.cards:
            _pay(ask, intent, card)
        for amount in lot.returns:
            ask("POST", "/v1/refunds", payment_intent=intent, amount=amount)
        if lot.cancelled:
            ask("POST", f"/v1/payment_intents/{intent}/cancel")


def _invoices(ask: Ask, seed: Seed, drawn: Drawn, names: Names) -> None:
    """Kitchens, and an invoice of every kind, with the receipts of what paid them."""
    amounts = iter(drawn.amounts)
    kitchen = names["kitchen: big"] = _customer(ask, drawn.kitchen)
    broke = names["kitchen: broke"] = _customer(ask, "Empty Net", "pm_card_chargeCustomerFail")
    cash = names["kitchen: no card"] = _customer(ask, "Notes Only", None)
    rate = ask("POST", "/v1/tax_rates", display_name="MVA", percentage=drawn.vat, inclusive=False)["id"]
    product = ask("POST", "/v1/products", name="Fillets")["id"]
    price = ask("POST", "/v1/prices", product=product, currency="nok", unit_amount=next(amounts))["id"]

    def bill(name: str, who: str = kitchen, items: int = 1, finalize: bool = True, **form: Any) -> str:
        for position in range(items):
            amount = next(amounts) if not position else 500 + position
            ask("POST", "/v1/invoiceitems", customer=who, currency="nok", amount=amount, description=f"{name} {position + 1}")
        made = ask(
            "POST", "/v1/invoices", customer=who, currency="nok", auto_advance=False,
            collection_method="send_invoice", days_until_due=20, pending_invoice_items_behavior="include", **form,
        )["id"]  # fmt: skip
        if finalize:
            ask("POST", f"/v1/invoices/{made}/finalize")
        names[f"invoice: {name}"] = made
        return str(made)

    def attach(invoice: str, percent: int = drawn.share, rest: bool = False) -> str:
        total = int(ask("GET", f"/v1/invoices/{invoice}")["total"])
        part = total * percent // 100
        intent = _intent(ask, total - part if rest else part, customer=kitchen)
        _pay(ask, intent)
        ask("POST", f"/v1/invoices/{invoice}/attach_payment", payment_intent=intent)
        return intent

    def receipt(name: str, intent: str) -> None:
        names[f"receipt: {name}"] = ask("GET", "/v1/charges", payment_intent=intent, limit=1)["data"][0]["id"]

    ask("POST", "/v1/invoiceitems", customer=kitchen, price=price, quantity=3)
    ask("POST", f"/v1/invoices/{bill('by card', default_tax_rates=[rate])}/pay")
    ask("POST", f"/v1/invoices/{bill('by bank')}/pay", paid_out_of_band=True)
    receipt("a part", attach(bill("in part")))
    two = bill("in two parts")
    receipt("the first part", attach(two))
    receipt("the second part", attach(two, rest=True))
    mixed = bill("part and card")
    receipt("a part before a card", attach(mixed))
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
    for name in ("by card", "part and card", "declined"):
        receipt(f"of {name}", ask("GET", f"/v1/invoices/{names[f'invoice: {name}']}")["payment_intent"])
    for name in ("paid", "declined"):
        receipt(f"of a lot that is {name}", names[f"lot: {name}"])
    draft = _step("/v1/invoices", customer=kitchen, currency="nok", auto_advance=False, pending_invoice_items_behavior="exclude")
    seed({"requests": [draft] * drawn.many})
    gone = names["kitchen: gone"] = _customer(ask, "Moved To Bergen")
    bill("of the gone", gone)
    ask("DELETE", f"/v1/customers/{gone}")


def _days(ask: Ask, seed: Seed, advance: Callable[[int], Any], drawn: Drawn, names: Names) -> None:
    """Three days: more payments than fit on a page, of every kind, among those of the days around."""
    customer = _customer(ask, "A week of everything")
    price = ask(
        "POST", "/v1/prices", currency="nok", unit_amount=drawn.amounts[0], recurring={"interval": "year"},
        product_data={"name": "Chest"},
    )["id"]  # fmt: skip

    def some(day: int, others: int) -> None:
        payments = []
        for number in range(others):
            about = {"lot": f"L-{day}{number:03}", "fish": "Cod"} if number % 3 == 0 else {}
            payments.append(
                _step(
                    "/v1/payment_intents", amount=drawn.amounts[number % 30] + number, currency="nok",
                    confirm=True, payment_method="pm_card_visa", metadata=about,
                )  # fmt: skip
            )
        seed({"requests": payments})
        intent = _intent(ask, drawn.amounts[1])
        _pay(ask, intent, DECLINES[0])
        _pay(ask, intent)
        ask("POST", "/v1/refunds", payment_intent=intent, amount=drawn.amounts[1] // 3)
        ask("POST", "/v1/invoiceitems", customer=customer, currency="nok", amount=drawn.amounts[2] + day, description="Fillets")
        invoice = ask("POST", "/v1/invoices", customer=customer, auto_advance=False, pending_invoice_items_behavior="include")["id"]
        part = _intent(ask, drawn.amounts[2] // 4, customer=customer)
        _pay(ask, part)
        ask("POST", f"/v1/invoices/{invoice}/finalize")
        ask("POST", f"/v1/invoices/{invoice}/attach_payment", payment_intent=part)
        ask("POST", f"/v1/invoices/{invoice}/pay")

    some(1, 2)
    advance(START + DAY)
    ask("POST", "/v1/subscriptions", customer=customer, items=[{"price": price}], metadata={"place": "Chest 1"})
    some(2, drawn.many)
    advance(START + 2 * DAY)
    some(3, 3)


def _lockers(ask: Ask, seed: Seed, drawn: Drawn, names: Names, metered: bool) -> None:
    """More lockers than fit on several pages, and one of every kind on top."""
    who_key, value_key = drawn.payload
    meter = ask(
        "POST", "/v1/billing/meters", display_name="Ice", event_name=drawn.event, version=NEW,
        default_aggregation={"formula": "sum"}, value_settings={"event_payload_key": value_key},
        customer_mapping={"type": "by_id", "event_payload_key": who_key},
    )["id"]  # fmt: skip
    names["meter"] = meter
    store = ask("POST", "/v1/products", name="A locker")["id"]
    ice = ask("POST", "/v1/products", name="A crate of ice")["id"]

    def price(product: str, amount: int, **recurring: Any) -> str:
        return str(ask("POST", "/v1/prices", product=product, currency="nok", unit_amount=amount, recurring=recurring)["id"])

    month = names["price: month"] = price(store, drawn.amounts[3], interval="month")
    week = names["price: week"] = price(store, drawn.amounts[4], interval="week")
    shelf = price(store, 4000, interval="month")
    crate = price(ice, drawn.ice, interval="month", usage_type="metered", **({"meter": meter} if metered else {}))

    def locker(name: str, *items: dict[str, Any], card: str = "pm_card_visa", **form: Any) -> str:
        who = names[f"buyer: {name}"] = _customer(ask, f"Buyer {name}", card)
        found = ask("POST", "/v1/subscriptions", customer=who, items=list(items), metadata={"place": f"Row {name}"}, **form)
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
    ask("DELETE", f"/v1/subscriptions/{locker('ended', {'price': month}, iced)}")
    names["buyer: broke"] = _customer(ask, "Buyer broke", "pm_card_chargeCustomerFail")
    more = [
        _step(
            "/v1/subscriptions", customer=names["buyer: plain"], items=[{"price": shelf}], trial_period_days=60,
            metadata={"place": f"Rack {number}"},
        )  # fmt: skip
        for number in range(drawn.many)
    ]
    found = seed({"requests": [{**step, "as": f"more{number}"} for number, step in enumerate(more)]})
    for number in range(drawn.many):
        names[f"locker: more {number}"] = found[f"more{number}"]["id"]
