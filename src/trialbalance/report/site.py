"""The report as a static site: `index.html` of a job and one page per trial in `report/`.

Pages open from the file system, ask nothing of any server, and treat everything that an agent wrote as text: templates
escape by default, and the pages' own policy (CSP) allows one script, by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from trialbalance.report import words
from trialbalance.report.folder import JobFolder
from trialbalance.report.statistics import by_agent, is_ranked
from trialbalance.report.trial_page import trial_context
from trialbalance.trials.files import write_whole
from trialbalance.trials.result import TrialResult


class Failure(NamedTuple):
    """A required check that did not pass: in which trials of which agent, of how many graded ones."""

    task: str
    id: str
    requirement: str
    trials: Mapping[str, list[str]]
    of: Mapping[str, int]

    @property
    def total(self) -> int:
        """In how many trials."""
        return sum(len(found) for found in self.trials.values())


class BehaviourRow(NamedTuple):
    """How often each behaviour was seen among an agent's trials with a trajectory."""

    agent: str
    trials: int
    verified: int
    recovered: int
    overclaimed: int


def write_site(job: JobFolder, *, progress: Callable[[str], None] | None = None) -> Path:
    """Write the whole report into the job's folder; returns the path of its first page."""
    environment = _environment()
    results = job.results
    links = {result.trial: f"report/{quote(result.trial)}.html" for result in results}
    pages = environment.get_template("trial.html")
    failures: dict[tuple[str, str], Failure] = {}
    for number, result in enumerate(results):
        if progress is not None:
            progress(result.trial)
        trial = job.trial(result)
        _collect(failures, result, trial.metrics)
        context = trial_context(trial)
        before = results[number - 1] if number else None
        after = results[number + 1] if number + 1 < len(results) else None
        html = pages.render(
            context,
            home="../index.html",
            before=_neighbour(before),
            after=_neighbour(after),
        )
        write_whole(job.path / "report" / f"{result.trial}.html", html)
    failed = [failure for failure in failures.values() if failure.trials]
    index = environment.get_template("job.html").render(_job_context(job, links, failed))
    path = job.path / "index.html"
    write_whole(path, index)
    return path


def _neighbour(result: TrialResult | None) -> tuple[str, str] | None:
    return (result.trial, f"{quote(result.trial)}.html") if result else None


def _job_context(job: JobFolder, links: Mapping[str, str], failures: Sequence[Failure]) -> dict[str, Any]:
    results = job.results
    agents = by_agent(results)
    tasks = {plan.task.name: plan.task for plan in job.config.trials}
    cells: dict[tuple[str, str], list[TrialResult]] = {
        (task, row.agent): [r for r in results if (r.task, r.agent) == (task, row.agent)]
        for task in tasks
        for row in agents
    }
    ks = {row.k for row in agents if row.k}
    programs = {r.agent: r.agent_program for r in results}
    idle = {agent for agent, program in programs.items() if program == "nop"}
    controls = idle if len(idle) < len(programs) else set()
    packages = job.lock.get("packages") or {}
    return {
        "home": "index.html",
        "config": job.config,
        "results": results,
        "agents": agents,
        "programs": {r.agent: _role(r) for r in results},
        "controls": sorted(controls),
        "judged": [row for row in agents if row.agent not in controls],
        "tasks": list(tasks.values()),
        "cells": cells,
        "links": links,
        "k": ks.pop() if len(ks) == 1 else None,
        "ranked": is_ranked(results),
        "pending": job.pending,
        "invalid": [result for result in results if result.status == "invalid"],
        "failures": sorted(
            (f for f in (_without_agents(f, controls) for f in failures) if f.trials),
            key=lambda f: (-f.total, f.task, f.id),
        ),
        "behaviours": _behaviours(results),
        "facts": [
            ("Trial Balance", packages.get("trialbalance", "?")),
            ("source", str(job.lock.get("source_digest", "?"))[:12]),
            ("stripe", packages.get("stripe", "?")),
            ("Python", job.lock.get("python", "?")),
        ],
    }


def _role(result: TrialResult) -> str:
    """What stands under an agent's name."""
    known = {"nop": "does nothing", "reference": "the task's own solution"}
    return known.get(result.agent_program) or " · ".join(filter(None, (result.agent_program, result.model)))


def _without_agents(failure: Failure, agents: set[str]) -> Failure:
    return failure._replace(
        trials={name: found for name, found in failure.trials.items() if name not in agents}
    )


def _behaviours(results: Sequence[TrialResult]) -> list[BehaviourRow]:
    rows = []
    for agent in dict.fromkeys(row.agent for row in by_agent(results)):
        seen = [r for r in results if r.agent == agent and r.verified is not None]
        if seen:
            rows.append(
                BehaviourRow(
                    agent,
                    len(seen),
                    sum(bool(r.verified) for r in seen),
                    sum(bool(r.recovered) for r in seen),
                    sum(bool(r.overclaimed) for r in seen),
                )
            )
    return rows


def _collect(
    failures: dict[tuple[str, str], Failure], result: TrialResult, metrics: Mapping[str, Any]
) -> None:
    if result.status != "completed":
        return
    for check in metrics.get("checks") or []:
        if isinstance(check, dict) and check.get("required", True):
            key = (result.task, str(check.get("id")))
            empty = Failure(*key, str(check.get("requirement") or check.get("id")), {}, {})
            failure = failures.setdefault(key, empty)
            assert isinstance(failure.of, dict) and isinstance(failure.trials, dict)
            failure.of[result.agent] = failure.of.get(result.agent, 0) + 1
            if check.get("status") != "pass":
                failure.trials.setdefault(result.agent, []).append(result.trial)


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("trialbalance.report"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    folder = Path(__file__).parent / "templates"
    script = (folder / "report.js").read_text("utf-8").strip()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.globals.update(
        style=(folder / "report.css").read_text("utf-8"), script=script, script_hash=f"sha256-{digest}"
    )
    environment.filters.update(
        percent=words.percent,
        duration=words.duration,
        count=words.count,
        money=words.money,
        moment=words.moment,
        size=words.size,
        plural=lambda number, one, many="": words.plural(int(number), one, many),
        ticks=_ticks,
        picture=lambda path, base: (
            path if str(path).startswith("data:") else f"{base}/agent/{quote(str(path))}"
        ),
    )
    return environment


def _ticks(text: str) -> Markup:
    """A sentence of Markdown with its `code` shown as code; everything else stays text."""
    parts = str(text).split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    shown = [
        Markup("<code>{}</code>").format(part) if at % 2 else escape(part) for at, part in enumerate(parts)
    ]
    return Markup("").join(shown)
