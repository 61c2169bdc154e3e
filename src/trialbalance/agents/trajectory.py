"""ATIF 1.8, the format of an agent's trajectory: what was said, called and answered, step by step.

Strict: a document with any other key is refused. Source: https://harborframework.com/docs/trajectory-format
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

VERSION = "ATIF-v1.8"


class InvalidTrajectory(ValueError):
    """A document is not ATIF 1.8; the message says where."""


class _Strict(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    pass


class ImageSource(_Strict, frozen=True, kw_only=True):
    """Where a picture is: a path relative to the trajectory's file."""

    media_type: str
    path: str


class ContentPart(_Strict, frozen=True, kw_only=True):
    """A text or a picture."""

    type: Literal["text", "image"]
    text: str | None = None
    source: ImageSource | None = None


Content = str | list[ContentPart]


class ToolCall(_Strict, frozen=True, kw_only=True):
    """A tool that the agent called."""

    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]


class Result(_Strict, frozen=True, kw_only=True):
    """What came back, of one call or (without an id) of the step as a whole."""

    source_call_id: str | None = None
    content: Content | None = None


class Observation(_Strict, frozen=True, kw_only=True):
    """What came back in a step."""

    results: list[Result]


class Metrics(_Strict, frozen=True, kw_only=True):
    """What a step used."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    extra: dict[str, Any] | None = None


class Step(_Strict, frozen=True, kw_only=True):
    """One step; numbers begin at 1."""

    step_id: int
    timestamp: str | None = None
    source: Literal["system", "user", "agent"]
    model_name: str | None = None
    message: Content
    reasoning_content: str | None = None
    tool_calls: list[ToolCall] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None


class AgentInfo(_Strict, frozen=True, kw_only=True):
    """Which agent it was."""

    name: str
    version: str
    model_name: str | None = None
    tool_definitions: list[dict[str, Any]] | None = None
    extra: dict[str, Any] | None = None


class FinalMetrics(_Strict, frozen=True, kw_only=True):
    """What the whole trajectory used."""

    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cached_tokens: int | None = None
    total_cost_usd: float | None = None
    total_steps: int | None = None
    extra: dict[str, Any] | None = None


class Trajectory(_Strict, frozen=True, kw_only=True):
    """A whole trajectory."""

    schema_version: str
    session_id: str
    trajectory_id: str | None = None
    agent: AgentInfo
    steps: list[Step]
    notes: str | None = None
    final_metrics: FinalMetrics | None = None
    continued_trajectory_ref: str | None = None
    subagent_trajectories: list["Trajectory"] | None = None
    extra: dict[str, Any] | None = None


def read_trajectory(document: bytes) -> Trajectory:
    """Decode and check a trajectory; raises `InvalidTrajectory`."""
    try:
        trajectory = msgspec.json.decode(document, type=Trajectory)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise InvalidTrajectory(f"trajectory: {error}") from None
    check(trajectory)
    return trajectory


def write_trajectory(trajectory: Trajectory, path: Path) -> None:
    """Check a trajectory and write it, indented for people."""
    encoded = msgspec.json.encode(trajectory)
    read_trajectory(encoded)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(encoded, indent=1) + b"\n")


def check(trajectory: Trajectory) -> None:
    """The rules that types cannot say; raises `InvalidTrajectory`."""
    if trajectory.schema_version != VERSION:
        raise InvalidTrajectory(
            f"trajectory: schema_version is {trajectory.schema_version!r}, not {VERSION!r}"
        )
    for number, step in enumerate(trajectory.steps, 1):
        where = f"trajectory: step {number}"
        if step.step_id != number:
            raise InvalidTrajectory(f"{where}: step_id is {step.step_id}; steps count from 1 without gaps")
        own = (step.model_name, step.reasoning_content, step.tool_calls, step.metrics)
        if step.source != "agent" and any(value is not None for value in own):
            raise InvalidTrajectory(
                f"{where}: only steps of the agent have a model, reasoning, calls or metrics"
            )
        called = {call.tool_call_id for call in step.tool_calls or ()}
        for result in step.observation.results if step.observation is not None else ():
            if result.source_call_id is not None and result.source_call_id not in called:
                raise InvalidTrajectory(
                    f"{where}: result of {result.source_call_id!r}, which the step did not call"
                )
        if step.timestamp is not None:
            _check_time(step.timestamp, where)
    for inner in trajectory.subagent_trajectories or ():
        check(inner)


def timestamp(at: float) -> str:
    """Unix seconds in ISO 8601, UTC, to the millisecond."""
    return datetime.fromtimestamp(at, tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _check_time(value: str, where: str) -> None:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise InvalidTrajectory(f"{where}: timestamp {value!r} is not ISO 8601") from None
