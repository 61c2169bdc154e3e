"""The digest of a task's files: what a proof, a preparation and a trial's lock are valid for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

PROOF = "soundness.json"
"""The one file of a task that its digest leaves out, because it holds the digest."""


def task_files(directory: Path) -> list[str]:
    """Every file of a task but its proof and Python's caches, as sorted paths with forward slashes."""
    found = []
    for path in directory.rglob("*"):
        name = path.relative_to(directory)
        if "__pycache__" in name.parts or name.as_posix() == PROOF or path.is_dir():
            continue
        found.append(name.as_posix())
    return sorted(found)


def digest_of(directory: Path, files: Iterable[str]) -> str:
    """SHA-256 over names, execute bits and contents of the given files of a directory."""
    total = hashlib.sha256()
    for name in sorted(files):
        path = directory / name
        mode = b"x" if path.stat().st_mode & 0o100 else b"-"
        content = hashlib.sha256(path.read_bytes()).digest()
        total.update(name.encode() + b"\0" + mode + content)
    return total.hexdigest()
