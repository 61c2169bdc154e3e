"""Copies of the miniature task, to be changed by tests."""

from __future__ import annotations

import shutil
from pathlib import Path

MINIATURE = Path(__file__).parent / "data" / "member-desk"


def copy_task(parent: Path, name: str = "member-desk") -> Path:
    """A copy of the miniature task under another parent; another `name` is written into its task.toml too."""
    directory = parent / name
    shutil.copytree(MINIATURE, directory, ignore=shutil.ignore_patterns("__pycache__", "soundness.json"))
    edit(directory / "task.toml", "trialbalance/member-desk", f"trialbalance/{name}")
    return directory


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text that must be in a file."""
    text = path.read_text("utf-8")
    assert old in text, f"{old!r} is not in {path.name}"
    path.write_text(text.replace(old, new), "utf-8")
