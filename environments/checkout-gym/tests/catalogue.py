# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-f581fa6e06ba: keep out of training data
"""What the shop sells: a catalogue with look-alikes, drawn from a seed, as requests that make it.

A thing is known by its key (`ink-2`, `club-month`); `@ink-2` in a form stands for its id. Two accounts hold the same
catalogue: the agent's, and the merchant's whose pages are shown.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

Request = dict[str, Any]
COLOURS = "Alizarin Bistre Cerulean Damson Ember Fern Graphite Indigo Jade Loam Madder Ochre Plum Rust Slate Teal".split()
PAPERS = "Ashdown Brackley Corrigan Dunmore Eskdale Fallow Garrick Holme".split()
TOOLS = ("V-gouge", "Bone folder", "Baren", "Brayer", "Burin", "Bench hook")
TOWNS = "Ludlow Wick Ghent Turku Lagos Oaxaca Kyoto Hobart".split()


@dataclass
class Catalogue:
    """The requests that make it, in order, and the keys of its prices by what they are for."""

    requests: list[Request] = field(default_factory=list)
    once: dict[str, list[str]] = field(default_factory=lambda: {"usd": [], "eur": [], "gbp": []})
    several: list[str] = field(default_factory=list)
    plans: dict[str, list[str]] = field(default_factory=lambda: {"month": [], "year": [], "week": []})
    metered: list[str] = field(default_factory=list)
    gifts: list[str] = field(default_factory=list)
    coupons: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    customers: list[str] = field(default_factory=list)
    rates: list[str] = field(default_factory=list)

    def make(self, key: str, path: str, **form: Any) -> str:
        """Add a request whose answer has a key."""
        self.requests.append({"as": key, "path": path, "form": form})
        return key

    def form(self, key: str) -> dict[str, Any]:
        """What a thing was made with."""
        return next(request["form"] for request in self.requests if request.get("as") == key)

    def price(self, key: str, product: str, currency: str, amount: int, **more: Any) -> str:
        """Add a price."""
        return self.make(
            key, "/v1/prices", product=f"@{product}", currency=currency, unit_amount=amount, **more
        )


def draw_catalogue(seed: int) -> Catalogue:
    """The catalogue of a seed: the same families every time, with other names, amounts and details."""
    draw = random.Random(f"catalogue {seed}")
    made = Catalogue()
    for part in (_inks, _papers, _tools, _courses, _plans, _hours, _gifts, _discounts, _customers, _rates):
        part(made, draw)
    _taxes(made)
    return made


def _amount(draw: random.Random, low: int, high: int) -> int:
    return draw.randrange(low, high) * 10 + draw.choice((0, 5, 9))


def _inks(made: Catalogue, draw: random.Random) -> None:
    """One name, four descriptions; and a fifth that nobody can tell from the first."""
    colours = draw.sample(COLOURS, 2)
    kinds = [(base, size) for base in ("oil based", "water based") for size in (60, 120)]
    at = 0
    for colour in colours:
        amounts = sorted(_amount(draw, 70, 180) for _ in kinds)
        for (base, size), amount in zip(kinds, amounts, strict=True):
            at += 1
            about = f"Relief ink, {base}, tube of {size} ml"
            made.make(f"ink-{at}-product", "/v1/products", name=f"{colour} ink", description=about)
            made.once["usd"].append(
                made.price(f"ink-{at}", f"ink-{at}-product", "usd", amount, lookup_key=f"ink_{at}")
            )
            if at == 1:
                made.make("ink-1-again-product", "/v1/products", name=f"{colour} ink", description=about)
                made.price("ink-1-again", "ink-1-again-product", "usd", amount)


def _papers(made: Catalogue, draw: random.Random) -> None:
    """One price, three weights; in three currencies with one price each, and in all of them with one price."""
    name = f"{draw.choice(PAPERS)} paper"
    amount = _amount(draw, 150, 400)
    for at, weight in enumerate(draw.sample((220, 250, 280, 300, 320), 3), 1):
        about = f"25 sheets, {weight} gsm, deckle edge"
        made.make(f"paper-{at}-product", "/v1/products", name=name, description=about)
        made.once["usd"].append(made.price(f"paper-{at}", f"paper-{at}-product", "usd", amount))
        for currency in ("eur", "gbp"):
            other = amount - 10 * at if currency == "eur" else amount - 10 * at - 45
            made.once[currency].append(
                made.price(f"paper-{at}-{currency}", f"paper-{at}-product", currency, other)
            )
    for at, sheets in enumerate((10, 40), 1):
        made.make(f"pad-{at}-product", "/v1/products", name=f"{name} pad", description=f"{sheets} sheets, A4")
        base = _amount(draw, 100, 200) * at
        options = {"eur": {"unit_amount": base - 75}, "gbp": {"unit_amount": base - 140}}
        made.several.append(
            made.price(f"pad-{at}", f"pad-{at}-product", "usd", base, currency_options=options)
        )


def _tools(made: Catalogue, draw: random.Random) -> None:
    """One name and description at the old price and the new one, on one product and on two."""
    for at, name in enumerate(draw.sample(TOOLS, 3), 1):
        amount = _amount(draw, 120, 500)
        made.make(f"tool-{at}-product", "/v1/products", name=name, description="Hardened steel and beech")
        made.once["usd"].append(
            made.price(f"tool-{at}", f"tool-{at}-product", "usd", amount, nickname="2026")
        )
        made.once["usd"].append(
            made.price(f"tool-{at}-old", f"tool-{at}-product", "usd", amount - 150, nickname="until 2025")
        )
        made.once["eur"].append(made.price(f"tool-{at}-eur", f"tool-{at}-product", "eur", amount - 60))
        made.once["gbp"].append(made.price(f"tool-{at}-gbp", f"tool-{at}-product", "gbp", amount - 110))


def _courses(made: Catalogue, draw: random.Random) -> None:
    """Courses that differ in a day or a town."""
    for at, town in enumerate(draw.sample(TOWNS, 2), 1):
        for days in (1, 2):
            key = f"course-{at}-{days}"
            made.make(
                f"{key}-product",
                "/v1/products",
                name=f"Linocut for beginners, {town}",
                description=f"{days} day{'s' if days > 1 else ''}, tools included",
            )
            made.once["usd"].append(made.price(key, f"{key}-product", "usd", _amount(draw, 600, 900) * days))


def _plans(made: Catalogue, draw: random.Random) -> None:
    """Two clubs with the same intervals, and one plan that is billed every three months."""
    base = _amount(draw, 90, 220)
    for at, name in enumerate(("Print club", "Print club plus"), 1):
        made.make(
            f"club-{at}-product", "/v1/products", name=name, description="A print by post in every season"
        )
        month = base * at
        for interval, amount in (("month", month), ("year", month * 10), ("week", month // 3)):
            key = f"club-{at}-{interval}"
            made.plans[interval].append(
                made.price(key, f"club-{at}-product", "usd", amount, recurring={"interval": interval})
            )
        recurring = {"interval": "month", "interval_count": 3}
        made.plans["month"].append(
            made.price(
                f"club-{at}-quarter", f"club-{at}-product", "usd", month * 3 - 100, recurring=recurring
            )
        )
        made.plans["month"].append(
            made.price(
                f"club-{at}-month-old",
                f"club-{at}-product",
                "usd",
                month - 90,
                recurring={"interval": "month"},
            )
        )


def _hours(made: Catalogue, draw: random.Random) -> None:
    """What is billed by use."""
    for at, press in enumerate(("Etching press", "Letterpress"), 1):
        made.make(
            f"meter-{at}",
            "/v1/billing/meters",
            display_name=f"{press} hours",
            event_name=f"press_hours_{at}",
            default_aggregation={"formula": "sum"},
        )
        made.make(
            f"hours-{at}-product", "/v1/products", name=f"{press} hours", description="Billed by the hour"
        )
        recurring = {"interval": "month", "usage_type": "metered", "meter": f"@meter-{at}"}
        amount = _amount(draw, 60, 150)
        made.metered.append(
            made.price(f"hours-{at}", f"hours-{at}-product", "usd", amount, recurring=recurring)
        )


def _gifts(made: Catalogue, draw: random.Random) -> None:
    """Gifts of several sizes."""
    made.make(
        "gift-product", "/v1/products", name="Keep the press room open", description="A gift, thank you"
    )
    for at, amount in enumerate(sorted(draw.sample((500, 1000, 1500, 2500, 4000, 7500), 4)), 1):
        made.gifts.append(made.price(f"gift-{at}", "gift-product", "usd", amount))


def _discounts(made: Catalogue, draw: random.Random) -> None:
    """Discounts that differ in a per cent, or in whether a code brings them."""
    percent = draw.randint(8, 20)
    for at, (name, form) in enumerate(
        (
            ("Spring print sale", {"percent_off": percent, "duration": "once"}),
            ("Spring print sale", {"percent_off": percent + 5, "duration": "once"}),
            ("Friends of the press", {"percent_off": percent, "duration": "forever"}),
            ("Friends of the press", {"amount_off": 300, "currency": "usd", "duration": "once"}),
        ),
        1,
    ):
        made.coupons.append(made.make(f"coupon-{at}", "/v1/coupons", name=name, **form))
        word = draw.choice(COLOURS).upper()
        made.codes.append(
            made.make(
                f"code-{at}",
                "/v1/promotion_codes",
                promotion={"type": "coupon", "coupon": f"@coupon-{at}"},
                code=f"{word}{at}{draw.randint(10, 99)}",
            )
        )


def _customers(made: Catalogue, draw: random.Random) -> None:
    """Customers with one name, and saved cards."""
    first = draw.choice(("ada", "brin", "cleo", "dara"))
    for at, tokens in enumerate((("tok_visa",), ("tok_visa", "tok_mastercard"), ("tok_amex",)), 1):
        key = f"customer-{at}"
        email = f"{first}.{draw.choice(COLOURS).lower()}{at}@example.test"
        made.make(key, "/v1/customers", name=f"{first.title()} Byrne", email=email)
        made.customers.append(key)
        for number, token in enumerate(tokens, 1):
            card = f"card-{at}-{number}"
            made.make(
                card,
                "/v1/payment_methods",
                type="card",
                card={"token": token},
                allow_redisplay="always",
                billing_details={"name": f"{first.title()} Byrne", "email": email},
            )
            made.requests.append(
                {"path": f"/v1/payment_methods/@{card}/attach", "form": {"customer": f"@{key}"}}
            )


def _rates(made: Catalogue, draw: random.Random) -> None:
    """Shipping rates on file; others are written into the session."""
    for at, (name, days) in enumerate((("Post", (3, 5)), ("Post", (2, 4)), ("Courier", (1, 1))), 1):
        made.rates.append(
            made.make(
                f"rate-{at}",
                "/v1/shipping_rates",
                display_name=name,
                type="fixed_amount",
                fixed_amount={"amount": _amount(draw, 30, 60) * at, "currency": "usd"},
                delivery_estimate={
                    "minimum": {"unit": "business_day", "value": days[0]},
                    "maximum": {"unit": "business_day", "value": days[1]},
                },
            )
        )


def _taxes(made: Catalogue) -> None:
    """The shop is at home in Seattle and registered there."""
    office = {
        "country": "US",
        "state": "WA",
        "line1": "12 Alder Street",
        "city": "Seattle",
        "postal_code": "98101",
    }
    made.requests.append(
        {
            "path": "/v1/tax/settings",
            "form": {
                "head_office": {"address": office},
                "defaults": {"tax_behavior": "exclusive", "tax_code": "txcd_99999999"},
            },
        }
    )
    made.requests.append(
        {
            "path": "/v1/tax/registrations",
            "form": {
                "country": "US",
                "country_options": {"us": {"state": "WA", "type": "state_sales_tax"}},
                "active_from": "now",
            },
        }
    )
