"""How an agent worked: did it verify, did it recover, did it claim more than it delivered.

Computed from the trajectory (ATIF) and the reward only, without a model, so that the same files always give
the same answer. It explains results in the report and is never part of a score.

- **verified**: after its last edit it ran tests, used the browser, or called the app or the API.
- **recovered**: a tool call failed, and a later call of the same kind succeeded.
- **overclaimed**: its last message says that the work is done, and the reward is 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from trialbalance.insight import commands

SCHEMA = "1"

_CLAIM = re.compile(
    r"\b(?:done|complete[ds]?|completed|finished|ready|implemented|successful(?:ly)?|works?|working|migrated|passes|passed"
    r"|pass|fixed|resolved|in place|set up)\b|✅",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not|cannot|can't|couldn't|could not|unable|fail(?:s|ed|ing)?|incomplete|unfinished|didn't|did not"
    r"|doesn't|does not|isn't|won't|remains?|remaining|todo|still need|partially"
    r"|unsure|unfortunately|gave up|ran out)\b",
    re.IGNORECASE,
)


class Moment(msgspec.Struct, frozen=True):
    """Where something was seen: a step of the trajectory, and why it counts, in one line."""

    step_id: int
    why: str


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen in one trial; None means that it did not happen, `edits` and the rest are counts of
    tool calls.
    """

    schema_version: str = SCHEMA
    verified: Moment | None = None
    recovered: Moment | None = None
    overclaimed: Moment | None = None
    calls: int = 0
    edits: int = 0
    errors: int = 0


class _Call(msgspec.Struct, frozen=True):
    step_id: int
    name: str
    arguments: Mapping[str, Any]
    output: str

    @property
    def shown(self) -> str:
        text = commands.command_of(self.arguments) or commands.tool_name(self.name)
        line = " ".join(text.split())
        return line if len(line) <= 80 else line[:79] + "…"


def read_behaviour(trial_dir: Path, reward: int | None) -> Behaviour | None:
    """The behaviour in a trial folder, None when the agent left no readable trajectory."""
    try:
        trajectory = msgspec.json.decode((trial_dir / "agent" / "trajectory.json").read_bytes())
    except (OSError, msgspec.DecodeError):
        return None
    return judge(trajectory, reward) if isinstance(trajectory, dict) else None


def judge(trajectory: Mapping[str, Any], reward: int | None) -> Behaviour:
    """The behaviour that a trajectory shows."""
    steps = [step for step in trajectory.get("steps") or [] if isinstance(step, dict)]
    calls = _calls(steps)
    return Behaviour(
        verified=_verified(calls),
        recovered=_recovered(calls),
        overclaimed=_overclaimed(steps, reward),
        calls=len(calls),
        edits=sum(commands.EDIT in commands.purposes(call.name, call.arguments) for call in calls),
        errors=sum(commands.looks_failed(call.output) for call in calls),
    )


def content_text(content: object) -> str:
    """The text of an ATIF content: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            str(part.get("text", "")) for part in content if isinstance(part, dict) and part.get("text")
        )
    return ""


def _calls(steps: Sequence[Mapping[str, Any]]) -> list[_Call]:
    outputs: dict[str, str] = {}
    for step in steps:
        for result in (step.get("observation") or {}).get("results") or []:
            key = str(result.get("source_call_id"))
            outputs[key] = outputs.get(key, "") + content_text(result.get("content"))
    found = []
    for step in steps:
        if step.get("source") == "agent":
            for call in step.get("tool_calls") or []:
                arguments = call.get("arguments")
                found.append(
                    _Call(
                        int(step.get("step_id", 0)),
                        str(call.get("function_name", "")),
                        arguments if isinstance(arguments, dict) else {},
                        outputs.get(str(call.get("tool_call_id")), ""),
                    )
                )
    return found


def _verified(calls: Sequence[_Call]) -> Moment | None:
    names = {
        commands.TEST: "ran tests",
        commands.BROWSE: "used the browser",
        commands.QUERY: "called the app or the API",
    }
    found: Moment | None = None
    edited = False
    for call in calls:
        for purpose in commands.purposes(call.name, call.arguments):
            if purpose == commands.EDIT:
                edited, found = True, None
            elif edited and found is None:
                found = Moment(call.step_id, f"{names[purpose]} after the last edit: {call.shown}")
    return found


def _recovered(calls: Sequence[_Call]) -> Moment | None:
    failed: dict[str, _Call] = {}
    for call in calls:
        kind = commands.family(call.name, call.arguments)
        if commands.looks_failed(call.output):
            failed.setdefault(kind, call)
        elif kind in failed:
            return Moment(
                call.step_id, f"step {failed[kind].step_id} failed, then this succeeded: {call.shown}"
            )
    return None


def _overclaimed(steps: Sequence[Mapping[str, Any]], reward: int | None) -> Moment | None:
    if reward != 0:
        return None
    for step in reversed(steps):
        text = content_text(step.get("message")).strip()
        if step.get("source") == "agent" and text:
            claim = claims_success(text)
            return Moment(int(step.get("step_id", 0)), f"reward 0, yet it said: {claim}") if claim else None
    return None


def claims_success(message: str) -> str | None:
    """The first sentence that says the work is done; None when there is none, or when any sentence admits a
    failure.
    """
    sentences = [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", message) if part.strip()]
    if any(_DOUBT.search(sentence) for sentence in sentences):
        return None
    claim = next((sentence for sentence in sentences if _CLAIM.search(sentence)), None)
    return claim if claim is None or len(claim) <= 120 else claim[:119] + "…"
