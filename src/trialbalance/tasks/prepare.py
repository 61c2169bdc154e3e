"""Prepare a task's environment: copy its start tree and install what it needs, once, so that trials work
offline.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from trialbalance.sandbox import Completed, Mount, SandboxSpec, find_postgresql, open_sandbox
from trialbalance.tasks.cache import cache_root, locked
from trialbalance.tasks.canary import strip_tree
from trialbalance.tasks.errors import PrepareError
from trialbalance.tasks.task import Task
from trialbalance.tasks.workspace import copy_tree, remove_tree

FORMAT = 1
"""Changes when a prepared tree of the same files would come out differently."""

_TAIL = 12


class Progress(NamedTuple):
    """Told to whoever watches a preparation: `stage` is `waiting`, `copying`, `installing`, `ready` or
    `cached`.
    """

    stage: str
    task: str
    detail: str = ""


Watch = Callable[[Progress], None]


class Installer(Protocol):
    """Runs `environment/prepare.sh` on a tree."""

    def __call__(self, task: Task, tree: Path, backend: str) -> Completed: ...


@dataclass(frozen=True)
class Prepared:
    """A task's start tree, ready to be copied for each trial. Never change it."""

    task: Task
    tree: Path
    digest: str

    def copy_to(self, destination: Path) -> Path:
        """A fresh copy for one trial; `destination` must not exist."""
        copy_tree(self.tree, destination)
        return destination


def prepared_tree(task: Task, cache: Path | None = None) -> Path | None:
    """The prepared tree of a task if there is one already, else None."""
    tree = _home(task, cache) / "tree"
    return tree if tree.is_dir() else None


def prepare(
    task: Task,
    *,
    cache: Path | None = None,
    backend: str = "auto",
    watch: Watch | None = None,
    installer: Installer | None = None,
) -> Prepared:
    """Prepare a task, or find it prepared. `environment/app` is copied, and `environment/prepare.sh` runs
    in it, in a sandbox that reaches package registries and nothing else, with `environment/` at
    /environment. The result is kept under the cache by the digest of `environment/`. Two processes that
    prepare the same task at once do it once; a preparation that was killed leaves nothing that counts.

        Raises:
            PrepareError: prepare.sh failed or ran out of time; the message ends with its last lines. Or the task needs
                PostgreSQL, and this machine has none.
    """
    told = watch or _ignore
    if task.needs_postgresql and find_postgresql() is None:
        raise PrepareError(
            f"{task.name}: it needs PostgreSQL, which this machine lacks; apt-get install postgresql"
        )
    home = _home(task, cache)
    tree = home / "tree"
    if tree.is_dir():
        told(Progress("cached", task.name, str(tree)))
        return Prepared(task, tree, task.environment_digest)
    told(Progress("waiting", task.name))
    with locked(home.with_name(home.name + ".lock")):
        if not tree.is_dir():
            _make(task, home, backend, told, installer or _install)
    told(Progress("ready", task.name, str(tree)))
    return Prepared(task, tree, task.environment_digest)


def forget(task: Task, cache: Path | None = None) -> None:
    """Remove what was prepared for a task's present files."""
    remove_tree(_home(task, cache))


def _home(task: Task, cache: Path | None) -> Path:
    root = cache if cache is not None else cache_root()
    return root / "prepared" / f"{task.name}-{FORMAT}-{task.environment_digest[:20]}"


def _make(task: Task, home: Path, backend: str, told: Watch, installer: Installer) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{home.name}-", dir=home.parent))
    try:
        told(Progress("copying", task.name))
        tree = draft / "tree"
        copy_tree(task.directory / "environment" / "app", tree)
        strip_tree(tree)
        script = task.directory / "environment" / "prepare.sh"
        if script.is_file():
            told(Progress("installing", task.name, script.name))
            done = installer(task, tree, backend)
            (draft / "prepare.log").write_text(done.stdout + done.stderr, "utf-8")
            _check(task, done)
        about = {"schema_version": 1, "task": task.full_name, "environment": task.environment_digest}
        (draft / "prepared.json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")
        remove_tree(home)
        os.replace(draft, home)  # noqa: PTH105
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _install(task: Task, tree: Path, backend: str) -> Completed:
    environment = task.config.environment
    spec = SandboxSpec(
        workspace=tree,
        mounts=(Mount(task.directory / "environment", "/environment"),),
        env={},
        registries=True,
        memory_mb=max(environment.memory_mb, 2048),
        hostname="prepare",
        as_root=task.as_root,
    )
    with open_sandbox(spec, backend=backend) as sandbox:
        argv = ["bash", "-e", "/environment/prepare.sh"]
        return sandbox.exec(argv, cwd="/app", timeout=environment.build_timeout_sec)


def _check(task: Task, done: Completed) -> None:
    if done.exit_code == 0 and not done.timed_out:
        return
    lines = (done.stdout + done.stderr).strip().splitlines()[-_TAIL:]
    limit = task.config.environment.build_timeout_sec
    reason = (
        f"did not end within {limit:g} seconds"
        if done.timed_out
        else f"ended with exit code {done.exit_code}"
    )
    said = " | ".join(line.strip() for line in lines) or "nothing"
    raise PrepareError(f"{task.name}/environment/prepare.sh: it {reason}; correct it. It said: {said}")


def _ignore(progress: Progress) -> None:
    """Nobody watches."""
