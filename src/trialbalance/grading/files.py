"""Reading what an agent left, as if it were hostile: no links, no pipes, no devices, nothing larger than
asked for.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

from trialbalance.grading.errors import Failed, GraderFault


def read_file(root: Path, path: str, max_bytes: int) -> bytes:
    """The content of a regular file under `root`. Every part of the way is opened without following links.
    `Failed` when there is no such file, when it is a link, a pipe, a device or a directory, or when it is
    larger than `max_bytes`.
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts:
        raise GraderFault(f"{path!r} is not a relative path inside the workspace")
    directory = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = _open(part, os.O_RDONLY | os.O_DIRECTORY, directory, path)
            os.close(directory)
            directory = inner
        return _content(_open(parts[-1], os.O_RDONLY | os.O_NONBLOCK, directory, path), path, max_bytes)
    finally:
        os.close(directory)


def file_kind(root: Path, path: str) -> str:
    """`absent`, `file` or `other`, without following links."""
    way = root
    for part in PurePosixPath(path).parts:
        if way.is_symlink():
            return "other"
        way = way / part
    if way.is_symlink():
        return "other"
    if not way.exists():
        return "absent"
    return "file" if way.is_file() else "other"


def _open(name: str, flags: int, directory: int, path: str) -> int:
    try:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY, dir_fd=directory)
    except FileNotFoundError:
        raise Failed(f"there is no file {path}") from None
    except OSError as error:
        raise Failed(f"{path} is not a plain file", reason=os.strerror(error.errno or 0)) from None


def _content(descriptor: int, path: str, max_bytes: int) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise Failed(f"{path} is not a plain file")
    with os.fdopen(descriptor, "rb") as file:
        if status.st_size > max_bytes:
            raise Failed(f"{path} is larger than {max_bytes} bytes", bytes=status.st_size)
        return file.read(max_bytes + 1)[:max_bytes]
