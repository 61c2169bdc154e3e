"""Random inputs of a grader, drawn from the grade's seed and written down."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from trialbalance.grading.evidence import Evidence

_Item = TypeVar("_Item")

# ruff: noqa: SIM905
_MATERIALS = """
    Alder Basalt Birch Canvas Cedar Copper Cork Enamel Flax Granite Hazel Hemp Larch Linen Maple Slate
""".split()
_THINGS = """
    Basket Bench Bowl Crate Easel Flask Kettle Ladder Lamp Ledger Mirror Pitcher Rack Satchel Stool Tray
""".split()
_FIRST = """
    Amaia Bjorn Celeste Dario Elif Fenna Goran Hilde Imre Jolanda Kaito Lior Maren Nuno Odile Pavel
""".split()
_LAST = """
    Almeida Brandt Cisse Dahl Egede Farkas Grieg Horvat Ibarra Jansen Kovac Lindqvist Moreau Novak
""".split()
_WORDS = "amber birch comet delta ember fjord grove harbor inlet juniper kelp lagoon meadow nectar".split()


class Product(NamedTuple):
    """Something to sell: a name, what it is, and its price in minor units of `currency`."""

    name: str
    description: str
    amount: int
    currency: str


class Person(NamedTuple):
    """A customer."""

    name: str
    email: str


class Coupon(NamedTuple):
    """A discount: the code a customer types, and its per cent."""

    code: str
    percent: int


def derive(seed: int, *labels: str) -> int:
    """A seed of its own for a part, whatever other parts there are."""
    text = "/".join((str(seed), *labels))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


class Draw:
    """Draws for one check; the same seed and check always give the same values."""

    def __init__(self, seed: int, evidence: Evidence | None = None) -> None:
        self._random = random.Random(seed)
        self._evidence = evidence or Evidence()
        self._taken: set[str] = set()
        self.values: list[str] = []

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return self._written("integer", self._random.randint(low, high))

    def amount(self, low: int = 500, high: int = 20_000) -> int:
        """An amount in minor units that is no round number, so that a rounding mistake shows."""
        return self._written("amount", self._amount(low, high))

    def word(self) -> str:
        """A word that this check has not drawn before."""
        return self._written("word", self._fresh(lambda: self._random.choice(_WORDS)))

    def product(self, currency: str = "usd") -> Product:
        """A product with a name of its own."""
        name = self._fresh(lambda: f"{self._random.choice(_MATERIALS)} {self._random.choice(_THINGS)}")
        description = f"A {name.lower()} with a {self._random.choice(_WORDS)} finish"
        return self._written("product", Product(name, description, self._amount(500, 20_000), currency))

    def products(self, count: int, currency: str = "usd") -> list[Product]:
        """Several products with different names and different prices."""
        found: list[Product] = []
        while len(found) < count:
            product = self.product(currency)
            if product.amount not in {other.amount for other in found}:
                found.append(product)
        return found

    def person(self) -> Person:
        """Somebody, with an address in a domain that cannot exist."""
        first = self._random.choice(_FIRST)
        last = self._random.choice(_LAST)
        word = self._fresh(lambda: f"{self._random.choice(_WORDS)}.{self._random.choice(_WORDS)}")
        return self._written("person", Person(f"{first} {last}", f"{first.lower()}.{word}@example.test"))

    def email(self) -> str:
        """An address in a domain that cannot exist."""
        return self.person().email

    def coupon(self) -> Coupon:
        """A code of letters and a per cent from 5 to 60."""
        code = self._fresh(lambda: "".join(self._random.choice("BCDFGHJKLMNPQRSTVWXZ") for _ in range(8)))
        return self._written("coupon", Coupon(code, self._random.randint(5, 60)))

    def choice(self, options: Sequence[_Item]) -> _Item:
        """One of several."""
        return self._written("choice", self._random.choice(options))

    def shuffled(self, items: Sequence[_Item]) -> list[_Item]:
        """The same items in a random order."""
        return self._written("order", self._random.sample(list(items), len(items)))

    def _amount(self, low: int, high: int) -> int:
        if high - low < 20:
            return self._random.randint(low, high)
        while True:
            amount = self._random.randint(low, high)
            if amount % 5:
                return amount

    def _fresh(self, draw: Callable[[], str]) -> str:
        for _ in range(1000):
            text = draw()
            if text not in self._taken:
                self._taken.add(text)
                return text
        raise ValueError("a check drew more names than there are; draw fewer")

    def _written(self, what: str, value: _Item) -> _Item:
        parts = value if isinstance(value, tuple) else (value,)
        self.values.extend(part for part in parts if isinstance(part, str))
        shown = value._asdict() if hasattr(value, "_asdict") else value
        self._evidence.add("draw", what=what, value=shown)
        return value
