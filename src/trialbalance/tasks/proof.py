"""soundness.json: the recorded proof that a task keeps every rule, valid for one digest of its files."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trialbalance.tasks.digest import PROOF
from trialbalance.tasks.task import Task

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Row:
    """One rule, tried: `id` is for example `reference/07` or `mutant/wrong-amount`."""

    id: str
    passed: bool
    detail: str = ""

    def plain(self) -> dict[str, Any]:
        """The row as JSON data."""
        return {"id": self.id, "passed": self.passed, "detail": self.detail}


@dataclass(frozen=True)
class Proof:
    """Every row of a task. `quick` proofs tried each row once, and are not recorded beside the task."""

    task: str
    version: str
    digest: str
    quick: bool
    rows: tuple[Row, ...]

    @property
    def sound(self) -> bool:
        """Whether every row passed, of at least one."""
        return bool(self.rows) and all(row.passed for row in self.rows)

    @property
    def failures(self) -> tuple[Row, ...]:
        """The rows that did not pass."""
        return tuple(row for row in self.rows if not row.passed)

    def encoded(self) -> bytes:
        """soundness.json; the same bytes for the same results."""
        document = {
            "schema_version": SCHEMA_VERSION,
            "task": self.task,
            "version": self.version,
            "digest": self.digest,
            "sound": self.sound,
            "rows": [row.plain() for row in self.rows],
        }
        return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def write_proof(task: Task, proof: Proof) -> Path:
    """Write soundness.json beside a task, whole or not at all."""
    path = task.directory / PROOF
    descriptor, name = tempfile.mkstemp(prefix=f".{PROOF}-", dir=task.directory)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(proof.encoded())
        draft.chmod(0o644)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return path


def read_proof(task: Task) -> Proof | None:
    """The recorded proof of a task, or None when there is none that can be read."""
    try:
        document = json.loads((task.directory / PROOF).read_bytes())
        rows = tuple(Row(row["id"], row["passed"], row["detail"]) for row in document["rows"])
        return Proof(document["task"], document["version"], document["digest"], False, rows)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def stale(task: Task, rows: Sequence[str] = ()) -> str | None:
    """Why the recorded proof of a task does not count, as one line; None when it does.

    `rows` are ids that must be in it. For a quick test: `assert stale(task) is None, stale(task)`.
    """
    again = f"run: trialbalance tasks check {task.name}"
    proof = read_proof(task)
    if proof is None:
        return f"{task.name}/{PROOF}: there is no proof that can be read; {again}"
    if proof.digest != task.digest:
        return f"{task.name}/{PROOF}: the task's files have changed since it was proved; {again}"
    if not proof.sound:
        failed = proof.failures[0].id if proof.failures else "no row at all"
        return f"{task.name}/{PROOF}: it records a failure ({failed}); correct it, then {again}"
    present = {row.id for row in proof.rows}
    absent = sorted(set(rows) - present)
    if absent:
        return f"{task.name}/{PROOF}: the row {absent[0]} is missing; {again}"
    return None
