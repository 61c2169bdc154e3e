"""The twin that the agent worked with, as it was when the agent was stopped: read only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trialbalance.grading.errors import GraderFault
from trialbalance.grading.evidence import Evidence
from trialbalance.grading.journal import Journal


class TrialTwin:
    """Journal and last state of the trial, written by us when the agent was frozen."""

    def __init__(self, directory: Path, evidence: Evidence) -> None:
        self._directory = directory
        self._evidence = evidence

    @property
    def journal(self) -> Journal:
        """Everything the agent and its app asked of the API."""
        lines = self._read("journal.jsonl").splitlines()
        return Journal([json.loads(line) for line in lines if line])

    @property
    def state(self) -> dict[str, Any]:
        """The twin's last state."""
        state = json.loads(self._read("state.json"))
        if not isinstance(state, dict):
            raise GraderFault(f"{self._directory.name}/state.json is no JSON object")
        return state

    def seeded(self) -> list[dict[str, Any]]:
        """What the trial's twin answered to the requests of its seed, in their order: the ids things had there."""
        lines = self._read("journal.jsonl").splitlines()
        entries = [json.loads(line) for line in lines if line]
        answers = [entry["response"] for entry in entries if entry.get("source") == "seed"]
        self._evidence.add("trial seed", answers=len(answers))
        return answers

    def requests(self, method: str | None = None, path: str | None = None) -> list[dict[str, Any]]:
        """What was asked, oldest first; `path` may hold `{id}` placeholders."""
        found = self.journal.requests(method, path)
        self._evidence.add("trial requests", method=method or "*", path=path or "*", count=len(found))
        return found

    def writes(self) -> list[str]:
        """Each successful write as `POST /v1/customers`, with placeholders for ids, oldest first."""
        writes = self.journal.writes()
        self._evidence.add("trial writes", writes=writes)
        return writes

    def objects(self, kind: str) -> list[dict[str, Any]]:
        """The objects of a kind (`customer`, `checkout.session`, …) that existed at the end, oldest first."""
        from trialbalance.grading.state import objects_of

        found = objects_of(self.state, kind)
        self._evidence.add("trial objects", of=kind, count=len(found))
        return found

    def _read(self, name: str) -> str:
        path = self._directory / name
        if not path.is_file():
            raise GraderFault(f"the trial has no twin/{name}; grade a trial that was recorded with its twin")
        return path.read_text("utf-8")
