# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-a2257a231484: keep out of training data
"""The pages of a challenge set: parameters of 24 Checkout sessions, drawn from a seed.

Every set has the same ladder of difficulty and shows every feature; which products, texts, numbers and which further
features a page has is drawn. `@ink-2` stands for the id of what has that key in the catalogue.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from catalogue import Catalogue, draw_catalogue

Form = dict[str, Any]
CLOCK = 1_772_186_400
"""2026-02-27 10:00:00 UTC: when the trial takes place."""
DAY = 86_400
RESERVED = range(900_000, 1_000_000)
"""Seeds for evaluators: no set of these is ever published."""
LEVELS = {"simple": 6, "medium": 8, "complex": 6, "very complex": 4}

_CITIES = "Aberdeen Bergen Calgary Dunedin Evora Freiburg".split()
_WORDS = "plate proof bleed kerning margin quire ream stencil tympan vellum woodcut frisket".split()
_COLOURS = ("#1b4332", "#7b2d26", "#f4f1de", "#3d405b", "#ffe8d6", "#22223b", "#e8f1f2", "#5f0f40")
_FONTS = ("lora", "inter", "roboto_slab", "inconsolata", "montserrat", "noto_serif", "nunito")
_COUNTRIES = "AT AU BE CA CH CZ DE DK ES FI FR GB IE IS IT JP NL NO NZ PL PT SE US".split()
_METHODS = {
    "usd": ("us_bank_account", "cashapp", "klarna", "affirm", "amazon_pay", "afterpay_clearpay"),
    "eur": ("ideal", "bancontact", "sepa_debit", "eps", "p24", "klarna"),
    "gbp": ("bacs_debit", "klarna", "revolut_pay", "pay_by_bank", "amazon_pay"),
}
_SETUP_METHODS = ("us_bank_account", "cashapp", "amazon_pay", "revolut_pay", "sepa_debit")


class Page(NamedTuple):
    """One page: its name (`07`), how hard it is, and the parameters that make it."""

    name: str
    level: str
    form: Form


class Plan(NamedTuple):
    """One rung of the ladder: what the page surely has, and how many further features are drawn."""

    level: str
    mode: str
    features: tuple[str, ...]
    more: int = 0
    currency: str = "usd"


LADDER = (
    Plan("simple", "payment", ("one",)),
    Plan("simple", "payment", ("several",)),
    Plan("simple", "setup", ("email",)),
    Plan("simple", "subscription", ("plan_any",)),
    Plan("simple", "payment", ("gift", "donate")),
    Plan("simple", "payment", ("two", "phone")),
    Plan("medium", "payment", ("two", "billing", "codes", "say_submit"), 1),
    Plan("medium", "payment", ("adjustable", "countries", "ship_one"), 1),
    Plan("medium", "subscription", ("plan_any", "trial", "card_later"), 1),
    Plan("medium", "payment", ("two", "methods", "cancel"), 1, "eur"),
    Plan("medium", "payment", ("one", "field_text", "field_choice", "terms"), 1),
    Plan("medium", "setup", ("setup_methods", "brand_colours"), 2),
    Plan("medium", "payment", ("several", "customer", "removable", "save_box"), 1),
    Plan("medium", "subscription", ("plan_any", "with_once", "anchor"), 1),
    Plan("complex", "payment", ("adjustable", "two", "countries", "ship_three", "say_shipping", "phone", "coupon"), 2),
    Plan("complex", "subscription", ("plan_any", "code", "tax_id_needed", "automatic_tax", "business_name"), 2),
    Plan("complex", "payment", ("two", "offers", "adjustable", "language", "no_link"), 2),
    Plan("complex", "payment", ("currencies", "field_number", "field_text", "brand_all", "book"), 2),
    Plan("complex", "subscription", ("plan_monthly", "metered", "anchor_day", "news", "say_after"), 2),
    Plan("complex", "payment", ("two", "automatic_tax", "countries", "ship_file", "tax_id", "keep_card"), 2),
    Plan(
        "very complex",
        "payment",
        (
            "three", "adjustable", "offers", "countries", "ship_three", "say_shipping", "field_choice", "field_text",
            "terms", "say_terms", "phone", "brand_all", "codes", "cancel",
        ),
        3,
    ),
    Plan(
        "very complex",
        "subscription",
        (
            "plan_adjustable", "with_once", "trial", "code", "tax_id_needed", "billing", "person_name", "field_number",
            "methods", "brand_colours", "say_submit", "language",
        ),
        3,
    ),
    Plan(
        "very complex",
        "payment",
        (
            "gift", "donate", "offers", "language", "brand_all", "field_text", "field_number", "news", "say_submit",
            "say_after", "no_link", "customer", "save_box", "keep_card",
        ),
        3,
    ),
    Plan(
        "very complex",
        "subscription",
        (
            "plan_monthly", "metered", "with_once", "adjustable", "anchor_free", "coupon_forever", "automatic_tax",
            "business_name", "phone", "terms", "say_terms", "no_small_print", "brand_all", "cancel",
        ),
        3,
    ),
)  # fmt: skip

FURTHER = {
    "payment": (
        "phone", "billing", "codes", "terms", "news", "say_submit", "say_after", "cancel", "brand_colours", "language",
        "no_link", "tax_id", "business_name", "person_name", "field_text", "field_choice", "keep_card", "email",
        "methods", "offers",
    ),
    "subscription": (
        "phone", "billing", "terms", "news", "say_submit", "say_after", "cancel", "brand_colours", "language",
        "no_link", "tax_id", "business_name", "person_name", "field_choice", "email", "methods", "codes",
        "no_small_print",
    ),
    "setup": (
        "billing", "say_submit", "say_after", "cancel", "language", "phone", "terms", "field_text", "field_choice",
        "no_small_print", "email", "person_name",
    ),
}  # fmt: skip
CLASHES = (
    {"codes", "code", "coupon", "coupon_forever"},
    {"customer", "email"},
    {"tax_id", "tax_id_needed"},
    {"business_name", "tax_id"},
    {"brand_colours", "brand_all"},
    {"methods", "setup_methods"},
    {"billing", "automatic_tax"},
    {"card_later", "billing"},
    {"card_later", "no_link"},
    {"card_later", "methods"},
    {"field_text", "field_number", "field_choice", "many fields"},
)
"""At most one of each is drawn in addition to what a page surely has (fields: three in all)."""


def draw_pages(seed: int) -> tuple[Catalogue, list[Page]]:
    """The catalogue and the 24 pages of a seed."""
    catalogue = draw_catalogue(seed)
    pages = []
    for number, plan in enumerate(LADDER, 1):
        draw = random.Random(f"page {seed} {number}")
        pages.append(Page(f"{number:02}", plan.level, Builder(catalogue, plan, draw).form()))
    return catalogue, pages


class Builder:
    """Builds the parameters of one page, feature by feature."""

    def __init__(self, catalogue: Catalogue, plan: Plan, draw: random.Random) -> None:
        self.catalogue, self.plan, self.draw = catalogue, plan, draw
        self.made: Form = {"mode": plan.mode}
        self.taken: set[str] = set()

    def form(self) -> Form:
        """The parameters."""
        for name in (*self.plan.features, *self.further()):
            feature: Callable[[], None] = getattr(self, name)
            feature()
        if self.plan.mode == "setup" and "payment_method_types" not in self.made:
            self.made["currency"] = self.plan.currency
        return {name: self.made[name] for name in sorted(self.made)}

    def further(self) -> list[str]:
        """Features that are drawn in addition."""
        have = list(self.plan.features)
        pool = self.draw.sample(FURTHER[self.plan.mode], len(FURTHER[self.plan.mode]))
        for name in pool:
            if len(have) == len(self.plan.features) + self.plan.more:
                break
            if name not in have and not any(name in group and group & set(have) for group in CLASHES):
                have.append(name)
        return have[len(self.plan.features) :]

    # What is bought

    def line(self, pool: list[str], quantity: int = 1) -> Form:
        """Another line, of a price that no line has yet."""
        key = self.draw.choice([name for name in pool if name not in self.taken])
        self.taken.add(key)
        entry: Form = {"price": f"@{key}", "quantity": quantity}
        self.made.setdefault("line_items", []).append(entry)
        return entry

    @property
    def goods(self) -> list[str]:
        return self.catalogue.once[self.plan.currency]

    def one(self) -> None:
        self.line(self.goods)

    def several(self) -> None:
        self.line(self.goods, self.draw.randint(2, 6))

    def two(self) -> None:
        self.line(self.goods, self.draw.randint(1, 2))
        self.line(self.goods, self.draw.randint(2, 4))

    def three(self) -> None:
        self.two()
        self.one()

    def gift(self) -> None:
        self.line(self.catalogue.gifts)

    def donate(self) -> None:
        self.made["submit_type"] = "donate"

    def book(self) -> None:
        self.made["submit_type"] = "book"

    def adjustable(self) -> None:
        least = self.draw.randint(1, 2)
        limits = {"enabled": True, "minimum": least, "maximum": self.draw.randint(8, 40)}
        self.line(self.catalogue.once["usd"], self.draw.randint(2, 5))["adjustable_quantity"] = limits

    def offers(self) -> None:
        for place in range(self.draw.randint(1, 2)):
            key = self.draw.choice([name for name in self.goods if name not in self.taken])
            self.taken.add(key)
            offer: Form = {"price": f"@{key}", "quantity": self.draw.randint(1, 3)}
            if place:
                offer["adjustable_quantity"] = {"enabled": True, "maximum": self.draw.randint(4, 9)}
            self.made.setdefault("optional_items", []).append(offer)

    def currencies(self) -> None:
        self.made["currency"] = self.draw.choice(("eur", "gbp"))
        self.line(self.catalogue.several, self.draw.randint(1, 4))

    def plan_of(self, *intervals: str) -> Form:
        """A line with a plan."""
        return self.line([key for interval in intervals for key in self.catalogue.plans[interval]])

    def plan_any(self) -> None:
        self.plan_of("month", "year", "week")

    def plan_monthly(self) -> None:
        self.line([key for key in self.catalogue.plans["month"] if "quarter" not in key])

    def plan_adjustable(self) -> None:
        entry = self.plan_of("month")
        entry["quantity"] = self.draw.randint(2, 5)
        entry["adjustable_quantity"] = {"enabled": True, "minimum": 1, "maximum": self.draw.randint(10, 50)}

    def with_once(self) -> None:
        self.line(self.catalogue.once["usd"], self.draw.randint(1, 2))

    def metered(self) -> None:
        del self.line(self.catalogue.metered)["quantity"]

    # How it goes on

    def subscription(self, **data: Any) -> None:
        """More of `subscription_data`."""
        self.made.setdefault("subscription_data", {}).update(data)

    def trial(self) -> None:
        self.subscription(trial_period_days=self.draw.randint(5, 45))

    def card_later(self) -> None:
        self.made["payment_method_collection"] = "if_required"

    def anchor(self) -> None:
        today = CLOCK - CLOCK % DAY
        self.subscription(billing_cycle_anchor=today + DAY * self.draw.randint(2, 6))

    def anchor_free(self) -> None:
        self.anchor()
        self.subscription(proration_behavior="none")

    def anchor_day(self) -> None:
        config = {"day_of_month": self.draw.randint(3, 20), "hour": 0}
        self.subscription(billing_cycle_anchor_config=config)

    def no_small_print(self) -> None:
        self.consent(payment_method_reuse_agreement={"position": "hidden"})

    # Discounts

    def codes(self) -> None:
        self.made["allow_promotion_codes"] = True

    def coupon(self) -> None:
        self.made["discounts"] = [{"coupon": f"@{self.draw.choice(self.catalogue.coupons)}"}]

    def coupon_forever(self) -> None:
        self.made["discounts"] = [{"coupon": "@coupon-3"}]

    def code(self) -> None:
        self.made["discounts"] = [{"promotion_code": f"@{self.draw.choice(self.catalogue.codes[:3])}"}]

    # Who

    def email(self) -> None:
        self.made["customer_email"] = (
            f"{self.draw.choice(_WORDS)}.{self.draw.choice(_CITIES).lower()}@example.test"
        )

    def customer(self) -> None:
        self.made["customer"] = f"@{self.draw.choice(self.catalogue.customers)}"

    def removable(self) -> None:
        self.made.setdefault("saved_payment_method_options", {})["payment_method_remove"] = "enabled"

    def save_box(self) -> None:
        self.made.setdefault("saved_payment_method_options", {})["payment_method_save"] = "enabled"

    def keep_card(self) -> None:
        self.made["payment_intent_data"] = {"setup_future_usage": "off_session"}

    def phone(self) -> None:
        self.made["phone_number_collection"] = {"enabled": True}

    def billing(self) -> None:
        self.made["billing_address_collection"] = "required"

    def business_name(self) -> None:
        optional = {"optional": True} if self.draw.random() < 0.5 else {}
        self.made.setdefault("name_collection", {})["business"] = {"enabled": True, **optional}

    def person_name(self) -> None:
        optional = {"optional": True} if self.draw.random() < 0.5 else {}
        self.made.setdefault("name_collection", {})["individual"] = {"enabled": True, **optional}

    def tax_id(self) -> None:
        self.made["tax_id_collection"] = {"enabled": True}

    def tax_id_needed(self) -> None:
        self.made["tax_id_collection"] = {"enabled": True, "required": "if_supported"}

    def automatic_tax(self) -> None:
        self.made["automatic_tax"] = {"enabled": True}

    def consent(self, **more: Any) -> None:
        """More of `consent_collection`."""
        self.made.setdefault("consent_collection", {}).update(more)

    def terms(self) -> None:
        self.consent(terms_of_service="required")

    def news(self) -> None:
        self.consent(promotions="auto")

    # Where to

    def countries(self) -> None:
        chosen = self.draw.sample(_COUNTRIES, self.draw.randint(2, 6))
        if "automatic_tax" in self.plan.features and "US" not in chosen:
            chosen[0] = "US"
        self.made["shipping_address_collection"] = {"allowed_countries": sorted(chosen)}

    def ship(self, count: int) -> None:
        """Shipping options that are written into the session."""
        names = self.draw.sample(
            ("Parcel", "Letter", "Courier", "Night express", "Bicycle", "Collect in person"), count
        )
        options = []
        for place, name in enumerate(names):
            rate: Form = {
                "display_name": name,
                "fixed_amount": {
                    "amount": 0 if place == 2 else self.draw.randint(30, 250) * 10,
                    "currency": "usd",
                },
            }
            if place != 1:
                low = self.draw.randint(1, 4)
                unit = self.draw.choice(("business_day", "day", "week"))
                rate["delivery_estimate"] = {
                    "minimum": {"unit": unit, "value": low},
                    "maximum": {"unit": unit, "value": low + self.draw.randint(1, 4)},
                }
            options.append({"shipping_rate_data": rate})
        self.made["shipping_options"] = options

    def ship_one(self) -> None:
        self.ship(1)

    def ship_three(self) -> None:
        self.ship(3)

    def ship_file(self) -> None:
        keys = self.draw.sample(self.catalogue.rates, 2)
        self.made["shipping_options"] = [{"shipping_rate": f"@{key}"} for key in keys]

    # Words

    def say(self, slot: str, *sentences: str) -> None:
        """A text of the merchant."""
        self.made.setdefault("custom_text", {})[slot] = {"message": self.draw.choice(sentences)}

    def say_submit(self) -> None:
        days, word = self.draw.randint(2, 9), self.draw.choice(_WORDS)
        self.say(
            "submit",
            f"We pack within {days} days.",
            f"Every {word} is checked by hand.",
            f"Ask us about the {word}.",
        )

    def say_after(self) -> None:
        word, hour = self.draw.choice(_WORDS), self.draw.randint(8, 11)
        self.say(
            "after_submit", f"The press room opens at {hour}.", f"Mind the {word}.", f"No {word}, no worry."
        )

    def say_shipping(self) -> None:
        city = self.draw.choice(_CITIES)
        self.say("shipping_address", f"Orders leave from {city}.", f"No post boxes in {city}, please.")

    def say_terms(self) -> None:
        word, days = self.draw.choice(_WORDS), self.draw.randint(14, 60)
        self.say(
            "terms_of_service_acceptance",
            f"I have read the rules of the {word} room.",
            f"I may give everything back within {days} days.",
        )

    def field(self, label: str, kind: str, **rules: Any) -> None:
        """One more field."""
        fields = self.made.setdefault("custom_fields", [])
        entry: Form = {
            "key": f"field{len(fields) + 1}",
            "label": {"type": "custom", "custom": label},
            "type": kind,
        }
        if rules:
            entry[kind] = rules
        if self.draw.random() < 0.4:
            entry["optional"] = True
        fields.append(entry)

    def field_text(self) -> None:
        label = self.draw.choice(
            ("Name on the print", "Message on the card", "How did you find us?", "Initials")
        )
        low = self.draw.randint(2, 5)
        rules: Form = {"minimum_length": low, "maximum_length": low + self.draw.randint(4, 40)}
        if self.draw.random() < 0.3:
            rules["default_value"] = "".join(self.draw.choice("prints") for _ in range(low + 1))
        self.field(label, "text", **rules)

    def field_number(self) -> None:
        label = self.draw.choice(("Member number", "Number of the edition", "Order number of your school"))
        self.field(label, "numeric", maximum_length=self.draw.randint(4, 12))

    def field_choice(self) -> None:
        label, choices = self.draw.choice(
            (
                ("Frame", ("None", "Ash", "Walnut", "Black", "Gilt")),
                ("Paper size", ("A5", "A4", "A3", "A2", "Half sheet")),
                ("Collect at", ("Workshop", "Market", "Fair", "Gallery", "Library")),
            )
        )
        chosen = self.draw.sample(choices, self.draw.randint(2, 4))
        rules: Form = {"options": [{"label": label, "value": f"v{at}"} for at, label in enumerate(chosen, 1)]}
        if self.draw.random() < 0.4:
            rules["default_value"] = "v2"
        self.field(label, "dropdown", **rules)

    # Looks

    def brand(self, **more: Any) -> None:
        """More of `branding_settings`."""
        self.made.setdefault("branding_settings", {}).update(more)

    def brand_colours(self) -> None:
        one, other = self.draw.sample(_COLOURS, 2)
        self.brand(background_color=one, button_color=other)

    def brand_all(self) -> None:
        self.brand_colours()
        self.brand(
            border_style=self.draw.choice(("pill", "rectangular")),
            font_family=self.draw.choice(_FONTS),
            display_name=f"{self.draw.choice(_WORDS).title()} & {self.draw.choice(_WORDS).title()}",
        )

    def language(self) -> None:
        self.made["locale"] = self.draw.choice(("de", "fr"))

    def no_link(self) -> None:
        self.made["wallet_options"] = {"link": {"display": "never"}}

    def cancel(self) -> None:
        self.made["cancel_url"] = (
            f"https://{self.draw.choice(_WORDS)}.example.test/{self.draw.choice(_WORDS)}"
        )

    def methods(self) -> None:
        pool = _METHODS[self.plan.currency]
        if self.plan.mode == "subscription":
            pool = tuple(name for name in pool if name in ("us_bank_account", "cashapp", "amazon_pay"))
        self.made["payment_method_types"] = ["card", *self.draw.sample(pool, self.draw.randint(2, 3))]

    def setup_methods(self) -> None:
        self.made["payment_method_types"] = ["card", *self.draw.sample(_SETUP_METHODS, 2)]
