"""Difficulties of real browsers, on demand: what pages do to whoever drives them, off by default, seeded.

    kind                what the customer meets                                         what a person does
    focus_lost          while typing, the field loses the focus and keys go nowhere     click again, finish
    slow_frame          a frame is there `delay` seconds late                           wait
    late_validation     the first attempt to pay is not taken, told `delay` s later     press again
    intercepting_modal  a dialog lies over the page and takes the clicks                close it
    rerender            the form is drawn anew: its inputs are other ones, and empty    fill in again
    missed_click        the button moves away under the first click                     click again
    expired_session     the page has waited too long to be paid                         load it again

A rule draws once for each document that a browser asks for. Everything that strikes is in the journal as a page event
`adversity` with its kind, and what the customer did about it as `adversity_recovered`.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from trialbalance.twin.errors import JsonObject

CHECKOUT = "checkout"
FORMS = frozenset(
    {
        CHECKOUT,
        "elements-inner-card",
        "elements-inner-payment",
        "elements-inner-address",
        "elements-inner-link-authentication",
    }
)
"""Documents with fields to type in."""
KINDS: dict[str, frozenset[str] | None] = {
    "expired_session": frozenset({CHECKOUT}),
    "focus_lost": FORMS,
    "intercepting_modal": frozenset({CHECKOUT}),
    "late_validation": frozenset({CHECKOUT}),
    "missed_click": frozenset({CHECKOUT, "ui-layer"}),
    "rerender": frozenset({CHECKOUT}),
    "slow_frame": None,
}
"""Every kind with the documents it can strike; None: all that are shown in frames."""
FIELDS = {"adversity", "page", "count", "probability", "skip", "delay"}


class Rule:
    """One rule: which documents, which difficulty, how often."""

    def __init__(self, document: JsonObject, position: int) -> None:
        where = f"rules[{position}]"
        unknown = set(document) - FIELDS
        if unknown:
            raise ValueError(
                f"{where}: unknown {', '.join(sorted(unknown))}; a rule has {', '.join(sorted(FIELDS))}"
            )
        self.kind = str(document.get("adversity"))
        if self.kind not in KINDS:
            raise ValueError(f"{where}: adversity {self.kind!r} is none of {', '.join(KINDS)}")
        self.page: str | None = document.get("page")
        struck = KINDS[self.kind]
        if self.page is not None and struck is not None and self.page not in struck:
            raise ValueError(f"{where}: {self.kind} strikes {', '.join(sorted(struck))}, not {self.page!r}")
        self.count: Any = document.get("count", 1)
        if self.count is not None and (not isinstance(self.count, int) or self.count < 1):
            raise ValueError(f"{where}: count must be a whole number from 1, or null for always")
        self.probability = float(document.get("probability", 1.0))
        if not 0 <= self.probability <= 1:
            raise ValueError(f"{where}: probability must lie in 0..1")
        self.skip = int(document.get("skip", 0))
        self.delay = float(document.get("delay", 2.0))

    def matches(self, page: str, framed: bool) -> bool:
        """Whether the rule is for a document."""
        if self.page is not None and self.page != page:
            return False
        struck = KINDS[self.kind]
        return page in struck if struck is not None else framed


class Adversity:
    """The rules in force. One document may meet several difficulties, each kind once."""

    def __init__(self, seed: int) -> None:
        self.rules: list[Rule] = []
        self.waiting: set[str] = set()
        """Sessions whose page was told to be loaded again."""
        self._seed = seed
        self._drawn = 0

    def set(self, documents: list[JsonObject]) -> None:
        """Replace the rules.

        Raises:
            ValueError: a rule is wrong; the old ones stay.
        """
        self.rules = [Rule(document, position) for position, document in enumerate(documents)]

    def draw(self, page: str, *, framed: bool) -> list[JsonObject]:
        """What strikes a document: `{kind, delay, chance}` each; counts rules down."""
        struck: dict[str, JsonObject] = {}
        for rule in self.rules:
            if not rule.matches(page, framed) or rule.kind in struck:
                continue
            if rule.skip:
                rule.skip -= 1
                continue
            if rule.count == 0 or (rule.probability < 1 and self._chance() >= rule.probability):
                continue
            if rule.count is not None:
                rule.count -= 1
            struck[rule.kind] = {"kind": rule.kind, "delay": rule.delay, "chance": self._chance()}
        return list(struck.values())

    def _chance(self) -> float:
        self._drawn += 1
        text = f"{self._seed}:{self._drawn}".encode()
        digest = blake2b(text, digest_size=4, person=b"adversity").digest()
        return int.from_bytes(digest, "big") / 2**32


def delay_of(struck: list[JsonObject]) -> float:
    """Seconds that a document comes late."""
    return float(sum(item["delay"] for item in struck if item["kind"] == "slow_frame"))
