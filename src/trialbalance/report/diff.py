"""A unified diff as data for a page: files, hunks, numbered lines."""

from __future__ import annotations

import re
from typing import NamedTuple

_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$")


class Line(NamedTuple):
    """One line; `kind` is `add`, `del`, `same`, `hunk` or `note`; numbers are None on the side it is not on."""

    kind: str
    old: int | None
    new: int | None
    text: str


class FileDiff(NamedTuple):
    """One file's changes; `cut` is how many lines were left out at the end."""

    path: str
    status: str
    added: int
    removed: int
    lines: tuple[Line, ...]
    cut: int


def parse(text: str, *, limit: int = 1500) -> list[FileDiff]:
    """The files of a git diff, in its order; at most `limit` lines of each are kept."""
    parts = re.split(r"^(?=diff --git )", text, flags=re.MULTILINE)
    return [_file(part, limit) for part in parts if part.startswith("diff --git ")]


def _file(part: str, limit: int) -> FileDiff:
    lines = part.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    path = lines[0].rpartition(" b/")[2]
    status = "modified"
    found: list[Line] = []
    old = new = 0
    inside = False
    for text in lines[1:]:
        hunk = _HUNK.match(text)
        if hunk:
            inside = True
            old, new = int(hunk[1]), int(hunk[2])
            found.append(Line("hunk", None, None, hunk[3]))
        elif not inside:
            if text.startswith("new file"):
                status = "added"
            elif text.startswith("deleted file"):
                status = "deleted"
            elif text.startswith("Binary files"):
                found.append(Line("note", None, None, "binary file"))
            elif text.startswith("new mode"):
                found.append(Line("note", None, None, text))
        elif text.startswith("+"):
            found.append(Line("add", None, new, text[1:]))
            new += 1
        elif text.startswith("-"):
            found.append(Line("del", old, None, text[1:]))
            old += 1
        elif text.startswith("\\"):
            found.append(Line("note", None, None, "no newline at the end of the file"))
        else:
            found.append(Line("same", old, new, text[1:]))
            old, new = old + 1, new + 1
    added, removed = (sum(line.kind == kind for line in found) for kind in ("add", "del"))
    return FileDiff(path, status, added, removed, tuple(found[:limit]), max(0, len(found) - limit))
