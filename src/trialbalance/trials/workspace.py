"""An agent's workspace as data: what it changed, as an archive, and put back together for the grader.

The files are the agent's and are never trusted: symbolic links are kept as links and never followed,
devices and sockets are left behind, and set-user-id bits are dropped. Equality is by content, not by date
or size.
"""

from __future__ import annotations

import filecmp
import hashlib
import io
import os
import re
import shutil
import stat
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from trialbalance.tasks.workspace import copy_tree

SCHEMA = "1"

#: Folders that a person would not read in a diff; they are archived all the same.
GENERATED = frozenset(
    {
        ".git",
        "node_modules",
        ".venv",
        "venv",
        "__pycache__",
        ".next",
        ".pytest_cache",
        ".mypy_cache",
        "target",
        ".cache",
    }
)
_DIFF_LIMIT = 2_000_000


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """Which paths differ from the start tree, sorted; `digest` covers the archive."""

    schema_version: str = SCHEMA
    added: tuple[str, ...]
    modified: tuple[str, ...]
    deleted: tuple[str, ...]
    digest: str = ""


def _walk(root: Path, prefix: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
    for entry in sorted(os.scandir(root / prefix if prefix else root), key=lambda e: e.name):
        name = f"{prefix}/{entry.name}" if prefix else entry.name
        if entry.is_symlink() or entry.is_file(follow_symlinks=False):
            yield name, entry
        elif entry.is_dir(follow_symlinks=False):
            yield name, entry
            yield from _walk(root, name)


def _kind(path: Path) -> str | None:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return None
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISDIR(mode):
        return "dir"
    return "file" if stat.S_ISREG(mode) else None


def _same(one: Path, other: Path, kind: str) -> bool:
    if kind == "link":
        return one.readlink() == other.readlink()
    if kind == "dir":
        return True
    executable = stat.S_IXUSR
    if (one.lstat().st_mode & executable) != (other.lstat().st_mode & executable):
        return False
    return filecmp.cmp(one, other, shallow=False)


def compare(start: Path, final: Path) -> Changes:
    """What an agent did to the start tree."""
    added, modified, deleted = [], [], []
    for name, _ in _walk(final):
        kind, before = _kind(final / name), _kind_below(start, name)
        if kind is None:
            continue
        if before is None:
            added.append(name)
        elif before != kind:
            deleted.append(name)
            added.append(name)
        elif not _same(start / name, final / name, kind):
            modified.append(name)
    deleted += [name for name, _ in _walk(start) if _kind_below(final, name) is None]
    return Changes(
        added=tuple(sorted(added)), modified=tuple(sorted(modified)), deleted=tuple(sorted(set(deleted)))
    )


def _kind_below(root: Path, name: str) -> str | None:
    """The kind of `name` in a tree, None when it is absent or lies behind a link."""
    parent = root
    for part in Path(name).parts[:-1]:
        parent = parent / part
        if _kind(parent) != "dir":
            return None
    return _kind(root / name)


def pack(start: Path, final: Path, archive: Path) -> Changes:
    """Write what changed into a gzip tar with fixed dates and owners; the same trees give the same bytes."""
    filecmp.clear_cache()
    changes = compare(start, final)
    temporary = archive.with_name(f".{archive.name}.part")
    archive.parent.mkdir(parents=True, exist_ok=True)
    try:
        with (
            temporary.open("wb") as raw,
            _gzip(raw) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
        ):
            for name in sorted({*changes.added, *changes.modified}):
                info = tar.gettarinfo(final / name, arcname=name)
                info.uid = info.gid = 0
                info.uname = info.gname = ""
                info.mtime = 0
                info.mode = (info.mode & 0o777) | (0o700 if info.isdir() else 0o600)
                if info.islnk():  # a second name of a file that is already in: keep it a file of its own
                    info.type, info.linkname, info.size = tarfile.REGTYPE, "", (final / name).lstat().st_size
                if info.isreg():
                    with (final / name).open("rb") as content:
                        tar.addfile(info, content)
                else:
                    tar.addfile(info)
        temporary.replace(archive)
    finally:
        temporary.unlink(missing_ok=True)
    with archive.open("rb") as finished:
        digest = hashlib.file_digest(finished, "sha256").hexdigest()
    return msgspec.structs.replace(changes, digest=digest)


def _gzip(raw: io.BufferedIOBase) -> io.BufferedIOBase:
    import gzip

    return gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=1, mtime=0)


def unpack(start: Path, archive: Path, changes: Changes, target: Path) -> None:
    """Put the agent's final workspace together again in an empty folder."""
    copy_tree(start, target)
    for name in sorted(changes.deleted, key=lambda n: n.count("/"), reverse=True):
        path = target / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            if member.name.startswith("/") or ".." in Path(member.name).parts:
                raise ValueError(f"{archive} names a path outside the workspace: {member.name}")
            if not (member.isreg() or member.isdir() or member.issym()):
                raise ValueError(f"{archive} holds something that is no file: {member.name}")
            if _kind_below(target, member.name) in {"link", "file"}:
                (target / member.name).unlink()
            tar.extract(member, target, filter="fully_trusted")


def diff(start: Path, final: Path, changes: Changes) -> str:
    """A unified diff of what a person would want to read, made by git on staged copies of the changed files
    only.
    """
    names = [
        name
        for name in sorted({*changes.added, *changes.modified, *changes.deleted})
        if not GENERATED.intersection(Path(name).parts)
    ]
    with tempfile.TemporaryDirectory(prefix="trialbalance-diff-") as folder:
        root = Path(folder)
        for side, tree in (("a", start), ("b", final)):
            (root / side).mkdir()
            for name in names:
                _stage(tree, name, root / side)
        done = subprocess.run(
            [
                "git",
                "diff",
                "--no-index",
                "--no-ext-diff",
                "--no-textconv",
                "--no-color",
                "--no-renames",
                "--src-prefix=",
                "--dst-prefix=",
                "--",
                "a",
                "b",
            ],
            cwd=root,
            env={
                "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
                "HOME": folder,
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_ATTR_NOSYSTEM": "1",
                "GIT_CEILING_DIRECTORIES": folder,
                "LC_ALL": "C.UTF-8",
            },
            capture_output=True,
            check=False,
        )
    text = done.stdout.decode("utf-8", "replace")
    return re.sub(r"^diff --git [ab]/(.*) [ab]/\1$", r"diff --git a/\1 b/\1", text, flags=re.MULTILINE)


def _stage(tree: Path, name: str, side: Path) -> None:
    kind = _kind_below(tree, name)
    if kind not in {"file", "link"}:
        return
    to = side / name
    if _kind_below(side, str(Path(name).parent)) not in {None, "dir"}:
        return
    to.parent.mkdir(parents=True, exist_ok=True)
    source = tree / name
    if kind == "link":
        to.symlink_to(source.readlink())
    elif source.lstat().st_size > _DIFF_LIMIT:
        to.write_bytes(f"({source.lstat().st_size} bytes, too long to show)\n".encode())
    else:
        shutil.copyfile(source, to)
        to.chmod(0o755 if source.lstat().st_mode & stat.S_IXUSR else 0o644)
