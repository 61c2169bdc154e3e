"""The file that an instruction asks for, read safely."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trialbalance.grading.errors import Failed, GraderFault
from trialbalance.grading.evidence import Evidence
from trialbalance.grading.files import file_kind, read_file

MAX_BYTES = 1 << 20
_MAX_LEVELS = 64


class Submission:
    """The submitted file of `metadata.submission`, or another file of the workspace by name.

    Links, pipes, devices and files above a megabyte are refused, as `Failed`.
    """

    def __init__(self, workspace: Path, path: str | None, evidence: Evidence) -> None:
        self._workspace = workspace
        self._path = path
        self._evidence = evidence

    def exists(self, path: str | None = None) -> bool:
        """Whether there is a plain file of that name."""
        name = self._name(path)
        kind = file_kind(self._workspace, name)
        self._evidence.add("submission", path=name, found=kind)
        return kind == "file"

    def text(self, path: str | None = None) -> str:
        """The file as UTF-8 text."""
        name = self._name(path)
        self._evidence.add("submission", path=name)
        try:
            return read_file(self._workspace, name, MAX_BYTES).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise Failed(f"{name} is not UTF-8 text", at=error.start) from None

    def json(self, path: str | None = None) -> Any:
        """The file as JSON. Keys that stand twice, NaN and deep nesting are refused."""
        name = self._name(path)
        text = self.text(path)
        try:
            value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
        except RecursionError:
            raise Failed(f"{name} is nested too deeply") from None
        except ValueError as error:
            raise Failed(f"{name} is not JSON: {error}") from None
        if _levels(value) > _MAX_LEVELS:
            raise Failed(f"{name} is nested too deeply")
        return value

    def _name(self, path: str | None) -> str:
        name = path or self._path
        if name is None:
            raise GraderFault("the task has no metadata.submission; name it there or give a path")
        return name


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"the key {twice[0]!r} stands twice in one object")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def _levels(value: Any) -> int:
    levels, layer = 0, [value]
    while layer:
        levels += 1
        inner: list[Any] = []
        for item in layer:
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        layer = inner
    return levels
