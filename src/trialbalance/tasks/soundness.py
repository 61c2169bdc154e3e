"""Prove a task: try every rule of soundness, keep what is done, and record the proof beside the task."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from trialbalance.tasks import table_rows
from trialbalance.tasks.cache import cache_root
from trialbalance.tasks.digest import digest_of, task_files
from trialbalance.tasks.grader import CheckOutline, Grader
from trialbalance.tasks.overlay import KINDS, Overlay
from trialbalance.tasks.prepare import Prepared, prepare
from trialbalance.tasks.proof import Proof, Row, write_proof
from trialbalance.tasks.task import Task
from trialbalance.tasks.trial_rows import Trial, trials, try_row
from trialbalance.tasks.workspace import copy_tree, remove_tree

_FOR_READERS = ("README.md", "AUDIT.md")
RUNS = 20
"""How often the reference solution must earn the reward."""


class RowProgress(NamedTuple):
    """Told to whoever watches: `stage` is `begin`, `passed`, `failed` or `kept` (passed in an earlier run)."""

    stage: str
    row: str
    done: int
    total: int
    detail: str = ""


Watch = Callable[[RowProgress], None]


def check(
    task: Task,
    grader: Grader,
    *,
    quick: bool = False,
    fresh: bool = False,
    only: Sequence[str] = (),
    runs: int = RUNS,
    workers: int = 1,
    backend: str = "auto",
    cache: Path | None = None,
    watch: Watch | None = None,
) -> Proof:
    """Try every rule on a task.

    A whole proof is written to soundness.json beside the task. A `quick` one runs the reference once, and is
    not written; neither is one of `only` some rows (by id, or by the first part of it: `mutant`). Rows that
    passed are kept in the cache by the digest of the files they depend on (see `depends_on`), so that a proof
    that was interrupted goes on where it was, and a corrected mutant does not try the others again; `fresh`
    forgets them. Trial folders of rows that failed are kept, see `kept_rows`.
    """
    told = watch or _ignore
    outline = list(grader.outline(task))
    prepared = prepare(task, cache=cache, backend=backend)
    folder = kept_rows(task, cache)
    memory = _Memory(folder / "passed.jsonl")
    if fresh:
        memory.forget()
    planned = [row for row in trials(prepared, outline, 1 if quick else runs) if _chosen(row.id, only)]
    rows = [row for row in _read_only(task, outline) if _chosen(row.id, only)]
    total = len(rows) + len(planned)
    for number, row in enumerate(rows, 1):
        told(RowProgress("passed" if row.passed else "failed", row.id, number, total, row.detail))
    done = len(rows)

    def one(trial: Trial) -> Row:
        nonlocal done
        digest = digest_of(task.directory, depends_on(task, trial.overlay))
        known = memory.get(trial.id, digest)
        if known is None:
            told(RowProgress("begin", trial.id, done, total))
            known = _in_a_place(trial, prepared, grader, folder, backend)
            memory.keep(known, digest)
            stage = "passed" if known.passed else "failed"
        else:
            stage = "kept"
        done += 1
        told(RowProgress(stage, known.id, done, total, known.detail))
        return known

    if workers > 1:
        with ThreadPoolExecutor(workers) as pool:
            try:
                rows += pool.map(one, planned)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    else:
        rows += map(one, planned)  # in this thread, so that an interruption ends the row at once
    proof = Proof(
        task.full_name, task.version, task.digest, quick, tuple(sorted(rows, key=lambda row: row.id))
    )
    if not quick and not only and runs >= RUNS:
        write_proof(task, proof)
    return proof


def kept_rows(task: Task, cache: Path | None = None) -> Path:
    """Where the trial folders of rows that failed are kept: `<row id>/grade-1/grader/log.txt` and so on."""
    root = cache if cache is not None else cache_root()
    return root / "soundness" / task.name


def depends_on(task: Task, overlay: Overlay | None) -> list[str]:
    """The files of a task that can change how a row comes out: all but what is written for readers, recordings
    of agents, and the overlays of other rows. What those say is read anew by the rows that only read.
    """
    own = (
        None if overlay is None or not overlay.directory.is_relative_to(task.directory) else overlay.directory
    )
    mine = f"{own.relative_to(task.directory).as_posix()}/" if own is not None else ""
    apart = tuple(f"{directory}/" for directory in (*KINDS.values(), "replay"))
    return [
        name
        for name in task_files(task.directory)
        if name not in _FOR_READERS and (not name.startswith(apart) or (mine and name.startswith(mine)))
    ]


def _read_only(task: Task, outline: list[CheckOutline]) -> list[Row]:
    return [
        table_rows.citations(task, outline),
        table_rows.requirements(task, outline),
        table_rows.some_required(outline),
        table_rows.alternates(task),
        table_rows.killers(task, outline),
        table_rows.canary(task),
    ]


def _in_a_place(trial: Trial, prepared: Prepared, grader: Grader, folder: Path, backend: str) -> Row:
    """Try a row in a directory that goes away, but for the folders of a row that failed."""
    kept = folder / trial.id
    remove_tree(kept)
    place = Path(tempfile.mkdtemp(prefix="trialbalance-row-"))
    try:
        row = try_row(trial, prepared, grader, place, backend)
        if not row.passed:
            for part in ("trial", "grade-1", "grade-2"):
                if (place / part).is_dir():
                    copy_tree(place / part, kept / part)
        return row
    finally:
        remove_tree(place)


def _chosen(row: str, only: Sequence[str]) -> bool:
    return not only or any(row == name or row.startswith(name.rstrip("/") + "/") for name in only)


class _Memory:
    """Rows that passed, one a line with the digest they are valid for; a torn last line is no row."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[tuple[str, str], Row] = {}
        if path.is_file():
            for line in path.read_text("utf-8").splitlines():
                try:
                    row = json.loads(line)
                    self._rows[row["id"], row["digest"]] = Row(row["id"], row["passed"], row["detail"])
                except (ValueError, KeyError, TypeError):
                    continue

    def get(self, name: str, digest: str) -> Row | None:
        return self._rows.get((name, digest))

    def keep(self, row: Row, digest: str) -> None:
        if not row.passed:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**row.plain(), "digest": digest}) + "\n")

    def forget(self) -> None:
        self._rows.clear()
        self._path.unlink(missing_ok=True)


def _ignore(progress: RowProgress) -> None:
    """Nobody watches."""
