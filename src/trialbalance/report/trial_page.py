"""What the page of one trial shows, gathered from its folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from trialbalance.insight import Behaviour
from trialbalance.report import diff, evidence, journal, words
from trialbalance.report.folder import TrialFolder
from trialbalance.report.steps import steps

_JOURNAL_LIMIT = 2000
_OPEN = 4
_STATUSES = ("fail", "not_run", "pass")


class Phase(NamedTuple):
    """A stretch of a trial; `at` and `share` are percent of the whole, for a bar."""

    name: str
    seconds: float
    at: float
    share: float


def phases(events: list[dict[str, Any]]) -> list[Phase]:
    """The phases of a trial in the order they began."""
    begun: dict[str, float] = {}
    found: list[tuple[str, float, float]] = []
    for event in events:
        name = str(event.get("name", ""))
        if event.get("event") == "phase":
            begun[name] = _seconds(event.get("elapsed"))
        elif event.get("event") == "phase_done" and name in begun:
            found.append((name, begun.pop(name), _seconds(event.get("seconds"))))
    total = max((start + seconds for _, start, seconds in found), default=0.0) or 1.0
    return [
        Phase(
            name,
            seconds,
            round(min(start / total * 100, 99.0), 2),
            round(max(seconds / total * 100, 1.0), 2),
        )
        for name, start, seconds in found
    ]


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def trial_context(trial: TrialFolder) -> dict[str, Any]:
    """Everything that `trial.html` asks for."""
    result = trial.result
    base = f"../{quote(result.trial)}"
    names = [trial.screenshot_name(path) for path in trial.screenshots]
    pictures = {name: f"{base}/grader/screenshots/{quote(name)}" for name in names}
    checks = _checks(trial.metrics, pictures)
    entries = journal.rows(trial.journal[:_JOURNAL_LIMIT])
    files = diff.parse(trial.text("agent", "workspace.diff"))
    shown = steps(trial.trajectory, trial.behaviour)
    agent = trial.trajectory.get("agent") or {}
    return {
        "r": result,
        "base": base,
        "checks": checks,
        "flags": _flags(trial.metrics),
        "challenges": _challenges(trial.metrics),
        "screenshots": [(_caption(name), href) for name, href in pictures.items()],
        "steps": shown,
        "model": agent.get("model_name") if isinstance(agent, dict) else None,
        "files": files,
        "journal": entries,
        "journal_kinds": sorted({row.kind for row in entries}),
        "journal_cut": max(0, len(trial.journal) - _JOURNAL_LIMIT),
        "phases": phases(trial.events),
        "behaviour": trial.behaviour if trial.behaviour and trial.behaviour.calls else None,
        "behaviours": _behaviours(trial.behaviour),
        "tiles": _tiles(trial),
        "trial_files": [(name, f"{base}/{quote(name)}", size) for name, size in trial.files],
        "sections": [
            ("checks", "Checks", len(checks)),
            *([("pictures", "Pictures", len(pictures))] if pictures else []),
            ("steps", "Steps", len(shown)),
            ("changes", "Changes", len(files)),
            ("requests", "Twin", len(trial.journal)),
            ("timing", "Timing", None),
            ("files", "Files", len(trial.files)),
        ],
        "facts": _facts(trial),
    }


def _caption(name: str) -> str:
    """`declined-card/02-receipt.png` as `declined card: receipt`."""
    folder, _, file = name.removesuffix(".png").rpartition("/")
    words_ = file.lstrip("0123456789-") or file
    return f"{folder}: {words_}".replace("-", " ").replace("_", " ") if folder else words_.replace("-", " ")


def _checks(metrics: Mapping[str, Any], pictures: Mapping[str, str]) -> list[dict[str, Any]]:
    found = [
        {
            "id": str(check.get("id", "")),
            "requirement": str(check.get("requirement") or ""),
            "status": check.get("status") if check.get("status") in _STATUSES else "not_run",
            "required": check.get("required", True),
            "message": str(check.get("message") or ""),
            "evidence": evidence.lines(check["evidence"]) if isinstance(check.get("evidence"), list) else [],
            "pictures": [
                (_caption(name), href)
                for name, href in pictures.items()
                if name.startswith(f"{check.get('id')}/")
            ],
        }
        for check in metrics.get("checks") or []
        if isinstance(check, dict)
    ]
    found.sort(key=lambda check: _STATUSES.index(check["status"]))
    failed = sum(check["status"] == "fail" for check in found)
    return [
        {**check, "open": check["status"] == "fail" and number < (failed if failed <= _OPEN else 1)}
        for number, check in enumerate(found)
    ]


def _flags(metrics: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = metrics.get("flags")
    flags = [flag for flag in found if isinstance(flag, dict)] if isinstance(found, list) else []
    return [(str(flag.get("kind", "")).replace("-", " "), str(flag.get("detail", ""))) for flag in flags]


def _challenges(metrics: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The score of each challenge of a task that has some."""
    found = metrics.get("challenges")
    scores = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    return [(str(item.get("id", "")).replace("-", " "), words.percent(item.get("score"))) for item in scores]


def _behaviours(behaviour: Behaviour | None) -> list[tuple[str, Any, str, str]]:
    if behaviour is None:
        return []
    return [
        ("verified", behaviour.verified, "Verified its work", "Did not verify after the last edit"),
        ("recovered", behaviour.recovered, "Recovered from an error", "No recovery from an error"),
        (
            "overclaimed",
            behaviour.overclaimed,
            "Claimed more than it delivered",
            "Claimed no more than it delivered",
        ),
    ]


def _tiles(trial: TrialFolder) -> list[tuple[str, str, str]]:
    result = trial.result
    tokens = result.prompt_tokens + result.completion_tokens
    return [
        ("Partial score", words.percent(result.partial_score), ""),
        ("Agent's time", words.duration(result.seconds_agent), ""),
        ("Turns", words.count(result.turns or None), ""),
        (
            "Tokens",
            words.count(tokens) if tokens else "–",
            f"{words.count(result.completion_tokens)} written" if tokens else "",
        ),
        ("Cost", words.money(result.cost_usd), ""),
        ("Twin requests", words.count(result.twin_requests), ""),
        ("Ended", (result.outcome or "–").replace("_", " "), ""),
    ]


def _facts(trial: TrialFolder) -> list[tuple[str, str]]:
    result = trial.result
    return [
        ("task version", result.task_version),
        ("task digest", result.task_digest[:12]),
        ("program", result.agent_program),
        ("began", words.moment(result.started_at)),
    ]
