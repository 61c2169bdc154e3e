"""An agent's trajectory (ATIF) as steps of a page: what it said, what it called, what came back, pictures included."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from trialbalance.insight import Behaviour
from trialbalance.insight.behaviour import content_text
from trialbalance.insight.commands import command_of, looks_failed, purposes, tool_name

_LIMIT = 20_000
_IMAGE = re.compile(r"^data:image/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/=\s]+$")


class ToolCall(NamedTuple):
    """One call: the tool, what it was asked, what it answered, and data URLs or file names of pictures."""

    tool: str
    summary: str
    arguments: str
    output: str
    failed: bool
    purposes: tuple[str, ...]
    images: tuple[str, ...]


class Step(NamedTuple):
    """One step; `marks` are the behaviours seen in it."""

    number: int
    source: str
    message: str
    reasoning: str
    calls: tuple[ToolCall, ...]
    output: str
    tokens: int
    cost: float | None
    marks: tuple[tuple[str, str], ...]


def steps(trajectory: Mapping[str, Any], behaviour: Behaviour | None) -> list[Step]:
    """Every step, in order; what has not the shape of ATIF is left out."""
    found = trajectory.get("steps")
    marks = _marks(behaviour)
    return [_step(step, marks) for step in found if isinstance(step, dict)] if isinstance(found, list) else []


def _marks(behaviour: Behaviour | None) -> dict[int, list[tuple[str, str]]]:
    marks: dict[int, list[tuple[str, str]]] = {}
    if behaviour is not None:
        for name in ("verified", "recovered", "overclaimed"):
            moment = getattr(behaviour, name)
            if moment is not None:
                marks.setdefault(moment.step_id, []).append((name, moment.why))
    return marks


def _step(step: Mapping[str, Any], marks: Mapping[int, list[tuple[str, str]]]) -> Step:
    number = step.get("step_id")
    step_id = number if isinstance(number, int) else 0
    results = _list((step.get("observation") or {}).get("results"))
    calls = _list(step.get("tool_calls"))
    own = {call.get("tool_call_id") for call in calls}
    metrics = step.get("metrics") or {}
    loose = [result for result in results if result.get("source_call_id") not in own]
    return Step(
        number=step_id,
        source=str(step.get("source", "")),
        message=_cut(content_text(step.get("message"))),
        reasoning=_cut(content_text(step.get("reasoning_content"))),
        calls=tuple(_call(call, results) for call in calls),
        output=_cut("\n".join(content_text(result.get("content")) for result in loose)),
        tokens=_number(metrics.get("prompt_tokens")) + _number(metrics.get("completion_tokens")),
        cost=metrics.get("cost_usd") if isinstance(metrics.get("cost_usd"), int | float) else None,
        marks=tuple(marks.get(step_id, ())),
    )


def _call(call: Mapping[str, Any], results: list[dict[str, Any]]) -> ToolCall:
    name = str(call.get("function_name", ""))
    given = call.get("arguments")
    arguments = given if isinstance(given, dict) else {}
    mine = [result for result in results if result.get("source_call_id") == call.get("tool_call_id")]
    output = "\n".join(content_text(result.get("content")) for result in mine)
    command = command_of(arguments)
    line = " ".join(
        (command or " ".join(value for value in arguments.values() if isinstance(value, str))).split()
    )
    return ToolCall(
        tool=tool_name(name),
        summary=line if len(line) <= 140 else line[:139] + "…",
        arguments=_cut(command or json.dumps(given, indent=2, ensure_ascii=False)),
        output=_cut(output),
        failed=looks_failed(output),
        purposes=purposes(name, arguments),
        images=tuple(image for result in mine for image in _images(result.get("content"))),
    )


def _images(content: object) -> list[str]:
    found = []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and part.get("type") == "image":
            source = part.get("source") or {}
            path = str(source.get("path") or part.get("path") or "")
            data = part.get("data") or source.get("data")
            media = str(
                part.get("media_type") or source.get("media_type") or part.get("mimeType") or "image/png"
            )
            url = f"data:{media};base64,{data}" if isinstance(data, str) else path
            if _IMAGE.match(url) or (re.fullmatch(r"[\w./-]+\.(?:png|jpe?g|webp)", url) and ".." not in url):
                found.append(url)
    return found


def _list(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _cut(text: str) -> str:
    if len(text) <= _LIMIT:
        return text
    half = _LIMIT // 2
    return f"{text[:half]}\n\n… {len(text) - _LIMIT:,} characters left out …\n\n{text[-half:]}"
