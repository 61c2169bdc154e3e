# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-14d5b2b69bbf: keep out of training data
"""How much of a page a submission made: leaves of facts that are right, missing and too many.

Lists are compared entry by entry, each with the one most like it, so that one entry too many costs itself and no more.
Two entries in the wrong order cost one fact.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from shown import Facts, Leaf

Entry = dict[str, Leaf]
_TITLE = {
    "line_items": "item",
    "optional_items": "item",
    "shipping_options": "name",
    "custom_fields": "label",
}


@dataclass(frozen=True)
class Score:
    """Leaves that are right, those of the page that are missing, and those that are on no page."""

    right: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether the pages are the same."""
        return not self.missing and not self.extra

    @property
    def structural(self) -> float:
        """F1 over the leaves: 1 only for the same page."""
        total = 2 * len(self.right) + len(self.missing) + len(self.extra)
        return round(2 * len(self.right) / total, 6) if total else 0.0


def compare(made: Facts, wanted: Facts) -> Score:
    """Score one page against another."""
    ours, theirs = Counter(_flat(made)), Counter(_flat(wanted))
    for name in sorted({*made.lists, *wanted.lists}):
        _list(name, made.lists.get(name, []), wanted.lists.get(name, []), ours, theirs)
    return Score(
        right=tuple(sorted((ours & theirs).elements())),
        missing=tuple(sorted((theirs - ours).elements())),
        extra=tuple(sorted((ours - theirs).elements())),
    )


def nothing(wanted: Facts) -> Score:
    """The score of no page at all."""
    return Score((), compare(Facts(), wanted).missing, ())


def _flat(facts: Facts) -> list[str]:
    return [f"{name} = {value}" for name, value in facts.flat.items()]


def _list(
    name: str, made: list[Entry], wanted: list[Entry], ours: Counter[str], theirs: Counter[str]
) -> None:
    pairs = _pairs(name, made, wanted)
    for place, entry in enumerate(wanted):
        theirs.update(f"{name}[{place}].{key} = {value}" for key, value in entry.items())
    for place, entry in enumerate(made):
        label = pairs.get(place, f"+{place}")
        ours.update(f"{name}[{label}].{key} = {value}" for key, value in entry.items())
    if len(wanted) > 1:
        theirs[f"{name} in order"] += 1
    if len(made) > 1:
        order = [pairs[place] for place in sorted(pairs)]
        ours[f"{name} in order" if order == sorted(order) else f"{name} in another order"] += 1


def _pairs(name: str, made: list[Entry], wanted: list[Entry]) -> dict[int, int]:
    """Which entry of ours stands for which of theirs: the most alike first."""
    title = _TITLE[name]
    likeness = sorted(
        (
            (
                -sum(2 if key == title else 1 for key, value in one.items() if other.get(key) == value),
                abs(place - at),
                place,
                at,
            )
            for place, one in enumerate(made)
            for at, other in enumerate(wanted)
        ),
    )
    pairs: dict[int, int] = {}
    for weight, _, place, at in likeness:
        if weight < 0 and place not in pairs and at not in pairs.values():
            pairs[place] = at
    return pairs
