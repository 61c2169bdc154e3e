"""ATIF 1.8, kept strictly."""

import json
from pathlib import Path
from typing import Any

import pytest

from trialbalance.agents import InvalidTrajectory, read_trajectory, write_trajectory
from trialbalance.agents.trajectory import timestamp


def document(**changes: Any) -> dict[str, Any]:
    """A trajectory that uses every key."""
    return {
        "schema_version": "ATIF-v1.8",
        "session_id": "trial-1",
        "trajectory_id": "t",
        "agent": {
            "name": "goose",
            "version": "1",
            "model_name": "m",
            "tool_definitions": [{"type": "function"}],
            "extra": {"a": 1},
        },
        "steps": [
            {"step_id": 1, "timestamp": "2026-11-30T10:00:00.000Z", "source": "user", "message": "Go."},
            {
                "step_id": 2,
                "source": "agent",
                "model_name": "m",
                "message": [{"type": "text", "text": "Looking."}],
                "reasoning_content": "Hm.",
                "tool_calls": [
                    {"tool_call_id": "c", "function_name": "terminal", "arguments": {"command": "ls"}}
                ],
                "observation": {
                    "results": [
                        {
                            "source_call_id": "c",
                            "content": [
                                {
                                    "type": "image",
                                    "source": {"media_type": "image/png", "path": "images/001.png"},
                                }
                            ],
                        }
                    ]
                },
                "metrics": {
                    "prompt_tokens": 1,
                    "completion_tokens": 2,
                    "cached_tokens": 0,
                    "cost_usd": 0.1,
                    "extra": {"latency": 1},
                },
            },
        ],
        "notes": "n",
        "final_metrics": {
            "total_prompt_tokens": 1,
            "total_completion_tokens": 2,
            "total_cached_tokens": 0,
            "total_cost_usd": 0.1,
            "total_steps": 2,
            "extra": {},
        },
        "continued_trajectory_ref": "next.json",
        "extra": {"b": 2},
        **changes,
    }


def test_every_key_survives_reading_and_writing(tmp_path: Path) -> None:
    whole = document()
    path = tmp_path / "agent" / "trajectory.json"
    write_trajectory(read_trajectory(json.dumps(whole).encode()), path)
    assert json.loads(path.read_text()) == whole


def test_a_subagents_trajectory_is_checked_too() -> None:
    inner = document(schema_version="ATIF-v1.2")
    with pytest.raises(InvalidTrajectory, match=r"schema_version is 'ATIF-v1\.2'"):
        read_trajectory(json.dumps(document(subagent_trajectories=[inner])).encode())


@pytest.mark.parametrize(
    ("step", "change", "said"),
    [
        (None, {"author": "me"}, r"unknown field `author`"),
        (None, {"schema_version": "1"}, "schema_version is '1', not 'ATIF-v1.8'"),
        (0, {"extra": {}}, r"unknown field `extra` - at `\$\.steps\[0\]`"),
        (0, {"step_id": 7}, "step 1: step_id is 7; steps count from 1"),
        (0, {"model_name": "m"}, "step 1: only steps of the agent"),
        (0, {"source": "robot"}, "Invalid enum value 'robot'"),
        (0, {"timestamp": "yesterday"}, "step 1: timestamp 'yesterday' is not ISO 8601"),
        (1, {"tool_calls": None}, "step 2: result of 'c', which the step did not call"),
        (1, {"metrics": {"tokens": 3}}, "unknown field `tokens`"),
        (1, {"step_id": "2"}, "Expected `int`, got `str`"),
    ],
)
def test_anything_else_is_refused_by_name(step: int | None, change: dict[str, Any], said: str) -> None:
    whole = document()
    (whole if step is None else whole["steps"][step]).update(change)
    with pytest.raises(InvalidTrajectory, match=said):
        read_trajectory(json.dumps(whole).encode())


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(InvalidTrajectory, match="trajectory: JSON is malformed"):
        read_trajectory(b"{nonsense")


def test_times_are_utc_to_the_millisecond() -> None:
    assert timestamp(1796047931.3127) == "2026-11-30T14:12:11.312Z"
