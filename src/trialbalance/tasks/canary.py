"""The canary: one line per file that lets anyone see that a benchmark's text has leaked into training data.

Each line holds the suite's GUID and a suffix of the file's own, so that a leak names the file. It stands
in the instruction, the tests, the
solution, the audit sheet and each overlay.toml, and is removed from whatever the agent sees.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

SUITE_GUID = "fd562c2b-54e0-4ddc-b8a5-62441e28be3c"
"""The one GUID of this suite."""

_COMMENTS = {
    ".md": "<!-- {} -->",
    ".html": "<!-- {} -->",
    ".py": "# {}",
    ".sh": "# {}",
    ".toml": "# {}",
    ".rb": "# {}",
    ".yaml": "# {}",
    ".yml": "# {}",
    ".js": "// {}",
    ".mjs": "// {}",
    ".cjs": "// {}",
    ".ts": "// {}",
    ".tsx": "// {}",
    ".jsx": "// {}",
    ".go": "// {}",
    ".java": "// {}",
    ".cs": "// {}",
    ".php": "// {}",
    ".css": "/* {} */",
    ".sql": "-- {}",
}


def canary_line(task: str, file: str) -> str | None:
    """The canary of one file of a task as a comment of its language, or None when the language has no
    comments.

    `task` is the task's short name, `file` its path inside the task with forward slashes.
    """
    comment = _COMMENTS.get(Path(file).suffix)
    if comment is None:
        return None
    suffix = hashlib.sha256(f"{SUITE_GUID}/{task}/{file}".encode()).hexdigest()[:12]
    return comment.format(f"trialbalance canary {SUITE_GUID}-{suffix}: keep out of training data")


def canary_files(directory: Path) -> list[str]:
    """The files of a task that must hold their canary, sorted."""
    found = [name for name in ("AUDIT.md", "instruction.md") if (directory / name).is_file()]
    for part in ("solution", "tests"):
        found += [_relative(path, directory) for path in (directory / part).rglob("*") if path.is_file()]
    for part in ("alternates", "mutants", "cheats"):
        found += [_relative(path, directory) for path in (directory / part).glob("*/overlay.toml")]
    return sorted(
        name for name in found if canary_line(directory.name, name) and "__pycache__" not in Path(name).parts
    )


def missing_canaries(directory: Path) -> list[str]:
    """The files of a task that lack their canary or hold another file's."""
    return [name for name in canary_files(directory) if not _has(directory, name)]


def write_canaries(directory: Path) -> list[str]:
    """Give each file its canary, in place of an older one; returns the files that changed."""
    changed = []
    for name in missing_canaries(directory):
        path = directory / name
        line = canary_line(directory.name, name)
        assert line is not None
        lines = strip_canary(path.read_text("utf-8")).splitlines(keepends=True)
        at = 1 if lines and lines[0].startswith(("#!", "<?php", "<!DOCTYPE", "<!doctype")) else 0
        if path.suffix == ".md":
            lines.append(("\n" if lines else "") + line + "\n")
        else:
            lines.insert(at, line + "\n")
        path.write_text("".join(lines), "utf-8")
        changed.append(name)
    return changed


def strip_canary(text: str) -> str:
    """The text without its canary lines: what an agent may see."""
    kept = [line for line in text.splitlines(keepends=True) if SUITE_GUID not in line]
    if len(kept) == len(text.splitlines(keepends=True)):
        return text
    return "".join(kept).rstrip("\n") + "\n"


def strip_tree(directory: Path) -> int:
    """Remove canary lines from every text file of a tree; returns how many files changed."""
    changed = 0
    guid = SUITE_GUID.encode()
    for path in sorted(directory.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        if guid in content:
            path.write_text(
                strip_canary(content.decode("utf-8", "surrogateescape")), "utf-8", "surrogateescape"
            )
            changed += 1
    return changed


def _has(directory: Path, name: str) -> bool:
    line = canary_line(directory.name, name)
    text = (directory / name).read_text("utf-8", "replace")
    return line is not None and text.count(SUITE_GUID) == 1 and line in text.splitlines()


def _relative(path: Path, directory: Path) -> str:
    return path.relative_to(directory).as_posix()
