"""Harbor reads our tasks: their task.toml against the shape of Harbor's own model, and the files its runner needs.

`data/harbor-task-1.4.json` holds the names and types of `TaskConfig` in Harbor 0.26.0, with every unknown key refused.
Harbor itself needs Python 3.12 and docker, so its runner is not part of the tests; it makes the scripts executable itself.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[2] / "environments"
SCHEMA: dict[str, Any] = json.loads((Path(__file__).parent / "data/harbor-task-1.4.json").read_text("utf-8"))
TASKS = sorted(path.parent for path in ROOT.glob("*/task.toml"))


def problems(document: dict[str, Any]) -> list[str]:
    """What Harbor would not take, a line each."""
    return [
        f"{error.json_path}: {error.message}" for error in Draft202012Validator(SCHEMA).iter_errors(document)
    ]


@pytest.mark.parametrize("task", TASKS, ids=lambda path: path.name)
def test_harbor_reads_the_task(task: Path) -> None:
    document = tomllib.loads((task / "task.toml").read_text("utf-8"))
    assert document["schema_version"] == "1.4"
    assert problems(document) == []
    for script in ("solution/solve.sh", "tests/test.sh"):
        assert (task / script).read_text("utf-8").startswith("#!/bin/sh\n")
    lines = (task / "environment/Dockerfile").read_text("utf-8").splitlines()
    assert any(line.startswith("FROM ") for line in lines) and "WORKDIR /app" in lines
    assert (task / "instruction.md").is_file()


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("agent", "timeout_sec", "long"),
        ("agent", "timeout", 5),
        ("verifier", "environment_mode", "somewhere"),
        ("environment", "memory_mb", [2048]),
        ("task", "nmae", "x"),
    ],
)
def test_what_harbor_does_not_know_is_noticed(table: str, key: str, value: object) -> None:
    document = tomllib.loads((TASKS[0] / "task.toml").read_text("utf-8"))
    document[table][key] = value
    assert problems(document)
