"""The years an account has behind it when a grade begins: sales, invoices and busy days, made as a business made them.

Of graders that compare an app with its original (see `side_by_side`): `Sale`s are drawn once, then `History` makes
them on the twin of either app, by requests in the API version of the old days.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trialbalance.grading.draw import Draw
from trialbalance.grading.side_by_side import Ask, Names

DAY = 86_400
CARDS = ("pm_card_visa", "pm_card_mastercard", "pm_card_amex")
DECLINES = (
    "pm_card_visa_chargeDeclined",
    "pm_card_chargeDeclinedInsufficientFunds",
    "pm_card_chargeDeclinedExpiredCard",
)
BROKE = "pm_card_chargeCustomerFail"
"""A card that can be kept and cannot be charged."""

Seed = Callable[[dict[str, Any]], Any]
"""Plays many requests at once: `GraderTwin.seed`."""


@dataclass(frozen=True)
class Sale:
    """What was sold, the cards that were tried for it, and what was given back."""

    number: str
    what: str
    amount: int
    cards: tuple[str, ...] = ()
    refunds: tuple[int, ...] = ()
    cancelled: bool = False


class SaleDraw:
    """Draws sales with numbers of their own: `S-4711`.

    `declined` are two cards that are, `good` three that are not, in an order of this grade.
    """

    def __init__(self, draw: Draw, letter: str, things: Sequence[str], low: int, high: int) -> None:
        first = draw.integer(1000, 8000)
        self._numbers = iter(f"{letter}-{first + step}" for step in draw.shuffled(range(60)))
        self._draw, self._things, self._low, self._high = draw, things, low, high
        self.declined = draw.shuffled(DECLINES)[:2]
        self.good = draw.shuffled(CARDS)

    def sale(self, cards: Sequence[str] = (), share: Sequence[int] = (), cancelled: bool = False) -> Sale:
        """One more; `share` are the per cent that were given back, one refund each. 100 is all to the last unit."""
        amount = self._draw.amount(self._low, self._high)
        refunds = tuple(amount * part // 100 for part in share)
        if sum(share) == 100:
            refunds = (*refunds[:-1], amount - sum(refunds[:-1]))
        what = self._draw.choice(self._things)
        return Sale(next(self._numbers), what, amount, tuple(cards), refunds, cancelled)

    def every_kind(self) -> dict[str, Sale]:
        """One of every kind, by its name; some of them for calls to come (`to refund`, `flaky`)."""
        (one, two), good, draw = self.declined, self.good, self._draw
        return {
            "paid": self.sale([good[0]]),
            "second try": self.sale([one, two, good[1]]),
            "partly back": self.sale([one, good[2]], [draw.integer(10, 30), draw.integer(10, 30)]),
            "all back": self.sale([good[0]], [40, 60]),
            "many back": self.sale([good[1]], [3] * 12),
            "declined": self.sale([one]),
            "declined often": self.sale([one, two] * 6),
            "open": self.sale(),
            "cancelled": self.sale(cancelled=True),
            "to refund": self.sale([two, good[0]]),
            "to refund wholly": self.sale([good[2]]),
            "flaky": self.sale([good[0]]),
        }


class Invoices:
    """Makes invoices; `made` are their ids by name, `parts` the payments that paid a part of one.

    `who` is billed unless another customer is named; amounts are taken from `amounts` one by one.
    """

    def __init__(self, history: History, who: str, amounts: Iterator[int], days_until_due: int) -> None:
        self._history, self._ask, self._who, self._amounts = history, history.ask, who, amounts
        self._due = days_until_due
        self.made: Names = {}
        self.parts: Names = {}

    def bill(self, name: str, who: str = "", items: int = 1, finalize: bool = True, **form: Any) -> str:
        """An invoice of new items, and of whatever is pending."""
        who = who or self._who
        currency = self._history.currency
        for position in range(items):
            amount = next(self._amounts) if not position else 500 + position
            about = f"{name} {position + 1}"
            item = {"customer": who, "currency": currency, "amount": amount, "description": about}
            self._ask("POST", "/v1/invoiceitems", **item)
        made = self._ask(
            "POST",
            "/v1/invoices",
            customer=who,
            currency=currency,
            auto_advance=False,
            collection_method="send_invoice",
            days_until_due=self._due,
            pending_invoice_items_behavior="include",
            **form,
        )["id"]
        if finalize:
            self._ask("POST", f"/v1/invoices/{made}/finalize")
        self.made[name] = made
        return str(made)

    def attach(self, invoice: str, percent: int, rest: bool = False) -> str:
        """A payment of so much of it, or with `rest` of all but so much."""
        total = int(self._ask("GET", f"/v1/invoices/{invoice}")["total"])
        part = total * percent // 100
        intent = self._history.intent(total - part if rest else part, customer=self._who)
        self._history.pay(intent)
        self._ask("POST", f"/v1/invoices/{invoice}/attach_payment", payment_intent=intent)
        return intent

    def pay(self, invoice: str, **form: Any) -> None:
        """Pay it, or try."""
        self._ask("POST", f"/v1/invoices/{invoice}/pay", **form)

    def every_kind(self, share: int, rate: str, broke: str, cash: str) -> None:
        """One of every kind: `broke` has a card that is declined, `cash` none; `share` is the part's per cent."""
        self.pay(self.bill("by card", default_tax_rates=[rate]))
        self.pay(self.bill("by bank"), paid_out_of_band=True)
        self.parts["a part"] = self.attach(self.bill("in part"), share)
        two = self.bill("in two parts")
        self.parts["the first part"] = self.attach(two, share)
        self.parts["the second part"] = self.attach(two, share, rest=True)
        mixed = self.bill("part and card")
        self.parts["a part before a card"] = self.attach(mixed, share)
        self.pay(mixed)
        rest = self.bill("part and bank")
        self.attach(rest, share)
        self.pay(rest, paid_out_of_band=True)
        self.bill("long", items=14)
        self.bill("nothing", items=0)
        self._ask("POST", f"/v1/invoices/{self.bill('void')}/void")
        self.bill("draft", finalize=False)
        self.pay(self.bill("declined", broke))
        for name in ("pay by card", "pay by bank"):
            self.bill(name)
        self.attach(self.bill("pay in part"), share)
        self.bill("pay without card", cash)
        self.bill("pay declined", broke)

    def drafts(self, count: int) -> None:
        """Empty ones, so that the customer has more than fit on a page."""
        form = {"customer": self._who, "currency": self._history.currency, "auto_advance": False}
        draft = self._history.step("/v1/invoices", **form, pending_invoice_items_behavior="exclude")
        self._history.seed({"requests": [draft] * count})

    def payment_of(self, name: str) -> str:
        """The payment that this invoice made for itself."""
        return str(self._ask("GET", f"/v1/invoices/{self.made[name]}")["payment_intent"])


class History:
    """Makes what an account holds, in one currency; `intent_form` is what each payment intent has besides."""

    def __init__(
        self, ask: Ask, seed: Seed, version: str, currency: str, intent_form: Mapping[str, Any] | None = None
    ) -> None:
        self.ask = ask
        self.seed = seed
        self.currency = currency
        self._version = version
        self._intent_form = dict(intent_form or {})

    def step(self, path: str, **form: Any) -> dict[str, Any]:
        """A request of a document for `seed`, in the old version."""
        return {"path": path, "form": form, "version": self._version}

    def intent(self, amount: int, **form: Any) -> str:
        """The id of a payment that waits for a card."""
        form = {"amount": amount, "currency": self.currency, **self._intent_form, **form}
        return str(self.ask("POST", "/v1/payment_intents", **form)["id"])

    def pay(self, intent: str, card: str = "pm_card_visa") -> None:
        """Try a card for it."""
        self.ask("POST", f"/v1/payment_intents/{intent}/confirm", payment_method=card)

    def customer(self, name: str, card: str | None = "pm_card_visa") -> str:
        """The id of a customer who is charged by this card, or has none."""
        settings: dict[str, Any] = {}
        if card:
            settings = {"payment_method": card, "invoice_settings": {"default_payment_method": card}}
        made = self.ask("POST", "/v1/customers", name=name, metadata={"known_as": name}, **settings)
        return str(made["id"])

    def product(self, name: str) -> str:
        """The id of a product."""
        return str(self.ask("POST", "/v1/products", name=name)["id"])

    def price(self, product: str, amount: int, **recurring: Any) -> str:
        """The id of a price, with `interval="month"` of one that recurs."""
        form: dict[str, Any] = {"product": product, "currency": self.currency, "unit_amount": amount}
        if recurring:
            form["recurring"] = recurring
        return str(self.ask("POST", "/v1/prices", **form)["id"])

    def sell(self, sale: Sale, /, **metadata: str) -> str:
        """The payment of a sale, with everything that was tried and given back."""
        intent = self.intent(sale.amount, metadata=metadata)
        for card in sale.cards:
            self.pay(intent, card)
        for amount in sale.refunds:
            self.ask("POST", "/v1/refunds", payment_intent=intent, amount=amount)
        if sale.cancelled:
            self.ask("POST", f"/v1/payment_intents/{intent}/cancel")
        return intent

    def invoices(self, who: str, amounts: Iterator[int], days_until_due: int = 30) -> Invoices:
        """Makes invoices of a customer."""
        return Invoices(self, who, amounts, days_until_due)

    def subscriptions(self, forms: Sequence[Mapping[str, Any]]) -> list[str]:
        """The ids of many subscriptions that are made at once."""
        steps = [
            {**self.step("/v1/subscriptions", **form), "as": f"more{at}"} for at, form in enumerate(forms)
        ]
        made = self.seed({"requests": steps})
        return [str(made[f"more{at}"]["id"]) for at in range(len(forms))]

    def busy_day(
        self, day: int, count: int, customer: str, amounts: Sequence[int], /, **metadata: str
    ) -> None:
        """So many payments, every third with this metadata (`{number}` is one of its own), and one of every kind.

        A declined card, a refund, and an invoice of the customer's that is paid in two parts.
        """
        payments = []
        for number in range(count):
            own = {key: text.format(number=f"{day}{number:03}") for key, text in metadata.items()}
            form = {
                **self._intent_form,
                "amount": amounts[number % len(amounts)] + number,
                "currency": self.currency,
                "confirm": True,
                "payment_method": "pm_card_visa",
                "metadata": own if number % 3 == 0 else {},
            }
            payments.append(self.step("/v1/payment_intents", **form))
        self.seed({"requests": payments})
        intent = self.intent(amounts[1])
        self.pay(intent, DECLINES[0])
        self.pay(intent)
        self.ask("POST", "/v1/refunds", payment_intent=intent, amount=amounts[1] // 3)
        item = {"customer": customer, "currency": self.currency, "amount": amounts[2] + day}
        self.ask("POST", "/v1/invoiceitems", **item, description=f"Day {day}")
        form = {"customer": customer, "auto_advance": False, "pending_invoice_items_behavior": "include"}
        invoice = self.ask("POST", "/v1/invoices", **form)["id"]
        part = self.intent(amounts[2] // 4, customer=customer)
        self.pay(part)
        self.ask("POST", f"/v1/invoices/{invoice}/finalize")
        self.ask("POST", f"/v1/invoices/{invoice}/attach_payment", payment_intent=part)
        self.ask("POST", f"/v1/invoices/{invoice}/pay")


__all__ = ["BROKE", "CARDS", "DAY", "DECLINES", "History", "Invoices", "Sale", "SaleDraw", "Seed"]
