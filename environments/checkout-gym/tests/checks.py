# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-a3b41ff8704b: keep out of training data
"""Does each page come out of the parameters?  Every page is made on a bench of our own and compared fact by fact."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from trialbalance.grading import Failed, Submission, TrialTwin, check, scenario

from bench import Bench, Refused
from challenges import Page
from documents import filled, pages_of, read_document
from score import Score, compare, nothing

SAME = (
    "A page's parameters are right when the API makes the same page of them: whoever looks at it and uses it finds no "
    "difference.",
    "What the page shows and your parameters do not say is missing, and what they put on it that it does not show is too much; "
    "both are wrong.",
    "Parameters that change nothing on the page, and the order of parameters whose order changes nothing, do not matter.",
    "Prices may be named by their id or described by `price_data`, as long as the page is the same.",
)
DOCUMENT = read_document()
PAGES = pages_of(DOCUMENT)
MOST_SHOWN = 6
_ID = re.compile(r"\b([a-z]{2,6})_[A-Za-z0-9]{8,}\b")


@dataclass(frozen=True)
class Judged:
    """A page's score, and the API's answer where it made none."""

    score: Score
    refusal: str | None = None


@scenario
def judged(submission: Submission, trial: TrialTwin) -> dict[str, Judged]:
    """Every page that was handed in, scored."""
    bench = Bench(DOCUMENT)
    wanted = {page.name: bench.facts(filled(page.form, bench.ids)) for page in PAGES}
    none = {name: Judged(nothing(facts)) for name, facts in wanted.items()}
    try:
        answers = submission.json()
    except Failed as problem:
        return {name: Judged(found.score, str(problem)) for name, found in none.items()}
    if not isinstance(answers, dict):
        return {name: Judged(found.score, "the file is no JSON object") for name, found in none.items()}
    ids = bench.translation(trial.seeded())
    for name in wanted:
        form = answers.get(name)
        if isinstance(form, dict):
            try:
                none[name] = Judged(compare(bench.facts(form, ids), wanted[name]))
            except Refused as refusal:
                none[name] = Judged(nothing(wanted[name]), _ID.sub(r"\1_…", str(refusal)))
        else:
            none[name] = Judged(nothing(wanted[name]), "the file has no parameters for it")
    return none


@check(cites=SAME[0], required=False)
def structure(judged: dict[str, Judged]) -> None:
    """How much of all pages is there; shown beside the score, and never counted."""
    scores = {name: found.score for name, found in judged.items()}
    exact = sum(score.exact for score in scores.values())
    if exact < len(scores):
        mean = sum(score.structural for score in scores.values()) / len(scores)
        raise Failed(
            f"structural score {mean:.3f}, {exact} of {len(scores)} pages exact",
            structural={name: score.structural for name, score in scores.items()},
        )


def page_check(page: Page) -> None:
    """A check of one page."""

    def body(judged: dict[str, Judged]) -> None:
        found = judged[page.name]
        if found.refusal is not None:
            raise Failed(f"no page: {found.refusal}", structural=0.0)
        if not found.score.exact:
            raise Failed(
                f"structural score {found.score.structural:.3f}",
                structural=found.score.structural,
                right=len(found.score.right),
                missing=_some(found.score.missing),
                extra=_some(found.score.extra),
            )

    named: Callable[..., Any] = body
    check(cites=SAME, id=f"page-{page.name}")(named)


def _some(leaves: tuple[str, ...]) -> list[str]:
    more = len(leaves) - MOST_SHOWN
    return [*leaves[:MOST_SHOWN], *([f"and {more} more"] if more > 0 else [])]


for _page in PAGES:
    page_check(_page)
