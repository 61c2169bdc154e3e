"""Files that are either there as a whole or not at all.

Every file of a job is written to a temporary name beside it, synced and renamed; lines are appended with one
write and synced, and a line that did not fit is taken back. A full disk therefore leaves what was there
before.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

import msgspec

from trialbalance.trials.errors import BadJob, StorageFailed


def _failed(what: str, path: Path, error: OSError) -> StorageFailed:
    reason = error.strerror or str(error)
    return StorageFailed(
        f"cannot {what} {path}: {reason}; free space there or choose another folder with --jobs-dir"
    )


def make_folder(path: Path) -> Path:
    """Create a folder and its parents; StorageFailed when that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _failed("create the folder", path, error) from error
    return path


def write_whole(path: Path, data: bytes | str) -> None:
    """Write a file so that a reader sees the old content or the new, never a part."""
    content = data.encode() if isinstance(data, str) else data
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise _failed("write", path, error) from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def encode(value: Any) -> str:
    """JSON of a struct or of plain data: indented, in the given key order, with a final newline."""
    return json.dumps(msgspec.to_builtins(value), indent=2, ensure_ascii=False) + "\n"


def write_json(path: Path, value: Any) -> None:
    """Write a value as indented JSON, as a whole."""
    write_whole(path, encode(value))


def append_line(path: Path, line: bytes, *, sync: bool = True) -> None:
    """Append one line in one write; when it does not fit, leave the file as it was and raise."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise _failed("open", path, error) from error
    try:
        before = os.fstat(descriptor).st_size
        data = line + b"\n"
        try:
            written = os.write(descriptor, data)
            if written != len(data):
                raise OSError(28, "No space left on device")
            if sync:
                os.fsync(descriptor)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, before)
            raise _failed("append to", path, error) from error
    finally:
        os.close(descriptor)


def read_json(path: Path, *, what: str) -> Any:
    """Parse a JSON file of a job; BadJob names the file when it cannot be read."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise BadJob(f"cannot read {what} {path}: {error.strerror}") from error
    except ValueError as error:
        raise BadJob(f"{what} {path} is not JSON: {error}") from error


def read_lines(path: Path) -> list[Any]:
    """The JSON lines of a file that are complete; a last line cut short by a crash is left out."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BadJob(f"cannot read {path}: {error.strerror}") from error
    found = []
    for line in data.split(b"\n")[:-1]:
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return found


def repair_lines(path: Path) -> int:
    """Cut a last line that a crash left unfinished; returns how many bytes went."""
    try:
        with path.open("r+b") as file:
            data = file.read()
            keep = data.rfind(b"\n") + 1
            if keep == len(data):
                return 0
            file.truncate(keep)
            file.flush()
            os.fsync(file.fileno())
            return len(data) - keep
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise _failed("repair", path, error) from error
