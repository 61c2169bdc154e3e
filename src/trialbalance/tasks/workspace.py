"""Copies of working trees: quick ones of our own, and careful ones of what an agent left behind."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trialbalance.tasks.errors import TaskError

MAX_FILE_BYTES = 1 << 30
MAX_FILES = 400_000
MAX_DEPTH = 64
_FORESEEN = ("File name too long", "Permission denied")
"""What cp says of the parts that are left out anyway."""


class WorkspaceTooLarge(TaskError):
    """What an agent left is larger than the task allows."""


@dataclass(frozen=True)
class Oddity:
    """Something in a tree that is not copied, or that a grader should know about.

    `kind` is `fifo`, `socket`, `device`, `large-file`, `deep-directory`, `unreadable` (none of them copied),
    or `link-outside` (a symbolic link that leaves the tree: copied as a link, and leading nowhere in a
    sandbox).
    """

    kind: str
    path: str


def copy_tree(source: Path, destination: Path) -> None:
    """Copy a tree of our own; shares blocks where the file system can. `destination` must not exist."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    command = ["cp", "-a", "--reflink=auto", "--no-target-directory", "--", str(source), str(destination)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise TaskError(
            f"{source}: cannot be copied: {_last_line(done.stderr)}; free some space or check permissions"
        )


def remove_tree(path: Path) -> None:
    """Remove a tree, however deep it is and whatever it holds."""
    if not path.is_symlink() and not path.exists():
        return
    command = ["rm", "-rf", "--one-file-system", "--", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        subprocess.run(["chmod", "-R", "u+rwX", "--", str(path)], capture_output=True)
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise TaskError(f"{path}: cannot be removed: {_last_line(done.stderr)}; remove it by hand")


def copy_untrusted(source: Path, destination: Path, max_bytes: int) -> tuple[Oddity, ...]:
    """Copy what an agent left, without following a link, opening a pipe or keeping a privilege bit.

    Returns what was left out or looks odd, sorted. `WorkspaceTooLarge` when the tree holds more than
    `max_bytes` or too many files.
    """
    oddities = survey(source, max_bytes)
    destination.parent.mkdir(parents=True, exist_ok=True)
    command = ["cp", "-a", "--no-preserve=xattr", "--reflink=auto", "--sparse=auto", "--no-target-directory"]
    done = subprocess.run(
        [*command, "--", str(source), str(destination)],
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, "LC_ALL": "C"},
    )
    unforeseen = [line for line in done.stderr.splitlines() if not line.endswith(_FORESEEN)]
    if done.returncode != 0 and (unforeseen or not oddities):
        reason = _last_line("\n".join(unforeseen))
        raise TaskError(f"{source}: cannot be copied: {reason}; free some space or check permissions")
    for oddity in oddities:
        if oddity.kind != "link-outside":
            remove_tree(destination / oddity.path)
    subprocess.run(["chmod", "-R", "ug-s,u+rwX", "--", str(destination)], check=True, capture_output=True)
    return oddities


def survey(tree: Path, max_bytes: int = 1 << 60) -> tuple[Oddity, ...]:
    """What is odd in a tree, sorted by path; opens no file."""
    oddities: list[Oddity] = []
    total = 0
    for files, path in enumerate(_walk(tree, oddities), 1):
        status = path.lstat()
        kind = _kind(path, status, tree)
        if kind is not None:
            oddities.append(Oddity(kind, os.path.relpath(path, tree)))
        if kind != "large-file":
            total += min(status.st_size, status.st_blocks * 512)
        if total > max_bytes:
            raise WorkspaceTooLarge(
                f"the workspace holds more than the {max_bytes >> 20} MB that the task allows"
            )
        if files > MAX_FILES:
            raise WorkspaceTooLarge(f"the workspace holds more than {MAX_FILES} files")
    return tuple(sorted(oddities, key=lambda oddity: (oddity.path, oddity.kind)))


def _walk(tree: Path, oddities: list[Oddity]) -> Iterator[Path]:
    pending = [(str(tree), 0)]
    while pending:
        directory, depth = pending.pop()
        try:
            with os.scandir(directory) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            kind = "unreadable" if isinstance(error, PermissionError) else "deep-directory"
            oddities.append(Oddity(kind, os.path.relpath(directory, tree)))
            continue
        for entry in found:
            if not entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)
            elif depth >= MAX_DEPTH:
                oddities.append(Oddity("deep-directory", os.path.relpath(entry.path, tree)))
            else:
                pending.append((entry.path, depth + 1))


def _kind(path: Path, status: os.stat_result, tree: Path) -> str | None:
    mode = status.st_mode
    if stat.S_ISLNK(mode):
        return "link-outside" if _leaves(path, tree) else None
    if stat.S_ISFIFO(mode):
        return "fifo"
    if stat.S_ISSOCK(mode):
        return "socket"
    if not stat.S_ISREG(mode):
        return "device"
    if status.st_size > MAX_FILE_BYTES:
        return "large-file"
    if os.geteuid() != 0 and not os.access(path, os.R_OK):
        return "unreadable"
    return None


def _leaves(path: Path, tree: Path) -> bool:
    """Whether a link points out of /app; links into /usr are what virtual environments are made of."""
    target = path.readlink()
    if target.is_absolute():
        inside = os.path.normpath(target)
        return not inside.startswith(("/app/", "/usr/")) and inside != "/app"
    parent = path.parent.relative_to(tree)
    return os.path.normpath(parent / target).startswith("..")


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no reason given"
