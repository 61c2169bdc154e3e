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

from typing import TYPE_CHECKING

from trialbalance.twin import rules
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.pages.frames import FRAMES

if TYPE_CHECKING:
    from collections.abc import Iterable

CARD, PAYMENT = "elements-inner-card", "elements-inner-payment"
HOSTED = frozenset({"checkout", "invoice", "portal"})
"""Pages of the twin's own, with forms, a button to press, and a session or an invoice behind them."""
KINDS: dict[str, frozenset[str] | None] = {
    "expired_session": HOSTED,
    "focus_lost": HOSTED
    | {
        CARD,
        PAYMENT,
        "elements-inner-address",
        "elements-inner-card-part",
        "elements-inner-link-authentication",
    },
    "intercepting_modal": HOSTED | {PAYMENT},
    "late_validation": HOSTED | {CARD, PAYMENT},
    "missed_click": HOSTED | {PAYMENT, "elements-inner-express-checkout", "ui-layer"},
    "rerender": HOSTED | {PAYMENT},
    "slow_frame": None,
}
"""Every kind with the documents it can strike; None: all that are shown in frames.

The rest makes no sense and is refused by name: an element has no session that expires, one line has no room for a
dialog and keeps its inputs, and the button beside elements is the shop's own.
"""


class Rule(rules.Rule):
    """One rule: which documents, which difficulty, how often."""

    def __init__(self, document: JsonObject, position: int, framed: frozenset[str]) -> None:
        super().__init__(document, position, own=frozenset({"adversity", "page"}), count=1, delay=2.0)
        self.kind = str(document.get("adversity"))
        if self.kind not in KINDS:
            raise ValueError(f"{self.where}: adversity {self.kind!r} is none of {', '.join(KINDS)}")
        self.page: str | None = document.get("page")
        struck = framed if KINDS[self.kind] is None else KINDS[self.kind]
        if self.page is not None and struck is not None and self.page not in struck:
            raise ValueError(
                f"{self.where}: {self.kind} strikes {', '.join(sorted(struck))}, not {self.page!r}"
            )

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
        self._chance = rules.Chance(seed, "adversity", 4)

    def set(self, documents: Iterable[JsonObject]) -> None:
        """Replace the rules.

        Raises:
            ValueError: a rule is wrong; the old ones stay.
        """
        framed = frozenset({"checkout", *FRAMES})
        self.rules = [Rule(document, position, framed) for position, document in enumerate(documents)]

    def draw(self, page: str, *, framed: bool) -> list[JsonObject]:
        """What strikes a document: `{kind, delay, chance}` each; counts rules down."""
        struck: dict[str, JsonObject] = {}
        for rule in self.rules:
            if rule.kind not in struck and rule.matches(page, framed) and rule.fires(self._chance):
                struck[rule.kind] = {"kind": rule.kind, "delay": rule.delay, "chance": self._chance.draw()}
        return list(struck.values())


def delay_of(struck: list[JsonObject]) -> float:
    """Seconds that a document comes late."""
    return float(sum(item["delay"] for item in struck if item["kind"] == "slow_frame"))
