# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-566282e553cf: keep out of training data
"""What guessing is worth: pages taken from sets of other seeds, by chance and by likeness.

random     for each page any page of another set
nearest    for each page the one of five other sets that scores best, as if an oracle chose the template
"""

from __future__ import annotations

import random
from statistics import fmean
from typing import Any

from bench import Bench, Refused
from challenges import Page, draw_pages
from documents import filled
from score import Score, compare, nothing
from shown import Facts

OTHERS = 5
Answers = dict[str, dict[str, Any]]


def random_guess(seed: int) -> Answers:
    """Any page for any page."""
    draw = random.Random(f"guess {seed}")
    pages = draw_pages(seed + 1)[1]
    return {page.name: draw.choice(pages).form for page in pages}


def nearest_template(bench: Bench, seed: int) -> Answers:
    """The most like of many."""
    templates = [page.form for other in range(1, OTHERS + 1) for page in draw_pages(seed + other)[1]]
    shown = [(form, seen(bench, form)) for form in templates]
    found: Answers = {}
    for page in draw_pages(seed)[1]:
        wanted = bench.facts(filled(page.form, bench.ids))
        scores = [(compare(facts, wanted).structural, form) for form, facts in shown if facts is not None]
        found[page.name] = max(scores, key=lambda pair: pair[0])[1]
    return found


def seen(bench: Bench, form: dict[str, Any]) -> Facts | None:
    """The facts of a page, or None where there is none."""
    try:
        return bench.facts(filled(form, bench.ids))
    except Refused:
        return None


def scores(bench: Bench, pages: list[Page], answers: Answers) -> dict[str, Score]:
    """The score of each page."""
    found = {}
    for page in pages:
        wanted = bench.facts(filled(page.form, bench.ids))
        facts = seen(bench, answers[page.name]) if page.name in answers else None
        found[page.name] = compare(facts, wanted) if facts is not None else nothing(wanted)
    return found


def mean(found: dict[str, Score]) -> float:
    """The mean structural score of a set."""
    return fmean(score.structural for score in found.values())
